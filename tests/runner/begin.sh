# shellcheck shell=sh disable=SC2034,SC2317 # who sources it uses them
# SPDX-License-Identifier: GPL-2.0-only
# What the tests of the command begin with, sourced: $1 is the program. They work in a folder of their
# own, which goes with them, and keep in `messages` what the program says on standard error.
set -eu
weft=$1
unset WEFT_COMMAND
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
export WEFT_CLAIMS="${weft%/*}/weft-claims"
claims=$WEFT_CLAIMS reproduce=$here/../../validation/reproduce-papers.sh # as the launcher calls them
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "FAILED: $*"
    [ ! -e messages ] || tail -n 20 messages | sed 's/^/    | /'
    exit 1
}

# go_on: failures are counted from here on, in $failures, and the test goes on.
go_on()
{
    set +e
    failures=0
    fail()
    {
        failures=$((failures + 1))
        printf 'FAILED: %s\n' "$1"
        sed 's/^/    | /' messages
    }
}

# ends STATUS COMMAND...: it ends with that exit status; what it prints is in out, and in messages.
ends()
{
    expected=$1
    shift
    status=0
    "$@" >out 2>messages || status=$?
    [ $status = "$expected" ] || fail "$*: exit status $status, expected $expected"
}

# flip FILE [AT]: one bit of the byte at that place, or in its middle.
flip()
{
    at=${2:-$(($(wc -c <"$1") / 2))}
    byte=$(od -An -tu1 -j "$at" -N 1 "$1")
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\$(printf %o $((byte % 2 ? byte - 1 : byte + 1)))" | dd of="$1" bs=1 seek="$at" conv=notrunc 2>/dev/null
}

# column FILE NAME: that column of a CSV file, without its header.
column()
{
    awk -F , -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        { print $c }' "$1"
}

# exported RESULTS...: their runs as CSV files, in RESULTS.runs/RUN.
exported()
{
    for results; do
        rm -rf "$results.runs"
        "$weft" export "$results"/runs/*.sqlite --to "$results.runs" || fail "$results is not exported"
    done
}
