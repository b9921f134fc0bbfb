#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: report.sh WEFT-RUNNER
# A report must show the numbers that the CSV files hold, and no report at all where they are
# missing or the claims are wrong: else a paper is called confirmed by a typing mistake.
set -eu

weft=$1
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "FAILED: $*"
    exit 1
}

mkdir -p results/demo claims
cat >results/demo/summary.csv <<'END'
run,case,t,seed,cct_us
1,a,1us,1,60.000000
2,b,1us,1,100.000000
3,a,2us,1,80.000000
4,b,2us,1,90.000000
5,b,2us,2,110.000000
END
# 3 x^0.5 at x = 64, 256 and 1024, the last one as a mean of two; unit cells as in a sweep.
mkdir results/growth
cat >results/growth/summary.csv <<'END'
run,workload.bytes,seed,queue_peak_bytes
1,64KiB,1,24.000000
2,256KiB,1,48.000000
3,1024KiB,1,90.000000
4,1024KiB,2,102.000000
END
echo 'START_TEST(two_and_two)' >claims/test-demo.c
cat >claims/demo.xml <<'END'
<claims title="Demo">
  <section title="One" results="demo" scenario="demo.xml">
    <claim each="t">
      <says>a | b</says>
      <paper>20 to 40 %</paper>
      <value name="a" column="cct_us" where="case=a"/>
      <value name="b" column="cct_us" where="case=b"/>
      <measured is="100 * (1 - a / b)" unit="%"/>
    </claim>
    <claim where="t=2us">
      <says>mean, least, greatest</says>
      <value name="mean" column="cct_us" where="case=b"/>
      <value name="least" column="cct_us" where="case=b" of="min"/>
      <value name="most" column="cct_us" where="case=b" of="max"/>
      <measured is="mean" decimals="0"/>
      <measured is="least" decimals="0"/>
      <measured is="-(2 + 3) * 4 - most / 2 / 5" decimals="2"/>
      <test name="two_and_two" file="test-demo.c"/>
    </claim>
    <table title="Times" each="t">
      <value name="b" column="cct_us" where="case=b" of="max"/>
      <measured label="b" is="b / 10" decimals="3"/>
    </table>
  </section>
  <section title="Two" results="growth" scenario="growth.xml">
    <claim>
      <says>grows like the root</says>
      <value name="e" column="queue_peak_bytes" of="exponent" against="workload.bytes"/>
      <measured label="exponent" is="e" decimals="3"/>
    </claim>
    <claim>
      <says>the first two sizes, and another folder</says>
      <value name="e" column="queue_peak_bytes" of="exponent" against="workload.bytes" where="workload.bytes&lt;=256KiB"/>
      <value name="long" column="queue_peak_bytes" where="workload.bytes>=256KiB"/>
      <value name="other" column="cct_us" results="demo" where="case=a"/>
      <measured is="e" decimals="3"/>
      <measured is="long"/>
      <measured is="other"/>
    </claim>
    <claim>
      <says>correlates</says>
      <value name="r" column="queue_peak_bytes" of="correlation" against="seed" where="workload.bytes=1024KiB"/>
      <value name="s" column="cct_us" of="correlation" against="run" results="demo"/>
      <measured is="-r" decimals="3"/>
      <measured is="s" decimals="3"/>
    </claim>
  </section>
</claims>
END
"$weft" report claims/demo.xml >demo.md
for line in '| 1 | a \| b | 20 to 40 % | 20.0 to 40.0 % |' \
    "| 2 | mean, least, greatest |  | 100<br>90<br>-31.00<br>tested: \`two_and_two\` in \`test-demo.c\` |" \
    '| 3 | grows like the root |  | exponent: 0.500 |' \
    '| 4 | the first two sizes, and another folder |  | 0.500<br>80.0<br>70.0 |' \
    '| 5 | correlates |  | -1.000<br>0.740 |' \
    '| 1us | 10.000 |' '| 2us | 11.000 |'; do
    grep -qxF "$line" demo.md || { cat demo.md; fail "there is no line '$line'"; }
