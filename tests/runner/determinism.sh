#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: determinism.sh WEFT-RUNNER
# The same scenario and seed must give the same bytes: twice, with one process or several, from the
# resolved scenario of a run, under any scheduler of ns-3, and without ns-3. Else no result can be
# reproduced.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

run()
{
    out=$1
    shift
    "$weft" run "$@" --no-figures --out "$out" >/dev/null 2>messages || {
        cat messages
        exit 1
    }
    exported "$out"
    cp "$out"/*.csv "$out.runs"
}

# CSV files alone: provenance.txt has the time.
same()
{
    (cd "$1.runs" && find . -name '*.csv' | sort) >files
    [ "$(grep -c . files)" -gt 30 ] || { echo "$1 has too few files"; exit 1; }
    while read -r file; do
        cmp "$1.runs/$file" "$2.runs/$file" || { echo "FAILED: $3"; exit 1; }
    done <files
}

run one "$here/tiny.xml" -j 1
run two "$here/tiny.xml" -j 4
same one two 'a second time'
for scheduler in HeapScheduler CalendarScheduler; do
    export NS_GLOBAL_VALUE=SchedulerType=ns3::$scheduler # ns-3 reads it
    run $scheduler "$here/tiny.xml"
    same one $scheduler "under $scheduler"
done
unset NS_GLOBAL_VALUE
run plain "$here/tiny.xml" --host plain
same one plain 'without ns-3'
run ns3 "$here/tiny.xml" --host ns3
same one ns3 'in ns-3'

for name in ecmp_seed=1 themis_seed=2; do
    run again "one.runs/$name/scenario.xml"
    for file in one.runs/"$name"/*.csv; do
        cmp "$file" "again.runs/$name/${file##*/}" || { echo 'FAILED: resolved scenario'; exit 1; }
    done
    cmp "one.runs/$name/scenario.xml" "again.runs/$name/scenario.xml"
    rm -r again
done

run other "$here/tiny.xml" --set transport.rto=200us
cmp -s one.runs/rsq_seed=1/scenario.xml other.runs/rsq_seed=1/scenario.xml && exit 1
cmp -s one.runs/rsq_seed=1/qps.csv one.runs/rsq_seed=2/qps.csv && {
    echo 'FAILED: two seeds give the same'
    exit 1
}
echo 'all the same'
