#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: figure-look.sh WEFT-RUNNER
# Figures must be fit for a paper: a balancer looks the same in each of them, means are of seeds or say
# of what, sizes are those of the column, and every template draws. What a scenario says is data there
# too, also for a template of the user's own.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario FILE NAME: tiny.xml with two more dimensions; figures come from standard input.
scenario()
{
    sed -e '/<figure/,$d' -e "s,name=\"tiny\",name=\"$2\"," -e 's,<seeds.*,\
    <vary param="workload.bytes" values="80KB 40KB"/><vary param="transport.rto" values="100us 1ms"/>&,' \
        "$here/tiny.xml" >"$1"
    cat >>"$1"
    echo '</scenario>' >>"$1"
}

# refused MESSAGE FIGURE
refused()
{
    echo "$2" | scenario refused.xml look
    "$weft" validate refused.xml >messages 2>&1 && fail "taken: $2"
    grep -q "^refused.xml:[0-9]*: error: .*$1" messages || fail "no word of '$1'"
}

# taken FIGURE
taken()
{
    echo "$1" | scenario taken.xml look
    "$weft" validate taken.xml >messages 2>&1 || fail "refused: $1"
}

# --- what is pooled ---
all='x="case" y="cct_us"'
refused '<figure f> pools the runs of all values of workload.bytes, .*where="workload.bytes=...", or pool="on"' \
    "<figure name=\"f\" template=\"bars\" $all where=\"transport.rto=1ms\"/>"
refused '<figure f> pools the runs of all values of transport.rto' \
    "<figure name=\"f\" template=\"bars\" $all where=\"workload.bytes=40KB\"/>"
refused 'pools the runs of all values of case' '<figure name="f" template="cdf" data="qps" x="fct_us"
    series="workload.bytes" where="transport.rto=1ms"/>'
refused 'pools the runs of all values of workload.bytes' \
    '<figure name="f" template="box" x="case" y="cct_us" where="transport.rto=1ms"/>'
refused 'means over all values of layer in layers.csv' \
    "<figure name=\"f\" template=\"grouped-bars\" data=\"layers\" x=\"case\" series=\"workload.bytes\" y=\"overload\" where=\"transport.rto=1ms\"/>"
refused 'means over all values of qp in series.csv' '<figure name="f" template="lines" data="series" x="time_us"
    series="case" y="rate_gbps" where="transport.rto=1ms workload.bytes=40KB"/>'
taken "<figure name=\"f\" template=\"bars\" $all pool=\"on\"/>"
taken "<figure name=\"f\" template=\"bars\" $all where=\"workload.bytes=40KB transport.rto=1ms\"/>"
taken "<figure name=\"f\" template=\"grouped-bars\" $all series=\"workload.bytes\" panels=\"transport.rto\"/>"

# --- what is refused otherwise ---
pooled="$all pool=\"on\""
refused "width '84' of <figure> is no length; expected 20 to 2000 mm" "<figure name=\"f\" template=\"bars\" $pooled width=\"84\"/>"
refused "height '1mm' of <figure> is no length" "<figure name=\"f\" template=\"bars\" $pooled height=\"1mm\"/>"
refused "font 'x\"' of <figure>; expected letters, digits, spaces and '-'" "<figure name=\"f\" template=\"bars\" $pooled font=\"x&quot;\"/>"
refused "lacks z=" '<figure name="f" template="heatmap" x="case" y="workload.bytes" pool="on"/>'
refused 'series of <figure f> of bars' "<figure name=\"f\" template=\"bars\" $pooled series=\"workload.bytes\"/>"
refused 'relative-to of <figure f> of lines' '<figure name="f" template="lines" x="workload.bytes" y="cct_us" pool="on"
    relative-to="40KB"/>'
refused "cannot read file 'none.gp'" "<figure name=\"f\" template=\"none.gp\" $pooled/>"
refused 'like of <figure f> with a template of Weft' "<figure name=\"f\" template=\"bars\" $pooled like=\"lines\"/>"

