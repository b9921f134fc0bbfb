// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Hosts with a port in each of two planes, as programs see them: one device with two ports, which
 * carries QPs and packets of IP stacks while one of its links is up.
 */
#include "weft-test-rig.h"

#include "ns3/packet.h"
#include "ns3/test.h"

using namespace ns3;

namespace
{

/** Both ports carry a QP's packets; packets of IP stacks arrive whichever link is down. */
class TwoPlanesTestCase : public TestCase
{
  public:
    TwoPlanesTestCase()
        : TestCase("a device with two ports is up while one of its links is")
    {
    }

  private:
    static constexpr uint32_t PACKETS = 20; //!< of an IP stack, in each state of the links

    bool Receive(Ptr<NetDevice>, Ptr<const Packet> packet, uint16_t, const Address&)
    {
        m_received++;
        m_bytes += packet->GetSize();
        return true;
    }

    void SendAll(Ptr<WeftNic> from, Ptr<WeftNic> to)
    {
        for (uint32_t i = 0; i < PACKETS; i++)
        {
            m_taken += from->Send(Create<Packet>(100 + i), to->GetAddress(), 0x0800);
        }
    }

    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=2 spines=2 hosts-per-leaf=2 planes=2";
        setup.balancer = "ops";
        setup.transport = "sack";
        WeftRig rig(setup);
        Ptr<WeftFabric> fabric = rig.fabric;
        Ptr<WeftNic> nic = fabric->GetNic(0);
        Ptr<WeftNic> peer = fabric->GetNic(3);
        const uint64_t links = fabric->GetClos().nlinks; // of each plane; hosts' come first
        NS_TEST_EXPECT_MSG_EQ(nic->GetNPorts(), 2, "one in each plane");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetNSwitches(), 8, "four in each plane");
        peer->SetReceiveCallback(MakeCallback(&TwoPlanesTestCase::Receive, this));
        rig.Send(0, 3, 1000000);
        Simulator::Schedule(MilliSeconds(1), &TwoPlanesTestCase::SendAll, this, nic, peer);
        fabric->ScheduleFailure(0, MilliSeconds(2), MilliSeconds(4));
        Simulator::Schedule(MilliSeconds(3), [&] {
            m_up += nic->IsLinkUp();
            SendAll(nic, peer);
        });
        fabric->ScheduleFailure(links, MilliSeconds(5), MilliSeconds(7));
        Simulator::Schedule(MilliSeconds(6), [&] {
            m_up += nic->IsLinkUp();
            SendAll(nic, peer);
        });
        fabric->ScheduleFailure(0, MilliSeconds(8), Time::Max());
        fabric->ScheduleFailure(links, MilliSeconds(8), Time::Max());
        Simulator::Schedule(MilliSeconds(9), [&] {
            m_up += nic->IsLinkUp();
            SendAll(nic, peer);
        });
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_up, 2, "up with either link, and not without any");
        NS_TEST_EXPECT_MSG_EQ(m_taken, 3 * PACKETS, "nothing is taken without a link");
        NS_TEST_EXPECT_MSG_EQ(m_received, 3 * PACKETS, "all that is taken arrives");
        NS_TEST_EXPECT_MSG_EQ(m_bytes, 3 * (100 * PACKETS + PACKETS * (PACKETS - 1) / 2), "whole");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "and so does RDMA");
        NS_TEST_EXPECT_MSG_GT(nic->GetPort(0)->GetFrames(), 200, "by this port");
        NS_TEST_EXPECT_MSG_GT(nic->GetPort(1)->GetFrames(), 200, "and by that one");
        NS_TEST_EXPECT_MSG_EQ(nic->GetPort(0)->IsDown() && nic->GetPort(1)->IsDown(), true, "now");
        NS_TEST_EXPECT_MSG_NE(fabric->GetFib(1), nullptr, "and forwarding of each plane knows");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    uint32_t m_received{0}; //!< packets
    uint64_t m_bytes{0};    //!< of these
    uint32_t m_taken{0};    //!< by the NIC
    uint32_t m_up{0};       //!< how often the device was up when it was asked
};

class WeftPlanesTestSuite : public TestSuite
{
  public:
    WeftPlanesTestSuite()
        : TestSuite("weft-planes", Type::UNIT)
    {
        AddTestCase(new TwoPlanesTestCase);
    }
};

WeftPlanesTestSuite g_weftPlanesTestSuite; //!< registers the suite

} // namespace
