#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: file-pairs.sh WEFT-RUNNER WEFT-FILE-PAIR
# A topology.txt and a flow.txt that belong together: by scenario and by a program that builds the same
# graph and flows by hand, flows end at the same picosecond. A user would otherwise compare with
# HPCC's or ConWeave's simulator what other hosts have sent. With WEFT_INPUTS their own files as well.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
program=$2

# pair NAME TOPOLOGY FLOWS [IDS]: the scenario
pair()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="graph" file="$2" ${4:-}/><switch preset="100g" buffer="64MB"/>
  <transport name="gbn"/><congestion-control name="dcqcn" preset="hpcc"/><balancer name="ecmp"/>
  <seed run="1"/><workload kind="flows" file="$3"/>
</scenario>
END
}

# equal NAME TOPOLOGY FLOWS: as the program has it, hosts by the files' ids
equal()
{
    pair "$@"
    "$program" "$2" "$3" >expected || fail "$1: the program"
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
    "$weft" query "$1" "
        select s.name as src, d.name as dst, bytes, cast(round(delivered_us * 1e6) as integer) as ps
        from flows join nodes s on s.kind = 'host' and s.number = src
                   join nodes d on d.kind = 'host' and d.number = dst
        order by message" --format csv >table || fail "$1: flows and their hosts' ids"
    sed '1d;s/,/ /g' table >found
    diff expected found; cmp expected found || fail "$1: other flows or times than the program's"
    [ -s found ] || fail "$1: no flows"
}

# Two ToRs and two spines between the hosts, by their ids; a dumbbell whose links name the switch first.
cat >holes.txt <<'END'
10 4 11
3 0 6 7
1 3 100Gbps 1000ns 0.000000
3 2 100Gbps 0.001ms 0
4 3 25Gbps 1us 0
0 5 100Gbps 1us 0
8 0 100Gbps 1us 0
9 0 40Gbps 1us 0
3 6 100Gbps 1us 0
7 3 100Gbps 2us 0
0 6 100Gbps 1us 0
7 0 100Gbps 1us 0
6 7 100Gbps 1us 0
END
cat >hpcc.txt <<'END'
6
1 9 3 100 1000000 2
9 1 3 100 500000 2.00001
8 2 3 100 700000 2
5 2 3 100 700000 2
4 2 3 100 70000 2.00002
2 1 3 100 123456 2.0001
END
cat >conweave.txt <<'END'
3
8 4 3 90000 2.0
5 4 3 90000 2.00000001
1 2 3 1 2.5
END
equal hpcc holes.txt hpcc.txt
equal conweave holes.txt conweave.txt
"$weft" validate hpcc.xml >out 2>messages || fail 'validate'
grep -qF 'hpcc.xml:4: note: hosts of hpcc.txt are those of holes.txt: 1 to 2, 4 to 5, 8 to 9 there are hosts 0 to 5 here' messages ||
    fail 'which hosts are which is not said'

# The results' own scenario, elsewhere, is the same; Weft's own numbers are there for who wants them.
exported hpcc
(cd hpcc.runs && "$weft" run hpcc/scenario.xml --no-figures --out again >../out 2>../messages) || fail 'a run from its folder'
cmp hpcc/summary.csv hpcc.runs/again/summary.csv || fail 'the resolved scenario has other ids'
awk 'BEGIN { split("1 2 4 5 8 9", id); for (i in id) own[id[i]] = i - 1 }
    NR == 1 { print; next } { $1 = own[$1]; $2 = own[$2]; print }' hpcc.txt >own.txt
pair own holes.txt own.txt 'ids="weft"'
"$weft" run own.xml --no-figures --out own >out 2>messages || fail 'own numbers'
exported own
cmp hpcc.runs/hpcc/flows.csv own.runs/own/flows.csv || fail 'the same hosts by both numbers, and other results'
if grep -q ' note: ' messages; then fail 'a note on what was asked for'; fi
[ "$(sed -n 4p hpcc.runs/hpcc/nodes.csv)" = 'host,2,4' ] || fail 'nodes.csv of other hosts'
[ "$(grep -c switch, hpcc.runs/hpcc/nodes.csv)" = 4 ] || fail 'nodes.csv of other switches'

# refused MESSAGE: by validate
refused()
{
    "$weft" validate pair.xml >out 2>messages && fail "accepted: $1"
    grep -qF -- "$1" messages || fail "not said: $1"
}

# flow LINE MESSAGE: a flow file with that one
flow()
{
    printf '1\n%s\n' "$1" >flow.txt
    pair pair holes.txt flow.txt
    refused "$2"
}
flow '0 1 3 100 10 2' 'pair.xml:4: error: flow.txt:2: 0 is a switch of holes.txt; hosts there are 1 to 2, 4 to 5, 8 to 9'
flow '1 7 3 10 2' 'flow.txt:2: 7 is a switch of holes.txt; hosts there are 1 to 2, 4 to 5, 8 to 9'
flow '1 10 3 100 10 2' 'flow.txt:2: 10 is not in holes.txt; hosts there are 1 to 2'
flow '1 4294967295 3 100 10 2' 'flow.txt:2: 4294967295 is not in holes.txt'
flow '1 4294967296 3 100 10 2' "flow.txt:2: host '4294967296'; expected"
flow '-1 1 3 100 10 2' "flow.txt:2: host '-1'; expected"
flow '4 4 3 100 10 2' 'flow.txt:2: a flow from host 4 to itself'