refused "legend 'left' of <figure> is not one of the choices; expected one of none, top, right, inside" "<figure name=\"f\" template=\"bars\" $pooled legend=\"left\"/>"
refused "panel-columns of <figure f>, which has no panels; expected panels=" "<figure name=\"f\" template=\"bars\" $pooled panel-columns=\"2\"/>"
refused 'legend of <figure f> of a heat map' "<figure name=\"f\" template=\"heatmap\" x=\"case\" y=\"workload.bytes\"
    z=\"cct_us\" pool=\"on\" legend=\"none\"/>"

# of_case MESSAGE ATTRIBUTE: refused in a <case>.
of_case()
{
    sed "s,<case name=\"ecmp\",& $2," "$here/tiny.xml" >refused.xml
    "$weft" validate refused.xml >messages 2>&1 && fail "taken: $2"
    grep -q "^refused.xml:[0-9]*: error: $1" messages || fail "no word of '$1'"
}
of_case "colour of <case>: 'bleu' is no colour; expected blue, .* or #RRGGBB; did you mean 'blue'?" 'colour="bleu"'
of_case "colour of <case>: '#12345' is no colour" 'colour="#12345"'
of_case "style of <case>: 'dotty' is no style; expected solid, .*; did you mean 'dotted'?" 'style="dotty"'
sed 's,<seeds.*,<vary param="transport.rto" values="1ms 2ms" colours="blue"/>&,' "$here/tiny.xml" >refused.xml
"$weft" validate refused.xml >messages 2>&1 && fail 'one colour for two values is taken'
grep -q 'error: 1 colours for 2 values; expected one each' messages || fail 'no word of the lacking colour'

command -v gnuplot >/dev/null || {
    echo 'skipped: gnuplot (package gnuplot-nox) is not installed'
    exit 77
}

# --- every template, a size, a font, marks in a text, a template of one's own ---
# shellcheck disable=SC2016 # gnuplot's
cat >own.gp <<'END'
print title
plots = "for [i = 1:n_series] data index curve(i) using 1:2 with impulses lc rgb s_colour[i] notitle"
entries = ", for [i = 1:n_series] keyentry with lines lc rgb s_colour[i] title series[i]"
END
one='where="workload.bytes=40KB transport.rto=1ms"'
scenario look.xml look <<END
  <figure name="bars" template="bars" $all $one x-label="T_{D} {/Bold no} x^{2} a_b" width="84mm"/>
  <figure name="lines" template="lines" x="workload.bytes" series="case" y="cct_us" where="transport.rto=1ms"
          width="84mm" height="60mm" font="DejaVu Serif" font-size="7"/>
  <figure name="heat" template="heatmap" x="workload.bytes" y="transport.rto" z="cct_us" z-scale="0.001" panels="case" panel-columns="2"
          values="on"/>
  <figure name="box" template="box" data="qps" x="case" y="fct_us" $one/>
  <figure name="dots" template="scatter" x="queue_peak_bytes" y="cct_us" series="case" panels="workload.bytes"/>
  <figure name="panels" template="grouped-bars" x="case" series="workload.bytes" y="goodput_gbps" panels="transport.rto"/>
  <figure name="own" template="own.gp" like="lines" title="\`id>pwned\`" x="workload.bytes" series="case" y="cct_us"
          where="transport.rto=1ms"/>
  <figure name="low" template="bars" $all $one height="20mm" title="a b"/>
  <figure name="extremes" template="bars" $all $one error="extremes"/>
END
ends 3 "$weft" run look.xml
grep -q 'figure low cannot be drawn: its height leaves no room for the plot; expected at least [0-9]*mm' messages ||
    fail 'no word of the room'
