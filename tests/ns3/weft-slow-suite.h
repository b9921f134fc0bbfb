// SPDX-License-Identifier: GPL-2.0-only
/** @file weft-slow-suite.h  Suites with test cases that take seconds. */
#ifndef WEFT_SLOW_SUITE_H
#define WEFT_SLOW_SUITE_H

#include "ns3/test.h"

/** A suite with test cases that take seconds: ns-3's test.py leaves these out, unless it is told
 * --fullness=EXTENSIVE. */
class WeftSlowSuite : public ns3::TestSuite
{
  public:
    using TestSuite::TestSuite;

  protected:
    /** @param testCase that takes seconds */
    void AddSlow(ns3::TestCase* testCase)
    {
        AddExtensive(testCase, &WeftSlowSuite::AddTestCase);
    }

  private:
    /** The type of a duration has another name, and scope, from ns-3.42 on.
     * @tparam Duration that type @param testCase to be added @param add adds it */
    template <typename Duration>
    void AddExtensive(ns3::TestCase* testCase, void (ns3::TestCase::*add)(ns3::TestCase*, Duration))
    {
        (this->*add)(testCase, Duration::EXTENSIVE);
    }
};

#endif // WEFT_SLOW_SUITE_H
