#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: rank.sh WEFT-RUNNER
# What 'weft rank' says of an author's scheme: values, and of which others it is ahead, against a computation
# of their own. If this fails, somebody believes in a gain that is not there, or misses one that is.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME <<SCHEMES: a table of schemes, traffic and links.
scenario()
{
    cat >"$1.xml" <<XML
<scenario name="$1">
  <topology kind="fat-tree" k="4" link-rate="100Gbps" link-delay="1us"/>
  <switch preset="100g"/>
  <transport name="ideal"/>
  <congestion-control name="none"/>
  <workload kind="permutation" bytes="100KB"/>
  <random-degrade links="0" share="0.5"/>
  <limit time="100ms"/>
  <sweep>
    <cases name="pattern">
      <case name="permutation"><set param="workload.kind" value="permutation"/></case>
      <case name="ring"><set param="workload.kind" value="ring"/></case>
    </cases>
    <cases name="links">
      <case name="healthy"><set param="random-degrade.links" value="0"/></case>
      <case name="half"><set param="random-degrade.links" value="1"/></case>
    </cases>
    $(cat)
    <seeds first="1" count="6"/>
  </sweep>
</scenario>
XML
}
scenario one <<'END_OF_SCHEMES'
<vary param="balancer.name" values="ecmp ops jsq simple-rr"/>
END_OF_SCHEMES
scenario own <<'END_OF_SCHEMES'
<cases name="scheme">
  <case name="wide">
    <set param="balancer.name" value="ecmp"/>
    <set param="congestion-control.name" value="dctcp"/>
    <set param="congestion-control.alpha" value="0"/>
  </case>
  <case name="narrow">
    <set param="balancer.name" value="ops"/>
    <set param="transport.name" value="sack"/>
    <set param="transport.threshold" value="64"/>
    <set param="congestion-control.name" value="dctcp"/>
    <set param="congestion-control.alpha" value="0"/>
  </case>
</cases>
END_OF_SCHEMES
"$weft" run one.xml >/dev/null 2>&1
"$weft" run own.xml >/dev/null 2>&1

# values RESULTS SCHEME-COLUMN: cell, scheme, seed and value of each run. A link's lower switch is one of
# eight ToRs or it is above them.
values()
{
    "$weft" query "$1" --format csv "select pattern || '/' || links as cell, $2 as scheme, seed, 1 + increase as v,
        cast(substr(p.text, instr(p.text, ':') + 1) as integer) as lower
        from summary s left join provenance p on p.run = s.run and p.key like 'random %'" | tail -n +2 |
        awk -F , '$5 != "" { $1 = $1 ($5 < 8 ? "ToR" : "core") } { print $1, $2, $3, $4 }'
}

# verdicts RESULTS SCHEME-COLUMN OWN-RESULTS NAME: cell, other scheme and verdict by hand.
verdicts()
{
    values "$3" scheme | awk -v name="$4" '$2 == name' >mine
    values "$1" "$2" >others
    awk 'BEGIN { split("0 12.706 4.303 3.182 2.776 2.571", t, " ") }
        NR == FNR { mine[$1, $3] = $4; next }
        ($1, $3) in mine { k = $1 " " $2; d = mine[$1, $3] - $4; n[k]++; sum[k] += d; squares[k] += d * d }
        END { for (k in n) {
            mean = sum[k] / n[k]
            rest = n[k] > 1 ? (squares[k] - n[k] * mean * mean) / (n[k] - 1) : 0
            half = t[n[k]] * sqrt(rest > 0 ? rest / n[k] : 0)
            print k, (n[k] < 2 ? "unknown" : mean + half < 0 ? "ahead" : mean - half > 0 ? "behind" : "level") } }' \
        mine others | grep -v '^ring/half' | sort
}

# told FOLDER: the same as the command has it.
told()
{
    tail -n +2 "$1/rank.csv" | sed 's/^"\([^"]*\), \([a-z]*\) *\([A-Za-z]*\)"/\1\/\2\3/' |
        awk -F , '{ print $1, $2, $NF }' | sort
}

# A balancer beside those with one NIC.
ends 0 "$weft" rank drill --beside results/one --no-figures
verdicts results/one '"balancer.name"' results/rank-drill drill >expected
told results/rank-drill >got
diff expected got >messages || fail 'other verdicts than by hand'
for verdict in ahead behind level; do
    grep -q " $verdict" got || fail "no scheme that drill is $verdict of: the test shows little"
