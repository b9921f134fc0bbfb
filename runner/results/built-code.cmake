# SPDX-License-Identifier: GPL-2.0-only
# cmake -DROOT=TREE -DHEADER=FILE -P built-code.cmake
#
# Writes hashes of the code that makes results: one of the simulator, which every run uses, and one
# of each algorithm in core-c/roster/roster.h. They are of texts, comments and indentation left out, so
# every machine and compiler has the same; provenance.c says which of them a run has used.
#
# The simulator is SIMULATOR, below, with all of core-c/ that it reaches; and what nothing reaches,
# to be on the safe side. An algorithm is the file of its table with all that this one reaches and
# the simulator does not. A file reaches the headers that it includes and, for each weft_name that it
# calls or refers to, the file that defines it.
cmake_minimum_required(VERSION 3.13)

# What makes a run of a scenario: distribution.c and the like make numbers of its tables.
set(SIMULATOR
  inputs/*.c inputs/*.h
  ns3-module/helper/*.cc ns3-module/helper/*.h ns3-module/model/*.cc ns3-module/model/*.h
  ns3-module/model/event/*.cc ns3-module/model/event/*.h runner/run/*.c runner/run/*.cc
  runner/run/*.h runner/scenario/*.c runner/scenario/*.h runner/results/columns.c
  runner/results/distribution.c runner/results/results.h runner/results/results-tables.h
)
# A name in quotes may mean any algorithm.
set(FIND "weft_(|lb_|cc_|transport_|scheduler_|topology_|workload_)find|weft_registries")

# What CMake's lists are not safe with, and what stands for it.
string(ASCII 1 BACKSLASH)
string(ASCII 2 END)
string(ASCII 3 OPEN)
string(ASCII 4 CLOSE)

# Sets OUT to the text of a file without comments, with a line end before it.
function(read_code out file)
  file(READ ${ROOT}/${file} text)
  string(REPLACE "\\" "${BACKSLASH}" text "\n${text}")
  string(REPLACE ";" "${END}" text "${text}")
  string(REPLACE "[" "${OPEN}" text "${text}")
  string(REPLACE "]" "${CLOSE}" text "${text}")
  set(escaped "${BACKSLASH}.")
  set(string "\"([^\"\n${BACKSLASH}]|${escaped})*\"")
  set(character "'([^'\n${BACKSLASH}]|${escaped})*'")
  set(comment "/[*][^*]*[*]+([^/*][^*]*[*]+)*/|//[^\n]*")
  string(REGEX MATCHALL "${string}|${character}|${comment}|[^\"'/]+|[\"'/]" pieces "${text}")
  list(FILTER pieces EXCLUDE REGEX "^/[*/]")
  string(REPLACE ";" "" text "${pieces}")
  set(${out} "${text}" PARENT_SCOPE)
endfunction()

# Sets hash_FILE; names_FILE, the headers and the weft_names in it; defined_FILE, those it defines.
function(read_source file)
  read_code(text ${file})
  string(REGEX REPLACE "[ \t]*\n[ \t\n]*" "\n" squeezed "${text}")
  string(SHA256 hash "${squeezed}")
  set(hash_${file} ${hash} PARENT_SCOPE)

  string(REGEX MATCHALL "\n#include [\"<][^\">\n]+" names "${text}")
  list(TRANSFORM names REPLACE "\n#include [\"<]" "")
  set(used "${text}")
  if(file MATCHES "[.]h$") # what it only declares it does not use
    string(REGEX REPLACE "(return|else)[ \n]+weft_" "\\1.weft_" used "${used}")
    set(declaration "[A-Za-z0-9_]+[ \n]+[*]*weft_[A-Za-z0-9_]+[(][^{${END}]*[)]${END}")
    string(REGEX REPLACE "${declaration}" "" used "${used}")
  endif()
  string(REGEX MATCHALL "weft_[A-Za-z0-9_]+" mentioned "${used}")
  list(APPEND names ${mentioned})
  list(REMOVE_DUPLICATES names)
  set(names_${file} "${names}" PARENT_SCOPE)

  # A definition begins at the margin.
  set(opening "[(=${OPEN}]")
  string(REGEX MATCHALL "\n([A-Za-z_][^\n(=${END}]*[ *])?weft_[A-Za-z0-9_]+ *${opening}" defined "${text}")
  list(FILTER defined EXCLUDE REGEX "^\nstatic ")
  list(TRANSFORM defined REPLACE "^.*(weft_[A-Za-z0-9_]+) *${opening}$" "\\1")
  set(defined_${file} "${defined}" PARENT_SCOPE)
endfunction()

# Sets OUT to FILES and all that they reach but for STOP.
function(reach out files stop)
  foreach(file IN LISTS stop)
    set(seen_${file} 1)
  endforeach()
  set(reached "")
  while(files)
    set(next "")
    foreach(file IN LISTS files)
      if(NOT seen_${file})
        set(seen_${file} 1)
        list(APPEND reached ${file})
        foreach(name IN LISTS names_${file})
          list(APPEND next ${place_${name}})
        endforeach()
      endif()
    endforeach()
    set(files ${next})
  endwhile()
  set(${out} "${reached}" PARENT_SCOPE)
endfunction()

# Adds "#define NAME hash of FILES" to the header's text.
function(add_hash name files)
  set(all "")
  list(SORT files)
  foreach(file IN LISTS files)
    string(APPEND all "${file} ${hash_${file}}\n")
  endforeach()
  string(SHA256 hash "${all}")
  string(SUBSTRING ${hash} 0 12 hash)
  set(header "${header}#define ${name} \"${hash}\"\n" PARENT_SCOPE)
endfunction()

# --- the sources ------------------------------------------------------------------------------------

list(TRANSFORM SIMULATOR PREPEND ${ROOT}/)
file(GLOB simulator RELATIVE ${ROOT} ${SIMULATOR})
file(GLOB core RELATIVE ${ROOT} ${ROOT}/core-c/*/*.[ch] ${ROOT}/core-c/include/weft/*.h)
list(REMOVE_ITEM core core-c/roster/roster.h) # it only says which algorithms there are
foreach(file IN LISTS simulator core)
  read_source(${file})
endforeach()
foreach(file IN LISTS core)
  string(REGEX REPLACE "^core-c/(include/)?" "" name ${file})
  set(place_${name} ${file})
  foreach(name IN LISTS defined_${file})
    if(file MATCHES "[.]c$")
      list(APPEND place_${name} ${file})
    endif()
  endforeach()
endforeach()
file(READ ${ROOT}/core-c/roster/roster.h roster)
string(REGEX MATCHALL "X[(]weft_[A-Za-z0-9_]+[)]" tables "${roster}")
list(TRANSFORM tables REPLACE "^X[(](.*)[)]$" "\\1")

# --- who uses what ----------------------------------------------------------------------------------

reach(engine "${simulator}" "")
set(rest ${core})
list(REMOVE_ITEM rest ${engine})
set(others ${rest})
foreach(table IN LISTS tables)
  reach(files_${table} "${place_${table}}" "${engine}")
  if(files_${table})
    list(REMOVE_ITEM others ${files_${table}})
  endif()
  foreach(file IN LISTS files_${table})
    if(names_${file} MATCHES "(^|;)(${FIND})(;|$)")
      set(files_${table} ${rest})
    endif()
  endforeach()
  if(NOT place_${table}) # written in a way that is not understood above
    set(files_${table} ${rest})
  endif()
endforeach()

# --- the commit -------------------------------------------------------------------------------------

# Runs git; in a tree without its .git, or without git, there is no output.
function(git out)
  execute_process(
    COMMAND git -c safe.directory=${ROOT} -c core.quotePath=false ${ARGN}
    WORKING_DIRECTORY ${ROOT} OUTPUT_VARIABLE output OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
  )
  set(${out} "${output}" PARENT_SCOPE)
endfunction()

set(commit "")
if(EXISTS ${ROOT}/.git)
  git(commit rev-parse --short=12 HEAD)
  git(changed diff --name-only HEAD -- CMakeLists.txt core-c inputs ns3-module runner)
  git(new ls-files --others --exclude-standard -- core-c inputs ns3-module runner)
  string(REPLACE "\n" ";" changed "${changed}\n${new}")
  list(REMOVE_ITEM changed "")
  set(difference "")
  foreach(file IN LISTS changed)
    set(hash gone)
    if(EXISTS ${ROOT}/${file})
      file(SHA256 ${ROOT}/${file} hash)
    endif()
    string(APPEND difference "${file} ${hash}\n")
  endforeach()
  if(commit AND difference)
    string(SHA256 hash "${difference}")
    string(SUBSTRING ${hash} 0 12 hash)
    string(APPEND commit "-modified ${hash}")
  endif()
endif()

# --- the header -------------------------------------------------------------------------------------

set(header "/* Made by built-code.cmake. */\n#define BUILT_COMMIT \"${commit}\"\n")
add_hash(BUILT_SIMULATOR "${engine};${others}")
foreach(table IN LISTS tables)
  add_hash(BUILT_${table} "${files_${table}}")
endforeach()
set(former "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} former)
endif()
if(NOT former STREQUAL header) # what includes it is compiled only if it differs
  file(WRITE ${HEADER} "${header}")
endif()
