// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * ns-3's own IP stack over a fabric: ARP finds the address, datagrams go there and come back, large
 * ones in fragments. Stand-alone only, since the module itself does not depend on internet.
 */
#include "weft-simulator-choice.h"
#include "weft-test-rig.h"

#include "ns3/config.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/packet.h"
#include "ns3/queue-disc-container.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-size.h"
#include "ns3/socket.h"
#include "ns3/test.h"
#include "ns3/traffic-control-helper.h"
#include "ns3/udp-socket-factory.h"

using namespace ns3;

namespace
{

constexpr uint16_t PORT = 7;

/** Datagrams of several sizes to the farthest host and back, beside RDMA traffic. */
class UdpEchoTestCase : public TestCase
{
  public:
    UdpEchoTestCase()
        : TestCase("UDP datagrams go through the fabric and come back")
    {
    }

  private:
    void Echo(Ptr<Socket> socket)
    {
        Address from;
        while (Ptr<Packet> packet = socket->RecvFrom(from))
        {
            socket->SendTo(packet, 0, from);
        }
    }

    void Receive(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            m_sizes.push_back(packet->GetSize());
            m_times.push_back(Simulator::Now().GetTimeStep());
        }
    }

    static Ptr<Socket> Open(Ptr<Node> node, uint16_t port)
    {
        Ptr<Socket> socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
        socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        return socket;
    }

    static void SendTo(Ptr<Socket> socket, Ipv4Address to, uint32_t size)
    {
        socket->SendTo(Create<Packet>(size), 0, InetSocketAddress(to, PORT));
    }

    /** One run. @return when datagrams came back */
    std::vector<int64_t> Run(const std::string& simulator, const std::string& scheduler)
    {
        const WeftSimulatorChoice choice(simulator, scheduler);
        m_sizes.clear();
        m_times.clear();
        WeftRig rig((WeftRigSetup()));
        const NodeContainer hosts = rig.helper.GetHosts();
        NetDeviceContainer nics;
        for (uint32_t i = 0; i < hosts.GetN(); i++)
        {
            nics.Add(rig.fabric->GetNic(i));
        }
        InternetStackHelper().Install(hosts);
        Ipv4AddressHelper addresses("10.0.0.0", "255.255.255.0");
        const Ipv4InterfaceContainer ip = addresses.Assign(nics);
        Ptr<Socket> server = Open(hosts.Get(7), PORT);
        server->SetRecvCallback(MakeCallback(&UdpEchoTestCase::Echo, this));
        Ptr<Socket> client = Open(hosts.Get(0), 1000);
        client->SetRecvCallback(MakeCallback(&UdpEchoTestCase::Receive, this));
        rig.Send(0, 7, 1000000);
        const std::vector<uint32_t> sizes{1, 1472, 1473, 9000};
        for (uint32_t i = 0; i < sizes.size(); i++)
        {
            // Far enough apart that each is back before the next one.
            Simulator::Schedule(MilliSeconds(1 + 20 * i),
                                &UdpEchoTestCase::SendTo,
                                client,
                                ip.GetAddress(7),
                                sizes[i]);
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((m_sizes == sizes), true, "every datagram, whole");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "RDMA beside them");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
        NS_TEST_EXPECT_MSG_EQ(choice.IsInUse(), true, simulator);
        return m_times;
    }

    void DoRun() override
    {
        // Random streams go on from run to run; without jitter all runs are alike.
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                           StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        const std::vector<int64_t> expected = Run("DefaultSimulatorImpl", "MapScheduler");
        for (const std::string& scheduler : WeftSchedulers())
        {
            NS_TEST_EXPECT_MSG_EQ((Run("FabricSimulatorImpl", scheduler) == expected),
                                  true,
                                  "the same times under FabricSimulatorImpl over " << scheduler);
        }
    }

    std::vector<uint32_t> m_sizes; //!< of the datagrams that came back
    std::vector<int64_t> m_times;  //!< and when
};

