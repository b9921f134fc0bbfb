#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Assertions on, under the address and undefined-behaviour sanitizers: the core's tests, those of the
# runner that need no simulator, and random scenarios through the runner and the ns-3 module. (The
# installed ns-3 itself is not built so; what it is called with is seen all the same.)
set -eu
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$root/build/sanitized
cmake -S "$root" -B "$work" -G Ninja -DWEFT_SANITIZE=address,undefined,float-cast-overflow \
    -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O2 -DCMAKE_CXX_FLAGS=-O1
ninja -C "$work" --quiet weft-core-tests weft-scenario-tests weft-distribution-tests weft-runner \
    fuzz-scenario stress-scenario
ctest --test-dir "$work" --output-on-failure --no-tests=error -j 2 \
    -R '^(core-.*|fuzz-.*|runner-(scenario|distribution|bad-input))$'
"$root/tests/stress/stress.sh" "$work/weft-runner" "$work/stress-scenario" 1001 1000 2
