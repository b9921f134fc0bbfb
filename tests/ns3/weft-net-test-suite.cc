// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The fabric of the C core (net.h), which has no event list, does what the module's does, frame by
 * frame: random fabrics, algorithms and faults run in both. If this fails, a fabric without ns-3
 * has other results than one with it. WEFT_FROM and WEFT_TO choose other seeds than the first
 * sixty, and WEFT_TRACE=1 shows the first frame of each host that differs.
 */
#include "net-rig.h"

#include "ns3/test.h"
#include "ns3/weft-packet.h"

#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>
#include <vector>

using namespace ns3;

namespace
{

constexpr uint64_t ANSWER = 20000; //!< bytes of a message that answers another one

/** What a run was, in words that can be compared. */
struct Story
{
    std::vector<uint64_t> hosts;      //!< digest of what each host sent and received
    std::vector<uint64_t> delivered;  //!< sum of times by QP
    std::vector<std::string> numbers; //!< all that was counted

    void Add(uint32_t host, const weft_packet& p, int64_t now, uint64_t what)
    {
        if (traces)
        {
            std::ostringstream line;
            line << now << " " << (what == 1 ? "tx" : "rx") << " " << p << " flags "
                 << unsigned(p.flags) << " sport " << p.sport << " hops " << unsigned(p.hops);
            lines[host].push_back(line.str());
        }
        uint64_t& h = hosts[host];
        for (const uint64_t word : {static_cast<uint64_t>(now),
                                    what << 56 | uint64_t{p.kind} << 48 | p.qp,
                                    uint64_t{p.psn} << 32 | p.flags << 16 | p.bytes,
                                    uint64_t{p.sport} << 32 | p.echo << 16 | p.ahead,
                                    uint64_t{p.hops} << 8 | p.tclass,
                                    static_cast<uint64_t>(p.sent)})
        {
            h = weft_mix64(h ^ word);
        }
    }

    /** A sum of what switches tell: the order of two switches' news does not count. */
    uint64_t switches{0};

    void Add(const weft_packet& p, int64_t now, uint64_t what)
    {
        switches += weft_mix64(weft_mix64(static_cast<uint64_t>(now) ^ what << 60) ^
                               (uint64_t{p.qp} << 32 | p.psn << 8 | p.kind));
    }

    void AddPause(uint32_t index, uint32_t port, bool pause, int64_t now)
    {
        switches += weft_mix64(weft_mix64(static_cast<uint64_t>(now)) ^
                               (uint64_t{index} << 32 | port << 8 | pause));
    }

    bool traces{std::getenv("WEFT_TRACE") != nullptr};
    std::map<uint32_t, std::vector<std::string>> lines;
};

/** The module's run. */
class Old : public WeftMessageListener
{
  public:
    Story story;

    void MessageDelivered(const WeftQp& qp, uint64_t) override
    {
        story.delivered[qp.index] += static_cast<uint64_t>(WeftNow());
        if (qp.index < answers)
        {
            fabric->Post(fabric->GetQp(qp.index + answers), ANSWER, 0);
        }
    }

    Ptr<WeftFabric> fabric; //!< the module's
    uint32_t answers{0};    //!< QPs whose messages are answered, by as many behind them

    void MessageAcked(const WeftQp& qp, uint64_t) override
    {
        story.delivered[qp.index] += static_cast<uint64_t>(WeftNow()) * 3;
    }

    void MessageFailed(const WeftQp& qp, uint64_t) override
    {
        story.delivered[qp.index] += static_cast<uint64_t>(WeftNow()) * 7;
    }

    void Connect(const WeftRig& rig)
    {
        story.hosts.assign(rig.fabric->GetNHosts(), 0);
        for (uint32_t i = 0; i < rig.fabric->GetNHosts(); i++)
        {
            Ptr<WeftNic> nic = rig.fabric->GetNic(i);
            nic->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Old::Tx, this, i));
            nic->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Old::Rx, this, i));
        }
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            Ptr<WeftSwitch> sw = rig.fabric->GetSwitch(i);
            sw->TraceConnectWithoutContext("Mark", MakeBoundCallback(&Old::Mark, this));
            sw->TraceConnectWithoutContext("Trim", MakeBoundCallback(&Old::Trim, this));
            sw->TraceConnectWithoutContext("Pause", MakeBoundCallback(&Old::Pause, this, i));
        }
    }

  private:
    static void Tx(Old* self, uint32_t host, const weft_packet& p)
    {
        self->story.Add(host, p, WeftNow(), 1);
    }

    static void Mark(Old* self, const weft_packet& p)
    {
        self->story.Add(p, WeftNow(), 1);
    }

    static void Trim(Old* self, const weft_packet& p)
    {
        self->story.Add(p, WeftNow(), 2);
    }

    static void Pause(Old* self, uint32_t index, uint32_t port, uint32_t, bool pause)
    {
        self->story.AddPause(index, port, pause, WeftNow());
    }

    static void Rx(Old* self, uint32_t host, const weft_packet& p)
    {
        self->story.Add(host, p, WeftNow(), 2);
    }
};

