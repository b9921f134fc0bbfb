#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: query.sh WEFT-RUNNER
# results.sqlite must hold what the CSV files hold, for every run, and be made again by `collect`: else two
# ways to the same number give two numbers.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

ask()
{
    "$weft" query results/tiny --format csv "$@"
}

"$weft" run "$here/tiny.xml" --no-figures >/dev/null
exported results/tiny
[ "$(ask 'select count(*) from runs' | tail -n 1)" = 6 ] || fail 'not six runs'

# Rows and sums of a column, per table, against the CSV files.
for table in qps:sent flows:bytes series:time_us queues:longest_queue_bytes layers:load_max_bytes; do
    file=${table%:*}
    column=${table#*:}
    for run in results/tiny.runs/*; do
        awk -F, -v c="$column" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == c) at = i; next }
                                { n++; sum += $at } END { printf "%d,%.3f\n", n, sum }' "$run/$file.csv"
    done >expected
    "$weft" query results/tiny --format csv "select count(*), printf('%.3f', sum($column)) from $file \
        join runs using (run) group by runs.name order by runs.name" | tail -n +2 >got
    cmp expected got || fail "$file differs from $file.csv"
done
ask 'select name, "case", seed, cct_us, marked from summary order by run' >got
head -n 1 got | grep -qx 'name,case,seed,cct_us,marked' || fail 'columns of summary'
[ "$(sed -n 2p got | cut -d , -f 1-3)" = ecmp_seed=1,ecmp,1 ] || fail "first row: $(sed -n 2p got)"
ask "select value, unit from parameters where name = 'topology.link-delay' and run = 1" >got
[ "$(tail -n 1 got)" = 1,us ] || fail "a parameter: $(tail -n 1 got)"
ask "select distinct text from parameters where name = 'balancer.name' order by 1" >got
[ "$(tail -n +2 got | tr '\n' ' ')" = 'ecmp rsq themis ' ] || fail 'the balancers'
ask "select count(*) from provenance where key = 'weft'" | tail -n 1 | grep -qx 6 || fail 'provenance'
ask 'select count(*) from messages' >a && ask 'select count(*) from flows' >b && cmp a b
"$weft" query results/tiny | grep -q 'cct_us .*last delivery of the slowest group' || fail 'no list of columns'

# collect makes it again, the same but for nothing.
ask 'select * from summary' >before
rm results/tiny/results.sqlite
ends 2 ask 'select 1'
grep -q "'weft run --collect results/tiny' makes it" messages || fail 'no word about collect'
"$weft" run --collect results/tiny --no-figures >/dev/null
ask 'select * from summary' | cmp - before || fail 'collect made another one'

# Damage, another version, bad queries: a message, nothing written.
(cd results/tiny && find . -type f -exec cksum {} + | sort) >before
for bad in 'attach "x" as x' 'select' 'select * from nowhere' "select writefile('x', 'y')" \
    'with recursive n(i) as (select 1 union all select i + 1 from n) select i from n'; do
    ends 2 ask --rows 1000 --timeout 5 "$bad"
    grep -q '^weft query:1: error: ' messages || fail "$bad: $(cat messages)"
done
printf 'select name,\n  cct_uss\nfrom summary\n' >bad.sql
ends 2 ask --file bad.sql
grep -q "^bad.sql:2: error: no such column: cct_uss; did you mean 'cct_us'?" messages || fail "$(cat messages)"
# What begins so is nearer than what differs in a letter or two, and SQL takes a dot for a table's name.
ends 2 ask 'select cct from summary'
grep -q "no such column: cct; did you mean 'cct_us'" messages || fail "cct: $(cat messages)"
cat >dotted.xml <<'END'
<scenario name="dotted">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2" link-rate="100Gbps"/>
  <workload kind="ring" bytes="20KB" groups="2"/>
  <sweep><vary param="balancer.name" values="ecmp rsq"/></sweep>
</scenario>
END
"$weft" run dotted.xml --no-figures >out 2>messages || fail 'dotted.xml does not run'
ends 2 "$weft" query results/dotted 'select balancer.name from summary'
grep -q 'no such column: balancer.name; did you mean "balancer.name"?.*double quotes' messages || fail "$(cat messages)"
"$weft" query results/dotted 'select "balancer.name" from summary' >out 2>messages || fail 'double quotes'
for bad in '--rows 1.5' '--timeout 0' '--format table' '--with main=results/tiny' '--file bad.sql'; do
    status=0
    # shellcheck disable=SC2086 # an option and its value
    ask $bad 'select 1' >/dev/null 2>messages || status=$?
    [ $status = 2 ] || fail "$bad: exit status $status"
    grep -q "^weft: error: .*${bad%% *} '${bad#* }'.*; expected" messages || fail "$bad: $(cat messages)"
done
(cd results/tiny && find . -type f -exec cksum {} + | sort) | cmp - before || fail 'a query changed the results'

# damaged WHAT MESSAGE: numbers of a damaged file are not told, nor those of one that is beside it.
damaged()
{
    for results in damaged "results/tiny --with other=damaged"; do
        # shellcheck disable=SC2086 # a folder and options
        ends 2 timeout 60 "$weft" query $results 'select 1'
        grep -q "^weft: error: damaged/results.sqlite cannot be used: .*$2.*; 'weft run --collect damaged' makes it again$" messages ||
            fail "$1: no word about the damage"
    done
}
cp -r results/tiny damaged
flip damaged/results.sqlite
damaged 'one bit' 'results.sqlite has other bytes than were written'
head -c 6000 results/tiny/results.sqlite >damaged/results.sqlite
damaged 'cut' 'results.sqlite has 6000 bytes, and it was written with'
truncate -s 1T damaged/results.sqlite # the size is looked at first
damaged 'far too large' 'results.sqlite has 1099511627776 bytes'

# Numbers that SQL would write in another way stay the cases that they are.
sed -e 's,name="tiny",name="releases",' -e 's,<cases>,<cases name="release">,' -e 's,case name="ecmp",case name="1.1",' \
    -e 's,case name="rsq",case name="1.10",' -e 's,case name="themis",case name="1e2",' \
    -e '/<figure/,/\/>/d' "$here/tiny.xml" >releases.xml
"$weft" run releases.xml --no-figures >/dev/null 2>&1 || fail 'cases that look like numbers'
"$weft" query results/releases --format csv 'select release, count(*), release_number from summary group by release' |
    tail -n +2 | tr '\n' ' ' >got
[ "$(cat got)" = '1.1,2,1.1 1.10,2,1.1 1e2,2,100 ' ] || fail "cases that look like numbers: $(cat got)"
"$weft" query results/releases --format csv 'select release from aggregate' | tail -n +2 | tr '\n' ' ' >got
[ "$(cat got)" = '1.1 1.10 1e2 ' ] || fail "their aggregate: $(cat got)"

# A column of <cases> is no column of the results, in any spelling.
for name in run Name seed SEEDS cct_us CCT_US_mean workload.bytes; do
    sed -e "s,<cases>,<cases name=\"$name\">," -e '/<figure/,/\/>/d' "$here/tiny.xml" >clash.xml
    ends 2 "$weft" validate clash.xml
    grep -q "^clash.xml:[0-9]*: error: <cases> cannot have the name '$name'" messages || fail "$(cat messages)"
done

# Where the database cannot be written the CSV files are, and no former database answers for them.
cp -r results/releases kept
"$weft" query kept 'select 1' >/dev/null
"$weft" run-one releases.xml --run 1.1_seed=1 --out kept --again >/dev/null 2>&1 || true
(
    ulimit -f 60
    "$weft" run --collect releases.xml --no-figures --out kept >table 2>messages
) && fail 'a database that is too large for the limit'
grep -q 'results.sqlite.*; the CSV files are complete$' messages || fail "$(cat messages)"
grep -q '6 of 6 runs are in kept/summary.csv' table || fail 'no table'
[ ! -e kept/results.sqlite ] || fail 'the former database is there'
find kept -name '.tmp-*' | grep -q . && fail 'temporary files are left'
"$weft" run --collect releases.xml --no-figures --out kept >/dev/null
"$here/same-results.sh" "$weft" results/releases kept || fail 'collect made others'
mkfifo kept/pipe && mv -f kept/pipe kept/results.sqlite
timeout 10 "$weft" query kept 'select 1' >/dev/null 2>messages && fail 'a pipe was read'
grep -q "'weft run --collect kept' makes it" messages || fail "a pipe: $(cat messages)"
echo 'results.sqlite holds what the CSV files hold'
