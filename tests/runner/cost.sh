#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: cost.sh WEFT-RUNNER
# What a run takes must be told before it: else a user learns from a machine that swaps, or from a
# job that was killed after a day, that a scenario was too large.
# shellcheck disable=SC3045 # ulimit -v: dash and bash have it
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME TOPOLOGY ELEMENTS
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology $2/>
  $3
</scenario>
END
}

# Without loss and reordering the estimate is what is counted, packet for packet. In the file of
# costs the hops are the fifth number, behind a mark if they are extrapolated.
leaf_spine='kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps"'
fat_tree='kind="fat-tree" k="4" link-rate="400Gbps"'
sack='<transport name="sack"/><balancer name="rsq"/>'
scenario ring "$leaf_spine" '<balancer name="ecmp"/><workload kind="ring" bytes="1MB" groups="4"/>'
scenario blocked "$fat_tree" "$sack"'<workload kind="ring" bytes="1MB" groups="2" placement="blocked"/>'
scenario permutation "$fat_tree" "$sack"'<workload kind="permutation" bytes="100001B"/>'
scenario alltoall "$leaf_spine" '<fabric ack-every="4"/><balancer name="ecmp"/><workload kind="alltoall" bytes="1MB"/>'
scenario allreduce "$fat_tree" '<transport name="sack"/><balancer name="ecmp"/><fabric ack-priority="ideal"/><workload kind="allreduce-ring" bytes="2MB" groups="4"/>'
scenario fsdp "$fat_tree" "$sack"'<workload kind="fsdp" bytes="20KB" layers="3" gpus="4"/>'
for name in ring blocked permutation alltoall allreduce fsdp; do
    "$weft" validate --cost $name.xml >costs 2>messages || fail "$name: exit status $?"
    told=$(awk -v name=$name '$NF == name { print $5 }' costs)
    "$weft" run $name.xml --no-figures --out $name >out 2>messages || fail "$name: it does not run"
    counted=$(column $name/summary.csv packet_hops)
    resent=$(column $name/summary.csv data_resent)
    [ "$resent" = 0 ] || fail "$name: $resent packets were sent again; the test wants none"
    [ "$told" = "$counted" ] || fail "$name: $told packet-hops were told, $counted counted"
done
grep -q 'ns per packet-hop.*measured on this machine' costs || fail 'where the speed comes from'

# What a ToR keeps for each QP counts: 200,000 QPs take 16 B each with letflow, and none with ecmp.
many='kind="leaf-spine" leaves="16" spines="4" hosts-per-leaf="28"'
for balancer in ecmp letflow; do
    scenario many "$many" "<balancer name=\"$balancer\"/><workload kind=\"alltoall\" bytes=\"1KB\"/>"
    "$weft" validate --cost many.xml >costs-$balancer 2>messages || fail "many QPs, $balancer"
done
cat costs-ecmp costs-letflow | awk '$NF == "many" { for (i = 1; i <= NF; i++) if ($i ~ /^[MG]B$/) {
        told[++n] = $(i - 1) * ($i == "GB" ? 1000 : 1); break } }
    END { exit !(n == 2 && told[2] - told[1] >= 2 && told[2] - told[1] <= 8) }' ||
    fail "what ToRs keep of QPs is not told: $(grep many costs-ecmp costs-letflow)"

# Memory within 30 %, where the fabric is more than the program.
scenario memory 'kind="fat-tree" k="16" link-rate="400Gbps"' "$sack"'<workload kind="alltoall" bytes="64KiB" groups="64"/>'
"$weft" validate --cost memory.xml >costs 2>messages || fail 'memory'
told=$(awk '$NF == "memory" { for (i = 1; i <= NF; i++) if ($i == "MB") { print $(i - 1); exit } }' costs)
"$weft" run memory.xml --no-figures --out memory >out 2>messages || fail 'memory: it does not run'
exported memory
taken=$(awk '/^peak memory/ { printf "%.0f", $3 * 1.024e-3 }' memory.runs/memory/provenance.txt)
# The sanitizers' own memory is not told.
case $(nm -D "$weft" 2>/dev/null | grep -c asan_init) in
0)
    if [ $((told * 10)) -lt $((taken * 7)) ] || [ $((told * 10)) -gt $((taken * 13)) ]; then
        fail "$told MB were told, $taken MB taken"
    fi
    ;;
esac

# Too large for any machine: refused before anything is made, by all who run; small while it is told.
scenario huge 'kind="leaf-spine" leaves="1024" spines="1024" hosts-per-leaf="1024" link-rate="100Gbps"' \
    '<switch buffer="4GB"/><balancer name="rsq"/><workload kind="permutation" bytes="1MB"/>
     <sweep><seeds count="3"/></sweep>'
scenario samples "$leaf_spine" '<balancer name="rsq"/><workload kind="ring" bytes="1000GB"/>
    <measure interval="1ns" queues="on"/><limit time="100s"/>'
(
    ulimit -v 4000000
    for name in huge samples; do
        ends 2 "$weft" run $name.xml --out $name
        grep -q "^$name.xml: error: run .* will take about .* of memory, and .*--exceed-memory" messages ||
            fail "run $name: no word about memory"
        [ ! -e $name ] || fail "run $name: made the results folder"
        "$weft" validate $name.xml >out 2>messages || fail "validate $name"
        ends 2 "$weft" validate --cost $name.xml
    done
) || exit 1
(
    ulimit -v 300000
    "$weft" validate --cost huge.xml --exceed-memory >out 2>messages || fail 'estimating takes memory'
) || exit 1

# What fits the limit is run; what does not, may be tried.
scenario large 'kind="fat-tree" k="16" link-rate="400Gbps"' "$sack"'<workload kind="alltoall" bytes="64KiB" groups="8"/>'
(
    ulimit -v 120000
    ends 2 "$weft" run large.xml --no-figures --out tried
    grep -q 'ulimit -v' messages || fail 'whose limit it is'
    "$weft" run ring.xml --no-figures --out tried >out 2>messages || fail 'a small run is refused'
) || exit 1

# A sum over no runs is none.
ends 2 "$weft" validate --cost memory.xml --only zzz
grep -q "no run matches 'zzz'" messages || fail 'costs of no runs: no message'
grep -q 'CPU time' out && fail 'costs of no runs are printed'

# A limit before a known bound.
ends 2 "$weft" run permutation.xml --set limit.time=1us --out bound
grep -q 'of <limit> is less than the .* ms that the workload takes at least' messages || fail 'no word about the bound'
[ ! -e bound ] || fail 'a limit that is too early: something was run'
"$weft" validate permutation.xml --set limit.time=1us --set limit.then=stop >out 2>messages ||
    fail 'then="stop" is refused before a bound'
"$weft" validate "$here/tiny.xml" >out 2>messages || fail 'tiny.xml'
echo 'costs are told'
