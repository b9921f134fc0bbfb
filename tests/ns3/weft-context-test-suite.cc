// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Whatever a NIC, a switch or a link tells is told in the context of its own node. ns-3 prints that
 * context before each log line, and models look their node up by it: were it another's, both would
 * speak of the wrong node.
 */
#include "weft-simulator-choice.h"
#include "weft-test-rig.h"

#include "ns3/test.h"
#include "ns3/weft-channel.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

using namespace ns3;

namespace
{

/** How often a source fired, and how often not in its node's context. */
struct ContextCount
{
    uint64_t calls{0}; //!< in all
    uint64_t wrong{0}; //!< of these
};

/** Counts by "class source". */
using ContextCounts = std::map<std::string, ContextCount>;

/** Listens to one source of one device. */
class ContextListener
{
  public:
    ContextListener(Ptr<NetDevice> device, ContextCount& count)
        : m_node(device->GetNode()->GetId()),
          m_count(count)
    {
    }

    void Frame(const weft_packet&)
    {
        Look();
    }

    void Qp(const WeftQp&)
    {
        Look();
    }

    void Pause(uint32_t, uint32_t, bool)
    {
        Look();
    }

    void AtPort(const weft_packet&, uint32_t)
    {
        Look();
    }

    void Lost(const weft_packet&, weft_net_loss)
    {
        Look();
    }

    void Dropped(Ptr<const Packet>)
    {
        Look();
    }

    void Look()
    {
        m_count.calls++;
        m_count.wrong += Simulator::GetContext() != m_node;
    }

  private:
    uint32_t m_node;       //!< the device's
    ContextCount& m_count; //!< of the source
};

/** Listens to every source of every device of a fabric. */
class ContextWatch
{
  public:
    ContextWatch(const WeftRig& rig, ContextCounts& counts)
        : m_counts(counts)
    {
        for (uint32_t i = 0; i < rig.fabric->GetNHosts(); i++)
        {
            ConnectAll(rig.fabric->GetNic(i));
        }
        for (uint32_t i = 0; i < rig.fabric->GetNSwitches(); i++)
        {
            ConnectAll(rig.fabric->GetSwitch(i));
        }
    }

  private:
    void ConnectAll(Ptr<NetDevice> device)
    {
        const TypeId type = device->GetInstanceTypeId();
        for (std::size_t i = 0; i < type.GetTraceSourceN(); i++)
        {
            const TypeId::TraceSourceInformation source = type.GetTraceSource(i);
            const std::string name = type.GetName() + " " + source.name;
            m_listeners.emplace_back(device, m_counts[name]);
            NS_ABORT_MSG_UNLESS(Connect(device, source), name << ": " << source.callback);
        }
        m_listeners.emplace_back(device, m_counts[type.GetName() + " link change"]);
        device->AddLinkChangeCallback(MakeCallback(&ContextListener::Look, &m_listeners.back()));
    }

    /** Connects the newest listener. @return whether it can listen to such a source */
    bool Connect(Ptr<NetDevice> device, const TypeId::TraceSourceInformation& source)
    {
        ContextListener* to = &m_listeners.back();
        CallbackBase callback = MakeCallback(&ContextListener::Frame, to);
        if (source.callback == "ns3::WeftNic::QpTracedCallback")
        {
            callback = MakeCallback(&ContextListener::Qp, to);
        }
        else if (source.callback == "ns3::WeftSwitch::PauseTracedCallback")
        {
            callback = MakeCallback(&ContextListener::Pause, to);
        }
        else if (source.callback == "ns3::WeftNetDevice::PortTracedCallback")
        {
            callback = MakeCallback(&ContextListener::AtPort, to);
        }
        else if (source.callback == "ns3::WeftNetDevice::LossTracedCallback")
        {
            callback = MakeCallback(&ContextListener::Lost, to);
        }
        else if (source.callback == "ns3::Packet::TracedCallback")
        {
            callback = MakeCallback(&ContextListener::Dropped, to);
        }
        return device->TraceConnectWithoutContext(source.name, callback);
    }

    ContextCounts& m_counts;                 //!< of all
    std::deque<ContextListener> m_listeners; //!< they keep their places
};

/** All that can happen to a frame happens, and each time in the right context. */
class ContextTestCase : public TestCase
{
  public:
    explicit ContextTestCase(const std::string& simulator)
        : TestCase("traces fire in their node's context under " + simulator),
          m_simulator(simulator)
    {
    }

  private:
    static void SendToNobody(Ptr<WeftNic> nic)
    {
        nic->Send(Create<Packet>(100), Mac48Address::Allocate(), 0x0800);
    }

