# SPDX-License-Identifier: GPL-2.0-only
# The ns-3 test suites, from the root of the tree: read by both lives of the root CMakeLists.txt.
set(weft_suite_sources
    tests/ns3/allocation-counter.cc
    tests/ns3/lane-scheduler-test-suite.cc
    tests/ns3/naive-fabric.c
    tests/ns3/weft-arena-test-suite.cc
    tests/ns3/weft-context-test-suite.cc
    tests/ns3/weft-convergence-test-suite.cc
    tests/ns3/weft-determinism-test-suite.cc
    tests/ns3/weft-erasure-test-suite.cc
    tests/ns3/weft-fabric-simulator-test-suite.cc
    tests/ns3/weft-fabric-test-suite.cc
    tests/ns3/weft-failure-test-suite.cc
    tests/ns3/weft-golden-test-suite.cc
    tests/ns3/weft-naive-test-suite.cc
    tests/ns3/weft-netdevice-test-suite.cc
    tests/ns3/weft-simulator-threads-test-suite.cc
    tests/ns3/weft-simulator-trace-test-suite.cc
    tests/ns3/weft-spraying-test-suite.cc
    tests/ns3/weft-themis-test-suite.cc
    tests/ns3/weft-timing-test-suite.cc
    tests/ns3/weft-unreachable-test-suite.cc
    tests/ns3/weft-window-test-suite.cc
)

# Their names, as ns-3's test runner lists them.
set(weft_suites
    weft-lane-scheduler
    weft-arena
    weft-context
    weft-convergence
    weft-determinism
    weft-erasure
    weft-fabric-simulator
    weft-fabric
    weft-failure
    weft-golden
    weft-naive
    weft-netdevice
    weft-simulator-threads
    weft-simulator-trace
    weft-spraying
    weft-themis
    weft-timing
    weft-unreachable
    weft-window
)
