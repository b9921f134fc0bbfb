#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: report.sh WEFT-RUNNER MAKE-RESULTS
# A report must show the numbers that the results hold, and no report at all where they are missing
# or the claims are wrong: else a paper is called confirmed by a typing mistake.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

make_results=$2
root=$(cd "$here/../.." && pwd)

# results NAME <CSV: a folder of results with that summary.csv.
results()
{
    mkdir -p "results/$1"
    cat >"results/$1/summary.csv"
    "$make_results" "results/$1"
}

# has REPORT LINE...: whole lines of it.
has()
{
    report=$1
    shift
    for line; do
        grep -qxF -- "$line" "$report" || { cat "$report"; fail "there is no line '$line'"; }
    done
}

mkdir claims
results demo <<'END'
run,case,t,seed,cct_us
1,a,1us,1,60.000000
2,b,1us,1,100.000000
3,a,2us,1,80.000000
4,b,2us,1,90.000000
5,b,2us,2,110.000000
END
# 3 x^0.5 at x = 64, 256 and 1024, the last one as a mean of two; unit cells as in a sweep.
results growth <<'END'
run,workload.bytes,seed,queue_peak_bytes,cct_us
1,64KiB,1,24,1
2,256KiB,1,48,2
3,1024KiB,1,90,3
4,1024KiB,2,102,5
END
echo 'START_TEST(two_and_two)' >claims/test-demo.c
cat >claims/demo.xml <<'END'
<claims title="Demo">
  <section title="One" results="demo" scenario="demo.xml">
    <claim>
      <says>a | b</says>
      <paper>20 to 40 %</paper>
      <query over="t" unit="%">
        select t, 100 * (1 - avg(cct_us) filter (where "case" = 'a')
                           / avg(cct_us) filter (where "case" = 'b')) as value
        from summary group by t order by t_us
      </query>
    </claim>
    <claim>
      <says>mean, least, greatest</says>
      <query decimals="0" unit="us">
        select avg(cct_us) as mean, min(cct_us) as least, -20 - max(cct_us) / 2 / 5 as "odd"
        from summary where t_us >= 2 and "case" = 'b'
      </query>
      <column name="odd" unit="" decimals="2"/>
      <test name="two_and_two" file="test-demo.c"/>
    </claim>
    <claim>
      <says>each</says>
      <query each="case t" decimals="0">
        select "case", t, max(cct_us) as most, count(*) as runs from summary group by "case", t
      </query>
    </claim>
    <table title="Times">
      <query each="t" unit="us">
        select t, max(cct_us) / 10 as b from summary where "case" = 'b' group by t
      </query>
      <column name="b" decimals="3"/>
    </table>
  </section>
  <section title="Two" results="growth" scenario="growth.xml">
    <attach results="demo" as="other"/>
    <claim>
      <says>grows like the root</says>
      <query decimals="3">
        select slope_loglog(queue_peak_bytes, "workload.bytes_bytes") as exponent,
               corr(cct_us, seed) as r,
               (select avg(cct_us) from other.summary where "case" = 'a') as "in demo"
        from summary
      </query>
    </claim>
  </section>
</claims>
END
"$weft" report claims/demo.xml >demo.md
has demo.md '| 1 | a \| b | 20 to 40 % | 20.0 to 40.0 % |  |' \
    "| 2 | mean, least, greatest |  | mean: 100 us<br>least: 90 us<br>odd: -31.00<br>tested: \`two_and_two\` in \`test-demo.c\` |  |" \
    '| 3 | each |  | a, 1us: most: 60<br>runs: 1<br>a, 2us: most: 80<br>runs: 1<br>b, 1us: most: 100<br>runs: 1<br>b, 2us: most: 110<br>runs: 2 |  |' \
    '| t | b, us |' '| 1us | 10.000 |' '| 2us | 11.000 |' \
    '| 4 | grows like the root |  | exponent: 0.500<br>r: 0.878<br>in demo: 70.000 |  |'
