#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: add-case.sh WEFT-RUNNER
# A scheme of the user's own in a table that is there: run as a case more (--add-case), shown with the runs that
# were made before (--beside), and compared with them (scenarios/cross/ahead.sql) against a computation by hand. If
# this fails, somebody believes in a gain that is not there, or misses one that is.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME COLUMN <<SCHEMES: a table of schemes, traffic and links.
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
  <figure name="means" template="bars" x="$2" y="cct_us" where="pattern=permutation links=healthy"/>
  <figure name="rows" template="cdf" data="qps" x="delivered_us" series="$2" where="pattern=ring links=half"
          pool="on"/>
</scenario>
XML
}
scenario one balancer.name <<'END_OF_SCHEMES'
<vary param="balancer.name" values="ecmp ops jsq simple-rr"/>
END_OF_SCHEMES
scenario own scheme <<'END_OF_SCHEMES'
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
    values "$3" "$2" | awk -v name="$4" '$2 == name' >mine
    values "$1" "$2" >others
    awk 'BEGIN { split("0 12.706 4.303 3.182 2.776 2.571", t, " ") }
        NR == FNR { mine[$1, $3] = $4; next }
        ($1, $3) in mine { k = $1 " " $2; d = mine[$1, $3] - $4; n[k]++; sum[k] += d; squares[k] += d * d }
        END { for (k in n) {
            mean = sum[k] / n[k]
            rest = n[k] > 1 ? (squares[k] - n[k] * mean * mean) / (n[k] - 1) : 0
            half = t[n[k]] * sqrt(rest > 0 ? rest / n[k] : 0)
            print k, (n[k] < 2 ? "unknown" : mean + half < 0 ? "ahead" : mean - half > 0 ? "behind" : "level") } }' \
        mine others | sort
}

# told RESULTS OTHERS: the same as the query has it, and all that it says in `table`.
told()
{
    "$weft" query "$1" --beside "$2" --file "$here/../../scenarios/cross/ahead.sql" --format csv >table
    sed -n 's/^"\([^"]*\), \([a-z]*\) *\([A-Za-z]*\)"/\1\/\2\3/p' table | awk -F , '$8 != "itself" { print $1, $2, $8 }' | sort
}

# A balancer, with a parameter, among those of a <vary>. Its runs alone are run, which have its name.
drill='drill-1: balancer.name=drill, balancer.d=1'
ends 0 "$weft" run one.xml --add-case "$drill" --only drill-1 --out results/drill
[ "$(find results/drill/runs -name '*.sqlite' | wc -l)" = 24 ] || fail 'not the 24 runs of the case'
[ "$("$weft" query results/drill --format csv "select distinct name || '=' || text from parameters
    where name in ('balancer.name', 'balancer.d')" | tail -n +2 | xargs)" = 'balancer.name=drill balancer.d=1' ] ||
    fail 'the case has other parameters'
verdicts results/one '"balancer.name"' results/drill drill-1 >expected
told results/drill results/one >got
diff expected got >messages || fail 'other verdicts than by hand'
for verdict in ahead behind level; do
    grep -q " $verdict" got || fail "no scheme that drill is $verdict of: the test shows little"
