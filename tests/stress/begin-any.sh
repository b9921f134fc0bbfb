#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: begin-any.sh WEFT-RUNNER ANY-SCENARIO [FIRST [ACCEPTED [JOBS]]]
# What `validate` accepts, `run` begins: of the scenarios FIRST, FIRST + 1, ... that ANY-SCENARIO writes, as
# many are run as are to be accepted. Each run must end well, or at its limit, or say which messages can never
# arrive; one that is refused when it begins, or ends by a signal, fails, and so does a scenario that
# `validate` refuses without a line. Else a sweep of a day ends where it begins. Scenarios that fail are kept.
set -eu
export LC_ALL=C

weft=$1
generator=$2
first=${3:-1}
wanted=${4:-100}
jobs=${5:-$(nproc)}
work=${WEFT_STRESS_DIR:-$(mktemp -d)}
mkdir -p "$work"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:allocator_may_return_null=1"
bad='AddressSanitizer|LeakSanitizer|runtime error:|conservation is violated|terminate called|aborted|Assertion|NS_ASSERT|NS_FATAL|NS_ABORT'

# begins NUMBER: runs it. Its runs end well, or with messages that are left.
begins()
{
    status=0
    timeout 120 "$weft" run "$1.xml" --no-figures --threads 1 -j 1 --out "$1.results" >"$1.out" 2>"$1.messages" || status=$?
    grep -qE "$bad" "$1.messages" && return 1
    [ $status = 0 ] && return 0
    [ $status = 1 ] && grep -q '^\[.*: error: ' "$1.messages" &&
        ! grep '^\[.*: error: ' "$1.messages" | grep -qv 'messages were not delivered'
}

# One scenario; prints what became of it.
try()
{
    "$generator" "$1" >"$1.xml" || { echo "failed $1 (no scenario)" && return; }
    status=0
    timeout 60 "$weft" validate "$1.xml" >"$1.out" 2>"$1.messages" || status=$?
    result=failed
    if [ $status = 2 ] && grep -q "^$1.xml:[0-9]*: error: " "$1.messages"; then
        result=refused
    elif [ $status = 0 ] && begins "$1"; then
        result=begun
    fi
    [ $result = failed ] || rm -rf "$1.xml" "$1.out" "$1.messages" "$1.results" "$1"-graph.txt "$1"-f.csv "$1"-s.txt
    echo "$result $1"
}

# Numbers FIRST + JOB, FIRST + JOB + JOBS, ... until enough are accepted
worker()
{
    number=$((first + $1))
    left=$(((wanted - $1 + jobs - 1) / jobs))
    while [ $left -gt 0 ]; do
        said=$(try $number)
        echo "$said"
        [ "${said%% *}" = refused ] || left=$((left - 1))
        number=$((number + jobs))
    done >"results.$1"
}

cd "$work"
job=0
while [ $job -lt "$jobs" ]; do
    worker $job &
    job=$((job + 1))
done
wait
cat results.* >results
refused=$(grep -c '^refused' results || true)
begun=$(grep -c '^begun' results || true)
failed=$(grep -c '^failed' results || true)
echo "$((refused + begun + failed)) scenarios: $refused refused by validate with a line, $((begun + failed)) accepted," \
    "$begun of them begun, $failed failed"
if [ "$failed" != 0 ]; then
    grep '^failed' results
    for number in $(sed -n 's/^failed //p' results | head -n 3); do
        cat "$number.xml" "$number.messages"
    done
    echo "kept in $work"
    exit 1
fi
if [ "$refused" -gt $((9 * begun)) ]; then
    echo "nine of ten are refused: any-scenario.c writes too few that can begin"
    exit 1
fi
[ -n "${WEFT_STRESS_DIR:-}" ] || rm -rf "$work"
