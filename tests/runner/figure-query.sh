#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: figure-query.sh WEFT-RUNNER EDIT-RUN
# A figure with a <query> must show what the query says, in the styles and names of other figures. A mistake in
# it must be found before anything runs where it can be, with its line, and must cost nobody a picture.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
edit_run=$2

# scenario FILE NAME: tiny.xml with two sizes; figures come from standard input.
scenario()
{
    sed -e '/<figure/,$d' -e "s,name=\"tiny\",name=\"$2\"," \
        -e 's,<seeds.*,<vary param="workload.bytes" values="200KB 80KB" labels="big|small"/>&,' "$here/tiny.xml" >"$1"
    cat >>"$1"
    echo '</scenario>' >>"$1"
}

# refused MESSAGE ATTRIBUTES QUERY: not even validated; the message names the line of the query, or of the figure.
refused()
{
    scenario refused.xml refused <<END
  <figure name="f" $2>
    <query>
      $3
    </query>
  </figure>
END
    "$weft" validate refused.xml >messages 2>&1 && fail "taken: $3"
    line=$(grep -n '<query>' refused.xml | cut -d: -f1)
    [ -z "${4-}" ] || line=$((line + $4))
    grep -q "^refused.xml:$line: error: .*$1" messages || fail "no word of '$1' in line $line"
}

lines='template="lines"'
refused '<query> of <figure f>: near "form": syntax error' "$lines" 'select cct_us as x, cct_us as y form summary' 1
refused 'syntax error' "$lines" 'select cct_us as x,
    cct_us as y,
    from summary' 3
refused 'no such column: cct_uss; did you mean .cct_us.' "$lines" 'select 1 as x, cct_uss as y from summary' 1
refused 'no such column: balancer.nam' "$lines" 'select 1 as x, "balancer.nam" as y from summary' 1
refused 'no such table: sumary; did you mean .summary.' "$lines" 'select 1 as x, cct_us as y from sumary' 0
refused 'a query may read tables and call functions, nothing else' "$lines" "attach 'other.sqlite' as other" 0
refused 'nothing else' "$lines" 'pragma user_version' 0
refused 'nothing else' "$lines" 'delete from summary' 0
refused 'nothing else' "$lines" "select load_extension('x.so') as x, 1 as y" 1
refused "more follows the first ';'" "$lines" 'select 1 as x, 2 as y; select 3 as x, 4 as y' 1
refused 'there is no query; expected select' "$lines" '' 0
refused "it has no column 'y'; expected x, y and perhaps series, panel, low, high, n" "$lines" 'select 1 as x' 0
refused "it has no column 'z'; expected x, y, z" 'template="heatmap"' 'select 1 as x, 2 as y' 0
refused "it has a column 'serie'; expected .*did you mean 'series'" "$lines" 'select 1 as x, 2 as y, 3 as serie' 0
refused "it has a column 'series'; expected" 'template="bars"' 'select 1 as x, 2 as y, 3 as series' 0
refused "it has two columns 'y'" "$lines" 'select 1 as x, 2 as y, 3 as y' 0
refused 'y of <figure f>, which has a <query>; expected the query alone to say what is shown' \
    "$lines y=\"cct_us\"" 'select 1 as x, 2 as y' -1
scenario lacking.xml lacking <<END
  <figure name="f" template="lines" y="cct_us"/>
END
"$weft" validate lacking.xml >messages 2>&1 && fail 'a figure without x and query is taken'
grep -q '<figure f> of lines lacks x="..."; expected a column, or a <query>' messages || fail 'no word of x'
[ ! -e results ] || fail 'validating writes results'

# --- what attributes say, and the same as a query ---
scenario same.xml same <<END
  <figure name="bars" template="grouped-bars" x="workload.bytes" series="case" y="cct_us" y-scale="0.001" line="bound_us"
          error="stddev"/>
  <figure name="lines" template="lines" x="workload.bytes" series="case" y="cct_us"/>
  <figure name="ratio" template="grouped-bars" x="workload.bytes" series="case" y="cct_us" relative-to="ecmp"/>
  <figure name="heat" template="heatmap" x="case" y="workload.bytes" z="cct_us"/>
  <figure name="cdf" template="cdf" data="qps" x="fct_us" series="workload.bytes" where="case=ecmp"/>
  <figure name="box" template="box" data="flows" x="case" y="fct_us" panels="workload.bytes"/>
  <figure name="dots" template="scatter" x="nacks_received" y="cct_us" series="case"/>
