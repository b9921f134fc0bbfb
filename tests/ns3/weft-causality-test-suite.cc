// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What one node can know of another has a cause, takes the way between them, and does not hang on
 * what happens elsewhere at that time. Were it otherwise, a user's result would hang on how events
 * are ordered inside a simulator.
 */
#include "weft-test-rig.h"

#include "ns3/string.h"
#include "ns3/test.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>
#include <weft/theory.h>

using namespace ns3;

namespace
{

constexpr int64_t DELAY = 1000000; //!< ps: of each link here

/** A neighbour goes on when the last bit has left of the frame that makes room for it, not when the
 * gap behind that is over or when something else happens at the switch. */
class ResumeTestCase : public TestCase
{
  public:
    ResumeTestCase()
        : TestCase("PFC: each resume leaves at the end of a frame")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=1 spines=1 hosts-per-leaf=8 link-rate=100Gbps "
                         "link-delay=1us";
        setup.frames = "roce payload=1000B header=48B gap=200B";
        setup.buffer =
            "shared-buffer buffer=1MB headroom=90KB alpha=0.01 xon-gap=0B pfc=on ecn=off";
        WeftRig rig(setup);
        rig.fabric->GetSwitch(0)->TraceConnectWithoutContext(
            "Pause",
            MakeCallback(&ResumeTestCase::Pause, this));
        for (uint32_t host = 0; host < 8; host++)
        {
            rig.fabric->GetNic(host)->TraceConnectWithoutContext(
                "Rx",
                MakeCallback(&ResumeTestCase::Receive, this));
        }
        rig.SendIncast(100000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(m_resumes.size(), 10, "resumes");
        for (const int64_t at : m_resumes)
        {
            NS_TEST_EXPECT_MSG_EQ(m_ends.count(at), 1, "no frame ends at " << at);
        }
    }

    void Pause(uint32_t, uint32_t, bool paused)
    {
        if (!paused)
        {
            m_resumes.push_back(WeftNow());
        }
    }

    void Receive(const weft_packet&)
    {
        m_ends.insert(WeftNow() - DELAY);
    }

    std::vector<int64_t> m_resumes; //!< ps
    std::set<int64_t> m_ends;       //!< of frames that leave the switch, ps
};

/** ECN at dequeue: a port's draws are its own. */
class DrawTestCase : public TestCase
{
  public:
    DrawTestCase()
        : TestCase("marks at dequeue do not hang on what leaves by other ports")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<uint64_t> alone = Run(false);
        const std::vector<uint64_t> beside = Run(true);
        NS_TEST_EXPECT_MSG_GT(alone.size(), 50, "marks");
        NS_TEST_EXPECT_MSG_EQ((alone == beside),
                              true,
                              alone.size() << " marks, beside others " << beside.size());
    }

    /** @param others whether there is other traffic @return what was marked for host 0 */
    std::vector<uint64_t> Run(bool others)
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=1 spines=1 hosts-per-leaf=6 link-rate=100Gbps "
                         "link-delay=1us";
        setup.buffer = "shared-buffer buffer=64MB pfc=off ecn=on ecn-at=dequeue kmin=10KB "
                       "kmax=1MB pmax=0.5";
        WeftRig rig(setup);
        m_marked.clear();
        rig.fabric->GetSwitch(0)->TraceConnectWithoutContext(
            "Mark",
            MakeCallback(&DrawTestCase::Mark, this));
        rig.Send(1, 0, 500000);
        rig.Send(2, 0, 500000);
        if (others)
        {
            rig.Send(4, 3, 700000);
            rig.Send(5, 3, 700000);
        }
        Simulator::Run();
        return m_marked;
    }

    void Mark(const weft_packet& d)
    {
        if (d.dst == 0)
        {
            m_marked.push_back(uint64_t{d.qp} << 32 | d.psn);
        }
    }

    std::vector<uint64_t> m_marked; //!< QP and PSN
};

