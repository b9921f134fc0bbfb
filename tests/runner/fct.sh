#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: fct.sh WEFT-RUNNER
# Completion times of flows, their slowdowns and their percentiles. If this fails, a slowdown is of
# something that the fabric cannot do or need not do, and a tail in summary.csv is not that of the
# messages.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME TOPOLOGY BALANCER WORKLOAD [MORE]
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology $2/>
  <balancer name="$3"/>
  <transport name="sack"/>
  <workload $4/>
  ${5:-}
</scenario>
END
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
    exported "$1"
    run=$1.runs/$1
    awk -v more="$(column "$run/summary.csv" increase)" 'BEGIN { exit !(more == "" || more >= -1e-9) }' ||
        fail "$1: faster than its lower bound by $(column "$run/summary.csv" increase)"
}

# --- a message alone has a slowdown of 1 --------------------------------------------------------

# Messages of one byte to some hundred packets, full ones and odd ones, a millisecond apart, to hosts
# at the same ToR, in the same pod and beyond.
awk 'BEGIN { print "start,bytes,src,dst"
             n = split("1 100 4095 4096 4097 6000 8192 65536 100000 1048576", bytes, " ")
             for (i = 1; i <= n; i++)
                 for (dst = 1; dst < 16; dst += dst)
                     printf "%dms,%d,0,%d\n", at++, bytes[i], dst < 8 ? dst : 15 }' >lone.csv
cat >lone-graph.xml <<'END'
<graph>
  <switch name="a"/><switch name="b"/><switch name="c"/><switch name="d"/><switch name="e"/>
  <host name="h0" at="a" rate="400Gbps" delay="1us"/>
  <host name="h1" at="a" rate="100Gbps" delay="2us"/>
  <host name="h2" at="b" rate="200Gbps" delay="1us"/>
  <host name="h3" at="e" rate="100Gbps" delay="1us"/><host name="h4" at="c" rate="40Gbps" delay="50ns"/>
  <host name="h5" at="c" rate="100Gbps" delay="1us"/><host name="h6" at="c" rate="100Gbps" delay="1us"/>
  <host name="h7" at="d" rate="100Gbps" delay="1us"/><host name="h8" at="d" rate="100Gbps" delay="1us"/>
  <host name="h9" at="d" rate="100Gbps" delay="1us"/><host name="h10" at="d" rate="100Gbps" delay="1us"/>
  <host name="h11" at="d" rate="100Gbps" delay="1us"/><host name="h12" at="d" rate="100Gbps" delay="1us"/>
  <host name="h13" at="d" rate="100Gbps" delay="1us"/><host name="h14" at="d" rate="100Gbps" delay="1us"/>
  <host name="h15" at="e" rate="200Gbps" delay="5us"/>
  <link from="a" to="b" rate="100Gbps" delay="1us" count="2"/>
  <link from="b" to="c" rate="25Gbps" delay="7us"/>
  <link from="c" to="d" rate="800Gbps" delay="100ns"/>
  <link from="d" to="e" rate="50Gbps" delay="0us" count="3"/>
</graph>
END
clos='kind="clos" pods="2" tors-per-pod="2" hosts-per-tor="4" aggregations="2" cores="4"'
alone()
{
    scenario "$1" "$2" ecmp 'kind="flows" file="lone.csv"'
    for table in flows qps; do
        [ "$(column "$run/$table.csv" fct_slowdown | sort | uniq -c | xargs)" = '40 1.000000' ] ||
            fail "$1: a lone message is not as fast as the ideal: $(column "$run/$table.csv" fct_slowdown | sort | uniq -c)"
    done
}
alone two 'kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps" link-delay="1us"'
alone three 'kind="fat-tree" k="4" link-rate="400Gbps" link-delay="500ns"'
alone faster "$clos link-rate=\"100Gbps\" fabric-rate=\"200Gbps\" core-rate=\"400Gbps\" core-delay=\"3us\""
alone slower "$clos link-rate=\"400Gbps\" fabric-rate=\"200Gbps\" core-rate=\"100Gbps\" link-delay=\"10ns\""
alone between "$clos link-rate=\"200Gbps\" fabric-rate=\"50Gbps\" core-rate=\"100Gbps\""
alone graph 'kind="graph" file="lone-graph.xml"'

