#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Fuzzes targets one after the other, see README.md: fuzz.sh [-t SECONDS] [TARGET...]
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
work=${WEFT_FUZZ_BUILD:-$root/build/fuzzers}
seconds=600
if [ "${1:-}" = -t ]; then
    seconds=$2
    shift 2
fi
CC=clang CXX=clang++ cmake -S "$root" -B "$work" -G Ninja -DWEFT_FUZZ=ON >/dev/null
if [ $# -eq 0 ]; then
    for source in "$root"/tests/fuzz/fuzz-*.c*; do
        name=$(basename "${source%.c*}")
        [ "$name" = fuzz-driver ] || set -- "$@" "${name#fuzz-}"
    done
fi
failed=
for target; do
    ninja -C "$work" "fuzz-$target" >/dev/null
    found=$work/found/$target
    corpus=$root/tests/fuzz/corpus/$target
    mkdir -p "$found"
    [ -d "$corpus" ] || corpus=
    echo "fuzz-$target: $seconds s, log $found.log"
    # shellcheck disable=SC2086 # no folder, or one
    "$work/fuzz-$target" -max_total_time="$seconds" -close_fd_mask=3 -print_final_stats=1 \
        -max_len=4096 -timeout=20 -rss_limit_mb=4096 -artifact_prefix="$found-" \
        "$found" $corpus 2>"$found.log" || failed="$failed $target"
    sed -n 's/^stat::number_of_executed_units: */  executions: /p
            s/^SUMMARY: /  /p
            s/^.*Test unit written to /  input: /p' "$found.log"
done
[ -z "$failed" ] || {
    echo "stopped by an input:$failed"
    exit 1
}
