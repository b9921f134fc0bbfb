#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: strangers.sh WEFT-RUNNER EDIT-RUN
# Results that somebody sends may have been made to be read, and their checksums are right. Every
# command ends, names the file and what is wrong with it, and leaves the other results as they were:
# else a night's work hangs, or a disk is full, by what was in one file of a thousand.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
edit_run=$2

# Nothing below takes a second; what has no end would fill the disk.
limited()
{
    (
        ulimit -f 100000
        timeout 100 "$@"
    )
}

"$weft" run "$here/tiny.xml" --no-figures --out good >good.txt 2>messages
"$weft" query good --format csv 'select * from summary where name <> '\''rsq_seed=2'\' >others
cp -r good try
run=try/runs/rsq_seed=2.sqlite

# refused WORDS: the run is no result, and the others are.
refused()
{
    ends 0 limited "$weft" run "$here/tiny.xml" --dry-run --out try
    grep -q "^damaged   rsq_seed=2: $run is not the file of a run: $1" out ||
        fail "--dry-run does not say '$1': $(cat out)"
    [ "$(grep -c '^finished ' out)" = 5 ] || fail "$1: others are not finished: $(cat out)"
    ends 0 limited "$weft" run --collect "$here/tiny.xml" --no-figures --out try
    grep -q "^weft: warning: rsq_seed=2 is left out: $run is not the file of a run: $1" messages ||
        fail "collect does not say '$1'"
    "$weft" query try --format csv 'select * from summary' | cmp - others || fail "$1: collect changes others"
    ends 1 limited "$weft" export "$run" --to exported
    grep -q "^weft: error: $run is not the file of a run: $1" messages || fail "export does not say '$1'"
    rmdir exported || fail "$1: something is exported"
}

# strange WORDS SQL...: such a file is refused.
strange()
{
    words=$1
    shift
    cp good/runs/rsq_seed=2.sqlite "$run"
    "$edit_run" "$run" "$@" || fail "cannot make $*"
    refused "$words"
}

endless='with recursive n(i) as (select 1 union all select i + 1 from n)'
view="its %s is a view; expected a table"
# shellcheck disable=SC2059 # the format is above
for table in files parameters provenance summary qps; do
    strange "$(printf "$view" $table)" "drop table $table" \
        "create view $table as $endless select 'a' as name, i as number, 'b' as text from n"
done
strange 'its more is a virtual table' 'create virtual table more using fts3(text)'
strange 'its later is no table' 'create trigger later after insert on files begin select 1; end'
strange 'its first is no table' 'create index first on files (name)'
strange 'its parameters is a table with expressions' 'drop table parameters' \
    "create table parameters (name TEXT NOT NULL, number INTEGER NOT NULL, text TEXT NOT NULL, value REAL, unit TEXT as (printf('%d', number)))"
strange 'its parameters is a table with expressions' 'drop table parameters' \
    'create table parameters (name TEXT, number INTEGER /* " */ check(number > 0) /* " */)'
strange 'its table provenance has other columns' 'alter table provenance add column more'
strange 'its table files is not there' 'drop table files'
# A parameter may be as large as 64 bits are; no result is.
cp good/runs/rsq_seed=2.sqlite "$run"
"$edit_run" "$run" 'update parameters set value = 18446744073709551615 where number = 1' || fail "cannot make a large one"
ends 0 limited "$weft" run --collect "$here/tiny.xml" --no-figures --out try
if grep 'left out' messages; then fail 'a large parameter is refused'; fi
# Text where numbers belong, numbers without bounds, too many rows or none.
strange 'its table summary has a text as cct_us; expected a number' "update summary set cct_us = 'soon'"
strange 'its table summary has a number without bounds as cct_us; expected a number below 9e12' 'update summary set cct_us = 9e999'
strange 'its table qps has a number without bounds as' 'update qps set fct_us = 1e300 where qp = 1'
strange 'its table qps has a number as qp; expected a whole number' 'update qps set qp = 1.5 where qp = 1'
strange 'its table layers has bytes as layer; expected a text' "update layers set layer = x'00'"
strange 'its table parameters has a number without bounds as value; expected a number below 1e20' 'update parameters set value = 1e300'
strange 'its table parameters has a text as number; expected a whole number' "update parameters set number = 'x'"
strange 'its table provenance has bytes as text' 'update provenance set text = zeroblob(1000000)'
strange 'its table summary has more rows; expected 1' 'insert into summary select * from summary'
strange 'its table summary has fewer rows; expected 1' 'delete from summary'
strange 'its table files has more rows; expected 10000' "insert into files $endless select i, x'00' from n limit 20000"
# Ordinary tables whose pages lead back to themselves, also that which SQLite reads by itself.
for table in files parameters provenance summary; do
    strange "its table $table " --endless "$table"
done
cp good/runs/rsq_seed=2.sqlite "$run"
"$edit_run" "$run" 'create index first on files (name)' analyze
"$edit_run" "$run" --endless sqlite_stat1
ends 0 limited "$weft" run "$here/tiny.xml" --dry-run --out try
grep -q "^damaged   rsq_seed=2: $run " out || fail "statistics without an end: $(cat out)"
[ "$(grep -c '^finished ' out)" = 5 ] || fail "statistics without an end: others are not finished: $(cat out)"
# More columns than SQLite takes: the file cannot be attached, and those behind it can.
cp good/runs/rsq_seed=2.sqlite "$run"
columns=$(awk 'BEGIN { for (i = 0; i < 15000; i++) printf ",c%d", i }')
"$edit_run" "$run" 'pragma writable_schema = on' \
    "update sqlite_master set sql = 'create table steps (a$columns)' where name = 'queues'"