# --- under load: the columns, their percentiles, and what was not delivered ----------------------

awk 'BEGIN { print "start,bytes,src,dst"
             for (i = 0; i < 1500; i++) printf "%dns,%d,%d,%d\n", i * 37 % 5000, 1 + i * i % 60000, i % 16, (i + 1 + i % 15) % 16 }' >busy.csv
fabric='kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps" link-delay="1us"'
scenario busy "$fabric" ecmp 'kind="flows" file="busy.csv"'
awk -F, 'function ps(us) { sub(/[.]/, "", us); return us + 0 }
         NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
         ps($c["fct_us"]) != ps($c["delivered_us"]) - ps($c["posted_us"]) || $c["fct_slowdown"] < 1 { exit 1 }
         { most = $c["fct_slowdown"] > most ? $c["fct_slowdown"] : most }
         END { exit !(NR == 1501 && most > 2) }' busy.runs/busy/flows.csv || fail 'the columns of flows.csv'

# percentiles SUMMARY FLOWS: those of the summary are those of the messages, by nearest rank.
percentiles()
{
    for what in fct:_us fct_slowdown:; do
        for p in 50 95 99 99_9; do
            name=${what%:*}_p$p${what#*:}
            column "$2" "${what%:*}${what#*:}" | grep . | sort -n |
                awk -v p="$p" '{ sub(/_/, ".", p); x[NR] = $1 }
                               END { r = p * NR / 100; r = r > int(r) ? int(r) + 1 : r; print x[r] }' >expected
            [ "$(column "$1" "$name")" = "$(cat expected)" ] ||
                fail "$name: $(column "$1" "$name"), expected $(cat expected)"
        done
    done
}
percentiles busy.runs/busy/summary.csv busy.runs/busy/flows.csv
sed -e 's,</scenario>,<measure flows="off"/>&,' -e 's/name="busy"/name="without"/' busy.xml >without.xml
"$weft" run without.xml --no-figures --out without >out 2>messages || fail 'without flows.csv'
exported without
[ ! -e without.runs/without/flows.csv ] || fail 'flows.csv is there'
cmp busy.runs/busy/summary.csv without.runs/without/summary.csv || fail 'the summary without flows.csv'

# What is under way at the end has no completion time, and is in no percentile.
scenario cut "$fabric" ecmp 'kind="flows" file="busy.csv"' '<limit time="150us" then="stop"/>'
n=$(column cut.runs/cut/flows.csv delivered_us | grep -c .)
if [ "$n" -lt 100 ] || [ "$n" -gt 1400 ]; then
    fail "$n messages were delivered by then"
fi
for name in fct_us fct_slowdown; do
    [ "$(column cut.runs/cut/flows.csv $name | grep -c .)" = "$n" ] || fail "$name of what was not delivered"
done
percentiles cut.runs/cut/summary.csv cut.runs/cut/flows.csv
scenario nothing "$fabric" ecmp 'kind="flows" file="busy.csv"' '<limit time="1us" then="stop"/>'
[ -z "$(column nothing.runs/nothing/summary.csv fct_p50_us)$(column nothing.runs/nothing/summary.csv fct_slowdown_p99_9)" ] ||
    fail 'percentiles of nothing'
# A QP of which a part was delivered has a time and no slowdown.
scenario part "$fabric" ecmp 'kind="allreduce-ring" bytes="1MB" groups="1"' '<limit time="60us" then="stop"/>'
[ "$(column part.runs/part/qps.csv fct_us | grep -c .)" = 16 ] || fail 'QPs with a part delivered'
[ -z "$(column part.runs/part/qps.csv fct_slowdown | xargs)" ] || fail 'a slowdown of a part'
"$weft" query busy 'select count(*) as n from flows join summary using (run) where fct_slowdown > fct_slowdown_p99' >out 2>messages ||
    fail 'no query'
grep -qw 15 out || fail "$(cat out) messages above the 99th percentile of 1,500"

echo 'completion times, slowdowns and percentiles agree'
