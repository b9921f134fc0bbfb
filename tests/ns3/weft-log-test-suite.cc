// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * What NS_LOG says. A user who asks why a packet took a path, or why a sender slowed down, finds
 * the decision in the log, with its time and node. Built with logs compiled in, unlike the other
 * suites.
 */
#include "weft-test-rig.h"

#include "ns3/log.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/weft-rdma-application.h"

#include <cctype>
#include <functional>
#include <iomanip>
#include <iostream>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#ifndef NS3_LOG_ENABLE
#error "this suite is for a build with logs"
#endif

using namespace ns3;

namespace
{

/** Every component of the module. */
constexpr const char* COMPONENTS[] = {"WeftFabric",
                                      "WeftFabricHooks",
                                      "WeftLinkFaults",
                                      "WeftSwitch",
                                      "WeftNic",
                                      "WeftNicIp",
                                      "WeftCollective",
                                      "WeftRdmaApplication"};

/** Collects the log while it lives. */
class LogCatcher
{
  public:
    explicit LogCatcher(LogLevel level)
        : m_before(std::clog.rdbuf(m_text.rdbuf()))
    {
        for (const char* component : COMPONENTS)
        {
            const auto prefix = static_cast<LogLevel>(LOG_PREFIX_TIME | LOG_PREFIX_NODE);
            LogComponentEnable(component, static_cast<LogLevel>(level | prefix));
        }
    }

    ~LogCatcher()
    {
        for (const char* component : COMPONENTS)
        {
            LogComponentDisable(component, static_cast<LogLevel>(LOG_LEVEL_ALL | LOG_PREFIX_ALL));
        }
        std::clog.rdbuf(m_before);
    }

    LogCatcher(const LogCatcher&) = delete;
    LogCatcher& operator=(const LogCatcher&) = delete;

    /** @return the log */
    std::string Get() const
    {
        return m_text.str();
    }

  private:
    std::ostringstream m_text; //!< the log
    std::streambuf* m_before;  //!< where it goes otherwise
};

/** Runs in which all that is logged happens. */
class LogRuns
{
  public:
    /** PFC, ECN, DCQCN, dead links, Themis, a QP that is given up, IP packets. @return what it came
     * to */
    static std::vector<uint64_t> RunFaults()
    {
        WeftRigSetup setup;
        setup.topology = "fat-tree k=4 tiers=3 link-rate=100Gbps link-delay=1us";
        setup.frames = "roce payload=1000B retry-limit=1";
        setup.buffer = "shared-buffer buffer=20000B alpha=1 pfc=on headroom=3000B ecn=on "
                       "kmin=2000B kmax=4000B pmax=0.2";
        setup.balancer = "themis";
        setup.transport = "nic-sr rto=50us";
        setup.cc = "dcqcn";
        WeftRig rig(setup);
        rig.fabric->SetAttribute("ConvergenceDelay", TimeValue(MicroSeconds(5)));
        // Not from the beginning: until then forwarding has no exceptions.
        Simulator::Schedule(MicroSeconds(5),
                            &WeftFabric::AddDrop,
                            rig.fabric,
                            100U,
                            12U,
                            1U,
                            WeftFabric::DROP_AT_TOP);
        rig.fabric->ScheduleFailure(0, MicroSeconds(20), Time::Max());
        rig.fabric->ScheduleFailure(17, MicroSeconds(30), MicroSeconds(60));
        rig.helper.InstallWorkload("alltoall bytes=600KB scope=total");
        Ptr<WeftNic> nic = rig.fabric->GetNic(5);
        nic->SetAttribute("IpQueueSize", StringValue("1p"));
        for (int i = 0; i < 3; i++)
        {
            nic->Send(Create<Packet>(100), rig.fabric->GetNic(9)->GetAddress(), 0x0800);
        }
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        const WeftCounters& c = rig.fabric->GetCounters();
        const WeftRigTotals t = rig.GetTotals();
        return {c.hops, c.sent_bytes, c.lost_bytes, t.resent, t.cuts, t.marks, t.pauses};
    }

    /** A barrier, losses that the fabric tells of, an application. @param begin is called before
     * the simulation runs */
    static void RunBarrier(const std::function<void()>& begin)
    {
        WeftRigSetup setup;
        setup.transport = "erasure";
        WeftRig rig(setup);
        begin();
        rig.fabric->SetLossProbability(0.01);
        auto app = CreateObjectWithAttributes<WeftRdmaApplication>("Remote", UintegerValue(7));
        rig.helper.GetHosts().Get(0)->AddApplication(app);
        app->SetStopTime(MicroSeconds(90));
        rig.helper.InstallWorkload("fsdp bytes=100KB gpus=1 layers=3");
        Simulator::Stop(MilliSeconds(10));
        Simulator::Run();
    }
};

/** Each decision that a user would look for has a line. */
class LogTestCase : public TestCase
{
  public:
    LogTestCase()
        : TestCase("each decision is a line of the log, with its time and node")
    {
    }

