#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Carries out the runs that packet-hop-bench plans, each in a process of its own, and prints a row
# per case. Usage: packet-hop-bench.sh PROGRAM [OPTIONS]; PROGRAM --help shows the options.
set -eu
export LC_ALL=C
program=$1
shift

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
format=table
for option in "$@"; do
    case $option in
        --help | -h | --list | --case=*) exec "$program" "$@" ;;
        --csv) format=csv ;;
    esac
done
"$program" --plan "$@" >"$work/plan"
valgrind=$(command -v valgrind) || valgrind=

# One run of the plan: the case, what it is for, its options. Prints the run's line.
step()
{
    letter=$1
    kind=$2
    shift 2
    if [ "$kind" != count ]; then
        line=$("$program" "$@") || return 1
    elif [ -n "$valgrind" ]; then
        line=$("$valgrind" --tool=callgrind --callgrind-out-file=/dev/null \
            --log-file="$work/log" "$program" "$@") || return 1
        line="$line instructions=$(sed -n 's/.*Collected : *//p' "$work/log")"
    else
        return 0
    fi
    printf '%s %s %s\n' "$letter" "$kind" "$line"
}

carry_out()
{
    # The plan's words have no blanks in them.
    while read -r letter kind arguments; do
        [ ! -t 2 ] || printf 'case %s: %-10s\r' "$letter" "$kind" >&2
        # shellcheck disable=SC2086
        step "$letter" "$kind" "$@" $arguments </dev/null || printf '%s failed\n' "$letter"
    done <"$work/plan"
}

table=$(dirname -- "$(readlink -f -- "$0")")/packet-hop-table.awk
carry_out "$@" | awk -v format="$format" -f "$table"
[ -n "$valgrind" ] || ! grep -q ' count ' "$work/plan" ||
    echo "weft bench: instructions need valgrind, which is not installed" >&2