done
"$weft" report claims/demo.xml --output kept.md
cmp demo.md kept.md || fail '--output writes another report'

# Numbers of a scheme's former code are marked: those that rest on its rows, and no others.
sed 's/<claims /<claims former="case=b case=x t=2us" /' claims/demo.xml >claims/former.xml
"$weft" report claims/former.xml | sed "s/former[.]xml/demo.xml/" >former.md
diff demo.md former.md | grep '^>' >marked || fail 'nothing of the former code is marked'
[ "$(cut -d'|' -f2 marked | xargs)" = '1 † 2 † t 2us †' ] || { cat marked; fail 'other lines are marked'; }
grep -qxF '| t | b † |' former.md || fail 'a column of the former code is not marked'
sed 's/<claims /<claims former="case=a" /' claims/demo.xml >claims/former.xml
"$weft" report claims/former.xml | grep -qxF '| t | b |' || fail 'a column of the present code is marked'

# A text is no HTML, a label or a cell no Markdown either; code stays as it is.
cat >claims/plain.xml <<'END'
<claims title="&lt;script> *no* `code` [x](y)">
  <section title="&lt;b>&#10;# no | part" results="strange" scenario="`demo`.xml">
    <text>1 &lt; 2 &amp;amp; `a &lt; b` but not ` &lt;img> **bold**</text>
    <claim where="case=a">
      <says>`x|y` | ``a`&lt;`` ` &lt;i></says>
      <paper>&lt;u></paper>
      <value name="a" column="cct_us"/>
      <measured label="_a_b_ &lt;s> | `" is="a" unit="*&lt;*" decimals="0"/>
    </claim>
    <table title="&lt;T>" each="case">
      <value name="a" column="cct_us"/>
      <measured label="&lt;a>|b" is="a" decimals="0"/>
    </table>
  </section>
</claims>
END
mkdir results/strange
cat >results/strange/summary.csv <<'END'
run,case,cct_us
1,a,60
2,"<img src=x>|`b`[c](d)&lt;
# e",70
END
"$weft" report claims/plain.xml >plain.md
# shellcheck disable=SC2016 # code is that of Markdown
for line in '# &lt;script> \*no\* \`code\` \[x\](y)' '## &lt;b> \# no \| part' 'Results of `` ./weft run `demo`.xml ``.' \
    '1 &lt; 2 &amp;amp; `a < b` but not ` &lt;img> **bold**' \
    '| 1 | `x\|y` \| ``a`<`` ` &lt;i> | &lt;u> | \_a_b\_ &lt;s> \| \`: 60 \*&lt;\* |' '&lt;T>:' \
    '| case | &lt;a>\|b |' '| &lt;img src=x>\|\`b\`\[c\](d)&amp;lt; \# e | 70 |'; do
    grep -qxF -- "$line" plain.md || { cat plain.md; fail "there is no line '$line'"; }
done