# Where the numbers come from is there as it was written, behind the numbers.
cat >block <<'END'
<details><summary>The queries</summary>

**1.**

```sql
select t, 100 * (1 - avg(cct_us) filter (where "case" = 'a')
                   / avg(cct_us) filter (where "case" = 'b')) as value
from summary group by t order by t_us
```

**2.**
END
sed -n '/^<details>/,/^\*\*2/p' demo.md | sed '/^\*\*2/q' | cmp - block || fail 'the query of claim 1'
sed -n '/^Times:$/,/^```$/p' demo.md | grep -q '^select t, max(cct_us) / 10 as b from summary' || fail 'the query of a table'
"$weft" report claims/demo.xml --output kept.md
cmp demo.md kept.md || fail '--output writes another report'

# Numbers of a scheme's former code are marked, and no others.
sed -e '0,/<query/s//<query former="on"/' -e 's/<column name="b"/& former="on"/' \
    -e "s/count(\*) as runs/&, \"case\" = 'x' as former/" claims/demo.xml >claims/former.xml
"$weft" report claims/former.xml >former.md
has former.md '| 1 † | a \| b | 20 to 40 % | 20.0 to 40.0 % | to be run again |' '| t | b, us † |' '| 1us | 10.000 |'
[ "$(grep -c '^|.*†' former.md)" = 2 ] || fail 'other lines are marked'
grep -q '^| 3 | each' former.md || fail 'no row of former code makes a claim one'
sed -e "s/as b from summary/as b, t = '2us' as former from summary/" -e "s/count(\*) as runs/&, \"case\" = 'b' as former/" \
    claims/demo.xml >claims/former.xml
"$weft" report claims/former.xml >former.md
has former.md '| t | b, us |' '| 1us | 10.000 |' '| 2us † | 11.000 |'
[ "$(grep -c '^|.*†' former.md)" = 2 ] || fail 'other rows are marked'
grep -q '^| 3 † | each' former.md || fail 'a claim with a row of former code'

