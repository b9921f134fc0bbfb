// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Topologies and flows that a program takes from files of other simulators. A user must get the
 * fabric and the flows of the file, between the hosts that it names, or be told where it is wrong.
 */
#include "weft-death.h"
#include "weft-test-rig.h"

#include "ns3/packet.h"
#include "ns3/test.h"

#include <fstream>
#include <string>
#include <weft/ops.h>

using namespace ns3;

namespace
{

/** Hosts 1 and 2 at switch 0, host 4 at switch 3, as HPCC's and ConWeave's files have it. */
const char* const DUMBBELL = "5 2 4\n0 3\n1 0 100Gbps 1us 0\n2 0 100Gbps 1us 0\n"
                             "4 3 25Gbps 2us 0\n0 3 100Gbps 1000ns 0\n";

/** Two servers of two GPUs, each with an NVSwitch; two ToRs, one for each GPU of a server; a spine.
 */
const char* const SERVERS = "9 2 2 3 10 A100\n4 5 6 7 8\n"
                            "0 4 2400Gbps 25ns 0\n1 4 2400Gbps 25ns 0\n"
                            "2 5 2400Gbps 25ns 0\n3 5 2400Gbps 25ns 0\n"
                            "0 6 100Gbps 1us 0\n2 6 100Gbps 1us 0\n"
                            "1 7 100Gbps 1us 0\n3 7 100Gbps 1us 0\n"
                            "6 8 100Gbps 1us 0\n7 8 100Gbps 1us 0\n";

/** Writes files, and reads them by a helper. */
class FileTestCase : public TestCase
{
  protected:
    using TestCase::TestCase;

    /** @param name of a file @param text that it has @return its path */
    std::string Write(const std::string& name, const std::string& text)
    {
        const std::string path = CreateTempDirFilename(name);
        std::ofstream(path) << text;
        return path;
    }

    static void Choose(WeftHelper& weft)
    {
        weft.SetSwitch("shared-buffer preset=100g");
        weft.SetBalancer("ecmp");
        weft.SetTransport("gbn");
        weft.SetCongestionControl("none");
    }
};

/** A pair of files makes what the same calls by hand make. */
class PairTestCase : public FileTestCase
{
  public:
    PairTestCase()
        : FileTestCase("flows of a file end when those end that a program describes by hand")
    {
    }

  private:
    /** @param flows of a file @param unit of an htsim matrix @return when they were delivered */
    std::vector<int64_t> RunFile(const std::string& flows, const std::string& unit = "us")
    {
        WeftHelper weft;
        weft.SetTopologyFile(Write("topology.txt", DUMBBELL));
        Choose(weft);
        weft.Install();
        NS_TEST_EXPECT_MSG_EQ(weft.GetHostOfId(4), 2, "the third host");
        NS_TEST_EXPECT_MSG_EQ(weft.GetIdOfHost(0), 1, "the first one's id");
        return Run(weft, weft.InstallFlowFile(Write("flow.txt", flows), 0, unit));
    }

    std::vector<int64_t> RunByHand()
    {
        constexpr int64_t GBPS = 1000000000;
        constexpr int64_t US = 1000000;
        std::vector<weft_table_flow> flows(3);
        flows[0].dst = 2;
        flows[0].bytes = 300000;
        flows[1].src = 1;
        flows[1].dst = 2;
        flows[1].bytes = 200000;
        flows[1].start = 5 * US;
        flows[2].src = 2;
        flows[2].bytes = 1;
        flows[2].start = 7 * US;
        weft_table table{};
        table.flows = flows.data();
        table.nflows = 3;
        WeftHelper weft;
        weft.SetGraph(3,
                      2,
                      {{0, 3, 100 * GBPS, US, false},
                       {1, 3, 100 * GBPS, US, false},
                       {2, 4, 25 * GBPS, 2 * US, false},
                       {3, 4, 100 * GBPS, US, false}});
        Choose(weft);
        weft.Install();
        return Run(weft, weft.InstallWorkload("flows", &table));
    }

    std::vector<int64_t> Run(const WeftHelper& weft, Ptr<WeftCollective> job)
    {
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsDone(), true, "all of them");
        std::string error;
        NS_TEST_EXPECT_MSG_EQ(weft.GetFabric()->CheckConservation(error), true, error);
        std::vector<int64_t> delivered;
        for (const auto& times : job->GetTimes())
        {
            delivered.push_back(times.delivered);
        }
        Simulator::Destroy();
        return delivered;
    }