END
"$weft" run same.xml --no-figures >/dev/null 2>messages || fail 'it does not run'
for figure in bars lines ratio heat cdf box dots; do
    template=$(sed -n "s/.*name=\"$figure\" \(template=\"[a-z-]*\"\).*/\1/p" same.xml)
    echo "  <figure name=\"$figure\" $template><query><![CDATA["
    "$weft" plot same.xml --figure $figure --sql
    echo '  ]]></query></figure>'
done >figures
scenario asked.xml same <figures
"$weft" validate asked.xml >messages 2>&1 || fail 'the queries of --sql are refused'
command -v gnuplot >/dev/null || {
    echo 'skipped: gnuplot (package gnuplot-nox) is not installed'
    exit 77
}
"$weft" plot same.xml >/dev/null 2>messages || fail 'attributes are not drawn'
cp -r results/same attributes
"$weft" plot asked.xml >/dev/null 2>messages || fail 'queries are not drawn'
for figure in bars lines ratio heat cdf box dots; do
    cmp attributes/$figure.dat results/same/$figure.dat || fail "$figure: the query shows other numbers"
    grep '^array s_' attributes/$figure.gp >expected
    grep '^array s_' results/same/$figure.gp | cmp expected - || fail "$figure: the query has other styles"
done
grep -q '>Themis<' results/same/lines.svg || fail 'the query does not use the labels of the sweep'

# --- what attributes cannot say: the ratio to another balancer seed by seed ---
scenario pairs.xml same <<'END'
  <figure name="pairs" template="grouped-bars" y-label="completion time relative to ECMP"><query>
    select s."workload.bytes" as x, s."case" as series, avg(s.cct_us / e.cct_us) as y,
           min(s.cct_us / e.cct_us) as low, max(s.cct_us / e.cct_us) as high, count(*) as n
    from summary s join summary e
      on e."case" = 'ecmp' and e.seed = s.seed and e."workload.bytes" = s."workload.bytes"
    where s."case" &lt;> 'ecmp'
    group by 1, 2 order by min(s.run)
  </query></figure>
END
"$weft" plot pairs.xml >/dev/null 2>messages || fail 'ratios are not drawn'
expected=$(awk -F, '$3 == "200KB" { t[$2 $4] = $5 } END { a = t["rsq1"] / t["ecmp1"]; b = t["rsq2"] / t["ecmp2"]
    printf "%.6f %.6f %.6f", (a + b) / 2, a < b ? a : b, a < b ? b : a }' results/same/summary.csv)
shown=$(awk '$1 == "\"big\"" { printf "%.6f %.6f %.6f", $2, $3, $4 }' results/same/pairs.dat)
[ "$expected" = "$shown" ] || fail "the figure shows $shown, the results say $expected"
! grep -q '>mean of' results/same/pairs.svg || fail 'a note on a query that has whiskers of its own'

# Values of 0 have no place on a logarithmic axis; the box that they are of has.
scenario box.xml same <<'END'
  <figure name="logbox" template="box" y-log="on"><query>
    select 'all' as x, column1 as y from (values (0), (2), (3), (4), (500)) </query></figure>
END
"$weft" plot box.xml >/dev/null 2>messages || fail 'a logarithmic box is not drawn'
[ "$(awk '$1 == "y_min" { print ($3 <= 2) }' results/same/logbox.gp)" = 1 ] || fail 'a box lies below its axis'

# Names of two rows, of different lengths, none of which is read behind its end.
scenario rows.xml same <<'END'
  <figure name="rows" template="bars" x="case workload.bytes" y="cct_us"/>