# Several papers: one report, the claims of each numbered by themselves.
sed 's/"Demo"/"Second"/' claims/demo.xml >claims/second.xml
"$weft" report claims/demo.xml claims/second.xml >both.md
[ "$(grep '^# ' both.md | xargs)" = '# Demo # Second' ] || fail 'the titles of two papers'
[ "$(grep -c '^| 1 | a .| b' both.md)" = 2 ] || fail 'the claims of two papers'
[ "$(grep -c "Made by 'weft report claims/" both.md)" = 2 ] || fail 'what made it'

# refused EDIT MESSAGE: the edited claims give exit status 2, the message and no report.
refused()
{
    sed -e "$1" claims/demo.xml >claims/edited.xml
    status=0
    "$weft" report claims/edited.xml --output kept.md >out 2>messages || status=$?
    [ $status = 2 ] || fail "$1: exit status $status"
    grep -qF "$2" messages || { cat messages; fail "$1: no message '$2'"; }
    cmp -s demo.md kept.md || fail "$1: the former report is gone"
}
refused 's/column="cct_us" where="case=a"/column="cct" where="case=a"/' "claims/edited.xml:6: error: the results have no column 'cct'"
refused 's/case=a/case=c/' "edited.xml:6: error: there is no such row in results/demo; './weft run demo.xml' makes it"
refused 's/results="demo"/results="other"/' "error: there are no results in results/other; './weft run demo.xml' makes it"
refused 's/a \/ b/a \/ c/' "edited.xml:8: error: is '100 * (1 - a / c)': there is no <value> of the name 'c'"
refused 's/(1 - a/((1 - a/' "expected ')' at its end"
refused 's/name="two_and_two"/name="two_and_three"/' 'expected the test'
refused 's/<paper>/<papers>/; s/<.paper>/<\/papers>/' "did you mean 'paper'?"
refused 's/of="min"/of="least"/' 'expected mean, min, max, exponent, correlation or a percentile'
refused 's/ against="workload.bytes"//' 'go together'
refused 's/of="correlation"/of="mean"/' 'go together'
refused 's/column="cct_us" of="correlation" against="run"/column="cct_us" of="correlation" against="run" where="case=a t=1us"/' \
    'there is nothing to fit in results/demo'
refused 's/"cct_us" results="demo"/"cct_us" results="demos"/' \
    'there are no results in results/demos'
grep -q 'makes it' messages && fail 'a maker of results that is not known'
refused 's/results="growth" scenario/results="grown" scenario/; s/"cct_us" results="demo"/"cct_us" results="grown"/' \
    "there are no results in results/grown; './weft run growth.xml' makes it"
refused 's/workload.bytes>=256KiB/workload.bytes>=all/' \
    "where 'workload.bytes>=all'; expected column=value, or column<=number or column>=number"
refused 's/workload.bytes>=256KiB/workload.bytes>=256kib/' \
    "edited.xml:34: error: where 'workload.bytes>=256kib': '256kib' is no number; did you mean 'KiB'?"
refused 's/workload.bytes>=256KiB/workload.bytes>=1abc/' "edited.xml:34: error: where 'workload.bytes>=1abc': '1abc' is no number"
refused '6s/"a"/"b"/; s/a \/ b/b/' "edited.xml:7: error: a second <value> 'b', after that in line 6; expected each name once"
refused 's/a \/ b/1 \/ b/' "edited.xml:6: error: no <measured> uses the <value> 'a'"
refused 's/against="workload.bytes"\/>/against="run" where="seed=2"\/>/' 'there is nothing to fit'

sed -e 's/results="demo"/results="other"/' claims/demo.xml >claims/edited.xml
"$weft" report claims/edited.xml --allow-missing >missing.md
[ "$(grep -c 'not run' missing.md)" = 5 ] || fail '--allow-missing does not say what was not run'

# Runs without a value are not passed over in silence.
mkdir results/holes
printf 'run,case,seed,increase\n1,a,1,0.1\n2,a,2,\n3,a,3,0.3\n4,b,1,0.5\n5,c,1,\n6,c,2,\n' >results/holes/summary.csv
cat >claims/holes.xml <<'END'
<claims title="Holes">
  <section title="One" results="holes" scenario="holes.xml">
    <claim>
      <says>a and b</says>
      <value name="a" column="increase" where="case=a"/>
      <value name="b" column="increase" where="case=b"/>
      <measured label="a" is="100 * a" unit="%"/>
      <measured label="b" is="100 * b" unit="%"/>
    </claim>
    <claim>
      <says>c</says>
      <value name="c" column="increase" where="case=c"/>
      <measured is="100 * c" unit="%"/>
    </claim>
    <claim each="case">
      <says>all</says>
      <value name="v" column="increase"/>
      <measured is="v"/>
    </claim>
    <table title="All" each="case">
      <value name="v" column="increase"/>
      <measured label="v" is="v"/>
    </table>
  </section>
</claims>
END
"$weft" report claims/holes.xml >holes.md 2>messages
grep -qF '| a: 20.0 % (2 of 3 runs)<br>b: 50.0 % |' holes.md || { cat holes.md; fail 'a hole in a'; }
grep -qF '| c |  | none (0 of 2 runs) |' holes.md || { cat holes.md; fail 'c has no value'; }
grep -qF '| 0.2 to 0.5 (3 of 6 runs) |' holes.md || { cat holes.md; fail 'a hole in all'; }
grep -qxF '| c | none (0 of 2 runs) |' holes.md || { cat holes.md; fail 'c has no value in a table'; }
grep -q 'holes.xml:5: warning: 1 of 3 rows in results/holes have no increase' messages ||
    fail 'no warning of a hole'

# An expression rests on all of its values: one that was not run, or has no value, decides.
mkdir results/parts
cat >results/parts/summary.csv <<'END'
run,case,tmo,bytes,root,increase
1,a,5,64KiB,256,0.1
2,a,never,1MiB,1024,
3,a,9,16MiB,4096,
4,b,5,64KiB,256,
5,c,1us,64KiB,256,0.1
6,c,0.002ms,,300,0.4
7,c,3us,2MiB,1448.154688,0.2
8,c,never,1MiB,1024,nan
END
cat >claims/parts.xml <<'END'
<claims title="Parts">
  <section title="A &lt;b> &amp; c" results="parts">
    <claim>
      <says>sums</says>
      <value name="a" column="increase" where="case=a"/>
      <value name="b" column="increase" where="case=b"/>
      <value name="gone" column="increase" where="case=a" results="gone"/>
      <measured is="a + b"/>
      <measured is="b + a"/>
      <measured is="b + gone"/>
      <measured is="gone + a"/>
      <measured is="a"/>
    </claim>
    <claim>
      <says>units and words</says>
      <value name="size" column="bytes" of="max" where="case=a"/>
      <value name="tmo" column="tmo" of="max" where="case=c tmo&lt;=1s"/>
      <value name="few" column="run" of="max" where="case=a tmo&lt;=5"/>
      <value name="r" column="increase" of="correlation" against="bytes" where="case=c"/>
      <value name="e" column="root" of="exponent" against="bytes"/>
      <measured is="size" decimals="0"/>
      <measured is="tmo"/>
      <measured is="few" decimals="0"/>
      <measured is="r"/>
      <measured is="e" decimals="3"/>
    </claim>
  </section>
</claims>
END
"$weft" report claims/parts.xml --allow-missing >parts.md 2>messages || { cat messages; fail 'parts'; }
for line in '| 1 | sums |  | none (0 of 1 runs)<br>none (0 of 1 runs)<br>not run<br>not run<br>0.1 (1 of 3 runs) |' \
    '| 2 | units and words |  | 16777216<br>3.0<br>1<br>1.0 (2 of 4 runs)<br>0.500 (7 of 8 runs) |' \
    '## A &lt;b> &amp; c'; do
    grep -qxF "$line" parts.md || { cat parts.md; fail "there is no line '$line'"; }
done
grep -q 'parts.xml:19: warning: 2 of 4 rows in results/parts have no increase or no bytes$' messages ||
    fail 'no warning of a row that is not fitted'
# bad EDIT MESSAGE: with that edit and --allow-missing there is no report either.
bad()
{
    sed -e "$1" claims/parts.xml >claims/edited.xml
    status=0
    "$weft" report claims/edited.xml --allow-missing >out 2>messages || status=$?
    [ $status = 2 ] || fail "$1: exit status $status"
    grep -qF "$2" messages || { cat messages; fail "$1: no message '$2'"; }
    [ ! -s out ] || fail "$1: a report"
}
bad '12s/"a"/"a + b"/; 5s/increase/case/' "edited.xml:5: error: column 'case' holds text ('a'); expected numbers"
bad '17s/ tmo&lt;=1s//' "edited.xml:17: error: column 'tmo' holds text ('never'); expected numbers"
bad '20s/against="bytes"/against="tmo"/' "edited.xml:20: error: column 'tmo' holds text ('never'); expected numbers"
# What is there but cannot be read is not passed off as missing.
mkdir results/gone
printf 'run,case,increase\n1,a,1\n2,a\n' >results/gone/summary.csv
bad '' 'edited.xml:7: error: row 2 of results/gone/summary.csv does not have 3 cells'
rm -r results/gone

# Percentiles over the QPs of all runs that match, and over the rows of summary.csv itself.
mkdir -p results/fct/runs
printf 'run,case,seed,timeouts,cct_us\n' >results/fct/summary.csv
for seed in 1 2 3 4 5; do
    mkdir results/fct/runs/a$seed results/fct/runs/b$seed
    printf 'a%s,a,%s,9,%s\nb%s,b,%s,9,7\n' $seed $seed $seed $seed $seed >>results/fct/summary.csv
    # 100 QPs of 0.1 to 50 us over the five seeds of a; those of b never end.
    awk -v seed=$seed 'BEGIN { print "qp,start_us,delivered_us,timeouts"
        for (i = 0; i < 100; i++) printf "%d,2.000000,%.6f,%d\n", i, 2 + (5 * i + seed) / 10, i % 50 == 0 }' \
        >results/fct/runs/a$seed/qps.csv
    printf 'qp,start_us,delivered_us,timeouts\n0,2.0,%s,0\n1,2.0,,0\n' 1$seed >results/fct/runs/b$seed/qps.csv
