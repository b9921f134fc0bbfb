#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Who runs several fabrics at once, each on a thread of its own, or one on several threads, gets the
# results of each alone, and ThreadSanitizer sees nothing that two threads share.
set -eu
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake -S "$root" -B "$work" -G Ninja -DWEFT_CORE_ONLY=ON -DBUILD_TESTING=OFF \
    -DWEFT_SANITIZE=thread -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O1 >/dev/null
cmake --build "$work" >/dev/null
cc -std=c11 -O1 -g -fsanitize=thread -I "$root/core-c/include" "$root/tests/core/threads.c" \
    "$work/core-c/libweft.a" -lm -lpthread -o "$work/threads"
"$work/threads"
