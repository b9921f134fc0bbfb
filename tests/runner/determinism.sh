#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: determinism.sh WEFT-RUNNER
# The same scenario and seed must give the same bytes: twice, with one process or several, from the
# resolved scenario of a run, and under ns-3's own simulator and scheduler. Else no result can be
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

# CSV files alone: scenario.xml names simulator and scheduler, provenance.txt the time.
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
run map "$here/tiny.xml" --scheduler MapScheduler
same one map 'under MapScheduler'
run heap "$here/tiny.xml" --scheduler HeapScheduler
same one heap 'under HeapScheduler'
grep -q 'value="ns3::MapScheduler"' map.runs/themis_seed=1/scenario.xml

default='<global name="SimulatorImplementationType" value="ns3::DefaultSimulatorImpl"/>'
sed "s,<limit ,$default&," "$here/tiny.xml" >default.xml
run default default.xml
same one default "under ns-3's simulator"
run both default.xml --scheduler MapScheduler
same one both "under ns-3's simulator and scheduler"
for name in DefaultSimulatorImpl MapScheduler; do
    grep -q "value=\"ns3::$name\"" both.runs/themis_seed=1/scenario.xml
done

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
