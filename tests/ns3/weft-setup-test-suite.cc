// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What comes too late, or cannot work where it is asked for, is refused with a message. Were it
 * accepted and ignored, a user would publish numbers of another experiment.
 */
#include "weft-death.h"
#include "weft-simulator-choice.h"
#include "weft-test-rig.h"

#include "ns3/default-simulator-impl.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/weft-rdma-application.h"

#include <cstdlib>
#include <functional>
#include <string>
#include <utility>
#include <vector>
#include <weft/ops.h>
#include <weft/registry.h>

using namespace ns3;

namespace
{

constexpr const char* EIGHT_HOSTS = "leaf-spine leaves=2 spines=4 hosts-per-leaf=4 "
                                    "link-rate=100Gbps link-delay=1us";

/** Attributes set when it is too late end the program, and the message names them. */
class LateTestCase : public TestCase
{
  public:
    LateTestCase()
        : TestCase("what is set too late aborts, naming it")
    {
    }

  private:
    /** @param what part of the message @param act is to be aborted, with the fabric of a rig */
    void Dies(const std::string& what, const std::function<void(WeftRig&)>& act)
    {
        const std::string said = WeftDeathOf([&act] {
            WeftRig rig((WeftRigSetup()));
            act(rig);
        });
        NS_TEST_EXPECT_MSG_NE(said.find(what), std::string::npos, what << "; it said: " << said);
    }

    void CheckFabric()
    {
        const std::pair<const char*, const char*> texts[] = {{"Topology", "leaf-spine"},
                                                             {"Frames", "roce payload=1000B"},
                                                             {"Switch", "shared-buffer"},
                                                             {"Balancer", "rsq"},
                                                             {"Transport", "gbn"},
                                                             {"CongestionControl", "dctcp"}};
        for (const auto& [name, text] : texts)
        {
            const std::string attribute = name;
            const std::string value = text;
            Dies("attribute " + attribute, [attribute, value](WeftRig& rig) {
                rig.fabric->SetAttribute(attribute, StringValue(value));
            });
        }
        for (const std::string attribute : {"Seed", "Run"})
        {
            Dies("attribute " + attribute, [attribute](WeftRig& rig) {
                rig.fabric->SetAttribute(attribute, UintegerValue(3));
            });
        }
        Dies("SetSeedAndRun()", [](WeftRig& rig) { rig.fabric->SetSeedAndRun(1, 1); });
        Dies("the balancer", [](WeftRig& rig) {
            rig.fabric->SetChoice("balancer", weft_find("balancer", "rsq"), nullptr);
        });
        Dies("AssignStreams()", [](WeftRig& rig) {
            rig.Send(0, 1, 1000);
            rig.helper.AssignStreams(3);
        });
    }

    void CheckOthers()
    {
        Dies("attribute Workload", [](WeftRig& rig) {
            rig.helper.InstallWorkload("ring bytes=1KB")
                ->SetAttribute("Workload", StringValue("alltoall"));
        });
        Dies("attribute Remote", [](WeftRig& rig) {
            auto app = CreateObjectWithAttributes<WeftRdmaApplication>("Remote", UintegerValue(3));
            rig.helper.GetHosts().Get(0)->AddApplication(app);
            Simulator::Run();
            app->SetAttribute("Remote", UintegerValue(4));
        });
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(WeftDeathOf([] {}), "", "who does nothing wrong lives");
        CheckFabric();
        CheckOthers();
        WeftRig rig((WeftRigSetup()));
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(1)));
        std::string error;
        NS_TEST_EXPECT_MSG_EQ(
            rig.fabric->Build(rig.helper.GetHosts(), rig.helper.GetSwitches(), error),
            false,
            "a second time");
        NS_TEST_EXPECT_MSG_NE(error.find("built already"), std::string::npos, error);
    }
};

/** Flows of a program's own: sent as they are, and after what they wait for. */
class TableTestCase : public TestCase
{
  public:
    TableTestCase()
        : TestCase("flows come from a table, and wait as it says")
    {
    }

