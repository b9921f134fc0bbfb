// SPDX-License-Identifier: GPL-2.0-only
// A user of ASTRA-sim would get times of a job that do not come from the fabric, receives that end
// with another message than theirs, or a simulation that stops without a word.
#include "weft-death.h"
#include "weft-network.h"
#include "weft-test-rig.h"

#include "ns3/nstime.h"
#include "ns3/test.h"

#include <functional>
#include <numeric>

using namespace ns3;

namespace
{

/** Function that a back-end calls by pointer and argument, as ASTRA-sim has it. */
using Act = std::function<void()>;

void
CallAct(void* act)
{
    (*static_cast<Act*>(act))();
}

/** Job with a rank at each host, and what its calls say. */
struct AstraJob
{
    explicit AstraJob(WeftRig& rig, uint32_t ranks = 0)
    {
        std::vector<uint32_t> hosts(ranks ? ranks : rig.fabric->GetNHosts());
        std::iota(hosts.begin(), hosts.end(), 0);
        job = WeftNetwork::Make(rig.fabric, hosts);
    }

    /** @param act to be called later @return what to hand over */
    void* Keep(Act act)
    {
        acts.push_back(std::move(act));
        return &acts.back();
    }

    void Send(int src, int dst, int tag, uint64_t bytes, Act act)
    {
        (*job)[src]->sim_send(nullptr, bytes, 0, dst, tag, nullptr, &CallAct, Keep(act));
    }

    void Receive(int dst, int src, int tag, uint64_t bytes, Act act)
    {
        (*job)[dst]->sim_recv(nullptr, bytes, 0, src, tag, nullptr, &CallAct, Keep(act));
    }

    /** @param name of a call @return what writes its name and the time, us, into the log */
    Act Note(const std::string& name)
    {
        return [this, name] {
            char line[64];
            std::snprintf(line,
                          sizeof line,
                          "%s %.4f\n",
                          name.c_str(),
                          Simulator::Now().GetPicoSeconds() / 1e6);
            log += line;
        };
    }

    std::unique_ptr<WeftNetwork::Job> job; //!< under test
    std::deque<Act> acts;                  //!< that have been handed over
    std::string log;                       //!< of Note()
};

/** @return two hosts at one switch */
WeftRigSetup
TwoHosts()
{
    WeftRigSetup setup;
    setup.topology = "leaf-spine leaves=1 spines=1 hosts-per-leaf=2 link-rate=100Gbps";
    return setup;
}

/** The times are those of examples/weft-two-hosts.cc, which has the same message. */
class AstraTimesTestCase : public TestCase
{
  public:
    AstraTimesTestCase()
        : TestCase("a receive ends when its message is there, a send when it is acknowledged")
    {
    }

  private:
    void DoRun() override
    {
        WeftRig rig(TwoHosts());
        AstraJob ranks(rig);
        ranks.Send(0, 1, 5, 1000000, ranks.Note("sent"));
        ranks.Receive(1, 0, 5, 1000000, ranks.Note("received"));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(ranks.log,
                              "received 85.8666\nsent 87.8768\n",
                              "by the fabric's clock");
        ranks.Receive(1, 0, 6, 1000, ranks.Note("late"));
        ranks.Send(0, 1, 6, 1000, [] {});
        Simulator::Run();
        ranks.log.clear();
        ranks.Send(0, 1, 7, 1000, [] {});
        (*ranks.job)[1]->sim_schedule({AstraSim::MS, 1}, &CallAct, ranks.Keep([&] {
            ranks.Receive(1, 0, 7, 1000, ranks.Note("at once"));
            ranks.Note("asks")();
        }));
        const double now = Simulator::Now().GetPicoSeconds() / 1e6;
        Simulator::Run();
        char expected[64];
        std::snprintf(expected,
                      sizeof expected,
                      "asks %.4f\nat once %.4f\n",
                      now + 1000,
                      now + 1000);
        NS_TEST_EXPECT_MSG_EQ(ranks.log, expected, "what is there already is received at once");
    }
};

class AstraMatchTestCase : public TestCase
{
  public:
    AstraMatchTestCase()
        : TestCase("a send meets the receive of its ranks, tag and size, the first one the first")
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        WeftRig rig(setup);
        AstraJob ranks(rig);
        std::string order;
        const auto add = [&order](const char* name) { return [&order, name] { order += name; }; };
        ranks.Receive(1, 2, 1, 1000, add("other source, "));
        ranks.Receive(1, 0, 2, 1000, add("other tag, "));
        ranks.Receive(1, 0, 1, 3000, add("other size, "));
        ranks.Receive(1, 0, 1, 1000, add("first, "));
        ranks.Receive(1, 0, 1, 1000, add("second, "));
        ranks.Receive(3, 0, 1, 1000, add("other rank, "));
        const int tags[] = {1, 1, 1, 2};
        const uint64_t bytes[] = {1000, 3000, 1000, 1000};
        for (int i = 0; i < 4; i++)
        {
            (*ranks.job)[0]->sim_schedule({AstraSim::US, static_cast<long double>(100 * i)},
                                          &CallAct,
                                          ranks.Keep([&ranks, tag = tags[i], n = bytes[i]] {
                                              ranks.Send(0, 1, tag, n, [] {});
                                          }));
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(order, "first, other size, second, other tag, ", "as they were sent");
    }
};

/** Ring allreduce, of sends and receives that each rank makes when it has the last part. */
struct AstraRing
{
    AstraRing(AstraJob& of, int n, uint64_t part)
        : ranks(of),
          size(n),
          bytes(part),
          ends(n)
    {
        for (int rank = 0; rank < size; rank++)
        {
            Step(rank, 0);
        }
    }

