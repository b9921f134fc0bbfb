// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * ns-3's own IP stack over a fabric: ARP finds the address, datagrams go there and come back, large
 * ones in fragments. Stand-alone only, since the module itself does not depend on internet.
 */
#include "weft-simulator-choice.h"
#include "weft-test-rig.h"

#include "ns3/config.h"
#include "ns3/data-rate.h"
#include "ns3/inet-socket-address.h"
#include "ns3/inet6-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/ipv6-address-helper.h"
#include "ns3/packet.h"
#include "ns3/queue-disc-container.h"
#include "ns3/queue-disc.h"
#include "ns3/queue-size.h"
#include "ns3/simple-channel.h"
#include "ns3/simple-net-device.h"
#include "ns3/socket.h"
#include "ns3/tcp-socket-factory.h"
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

    /** @param simulator, @param scheduler of the run @return when datagrams came back */
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
            NS_TEST_EXPECT_MSG_EQ((Run("DefaultSimulatorImpl", scheduler) == expected),
                                  true,
                                  "the same times under DefaultSimulatorImpl over " << scheduler);
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
        // Room: one datagram on the wire, the NIC's queue, and the disc's.
        NS_TEST_EXPECT_MSG_LT(m_received, 1 + 1 + DEVICE + DISC + 1, "no more than there is room");
        NS_TEST_EXPECT_MSG_GT(m_received, 1 + DISC, "and no less than the disc has");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    std::string m_limits;   //!< type of the queue limits, or none
    uint64_t m_received{0}; //!< datagrams
};

/** Flows between the same two hosts differ by their ports alone, and take all paths. */
class ManyFlowsTestCase : public TestCase
{
  public:
    explicit ManyFlowsTestCase(bool v6)
        : TestCase(std::string("flows of two hosts are spread by their ports, IPv") +
                   (v6 ? "6" : "4")),
          m_v6(v6)
    {
    }

  private:
    static constexpr uint16_t FLOWS = 16;     //!< between the two hosts
    static constexpr uint32_t DATAGRAMS = 50; //!< of each flow
    static constexpr uint32_t PAYLOAD = 3000; //!< bytes of a datagram: three fragments