  private:
    void DoRun() override
    {
        const weft_table_flow flows[] = {{30000, 2000000, 0, 5}, {1000, 0, 5, 1}, {9000, 0, 0, 3}};
        const weft_table_wait waits[] = {{0, 1}, {0, 2}};
        weft_table table{};
        table.flows = flows;
        table.waits = waits;
        table.nflows = 3;
        table.nwaits = 2;
        WeftRig rig((WeftRigSetup()));
        auto job = rig.helper.InstallWorkload("flows start=1us", &table);
        Simulator::Run();
        const auto& times = job->GetTimes();
        NS_TEST_ASSERT_MSG_EQ(times.size(), 3, "flows");
        NS_TEST_EXPECT_MSG_EQ(times[0].posted, 3000000, "the first at its time");
        NS_TEST_EXPECT_MSG_EQ(times[1].posted, times[0].delivered, "its receiver goes on");
        NS_TEST_EXPECT_MSG_EQ(times[2].posted, times[0].acked, "its sender goes on");
        WeftRig other((WeftRigSetup()));
        auto none = CreateObjectWithAttributes<WeftCollective>("Workload", StringValue("flows"));
        std::string error;
        NS_TEST_EXPECT_MSG_EQ(none->Install(other.fabric, error), false, "without a table");
        NS_TEST_EXPECT_MSG_NE(error.find("there are no flows"), std::string::npos, error);
    }
};

/** Operations of a program's own: messages go when these begin. */
class ProgramTestCase : public TestCase
{
  public:
    ProgramTestCase()
        : TestCase("a trace's messages wait for its operations, and computing counts to its end")
    {
    }

  private:
    static void* Take(void*, size_t bytes)
    {
        return std::malloc(bytes);
    }

    static void Give(void*, void* memory)
    {
        std::free(memory);
    }

    /** Computes for 2 us at rank 0, sends, and computes for 5 us at rank 1. */
    static int Build(weft_program& program)
    {
        const weft_scratch memory{&Take, &Give, nullptr};
        weft_ops* ops = weft_ops_begin(&memory, 2, "operation");
        weft_op_spec op{};
        op.amount = 2000000;
        op.kind = WEFT_OP_COMPUTE;
        const uint32_t before = weft_ops_add(ops, &op);
        op.amount = 30000;
        op.kind = WEFT_OP_SEND;
        op.peer = 1;
        weft_ops_require(ops, weft_ops_add(ops, &op), before);
        op.kind = WEFT_OP_RECV;
        op.rank = 1;
        op.peer = 0;
        const uint32_t received = weft_ops_add(ops, &op);
        op.amount = 5000000;
        op.kind = WEFT_OP_COMPUTE;
        weft_ops_require(ops, weft_ops_add(ops, &op), received);
        return weft_ops_pack(ops, &program, nullptr);
    }

    void DoRun() override
    {
        weft_program program{};
        NS_TEST_ASSERT_MSG_EQ(Build(program), 0, "the program is sound");
        weft_table table{};
        table.program = &program;
        WeftRig rig((WeftRigSetup()));
        auto job = rig.helper.InstallWorkload("trace", &table);
        Simulator::Run();
        const auto& times = job->GetTimes();
        NS_TEST_ASSERT_MSG_EQ(times.size(), 1, "messages");
        NS_TEST_EXPECT_MSG_EQ(times[0].posted, 2000000, "behind what its rank computes");
        NS_TEST_EXPECT_MSG_EQ(program.ops[2].ended, times[0].delivered, "the receive ends with it");
        NS_TEST_EXPECT_MSG_EQ(program.ops[3].ended, times[0].delivered + 5000000, "the last one");
        NS_TEST_EXPECT_MSG_EQ(job->IsDone(), true, "all has ended");
        weft_program_release(&program);
    }
};

/** Changes that can take effect do so. */
class ChangeTestCase : public TestCase
{
  public:
    ChangeTestCase()
        : TestCase("an application goes on with more messages, a NIC with another address")
    {
    }

  private:
    bool Receive(Ptr<NetDevice>, Ptr<const Packet>, uint16_t, const Address&)
    {
        m_received++;
        return true;
    }