/** An ideal transport hears of a loss, but not before anybody could have told it. */
class NewsOfLossTestCase : public TestCase
{
  public:
    NewsOfLossTestCase()
        : TestCase("news of a loss take the way of an ACK")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=2 spines=1 hosts-per-leaf=4 link-rate=100Gbps "
                         "link-delay=1us";
        setup.transport = "erasure";
        setup.buffer = "shared-buffer buffer=64MB pfc=off ecn=off";
        WeftRig rig(setup);
        // Four hosts share the only way up: what is lost at the spine has waited for long.
        for (uint32_t host = 0; host < 4; host++)
        {
            rig.Send(host, 4 + host, 300000);
        }
        constexpr uint32_t packet = 150;
        rig.fabric->AddDrop(0, packet, 1, WeftFabric::DROP_AT_TOP);
        rig.fabric->GetSwitch(2)->TraceConnectWithoutContext(
            "Drop",
            MakeCallback(&NewsOfLossTestCase::Drop, this));
        rig.fabric->GetNic(0)->TraceConnectWithoutContext(
            "Tx",
            MakeCallback(&NewsOfLossTestCase::Transmit, this));
        Simulator::Run();
        const WeftQp& qp = *rig.fabric->GetQp(0);
        const int64_t way =
            weft_clos_way(&rig.fabric->GetClos(), qp.dst, qp.src, rig.fabric->GetFrameConfig().ack);
        NS_TEST_ASSERT_MSG_GT(m_lostAt, m_sentAt + 4 * way, "lost late");
        NS_TEST_EXPECT_MSG_EQ(m_nextAt, m_lostAt + way, "the next symbol");
    }

    void Drop(const weft_packet& d)
    {
        m_lostAt = WeftNow();
        m_sentAt = d.sent;
    }

    void Transmit(const weft_packet& d)
    {
        if (d.kind == WEFT_DATA && m_lostAt >= 0 && m_nextAt < 0)
        {
            m_nextAt = WeftNow();
        }
    }

    int64_t m_lostAt{-1}; //!< ps
    int64_t m_sentAt{-1}; //!< ps: when what is lost left
    int64_t m_nextAt{-1}; //!< ps: the first data after the loss
};

/** A loss by name is a transmission's, wherever it would have come to. */
class NamedLossTestCase : public TestCase
{
  public:
    NamedLossTestCase()
        : TestCase("a named loss is that of a transmission, not of an arrival")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology = "leaf-spine leaves=2 spines=1 hosts-per-leaf=1 link-rate=100Gbps "
                         "link-delay=1us";
        WeftRig rig(setup);
        rig.fabric->AddDrop(0, 0, 1, WeftFabric::DROP_AT_TOP);
        rig.fabric->ScheduleFailure(rig.FindLink(0, 2), Time(0), MicroSeconds(50));
        rig.fabric->GetSwitch(2)->TraceConnectWithoutContext(
            "Drop",
            MakeCallback(&NamedLossTestCase::Drop, this));
        rig.Send(0, 1, 1000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, "the message");
        NS_TEST_EXPECT_MSG_EQ(rig.GetTotals().timeouts, 1, "the dead link has lost it");
        NS_TEST_EXPECT_MSG_EQ(m_drops, 0, "and the spine nothing");
    }

    void Drop(const weft_packet&)
    {
        m_drops++;
    }

    uint32_t m_drops{0}; //!< at the spine
};

/** Two GPUs, two layers. */
struct Layers
{
    /** @param barrier whether a layer begins for both at once @param transport of the fabric */
    Layers(bool barrier, const weft_transport_ops& transport)
    {
        int64_t config[32] = {};
        weft_config_default(&transport.algo, config);
        fabric->SetAttribute("Topology",
                             StringValue("leaf-spine leaves=2 spines=1 hosts-per-leaf=1 "
                                         "link-rate=100Gbps link-delay=1us"));
        fabric->SetAttribute("Frames", StringValue("roce retry-limit=1"));
        fabric->SetChoice("transport", &transport.algo, config);
        built = fabric->Build(hosts, switches, error);
        work->SetAttribute("Workload",
                           StringValue(std::string("fsdp bytes=50KB layers=2 gpus=1 barrier=") +
                                       (barrier ? "on" : "off")));
        built = built && work->Install(fabric, error);
    }

    ~Layers()
    {
        Simulator::Destroy();
    }

