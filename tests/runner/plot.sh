#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: plot.sh WEFT-RUNNER EDIT-RUN
# Figures must come out whole, and a machine without gnuplot must keep its results and say what is
# missing: else hours of simulation end in a shell's "not found".
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
edit_run=$2

mkdir empty
status=0
PATH=$work/empty "$weft" run "$here/tiny.xml" >/dev/null 2>messages || status=$?
[ $status = 3 ] || fail "without gnuplot: exit status $status, expected 3"
grep -q 'gnuplot is not installed; expected the package gnuplot-nox' messages || fail 'no word about gnuplot'
grep -q 'the results are complete in results/tiny' messages || fail 'no word about the results'
[ "$(wc -l <results/tiny/summary.csv)" = 7 ] || fail 'the results are not complete'
cp results/tiny/summary.csv before.csv
status=0
PATH=$work/empty "$weft" plot "$here/tiny.xml" >/dev/null 2>messages || status=$?
[ $status = 3 ] || fail "plot without gnuplot: exit status $status, expected 3"
ends 2 "$weft" plot no-such-folder

command -v gnuplot >/dev/null || {
    echo 'skipped: gnuplot (package gnuplot-nox) is not installed'
    exit 77
}
"$weft" plot results/tiny >/dev/null
for figure in cct rate; do
    head -c 8 results/tiny/$figure.png | od -An -c | grep -q 'P   N   G' || fail "$figure.png is no PNG"
    tail -c 8 results/tiny/$figure.svg | grep -q '</svg>' || fail "$figure.svg is not whole"
    tail -c 6 results/tiny/$figure.pdf | grep -q '%%EOF' || fail "$figure.pdf is not whole"
    grep -q '>Themis<' results/tiny/$figure.svg || fail "$figure.svg does not name Themis"
done
cmp before.csv results/tiny/summary.csv || fail 'drawing changed the results'
# What a drawing or a collection that was killed has left goes with the next one.
for command in 'plot results/tiny' 'run --collect results/tiny --no-figures'; do
    touch results/tiny/.tmp-1-2-cct.svg results/tiny/.tmp-1-2-summary.csv results/tiny/.tmp-1-2-results.sqlite
    # shellcheck disable=SC2086 # a command and its options
    "$weft" $command >/dev/null
    find results -name '.tmp-*' | grep -q . && fail "$command: what others have left stays"
done
find results -name '.tmp-*' | grep -q . && fail 'temporary files are left'

# A figure shows the numbers that the CSV files hold as well: the mean over two seeds.
expected=$(awk -F, '$2 == "themis" { sum += $4 } END { printf "%.4f", sum / 2 }' before.csv)
shown=$(awk '$1 == "\"Themis\"" { printf "%.4f", $2 }' results/tiny/cct.dat)
[ "$expected" = "$shown" ] || fail "the figure shows $shown, the results say $expected"

# Layers as groups, a logarithmic axis, deviations, levels and marks.
sed -e '/<figure/,/\/>/d' -e 's,</scenario>,,' -e 's,name="tiny",name="more",' \
    -e 's,<seeds.*,<vary param="workload.bytes" values="40KB 200KB" labels="40 KB|200 KB"/><seeds count="3"/>,' \
    "$here/tiny.xml" >more.xml
cat >>more.xml <<'END'
  <figure name="layers" template="grouped-bars" data="layers" x="layer" series="case" y="overload"
          where="workload.bytes=200KB"><level y="0.5" label="a model"/></figure>
  <figure name="times" template="lines" x="workload.bytes" series="case" y="cct_us" x-log="on"
          y-log="on" points="on" spread="bars" error="stddev"
          ><mark x="1e5" y="50" label="optimum"/></figure>
  <figure name="fct" template="cdf" data="qps" x="fct_us" series="case" where="workload.bytes=200KB"
          ><level y="0.5" label="half"/></figure>
  <figure name="clean" template="cdf" data="qps" x="fct_us" x-scale="1000" series="case"
          where="workload.bytes=200KB nacks_received=0"/>
  <figure name="flows" template="cdf" data="flows" x="fct_us" series="case" y-log="on" pool="on"/>
  <figure name="queue" template="cdf" data="queues" x="longest_queue_bytes" series="workload.bytes" pool="on"/>
</scenario>
END
"$weft" run more.xml >/dev/null
exported results/more
grep -q '>a model<' results/more/layers.svg || fail 'no level in the legend'
for label in optimum '40 KB'; do
    grep -q ">$label<" results/more/times.svg || fail "no '$label' in times.svg"
done
expected=$(awk -F, '/^tor-up/ { sum += $7 } END { printf "%.4f", sum / 3 }' \
    results/more.runs/ecmp_bytes=200KB_*/layers.csv)