END
look=
! command -v valgrind >/dev/null || look='valgrind -q --error-exitcode=9'
$look "$weft" plot rows.xml >/dev/null 2>messages || fail 'names of two rows'
[ "$(grep -c '^"random spraying' results/same/rows.dat)" = 2 ] || fail 'the names of rows.dat'

# A run without a value is not passed over in silence.
cp -r results/same hole
"$edit_run" hole/runs/rsq_*80KB*_seed=1.sqlite 'update summary set cct_us = null'
"$weft" run --collect pairs.xml --no-figures --out hole >/dev/null 2>&1 || fail 'collect'
"$weft" plot pairs.xml --out hole >/dev/null 2>messages || fail 'a hole'
grep -q '^weft: warning: figure pairs: 1 of 4 values rest on rows of which some have none$' messages || fail 'no warning of a hole'

# --- mistakes that only the rows show: that figure is not drawn, an earlier one stays, others are drawn ---
# undrawn MESSAGE TEMPLATE QUERY
undrawn()
{
    scenario same.xml same <<END
  <figure name="pairs" template="$2">
    <query>$3</query>
  </figure>
  <figure name="lines" template="lines" x="workload.bytes" series="case" y="cct_us"/>
END
    cp -r results/same earlier
    rm results/same/lines.svg
    ends 3 "$weft" plot same.xml
    line=$(grep -n '<query>' same.xml | cut -d: -f1)
    grep -q "^same.xml:$line: error: figure pairs cannot be drawn: .*$1" messages || fail "no word of '$1' in line $line"
    for kind in svg png pdf dat gp; do
        cmp earlier/pairs.$kind results/same/pairs.$kind || fail "$3: the earlier pairs.$kind is lost"
    done
    [ -e results/same/lines.svg ] || fail "$3: the other figure is not drawn"
    rm -r earlier
}

undrawn 'it gives more than 1000000 rows' cdf \
    'with recursive n(i) as (select 1 union all select i + 1 from n) select i as x from n'
undrawn 'more than 50000 dots' scatter \
    'with recursive n(i) as (select 1 union all select i + 1 from n) select i as x, i as y from n'
undrawn 'more than 10000 curves' lines \
    'with recursive n(i) as (select 1 union all select i + 1 from n where i &lt; 20000) select i as x, i as y, i as series from n'
undrawn 'more than 100000 bars' grouped-bars \
    'with recursive n(i) as (select 1 union all select i + 1 from n where i &lt; 400) select i as x, i as y, i as series from n'
undrawn "there are two rows of x '80KB', themis; expected one: group by them" grouped-bars \
    'select "workload.bytes" as x, "case" as series, cct_us as y from summary order by run desc'
undrawn "there are two rows of x '1', ecmp" lines 'select 1 as x, "case" as series, cct_us as y from summary'
undrawn "column 'y' is 'a .31mred' in row 1" lines "select 1 as x, 'a' || char(27) || '[31mred' as y"
undrawn "column 'y' is 'ecmp' in row 1; expected numbers" lines 'select cct_us as x, "case" as y from summary'
undrawn 'its query gives no rows' bars 'select "case" as x, cct_us as y from summary where cct_us is null'
undrawn 'its query gives rows without values' bars 'select "case" as x, null as y from summary group by 1'

# --- the quick version keeps the query, or has another ---
scenario quick.xml quick <<'END'
  <quick><set param="workload.spread" value="1"/>
    <figure name="kept" title="smaller"/>
    <figure name="other"><query>select 3 as x,
      4 as yy</query></figure></quick>
  <figure name="kept" template="lines"><query>select 1 as x, 2 as y</query></figure>
  <figure name="other" template="lines"><query>select 1 as x, 2 as y</query></figure>
END
sed -i 's,<set param="workload.spread" value="1"/>,<set param="transport.rto" value="1ms"/>,' quick.xml
"$weft" validate quick.xml >messages 2>&1 && fail 'a mistake in the query of <quick> is taken'
line=$(grep -n 'select 3' quick.xml | cut -d: -f1)
grep -q "^quick.xml:$line: error: .*column 'yy'" messages || fail 'a mistake in the query of <quick> is not named'
sed -i 's,4 as yy,4 as y,' quick.xml
"$weft" plot quick.xml --quick --sql >queries 2>messages || fail 'no queries of the quick version'
[ "$(grep -c '^select 1 as x, 2 as y' queries)" = 1 ] || fail 'the quick version loses a query'
grep -q '^select 3 as x' queries || fail 'the quick version does not replace a query'
echo 'queries are drawn'
