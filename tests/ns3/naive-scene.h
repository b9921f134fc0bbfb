// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file naive-scene.h  A workload in the module's fabric and in the one that is simulated by hand,
 * and how what they say differs.
 */
#ifndef NAIVE_SCENE_H
#define NAIVE_SCENE_H

#include "naive-ethereal.h"
#include "naive-fabric.h"
#include "naive-pro.h"
#include "weft-test-rig.h"

#include <algorithm>
#include <array>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>
#include <weft/lb.h>
#include <weft/rng.h>

namespace ns3
{
namespace naive
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
    uint32_t qps{1};                 //!< of each host; where messages are planned, messages
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

    /** @return whether the balancer divides messages and spreads them over QPs */
    bool IsPlanned() const
    {
        return balancer.compare(0, 8, "ethereal") == 0;
    }

    int64_t GetGbps() const
    {
        return 8000 * parts / byte;
    }

    std::string Describe() const
    {
        std::ostringstream text;
        text << balancer << ", " << leaves << " leaves, " << spines << " spines, " << hostsPerLeaf
             << " hosts per leaf of " << qps << (IsPlanned() ? " messages, " : " QPs, ")
             << GetGbps() << " Gbps, ACKs "
             << (idealAcks ? "that take no wire" : "in turns with data") << ", starts "
             << (together ? "together" : "spread") << ", seed " << seed;
        return text.str();
    }
};

/** The fabric of ofan's evaluation, but for its size. */
inline Scene
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
inline Scene
MakeGaplessScene(const std::string& balancer, bool idealAcks)
{
    Scene scene{4, 3, 4, balancer, idealAcks, true, 8};
    scene.gap = 0;
    return scene;
}

/** A byte takes 24.02 or 2.5 ps: roundings must neither add up nor change an order. */
inline Scene
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

