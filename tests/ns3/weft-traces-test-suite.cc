// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Trace sources of devices: were one silent, early, or told of another frame, a user's queue
 * lengths, loss counts and captures would be wrong.
 */
#include "weft-test-rig.h"

#include "ns3/ethernet-header.h"
#include "ns3/packet.h"
#include "ns3/test.h"

#include <map>
#include <string>

using namespace ns3;

namespace
{

constexpr int64_t WIRE_100G = 80; //!< ps for a byte

/** Queues of a switch, beside what the core says of it. */
class QueueTestCase : public TestCase
{
  public:
    QueueTestCase()
        : TestCase("frames join queues and leave them, one after the other on the wire")
    {
    }

  private:
    void Enqueue(const weft_packet& p, uint32_t port)
    {
        m_queue[port] += p.bytes;
        m_longest = std::max(m_longest, m_queue[port]);
    }

    void Dequeue(const weft_packet& p, uint32_t port)
    {
        m_queue[port] -= p.bytes;
        m_frames[port]++;
        m_bytes[port] += p.bytes;
        NS_TEST_EXPECT_MSG_GT_OR_EQ(WeftNow(), m_free[port], "the wire is free");
        m_free[port] = WeftNow() + p.bytes * WIRE_100G;
    }

    void TxEnd(const weft_packet&, uint32_t port)
    {
        NS_TEST_EXPECT_MSG_EQ(WeftNow(), m_free[port], "the last bit of the frame");
        m_ended++;
    }

    void DoRun() override
    {
        WeftRig rig((WeftRigSetup()));
        Ptr<WeftSwitch> sw = rig.fabric->GetSwitch(0);
        sw->TraceConnectWithoutContext("Enqueue", MakeCallback(&QueueTestCase::Enqueue, this));
        sw->TraceConnectWithoutContext("Dequeue", MakeCallback(&QueueTestCase::Dequeue, this));
        sw->TraceConnectWithoutContext("TxEnd", MakeCallback(&QueueTestCase::TxEnd, this));
        rig.SendIncast(100000);
        Simulator::Run();
        uint64_t all = 0;
        for (uint32_t port = 0; port < sw->GetNPorts(); port++)
        {
            NS_TEST_EXPECT_MSG_EQ(m_queue[port], 0, "all that came has left");
            NS_TEST_EXPECT_MSG_EQ(m_frames[port], sw->GetPort(port)->GetFrames(), "frames");
            NS_TEST_EXPECT_MSG_EQ(m_bytes[port], sw->GetPort(port)->GetBytes(), "bytes");
            all += m_frames[port];
        }
        NS_TEST_EXPECT_MSG_EQ(m_ended, all, "each has an end");
        NS_TEST_EXPECT_MSG_GT(all, 900, "there are many");
        NS_TEST_EXPECT_MSG_GT(m_longest, 100000, "they waited");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    std::map<uint32_t, int64_t> m_queue;   //!< bytes by port, that of the frame on the wire not
    std::map<uint32_t, uint64_t> m_frames; //!< that left
    std::map<uint32_t, uint64_t> m_bytes;  //!< of these
    std::map<uint32_t, int64_t> m_free;    //!< when the wire is
    int64_t m_longest{0};                  //!< of these queues
    uint64_t m_ended{0};                   //!< frames whose last bit has left
};

/** Losses on links, at a switch and at a NIC, with their reason. */
class RxDropTestCase : public TestCase
{
  public:
    RxDropTestCase()
        : TestCase("frames that a link loses are told by the device behind it, with the reason")
    {
    }

  private:
    void Dropped(const weft_packet&, weft_net_loss why)
    {
        m_lost[why]++;
    }

    void Sent(const weft_packet& p)
    {
        m_end = WeftNow() + p.bytes * WIRE_100G;
    }

    void TxEnd(const weft_packet&, uint32_t port)
    {
        NS_TEST_EXPECT_MSG_EQ(port, 0, "its only port");
        NS_TEST_EXPECT_MSG_EQ(WeftNow(), m_end, "the last bit of the frame");
        m_ended++;
    }

    void DoRun() override
    {
        WeftRigSetup setup;
        setup.transport = "sack";
        WeftRig rig(setup);
        for (const bool spoils : {false, true})
        {
            WeftFabric::Fault fault;
            fault.links = {spoils ? 0U : rig.FindLink(0, 4)};
            fault.effect = spoils ? WEFT_FAULT_CORRUPTING : WEFT_FAULT_LOSSY;
            fault.losses.good = 0.05;
            rig.fabric->AddFault(fault);
        }
        const auto sink = MakeCallback(&RxDropTestCase::Dropped, this);
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            rig.fabric->GetSwitch(i)->TraceConnectWithoutContext("RxDrop", sink);
        }
        Ptr<WeftNic> nic = rig.fabric->GetNic(0);
        nic->TraceConnectWithoutContext("RxDrop", sink);
        nic->TraceConnectWithoutContext("Tx", MakeCallback(&RxDropTestCase::Sent, this));
        nic->TraceConnectWithoutContext("TxEnd", MakeCallback(&RxDropTestCase::TxEnd, this));
        rig.SendAll(2, 500000);
        Simulator::Run();
        const WeftCounters sum = rig.fabric->GetCounters();
        for (const auto why : {WeftFabric::DROP_LOSSY, WeftFabric::CORRUPTED})
        {
            NS_TEST_EXPECT_MSG_GT(m_lost[why], 0, "some are lost");
            NS_TEST_EXPECT_MSG_EQ(m_lost[why], sum.lost[why], "all are told");
        }
        NS_TEST_EXPECT_MSG_EQ(m_lost.size(), 2, "and no others");
        NS_TEST_EXPECT_MSG_EQ(m_ended, nic->GetPort()->GetFrames(), "each frame has an end");
    }