# with XML [MESSAGE]: an element beside them; without a message it is accepted
with()
{
    pair pair holes.txt hpcc.txt
    sed -i "s|<workload|$1\\n&|" pair.xml
    if [ "${2:-}" ]; then
        refused "$2"
    else
        "$weft" validate pair.xml >out 2>messages || fail "refused: $1"
    fi
}
with '<failure lower="3" upper="6" at="1s"/>'
grep -qF 'pair.xml:4: note: switches of <failure> are those of holes.txt: 0, 3, 6 to 7 there are switches 0 to 3 here' messages ||
    fail 'which switches are which is not said'
with '<failure lower="6" upper="3"/>'
with '<failure lower="1" upper="6"/>' 'pair.xml:4: error: lower of <failure> names no switch: 1 is a host of holes.txt; switches there are 0, 3, 6 to 7'
with '<failure lower="3" upper="12"/>' 'upper of <failure> names no switch: 12 is not in holes.txt'
with '<failure lower="3" upper="0"/>' 'switches 3 and 0 are no neighbours; beside switch 3 there are 6, 7'
with '<degrade lower="0" upper="7" rate="1Gbps"/>'
with '<degrade host="9" rate="1Gbps"/>'
grep -qF 'note: hosts of <degrade> are those of holes.txt' messages || fail 'which hosts are degraded is not said'
with '<degrade host="3" rate="1Gbps"/>' '<degrade> names no host: 3 is a switch of holes.txt; hosts there are 1 to 2'
with '<degrade host="9" rate="50Gbps"/>' "more than the link's 40000 Mbps"
with '<measure interval="1us" ports="3:4 6-7:0"/>'
with '<measure interval="1us" ports="1:0"/>' 'ports of <measure> name no switch: 1 is a host of holes.txt; switches there are 0, 3, 6 to 7'
with '<measure interval="1us" ports="3-6:0"/>' 'ports of <measure> name no switch: 4 is a host of holes.txt'
with '<measure interval="1us" ports="0-4294967295:0"/>' 'ports of <measure> name no switch: 1 is a host of holes.txt'
with '<measure interval="1us" ports="7:3"/>' 'switch 7 has no port 3; expected 0 to 2'
with '<measure interval="1us" ports="7:1 7:1"/>' 'port 1 of switch 7 is named twice'

# What is said of hosts has both numbers.
with '<failure lower="0" upper="6"/><failure lower="7" upper="0"/>'
grep -qF 'no path is left from host 0 (1 in holes.txt) to host 5 (9 in holes.txt) from 0 us until the end of the run, as every link of switch 0 to other switches is down' messages ||
    { cat messages; fail 'a cut without ids'; }
printf '2\n8 4 3 90000 2.0\n5 4 3 90000 2.00000001\n' >some.txt
pair pair holes.txt some.txt
sed -i 's|<transport [^>]*>||;s|<workload|<transport name="sack" threshold="32"/><drop qp="1" packets="61"/>\
  &|' pair.xml
"$weft" run pair.xml --no-figures --out pair >out 2>messages || fail 'a straggler'
grep -qF 'QP 1 (host 3 (5 in the topology'"'"'s file) -> host 2 (4 in the topology'"'"'s file)) lost' out || { cat out; fail 'a straggler without ids'; }

# Ids reach the links and ports of the fabric, not only the checks.
pair pair holes.txt conweave.txt
sed -i 's|<workload|<degrade host="4" rate="1Gbps"/><failure lower="3" upper="7" at="1s"/>\
  <random-failures links="1" at="9s"/><measure interval="1ms" ports="6:1"/>&|' pair.xml
"$weft" run pair.xml --no-figures --out pair >out 2>messages || fail 'faults by ids'
exported pair
grep -q '<failure lower="7" upper="3" link="0" at="1s"' pair.runs/pair/scenario.xml || fail 'the resolved failure'
grep -q '<degrade host="4" rate="1Gbps"' pair.runs/pair/scenario.xml || fail 'the resolved degradation'
grep -Eq '^ *[0367] [0367]$' pair.runs/pair/provenance.txt || fail 'no ids of the link that was drawn'
[ "$(column pair.runs/pair/ports.csv switch | sort -u)" = 2 ] || fail 'ports of another switch'
[ "$(column pair.runs/pair/flows.csv fct_us | awk '$1 > 700 { n++ } END { print n }')" = 2 ] || fail 'another host is slow'
"$weft" run pair.runs/pair/scenario.xml --no-figures --out pair-again >out 2>messages || fail 'the resolved faults'
cmp pair/summary.csv pair-again/summary.csv || fail 'the resolved faults are others'

