// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Runs a scenario's fabric and messages in both engines, the module's and that of the C core
 * (net.h), and says what differs. A message goes as soon as what it waits for is known at its
 * source, and what it waits for at other hosts does not count: barriers cross the fabric in no
 * time, which the core's hosts cannot do.
 *
 * Usage: stress-net SCENARIO; exit status 0: they are the same, 1: they differ, 2: the scenario
 * cannot be run.
 */
#include "fabric-setup.h"
#include "link-failures.h"
#include "losses.h"
#include "net-rig.h"
#include "net-story.h"

#include "ns3/weft-helper.h"

extern "C"
{
#include "base/exponential.h"
#include "document.h"
// scenario-load.h is no C++.
scenario* scenario_load(element* root, diagnostics* d);
void scenario_free(scenario* s);
}

#include <cstdio>
#include <iostream>
#include <memory>

namespace
{

/** Load that is to be sent, as far as it has been. */
class Load
{
  public:
    explicit Load(const scenario& s)
    {
        const weft_workload_ops* ops = scenario_ops(&s);
        weft_hosts hosts = weft_clos_hosts(&s.clos);
        if (ops->size(s.workload.config, &hosts, &size) != 0)
        {
            return;
        }
        messages.resize(size.nmessages);
        next.resize(size.nnext + 1);
        ops->fill(s.workload.config, &hosts, s.seed, s.run, messages.data(), next.data());
        for (const weft_message& m : messages)
        {
            for (uint32_t i = 0; i < m.nnext; i++)
            {
                weft_message& behind = messages[next[m.first_next + i]];
                behind.waits -= !Knows(behind, m, true) && !Knows(behind, m, false);
            }
        }
        for (weft_message& m : messages)
        {
            m.waits -= m.barrier;
        }
    }

    virtual ~Load() = default;

    void Begin()
    {
        for (uint32_t i = 0; i < messages.size(); i++)
        {
            if (messages[i].waits == 0)
            {
                Post(i, std::max<int64_t>(messages[i].start, 0));
            }
        }
    }

    /** @param i a message @param sender whether its sender learns that it is over, else its
     * receiver @param now ps */
    void End(uint64_t i, bool sender, int64_t now)
    {
        const weft_message& m = messages[i];
        for (uint32_t k = 0; k < m.nnext; k++)
        {
            const uint32_t number = next[m.first_next + k];
            weft_message& behind = messages[number];
            if (Knows(behind, m, sender) && --behind.waits == 0)
            {
                const bool counts = behind.delayed || behind.barrier;
                Post(number, counts ? now + behind.start : std::max(now, behind.start));
            }
        }
    }

    weft_traffic_size size{};
    std::vector<weft_message> messages;

  private:
    /** @return whether a message learns of the end of another by that one's sender, or receiver */
    static bool Knows(const weft_message& behind, const weft_message& m, bool sender)
    {
        return sender ? behind.src == m.src : behind.src != m.src && behind.src == m.dst;
    }

    virtual void Post(uint32_t i, int64_t at) = 0;

    std::vector<uint32_t> next;
};

class OldLoad : public Load, public Old
{
  public:
    using Load::Load;

    void MessageDelivered(const WeftQp& qp, uint64_t tag) override
    {
        story.delivered[qp.index] += static_cast<uint64_t>(WeftNow());
        End(tag, false, WeftNow());
    }

    void MessageAcked(const WeftQp& qp, uint64_t tag) override
    {
        Old::MessageAcked(qp, tag);
        End(tag, true, WeftNow());
    }

  private:
    void Post(uint32_t i, int64_t at) override
    {
        const auto post = [this, i] {
            fabric->Post(fabric->GetQp(messages[i].qp), messages[i].bytes, i);
        };
        if (at == WeftNow() && Simulator::GetContext() == messages[i].src)
        {
            post();
            return;
        }
        Simulator::ScheduleWithContext(messages[i].src, PicoSeconds(at - WeftNow()), post);
    }
};

class NewLoad : public Load
{
  public:
    using Load::Load;
    New fresh;

