#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: timeline.sh WEFT-RUNNER
# A user would see in a timeline what ranks did not do, or the doings of several runs on one another.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# Rank 0 computes on two streams and sends; rank 1 waits for it, computes, and is idle in the end.
cat >two.goal <<'END'
num_ranks 2
rank 0 {
a: calc 1000
b: calc 2000
c: calc 5000 cpu 1
s: send 1250000b to 1
b requires a
s requires b
}
rank 1 {
r: recv 1250000b from 0
d: calc 3000
d requires r
}
END
cat >two.xml <<'END'
<scenario name="two">
  <topology kind="leaf-spine" leaves="1" spines="1" hosts-per-leaf="2" link-rate="100Gbps"/>
  <switch preset="100g"/>
  <balancer name="ecmp"/>
  <workload kind="trace" file="two.goal"/>
  <measure timeline="0-1"/>
  <figure name="when" template="timeline" data="timeline" x="begin_us" end="end_us" y="lane" series="does"/>
</scenario>
END
"$weft" run two.xml >out 2>&1 || fail "$(cat out)"
"$weft" query results/two 'select rank, lane, does, begin_us, end_us from timeline order by rowid' --format csv >rows
acked=$("$weft" query results/two 'select max(sending_us) + 3 from ranks' --format csv | tail -n 1)
there=$("$weft" query results/two 'select delivered_us from flows' --format csv | tail -n 1)
awk -F, -v acked="$acked" -v there="$there" '
    function is(a, b) { return a - b < 1e-6 && b - a < 1e-6 }
    NR == 2 { good += $1 == 0 && /stream 0/ && /computing/ && is($(NF - 1), 0) && is($NF, 3) }
    NR == 3 { good += $1 == 0 && /stream 1/ && /computing/ && is($(NF - 1), 0) && is($NF, 5) }
    NR == 4 { good += $1 == 0 && /network/ && /sending/ && is($(NF - 1), 3) && is($NF, acked) }
    NR == 5 { good += $1 == 1 && /stream 0/ && /computing/ && is($(NF - 1), there) && is($NF, there + 3) }
    NR == 6 { good += $1 == 1 && /network/ && /waiting/ && is($(NF - 1), 0) && is($NF, there) }
    END { exit !(NR == 6 && good == 5 && there > 100 && acked > there) }' rows || fail "$(cat rows)"

# While a send is under way a receive that waits does not show; computing without a gap is one row.
cat >both.goal <<'END'
num_ranks 2
rank 0 {
send 1250000b to 1
recv 10b from 1
}
rank 1 {
recv 1250000b from 0
a: calc 100000
b: calc 200000
s: send 10b to 0
b requires a
s requires b
}
END
sed -e 's/name="two"/name="both"/; s/two.goal/both.goal/' -e '/<figure/d' two.xml >both.xml
"$weft" run both.xml >out 2>&1 || fail "$(cat out)"
"$weft" query results/both "select lane || ': ' || does from timeline order by rowid" --format csv | tail -n +2 | tr -d '"' >lanes
printf 'rank 0, network: %s\n' sending waiting >expected
printf 'rank 1, stream 0: computing\nrank 1, network: waiting\nrank 1, network: sending\n' >>expected
cmp lanes expected || fail "$(cat lanes)"
[ "$("$weft" query results/both "select count(*) from timeline t join timeline o using (run, lane)
    where t.rowid < o.rowid and t.end_us > o.begin_us" --format csv | tail -n 1)" = 0 ] || fail 'rows of a lane overlap'
[ "$("$weft" query results/both "select end_us - begin_us from timeline where does = 'computing'" --format csv | tail -n 1)" = 300 ] ||
    fail 'computing without a gap is not one row'

# The drawing has what the table has: a row for each lane, a bar for each row, up to its end.
for end in svg png pdf; do
    [ -s results/two/when.$end ] || fail "when.$end is not drawn"
done
for lane in 'rank 0, stream 0' 'rank 0, stream 1' 'rank 0, network' 'rank 1, stream 0' 'rank 1, network'; do
    [ "$(grep -c ">$lane</tspan" results/two/when.svg)" = 1 ] || fail "no row '$lane'"
