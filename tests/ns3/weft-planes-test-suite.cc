// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Hosts with several ports, as programs see them: a device for each port, whose packets leave by
 * it and whose link is its own, and one NIC, whose QPs use all of them.
 */
#include "weft-test-rig.h"

#include "ns3/packet.h"
#include "ns3/test.h"

#include <map>

using namespace ns3;

namespace
{

constexpr uint16_t PROTOCOL = 0x0800; //!< EtherType
constexpr uint32_t PACKETS = 20;      //!< that a device is given at once

/** Counts what comes to devices. */
class HostPortTestCase : public TestCase
{
  protected:
    using TestCase::TestCase;

    /** A device's packets. */
    struct Arrivals
    {
        uint32_t packets{0}; //!< how many
        Address from;        //!< sender of the last one
    };

    bool Receive(Ptr<NetDevice> device, Ptr<const Packet>, uint16_t, const Address& from)
    {
        m_arrivals[device].packets++;
        m_arrivals[device].from = from;
        return true;
    }

    /** @param nic all of whose ports are to be heard */
    void Listen(Ptr<WeftNic> nic)
    {
        for (uint32_t i = 0; i < nic->GetNPorts(); i++)
        {
            nic->GetDevice(i)->SetReceiveCallback(MakeCallback(&HostPortTestCase::Receive, this));
        }
    }

    /** @param from device @param to address @return packets that it has taken, of PACKETS */
    static uint32_t SendAll(Ptr<NetDevice> from, const Address& to)
    {
        uint32_t taken = 0;
        for (uint32_t i = 0; i < PACKETS; i++)
        {
            taken += from->Send(Create<Packet>(100 + i), to, PROTOCOL);
        }
        return taken;
    }

    std::map<Ptr<NetDevice>, Arrivals> m_arrivals; //!< by device
};

/** Each device's packets leave by its port; a dead port takes its own link down and no other. */
class TwoPlanesTestCase : public HostPortTestCase
{
  public:
    TwoPlanesTestCase()
        : HostPortTestCase("each port of a host is a device with an address and a link of its own")
    {
    }

  private:
    void Changed(uint32_t port)
    {
        m_changes[port]++;
    }

    /** Both devices send while the link of port 1 is down. */
    void SendWithDeadPort(Ptr<WeftNic> nic, Ptr<WeftNic> peer)
    {
        NS_TEST_EXPECT_MSG_EQ(nic->GetDevice(0)->IsLinkUp(), true, "the other one is alive");
        NS_TEST_EXPECT_MSG_EQ(nic->GetDevice(1)->IsLinkUp(), false, "its link is dead");
        NS_TEST_EXPECT_MSG_EQ((m_changes[0] == 0 && m_changes[1] == 1), true, "one was told");
        NS_TEST_EXPECT_MSG_EQ(SendAll(nic->GetDevice(0), peer->GetDevice(0)->GetAddress()),
                              PACKETS,
                              "taken");
        NS_TEST_EXPECT_MSG_EQ(SendAll(nic->GetDevice(1), peer->GetDevice(1)->GetAddress()),
                              0,
                              "nothing is taken without a link");
    }

    void CheckDevices(Ptr<WeftNic> nic, Ptr<WeftFabric> fabric)
    {
        const uint64_t links = fabric->GetClos().nlinks; // of each plane; hosts' come first
        NS_TEST_EXPECT_MSG_EQ(nic->GetNPorts(), 2, "one in each plane");
        NS_TEST_EXPECT_MSG_EQ(nic->GetNode()->GetNDevices(), 2, "both are devices");
        NS_TEST_EXPECT_MSG_EQ(nic->GetDevice(0), nic, "the NIC is port 0");
        NS_TEST_EXPECT_MSG_EQ(nic->GetDevice(1)->GetIndex(), 1, "and this port 1");
        NS_TEST_EXPECT_MSG_EQ(nic->GetDevice(1)->GetHost(), 0, "of the same host");
        NS_TEST_EXPECT_MSG_EQ(nic->GetDevice(1)->GetNode(), nic->GetNode(), "of the same node");
        NS_TEST_EXPECT_MSG_NE(nic->GetDevice(1)->GetAddress(), nic->GetAddress(), "has its own");
        NS_TEST_EXPECT_MSG_NE(nic->GetDevice(1)->GetChannel(), nic->GetChannel(), "planes");
        NS_TEST_EXPECT_MSG_EQ(nic->GetChannel()->GetNDevices(), 4, "a port of each host");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetChannel(0)->GetDevice(0), nic, "the link of port 0");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetChannel(links)->GetDevice(0),
                              nic->GetDevice(1),
                              "the link of port 1");
        nic->SetAttribute("IpQueueSize", QueueSizeValue(QueueSize("7p")));
        NS_TEST_EXPECT_MSG_EQ(nic->GetDevice(1)->GetIpQueueSize(), QueueSize("7p"), "of each port");
        nic->SetAttribute("IpQueueSize", QueueSizeValue(QueueSize("1000p")));
    }

    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=2 spines=2 hosts-per-leaf=2 planes=2";
        WeftRig rig(setup);
        Ptr<WeftNic> nic = rig.fabric->GetNic(0);
        Ptr<WeftNic> peer = rig.fabric->GetNic(3);
        CheckDevices(nic, rig.fabric);
        Listen(peer);
        for (uint32_t i = 0; i < 2; i++)
        {
            nic->GetDevice(i)->AddLinkChangeCallback(
                MakeCallback(&TwoPlanesTestCase::Changed, this).Bind(i));
        }
        Ptr<WeftHostPort> second = peer->GetDevice(1);
        SendAll(nic->GetDevice(1), second->GetAddress());
        NS_TEST_EXPECT_MSG_EQ(SendAll(nic, second->GetAddress()), 0, "it is in the other plane");
        rig.fabric->ScheduleFailure(rig.fabric->GetClos().nlinks, MilliSeconds(1), MilliSeconds(3));
        Simulator::Schedule(MilliSeconds(2), [&] {
            NS_TEST_EXPECT_MSG_EQ(m_arrivals[second].packets, PACKETS, "by port 1");
            NS_TEST_EXPECT_MSG_EQ(nic->GetPort(1)->GetFrames(), PACKETS, "all of them");
            NS_TEST_EXPECT_MSG_EQ(nic->GetPort(0)->GetFrames(), 0, "and none by port 0");
            SendWithDeadPort(nic, peer);
        });
        Simulator::Stop(MilliSeconds(4));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_arrivals[peer].packets, PACKETS, "by port 0");
        NS_TEST_EXPECT_MSG_EQ(m_arrivals[second].packets, PACKETS, "and no more by port 1");
        NS_TEST_EXPECT_MSG_EQ(m_arrivals[second].from, nic->GetDevice(1)->GetAddress(), "sender");
        NS_TEST_EXPECT_MSG_EQ(nic->GetDevice(1)->IsLinkUp(), true, "it is back");
        NS_TEST_EXPECT_MSG_EQ((m_changes[0] == 0 && m_changes[1] == 2), true, "and told");
        NS_TEST_EXPECT_MSG_EQ(nic->GetDevice(1)->GetIpDrops(), PACKETS, "refused");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    uint32_t m_changes[2]{}; //!< of links, by port
};

