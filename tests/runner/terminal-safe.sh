#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: terminal-safe.sh WEFT-RUNNER
# What is printed of a name that a stranger chose is text: else a file in a folder of results could rewrite what the
# user sees of others.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
go_on

# A name or a text is no command to a terminal, whatever the command says of it: ESC, the C1 control
# that stands for "ESC [", and what turns the direction of a line.
esc=$(printf '\033[2Jx\302\233\342\200\256')
cp "$here/tiny.xml" "$esc.xml"
mkdir "$esc.d"
printf '<scenario name="t"><topology kind="x"/></scenario>' >"wrong$esc.xml"
while read -r words; do
    # shellcheck disable=SC2086 # words of a command, in which ESC stands for the name
    set -- $words
    n=$#
    while [ $n -gt 0 ]; do
        word=$1
        shift
        case $word in *ESC*) word=${word%%ESC*}$esc${word#*ESC} ;; esac
        set -- "$@" "$word"
        n=$((n - 1))
    done
    program=$weft
    case $words in
        reproduce*) program=$reproduce && shift ;;
        'report ESC') program=$claims && shift ;;
    esac
    timeout 60 "$program" "$@" >out 2>messages </dev/null || true
    [ -s out ] || [ -s messages ] || fail "$words: says nothing"
    cat out messages | LC_ALL=C grep -q "$(printf '[\033]\|\302\233\|\342\200\256')" && fail "$words: ESC reaches the terminal"
done <<'END'
ESC
list ESC
run ESC.xml --ESC
run ESC.xml --only ESC
run ESC.xml --set ESC=1
run ESC.xml --set balancer.ESC=1
run ESC.xml --out ESC.d/ESC --no-figures --only rsq_seed=1
run nowhere-ESC.xml
run ESC.d
validate ESC.xml
validate wrongESC.xml
run ESC.xml --dry-run --out ESC.d/ESC
run --collect ESC.xml --out ESC.d/ESC --no-figures
run --collect ESC.d
plot ESC.xml --out ESC.d/ESC --figure ESC
plot ESC.d
query ESC.d/ESC ESC
query ESC.d ESC
query ESC.d/ESC --with other=ESC ESC
query ESC.d/ESC --file ESC
query ESC.d/ESC --format ESC
query ESC.d/ESC --rows ESC
query --data ESC ESC
export ESC --to ESC.d
export ESC.d/ESC.sqlite --to ESC.d
report ESC
report --html ESC.d
run ESC.xml --add-case ESC
run ESC.xml --add-case 'ESC: balancer.name=ESC'
query ESC.d/ESC --beside ESC
plot ESC.d/ESC --beside ESC
reproduce ESC
run-one ESC.xml --run ESC
END
[ "$failures" = 0 ]