done
for does in computing sending waiting; do
    [ "$(grep -c ">$does</tspan" results/two/when.svg)" = 1 ] || fail "no legend for $does"
done
bars()
{
    awk 'NF == 3 && $1 != "NaN" { print $1 + 0, $2 + 0, $3 }' "$1" | sort -n
}
"$weft" query results/two "select printf('%.12g %.12g %d', begin_us, end_us,
    case lane when 'rank 0, stream 0' then 0 when 'rank 0, stream 1' then 1 when 'rank 0, network' then 2
              when 'rank 1, stream 0' then 3 else 4 end) from timeline" --format csv | tail -n +2 | tr -d '"' |
    awk '{ print $1 + 0, $2 + 0, $3 }' | sort -n >expected
bars results/two/when.dat | cmp - expected || fail 'the drawing is of other times'
"$weft" report --html results/two >page.html
grep -q 'rank%201,%20network' page.html || fail 'the page does not show the timeline'

# Names of lanes are data, whoever makes them.
sed -e 's/name="two"/name="own"/' -e '/<figure/,$d' two.xml >own.xml
cat >>own.xml <<'END'
  <figure name="when" template="timeline">
    <query>
      select begin_us as x, end_us as "end", lane || ' @@{/=40 $(touch made)} `touch made`' as y, does as series
      from timeline
    </query>
  </figure>
</scenario>
END
"$weft" run own.xml >out 2>&1 || fail "$(cat out)"
[ -z "$(find . -name made)" ] || fail 'a name was evaluated'
grep -q 'touch made' results/own/when.svg || fail 'a name is not shown as it is'

# A run that was cut ends where it was cut, and ranks that nobody names have no rows.
sed -e 's/name="two"/name="cut"/' -e 's/timeline="0-1"/timeline="1"/' -e '/<figure/d' \
    -e 's,</scenario>,<limit time="50us" then="stop"/></scenario>,' two.xml >cut.xml
"$weft" run cut.xml >out 2>&1 || fail "$(cat out)"
[ "$("$weft" query results/cut 'select lane, does, begin_us, end_us from timeline' --format csv | tail -n +2)" = \
    '"rank 1, network",waiting,0,50' ] || fail "$("$weft" query results/cut 'select * from timeline')"

# Several runs would lie on one another: of each panel one is chosen.
sed -e 's/name="two"/name="seeds"/' -e 's,</scenario>,<sweep><seeds count="2"/></sweep></scenario>,' two.xml >seeds.xml
ends 3 "$weft" run seeds.xml
grep -q "in row 'rank 0, stream 0' something begins at 0 and something else lasts until 3; expected the rows of one run" messages ||
    fail 'two runs in one panel'
sed -e 's/name="seeds"/name="one"/' -e 's/series="does"/series="does" where="seed=2"/' seeds.xml >one.xml
ends 0 "$weft" run one.xml

# refused MESSAGE SED: the scenario with that edit is refused with that message.
refused()
{
    sed -e "$2" two.xml >bad.xml
    ends 2 "$weft" validate bad.xml
    grep -qF "$1" messages || fail "$2 is not refused with: $1"
}
refused 'bad.xml:6: error: timeline of <measure>: there is no rank 2; expected 0 to 1' 's/0-1/0-2/'
refused 'bad.xml:6: error: timeline of <measure>: rank 1 is named twice' 's/0-1/0-1 1/'
refused 'timeline of <measure>: no <workload> is a trace; expected kind="trace"' \
    's,kind="trace" file="two.goal",kind="ring" bytes="1MB",'
refused '<figure when> shows what is not measured (timeline.csv); expected <measure timeline="..."/>' '/<measure/d'
refused '<figure when> of timeline lacks end="..."; expected a column, or a <query>' 's/end="end_us" //'
refused 'end of <figure when>: there is no column' 's/end="end_us"/end="stop_us"/'
refused '<figure when> of bars cannot show the rows of timeline.csv; expected template="timeline"' \
    's/template="timeline"/template="bars"/; s/end="end_us" //; s/series="does"//'
refused 'end of <figure when> of lines; expected template="timeline"' 's/template="timeline"/template="lines"/'
refused 'y-log of <figure when> of a timeline; expected' 's/series="does"/series="does" y-log="on"/'
