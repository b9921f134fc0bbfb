#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: graph-files.sh WEFT-RUNNER
# Topologies from files. A user would lose the fabric of another simulator: other links than the file
# names, mistakes in it that go unnoticed, runs that cannot be repeated without it.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario FILE [BALANCER [MORE]]
scenario()
{
    printf '<scenario name="g"><topology kind="graph" file="%s"/><balancer name="%s"/>%s\n<workload kind="alltoall" bytes="100KB"/></scenario>\n' \
        "$1" "${2:-ecmp}" "${3:-}" >g.xml
}

# refused TEXT: what the scenario is refused with
refused()
{
    status=0
    "$weft" run g.xml --no-figures --out g >out 2>messages || status=$?
    [ $status != 0 ] || fail "accepted: $1"
    grep -qF -- "$1" messages || fail "not said: $1"
    [ ! -e g ] || fail "a folder was made: $1"
}

# Two switches with two hosts each, whose ids are not in order; then the same in XML.
cat >t.txt <<'END'
6 2 6
4 1
0 1 100Gbps 1000ns 0.000000
1 2 100Gbps 0.001ms 0
4 3 100Gbps 1us 0
5 4 100Gbps 1us 0
1 4 200Gbps 2us 0
4 1 200Gbps 2us 0
END
cat >t-graph.xml <<'END'
<graph>
  <switch name="left"/><switch name="right"/>
  <host name="a" at="left" rate="100Gbps" delay="1us"/>
  <host name="b" at="left" rate="100Gbps" delay="1us"/>
  <host name="c" at="right" rate="100Gbps" delay="1us"/>
  <host name="d" at="right" rate="100Gbps" delay="1us"/>
  <link from="left" to="right" rate="200Gbps" delay="2us" count="2"/>
</graph>
END
for file in t.txt t-graph.xml; do
    scenario $file
    "$weft" run g.xml --no-figures --out "$file.out" >out 2>messages || fail "$file"
    exported "$file.out"
    if grep -q 'warning' messages; then fail "$file: a warning"; fi
    cmp "$file" "$file.out/inputs/$file" || fail "$file is not kept with the results"
    cmp "$file" "$file.out.runs/g/input-$(cksum <$file | tr ' ' -).txt" || fail "$file is not kept with the run"
    grep -q "^topology file: $file (cksum $(cksum <$file | cut -d ' ' -f 1)," "$file.out.runs/g/provenance.txt" ||
        fail "no word of $file in the provenance"
done
cmp t.txt.out.runs/g/flows.csv t-graph.xml.out.runs/g/flows.csv || fail 'the same fabric in two formats'

