#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: disk-full.sh WEFT-RUNNER
# Results that cannot be written must be an error that names the file, and must not touch earlier
# results: else a full disk looks like a finished sweep.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

mounted=
cleanup()
{
    [ -z "$mounted" ] || umount "$work/small"
    rm -rf "$work"
}
trap cleanup EXIT

# Folders that cannot be made: below a file, and where nobody may write, root included.
touch file
for folder in file/results /proc/weft; do
    ends 1 "$weft" run "$here/tiny.xml" --out $folder
    grep -q "error: cannot make the folder $(dirname $folder)" messages ||
        grep -q "error: cannot make the folder $folder" messages || fail "$folder: not named"
done
if [ "$(id -u)" != 0 ]; then
    mkdir locked
    chmod 555 locked
    ends 1 "$weft" run "$here/tiny.xml" --out locked/results
    grep -q 'error: cannot make the folder locked/results: Permission denied' messages ||
        fail 'a locked folder is not named'
fi

# Standard output on a full disk.
for command in list --help --version 'run --help'; do
    status=0
    # shellcheck disable=SC2086 # a command and its option
    "$weft" $command >/dev/full 2>messages || status=$?
    [ $status = 1 ] || fail "$command, standard output full: exit status $status"
    grep -q 'cannot write to standard output' messages || fail "$command, standard output full: no message"
done

# Closed, they are nobody's: messages must not end in a file of the results.
"$weft" run "$here/tiny.xml" --no-figures --out open >/dev/null 2>messages || fail 'open'
status=0
"$weft" run "$here/tiny.xml" --no-figures --out closed <&- >&- 2>&- || status=$?
[ $status = 1 ] || fail "standard output closed: exit status $status, expected 1"
"$here/same-results.sh" "$weft" open closed || fail 'standard output closed: other results'
"$weft" run "$here/tiny.xml" --no-figures --out closed </dev/null >/dev/null 2>messages || fail 'closed: the folder is lost'

# A limit on the size of files ("ulimit -f", in blocks of 512 bytes) is an error like any other.
status=0
(ulimit -f 2 && "$weft" run "$here/tiny.xml" --no-figures >/dev/null 2>messages) || status=$?
[ $status = 1 ] || fail "files of 1 KB: exit status $status, expected 1"
grep -q 'error: cannot write results/tiny/.*: File too large' messages || fail 'files of 1 KB: no message'
status=0
(ulimit -f 2 && "$weft" list >list.txt 2>messages) || status=$?
[ $status = 1 ] || fail "a list of 1 KB: exit status $status, expected 1"
grep -q 'cannot write to standard output' messages || fail 'a list of 1 KB: no message'

# The tables belong together: a limit that one of them exceeds leaves all as they were.
"$weft" run "$here/tiny.xml" --no-figures --out tables >out 2>messages || fail 'tables'
cp -r tables kept
sed 's/,[0-9]/,9/' kept/summary.csv >tables/summary.csv
cp tables/summary.csv other.csv
limit=$((($(wc -c <tables/aggregate.csv) - 1) / 512))
[ $((limit * 512)) -ge "$(wc -c <tables/summary.csv)" ] || fail 'aggregate.csv is not the largest'
status=0
(ulimit -f $limit && "$weft" run --collect "$here/tiny.xml" --no-figures --out tables >out.txt 2>messages) || status=$?
[ $status = 1 ] || fail "no room for aggregate.csv: exit status $status, expected 1"
grep -q 'error: cannot write tables/.*aggregate.csv: File too large' messages || fail 'no room for aggregate.csv: no message'
! grep -q 'runs are in' out.txt || fail 'no room for aggregate.csv: the tables are said to be there'
cmp other.csv tables/summary.csv || fail 'summary.csv is new beside an old aggregate.csv'
cmp kept/aggregate.csv tables/aggregate.csv || fail 'aggregate.csv changed'

mkdir small
if ! mount -t tmpfs -o size=768k,nr_inodes=200 tmpfs small 2>/dev/null; then
    echo 'skipped: mounting a small disk needs root'
    exit 77
fi
mounted=yes

# One run fits and is kept; then the disk is full.
"$weft" run "$here/tiny.xml" --only ecmp_seed=1 --no-figures --out small/r >out 2>messages ||
    fail 'the first run does not fit'
cp -r small/r before
head -c 768k /dev/zero >small/ballast 2>/dev/null || true
ends 1 "$weft" run "$here/tiny.xml" -j 1 --no-figures --out small/r
grep -q 'No space left on device' messages || fail 'full disk: no reason given'
grep -q 'error: cannot write small/r/' messages || grep -q 'error: cannot make the folder small/r/' messages ||
    fail 'full disk: no file named'
cmp before/runs/ecmp_seed=1.sqlite small/r/runs/ecmp_seed=1.sqlite || fail 'full disk: an earlier run changed'
cmp before/summary.csv small/r/summary.csv || fail 'full disk: the earlier summary changed'
for run in small/r/runs/*; do
    [ "$run" = small/r/runs/ecmp_seed=1.sqlite ] || fail "full disk: $run looks finished"
done

# With room again, the same command completes the sweep.
rm small/ballast
"$weft" run "$here/tiny.xml" --no-figures --out small/r >out 2>messages || fail 'no recovery'
[ "$(wc -l <small/r/summary.csv)" = 7 ] || fail 'the sweep is not complete'
find small/r -name '.tmp-*' | grep -q . && fail 'temporary files are left'

command -v gnuplot >/dev/null || {
    echo 'skipped: gnuplot (package gnuplot-nox) is not installed'
    exit 77
}

# Leaves room for a figure's script and numbers, not for the figure.
nearly_full()
{
    head -c 768k /dev/zero >small/ballast 2>/dev/null || true
    truncate -s -16K small/ballast
    ends 3 "$weft" plot small/r
    grep -q 'error: figure cct cannot be drawn: cannot write small/r/.*: No space left on device' messages ||
        fail 'no room for a figure: no message'
    find small/r -name '.tmp-*' | grep -q . && fail 'no room for a figure: temporary files are left'
    rm small/ballast
}

nearly_full
for figure in small/r/*.svg small/r/*.png; do
    [ ! -e "$figure" ] || fail "no room for a figure: $figure is there"
done
"$weft" plot small/r >out 2>messages || fail 'no figures'
mkdir figures
cp small/r/*.svg small/r/*.png figures
nearly_full
for figure in figures/*; do
    cmp "$figure" "small/r/${figure#*/}" || fail "no room for a figure: the earlier ${figure#*/} changed"
done
echo 'a full disk is reported'
