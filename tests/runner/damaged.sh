#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: damaged.sh WEFT-RUNNER EDIT-RUN
# A finished run whose file was cut, emptied or changed must be found and run again: else
# a figure rests on half of the data, and "21 of 21" is said of 20.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
edit_run=$2

"$weft" run "$here/tiny.xml" --no-figures --out good >good.txt 2>messages
cp -r good try
run=try/runs/rsq_seed=2.sqlite
size=$(wc -c <"$run")

# again FILE WHAT: that run, and no other, is repeated, and then all is as it was.
again()
{
    "$weft" run "$here/tiny.xml" --dry-run --out try >list 2>messages
    [ "$(grep -c '^damaged   rsq_seed=2: ' list)" = 1 ] || fail "$1 $2: --dry-run says $(cat list)"
    [ "$(grep -c '^finished ' list)" = 5 ] || fail "$1 $2: others are not finished"
    rows=0
    "$weft" run --collect "$here/tiny.xml" --no-figures --out try >table 2>messages || fail "$1 $2: collect"
    grep -q "^weft: warning: rsq_seed=2 is left out: .*$1" messages || fail "$1 $2: collect does not say so"
    rows=$(($(wc -l <try/summary.csv) - 1))
    [ $rows = 5 ] || fail "$1 $2: $rows rows, expected 5"
    tail -n 1 table | grep -q '^5 of 6 runs are in try/summary.csv$' || fail "$1 $2: collect counts $(tail -n 1 table)"
    "$weft" run "$here/tiny.xml" --no-figures --out try >table 2>messages || fail "$1 $2: exit status $?"
    grep -q "^weft: rsq_seed=2 is run again, as it is damaged: .*$1" messages || fail "$1 $2: run does not say so"
    grep -q '^5 of 6 runs are finished already$' messages || fail "$1 $2: not one run is repeated"
    grep -q '^stale' messages && fail "$1 $2: run gives another reason, too: $(cat messages)"
    "$here/same-results.sh" "$weft" good try || fail "$1 $2: is not mended"
    sed 's,good/,try/,' good.txt | cmp - table || fail "$1 $2: the table is another"
}

: >"$run"
again 'rsq_seed=2.sqlite has 0 bytes' emptied
for bytes in 50 $((size / 2)); do
    truncate -s "$bytes" "$run"
    again "rsq_seed=2.sqlite has $bytes bytes" cut
done
printf x >>"$run"
again "rsq_seed=2.sqlite has $((size + 1)) bytes, and it was written with $size" 'with a byte more'
# One bit anywhere: SQLite takes most of them for what was written.
for at in 0 28 71 $((size / 2)); do
    flip "$run" "$at"
    again 'rsq_seed=2.sqlite has' "changed at $at"
done
# So it is all over the file, and of that of all runs.
for at in $(seq 0 $((size / 50)) $((size - 1))); do
    flip "$run" "$at"
    "$weft" run "$here/tiny.xml" --dry-run --only rsq_seed=2 --out try >list 2>messages || fail "--dry-run of $at"
    grep -q '^damaged   rsq_seed=2: ' list || fail "a bit of byte $at changes nothing: $(cat list)"
    flip "$run" "$at"
done
size=$(wc -c <try/results.sqlite)
for at in $(seq 0 $((size / 50)) $((size - 1))); do
    flip try/results.sqlite "$at"
    ends 2 "$weft" query try 'select 1'
    grep -q 'results.sqlite cannot be used: results.sqlite has' messages || fail "a bit of byte $at of results.sqlite"
    flip try/results.sqlite "$at"
done

# A run of an older Weft, whose tables lack a column, is neither finished nor lost: it is run again.
older()
{
    file=$1 why=$2
    "$weft" run "$here/tiny.xml" --dry-run --out try >list 2>messages
    grep -q "^stale     rsq_seed=2: $why$" list || fail "$file of an older version: --dry-run says $(cat list)"
    [ "$(grep -c '^finished ' list)" = 5 ] || fail "$file of an older version: others are not finished"
    "$weft" run --collect "$here/tiny.xml" --no-figures --out try >table 2>messages || fail "$file of an older version: collect"
    grep -q "^weft: warning: rsq_seed=2 is left out: $why$" messages || fail "$file of an older version is not named"
    tail -n 1 table | grep -q '^5 of 6 runs are in try/summary.csv$' || fail "$file of an older version: collect counts $(tail -n 1 table)"
    "$weft" run "$here/tiny.xml" --no-figures --out try >table 2>messages || fail "$file of an older version: run"
    grep -q '^5 of 6 runs are finished already$' messages || fail "$file of an older version: not one run is repeated"
    grep -q "^stale: rsq_seed=2: $why$" messages || fail "$file of an older version: run says $(cat messages)"
    "$here/same-results.sh" "$weft" good try || fail "$file of an older version is not mended"
}
for table in summary qps flows; do
    "$edit_run" "$run" "create table t as select 1 as other; drop table $table; alter table t rename to $table"
    older $table "its table $table does not have the columns of this version of Weft"
done
for table in qps groups layers; do
    "$edit_run" "$run" "drop table $table"
    older $table "it has no table $table, which this version of Weft writes"
done

# Nobody knows what is in a file that may not be read: it is not replaced.
if [ "$(id -u)" != 0 ]; then
    "$weft" run "$here/tiny.xml" --no-figures --out try >table 2>messages || fail "exit status $?"
    chmod a-r "$run"
    ends 2 "$weft" run "$here/tiny.xml" --no-figures --out try
    grep -q "^weft: error: cannot open $run: Permission denied" messages || fail 'a file that cannot be read'
    "$weft" run "$here/tiny.xml" --dry-run --out try | grep -q '^unreadable  rsq_seed=2: ' || fail '--dry-run: it is read'
    chmod u+r "$run"
fi

# What is not the file of a run is not exported as one, and leaves nothing.
cp "$run" noname
for file in try/results.sqlite noname; do
    ends 1 "$weft" export "$file" --to exported
    grep -q "^weft: error: $file is not the file of a run" messages || fail "$file is exported"
    rmdir exported || fail "$file: something is exported"
done

# A path may hold anything.
mkdir "x
code: simulator
"
cp "$here/tiny.xml" "x
code: simulator
/tiny.xml"
"$weft" run "x
code: simulator
/tiny.xml" --no-figures --out odd >/dev/null 2>messages || fail 'a path with line ends'
"$weft" run "$here/tiny.xml" --dry-run --out odd >list 2>messages
[ "$(grep -c '^finished ' list)" = 6 ] || fail 'a path with line ends hides what the code was'
echo 'damage is found and mended'
