// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What a fabric promises whatever the algorithms: nothing vanishes, nothing is delivered twice,
 * losses are made up for, pauses end. A user who cannot rely on it measures bugs.
 */
#include "weft-test-rig.h"

#include "ns3/test.h"

using namespace ns3;

namespace
{

constexpr const char* LEAF_SPINE =
    "leaf-spine leaves=4 spines=4 hosts-per-leaf=2 link-rate=100Gbps";
constexpr const char* FAT_TREE = "fat-tree k=4 tiers=3 link-rate=100Gbps";
/** Little memory, so that PFC pauses soon: 6 ports at a leaf, 4 at a spine. */
constexpr const char* SMALL_BUFFER =
    "shared-buffer preset=100g buffer=400KB headroom=35KB alpha=0.25";

/** At every instant, frames sent = delivered + lost + in the fabric, and buffers add up. */
class BooksTestCase : public TestCase
{
  public:
    BooksTestCase()
        : TestCase("the books balance at every instant, or a lost frame would go unnoticed")
    {
    }

  private:
    void Sample(WeftRig* rig, bool incast)
    {
        m_samples++;
        const std::string error = rig->Audit();
        if (!error.empty() && m_error.empty())
        {
            m_error = std::to_string(WeftNow()) + " ps: " + error;
        }
        m_busy += rig->fabric->GetPacketsInFabric() > 0;
        if (rig->acked < rig->fabric->GetNQps() && WeftNow() < INT64_C(20000000000))
        {
            Simulator::Schedule(NanoSeconds(incast ? 333 : 77),
                                &BooksTestCase::Sample,
                                this,
                                rig,
                                incast);
        }
    }

    void Check(const WeftRigSetup& setup, bool incast, double loss)
    {
        WeftRig rig(setup);
        rig.fabric->SetLossProbability(loss);
        incast ? rig.SendIncast(200000) : rig.SendAll(3, 100000);
        rig.fabric->ScheduleFailure(rig.FindLink(0, rig.fabric->GetClos().ntors),
                                    MicroSeconds(7),
                                    MicroSeconds(150));
        m_samples = m_busy = 0;
        m_error.clear();
        Sample(&rig, incast);
        Simulator::Run();
        const std::string what = setup.topology + " " + setup.balancer + " " + setup.buffer;
        NS_TEST_EXPECT_MSG_EQ(m_error, "", what);
        NS_TEST_EXPECT_MSG_GT(m_busy, 100, "frames were under way when the books were read");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, rig.fabric->GetNQps(), what << ": all messages");
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetPacketsInUse(), 0, what << ": no frame is left");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", what << ": at the end");
    }

    void DoRun() override
    {
        WeftRigSetup setup;
        setup.cc = "dcqcn r-ai=5Gbps r-hai=20Gbps t-i=20us";
        setup.transport = "nic-sr rto=100us";
        for (const char* topology : {LEAF_SPINE, FAT_TREE})
        {
            setup.topology = topology;
            setup.balancer = "themis";
            setup.buffer = "shared-buffer preset=100g";
            Check(setup, false, 0.002);
            setup.balancer = "rsq";
            setup.buffer = SMALL_BUFFER;
            Check(setup, true, 0);
            setup.buffer = "shared-buffer preset=100g pfc=off buffer=100KB";
            Check(setup, true, 0.002);
        }
    }

    uint64_t m_samples{0}; //!< looks at the books
    uint64_t m_busy{0};    //!< of them, with frames under way
    std::string m_error;   //!< the first thing wrong
};

/** Each transport under each balancer delivers every message once, though packets are lost. */
class LossTestCase : public TestCase
{
  public:
    LossTestCase(const std::string& transport, const std::string& balancer)
        : TestCase(transport + " under " + balancer + " delivers everything once despite losses"),
          m_transport(transport),
          m_balancer(balancer)
    {
    }

