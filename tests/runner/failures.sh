#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: failures.sh WEFT-RUNNER
# Failures as parameters: a user would need a scenario for each of "healthy", "one link dead" and "one
# link flapping", would see another fabric fail than the one that a figure names, or would not be told
# that what the scenario says has no effect.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

pairs='kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" parallel="2"'
# scenario NAME CONDITIONS [TOPOLOGY]
scenario()
{
    cat >"$1.xml" <<XML
<scenario name="$1">
  <topology ${3:-$pairs} link-rate="100Gbps"/>
  <transport name="sack"/><balancer name="ops"/><workload kind="permutation" bytes="400KB"/><convergence delay="20us"/>
  $2
</scenario>
XML
}

# run NAME CONDITIONS [TOPOLOGY]
run()
{
    scenario "$@"
    ends 0 "$weft" run "$1.xml" --no-figures --host plain --progress 0 --out "$1"
}

# same A B: their runs have the same results.
same()
{
    for of; do sed 's/^[^,]*,//' "$of/summary.csv" >"$of.results"; done # without the run's name
    cmp "$1.results" "$2.results" || fail "$1 and $2 differ"
}

# refused PATTERN NAME CONDITIONS [TOPOLOGY]
refused()
{
    pattern=$1
    shift
    scenario "$@"
    ends 2 "$weft" validate "$1.xml"
    grep -q "error: .*$pattern" messages || fail "$1: no error like '$pattern'"
}

# --- one scenario for what took three -------------------------------------------------------------
run healthy ''
run dead '<failure leaf="1" spine="2" link="1"/>'
run dies '<failure leaf="1" spine="2" link="1" at="10us" repair="20us"/>'
run swept '<failure name="cut" leaf="1" spine="2" link="1" at="never"/>
  <sweep><cases><case name="healthy"><set param="failure:cut.at" value="never"/></case>
  <case name="dead"><set param="failure:cut.at" value="0s"/></case>
  <case name="dies"><set param="failure:cut.at" value="10us"/><set param="failure:cut.for" value="10us"/></case></cases></sweep>'
run own '<sweep><cases><case name="healthy"/><case name="dead"><failure leaf="1" spine="2" link="1"/></case>
  <case name="dies"><failure leaf="1" spine="2" link="1" at="10us" for="10us"/></case></cases></sweep>'
for case in healthy dead dies; do
    for of in swept own; do
        awk -F , -v case="$case" 'NR == 1 || $2 == case' "$of/summary.csv" >chosen.csv
        [ "$(column chosen.csv cct_us)" = "$(column "$case/summary.csv" cct_us)" ] || fail "$of: $case is another run"
    done
done
[ "$(column healthy/summary.csv cct_us)" != "$(column dead/summary.csv cct_us)" ] || fail 'a dead link changes nothing'
run varies '<failure name="cut" leaf="1" spine="2"/><sweep><vary param="failure:cut.at" values="never 0s"/></sweep>'
column varies/summary.csv failure:cut.at >values
printf 'never\n0s\n' | cmp - values || fail 'the column of a swept failure'
ends 0 "$weft" run dead.xml --no-figures --host plain --progress 0 --set failure.at=never --out set
[ "$(column set/summary.csv cct_us)" = "$(column healthy/summary.csv cct_us)" ] || fail '--set failure.at=never'

