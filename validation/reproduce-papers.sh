#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: weft reproduce PAPER|all [OPTIONS]
#        weft reproduce [--list]
#
# Runs every scenario that the claims of a paper rest on, as 'weft run' does, and writes the page
# docs/papers/PAPER.md, which sets the claims beside the results, and the same with all figures for a browser,
# RESULTS/PAPER.html. PAPER is the name of a file in docs/claims; all: each of them. Interrupt it at any time: the
# same command goes on where it was. A scenario that fails does not stop the others, nor does a paper.
#
#   --quick           the quick version of each scenario that has one; prints a summary, and writes
#                     RESULTS/PAPER-quick.md and .html in place of the paper's page
#   --only PATTERN    only scenarios whose file holds PATTERN (or matches, with * ? []); the same with PAPER-part.md
#   --report          run nothing; only write the report
#   --results DIR     folder of all results (default: results in this folder)
#   --data DIR        run nothing; read open data, such as docs/data, in place of results
#   --save-data DIR   also save what claims read of the results, as docs/data has it
#   -j, --jobs N      N processes at a time (default: one per core, if memory suffices)
#   --no-figures      draw nothing
#   --list            the papers, and the scenarios that their claims use
#
# Exit status: 0 all is well; 1 a run failed or something cannot be written; 2 a mistake in a file or on the command
# line; 3 a figure could not be drawn.
set -eu

programs=$(dirname "$(readlink -f -- "${WEFT_CLAIMS:-weft-claims}")")
root=$(dirname "$programs")

refuse()
{
    printf 'weft: error: %s\n' "$*" >&2
    exit 2
}

# absolute PATH: what it names from any folder.
absolute()
{
    case $1 in
        /*) printf '%s' "$1" ;;
        *) printf '%s/%s' "$PWD" "$1" ;;
    esac
}

# The worst of exit statuses; that of a program that was killed is as bad as 1.
worst()
{
    worst=0
    for bad; do
        case $bad$worst in
            0? | 31 | 32 | 21) ;;
            [23]?) worst=$bad ;;
            *) worst=1 ;;
        esac
    done
    echo "$worst"
}

# Runs 'weft run' with what ends this script handed on; its exit status is in $status.
run()
{
    status=0
    "$programs/weft-runner" run "$@" &
    child=$!
    trap 'interrupted=yes; kill -TERM $child' INT TERM HUP
    wait $child || status=$?
    while kill -0 $child 2>/dev/null; do
        status=0
        wait $child || status=$?
    done
    trap - INT TERM HUP
}

# Says which name may be meant: of the papers, or all.
find_paper()
{
    [ ! -e docs/claims/all.xml ] ||
        refuse "'all' means every file of docs/claims, but there is a docs/claims/all.xml; expected it under another name"
    [ "$1" = all ] || [ -e "docs/claims/$1.xml" ] ||
        refuse "there are no claims of that name in docs/claims; expected all or one of $(papers | paste -s -d ' ' -)"
}

papers()
{
    for file in docs/claims/*.xml; do
        basename "$file" .xml
    done
}

scenarios()
{
    "$WEFT_CLAIMS" --list "docs/claims/$1.xml" | while IFS= read -r file; do
        # shellcheck disable=SC2254 # a pattern
        case $file in
            *$only*) printf '%s\n' "$file" ;;
        esac
    done
}

# Reproduces a paper; its exit status is in $own.
reproduce()
{
    own=0
    list=$(scenarios "$1") || own=2
    if [ $own = 2 ] || [ -z "$list" ]; then
        return
    fi
    any=yes
    if [ -z "$alone" ]; then
        set -f
        IFS='
'
        small=
        # shellcheck disable=SC2086 # a line for each scenario
        [ -z "$quick" ] || ! grep -qs '<quick' $list || small=$quick
        # shellcheck disable=SC2086 # a line for each scenario and option
        run $list --results "$results" $options $small
        unset IFS
        set +f
        own=$status
        if [ "$own" != 0 ] && [ "$own" != 3 ]; then
            echo "weft: no report of $1 is written; the same command goes on where this one ended" >&2
            return
        fi
    fi
    mkdir -p "$results"
    page=docs/papers/$1.md
    [ -z "$part" ] || page=$results/$1$part.md
    [ ! -e "$page" ] || [ -f "$page" ] || refuse "$page is not a plain file"
    # shellcheck disable=SC2086 # words
    "$WEFT_CLAIMS" "docs/claims/$1.xml" --results "$results" ${data:+"--data=$data"} --allow-missing --some $quick \
        ${part:+--summary} --output "$page" --output "$results/$1$part.html" || own=$(worst $? "$own")
}

only='' part='' quick='' alone='' results=results data='' save='' wanted='' options='' interrupted='' any='' failed='' list=''
while [ $# -gt 0 ]; do
    option=$1
    shift
    case $option in
        --*=*)
            set -- "${option#*=}" "$@"
            option=${option%%=*}
            ;;
    esac
    case $option in
        --only | --results | --data | --save-data | -j | --jobs)
            [ $# -gt 0 ] || refuse "$option of 'weft reproduce' lacks its value"
            value=$1
            shift
            [ -n "$value" ] || refuse "$option ''; expected a value"
            ;;
    esac
    case $option in
        -h | --help) sed -n 's/^# \{0,1\}//; /^Usage/,/^set -eu/p' "$0" | sed '$d' && exit ;;
        --quick) quick=--quick part=-quick ;;
        --only) only=$value part=${part:--part} ;;
        --report) alone=yes ;;
        --results) results=$(absolute "$value") ;;
        --data) data=$(absolute "$value") alone=yes ;;
        --save-data) save=$(absolute "$value") ;;
        -j | --jobs) options="$options
--jobs=$value" ;;
        --no-figures) options="$options
--no-figures" ;;
        --list) list=yes ;;
        -*) refuse "'weft reproduce' has no such option; 'weft reproduce --help' lists them" ;;
        '') refuse "an empty argument for 'weft reproduce'; expected one PAPER, or all" ;;
        *) [ -z "$wanted" ] || refuse "too many arguments; expected one PAPER, or all" && wanted=$option ;;
    esac
done
if [ ! -d docs/claims ]; then
    [ -d "$root/docs/claims" ] || refuse "there is no folder docs/claims here; expected to be called in Weft's folder"
    results=$(absolute "$results")
    cd "$root"
fi
if [ -n "$list" ] || [ -z "$wanted" ]; then
    for paper in $(papers); do
        echo "$paper"
        scenarios "$paper" | sed 's/^/  /'
    done
    exit
fi
find_paper "$wanted"
[ -z "$save" ] || [ -z "$data$part" ] || refuse "--save-data with a part of the results; expected it with all runs in full"
total=0
for paper in $(papers); do
    if [ "$wanted" = all ] || [ "$wanted" = "$paper" ]; then
        if [ -n "$interrupted" ]; then
            own=1
        else
            reproduce "$paper"
        fi
        [ "$own" = 0 ] || failed="$failed${failed:+, }$paper"
        total=$(worst "$own" "$total")
    fi
done
[ -n "$any$failed" ] || refuse "no scenario of $wanted matches --only; 'weft reproduce --list' names them"
if [ -n "$save" ] && [ -z "$interrupted" ]; then
    "$WEFT_CLAIMS" docs/claims/*.xml --results "$results" --save-data "$save" || total=$(worst $? "$total")
fi
[ "$wanted" != all ] || [ -z "$failed" ] || printf '\nweft: error: there were errors (above) with: %s\n' "$failed" >&2
exit "$total"
