#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: measure.sh WEFT-RUNNER
# What is measured per layer and per step must agree with what else is known: else a figure of
# overloads, queues or increases over the bound shows a number that means nothing.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME TOPOLOGY WORKLOAD MEASURE FABRIC
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology $2 link-rate="800Gbps" link-delay="500ns"/>
  <fabric payload="4096B" header="62B" gap="20B" ack="64B" ack-priority="share" $5/>
  <switch preset="400g"/>
  <transport name="sack"/>
  <balancer name="ops"/>
  <workload $3/>
  $4
</scenario>
END
    "$weft" run "$1.xml" >/dev/null
    exported "results/$1"
    folder=results/$1.runs/$1
}

sampled='<measure interval="300ns" queues="on"/>'
scenario three 'kind="fat-tree" k="4"' 'kind="permutation" bytes="64KiB"' "$sampled" ''
expected='tor-up agg-up core-down agg-down tor-down'
[ "$(column "$folder/layers.csv" layer | xargs)" = "$expected" ] || fail 'the layers of three tiers'
# What goes up comes down, layer by layer; every host receives as much as any other.
awk -F, 'NR > 1 { sent[$1] = $2 * $6; over[$1] = $7; if ($7 < 0) exit 1 }
         END { exit !(sent["tor-up"] == sent["agg-down"] && sent["agg-up"] == sent["core-down"] &&
                      sent["agg-up"] > 0 && over["tor-down"] < 1e-6 && over["tor-up"] > 0.001) }' \
    "$folder/layers.csv" || fail 'the loads of the layers do not agree'
peak=$(column "$folder/layers.csv" queue_peak_bytes | sort -n | tail -n 1)
[ "$peak" = "$(column "$folder/summary.csv" queue_peak_bytes)" ] || fail 'the longest queue of all'
column "$folder/layers.csv" queue_mean_bytes | awk '$1 <= 0 { exit 1 }' || fail 'no mean queues'
awk -F, 'NR == FNR { if (FNR > 1) { sum += $2 * $4; links += $2 } next } { exit !(($1 - sum / links) ^ 2 < 1e-6) }' \
    "$folder/layers.csv" - <<END || fail 'the mean of all queues'
$(column "$folder/summary.csv" queue_mean_bytes)
END
cut -d, -f2- results/three/layers.csv | cmp - "$folder/layers.csv" || fail 'the layers of all runs'
[ ! -e "$folder/steps.csv" ] || fail 'a permutation has no steps'

scenario two 'kind="fat-tree" k="4" tiers="2"' 'kind="permutation" bytes="64KiB"' '' ''
[ "$(column "$folder/layers.csv" layer | xargs)" = 'tor-up spine-down tor-down' ] ||
    fail 'the layers of two tiers'
column "$folder/layers.csv" queue_mean_bytes | grep -q . && fail 'mean queues without samples'

# ofan, appendix B: 17.05694 us; two lone hosts end one gap before it, and nothing before that.
scenario pair 'kind="fat-tree" k="2" tiers="3"' 'kind="ring" bytes="1MiB" groups="1"' '' ''
[ "$(column "$folder/summary.csv" bound_acked_us)" = 17.056740 ] || fail 'the bound of ofan, appendix B'
[ "$(column "$folder/summary.csv" increase)" = 0.000000 ] || fail 'the increase'
# What comes before the first start is not to blame or to praise.
sed -e 's/groups="1"/groups="1" start="100us"/' pair.xml >late.xml
"$weft" run late.xml --out late >/dev/null
[ "$(column late/summary.csv bound_acked_us)" = 117.056740 ] || fail 'the bound of a late start'
# Frames that arrive together have another order at another time: no balancer may hang on it here.
sed -e 's/groups="1"/pattern="shift" shift="4"/; s/"ring"/"permutation"/; s/"ops"/"simple-rr"/' \
    -e 's/<topology .*/<topology kind="leaf-spine" leaves="4" spines="2" hosts-per-leaf="4"\/>/' pair.xml >early.xml
"$weft" run early.xml --out early >/dev/null
sed -e 's/shift="4"/shift="4" start="100us"/' early.xml >late.xml
"$weft" run late.xml --out late --again >/dev/null
for name in slowdown increase increase_rho; do
    found=$(column late/summary.csv $name)
    if [ -z "$found" ] || [ "$found" != "$(column early/summary.csv $name)" ]; then
        fail "$name after a late start"
    fi
