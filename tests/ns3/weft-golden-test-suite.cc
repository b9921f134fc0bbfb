// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Switches give buffer back late, when somebody looks, and must not be told apart from switches
 * that give it back at the very end of each frame. The digests here are those of the code that did
 * so: it had an event of its own for the end of every frame, which settled the buffer's account and
 * sent resumes. They were made by running these very scenarios over it, and are not renewed when
 * the code changes. Were they to differ, frames would be dropped, marked, paused or routed that
 * real switches would not, and every published number would move.
 *
 * A change of the model, of its random draws or of the counters below does change them. Then it has
 * to be shown by other means that the buffers are still right.
 *
 * It happened four times. To the last one under Themis when its rule for a blocked NACK changed,
 * and with it what a ToR lets pass after a loss. To those at 33 Gb/s when ports began to carry what
 * the rounding of a frame's time leaves over: with nothing carried the code made the former digests
 * still, and the fabric simulated by hand, which carries it too, has the same queues (weft-naive).
 * To all when resumes began to leave at the end of a frame, not of the gap behind it, and ports to
 * draw for themselves where ECN looks at the queue that is left (weft-causality). And to all when
 * what happens at one instant got an order of each node's own: the fabric simulated by hand has it
 * too (weft-naive), and switches with an event at the end of every frame gave these very digests.
 * NICs that go back after a timeout came later: those here repeat one packet.
 */
#include "weft-simulator-choice.h"
#include "weft-test-rig.h"

#include "ns3/nstime.h"
#include "ns3/test.h"

#include <deque>
#include <initializer_list>
#include <string>
#include <vector>
#include <weft/rng.h>

using namespace ns3;

namespace
{

/** A scenario, and what came of it under event-by-event accounting. */
struct GoldenScenario
{
    std::string topology;  //!< as for WeftHelper
    std::string frames;    //!< as for WeftHelper
    std::string buffer;    //!< as for WeftHelper
    std::string balancer;  //!< as for WeftHelper
    std::string transport; //!< as for WeftHelper
    std::string cc;        //!< as for WeftHelper
    std::string workload;  //!< as for WeftHelper
    uint64_t seed;         //!< of all random streams
    uint32_t broken;       //!< links between switches that fail and are repaired, one by one
    bool looks;            //!< whether a buffer is looked at in every callback of its switch
    uint64_t digest;       //!< of all that was seen
};

/** Digest of what devices report, and of their buffers. */
class GoldenDigest
{
  public:
    /** Listens to all devices of a fabric, and reads all buffers at random times. */
    GoldenDigest(WeftRig& rig, const GoldenScenario& scenario)
        : m_rig(rig),
          m_looks(scenario.looks),
          m_hashes(GetNode(rig.fabric->GetNSwitches()))
    {
        weft_rng_seed(&m_rng, scenario.seed, 1, 1);
        for (uint32_t i = 0; i < rig.fabric->GetNHosts(); i++)
        {
            m_nics.push_back({this, i});
            Ptr<WeftNic> nic = rig.fabric->GetNic(i);
            nic->TraceConnectWithoutContext("Tx", MakeCallback(&Nic::Tx, &m_nics.back()));
            nic->TraceConnectWithoutContext("Rx", MakeCallback(&Nic::Rx, &m_nics.back()));
        }
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            Ptr<WeftSwitch> sw = rig.fabric->GetSwitch(i);
            m_switches.push_back({this, i, GetNode(i)});
            Switch* s = &m_switches.back();
            sw->TraceConnectWithoutContext("Drop", MakeCallback(&Switch::Drop, s));
            sw->TraceConnectWithoutContext("Mark", MakeCallback(&Switch::Mark, s));
            sw->TraceConnectWithoutContext("NackBlocked", MakeCallback(&Switch::Block, s));
            sw->TraceConnectWithoutContext("Pause", MakeCallback(&Switch::Pause, s));
        }
        ScheduleReading();
    }

