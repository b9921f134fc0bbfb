#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Assertions on, under the address and undefined-behaviour sanitizers: the core's tests, those of the
# runner that need no simulator, a moment of each fuzz target, a thousand random scenarios through the
# runner and the ns-3 module, and a few runs by two ranks of MPI, if it is there. The installed ns-3
# itself is not built so.
set -eu
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$root/build/sanitized
cmake -S "$root" -B "$work" -G Ninja -DWEFT_SANITIZE=address,undefined,float-cast-overflow \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O2 -DCMAKE_CXX_FLAGS=-O1
ninja -C "$work" --quiet tests/core/all tests/fuzz/all tests/runner/all weft-runner stress-scenario stress-net
# Check ends each test's own process, and looking for its leaks would take longer than the test. The
# core allocates nothing.
ASAN_OPTIONS=detect_leaks=0 ctest --test-dir "$work" --output-on-failure --no-tests=error -j 2 \
    -R '^(core-.*|fuzz-.*|runner-(scenario|distribution|bad-input))$'
"$root/tests/stress/stress.sh" "$work/weft-runner" "$work/stress-scenario" \
    "$work/stress-net" 1001 1000 2
sh "$root/tests/runner/sanitized-ranks.sh" "$work/weft-runner"
