// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The fabric of the C core (net.h), which has no event list, does what the module's does, frame by
 * frame: random fabrics, algorithms and faults run in both. If this fails, a fabric without ns-3
 * has other results than one with it. WEFT_FROM and WEFT_TO choose other seeds than the first
 * sixty, and WEFT_TRACE=1 shows the first frame of each host that differs.
 */
#include "net-rig.h"
#include "net-story.h"

#include "ns3/test.h"

#include <cstdlib>
#include <iostream>

using namespace ns3;

namespace
{

/** Runs a scene in both; @return what differs */
std::string
Compare(const Scene& scene)
{
    const int64_t until = 400000000; // 400 us
    Old old;
    New fresh;
    Memory memory;
    WeftRig rig(scene.setup);
    old.fabric = rig.fabric;
    old.Connect();
    WeftFabric& fabric = *rig.fabric;
    weft_clos clos = fabric.GetClos();
    std::vector<weft_net_level> levels;
    weft_net_config config = ConfigOf(fabric, clos, levels, fresh);
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
        const weft_net_qp_site
            site{m.src, m.dst, level, fabric.GetQpBdp(m.src, m.dst), i, false, 0, 0};
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
    old.answers = fresh.answers = scene.answers ? static_cast<uint32_t>(scene.messages.size()) : 0;
    for (uint32_t i = 0; i < old.answers; i++)
    {
        const Scene::Message& m = scene.messages[i];
        fabric.CreateQp(m.dst, m.src, &old);
        const uint32_t bdp = fabric.GetQpBdp(m.dst, m.src);
        const weft_net_qp_site site{m.dst, m.src, 0, bdp, old.answers + i, false, 0, 0};
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
    TellOld(fabric, old.story);
    TellNew(fresh.net, clos, fresh.story);
    return Differences(old.story, fresh.story);
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