    void DoRun() override
    {
        WeftRig rig((WeftRigSetup()));
        auto app = CreateObjectWithAttributes<WeftRdmaApplication>("Remote",
                                                                   UintegerValue(7),
                                                                   "Messages",
                                                                   UintegerValue(2));
        rig.helper.GetHosts().Get(0)->AddApplication(app);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(app->GetDelivered(), 2, "done");
        app->SetAttribute("Messages", UintegerValue(5));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(app->GetDelivered(), 5, "and three more");

        Ptr<WeftNic> nic = rig.fabric->GetNic(7);
        nic->SetReceiveCallback(MakeCallback(&ChangeTestCase::Receive, this));
        const Address before = nic->GetAddress();
        nic->SetAddress(Mac48Address("02:00:00:00:00:77"));
        Ptr<WeftNic> from = rig.fabric->GetNic(0);
        NS_TEST_EXPECT_MSG_EQ(from->Send(Create<Packet>(9), nic->GetAddress(), 0x0800),
                              true,
                              "its new address");
        NS_TEST_EXPECT_MSG_EQ(from->Send(Create<Packet>(9), before, 0x0800), false, "its old one");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(m_received, 1, "arrived");
        const std::string said = WeftDeathOf([nic, from] { from->SetAddress(nic->GetAddress()); });
        NS_TEST_EXPECT_MSG_NE(said.find("02:00:00:00:00:77"), std::string::npos, said);
    }

    uint32_t m_received{0}; //!< packets
};

/** Stands for an implementation that ns-3 may have been built without. */
class StandInSimulator : public DefaultSimulatorImpl
{
  public:
    /** Makes the type ns3::WeftTest... a subclass. @param name of a class that may be missing */
    static void Register(const std::string& name)
    {
        TypeId parent;
        if (!TypeId::LookupByNameFailSafe(name, &parent))
        {
            parent = TypeId(name.c_str()).SetParent<DefaultSimulatorImpl>();
        }
        TypeId(("ns3::WeftTest" + name.substr(5)).c_str())
            .SetParent(parent)
            .AddConstructor<StandInSimulator>();
    }
};

/** Simulators that would do the work of others, or all of it on every machine. */
class SimulatorTestCase : public TestCase
{
  public:
    SimulatorTestCase()
        : TestCase("distributed, multithreaded and real-time simulators are refused")
    {
    }

  private:
    std::string BuildUnder(const std::string& simulator)
    {
        const WeftSimulatorChoice choice(simulator, "MapScheduler");
        WeftHelper helper;
        auto fabric = CreateObject<WeftFabric>();
        std::string error;
        NodeContainer hosts;
        NodeContainer switches;
        weft_clos shape;
        fabric->GetShape(&shape, error);
        hosts.Create(shape.nhosts);
        switches.Create(weft_planes_switches(&shape));
        const bool sound = fabric->Build(hosts, switches, error);
        NS_TEST_EXPECT_MSG_EQ(sound, error.empty(), simulator << ": " << error);
        return error;
    }

    void DoRun() override
    {
        for (const std::string& simulator : WeftSimulators())
        {
            NS_TEST_EXPECT_MSG_EQ(BuildUnder(simulator), "", simulator);
        }
        const std::string said = BuildUnder("RealtimeSimulatorImpl");
        NS_TEST_EXPECT_MSG_NE(said.find("ns3::RealtimeSimulatorImpl"), std::string::npos, said);
        for (const std::string name :
             {"DistributedSimulatorImpl", "NullMessageSimulatorImpl", "MultithreadedSimulatorImpl"})
        {
            StandInSimulator::Register("ns3::" + name);
            const std::string refusal = BuildUnder("WeftTest" + name);
            NS_TEST_EXPECT_MSG_NE(refusal.find("ns3::" + name), std::string::npos, refusal);
        }
    }
};

/** A program of a user's has levels by the helper, as all else. */
class LevelsTestCase : public TestCase
{
  public:
    LevelsTestCase()
        : TestCase("the helper's levels have what was set for them, and else what level 0 has")
    {
    }

  private:
    static std::string Die(const std::function<void(WeftHelper&)>& act)
    {
        return WeftDeathOf([&act] {
            WeftHelper weft;
            weft.SetTopology(EIGHT_HOSTS);
            act(weft);
            weft.Install();
        });
    }