# A run's folder is enough to repeat it, elsewhere and without the file.
mkdir elsewhere
cp -r t.txt.out.runs/g elsewhere/
(cd elsewhere && "$weft" run g/scenario.xml --no-figures --out again >out 2>../messages) || fail 'a run is not repeated from its folder'
(cd elsewhere && exported again)
cmp t.txt.out.runs/g/flows.csv elsewhere/again.runs/*/flows.csv || fail 'the repeated run differs'

# Another file of that name makes other runs.
scenario t.txt
sed -i 's/2us/3us/' t.txt
"$weft" run g.xml --no-figures --out t.txt.out --dry-run >out 2>messages || true
grep -q 'stale' out messages || fail 'a changed file changes nothing'
sed -i 's/3us/2us/' t.txt

# A dead link: all goes by the other one of the two.
scenario t.txt ecmp '<failure lower="1" upper="4" link="1"/><convergence delay="0s"/>'
"$weft" run g.xml --no-figures --out dead >out 2>messages || fail 'a failure in a graph'
scenario t.txt ecmp '<failure lower="4" upper="1" link="2"/>'
refused 'g.xml:1: error: link 2 of <failure> does not exist; expected one below 2, as switches 4 and 1 have'

# A slower link, which rho_max knows.
scenario t.txt ecmp '<degrade lower="4" upper="1" link="0" rate="1Gbps"/>'
"$weft" run g.xml --no-figures --out slow >out 2>messages || fail 'a degraded link'
exported slow
grep -q '<degrade lower="1" upper="4" link="0" rate="1Gbps" at="0ps" repair="inf"/>' slow.runs/g/scenario.xml || fail 'the resolved degradation'
rho()
{
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i } END { print $c["rho_max"] }' "$1.runs/g/summary.csv"
}
[ "$(rho slow)" != "$(rho t.txt.out)" ] || fail "rho_max is $(rho slow) with a link of 1 Gbps as well"
scenario t.txt ecmp '<degrade lower="1" upper="4" rate="300Gbps"/>'
refused "rate of <degrade> is more than the link's 200000 Mbps"
scenario t.txt ecmp '<degrade lower="1" upper="4" rate="1Gbps"/><degrade lower="4" upper="1" rate="2Gbps" at="1us"/>'
refused 'this link is degraded by the <degrade> of line 1 at that time'
scenario t.txt ecmp '<degrade lower="1" upper="4" rate="1Gbps" at="2us" repair="1us"/>'
refused 'repair of <degrade> is not after at'
scenario t.txt ecmp '<degrade lower="1" upper="4"/>'
refused 'rate'

# A host's link, in a graph or not; and forwarding that knows.
scenario t.txt rsq '<degrade host="2" rate="1Gbps"/><convergence weights="capacity" delay="0s"/>'
"$weft" run g.xml --no-figures --out slow-host >out 2>messages || fail "a host's degraded link"
exported slow-host
grep -q '<degrade host="2" rate="1Gbps" at="0ps" repair="inf"/>' slow-host.runs/g/scenario.xml || fail "the resolved host's link"
grep -q '<convergence delay="0ps" weights="capacity"/>' slow-host.runs/g/scenario.xml || fail 'the resolved weights'
"$weft" run slow-host.runs/g/scenario.xml --no-figures --out slow-again >out 2>messages || fail 'the resolved scenario'
cmp slow-host/summary.csv slow-again/summary.csv || fail 'the resolved scenario is another one'
scenario t.txt ecmp '<degrade host="2" rate="1Gbps"/>'
"$weft" run g.xml --no-figures --out slow-host-ecmp >out 2>messages || fail "a host's degraded link"
exported slow-host-ecmp
[ "$(rho slow-host-ecmp)" != "$(rho t.txt.out)" ] || fail "rho_max is $(rho t.txt.out) with a host at 1 Gbps as well"
scenario t.txt ecmp '<degrade host="99" rate="1Gbps"/>'
refused '<degrade> names no host: 99 is not in t.txt; hosts there are 0, 2 to 3, 5'
scenario t.txt ecmp '<degrade host="2" upper="4" rate="1Gbps"/>'
refused "<degrade> names a host's link and has upper as well"
scenario t.txt ecmp '<failure host="99"/>'
refused '<failure> names no host: 99 is not in t.txt; hosts there are 0, 2 to 3, 5'

# Who needs a Clos says so.
for balancer in ofan themis host-dr ethereal letflow conga conweave prime; do
    scenario t.txt $balancer
    refused "g.xml:1: error: the balancer $balancer needs a Clos, and this topology is a graph"
done

# Mistakes are told with their lines, and nothing is run.
scenario ''
refused 'file of <topology> is empty'
printf '<scenario name="g"><topology kind="graph"/><balancer name="ecmp"/><workload kind="ring" bytes="1MB"/></scenario>' >g.xml
refused 'the graph topology lacks file='
printf '<scenario name="g"><topology kind="leaf-spine" file="t.txt"/><balancer name="ecmp"/><workload kind="ring" bytes="1MB"/></scenario>' >g.xml
refused 'unknown attribute file of <topology leaf-spine>'
scenario bad.txt
mistake()
{
    sed "$1" t.txt >bad.txt
    refused "$2"
}
mistake '3s/100Gbps/100Gbsp/' "bad.txt:3: rate of a link '100Gbsp'; expected a rate"
mistake '4s/0.001ms/1001ms/' "bad.txt:4: delay of a link '1001ms'; expected a time"
mistake '5s/4 3/4 9/' 'bad.txt:5: node 9; expected 0 to 5'
mistake '5s/4 3/4 4/' 'bad.txt:5: the link leads from a node to itself'
mistake '5s/4 3/2 3/' 'bad.txt:5: the link joins two hosts'
mistake '8s/4 1/1 0/' 'bad.txt:8: the host has a link to that switch already'
mistake '3s/0 1/4 1/' 'node 0: the host has no link'
mistake '3s/0.000000/1.5/' "bad.txt:3: error rate of a link '1.5'; expected a number from 0 to 1"
mistake '3s/ 0.000000//' 'bad.txt:3: this link goes on in line 4'
mistake '2s/4 1/4 4/' 'bad.txt:2: switch 4 is named twice'
mistake '2s/4 1/-4 1/' "bad.txt:2: node '-4'; expected"
mistake '2s/4 1/4 6/' 'bad.txt:2: node 6; expected 0 to 5'
mistake '3s/0 1/0 99999999999/' "bad.txt:3: node '99999999999'; expected"
mistake '1s/2/3/' "bad.txt:3: node '100Gbps'"
mistake '1s/2/1/' "bad.txt:3: rate of a link '1'"
mistake '1s/2/6/' '6 nodes of which 6 are switches'
mistake '1s/.*/-6 2 6/' "bad.txt:1: number of nodes '-6'"
mistake '8d' 'bad.txt:8: the file ends before the node'
mistake '1s/.*/999999999999 2 6/' "number of nodes '999999999999'"
mistake '1s/.*/1000000 60000 4000000/' 'bad.txt:1: the file is too short'
mistake '7,8d;1s/6$/4/' 'bad.txt:1: nodes 0 and 3: no way leads from one host to the other; expected one by switches'