    /** @param step a layer @param time of a message @return the last of its messages' */
    int64_t Last(uint32_t step, int64_t WeftCollective::Times::*time) const
    {
        int64_t last = -1;
        for (size_t i = 0; i < work->GetTimes().size(); i++)
        {
            last = work->GetMessages()[i].step == step ? std::max(last, work->GetTimes()[i].*time)
                                                       : last;
        }
        return last;
    }

    /** @return ps that an ACK takes from one host to the other */
    int64_t GetWay() const
    {
        return weft_clos_way(&fabric->GetClos(), 0, 1, fabric->GetFrameConfig().ack);
    }

    WeftHelper picoseconds;                                   //!< sets them
    NodeContainer hosts{2};                                   //!< of the fabric
    NodeContainer switches{3};                                //!< of the fabric
    Ptr<WeftFabric> fabric{CreateObject<WeftFabric>()};       //!< with them
    Ptr<WeftCollective> work{CreateObject<WeftCollective>()}; //!< on it
    std::string error;                                        //!< what is wrong
    bool built{false};                                        //!< all could be built
};

/** Behind a barrier all begin when one node can have heard of another. */
class BarrierTestCase : public TestCase
{
  public:
    BarrierTestCase()
        : TestCase("a barrier opens by the delay of a link after the last ACK")
    {
    }

  private:
    void DoRun() override
    {
        Layers run(true, *weft_transport_find("sack"));
        NS_TEST_ASSERT_MSG_EQ(run.built, true, run.error);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(run.work->IsDone(), true, "all is done");
        const int64_t acked = run.Last(0, &WeftCollective::Times::acked);
        for (size_t i = 0; i < run.work->GetTimes().size(); i++)
        {
            if (run.work->GetMessages()[i].step == 1)
            {
                NS_TEST_EXPECT_MSG_EQ(run.work->GetTimes()[i].posted,
                                      acked + DELAY,
                                      "message " << i);
            }
        }
    }
};

/** A sender that gives up asks its receiver, and goes on when that has answered. */
class GivenUpTestCase : public TestCase
{
  public:
    GivenUpTestCase()
        : TestCase("a sender that gives up goes on when its receiver has answered")
    {
    }

  private:
    void DoRun() override
    {
        weft_transport_ops silent = *weft_transport_find("sack"); // no ACK, ever
        silent.rx_data =
            [](void* rx, const weft_packet* data, int64_t now, weft_rx_verdict* verdict) {
                weft_transport_find("sack")->rx_data(rx, data, now, verdict);
                verdict->reply = WEFT_REPLY_NONE;
            };
        Layers run(false, silent);
        NS_TEST_ASSERT_MSG_EQ(run.built, true, run.error);
        for (uint32_t host = 0; host < 2; host++)
        {
            run.fabric->GetNic(host)->TraceConnectWithoutContext(
                "GiveUp",
                MakeCallback(&GivenUpTestCase::GiveUp, this));
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(run.work->IsDone(), true, "all is done");
        NS_TEST_EXPECT_MSG_LT(run.Last(0, &WeftCollective::Times::delivered),
                              m_firstAt,
                              "long ago");
        for (size_t i = 0; i < run.work->GetTimes().size(); i++)
        {
            if (run.work->GetMessages()[i].step == 1)
            {
                NS_TEST_EXPECT_MSG_EQ(run.work->GetTimes()[i].posted,
                                      m_firstAt + 2 * run.GetWay(),
                                      "message " << i);
            }
        }
    }

    void GiveUp(const WeftQp&)
    {
        m_firstAt = m_firstAt < 0 ? WeftNow() : m_firstAt;
    }

    int64_t m_firstAt{-1}; //!< ps: both give up at one time
};

class WeftCausalityTestSuite : public TestSuite
{
  public:
    WeftCausalityTestSuite()
        : TestSuite("weft-causality", Type::UNIT)
    {
        AddTestCase(new ResumeTestCase);
        AddTestCase(new DrawTestCase);
        AddTestCase(new NewsOfLossTestCase);
        AddTestCase(new NamedLossTestCase);
        AddTestCase(new BarrierTestCase);
        AddTestCase(new GivenUpTestCase);
    }
};

WeftCausalityTestSuite g_weftCausalityTestSuite; //!< registers the suite

} // namespace
