// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The module as ns-3 knows modules: devices that carry packets of any stack, channels, attributes,
 * applications, traces. Were one of them off, ns-3's own tools would not work on a fabric.
 */
#include "weft-test-rig.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/packet.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/weft-channel.h"
#include "ns3/weft-choice.h"
#include "ns3/weft-collective.h"
#include "ns3/weft-rdma-application.h"

#include <map>

using namespace ns3;

namespace
{

constexpr uint16_t PROTOCOL = 0x88b5; // for experiments: the bytes are no IP header

/** @return a packet of that many bytes, each different from its neighbours */
Ptr<Packet>
MakePacket(uint32_t size)
{
    std::vector<uint8_t> bytes(size);
    for (uint32_t i = 0; i < size; i++)
    {
        bytes[i] = static_cast<uint8_t>(i * 7 + size);
    }
    return Create<Packet>(bytes.data(), size);
}

/** @return a packet's bytes */
std::vector<uint8_t>
GetBytes(Ptr<const Packet> packet)
{
    std::vector<uint8_t> bytes(packet->GetSize());
    packet->CopyData(bytes.data(), packet->GetSize());
    return bytes;
}

/** Packets of a stack arrive whole, in order, from whom and as what they were sent. */
class SendTestCase : public TestCase
{
  public:
    SendTestCase()
        : TestCase("packets of a stack arrive intact, alone and beside RDMA, to one and to all")
    {
    }

  private:
    /** Packet as a device handed it up. */
    struct Arrival
    {
        std::vector<uint8_t> bytes; //!< contents
        uint16_t protocol;          //!< EtherType
        Address from;               //!< sender
    };

    bool
    Receive(Ptr<NetDevice> device, Ptr<const Packet> packet, uint16_t protocol, const Address& a)
    {
        const uint32_t host = DynamicCast<WeftNic>(device)->GetHost();
        m_arrivals[host].push_back(Arrival{GetBytes(packet), protocol, a});
        return true;
    }

    bool ReceivePromisc(Ptr<NetDevice>,
                        Ptr<const Packet>,
                        uint16_t,
                        const Address&,
                        const Address& to,
                        NetDevice::PacketType type)
    {
        m_types[type]++;
        m_to = to;
        return true;
    }

    void Listen(WeftRig& rig)
    {
        m_arrivals.assign(rig.fabric->GetNHosts(), {});
        for (uint32_t i = 0; i < rig.fabric->GetNHosts(); i++)
        {
            rig.fabric->GetNic(i)->SetReceiveCallback(MakeCallback(&SendTestCase::Receive, this));
        }
        rig.fabric->GetNic(7)->SetPromiscReceiveCallback(
            MakeCallback(&SendTestCase::ReceivePromisc, this));
    }

    void CheckUnicast(bool beside)
    {
        WeftRig rig((WeftRigSetup()));
        Listen(rig);
        Ptr<WeftNic> nic = rig.fabric->GetNic(0);
        const Address to = rig.fabric->GetNic(7)->GetAddress();
        if (beside)
        {
            rig.Send(0, 7, 500000);
            rig.Send(3, 7, 500000);
        }
        for (uint32_t size = 1; size <= 1500; size += 37)
        {
            NS_TEST_EXPECT_MSG_EQ(nic->Send(MakePacket(size), to, PROTOCOL), true, "sent");
        }
        NS_TEST_EXPECT_MSG_EQ(nic->Send(MakePacket(9), nic->GetAddress(), PROTOCOL), false, "self");
        NS_TEST_EXPECT_MSG_EQ(nic->Send(MakePacket(9), Mac48Address::Allocate(), PROTOCOL),
                              false,
                              "an address that no host has");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(m_arrivals[7].size(), 41, "every packet once");
        for (uint32_t i = 0; i < 41; i++)
        {
            const Arrival& a = m_arrivals[7][i];
            NS_TEST_EXPECT_MSG_EQ((a.bytes == GetBytes(MakePacket(1 + 37 * i))), true, "contents");
            NS_TEST_EXPECT_MSG_EQ(a.protocol, PROTOCOL, "EtherType");
            NS_TEST_EXPECT_MSG_EQ(a.from, nic->GetAddress(), "sender");
        }
        NS_TEST_EXPECT_MSG_EQ(rig.acked, (beside ? 2 : 0), "RDMA beside them");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    void CheckBroadcast()
    {
        WeftRig rig((WeftRigSetup()));
        Listen(rig);
        m_types.clear();
        Ptr<WeftNic> nic = rig.fabric->GetNic(2);
        nic->Send(MakePacket(64), nic->GetBroadcast(), PROTOCOL);
        nic->Send(MakePacket(65), rig.fabric->GetNic(7)->GetAddress(), PROTOCOL);
        Simulator::Run();
        for (uint32_t host = 0; host < 8; host++)
        {
            const size_t expected = host == 2 ? 0 : host == 7 ? 2 : 1;
            NS_TEST_EXPECT_MSG_EQ(m_arrivals[host].size(), expected, "host " << host);
        }
        NS_TEST_EXPECT_MSG_EQ(m_types[NetDevice::PACKET_BROADCAST], 1, "as a broadcast");
        NS_TEST_EXPECT_MSG_EQ(m_types[NetDevice::PACKET_HOST], 1, "as a packet for this host");
        NS_TEST_EXPECT_MSG_EQ(m_to, rig.fabric->GetNic(7)->GetAddress(), "its address");
    }

    void DoRun() override
    {
        CheckUnicast(false);
        CheckUnicast(true);
        CheckBroadcast();
    }

    std::vector<std::vector<Arrival>> m_arrivals; //!< by host
    std::map<int, uint32_t> m_types;              //!< promiscuous packets by type
    Address m_to;                                 //!< of the last of them
};

/** Devices, channels and nodes are wired as ns-3 expects, and speak up when a link fails. */
class LinkTestCase : public TestCase
{
  public:
    LinkTestCase()
        : TestCase("devices show their links and tell when one goes down or comes back")
    {
    }