cd results/look
for figure in bars lines heat box dots panels own; do
    tail -c 8 $figure.svg | grep -q '</svg>' || fail "$figure.svg is not whole"
    head -c 8 $figure.png | od -An -c | grep -q 'P   N   G' || fail "$figure.png is no PNG"
    head -c 5 $figure.pdf | grep -q '%PDF-' || fail "$figure.pdf is no PDF"
    xmllint --noout $figure.svg || fail "$figure.svg is no XML"
done
[ -z "$(find "$work" -name 'pwned*')" ] || fail 'a text of the scenario runs a command'
grep -q "^\`id>pwned\`$" "$work/messages" || fail 'a template of its own does not get the title'
[ -e inputs/own.gp ] || fail 'the results do not keep the template'
(cd "$work" && mv own.gp away.gp && "$weft" plot results/look --figure own >/dev/null) || fail 'not drawn from the kept one'

# 84 x 60 mm, in pixels of 96 to the inch, of 300, and in points.
grep -q 'width="317" height="22[67]"' lines.svg || fail 'the SVG has another size'
[ "$(head -c 24 lines.png | tail -c 8 | od -An -tu1 | xargs)" = '0 0 3 224 0 0 2 196' ] ||
    fail "the PNG has another size: $(head -c 24 lines.png | tail -c 8 | od -An -tu1)"
grep -a -q 'MediaBox \[ 0 0 238 170 \]' lines.pdf || fail 'the PDF has another size'
grep -q 'font-family="DejaVu Serif"' lines.svg || fail 'the SVG has another font'
# The same figure, the same bytes, a second later and in another time zone.
for kind in svg png pdf; do cp lines.$kind before.$kind; done
sleep 1
(cd "$work" && TZ=ABC-9 "$weft" plot results/look --figure lines >/dev/null)
for kind in svg png pdf; do cmp before.$kind lines.$kind || fail "the same figure has another $kind"; done

# Marks: a subscript and a superscript; all else is what it was.
shown=$(sed -n 's/<[^>]*>//g; /{.Bold no}/p' bars.svg | head -n 1 | sed 's/^[[:space:]]*//')
[ "$shown" = 'TD {/Bold no} x2 a_b' ] || fail "the label is shown as '$shown'"
grep -q '>a_b<\|> a_b<' bars.svg || fail 'a plain _ is a mark'

# Axes without a label are called by what stands there, with its unit.
grep -q '>completion time (us)<' lines.svg || fail 'no name of y'
grep -q '>completion time (ms)<' heat.svg || fail 'no name of the colours'
grep -q '>flow completion time (us)<' box.svg || fail 'no name of a completion time'
grep -q '>transport rto<' heat.svg || fail 'no name of a parameter'
grep -q '>transport rto = 1 ms<' panels.svg || fail 'no name of a panel'
grep -q '>workload bytes<' panels.svg || fail 'no title of the legend'

# Whiskers: Student's t for two seeds, 12.706 times the standard error; and it says so.
awk -F, 'NR > 1 && $2 == "themis" && $3 == "40KB" && $4 == "1ms" { n++; s += $6; q[n] = $6 }
         END { d = (q[1] - q[2]) / 2; d = d < 0 ? -d : d; printf "%.4f %.4f\n", s / n, s / n + 12.7062 * d }' \
    summary.csv >expected
awk '$1 == "\"Themis\"" { printf "%.4f %.4f\n", $2, $4 }' bars.dat | cmp - expected || fail 'the whisker is another'
grep -q '>mean and 95 % confidence interval of 2 seeds<' bars.svg || fail 'nothing says what the whiskers are'
grep -q '>mean, least and greatest of 2 seeds<' extremes.svg || fail 'nothing says that the whiskers are extremes'

# A field of the heat map, and the median of a box, by hand.
awk -F, 'NR > 1 && $2 == "rsq" && $3 == "80KB" && $4 == "100us" { n++; s += $6 }
         END { printf "80 KB 100 us 1 0 %.6f\n", s / n / 1000 }' summary.csv >expected
