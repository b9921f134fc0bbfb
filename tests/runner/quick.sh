#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: quick.sh WEFT-RUNNER
# The quick version of a scenario must be what its <quick> says, to the byte, in results of its own that
# can be used alone: else a small try is not the experiment it stands for, or spoils the results of it.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# Everything that <quick> may hold. Characters that XML knows must come through.
cat >quick.txt <<'END'
  <quick>
    <set param="workload.bytes" value="30KB"/>
    <set param="fabric.payload" value="500B"/>
    <set param="balancer.name" value="themis"/>
    <set param="balancer.replies" value="ecmp"/>
    <drop qp="1" packets="3"/>
    <failure leaf="1" spine="0" at="20us"/>
    <vary param="transport.rto" values="150us"/>
    <vary param="congestion-control.t-i" values="7us" labels="7 &lt; 8 &amp; more"/>
    <case name="rsq" label="R&#10;S">
      <set param="balancer.name" value="ops"/>
      <set param="measure.interval" value="7us"/>
    </case>
    <seeds count="1"/>
    <figure name="cct" title="Time &quot;small&quot;">
      <level y="3" label="three"/>
    </figure>
  </quick>
END
sed -e 's|<balancer name="rsq"/>|<balancer name="themis" compensation="off"/><limit time="200ms"/>|' \
    -e '/<limit time="100ms"/d' -e '/<set param="balancer.name" value="themis"/d' \
    -e '/<failure/d' -e 's|<drop .*|&\n  <drop qp="2" packets="1"/>|' \
    -e 's|<sweep>|&<zip><vary param="transport.rto" values="100us 200us" labels="a\|b"/><vary param="congestion-control.t-i" values="5us 6us"/></zip>|' \
    -e 's|where="qp=0"|& pool="on"|' \
    -e 's|values="on"/>|values="on" pool="on"><level y="1" label="of the full size"/></figure>|' \
    -e '/<\/sweep>/rquick.txt' "$here/tiny.xml" >my.xml
# The same by hand.
sed -e '/<quick>/,/<\/quick>/d' -e 's/name="tiny"/name="tiny-quick"/' \
    -e 's|</title>| (quick version)&|' -e 's/bytes="200KB"/bytes="30KB"/' \
    -e 's|<switch |<fabric payload="500B"/>&|' -e 's/compensation="off"/& replies="ecmp"/' \
    -e '/<drop qp="2"/d' -e 's|<drop .*|<drop qp="1" packets="3"/><failure leaf="1" spine="0" at="20us"/>|' \
    -e 's/values="100us 200us" labels="a|b"/values="150us"/' \
    -e 's/values="5us 6us"/values="7us" labels="7 \&lt; 8 \&amp; more"/' \
    -e 's|label="random spraying"|label="R\&#10;S"|' \
    -e 's|value="rsq"/>|value="ops"/><set param="measure.interval" value="7us"/>|' \
    -e 's/count="2"/count="1"/' -e 's|title="Completion time"|title="Time \&quot;small\&quot;"|' \
    -e 's|<level y="1" label="of the full size"/>|<level y="3" label="three"/>|' my.xml >hand.xml