done
# Four hosts share two uplinks.
[ "$(column early/summary.csv rho_max)" = 0.500000 ] || fail 'rho_max of an oversubscribed fabric'
column "$folder/summary.csv" increase_rho | awk '{ exit !($1 >= 0 && $1 < 0.2) }' ||
    fail "$(column "$folder/summary.csv" increase_rho) over the bound of an oversubscribed fabric"
# Hosts that start at times of their own do not beat the bound; it is hardly lower.
scenario apart 'kind="fat-tree" k="2" tiers="3"' \
    'kind="ring" bytes="1MiB" groups="1" spread="200ns"' '' ''
column "$folder/summary.csv" increase | awk '{ exit !($1 >= 0 && $1 < 0.012) }' ||
    fail "hosts that start apart: $(column "$folder/summary.csv" increase) over the bound"
# ACKs that take no wire: 256 packets and a round trip, which lone hosts reach; at half the rate too.
scenario free 'kind="fat-tree" k="2" tiers="3"' 'kind="ring" bytes="1MiB" groups="1"' '' ''
sed -i 's/ack-priority="share"/ack-priority="ideal"/' free.xml
"$weft" run free.xml >/dev/null
exported results/free
[ "$(column "$folder/summary.csv" bound_acked_us)" = 16.907220 ] || fail 'the bound without ACKs on wires'
[ "$(column "$folder/summary.csv" increase)" = 0.000000 ] || fail 'the increase without ACKs on wires'
sed 's/kind="ring" bytes="1MiB"/kind="alltoall" bytes="2MiB"/' free.xml >freeall.xml
"$weft" run freeall.xml --out freeall >/dev/null
[ "$(column freeall/summary.csv increase)" = 0.000000 ] || fail 'an all-to-all without ACKs on wires'
# The bound of exchanges is that of an ACK for each packet; with fewer it is that of any traffic.
scenario rare 'kind="fat-tree" k="2" tiers="3"' 'kind="ring" bytes="1MiB" groups="1"' '' \
    'ack-every="4"'
column "$folder/summary.csv" increase | awk '{ exit !($1 >= 0 && $1 < 0.02) }' || fail 'a bound for rare ACKs'

# Each step is an exchange. The first one's last ACK follows data of the second over six links.
scenario steps 'kind="fat-tree" k="2" tiers="3"' 'kind="allreduce-ring" bytes="128KiB" groups="1"' '' ''
[ "$(column "$folder/steps.csv" step | xargs)" = '0 1' ] || fail 'the steps of an allreduce of two'
awk -F, 'NR > 1 && !($2 == 2 && $7 >= 0 && $7 < ($1 ? 0.001 : 0.04)) { exit 1 }' "$folder/steps.csv" ||
    fail 'a step between lone hosts does not take what its bound says'
mean=$(column "$folder/steps.csv" increase | awk '{ s += $1 / 2 } END { printf "%.6f", s }')
column "$folder/summary.csv" step_increase_mean | awk -v m="$mean" '{ exit !($1 - m < 2e-6 && m - $1 < 2e-6) }' ||
    fail 'the mean over steps'
column "$folder/summary.csv" increase | awk '{ exit !($1 >= 0 && $1 < 0.05) }' ||
    fail "an allreduce of lone hosts takes $(column "$folder/summary.csv" increase) more than its bound"

# Behind a barrier each phase has the bound of a phase alone, and all have their sum and a link's delay of
# 0.5 us for each barrier; random starts are spent anew in each.
for spread in 0s 50ns; do
    for layers in 1 3; do
        scenario "fsdp-$spread-$layers" 'kind="fat-tree" k="4"' \
            "kind=\"fsdp\" bytes=\"64KiB\" gpus=\"2\" layers=\"$layers\" spread=\"$spread\"" '' ''
        column "$folder/summary.csv" bound_acked_us >"bound-$layers"
        column "$folder/summary.csv" increase | awk '$1 < 0 { exit 1 }' || fail 'faster than the bound'
    done
    column "$folder/steps.csv" bound_us | uniq | wc -l | grep -qx 1 || fail 'phases are all alike'
    paste bound-1 bound-3 | awk '{ exit !(($2 - 3 * $1 - 2 * 0.5) ^ 2 < 1e-9) }' ||
        fail "the bound of three phases, spread $spread: $(paste bound-1 bound-3)"
    awk -F, 'NR > 1 { if ($3 < ended) exit 1; ended = $4 }' "$folder/steps.csv" ||
        fail 'a phase begins before the last one has ended'
