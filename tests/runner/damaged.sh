#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: damaged.sh WEFT-RUNNER
# A finished run whose files were cut, emptied, changed or deleted must be found and run again: else
# a figure rests on half of the data, and "21 of 21" is said of 20.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

"$weft" run "$here/tiny.xml" --no-figures --out good >good.txt 2>messages
cp -r good try
run=try/runs/rsq_seed=2

# again FILE WHAT: that run, and no other, is repeated, and then all is as it was.
again()
{
    "$weft" sweep "$here/tiny.xml" --dry-run --out try >list 2>messages
    [ "$(grep -c '^damaged   rsq_seed=2: ' list)" = 1 ] || fail "$1 $2: --dry-run says $(cat list)"
    [ "$(grep -c '^finished ' list)" = 5 ] || fail "$1 $2: others are not finished"
    rows=0
    "$weft" collect "$here/tiny.xml" --no-figures --out try >table 2>messages || fail "$1 $2: collect"
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

for file in scenario.xml summary.csv flows.csv provenance.txt; do
    : >"$run/$file"
    again $file emptied
    size=$(wc -c <"$run/$file")
    truncate -s $((size / 2)) "$run/$file"
    again $file cut
done
for file in summary.csv qps.csv groups.csv layers.csv series.csv queues.csv; do
    # One digit of the last number: nothing but the checksum tells.
    last=$(tail -c 2 "$run/$file" | head -c 1)
    truncate -s -2 "$run/$file"
    printf '%s\n' "$(printf '%s' "$last" | tr '0-9>' '1-90<')" >>"$run/$file"
    again $file changed
    rm "$run/$file"
    again $file deleted
done
# A list that lacks a line, its end, or that was never written (as by an earlier Weft).
sed -i '/ flows.csv$/d' "$run/provenance.txt"
again provenance.txt shortened
sed -i '$d' "$run/provenance.txt"
again provenance.txt 'without its end'
sed -i '/^files/,$d' "$run/provenance.txt"
again provenance.txt 'without a list'
rm "$run"/*
again provenance.txt 'and all others deleted'

# A run of an older Weft, whose tables lack a column, is neither finished nor lost: it is run again.
older()
{
    file=$1 why=$2
    "$here/relist.sh" "$run"
    "$weft" sweep "$here/tiny.xml" --dry-run --out try >list 2>messages
    grep -q "^stale     rsq_seed=2: $why$" list || fail "$file of an older version: --dry-run says $(cat list)"
    [ "$(grep -c '^finished ' list)" = 5 ] || fail "$file of an older version: others are not finished"
    "$weft" collect "$here/tiny.xml" --no-figures --out try >table 2>messages || fail "$file of an older version: collect"
    grep -q "^weft: warning: rsq_seed=2 is left out: $why$" messages || fail "$file of an older version is not named"
    tail -n 1 table | grep -q '^5 of 6 runs are in try/summary.csv$' || fail "$file of an older version: collect counts $(tail -n 1 table)"
    "$weft" run "$here/tiny.xml" --no-figures --out try >table 2>messages || fail "$file of an older version: run"
    grep -q '^5 of 6 runs are finished already$' messages || fail "$file of an older version: not one run is repeated"
    grep -q "^stale: rsq_seed=2: $why$" messages || fail "$file of an older version: run says $(cat messages)"
    "$here/same-results.sh" "$weft" good try || fail "$file of an older version is not mended"
}
for file in summary.csv qps.csv flows.csv; do
    sed -i 's/,[^,]*$//' "$run/$file"
    older $file "$file does not have the columns of this version of Weft"
done
for file in qps.csv groups.csv layers.csv; do
    rm "$run/$file"
    older $file "it has no $file, which this version of Weft writes"
done

# A path may hold anything, even the line above a list.
heading=$(grep '^files (checksum' "$run/provenance.txt")
mkdir "x
$heading
"
cp "$here/tiny.xml" "x
$heading
/tiny.xml"
"$weft" run "x
$heading
/tiny.xml" --no-figures --out odd >/dev/null 2>messages || fail 'a path with line ends'
"$weft" sweep "$here/tiny.xml" --dry-run --out odd >list 2>messages
[ "$(grep -c '^finished ' list)" = 6 ] || fail 'the list of files is not found'

# The list is what cksum prints: results can be checked where there is no Weft.
cd "$run"
sed '1,/^files /d; $d' provenance.txt >"$work/list"
[ "$(wc -l <"$work/list")" = 9 ] || fail "the list has $(wc -l <"$work/list") lines"
cut -d' ' -f3- "$work/list" | xargs cksum | cmp "$work/list" - || fail 'cksum prints another list'
[ "$(head -n -1 provenance.txt | cksum)" = "$(tail -n 1 provenance.txt)" ] || fail 'the last line is not of the others'
echo 'damage is found and mended'
