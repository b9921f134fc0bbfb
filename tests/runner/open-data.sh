#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: open-data.sh WEFT-RUNNER MAKE-RESULTS
# Pages that are made from open data must be those of the results, and damage must be found: else a
# clone shows other numbers than the runs gave, and nobody can tell which are right.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

make_results=$2

# qps RUN: 6,000 QPs, of which the last one was not delivered in the run `d`.
qps()
{
    mkdir -p "results/large/runs/$1"
    awk -v seed="$2" -v lost="$3" 'BEGIN {
        print "qp,src,dst,fct_us,fct_slowdown,resent"
        for (i = 0; i < 6000; i++) {
            seed = (seed * 16807) % 2147483647
            printf "%d,%d,%d,%s,%.6f,%d\n", i, i % 64, (i + 7) % 64,
                   lost && i == 5999 ? "" : sprintf("%.6f", 100 + seed % 100000 / 100), 1 + seed % 1000 / 100, seed % 5
        }
    }' >"results/large/runs/$1/qps.csv"
}

mkdir -p docs/claims docs/papers scenarios
qps a 11 0
qps b 12 0
qps c 13 0
qps d 14 1
cat >results/large/summary.csv <<'END'
run,case,seed,cct_us
a,one,1,60.125
b,two,1,100.5
c,one,2,80.25
d,two,2,
END
"$make_results" results/large
mkdir -p results/small/runs/a results/small/runs/b
cat >results/small/summary.csv <<'END'
run,case,cct_us
a,one,1.5
b,two,2.5
END
for run in a b; do
    printf 'layer,links,queue_peak_bytes,marked\ntor-up,4,%s000,1\ncore-down,4,7,2\n' $((${#run} + 4)) >results/small/runs/$run/layers.csv
done
"$make_results" results/small
for name in large small; do
    sed "s/name=\"tiny\"/name=\"$name\"/" "$here/tiny.xml" >scenarios/$name.xml
done

# Large tables in views, of which one reads another; another's tables; a small table; a query of
# everything that a page says of its results.
cat >docs/claims/demo.xml <<'END'
<claims title="Demo">
  <section title="One" results="large" scenario="scenarios/large.xml">
    <attach results="small" as="other"/>
    <view name="each_run">
      select run, max(fct_slowdown) as longest, p99(fct_slowdown) as tail from qps group by run
    </view>
    <view name="hosts">
      select run, src, sum(resent) as n from qps where run in (select run from each_run where run &lt; 3) and dst != ')'
      group by run, src
    </view>
    <view name="means">
      select run, iif(count(fct_us) = count(*), avg(fct_us), null) as mean from qps group by run
    </view>
    <claim verdict="agrees"><says>a</says>
      <query each="case" decimals="6">
        select "case", avg(longest) as longest, ci95(tail) as "+-" from each_run join summary using (run) group by 1
      </query>
    </claim>
    <claim verdict="agrees"><says>b</says>
      <query each="case" decimals="6">
        select "case", max(n) as n, (select max(queue_peak_bytes) from other.layers) as other
        from hosts join summary using (run) group by 1
      </query>
      <headline>select max(n) as value from answer</headline>
    </claim>
    <claim verdict="agrees"><says>a number and a text compare as in the table</says>
      <query decimals="0">select count(*) as n from summary where cct_us &gt; '70'</query>
    </claim>
    <claim verdict="agrees"><says>c</says>
      <query each="case" decimals="6">select "case", avg(mean) as mean from means join summary using (run) group by 1</query>
    </claim>
    <table title="d">
      <query each="case" decimals="6">select "case", count(*) as n from each_run join summary using (run) group by 1</query>
    </table>
  </section>
  <section title="Two" results="small" scenario="scenarios/small.xml">
    <claim verdict="agrees"><says>e</says>
      <query each="layer">select layer, avg(queue_peak_bytes) as peak from layers group by layer</query>
    </claim>
  </section>
</claims>
END
# Another paper reads other columns of the same results: they are saved as well.
cat >docs/claims/other.xml <<'END'
<claims title="Other">
  <section title="One" results="small" scenario="scenarios/small.xml">
    <claim verdict="agrees"><says>f</says><query>select sum(marked) as value from layers</query></claim>
  </section>
</claims>
END

ends 0 "$reproduce" demo --report --save-data data
[ "$(cd data && echo ./*)" = './large.sqlite.gz ./small.sqlite.gz' ] || fail 'files of open data'
ends 0 "$reproduce" other --report
cat docs/papers/demo.md docs/papers/other.md >expected.md
cp results/demo.html expected.html
grep -q '3/4\|1/2\|5999' expected.md || fail 'no number rests on fewer rows than were asked for'

# The same bytes again, whichever paper they are saved for.
ends 0 "$reproduce" all --report --save-data again
for name in large small; do
    cmp data/$name.sqlite.gz again/$name.sqlite.gz || fail 'other bytes'
done

# Without any results.
mv results kept-results
rm docs/papers/*
ends 0 "$reproduce" all --data data
cat docs/papers/demo.md docs/papers/other.md | cmp - expected.md || fail 'the page from open data is another one'
cmp results/demo.html expected.html || fail 'the page in HTML from open data is another one'
ends 0 "$claims" docs/claims/demo.xml --data data --output part.md
mv kept-results was

# With another query, or the name of a table, a view is not that of the data.
sed 's/max(fct_slowdown) as longest/min(fct_slowdown) as longest/' docs/claims/demo.xml >changed.xml
ends 2 "$claims" changed.xml --data data
grep -q "changed.xml:4: error: the results have another table or view 'each_run'" messages || fail "rows of a former view: $(cat messages)"
sed 's/"each_run"/"summary"/' docs/claims/demo.xml >changed.xml
ends 2 "$claims" changed.xml --data data
grep -q "changed.xml:4: error: the results have another table or view 'summary'" messages || fail "a view that hides another one: $(cat messages)"

# By name, with the nearest one.
mkdir docs/data
cp data/* docs/data
ends 0 "$weft" query --data large 'select "case", cct_us from summary'
[ "$(sed -n 2p out | xargs)" = 'one 60.125' ] || fail "a query by name: $(cat out)"
ends 0 "$weft" query --data large --with b=small --with c=data/small.sqlite.gz \
    'select (select count(*) from b.summary) + (select count(*) from c.summary) as n'
[ "$(sed -n 2p out | xargs)" = 4 ] || fail "others by name and by path: $(cat out)"
ends 2 "$weft" query --data large --with b=smal 'select 1'
grep -q "no results of 'smal' in docs/data; did you mean small?" messages || fail 'no nearest name of others'
ends 2 "$weft" query --data lrage 'select 1'
grep -q "no results of 'lrage' in docs/data; did you mean 'large'?" messages || fail 'no nearest name'
# Of the large table only the views are there, and a query that asks for more is told so.
ends 0 "$weft" query --data large 'select count(*) from each_run where longest >= tail'
[ "$(sed -n 2p out | xargs)" = 4 ] || fail "a view: $(cat out)"
ends 0 "$weft" query --data large "select doc from columns where \"table\" = 'means' and \"column\" = 'mean'"
grep -q 'avg(fct_us)' out || fail "what a view is made of: $(cat out)"
ends 2 "$weft" query --data large 'select dst from qps'
grep -q "no such table: qps.*what no claim reads" messages || fail 'no word about what is left out'
ends 2 "$weft" query --data small 'select * from flows'
grep -q "no such table: flows.*what no claim reads" messages || fail 'no word about a table that is left out'

# Damage.
size=$(wc -c <data/small.sqlite.gz)
for at in 0 2 12 200 $((size / 2)) $((size - 6)) $((size - 1)); do
    cp data/small.sqlite.gz bad.sqlite.gz
    flip bad.sqlite.gz "$at"
    ends 2 "$weft" query bad.sqlite.gz 'select count(*) from summary'
    grep -q 'bad.sqlite.gz cannot be used' messages || fail "byte $at is another one, and nobody says so"
done
head -c $((size - 1)) data/small.sqlite.gz >bad.sqlite.gz
ends 2 "$weft" query bad.sqlite.gz 'select count(*) from summary'
{ cat data/small.sqlite.gz && echo; } >bad.sqlite.gz
ends 2 "$weft" query bad.sqlite.gz 'select count(*) from summary'
# A gigabyte in a few bytes.
head -c 300000000 /dev/zero | gzip -9 >bad.sqlite.gz
ends 2 "$weft" query bad.sqlite.gz 'select count(*) from summary'
grep -q 'more than 256 MB' messages || fail 'no word about the size'
cp bad.sqlite.gz data/small.sqlite.gz
ends 2 "$reproduce" other --data data

# What a view must not be.
section()
{
    printf '<claims title="Bad">\n<section title="s" results="large" scenario="scenarios/large.xml">\n%s\n' "$1"
    printf '<claim><says>s</says>\n<query>%s</query></claim>\n</section>\n%s</claims>\n' "$2" "${3-}"
}
rm -r results
mv was results
# A file that somebody else has put there stays.
mkdir theirs && echo theirs | gzip >theirs/other.sqlite.gz && cp theirs/other.sqlite.gz theirs/large.sqlite.gz
ends 1 "$reproduce" demo --report --save-data theirs
grep -q 'theirs/large.sqlite.gz is not open data, and is not replaced' messages || fail "a file of somebody else: $(cat messages)"
cmp theirs/other.sqlite.gz theirs/large.sqlite.gz || fail 'a file of somebody else is replaced'
longest='select run, max(fct_us) as m from qps group by run'
view="<view name=\"longest\">$longest</view>"
number='select count(*) as value from longest'
# refused MESSAGE WHAT: bad.xml is, with this message.
refused()
{
    ends 2 "$claims" bad.xml
    grep -q "$1" messages || fail "$2: $(cat messages)"
}
section "$view<claim><says>t</says><query>$number</query></claim>" "$number" >bad.xml
refused "bad.xml:3: error: 'm' of row 4 rests on 5999 of 6000 rows" "a view of rows without a value"
[ "$(grep -c error messages)" = 1 ] || fail 'one mistake, reported more than once'
section "$view" "$number" | sed 's/fct_us/fct_u/' >bad.xml
refused "bad.xml:3: error: no such column: fct_u; did you mean 'fct_us'?" "a mistake in a view"
section "$view" "$number" | sed 's/name="longest"/name="layers"/' >bad.xml
refused "bad.xml:3: error: the results have a table 'layers'" "a view that hides a table"
section "$view" "$number" | sed 's/name="longest"/name="Messages"/' >bad.xml
refused "bad.xml:3: error: the results have a table 'Messages'" "a view that hides a view"
section '<view name="longest">select 1 as a, 2 as a</view>' "$number" >bad.xml
refused 'bad.xml:3: error: duplicate column name: a' "a column twice"
section "$view" "$number" | sed 's/name="longest"/name="a b"/' >bad.xml
refused "bad.xml:3: error: name: what queries call it; expected letters" "a view's name"
section "<view name=\"longest\">select 1 as a; drop table qps</view>" "$number" >bad.xml
refused "bad.xml:3: error: more follows" "two statements"
# Open data have no table of thousands of rows, which the page from them tells, and one view of a name.
section "" "select count(*) as value from qps" >docs/claims/demo.xml
ends 0 "$reproduce" demo --report --save-data lacking
ends 2 "$reproduce" demo --data lacking
grep -q 'demo.xml:5: error: no such table: qps; open data lack' messages || fail "a large table: $(cat messages)"
whole='select run, count(fct_us) as n from qps group by run'
section "<view name=\"longest\">$whole</view>" "$number" "<section title=\"t\" results=\"large\" scenario=\"scenarios/large.xml\"><view name=\"longest\">$whole limit 2</view></section>" >docs/claims/demo.xml
ends 2 "$reproduce" demo --report --save-data more
grep -q "demo.xml:7: error: large has another <view> 'longest';" messages || fail "two views of a name: $(cat messages)"
view='<view name="best">select max(run) as n from b.runs</view>'
section "<attach results=\"large\" as=\"b\"/>$view" 'select n from best' "<section title=\"t\" results=\"large\" scenario=\"scenarios/large.xml\"><attach results=\"small\" as=\"b\"/>$view</section>" >docs/claims/demo.xml
ends 2 "$reproduce" demo --report --save-data more
grep -q "demo.xml:7: error: large has another <view> 'best';" messages || fail "a view of other results: $(cat messages)"
[ ! -e more/large.sqlite.gz ] || fail 'data of queries with mistakes were saved'