done

# Messages that go all at once are no steps.
scenario all 'kind="fat-tree" k="4"' 'kind="alltoall" bytes="64KiB"' '' ''
[ ! -e "$folder/steps.csv" ] || fail 'an all-to-all has no steps'
column "$folder/summary.csv" increase | awk '{ exit !($1 > 0 && $1 < 1) }' || fail 'the bound of an all-to-all'

# One of a ToR's two uplinks is dead: its hosts can send at half of the rate, and that takes longer.
scenario dead 'kind="fat-tree" k="4"' 'kind="permutation" bytes="1MiB"' \
    '<failure lower="0" upper="8"/><convergence delay="0s"/>' ''
column "$folder/summary.csv" rho_max | awk '{ exit !($1 >= 0.25 && $1 <= 0.75) }' || fail 'rho_max'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
         { exit !($c["bound_rho_us"] > 1.2 * $c["bound_acked_us"] && $c["increase_rho"] < $c["increase"]) }' \
    "$folder/summary.csv" || fail 'the bound at rho_max'

# Which links chance chose is written down, one by one.
scenario chance 'kind="fat-tree" k="4"' 'kind="permutation" bytes="64KiB"' \
    '<random-failures probability="0.2"/><convergence delay="0s"/>' ''
n=$(column "$folder/summary.csv" links_failed)
grep -q "^random failures: $n links" "$folder/provenance.txt" || fail 'the number of failed links'
[ "$(grep -cE '^  [0-9]+ [0-9]+$' "$folder/provenance.txt")" = "$n" ] || fail 'the failed links'

# What ToRs count is there where their balancer counts, and only there.
[ ! -e "$folder/tors.csv" ] || fail 'a table of ToRs without anything in it'
sed 's/<scenario name="three"/<scenario name="tors"/; s/name="ops"/name="conweave"/; s/name="sack"/name="nic-sr"/' three.xml >tors.xml
"$weft" run tors.xml >/dev/null
exported results/tors
[ "$(column results/tors.runs/tors/tors.csv tor | xargs)" = "0 1 2 3 4 5 6 7" ] || fail 'the ToRs'
column results/tors.runs/tors/tors.csv probes | awk '$1 < 1 { exit 1 }' || fail 'no ToR has probed'

# What switches trim is there where they trim, and only there.
[ ! -e "$folder/trims.csv" ] || fail 'a table of trimmed packets without trimming'
cat >trims.xml <<'END'
<scenario name="trims">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="4" link-rate="100Gbps"/>
  <switch pfc="off" trim="on" trim-at="20KB" kmin="4KB" kmax="16KB"/>
  <balancer name="ops"/>
  <transport name="trim"/>
  <congestion-control name="dctcp"/>
  <workload kind="incast" bytes="100KB" groups="1"/>
</scenario>
END
"$weft" run trims.xml >/dev/null
exported results/trims
trims=results/trims.runs/trims
[ "$(column $trims/trims.csv switch | xargs)" = "0 1 2 3" ] || fail 'the switches'
[ "$(column $trims/trims.csv tier | xargs)" = "0 0 1 1" ] || fail 'their tiers'
[ "$(column $trims/trims.csv trimmed | awk '{ n += $1 } END { print n }')" = "$(column $trims/summary.csv nacks_received)" ] ||
    fail 'a NACK for each trimmed packet'
[ "$(column $trims/summary.csv timeouts)" = 0 ] || fail 'a trimmed packet waited for its timer'

# Ports one by one say what is said of all of them: the longest queue, and what each layer has sent.
[ ! -e "$folder/ports.csv" ] || fail 'a table of ports that nobody asked for'
sed 's/name="three"/name="ports"/; s/queues="on"/& ports="tor-down tor-up  core-down agg-up agg-down"/' three.xml >ports.xml
"$weft" run ports.xml >/dev/null
exported results/ports
folder=results/ports.runs/ports
awk -F, 'FNR == 1 { file++; next }
         file == 1 { time[$1] = 1; sent[$4] += $7 * 37.5; n[$1]++; if ($5 > longest[$1]) longest[$1] = $5; next }
         file == 2 { looks++; if (n[$1] != 80 || longest[$1] + 0 != $2) exit 1; next }
         { if (looks < 5 || (sent[$1] - $2 * $6) ^ 2 > 1) exit 1 }' \
    "$folder/ports.csv" "$folder/queues.csv" "$folder/layers.csv" || fail 'ports, queues and layers do not agree'
