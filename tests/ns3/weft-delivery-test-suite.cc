// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Acknowledged is not delivered. Were it taken for that, a user would publish the completion time
 * of messages that are not there, of a transport that is wrong.
 */
#include "weft-test-rig.h"

#include "ns3/string.h"
#include "ns3/test.h"

#include <string>
#include <vector>
#include <weft/lb.h>

using namespace ns3;

namespace
{

constexpr const char* FOUR_PATHS = "leaf-spine leaves=2 spines=4 hosts-per-leaf=2 "
                                   "link-rate=100Gbps";

/** trim whose receivers say that all has arrived. */
weft_transport_ops
Lying()
{
    weft_transport_ops lying = *weft_transport_find("trim");
    lying.rx_bitmap = [](const void*, uint32_t) { return UINT64_MAX; };
    return lying;
}

/** A fabric with algorithms of a test's own. */
struct OwnAlgorithms
{
    /** @param kind of algorithm @param algo one
     * @param transport of the fabric @param buffer of its switches */
    OwnAlgorithms(const char* kind,
                  const weft_algo* algo,
                  const std::string& transport,
                  const std::string& buffer)
        : hosts(4),
          switches(6)
    {
        int64_t config[32] = {};
        weft_config_default(algo, config);
        fabric->SetAttribute("Topology", StringValue(FOUR_PATHS));
        fabric->SetAttribute("Balancer", StringValue("rsq"));
        fabric->SetAttribute("CongestionControl", StringValue("none"));
        fabric->SetAttribute("Transport", StringValue(transport));
        fabric->SetAttribute("Switch", StringValue(buffer));
        fabric->SetAttribute("Frames", StringValue("roce ack-every=4"));
        fabric->SetChoice(kind, algo, config);
        built = fabric->Build(hosts, switches, error);
    }

    ~OwnAlgorithms()
    {
        Simulator::Destroy();
    }

    WeftHelper picoseconds;                                   //!< sets them
    NodeContainer hosts;                                      //!< of the fabric
    NodeContainer switches;                                   //!< of the fabric
    Ptr<WeftFabric> fabric{CreateObject<WeftFabric>()};       //!< with them
    std::string error;                                        //!< what is wrong
    bool built{false};                                        //!< it could be built
    Ptr<WeftCollective> work{CreateObject<WeftCollective>()}; //!< for a test to install
};

/** A collective of such messages is not done, and its books say why. */
class LyingTransportTestCase : public TestCase
{
  public:
    LyingTransportTestCase()
        : TestCase("what is acknowledged and not delivered is not done, and is named")
    {
    }

  private:
    void DoRun() override
    {
        const weft_transport_ops lying = Lying();
        OwnAlgorithms own("transport", &lying.algo, "trim", "shared-buffer preset=100g");
        NS_TEST_ASSERT_MSG_EQ(own.built, true, own.error);
        own.work->SetAttribute("Workload", StringValue("ring bytes=100KB"));
        NS_TEST_ASSERT_MSG_EQ(own.work->Install(own.fabric, own.error), true, own.error);
        for (uint32_t qp = 0; qp < 4; qp++)
        {
            own.fabric->AddDrop(qp, 20, 1);
        }
        own.work->TraceConnectWithoutContext("Done",
                                             MakeCallback(&LyingTransportTestCase::Done, this));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(own.work->GetNAcked(), 4, "all is acknowledged");
        NS_TEST_EXPECT_MSG_EQ(own.work->GetTimes()[2].delivered, -1, "and not delivered");
        NS_TEST_EXPECT_MSG_EQ(own.work->IsDone(), false, "so it is not done");
        NS_TEST_EXPECT_MSG_EQ(m_done, 0, "and nobody is told so");
        NS_TEST_EXPECT_MSG_EQ(own.fabric->CheckConservation(own.error), false, "an error");
        NS_TEST_EXPECT_MSG_NE(own.error.find("4 messages are acknowledged and not delivered"),
                              std::string::npos,
                              own.error);
        NS_TEST_EXPECT_MSG_NE(own.error.find("message 2 of QP 2 (host 2 to host 3)"),
                              std::string::npos,
                              own.error);
    }

    void Done()
    {
        m_done++;
    }

    uint32_t m_done{0}; //!< how often it was told
};

/** The lying transport without losses: packets that it acknowledged too soon arrive later. */
class EarlyAckTestCase : public TestCase
{
  public:
    EarlyAckTestCase()
        : TestCase("what is acknowledged first and delivered later is done, and told of once")
    {
    }

  private:
    void DoRun() override
    {
        const weft_transport_ops lying = Lying();
        OwnAlgorithms own("transport", &lying.algo, "trim", "shared-buffer preset=100g");
        NS_TEST_ASSERT_MSG_EQ(own.built, true, own.error);
        own.work->SetAttribute("Workload", StringValue("ring bytes=100KB"));
        const uint64_t uplink = own.fabric->GetClos().nhosts; // of the leaf of hosts 0 and 1
        own.fabric->ScheduleDegradation(uplink, 1000000000, Time(0), Time::Max());
        NS_TEST_ASSERT_MSG_EQ(own.work->Install(own.fabric, own.error), true, own.error);
        own.work->TraceConnectWithoutContext("Done", MakeCallback(&EarlyAckTestCase::Done, this));
        Simulator::Run();
        const auto& times = own.work->GetTimes()[1];
        NS_TEST_EXPECT_MSG_GT(times.delivered, times.acked, "acknowledged too soon");
        NS_TEST_EXPECT_MSG_GT(times.acked, 0, "but acknowledged");
        NS_TEST_EXPECT_MSG_EQ(own.work->IsDone(), true, "and done");
        NS_TEST_EXPECT_MSG_EQ(m_done.size(), 1, "told of once");
        const Time last = own.work->GetCompletionTime();
        NS_TEST_EXPECT_MSG_EQ(own.work->GetDoneTime(), last.GetTimeStep(), "the last one's time");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(m_done.at(0), last, "when the last one has come");
        NS_TEST_EXPECT_MSG_LT(m_done.at(0), last + MicroSeconds(1), "within a window");
        NS_TEST_EXPECT_MSG_EQ(own.fabric->CheckConservation(own.error), true, own.error);
    }

    void Done()
    {
        m_done.push_back(Simulator::Now());
    }

    std::vector<Time> m_done; //!< when it was told
};

class WeftDeliveryTestSuite : public TestSuite
{
  public:
    WeftDeliveryTestSuite()
        : TestSuite("weft-delivery", Type::UNIT)
    {
        AddTestCase(new LyingTransportTestCase);
        AddTestCase(new EarlyAckTestCase);
    }
};

WeftDeliveryTestSuite g_weftDeliveryTestSuite; //!< registers the suite

} // namespace