shown=$(awk '$1 == "\"tor-up\"" { printf "%.4f", $2 }' results/more/layers.dat)
[ "$expected" = "$shown" ] || fail "the figure shows an overload of $shown, the results say $expected"
expected=$(awk -F, '$2 == "themis" && $3 == "40KB" { n++; s += $5; q += $5 * $5 }
                    END { printf "40000 %.3f", s / n + sqrt((q - s * s / n) / (n - 1)) }' results/more/summary.csv)
awk -v e="$expected" 'sprintf("%d %.3f", $1, $4) == e { found = 1 } END { exit !found }' \
    results/more/times.dat || fail "the figure does not show $expected"

# The CDF, by counting, of the numbers on standard input: x and share.
steps()
{
    sort -g | awk '{ x[NR] = $1 } END { for (i = 1; i <= NR; i++)
                   if (x[i] != x[i + 1]) printf "%.9g %.6f\n", x[i], i / NR }'
}

# curve FIGURE SERIES: x and share of a series (counted from 0) in a figure of few values, where
# every step has two points.
curve()
{
    awk -v want="$2" 'NF == 0 { blank++; n = 0; next }
                      int(blank / 2) == want && ++n % 2 == 0 { printf "%s %.6f\n", $1, $2 }' "results/more/$1.dat"
}

# The distribution over the QPs of all seeds.
awk -F, 'FNR > 1 { printf "%.6f\n", $6 - $5 }' results/more.runs/themis_bytes=200KB_*/qps.csv | steps >expected
[ "$(wc -l <expected)" -gt 4 ] || fail 'there is little to compare'
curve fct 2 >drawn
cmp expected drawn || fail 'the CDF is not that of qps.csv'
grep -q '>share of QPs<' results/more/fct.svg || fail 'the axis of a CDF has no name'
grep -q '>half<' results/more/fct.svg || fail 'no level in the legend of a CDF'

# A condition on a column of QPs is on the QP, although the run has totals of that name.
awk -F, 'FNR > 1 && $13 == 0 { printf "%.3f\n", 1000 * ($6 - $5) }' \
    results/more.runs/ecmp_bytes=200KB_*/qps.csv | steps >expected
n=$(wc -l <expected)
[ "$n" -gt 1 ] || fail 'there is no QP without NACKs'
[ "$n" -lt 12 ] || fail 'there is no QP with NACKs'
curve clean 0 >drawn
cmp expected drawn || fail 'the CDF is not that of the QPs without NACKs'

# The tail of messages: it begins at all of them and ends with the last.
n=$(cat results/more.runs/ecmp_*/flows.csv | grep -c '^[0-9]')
last=$(awk -F, '/^[0-9]/ && $9 - $8 > most { most = $9 - $8 } END { printf "%.9g", most }' \
    results/more.runs/ecmp_*/flows.csv)
awk 'NF == 0 { exit } { print $1, $2 }' results/more/flows.dat >drawn
[ "$(head -n 1 drawn | cut -d' ' -f2)" = 1 ] || fail 'the tail does not begin at 1'
[ "$(tail -n 1 drawn)" = "$last $(awk -v n="$n" 'BEGIN { printf "%.9g", 1 / n }')" ] ||
    fail "the tail ends at $(tail -n 1 drawn)"