cmp "$folder/layers.csv" results/three.runs/three/layers.csv || fail 'looking at ports changes what they do'
# Some of them, by switch and port, are those rows of all; the resolved scenario has them as well.
sed 's/ports="[^"]*"/ports="16-19:1-2 0:3"/; s/name="ports"/name="some"/' ports.xml >some.xml
"$weft" run some.xml >/dev/null
exported results/some
awk -F, 'NR == 1 || ($2 == 0 && $3 == 3) || ($2 >= 16 && $2 <= 19 && ($3 == 1 || $3 == 2))' "$folder/ports.csv" |
    cmp - results/some.runs/some/ports.csv || fail 'ports by switch and port'
"$weft" run results/some.runs/some/scenario.xml --out again >/dev/null
exported again
cmp again.runs/some/ports.csv results/some.runs/some/ports.csv || fail 'the ports of a resolved scenario'
[ "$("$weft" query results/some "select count(*) from ports where layer = 'tor-up'" --format csv | tail -n 1)" = \
    "$(grep -c tor-up results/some.runs/some/ports.csv)" ] || fail 'ports in the database'
# A port that PFC holds back says so: senders to a full ToR stand at its spines.
cat >held.xml <<'END'
<scenario name="held">
  <topology kind="leaf-spine" leaves="2" spines="1" hosts-per-leaf="4" link-rate="100Gbps"/>
  <switch preset="100g" buffer="1MB"/>
  <balancer name="ecmp"/>
  <workload kind="incast" bytes="2MB" groups="1"/>
  <measure interval="5us" ports="spine-down"/>
</scenario>
END
"$weft" run held.xml >/dev/null
exported results/held
column results/held.runs/held/ports.csv paused | sort -u | xargs | grep -qx '0 1' || fail 'no port is held back'

# How evenly a layer is used: what ports.csv says of all its ports, in one row. Marks have their layer.
cat >even.xml <<'END'
<scenario name="even">
  <topology kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps"/>
  <switch preset="100g" kmin="5KB" kmax="20KB" pmax="1"/>
  <transport name="pro-window"/>
  <congestion-control name="none"/>
  <balancer name="rsq"/>
  <workload kind="permutation" pattern="shift" shift="4" bytes="500KB"/>
  <measure interval="3us" ports="tor-up spine-down tor-down" balance="on"/>
</scenario>
END
"$weft" run even.xml >/dev/null
exported results/even
[ "$("$weft" query results/even --format csv "select count(*) from balance b
    join (select time_us, layer, max(queue_bytes) as longest, avg(queue_bytes) as mean,
                 max(wire_rate_gbps) as most, avg(wire_rate_gbps) as rate from ports group by 1, 2) p
      using (time_us, layer)
    where abs(longest - queue_max_bytes) < 1e-3 and abs(mean - queue_mean_bytes) < 1e-3 and
          abs(longest - mean - queue_imbalance_bytes) < 1e-3 and abs(most - wire_rate_max_gbps) < 1e-3 and
          abs(rate - wire_rate_mean_gbps) < 1e-3 and (rate < 1e-3 or abs(most / rate - load_imbalance) < 1e-3)" |
    tail -n 1)" = "$(($(wc -l <results/even.runs/even/balance.csv) - 1))" ] || fail 'the balance of layers'
# Every data packet that arrived has its out-of-order degree, and every mark its layer.
[ "$("$weft" query results/even --format csv "select s.marked > 0 and s.out_of_order > 0 and
    s.marked = (select sum(marked) from layers) and s.data_sent + s.data_resent = (select sum(packets) from reordering) and
    s.out_of_order = (select sum(packets) from reordering where ooo_degree > 0) and
    s.ooo_degree_max = (select max(ooo_degree) from reordering) and
    0.99 <= (select sum(packets) from reordering where ooo_degree <= s.ooo_degree_p99) / (1.0 * s.data_sent + s.data_resent) and
    0.99 > (select sum(packets) from reordering where ooo_degree < s.ooo_degree_p99) / (1.0 * s.data_sent + s.data_resent)
    from summary s" | tail -n 1)" = 1 ] || fail 'out-of-order degrees and marks'

echo 'layers, steps, ports, balance, reordering and bounds agree'
