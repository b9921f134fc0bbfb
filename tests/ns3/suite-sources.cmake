# SPDX-License-Identifier: GPL-2.0-only
# The ns-3 test suites, from the root of the tree: read by both lives of the root CMakeLists.txt.
set(weft_suite_sources
)

# Their names, as ns-3's test runner lists them.
set(weft_suites
)
