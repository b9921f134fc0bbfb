#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Who runs several fabrics at once, each on a thread of its own, or one on several threads, gets the
# results of each alone, and ThreadSanitizer sees nothing that two threads share. Nor do ranks share
# anything, each a thread here, of which some have threads of their own; nor what runs workloads.
set -eu
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S "$root" -B "$work" -G Ninja -DWEFT_CORE_ONLY=ON -DBUILD_TESTING=OFF \
    -DWEFT_SANITIZE=thread -DCMAKE_BUILD_TYPE=None "-DCMAKE_C_FLAGS=-O1 -fno-builtin-memcpy" >/dev/null
cmake --build "$work" >/dev/null
cc -std=c11 -O1 -g -fsanitize=thread -Wl,--wrap=pthread_create -I "$root/core-c/include" \
    "$root/tests/core/threads.c" "$work/core-c/libweft.a" -lm -lpthread -o "$work/threads"

tests=$root/tests/core
suites="ranks run-clock run-model run-planners"
for suite in $suites; do
    echo "SUITE(\"$suite\", $(echo "$suite" | tr - _)_suite)"
done >"$work/core-suites.h"
# shellcheck disable=SC2046,SC2086 # words of a command
cc -std=gnu11 -O1 -g -fsanitize=thread -I "$root/core-c/include" -I "$root/core-c" -I "$work" \
    "$tests/core-tests.c" "$tests"/net-*.c "$tests"/rank-*.c "$tests"/run-*.c \
    $(printf "$tests/test-%s.c " $suites) \
    "$work/core-c/libweft.a" $(pkg-config --cflags --libs check) -lm -lpthread -o "$work/suites"
for suite in $suites; do
    CK_FORK=no "$work/suites" --suite "$suite"
done
"$work/threads"
