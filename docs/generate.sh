#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: generate.sh WEFT-RUNNER [--check]
# Writes the tables between "<!-- begin: weft ARGUMENTS -->" and "<!-- end -->" in the manual's pages
# anew, from what the command prints. With --check it changes nothing and fails if a page is stale.
set -eu

weft=$1
mode=${2:-}
docs=$(cd "$(dirname "$0")" && pwd)
new=$(mktemp)
trap 'rm -f "$new"' EXIT
stale=

for page in "$docs"/*.md; do
    skip=
    while IFS= read -r line; do
        case $line in
            '<!-- begin: weft '*' -->')
                arguments=${line#<!-- begin: weft }
                printf '%s\n' "$line"
                # shellcheck disable=SC2086 # a list of arguments
                "$weft" ${arguments% -->} || exit 1
                skip=1
                ;;
            '<!-- end -->') skip= ;;
        esac
        [ -n "$skip" ] || printf '%s\n' "$line"
    done <"$page" >"$new"
    if cmp -s "$new" "$page"; then
        continue
    elif [ "$mode" = --check ]; then
        echo "${page##*/} is out of date; 'docs/generate.sh build/weft-runner' renews it"
        diff "$page" "$new" || true
        stale=1
    else
        cat "$new" >"$page"
    fi
done
[ -z "$stale" ]