std::string
FormatMmu(const weft_mmu& m)
{
    std::ostringstream text;
    text << "peak " << m.peak_used << " used " << m.shared_used << " pauses " << m.pauses
         << " drops " << m.drops << " marks " << m.marks << " trims " << m.trims << "/"
         << m.header_drops;
    return text.str();
}

void
Say(std::vector<std::string>& to, const std::string& what, std::initializer_list<uint64_t> numbers)
{
    std::ostringstream text;
    text << what;
    for (const uint64_t n : numbers)
    {
        text << " " << n;
    }
    to.push_back(text.str());
}

void
TellOld(const WeftRig& rig, Story& s)
{
    const WeftCounters& c = rig.fabric->GetCounters();
    Say(s.numbers,
        "counters",
        {c.hops,
         c.sent,
         c.sent_bytes,
         c.made_by_tors,
         c.delivered,
         c.delivered_bytes,
         c.lost[0],
         c.lost[1],
         c.lost[2],
         c.lost[3],
         c.lost[4],
         c.lost_bytes,
         c.trimmed,
         c.trimmed_bytes,
         c.payload});
    for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
    {
        Ptr<WeftSwitch> sw = rig.fabric->GetSwitch(i);
        s.numbers.push_back("switch " + std::to_string(i) + " " + FormatMmu(sw->GetBuffer()));
        for (uint32_t p = 0; p < sw->GetNPorts(); p++)
        {
            Say(s.numbers,
                "port " + std::to_string(i) + "." + std::to_string(p),
                {sw->GetPort(p)->GetFrames(), sw->GetPort(p)->GetBytes()});
        }
        Say(s.numbers, "peak", {sw->GetPeakQueue(false), sw->GetPeakQueue(true)});
        const weft_tor_counters& t = sw->GetTorCounters();
        Say(s.numbers, "tor", {t.seen, t.valid, t.blocked, t.compensated, t.silent, t.released});
    }
}

struct New
{
    Story story;
    weft_net* net{nullptr};

    uint32_t answers{0}; //!< as Old's

    static void Delivered(void* of, weft_qp* qp, uint64_t, int64_t now)
    {
        auto self = static_cast<New*>(of);
        self->story.delivered[qp->index] += static_cast<uint64_t>(now);
        if (qp->index < self->answers)
        {
            weft_qp* back = weft_net_qp(self->net, qp->index + self->answers);
            weft_net_post(self->net, back, ANSWER, 0, now, 0);
        }
    }

    static void Acked(void* of, weft_qp* qp, uint64_t, int64_t now)
    {
        static_cast<New*>(of)->story.delivered[qp->index] += static_cast<uint64_t>(now) * 3;
    }

    static void Failed(void* of, weft_qp* qp, uint64_t, int64_t now)
    {
        static_cast<New*>(of)->story.delivered[qp->index] += static_cast<uint64_t>(now) * 7;
    }

    static void Sent(void* of, uint32_t host, const weft_packet* p, int64_t now)
    {
        static_cast<New*>(of)->story.Add(host, *p, now, 1);
    }

    static void Marked(void* of, uint32_t, const weft_packet* p, int64_t now)
    {
        static_cast<New*>(of)->story.Add(*p, now, 1);
    }

    static void Trimmed(void* of, uint32_t, const weft_packet* p, int64_t now)
    {
        static_cast<New*>(of)->story.Add(*p, now, 2);
    }

    static void Paused(void* of, uint32_t index, uint32_t port, uint32_t, bool pause, int64_t now)
    {
        static_cast<New*>(of)->story.AddPause(index, port, pause, now);
    }