# --- links that are named together ----------------------------------------------------------------
run all '<failure leaf="1" spine="2" link="all" at="5us"/>'
run both '<failure leaf="1" spine="2" link="0" at="5us"/><failure leaf="1" spine="2" link="1" at="5us"/>'
run within '<failure name="tray" at="5us"><link leaf="1" spine="2"/><link lower="1" upper="6" link="1"/></failure>'
same all both
same within both
run switch '<failure switch="5" at="5us"/>'
run spine "$(for leaf in 0 1 2 3; do echo "<failure leaf=\"$leaf\" spine=\"1\" link=\"all\" at=\"5us\"/>"; done)"
same switch spine
planes='kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" planes="3"'
run ports '<failure host="3" port="all" at="5us" for="20us"/>' "$planes"
run each "$(for port in 0 1 2; do echo "<failure host=\"3\" port=\"$port\" at=\"5us\" for=\"20us\"/>"; done)" "$planes"
same ports each
tree='kind="fat-tree" k="4"'
run pod '<failure pod="1" leaf="0" aggregation="1"/><failure pod="2" aggregation="1" core="3"/>' "$tree"
run numbers '<failure lower="2" upper="11"/><failure lower="13" upper="19"/>' "$tree"
same pod numbers
# What a run keeps is a scenario that does the same.
for name in within switch ports pod; do
    exported "$name"
    ends 0 "$weft" run "$name.runs/$name/scenario.xml" --no-figures --host plain --progress 0 --out again
    same "$name" again
    rm -r again
done
# Several elements that draw draw different links.
run draws '<random-failures links="1"/><random-failures name="more" links="1"/>'
exported draws
[ "$(grep -c '^random failures' draws.runs/draws/provenance.txt)" = 2 ] || fail 'links that a second element has drawn'
[ "$(column draws/summary.csv links_failed)" = 2 ] || fail 'two elements draw the same link'

# --- slips ----------------------------------------------------------------------------------------
cut='<failure name="cut" leaf="1" spine="2"/>'
vary() { echo "$cut<sweep><vary param=\"$1\" values=\"$2\"/></sweep>"; }
refused 'no <failure name="cud">; did you mean .cut.' bad "$(vary failure:cud.at '0s never')"
refused "at 'nevr' of <failure> is not a valid value; expected a time .*or never; did you mean 'never'" bad "$(vary failure:cut.at '0s nevr')"
refused 'unknown attribute til of <failure>' bad "$(vary failure:cut.til '0s 1us')"
refused 'failure:cut.at varies twice\|failure.at varies twice' bad \
    "$cut<sweep><vary param=\"failure:cut.at\" values=\"0s never\"/><vary param=\"failure.at\" values=\"1us 2us\"/></sweep>"
refused "a second <failure> 'cut'" bad "$cut$cut"
refused "a second <failure> 'cut'" bad "$cut<sweep><cases><case name=\"a\">$cut</case></cases></sweep>"
refused 'for of <failure>: there is repair as well' bad '<failure leaf="1" spine="2" for="1us" repair="2us"/>'
refused '<failure> has leaf and <link> as well' bad '<failure leaf="1"><link leaf="1" spine="2"/></failure>'
refused 'spine 4 of <link> does not exist; there are 4, 0 to 3' bad '<failure><link leaf="1" spine="4"/></failure>'
refused "link 'al' of <failure> is not a valid value; expected a whole number from 0 to 8191, or all" bad '<failure leaf="1" spine="2" link="al"/>'
refused 'pod 4 of <failure> does not exist; there are 4, 0 to 3' bad '<failure pod="4" leaf="0" aggregation="1"/>' "$tree"
refused 'core 4 of <failure> does not exist; there are 4, 0 to 3' bad '<failure pod="0" aggregation="1" core="4"/>' "$tree"
refused 'switches 8 and 18 are no neighbours; above switch 8 there are 16, 17' bad '<failure pod="0" aggregation="0" core="2"/>' "$tree"
refused 'does not name one link; expected pod, leaf and aggregation, or pod, aggregation and core, or lower' bad '<failure pod="0" leaf="1"/>' "$tree"
refused 'this link is down by the <failure> of line' bad '<failure leaf="1" spine="2"/><failure leaf="1" spine="2" at="1us"/>'
scenario never '<failure leaf="1" spine="2" at="never"/>'
ends 0 "$weft" validate never.xml
grep -q '<failure> has no effect: it never happens' messages || fail 'a failure that never happens'
ends 0 "$weft" validate swept.xml
if grep 'no effect' messages; then fail 'a failure that happens in some runs'; fi
echo 'failures: right'