    void DoRun() override
    {
        const std::vector<int64_t> expected = RunByHand();
        const std::string hpcc = "3\n1 4 3 100 300000 0\n2 4 3 100 200000 0.000005\n"
                                 "4 1 3 100 1 0.000007\n";
        const std::string csv = "src,dst,bytes,start\n1,4,300000,0\n2,4,200KB,5us\n4,1,1,7us\n";
        const std::string matrix = "Nodes 6\nConnections 3\n1->4 id 1 start 0 size 300000\n"
                                   "2->4 id 2 start 5 size 200000\n4->1 id 3 start 7 size 1\n";
        const std::string ps = "Nodes 6\nConnections 3\n1->4 id 1 start 0 size 300000\n"
                               "2->4 id 2 start 5000000 size 200000\n"
                               "4->1 id 3 start 7000000 size 1\n";
        NS_TEST_EXPECT_MSG_EQ((expected.size() == 3 && expected[2] > 7000000), true, "by hand");
        NS_TEST_EXPECT_MSG_EQ((RunFile(hpcc) == expected), true, "HPCC's");
        NS_TEST_EXPECT_MSG_EQ((RunFile(csv) == expected), true, "CSV");
        NS_TEST_EXPECT_MSG_EQ((RunFile(matrix) == expected), true, "htsim's");
        NS_TEST_EXPECT_MSG_EQ((RunFile(ps, "ps") == expected), true, "htsim's in picoseconds");
    }
};

/** SimAI's file: servers with networks of their own, and a host with a port for each. */
class ServersTestCase : public FileTestCase
{
  public:
    ServersTestCase()
        : FileTestCase("a SimAI topology has its servers, their networks and all ports")
    {
    }

  private:
    void DoRun() override
    {
        WeftHelper weft;
        weft.SetTopologyFile(Write("simai.txt", SERVERS));
        Choose(weft);
        weft.Install();
        const weft_clos& clos = weft.GetFabric()->GetClos();
        Ptr<WeftNic> nic = weft.GetFabric()->GetNic(0);
        NS_TEST_EXPECT_MSG_EQ(weft.GetFabric()->GetNHosts(), 4, "GPUs");
        NS_TEST_EXPECT_MSG_EQ(clos.gpus, 2, "in servers of two");
        const uint32_t a = weft.GetHostOfId(0);
        const uint32_t b = weft.GetHostOfId(1);
        const uint32_t c = weft.GetHostOfId(2);
        NS_TEST_EXPECT_MSG_EQ(weft_clos_inside(&clos, a, b), true, "by the server's network");
        NS_TEST_EXPECT_MSG_EQ(weft_clos_inside(&clos, b, c), false, "by the fabric");
        NS_TEST_EXPECT_MSG_EQ(nic->GetNPorts(), 2, "one to the fabric, one to the server");
        NS_TEST_EXPECT_MSG_EQ(weft.GetDevices(1).GetN(), 4, "all hosts have it");
        NS_TEST_EXPECT_MSG_EQ(nic->GetDevice(0)->GetChannel()->GetNDevices(), 4, "the fabric");
        NS_TEST_EXPECT_MSG_EQ(nic->GetDevice(1)->GetChannel()->GetNDevices(), 2, "the server's");
        Ptr<WeftCollective> job = weft.InstallWorkload("allreduce-ring bytes=100KB groups=1");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsDone(), true, "an allreduce ends");
        Simulator::Destroy();
    }
};

/** A Clos in a file, of which a link loses every frame, is a Clos with that link. */
class LossyTestCase : public FileTestCase
{
  public:
    LossyTestCase()
        : FileTestCase("a Clos of a file is one, and its links lose what the file says")
    {
    }

