// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * ns-3's IP stack over hosts with two ports: a subnet for each plane, and an address of each for
 * every host. Stand-alone only, since the module itself does not depend on internet.
 */
#include "weft-test-rig.h"

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

constexpr uint16_t ECHO = 7;       //!< port of the server
constexpr uint32_t DATAGRAMS = 3;  //!< to each address, each time: as many as wait for ARP
constexpr uint32_t PAYLOAD = 1000; //!< bytes of a datagram
constexpr uint32_t FAR = 3;        //!< the host that answers
const char* const SUBNETS[] = {"10.0.0.0", "10.0.1.0"}; //!< by port

/** Datagrams to both addresses of a host come back, each by its own plane; when a port of the
 * sender is dead, those to the other address still do. */
class TwoSubnetsTestCase : public TestCase
{
  public:
    TwoSubnetsTestCase()
        : TestCase("UDP echo over each of two planes, and over one when the other's port is dead")
    {
    }

  private:
    void Answer(Ptr<Socket> socket)
    {
        Address from;
        while (Ptr<Packet> packet = socket->RecvFrom(from))
        {
            socket->SendTo(packet, 0, from);
        }
    }

    void Receive(Ptr<Socket> socket)
    {
        Address from;
        while (socket->RecvFrom(from))
        {
            m_echoes[InetSocketAddress::ConvertFrom(from).GetIpv4()]++;
        }
    }

    static Ptr<Socket> Open(Ptr<Node> node, uint16_t port)
    {
        Ptr<Socket> socket = Socket::CreateSocket(node, UdpSocketFactory::GetTypeId());
        socket->Bind(InetSocketAddress(Ipv4Address::GetAny(), port));
        return socket;
    }

    void SendAll(Ptr<Socket> socket)
    {
        for (uint32_t i = 0; i < DATAGRAMS; i++)
        {
            for (const Ipv4Address& to : m_addresses)
            {
                socket->SendTo(Create<Packet>(PAYLOAD), 0, InetSocketAddress(to, ECHO));
            }
        }
    }

    /** @param rig whose ports get addresses, a subnet for each port */
    void Assign(const WeftRig& rig)
    {
        InternetStackHelper().Install(rig.helper.GetHosts());
        for (uint32_t port = 0; port < 2; port++)
        {
            Ipv4AddressHelper subnet(SUBNETS[port], "255.255.255.0");
            const auto interfaces = subnet.Assign(rig.helper.GetDevices(port));
            NS_TEST_EXPECT_MSG_EQ(interfaces.GetN(), rig.fabric->GetNHosts(), "all hosts");
            m_addresses.push_back(interfaces.GetAddress(FAR));
        }
    }

    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=2 spines=2 hosts-per-leaf=2 planes=2";
        WeftRig rig(setup);
        Assign(rig);
        Ptr<Socket> server = Open(rig.helper.GetHosts().Get(FAR), ECHO);
        server->SetRecvCallback(MakeCallback(&TwoSubnetsTestCase::Answer, this));
        Ptr<Socket> client = Open(rig.helper.GetHosts().Get(0), 1000);
        client->SetRecvCallback(MakeCallback(&TwoSubnetsTestCase::Receive, this));
        rig.Send(0, FAR, 1000000);
        Simulator::Schedule(MilliSeconds(1), &TwoSubnetsTestCase::SendAll, this, client);
        rig.fabric->ScheduleFailure(rig.fabric->GetClos().nlinks, MilliSeconds(500), Time::Max());
        Simulator::Schedule(MilliSeconds(600), &TwoSubnetsTestCase::SendAll, this, client);
        Ptr<WeftNic> nic = rig.fabric->GetNic(0);
        uint64_t before = 0;
        Simulator::Schedule(MilliSeconds(550), [&] {
            NS_TEST_EXPECT_MSG_EQ(m_echoes[m_addresses[0]], DATAGRAMS, "by plane 0");
            NS_TEST_EXPECT_MSG_EQ(m_echoes[m_addresses[1]], DATAGRAMS, "by plane 1");
            NS_TEST_EXPECT_MSG_GT_OR_EQ(nic->GetPort(1)->GetBytes(),
                                        uint64_t{DATAGRAMS} * PAYLOAD,
                                        "that port has sent them");
            before = nic->GetPort(1)->GetFrames();
        });
        Simulator::Stop(Seconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_echoes[m_addresses[0]], 2 * DATAGRAMS, "plane 0 is whole");
        NS_TEST_EXPECT_MSG_EQ(m_echoes[m_addresses[1]], DATAGRAMS, "plane 1 is cut off");
        NS_TEST_EXPECT_MSG_EQ(nic->GetPort(1)->GetFrames(), before, "nothing goes there");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "RDMA beside them");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    std::vector<Ipv4Address> m_addresses;     //!< of the far host, by port
    std::map<Ipv4Address, uint32_t> m_echoes; //!< datagrams that came back, by sender
};

class WeftPortsTestSuite : public TestSuite
{
  public:
    WeftPortsTestSuite()
        : TestSuite("weft-ports", Type::UNIT)
    {
        AddTestCase(new TwoSubnetsTestCase);
    }
};

WeftPortsTestSuite g_weftPortsTestSuite; //!< registers the suite

} // namespace
