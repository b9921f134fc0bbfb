#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: generate.sh WEFT-RUNNER [--check]
# Writes anew what follows from the tables in the code: the schema scenarios/weft.rng, and the tables
# between "<!-- begin: weft ARGUMENTS -->" and "<!-- end -->" in the manual's pages, from what the
# command prints, the lists of a page's headings between "<!-- begin: contents -->" and
# "<!-- end -->", and the count of verdicts in docs/papers between "<!-- begin: counts -->" and that.
# With --check it changes nothing and fails if a file is stale.
set -eu

weft=$1
mode=${2:-}
docs=$(cd "$(dirname "$0")" && pwd)
new=$(mktemp)
trap 'rm -f "$new"' EXIT
stale=

# Puts $new in the place of file $1, or says that they differ.
renew()
{
    if cmp -s "$new" "$1"; then
        return
    elif [ "$mode" = --check ]; then
        echo "${1##*/} is out of date; 'docs/generate.sh build/weft-runner' renews it"
        diff "$1" "$new" || true
        stale=1
    else
        cat "$new" >"$1"
    fi
}

"$weft" schema >"$new"
renew "$docs/../scenarios/weft.rng"

# contents PAGE: its headings of the second level, as links.
contents()
{
    awk '/^ *```/ { fence = !fence }
        fence || !/^## / { next }
        {
            heading = substr($0, 4)
            anchor = tolower(heading)
            gsub(/[][!-,.\/:-@\\^`{-~]/, "", anchor)
            gsub(/§/, "", anchor)
            gsub(/ /, "-", anchor)
            print "* [" heading "](#" anchor ")"
        }' "$1"
}

# counts PAGE: the verdicts of the papers' pages that it lists, which these have in a table of their own.
counts()
{
    head=yes
    sed -n 's|^\* \[.*](papers/\(.*\)\.md).*|\1|p' "$1" | while read -r paper; do
        awk -v paper="$paper" -v head="$head" '/^# / { title = substr($0, 3); sub(/:.*/, "", title) }
            /^\| claims \|/ { row = 1 }
            row && (row > 2 || head) { print (row == 1 ? "| paper " : row == 2 ? "|---" : "| [" title "](papers/" paper ".md) ") $0 }
            row && row++ > 2 { exit }' "$docs/papers/$paper.md"
        head=
    done
}

for page in "$docs"/*.md; do
    skip=
    list=$(contents "$page")
    counted=$(counts "$page")
    while IFS= read -r line; do
        case $line in
            '<!-- begin: weft '*' -->')
                arguments=${line#<!-- begin: weft }
                printf '%s\n' "$line"
                # shellcheck disable=SC2086 # a list of arguments
                "$weft" ${arguments% -->} || exit 1
                skip=1
                ;;
            '<!-- begin: contents -->')
                printf '%s\n' "$line"
                printf '%s\n' "$list"
                skip=1
                ;;
            '<!-- begin: counts -->')
                printf '%s\n' "$line"
                printf '%s\n' "$counted"
                skip=1
                ;;
            '<!-- end -->') skip= ;;
        esac
        [ -n "$skip" ] || printf '%s\n' "$line"
    done <"$page" >"$new"
    renew "$page"
done
[ -z "$stale" ]
