#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: snippets.sh WEFT-RUNNER FOLDER
# What the manual shows, a reader types: every fenced block of README.md and docs/*.md is tried, page by
# page from above, in a folder like a fresh checkout. FOLDER has the programs that CMakeLists.txt makes of
# the blocks of C and C++. A block's language says what is done with it:
#   xml       a whole scenario is validated and run; a part of one the same, in a small scenario that has
#             the rest and is called my.xml if it is the page's first; a graph in a scenario that has nothing
#             else; claims are reported
#   sh        is run, but for the commands in the list below
#   (none)    a session: commands behind "$ ", each run; what stands under one, if anything, is all that it prints
#   sql       is asked of the results of the page's last scenario, and has an answer
#   c, cpp    was compiled and is run; with a name (```c core-c/...) it has parts of that file, of a worked
#             example or else of the tree, one below the other, with /* ... */ between them; as a diff, and with
#             the name of a list, it is part of a worked example, whose programs their page has
#   text      is a picture
# An unknown language, and a reason for what is no longer there, are mistakes.
set -u
export LC_ALL=C
runner=$(readlink -f -- "$1")
programs=$(readlink -f -- "$2")
here=$(dirname -- "$(readlink -f -- "$0")")
root=$(dirname -- "$(dirname -- "$here")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

# What is not run: the command, or a block's first line, as a shell pattern; and why.
cat >"$work/not-run" <<'END'
./weft test                     this test is one of them
cmake *                         tests/embedding.sh does these steps
dpkg --add-architecture *       it changes the system
CK_FORK=no *                    it needs what the one before installs
./weft reproduce themis*        minutes to hours; tests/runner/reproduce.sh has a paper that is small
./weft reproduce all*           hours to days; the same
./weft query --data *           tests/runner/open-data.sh asks open data by name
./weft run scenarios/cross/*    minutes; tests/runner/cross.sh runs the small versions
./weft query results/cross-* *          tests/runner/cross.sh asks it of them
./weft plot results/two-choices *       tests/runner/add-case.sh has a table that is small
./weft query results/two-choices *      the same
mpirun *                        tests/runner/ranks.sh runs several processes
srun *                          that needs Slurm
parallel *                      tests/cluster.sh does what the page says of many machines
*sbatch *                       tests/cluster.sh, too
./weft run --collect *          tests/cluster.sh, too
pkill *                         it needs a run under way; tests/runner/progress.sh sends the signal
WEFT_CMAKE=-DWEFT_LOG=ON *      tests/ns3/weft-log-test-suite.cc is built with logs
NS_LOG=*                        it shows something in a build with logs alone
./weft build                    tests/fresh-machine.sh builds in a new checkout
pdflatex *                      LaTeX is not among the packages that Weft needs
import sqlite3                  nor is Python
import pandas as pd             pandas is not among the packages that Weft needs
END

fail()
{
    printf '%s:%s: %s\n' "$page" "$line" "$*"
    failed=$((failed + 1))
}

# Fails with what the command has printed.
quietly()
{
    "$@" >"$work/log" 2>&1 || {
        status=$?
        fail "exit status $status: $*"
        tail -n 12 "$work/log" | sed 's/^/    /'
    }
}

# Whether command $1 has a reason not to be run, which is noted.
is_left_out()
{
    while read -r entry; do
        pattern=${entry%%  *}
        # shellcheck disable=SC2254 # it is a pattern
        case $1 in
            $pattern)
                printf '%s\n' "$entry" >>"$work/left-out"
                return 0
                ;;
        esac
    done <"$work/not-run"
    return 1
}

# A folder for page $1.
checkout()
{
    folder=$work/pages/$1
    mkdir -p "$folder/build" "$folder/docs" "$work/shared" "$work/opt" "$work/tmp"
    cd "$folder" || exit
    cp "$root"/docs/*.md "$root/docs/generate.sh" docs/
    cp -R "$root/docs/claims" "$root/docs/papers" "$root/docs/figures" docs/
    ln -s "$root/docs/data" docs/data
    ln -s "$root/tests" tests
    cp -R "$root/scenarios" .
    chmod -R u+w .
    ln -s "$programs/two-tors" two-tors
    ln -s "$programs/fabric" fabric
    ln -s "$programs/workload" workload
    with=$runner
    [ "$1" != extending.md ] || with=$programs/example-runner
    ln -s "$with" build/weft-runner
    cat >weft <<END
#!/bin/sh
if [ "\$1" = test ]; then exec "$programs/example-tests"; fi
export WEFT_CLAIMS="${runner%/*}/weft-claims"
case "\$1:\$*" in
    reproduce:*) shift && exec "$root/validation/reproduce-papers.sh" "\$@" ;;
    report:*.xml*) shift && exec "\$WEFT_CLAIMS" "\$@" ;;
esac
WEFT_COMMAND=\$0 WEFT_PLOTS="$root/plots" exec "$folder/build/weft-runner" "\$@"
END
    chmod +x weft
    program=
}

# Folders that a reader has and the test must not write to.
elsewhere()
{
    sed "s,/tmp/,$work/tmp/,g; s,/shared/,$work/shared/,g; s,/opt/,$work/opt/,g"
}

# The text of a block with one command per line, comments taken away.
commands()
{
    awk '{ sub(/(^| +)#.*/, "") } /\\$/ { sub(/\\$/, ""); printf "%s", $0; next } NF' "$1" | elsewhere
}