    static void Received(void* of, uint32_t host, const weft_packet* p, int64_t now)
    {
        static_cast<New*>(of)->story.Add(host, *p, now, 2);
    }
};

void
TellNew(weft_net* net, const weft_clos& clos, Story& s)
{
    weft_net_counters c;
    weft_net_total(net, &c);
    Say(s.numbers,
        "counters",
        {c.hops,
         c.sent,
         c.sent_bytes,
         c.made_by_tors,
         c.delivered,
         c.delivered_bytes,
         c.lost[0],
         c.lost[1],
         c.lost[2],
         c.lost[3],
         c.lost[4],
         c.lost_bytes,
         c.trimmed,
         c.trimmed_bytes,
         c.payload});
    for (uint32_t i = 0; i < clos.nswitches; i++)
    {
        const weft_mmu* mmu = weft_net_buffer(net, i);
        s.numbers.push_back("switch " + std::to_string(i) + " " + FormatMmu(*mmu));
        for (uint32_t p = 0; p < mmu->nports; p++)
        {
            uint64_t frames;
            uint64_t bytes;
            weft_net_port_sent(net, clos.nhosts + i, p, &frames, &bytes);
            Say(s.numbers, "port " + std::to_string(i) + "." + std::to_string(p), {frames, bytes});
        }
        Say(s.numbers,
            "peak",
            {weft_net_peak_queue(net, i, false), weft_net_peak_queue(net, i, true)});
        const weft_tor_counters& t = *weft_net_tor_counters(net, i);
        Say(s.numbers, "tor", {t.seen, t.valid, t.blocked, t.compensated, t.silent, t.released});
    }
}