  private:
    void Check(const std::string& topology, const std::string& frames)
    {
        WeftRigSetup setup;
        setup.topology = topology;
        setup.transport = m_transport + " rto=50us";
        setup.balancer = m_balancer;
        setup.frames = frames;
        WeftRig rig(setup);
        rig.fabric->SetLossProbability(0.01);
        rig.SendAll(3, 100001);
        Simulator::Stop(MilliSeconds(100));
        Simulator::Run();
        const uint32_t hosts = rig.fabric->GetNHosts();
        const WeftRigTotals t = rig.GetTotals();
        NS_TEST_EXPECT_MSG_EQ(rig.delivered, hosts, topology << ": messages delivered");
        NS_TEST_EXPECT_MSG_EQ(rig.acked, hosts, topology << ": messages acknowledged");
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetCounters().payload, hosts * 100001, "payload");
        NS_TEST_EXPECT_MSG_EQ(t.sent, hosts * 69, "first transmissions");
        NS_TEST_EXPECT_MSG_GT(rig.fabric->GetCounters().lost[WeftFabric::DROP_INJECTED],
                              0,
                              "packets were lost");
        NS_TEST_EXPECT_MSG_EQ((t.resent >= rig.fabric->GetCounters().lost[2]), true, "and resent");
        CheckReplies(rig, t);
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetPacketsInUse(), 0, "no frame is left");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    /** Every frame that arrived is data, an ACK or a NACK, and is counted as one. */
    void CheckReplies(const WeftRig& rig, const WeftRigTotals& t)
    {
        const WeftCounters& c = rig.fabric->GetCounters();
        uint64_t acks = 0;
        for (uint32_t i = 0; i < rig.fabric->GetNQps(); i++)
        {
            acks += rig.fabric->GetQp(i)->acks;
        }
        const uint64_t data = t.sent + t.resent - c.lost[WeftFabric::DROP_INJECTED];
        NS_TEST_EXPECT_MSG_EQ(acks + t.nacks, c.delivered - data, "ACKs and NACKs");
    }

    void DoRun() override
    {
        Check(LEAF_SPINE, "roce");
        Check(FAT_TREE, "roce ack-priority=share");
        // PSNs pass 2^24 in the middle of the run.
        Check(LEAF_SPINE, "roce first-psn=16777190");
        Check(FAT_TREE, "roce first-psn=16777190 batch=4 ack-every=8");
        Check(LEAF_SPINE, "roce first-psn=-1 ack-priority=share batch=3 ack-every=5");
    }

    std::string m_transport; //!< under test
    std::string m_balancer;  //!< under test
};

/** Where PSNs start makes no difference: not even one that passes 2^24 in the middle. */
class WrapTestCase : public TestCase
{
  public:
    WrapTestCase()
        : TestCase("a run whose PSNs wrap around is the same, to the picosecond")
    {
    }

  private:
    /** @return when the last message arrived, in ps, and the bytes it took */
    std::pair<int64_t, uint64_t> Run(const std::string& transport, const std::string& psn)
    {
        WeftRigSetup setup;
        setup.transport = transport;
        setup.cc = "dcqcn";
        setup.frames = "roce batch=4 ack-every=8 first-psn=" + psn;
        WeftRig rig(setup);
        rig.fabric->AddDrop(2, 20, 1);
        rig.SendAll(3, 100001);
        rig.SendAll(2, 3001);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 16, transport << ": all messages");
        return {rig.lastDelivered, rig.fabric->GetCounters().sent_bytes};
    }

    void DoRun() override
    {
        for (const char* transport : {"nic-sr", "gbn", "ideal"})
        {
            const auto plain = Run(transport, "0");
            const auto wrapped = Run(transport, "16777190");
            NS_TEST_EXPECT_MSG_EQ(wrapped.first, plain.first, transport << ": time");
            NS_TEST_EXPECT_MSG_EQ(wrapped.second, plain.second, transport << ": bytes");
        }
    }
};

/** Seven hosts send to one through little memory: pauses, no loss, and the last link stays busy. */
class PfcTestCase : public TestCase
{
  public:
    PfcTestCase()
        : TestCase("PFC loses nothing in an incast and wakes everyone up again")
    {
    }