    std::map<weft_net_loss, uint64_t> m_lost; //!< frames by reason
    int64_t m_end{0};                         //!< of the NIC's last frame, ps
    uint64_t m_ended{0};                      //!< its frames whose last bit has left
};

/** A packet of an IP stack passes the sources of both devices in the order of ns-3's own ones. */
class PacketTestCase : public TestCase
{
  public:
    PacketTestCase()
        : TestCase("packets of IP stacks pass MacTx, PhyTxBegin, PhyTxEnd, PhyRxEnd and MacRx")
    {
    }

  private:
    void Note(std::string source, Ptr<const Packet> packet)
    {
        m_story += source + " ";
        NS_TEST_EXPECT_MSG_EQ(packet->GetSize(), SIZE, source << ": the packet itself");
    }

    void Sniff(std::string source, Ptr<const Packet> packet)
    {
        EthernetHeader header;
        m_story += source + " ";
        packet->PeekHeader(header);
        NS_TEST_EXPECT_MSG_EQ(packet->GetSize(), SIZE + 14, source << ": with a header");
        NS_TEST_EXPECT_MSG_EQ(header.GetLengthType(), PROTOCOL, source << ": EtherType");
        NS_TEST_EXPECT_MSG_EQ(header.GetSource(), Mac48Address::ConvertFrom(m_from), source);
        NS_TEST_EXPECT_MSG_EQ(header.GetDestination(), Mac48Address::ConvertFrom(m_to), source);
    }

    /** @param nic is listened to @param name what its sources are to be called */
    void Listen(Ptr<WeftNic> nic, const std::string& name)
    {
        for (const char* source : {"MacTx",
                                   "MacTxDrop",
                                   "PhyTxBegin",
                                   "PhyTxEnd",
                                   "PhyRxEnd",
                                   "PhyRxDrop",
                                   "MacPromiscRx",
                                   "MacRx"})
        {
            nic->TraceConnect(source, name + source, MakeCallback(&PacketTestCase::Note, this));
        }
        for (const char* source : {"Sniffer", "PromiscSniffer"})
        {
            nic->TraceConnect(source, name + source, MakeCallback(&PacketTestCase::Sniff, this));
        }
    }

    /** @param loss probability of the last link's @param listens of the NICs @return what was told
     */
    std::string Run(double loss, bool listens)
    {
        WeftRig rig((WeftRigSetup()));
        Ptr<WeftNic> from = rig.fabric->GetNic(0);
        Ptr<WeftNic> to = rig.fabric->GetNic(7);
        m_story.clear();
        m_from = from->GetAddress();
        m_to = to->GetAddress();
        if (listens)
        {
            Listen(from, "a.");
            Listen(to, "b.");
        }
        if (loss > 0)
        {
            WeftFabric::Fault fault;
            fault.links = {7};
            fault.effect = WEFT_FAULT_LOSSY;
            fault.direction = WEFT_DOWNWARDS;
            fault.losses.good = loss;
            rig.fabric->AddFault(fault);
        }
        from->Send(Create<Packet>(SIZE), m_to, PROTOCOL);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
        return m_story;
    }

    void DoRun() override
    {
        const std::string sent = "a.MacTx a.PhyTxBegin a.Sniffer a.PromiscSniffer a.PhyTxEnd ";
        NS_TEST_EXPECT_MSG_EQ(Run(0, true),
                              sent +
                                  "b.PhyRxEnd b.Sniffer b.PromiscSniffer b.MacPromiscRx b.MacRx ",
                              "a packet that comes");
        NS_TEST_EXPECT_MSG_EQ(Run(1, true), sent + "b.PhyRxDrop ", "one that is lost");
        NS_TEST_EXPECT_MSG_EQ(Run(1, false), "", "nobody listens");
    }

    static constexpr uint16_t PROTOCOL = 0x0800; //!< EtherType
    static constexpr uint32_t SIZE = 1000;       //!< bytes of a packet

    std::string m_story; //!< sources that have told
    Address m_from;      //!< of the sender
    Address m_to;        //!< of the receiver
};

class WeftTracesTestSuite : public TestSuite
{
  public:
    WeftTracesTestSuite()
        : TestSuite("weft-traces", Type::UNIT)
    {
        AddTestCase(new QueueTestCase);
        AddTestCase(new RxDropTestCase);
        AddTestCase(new PacketTestCase);
    }
};

WeftTracesTestSuite g_weftTracesTestSuite; //!< registers the suite

} // namespace
