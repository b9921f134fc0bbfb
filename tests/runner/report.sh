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
"$claims" claims/demo.xml >demo.md
has demo.md '| 1 | a \| b | 20 to 40 % | 20.0 to 40.0 % |  |  |' \
    '| 2 | mean, least, greatest |  | mean: 100 us<br>least: 90 us<br>odd: -31.00 |  |  |' \
    "<a id=\"p1-c2\"></a>**2.** Tested: \`two_and_two\` in \`test-demo.c\`." \
    '| 3 | each |  | [all](#p1-c3) |  |  |' '<a id="p1-c3"></a>**3.**' \
    '| case | t | most | runs |' '| a | 1us | 60 | 1 |' '| b | 2us | 110 | 2 |' \
    '| t | b, us |' '| 1us | 10.000 |' '| 2us | 11.000 |' \
    '| 4 | grows like the root |  | exponent: 0.500<br>r: 0.878<br>in demo: 70.000 |  |  |'
# Where the numbers come from is a link away, and not between them.
grep -q 'select' demo.md && fail 'a query in the page'
has demo.md 'The queries behind all numbers: [claims/demo.xml](claims/demo.xml).'
"$claims" claims/demo.xml --output kept.md
cmp demo.md kept.md || fail '--output writes another report'

# Numbers of a scheme's former code are marked, and no others.
sed -e '0,/<query/s//<query former="on"/' -e 's/<column name="b"/& former="on"/' \
    -e "s/count(\*) as runs/&, \"case\" = 'x' as former/" claims/demo.xml >claims/former.xml
"$claims" claims/former.xml >former.md
has former.md '| 1 † | a \| b | 20 to 40 % | 20.0 to 40.0 % | to be run again |  |' '| t | b, us † |' '| 1us | 10.000 |'
[ "$(grep -c '^|.*†' former.md)" = 2 ] || fail 'other lines are marked'
grep -q '^| 3 | each' former.md || fail 'no row of former code makes a claim one'
sed -e "s/as b from summary/as b, t = '2us' as former from summary/" -e "s/count(\*) as runs/&, \"case\" = 'b' as former/" \
    claims/demo.xml >claims/former.xml
"$claims" claims/former.xml >former.md
has former.md '| t | b, us |' '| 1us | 10.000 |' '| 2us † | 11.000 |'
[ "$(grep -c '^|.*†' former.md)" = 4 ] || fail 'other rows are marked'
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
"$claims" claims/plain.xml >plain.md
# shellcheck disable=SC2016 # code is that of Markdown
has plain.md '# &lt;script> \*no\* \`code\` \[x\](y)' '## &lt;b> \# no \| part' 'Results of `` ./weft run `demo`.xml ``.' \
    '1 &lt; 2 &amp;amp; `a < b` but not ` &lt;img> **bold**' \
    '| 1 | `x\|y` \| ``a`<`` ` &lt;i> | &lt;u> | \_a_b\_ &lt;s> \| \`: 60 \*&lt;\* |  |  |' '&lt;T>:' \
    '| case | &lt;a>\|b |' '| &lt;img src=x>\|\`b\`\[c\](d)&amp;lt; \# e | 70 |'

