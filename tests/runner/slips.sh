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

# --- names that are right elsewhere ---
# edit WHAT PATTERN SED...: the same for tiny.xml after edits.
edit()
{
    what=$1
    pattern=$2
    shift 2
    cp "$here/tiny.xml" bad.xml
    for sed; do
        sed "$sed" bad.xml >edited
        cmp -s bad.xml edited && fail "$what: the edit changes nothing"
        mv edited bad.xml
    done
    one "$what" "$pattern"
}
edit '<vary> outside of a sweep' 'unknown element <vary> in <scenario>; .*; <vary> belongs in <sweep>, <zip>, <quick>$' \
    's,^  <sweep>,<vary param="transport.rto" values="1us 2us"/>&,'
edit '<set> outside of a case' '.*; <set> belongs in <case>, <quick>$' 's,^  <sweep>,<set param="transport.rto" value="1us"/>&,'
edit 'a switch of a class' '.*; <switch> belongs in <scenario>$' \
    's,<workload,<class name="c"><switch preset="100g"/></class><workload class="c",'
edit 'a parameter of another balancer' 'unknown attribute compensation of <balancer rsq>; expected name, preset; themis has it$' \
    's,<balancer name="rsq",& compensation="scan",'
edit 'a file that this workload does not read' '.*; flows, poisson, trace have it$' 's,kind="ring",& file="x.csv",'
edit 'a file of a graph' '.*; graph has it$' 's,kind="leaf-spine",& file="x.xml",'
edit 'a control for a transport' ".*expected nic-sr.*; 'dcqcn' is a congestion-control$" 's,name="nic-sr",name="dcqcn",'
edit 'a misspelt random' "hosts 'rnadom' of <workload>; .*did you mean 'random'" 's,kind="ring",& hosts="rnadom 4",'
edit 'random without a number' "hosts 'random' of <workload>; expected 'random 1' to 'random 4'" 's,kind="ring",& hosts="random",'
edit 'a range downwards' "packets '20-10' of <drop> is no range; expected one such as 0-15" 's,packets="20",packets="20-10",'
edit 'letters for a range' "packets 'a-b' of <drop> is no range" 's,packets="20",packets="a-b",'

# --- names of the scenario's own ---
storage='s,<workload kind="ring",<workload name="other" kind="ring" bytes="200KB" groups="2"/><workload name="storage" kind="ring",'
bulk='s,<workload,<class name="bulk"><balancer name="ar"/></class><workload class="bulk",'
# sets PARAM VALUE: for sed, what a case sets.
sets()
{
    printf 's,<set param="balancer.name" value="ecmp"/>,&<set param="%s" value="%s"/>,' "$1" "$2"
}
edit 'a parameter of no workload' "no <workload name=\"stroage\">; did you mean 'storage'" "$storage" "$(sets workload:stroage.bytes 1MB)"
edit 'a name for the only workload' 'no <workload name="1">; expected the name of a <workload>' "$(sets workload:1.bytes 1MB)"
edit 'a parameter of no class' "no <class name=\"bluk\">; did you mean 'bulk'" "$bulk" "$(sets balancer:bluk.name ecmp)"
edit 'a queue of no class' 'no <class name="x">; expected the name of a <class>' "$(sets class:x.queue 1)"
edit 'an element misspelt before a name' "no element 'wrokload:storage' .*did you mean 'workload'" "$storage" "$(sets wrokload:storage.bytes 1MB)"

# --- elements twice, and empty ones ---
edit 'workloads without names' 'one of 2 <workload>s lacks name=' 's,<workload.*,&\n&,'
edit 'a name that is none, of what <quick> changes' "name '-1' of <figure> cannot name a file" \
    's,name="cct",name="-1",' 's,<sweep>,<quick><figure name="cct" title="x"/></quick>&,'