ends 0 "$weft" validate my.xml
[ "$(cat out)" = "my.xml: 12 runs, 2 figures
my.xml --quick: 3 runs, 2 figures" ] || fail "validate says: $(cat out)"
ends 0 "$weft" run hand.xml --no-figures --out hand
ends 0 "$weft" run my.xml --quick --no-figures
[ "$(find results -mindepth 1 -maxdepth 1)" = results/tiny-quick ] || fail 'results elsewhere'
exported hand results/tiny-quick
for of_hand in hand.runs/*/*.csv hand.runs/*/scenario.xml; do
    cmp "$of_hand" "results/tiny-quick.runs/${of_hand#hand.runs/}" || fail 'it is another experiment than the same by hand'
done
cmp hand/summary.csv results/tiny-quick/summary.csv || fail 'it is another table than the same by hand'
rm -r results/tiny-quick.runs
[ "$(find hand.runs -name summary.csv | wc -l)" = 3 ] || fail 'not three runs'
ends 0 "$weft" run my.xml --quick --dry-run
[ "$(grep -c '^finished ' out)" = 3 ] || fail 'a second call would run something'

# What is kept is a scenario in itself, and the same one.
kept=results/tiny-quick/scenario.xml
grep -q '<title>Four hosts, two paths, a few hundred packets (quick version)</title>' $kept || fail 'its title does not say it'
! grep -q '<quick' $kept || fail 'it has a quick version again'
ends 0 "$weft" run $kept --no-figures
grep -q '^3 of 3 runs are finished already' messages || fail 'what is kept is another experiment'
cp $kept before.xml
ends 0 "$weft" run my.xml --quick --no-figures
cmp before.xml $kept || fail 'what is kept changes'
cp results/tiny-quick/summary.csv before.csv
rm results/tiny-quick/summary.csv
ends 0 "$weft" run --collect results/tiny-quick --no-figures
cmp before.csv results/tiny-quick/summary.csv || fail 'collecting its folder makes another table'
rm results/tiny-quick/summary.csv
ends 0 "$weft" run --collect my.xml --quick --no-figures
cmp before.csv results/tiny-quick/summary.csv || fail 'collecting the file makes another table'
if command -v gnuplot >/dev/null; then
    ends 0 "$weft" plot results/tiny-quick
    grep -q 'three' results/tiny-quick/cct.gp results/tiny-quick/cct.dat || fail 'not the level of the quick version'
    ! grep -q 'of the full size' results/tiny-quick/cct.gp results/tiny-quick/cct.dat || fail 'a level of the full size'
    mv results/tiny-quick/cct.svg cct.svg
    ends 0 "$weft" plot my.xml --quick
    cmp cct.svg results/tiny-quick/cct.svg || fail 'another figure from the file than from the folder'
fi

# Commands for other machines are of this version; what the command line sets has the last word.
ends 0 "$weft" run --plan my.xml --quick --set workload.bytes=10KB --out planned
[ "$(wc -l <out)" = 3 ] || fail 'not three commands'
sed "s|.* run-one|'$weft' run-one|" out >commands
sh -e commands >out 2>messages || fail 'the commands of the plan'
exported planned
grep -q 'bytes="10KB"' planned.runs/*ecmp*/scenario.xml || fail '--set has not won'
grep -q 'payload="500B"' planned.runs/*ecmp*/scenario.xml || fail '--set has won too much'

# Mistakes in it are told without --quick as well (bad-input.sh); those of its runs when it is asked for.
sed 's/spine="0" at/spine="9" at/' my.xml >bad.xml
line=$(grep -n 'spine="9"' bad.xml | cut -d: -f1)
for asked in 'run --quick' 'validate --quick' validate; do
    # shellcheck disable=SC2086 # a command and its option
    ends 2 "$weft" $asked bad.xml
    grep -q "^bad.xml:$line: error: spine 9 of <failure> does not exist" messages || fail "weft $asked: the failure is not found wrong"
done
grep -q '^bad.xml: these are mistakes of its quick version' messages || fail 'no word that the quick version is meant'
ends 2 "$weft" run "$here/tiny.xml" --quick
grep -q 'tiny.xml: error: the scenario has no <quick>; expected one with --quick' messages || fail 'no word that there is none'
# A workload's parameter has two names, with the workload's own and without.
named()
{
    sed -e 's,<workload kind,<workload name="storage" kind,' \
        -e "s,<cases>,<vary param=\"$1\" values=\"200KB 100KB\"/>&," \
        -e '/<figure/,/\/>/d' -e "s,^</scenario>,<quick>$2</quick>&," "$here/tiny.xml" >named.xml
}
for pair in 'workload:storage.bytes workload.bytes' 'workload.bytes workload:storage.bytes'; do
    named "${pair% *}" "<set param=\"${pair#* }\" value=\"1KB\"/>"
    ends 2 "$weft" validate named.xml
    grep -q "the sweep sets ${pair#* } in every run" messages || fail "$pair: $(cat messages)"
    named "${pair% *}" "<vary param=\"${pair#* }\" values=\"100KB\"/>"
    ends 0 "$weft" validate named.xml
    ends 2 "$weft" validate named.xml --set "${pair#* }=1KB"
    grep -q "${pair#* } cannot be set: the sweep varies it" messages || fail "--set ${pair#* } changes nothing, silently"
    ends 0 "$weft" validate named.xml --add-case "300KB: ${pair#* }=300KB"
    sed "s,<cases>,<vary param=\"${pair#* }\" values=\"1KB 2KB\"/>&," named.xml >twice.xml
    ends 2 "$weft" validate twice.xml
    grep -q 'bytes varies twice' messages || fail "$pair vary both"
done
ends 2 "$weft" schema --quick
[ ! -e results/tiny ] || fail 'results of the full size'
echo 'the quick version is what it says'