/** Runs a scene in both; @return what differs */
std::string
Compare(const Scene& scene)
{
    const int64_t until = 400000000; // 400 us
    Old old;
    New fresh;
    Memory memory;
    WeftRig rig(scene.setup);
    old.Connect(rig);
    WeftFabric& fabric = *rig.fabric;
    weft_clos clos = fabric.GetClos();
    std::vector<weft_net_level> levels(fabric.GetNServiceLevels());
    for (uint32_t i = 0; i < levels.size(); i++)
    {
        levels[i] = fabric.GetServiceLevel(i)->Describe();
    }
    weft_net_config config{};
    config.clos = &clos;
    config.frame = fabric.GetFrameConfig();
    config.buffer = fabric.GetMmuConfig();
    config.scheduler = fabric.GetScheduler();
    config.scheduler_config = fabric.GetSchedulerConfig();
    config.weights = WEFT_WEIGHTS_PATHS;
    config.levels = levels.data();
    config.nlevels = static_cast<uint32_t>(levels.size());
    config.seed = fabric.GetSeed();
    config.run = fabric.GetRun();
    config.hooks.of = &fresh;
    config.hooks.delivered = New::Delivered;
    config.hooks.acked = New::Acked;
    config.hooks.failed = New::Failed;
    config.hooks.sent = New::Sent;
    config.hooks.received = New::Received;
    config.hooks.marked = New::Marked;
    config.hooks.trimmed = New::Trimmed;
    config.hooks.paused = New::Paused;
    config.memory = {Memory::Take, &memory};
    weft_refusal why{};
    const int code = weft_net_make(&fresh.net, &config, &why);
    if (code != 0)
    {
        return "refused: " + std::string(weft_refusal_text(code, &why));
    }
    fresh.story.hosts.assign(clos.nhosts, 0);
    rig.helper.GetFabric()->SetAttribute("ConvergenceDelay",
                                         TimeValue(PicoSeconds(scene.convergence)));
    for (const Scene::Fault& f : scene.faults)
    {
        const Time back = f.back == INT64_MAX ? Time::Max() : PicoSeconds(f.back);
        weft_link link;
        weft_clos_link(&clos, f.link, &link);
        if (f.rate)
        {
            fabric.ScheduleDegradation(f.link,
                                       std::min(f.rate, link.rate),
                                       PicoSeconds(f.at),
                                       back);
        }
        else
        {
            fabric.ScheduleFailure(f.link, PicoSeconds(f.at), back);
        }
    }
    fabric.SetLossProbability(scene.loss);
    weft_net_lose(fresh.net, scene.loss);
    for (uint32_t i = 0; i < scene.messages.size(); i++)
    {
        const Scene::Message& m = scene.messages[i];
        const auto level = static_cast<uint32_t>(i % levels.size());
        WeftQp* qp = fabric.CreateQp(m.src, m.dst, &old, level);
        const weft_net_qp_site site{m.src, m.dst, level, fabric.GetQpBdp(m.src, m.dst), i};
        weft_qp* other = nullptr;
        if (weft_net_add_qp(fresh.net, &site, &other, &why) != 0)
        {
            return "no QP";
        }
        Simulator::ScheduleWithContext(m.src, PicoSeconds(m.at), [&fabric, qp, m] {
            fabric.Post(qp, m.bytes, 0);
        });
        weft_net_post(fresh.net, other, m.bytes, 0, m.at, i);
    }
    old.fabric = rig.fabric;
    old.answers = fresh.answers = scene.answers ? static_cast<uint32_t>(scene.messages.size()) : 0;
    for (uint32_t i = 0; i < old.answers; i++)
    {
        const Scene::Message& m = scene.messages[i];
        fabric.CreateQp(m.dst, m.src, &old);
        const uint32_t bdp = fabric.GetQpBdp(m.dst, m.src);
        const weft_net_qp_site site{m.dst, m.src, 0, bdp, old.answers + i};
        weft_qp* other = nullptr;
        weft_net_add_qp(fresh.net, &site, &other, &why);
    }
    for (const auto& [qp, offset] : scene.drops)
    {
        fabric.AddDrop(qp,
                       offset,
                       1,
                       scene.lastHop ? WeftFabric::DROP_AT_LAST_HOP : WeftFabric::DROP_AT_TOP);
        weft_net_drop(fresh.net, weft_net_qp(fresh.net, qp), offset, 1, scene.lastHop);
    }
    old.story.delivered.assign(2 * scene.messages.size(), 0);
    fresh.story.delivered.assign(2 * scene.messages.size(), 0);
    Simulator::Stop(PicoSeconds(until));
    Simulator::Run();
    Faults(fresh.net, clos, scene).Run(until);
    TellOld(rig, old.story);
    TellNew(fresh.net, clos, fresh.story);
    std::ostringstream text;
    for (uint32_t h = 0; h < clos.nhosts; h++)
    {
        if (old.story.hosts[h] != fresh.story.hosts[h])
        {
            text << "host " << h << " differs. ";
            const auto& a = old.story.lines[h];
            const auto& b = fresh.story.lines[h];
            for (size_t i = 0; i < std::max(a.size(), b.size()); i++)
            {
                if (i >= a.size() || i >= b.size() || a[i] != b[i])
                {
                    text << "\n  old " << (i < a.size() ? a[i] : "-") << "\n  new "
                         << (i < b.size() ? b[i] : "-") << "\n";
                    break;
                }
            }
        }
    }
    for (size_t i = 0; i < old.story.numbers.size(); i++)
    {
        if (old.story.numbers[i] != fresh.story.numbers[i])
        {
            text << "\n old " << old.story.numbers[i] << "\n new " << fresh.story.numbers[i];
        }
    }
    if (old.story.switches != fresh.story.switches)
    {
        text << "\n marks, trims or pauses differ";
    }
    if (old.story.delivered != fresh.story.delivered)
    {
        text << "\n completions differ";
    }
    return text.str();
}

class NetTestCase : public TestCase
{
  public:
    explicit NetTestCase(uint64_t seed)
        : TestCase("random fabric " + std::to_string(seed)),
          m_seed(seed)
    {
    }

  private:
    void DoRun() override
    {
        const Scene scene = Draw(m_seed);
        const std::string wrong = Compare(scene);
        if (!wrong.empty())
        {
            std::cerr << m_seed << ": " << Describe(scene) << "\n  " << wrong << "\n";
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, "", Describe(scene));
    }

    uint64_t m_seed; //!< of all that is drawn
};

class NetTestSuite : public TestSuite
{
  public:
    NetTestSuite()
        : TestSuite("weft-net", Type::UNIT)
    {
        const char* const from = std::getenv("WEFT_FROM");
        const char* const to = std::getenv("WEFT_TO");
        const uint64_t first = from ? std::strtoull(from, nullptr, 10) : 0;
        const uint64_t last = to ? std::strtoull(to, nullptr, 10) : 60;
        for (uint64_t seed = first; seed < last; seed++)
        {
            AddTestCase(new NetTestCase(seed));
        }
    }
};

NetTestSuite g_netTestSuite; //!< the suite

} // namespace