# Two servers of two GPUs in SimAI's format. Nodes 4 and 5 are their NVSwitches, 6 and 7 ToRs: one for
# each rail, with a link between them.
cat >simai.txt <<'END'
8 2 2 2 9 H100
4 5 6 7
0 4 2880Gbps 0.000025ms 0
1 4 2880Gbps 0.000025ms 0
2 5 2880Gbps 0.000025ms 0
3 5 2880Gbps 0.000025ms 0
0 6 400Gbps 0.0005ms 0
1 7 400Gbps 0.0005ms 0
2 6 400Gbps 0.0005ms 0
3 7 400Gbps 0.0005ms 0
6 7 400Gbps 0.0005ms 0
END
# false_servers EXPRESSION TEXT
false_servers()
{
    sed "$1" simai.txt >bad.txt
    refused "$2"
}
false_servers '11d;1s/9/8/' 'bad.txt:1: nodes 1 and 2: no way leads from one host to the other; expected one by switches, other than another server'
false_servers '7,11d;1s/9/4/' 'bad.txt:1: nodes 0 and 2: no way leads from one host to the other'
# What the first line says is what the links say.
# What the first line says is what the links say.
false_servers '1s/ 2 / 4 /' 'bad.txt:1: GPUs of NVSwitch 4: 2; expected 4, as this line has of a server'
false_servers '1s/ 2 / 3 /' 'bad.txt:1: 4 hosts in servers of 3 GPUs; expected a number that divides the hosts'
false_servers '1s/ 2 / 1 /' 'bad.txt:4: NVSwitch 4 has GPUs 0 and 1; expected GPUs of one server'
false_servers '6d;1s/9/8/' 'bad.txt:1: GPU 3 has no link to an NVSwitch'
false_servers '1s/2 2 9/1 3 9/' 'bad.txt:1: GPU 2 has no link to an NVSwitch'
false_servers '4s/1 4/2 4/' 'bad.txt:4: NVSwitch 4 has GPUs 0 and 2; expected GPUs of one server, as 2 of them in a row are'
false_servers '1s/2 2 9/3 1 9/' 'bad.txt:9: NVSwitch 6 has GPUs 0 and 2; expected GPUs of one server'
false_servers '11s/.*/&\n0 5 2880Gbps 0.000025ms 0/;1s/9/10/' 'bad.txt:12: NVSwitch 5 has GPUs 2 and 0; expected GPUs of one server'
false_servers '11s/.*/&\n4 6 400Gbps 0.0005ms 0/;1s/9/10/' "bad.txt:12: the link leads from a server's scale-up switch to another switch"
false_servers '11s/.*/&\n4 5 400Gbps 0.0005ms 0/;1s/9/10/' "bad.txt:12: the link leads from a server's scale-up switch to another switch"
false_servers '11s/.*/&\n\n6 7 400Gbps 0.0005ms 0/' "bad.txt:13: '6' follows the 9 links that the first line announces; expected the end of the file"
false_servers '1s/H100/7/' "bad.txt:1: kind of GPU '7'; expected a name"
for line in '' '8' '8 2 2 2 9' '8 2 2 2 9 H100 x' '# SimAI'; do
    false_servers "1s/.*/$line/" "bad.txt:1: words in the first line: $(echo "$line" | wc -w); expected 3 numbers (HPCC) or 6 words (SimAI)"
