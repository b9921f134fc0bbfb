#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: stress.sh WEFT-RUNNER STRESS-SCENARIO STRESS-NET [FIRST [COUNT [JOBS]]]
# Simulates the small random scenarios FIRST, FIRST + 1, ... that STRESS-SCENARIO writes. Each must end,
# and either well, with all bytes accounted for, or by an error that says what is wrong: never by a
# signal, a sanitizer's report or a violated account. Of those that end well every fourth is simulated
# once more, without ns-3 and on 2 to 8 threads, or where WEFT_STRESS_RANKS says how many, on that many
# ranks, and must give the same tables. STRESS-NET runs each of them in the
# module's engine and in that of the C core, which must do the same. Scenarios that fail are kept.
set -eu
export LC_ALL=C

weft=$1
generator=$2
both=$3
first=${4:-1}
count=${5:-100}
jobs=${6:-$(nproc)}
work=${WEFT_STRESS_DIR:-$(mktemp -d)}
again="$weft"
if [ -n "${WEFT_STRESS_RANKS:-}" ]; then
    again="mpirun -n $WEFT_STRESS_RANKS $weft"
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_rmaps_base_oversubscribe=1
fi
mkdir -p "$work"
export ASAN_OPTIONS="${ASAN_OPTIONS:-}:allocator_may_return_null=1"
export UBSAN_OPTIONS=print_stacktrace=1
bad='AddressSanitizer|LeakSanitizer|runtime error:|conservation is violated|[Ss]ignal|terminate called|aborted|Assertion|NS_ASSERT|NS_FATAL|NS_ABORT'

# simulate COMMAND NUMBER SUFFIX OPTIONS: leaves its results in NUMBERSUFFIX, its messages beside.
simulate()
{
    command=$1
    number=$2
    suffix=$3
    shift 3
    status=0
    # shellcheck disable=SC2086 # a command in words
    timeout 300 $command run "$number.xml" --no-figures -j 1 --out "$number$suffix" "$@" \
        >"$number$suffix.out" 2>&1 || status=$?
    [ $status -le 2 ] && ! grep -qE "$bad" "$number$suffix.out" || return 3
    [ $status = 0 ] || grep -q 'error: ' "$number$suffix.out" || return 3
    return $status
}

# The same tables, in ns-3 or without, and however many threads.
same()
{
    for results in "$1" "$2"; do
        "$weft" export "$results"/runs/*.sqlite --to "$results.csv" || return 1
    done
    diff -r -x provenance.txt -x scenario.xml "$1.csv" "$2.csv"
}

# One scenario; prints what became of it.
try()
{
    "$generator" "$1" >"$1.xml" || { echo "failed $1 (no scenario)" && return; }
    status=0
    simulate "$weft" "$1" '' --threads 1 || status=$?
    case $status in
        0) result=passed ;;
        3) result=failed ;;
        *) result=refused ;;
    esac
    if [ $result = passed ] && [ $(($1 % 4)) = 0 ]; then
        result=twice
        threads=$(($1 / 4 % 7 + 2))
        if ! simulate "$again" "$1" -plain --host plain --threads $threads || ! same "$1" "$1-plain" >"$1.same"; then
            result=failed
        fi
    fi
    status=0
    timeout 300 "$both" "$1.xml" >"$1-both.out" 2>&1 || status=$?
    [ $status = 0 ] || [ $status = 2 ] || result=failed
    [ $result = failed ] || rm -rf "$1.xml" "$1" "$1.out" "$1"-*.out "$1-plain" "$1.csv" "$1-plain.csv" "$1.same"
    echo "$result $1"
}

# Numbers FIRST + JOB, FIRST + JOB + JOBS, ...
worker()
{
    number=$((first + $1))
    while [ $number -lt $((first + count)) ]; do
        try $number
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
failed=$(grep -c '^failed' results || true)
twice=$(grep -c '^twice' results || true)
echo "$count scenarios: $((count - refused - failed)) ended well ($twice of them the same on another" \
    "scheduler), $refused with an error that says why, $failed failed"
if [ "$failed" != 0 ]; then
    grep '^failed' results
    for number in $(sed -n 's/^failed //p' results | head -n 3); do
        cat "$number.xml"
        tail -n 40 "$number"*.out
    done
    echo "kept in $work"
    exit 1
fi
if [ $((2 * refused)) -gt "$count" ]; then
    echo "more than half are refused: stress-scenario.c writes too many that cannot end"
    exit 1
fi
[ -n "${WEFT_STRESS_DIR:-}" ] || rm -rf "$work"