    static void Delivered(void* of, weft_qp* qp, uint64_t tag, int64_t now)
    {
        auto self = static_cast<NewLoad*>(of);
        self->fresh.story.delivered[qp->index] += static_cast<uint64_t>(now);
        self->End(tag, false, now);
    }

    static void Acked(void* of, weft_qp* qp, uint64_t tag, int64_t now)
    {
        auto self = static_cast<NewLoad*>(of);
        New::Acked(&self->fresh, qp, tag, now);
        self->End(tag, true, now);
    }

    /** Takes hooks from New, whose object is a part of this one. */
    template <auto hook, typename... Args>
    static void Pass(void* of, Args... args)
    {
        hook(&static_cast<NewLoad*>(of)->fresh, args...);
    }

  private:
    void Post(uint32_t i, int64_t at) override
    {
        weft_net_post(fresh.net,
                      weft_net_qp(fresh.net, messages[i].qp),
                      messages[i].bytes,
                      i,
                      at,
                      m_posted++); // at one instant in the order of the calls, as ns-3's events
    }

    uint64_t m_posted{0};
};

/** Adds each outage of a fault on a link until the end of the run. */
void
AddOutages(Scene& scene, const faulty_link& l, const scenario& s)
{
    const link_fault& f = *l.fault;
    const bool drawn = f.mean_up > 0;
    const int64_t outage = fault_flaps(&f) ? fault_outage(&f) : 0;
    const int64_t pause = drawn ? f.mean_up : f.period - outage;
    weft_rng rng;
    weft_rng_seed(&rng, s.seed, s.run, (UINT64_C(0xf1a9) << 48) + l.stream);
    const auto draw = [&](int64_t mean) {
        const double time = weft_rng_exponential(&rng) * static_cast<double>(mean) + 0.5;
        return drawn ? std::max<int64_t>(1, static_cast<int64_t>(time)) : mean;
    };
    int64_t left = f.count > 0 ? f.count : INT64_MAX;
    for (int64_t at = f.at; at < std::min(s.stop, f.repair) && left-- > 0;)
    {
        const int64_t end = outage > 0 ? std::min(at + draw(outage), f.repair) : f.repair;
        scene.faults.push_back({l.link,
                                at,
                                end,
                                l.rate,
                                static_cast<weft_fault_effect>(f.effect),
                                static_cast<weft_direction>(f.direction),
                                f.extra,
                                fault_losses(&f),
                                scene.faults.size() + 1});
        if (outage == 0)
        {
            return;
        }
        at = end + (end < f.repair ? draw(pause) : 0);
    }
}

/** @return what happens to links, and what is to be lost */
Scene
FaultsOf(const scenario& s)
{
    Scene scene;
    scene.convergence = s.convergence;
    scene.recovery = s.recovery == ATTRIBUTE_ABSENT ? -1 : s.recovery;
    scene.weights = static_cast<weft_weights>(s.weights);
    size_t n;
    faulty_link* faulty = faulty_links(&s, &n);
    for (const faulty_link* f = faulty; f != faulty + n; f++)
    {
        AddOutages(scene, *f, s);
    }
    std::free(faulty);
    return scene;
}

/** Makes the same QPs in both. @return whether it was possible */
bool
AddQps(OldLoad& old, NewLoad& fresh, weft_refusal& why)
{
    std::vector<const weft_message*> of(old.size.nqps);
    for (const weft_message& m : old.messages)
    {
        of[m.qp] = &m;
    }
    for (uint32_t i = 0; i < of.size(); i++)
    {
        const uint32_t src = of[i]->src;
        const uint32_t dst = of[i]->dst;
        old.fabric->CreateQp(src, dst, &old, of[i]->sl);
        const weft_net_qp_site
            site{src, dst, of[i]->sl, old.fabric->GetQpBdp(src, dst), i, false, 0, 0};
        weft_qp* made = nullptr;
        if (weft_net_add_qp(fresh.fresh.net, &site, &made, &why) != 0)
        {
            return false;
        }
    }
    return true;
}

void
SetHooks(weft_net_config& config, NewLoad& fresh)
{
    config.hooks.of = &fresh;
    config.hooks.delivered = NewLoad::Delivered;
    config.hooks.acked = NewLoad::Acked;
    config.hooks.failed = NewLoad::Pass<New::Failed>;
    config.hooks.sent = NewLoad::Pass<New::Sent>;
    config.hooks.received = NewLoad::Pass<New::Received>;
    config.hooks.marked = NewLoad::Pass<New::Marked>;
    config.hooks.trimmed = NewLoad::Pass<New::Trimmed>;
    config.hooks.paused = NewLoad::Pass<New::Paused>;
}

int
Refuse(const std::string& why)
{
    std::cerr << "error: " << why << "\n";
    return 2;
}

int
Compare(const scenario& s)
{
    OldLoad old(s);
    NewLoad fresh(s);
    Memory memory;
    std::string error;
    old.fabric = BuildFabric(s, 1, nullptr, error);
    if (!old.fabric || old.messages.empty())
    {
        return Refuse(error);
    }
    size_t nfailures = 0;
    std::free(set_losses(&s, old.fabric->GetCoreRun(), &nfailures));
    old.Connect();
    const weft_clos clos = old.fabric->GetClos();
    std::vector<weft_net_level> levels;
    weft_net_config config = ConfigOf(*old.fabric, clos, levels, fresh.fresh);
    SetHooks(config, fresh);
    config.memory = {Memory::Take, &memory};
    weft_refusal why{};
    const int code = weft_net_make(&fresh.fresh.net, &config, &why);
    if (code != 0 || !AddQps(old, fresh, why))
    {
        return Refuse(weft_refusal_text(code, &why));
    }
    const Scene scene = FaultsOf(s);
    weft_net* net = fresh.fresh.net;
    weft_net_lose(net, s.loss);
    for (size_t i = 0; i < s.ndrops; i++)
    {
        const drop_rule& rule = s.drops[i];
        weft_net_drop(net, weft_net_qp(net, rule.qp), rule.psn_offset, rule.count, rule.last_hop);
    }
    fresh.fresh.story.hosts.assign(clos.nhosts, 0);
    old.story.delivered.assign(old.size.nqps, 0);
    fresh.fresh.story.delivered.assign(old.size.nqps, 0);
    old.Begin();
    fresh.Begin();
    Simulator::Stop(PicoSeconds(s.stop));
    Simulator::Run();
    Faults(net, clos, scene).Run(s.stop);
    TellOld(*old.fabric, old.story);
    TellNew(net, clos, fresh.fresh.story);
    const std::string wrong = Differences(old.story, fresh.fresh.story);
    std::cout << wrong << (wrong.empty() ? "" : "\n");
    return wrong.empty() ? 0 : 1;
}

} // namespace

int
main(int argc, char** argv)
{
    if (argc != 2)
    {
        return Refuse("usage: stress-net SCENARIO");
    }
    WeftHelper::UsePicoseconds();
    diagnostics d{};
    d.file = argv[1];
    std::unique_ptr<document, decltype(&document_free)> doc(document_read(argv[1], &d),
                                                            document_free);
    if (doc)
    {
        document_check(doc.get(), &d);
    }
    scenario* s = doc && d.n == 0 ? scenario_load(element_copy(doc->root), &d) : nullptr;
    diag_print(&d, stderr);
    diag_free(&d);
    const int status = s ? Compare(*s) : 2;
    Simulator::Destroy();
    if (s)
    {
        scenario_free(s);
    }
    return status;
}
