# SPDX-License-Identifier: GPL-2.0-only
# Programs of a user's own: scratch/NAME.cc, a program each, which nothing but its own target builds. Beside a
# fabric they may have TCP and other modules of ns-3; a program loads only those that it uses.
include(${PROJECT_SOURCE_DIR}/ns3-module/ns3-package.cmake)
set(weft_scratch_modules)
foreach(module internet applications flow-monitor point-to-point csma)
  foreach(target ns3::lib${module} ns3::${module})
    if(TARGET ${target})
      list(APPEND weft_scratch_modules ${target})
    endif()
  endforeach()
endforeach()

file(GLOB weft_scratch CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scratch/*.cc)
foreach(source ${weft_scratch})
  get_filename_component(name ${source} NAME_WE)
  add_executable(scratch-${name} EXCLUDE_FROM_ALL ${source})
  target_compile_options(scratch-${name} PRIVATE -ffp-contract=off ${WEFT_WARNINGS})
  target_link_libraries(scratch-${name} PRIVATE weft-ns3 -Wl,--as-needed ${weft_scratch_modules})
  set_target_properties(
    scratch-${name} PROPERTIES OUTPUT_NAME ${name}
                               RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/..
  )
endforeach()