# A text is no HTML, a label or a cell no Markdown either; code stays as it is.
cat >claims/plain.xml <<'END'
<claims title="&lt;script> *no* `code` [x](y)">
  <section title="&lt;b>&#10;# no | part" results="strange" scenario="`demo`.xml">
    <text>1 &lt; 2 &amp;amp; `a &lt; b` but not ` &lt;img> **bold**</text>
    <claim>
      <says>`x|y` | ``a`&lt;`` ` &lt;i></says>
      <paper>&lt;u></paper>
      <query unit="*&lt;*" decimals="0">select avg(cct_us) as "_a_b_ &lt;s> | `" from summary
        where "case" = 'a' -- ```</query>
    </claim>
    <table title="&lt;T>">
      <query each="case" decimals="0">select "case", cct_us as "&lt;a>|b" from summary</query>
    </table>
  </section>
</claims>
END
results strange <<'END'
run,case,cct_us
1,a,60
2,"<img src=x>|`b`[c](d)&lt;
# e",70
END
"$weft" report claims/plain.xml >plain.md
# shellcheck disable=SC2016 # code is that of Markdown
has plain.md '# &lt;script> \*no\* \`code\` \[x\](y)' '## &lt;b> \# no \| part' 'Results of `` ./weft run `demo`.xml ``.' \
    '1 &lt; 2 &amp;amp; `a < b` but not ` &lt;img> **bold**' \
    '| 1 | `x\|y` \| ``a`<`` ` &lt;i> | &lt;u> | \_a_b\_ &lt;s> \| \`: 60 \*&lt;\* |  |' '&lt;T>:' \
    '| case | &lt;a>\|b |' '| &lt;img src=x>\|\`b\`\[c\](d)&amp;lt; \# e | 70 |' '````sql' '````'

# Several papers: one report, the claims of each numbered by themselves.
sed 's/"Demo"/"Second"/' claims/demo.xml >claims/second.xml
"$weft" report claims/demo.xml claims/second.xml >both.md
[ "$(grep '^# ' both.md | xargs)" = '# Demo # Second' ] || fail 'the titles of two papers'
[ "$(grep -c '^| 1 | a .| b' both.md)" = 2 ] || fail 'the claims of two papers'
[ "$(grep -c "Made by 'weft report claims/" both.md)" = 2 ] || fail 'what made it'

# refused EDIT MESSAGE [OPTION]: the edited claims give exit status 2, the message and no report.
refused()
{
    sed -e "$1" claims/demo.xml >claims/edited.xml
    ends 2 "$weft" report claims/edited.xml --output kept.md ${3:+"$3"}
    grep -qF "$2" messages || { cat messages; fail "$1: no message '$2'"; }
    cmp -s demo.md kept.md || fail "$1: the former report is gone"
}
(cd results && find . -type f -exec cksum {} + | sort) >before
# Mistakes in a query are told at their line in the claims file.
refused '8s/avg(cct_us)/avg(cct_uss)/' "claims/edited.xml:8: error: no such column: cct_uss; did you mean 'cct_us'?"
refused "8s/'b')/'b'/" 'claims/edited.xml:8: error: near "as": syntax error'
refused '9s/group/gruop/' 'claims/edited.xml:9: error: '
refused 's/from summary where t_us/from sumary where t_us/' "error: no such table: sumary; did you mean 'summary'?"
refused 's/from other.summary/from another.summary/' 'error: no such table: another.summary'
refused '9s/$/; select 1/' 'edited.xml:9: error: more follows the first'
refused '7s/select.*/attach '"'x'"' as y --/; 8s/^/--/; 9s/^/--/' 'a query may read tables and call functions, nothing else'
refused '7s/select.*/delete from summary --/; 8s/^/--/; 9s/^/--/' 'a query may read tables and call functions, nothing else'
endless='with recursive n(t, value) as (select 1, 1 union all select t + 1, 1 from n) select * from n --'
refused "7s/select.*/$endless/; 8s/^/--/; 9s/^/--/" 'edited.xml:6: error: it gives more than 1000 rows'
(cd results && find . -type f -exec cksum {} + | sort) | cmp - before || fail 'a query changed the results'
# So are columns that are not there, rows without a name, and what is no number.
refused '23s/case t/cases t/' "edited.xml:23: error: the query gives no column 'cases'; did you mean 'case'?"
refused '6s/over="t"/over="value"/' "edited.xml:6: error: column 't' holds text ('1us'); expected numbers, or each=\"t\" if it names the rows"
refused '18s/odd/add/' "edited.xml:18: error: the query gives no column 'add'; did you mean 'odd'?"
refused '16s/$/ group by seed/' 'edited.xml:14: error: the query gives 2 rows; expected one, or each="COLUMN ..."'
refused '24s/t$/t, seed/' 'edited.xml:23: error: rows 4 and 5 of the query have the same name; expected one row for each'
refused '24s/t$/t, seed order by seed, t desc/' 'edited.xml:23: error: rows 2 and 5 of the query have the same name'
refused "16s/'b'/'x'/" "edited.xml:14: error: there are no rows in results/demo for column 'mean'"
refused "29s/'b'/'x'/" 'edited.xml:28: error: there are no rows in results/demo for the query'
# And what the file itself says.
refused 's/results="demo" scenario/results="gone" scenario/' "edited.xml:6: error: there are no results in results/gone; './weft run demo.xml' makes them"
refused 's/results="demo" as/results="gone" as/' 'edited.xml:38: error: there are no results in results/gone'
grep -q 'makes them' messages && fail 'a maker of results that is not known'
refused 's/results="growth" scenario/results="gone" scenario/; s/results="demo" as/results="gone" as/' \
    "there are no results in results/gone; './weft run growth.xml' makes them"
refused 's/ results="demo" scenario="demo.xml"//' 'edited.xml:6: error: a <query> in a section without results'
refused 's/as="other"/as="main"/' "edited.xml:35: error: as 'main'; expected letters, digits"
refused '35s/.*/&&/' "edited.xml:35: error: a second <attach> 'other'"
refused '3,10s/over/each/; 10s/$/<query>select 1<\/query>/' 'edited.xml:10: error: a second <query>; expected one only, and it stands at line 6'
refused '4s/.*/&&/' 'edited.xml:4: error: a second <says>; expected one only, and it stands at line 4'
refused '5s/.*/&&/' 'edited.xml:5: error: a second <paper>; expected one only, and it stands at line 5'
refused '18s/.*/&&/' "edited.xml:18: error: a second <column> 'odd'"
refused '28,30d' 'edited.xml:27: error: <table> lacks <query>'
refused '14,17d' 'edited.xml:14: error: <column> without a <query>'
refused '28s/each/over/' 'a table shows all rows'
refused '6s/unit/each="t" unit/' 'edited.xml:6: error: over: a claim may have it instead of each'
refused 's/decimals="3"/decimals="33"/' "edited.xml:31: error: decimals '33' of <column> is out of bounds; expected a whole number from 0 to 9"
refused '6s/unit/former="yes" unit/' "edited.xml:6: error: former 'yes' of <query> is not one of the choices; expected one of off, on"
refused '6s/unit=/units=/' "did you mean 'unit'?"
refused '7,9d' 'edited.xml:6: error: <query> is empty'
refused 's/name="two_and_two"/name="two_and_three"/' 'expected the test'
refused 's/<paper>/<papers>/; s/<.paper>/<\/papers>/' "did you mean 'paper'?"

# Results that are there but cannot be read are not passed off as missing.
mv results/demo/results.sqlite kept.sqlite
for option in '' --allow-missing; do
    refused '' "results/demo/results.sqlite: No such file or directory; 'weft collect results/demo' makes it again" "$option"
done
for option in '' --allow-missing --html; do
    cp kept.sqlite results/demo/results.sqlite
    flip results/demo/results.sqlite
    refused '' 'results/demo/results.sqlite cannot be used: results.sqlite has other bytes than were written' "$option"
done
head -c 6000 kept.sqlite >results/demo/results.sqlite
refused '' 'results/demo/results.sqlite cannot be used: results.sqlite has 6000 bytes' --allow-missing
mv kept.sqlite results/demo/results.sqlite
# Missing ones may be allowed, and are told as such.
sed -e 's/results="demo" scenario/results="gone" scenario/' -e "s/'b'/'x'/" claims/demo.xml >claims/edited.xml
"$weft" report claims/edited.xml --allow-missing >missing.md
[ "$(grep -c '| not run | not run |$' missing.md)" = 2 ] || fail '--allow-missing does not say what was not run'
has missing.md 'Times: not run'
sed -e "s/'b'/'x'/" claims/demo.xml >claims/edited.xml
"$weft" report claims/edited.xml --allow-missing >missing.md
has missing.md '| 1 | a \| b | 20 to 40 % | not run | not run |' \
    "| 2 | mean, least, greatest |  | mean: not run<br>least: not run<br>odd: not run<br>tested: \`two_and_two\` in \`test-demo.c\` | not run |"

# Runs without a value are not passed over in silence.
results holes <<'END'
run,case,seed,increase
1,a,1,0.1
2,a,2,
3,a,3,0.3
4,b,1,0.5
5,c,1,
6,c,2,
END
cat >claims/holes.xml <<'END'
<claims title="Holes">
  <section title="One" results="holes" scenario="holes.xml">
    <claim>
      <says>sums</says>
      <query>
        with mean as (select "case" as k, avg(increase) as i from summary group by k)
        select 100 * avg(increase) filter (where "case" = 'a') as a,
               100 * avg(increase) filter (where "case" = 'b') as b,
               avg(increase) filter (where "case" = 'c') as c,
               avg(increase) filter (where "case" = 'c') + min(increase) as "c + all",
               avg(increase) filter (where "case" = 'c') + avg(increase) filter (where "case" = 'd') as "c + d",
               (select max(i) from mean where k in ('a', 'b')) as "of means",
               1 / (0 * seed) as none, 9e999 as infinite
        from summary where seed &lt; 9
      </query>
    </claim>
    <claim>
      <says>all</says>
      <query over="case">select "case", avg(increase) as value from summary group by "case"</query>
    </claim>
    <table title="All">
      <query each="case">select "case", avg(increase) as v from summary group by "case"</query>
    </table>
  </section>
</claims>
END
"$weft" report claims/holes.xml --allow-missing >holes.md
has holes.md '| 1 | sums |  | a: 20.0 (2/3)<br>b: 50.0<br>c: none (0/2)<br>c + all: none (0/2)<br>c + d: not run<br>of means: 0.5 (2/3)<br>none: none<br>infinite: undefined | not run |' \
    '| 2 | all |  | 0.2 to 0.5 (at worst 0/2) |  |' '| a | 0.2 (2/3) |' '| b | 0.5 |' '| c | none (0/2) |'

# A verdict is what the claims' author says, and never better than what was run.
sed -e '3s/<claim/& verdict="agrees"/; 12s/<claim/& verdict="differs"/; 19s|<test|<why>Because.</why>&|' \
    -e '21s/<claim/& verdict="open"/; 36s/<claim/& verdict="none"/' claims/demo.xml >claims/judged.xml
cp claims/demo.xml claims/unjudged.xml
cp claims/judged.xml claims/demo.xml
"$weft" report claims/demo.xml >judged.md
cp judged.md demo.md
cp judged.md kept.md
grep -q '^| 1 | .* | agrees |$' judged.md || fail 'a claim that agrees'
grep -q '^| 2 | .* | differs, with cause |$' judged.md || fail 'a claim that differs'
grep -q '^| 3 | .* | open |$' judged.md || fail 'a claim that is open'
grep -q '^| 4 | .* |  |$' judged.md || fail 'a claim without a verdict'
has judged.md "| agrees | 1 | Weft's results say what the paper says. |" "| differs, with cause | 1 | Weft's results differ, and the reason is given. |"
sed '6s/unit/former="on" unit/' claims/judged.xml >claims/former.xml
"$weft" report claims/former.xml | grep -q '^| 1 † | .* | to be run again |$' || fail 'former code agrees'
sed 's/results="demo" scenario/results="gone" scenario/' claims/judged.xml >claims/gone.xml
"$weft" report claims/gone.xml --allow-missing >gone.md
[ "$(grep -c '^| [123] | .* | not run |$' gone.md)" = 3 ] || fail 'what was not run agrees or differs'
sed -e '6,10d' -e '5s|$|<test name="two_and_two" file="test-demo.c"/>|' claims/judged.xml >claims/tested.xml
"$weft" report claims/tested.xml | grep -q '^| 1 | .* | shown by a test |$' || fail 'a claim that a test shows'
refused 's/"agrees"/"agreed"/' "edited.xml:3: error: verdict 'agreed' of <claim> is not one of the choices; expected one of agrees, differs, open, none; did you mean 'agrees'?"
refused 's/"agrees"/"quick"/' "edited.xml:3: error: verdict 'quick' of <claim> is not one of the choices"
refused 's/"agrees"/"differs"/' "edited.xml:3: error: verdict 'differs' without <why>"
refused 's/verdict="agrees"/verdikt="agrees"/' "did you mean 'verdict'?"
cp claims/unjudged.xml claims/demo.xml

# A section's figure is linked from where the report stands, and must be there.
mkdir -p docs/figures docs/claims
cp claims/test-demo.c docs/claims/
echo '<svg/>' >'docs/figures/a (b).svg'
sed '2s/results=/figure="..\/figures\/a (b).svg" results=/; s/<test.*//' claims/demo.xml >docs/claims/figure.xml
"$weft" report docs/claims/figure.xml --output docs/page.md
has docs/page.md '![One](figures/a%20%28b%29.svg)'
"$weft" report docs/claims/figure.xml --output results/page.md
has results/page.md '![One](../docs/figures/a%20%28b%29.svg)'
rm 'docs/figures/a (b).svg'
ends 2 "$weft" report docs/claims/figure.xml
grep -q 'figure.xml:2: error: cannot read the figure docs/claims/../figures/a (b).svg' messages ||
    fail 'a figure that is not there: no message'

# The shipped claims are sound: every test and every scenario that they name is there.
for claims in "$root"/docs/claims/*.xml; do
    "$weft" report "$claims" --results "$work" --allow-missing >/dev/null || fail "$claims is not sound"
    sed -n 's/.*scenario="\([^"]*\)".*/\1/p' "$claims" | while read -r scenario; do
        [ -e "$root/$scenario" ] || fail "$claims: there is no $scenario"
    done
    grep -q '<claim>' "$claims" && fail "$claims: a claim that nobody has judged"
done

# The page in the manual has the claims of those files and the verdicts that they state, whenever it was made:
# number, claim, paper and verdict of each row; what was run, and by what code, only the page knows.
stated()
{
    awk -F'|' '/^# / { part++ } !/^\|/ { claims = 0 } /^\| \| what is claimed/ { claims = 1 } { gsub(/\\\|/, "\001") }
        claims && $2 + 0 { sub(/ †/, "", $2); print part, $2, $3, $4 }' "$1"
}
verdicts()
{
    awk -F'|' '/^# / { part++ } !/^\|/ { claims = 0 } /^\| \| what is claimed/ { claims = 1 } { gsub(/\\\|/, "\001") }
        claims && $2 + 0 { gsub(/^ +| +$/, "", $6); print part, $2 + 0, $6 }' "$1"
}
"$weft" report "$root/docs/claims/themis.xml" "$root/docs/claims/ofan.xml" "$root/docs/claims/pro.xml" \
    "$root/docs/claims/prime.xml" "$root/docs/claims/ethereal.xml" "$root/docs/claims/cross.xml" --results "$work" --allow-missing >all.md
stated all.md >claimed
stated "$root/docs/validation.md" | diff claimed - || fail 'docs/validation.md has other claims than docs/claims'
for claims in themis ofan pro prime ethereal cross; do sed -n 's/.*<claim verdict="\([a-z]*\)".*/'$claims' \1/p' "$root/docs/claims/$claims.xml"; done |
    awk '$1 != paper { part++; n = 0; paper = $1 } { print part, ++n, $2 }' >judged
verdicts "$root/docs/validation.md" | sed -e 's/shown by a test$/agrees/; s/differs, with cause$/differs/; s/\([0-9]\) $/\1 none/' >shown
grep -vE '(to be run again|not run)$' shown >compared
grep -vxFf judged compared && fail 'docs/validation.md has verdicts that docs/claims does not state'
[ "$(wc -l <shown)" = "$(wc -l <judged)" ] || fail 'docs/validation.md lacks claims'

# Sixteen rows are shown, seventeen are folded away, under their title.
for n in 16 17; do
    { echo run,case,seed,cct_us; seq "$n" | sed 's/.*/&,c&,1,1.000000/'; } | results "rows-$n"
    cat >claims/rows.xml <<END
<claims title="Rows">
  <section title="One" results="rows-$n">
    <table title="All &lt;of&gt; them"><query each="case">select "case", cct_us as c from summary</query></table>
  </section>
</claims>
END
    "$weft" report claims/rows.xml | sed '/^<details><summary>The queries/,$d' >"rows-$n.md"
    grep -q "| c$n | 1.0 |" "rows-$n.md" || fail 'a row of a table'
done
grep -q '^All &lt;of> them:$' rows-16.md || fail 'the title of a short table'
grep -q '^<details><summary>All &lt;of> them (17 rows)</summary>$' rows-17.md ||
    fail 'the title of a long table'
[ "$(grep -c details rows-16.md) $(grep -c details rows-17.md)" = '0 2' ] || fail 'what is folded'

echo 'reports are right'
