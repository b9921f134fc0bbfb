#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: links.sh WEFT-RUNNER
# Who asks which link held a run up would be sent to another one, or told other numbers than the rest
# of the results has.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

permutation='<balancer name="ecmp"/><workload kind="permutation" bytes="200KB"/>'
spread='<balancer name="ops"/><workload kind="permutation" bytes="200KB"/>'
incast='<workload kind="incast" bytes="2MB" senders="12"/>'
# scenario NAME TOPOLOGY ELEMENT...
scenario()
{
    name=$1 topology=$2
    shift 2
    cat >"$name.xml" <<END
<scenario name="$name">
  $topology
  $*
</scenario>
END
    "$weft" run "$name.xml" >/dev/null 2>messages || fail "$name does not run"
}

# sql NAME SELECT: of all runs of results.
sql()
{
    "$weft" query "results/$1" --format csv "$2" | tail -n +2
}

# is NAME WANTED SELECT
is()
{
    got=$(sql "$1" "$3" | xargs)
    [ "$got" = "$2" ] || fail "$1: $3: $got, expected $2"
}

leaf_spine='<topology kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps"/>'

# One link is slow upwards, one dead for a while, one lossy downwards, and no other has a mark of it.
scenario faults "$leaf_spine" "$spread" '<transport name="sack"/>' \
    '<degrade leaf="2" spine="1" rate="10Gbps" direction="up"/>' \
    '<failure leaf="0" spine="3" at="3us" repair="8us"/>' \
    '<failure leaf="1" spine="0" effect="lossy" loss="0.05" direction="down"/>'
is faults 64 'select count(*) from links'
is faults 'leaf 2 -> spine 1' 'select link from links order by busy_share desc limit 1'
is faults 'leaf 2 -> spine 1,10' 'select link, rate_gbps from links where rate_gbps < 99.99'
is faults 'leaf 0 -> spine 3,5 spine 3 -> leaf 0,5' \
    'select link, down_us from links where down_us > 0 order by link'
is faults 'spine 0 -> leaf 1,1' 'select link, dropped_lossy > 0 from links where lossy_us > 0'
is faults 1 'select lossy_us = end_us from links join summary using (run) where lossy_us > 0'
is faults 1 'select sum(l.dropped_lossy) = max(s.dropped_lossy) and max(s.dropped_lossy) > 0 and
    sum(l.dropped_link) = max(s.dropped_link) and max(s.dropped_link) > 0
    from links l join summary s using (run)'
# The wire of a host that sends all the time is as busy as the share of what it can carry.
is faults 0 "select count(*) from links join summary using (run) where layer <> 'tor-up' and
    abs(busy_share - (bytes + 20 * frames) * 8e-5 / (end_us - first_start_us)) > 1e-5"
# Layers are their links.
is faults 'spine-down,1 tor-down,1 tor-up,1' 'select layer, max(bytes) = max(load_max_bytes) and
    max(links.queue_peak_bytes) = max(layers.queue_peak_bytes) and sum(links.marked) = max(layers.marked)
    from links join layers using (run, layer) group by 1 order by 1'
is faults 16 "select count(distinct host) from links where layer = 'host-up' and \"switch\" is null"

"$weft" look results/faults >out 2>messages || fail 'nothing is to be seen'
sed -n 5p out | grep -q '^leaf 2 -> spine 1 ' || fail 'the hottest link is not on top'
least=$(sql faults "select link from links where layer = 'tor-up' order by bytes, rowid limit 1")
grep -q "^tor-up .* $least\$" out || fail 'the least used link of its layer is not named'
sed -n '/slower than others (ten at most)/,$p' out | cut -c -17 | sed 1,2d | sort | xargs -I{} echo {} >lost
printf '%s\n' 'leaf 0 -> spine 3' 'leaf 2 -> spine 1' 'spine 0 -> leaf 1' 'spine 3 -> leaf 0' | cmp - lost ||
    fail 'the links with faults'

# The story of the QP that lost most: to whom it sent, and that its timer is to blame.
qp=$(sql faults 'select straggler_qp from summary')
"$weft" look results/faults --qp "$qp" >out 2>messages || fail 'no story of a QP'
hosts=$(sql faults "select 'host ' || src || ' -> host ' || dst from qps where qp = $qp")
grep -q "^$hosts, 200000 bytes\$" out || fail 'whose story it is'
lost=$(sql faults "select printf('%.3f us are lost', lost_us) from qps where qp = $qp")
grep -q "$lost" out || fail 'what it lost'
ends 2 "$weft" look results/faults --qp 16
grep -q -- '--qp 16; faults has QPs 0 to 15' messages || fail 'a QP that is not there'
scenario timer "$leaf_spine" '<balancer name="ecmp"/><transport name="nic-sr" rto="500us"/>' "$incast" \
    '<failure host="0" at="20us" repair="700us"/>'
