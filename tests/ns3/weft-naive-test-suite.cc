// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Whole fabrics against a second simulator, made by hand and sharing no code with the first: the
 * same frames at the same picoseconds, the same queues to the byte. What both are given is the
 * workload and the outcomes of chance.
 *
 * Spread over a packet's time, host h starts at 2h modulo the time of a byte, and all times of
 * frames are whole bytes: frames of chains that began at different hosts never meet at one instant.
 * If ACKs take no wire, nothing at all then hangs on an order of simultaneous events. If all hosts
 * start together, nearly everything does. Queues are looked at on odd picoseconds, when nothing
 * happens.
 */
#include "naive-fabric.h"
#include "naive-pro.h"
#include "weft-test-rig.h"

#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <string>
#include <vector>
#include <weft/lb.h>
#include <weft/rng.h>

using namespace ns3;

namespace
{

/** A fabric and what it is to carry. The times of a byte, if whole, and of a wire are even. */
struct Scene
{
    uint32_t leaves;
    uint32_t spines;
    uint32_t hostsPerLeaf;
    std::string balancer;
    bool idealAcks;
    bool together; //!< all hosts start at once
    uint64_t seed;
    int64_t byte{80};       //!< 1/parts ps
    int64_t parts{1};       //!< of a ps
    int64_t delay{1000000}; //!< of a wire, ps
    uint32_t payload{1436};
    uint32_t header{64};
    uint32_t gap{20};
    uint32_t ack{84};
    uint32_t qps{1};                 //!< of each host
    std::vector<unsigned> to{};      //!< [host * qps + qp]
    std::vector<unsigned> packets{}; //!< [host]: on each QP
    std::vector<int64_t> start{};    //!< [host], ps

    uint32_t GetHosts() const
    {
        return leaves * hostsPerLeaf;
    }

    /** @return whether nothing hangs on the order of frames that arrive at one instant */
    bool IsFreeOfTies() const
    {
        return idealAcks && !together && qps == 1 && parts == 1 && 2 * GetHosts() <= byte;
    }

    int64_t GetGbps() const
    {
        return 8000 * parts / byte;
    }

