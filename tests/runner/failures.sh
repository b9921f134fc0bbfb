#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: failures.sh WEFT-RUNNER
# Failures as parameters: a user would need a scenario for each of "healthy", "one link dead" and "one
# link flapping", would see another fabric fail than the one that a figure names, or would not be told
# that what the scenario says has no effect.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

pairs='kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" parallel="2" link-rate="100Gbps"'
# scenario NAME CONDITIONS [TOPOLOGY]
scenario()
{
    heard='<convergence delay="20us"/>'
    case $2 in *'<convergence'*) heard= ;; esac
    cat >"$1.xml" <<XML
<scenario name="$1">
  <topology ${3:-$pairs}/>
  <transport name="sack"/><balancer name="ops"/><workload kind="permutation" bytes="400KB"/>$heard
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

# A case that the command line adds, like one with a failure of its own and another balancer.
ends 0 "$weft" run own.xml --no-figures --host plain --progress 0 --add-case 'too: like=dead, balancer.name=ecmp' --out too
[ "$(awk -F , '$2 == "too"' too/summary.csv | wc -l)" = 1 ] || fail 'no case that is like one with a failure'
[ "$(awk -F , 'NR == 1 || $2 == "too"' too/summary.csv >chosen.csv && column chosen.csv links_failed)" = 1 ] ||
    fail 'a case that is like one with a failure has none'
run dotted '<failure name="a.b" leaf="1" spine="2"/><sweep><vary param="failure:a.b.at" values="never 0s"/></sweep>'
[ "$(column dotted/summary.csv links_failed | tr '\n' ' ')" = '0 1 ' ] || fail 'a name with a dot'
# A link whose repair comes at the end of all clocks is dead until then.
for lasts in 'repair="5000000s"' 'for="5000000s"' 'at="1ps" for="9223372s"'; do
    run late "<failure leaf=\"1\" spine=\"2\" link=\"1\" $lasts/>"
    [ "$(column late/summary.csv dropped_link)" -gt 0 ] || fail "$lasts: nothing fails"
    rm -r late
done

# --- links that are named together ----------------------------------------------------------------
run all '<failure leaf="1" spine="2" link="all" at="5us"/>'
run both '<failure leaf="1" spine="2" link="0" at="5us"/><failure leaf="1" spine="2" link="1" at="5us"/>'
run within '<failure name="tray" at="5us"><link leaf="1" spine="2"/><link lower="1" upper="6" link="1"/></failure>'
same all both
same within both
run switch '<failure switch="5" at="5us"/>'
run spine "$(for leaf in 0 1 2 3; do echo "<failure leaf=\"$leaf\" spine=\"1\" link=\"all\" at=\"5us\"/>"; done)"
same switch spine
planes='kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" planes="3" link-rate="100Gbps"'
run ports '<failure host="3" port="all" at="5us" for="20us"/>' "$planes"
run each "$(for port in 0 1 2; do echo "<failure host=\"3\" port=\"$port\" at=\"5us\" for=\"20us\"/>"; done)" "$planes"
same ports each
tree='kind="fat-tree" k="4" link-rate="100Gbps"'
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

# Switches and groups that chance takes: all of their links or none, the same for each balancer, and more
# of them by a higher probability.
chance="$(for sw in 4 5 6 7; do echo "<failure name=\"s$sw\" switch=\"$sw\" probability=\"0.3\"/>"; done)
  <failure name=\"g\" probability=\"0.3\"><link host=\"0\"/><link leaf=\"1\" spine=\"0\"/></failure>"
run chance "$chance<sweep><vary param=\"balancer.name\" values=\"ops ecmp\"/><seeds count=\"8\"/></sweep>"
column chance/summary.csv links_failed >failed
head -8 failed >ops.failed
tail -n +9 failed | cmp - ops.failed || fail 'chance takes other links under another balancer'
# Each spine has 8 links, the group 2, of which one may be a spine's.
awk '$1 % 8 > 2 { exit 1 }' ops.failed || fail 'a switch of which some links fail'
[ "$(sort -u ops.failed | wc -l)" -ge 3 ] || fail 'chance draws the same for each seed'
run likelier "$(echo "$chance" | sed 's/0.3/0.6/')<sweep><seeds count=\"8\"/></sweep>"
column likelier/summary.csv links_failed | paste ops.failed - | awk '{ more += $2 > $1 } $2 < $1 { exit 1 } END { exit !more }' ||
    fail 'a higher probability keeps no failure of a lower one, or adds none'