# A job on some hosts: its file names them by their ids as well, and nobody else.
pair pair holes.txt some.txt
"$weft" run pair.xml --no-figures --out all >out 2>messages || fail 'a job on all hosts'
sed -i 's|<workload |&hosts="8 4-5" |' pair.xml
"$weft" run pair.xml --no-figures --out some >out 2>messages || fail 'a job on some hosts'
exported all some
cmp all.runs/pair/flows.csv some.runs/pair/flows.csv || fail 'the flows of a job on some hosts are others'
grep -q 'hosts="4-5 8"' some.runs/pair/scenario.xml || fail 'the resolved hosts'
pair pair holes.txt conweave.txt
sed -i 's|<workload |&hosts="1-2 4-5 8" |' pair.xml
sed -i 's|hosts="[^"]*"|hosts="1-2 4-5"|' pair.xml
refused "conweave.txt:2: host 8 is none of this workload's; expected 1-2 4-5"
sed -i 's|hosts="[^"]*"|hosts="1-4 5 8"|' pair.xml
refused 'hosts of <workload>: 3 is a switch of holes.txt; hosts there are 1 to 2, 4 to 5, 8 to 9'
sed -i 's|hosts="[^"]*"|hosts="1 8-12"|' pair.xml
refused 'hosts of <workload>: 10 is not in holes.txt'
sed -i 's|hosts="[^"]*"|hosts="1 8 1"|' pair.xml
refused 'host 1 of <workload> stands twice'

# A <graph> whose nodes are numbers has ids as well; names are none.
printf 'src,dst,bytes,start\n7,30,1MB,0\n2,4,2MB,0\n' >flows.csv
pair xml graph.xml flows.csv
cat >graph.xml <<'END'
<graph>
  <switch name="9"/><switch name="1"/>
  <host name="7" at="9" rate="100Gbps" delay="1us"/><host name="2" at="9" rate="100Gbps" delay="1us"/>
  <host name="4" at="1" rate="100Gbps" delay="1us"/><host name="30" at="1" rate="100Gbps" delay="1us"/>
  <link from="9" to="1" rate="100Gbps" delay="1us"/>
</graph>
END
"$weft" run xml.xml --no-figures --out xml >out 2>messages || fail 'ids in XML'
exported xml
[ "$(column xml.runs/xml/flows.csv src | xargs) $(column xml.runs/xml/flows.csv dst | xargs)" = '0 1 3 2' ] ||
    fail 'other hosts than the ids of a <graph>'
grep -qF 'hosts of flows.csv are those of graph.xml: 2, 4, 7, 30 there are hosts 0 to 3 here' messages || fail 'ids of a <graph> are not said'
sed -i 's|<host name="30"|<host name="030"|' graph.xml
sed -i 's|^7,30|0,3|;s|^2,4|1,2|' flows.csv
"$weft" run xml.xml --no-figures --out names >out 2>messages || fail 'names in XML'
exported names
cmp xml.runs/xml/flows.csv names.runs/xml/flows.csv || fail 'names of a <graph> are taken for ids'
grep -qF 'hosts of flows.csv are numbered from 0 in the order of graph.xml, as not all hosts there are called by numbers: 0 is host 0 (7 in graph.xml)' messages ||
    { cat messages; fail 'numbers that are no ids: not said'; }
sed -i 's|<switch name="1"/>|<switch name="a, \&quot;b\&quot;"/>|;s|at="1"|at="a, \&quot;b\&quot;"|g;s|to="1"|to="a, \&quot;b\&quot;"|' graph.xml
"$weft" run xml.xml --no-figures --out names >out 2>messages || fail 'odd names in XML'
exported names
grep -qxF 'switch,1,"a, ""b"""' names.runs/xml/nodes.csv || fail 'an odd name of a switch in nodes.csv'
sed -i 's|kind="graph"|& ids="file"|' xml.xml
"$weft" validate xml.xml >out 2>messages && fail 'ids of a file without'
grep -qF 'xml.xml:2: error: ids of <topology> is for files that number their nodes, and graph.xml names them' messages || fail 'ids of a file without are not refused'

# Public files: HPCC's pair is of two hosts behind one switch, whose id is 0.
if [ -d "${WEFT_INPUTS:-}" ]; then
    equal hpcc-own "$WEFT_INPUTS/hpcc-topology.txt" "$WEFT_INPUTS/hpcc-flow.txt"
    awk 'BEGIN { print 60; for (i = 0; i < 60; i++) print i * 7 % 128, (i * 7 + 1 + i * i % 97) % 128, 3, 20000 * (i % 9 + 1), 2 + i * 1e-6 }' >some-flows.txt
    for topology in hpcc-fat conweave-leaf_spine_128_100G_OS2 conweave-fat_k8_100G_OS2; do
        equal "$topology" "$WEFT_INPUTS/$topology.txt" some-flows.txt
    done
    equal hpcc-fat-own "$WEFT_INPUTS/hpcc-fat.txt" "$WEFT_INPUTS/hpcc-flow.txt"
fi
echo 'file pairs are what a program makes of them'