/** Outcome of a simulator; ports are numbered as in naive-fabric.h. */
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
inline void
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
        const uint32_t packets = SHORTEST + below(LONGEST - SHORTEST + 1);
        scene.packets.push_back(scene.IsPlanned() ? packets - packets % scene.spines : packets);
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
        heard.resize(hosts);
        for (uint32_t h = 0; h < hosts; h++)
        {
            rig.fabric->GetNic(h)->TraceConnectWithoutContext("Tx",
                                                              MakeCallback(&Observed::Note, this));
        }
        for (uint32_t h = 0; h < hosts; h++)
        {
            scene.IsPlanned() ? Plan(h) : CreateQps(h);
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

    void MessageDelivered(const WeftQp&, uint64_t flow) override
    {
        outcome.delivered[flow] = WeftNow();
    }

    void MessageAcked(const WeftQp&, uint64_t flow) override
    {
        outcome.acked[flow] = WeftNow();
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

    /** Each message has a QP. */
    void CreateQps(uint32_t h)
    {
        for (uint32_t flow = h * m_scene.qps; flow < (h + 1) * m_scene.qps; flow++)
        {
            WeftQp* qp = rig.fabric->CreateQp(h, m_scene.to[flow], this);
            Simulator::Schedule(TimeStep(static_cast<uint64_t>(m_scene.start[h])),
                                &WeftFabric::Post,
                                rig.fabric,
                                qp,
                                uint64_t{m_scene.packets[h]} * m_scene.payload,
                                flow);
        }
    }

    /** The host's messages are planned together. */
    void Plan(uint32_t h)
    {
        std::vector<WeftPost> posts;
        for (uint32_t flow = h * m_scene.qps; flow < (h + 1) * m_scene.qps; flow++)
        {
            posts.push_back({rig.fabric->Connect(h, m_scene.to[flow], this),
                             uint64_t{m_scene.packets[h]} * m_scene.payload,
                             flow});
        }
        Simulator::Schedule(TimeStep(static_cast<uint64_t>(m_scene.start[h])),
                            &WeftFabric::PostMessages,
                            rig.fabric,
                            h,
                            posts);
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
        const std::pair<unsigned, unsigned> way{p.dst, p.sport >> 8};
        NaiveHeard& all = heard[p.src];
        if (p.kind == WEFT_DATA && std::find(all.begin(), all.end(), way) == all.end())
        {
            all.push_back(way);
        }
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

    const Scene& m_scene;                 //!< carried
    std::vector<const WeftPort*> m_ports; //!< all, by number
    uint32_t m_done{0};                   //!< messages acknowledged

  public:
    WeftRig rig;                                              //!< the fabric
    Outcome outcome;                                          //!< what happened
    unsigned looks{0};                                        //!< at all queues
    std::vector<std::array<std::vector<uint16_t>, 2>> labels; //!< [host][ACK]: of its frames
    std::vector<NaiveHeard> heard;                            //!< [host]: whom it sends to, how
};

/** Load of the naive fabric's QPs: [host * qps + qp]. */
struct Load
{
    uint32_t qps;
    std::vector<unsigned> to;
    std::vector<unsigned> packets;
    std::vector<unsigned> flow;  //!< whose part that is
    std::vector<unsigned> spine; //!< of Ethereal

    Load(const Scene& scene, const Observed& observed)
        : qps(scene.qps)
    {
        std::vector<std::vector<NaivePart>> parts;
        for (uint32_t h = 0; h < scene.GetHosts(); h++)
        {
            parts.push_back(GetParts(scene, observed, h));
            qps = std::max(qps, static_cast<uint32_t>(parts.back().size()));
        }
        for (uint32_t h = 0; h < scene.GetHosts(); h++)
        {
            parts[h].resize(qps, {0, h, 0, 0});
            for (const NaivePart& part : parts[h])
            {
                to.push_back(part.to);
                packets.push_back(part.packets);
                flow.push_back(h * scene.qps + part.message);
                spine.push_back(part.spine);
            }
        }
    }

  private:
    static std::vector<NaivePart> GetParts(const Scene& scene, const Observed& observed, uint32_t h)
    {
        const auto first = scene.to.begin() + h * scene.qps;
        const std::vector<unsigned> to(first, first + scene.qps);
        if (scene.IsPlanned())
        {
            return NaiveEthereal(scene.hostsPerLeaf, scene.spines)
                .Plan(h, to, scene.packets[h], observed.heard[h]);
        }
        std::vector<NaivePart> parts;
        for (uint32_t i = 0; i < scene.qps; i++)
        {
            parts.push_back({i, to[i], scene.packets[h], 0});
        }
        return parts;
    }
};

/** The outcomes of chance, for the naive fabric: those that the module's has by its seed. */
class Chance
{
  public:
    Chance(const Scene& scene, const Observed& observed, const Load& load)
        : m_scene(scene),
          m_observed(observed),
          m_load(load),
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
        return naive_chance{this, First, Tie, Label, Order, Hash};
    }

  private:
    static constexpr uint64_t JSQ_STREAM = UINT64_C(0x6a7371) << 32; //!< "jsq"
    static constexpr uint64_t RR_STREAM = UINT64_C(0x737272) << 32;  //!< "srr"
    static constexpr uint64_t TIE_STREAM = UINT64_C(0x71e5) << 32;   //!< of switches

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

    /** PRO leaves nothing to chance. ACKs of Ethereal take the data's spine; those that copy what
     * they find name spine 0: no spine has a second half. */
    static unsigned Label(void* self, unsigned flow, bool ack, unsigned nth)
    {
        const auto c = static_cast<Chance*>(self);
        if (c->m_scene.IsPlanned())
        {
            const bool copied = c->m_scene.balancer.find("copy") != std::string::npos;
            return ack && copied ? 0 : c->m_load.spine[flow];
        }
        const unsigned sender = flow / c->m_load.qps;
        const unsigned host = ack ? c->m_load.to[flow] : sender;
        return c->m_scene.balancer == "pro"
                 ? c->m_pro.GetPath(host, ack ? sender : c->m_load.to[flow], ack, nth)
                 : c->m_observed.labels[host][ack].at(nth);
    }

    static unsigned Order(void* self, unsigned device, int64_t now)
    {
        const auto c = static_cast<Chance*>(self);
        weft_rng rng;
        weft_rng_seed(&rng, c->m_scene.seed, 1, TIE_STREAM + device);
        const uint64_t high = weft_rng_u32(&rng);
        const uint64_t salt = high << 32 | weft_rng_u32(&rng);
        return weft_mix64(salt ^ static_cast<uint64_t>(now)) % 65536;
    }

    static unsigned Hash(void* self, unsigned leaf, unsigned from, unsigned to, unsigned label)
    {
        const auto c = static_cast<Chance*>(self);
        if (c->m_scene.balancer == "pro" || c->m_scene.IsPlanned())
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
    const Load& m_load;                        //!< of the naive fabric
    const weft_lb_ops* m_ops;                  //!< hashes labels
    NaivePro m_pro;                            //!< has PRO's labels
    std::vector<weft_rng> m_ties;              //!< [leaf]
    std::vector<std::vector<uint64_t>> m_hash; //!< [leaf]
};

/** @param times [host * qps + qp], ps @return of each message, when the last of its parts is */
inline std::vector<int64_t>
GetLast(const Load& load, const std::vector<int64_t>& times, size_t messages)
{
    std::vector<int64_t> last(messages, -1);
    for (size_t i = 0; i < times.size(); i++)
    {
        last[load.flow[i]] = std::max(last[load.flow[i]], times[i]);
    }
    return last;
}

/** @return what the naive fabric says @param ties set to frames without an order */
inline Outcome
RunNaive(const Scene& scene, const Observed& observed, unsigned& ties)
{
    const Load load(scene, observed);
    Chance chance(scene, observed, load);
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
    s.qps = load.qps;
    s.to = load.to.data();
    s.packets = load.packets.data();
    s.start = scene.start.data();
    s.first_look = FIRST_LOOK;
    s.look_interval = LOOK_INTERVAL;
    s.looks = observed.looks;

    const uint32_t hosts = scene.GetHosts();
    const uint32_t ports = naive_ports(&s);
    Outcome o;
    o.frames.resize(ports);
    std::vector<int64_t> queues(size_t{s.looks} * ports);
    std::vector<int64_t> peak(ports);
    std::vector<int64_t> delivered(load.to.size());
    std::vector<int64_t> acked(load.to.size());
    naive_result r{delivered.data(), acked.data(), queues.data(), peak.data(), o.frames.data(), 0};
    naive_run(&s, &r);
    ties = r.ties;
    o.delivered = GetLast(load, delivered, scene.to.size());
    o.acked = GetLast(load, acked, scene.to.size());
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

} // namespace naive
} // namespace ns3

#endif