  private:
    void Check(const std::string& topology,
               const std::string& balancer,
               const std::string& frames,
               const std::string& buffer)
    {
        WeftRigSetup setup;
        setup.topology = topology;
        setup.balancer = balancer;
        setup.frames = frames;
        setup.transport = "ideal rto=100ms";
        setup.buffer = buffer;
        WeftRig rig(setup);
        constexpr uint64_t bytes = 300 * 1452;
        rig.SendIncast(bytes);
        Simulator::Run();
        const WeftRigTotals t = rig.GetTotals();
        const std::string what = topology + " " + balancer + " " + frames;
        NS_TEST_EXPECT_MSG_EQ(rig.acked, rig.fabric->GetNQps(), what << ": all messages");
        NS_TEST_EXPECT_MSG_GT(t.pauses, 0, what << ": pauses");
        NS_TEST_EXPECT_MSG_EQ(t.drops, 0, what << ": drops");
        NS_TEST_EXPECT_MSG_EQ(t.timeouts, 0, what << ": timeouts");
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", what << ": the books balance");
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ(rig.HasPaused(i), false, what << ": nobody is paused in the end");
        }
        // Frames one behind the other on host 0's link: a missed wake-up would leave a hole.
        const int64_t wire = static_cast<int64_t>(rig.fabric->GetNQps()) * 300 * 121600;
        NS_TEST_EXPECT_MSG_LT(rig.lastDelivered, wire + wire / 5, what << ": no holes");
    }

    void DoRun() override
    {
        // Nothing arrives while the senders are paused: the switch must see its buffer drain
        // itself.
        Check("leaf-spine leaves=1 spines=1 hosts-per-leaf=6 link-rate=100Gbps",
              "ecmp",
              "roce ack-every=10000",
              SMALL_BUFFER);
        // A port that resumes only when the switch's last frame has left.
        Check("leaf-spine leaves=1 spines=1 hosts-per-leaf=6 link-rate=100Gbps",
              "ecmp",
              "roce ack-every=10000",
              std::string(SMALL_BUFFER) + " xon-gap=10MB");
        for (const char* balancer : {"ecmp", "rsq", "ar"})
        {
            Check(LEAF_SPINE, balancer, "roce", SMALL_BUFFER);
            Check(LEAF_SPINE, balancer, "roce ack-priority=share", SMALL_BUFFER);
            Check(LEAF_SPINE,
                  balancer,
                  "roce ack-priority=share batch=4 ack-every=8",
                  SMALL_BUFFER);
            Check(FAT_TREE, balancer, "roce batch=16", SMALL_BUFFER);
            Check(FAT_TREE, balancer, "roce ack-priority=share", SMALL_BUFFER);
        }
    }
};

/** A paused NIC, and a paused switch port, go on the moment they may. */
class ResumeTestCase : public TestCase
{
  public:
    ResumeTestCase()
        : TestCase("who was paused goes on at once when resumed, with nothing else to wake it")
    {
    }

  private:
    void Check(const std::string& frames, bool sender, bool receiver, bool leaf)
    {
        WeftRigSetup setup;
        setup.frames = frames;
        WeftRig rig(setup);
        rig.Send(0, 7, 300 * 1452);
        std::vector<std::pair<uint32_t, uint32_t>> ports; // node, port
        if (sender)
        {
            ports.emplace_back(0, 0);
        }
        if (receiver)
        {
            ports.emplace_back(7, 0);
        }
        for (uint32_t i = 2; leaf && i < 6; i++)
        {
            ports.emplace_back(rig.fabric->GetNHosts(), i);
        }
        for (const auto& [node, port] : ports)
        {
            Simulator::Schedule(MicroSeconds(10), &WeftRig::Pause, &rig, node, port, 1U, true);
            Simulator::Schedule(MicroSeconds(200), &WeftRig::Pause, &rig, node, port, 1U, false);
        }
        Simulator::Run();
        // Undisturbed the last ACK comes at 44.9 us: paused, 190 us later at most.
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 1, frames << ": the message arrives");
        NS_TEST_EXPECT_MSG_GT(rig.lastAcked, 200000000, frames << ": something was held back");
        NS_TEST_EXPECT_MSG_LT(rig.lastAcked, 236000000, frames << ": and went on at once");
        NS_TEST_EXPECT_MSG_EQ(rig.GetTotals().timeouts, 0, frames << ": without a timeout");
    }

    void DoRun() override
    {
        for (const char* frames : {"roce", "roce ack-priority=share batch=8"})
        {
            Check(frames, true, false, false);
            Check(frames, false, false, true);
            Check(frames, true, true, true);
        }
        // ACKs in the class of data are held back with it.
        Check("roce ack-priority=share", false, true, false);
    }
};

/** Without PFC the same incast drops frames, and the transport makes up for it. */
class LossyTestCase : public TestCase
{
  public:
    LossyTestCase()
        : TestCase("without PFC a full buffer drops, and the transport recovers")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* transport : {"nic-sr rto=100us", "gbn rto=100us", "ideal rto=50us"})
        {
            WeftRigSetup setup;
            setup.transport = transport;
            setup.buffer = "shared-buffer preset=100g pfc=off buffer=100KB";
            setup.cc = "dcqcn t-i=10us r-ai=1Gbps";
            WeftRig rig(setup);
            rig.SendIncast(150000);
            Simulator::Stop(MilliSeconds(200));
            Simulator::Run();
            const WeftRigTotals t = rig.GetTotals();
            NS_TEST_EXPECT_MSG_EQ(rig.acked, 7, transport << ": all messages");
            NS_TEST_EXPECT_MSG_GT(t.drops, 0, transport << ": drops");
            NS_TEST_EXPECT_MSG_EQ(t.drops, rig.fabric->GetCounters().lost[0], "counted alike");
            NS_TEST_EXPECT_MSG_GT(t.resent, 0, transport << ": retransmissions");
            NS_TEST_EXPECT_MSG_EQ(t.pauses, 0, transport << ": pauses");
            NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", transport << ": the books balance");
        }
    }
};

