# Copyright (c) 2026 The Weft Authors
# SPDX-License-Identifier: GPL-2.0-only
# Finds an installed ns-3 for the folder that includes this: imported targets are known there only.
find_package(ns3 REQUIRED) # its version file accepts exact versions only, so none is asked for

# Debian's targets name folders of packages that its own does not depend on (Python's): CMake refuses
# those that are not there. Targets are ns3::libcore up to 3.42 and ns3::core since.
foreach(module core stats network bridge traffic-control internet applications flow-monitor point-to-point csma)
  foreach(target ns3::lib${module} ns3::${module})
    if(TARGET ${target})
      set(present)
      get_target_property(folders ${target} INTERFACE_INCLUDE_DIRECTORIES)
      foreach(folder ${folders})
        if(folder MATCHES "^\\$<" OR EXISTS "${folder}")
          list(APPEND present ${folder})
        endif()
      endforeach()
      set_target_properties(${target} PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${present}")
    endif()
  endforeach()
endforeach()