ends 0 limited "$weft" run "$here/tiny.xml" --dry-run --out try
grep -q "^damaged   rsq_seed=2: $run cannot be read: " out || fail "15,000 columns: $(cat out)"
[ "$(grep -c '^finished ' out)" = 5 ] || fail "15,000 columns: others are not finished: $(cat out)"
# It is run again.
ends 0 limited "$weft" run "$here/tiny.xml" --no-figures --out try
"$here/same-results.sh" "$weft" good try || fail 'a strange run is not made again'

# A table that Weft does not know is in nobody's way, and gets into no other.
"$edit_run" "$run" "create table columns as select 'a' as \"table\", 'b' as \"column\"" \
    "create table runs as select 'c' as name" 'create table aggregate (seeds)' 'create table qps_run (a)'
ends 0 limited "$weft" run --collect "$here/tiny.xml" --no-figures --out try
"$here/same-results.sh" "$weft" good try || fail 'other tables change the results'

# results.sqlite: other views than its own, what is no ordinary table, and tables without an end.
# results WORDS SQL...
results()
{
    words=$1
    shift
    cp good/results.sqlite try/results.sqlite
    "$edit_run" try/results.sqlite "$@" || fail "cannot make $*"
    ends 2 limited "$weft" query try --timeout 1 'select count(*) from summary'
    grep -q "error: .*$words" messages || fail "results.sqlite: no '$words'"
}
results 'try/results.sqlite cannot be used: its summary is a view' 'drop table summary' "create view summary as $endless select i from n"
results 'try/results.sqlite cannot be used: its messages is a view' 'drop view messages' "create view messages as $endless select i from n"
results 'try/results.sqlite cannot be used: its more is a virtual table' 'create virtual table more using fts3(text)'
results 'try/results.sqlite cannot be used: its more is no table' 'create trigger more after insert on qps begin select 1; end'
results 'try/results.sqlite cannot be used: its qps_run is no table' 'drop index qps_run' 'create index qps_run on qps (abs(run))'
# A definition that fills memory, while it is read or while another file is there.
results 'its tables cannot be read: string or blob too big' 'pragma writable_schema = on' \
    "update sqlite_master set sql = sql || ' -- ' || hex(zeroblob(50000)) where name = 'messages'"
ends 2 limited "$weft" query good --with other=try 'select count(*) from other.summary'
grep -q 'error: try/results.sqlite cannot be opened: ' messages || fail 'a long definition is attached'
results ' takes longer than 1 seconds' --endless summary
ends 2 limited "$weft" query good --with other=try --timeout 1 'select count(*) from other.summary'
# Open data may have views, which no command asks without a limit.
cp good/results.sqlite try/results.sqlite
"$edit_run" try/results.sqlite 'alter table columns rename to others' \
    "create view columns as $endless select 'summary' as \"table\", 'name' as \"column\", i as doc from n"
gzip -c try/results.sqlite >other.sqlite.gz
ends 2 limited "$weft" query good --beside other.sqlite.gz 'select count(*) from summary'
grep -q 'error: other.sqlite.gz cannot be used: it takes more than 10000000 steps' messages ||
    fail 'other results without an end'
# A page has what is there, in which columns ever.
cp good/results.sqlite try/results.sqlite
"$edit_run" try/results.sqlite 'drop table summary' 'create table summary (run integer, a text, b real)' \
    "insert into summary values (1, 'x', 1.5), (2, 'y', 2.5)" 'update aggregate set cct_us_ci95 = 9e999'
ends 0 limited "$weft" report --html try --output page.html
grep -q '<td[^>]*>2.5</td>' page.html || fail 'a table of other columns is not on its page'
# A stranger's types of columns are names, and no SQL.
mkdir -p docs/claims docs/papers scenarios results
: >planted
cp -r good results/tiny
cp "$here/tiny.xml" scenarios/
cat >docs/claims/demo.xml <<'END'
<claims title="Demo"><section title="Tiny" results="tiny" scenario="scenarios/tiny.xml"><claim><says>a time</says>
  <query>select avg(cct_us) + count(resent) as value from summary join qps using (run)</query></claim></section></claims>
END
"$edit_run" results/tiny/results.sqlite "create table other (run integer, resent \"INTEGER); ATTACH '$work/planted' AS p; CREATE TABLE p.t (a); --\")" \
    'drop table qps' 'alter table other rename to qps'
ends 0 limited "$reproduce" demo --report --save-data saved
[ ! -s planted ] || fail "--save-data runs SQL that stands in results"
[ -e saved/tiny.sqlite.gz ] || fail 'nothing is saved'

# Reading a file for its checksum is a part of --timeout. enlarge FILE PAGES: of 4 KiB, by its own account.
enlarge()
{
    truncate -s $(($2 * 4096)) "$1"
    # shellcheck disable=SC2059 # the format is the bytes
    printf "$(printf '\\%03o\\%03o\\%03o\\%03o' $(($2 >> 24 & 255)) $(($2 >> 16 & 255)) $(($2 >> 8 & 255)) $(($2 & 255)))" |
        dd of="$1" bs=1 seek=28 conv=notrunc 2>/dev/null
}
rm -r try
cp -r good try
enlarge try/results.sqlite $((4 << 18))
ends 2 limited "$weft" query try --timeout 0.1 'select 1'
grep -q 'error: try/results.sqlite has 4294967296 bytes, which take longer to be read than --timeout leaves' messages ||
    fail 'a checksum that takes long'
enlarge try/results.sqlite $((20 << 18))
ends 2 limited "$weft" query try 'select 1'
grep -q 'try/results.sqlite has 21474836480 bytes; expected 17179869184 at most' messages || fail 'a file that is too large'
echo 'what others wrote is read with care'