done
false_servers '1s/ 9 /\n9 /' 'bad.txt:1: words in the first line: 4; expected 3 numbers'

# servers NAME FILE
servers()
{
    printf '<scenario name="%s"><topology kind="graph" file="%s"/><balancer name="ecmp"/>\n<workload kind="allreduce-hierarchical" bytes="100KB"/></scenario>\n' \
        "$1" "$2" >servers.xml
    "$weft" run servers.xml --no-figures --out "$1" >out 2>messages || fail "servers of $2"
    exported "$1"
}
# With NVSwitches, and without: the first line says as well which GPUs are in one server. Messages are the same.
servers simai simai.txt
cat >rails.txt <<'END'
6 2 0 2 5 H100
4 5
0 4 400Gbps 0.0005ms 0
1 5 400Gbps 0.0005ms 0
2 4 400Gbps 0.0005ms 0
3 5 400Gbps 0.0005ms 0
4 5 400Gbps 0.0005ms 0
END
servers rails rails.txt
messages_of()
{
    "$weft" query "$1" 'select src, dst, bytes from flows order by message' --format csv
}
messages_of simai >expected
messages_of rails | cmp - expected || fail 'other messages without NVSwitches'
[ "$(wc -l <expected)" -gt 4 ] || fail 'no messages of servers'

# A dumbbell of 10,004 nodes, as others have published one, and a switch of one port more than there may be.
dumbbell() # HOSTS on each side
{
    awk -v n="$1" 'BEGIN { print 2 * n + 2, 2, 2 * n + 1; print 2 * n, 2 * n + 1
        for (i = 0; i < 2 * n; i++) print i, 2 * n + (i >= n), "100Gbps 1us 0"
        print 2 * n, 2 * n + 1, "400Gbps 1us 0" }' >dumbbell.txt
}
dumbbell 5001
printf '3\n0 10001 3 100 100000 0\n5000 5001 3 100 100000 0\n10001 0 3 100 100000 0\n' >dumbbell-flow.txt
cat >g.xml <<'END'
<scenario name="g"><topology kind="graph" file="dumbbell.txt"/><balancer name="ecmp"/>
<switch buffer="2GB" headroom="100KB"/><workload kind="flows" file="dumbbell-flow.txt"/></scenario>
END
"$weft" run g.xml --no-figures --out dumbbell >out 2>messages || fail 'a dumbbell of 10,004 nodes'
exported dumbbell
[ "$(grep -c '[0-9]' dumbbell.runs/g/flows.csv)" = 3 ] || fail 'not three flows through a dumbbell'
dumbbell 8192
refused 'dumbbell.txt:1: node 16384: the switch has too many links; expected at most 8192'

scenario bad.xml
bad()
{
    sed "$1" t-graph.xml >bad.xml
    refused "$2"
}
bad '3s/at="left"/at="lft"/' "bad.xml:3: at of <host>: no node is called 'lft'"
bad '3s/rate=/rtae=/' "bad.xml:3: unknown attribute rtae of <host>; expected name, at, rate, delay, loss, scale-up; did you mean 'rate'?"
bad '3s/ delay="1us"//' 'bad.xml:3: <host> lacks delay='
bad '4s/"b"/"a"/' "bad.xml:4: a second node is called 'a'"
bad '7s/count="2"/count="9000"/' "bad.xml:7: count '9000' of <link>"
bad '7s/link /lnik /' 'bad.xml:7: unknown element <lnik>'
bad '1s/.*/<!DOCTYPE graph><graph>/' 'DOCTYPE and entities are not accepted'
bad '8d' 'malformed XML'

