#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: paths.sh WEFT-RUNNER
# Who asks which way a flow took would be told another one, that it kept to it when it did not, or that
# it was spread evenly when it was not.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

leaf_spine='<topology kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps"/>'
fat_tree='<topology kind="fat-tree" k="4" link-rate="100Gbps"/>'
permutation='<workload kind="permutation" bytes="200KB"/>'
on='<measure paths="on"/>'
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

# is NAME WANTED SELECT
is()
{
    got=$("$weft" query "results/$1" --format csv "$3" | tail -n +2 | xargs)
    [ "$got" = "$2" ] || fail "$1: $3: $got, expected $2"
}

# A hashed flow keeps to one way, whose links are one behind the other, from its host's switch to that of
# the other host; all of its packets are there, those that were sent again included.
scenario hashed "$fat_tree" '<balancer name="ecmp"/>' "$permutation" "$on"
is hashed 0 'select count(*) from paths where turns > 0 or share < 1'
is hashed 1 'select min(packets = sent + resent) from paths join qps using (run, qp)'
is hashed 0 "select count(*) from paths a join paths b on a.qp = b.qp and b.hop = a.hop + 1
    where substr(a.link, instr(a.link, ' -> ') + 4) <> substr(b.link, 1, instr(b.link, ' -> ') - 1)"
is hashed 16 "select count(*) from (select qp, max(hop) as hop from paths group by qp) join paths using (qp, hop)
    join qps using (qp) where link like '% -> host ' || dst"
is hashed 16 "select count(*) from paths p join links l on l.host = (select src from qps where qp = p.qp)
    where hop = 1 and p.link like substr(l.link, instr(l.link, ' -> ') + 4) || ' -> %'"
is hashed '1,2 3,1' 'select distinct hop, choices from paths where hop in (1, 3) and qp in
    (select qp from paths where hop = 5) order by hop, choices'
# The table is that of links, where no other frames are.
is hashed 0 'select count(*) from links join (select "switch", port, sum(packets) as n from paths group by 1, 2)
    using ("switch", port) where frames < n'
is hashed 0 'select count(*) from paths p join links l using (run, "switch", port) where p.link <> l.link'

# Sprayed packets take all ways, and turn at most of them.
scenario sprayed "$leaf_spine" '<balancer name="simple-rr"/><transport name="sack"/>' "$permutation" "$on"
is sprayed 1 'select min(n = 4 and least > 0.1 and most < 0.4 and turns > 0.5 * packets) from
    (select count(*) as n, min(share) as least, max(share) as most, sum(turns) as turns, sum(packets) as packets
    from paths where hop = 1 and choices > 1 group by qp)'
is sprayed 1 'select min(abs(s - 1) < 1e-5) from (select sum(share) as s from paths group by qp, hop)'
# Flowlets turn, and seldom.
scenario flowlets "$leaf_spine" '<balancer name="letflow"/><transport name="sack"/><switch preset="100g"/>' \
    '<congestion-control name="dcqcn" preset="hpcc"/><workload kind="incast" bytes="2MB" senders="12"/>' "$on"
is flowlets 1 'select sum(turns) > 0 and max(turns) < 0.01 * max(packets) from paths'

# The tool tells it.
"$weft" look results/hashed --qp 3 >out 2>messages || fail 'no story'
way=$("$weft" query results/hashed --format csv 'select link from paths where qp = 3 order by hop' | tail -n +2)
echo "$way" | while read -r link; do grep -q "$link" out || fail "its way has no $link"; done
"$weft" look results/sprayed --qp 3 >out 2>messages || fail 'no story of a sprayed one'
sed -n '/^its way from switch/,/^$/p' out | grep -q '^  1 *4 *4 ' || fail 'its links are not counted'
"$weft" look results/sprayed >out 2>messages || fail 'no ways of all'
grep -q '^the ways of QPs' out || fail 'the ways of all'

# A page draws each link once, colours it, and shows the way of the QP that lost most; hosts of a large
# fabric are left out. It needs nothing from elsewhere.
"$weft" look results/hashed --output page.html >out 2>messages || fail 'no page'
[ "$(grep -c '^<line class="c' page.html)" = 48 ] || fail 'a page without all links'
[ "$(grep -c '^<circle' page.html)" = 20 ] || fail 'a page without all switches'
[ "$(grep -c '^<rect' page.html)" = 16 ] || fail 'a page without all hosts'
qp=$("$weft" query results/hashed --format csv 'select straggler_qp from summary' | tail -n +2)
is hashed "$(grep -c '^<line class="way"' page.html)" "select 1 + count(*) from paths where qp = $qp"
grep -q "<h2>QP $qp</h2>" page.html || fail 'a page without its slowest QP'
! grep -q 'http\|<script\|url(' page.html || fail 'a page that needs others'
"$weft" look results/hashed --qp 3 --output page.html >out 2>messages
grep -q '<h2>QP 3</h2>' page.html || fail 'a page of another QP'
scenario wide '<topology kind="leaf-spine" leaves="10" spines="4" hosts-per-leaf="16" link-rate="100Gbps"/>' \
    '<balancer name="ecmp"/><transport name="sack"/><workload kind="permutation" bytes="10KB"/>' \
    '<failure leaf="0" spine="3" at="1us"/>'
"$weft" look results/wide --output page.html >out 2>messages || fail 'no page of a large fabric'
[ "$(grep -c '^<line class="c' page.html)" = 40 ] || fail 'links of switches are missing, or others are there'
! grep -q '^<rect' page.html || fail 'hosts are drawn'
[ "$(grep -c '^<line class="c. bad"' page.html)" = 1 ] || fail 'a fault is not to be seen'

# QPs that are named; not asked for, nothing; a word that is none.
scenario named "$leaf_spine" '<balancer name="ecmp"/>' "$permutation" '<measure paths="qps" qps="2 5"/>'
is named '2 5' 'select distinct qp from paths order by qp'
scenario off "$leaf_spine" '<balancer name="ecmp"/>' "$permutation"
is off 0 'select count(*) from paths'
"$weft" look results/off --qp 3 >out 2>messages
grep -q 'measure.paths=on' out || fail 'nobody says how to see its way'
sed 's/qps="2 5"//' named.xml >none.xml
ends 2 "$weft" run none.xml
grep -q 'none.xml:3: error: paths of <measure> is qps, and qps names none' messages || fail 'which QPs'

# Nothing else differs, and threads change nothing.
sed 's/<measure.*>//' hashed.xml >bare.xml
"$weft" run bare.xml --out bare >/dev/null 2>messages || fail 'bare'
for table in summary qps links; do
    "$weft" query bare "select * from $table" >a
    "$weft" query results/hashed "select * from $table" >b
    cmp a b || fail "$table differs"
done
"$weft" query results/sprayed 'select * from paths' >a
"$weft" run sprayed.xml --out threads --threads 2 >/dev/null 2>messages || fail 'threads'
"$weft" query threads 'select * from paths' | cmp - a || fail 'another way with two threads'
