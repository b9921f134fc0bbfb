// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Fabrics and workloads have Config paths. Without them a program that is driven by Config::Set()
 * or by ConfigStore cannot reach a fabric, and a configuration that it saves lacks all of it.
 */
#include "weft-death.h"
#include "weft-test-rig.h"

#include "ns3/config.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <string>

using namespace ns3;

namespace
{

/** Paths to attributes and trace sources, as long as there is the simulation. */
class PathTestCase : public TestCase
{
  public:
    PathTestCase()
        : TestCase("attributes and trace sources of fabrics and workloads have paths")
    {
    }

  private:
    void Done()
    {
        m_done++;
    }

    void DoRun() override
    {
        {
            WeftRig rig((WeftRigSetup()));
            const auto job = rig.helper.InstallWorkload("ring bytes=30KB");
            NS_TEST_ASSERT_MSG_EQ(Config::LookupMatches("/WeftFabricList/0").GetN(), 1, "fabric");
            Config::Set("/WeftFabricList/0/ConvergenceDelay", TimeValue(MicroSeconds(7)));
            TimeValue delay;
            rig.fabric->GetAttribute("ConvergenceDelay", delay);
            NS_TEST_EXPECT_MSG_EQ(delay.Get(), MicroSeconds(7), "an attribute");
            Config::ConnectWithoutContext("/WeftCollectiveList/*/Done",
                                          MakeCallback(&PathTestCase::Done, this));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(m_done, 1, "a trace source");
        }
        NS_TEST_EXPECT_MSG_EQ(Config::LookupMatches("/WeftFabricList/0").GetN(), 0, "none is left");
        WeftRig second((WeftRigSetup()));
        NS_TEST_EXPECT_MSG_EQ(Config::LookupMatches("/WeftFabricList/*").GetN(), 1, "of another");
    }

    uint32_t m_done{0}; //!< how often it was told
};

/** What ConfigStore does when it loads what it has saved. */
class SameValueTestCase : public TestCase
{
  public:
    SameValueTestCase()
        : TestCase("an attribute may be set to the value that it has, and no other, once built")
    {
    }

  private:
    /** @return what is said when the balancer of a fabric that is there is set */
    static std::string SetBalancer(const std::string& text)
    {
        return WeftDeathOf([&text] {
            WeftRig rig((WeftRigSetup()));
            const auto job = rig.helper.InstallWorkload("ring bytes=30KB");
            StringValue saved;
            job->GetAttribute("Workload", saved);
            Config::Set("/WeftCollectiveList/0/Workload", saved);
            Config::Set("/WeftFabricList/0/Balancer", StringValue(text));
        });
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(SetBalancer("ecmp"), "", "the same");
        NS_TEST_EXPECT_MSG_NE(SetBalancer("rsq").find("attribute Balancer was set after"),
                              std::string::npos,
                              "another one");
    }
};

class WeftConfigTestSuite : public TestSuite
{
  public:
    WeftConfigTestSuite()
        : TestSuite("weft-config", Type::UNIT)
    {
        AddTestCase(new PathTestCase);
        AddTestCase(new SameValueTestCase);
    }
};

WeftConfigTestSuite g_weftConfigTestSuite; //!< registers the suite

} // namespace
