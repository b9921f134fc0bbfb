#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: locale.sh WEFT-RUNNER PACKET-HOP-BENCH
# A user whose numbers have decimal commas must get the same results, figures and tables as everyone.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
bench=$2

mkdir locales
localedef -i de_DE -f UTF-8 locales/de_DE.UTF-8 >messages 2>&1 || {
    echo 'skipped: no locale with decimal commas can be made here (package locales)'
    exit 77
}

# german COMMAND...: in that locale.
german()
{
    LOCPATH=$work/locales LC_ALL=de_DE.UTF-8 "$@"
}
[ "$(german env printf %.2f 0,06)" = 0,06 ] || fail 'the locale has no decimal comma'

"$weft" run "$here/tiny.xml" --out plain >/dev/null 2>messages || fail 'run'
german "$weft" run "$here/tiny.xml" --out german >/dev/null 2>messages || fail 'run in German'
"$here/same-results.sh" "$weft" plain german >messages || fail 'other results, or other figures'
german "$weft" plot german >/dev/null 2>messages || ! command -v gnuplot >/dev/null || fail 'plot in German'
"$here/same-results.sh" "$weft" plain german >messages || fail 'other figures when drawn again'
for results in plain german; do
    german "$weft" query $results "select name, avg(cct_us), printf('%.2f', 0.06), '1.5' + 0 from summary group by 1" \
        >$results.txt 2>messages || fail 'query in German'
done
cmp plain.txt german.txt || fail 'a query has another answer'
"$weft" query plain "select name, avg(cct_us), printf('%.2f', 0.06), '1.5' + 0 from summary group by 1" |
    cmp - german.txt || fail 'a query has another answer in German'

# The benchmark's table: what it counts is the same, and what it measures has decimal points.
measure()
{
    "$@" "$here/../../bench/packet-hop-bench.sh" "$bench" --cases=b --bytes=8KiB --no-instructions --csv 2>messages
}
measure env >plain.csv || fail 'the benchmark'
measure german >german.csv || fail 'the benchmark in German'
for table in plain german; do
    cut -d , -f 1-4,7,9,14,15 $table.csv >$table.counts
done
diff plain.counts german.counts || fail 'the benchmark counts otherwise'
awk -F , 'NR == 2 { fraction = $6 ~ /^[0-9]+\.[0-9][0-9]$/ && $8 ~ /^[0-9]+\.[0-9]$/ && $8 > 0 }
          END { exit NR != 2 || NF != 15 || !fraction }' german.csv || fail "the benchmark: $(tail -n 1 german.csv)"
