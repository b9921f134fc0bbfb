# Copyright (c) 2026 The Weft Authors
# SPDX-License-Identifier: GPL-2.0-only
# The ns-3 module's files, from the root of the tree: read by both lives of the root CMakeLists.txt.
set(weft_module_sources
    ns3-module/helper/weft-helper.cc
    ns3-module/helper/weft-input-files.cc
    ns3-module/helper/weft-trace-helper.cc
    ns3-module/model/weft-channel.cc
    ns3-module/model/weft-choice.cc
    ns3-module/model/weft-collective.cc
    ns3-module/model/weft-connection.cc
    ns3-module/model/weft-fabric-hooks.cc
    ns3-module/model/weft-fabric-qps.cc
    ns3-module/model/weft-fabric-ranks.cc
    ns3-module/model/weft-fabric-setup.cc
    ns3-module/model/weft-fabric.cc
    ns3-module/model/weft-host-port.cc
    ns3-module/model/weft-link-faults.cc
    ns3-module/model/weft-memory.cc
    ns3-module/model/weft-net-device.cc
    ns3-module/model/weft-nic.cc
    ns3-module/model/weft-packet.cc
    ns3-module/model/weft-port.cc
    ns3-module/model/weft-rdma-application.cc
    ns3-module/model/weft-root.cc
    ns3-module/model/weft-service-levels.cc
    ns3-module/model/weft-switch.cc
    ns3-module/model/weft-ticks.cc
    ns3-module/model/weft-watched.cc
)

# Installed flat as <ns3/...>, so every name starts with weft-.
set(weft_module_headers
    ns3-module/helper/weft-helper.h
    ns3-module/helper/weft-input-files.h
    ns3-module/helper/weft-trace-helper.h
    ns3-module/model/weft-channel.h
    ns3-module/model/weft-choice.h
    ns3-module/model/weft-collective.h
    ns3-module/model/weft-connection.h
    ns3-module/model/weft-fabric.h
    ns3-module/model/weft-host-port.h
    ns3-module/model/weft-memory.h
    ns3-module/model/weft-net-device.h
    ns3-module/model/weft-nic.h
    ns3-module/model/weft-packet.h
    ns3-module/model/weft-port.h
    ns3-module/model/weft-qp.h
    ns3-module/model/weft-rdma-application.h
    ns3-module/model/weft-root.h
    ns3-module/model/weft-service-levels.h
    ns3-module/model/weft-switch.h
    ns3-module/model/weft-ticks.h
    ns3-module/model/weft-watched.h
)