/** QPs are the host's: they use both ports, and one of them while the other is dead. */
class BothPortsTestCase : public HostPortTestCase
{
  public:
    BothPortsTestCase()
        : HostPortTestCase("QPs of a NIC use all of its ports, and those that are alive")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=2 spines=2 hosts-per-leaf=2 planes=2";
        setup.balancer = "ops";
        setup.transport = "sack";
        WeftRig rig(setup);
        Ptr<WeftNic> nic = rig.fabric->GetNic(0);
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetNSwitches(), 8, "four in each plane");
        rig.Send(0, 3, 1000000);
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        const uint64_t before = nic->GetPort(1)->GetFrames();
        NS_TEST_EXPECT_MSG_GT(nic->GetPort(0)->GetFrames(), 200, "by this port");
        NS_TEST_EXPECT_MSG_GT(before, 200, "and by that one");
        rig.fabric->ScheduleFailure(rig.fabric->GetClos().nlinks, Simulator::Now(), Time::Max());
        rig.Send(0, 3, 1000000);
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 2, "both messages");
        NS_TEST_EXPECT_MSG_EQ(nic->GetPort(1)->GetFrames(), before, "not by a dead port");
        NS_TEST_EXPECT_MSG_NE(rig.fabric->GetFib(1), nullptr, "forwarding of that plane knows");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }
};

/** A server's own network is a network of its own, and two ToRs of a host are in one. */
class NetworksTestCase : public HostPortTestCase
{
  public:
    NetworksTestCase()
        : HostPortTestCase("a broadcast reaches the ports of its network and no others")
    {
    }

  private:
    /** @param topology of hosts with two ports @param port that sends @param expected by port of
     * each other host: how many of them get it */
    void Check(const std::string& topology, uint32_t port, std::map<uint32_t, uint32_t> expected)
    {
        WeftRigSetup setup;
        setup.topology = topology;
        WeftRig rig(setup);
        m_arrivals.clear();
        for (uint32_t i = 0; i < rig.fabric->GetNHosts(); i++)
        {
            Listen(rig.fabric->GetNic(i));
        }
        Ptr<NetDevice> from = rig.fabric->GetNic(1)->GetDevice(port);
        from->Send(Create<Packet>(100), from->GetBroadcast(), PROTOCOL);
        Simulator::Run();
        std::map<uint32_t, uint32_t> heard;
        for (const auto& [device, of] : m_arrivals)
        {
            const auto at = DynamicCast<WeftHostPort>(device);
            NS_TEST_EXPECT_MSG_EQ(of.packets, 1, "once");
            NS_TEST_EXPECT_MSG_EQ(of.from, from->GetAddress(), "from there");
            NS_TEST_EXPECT_MSG_NE(at->GetHost(), 1, "not to itself");
            heard[at->GetIndex()]++;
        }
        NS_TEST_EXPECT_MSG_EQ((heard == expected), true, topology << ", port " << port);
        m_arrivals.clear();
    }

    void DoRun() override
    {
        const std::string four = "leaf-spine leaves=2 spines=2 hosts-per-leaf=4";
        Check(four + " planes=2", 1, {{1, 7}});
        Check(four + " gpus-per-server=4 scale-up-rate=400Gbps", 0, {{0, 7}});
        Check(four + " gpus-per-server=4 scale-up-rate=400Gbps", 1, {{1, 3}});
        Check(four + " tors-per-host=2", 1, {{0, 3}, {1, 3}}); // two ToRs have four hosts
    }
};

class WeftPlanesTestSuite : public TestSuite
{
  public:
    WeftPlanesTestSuite()
        : TestSuite("weft-planes", Type::UNIT)
    {
        AddTestCase(new TwoPlanesTestCase);
        AddTestCase(new BothPortsTestCase);
        AddTestCase(new NetworksTestCase);
    }
};

WeftPlanesTestSuite g_weftPlanesTestSuite; //!< registers the suite

} // namespace