done
[ "$(grep -c '^permutation/half\(ToR\|core\) ' got)" = 8 ] || fail "a ToR's links and others are one cell"
grep -q 'A run of ecmp, made again, gives the values that these have' out || fail 'nothing was made again'
[ "$(find results/rank-drill/runs -name '*.sqlite' | wc -l)" = 19 ] || fail 'not three cells of six seeds and one run more'
mean=$(awk '$1 == "permutation/healthy" { sum += $4; n++ } END { printf "%.3f", sum / n }' mine)
grep -q "^permutation, healthy: $mean ± " out || fail "the mean is $mean"
better=$(awk -v mean="$mean" '$1 == "permutation/healthy" { sum[$2] += $4; n[$2]++ }
    END { for (s in n) better += sum[s] / n[s] < mean; print better + 1 }' others)
grep -q "^permutation, healthy: .*, place $better of 5" out || fail "drill's place is $better"
sed -n '/^permutation, healthy:/,/^$/s/^  ahead of *//p' out | tr ' ' '\n' | sort >a
awk '$1 == "permutation/healthy" && $3 == "ahead" { print $2 }' expected | sort >b
cmp a b || fail 'what is printed is not what is written'

# The same again runs nothing; what is missing is run, and comes out the same.
cp results/rank-drill/rank.csv before.csv
ends 0 "$weft" rank drill --beside results/one --no-figures
grep -q '^19 of 19 runs are finished already' messages || fail 'it runs what it has'
rm results/rank-drill/runs/ring_healthy_drill_seed=3.sqlite
ends 0 "$weft" rank drill --beside results/one --no-figures
grep -q '^18 of 19 runs are finished already' messages || fail 'it does not go on'
cmp before.csv results/rank-drill/rank.csv || fail 'a run that was made again changes the table'

# One of the table is level with itself, by nothing at all; a parameter makes it another one.
ends 0 "$weft" rank jsq --beside results/one
grep '^"permutation, healthy",jsq' results/rank-jsq/rank.csv | grep -q ',0,0,6,level$' || fail 'jsq is not jsq'
[ -s results/rank-jsq/rank.svg ] || fail 'no figure'
ends 0 "$weft" rank drill --beside results/one --no-figures --set balancer.d=1
grep -q '^drill balancer.d=1, the balancer' out || fail 'the parameter is not shown'
! cmp -s before.csv results/rank-drill/rank.csv || fail 'a parameter changes nothing'

# A congestion control in a scheme: what it does not know of the former one goes.
ends 0 "$weft" rank dcqcn --nic narrow --beside results/own --no-figures
grep -q 'congestion-control.alpha=0 is left out: dcqcn has no such parameter' messages || fail 'alpha stays silently'
verdicts results/own scheme results/rank-dcqcn-narrow dcqcn >expected
told results/rank-dcqcn-narrow >got
diff expected got >messages || fail 'other verdicts of a congestion control than by hand'
"$weft" query results/rank-dcqcn-narrow --format csv "select distinct text from parameters join summary using (run)
    where scheme = 'dcqcn' and parameters.name in ('balancer.name', 'transport.name', 'transport.threshold')" >got
[ "$(tail -n +2 got | xargs)" = 'sack 64 ops' ] || fail "the rest of the scheme is not as it was: $(cat got)"
ends 0 "$weft" rank drill --nic own --set transport.name=gbn --beside results/own --no-figures
"$weft" query results/rank-drill-own --format csv "select distinct text from parameters join summary using (run)
    where scheme = 'drill' and parameters.name = 'transport.name'" | grep -qx gbn || fail '--set chose no transport'

# Others that were made by another fabric.
"$weft" run one.xml --out changed --set workload.bytes=120KB >/dev/null 2>&1
ends 0 "$weft" rank drill --beside changed --no-figures
grep -q 'warning: a run of ecmp, made again, gives other values than changed has' messages || fail 'no word of it'

# Mistakes: a message, and nothing is run.
rm -r results/rank-*
# What is there stays: the results that it is compared with, and the name of what is ranked.
ends 2 "$weft" rank drill --beside results/one --out results/one --no-figures
grep -q "has results of the scenario 'one'; expected another --out" messages || fail 'a folder of other results'
ends 2 "$weft" rank drill --beside results/one --no-figures --set balancer.name=ecmp
ends 2 "$weft" rank drll --beside results/one
grep -q "no balancer, transport or congestion control is called 'drll'; did you mean 'drill'?" messages || fail 'drll'
ends 2 "$weft" rank drill --nic narow --beside results/own
grep -q "did you mean 'narrow'?" messages || fail 'narow'
for mistake in '--nic narrow' '--set workload.bytes=1MB' '--set transport.name=gbn' '--set balancer.d' \
    '--set balancer.dd=2' '--set balancer.d=-1'; do
    # shellcheck disable=SC2086 # words
    ends 2 "$weft" rank drill --beside results/one $mistake
done
grep -q '^weft: command line: error: ' messages || fail 'a value out of its bounds'
ends 2 "$weft" rank sack --beside results/one
ends 2 "$weft" rank drill --beside results/nowhere
mkdir no-results
cp results/one/scenario.xml no-results/
ends 2 "$weft" rank drill --beside no-results
[ ! -e results/rank-drill ] || fail 'a mistake was run'
