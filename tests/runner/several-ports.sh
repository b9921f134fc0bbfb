#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: several-ports.sh WEFT-RUNNER
# Hosts at two ToRs and servers with a network of their own: a ToR that dies cuts nobody off, a
# failure hits the port that it names.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# run NAME TOPOLOGY WORKLOAD [FAILURES]: into the folder NAME.
run()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps" $2/>
  <transport name="sack"/><balancer name="ops"/><congestion-control name="none"/>
  <workload $3/><convergence delay="50us"/>
  $4
</scenario>
END
    ends 0 "$weft" run "$1.xml" --no-figures --host plain --out "$1"
}

cct() { column "$1/summary.csv" cct_us; }

dual='tors-per-host="2"' permutation='kind="permutation" bytes="1MB"'
run healthy "$dual" "$permutation" ''
run tor "$dual" "$permutation" '<failure switch="1" at="10us"/>'
links=$(for host in 0 1 2 3; do echo "<failure host=\"$host\" port=\"1\" at=\"10us\"/>"; done
    for spine in 4 5 6 7; do echo "<failure lower=\"1\" upper=\"$spine\" at=\"10us\"/>"; done)
run links "$dual" "$permutation" "$links"
run pair "$dual" "$permutation" '<failure switch="1" at="10us"/><failure switch="4" at="10us"/>'
run both "$dual" "$permutation" '<failure switch="1" at="10us" repair="1s"/><failure host="0" port="1" at="12us"/>'
[ "$(cct tor)" = "$(cct both)" ] || fail 'a port of a dead ToR dies another death'
[ "$(cct tor)" = "$(cct links)" ] || fail "a dead ToR is not the same as all of its links"
[ "$(cct healthy)" != "$(cct tor)" ] || fail 'nobody hears of the dead ToR'
[ "$(column tor/summary.csv failed)" = 0 ] || fail 'a message is left'

servers='gpus-per-server="4" scale-up-rate="900Gbps"' ring='kind="allreduce-ring" bytes="4MB" groups="4" placement="blocked"'
run inside "$servers" "$ring" ''
run dead "$servers" "$ring" '<failure host="1" port="1" at="5us" repair="300us"/>'
run outside 'gpus-per-server="4"' "$ring" ''
awk -v a="$(cct inside)" -v b="$(cct dead)" -v c="$(cct outside)" 'BEGIN { exit !(4 * a < c && b > 300 && b < 1500) }' ||
    fail "by their network $(cct inside) us, without one GPU's for 295 us $(cct dead) us, by the fabric $(cct outside) us"
# A plane whose ToR is all but cut off pauses the hosts' ports: the NIC that chooses the port leaves it.
run one '' 'kind="permutation" bytes="4MB" pattern="shift" shift="4"' '<fabric host-port="least-queued"/><switch buffer="1200KB" headroom="28KB"/>'
slow=$(for spine in 0 1 2 3; do echo "<degrade leaf=\"0\" spine=\"$spine\" plane=\"1\" rate=\"5Gbps\"/>"; done)
run two 'planes="2"' 'kind="permutation" bytes="4MB" pattern="shift" shift="4"' "<fabric host-port=\"least-queued\"/><switch buffer=\"1200KB\" headroom=\"28KB\"/>$slow"
awk -v one="$(cct one)" -v two="$(cct two)" 'BEGIN { exit !(two < 5 * one) }' ||
    fail "with a second plane that is congested $(cct two) us, without it $(cct one) us"

# Planes have closed forms, and servers a bound of both networks, of several workloads as of one.
run form 'planes="2"' 'kind="permutation" bytes="4MB" pattern="shift" shift="4"' '<fabric host-port="round-robin"/>'
run bounded "$servers" 'kind="alltoall" bytes="4MB"' ''
cat >jobs.xml <<END
<scenario name="jobs">
  <topology kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps" $servers/>
  <transport name="sack"/><balancer name="ops"/><congestion-control name="none"/>
  <workload name="one" kind="alltoall" bytes="4MB" hosts="0-7"/>
  <workload name="two" kind="allreduce-hierarchical" bytes="4MB" hosts="8-15"/>
</scenario>
END
ends 0 "$weft" run jobs.xml --no-figures --host plain --out jobs
exported jobs
for table in form/summary bounded/summary jobs.runs/jobs/workloads; do
    column "$table.csv" slowdown | awk '!($0 >= 1 && $0 < 1.5) { bad = 1 } END { exit bad || !NR }' ||
        fail "$table: $(column "$table.csv" slowdown | tr '\n' ' ') times the bound"
done

# Two ToRs of each host leave the fabric its three tiers, which have no pods that a workload could name.
for tors in 1 2; do
    sed "s/<topology.*/<topology kind=\"fat-tree\" k=\"4\" tors-per-host=\"$tors\"\/>/; s/\"form\"/\"tiers$tors\"/" form.xml |
        sed 's/ pattern="shift" shift="4"//' >"tiers$tors.xml"
    ends 0 "$weft" run "tiers$tors.xml" --no-figures --host plain --out "tiers$tors"
    cut -d , -f 2,3 "tiers$tors/layers.csv" >"tiers$tors.layers"
done
cmp tiers1.layers tiers2.layers || fail 'two ToRs of a host have other layers than one'
grep -q '^agg-up,16' tiers2.layers || fail "no ports of aggregations upwards: $(cat tiers2.layers)"
sed 's/kind="permutation"/& pattern="inter-pod"/' tiers2.xml >pods.xml
ends 2 "$weft" validate pods.xml
grep -q 'and so is a graph, such as a fabric with tors-per-host' messages || fail 'another reason than the ToRs'