tr -d '"' <heat.dat | awk 'NF == 0 { b++; next } b == 2 && $1 == 80 && $3 == 100 { $7 = sprintf("%.6f", $7); print }' | cmp - expected || fail 'a field of the heat map is another'
exported .
cat ..runs/ecmp_bytes=40KB_rto=1ms_*/qps.csv | awk -F, '/^[0-9]/ { print $6 - $5 }' | sort -g >values
median=$(awk -v n="$(wc -l <values)" 'NR == int((n + 1) / 2) { printf "%.4f", $1 }' values)
[ "$(awk '$1 == "\"ECMP\"" { printf "%.4f", $4 }' box.dat)" = "$median" ] || fail "the median is not $median"

# A balancer has one colour, in bars, lines and groups, whatever else is there.
[ "$(sed -n 's/^array s_colour.*\[\([0-9]*\), \([0-9]*\), \([0-9]*\)\]$/\1 \2 \3/p' bars.gp)" = \
    "$(sed -n 's/^array s_colour.*\[\([0-9]*\), \([0-9]*\), \([0-9]*\)\]$/\1 \2 \3/p' lines.gp)" ] || fail 'colours differ'
cd "$work"
mv away.gp own.gp
sed -e '/<case name="ecmp"/,/<\/case>/d' -e 's,name="look",name="fewer",' look.xml >fewer.xml
"$weft" run fewer.xml --no-figures >/dev/null
"$weft" plot fewer.xml --figure bars >/dev/null
two=$(sed -n 's/^array s_colour.*\[\(.*\)\]$/\1/p' results/fewer/bars.gp)
[ "$(sed -n 's/^array s_colour.*\[[0-9]*, \(.*\)\]$/\1/p' results/look/bars.gp)" = "$two" ] ||
    fail 'without ECMP, the others have other colours'

# --- what goes into a paper as it is ---
sed -e '/<figure/,$d' -e 's,name="tiny",name="paper",' -e 's,<case name="rsq",& colour="#AA3377" style="dashed",' -e 's,<seeds.*,\
    <vary param="workload.bytes" values="40KB 2MB"/><vary param="fabric.ack-every" values="1 4" labels="one|four"/>&,' \
    "$here/tiny.xml" >paper.xml
one='where="workload.bytes=40KB"'
cat >>paper.xml <<END
  <figure name="column" template="bars" x="case" y="cct_us" $one panels="fabric.ack-every" panel-columns="1" panel-axes="each"/>
  <figure name="shared" template="bars" x="case" y="cct_us" $one panels="fabric.ack-every" panel-columns="1"/>
  <figure name="top" template="lines" x="workload.bytes" series="case" y="cct_us" where="fabric.ack-every=1"/>
  <figure name="bare" template="lines" x="workload.bytes" series="case" y="cct_us" where="fabric.ack-every=1"
          legend="none" note="off" x-label=""/>
  <figure name="right" template="lines" x="workload.bytes" series="fabric.ack-every" y="cct_us" where="case=rsq"
          legend="right" series-label=""/>
  <figure name="inside" template="lines" x="workload.bytes" series="case" y="cct_us" where="fabric.ack-every=1"
          legend="inside" spread="none"/>
  <figure name="log" template="bars" x="case" y="data_sent" y-log="on" values="on" pool="on"/>
  <figure name="bytes" template="cdf" data="queues" x="longest_queue_bytes" series="case" pool="on"/>
  <figure name="asked" template="grouped-bars"><query>select "fabric.ack-every" as x, "case" as series,
          avg(cct_us) as y from summary group by 1, 2 order by min(run)</query></figure>
  <figure name="points" template="lines"><query>select "fabric.ack-every" as x, "case" as series,
          avg(cct_us) as y from summary group by 1, 2 order by min(run)</query></figure>
  <figure name="rows" template="bars" x="workload.bytes fabric.ack-every" y="cct_us" where="case=rsq" width="84mm"/>
  <figure name="powers" template="lines" x-log="on"><query>select 10 as x, 500 as y union all select 10000000, 3000000</query></figure>
  <figure name="decade" template="lines" x-log="on" y-log="on"><query>select 20 as x, 0.5 as y union all select 150, 1.1</query></figure>
  <figure name="decades" template="lines" y-log="on"><query>select 1 as x, 1e-9 as y union all select 2, 1e15</query></figure>
  <figure name="factors" template="lines" y-log="on"><query>select 1 as x, 5e-5 as y union all select 2, 2e-3</query></figure>
  <figure name="fields" template="heatmap" values="on"><query>select "fabric.ack-every" as x, "case" as y,
          round(1 + run / 10.0, 1) as z from summary where "workload.bytes" = '40KB' and seed = 1</query></figure>
</scenario>
END
"$weft" run paper.xml >out 2>messages || fail 'not drawn'
cd results/paper

# at FIGURE PATTERN: the heights of texts in SVG, from the top.
at()
{
    awk -v text=">$2<" 'match($0, /translate\([^)]*/) { y = substr($0, RSTART, RLENGTH); sub(/.*,/, "", y) } $0 ~ text && !/<title>/ { print y }' "$1.svg"
}
# A panel's title stands clear of the names of the panel above: the letters are 0.75 times as high as the font.
title=$(at column four)
name=$(at column Themis | head -n 1)
awk -v title="$title" -v name="$name" 'BEGIN { exit !(title - 0.75 * 10.67 > name + 0.25 * 10.67) }' ||
    fail "the title at $title lies on the names at $name"
[ "$(at column Themis | wc -l) $(at shared Themis | wc -l)" = '2 1' ] || fail 'shared axes stand at each panel, or others do not'
# Sizes in SVG are those of the others: the note is smaller than the names, the title of the panel is not.
grep -q 'font-size="8.53"' column.svg || fail 'the note has another size in SVG'
grep -q '>ECMP<' top.svg || fail 'no legend'
! grep -q '>ECMP<\|confidence\|workload bytes' bare.svg || fail 'what is off is drawn'
grep -q '>four</tspan>' right.svg || fail 'no legend on the right'
! grep -q '>fabric ack-every<' right.svg || fail 'a title of the legend that is empty is drawn'
grep -q "^legend_at = '\(left\|right\) \(top\|bottom\)'$" inside.gp || fail 'the legend is not inside'
grep -q '>mean of 2 seeds<' inside.svg || fail 'a line without a spread has an interval'
grep -q '^has_spread = 0$' inside.gp || fail 'a spread that is off is drawn'
grep -q '^y_log = 1$' log.gp || fail 'bars have no logarithmic axis'
grep -q '>200 KB<' bytes.svg || fail 'an axis of bytes has no units'
grep -q '>1.4 MB<' top.svg || fail 'an axis of sizes has no units'
! grep -q '(bytes)\|e+0' bytes.svg || fail 'an axis of bytes has a unit twice, or none'
# All numbers of a linear axis have the power of its end; a decade of a logarithmic one has several numbers.
sed 's/<[^>]*>//g; s/^[[:space:]]*//' powers.svg >shown
for text in 0 0.5×106 3×106 101 107; do
    grep -qxF "$text" shown || fail "no number $text"
done
sed 's/<[^>]*>//g; s/^[[:space:]]*//' decade.svg >shown
for text in 20 50 100 0.6 0.8 1 1.1; do
    grep -qxF "$text" shown || fail "no number $text on an axis of a decade"
done
# A logarithmic axis of many decades names some of all of them.
sed 's/<[^>]*>//g; s/^[[:space:]]*//' decades.svg >shown
for text in 10-9 100 1015; do
    grep -qxF "$text" shown || fail "no number $text on an axis of 24 decades"
done
# Numbers have room between the edge of the paper and the axis, one with a factor and a power as well.
for figure in powers decades factors; do
    awk '/anchor="end"/ { x = $0; sub(/.*translate\(/, "", x) }
        /<text>/ { gsub(/<[^>]*>|[[:space:]]/, ""); if (x + 0 < 5 * length($0)) { print; exit 1 } x = 1000 }' $figure.svg >shown ||
        fail "$figure: the number $(cat shown) is cut off"
done
for figure in asked points; do
    grep -q '>four<' $figure.svg || fail "$figure: a label of a number is lost in a query"
done
[ "$(at rows '2 MB' | wc -l) $(at rows four | wc -l)" = '1 2' ] || fail 'the names are not in two rows'
! grep -q '>(40 KB\|>(2 MB' rows.svg || fail 'names in parentheses'
grep -q "^value_format = '%.1f'$" fields.gp || fail 'the fields have other digits'
[ "$(sed -n 's/^array s_colour.*, \([0-9]*\), [0-9]*\]$/\1/p' top.gp)" = $((0xAA3377)) ] || fail 'not the colour of the scenario'
[ "$(sed -n 's/^array s_dash.*, \([0-9]*\), [0-9]*\]$/\1/p' top.gp)" = 2 ] || fail 'not the dashes of the scenario'
grep -q '^weft: warning: figures column, .*: a 95 % confidence interval of 2 values is wide .*expected 5 seeds' \
    "$work/messages" || fail 'no warning of two seeds'

# --- nothing is cut, empty or called by several names ---
cd "$work"
sed -e '/<sweep>/,$d' -e 's,name="tiny",name="tight",' "$here/tiny.xml" >tight.xml
mixed='"workload.bytes" as x, avg(cct_us) as y'
cat >>tight.xml <<END
  <sweep><vary param="balancer.name" values="ecmp reps host-dr"/><vary param="transport.rto" values="10us 1ms inf"/>
    <vary param="workload.bytes" values="64KB 256KiB 1MiB"/><seeds count="2"/></sweep>
  <figure name="three" template="bars" x="balancer.name" y="cct_us" panels="transport.rto" where="workload.bytes=1MiB" width="174mm"/>
  <figure name="column" template="bars" x="balancer.name" y="cct_us" panels="transport.rto" where="workload.bytes=1MiB" width="120mm"/>
  <figure name="bare" template="bars" x="balancer.name" y="cct_us" x-label="" note="off" pool="on"/>
  <figure name="lines" template="lines" x="workload.bytes" y="cct_us" series="balancer.name" where="transport.rto=10us" note="off"
          legend="none"/>
  <figure name="names" template="grouped-bars" x="workload.bytes transport.rto" series="balancer.name" y="cct_us" relative-to="reps"/>
  <figure name="own" template="bars"><query>select $mixed, min(cct_us) as low, max(cct_us) as high, count(*) as n from summary
          group by 1</query></figure>
  <figure name="plain" template="bars"><query>select $mixed, count(*) as n from summary group by 1</query></figure>
  <figure name="crossed" template="lines" legend="inside" series-label="" width="174mm"><query>with p(panel, series, x, y) as (values
          ('p', 'a', 0, 10), ('p', 'a', 10, 10), ('p', 'a', 9, 10), ('p', 'a', 8, 10), ('p', 'b', 0, 0), ('p', 'b', 10, 0),
          ('q', 'a', 0, 1), ('q', 'b', 0, 1), ('r', 'a', 0, 1), ('r', 'b', 0, 1)) select * from p</query></figure>
  <figure name="beside" template="lines" legend="right" width="84mm"><query>select 'series '||run as series, seed as x, cct_us as y
          from summary where run &lt; 13</query></figure>
  <figure name="rows" template="heatmap"><query>with s(x, p) as (values ('a', 'one'), ('b', 'two'))
          select x, 'row ' || run as y, p as panel, run as z from s join summary where run &lt; 20</query></figure>
  <figure name="hole" template="heatmap" values="on"><query>with s(x, y, z) as (values ('a', 'b', 1.5), ('a', 'c', 2.5), ('d', 'b', 3.5))
          select * from s</query></figure>
</scenario>
END
"$weft" run tight.xml >out 2>messages || fail 'not drawn'
cd results/tight
# Three panels are a row, or a column where there is no room beside each other.
grep -q '^panel_columns = 3$' three.gp || fail 'three panels are no row'
grep -q '>transport rto = inf<' three.svg || fail 'a panel of a time without an end is called otherwise than the others'
grep -q '^panel_columns = 1$' column.gp || fail 'three panels are no column'
# below FIGURE: pixels below the lowest text.
below()
{
    awk 'match($0, /viewBox="0 0 [0-9]* [0-9]*/) { split(substr($0, RSTART, RLENGTH), box, " ") }
        match($0, /translate\([^)]*/) { y = substr($0, RSTART, RLENGTH); sub(/.*,/, "", y) }
        /<tspan[^>]*> *[^ <]/ || />[^<>]+<\/text>/ { low = y + 0 > low ? y + 0 : low }
        END { print int(box[4] - low) }' "$1.svg"
}
[ "$(below bare)" -lt 15 ] || fail "$(below bare) pixels below the names are empty"
[ "$(below lines)" -lt 10 ] || fail "$(below lines) pixels below the axis' name are empty"
# right_of FIGURE: pixels right of the grid.
right_of()
{
    awk 'match($0, /viewBox="0 0 [0-9]*/) { split(substr($0, RSTART, RLENGTH), box, " ") }
        /class="gridline"/ { sub(/.* L/, ""); far = $0 + 0 > far ? $0 + 0 : far } END { print int(box[3] - far) }' "$1.svg"
}
for figure in bare lines; do
    if [ "$(right_of $figure)" -lt 0 ] || [ "$(right_of $figure)" -gt 16 ]; then fail "$figure: $(right_of $figure) pixels right of the plot are empty"; fi
done
# A legend that found no room in the plots hangs from the top of the figure.
grep -q "^legend_at = 'top'$" crossed.gp || fail 'the legend covers something'
# One beside the plots has all its entries below each other.
[ "$(at beside 'series [0-9]*' | awk -v high="$(sed -n 's/.*viewBox="0 0 [0-9]* \([0-9]*\).*/\1/p' beside.svg)" \
    '$1 < high && $1 > last + 9 { n++ } { last = $1 } END { print n }')" = 12 ] || fail 'the legend at the right is higher than the figure'
# Rows of a heat map do not lie on each other.
at rows 'row [0-9]*' | sort -g | awk 'NR > 1 && $1 - last < 1.2 * 10.67 { bad = 1 } { last = $1 } END { exit bad || NR != 19 }' ||
    fail 'the rows of a heat map lie on each other'
! grep -q 'NaN' hole.svg || fail 'a field without a number has one'
grep -q '>3.5<' hole.svg || fail 'a field with a number has none'
# One name and one way to write units; sizes in powers of ten where some are.
for text in ECMP REPS 'Host DR' '10 us' '1 ms' '64 KB' '262.144 KB' '1.04858 MB' 'completion time relative to REPS'; do
    grep -q "[> ]${text}[<,]" names.svg || fail "no '$text'"
done
! grep -q '[> ][0-9.]*[0-9]\(us\|ms\|KB\|MB\|KiB\|MiB\)[<,]' names.svg || fail 'no space before a unit'
# What a query's whiskers are is not known, and nothing is said of its mean.
! grep -q '>mean of' own.svg || fail 'a note on whiskers of a query'
grep -q '>mean of 18 values<' plain.svg || fail 'no note on means of a query'
echo 'the look of figures'