run certain "$(echo "$chance" | sed 's/0.3/1/')"
[ "$(column certain/summary.csv links_failed)" = 33 ] || fail 'what is certain does not happen'
exported chance
grep -q '^<failure name=s4> of line 4: *happens\|^<failure name=s4> of line 4: *does not happen' chance.runs/*/provenance.txt ||
    fail 'provenance does not say what chance has drawn'

# --- what a link does ---------------------------------------------------------------------------
# counts NAME COLUMN: that column of its only run.
counts() { column "$1/summary.csv" "$2"; }
leaf='leaf="1" spine="2" link="all"'
run lossy "<failure $leaf effect=\"lossy\" loss=\"0.05\"/>"
run spoilt "<failure $leaf effect=\"corrupting\" loss=\"0.05\"/>"
if ! { [ "$(counts lossy dropped_lossy)" -gt 0 ] && [ "$(counts lossy dropped_corrupted)" = 0 ]; }; then fail 'nothing is lost on a lossy link'; fi
[ "$(counts lossy dropped_lossy)" = "$(counts spoilt dropped_corrupted)" ] || fail 'a corrupting link loses other frames'
[ "$(counts lossy cct_us)" = "$(counts spoilt cct_us)" ] || fail 'a corrupting link makes another run'
[ "$(counts lossy failed)" = 0 ] || fail 'a message is left'
run up "<failure $leaf effect=\"lossy\" loss=\"0.05\" direction=\"up\"/>"
run down "<failure $leaf effect=\"lossy\" loss=\"0.05\" direction=\"down\"/>"
run ways "<failure $leaf effect=\"lossy\" loss=\"0.05\" direction=\"up\"/><failure $leaf effect=\"lossy\" loss=\"0.05\" direction=\"down\"/>"
same lossy ways
if cmp -s up.results down.results || [ "$(counts up dropped_lossy)" = "$(counts lossy dropped_lossy)" ]; then fail 'one way is both'; fi
run bursts "<failure $leaf effect=\"lossy\" to-bad=\"0.01\" to-good=\"0.5\"/>"
[ "$(counts bursts dropped_lossy)" -gt 0 ] || fail 'no bursts'
run far "<failure $leaf effect=\"delayed\" extra-delay=\"30us\"/>"
awk -v a="$(counts healthy cct_us)" -v b="$(counts far cct_us)" 'BEGIN { exit !(b > a + 25) }' || fail 'a longer way takes no longer'
run slow "<failure $leaf effect=\"slow\" rate=\"25Gbps\"/>"
run share "<failure $leaf effect=\"slow\" share=\"0.25\"/>"
run degrade "<degrade $leaf rate=\"25Gbps\"/>"
same slow degrade
same share degrade
run one-way "<failure $leaf direction=\"up\"/><convergence delay=\"inf\"/>"
[ "$(counts one-way dropped_link)" -gt 0 ] || fail 'a link that is dead one way loses nothing'
run some '<random-failures links="3" effect="lossy" loss="0.02"/><failure leaf="1" spine="2" effect="lossy" loss="0.02"/>'
if ! { [ "$(counts some dropped_lossy)" -gt 0 ] && [ "$(counts some links_failed)" = 0 ]; }; then fail 'links that lose by chance'; fi
# The error rates of a topology.txt.
printf '6 2\n4 5\n' | sed 's/2$/2 6/' >clean.txt
for host in 0 1; do printf '%s 4 100Gbps 0.001ms 0\n' $host $((host + 2)) | sed '2s/ 4/ 5/' >>clean.txt; done
printf '4 5 100Gbps 0.001ms 0\n4 5 100Gbps 0.001ms 0\n' >>clean.txt
sed -e '3s/0$/0.02/' -e '8s/0$/0.05/' clean.txt >errors.txt
for file in clean errors; do
    losses='<failure host="0" effect="lossy" loss="0.02"/><failure lower="4" upper="5" link="1" effect="lossy" loss="0.05"/>'
    [ $file = clean ] || losses=
    scenario $file "$losses" "kind=\"graph\" file=\"$file.txt\""
    ends 0 "$weft" run $file.xml --no-figures --host plain --progress 0 --out $file
done
same clean errors
[ "$(counts errors dropped_lossy)" -gt 0 ] || fail "a file's error rates"

# --- in time --------------------------------------------------------------------------------------
run count "<failure $leaf at=\"5us\" period=\"40us\" duty=\"0.25\" count=\"1\"/>"
run once "<failure $leaf at=\"5us\" for=\"10us\"/>"
same count once
run flaps "<failure $leaf period=\"8us\" duty=\"0.5\"/>"
run unheard "<failure $leaf period=\"8us\" duty=\"0.5\"/><convergence delay=\"inf\"/>"
same flaps unheard
[ "$(counts flaps dropped_link)" -gt 0 ] || fail 'a link that flaps loses nothing'
run drawn "<failure $leaf mean-down=\"3us\" mean-up=\"5us\"/>"
[ "$(counts drawn dropped_link)" -gt 0 ] || fail 'a link that flaps at random loses nothing'
run back '<failure leaf="1" spine="2" link="all" for="30us"/><convergence delay="0s" recovery="inf"/>'
run never '<failure leaf="1" spine="2" link="all"/><convergence delay="0s"/>'
[ "$(counts back cct_us)" = "$(counts never cct_us)" ] || fail 'a repair of which forwarding never hears'
# Hosts that know at once, and those that hear of it with the switches, who never do.
for knows in at-once switches; do
    run $knows '<failure leaf="1" spine="2" at="5us"/><convergence delay="inf"/>'
    sed -i.bak "s/name=\"ops\"/name=\"host-dr\" knows=\"$knows\"/" $knows.xml
    ends 0 "$weft" run $knows.xml --no-figures --host plain --progress 0 --out $knows --again
done
[ "$(counts switches dropped_link)" -gt $((4 * $(counts at-once dropped_link))) ] || fail 'hosts that know at once lose as much'
for name in at-once bursts far drawn flaps some back errors; do
    exported "$name"
    ends 0 "$weft" run "$name.runs/$name/scenario.xml" --no-figures --host plain --progress 0 --out again
    same "$name" again
    rm -r again
done

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
refused 'all of its links are down at that time already' bad '<failure switch="6"/><failure leaf="1" spine="2" at="1us"/>'
scenario both-ways '<failure leaf="1" spine="2" link="all" direction="up"/><failure leaf="1" spine="2" link="all" for="1us"/>'
ends 0 "$weft" validate both-ways.xml
refused '<failure> of lossy links lacks loss; expected loss or to-bad' bad "<failure $leaf effect=\"lossy\"/>"
refused '<failure> of degraded links lacks share; expected share or rate' bad "<failure $leaf effect=\"slow\"/>"
refused '<random-failures> of delayed links lacks extra-delay; expected extra-delay$' bad '<random-failures links="1" effect="delayed"/>'
refused "effect 'losy' of <failure> is not one of the choices; .*did you mean 'lossy'" bad "<failure $leaf effect=\"losy\" loss=\"0.1\"/>"
refused 'loss .0.1%. of <failure> .*did you mean .0.001.' bad "<failure $leaf effect=\"lossy\" loss=\"0.1%\"/>"
refused 'loss of <failure>: there is to-bad as well; expected one of them' bad "<failure $leaf effect=\"lossy\" loss=\"0.1\" to-bad=\"0.1\" to-good=\"1\"/>"
refused 'to-bad of <failure>: there is no to-good; expected it as well' bad "<failure $leaf effect=\"lossy\" to-bad=\"0.1\"/>"
refused 'duty of <failure>: there is no period; expected it as well' bad "<failure $leaf duty=\"0.1\"/>"
refused 'mean-up of <failure>: there is no mean-down; expected it as well' bad "<failure $leaf mean-up=\"1ms\"/>"
refused 'mean-up of <failure>: there is period as well; expected one of them' bad "<failure $leaf mean-up=\"1ms\" mean-down=\"1ms\" period=\"1ms\"/>"
refused 'count of <failure>: it does not flap; expected period, or mean-up and mean-down' bad "<failure $leaf count=\"3\"/>"
refused 'this link is lossy by the <failure> of line' bad \
    '<failure leaf="1" spine="2" effect="lossy" loss="0.1"/><failure leaf="1" spine="2" effect="corrupting" loss="0.1"/>'
sed 's/^4 5 /5 4 /' clean.txt >turned.txt
refused '<failure> names a link upside down; expected lower 5 and upper 4' bad '<failure lower="4" upper="5" direction="up"/>' 'kind="graph" file="turned.txt"'
for idle in 'at="never"|it never happens' 'period="1ms" duty="0"|it never happens' 'period="1ms" count="0"|it never happens' \
    'probability="0"|it never happens' 'effect="lossy" loss="0"|no frame is lost' 'effect="slow" share="1"|the links keep their rates' \
    'effect="delayed" extra-delay="0s"|the links keep their delays'; do
    scenario idle "<failure $leaf ${idle%|*}/>"
    ends 0 "$weft" validate idle.xml
    grep -q "<failure> has no effect: ${idle#*|}" messages || fail "no word of ${idle%|*}"
done
# What comes too late is no failure that was swept to: at="never" says so.
late='it comes after the <limit>, at 11000 ms, which ends the run at 10000 ms; expected it earlier, or at="never"'
for begins in 'at="11s"' 'at="11s" period="1ms"' 'at="11s" effect="lossy" loss="0.1"'; do
    refused "<failure> has no effect: $late" bad "<failure $leaf $begins/>"
done
refused "<degrade> has no effect: $late" bad "<degrade $leaf rate=\"10Gbps\" at=\"11s\"/>"
refused "<random-failures> has no effect: $late" bad '<random-failures links="1" at="11s"/>'
scenario late "<failure $leaf at=\"11s\"/><limit time=\"1ms\" then=\"stop\"/>"
ends 0 "$weft" validate late.xml
grep -q '<failure> has no effect: it comes after' messages || fail 'a failure after the end that was asked for'
for endless in 'period="1ns"' 'mean-up="1ps" mean-down="1ns"' 'mean-up="1ns" mean-down="1ps"'; do
    refused "of <failure> is out of bounds; expected a time .* from [12]ns" bad "<failure $leaf $endless/>"
done

scenario unused '<failure host="15" effect="lossy" loss="0.1"/>'
sed -i.bak 's/kind="permutation"/hosts="0-7" &/' unused.xml
ends 0 "$weft" validate unused.xml
grep -q '<failure> has no effect: no message crosses it' messages || fail 'a lossy link without traffic'
for hosts in 0-3 0-7; do # all at one ToR, and at another one as well
    scenario unused '<failure leaf="1" spine="2" effect="lossy" loss="0.1"/>'
    sed -i.bak "s/kind=\"permutation\"/hosts=\"$hosts\" &/" unused.xml
    ends 0 "$weft" validate unused.xml
    ! grep -q '<failure> has no effect: no message crosses it' messages || [ $hosts = 0-3 ] || fail 'a link with traffic'
    grep -q '<failure> has no effect: no message crosses it' messages || [ $hosts = 0-7 ] || fail 'a link of a ToR without traffic'
done
scenario unused '<failure pod="1" aggregation="0" core="1" effect="delayed" extra-delay="1us"/>' "$tree"
sed -i.bak 's/kind="permutation"/hosts="4-7" &/' unused.xml
ends 0 "$weft" validate unused.xml
grep -q '<failure> has no effect: no message crosses it' messages || fail 'a link above a pod of which nothing leaves'
scenario stale "<failure $leaf loss=\"0.1\"/>"
ends 0 "$weft" validate stale.xml
grep -q 'loss of <failure> has no effect: its links are down' messages || fail 'a loss of a link that is down'
scenario never '<failure leaf="1" spine="2" at="never"/>'
ends 0 "$weft" validate never.xml
grep -q '<failure> has no effect: it never happens' messages || fail 'a failure that never happens'
ends 0 "$weft" validate swept.xml
if grep 'no effect' messages; then fail 'a failure that happens in some runs'; fi
echo 'failures: right'