done
[ "$(grep -c '^permutation/half\(ToR\|core\) ' got)" = 8 ] || fail "a ToR's links and others are one cell"
mean=$(awk '$1 == "permutation/healthy" { sum += $4; n++ } END { printf "%.4f", sum / n }' mine)
grep -q "^\"permutation, healthy\",drill-1,$mean,.*,itself," table || fail "the mean is $mean"
better=$(awk -v mean="$mean" '$1 == "permutation/healthy" { sum[$2] += $4; n[$2]++ }
    END { for (s in n) better += sum[s] / n[s] < mean; print better + 1 }' others)
[ "$(grep '^"permutation, healthy"' table | grep -n ',itself,')" = \
    "$better:$(grep '^"permutation, healthy".*,itself,' table)" ] || fail "drill's place is $better"

# What a scheme takes: its worst run of each cell.
"$weft" query results/one --format csv "select pattern || ', ' || links, \"balancer.name\",
    round(max(queue_peak_bytes) / 1e3, 1), max(ooo_degree_p99), round(max(switch_state_bytes) / 1e3, 1),
    round(max(nic_state_bytes) / 1e3, 1) from summary where links = 'healthy' group by 1, 2" | tail -n +2 | sort >expected
grep ', healthy"' table | grep -v ',itself,' | cut -d , -f 1-3,10-13 | sort >got
diff expected got >messages || fail 'other queues, reordering or state than by hand'

# Its figures have a row, or a curve, for it and one for each of the others: the numbers that both have alone.
ends 0 "$weft" plot results/drill --beside results/one
[ -s results/drill/means.svg ] || fail 'no figure'
for figure in means rows; do
    cp results/drill/$figure.dat $figure.both
    ends 0 "$weft" plot results/drill --figure $figure
    # Only the first column of bars is a name; gnuplot has empty lines between curves.
    cat results/drill/$figure.dat results/one/$figure.dat | grep . | sort >$figure.each
    grep . $figure.both | sort | diff - $figure.each >messages || fail "$figure: other numbers than in both folders"
    [ "$(wc -l <$figure.each)" -gt "$(grep -c . results/one/$figure.dat)" ] || fail "$figure: nothing of drill"
done

# The same again runs nothing; what is missing is run. A run of another one that gives the values that are there
# is counted once and needs no word; one that does not is warned of.
ends 0 "$weft" run one.xml --add-case "$drill" --only drill-1 --out results/drill --no-figures
grep -q '^24 of 24 runs are finished already' messages || fail 'it runs what it has'
ends 0 "$weft" run one.xml --add-case "$drill" --only ring_half_ecmp_seed=3 --out results/drill --no-figures
ends 0 "$weft" query results/drill --beside results/one 'select count(*) from summary'
[ "$(tail -n 1 out | xargs)" = 120 ] || fail 'a run of both counts twice'
[ ! -s messages ] || fail 'the same run again is warned of'
"$weft" run one.xml --out changed --set workload.bytes=120KB >/dev/null 2>&1
ends 0 "$weft" query results/drill --beside changed 'select count(*) from summary'
grep -q 'warning: 1 of 1 runs that changed has as well have other values there, and count as they are here: .* or a case has other parameters' messages ||
    fail 'no word of other values'

# A congestion control in a scheme: what it does not know of the former one goes. The rest is the scheme's.
ends 0 "$weft" run own.xml --add-case 'mine: congestion-control.name=dcqcn, like=narrow' --only mine --out results/mine
grep -q 'note: congestion-control.alpha=0 is left out of the case: dcqcn has no such parameter' messages ||
    fail 'alpha stays silently'
verdicts results/own scheme results/mine mine >expected
told results/mine results/own >got
diff expected got >messages || fail 'other verdicts of a congestion control than by hand'
"$weft" query results/mine --format csv "select distinct text from parameters join summary using (run)
    where parameters.name in ('balancer.name', 'transport.name', 'transport.threshold', 'congestion-control.name') order by 1" >got
[ "$(tail -n +2 got | xargs)" = '64 dcqcn ops sack' ] || fail "the rest of the scheme is not as it was: $(cat got)"

# A case that is like no other has what the scenario says. Several may be added, the commands of a plan have them,
# and so does the folder that is collected.
set -- --add-case 'plain: balancer.name=drill' --add-case 'like-ops: like=ops, transport.name=gbn'
ends 0 "$weft" run --plan one.xml "$@" --only '*_healthy_[pl]*seed=1' --out results/two
[ "$(wc -l <out)" = 4 ] || fail 'the plan has not the runs of both cases'
sed "s|^weft |'$weft' |" out | sh >/dev/null 2>messages || fail "the plan's commands fail"
ends 0 "$weft" run --collect results/two --no-figures
"$weft" query results/two --format csv "select distinct s.\"balancer.name\", text from summary s
    join parameters p using (run) where p.name in ('balancer.name', 'transport.name') order by 1, 2" >got
[ "$(tail -n +2 got | xargs)" = 'like-ops,gbn like-ops,ops plain,drill plain,ideal' ] ||
    fail "the cases have other algorithms: $(cat got)"
# The quick version has them as well.
sed 's|<sweep>|<quick><set param="workload.bytes" value="20KB"/></quick>&|' one.xml >quick.xml
ends 0 "$weft" run quick.xml --quick "$@" --only healthy_plain_seed=1 --out results/quick --no-figures
[ "$("$weft" query results/quick --format csv "select distinct text from parameters where name = 'workload.bytes'" |
    tail -n 1)" = 20KB ] || fail 'the case is not run in the quick version'

# Mistakes: a message, and nothing is run.
rm -r results/drill
# refused MESSAGE CASE...
refused()
{
    expected_message=$1
    shift
    for case; do
        set -- "$@" --add-case "$case"
        shift
    done
    ends 2 "$weft" run one.xml "$@" --out results/drill --no-figures
    grep -q -e "^weft: command line: error: $expected_message" messages || fail "$*: no word of '$expected_message'"
}
refused "--add-case 'drill': 'drill'; expected NAME: PARAM=VALUE" drill
refused "--add-case ': balancer.name=drill'" ': balancer.name=drill'
refused "--add-case 'a: balancer.name': 'balancer.name'; expected" 'a: balancer.name'
refused "--add-case 'a: balancer.name=': 'balancer.name='; expected" 'a: balancer.name='
refused "--add-case 'a: balanser.name=drill': .* did you mean 'balancer.name'" 'a: balanser.name=drill'
refused "no element 'switsh' .*; did you mean 'switch'" 'a: balancer.name=drill, switsh.kmin=1KB'
refused "--add-case 'a: like=oops': .*did you mean 'ops'" 'a: like=oops'
refused "--add-case 'a: like=oops, balancer.name=drill': no case is called 'oops'; expected one of the <vary> at line 18; did you mean 'ops'" \
    'a: like=oops, balancer.name=drill'
refused "unknown balancer 'drll'; .*did you mean 'drill'" 'a: balancer.name=drll'
refused "no balancer has a parameter 'dd'" 'a: balancer.name=drill, balancer.dd=2'
refused "d '-1' of <balancer> is out of bounds" 'a: balancer.name=drill, balancer.d=-1'
refused '.*workload.kind cannot be set: the sweep varies it' 'a: balancer.name=drill, workload.kind=ring'
refused "a second <case> 'a'" 'a: balancer.name=drill' 'a: balancer.name=drill, balancer.d=1'
refused "<case name=\"ops\"> has the name of a value" 'ops: balancer.name=drill'
refused "name 'a b' of <case> cannot name a file" 'a b: balancer.name=drill'
ends 2 "$weft" run own.xml --add-case 'narrow: balancer.name=drill' --out results/drill
grep -q "a second <case> 'narrow'; expected each once, and it stands at line" messages || fail 'a name of two cases'
sed '/<sweep>/,/pool=/d' one.xml >alone.xml
ends 2 "$weft" run alone.xml --add-case 'a: balancer.name=drill' --out results/drill
grep -q "no <cases> or <vary> of the scenario's <sweep> sets one of its parameters" messages || fail 'no sweep'
[ ! -e results/drill ] || fail 'a mistake was run'
sed 's|simple-rr"/>|simple-rr"><case name="x"><set param="balancer.name" value="drill"/></case></vary></zip>|;
    s|<vary param="b|<zip>&|' one.xml >zipped.xml
ends 2 "$weft" validate zipped.xml
grep -q 'zipped.xml:18: error: <case> in a <vary> of a <zip>; expected values alone' messages || fail 'a case in a zip'

# Others that are no results of this scenario, or none at all.
ends 2 "$weft" query results/mine --beside results/one 'select 1'
grep -q "'scheme' does not vary in results/one; expected results of the same scenario" messages || fail 'another scenario'
for command in 'query results/mine --beside cross-one-nick' 'plot results/mine --beside cross-one-nick'; do
    # shellcheck disable=SC2086 # words
    "$weft" $command >out 2>messages && fail "$command: ends well"
    grep -q "there is no folder of results 'cross-one-nick', and there are no results of 'cross-one-nick' in .*; did you mean 'cross-one-nic'" \
        messages || fail "$command: no word of what was expected"
done
mkdir empty
ends 2 "$weft" query results/mine --beside empty 'select 1'
grep -q 'empty/results.sqlite cannot be used: .*; expected a folder of results' messages || fail 'an empty folder'