# Hosts with several links, some of them their server's own, in XML: the same fabric as in SimAI's format.
cat >servers-graph.xml <<'END'
<graph>
  <switch name="nv0"/><switch name="nv1"/><switch name="tor0"/><switch name="tor1"/>
  <host name="a" at="nv0" rate="2880Gbps" delay="25ns" scale-up="on"/>
  <host name="b" at="nv0" rate="2880Gbps" delay="25ns" scale-up="on"/>
  <host name="c" at="nv1" rate="2880Gbps" delay="25ns" scale-up="on"/>
  <host name="d" at="tor1" rate="400Gbps" delay="500ns"/>
  <link from="d" to="nv1" rate="2880Gbps" delay="25ns" scale-up="on"/>
  <link from="a" to="tor0" rate="400Gbps" delay="500ns"/>
  <link from="tor1" to="b" rate="400Gbps" delay="500ns" scale-up="off"/>
  <link from="c" to="tor0" rate="400Gbps" delay="500ns"/>
  <link from="tor0" to="tor1" rate="400Gbps" delay="500ns"/>
</graph>
END
servers simai-xml servers-graph.xml
cmp simai.runs/simai/flows.csv simai-xml.runs/simai-xml/flows.csv || fail 'the same servers in two formats'
cp servers-graph.xml t-graph.xml
scenario bad.xml
bad '7s/to="nv1"/to="tor1"/' 'bad.xml:7: the host has a link to that switch already'
bad '8s/"a"/"d"/' 'bad.xml:1: nodes a and c: no way leads from one host to the other'
bad '8s/delay/count="2" delay/' 'bad.xml:8: the host has a link to that switch already'
bad '8s/tor0/b/' 'bad.xml:8: the link joins two hosts'
bad '8s/tor0/nv0/' "bad.xml:8: the host has a link to that switch already"
bad '8s/tor0/nv1/' "bad.xml:8: the link leads to a server's scale-up switch; expected a scale-up link"
bad '8s/to="tor0"/to="nv1" scale-up="on"/' 'bad.xml:8: the host has scale-up links of two servers'
bad '11s/delay/scale-up="on" delay/' 'bad.xml:11: the link joins two switches; expected a host at one end of a scale-up link'
bad '11s/tor1/nv1/' "bad.xml:11: the link leads from a server's scale-up switch to another switch"
bad '11d' 'bad.xml:1: nodes b and c: no way leads from one host to the other'
bad '4s/"on"/"of"/' "bad.xml:4: scale-up 'of' of <host>"
bad '4s/scale-up/scaleup/' "bad.xml:4: unknown attribute scaleup of <host>; expected name, at, rate, delay, loss, scale-up; did you mean 'scale-up'?"
# A leaf-spine in a file, whatever its numbers, is one: what needs a Clos runs on it, and sends as fast as on
# leaf-spine itself. Results name its nodes by the file's ids.
cat >clos.txt <<'END'
8 4 8
7 2 0 5
3 2 100Gbps 1us 0
1 5 100Gbps 1us 0
6 5 100Gbps 1us 0
4 2 100Gbps 1us 0
7 5 200Gbps 2us 0
2 0 200Gbps 2us 0
5 0 200Gbps 2us 0
2 7 200Gbps 2us 0
END
sed 's/2 7 200Gbps/2 7 100Gbps/' clos.txt >no-clos.txt
cat >topo.topo <<'END'
# the same as htsim has it
Nodes 4
Tiers 2
Podsize 4

Tier 0
Downlink_speed_Gbps 100
Radix_Down 2
Radix_Up 2
Downlink_Latency_ns 800
Switch_Latency_ns 400