  private:
    void DoRun() override
    {
        WeftHelper weft;
        weft.SetTopologyFile(Write("clos.txt",
                                   "6 4 6\n3 0 5 1\n2 3 100Gbps 1us 0\n4 5 100Gbps 1us 0\n"
                                   "3 0 100Gbps 1us 1\n3 1 100Gbps 1us 0\n"
                                   "5 0 100Gbps 1us 0\n5 1 100Gbps 1us 0\n"));
        Choose(weft);
        weft.SetBalancer("conga");
        weft.SetTransport("gbn");
        weft.Install();
        Ptr<WeftFabric> fabric = weft.GetFabric();
        NS_TEST_EXPECT_MSG_EQ((fabric->GetClos().graph == nullptr), true, "no graph");
        NS_TEST_EXPECT_MSG_EQ(fabric->GetClos().ntors, 2, "two leaves");
        Ptr<WeftCollective> job = weft.InstallWorkload("permutation bytes=1MB");
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        uint64_t lost = 0;
        for (uint64_t link = 0; link < 6; link++)
        {
            weft_link of;
            weft_planes_link(&fabric->GetClos(), link, &of);
            for (const weft_end& end : {of.lower, of.upper})
            {
                weft_net_port is;
                weft_net_port_status(fabric->GetNet(),
                                     end.index + (end.is_host ? 0 : fabric->GetNHosts()),
                                     end.port,
                                     &is);
                NS_TEST_EXPECT_MSG_EQ((is.lost_lossy > 0 && link != 2), false, "another link");
                lost += is.lost_lossy;
            }
        }
        NS_TEST_EXPECT_MSG_GT(lost, 0, "that link loses what it carries");
        Simulator::Destroy();
    }
};

/** A file of two planes that do not meet: each is a network of its own. */
class ApartTestCase : public FileTestCase
{
  public:
    ApartTestCase()
        : FileTestCase("switches that no link joins are networks of their own")
    {
    }

  private:
    void DoRun() override
    {
        WeftHelper weft;
        weft.SetTopologyFile(Write("planes.txt",
                                   "4 2 4\n2 3\n0 2 100Gbps 1us 0\n0 3 100Gbps 1us 0\n"
                                   "1 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n"));
        Choose(weft);
        weft.Install();
        Ptr<WeftNic> nic = weft.GetFabric()->GetNic(0);
        Ptr<WeftNic> peer = weft.GetFabric()->GetNic(1);
        NS_TEST_EXPECT_MSG_EQ(nic->GetChannel()->GetNDevices(), 2, "a port of each host");
        NS_TEST_EXPECT_MSG_EQ(nic->GetChannel()->GetDevice(1), peer, "the same of the other one");
        NS_TEST_EXPECT_MSG_EQ(nic->Send(Create<Packet>(9), peer->GetAddress(), 0x0800),
                              true,
                              "in this plane");
        NS_TEST_EXPECT_MSG_EQ(
            nic->Send(Create<Packet>(9), peer->GetDevice(1)->GetAddress(), 0x0800),
            false,
            "not in the other one");
        Simulator::Run();
        Simulator::Destroy();
    }
};

/** A trace of a file runs, and is kept as long as its workload. */
class TraceTestCase : public FileTestCase
{
  public:
    TraceTestCase()
        : FileTestCase("operations of a trace's file have the times that they have by hand")
    {
    }

  private:
    Ptr<WeftCollective> Run(const std::string& text, const std::string& parameters, uint32_t ranks)
    {
        WeftHelper weft;
        weft.SetTopology("leaf-spine leaves=2 spines=2 hosts-per-leaf=4 link-rate=100Gbps");
        Choose(weft);
        weft.Install();
        auto job = weft.InstallTrace(Write("trace", text), parameters, 0, ranks);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(job->IsDone(), true, "all operations");
        return job;
    }

    void Dies(const std::string& text, const std::string& expected)
    {
        const std::string path = Write("trace", text);
        const std::string said = WeftDeathOf([&] {
            WeftHelper weft;
            weft.SetTopology("leaf-spine leaves=2 spines=2 hosts-per-leaf=4");
            weft.Install();
            weft.InstallTrace(path);
        });
        NS_TEST_EXPECT_MSG_NE(said.find(expected), std::string::npos, expected << " in: " << said);
    }