    std::string Describe() const
    {
        std::ostringstream text;
        text << balancer << ", " << leaves << " leaves, " << spines << " spines, " << hostsPerLeaf
             << " hosts per leaf of " << qps << " QPs, " << GetGbps() << " Gbps, ACKs "
             << (idealAcks ? "that take no wire" : "in turns with data") << ", starts "
             << (together ? "together" : "spread") << ", seed " << seed;
        return text.str();
    }
};

/** The fabric of ofan's evaluation, but for its size. */
Scene
MakeOfanScene(const std::string& balancer, bool idealAcks)
{
    Scene scene{6, 4, 4, balancer, idealAcks, false, 7};
    scene.byte = 10;
    scene.delay = 500000;
    scene.payload = 4096;
    scene.header = 62;
    scene.ack = 64;
    return scene;
}

/** Frames without gaps: last bits leave just when frames arrive. */
Scene
MakeGaplessScene(const std::string& balancer, bool idealAcks)
{
    Scene scene{4, 3, 4, balancer, idealAcks, true, 8};
    scene.gap = 0;
    return scene;
}

/** A byte takes 24.02 or 2.5 ps: roundings must neither add up nor change an order. */
Scene
MakeOddScene(const std::string& balancer, bool idealAcks, int64_t byte, int64_t parts)
{
    Scene scene{4, 3, 4, balancer, idealAcks, false, 9};
    scene.byte = byte;
    scene.parts = parts;
    return scene;
}

constexpr uint32_t SHORTEST = 16;        //!< packets of a message
constexpr uint32_t LONGEST = 200;        //!< packets of a message
constexpr int64_t FIRST_LOOK = 1;        //!< ps; odd
constexpr int64_t LOOK_INTERVAL = 30002; //!< ps; even

/** What a simulator says; ports are numbered as in naive-fabric.h. */
struct Outcome
{
    std::vector<int64_t> delivered; //!< [host * qps + qp], ps
    std::vector<int64_t> acked;     //!< [host * qps + qp], ps
    std::vector<int64_t> queues;    //!< [look][port], bytes
    std::vector<int64_t> peak;      //!< [switch], bytes
    std::vector<unsigned> frames;   //!< [port]
};

/** Draws a permutation of the hosts that is one ring, what each sends to the next ones, and from
 * when on. */
void
Populate(Scene& scene)
{
    std::mt19937 chance(static_cast<uint32_t>(scene.seed));
    const uint32_t n = scene.GetHosts();
    const auto below = [&chance](uint32_t bound) { return chance() % bound; };
    std::vector<unsigned> ring(n);
    for (uint32_t h = 0; h < n; h++)
    {
        ring[h] = h;
        std::swap(ring[h], ring[below(h + 1)]);
    }
    scene.to.resize(n * scene.qps);
    const int64_t packet = scene.payload + scene.header + scene.gap;
    const int64_t unit = scene.byte / scene.parts;
    for (uint32_t h = 0; h < n; h++)
    {
        for (uint32_t qp = 0; qp < scene.qps; qp++)
        {
            scene.to[ring[h] * scene.qps + qp] = ring[(h + 1 + qp) % n];
        }
        scene.packets.push_back(SHORTEST + below(LONGEST - SHORTEST + 1));
        scene.start.push_back(
            scene.together ? 0 : below(static_cast<uint32_t>(packet)) * unit + 2 * h % unit);
    }
}

/** The module's fabric, under observation. */
class Observed : public WeftMessageListener
{
  public:
    explicit Observed(const Scene& scene)
        : m_scene(scene),
          rig(MakeSetup(scene))
    {
        const uint32_t hosts = scene.GetHosts();
        outcome.delivered.assign(scene.to.size(), -1);
        outcome.acked.assign(scene.to.size(), -1);
        labels.resize(hosts);
        for (uint32_t h = 0; h < hosts; h++)
        {
            rig.fabric->GetNic(h)->TraceConnectWithoutContext("Tx",
                                                              MakeCallback(&Observed::Note, this));
        }
        for (uint32_t flow = 0; flow < scene.to.size(); flow++)
        {
            const uint32_t h = flow / scene.qps;
            WeftQp* qp = rig.fabric->CreateQp(h, scene.to[flow], this);
            Simulator::Schedule(TimeStep(static_cast<uint64_t>(scene.start[h])),
                                &WeftFabric::Post,
                                rig.fabric,
                                qp,
                                uint64_t{scene.packets[h]} * scene.payload,
                                0);
        }
        ListPorts();
    }

    void Run()
    {
        Simulator::Schedule(TimeStep(FIRST_LOOK), &Observed::Look, this);
        Simulator::Run();
        for (const WeftPort* port : m_ports)
        {
            outcome.frames.push_back(static_cast<unsigned>(port->GetFrames()));
        }
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            outcome.peak.push_back(rig.fabric->GetSwitch(i)->GetPeakQueue());
        }
    }

    void MessageDelivered(const WeftQp& qp, uint64_t) override
    {
        outcome.delivered[qp.index] = WeftNow();
    }

    void MessageAcked(const WeftQp& qp, uint64_t) override
    {
        outcome.acked[qp.index] = WeftNow();
        m_done++;
    }

  private:
    static WeftRigSetup MakeSetup(const Scene& scene)
    {
        std::ostringstream topology;
        topology << "leaf-spine leaves=" << scene.leaves << " spines=" << scene.spines
                 << " hosts-per-leaf=" << scene.hostsPerLeaf << " link-rate=" << scene.GetGbps()
                 << "Gbps link-delay=" << scene.delay << "ps";
        std::ostringstream frames;
        frames << "roce payload=" << scene.payload << "B header=" << scene.header
               << "B gap=" << scene.gap << "B ack=" << scene.ack
               << "B ack-priority=" << (scene.idealAcks ? "ideal" : "share");
        WeftRigSetup setup;
        setup.topology = topology.str();
        setup.balancer = scene.balancer;
        setup.transport = "ideal rto=inf";
        setup.frames = frames.str();
        setup.buffer = "shared-buffer pfc=off ecn=off port-buffer=1GB";
        setup.seed = scene.seed;
        return setup;
    }