/** Queues beyond kmin mark, marks make CNPs, CNPs cut rates; without ECN nothing of it happens. */
class EcnTestCase : public TestCase
{
  public:
    EcnTestCase()
        : TestCase("ECN marks become CNPs and cuts, or congestion control is off unnoticed")
    {
    }

  private:
    WeftRigTotals Run(const std::string& cc, const std::string& ecn)
    {
        WeftRigSetup setup;
        setup.cc = cc;
        setup.buffer = "shared-buffer preset=100g kmin=20KB kmax=80KB " + ecn;
        WeftRig rig(setup);
        rig.SendIncast(500000);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.acked, 7, cc << ", " << ecn << ": all messages");
        const auto most = static_cast<uint64_t>(rig.lastAcked / 4000000 + 1);
        for (uint32_t i = 0; i < rig.fabric->GetNQps(); i++)
        {
            NS_TEST_EXPECT_MSG_EQ((rig.fabric->GetQp(i)->cnps <= most),
                                  true,
                                  "one CNP per QP and interval");
        }
        m_peak = rig.fabric->GetSwitch(0)->GetPeakQueue();
        uint64_t marks = 0;
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            marks += rig.fabric->GetSwitch(i)->GetMarks(true);
            marks += rig.fabric->GetSwitch(i)->GetMarks(false);
        }
        const WeftRigTotals totals = rig.GetTotals();
        NS_TEST_EXPECT_MSG_EQ(marks, totals.marks, "each mark has its port");
        NS_TEST_EXPECT_MSG_EQ(rig.fabric->GetSwitch(0)->GetMarks(true),
                              0,
                              "seven senders to one host fill the port that leads down to it");
        return totals;
    }

    void DoRun() override
    {
        for (const char* at : {"ecn-at=enqueue", "ecn-at=dequeue"})
        {
            const WeftRigTotals t = Run("dcqcn", at);
            NS_TEST_EXPECT_MSG_GT(t.marks, 0, at);
            NS_TEST_EXPECT_MSG_GT(t.cnps, 0, at);
            NS_TEST_EXPECT_MSG_GT(t.cuts, 0, at);
        }
        const uint32_t controlled = m_peak;
        WeftRigTotals t = Run("dcqcn", "ecn=off");
        NS_TEST_EXPECT_MSG_EQ(t.marks + t.cnps + t.cuts, 0, "no ECN, nothing happens");
        NS_TEST_EXPECT_MSG_LT(controlled, m_peak, "cuts keep the queue shorter");
        t = Run("none", "ecn=on");
        NS_TEST_EXPECT_MSG_GT(t.marks, 0, "switches mark for no one");
        NS_TEST_EXPECT_MSG_EQ(t.cnps, 0, "nobody asked for CNPs");
    }

    uint32_t m_peak{0}; //!< longest queue at leaf 0, bytes
};

/** Uplinks that are slower than the hosts fill up, all of them; the ports to the hosts do not. */
class PeakTestCase : public TestCase
{
  public:
    PeakTestCase()
        : TestCase("the longest queue up and the longest queue down are those of their ports")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.topology += " fabric-rate=10Gbps";
        setup.balancer = "rsq";
        WeftRig rig(setup);
        rig.Send(0, 4, 500000);
        rig.Send(1, 6, 500000);
        Simulator::Run();
        Ptr<WeftSwitch> leaf = rig.fabric->GetSwitch(0);
        NS_TEST_EXPECT_MSG_GT(leaf->GetPeakQueue(true), 100000, "data waits for the uplinks");
        NS_TEST_EXPECT_MSG_LT(leaf->GetPeakQueue(false), 1000, "a few ACKs for the hosts");
    }
};

/** Marked frames that come a whole part of the interval apart: one in so many makes a CNP. */
class CnpIntervalTestCase : public TestCase
{
  public:
    CnpIntervalTestCase()
        : TestCase("a CNP leaves as soon as the interval is over, not a frame later")
    {
    }