    /** PFC, ECN, drops, dead links, Themis, QPs that are given up, an IP packet. */
    void RunFaults()
    {
        WeftRigSetup setup;
        setup.topology = "fat-tree k=4 tiers=3 link-rate=100Gbps link-delay=1us";
        setup.frames = "roce payload=1000B ack-every=2 first-psn=-1 retry-limit=1";
        setup.buffer = "shared-buffer buffer=20000B alpha=1 pfc=on headroom=3000B ecn=on "
                       "kmin=2000B kmax=4000B pmax=0.2";
        setup.balancer = "themis entry-bytes=2";
        setup.transport = "nic-sr rto=50us";
        setup.cc = "dcqcn";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(5)));
        const ContextWatch watch(rig, m_counts);
        rig.fabric->ScheduleFailure(0, MicroSeconds(20), Time::Max());
        rig.fabric->ScheduleFailure(17, MicroSeconds(30), MicroSeconds(60));
        rig.helper.InstallWorkload("alltoall bytes=600KB scope=total");
        rig.Send(3, 9, 50000); // from outside, in no context
        Ptr<WeftNic> nic = rig.fabric->GetNic(5);
        nic->Send(Create<Packet>(100), rig.fabric->GetNic(9)->GetAddress(), 0x0800);
        Simulator::ScheduleWithContext(nic->GetNode()->GetId(),
                                       MicroSeconds(1),
                                       &ContextTestCase::SendToNobody,
                                       nic);
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    /** All hosts of a group go on when the last of them is done; and ideal replies, losses told. */
    void RunBarriers()
    {
        WeftRigSetup setup;
        setup.frames = "roce ack-priority=ideal";
        setup.transport = "erasure";
        setup.cc = "none";
        WeftRig rig(setup);
        const ContextWatch watch(rig, m_counts);
        rig.fabric->SetLossProbability(0.01);
        const auto job = rig.helper.InstallWorkload("fsdp bytes=100KB gpus=1 layers=3");
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsDone(), true, "every layer");
    }

    /** Switches that cut payloads away. */
    void RunTrimming()
    {
        WeftRigSetup setup;
        setup.transport = "trim rto=200us";
        setup.buffer = "shared-buffer pfc=off trim=on trim-at=30KB";
        WeftRig rig(setup);
        const ContextWatch watch(rig, m_counts);
        rig.SendIncast(50000);
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(rig.Audit(), "", "the books balance");
    }

    void DoRun() override
    {
        const WeftSimulatorChoice choice(m_simulator, "MapScheduler");
        RunFaults();
        RunBarriers();
        RunTrimming();
        for (const auto& [name, count] : m_counts)
        {
            NS_TEST_EXPECT_MSG_GT(count.calls, 0, name << " was not tried");
            NS_TEST_EXPECT_MSG_EQ(count.wrong, 0, name << " of " << count.calls);
        }
    }

    std::string m_simulator; //!< implementation
    ContextCounts m_counts;  //!< of all runs
};

/** Hosts that a barrier releases begin together, in their order, whoever was the last to finish. */
class BarrierTestCase : public TestCase
{
  public:
    BarrierTestCase()
        : TestCase("behind a barrier all hosts begin at once, each with one frame")
    {
    }

  private:
    void Sent(const weft_packet& p)
    {
        if (p.kind == WEFT_DATA)
        {
            m_sent.emplace_back(WeftNow(), p.src);
        }
    }

    void DoRun() override
    {
        WeftRig rig((WeftRigSetup()));
        for (uint32_t i = 0; i < rig.fabric->GetNHosts(); i++)
        {
            rig.fabric->GetNic(i)->TraceConnectWithoutContext(
                "Tx",
                MakeCallback(&BarrierTestCase::Sent, this));
        }
        const auto job =
            rig.helper.InstallWorkload("fsdp bytes=30KB gpus=1 layers=4 placement=blocked");
        Simulator::Run();
        std::set<int64_t> begins; // of the layers
        for (size_t i = 0; i < job->GetMessages().size(); i++)
        {
            if (job->GetMessages()[i].barrier)
            {
                begins.insert(job->GetTimes()[i].posted);
            }
        }
        NS_TEST_ASSERT_MSG_EQ(begins.size(), 3, "barriers");
        for (const int64_t begin : begins)
        {
            std::multiset<uint32_t> hosts;
            for (const auto& [at, src] : m_sent)
            {
                if (at == begin)
                {
                    hosts.insert(src);
                }
            }
            for (uint32_t host = 0; host < rig.fabric->GetNHosts(); host++)
            {
                NS_TEST_EXPECT_MSG_EQ(hosts.count(host), 1, "host " << host << " at " << begin);
            }
        }
    }

    std::vector<std::pair<int64_t, uint32_t>> m_sent; //!< data frames: ps, host
};

class WeftContextTestSuite : public TestSuite
{
  public:
    WeftContextTestSuite()
        : TestSuite("weft-context", Type::UNIT)
    {
        for (const std::string& simulator : WeftSimulators())
        {
            AddTestCase(new ContextTestCase(simulator));
        }
        AddTestCase(new BarrierTestCase);
    }
};

WeftContextTestSuite g_weftContextTestSuite; //!< registers the suite

} // namespace
