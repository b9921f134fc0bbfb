#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a user relies on in ./weft: help without building, plain errors, and that it works from any
# folder, through a symlink, and when several calls come at once.
set -eu
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "launcher: $*" >&2
    exit 1
}

# A copy without build/ must answer these without building or installing anything.
cp "$root/weft" "$root/CMakeLists.txt" "$work/"
fresh=$work/weft
"$fresh" --version | grep -qE '^weft [0-9]+\.[0-9]+\.[0-9]+$' || fail "--version"
"$fresh" --help | grep -q '  sweep ' || fail "--help does not list the commands"
for command in bench build test clean run sweep plan run-one collect plot report reproduce list validate schema; do
    "$fresh" $command --help | grep -q "Usage: weft $command" || fail "$command --help"
done
[ ! -e "$work/build" ] || fail "asking for help built something"

status=0
"$fresh" sweeep 2>"$work/err" || status=$?
[ "$status" = 2 ] || fail "an unknown command exits with $status, not 2"
grep -q "sweeep.*did you mean sweep" "$work/err" || fail "no suggestion for 'sweeep'"
status=0
"$fresh" qqqq 2>"$work/err" || status=$?
[ "$status" = 2 ] || fail "an unknown command exits with $status, not 2"
! grep -q "did you mean" "$work/err" || fail "a suggestion for 'qqqq'"
status=0
"$fresh" 2>"$work/err" || status=$?
[ "$status" = 2 ] || fail "no command at all exits with $status, not 2"

# A program of the user's that is not there is said at once.
for name in nosuch ../nosuch 'a b' ''; do
    status=0
    "$fresh" build "$name" 2>"$work/err" || status=$?
    [ "$status" != 0 ] || fail "build '$name' ends well"
    [ -s "$work/err" ] || fail "build '$name' says nothing"
done
[ ! -e "$work/build" ] || fail "a program that is not there was built"

# The built tree, from elsewhere, through a symlink.
cd "$work"
ln -s "$root/weft" linked
./linked list >list.txt 2>err || fail "list through a symlink: $(cat err)"
[ ! -s err ] || fail "an up-to-date build is not silent: $(cat err)"
grep -q themis list.txt || fail "list does not name themis"
# It knows every command of the runner.
for command in $("$root/build/weft-runner" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do
    "$fresh" "$command" --help >/dev/null || fail "the runner's command '$command' is unknown"
done

# A file of the caller's folder is found there, and the runner's exit status is handed on.
echo '<nonsense/>' >here.xml
status=0
./linked validate here.xml >out 2>&1 || status=$?
[ "$status" != 0 ] || fail "a broken scenario passes"
grep -q 'here\.xml:1' out || fail "a relative path is not the caller's: $(cat out)"

for i in 1 2 3 4; do
    ./linked list >"list.$i" 2>&1 &
done
wait
for i in 1 2 3 4; do
    cmp -s list.txt "list.$i" || fail "calls at the same time disturb each other"
done

# A mistake in the benchmark's options is found before it measures anything.
status=0
./linked bench --cases=a,bb >out 2>err || status=$?
[ "$status" = 2 ] || fail "'bench --cases=a,bb' exits with $status, not 2"
grep -q "no case 'bb'" err || fail "'bench --cases=a,bb' says: $(cat err)"
[ ! -s out ] || fail "'bench --cases=a,bb' measures all the same"

status=0
"$fresh" clean everything 2>err || status=$?
[ "$status" = 1 ] || fail "'clean everything' exits with $status, not 1"