  private:
    void DoRun() override
    {
        // The fabric is slower than the hosts, so its links set the pace: a frame of 4158 + 20 B
        // every 668.48 ns. The rate is never cut below the line's.
        WeftRigSetup setup;
        setup.topology += " fabric-rate=50Gbps";
        setup.frames = "roce payload=4096B header=62B gap=20B";
        setup.buffer = "shared-buffer preset=100g kmin=0B kmax=0B pmax=1";
        setup.cc = "dcqcn min-rate=100Gbps cnp-interval=2673920ps";
        WeftRig rig(setup);
        const WeftQp* qp = rig.Send(0, 2, 400 * 4096);
        Simulator::Run();
        const uint64_t marked = rig.GetTotals().marks;
        NS_TEST_EXPECT_MSG_GT(marked, 390, "nearly all frames find others before them");
        NS_TEST_EXPECT_MSG_EQ(qp->cnps, (marked + 3) / 4, "one in four");
    }
};

/** @return the fabric that FSDP runs on in the tests below */
WeftRigSetup
MakeTrainingSetup()
{
    WeftRigSetup setup;
    setup.topology = "fat-tree preset=ofan";
    setup.frames = "roce preset=ofan";
    setup.buffer = "shared-buffer preset=ofan";
    setup.balancer = "ops";
    setup.transport = "sack";
    return setup;
}

/** A host starts what waits for its own message when the ACK is back, not when a far host has it.
 */
class CausalTestCase : public TestCase
{
  public:
    CausalTestCase()
        : TestCase("no message starts before its host knows what it waits for")
    {
    }

  private:
    void DoRun() override
    {
        Check("");
        Check(" spread=20us"); // of the first messages: the others start late enough by themselves
    }

    void Check(const std::string& settings)
    {
        WeftRig rig(MakeTrainingSetup());
        const auto job =
            rig.helper.InstallWorkload("fsdp preset=llama-7b layers=4 barrier=off" + settings);
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(job->IsDone(), true, "all is done");
        const auto& times = job->GetTimes();
        const auto& messages = job->GetMessages();
        uint32_t bound = 0;
        for (size_t i = 0; i < messages.size(); i++)
        {
            if (messages[i].step > 0)
            {
                // A GPU's messages stand one after the other, layer by layer.
                NS_TEST_ASSERT_MSG_GT_OR_EQ(times[i].posted, times[i - 1].acked, "message " << i);
                bound += times[i].posted == times[i - 1].acked;
            }
        }
        NS_TEST_EXPECT_MSG_GT(bound, 0, "some wait for nothing else");
    }
};

/** A phase of FSDP begins for all when the last ACK of the one before is in, and no sooner: its
 * completion time has one beginning. */
class BarrierTestCase : public TestCase
{
  public:
    BarrierTestCase()
        : TestCase("a barrier releases all at once, by the least delay of a link after the last "
                   "ACK before it")
    {
    }

  private:
    void DoRun() override
    {
        WeftRig rig(MakeTrainingSetup());
        const auto job = rig.helper.InstallWorkload("fsdp preset=llama-7b layers=4 spread=50ns");
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(job->IsDone(), true, "all is done");
        const int64_t news = weft_clos_least_delay(&rig.fabric->GetClos(), 1);
        std::array<int64_t, 4> ended{};
        for (size_t i = 0; i < job->GetMessages().size(); i++)
        {
            int64_t& last = ended[job->GetMessages()[i].step];
            last = std::max(last, job->GetTimes()[i].acked);
        }
        for (size_t i = 0; i < job->GetMessages().size(); i++)
        {
            const uint32_t step = job->GetMessages()[i].step;
            const int64_t begins = step > 0 ? ended[step - 1] + news : 0;
            NS_TEST_ASSERT_MSG_EQ(job->GetTimes()[i].posted,
                                  begins + job->GetMessages()[i].start,
                                  "message " << i << ": its own phase after the barrier");
        }
    }
};

class WeftFabricTestSuite : public TestSuite
{
  public:
    WeftFabricTestSuite()
        : TestSuite("weft-fabric", Type::UNIT)
    {
        AddTestCase(new BooksTestCase);
        for (const char* transport : {"nic-sr", "gbn", "ideal"})
        {
            for (const char* balancer : {"ecmp", "rsq", "ar", "themis"})
            {
                AddTestCase(new LossTestCase(transport, balancer));
            }
        }
        AddTestCase(new WrapTestCase);
        AddTestCase(new PfcTestCase);
        AddTestCase(new ResumeTestCase);
        AddTestCase(new LossyTestCase);
        AddTestCase(new EcnTestCase);
        AddTestCase(new PeakTestCase);
        AddTestCase(new CnpIntervalTestCase);
        AddTestCase(new CausalTestCase);
        AddTestCase(new BarrierTestCase);
    }
};

WeftFabricTestSuite g_weftFabricTestSuite; //!< registers the suite

} // namespace
