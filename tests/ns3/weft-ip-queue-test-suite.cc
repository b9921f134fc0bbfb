// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * A NIC's queue of packets of IP stacks, without a stack: were its limit or its turns off, queue
 * discs would lose packets unseen, or a NIC would send faster than its line.
 */
#include "weft-death.h"
#include "weft-test-rig.h"

#include "ns3/net-device-queue-interface.h"
#include "ns3/packet.h"
#include "ns3/string.h"
#include "ns3/test.h"

using namespace ns3;

namespace
{

constexpr uint16_t PROTOCOL = 0x0800;

/** Packets wait for the wire, up to a limit, and are dropped beyond it; all of it is told. */
class LimitTestCase : public TestCase
{
  public:
    LimitTestCase()
        : TestCase("packets beyond the queue's limit are dropped, counted and traced")
    {
    }

  private:
    void Dropped(Ptr<const Packet> packet)
    {
        m_dropped++;
        m_bytes += packet->GetSize();
    }

    bool Receive(Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&)
    {
        m_received++;
        return true;
    }

    /** @param limit attribute @param packets that it lets through of a burst, of which none leaves
     * before the burst is over */
    void Check(const std::string& limit, uint32_t packets)
    {
        WeftRig rig((WeftRigSetup()));
        m_dropped = m_bytes = m_received = 0;
        Ptr<WeftNic> nic = rig.fabric->GetNic(0);
        if (!limit.empty())
        {
            nic->SetAttribute("IpQueueSize", StringValue(limit));
        }
        nic->TraceConnectWithoutContext("MacTxDrop", MakeCallback(&LimitTestCase::Dropped, this));
        rig.fabric->GetNic(7)->SetReceiveCallback(MakeCallback(&LimitTestCase::Receive, this));
        Simulator::ScheduleWithContext(nic->GetNode()->GetId(),
                                       MicroSeconds(1),
                                       &LimitTestCase::Burst,
                                       this,
                                       nic,
                                       rig.fabric->GetNic(7)->GetAddress());
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_taken, packets, limit << ": Send() said yes");
        NS_TEST_EXPECT_MSG_EQ(m_received, packets, limit << ": arrived");
        NS_TEST_EXPECT_MSG_EQ(m_dropped, BURST - packets, limit << ": traced");
        NS_TEST_EXPECT_MSG_EQ(m_bytes, (BURST - packets) * SIZE, limit << ": their packets");
        NS_TEST_EXPECT_MSG_EQ(nic->GetIpDrops(), BURST - packets, limit << ": counted");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", limit << ": the books balance");
    }

    void Burst(Ptr<WeftNic> nic, Address to)
    {
        m_taken = 0;
        for (uint32_t i = 0; i < BURST; i++)
        {
            m_taken += nic->Send(Create<Packet>(SIZE), to, PROTOCOL);
        }
    }

    /** A queue shorter than a broadcast's copies must not tear it apart, or ARP would not work. */
    void CheckBroadcast()
    {
        WeftRig rig((WeftRigSetup()));
        Ptr<WeftNic> nic = rig.fabric->GetNic(0);
        nic->SetAttribute("IpQueueSize", StringValue("2p"));
        m_received = 0;
        for (uint32_t i = 1; i < rig.fabric->GetNHosts(); i++)
        {
            rig.fabric->GetNic(i)->SetReceiveCallback(MakeCallback(&LimitTestCase::Receive, this));
        }
        nic->Send(Create<Packet>(64), nic->GetBroadcast(), PROTOCOL);
        NS_TEST_EXPECT_MSG_EQ(nic->Send(Create<Packet>(64), nic->GetBroadcast(), PROTOCOL),
                              false,
                              "while the first one waits");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received, rig.fabric->GetNHosts() - 1, "every other host");
    }

    void DoRun() override
    {
        Check("10p", 10);
        // A packet of 1,000 bytes is a frame of 1,018: ten fill 10,000 bytes.
        Check("10000B", 10);
        Check("", 1000);
        CheckBroadcast();
        for (const char* none : {"0p", "0B"})
        {
            const std::string text = WeftDeathOf([none] {
                CreateObject<WeftNic>()->SetAttribute("IpQueueSize", StringValue(none));
            });
            NS_TEST_EXPECT_MSG_NE(text.find("expected at least 1p or 1B"),
                                  std::string::npos,
                                  none << " says: " << text);
        }
    }

    static constexpr uint32_t BURST = 1500; //!< packets sent at once
    static constexpr uint32_t SIZE = 1000;  //!< bytes of each

    uint32_t m_taken{0};    //!< by Send()
    uint32_t m_dropped{0};  //!< as the trace tells
    uint32_t m_bytes{0};    //!< of these
    uint32_t m_received{0}; //!< at the other end
};