    void Step(int rank, int step)
    {
        if (step == 2 * (size - 1))
        {
            ends[rank] = Simulator::Now().GetPicoSeconds();
            (*ranks.job)[rank]->sim_notify_finished();
            return;
        }
        ranks.Receive(rank, (rank + size - 1) % size, step, bytes, [this, rank, step] {
            Step(rank, step + 1);
        });
        ranks.Send(rank, (rank + 1) % size, step, bytes, [] {});
    }

    AstraJob& ranks;           //!< whose it is
    int size;                  //!< ranks
    uint64_t bytes;            //!< of a part
    std::vector<int64_t> ends; //!< of ranks, ps
};

class AstraRingTestCase : public TestCase
{
  public:
    explicit AstraRingTestCase(const std::string& balancer)
        : TestCase("an allreduce of sends and receives takes as long as Weft's own, by " +
                   balancer),
          m_balancer(balancer)
    {
    }

  private:
    void DoRun() override
    {
        WeftRigSetup setup;
        setup.balancer = m_balancer;
        setup.transport = "sack";
        int64_t own = 0;
        std::vector<int64_t> last;
        {
            WeftRig rig(setup);
            const int n = static_cast<int>(rig.fabric->GetNHosts());
            Ptr<WeftCollective> work =
                rig.helper.InstallWorkload("allreduce-ring bytes=800KB groups=1");
            Simulator::Run();
            own = work->GetCompletionTime().GetPicoSeconds();
            last.resize(n);
            for (size_t i = 0; i < work->GetMessages().size(); i++)
            {
                int64_t& end = last[work->GetMessages()[i].dst];
                end = std::max(end, work->GetTimes()[i].delivered);
            }
        }
        WeftRig rig(setup);
        AstraJob ranks(rig);
        const int n = static_cast<int>(rig.fabric->GetNHosts());
        AstraRing ring(ranks, n, 800000 / n);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_GT(own, 0, "it has run");
        NS_TEST_EXPECT_MSG_EQ(*std::max_element(ring.ends.begin(), ring.ends.end()), own, "ps");
        for (int rank = 0; rank < n; rank++)
        {
            NS_TEST_EXPECT_MSG_EQ(ring.ends[rank], last[rank], "rank " << rank);
        }
        NS_TEST_EXPECT_MSG_EQ(WeftNetwork::GetStuck(*ranks.job), "", "all have finished");
    }

    std::string m_balancer; //!< of both
};

class AstraEndTestCase : public TestCase
{
  public:
    AstraEndTestCase()
        : TestCase("a job ends the simulation when all ranks have finished, and not before")
    {
    }

  private:
    void DoRun() override
    {
        WeftRig rig(TwoHosts());
        AstraJob ranks(rig);
        WeftFabric::Fault flaps;
        flaps.links = {0};
        flaps.at = MilliSeconds(1);
        flaps.down = MilliSeconds(1);
        flaps.up = MilliSeconds(1);
        rig.fabric->AddFault(flaps); // for ever
        Simulator::Stop(MilliSeconds(20));
        bool failed = false;
        (*ranks.job)[0]->sim_notify_finished();
        (*ranks.job)[0]->sim_notify_finished();
        (*ranks.job)[1]->sim_schedule({AstraSim::MS, 10.5L}, &CallAct, ranks.Keep([&] {
            failed = WeftNetwork::GetStuck(*ranks.job).empty();
            (*ranks.job)[1]->sim_notify_finished();
        }));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(failed, false, "rank 1 had not finished then");
        NS_TEST_EXPECT_MSG_EQ(Simulator::Now().GetMicroSeconds(), 10500, "and ended all then");
    }
};

class AstraStuckTestCase : public TestCase
{
  public:
    AstraStuckTestCase()
        : TestCase("a simulation that has nothing left to do can say who waits for what")
    {
    }