done
cat >claims/fct.xml <<'END'
<claims title="FCT">
  <section title="One" results="fct" scenario="fct.xml">
    <claim where="case=a">
      <says>percentiles</says>
      <value name="p50" data="qps" column="fct_us" of="p50"/>
      <value name="p99" data="qps" column="fct_us" of="p99"/>
      <value name="p999" data="qps" column="fct_us" of="p99.9"/>
      <value name="mean" data="qps" column="fct_us"/>
      <value name="least" data="qps" column="fct_us" of="min"/>
      <value name="most" data="qps" column="fct_us" of="max"/>
      <value name="late" data="qps" column="fct_us" where="timeouts=1"/>
      <value name="slow" data="qps" column="fct_us" where="fct_us>=49750ns" of="min"/>
      <value name="this" data="qps" column="qp" where="fct_us=12.5"/>
      <value name="one" data="qps" column="qp" where="seed=3" of="p50"/>
      <value name="seeds" column="cct_us" of="p50"/>
      <measured is="p50" decimals="1"/>
      <measured is="p99" decimals="1"/>
      <measured is="p999" decimals="1"/>
      <measured is="mean" decimals="2"/>
      <measured is="least" decimals="1"/>
      <measured is="most" decimals="1"/>
      <measured is="late" decimals="1"/>
      <measured is="slow" decimals="1"/>
      <measured is="this" decimals="0"/>
      <measured is="one" decimals="0"/>
      <measured is="seeds" decimals="0"/>
    </claim>
    <table title="Each" each="case">
      <value name="v" data="qps" column="fct_us" of="p99"/>
      <measured label="p99" is="v" decimals="1"/>
    </table>
  </section>