/** Listeners that hear of a frame may send the next one at once, as queue discs of ns-3.42 do. */
class WireTestCase : public TestCase
{
  public:
    WireTestCase()
        : TestCase("frames follow one another on the wire, whoever sends them from a callback")
    {
    }

  private:
    void Sent(const weft_packet& frame)
    {
        const int64_t now = WeftNow();
        NS_TEST_EXPECT_MSG_GT_OR_EQ(now, m_free, "frame " << m_frames << " waits for the wire");
        m_free = now + (frame.bytes + 20) * INT64_C(8000000000000) /
                           m_rig->fabric->GetNic(0)->GetPort()->GetRate() / 1000;
        m_frames++;
        if (m_inTrace)
        {
            SendNext();
        }
    }

    /** Sends as a Tx listener may: turn about a packet and a message. */
    void SendNext()
    {
        if (m_left == 0)
        {
            return;
        }
        if (m_left-- % 2)
        {
            m_rig->Send(0, 7, 1000);
        }
        else
        {
            m_rig->fabric->GetNic(0)->Send(Create<Packet>(1000), m_to, PROTOCOL);
        }
    }

    /** Sends as a queue disc does when it is woken: until the device's queue is stopped. */
    void Drain()
    {
        if (m_draining)
        {
            return;
        }
        m_draining = true;
        Ptr<WeftNic> nic = m_rig->fabric->GetNic(0);
        const auto queue = nic->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0);
        for (; m_left > 0 && !queue->IsStopped(); m_left--)
        {
            nic->Send(Create<Packet>(1000), m_to, PROTOCOL);
        }
        m_draining = false;
    }

    bool Receive(Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&)
    {
        m_received++;
        return true;
    }

    void Check(bool inTrace)
    {
        WeftRig rig((WeftRigSetup()));
        m_rig = &rig;
        m_to = rig.fabric->GetNic(7)->GetAddress();
        m_left = COUNT;
        m_inTrace = inTrace;
        m_free = 0;
        m_frames = m_received = 0;
        Ptr<WeftNic> nic = rig.fabric->GetNic(0);
        nic->SetAttribute("IpQueueSize", StringValue(inTrace ? "1000p" : "1p"));
        nic->TraceConnectWithoutContext("Tx", MakeCallback(&WireTestCase::Sent, this));
        rig.fabric->GetNic(7)->SetReceiveCallback(MakeCallback(&WireTestCase::Receive, this));
        nic->GetObject<NetDeviceQueueInterface>()->GetTxQueue(0)->SetWakeCallback(
            MakeCallback(&WireTestCase::Drain, this));
        Simulator::ScheduleWithContext(nic->GetNode()->GetId(),
                                       MicroSeconds(1),
                                       inTrace ? &WireTestCase::SendNext : &WireTestCase::Drain,
                                       this);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_frames, COUNT, "all left");
        NS_TEST_EXPECT_MSG_EQ(m_received + rig.delivered, COUNT, "and arrived");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    void DoRun() override
    {
        Check(false);
        Check(true);
    }

    static constexpr uint32_t COUNT = 100; //!< frames

    WeftRig* m_rig{nullptr}; //!< of this run
    Address m_to;            //!< of the receiver
    uint32_t m_left{0};      //!< frames to send
    bool m_inTrace{false};   //!< sends from the Tx trace, not when woken
    bool m_draining{false};  //!< in Drain()
    int64_t m_free{0};       //!< the wire is, from here on, ps
    uint32_t m_frames{0};    //!< that left
    uint32_t m_received{0};  //!< packets of the stack
};

class WeftIpQueueTestSuite : public TestSuite
{
  public:
    WeftIpQueueTestSuite()
        : TestSuite("weft-ip-queue", Type::UNIT)
    {
        AddTestCase(new LimitTestCase);
        AddTestCase(new WireTestCase);
    }
};

WeftIpQueueTestSuite g_weftIpQueueTestSuite; //!< registers the suite

} // namespace