    void Receive(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            m_received += packet->GetSize() == PAYLOAD;
        }
    }

    Address GetAddress(uint32_t i, uint16_t port) const
    {
        if (m_v6)
        {
            return Inet6SocketAddress(m_ip6.GetAddress(i, 1), port);
        }
        return InetSocketAddress(m_ip4.GetAddress(i), port);
    }

    static void AskForAddress(Ptr<Socket> socket)
    {
        socket->Send(Create<Packet>(1));
    }

    static void Send(Ptr<Socket> socket)
    {
        for (uint32_t i = 0; i < DATAGRAMS; i++)
        {
            // Whole ones: the fragments of one datagram stay together and know no ports.
            socket->Send(Create<Packet>(i == 0 ? PAYLOAD : 1000));
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
        InternetStackHelper().Install(hosts);
        m_ip4 = Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(nics);
        m_ip6 = Ipv6AddressHelper(Ipv6Address("2001:db8::"), Ipv6Prefix(64)).Assign(nics);
        for (uint16_t flow = 0; flow < FLOWS; flow++)
        {
            Ptr<Socket> sink = Socket::CreateSocket(hosts.Get(7), UdpSocketFactory::GetTypeId());
            sink->Bind(GetAddress(1, 1000 + flow));
            sink->SetRecvCallback(MakeCallback(&ManyFlowsTestCase::Receive, this));
            Ptr<Socket> source = Socket::CreateSocket(hosts.Get(0), UdpSocketFactory::GetTypeId());
            source->Bind(GetAddress(0, 2000 + flow));
            source->Connect(GetAddress(1, 1000 + flow));
            const auto at = [&](Time when, void (*what)(Ptr<Socket>)) {
                Simulator::ScheduleWithContext(hosts.Get(0)->GetId(), when, what, source);
            };
            at(Seconds(3), &ManyFlowsTestCase::AskForAddress);
            at(Seconds(4) + MilliSeconds(flow), &ManyFlowsTestCase::Send);
        }
        Simulator::Stop(Seconds(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received, FLOWS, "fragments are put together");
        Ptr<WeftSwitch> leaf = rig.fabric->GetSwitch(0);
        for (uint32_t up = leaf->GetNDownPorts(); up < leaf->GetNPorts(); up++)
        {
            NS_TEST_EXPECT_MSG_GT(leaf->GetPort(up)->GetFrames(), DATAGRAMS - 1, "uplink " << up);
        }
    }

    bool m_v6;                    //!< else IPv4
    Ipv4InterfaceContainer m_ip4; //!< of both hosts
    Ipv6InterfaceContainer m_ip6; //!< of both hosts
    uint64_t m_received{0};       //!< datagrams that were sent in fragments
};

/** A host that is a router as well: TCP from another host goes through the fabric to a network
 * beside it, by routes that ns-3 has found itself. */
class BesideTestCase : public TestCase
{
  public:
    BesideTestCase()
        : TestCase("global routing finds a way through the fabric to a network beside it")
    {
    }

  private:
    static constexpr uint32_t BYTES = 1000000; //!< that are sent

    void Accept(Ptr<Socket> socket, const Address& /* from */)
    {
        socket->SetRecvCallback(MakeCallback(&BesideTestCase::Receive, this));
    }

    void Receive(Ptr<Socket> socket)
    {
        while (Ptr<Packet> packet = socket->Recv())
        {
            m_received += packet->GetSize();
        }
    }

    static void Send(Ptr<Socket> socket)
    {
        socket->Send(Create<Packet>(BYTES));
    }

    void DoRun() override
    {
        Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(2 * BYTES));
        WeftRig rig((WeftRigSetup()));
        NodeContainer nodes = rig.helper.GetHosts();
        Ptr<Node> outside = CreateObject<Node>();
        auto wan = CreateObject<SimpleChannel>();
        NetDeviceContainer ends;
        for (Ptr<Node> node : {nodes.Get(7), outside})
        {
            auto device = CreateObject<SimpleNetDevice>();
            device->SetAddress(Mac48Address::Allocate());
            device->SetChannel(wan);
            device->SetAttribute("DataRate", DataRateValue(DataRate("10Gbps")));
            node->AddDevice(device);
            ends.Add(device);
        }
        nodes.Add(outside);
        InternetStackHelper().Install(nodes);
        NetDeviceContainer nics;
        for (uint32_t i = 0; i < rig.fabric->GetNHosts(); i++)
        {
            nics.Add(rig.fabric->GetNic(i));
        }
        Ipv4AddressHelper("10.0.0.0", "255.255.255.0").Assign(nics);
        const Ipv4InterfaceContainer ip =
            Ipv4AddressHelper("10.0.1.0", "255.255.255.0").Assign(ends);
        Ipv4GlobalRoutingHelper::PopulateRoutingTables();
        Ptr<Socket> sink = Socket::CreateSocket(outside, TcpSocketFactory::GetTypeId());
        sink->Bind(InetSocketAddress(Ipv4Address::GetAny(), PORT));
        sink->Listen();
        sink->SetAcceptCallback(MakeNullCallback<bool, Ptr<Socket>, const Address&>(),
                                MakeCallback(&BesideTestCase::Accept, this));
        Ptr<Socket> source = Socket::CreateSocket(nodes.Get(0), TcpSocketFactory::GetTypeId());
        source->SetConnectCallback(MakeCallback(&BesideTestCase::Send),
                                   MakeNullCallback<void, Ptr<Socket>>());
        source->Bind();
        source->Connect(InetSocketAddress(ip.GetAddress(1), PORT));
        Simulator::Stop(Seconds(20));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received, BYTES, "all bytes come to the network beside the fabric");
    }

    uint64_t m_received{0}; //!< bytes
};

class WeftIpTestSuite : public TestSuite
{
  public:
    WeftIpTestSuite()
        : TestSuite("weft-ip", Type::UNIT)
    {
        AddTestCase(new UdpEchoTestCase);
        AddTestCase(new ManyFlowsTestCase(false));
        AddTestCase(new ManyFlowsTestCase(true));
        AddTestCase(new BesideTestCase);
        AddTestCase(new TrafficControlTestCase(""));
        AddTestCase(new TrafficControlTestCase("ns3::DynamicQueueLimits"));
    }
};

WeftIpTestSuite g_weftIpTestSuite; //!< registers the suite

} // namespace