  private:
    /** @param text a log @return its lines, each once, with # for each number */
    static std::set<std::string> GetKinds(const std::string& text)
    {
        std::set<std::string> kinds;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);)
        {
            std::string kind;
            for (const char c : line)
            {
                const bool digit = std::isdigit(static_cast<unsigned char>(c)) != 0;
                if (!digit || kind.empty() || kind.back() != '#')
                {
                    kind += digit ? '#' : c;
                }
            }
            kinds.insert(kind);
        }
        return kinds;
    }

    void Expect(const std::set<std::string>& kinds, const std::vector<std::string>& lines)
    {
        for (const std::string& line : lines)
        {
            bool found = false;
            for (const char* prefix : {"+#.#s # ", "+#.#s -# "})
            {
                found = found || kinds.count(prefix + line) > 0;
            }
            NS_TEST_EXPECT_MSG_EQ(found, true, "no line like: " << line);
        }
    }

    void CheckFaults()
    {
        const LogCatcher log(LOG_LEVEL_ALL);
        const std::vector<uint64_t> logged = LogRuns::RunFaults();
        NS_TEST_EXPECT_MSG_EQ((logged == m_unlogged), true, "a log changes nothing");
        const std::string frame = "data of QP # PSN # from host # to host #, # B";
        const std::string nack = "NACK of QP # ePSN # from host # to host #, # B";
        Expect(
            GetKinds(log.Get()),
            {"a switch has a headroom of # bytes, less than # x delay x rate + # frames of links "
             "of # Mbps and # ns: it may drop packets in spite of PFC; expected # bytes or more",
             "QP # from host # to host #, UDP port #, first PSN #",
             "QP #: message #, # B, to host #",
             "QP # starts at # bit/s",
             "switch #: port #, one of #, for " + frame,
             "sends " + frame,
             "sends again " + frame,
             "switch # marks " + frame,
             "sends a CNP: CNP of QP # from host # to host #, # B",
             "QP # gets a CNP",
             "QP # slows down to # bit/s",
             "QP # gets a NACK of ePSN #",
             "switch # blocks " + nack,
             "drop, NACK blocked by the ToR: " + nack,
             "drop, no room in the switch: " + frame,
             "drop, dead link: " + frame,
             "drop, injected: " + frame,
             "switch # pauses port # class #",
             "switch # resumes port # class #",
             "link # fails",
             "link # is back",
             "new forwarding, # links down",
             "middleware of the ToRs is off",
             "QP # has a timeout at packet #",
             "QP # to host # is given up",
             "QP #: message # is delivered",
             "QP #: message # of # is acknowledged",
             "message # of group # step # is posted",
             "message # is given up",
             "the queue is full: # packets, # B"});
        NS_TEST_EXPECT_MSG_NE(log.Get().find("; themis "), std::string::npos, "what was built");
        NS_TEST_EXPECT_MSG_NE(log.Get().find("injected: data of QP 100 PSN 12 "),
                              std::string::npos,
                              "numbers");
        NS_TEST_EXPECT_MSG_NE(log.Get().find(": the queue is full\n"),
                              std::string::npos,
                              "IP drop");
    }

    void CheckBarrier()
    {
        std::unique_ptr<LogCatcher> log;
        LogRuns::RunBarrier([&log] { log = std::make_unique<LogCatcher>(LOG_LEVEL_INFO); });
        Expect(GetKinds(log->Get()),
               {"group # has done step #",
                "all is done: # messages acknowledged, # given up, # never started",
                "QP # hears that data of QP # PSN # from host # to host #, # B is lost",
                "starts: messages of # B to host #",
                "stops after # messages"});
        NS_TEST_EXPECT_MSG_EQ(log->Get().find("sends data"), std::string::npos, "no frame's line");
    }

    void DoRun() override
    {
        m_unlogged = LogRuns::RunFaults();
        CheckFaults();
        CheckBarrier();
        CheckCollective();
    }

    /** A collective's lines have the times of what they tell, also where it alone is logged. */
    void CheckCollective()
    {
        std::ostringstream text;
        std::streambuf* before = std::clog.rdbuf(text.rdbuf());
        WeftRig rig((WeftRigSetup()));
        const auto job = rig.helper.InstallWorkload("allreduce-ring bytes=800KB");
        LogComponentEnable("WeftCollective",
                           static_cast<LogLevel>(LOG_LEVEL_ALL | LOG_PREFIX_TIME));
        Simulator::Run();
        LogComponentDisable("WeftCollective",
                            static_cast<LogLevel>(LOG_LEVEL_ALL | LOG_PREFIX_ALL));
        std::clog.rdbuf(before);
        for (size_t i = 0; i < job->GetMessages().size(); i++)
        {
            std::ostringstream line;
            line << std::fixed << std::setprecision(12)
                 << TimeStep(static_cast<uint64_t>(job->GetTimes()[i].posted)).As(Time::S)
                 << " message " << i << " of group ";
            NS_TEST_EXPECT_MSG_NE(text.str().find(line.str()), std::string::npos, line.str());
        }
    }

    std::vector<uint64_t> m_unlogged; //!< what a run without logs came to
};

class WeftLogTestSuite : public TestSuite
{
  public:
    WeftLogTestSuite()
        : TestSuite("weft-log", Type::UNIT)
    {
        AddTestCase(new LogTestCase);
    }
};

WeftLogTestSuite g_weftLogTestSuite; //!< registers the suite

} // namespace
