#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: strange-texts.sh WEFT-RUNNER EDIT-RUN
# A label is shown as it was written, whatever it would mean to a shell or to gnuplot: else a scenario
# or a CSV file that someone sends runs commands on the reader's machine.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
edit_run=$2

command -v gnuplot >/dev/null || {
    echo 'skipped: gnuplot (package gnuplot-nox) is not installed'
    exit 77
}

# A text as it stands in an attribute, and as gnuplot writes it to SVG.
attribute()
{
    printf '%s' "$1" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/"/\&quot;/g' -e 's/~/\&#10;/g'
}

in_svg()
{
    printf '%s' "$1" | sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/]]>/]]\&gt;/g' -e 's/~/ /g'
}

# The scenario with one text in every place that a figure shows. A '~' stands for the end of a line.
write_scenario()
{
    t=$(attribute "$1")
    sed -e '/<cases>/,$d' "$here/tiny.xml" | sed -e 's,name="tiny",name="strange",;s,name="nic-sr",name="sack",'
    cat <<END
    <cases>
      <case name="ecmp" label="$t"><set param="balancer.name" value="ecmp"/></case>
      <case name="rsq" label="plain"><set param="balancer.name" value="rsq"/></case>
    </cases>
    <vary param="workload.bytes" values="40KB 80KB" labels="$t|all"/>
  </sweep>
  <figure name="groups" template="grouped-bars" width="130mm" font-size="6" title="$t" x="case" x-label="$t"
          series="workload.bytes" y="cct_us" y-label="$t" line="cct_us" line-label="$t"><level y="5" label="$t"/></figure>
  <figure name="bars" template="bars" data="layers" width="130mm" font-size="6" title="$t" x="layer" x-label="$t"
          y="overload" y-label="$t" where="case=ecmp workload.bytes=40KB"><level y="0.5" label="$t"/></figure>
  <figure name="lines" template="lines" width="130mm" font-size="6" title="$t" x="workload.bytes" x-label="$t"
          series="case" y="cct_us" y-label="$t"><level y="5" label="$t"/><mark x="5e4" y="6" label="$t"/></figure>
  <figure name="cdf" template="cdf" data="qps" width="130mm" font-size="6" title="$t" x="fct_us" x-label="$t"
          series="case" y-label="$t" pool="on"><level y="0.5" label="$t"/><mark x="6" y="0.5" label="$t"/></figure>
  <figure name="heat" template="heatmap" width="130mm" font-size="6" title="$t" x="case" x-label="$t"
          y="workload.bytes" y-label="$t" z="cct_us" z-label="$t"/>
  <figure name="box" template="box" width="130mm" font-size="6" title="$t" x="workload.bytes" x-label="$t" y="cct_us"
          y-label="$t" panels="case"/>
</scenario>
END
}

write_scenario plain >strange.xml
"$weft" run strange.xml --no-figures >/dev/null 2>messages || fail 'it does not run'

