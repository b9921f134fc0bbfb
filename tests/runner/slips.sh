#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: slips.sh WEFT-RUNNER
# One slip of the pen makes one error, which names the place, what is wrong and what would be right: each name
# of a scenario misspelt in turn, each option given to each command, each file where a folder belongs. A user
# would otherwise mend a scenario by its second message, or type a command that is a mistake again.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
go_on
checks=0

# one WHAT PATTERN: bad.xml has one error, which matches, and no warning that follows from it.
one()
{
    checks=$((checks + 1))
    "$weft" validate bad.xml >out 2>messages
    status=$?
    [ $status = 2 ] || fail "$1: exit status $status, expected 2"
    [ "$(wc -l <messages)" = 1 ] || fail "$1: more than one message"
    grep -Eq "^bad.xml(:[0-9]+)?: error: $2" messages || fail "$1: no message like '$2'"
}

# --- names ---
# Each attribute and each element, with a letter too many: what is meant is said, and nothing else.
grep -n -o '[a-z][a-z0-9-]*="\|<[a-z][a-z-]*' "$here/tiny.xml" | sed 's/="//' | sed '/<scenario\|:version\|:encoding/d' >places
while IFS=: read -r line name; do
    bare=${name#<}
    sed "$line s/\\b$bare\\b\\(=\\|[ >/]\\|\$\\)/${bare}x\\1/" "$here/tiny.xml" >bad.xml
    [ "$bare" = "$name" ] || sed "$line s/<$bare\\b/<${bare}x/;s,</$bare>,</${bare}x>," "$here/tiny.xml" >bad.xml
    cmp -s bad.xml "$here/tiny.xml" && fail "$name of line $line: the edit changes nothing"
    xmllint --noout bad.xml 2>/dev/null || continue # an element whose end is that of others as well
    meant="; did you mean '$bare'"
    [ "${#bare}" -gt 1 ] || meant= # one letter of two is no misspelling
    one "$name of line $line misspelt" "(unknown (attribute|element) <?${bare}x>?|no .* '${bare}x') ?.*$meant"
done <places
[ "$checks" -ge 60 ] || fail "$checks names were misspelt, expected 60 or more"

# --- places in a fabric ---
# fabric TOPOLOGY ELEMENT PATTERN
fabric()
{
    sed -e "/<topology/,/link-rate/d" -e "/<measure/d" -e "s,<drop.*,$2," -e "/<figure name=.rate/,/\/>/d" -e "s,^  <switch,  <topology $1/>&," "$here/tiny.xml" >bad.xml
    one "$2" "$3"
}
two='kind="leaf-spine" leaves="3" spines="4" hosts-per-leaf="2" parallel="2"'
three='kind="fat-tree" k="4"'
fabric "$two" '<failure leaf="0" spine="9"/>' 'spine 9 of <failure> does not exist; there are 4, 0 to 3'
fabric "$two" '<degrade leaf="3" spine="0" rate="1Gbps"/>' 'leaf 3 of <degrade> does not exist; there are 3, 0 to 2'
fabric "$two" '<failure leaf="0" spine="1" link="2"/>' 'link 2 of <failure> does not exist; expected one below 2, as switches 0 and 4 have'
fabric "$two" '<failure lower="0" upper="7"/>' 'upper 7 of <failure> does not exist; there are 7, 0 to 6'
fabric "$two" '<failure lower="4" upper="0"/>' '<failure> names a link upside down; expected lower 0 and upper 4'
fabric "$three" '<failure lower="0" upper="10"/>' '<failure> names no link: switches 0 and 10 are no neighbours; above switch 0 there are 8, 9'
fabric "$three" '<failure lower="19" upper="18"/>' '.*switches 19 and 18 are no neighbours; above switch 19 there are none'
fabric "$two" '<degrade host="6" rate="1Gbps"/>' '<degrade> names no host: .*0 to 5'
fabric "$two" '<measure ports="7:0" interval="1us"/>' 'switch 7 of <measure> does not exist; expected 0 to 6'
fabric "$two" '<failure host="1"/>' 'unknown attribute host of <failure>'
fabric "$two" '<failure tor="0" spine="1"/>' 'unknown attribute tor of <failure>'

# --- figures ---
# figure ATTRIBUTES PATTERN
figure()
{
    sed -e '/<figure/,/"\/>/d' -e "s,</scenario>,<figure name=\"f\" $1/>&," "$here/tiny.xml" >bad.xml
    one "$1" "$2"
}
figure 'template="bars" x="case" y="slowdwn"' "y of .* no column 'slowdwn'; expected a column of summary.csv; did you mean 'slowdown'"
figure 'template="cdf" data="flows" x="slowdwn"' "x of .* no column 'slowdwn'; expected a column of flows.csv"
grep -q 'did you mean' messages && fail 'a column of another table is proposed'
figure 'template="bars" data="flows" x="case" y="slowdown"' '.* of bars cannot show the rows of flows.csv; expected template="cdf"'
figure 'template="bars" x="scheme" y="cct_us"' ".* there is no column 'scheme'; expected a parameter of the sweep: case, seed"

# --- files and folders ---
# said WHAT PATTERN COMMAND...: it fails with one message, and perhaps where to read more.
said()
{
    what=$1
    pattern=$2
    shift 2
    checks=$((checks + 1))
    "$weft" "$@" >out 2>messages && fail "$what: exit status 0"
    [ "$(grep -vc "^weft: '.* --help'\\|: warning: " messages)" = 1 ] || fail "$what: more than one message"
    grep -Eq "$pattern" messages || fail "$what: no message like '$pattern'"
}
cp "$here/tiny.xml" good.xml
mkdir folder
for element in 'topology kind="graph" file="folder"' 'workload kind="flows" file="folder"' \
    'workload kind="poisson" load="0.5" file="folder"'; do
    sed -e "/<${element%% *}/,/\\/>/d" -e "s,^  <balancer,<$element/>&," good.xml >bad.xml
    one "$element" "cannot read file 'folder': folder is a folder, not a file"
done
for command in 'run folder' 'validate folder' 'report folder/x' 'query good.xml --file folder' 'plan folder'; do
    # shellcheck disable=SC2086 # words
    said "$command" "folder is a folder, not a file|cannot open folder/x|good.xml is a file, not a folder" $command
done
said 'a file for results' 'good.xml is a file, not a folder' query good.xml 'select 1'
said 'below a file' 'cannot open good.xml/none: Not a directory$' query good.xml/none 'select 1'
said 'no results' 'cannot open none: No such file or directory$' query none 'select 1'
said 'a folder without results' 'folder/results.sqlite cannot be used: .*; expected a folder of results$' query folder 'select 1'
said 'results in a file' 'no run of good.xml is finished in good.xml: good.xml is a file, not a folder' collect good.xml --out good.xml
said 'a figure from a file' 'good.xml is a file, not a folder' plot good.xml --out good.xml
: >empty.csv
sed -e '/<workload/d' -e 's,^  <balancer,<workload kind="flows" file="empty.csv"/>&,' good.xml >bad.xml
one 'an empty file' 'empty.csv:1: no flows; expected CSV'

# A hint works: collect makes results.sqlite of a results folder again.
"$weft" run good.xml --no-figures --out results >out 2>messages || fail 'a run'
rm results/results.sqlite
said 'results without their database' "'weft collect results' makes it again$" query results 'select 1'
"$weft" collect results --no-figures >out 2>messages || fail 'what the hint says does not work'
"$weft" query results 'select count(*) from summary' >out 2>messages || fail 'the hint does not help'
said 'no query' 'near "selec": syntax error; expected a query: SELECT columns FROM table' query results 'selec 1'
said 'a column of summary' "did you mean 'slowdown'" query results 'select slowdwn from summary'

# --- options ---
# Each option that a command's help shows, given to each command that does not: what is said is a command that
# takes it.
commands=$("$weft" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p')
for command in $commands; do
    "$weft" "$command" --help | sed -n 's/^  \(-j, \)\{0,1\}--\([a-z-]*\).*/\2/p' >"$command.options"
done
sort -u ./*.options >all
for command in $commands; do
    sort "$command.options" | comm -13 - all >foreign
    while read -r option; do
        said "$command --$option" "'weft $command' does not take --$option; expected another option, or 'weft " \
            "$command" good.xml "--$option"
        other=$(sed -n "s/.*, or 'weft \\([a-z-]*\\) .*/\\1/p" messages)
        grep -qx -e "$option" "$other.options" || fail "$command --$option: 'weft $other' does not take it"
    done <foreign
done
said 'the cost of a run' "or 'weft validate FILE... --cost'" run good.xml --cost
said 'two scenarios' "too many arguments for 'weft run'; expected: weft run FILE" run good.xml good.xml
said 'no run' "run-one needs --run NAME; 'weft plan good.xml' lists the runs" run-one good.xml
"$weft" plan good.xml >out 2>messages || fail 'plan does not list the runs'

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" = 0 ]