    /** @return the digest of all frames, all readings and, now, of all counters */
    uint64_t Finish()
    {
        const WeftCounters& c = m_rig.fabric->GetCounters();
        const WeftRigTotals t = m_rig.GetTotals();
        ReadBuffers();
        m_node = 0;
        for (size_t i = 1; i < m_hashes.size(); i++)
        {
            Mix(m_hashes[i]);
        }
        for (const uint64_t count : {c.hops,         c.sent,
                                     c.sent_bytes,   c.made_by_tors,
                                     c.delivered,    c.delivered_bytes,
                                     c.lost_bytes,   c.payload,
                                     t.sent,         t.resent,
                                     t.nacks,        t.timeouts,
                                     t.duplicates,   t.outOfOrder,
                                     t.nacksSent,    t.cnps,
                                     t.cuts,         t.marks,
                                     t.pauses,       t.drops,
                                     t.tor.seen,     t.tor.valid,
                                     t.tor.invalid,  t.tor.blocked,
                                     t.tor.armed,    t.tor.compensated,
                                     t.tor.cancelled})
        {
            Mix(count);
        }
        for (int why = WeftFabric::DROP_BUFFER; why <= WeftFabric::BLOCKED; why++)
        {
            Mix(c.lost[why]);
        }
        return m_hashes[0];
    }

  private:
    /** Reports of a NIC. */
    struct Nic
    {
        GoldenDigest* digest; //!< gets it
        uint32_t index;       //!< of the host

        void Tx(const weft_packet& p)
        {
            digest->Add(1, index, p);
        }

        void Rx(const weft_packet& p)
        {
            digest->Add(2, index, p);
        }
    };

    /** Reports of a switch. */
    struct Switch
    {
        GoldenDigest* digest; //!< gets it
        uint32_t index;       //!< of the switch
        size_t node;          //!< its place among all nodes

        void Drop(const weft_packet& p)
        {
            digest->Add(3, node, p);
            digest->Look(index);
        }

        void Mark(const weft_packet& p)
        {
            digest->Add(4, node, p);
            digest->Look(index);
        }

        void Block(const weft_packet& p)
        {
            digest->Add(5, node, p);
            digest->Look(index);
        }

        void Pause(uint32_t port, uint32_t tclass, bool pause)
        {
            digest->m_node = node;
            digest->MixAll({Now(), 6, port, tclass, pause ? 1U : 0U});
            digest->Look(index);
        }
    };

    static uint64_t Now()
    {
        return static_cast<uint64_t>(WeftNow());
    }

    /** @param index of a switch @return its place among all nodes */
    size_t GetNode(uint32_t index) const
    {
        return size_t{m_rig.fabric->GetNHosts()} + index;
    }

    void Mix(uint64_t word)
    {
        m_hashes[m_node] = weft_mix64(m_hashes[m_node] ^ word) + 1;
    }

    void MixAll(std::initializer_list<uint64_t> words)
    {
        for (const uint64_t word : words)
        {
            Mix(word);
        }
    }

    /** Adds a frame. Replies did not yet tell of marks, and in_port is a switch's own affair. */
    void Add(uint32_t what, size_t node, const weft_packet& p)
    {
        m_node = node;
        const unsigned hidden = p.kind == WEFT_DATA ? 0U : unsigned{WEFT_F_ECE};
        const uint32_t psn = p.kind == WEFT_CNP ? 0 : p.psn; // CNPs named none then
        MixAll({Now(), what, p.qp, psn, p.bytes, p.kind, p.flags & ~hidden, p.hops});
    }

    void Look(uint32_t index)
    {
        if (m_looks)
        {
            ReadBuffer(index);
        }
    }

    void ReadBuffer(uint32_t index)
    {
        Ptr<WeftSwitch> sw = m_rig.fabric->GetSwitch(index);
        const weft_mmu& m = sw->GetBuffer();
        m_node = GetNode(index);
        Mix(Now());
        for (const int64_t bytes : {m.shared_used, m.headroom_used, m.peak_used})
        {
            Mix(static_cast<uint64_t>(bytes));
        }
        MixAll({m.pauses, m.drops, m.marks, sw->GetPeakQueue()});
        for (uint32_t port = 0; port < m.nports; port++)
        {
            Mix(weft_mmu_queues(&m)[port]);
        }
    }

    void ReadBuffers()
    {
        for (uint32_t i = 0; i < m_rig.fabric->GetNSwitches(); i++)
        {
            ReadBuffer(i);
        }
    }