</claims>
END
"$weft" report claims/fct.xml >fct.md 2>messages || { cat messages; fail "percentiles"; }
for line in '| 1 | percentiles |  | 25.0<br>49.5<br>50.0<br>25.05<br>0.1<br>50.0<br>12.8<br>49.8<br>24<br>49<br>3 |' \
    '| a | 49.5 |' '| b | 13.0 (5 of 10 QPs) |'; do
    grep -qxF "$line" fct.md || { cat fct.md; fail "there is no line '$line'"; }
done
grep -q 'p99 = p99 .fct_us. in .qps.csv., ' fct.md || fail 'what a percentile is computed from'
cp claims/fct.xml claims/demo.xml
cp fct.md demo.md
cp fct.md kept.md
refused '3s/where="case=a"/each="timeouts"/' \
    "edited.xml:3: error: each 'timeouts': the <value> in line 5 reads qps.csv, which has such a column itself"
refused '5s/fct_us/fct_ms/' "edited.xml:5: error: qps.csv has no column 'fct_ms'; did you mean 'fct_us'?"
refused '5s/of="p50"/of="p5O"/' "edited.xml:5: error: of 'p5O'; expected mean, min, max, exponent, correlation or a percentile such as p50"
refused '5s/of="p50"/of="p101"/' "error: of 'p101'; expected"
refused '5s/data="qps"/data="qp"/' "edited.xml:5: error: data 'qp'; expected summary, qps or flows"
refused '5s/data="qps"/data="qps" file="layers.csv"/' 'does not go with file'
refused '5s/data="qps"/data="qps" where="tmeouts=1"/' \
    "edited.xml:5: error: the results have no column 'tmeouts'; did you mean 'timeouts'?"
