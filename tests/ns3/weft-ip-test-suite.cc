// SPDX-License-Identifier: GPL-2.0-only
/**
 * \file
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
#include "ns3/socket.h"
#include "ns3/test.h"
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

class WeftIpTestSuite : public TestSuite
{
  public:
    WeftIpTestSuite()
        : TestSuite("weft-ip", Type::UNIT)
    {
        AddTestCase(new UdpEchoTestCase);
    }
};

WeftIpTestSuite g_weftIpTestSuite; //!< registers the suite

} // namespace