shell_block()
{
    commands "$1" >"$work/commands"
    : >"$work/script"
    while IFS= read -r command; do
        is_left_out "$command" || printf '%s\n' "$command" >>"$work/script"
    done <"$work/commands"
    quietly sh -eu "$work/script"
}

# Every ./NAME of a session that the folder lacks is the page's last program.
give_program()
{
    for name in $(printf '%s\n' "$1" | grep -o '\./[a-z-]*' | sort -u); do
        if [ -e "$name" ] || [ -z "$program" ]; then
            continue
        fi
        printf '#!/bin/sh\nexec "%s/snippets" "%s" "$@"\n' "$programs" "$program" >"$name"
        chmod +x "$name"
    done
}

# Command $1 of a session; $work/expected has what it should print, if anything.
session_command()
{
    ! is_left_out "$1" || return 0
    give_program "$1"
    printf '%s\n' "$1" >"$work/script"
    if ! sh -eu "$work/script" >"$work/printed" 2>"$work/log" </dev/null; then
        fail "failed: $1"
        cat "$work/printed" "$work/log" | grep -v ':P:' | tail -n 12
        return
    fi
    # Empty lines at the end do not show in a block.
    printf '%s\n' "$(cat "$work/printed")" >"$work/shown"
    if [ -s "$work/expected" ] && ! diff "$work/expected" "$work/shown" >"$work/log"; then
        fail "other output (>) than the page has (<): $1"
        cat "$work/log"
    fi
}

session()
{
    case $(head -n 1 "$1") in
        '$ '*) ;;
        *) fail "a block without a language is a session and begins with '\$ '; or is it 'text'?" ;;
    esac
    { cat "$1" && echo '$ '; } | elsewhere >"$work/session"
    command=
    while IFS= read -r text; do
        case $text in
            '$ '*)
                [ -z "$command" ] || session_command "$command"
                command=${text#??}
                : >"$work/expected"
                ;;
            *) printf '%s\n' "$text" >>"$work/expected" ;;
        esac
    done <"$work/session"
}