    void ScheduleReading()
    {
        Simulator::Schedule(TimeStep(1 + weft_rng_below(&m_rng, 10000000)),
                            &GoldenDigest::Read,
                            this);
    }

    void Read()
    {
        ReadBuffers();
        ScheduleReading();
    }

    WeftRig& m_rig;                //!< its fabric
    bool m_looks;                  //!< in callbacks
    weft_rng m_rng{};              //!< times of readings
    std::deque<Nic> m_nics;        //!< listeners
    std::deque<Switch> m_switches; //!< listeners
    std::vector<uint64_t>
        m_hashes;     //!< by node: of what it did so far, as nothing orders an instant across nodes
    size_t m_node{0}; //!< whose is being added to
};

/** Links between switches break every 20 us, for 30 us. */
void
BreakLinks(const WeftRig& rig, uint32_t n)
{
    const uint64_t hosts = rig.fabric->GetNHosts();
    const uint64_t links = rig.fabric->GetClos().nlinks - hosts;
    for (uint32_t i = 0; i < n; i++)
    {
        rig.fabric->ScheduleFailure(hosts + 3 * i % links,
                                    MicroSeconds(10 + 20 * i),
                                    MicroSeconds(40 + 20 * i));
    }
}

/** Runs a scenario. @param totals gets the counters @return the digest */
uint64_t
RunGolden(const GoldenScenario& s, WeftRigTotals& totals)
{
    WeftRigSetup setup;
    setup.topology = s.topology;
    setup.frames = s.frames;
    setup.buffer = s.buffer;
    setup.balancer = s.balancer;
    setup.transport = s.transport;
    setup.cc = s.cc;
    setup.seed = s.seed;
    WeftRig rig(setup);
    rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(5)));
    BreakLinks(rig, s.broken);
    const auto job = rig.helper.InstallWorkload(s.workload);
    GoldenDigest digest(rig, s);
    Simulator::Stop(MicroSeconds(400));
    Simulator::Run();
    totals = rig.GetTotals();
    return digest.Finish();
}

/** Small buffers, so that all that a switch can do to a frame happens, and often.
 * @return the scenarios, each with the digest of the former code */