# Several papers: one report, the claims of each numbered by themselves.
sed 's/"Demo"/"Second"/' claims/demo.xml >claims/second.xml
"$claims" claims/demo.xml claims/second.xml >both.md
[ "$(grep '^# ' both.md | xargs)" = '# Demo # Second' ] || fail 'the titles of two papers'
[ "$(grep -c '^| 1 | a .| b' both.md)" = 2 ] || fail 'the claims of two papers'
[ "$(grep -c "Made by 'weft report claims/" both.md)" = 2 ] || fail 'what made it'

# A page begins with its key claims, one number each, and the paper's figures with links; half an interval stands behind
# its value, and more than three numbers stand behind the section, with one of them in the cell.
cat >claims/keys.xml <<'END'
<claims title="Keys">
  <figure name="Figure 1">times</figure>
  <figure name="Table | 2 &lt;i&gt;">not simulated</figure>
  <section title="§1, figure 1: times" results="demo" scenario="demo.xml" shows="Figure 1">
    <text>
      Shown at once.

      Behind.
    </text>
    <claim verdict="open" hangs-on="the timers, which are not named">
      <key figure="Figure 1a &lt;b&gt;|">b | is slow</key>
      <says>each</says>
      <paper>105 us</paper>
      <query each="case t" unit="us" decimals="0">
        select "case", t, avg(cct_us) as most, stddev(cct_us) as "+-" from summary group by "case", t;
      </query>
      <headline unit="us" decimals="0">
        select most as "b, 2us", "+-" from answer where "case" = 'b' and t = '2us'
      </headline>
    </claim>
    <claim>
      <says>one</says>
      <query decimals="0">select avg(cct_us) as value, 3 as "+-" from summary</query>
    </claim>
  </section>
  <section title="Further" results="demo" scenario="demo.xml" figure="further.svg">
    <table title="Of the section before"><query each="case" decimals="0">
      select "case", max(cct_us) as b, 0.4 as " +- " from summary group by 1
    </query></table>
  </section>
  <section title="Bare"><claim><says>nothing stands behind</says></claim></section>
</claims>
END
touch claims/further.svg
"$claims" claims/keys.xml >keys.md
has keys.md '| [Figure 1a &lt;b>\|](#1-figure-1-times) | b \| is slow | 105 us | b, 2us: 100 ± 14 us | open | the timers, which are not named |' \
    '* **Figure 1**, times: [§1, figure 1: times](#1-figure-1-times)' '* **Table \| 2 &lt;i>**, not simulated' \
    '| 1 | each | 105 us | b, 2us: 100 ± 14 us<br>[all](#p1-c1) | open | the timers, which are not named |' \
    '| case | t | most, us |' '| b | 2us | 100 ± 14 |' '| a | 1us | 60 |' '| 2 | one |  | 88 ± 3 |  |  |' \
    '**Further**' '![Further](claims/further.svg)' '| b | 110 ± 0 |'
[ "$(grep -nE '^(Shown at once|<details|Behind|</details>)' keys.md | cut -d: -f2 | tr '\n' ' ')" = \
    'Shown at once. <details><summary>Causes, tables and how it is run</summary> Behind. </details> ' ] ||
    fail 'more than one paragraph is shown, the section behind is not folded away, or nothing is'
"$claims" claims/keys.xml --html | grep -q '<a href="#p1-s1">Figure 1a &lt;b&gt;|</a>' || fail 'no key claims in HTML'
# wrong EDIT MESSAGE: a mistake in those.
wrong()
{
    sed -e "$1" claims/keys.xml >claims/edited.xml
    ends 2 "$claims" claims/edited.xml
    grep -qF "$2" messages || { cat messages; fail "$1: no message '$2'"; }
}
wrong 's/hangs-on="/&one two three /' 'edited.xml:10: error: hangs-on has more than 8 words'
wrong 's/shows="Figure 1"/shows="Figure 1; Table 3"/' "edited.xml:4: error: shows 'Table 3'; expected a <figure> of that name"
wrong 's/select most as/select mots as/' 'edited.xml:18: error: no such column: mots'
wrong "s/ and t = '2us'//" 'edited.xml:17: error: the headline gives 2 rows; expected one'
wrong 's/select most as/select abs(-9223372036854775807 - 1), most as/' 'edited.xml:17: error: integer overflow'
wrong 's/select most as/select t as/' "edited.xml:17: error: column 'b, 2us' holds text ('2us'); expected numbers"
grep -q 'or each' messages && fail 'a headline is told to name its rows'
wrong 's/select most as/select 1 as a, 2 as b, most as/' 'edited.xml:17: error: the headline gives 4 numbers'
wrong "s/3 as \"+-\"/'x' as \"+-\"/" "edited.xml:23: error: column '+-' holds text ('x')"
wrong 's/avg(cct_us) as value, 3/3/' "edited.xml:23: error: there is no number before column '+-'"
wrong 's/results="demo"/results="gone"/' 'edited.xml:14: error: there are no results in'
[ "$(grep -c 'error:' messages)" = 3 ] || fail 'a headline without an answer to ask is told as well'
wrong '14,16d' 'edited.xml:14: error: <headline> without a <query>'

# A claim whose headline has nothing to show has no verdict of full results.
sed "s/t = '2us'/t = '9us'/" claims/keys.xml >claims/edited.xml
"$claims" claims/edited.xml --allow-missing >missing.md
has missing.md '| 1 | each | 105 us | not run<br>[all](#p1-c1) | not run | the timers, which are not named |'

# refused EDIT MESSAGE [OPTION]: the edited claims give exit status 2, the message and no report.
refused()
{
    sed -e "$1" claims/demo.xml >claims/edited.xml
    ends 2 "$claims" claims/edited.xml --output kept.md ${3:+"$3"}
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
refused 's/as="other"/as="main"/' "edited.xml:35: error: as: what queries call it; expected letters, digits"
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
    refused '' "results/demo/results.sqlite: No such file or directory; expected a folder of results" "$option"
    [ "$(wc -l <messages)" = 2 ] || fail "one missing file, other errors than one for each section"
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
"$claims" claims/edited.xml --allow-missing >missing.md
[ "$(grep -c '| not run | not run |  |$' missing.md)" = 3 ] || fail '--allow-missing does not say what was not run'
has missing.md 'Times: not run'
sed -e "s/'b'/'x'/" claims/demo.xml >claims/edited.xml
"$claims" claims/edited.xml --allow-missing >missing.md
has missing.md '| 1 | a \| b | 20 to 40 % | not run | not run |  |' \
    '| 2 | mean, least, greatest |  | mean: not run<br>least: not run<br>odd: not run | not run |  |'

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
"$claims" claims/holes.xml --allow-missing >holes.md
has holes.md '| 1 | sums |  | [all](#p1-c1) | not run |  |' \
    '| 20.0 (2/3) | 50.0 | none (0/2) | none (0/2) | not run | 0.5 (2/3) | none | undefined |' \
    '| 2 | all |  | 0.2 to 0.5 (at worst 0/2) |  |  |' '| a | 0.2 (2/3) |' '| b | 0.5 |' '| c | none (0/2) |'

# A verdict is what the claims' author says, and never better than what was run.
sed -e '3s/<claim/& verdict="agrees"/; 12s/<claim/& verdict="differs"/; 19s|<test|<why>Because.</why>&|' \
    -e '21s/<claim/& verdict="open"/; 36s/<claim/& verdict="none"/' claims/demo.xml >claims/judged.xml
cp claims/demo.xml claims/unjudged.xml
cp claims/judged.xml claims/demo.xml
"$claims" claims/demo.xml >judged.md
cp judged.md demo.md
cp judged.md kept.md
grep -q '^| 1 | .* | agrees |  |$' judged.md || fail 'a claim that agrees'
grep -q '^| 2 | .* | \[differs, with cause\](#p1-c2) |  |$' judged.md || fail 'a claim that differs, with a link to the cause'
grep -q '^| 3 | .* | open |  |$' judged.md || fail 'a claim that is open'
grep -q '^| 4 | .* |  |  |$' judged.md || fail 'a claim without a verdict'
has judged.md '| claims | agrees | shown by a test | differs, with cause | open | to be run again | not run | no verdict |' \
    '| 4 | 1 | 0 | 1 | 1 | 0 | 0 | 1 |'
sed '6s/unit/former="on" unit/' claims/judged.xml >claims/former.xml
"$claims" claims/former.xml | grep -q '^| 1 † | .* | to be run again |  |$' || fail 'former code agrees'
sed 's/results="demo" scenario/results="gone" scenario/' claims/judged.xml >claims/gone.xml
"$claims" claims/gone.xml --allow-missing >gone.md
[ "$(grep -c '^| [123] | .* | not run |  |$' gone.md)" = 3 ] || fail 'what was not run agrees or differs'
sed -e '6,10d' -e '5s|$|<test name="two_and_two" file="test-demo.c"/>|' claims/judged.xml >claims/tested.xml
"$claims" claims/tested.xml | grep -q '^| 1 | .* | \[a test\](#p1-c1) | shown by a test |  |$' || fail 'a claim that a test shows'
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
"$claims" docs/claims/figure.xml --output docs/page.md
has docs/page.md '![One](figures/a%20%28b%29.svg)'
"$claims" docs/claims/figure.xml --output results/page.md
has results/page.md '![One](../docs/figures/a%20%28b%29.svg)'
rm 'docs/figures/a (b).svg'
ends 2 "$claims" docs/claims/figure.xml
grep -q 'figure.xml:2: error: cannot read the figure docs/claims/../figures/a (b).svg' messages ||
    fail 'a figure that is not there: no message'

# The shipped claims are sound: every test and every scenario that they name is there.
for file in "$root"/docs/claims/*.xml; do
    "$claims" "$file" --results "$work" --allow-missing >/dev/null || fail "$file is not sound"
    sed -n 's/.*scenario="\([^"]*\)".*/\1/p' "$file" | while read -r scenario; do
        [ -e "$root/$scenario" ] || fail "$file: there is no $scenario"
    done
    grep -q '<claim>' "$file" && fail "$file: a claim that nobody has judged"
done

# The papers' pages in the manual have the claims of those files and the verdicts that they state, whenever they were
# made: number, claim and paper of each row; what was run, and by what code, only the page knows.
# rows PAGE [FIELD...]: those fields of the claims' rows.
rows()
{
    awk -F'|' -v fields="$2" '!/^\|/ { claims = 0 } /^\| \| what is claimed/ { claims = 1 } { gsub(/\\\|/, "\001") }
        claims && $2 + 0 { sub(/ †/, "", $2); n = split(fields, f, " "); for (i = 1; i <= n; i++) printf "%s|", $f[i]; print "" }' "$1"
}
for file in "$root"/docs/claims/*.xml; do
    name=$(basename "$file" .xml)
    page=$root/docs/papers/$name.md
    "$claims" "$file" --results "$work" --allow-missing >all.md
    rows all.md '2 3 4' >claimed
    [ -s claimed ] || fail "no claims are found in the report of $file"
    rows "$page" '2 3 4' | diff claimed - || fail "docs/papers/$name.md has other claims than docs/claims/$name.xml"
    sed -n 's/.*<claim verdict="\([a-z]*\)".*/\1/p' "$file" >judged
    rows "$page" 6 | sed -e 's/^ *//; s/ *|$//; s/^\[\(.*\)](.*)$/\1/' -e 's/shown by a test$/agrees/; s/differs, with cause$/differs/; s/^$/none/' |
        paste - judged | awk -F'\t' '$1 != $2 && $1 != "to be run again" && $1 != "not run" { print; bad = 1 } END { exit bad }' ||
        fail "docs/papers/$name.md has verdicts that docs/claims/$name.xml does not state"
done

echo 'reports are right'