refused '5s/data="qps"/data="qps" where="case=c"/' 'edited.xml:5: error: there is no such row in results/fct'
refused '5s/data="qps"/data="flows"/' 'edited.xml:5: error: the run a1 has no flows.csv'
sed '5s/data="qps"/data="flows"/' claims/fct.xml >claims/edited.xml
"$weft" report claims/edited.xml --allow-missing 2>/dev/null | grep -qF '|  | not run<br>49.5<br>' ||
    fail '--allow-missing does not say that messages are missing'
sed -i '2s/,2.0/;2.0/' results/fct/runs/b1/qps.csv
refused '2s/FCT/FCT/' 'edited.xml:29: error: run b1 cannot be used: row 1 of results/fct/runs/b1/qps.csv does not have 4 cells'

# A run whose files are not those that it has written is not reported on.
cat >claims/tiny.xml <<'END'
<claims title="Tiny">
  <section title="One" results="tiny" scenario="tiny.xml">
    <claim><says>a time</says>
      <value name="p50" data="qps" column="fct_us" of="p50"/>
      <measured is="p50"/>
    </claim>
  </section>
</claims>
END
"$weft" run "$root/tests/runner/tiny.xml" --no-figures >/dev/null 2>&1
"$weft" report claims/tiny.xml >/dev/null 2>messages || { cat messages; fail 'the runs of tiny.xml'; }
sed -i '$d' results/tiny/runs/ecmp_seed=2/qps.csv
status=0
"$weft" report claims/tiny.xml --allow-missing >damaged.md 2>messages || status=$?
[ $status = 2 ] || fail "a damaged run: exit status $status"
[ ! -s damaged.md ] || fail 'a report of a damaged run'
grep -q "tiny.xml:4: error: run ecmp_seed=2 cannot be used: qps.csv has .* bytes.*; './weft run tiny.xml' repeats it" messages ||
    fail 'no word of a damaged run'

# The shipped claims are sound: every test and every scenario that they name is there.
for claims in "$root"/docs/claims/*.xml; do
    "$weft" report "$claims" --results "$work" --allow-missing >/dev/null || fail "$claims is not sound"
    sed -n 's/.*scenario="\([^"]*\)".*/\1/p' "$claims" | while read -r scenario; do
        [ -e "$root/$scenario" ] || fail "$claims: there is no $scenario"
    done
done

# Sixteen rows are shown, seventeen are folded away, under their title.
for n in 16 17; do
    mkdir -p "results/rows-$n"
    { echo run,case,seed,cct_us; seq "$n" | sed 's/.*/&,c&,1,1.000000/'; } >"results/rows-$n/summary.csv"
    cat >claims/rows.xml <<END
<claims title="Rows">
  <section title="One" results="rows-$n">
    <table title="All &lt;of&gt; them" each="case">
      <value name="c" column="cct_us"/>
      <measured is="c"/>
    </table>
  </section>
</claims>
END
    "$weft" report claims/rows.xml >"rows-$n.md"
    grep -q "| c$n | 1.0 |" "rows-$n.md" || fail 'a row of a table'
done
grep -q '^All &lt;of> them:$' rows-16.md || fail 'the title of a short table'
grep -q '^<details><summary>All &lt;of> them (17 rows)</summary>$' rows-17.md ||
    fail 'the title of a long table'
[ "$(grep -c details rows-16.md) $(grep -c details rows-17.md)" = '0 2' ] || fail 'what is folded'

echo 'reports are right'