Tier 1
Downlink_speed_Gbps 200
Radix_Down 2
Downlink_Latency_ns 1500
Switch_Latency_ns 600
END
ends_of()
{
    "$weft" query "$1" 'select first_us, fct_us from (select min(posted_us) as first_us, max(delivered_us) as fct_us from flows group by src) order by 2' --format csv
}
for balancer in themis conweave conga letflow pro ethereal ecmp; do
    for file in clos.txt topo.topo; do
        scenario $file $balancer
        "$weft" run g.xml --no-figures --out clos >out 2>messages || fail "$balancer on $file: $(cat messages)"
        sed "s|kind=\"graph\" file=\"$file\"|kind=\"leaf-spine\" leaves=\"2\" spines=\"2\" hosts-per-leaf=\"2\" link-rate=\"100Gbps\" fabric-rate=\"200Gbps\" link-delay=\"1us\" fabric-delay=\"2us\"|" g.xml >h.xml
        "$weft" run h.xml --no-figures --out built-in >out 2>messages || fail "$balancer on leaf-spine"
        ends_of clos >clos.ends && ends_of built-in >built-in.ends
        cmp clos.ends built-in.ends || fail "$balancer on $file is not what it is on leaf-spine"
        rm -r clos built-in
    done
    [ $balancer = ecmp ] && continue
    scenario no-clos.txt $balancer
    refused "the balancer $balancer needs a Clos, and this topology is a graph"
    scenario clos.txt $balancer
    sed 's/<topology/& recognise="off"/' g.xml >h.xml && mv h.xml g.xml
    refused "the balancer $balancer needs a Clos, and this topology is a graph"
done
scenario clos.txt conweave '<failure leaf="0" spine="1"/>'
refused '<failure> does not name one link; expected lower and upper (switch numbers), or host, or switch'
scenario clos.txt conweave '<failure lower="2" upper="7" at="1us"/>'
"$weft" validate g.xml >out 2>messages || fail "a link of the file's: $(cat messages)"
scenario clos.txt conweave
"$weft" run g.xml --no-figures --out clos >out 2>messages || fail 'clos.txt'
"$weft" query clos "select name from nodes where kind = 'host' order by number" --format csv | tr -d '\n' >names
[ "$(cat names)" = name1634 ] || fail "hosts of clos.txt: $(cat names)"
rm -r clos

# Mistakes of htsim's files are told with their lines.
scenario bad.topo
topo()
{
    sed "$1" topo.topo >bad.topo
    refused "$2"
}
topo 's/Nodes 4/Nodes 5/' 'bad.topo:2: Nodes: 5 hosts in pods; expected a multiple of 4'
topo 's/Podsize 4/Podsize 3/' 'bad.topo:2: Nodes: 4 hosts in pods; expected a multiple of 3'
topo '/Podsize/d' 'bad.topo:1: Podsize is missing'
topo 's/Radix_Up/Radix_Upp/' "bad.topo:9: no attribute is called 'Radix_Upp'; expected 'Radix_Up'"
topo 's/Radix_Up 2/Radix_Up two/' "bad.topo:9: Radix_Up 'two'; expected"
topo 's/Radix_Up 2/Radix_Up 2 2/' 'bad.topo:9: 3 words; expected Radix_Up and a number'
topo '/Radix_Up/d' 'bad.topo:6: Radix_Up of this tier is missing'
topo '15s/2/4/' 'bad.topo:15: Radix_Down 4; expected 2, the links to the 2 ToRs'
topo '9s/$/\nOversubscribed 2/' 'bad.topo:10: Oversubscribed 2: a switch of this tier has 200 Gbps down and 400 Gbps up'
topo '9s/$/\nBundle 2/' 'bad.topo:10: Bundle 2 of the links to hosts; expected 1'
topo '15s/$/\nBundle 2/' 'bad.topo:15: Radix_Down 2; expected 4, the links to the 2 ToRs'
topo '15s/$/\nBundle 3/' 'bad.topo:9: Radix_Up: 2 links in bundles; expected a multiple of 3'
topo 's/Tiers 2/Tiers 3/' 'bad.topo:3: 3 Tiers, and no Tier 2'
topo 's/Tier 1/Tier 0/' 'bad.topo:13: Tier is said in line 6 as well; expected it once'
topo '9s/$/\nNodes 4/' 'bad.topo:10: Nodes stands behind the first Tier; expected it before'
topo '3s/$/\nBundle 1/' 'bad.topo:4: Bundle stands before the first Tier; expected it behind'
topo '16s/$/\nRadix_Up 2/' 'bad.topo:17: Radix_Up of the uppermost tier; expected none'
sed '9s/$/\nQueue_up 100/' topo.topo >bad.topo
"$weft" validate g.xml >out 2>messages || fail 'a file with queues'
grep -qF 'bad.topo:10: queues of tier 0 are not read' messages || fail 'no word of queues'
echo 'graphs are read'
