# SPDX-License-Identifier: GPL-2.0-only
# CTest reads this before it runs anything (TEST_INCLUDE_FILES in CMakeLists.txt). Check would fail a
# test after 4 s, which a busy machine may need for any: only the limits of CTest count, 25 minutes
# where a test sets no other.
set(ENV{CK_DEFAULT_TIMEOUT} 0)
