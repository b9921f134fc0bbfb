# SPDX-License-Identifier: GPL-2.0-only
# Programs of a user's own: scratch/NAME.cc, a program each, which nothing but its own target builds.
file(GLOB weft_scratch CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/scratch/*.cc)
foreach(source ${weft_scratch})
  get_filename_component(name ${source} NAME_WE)
  add_executable(scratch-${name} EXCLUDE_FROM_ALL ${source})
  target_compile_options(scratch-${name} PRIVATE -ffp-contract=off ${WEFT_WARNINGS})
  target_link_libraries(scratch-${name} PRIVATE weft-ns3)
  set_target_properties(
    scratch-${name} PROPERTIES OUTPUT_NAME ${name}
                               RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/..
  )
endforeach()
