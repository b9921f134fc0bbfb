#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: whole-fabric.sh WEFT-RUNNER LIBRARY
# examples/embedding/fabric.c, which drives a fabric of the C core without ns-3, has the results of the
# same scenario. If this fails, who takes the core into another simulator gets other results than the
# papers' figures have.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
library=$2
root=$here/../..

cc -std=c11 -O2 -I"$root/core-c/include" -o fabric "$root/examples/embedding/fabric.c" "$library" -lm 2>messages ||
    fail 'examples/embedding/fabric.c'

for balancer in themis ecmp ofan drill reps; do
    cat >scenario.xml <<END
<scenario name="$balancer">
  <topology kind="leaf-spine" leaves="8" spines="8" hosts-per-leaf="8" link-rate="100Gbps"/>
  <balancer name="$balancer"/>
  <transport name="nic-sr"/>
  <congestion-control name="dcqcn"/>
  <workload kind="permutation" pattern="shift" shift="32" bytes="300KB"/>
</scenario>
END
    "$weft" run scenario.xml --no-figures --out "$balancer" >out 2>messages || fail "$balancer: exit status $?"
    exported "$balancer"
    summary=$balancer.runs/$balancer/summary.csv
    blocked=0
    tors=$balancer.runs/$balancer/tors.csv
    [ ! -e "$tors" ] || blocked=$(column "$tors" blocked | awk '{ sum += $1 } END { print sum }')
    expected=$(printf '64 of 64 messages after %.3f us, %s NACKs blocked' "$(column "$summary" cct_us)" "$blocked")
    ./fabric "$balancer" 300000 | sed 's/, [0-9]* links crossed//' >fabric.txt
    [ "$(cat fabric.txt)" = "$expected" ] || fail "$balancer: $(cat fabric.txt); the scenario: $expected"
done