    void ListPorts()
    {
        for (uint32_t h = 0; h < m_scene.GetHosts(); h++)
        {
            m_ports.push_back(rig.fabric->GetNic(h)->GetPort());
        }
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            for (uint32_t p = 0; p < rig.fabric->GetSwitch(i)->GetNPorts(); p++)
            {
                m_ports.push_back(rig.fabric->GetSwitch(i)->GetPort(p));
            }
        }
    }

    void Note(const weft_packet& p)
    {
        labels[p.src][p.kind == WEFT_ACK].push_back(p.sport);
    }

    /** Hosts' queues are not looked at. */
    void Look()
    {
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            const weft_mmu& buffer = rig.fabric->GetSwitch(i)->GetBuffer();
            outcome.queues.insert(outcome.queues.end(),
                                  weft_mmu_queues(&buffer),
                                  weft_mmu_queues(&buffer) + buffer.nports);
        }
        looks++;
        if (m_done < m_scene.to.size())
        {
            Simulator::Schedule(TimeStep(LOOK_INTERVAL), &Observed::Look, this);
        }
    }

    const Scene& m_scene;           //!< carried
    std::vector<WeftPort*> m_ports; //!< all, by number
    uint32_t m_done{0};             //!< messages acknowledged

  public:
    WeftRig rig;                                              //!< the fabric
    Outcome outcome;                                          //!< what happened
    unsigned looks{0};                                        //!< at all queues
    std::vector<std::array<std::vector<uint16_t>, 2>> labels; //!< [host][ACK]: of its frames
};

/** The outcomes of chance, for the naive fabric: those that the module's has by its seed. */
class Chance
{
  public:
    Chance(const Scene& scene, const Observed& observed)
        : m_scene(scene),
          m_observed(observed),
          m_ops(weft_lb_find("ops")),
          m_pro(scene.hostsPerLeaf, scene.spines, scene.qps, scene.to)
    {
        for (uint32_t leaf = 0; leaf < scene.leaves; leaf++)
        {
            const weft_site site = observed.rig.fabric->GetSite(leaf);
            m_ties.emplace_back();
            weft_rng_seed(&m_ties.back(), site.seed, site.run, JSQ_STREAM | leaf);
            m_hash.emplace_back(m_ops->state_size(nullptr, &site) / 8 + 1);
            m_ops->init(m_hash.back().data(), nullptr, &site);
        }
    }

    naive_chance Get()
    {
        return naive_chance{this, First, Tie, Label, Hash};
    }

  private:
    static constexpr uint64_t JSQ_STREAM = UINT64_C(0x6a7371) << 32; //!< "jsq"
    static constexpr uint64_t RR_STREAM = UINT64_C(0x737272) << 32;  //!< "srr"

    /** The balancer draws for every port. The group's pointer is that of its first port. */
    static unsigned First(void* self, unsigned leaf)
    {
        const auto c = static_cast<Chance*>(self);
        weft_rng rng;
        weft_rng_seed(&rng, c->m_scene.seed, 1, RR_STREAM | leaf);
        for (uint32_t down = 0; down < c->m_scene.hostsPerLeaf; down++)
        {
            weft_rng_u32(&rng);
        }
        return weft_rng_u32(&rng) >> 1;
    }

    static unsigned Tie(void* self, unsigned leaf, unsigned n)
    {
        return weft_rng_below(&static_cast<Chance*>(self)->m_ties[leaf], n);
    }

    /** PRO leaves nothing to chance. */
    static unsigned Label(void* self, unsigned host, unsigned to, bool ack, unsigned nth)
    {
        const auto c = static_cast<Chance*>(self);
        return c->m_scene.balancer == "pro" ? c->m_pro.GetPath(host, to, ack, nth)
                                            : c->m_observed.labels[host][ack].at(nth);
    }

    static unsigned Hash(void* self, unsigned leaf, unsigned from, unsigned to, unsigned label)
    {
        const auto c = static_cast<Chance*>(self);
        if (c->m_scene.balancer == "pro")
        {
            return label;
        }
        weft_ports ports{};
        ports.n = ports.width = static_cast<uint16_t>(c->m_scene.spines);
        weft_packet packet{};
        packet.src = from;
        packet.dst = to;
        packet.sport = static_cast<uint16_t>(label);
        return c->m_ops->pick(c->m_hash[leaf].data(), &ports, &packet, 0);
    }

