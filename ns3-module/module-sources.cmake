# Copyright (c) 2026 The Weft Authors
# SPDX-License-Identifier: GPL-2.0-only
# The ns-3 module's files, from the root of the tree: read by both lives of the root CMakeLists.txt.
set(weft_module_sources
    ns3-module/helper/weft-helper.cc
    ns3-module/model/event/weft-arena.cc
    ns3-module/model/event/weft-event-lanes.cc
    ns3-module/model/event/weft-event-wheel.cc
    ns3-module/model/event/weft-fabric-simulator.cc
    ns3-module/model/event/weft-lane-scheduler.cc
    ns3-module/model/weft-accounts.cc
    ns3-module/model/weft-channel.cc
    ns3-module/model/weft-choice.cc
    ns3-module/model/weft-collective.cc
    ns3-module/model/weft-connection.cc
    ns3-module/model/weft-fabric-setup.cc
    ns3-module/model/weft-fabric.cc
    ns3-module/model/weft-injected-losses.cc
    ns3-module/model/weft-instant.cc
    ns3-module/model/weft-link-faults.cc
    ns3-module/model/weft-loss-teller.cc
    ns3-module/model/weft-net-device.cc
    ns3-module/model/weft-nic-active.cc
    ns3-module/model/weft-nic-ip.cc
    ns3-module/model/weft-nic-timer.cc
    ns3-module/model/weft-nic.cc
    ns3-module/model/weft-packet.cc
    ns3-module/model/weft-planner.cc
    ns3-module/model/weft-port-classes.cc
    ns3-module/model/weft-port.cc
    ns3-module/model/weft-qp-store.cc
    ns3-module/model/weft-rdma-application.cc
    ns3-module/model/weft-service-level.cc
    ns3-module/model/weft-service-levels.cc
    ns3-module/model/weft-sites.cc
    ns3-module/model/weft-switch-classes.cc
    ns3-module/model/weft-switch-settling.cc
    ns3-module/model/weft-switch-tor.cc
    ns3-module/model/weft-switch.cc
    ns3-module/model/weft-tor-balancer.cc
)

# The event loop's tournament must stay free of branches: see docs/performance.md.
set(weft_event_loop ns3-module/model/event/weft-fabric-simulator.cc)
set(weft_event_loop_options)
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  set(weft_event_loop_options -fno-split-paths)
endif()

# Installed flat as <ns3/...>, so every name starts with weft-.
set(weft_module_headers
    ns3-module/helper/weft-helper.h
    ns3-module/model/event/weft-arena.h
    ns3-module/model/event/weft-event-lanes.h
    ns3-module/model/event/weft-event-wheel.h
    ns3-module/model/event/weft-fabric-event.h
    ns3-module/model/event/weft-fabric-simulator.h
    ns3-module/model/event/weft-lane-scheduler.h
    ns3-module/model/weft-accounts.h
    ns3-module/model/weft-channel.h
    ns3-module/model/weft-choice.h
    ns3-module/model/weft-collective.h
    ns3-module/model/weft-connection.h
    ns3-module/model/weft-fabric.h
    ns3-module/model/weft-injected-losses.h
    ns3-module/model/weft-instant.h
    ns3-module/model/weft-link-faults.h
    ns3-module/model/weft-loss-teller.h
    ns3-module/model/weft-net-device.h
    ns3-module/model/weft-nic.h
    ns3-module/model/weft-packet.h
    ns3-module/model/weft-planner.h
    ns3-module/model/weft-port.h
    ns3-module/model/weft-qp-store.h
    ns3-module/model/weft-qp.h
    ns3-module/model/weft-rdma-application.h
    ns3-module/model/weft-receiver.h
    ns3-module/model/weft-service-level.h
    ns3-module/model/weft-service-levels.h
    ns3-module/model/weft-sites.h
    ns3-module/model/weft-switch.h
    ns3-module/model/weft-tor-balancer.h
)