    void DoRun() override
    {
        WeftHelper weft;
        weft.SetTopology(EIGHT_HOSTS);
        weft.SetSwitch("shared-buffer preset=100g classes=4");
        weft.SetCongestionControl("none");
        const uint32_t sprayed = weft.AddServiceLevel(3);
        const uint32_t plain = weft.AddServiceLevel(2);
        weft.SetBalancer("rsq", sprayed);
        weft.SetTransport("sack threshold=6", sprayed);
        weft.SetCongestionControl("dctcp", sprayed);
        weft.SetTransport("gbn"); // of level 2, too
        weft.Install();
        Ptr<WeftFabric> fabric = weft.GetFabric();
        NS_TEST_ASSERT_MSG_EQ(fabric->GetNServiceLevels(), 3, "0 and two more");
        const std::string first = fabric->GetServiceLevel(0)->Format();
        NS_TEST_EXPECT_MSG_EQ(first.find("ecmp hash=mix; gbn "), 0, first);
        NS_TEST_EXPECT_MSG_EQ(fabric->GetServiceLevel(plain)->Format(), first, "as level 0");
        const std::string own = fabric->GetServiceLevel(sprayed)->Format();
        NS_TEST_EXPECT_MSG_EQ(own.find("rsq; sack threshold=6 "), 0, own);
        NS_TEST_EXPECT_MSG_NE(own.find("; dctcp "), std::string::npos, own);
        NS_TEST_EXPECT_MSG_EQ(+fabric->GetServiceLevel(sprayed)->tclass, 3, "its queue");
        Ptr<WeftCollective> ring = weft.InstallWorkload("ring bytes=100KB groups=2");
        Ptr<WeftCollective> other = weft.InstallWorkload("permutation bytes=100KB", nullptr, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((ring->IsDone() && other->IsDone()), true, "both are done");
        uint32_t qps[3] = {};
        for (uint32_t i = 0; i < fabric->GetNQps(); i++)
        {
            qps[fabric->GetQp(i)->algos->sl]++;
        }
        NS_TEST_EXPECT_MSG_EQ((qps[0] > 0 && qps[1] == 8 && qps[2] == 0), true, "each its own");
        const auto workload =
            WeftDeathOf([&weft] { weft.InstallWorkload("ring bytes=9KB", nullptr, 3); });
        NS_TEST_EXPECT_MSG_NE(workload.find("service level 3; expected 0 to 2"),
                              std::string::npos,
                              workload);
        const auto connect = WeftDeathOf([&fabric] { fabric->Connect(0, 1, nullptr, 3); });
        NS_TEST_EXPECT_MSG_NE(connect.find("no service level 3"), std::string::npos, connect);
        Simulator::Destroy();

        const auto early = Die([](WeftHelper& w) { w.SetTransport("gbn", 1); });
        NS_TEST_EXPECT_MSG_NE(early.find("no service level 1 for the transport \"gbn\"; expected 0 "
                                         "to 0, or AddServiceLevel() first"),
                              std::string::npos,
                              early);
        const auto wrong = Die([](WeftHelper& w) { w.SetBalancer("ecpm", w.AddServiceLevel(1)); });
        NS_TEST_EXPECT_MSG_NE(wrong.find("did you mean 'ecmp'"), std::string::npos, wrong);
        const auto queue = Die([](WeftHelper& w) { w.AddServiceLevel(2); });
        NS_TEST_EXPECT_MSG_NE(queue.find("queue 2 of service level 1 is none for data"),
                              std::string::npos,
                              queue);
    }
};

class WeftSetupTestSuite : public TestSuite
{
  public:
    WeftSetupTestSuite()
        : TestSuite("weft-setup", Type::UNIT)
    {
        AddTestCase(new LateTestCase);
        AddTestCase(new TableTestCase);
        AddTestCase(new ProgramTestCase);
        AddTestCase(new ChangeTestCase);
        AddTestCase(new SimulatorTestCase);
        AddTestCase(new LevelsTestCase);
    }
};

WeftSetupTestSuite g_weftSetupTestSuite; //!< registers the suite

} // namespace
