// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * One fabric in both engines, the module's and that of the C core (net.h), and what differs: frame
 * by frame at the hosts, and all that is counted. WEFT_TRACE=1 shows the first frame of each host
 * that differs.
 */
#ifndef NET_STORY_H
#define NET_STORY_H

#include "ns3/callback.h"
#include "ns3/weft-fabric.h"
#include "ns3/weft-nic.h"
#include "ns3/weft-packet.h"
#include "ns3/weft-switch.h"

#include <algorithm>
#include <cstdlib>
#include <initializer_list>
#include <map>
#include <sstream>
#include <string>
#include <vector>
#include <weft/net.h>

using namespace ns3;

constexpr uint64_t ANSWER = 20000; //!< bytes of a message that answers another one

/** Story of a run, in words that can be compared. */
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

/** The module's run: before Connect(), `fabric` is set. */
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

    void Connect()
    {
        story.hosts.assign(fabric->GetNHosts(), 0);
        for (uint32_t i = 0; i < fabric->GetNHosts(); i++)
        {
            Ptr<WeftNic> nic = fabric->GetNic(i);
            nic->TraceConnectWithoutContext("Tx", MakeBoundCallback(&Old::Tx, this, i));
            nic->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Old::Rx, this, i));
        }
        for (uint32_t i = 0; i < fabric->GetNSwitches(); i++)
        {
            Ptr<WeftSwitch> sw = fabric->GetSwitch(i);
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

inline std::string
FormatMmu(const weft_mmu& m)
{
    std::ostringstream text;
    text << "peak " << m.peak_used << " used " << m.shared_used << " pauses " << m.pauses
         << " drops " << m.drops << " marks " << m.marks << " trims " << m.trims << "/"
         << m.header_drops;
    return text.str();
}

inline void
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

inline void
SayCounters(std::vector<std::string>& to, const weft_net_counters& c)
{
    Say(to,
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
}

inline void
TellOld(const WeftFabric& fabric, Story& s)
{
    const WeftCounters& c = fabric.GetCounters();
    SayCounters(s.numbers, c);
    for (uint32_t i = 0; i < fabric.GetNSwitches(); i++)
    {
        Ptr<WeftSwitch> sw = fabric.GetSwitch(i);
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

inline void
TellNew(weft_net* net, const weft_clos& clos, Story& s)
{
    weft_net_counters c;
    weft_net_total(net, &c);
    SayCounters(s.numbers, c);
    for (uint32_t i = 0; i < weft_planes_switches(&clos); i++)
    {
        const weft_mmu* mmu = weft_net_buffer(net, i);
        s.numbers.push_back("switch " + std::to_string(i) + " " + FormatMmu(*mmu));
        for (uint32_t p = 0; p < mmu->nports; p++)
        {
            weft_net_port port;
            weft_net_port_status(net, clos.nhosts + i, p, &port);
            Say(s.numbers,
                "port " + std::to_string(i) + "." + std::to_string(p),
                {port.frames, port.bytes});
        }
        Say(s.numbers,
            "peak",
            {weft_net_peak_queue(net, i, false), weft_net_peak_queue(net, i, true)});
        const weft_tor_counters& t = *weft_net_tor_counters(net, i);
        Say(s.numbers, "tor", {t.seen, t.valid, t.blocked, t.compensated, t.silent, t.released});
    }
}

/** @param fabric the module's @param clos its shape @param levels gets its service levels @param of
 * who listens @return the same fabric for the core, but for its memory */
inline weft_net_config
ConfigOf(WeftFabric& fabric, const weft_clos& clos, std::vector<weft_net_level>& levels, New& of)
{
    levels.resize(fabric.GetNServiceLevels());
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
    config.weights = WEFT_WEIGHTS_PATHS; // as the attributes
    config.levels = levels.data();
    config.nlevels = static_cast<uint32_t>(levels.size());
    config.seed = fabric.GetSeed();
    config.run = fabric.GetRun();
    config.hooks.of = &of;
    config.hooks.delivered = New::Delivered;
    config.hooks.acked = New::Acked;
    config.hooks.failed = New::Failed;
    config.hooks.sent = New::Sent;
    config.hooks.received = New::Received;
    config.hooks.marked = New::Marked;
    config.hooks.trimmed = New::Trimmed;
    config.hooks.paused = New::Paused;
    return config;
}

/** @param old the module's run @param fresh the core's @return what differs */
inline std::string
Differences(const Story& old, const Story& fresh)
{
    std::ostringstream text;
    for (uint32_t h = 0; h < old.hosts.size(); h++)
    {
        if (old.hosts[h] == fresh.hosts[h])
        {
            continue;
        }
        text << "host " << h << " differs. ";
        const auto a = old.lines.find(h);
        const auto b = fresh.lines.find(h);
        const size_t na = a == old.lines.end() ? 0 : a->second.size();
        const size_t nb = b == fresh.lines.end() ? 0 : b->second.size();
        size_t i = 0;
        while (i < std::min(na, nb) && a->second[i] == b->second[i])
        {
            i++;
        }
        text << "\n  old " << (i < na ? a->second[i] : "-") << "\n  new "
             << (i < nb ? b->second[i] : "-") << "\n";
    }
    for (size_t i = 0; i < old.numbers.size(); i++)
    {
        if (old.numbers[i] != fresh.numbers[i])
        {
            text << "\n old " << old.numbers[i] << "\n new " << fresh.numbers[i];
        }
    }
    if (old.switches != fresh.switches)
    {
        text << "\n marks, trims or pauses differ";
    }
    if (old.delivered != fresh.delivered)
    {
        text << "\n completions differ";
    }
    return text.str();
}

#endif // NET_STORY_H