grep -q '>share of messages above<' results/more/flows.svg || fail 'the axis of a tail has no name'
grep -q '>share of samples<' results/more/queue.svg || fail 'the axis of samples has no name'
# A tail of values that are all equal can be seen: it stands from all of them to one.
cp -r results/more kept
for run in results/more/runs/*; do
    "$edit_run" "$run" 'update flows set posted_us = 1, delivered_us = 6, fct_us = 5'
done
"$weft" run --collect more.xml --no-figures >/dev/null
"$weft" plot more.xml --figure flows >/dev/null
awk 'NF == 0 { exit } { print $1, $2 }' results/more/flows.dat >drawn
[ "$(xargs <drawn)" = "5 1 5 $(awk -v n="$n" 'BEGIN { printf "%.9g", 1 / n }')" ] ||
    fail "the tail of equal values is $(xargs <drawn)"
rm -r results/more
mv kept results/more
"$edit_run" results/more/runs/ecmp_bytes=40KB_seed=1.sqlite 'update qps set fct_us = null where qp = 0'
sed 's, where="workload.bytes=200KB", pool="on",' more.xml >hole.xml
"$weft" run --collect more.xml --no-figures >/dev/null
"$weft" plot hole.xml --figure fct >/dev/null 2>messages
grep -q '^weft: warning: figure fct: 1 of 18 runs lack values of fct_us$' messages || fail 'no warning of a QP without'

# A run whose file is not what was written is left out by `collect`, which says so, and repeated by `run`.
truncate -s -1024 results/more/runs/ecmp_bytes=40KB_seed=1.sqlite
"$weft" run --collect more.xml >/dev/null 2>messages || fail 'a damaged run stops collect'
grep -q 'warning: ecmp_bytes=40KB_seed=1 is left out: ecmp_bytes=40KB_seed=1.sqlite has ' messages || fail 'a damaged run is not named'
n=$("$weft" query results/more --format csv 'select count(distinct run) from queues' | tail -n 1)
[ "$n" = 17 ] || fail "figures rest on $n runs, expected 17"
"$weft" run more.xml >/dev/null 2>messages || fail 'the damaged run is not repeated'
n=$("$weft" query results/more --format csv 'select count(distinct run) from queues' | tail -n 1)
[ "$n" = 18 ] || fail "figures rest on $n runs, expected 18"

# refused MESSAGE: no figure is drawn from results.sqlite as it is, and the earlier ones stay; then it is mended.
refused()
{
    ends 3 timeout 60 "$weft" plot results/tiny
    grep -q "^weft: error: no figure can be drawn: results/tiny/results.sqlite cannot be used: .*$1.*; 'weft run --collect results/tiny' makes it again$" \
        messages || fail "no word of '$1': $(cat messages)"
    for figure in pictures/*; do
        cmp "$figure" "results/tiny/${figure#*/}" || fail "$1: the earlier ${figure#*/} changed"
    done
    "$weft" run --collect results/tiny --no-figures >/dev/null || fail "$1: collect"
    cmp whole.sqlite results/tiny/results.sqlite || fail "$1: collect does not mend results.sqlite"
    "$weft" plot results/tiny >/dev/null 2>messages || fail "$1: is not mended"
}

mkdir pictures
cp results/tiny/*.svg results/tiny/*.png results/tiny/*.pdf results/tiny/*.dat pictures
cp results/tiny/results.sqlite whole.sqlite
cp results/tiny/summary.csv whole.csv
# One byte of a number: SQLite takes it for whole, only the checksum tells.
flip results/tiny/results.sqlite
refused 'results.sqlite has other bytes than were written'
truncate -s -4096 results/tiny/results.sqlite
refused 'results.sqlite has .* bytes, and it was written with'
rm results/tiny/results.sqlite
refused 'cannot open .*results.sqlite'
rm results/tiny/results.sqlite
mkfifo results/tiny/results.sqlite
refused 'results.sqlite is not a plain file'
cp whole.sqlite elsewhere.sqlite
ln -sf "$work/elsewhere.sqlite" results/tiny/results.sqlite
refused 'symbolic link'
cmp whole.sqlite elsewhere.sqlite || fail 'what a link leads to was written to'
# A table beside it does not concern figures, and collect mends it.
sed -i '$d' results/tiny/summary.csv
"$weft" plot results/tiny >/dev/null || fail 'a figure reads summary.csv'
"$weft" run --collect results/tiny --no-figures >/dev/null
cmp whole.csv results/tiny/summary.csv || fail 'collect does not mend a table'

# A run without a value is not passed over in silence.
run=results/tiny/runs/ecmp_seed=1.sqlite
cp $run kept
"$edit_run" $run 'update summary set cct_us = null'
"$weft" run --collect results/tiny --no-figures >/dev/null 2>&1
"$weft" plot results/tiny --figure cct >/dev/null 2>messages
grep -q '^weft: warning: figure cct: 1 of 6 runs have no value of cct_us$' messages || fail 'no warning of a hole'
mv kept $run
"$weft" run --collect results/tiny --no-figures >/dev/null

# Names that mean something to gnuplot, and samples at 0 on a logarithmic axis.
sed -e '/<figure/,/\/>/d' -e 's,</scenario>,,' -e 's,name="tiny",name="odd",' -e 's,label="Themis",label="50% A\\B",' \
    -e 's,<seeds.*,<vary param="workload.bytes" values="40KB 200KB" labels="5% of it|all"/>,' "$here/tiny.xml" >odd.xml
cat >>odd.xml <<'END'
  <figure name="bars" template="bars" x="case" where="workload.bytes=40KB" y="cct_us"/>
  <figure name="lines" template="lines" x="workload.bytes" series="case" y="cct_us"/>
  <figure name="samples" template="lines" data="series" x="time_us" series="case" y="rate_gbps" x-log="on"
          where="workload.bytes=40KB qp=0"/>
</scenario>
END
"$weft" run odd.xml >/dev/null
grep -q '>50% A\\B<' results/odd/bars.svg || fail 'a label with % and \\ is not what it was'
grep -q '>completion time (us)<' results/odd/bars.svg || fail 'an axis without a label has no name'
grep -q '>5% of it<' results/odd/lines.svg || fail 'a label with % is not what it was in lines'
grep -q '^0 ' results/odd/samples.dat && fail 'a logarithmic axis is given a 0'

# What cannot be divided by is said to be 0, not to be missing.
{
    sed '/<figure/,$d' odd.xml
    echo '<figure name="share" template="grouped-bars" x="workload.bytes" series="case" y="timeouts" relative-to="ecmp"/></scenario>'
} >zero.xml
"$weft" plot zero.xml >/dev/null 2>messages && fail 'divided by 0'
grep -q "no finished run of 'ecmp' has a value other than 0 to relate to" messages || fail 'no word of a division by 0'

rm results/tiny/*.svg
"$weft" plot "$here/tiny.xml" --figure rate >/dev/null
[ -e results/tiny/rate.svg ] || fail '--figure does not draw it'
[ ! -e results/tiny/cct.svg ] || fail '--figure draws others as well'
for sql in '' --sql; do
    # shellcheck disable=SC2086 # an option, or none
    ends 2 "$weft" plot results/tiny --figure rat $sql
    grep -q "did you mean 'rate'" messages || fail 'an unknown figure: no suggestion'
done

# A figure that is not drawn to its end leaves the earlier one as it is.
"$weft" plot results/tiny >/dev/null
mkdir earlier bin
cp results/tiny/*.svg results/tiny/*.png results/tiny/*.pdf earlier
drawer=$(command -v gnuplot)

# not_drawn MESSAGE: "weft plot" fails with it, with the gnuplot in bin/ on the PATH.
not_drawn()
{
    chmod +x bin/gnuplot
    status=0
    PATH=$work/bin:$PATH "$weft" plot results/tiny >/dev/null 2>messages || status=$?
    [ $status = 3 ] || fail "$1: exit status $status, expected 3"
    line=$(grep -n '<figure name="cct"' results/tiny/scenario.xml | cut -d: -f1)
    grep -q "scenario.xml:$line: error: figure cct cannot be drawn: $1" messages || fail "no word of '$1'"
    for figure in earlier/*; do
        cmp "$figure" "results/tiny/${figure#*/}" || fail "$1: the earlier ${figure#*/} changed"
    done
    find results/tiny -name '.tmp-*' | grep -q . && fail "$1: temporary files are left"
    return 0
}