const std::vector<GoldenScenario>&
GoldenScenarios()
{
    static const std::vector<GoldenScenario> scenarios{
        {"fat-tree k=4 tiers=3 link-rate=100Gbps fabric-rate=0bps link-delay=1us",
         "roce payload=1000B header=48B gap=20B ack=64B ack-priority=first ack-every=2 "
         "first-psn=-1",
         "shared-buffer buffer=3000B alpha=1 pfc=on headroom=0B xon-gap=3072B ecn=on "
         "ecn-at=enqueue kmin=20000B kmax=20001B pmax=0.2",
         "themis entry-bytes=2",
         "nic-sr on-timeout=one rto=50us",
         "dcqcn",
         "alltoall bytes=60KB scope=total",
         2,
         3,
         true,
         UINT64_C(0xb129624b6b489362)},
        {"fat-tree k=4 tiers=3 link-rate=33Gbps fabric-rate=0bps link-delay=1us",
         "roce payload=1452B header=48B gap=20B ack=84B ack-priority=share ack-every=1 "
         "first-psn=-1",
         "shared-buffer buffer=14520B alpha=0.0625 pfc=on headroom=0B xon-gap=3072B ecn=on "
         "ecn-at=enqueue kmin=0B kmax=20000B pmax=0.2",
         "ar",
         "nic-sr on-timeout=one rto=50us",
         "dcqcn",
         "alltoall bytes=120KB scope=total",
         8,
         3,
         false,
         UINT64_C(0x518445df8ec8ec75)},
        {"leaf-spine leaves=4 spines=2 hosts-per-leaf=2 link-rate=100Gbps fabric-rate=40Gbps "
         "link-delay=1ns",
         "roce payload=4096B header=48B gap=20B ack=64B ack-priority=share ack-every=2 "
         "first-psn=-1",
         "shared-buffer buffer=12288B alpha=1 pfc=on headroom=0B xon-gap=10000B ecn=on "
         "ecn-at=enqueue kmin=20000B kmax=40000B pmax=1",
         "ecmp",
         "gbn rto=50us",
         "dcqcn",
         "alltoall bytes=120KB scope=total",
         2,
         0,
         true,
         UINT64_C(0x6c5b6dbfa8d9eb51)},
        {"fat-tree k=4 tiers=3 link-rate=100Gbps fabric-rate=25Gbps link-delay=1us",
         "roce payload=4096B header=48B gap=20B ack=64B ack-priority=first ack-every=1 "
         "first-psn=-1",
         "shared-buffer buffer=77184B alpha=0.125 pfc=on headroom=4296B xon-gap=3072B ecn=on "
         "ecn-at=enqueue kmin=0B kmax=20000B pmax=1",
         "rsq",
         "ideal rto=50us",
         "dcqcn",
         "permutation bytes=120KB",
         7,
         0,
         true,
         UINT64_C(0x996c769b67f5a41c)},
        {"leaf-spine leaves=4 spines=2 hosts-per-leaf=4 link-rate=33Gbps fabric-rate=100Gbps "
         "link-delay=1us",
         "roce payload=1452B header=48B gap=20B ack=64B ack-priority=first ack-every=1 "
         "first-psn=-1",
         "shared-buffer buffer=14268B alpha=2 pfc=on headroom=1652B xon-gap=10000B ecn=on "
         "ecn-at=dequeue kmin=0B kmax=1B pmax=1",
         "ar",
         "nic-sr on-timeout=one rto=50us",
         "none",
         "ring bytes=120KB",
         7,
         3,
         false,
         UINT64_C(0x3784900852d51ef5)},
        {"leaf-spine leaves=4 spines=2 hosts-per-leaf=4 link-rate=100Gbps fabric-rate=25Gbps "
         "link-delay=1ns",
         "roce payload=1000B header=48B gap=20B ack=84B ack-priority=share ack-every=2 "
         "first-psn=-1",
         "shared-buffer buffer=60000B alpha=0.5 pfc=on headroom=0B xon-gap=0B ecn=on "
         "ecn-at=dequeue kmin=5000B kmax=5001B pmax=0.2",
         "ar",
         "nic-sr on-timeout=one rto=50us",
         "none",
         "alltoall bytes=120KB scope=total",
         7,
         0,
         false,
         UINT64_C(0x1324c02b48d628c0)},
        {"leaf-spine leaves=3 spines=4 hosts-per-leaf=4 link-rate=100Gbps fabric-rate=25Gbps "
         "link-delay=1ns",
         "roce payload=4096B header=48B gap=20B ack=64B ack-priority=first ack-every=2 "
         "first-psn=-1",
         "shared-buffer buffer=190000B alpha=0.5 pfc=on headroom=20000B xon-gap=3072B ecn=on "
         "ecn-at=dequeue kmin=0B kmax=1B pmax=0.2",
         "rsq",
         "gbn rto=50us",
         "none",
         "alltoall bytes=60KB scope=total",
         2,
         3,
         true,
         UINT64_C(0x4f3c570adf7ad367)},
        {"leaf-spine leaves=3 spines=2 hosts-per-leaf=2 link-rate=33Gbps fabric-rate=0bps "
         "link-delay=1us",
         "roce payload=1000B header=48B gap=20B ack=84B ack-priority=share ack-every=1 "
         "first-psn=-1",
         "shared-buffer buffer=83000B alpha=0.5 pfc=on headroom=20000B xon-gap=0B ecn=on "
         "ecn-at=enqueue kmin=0B kmax=20000B pmax=1",
         "themis entry-bytes=2",
         "ideal rto=50us",
         "dcqcn",
         "ring bytes=120KB",
         8,
         0,
         true,
         UINT64_C(0x203f43a61a4429f6)},
        {"leaf-spine leaves=4 spines=4 hosts-per-leaf=4 link-rate=25Gbps fabric-rate=0bps "
         "link-delay=1us",
         "roce payload=4096B header=48B gap=20B ack=84B ack-priority=share ack-every=2 "
         "first-psn=-1",
         "shared-buffer buffer=12288B alpha=1 pfc=on headroom=0B xon-gap=10000B ecn=off "
         "ecn-at=enqueue kmin=5000B kmax=25000B pmax=1",
         "themis entry-bytes=2",
         "nic-sr on-timeout=one rto=50us",
         "none",
         "ring bytes=120KB",
         8,
         0,
         false,
         UINT64_C(0x0b11eb476e95045a)},
        {"leaf-spine leaves=4 spines=2 hosts-per-leaf=4 link-rate=40Gbps fabric-rate=25Gbps "
         "link-delay=100ns",
         "roce payload=1000B header=48B gap=20B ack=64B ack-priority=share ack-every=1 "
         "first-psn=-1",
         "shared-buffer buffer=107200B alpha=0.125 pfc=on headroom=1200B xon-gap=10000B ecn=on "
         "ecn-at=dequeue kmin=20000B kmax=20001B pmax=0.2",
         "ecmp",
         "nic-sr on-timeout=one rto=50us",
         "dcqcn",
         "alltoall bytes=120KB scope=total",
         6,
         2,
         false,
         UINT64_C(0xcffada246e6a2a7f)},
        {"leaf-spine leaves=4 spines=4 hosts-per-leaf=4 link-rate=33Gbps fabric-rate=0bps "
         "link-delay=1ns",
         "roce payload=1452B header=48B gap=20B ack=64B ack-priority=share ack-every=2 "
         "first-psn=-1",
         "shared-buffer buffer=17572B alpha=0.0625 pfc=on headroom=1652B xon-gap=3072B ecn=on "
         "ecn-at=dequeue kmin=0B kmax=1B pmax=0.2",
         "themis entry-bytes=2",
         "nic-sr on-timeout=one rto=50us",
         "none",
         "permutation bytes=120KB",
         7,
         0,
         true,
         UINT64_C(0xf130a89f273404d4)},
        {"leaf-spine leaves=4 spines=2 hosts-per-leaf=2 link-rate=100Gbps fabric-rate=25Gbps "
         "link-delay=1ns",
         "roce payload=1000B header=48B gap=20B ack=84B ack-priority=first ack-every=1 "
         "first-psn=-1",
         "shared-buffer buffer=20000B alpha=0.125 pfc=off headroom=0B xon-gap=0B ecn=on "
         "ecn-at=enqueue kmin=20000B kmax=20001B pmax=1",
         "ecmp",
         "gbn rto=50us",
         "none",
         "permutation bytes=120KB",
         2,
         0,
         true,
         UINT64_C(0xf1207cd5261848dc)},
    };
    return scenarios;
}