    void DoRun() override
    {
        const std::string goal = "num_ranks 2\nrank 0 {\na: calc 2000\nb: send 30000b to 1\n"
                                 "b requires a\n}\nrank 1 {\na: recv 30000b from 0\n"
                                 "b: calc 5000\nb requires a\n}\n";
        auto job = Run(goal, "compute-scale=2 placement=interleaved", 0);
        const weft_program* program = job->GetProgram();
        NS_TEST_ASSERT_MSG_EQ((program && program->nops == 4), true, "its operations");
        NS_TEST_EXPECT_MSG_EQ(job->GetMessages()[0].dst, 4, "every fourth host has a rank");
        NS_TEST_EXPECT_MSG_EQ(job->GetTimes()[0].posted,
                              4000000,
                              "behind 2 us of computing, twice");
        NS_TEST_EXPECT_MSG_EQ(program->ops[2].ended, job->GetTimes()[0].delivered, "received");
        NS_TEST_EXPECT_MSG_EQ(job->GetDoneTime(), program->ops[3].ended, "the last one");
        NS_TEST_EXPECT_MSG_EQ(program->ops[3].ended - program->ops[2].ended,
                              10000000,
                              "5 us, twice");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(job->GetProgram()->ops[3].kind, WEFT_OP_COMPUTE, "kept");

        const std::string simai = "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 4 "
                                  "ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: 8\n1\n"
                                  "layer -1 1000 ALLREDUCE 65536 1000 NONE 0 1000 NONE 0 100\n";
        job = Run(simai, "", 4);
        NS_TEST_EXPECT_MSG_EQ(job->GetProgram()->nranks, 4, "as many as are wished for");
        NS_TEST_EXPECT_MSG_EQ(job->GetProgram()->ncollectives, 1, "an allreduce");
        Simulator::Destroy();

        Dies("num_ranks 2\nrank 0 {\nsend 10 to 1\n}\n", "trace:3: '10'; expected bytes");
        Dies("<algo/>", "trace:1: this is XML, which the weft command alone reads");
        Dies("\x1f\x8b\x08", "trace:1: this is packed, which the weft command alone reads");
        Dies("num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\n}\n", "rank 1 has no receive");
    }
};

/** Mistakes end the program with file and line. */
class MistakesTestCase : public FileTestCase
{
  public:
    MistakesTestCase()
        : FileTestCase("a mistake in a file is told with file and line")
    {
    }

  private:
    /** @param topology text of a file @param flows text of another one, or nothing
     * @param expected part of the message that ends the program */
    void Dies(const std::string& topology, const std::string& flows, const std::string& expected)
    {
        const std::string first = Write("t.txt", topology);
        const std::string second = Write("f.txt", flows);
        const std::string said = WeftDeathOf([&] {
            WeftHelper weft;
            weft.SetTopologyFile(first);
            Choose(weft);
            weft.Install();
            weft.InstallFlowFile(second);
        });
        NS_TEST_EXPECT_MSG_NE(said.find(expected), std::string::npos, expected << " in: " << said);
    }

    void DoRun() override
    {
        const std::string good = DUMBBELL;
        Dies("5 2 4\n0 3\n1 0 100Gbps 1us 0\n2 0 100Gbps 1us 0\n4 3 25 2us 0\n", "", "t.txt:5: ");
        Dies("5 2 4\n0 9\n", "", "t.txt:2: node 9; expected 0 to 4");
        Dies("<graph/>", "", "t.txt:1: this is XML");
        Dies("", "", "t.txt:1: ");
        Dies(good, "1\n1 7 3 100 10 0\n", "f.txt:2: 7 is not in ");
        Dies(good, "1\n1 3 3 100 10 0\n", "f.txt:2: 3 is a switch of ");
        Dies(good, "1\n1 x 3 100 10 0\n", "f.txt:2: host 'x'");
        Dies(good, "", "f.txt:1: no flows");
        const std::string missing = WeftDeathOf([] { WeftHelper().SetTopologyFile("/none.txt"); });
        NS_TEST_EXPECT_MSG_NE(missing.find("cannot open /none.txt"), std::string::npos, missing);
        const std::string numbers = Write("f.txt", "1\n0 8 3 100 10 0\n");
        const std::string said = WeftDeathOf([&] {
            WeftHelper weft;
            weft.SetTopology("leaf-spine leaves=2 spines=2 hosts-per-leaf=4");
            weft.Install();
            weft.InstallFlowFile(numbers);
        });
        NS_TEST_EXPECT_MSG_NE(said.find("f.txt:2: host 8; the fabric has 8, 0 to 7"),
                              std::string::npos,
                              said);
    }
};

class WeftInputFilesTestSuite : public TestSuite
{
  public:
    WeftInputFilesTestSuite()
        : TestSuite("weft-input-files", Type::UNIT)
    {
        AddTestCase(new PairTestCase);
        AddTestCase(new LossyTestCase);
        AddTestCase(new ServersTestCase);
        AddTestCase(new ApartTestCase);
        AddTestCase(new TraceTestCase);
        AddTestCase(new MistakesTestCase);
    }
};

WeftInputFilesTestSuite g_weftInputFilesTestSuite; //!< registers the suite

} // namespace