  private:
    void Changed(uint32_t which)
    {
        m_changes[which]++;
    }

    void DoRun() override
    {
        WeftRig rig((WeftRigSetup()));
        Ptr<WeftNic> nic = rig.fabric->GetNic(0);
        Ptr<Channel> lan = nic->GetChannel();
        NS_TEST_ASSERT_MSG_NE(lan, nullptr, "a NIC has a channel");
        NS_TEST_EXPECT_MSG_EQ(lan->GetNDevices(), rig.fabric->GetNHosts(), "of all NICs");
        for (uint32_t i = 0; i < rig.fabric->GetNHosts(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(lan->GetDevice(i), rig.fabric->GetNic(i), "by host");
        }
        Ptr<WeftChannel> channel = rig.fabric->GetChannel(0);
        NS_TEST_EXPECT_MSG_EQ(channel->GetNDevices(), 2, "of two devices");
        NS_TEST_EXPECT_MSG_EQ(channel->GetDevice(0), nic, "the NIC");
        NS_TEST_EXPECT_MSG_EQ(channel->GetDevice(1), rig.fabric->GetSwitch(0), "and its ToR");
        DataRateValue rate;
        TimeValue delay;
        channel->GetAttribute("DataRate", rate);
        channel->GetAttribute("Delay", delay);
        NS_TEST_EXPECT_MSG_EQ(rate.Get(), DataRate("100Gbps"), "its rate");
        NS_TEST_EXPECT_MSG_EQ(delay.Get(), MicroSeconds(1), "its delay");
        NS_TEST_EXPECT_MSG_EQ(nic->GetNode(), rig.helper.GetHosts().Get(0), "its node");
        NS_TEST_EXPECT_MSG_EQ(nic->GetNode()->GetDevice(nic->GetIfIndex()), nic, "and back");
        NS_TEST_EXPECT_MSG_EQ(nic->IsBroadcast(), true, "ARP needs broadcast");
        NS_TEST_EXPECT_MSG_EQ(nic->NeedsArp(), true, "a MAC address has to be found");
        NS_TEST_EXPECT_MSG_EQ(nic->IsPointToPoint(), false, "there are many hosts");
        NS_TEST_EXPECT_MSG_EQ(nic->GetMtu(), 1500, "as Ethernet");

        rig.fabric->GetSwitch(0)->AddLinkChangeCallback(
            MakeCallback(&LinkTestCase::Changed, this).Bind(1U));
        nic->AddLinkChangeCallback(MakeCallback(&LinkTestCase::Changed, this).Bind(0U));
        rig.fabric->ScheduleFailure(0, MicroSeconds(1), MicroSeconds(9));
        NS_TEST_EXPECT_MSG_EQ(nic->IsLinkUp(), true, "up at first");
        Simulator::Stop(MicroSeconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(nic->IsLinkUp(), false, "down");
        NS_TEST_EXPECT_MSG_EQ((m_changes[0] == 1 && m_changes[1] == 1), true, "both were told");
        const Address to = rig.fabric->GetNic(1)->GetAddress();
        NS_TEST_EXPECT_MSG_EQ(nic->Send(MakePacket(9), to, PROTOCOL), false, "nothing goes out");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(nic->IsLinkUp(), true, "up again");
        NS_TEST_EXPECT_MSG_EQ((m_changes[0] == 2 && m_changes[1] == 2), true, "both were told");
    }

    uint32_t m_changes[2]{}; //!< calls from the NIC, from the ToR
};

/** Attributes by ns-3's own means. */
class AttributeTestCase : public TestCase
{
  public:
    AttributeTestCase()
        : TestCase("Config::SetDefault and attributes reach the fabric")
    {
    }

  private:
    void DoRun() override
    {
        Config::SetDefault("ns3::WeftFabric::Balancer", StringValue("ar"));
        Config::SetDefault("ns3::WeftFabric::Topology",
                           StringValue("leaf-spine leaves=2 spines=3 hosts-per-leaf=5"));
        Config::SetDefault("ns3::WeftFabric::ConvergenceDelay", StringValue("7us"));
        {
            WeftHelper helper;
            NS_TEST_EXPECT_MSG_EQ(helper.Install().GetN(), 10, "hosts");
            Ptr<WeftFabric> fabric = helper.GetFabric();
            NS_TEST_EXPECT_MSG_EQ(fabric->GetNSwitches(), 5, "switches");
            NS_TEST_EXPECT_MSG_EQ(fabric->GetBalancer()->algo.name, std::string("ar"), "balancer");
            StringValue text;
            fabric->GetAttribute("Topology", text);
            NS_TEST_EXPECT_MSG_EQ(text.Get().substr(0, 27),
                                  "leaf-spine leaves=2 spines=",
                                  "all parameters are shown");
            TimeValue delay;
            fabric->GetAttribute("ConvergenceDelay", delay);
            NS_TEST_EXPECT_MSG_EQ(delay.Get(), MicroSeconds(7), "convergence");
        }
        Simulator::Destroy();
        Config::Reset();
    }
};

/** A line of text that names an algorithm: what is right, and what is said of what is wrong. */
class ChoiceTestCase : public TestCase
{
  public:
    ChoiceTestCase()
        : TestCase("a misspelt algorithm or parameter is named, and the nearest one suggested")
    {
    }

  private:
    void Wrong(const std::string& kind, const std::string& text, const std::string& part)
    {
        WeftChoice choice(kind);
        std::string error;
        NS_TEST_EXPECT_MSG_EQ(choice.Parse(text, error), false, text);
        NS_TEST_EXPECT_MSG_EQ((error.find(part) != std::string::npos),
                              true,
                              text << " says: " << error << ", expected in it: " << part);
    }

    void DoRun() override
    {
        WeftChoice choice("congestion-control");
        std::string error;
        NS_TEST_EXPECT_MSG_EQ(choice.Parse("dcqcn preset=hpcc t-i=300us", error), true, error);
        const std::string whole = choice.Format();
        NS_TEST_EXPECT_MSG_NE(whole.find("t-i=300us"), std::string::npos, whole);
        NS_TEST_EXPECT_MSG_EQ(choice.Parse("dcqcn t-i=1", error), false, "no unit");
        NS_TEST_EXPECT_MSG_EQ(choice.Format(), whole, "what is wrong changes nothing");
        NS_TEST_EXPECT_MSG_EQ(choice.Parse(whole, error), true, "what is shown can be read");
        NS_TEST_EXPECT_MSG_EQ(choice.Format(), whole, "and means the same");

        Wrong("balancer", "themsi", "did you mean 'themis'?");
        Wrong("balancer", "", "there is no text that names a balancer");
        Wrong("transport", "nic_sr", "did you mean 'nic-sr'?");
        Wrong("congestion-control", "dcqcn t_i=300us", "did you mean 't-i'?");
        Wrong("congestion-control", "dcqcn t-i=300", "expected a time");
        Wrong("congestion-control", "dcqcn t-i", "is not name=value");
        Wrong("congestion-control", "dcqcn preset=hpc", "has no preset 'hpc'");
        Wrong("topology", "leaf-spine leaves=-1", "'leaf-spine' leaves='-1'");
        Wrong("topology", "leaf-spine leaves=nan", "leaves='nan'");
        Wrong("topology", "leaf-spine leaves=99999999999999999999", "leaves=");
        Wrong("switch", "shared-buffer kmin=2MB kmax=1MB", "kmin is larger than kmax");
    }
};

/** Messages of an application, one after the other, and its traces. */
class ApplicationTestCase : public TestCase
{
  public:
    ApplicationTestCase()
        : TestCase("an application's messages follow one another, and its traces tell when")
    {
    }

  private:
    void Delivered(uint64_t message, Time when)
    {
        m_events.emplace_back(message, when.GetTimeStep());
        NS_TEST_EXPECT_MSG_EQ(when, Simulator::Now(), "the time is now");
    }

    void Acked(uint64_t message, Time when)
    {
        m_events.emplace_back(1000 + message, when.GetTimeStep());
    }

    Ptr<WeftRdmaApplication> Install(WeftRig& rig, uint64_t messages)
    {
        auto app = CreateObjectWithAttributes<WeftRdmaApplication>("Remote",
                                                                   UintegerValue(7),
                                                                   "Bytes",
                                                                   UintegerValue(1452),
                                                                   "Messages",
                                                                   UintegerValue(messages));
        app->TraceConnectWithoutContext("Delivered",
                                        MakeCallback(&ApplicationTestCase::Delivered, this));
        app->TraceConnectWithoutContext("Acked", MakeCallback(&ApplicationTestCase::Acked, this));
        rig.helper.GetHosts().Get(0)->AddApplication(app);
        app->SetStartTime(MicroSeconds(3));
        return app;
    }

    void DoRun() override
    {
        // A packet of 1,500 bytes over four links there, an ACK of 64 bytes back.
        constexpr int64_t there = 4 * 1120000;
        constexpr int64_t back = 4 * 1005120;
        {
            WeftRig rig((WeftRigSetup()));
            auto app = Install(rig, 2);
            Simulator::Run();
            const std::vector<std::pair<uint64_t, int64_t>> expected{
                {0, 3000000 + there},
                {1000, 3000000 + there + back},
                {1, 3000000 + there + back + there},
                {1001, 3000000 + 2 * (there + back)}};
            NS_TEST_EXPECT_MSG_EQ((m_events == expected), true, "two messages, in turn");
            NS_TEST_EXPECT_MSG_EQ(app->GetDelivered(), 2, "delivered");
        }
        {
            WeftRig rig((WeftRigSetup()));
            auto app = Install(rig, 0);
            app->SetStopTime(MicroSeconds(100));
            Simulator::Run();
            // Posted at 3, 11.50048, ... us: the twelfth before 100 us, and it is finished.
            NS_TEST_EXPECT_MSG_EQ(app->GetDelivered(), 12, "until it stops");
        }
    }

    std::vector<std::pair<uint64_t, int64_t>> m_events; //!< message (1000 and up: ACK), ps
};

/** Whoever starts a workload need not keep it. */
class CollectiveTestCase : public TestCase
{
  public:
    CollectiveTestCase()
        : TestCase("a workload runs to its end although nobody holds it")
    {
    }

  private:
    void Done()
    {
        m_done++;
    }

    void DoRun() override
    {
        WeftRig rig((WeftRigSetup()));
        rig.helper.InstallWorkload("allreduce-ring bytes=100KB groups=2")
            ->TraceConnectWithoutContext("Done", MakeCallback(&CollectiveTestCase::Done, this));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_done, 1, "it says once that it is done");
        auto refused = CreateObject<WeftCollective>();
        refused->SetAttribute("Workload", StringValue("allreduce-ring bytes=100KB groups=3"));
        std::string error;
        NS_TEST_EXPECT_MSG_EQ(refused->Install(rig.fabric, error), false, "8 hosts, 3 groups");
        NS_TEST_EXPECT_MSG_EQ(refused->GetReferenceCount(), 1, "what was refused is not kept");
        NS_TEST_EXPECT_MSG_GT(rig.fabric->GetCounters().payload, 0, "and it was");
    }

    uint32_t m_done{0}; //!< calls
};

class WeftNetDeviceTestSuite : public TestSuite
{
  public:
    WeftNetDeviceTestSuite()
        : TestSuite("weft-netdevice", Type::UNIT)
    {
        AddTestCase(new SendTestCase);
        AddTestCase(new LinkTestCase);
        AddTestCase(new AttributeTestCase);
        AddTestCase(new ChoiceTestCase);
        AddTestCase(new ApplicationTestCase);
        AddTestCase(new CollectiveTestCase);
    }
};

WeftNetDeviceTestSuite g_weftNetDeviceTestSuite; //!< registers the suite

} // namespace