"$weft" look results/timer --qp "$(sql timer 'select straggler_qp from summary')" >out 2>messages
sed -n '/^cause/{n;p}' out | grep -q '^timeouts ' || fail 'the timeouts are not to blame'
scenario control "$leaf_spine" '<balancer name="ecmp"/><transport name="sack"/>' "$incast" \
    '<congestion-control name="dcqcn"/><switch kmin="5KB" kmax="20KB"/>' '<measure interval="5us" qps="0-11"/>'
"$weft" look results/control --qp "$(sql control 'select straggler_qp from summary')" >out 2>messages
sed -n '/^cause/{n;p}' out | grep -q '^rate of its control ' || fail 'its control is not to blame'
grep -q '^its samples in ten parts' out || fail 'samples are not shown'

# Who is paused, who marks and who has no room.
scenario crowded "$leaf_spine" '<balancer name="ecmp"/><switch preset="100g" buffer="2MB"/>' \
    "$incast"
is crowded 1 'select sum(paused_us > 0) > 0 and min(pauses) > 0 from links join summary using (run)'
is crowded 1 'select sum(l.marked) = max(s.marked) and max(s.marked) > 0 from links l join summary s using (run)'
scenario losing "$leaf_spine" '<balancer name="ecmp"/><transport name="sack"/>' \
    '<switch pfc="off" buffer="300KB"/>' "$incast"
is losing '1,1' 'select sum(l.dropped_buffer) = max(s.dropped_buffer),
    max(s.dropped_buffer) > 0 from links l join summary s using (run)'

# Names, as elements have them: pods, planes, ids and names of a file.
scenario pods '<topology kind="fat-tree" k="4" link-rate="100Gbps"/>' "$permutation"
is pods 'pod 1 leaf 1 -> pod 1 aggregation 0 pod 3 aggregation 1 -> core 3 core 3 -> pod 3 aggregation 1' \
    "select link from links where link in ('pod 1 leaf 1 -> pod 1 aggregation 0',
    'core 3 -> pod 3 aggregation 1', 'pod 3 aggregation 1 -> core 3')"
is pods 'tor-up' "select layer from links where link = 'pod 1 leaf 1 -> pod 1 aggregation 0'"
scenario planes '<topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2" planes="2" link-rate="100Gbps"/>' "$permutation"
is planes 'host 3 -> plane 1 leaf 1' 'select link from links where host = 3 and port = 1'
cat >ids.txt <<'END'
6 2 5
4 5
0 4 100Gbps 1000ns 0
1 4 100Gbps 1000ns 0
2 5 100Gbps 1000ns 0
3 5 100Gbps 1000ns 0
4 5 100Gbps 1000ns 0
END
scenario ids '<topology kind="graph" file="ids.txt"/>' "$permutation"
is ids '0' "select count(*) from links where link not like 'host % -> switch %'
    and link not like 'switch % -> host %' and link not like 'switch % -> switch %'"
is ids '2' "select count(*) from links where link in ('switch 4 -> switch 5', 'host 3 -> switch 5')"

# Links of a server are no links of the fabric that are faster.
scenario servers '<topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="4" gpus-per-server="2" scale-up-rate="900Gbps" link-rate="100Gbps"/>' \
    '<balancer name="ops"/><transport name="sack"/><workload kind="alltoall" bytes="100KB"/>'
is servers 'host-up,8 server-down,8 server-up,8 spine-down,4 tor-down,8 tor-up,4' \
    'select layer, count(*) from links group by layer order by layer'
"$weft" look results/servers >out 2>messages || fail 'servers are not to be seen'
! grep 'slower than others' out || fail 'a link is slower than it should be'

# Without them, who looks is told how to get them.
scenario off "$leaf_spine" "$permutation" '<measure links="off"/>'
ends 1 "$weft" look results/off
grep -q 'links="on"' messages || fail 'nobody says how to list links'
ends 1 "$weft" look results/nothing.txt
grep -q 'is not the file of a run' messages || fail 'a file that is no run'
sed 's,</scenario>,<sweep><seeds first="1" count="2"/></sweep></scenario>,' pods.xml >two.xml
"$weft" run two.xml --out two >/dev/null 2>messages || fail 'two runs'
ends 2 "$weft" look two
grep -q 'two has 2 runs' messages || fail 'which of two runs'
exported results/faults
[ "$(wc -l <results/faults.runs/faults/links.csv)" = 65 ] || fail 'links are not exported'