# layers TEXT: has that, in SQL, as the name of the first layer.
layers()
{
    for run in results/strange/runs/*; do
        "$edit_run" "$run" "update layers set layer = $1 where rowid = 1"
    done
}

# Draws with the text in the scenario and in the layers' cells.
draw()
{
    write_scenario "$1" >strange.xml
    layers "'$(printf '%s' "$1" | sed -e "s/'/''/g" -e 's/~/ /g')'"
    "$weft" run --collect strange.xml --no-figures >/dev/null 2>messages || fail "'$1' cannot be collected"
    "$weft" plot strange.xml >/dev/null 2>messages || fail "'$1' cannot be drawn"
    # It may say of a long one that there is little room.
    ! grep -qv 'warning: .*difficulty' messages || fail "'$1': a message"
    [ -z "$(find "$work" -name 'pwned*')" ] || fail "'$1' runs a command"
}

# Texts of several kinds in one, as each takes six figures: what begins and ends in quotes, what ends in a
# backslash, and what is a line's whole text, is at the ends of its own.
# shellcheck disable=SC1003,SC2016 # nothing in them is meant for the shell
set -- "'.system('id>pwned').'"'+`id>pwned`' '".system("id>pwned")."+$(id>pwned)<>;#!' \
    'system("id>pwned")+@name@GPFUN_text_of' "'ECMP+{/Bold_x}^2&amp;b&#60;+a]]>b[[]]]>'" \
    '\U+0041\\U+0042+A\B\140id>pwned\140\n\' '&{~`id>pwned`@^_}' 'END' \
    'it_is_a_little_more_than_the_sixty-four_bytes_that_gnuplot_formats' '"ECMP+%s%d%n50%+<script>+Größe→μ€"'
for text; do
    draw "$text"
    shown=">$(in_svg "$text")</text>"
    for figure in groups:7 bars:5 lines:7 cdf:6 heat:6 box:6; do
        svg=results/strange/${figure%:*}.svg
        n=$(sed 's,</*tspan[^>]*>,,g' "$svg" | SHOWN=$shown awk 'index($0, ENVIRON["SHOWN"]) { n++ } END { print n + 0 }')
        [ "$n" = "${figure#*:}" ] || fail "'$text' stands $n times in $svg, expected ${figure#*:}"
    done
    xmllint --noout results/strange/*.svg || fail "'$text': a figure is no XML"
done

# The last one is the same in any locale, and if its script is drawn by hand.
cp results/strange/groups.svg drawn.svg
cp results/strange/groups.png drawn.png
LC_ALL=C "$weft" plot strange.xml --figure groups >/dev/null 2>messages || fail 'not in the locale C'
[ ! -s messages ] || fail 'a message in the locale C'
cmp drawn.svg results/strange/groups.svg || fail 'in the locale C, a figure differs'
cmp drawn.png results/strange/groups.png || fail 'in the locale C, a figure differs'
(cd results/strange && LC_ALL=C gnuplot -d groups.gp 2>/dev/null)
cmp drawn.svg results/strange/groups.svg || fail 'drawn by hand, a figure differs'
cmp drawn.png results/strange/groups.png || fail 'drawn by hand, a figure differs'

# A cell that is no text at all.
layers "cast(x'610162ff63c0bc64' as text)"
"$weft" run --collect strange.xml --no-figures >/dev/null 2>messages || fail 'bytes cannot be collected'
"$weft" plot strange.xml --figure bars >/dev/null 2>messages || fail 'bytes cannot be drawn'
xmllint --noout results/strange/bars.svg || fail 'bytes make a figure that is no XML'
grep -q '>a b�c��d</tspan></text>' results/strange/bars.svg || fail 'bytes are not replaced'

# Nothing reads a start-up file of gnuplot in a folder of results.
# shellcheck disable=SC2016
echo 'system("id>pwned")' >results/strange/.gnuplot
HOME=$work/results/strange "$weft" plot strange.xml --figure bars >/dev/null 2>messages || fail 'a start-up file'
[ -z "$(find "$work" -name 'pwned*')" ] || fail 'a start-up file is read'

# A folder of results may have any name.
# shellcheck disable=SC2016
folder='| `id>pwned` $(id>pwned) '"it's \"%s\""
cp -r results/strange "$folder"
rm "$folder/groups.svg"
"$weft" plot "$folder" --figure groups >/dev/null 2>messages || fail "no figure in $folder"
xmllint --noout "$folder/groups.svg" || fail "no figure in $folder"

# What names files is refused.
# shellcheck disable=SC2016
for name in '`id>pwned`' '| id>pwned' '../strange' "a'b"; do
    for place in '<scenario name="strange"' '<figure name="groups"' '<case name="rsq"'; do
        write_scenario plain |
            PLACE=$place NAME="${place%%\"*}\"$name\"" awk '
                i = index($0, ENVIRON["PLACE"]) {
                    $0 = substr($0, 1, i - 1) ENVIRON["NAME"] substr($0, i + length(ENVIRON["PLACE"]))
                } 1' >named.xml
        ends 2 "$weft" run named.xml
        grep -q 'cannot name a file' messages || fail "$place with $name: another reason"
    done
done
[ -z "$(find "$work" -name 'pwned*')" ] || fail 'a name runs a command'

# The lines of a plan run what they name, and nothing else.
mkdir 'a=b'
ln -s "$weft" 'a=b/weft'
# shellcheck disable=SC2016
for name in "it's \`id>pwned\`" '-$(id>pwned);#' 'x=y' '!|&"\~'; do
    write_scenario plain >"./$name.xml"
    for command in "$weft" 'a=b/weft'; do
        rm -rf "./$name"
        WEFT_COMMAND=$command "$weft" run --plan --only 40KB --out "$name" --set 'transport.rto=90us' -- "$name.xml" >plan.sh 2>messages ||
            fail "no plan of $name"
        sh plan.sh >/dev/null 2>messages || fail "the plan of $name does not run"
        [ -e "./$name/runs/ecmp_bytes=40KB.sqlite" ] || fail "the plan of $name does not make its results"
    done
done
write_scenario plain >'two
lines.xml'
status=0
"$weft" run --plan 'two
lines.xml' >plan.sh 2>messages || status=$?
[ $status = 2 ] || fail "a plan of a name with a line end: exit status $status, expected 2"
grep -q 'error: a line end' messages || fail 'a plan of a name with a line end: no message'
[ ! -s plan.sh ] || fail 'a plan of a name with a line end is printed'
[ -z "$(find "$work" -name 'pwned*')" ] || fail 'a plan runs a command'
echo 'texts are shown, not evaluated'