edit 'seeds twice' 'a second <seeds>; expected one only' 's,<seeds,<seeds count="3"/>&,'
edit 'cases that are empty' '<cases> is empty; expected one or more <case>' 's,<cases>,<cases/>&,'
edit 'no seeds' "count '0' of <seeds> is out of bounds" '/<cases>/,/<.cases>/d' '/<figure/,/\/>/d' 's,count="2",count="0",'
edit 'a wrong interval' "interval '1KB' of <measure> has no unit, or the wrong one" 's,interval="5us",interval="1KB",'
edit 'losses twice' 'packet 20 of QP 0 is named twice in <drop>' 's,packets="20"/>,packets="20-23"/><drop qp="0" packets="20-23"/>,'
edit 'losses behind the end' 'QP 0 has no packet 138 to drop; expected 0 to 137' 's,packets="20",packets="100-200",'
edit 'what varies without a name' '<vary> lacks param="..."' \
    's,<cases>,<vary values="1us 2us"/>&,' 's,<figure name="cct",& series="transport.rto",'
edit 'a value of nothing' 'value of <set> is empty' 's,value="ecmp",value="",'
edit 'a parameter that varies and is one of cases' 'balancer.name varies twice' 's,<cases>,<vary param="balancer.name" values="ar ecmp"/>&,'

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
fabric "$two" '<failure host="6"/>' '<failure> names no host: .*0 to 5'
fabric "$two" '<failure host="1" plane="1"/>' 'plane 1 of <failure> does not exist; there are 1, 0 to 0'
fabric "$two planes=\"2\"" '<failure leaf="0" spine="1" plane="2"/>' 'plane 2 of <failure> does not exist; there are 2, 0 to 1'
fabric "$two planes=\"2\"" '<failure lower="0" upper="4" plane="0"/>' 'plane of <failure>: lower, upper and switch are numbers of switches of all planes'
fabric "$two planes=\"2\"" '<failure lower="0" upper="14"/>' 'upper 14 of <failure> does not exist; there are 14, 0 to 13'
fabric "$two planes=\"2\"" '<failure lower="0" upper="11"/>' '<failure> names no link: switches 0 and 11 are no neighbours; above switch 0 there are 3, 4, 5, 6'
fabric "$two" '<failure host="1" port="1"/>' 'port 1 of <failure> does not exist; there are 1, 0 to 0'
fabric "$two" '<failure port="1" leaf="0" spine="1"/>' "port of <failure>: it is a host's; expected host as well"
fabric "$two planes=\"2\"" '<failure host="1" port="1" plane="1"/>' 'plane of <failure>: port is a number among those of all planes'
fabric "$two" '<failure switch="7"/>' 'switch 7 of <failure> does not exist; there are 7, 0 to 6'
fabric "$two" '<failure switch="1" leaf="0"/>' '<failure> names a switch and has leaf as well; expected switch alone'
fabric "$two" '<failure switch="1"/><failure switch="1" at="1us"/>' '<failure>: all of its links are down at that time already'
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
figure 'template="lines" data="sries" x="time_us" y="rate_gbps"' "data 'sries' of <figure> is not one .*did you mean 'series'"
figure 'template="bars" x="scheme" y="cct_us"' ".* there is no column 'scheme'; expected a parameter of the sweep: case, seed"
figure 'template="bars" x="case" y="cct_us" series="csae"' 'series of <figure f> of bars; expected template="grouped-bars" or "lines" or '
figure 'template="lines" x="seed" series="case" y="cct_us" relative-to="rqs"' 'relative-to of <figure f> of lines; expected template="bars" or '
figure 'template="cdf" data="qps" x="fct_us" series="case" line="bond_us"' 'line of <figure f> of a cdf; expected template="bars" or "grouped-bars"$'

# --- files and folders ---
# said WHAT PATTERN COMMAND...: it fails with one message, and perhaps where to read more.
said()
{
    what=$1
    pattern=$2
    shift 2
    checks=$((checks + 1))
    "$weft" "$@" >out 2>messages && fail "$what: exit status 0"
    [ "$(grep -Evc "^(weft: )?'.* --help'|: warning: " messages)" = 1 ] || fail "$what: more than one message"
    grep -Eqe "$pattern" messages || fail "$what: no message like '$pattern'"
}
cp "$here/tiny.xml" good.xml
mkdir folder
for element in 'topology kind="graph" file="folder"' 'workload kind="flows" file="folder"' \
    'workload kind="poisson" load="0.5" file="folder"'; do
    sed -e "/<${element%% *}/,/\\/>/d" -e "s,^  <balancer,<$element/>&," good.xml >bad.xml
    one "$element" "cannot read file 'folder': folder is a folder, not a file"