# shellcheck disable=SC2016 # the shell that they are meant for comes later
printf '#!/bin/sh\nkill -9 $$\n' >bin/gnuplot
not_drawn 'gnuplot was killed by signal 9 (Killed) on results/tiny/cct.gp'
printf '#!/bin/sh\nexit 5\n' >bin/gnuplot
not_drawn 'gnuplot ended with status 5 on results/tiny/cct.gp'
printf '#!/bin/sh\nexit 127\n' >bin/gnuplot
not_drawn 'gnuplot ended with status 127 on results/tiny/cct.gp'
printf '#!/no/such/shell\n' >bin/gnuplot
not_drawn "cannot start $work/bin/gnuplot: No such file or directory"
# What lies in a folder of results is not run, wherever PATH leads.
printf '#!/bin/sh\ntouch "%s/pwned"\nexit 5\n' "$work" >results/tiny/gnuplot
chmod +x results/tiny/gnuplot
for path in ".:$PATH" ":$PATH" "results/tiny:$PATH"; do
    PATH=$path "$weft" plot results/tiny >/dev/null 2>messages || fail "PATH=$path: $(cat messages)"
    [ ! -e pwned ] || fail "PATH=$path: a program in the results is run"
done
rm results/tiny/gnuplot
# One that cannot write to the end does not say so.
for kind in svg png pdf; do
    cat >bin/gnuplot <<END
#!/bin/sh
"$drawer" -e "svg_file = '$work/part.svg'; png_file = '$work/part.png'; pdf_file = '$work/part.pdf'" cct.gp
eval "\$(echo "\$3" | tr -d ' ')"
cut=\$((\$(wc -c <"$work/part.$kind") - 100))
truncate -s \$cut "$work/part.$kind"
cat "$work/part.svg" >\$svg_file
cat "$work/part.png" >\$png_file
cat "$work/part.pdf" >\$pdf_file
END
    not_drawn "gnuplot did not draw the $(echo $kind | tr '[:lower:]' '[:upper:]') to its end"
done
status=0
(ulimit -f 16 && "$weft" plot results/tiny >/dev/null 2>messages) || status=$?
[ $status = 3 ] || fail "files of 8 KB: exit status $status, expected 3"
grep -q 'cannot write results/tiny/.*: File too large' messages || fail 'files of 8 KB: no message'
for figure in earlier/*; do
    cmp "$figure" "results/tiny/${figure#*/}" || fail "files of 8 KB: the earlier ${figure#*/} changed"
done
echo 'figures drawn'