    const Scene& m_scene;                      //!< carried
    const Observed& m_observed;                //!< whose draws these are
    const weft_lb_ops* m_ops;                  //!< hashes labels
    NaivePro m_pro;                            //!< has PRO's labels
    std::vector<weft_rng> m_ties;              //!< [leaf]
    std::vector<std::vector<uint64_t>> m_hash; //!< [leaf]
};

/** @return what the naive fabric says @param ties set to frames without an order */
Outcome
RunNaive(const Scene& scene, const Observed& observed, unsigned& ties)
{
    Chance chance(scene, observed);
    naive_setup s{};
    s.leaves = scene.leaves;
    s.spines = scene.spines;
    s.hosts_per_leaf = scene.hostsPerLeaf;
    s.byte = scene.byte;
    s.parts = scene.parts;
    s.delay = scene.delay;
    s.data = scene.payload + scene.header;
    s.ack = scene.ack;
    s.gap = scene.gap;
    s.ideal_acks = scene.idealAcks;
    s.balancer = scene.balancer == "simple-rr" ? NAIVE_ROUND_ROBIN
               : scene.balancer == "jsq"       ? NAIVE_SHORTEST_QUEUE
                                               : NAIVE_LABELS;
    s.chance = chance.Get();
    s.qps = scene.qps;
    s.to = scene.to.data();
    s.packets = scene.packets.data();
    s.start = scene.start.data();
    s.first_look = FIRST_LOOK;
    s.look_interval = LOOK_INTERVAL;
    s.looks = observed.looks;

    const uint32_t hosts = scene.GetHosts();
    const uint32_t ports = naive_ports(&s);
    Outcome o;
    o.delivered.resize(scene.to.size());
    o.acked.resize(scene.to.size());
    o.frames.resize(ports);
    std::vector<int64_t> queues(size_t{s.looks} * ports);
    std::vector<int64_t> peak(ports);
    naive_result r{o.delivered.data(),
                   o.acked.data(),
                   queues.data(),
                   peak.data(),
                   o.frames.data(),
                   0};
    naive_run(&s, &r);
    ties = r.ties;
    for (size_t i = 0; i < queues.size(); i++)
    {
        if (i % ports >= hosts)
        {
            o.queues.push_back(queues[i]);
        }
    }
    for (uint32_t i = 0, p = hosts; i < scene.leaves + scene.spines; i++)
    {
        const uint32_t n = i < scene.leaves ? scene.hostsPerLeaf + scene.spines : scene.leaves;
        o.peak.push_back(*std::max_element(peak.begin() + p, peak.begin() + p + n));
        p += n;
    }
    return o;
}

/** How many things two simulators see differently. */
struct Differences
{
    uint32_t deliveries{0};
    uint32_t acks{0};
    uint32_t queues{0};
    uint32_t peaks{0};
    uint32_t frames{0};

    Differences(const Outcome& a, const Outcome& b)
        : deliveries(Count(a.delivered, b.delivered)),
          acks(Count(a.acked, b.acked)),
          queues(Count(a.queues, b.queues)),
          peaks(Count(a.peak, b.peak)),
          frames(Count(a.frames, b.frames))
    {
    }

    template <typename T>
    static uint32_t Count(const std::vector<T>& a, const std::vector<T>& b)
    {
        uint32_t n = a.size() != b.size();
        for (size_t i = 0; i < std::min(a.size(), b.size()); i++)
        {
            n += a[i] != b[i];
        }
        return n;
    }
};

/** One scene in both simulators. */
class AgreementTestCase : public TestCase
{
  public:
    explicit AgreementTestCase(const Scene& scene)
        : TestCase("agrees with a fabric simulated by hand: " + scene.Describe()),
          m_scene(scene)
    {
    }

  private:
    void DoRun() override
    {
        Populate(m_scene);
        Observed observed(m_scene);
        observed.Run();
        unsigned ties = 0;
        const Outcome naive = RunNaive(m_scene, observed, ties);
        const Differences d(observed.outcome, naive);
        NS_TEST_EXPECT_MSG_EQ(d.deliveries, 0, "times at which messages are complete");
        NS_TEST_EXPECT_MSG_EQ(d.acks, 0, "times at which senders know");
        NS_TEST_EXPECT_MSG_EQ(d.queues, 0, "of " << naive.queues.size() << " queues looked at");
        NS_TEST_EXPECT_MSG_EQ(d.peaks, 0, "longest queues of switches");
        NS_TEST_EXPECT_MSG_EQ(d.frames, 0, "frames on wires");
        NS_TEST_EXPECT_MSG_EQ((ties == 0 || !m_scene.IsFreeOfTies()), true, ties << " ties");
        NS_TEST_EXPECT_MSG_EQ((ties > 0 || !m_scene.together), true, "no ties");
        NS_TEST_EXPECT_MSG_EQ(observed.rig.Audit(), "", "the books balance");
    }