# The element $1 if fragment $2 lacks it.
unless_there()
{
    element=${1#<}
    grep -q "<${element%%[ />]*}[ />]" "$2" || printf '%s\n' "$1"
}

# Fragment $1 in a scenario called $2: four hosts, five megabytes, and something that varies.
in_a_scenario()
{
    printf '<scenario name="%s">\n' "$2"
    cat "$1"
    unless_there '<topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2" link-rate="100Gbps"/>' "$1"
    unless_there '<switch preset="100g"/>' "$1"
    unless_there '<congestion-control name="dcqcn"/>' "$1"
    unless_there '<balancer name="ecmp"/>' "$1"
    if ! grep -q '<sweep>' "$1"; then
        unless_there '<workload kind="ring" bytes="5MB"/>' "$1"
        echo '<sweep><vary param="balancer.name" values="ecmp themis"/>'
        ! grep -q 'fabric\.payload' "$1" || echo '<vary param="fabric.payload" values="1000B 2000B"/>'
        echo '</sweep>'
    else
        unless_there '<workload kind="ring" bytes="100KB"/>' "$1"
    fi
    echo '</scenario>'
}

scenario()
{
    quietly ./weft validate "$1"
    quietly ./weft run "$1"
}

# The results that claims in $1 are about are those of the quick version of their scenario.
claims()
{
    while read -r results file; do
        quick=
        ! grep -q '<quick>' "$file" || quick=--quick
        quietly ./weft run "$file" $quick --out "results/$results" --no-figures
    done <<END
$(sed -n 's/.*<section .*results="\([^"]*\)".*scenario="\([^"]*\)".*/\1 \2/p' "$1")
END
    quietly ./weft report "$1"
    ! grep -E '^\| [0-9].*not run|: not run$' "$work/log" || fail "the report of these claims lacks a number"
}

xml_block()
{
    if grep -q '<claims' "$1"; then
        cp "$1" claims.xml
        claims claims.xml
    elif grep -q '<scenario' "$1"; then
        name=$(sed -n 's/.*<scenario name="\([^"]*\)".*/\1/p' "$1")
        cp "$1" "$name.xml"
        cp "$1" "scenarios/$name.xml"
        scenario "$name.xml"
    elif grep -q '<graph>' "$1"; then
        name=block-$line
        cp "$1" "$name-graph.xml"
        printf '<scenario name="%s"><topology kind="graph" file="%s-graph.xml"/>%s</scenario>\n' "$name" "$name" \
            '<balancer name="ecmp"/><workload kind="ring" bytes="100KB"/>' >"$name.xml"
        scenario "$name.xml"
    else
        name=my
        [ ! -e my.xml ] || name=block-$line
        in_a_scenario "$1" "$name" >"$name.xml"
        scenario "$name.xml"
    fi
}

# A figure with a template of one's own.
gnuplot_block()
{
    cp "$1" own.gp
    echo '<figure name="own" template="own.gp" x="fabric.payload" series="balancer.name" y="cct_us"/>' >figure.txt
    name=block-$line
    in_a_scenario figure.txt "$name" >"$name.xml"
    scenario "$name.xml"
}

sql_block()
{
    quietly ./weft query "results/$name" --file "$1"
    [ "$(wc -l <"$work/log")" -gt 1 ] || fail 'this query gives no rows'
}

c_block()
{
    quietly "$programs/core-snippets" "$page:$line"
}

cpp_block()
{
    ! grep -qE '^(int )?main\(' "$1" || program=$page:$line
    quietly "$programs/snippets" "$page:$line"
}

# A quoted part that is not in the file is printed.
quoted()
{
    file=$root/examples/extending/$argument
    [ -e "$file" ] || file=$root/$argument
    # shellcheck disable=SC2016 # the program is awk's
    quietly awk '
        FILENAME == ARGV[ARGC - 1] { text = text $0 "\n"; next }
        /^\/\* \.\.\. \*\/$/ { n++; next }
        { part[n += !n] = part[n] $0 "\n" }
        END {
            text = "\n" text
            for (i = 1; i <= n; i++) {
                at = index(text, "\n" part[i])
                if (!at) { printf "%s does not have, there:\n%s", ARGV[ARGC - 1], part[i]; exit 1 }
                text = substr(text, at + length(part[i]))
            }
        }' "$1" "$file"
}

block()
{
    case $language:$argument in
        c:WEFT_* | diff:?*) ;;
        c:?*) quoted "$1" ;;
        text:) ;;
        xml:) xml_block "$1" ;;
        sql:) sql_block "$1" ;;
        gnuplot:) gnuplot_block "$1" ;;
        sh:) shell_block "$1" ;;
        console:) session "$1" ;;
        c:) c_block "$1" ;;
        cpp:) cpp_block "$1" ;;
        *) is_left_out "$(head -n 1 "$1")" || fail "nothing is known about blocks of '$language $argument'" ;;
    esac
}

# The schema and the tables are those of the new algorithms after the page's commands, and only then.
after_page()
{
    [ "$1" = docs/extending.md ] || return 0
    quietly docs/generate.sh build/weft-runner --check
    sed -n 's/^ *\.name = "\(.*\)",/\1/p' "$root"/examples/extending/core-c/*/*.c >"$work/names"
    [ "$(wc -l <"$work/names")" -ge 9 ] || fail 'there are no names of worked examples'
    while read -r name; do
        quietly grep -q "\"$name\"\|>$name<" scenarios/weft.rng
        quietly grep -q "\`$name\`" docs/scenarios.md
    done <"$work/names"
}

mkdir "$work/blocks"
(cd "$root" && awk -v out="$work/blocks" -f "$here/fences.awk" README.md docs/*.md) >"$work/list" || exit
: >"$work/left-out"
now=
while read -r number page line language argument; do
    if [ "$page" != "$now" ]; then
        after_page "$now"
        checkout "$(basename "$page")"
        now=$page
    fi
    block "$work/blocks/$number" </dev/null
done <"$work/list"
after_page "$now"

echo "$(wc -l <"$work/list") blocks; not run:"
sort -u "$work/left-out"
if grep -vxFf "$work/left-out" "$work/not-run"; then
    echo "are on no page any more: the list needs no reason for them"
    failed=$((failed + 1))
fi
[ $failed = 0 ] || echo "$failed failed"
[ $failed = 0 ]