/** ns-3's queue discs over a NIC: they hold what the NIC cannot take, and drop what they cannot. */
class TrafficControlTestCase : public TestCase
{
  public:
    explicit TrafficControlTestCase(const std::string& limits)
        : TestCase("a queue disc fills while the NIC is busy, and drains; queue limits: " + limits),
          m_limits(limits)
    {
    }

  private:
    static constexpr uint32_t BURST = 3000;   //!< datagrams at once
    static constexpr uint32_t DEVICE = 10;    //!< the NIC's queue
    static constexpr uint32_t DISC = 50;      //!< the queue disc's
    static constexpr uint32_t PAYLOAD = 1000; //!< bytes of a datagram

    void Receive(Ptr<Socket> socket)
    {
        while (socket->Recv())
        {
            m_received++;
        }
    }

    static void SendBurst(Ptr<Socket> socket, Ipv4Address to, uint32_t n)
    {
        for (uint32_t i = 0; i < n; i++)
        {
            socket->SendTo(Create<Packet>(PAYLOAD), 0, InetSocketAddress(to, PORT));
        }
    }

    void DoRun() override
    {
        Config::SetDefault("ns3::ArpL3Protocol::RequestJitter",
                           StringValue("ns3::ConstantRandomVariable[Constant=0]"));
        WeftRig rig((WeftRigSetup()));
        const NodeContainer hosts = rig.helper.GetHosts();
        NetDeviceContainer nics(rig.fabric->GetNic(0));
        nics.Add(rig.fabric->GetNic(7));
        rig.fabric->GetNic(0)->SetAttribute(
            "IpQueueSize",
            QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, DEVICE)));
        InternetStackHelper().Install(hosts);
        TrafficControlHelper control;
        control.SetRootQueueDisc("ns3::FifoQueueDisc",
                                 "MaxSize",
                                 QueueSizeValue(QueueSize(QueueSizeUnit::PACKETS, DISC)));
        if (!m_limits.empty())
        {
            control.SetQueueLimits(m_limits);
        }
        const QueueDiscContainer discs = control.Install(nics);
        const Ipv4InterfaceContainer ip =
            Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(nics);
        Ptr<Socket> sink = Socket::CreateSocket(hosts.Get(7), UdpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        sink->SetRecvCallback(MakeCallback(&TrafficControlTestCase::Receive, this));
        Ptr<Socket> source = Socket::CreateSocket(hosts.Get(0), UdpSocketFactory::GetTypeId());
        // The first datagram asks for the address, so that the burst need not wait for it.
        for (const auto& [at, n] : {std::make_pair(1, 1U), std::make_pair(2, BURST)})
        {
            Simulator::ScheduleWithContext(hosts.Get(0)->GetId(),
                                           MilliSeconds(at),
                                           &TrafficControlTestCase::SendBurst,
                                           source,
                                           ip.GetAddress(1),
                                           n);
        }
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        const QueueDisc::Stats& stats = discs.Get(0)->GetStats();
        NS_TEST_EXPECT_MSG_EQ(stats.nTotalEnqueuedPackets + stats.nTotalDroppedPackets,
                              1 + BURST + 1,
                              "an ARP request and all datagrams came to the disc");
        NS_TEST_EXPECT_MSG_EQ(m_received + stats.nTotalDroppedPackets, 1 + BURST, "all are known");
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetNic(0)->GetIpDrops(), 0, "the disc was held back");
        // One on the wire, the NIC's queue, and the disc's.
        NS_TEST_EXPECT_MSG_LT(m_received, 1 + 1 + DEVICE + DISC + 1, "no more than there is room");
        NS_TEST_EXPECT_MSG_GT(m_received, 1 + DISC, "and no less than the disc has");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    std::string m_limits;   //!< type of the queue limits, or none
    uint64_t m_received{0}; //!< datagrams
};

class WeftIpTestSuite : public TestSuite
{
  public:
    WeftIpTestSuite()
        : TestSuite("weft-ip", Type::UNIT)
    {
        AddTestCase(new UdpEchoTestCase);
        AddTestCase(new TrafficControlTestCase(""));
        AddTestCase(new TrafficControlTestCase("ns3::DynamicQueueLimits"));
    }
};

WeftIpTestSuite g_weftIpTestSuite; //!< registers the suite

} // namespace