done
for command in 'run folder' 'validate folder' 'report folder/x' 'query good.xml --file folder' 'run --plan folder'; do
    # shellcheck disable=SC2086 # words
    said "$command" "folder is a folder, not a file|cannot open folder/x|good.xml is a file, not a folder" $command
done
said 'a file for results' 'good.xml is a file, not a folder' query good.xml 'select 1'
said 'below a file' 'cannot open good.xml/none: Not a directory$' query good.xml/none 'select 1'
said 'no results' 'cannot open none: No such file or directory$' query none 'select 1'
said 'a folder without results' 'folder/results.sqlite cannot be used: .*; expected a folder of results$' query folder 'select 1'
said 'results in a file' 'no run of good.xml is finished in good.xml: good.xml is a file, not a folder' run --collect good.xml --out good.xml
said 'a figure from a file' 'good.xml is a file, not a folder' plot good.xml --out good.xml
: >empty.csv
sed -e '/<workload/d' -e 's,^  <balancer,<workload kind="flows" file="empty.csv"/>&,' good.xml >bad.xml
one 'an empty file' 'empty.csv:1: no flows; expected CSV'

# A hint works: collect makes results.sqlite of a results folder again.
"$weft" run good.xml --no-figures --out results >out 2>messages || fail 'a run'
rm results/results.sqlite
said 'results without their database' "'weft run --collect results' makes it again$" query results 'select 1'
"$weft" run --collect results --no-figures >out 2>messages || fail 'what the hint says does not work'
"$weft" query results 'select count(*) from summary' >out 2>messages || fail 'the hint does not help'
said 'no query' 'near "selec": syntax error; expected a query: SELECT columns FROM table' query results 'selec 1'
said 'a column of summary' "did you mean 'slowdown'" query results 'select slowdwn from summary'

# --- options ---
# Each option that a command's help shows, given to each command that does not: what is said is a command that
# takes it.
commands=$("$weft" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p')
for command in $commands; do
    "$weft" "$command" --help >"$command.help"
    sed -n 's/^  \(-j, \)\{0,1\}--\([a-z-]*\).*/\2/p' "$command.help" >"$command.options"
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
# Each option without its value, as a shell gives it whose variable is not set: --only '' would be all runs.
for command in $commands; do
    sed -n 's/^  \(-j, \)\{0,1\}--\([a-z-]*\) [A-Z].*/\2/p' "$command.help" >valued
    while read -r option; do
        said "$command --$option ''" "--$option" "$command" good.xml "--$option" ''
    done <valued
done
said 'runs of an empty name' "--only of 'weft run' lacks its value; expected --only PATTERN" run good.xml --only ''
[ -e results/tiny ] && fail "--only '' runs"
for command in run validate plot query export report list; do
    said "$command ''" "an empty argument for 'weft $command'; expected: weft $command" "$command" ''
done
said 'half a number' "--rows '1.5'; expected a whole number from 1 to 1e.09" query results 'select 1' --rows 1.5
said 'a batch of no plan' '--batch is for --plan' run good.xml --batch 2
said 'no such run to validate' "no run matches 'themsi'.*; did you mean 'themis'" validate good.xml --only themsi
said 'no such run' "no run matches 'themis_seed=3'.*; did you mean 'themis_seed=1'" run-one good.xml --run themis_seed=3
said 'other results twice' "--with 'x=results'; expected another name than before" \
    query results 'select 1' --with x=results --with x=results
said 'a part of a word' "there are no results of 'res' in .*/docs/data$" query --data res 'select 1'
said 'a list of elements' "nothing is called 'element'.*; did you mean 'elements'" list element
said 'a list of columns' "nothing is called 'colums'.*; did you mean 'columns'" list colums
said 'a file for a command' "unknown command 'good.xml'; did you mean 'weft run good.xml'" good.xml
said 'help for no command' "unknown command 'runn'; did you mean 'run'" help runn
"$weft" help run | cmp -s - run.help || fail "'weft help run' does not show run's help"
said 'the cost of a run' "or 'weft validate FILE... --cost'" run good.xml --cost
said 'two scenarios' '--collect takes one scenario, or its results folder' run --collect good.xml good.xml
said 'no run' "run-one needs --run NAME; 'weft run --plan good.xml' lists the runs" run-one good.xml
"$weft" run --plan good.xml >out 2>messages || fail 'plan does not list the runs'

printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" = 0 ]