/** Runs one scenario under one simulator. */
class GoldenTestCase : public TestCase
{
  public:
    GoldenTestCase(const GoldenScenario& scenario,
                   const std::string& simulator,
                   const std::string& scheduler)
        : TestCase("buffers as exact as ever under " + scenario.balancer + ", " +
                   scenario.transport + ", " + scenario.topology + ", " + simulator),
          m_scenario(scenario),
          m_simulator(simulator),
          m_scheduler(scheduler)
    {
    }

  private:
    void DoRun() override
    {
        const WeftSimulatorChoice choice(m_simulator, m_scheduler);
        WeftRigTotals totals{};
        const uint64_t digest = RunGolden(m_scenario, totals);
        NS_TEST_EXPECT_MSG_EQ(digest, m_scenario.digest, "frames, buffers and counters");
        NS_TEST_EXPECT_MSG_GT(totals.pauses + totals.drops, 100, "times that a buffer was full");
    }

    const GoldenScenario& m_scenario; //!< under test
    std::string m_simulator;          //!< under which it runs
    std::string m_scheduler;          //!< of ordinary events
};

class WeftGoldenTestSuite : public TestSuite
{
  public:
    WeftGoldenTestSuite()
        : TestSuite("weft-golden", Type::UNIT)
    {
        for (const GoldenScenario& scenario : GoldenScenarios())
        {
            AddTestCase(new GoldenTestCase(scenario, "DefaultSimulatorImpl", "MapScheduler"));
            AddTestCase(new GoldenTestCase(scenario, "DefaultSimulatorImpl", "HeapScheduler"));
        }
    }
};

WeftGoldenTestSuite g_weftGoldenTestSuite; //!< registers the suite

} // namespace
