#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The core's tests with assertions on, under the address and undefined-behaviour sanitizers.
set -eu
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$root/build/sanitized
cmake -S "$root" -B "$work" -G Ninja -DWEFT_CORE_ONLY=ON -DWEFT_SANITIZE=address,undefined \
    -DCMAKE_BUILD_TYPE=Release
ninja -C "$work" --quiet
ctest --test-dir "$work" --output-on-failure --no-tests=error -j 2