# Samples of queues leave out servers' switches, as the summary does.
run waits "$servers" 'kind="incast" bytes="1MB" hosts="0-3"' '<measure interval="1us" queues="on"/>'
exported waits
[ "$(column waits/summary.csv queue_peak_bytes)" = 0 ] || fail "a server's switch in the summary"
[ "$(column waits.runs/waits/queues.csv longest_queue_bytes | sort -u)" = 0 ] || fail "a server's switch in the samples"
grep -q '^waits,server-down' waits/layers.csv || grep -q 'server-down' waits/layers.csv || fail "no row of servers' switches"

# A port dies of a host that has as many as there can be, while packets wait for the port with the least.
run most 'planes="64" divide-rates="on"' 'kind="alltoall" bytes="1MB"' \
    '<fabric host-port="least-queued" port-window="65536"/><failure host="0" port="3" at="20us"/>'
[ "$(column most/summary.csv failed)" = 0 ] || fail 'a message is left on 64 planes'

# Ethereal divides what leaves a rack evenly over its uplinks; what stays in a server is no part of that.
cat >ethereal.xml <<END
<scenario name="ethereal">
  <topology kind="rail-optimised" gpus-per-server="4" servers-per-block="4" spines="4" scale-up-rate="900Gbps"/>
  <transport name="multipath-timers"/><balancer name="ethereal"/><congestion-control name="none"/>
  <workload kind="alltoall" bytes="4MB"/>
</scenario>
END
ends 0 "$weft" run ethereal.xml --no-figures --host plain --out ethereal
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    $c["layer"] == "tor-up" { n++; if ($c["overload"] + 0 > 0) exit 1 } END { exit n != 1 }' ethereal/layers.csv ||
    fail "Ethereal's uplinks have different loads"
# SimAI's files and leaf-spine speak of the same two servers: the fabric's losses hit none of what goes inside
# them, and their switches are no ToRs.
same()
{
    cat >"$1.xml" <<XML
<scenario name="$1">
  <topology kind="$2/>
  <transport name="sack"/><balancer name="ecmp"/><congestion-control name="none"/>
  <workload kind="$3"/>${4:-}
</scenario>
XML
    ends 0 "$weft" run "$1.xml" --no-figures --host plain --out "$1"
    if grep warning messages; then fail "$1: a warning"; fi
}
{
    printf '13 4 2 3 18 H100\n8 9 10 11 12\n'
    for gpu in 0 1 2 3 4 5 6 7; do echo "$gpu $((8 + gpu / 4)) 900Gbps 0.001ms 0"; done
    for gpu in 0 1 2 3 4 5 6 7; do echo "$gpu $((10 + gpu / 4)) 100Gbps 0.001ms 0"; done
    printf '10 12 100Gbps 0.001ms 0\n11 12 100Gbps 0.001ms 0\n'
} >servers.txt
clos="leaf-spine\" leaves=\"2\" spines=\"1\" hosts-per-leaf=\"4\" link-rate=\"100Gbps\" scale-up-delay=\"1us\" $servers"
for kind in 'graph" file="servers.txt"' "$clos"; do
    name=${kind%%\"*}
    same "$name-loss" "$kind" 'allreduce-ring" bytes="1MB" groups="2" placement="blocked' '<loss probability="0.5"/>'
    [ "$(column "$name-loss/summary.csv" dropped_injected)" = 0 ] || fail "$name: losses inside a server"
    same "$name" "$kind" 'alltoall" bytes="400KB'
    cut -d , -f 2,3,6-8 "$name/layers.csv" >"$name.layers"
done
cmp graph.layers leaf-spine.layers || fail 'other layers in a graph'
grep -q '^server-down,8,' graph.layers || fail "no ports of servers' switches"
# An all-to-all by relays, worked out: a GPU has what its server's others hold for its rail in the next server once
# each of them has sent a part of 40 packets to each other, in turns, over two links; from then on its port is never
# idle, nothing waits for it, and no packet meets a spine.
for shape in '2 2' '3 4' '4 2' '2 5'; do
    gpus=${shape% *} servers=${shape#* }
    cat >relays.xml <<END
<scenario name="relays">
  <topology kind="rail-optimised" gpus-per-server="$gpus" servers-per-block="$servers" spines="2" link-rate="100Gbps"
            link-delay="500ns" scale-up-rate="800Gbps" scale-up-delay="50ns"/>
  <fabric ack-priority="ideal" payload="1000B" header="48B" gap="20B"/>
  <transport name="ideal"/><balancer name="ecmp"/><congestion-control name="none"/>
  <workload kind="alltoall" bytes="40KB" scope="pair" relay="pxn"/>
</scenario>
END
    ends 0 "$weft" run relays.xml --no-figures --host plain --again --out relays
    awk -v gpus="$gpus" -v servers="$servers" -v us="$(cct relays)" 'BEGIN {
        inside = (40 * (gpus - 1) * 1068 + 1028) * 8 / 800e3 + 2 * 0.05
        across = (40 * gpus * (servers - 1) * 1068 + 1028) * 8 / 100e3 + 2 * 0.5
        exit !(us - inside - across < 1e-5 && us - inside - across > -1e-5) }' ||
        fail "relays take $(cct relays) us in $servers servers of $gpus"
    grep -q '^relays,tor-up,[0-9]*,0,,0,' relays/layers.csv || fail 'a packet meets a spine'
done
echo "several ports: right"
