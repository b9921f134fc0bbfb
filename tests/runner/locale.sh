#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: locale.sh WEFT-RUNNER
# A user whose numbers have decimal commas must get the same results, figures and tables as everyone.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

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

# The benchmark's table, of a program that always measures the same.
cat >stub <<'END'
#!/bin/sh
case "$*" in
    *--plan*) echo 'b run --case=b' ;;
    *) echo 'case=b name=stub cpu_s=0.06 ns_per_hop=81.25 events_per_hop=1.843 peak_bytes=2500000' ;;
esac
END
chmod +x stub
german "$here/../../bench/packet-hop-bench.sh" ./stub --csv >bench.csv 2>messages || fail 'the benchmark in German'
[ "$(tail -n 1 bench.csv | cut -d , -f 6,8,9,12)" = 0.06,81.2,1.843,2.5 ] || fail "the benchmark: $(tail -n 1 bench.csv)"