  private:
    void DoRun() override
    {
        WeftRig rig(TwoHosts());
        AstraJob ranks(rig);
        ranks.Send(0, 1, 3, 500, [] {});
        ranks.Receive(1, 0, 3, 501, [] {});
        ranks.Receive(1, 0, 3, 501, [] {});
        ranks.Receive(1, 0, 4, 7, [] {});
        (*ranks.job)[0]->sim_notify_finished();
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(
            WeftNetwork::GetStuck(*ranks.job),
            "rank 1 has not finished: 3 receives wait, such as for 501 bytes from "
            "rank 0 with tag 3; 1 message waits for its receive, such as 500 bytes "
            "from rank 0 with tag 3; 0 of its own are under way\n",
            "who waits, and for what");
    }
};

class AstraUnitsTestCase : public TestCase
{
  public:
    AstraUnitsTestCase()
        : TestCase("times are in the unit that they name, and to the picosecond")
    {
    }

  private:
    void DoRun() override
    {
        WeftRig rig(TwoHosts());
        AstraJob ranks(rig);
        WeftNetwork& network = *(*ranks.job)[0];
        std::string seen;
        for (const AstraSim::timespec_t& delta : {AstraSim::timespec_t{AstraSim::FS, 2000},
                                                  {AstraSim::NS, 1.5L},
                                                  {AstraSim::US, 1},
                                                  {AstraSim::MS, 1},
                                                  {AstraSim::SE, 0.002L}})
        {
            network.sim_schedule(delta, &CallAct, ranks.Keep([&] {
                seen += std::to_string(Simulator::Now().GetPicoSeconds()) + " ";
                const AstraSim::timespec_t now = network.sim_get_time();
                NS_TEST_EXPECT_MSG_EQ(now.time_res, AstraSim::NS, "what ASTRA-sim counts in");
                NS_TEST_EXPECT_MSG_EQ(std::llround(now.time_val * 1000),
                                      Simulator::Now().GetPicoSeconds(),
                                      "now");
            }));
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(seen, "2 1500 1000000 1000000000 2000000000 ", "ps");
        NS_TEST_EXPECT_MSG_EQ(network.get_BW_at_dimension(0), 12.5, "GB/s of a host");
        NS_TEST_EXPECT_MSG_EQ((network.get_backend_type() == WeftNetwork::BackendType::NS3),
                              true,
                              "as packets are simulated");
    }
};

class AstraRefusalTestCase : public TestCase
{
  public:
    AstraRefusalTestCase()
        : TestCase(
              "a rank or host that there is not, and a message that is given up, end the program")
    {
    }

  private:
    void DoRun() override
    {
        const auto dies = [this](const Act& act, const std::string& why) {
            const std::string text = WeftDeathOf(act);
            NS_TEST_EXPECT_MSG_EQ((text.find(why) != std::string::npos), true, why << ": " << text);
        };
        WeftRigSetup setup = TwoHosts();
        setup.frames = "roce retry-limit=2";
        WeftRig rig(setup);
        AstraJob ranks(rig);
        dies(
            [&] {
                WeftNetwork::Make(rig.fabric, {1, 2});
            },
            "rank 1 is at host 2; expected one below 2");
        dies(
            [&] {
                WeftNetwork::Make(rig.fabric, {1, 1});
            },
            "ranks 0 and 1 are at host 1; expected a host for each");
        dies([&] { ranks.Send(0, 2, 0, 1, [] {}); },
             "rank 0 sends to rank 2; expected another one below 2");
        dies([&] { ranks.Receive(1, -1, 0, 1, [] {}); },
             "rank 1 receives from rank -1; expected another one below 2");
        dies(
            [&] {
                rig.fabric->ScheduleFailure(1, Time(0), Time::Max());
                ranks.Send(0, 1, 4, 9000, [] {});
                Simulator::Run();
            },
            "rank 0 gives up sending 9000 bytes to rank 1 with tag 4");
    }
};

class WeftAstraSimTestSuite : public TestSuite
{
  public:
    WeftAstraSimTestSuite()
        : TestSuite("weft-astra-sim", Type::UNIT)
    {
        AddTestCase(new AstraTimesTestCase);
        AddTestCase(new AstraMatchTestCase);
        AddTestCase(new AstraRingTestCase("ecmp"));
        AddTestCase(new AstraRingTestCase("ops"));
        AddTestCase(new AstraRingTestCase("reps"));
        AddTestCase(new AstraEndTestCase);
        AddTestCase(new AstraStuckTestCase);
        AddTestCase(new AstraUnitsTestCase);
        AddTestCase(new AstraRefusalTestCase);
    }
};

WeftAstraSimTestSuite g_weftAstraSimTestSuite; //!< registers the suite

} // namespace