    Scene m_scene; //!< under test
};

/** Were the two compared loosely, or with queues empty, they would agree on anything. */
class SensitivityTestCase : public TestCase
{
  public:
    SensitivityTestCase()
        : TestCase("a byte or two picoseconds more in the fabric simulated by hand are seen")
    {
    }

  private:
    /** @return what differs if the naive fabric has other frames or wires than the module's */
    static Differences Compare(const Scene& scene, const Observed& observed)
    {
        unsigned ties = 0;
        return Differences(observed.outcome, RunNaive(scene, observed, ties));
    }

    void Check(const std::string& balancer)
    {
        Scene scene{4, 4, 4, balancer, false, false, 1};
        Populate(scene);
        Observed observed(scene);
        observed.Run();
        Scene gap = scene;
        gap.gap++;
        Scene header = scene;
        header.header++;
        Scene ack = scene;
        ack.ack++;
        Scene delay = scene;
        delay.delay += 2;
        for (const Scene& other : {gap, header, ack, delay})
        {
            const Differences d = Compare(other, observed);
            // Where ACKs do not cross, their length does not matter to data.
            NS_TEST_EXPECT_MSG_GT(d.deliveries, scene.GetHosts() / 2, balancer << ": deliveries");
            NS_TEST_EXPECT_MSG_EQ(d.acks, scene.GetHosts(), balancer << ": ACKs");
            NS_TEST_EXPECT_MSG_GT(d.queues, 0, balancer << ": queues");
        }
        NS_TEST_EXPECT_MSG_EQ(Compare(scene, observed).queues, 0, balancer << ": as it is");
    }

    void DoRun() override
    {
        Check("simple-rr");
        Check("jsq");
        Check("ops");
        Check("pro");
    }
};

class WeftNaiveTestSuite : public TestSuite
{
  public:
    WeftNaiveTestSuite()
        : TestSuite("weft-naive", Type::UNIT)
    {
        for (const std::string balancer : {"simple-rr", "jsq", "ops", "pro"})
        {
            for (const bool idealAcks : {true, false})
            {
                for (const bool together : {true, false})
                {
                    AddScenes(balancer, idealAcks, together);
                }
                AddTestCase(new AgreementTestCase(MakeOfanScene(balancer, idealAcks)));
                AddTestCase(new AgreementTestCase(MakeGaplessScene(balancer, idealAcks)));
                AddTestCase(new AgreementTestCase(MakeOddScene(balancer, idealAcks, 8000, 333)));
                AddTestCase(new AgreementTestCase(MakeOddScene(balancer, idealAcks, 5, 2)));
            }
        }
        for (const uint32_t qps : {2, 3, 6})
        {
            for (const bool idealAcks : {true, false})
            {
                AddQps(qps, idealAcks);
            }
        }
        AddTestCase(new SensitivityTestCase);
    }

  private:
    void AddQps(uint32_t qps, bool idealAcks)
    {
        for (Scene scene : {Scene{4, 4, 4, "pro", idealAcks, true, 1},
                            Scene{3, 8, 4, "pro", idealAcks, false, 2},
                            Scene{3, 6, 4, "pro", idealAcks, false, 3}})
        {
            scene.qps = qps;
            AddTestCase(new AgreementTestCase(scene));
        }
    }

    void AddScenes(const std::string& balancer, bool idealAcks, bool together)
    {
        for (const uint64_t seed : {1, 2})
        {
            for (const Scene& scene : {Scene{4, 4, 4, balancer, idealAcks, together, seed},
                                       Scene{3, 5, 2, balancer, idealAcks, together, seed},
                                       Scene{5, 3, 4, balancer, idealAcks, together, seed}})
            {
                AddTestCase(new AgreementTestCase(scene));
            }
        }
    }
};

WeftNaiveTestSuite g_weftNaiveTestSuite; //!< registers the suite

} // namespace
