#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: input-files.sh WEFT-RUNNER
# Flows and distributions from files. If this fails, a user's trace runs with other flows than it
# has, a mistake in it goes unnoticed or is reported nowhere near it, or results cannot be drawn,
# repeated or made on another machine once the file has moved or changed.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME WORKLOAD [MORE]: 16 hosts at 100 Gb/s
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps" link-delay="1us"/>
  <switch preset="100g" buffer="64MB"/><transport name="ideal"/><balancer name="rsq"/>
  <workload $2/>
  ${3:-}
</scenario>
END
}

run()
{
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
    exported "$1"
}

# flows NAME FROM: what flows.csv says, a line each: source, destination, bytes, us from FROM to start
flows()
{
    awk -F , -v from="$2" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        { printf "%s %s %s %.1f\n", $c["src"], $c["dst"], $c["bytes"], $c["posted_us"] - from }' \
        "$1.runs/$1/flows.csv"
}

# --- the same three flows in each format -------------------------------------------------------

mkdir data
printf '# a comment\nstart, bytes,src,dst\n0,1000000,0,5\n1.5us,64KB,1,6\n\n2ms,3000B,2,7\n' >data/a.csv
printf '3\n0 5 3 100 1000000 2\n1 6 3 100 64000 2.0000015\n\n2 7 3 100 3000 2.002\n\nsrc0 dst0 3\n' \
    >data/hpcc.txt
printf '3\n0 5 3 1000000 0\n1 6 3 64000 1.5e-6\n2 7 3 3000 0.002\n' >data/conweave.txt
printf 'Nodes 16\nConnections 3\n0->5 id 1 start 0 size 1000000\n1->6 id 2 start 1500000 size 64000
2->7 id 3 start 2000000000 size 3000\n' >data/matrix.cm
printf '0 5 1000000 0.0\n1 6 64000 1.5\n2 7 3000 2000.0\n' >expected
for format in a.csv hpcc.txt conweave.txt matrix.cm; do
    name=${format%.*}
    scenario "$name" "kind=\"flows\" file=\"data/$format\" $([ "$name" = matrix ] && echo 'start-unit="ps"')"
    run "$name"
    flows "$name" "$([ "$name" = hpcc ] && echo 2000000)" >found
    cmp found expected || fail "$format: other flows than those of the file"
done
"$weft" validate hpcc.xml >out 2>messages || fail 'hpcc.xml is not valid'
grep -q 'hpcc.xml:4: warning: data/hpcc.txt:7: what follows the 3 flows' messages ||
    fail 'what is not read is not told'

# --- htsim's units -----------------------------------------------------------------------------

# As htsim_uec reads it: microseconds. One and the same file, in two units, are two results.
printf 'Nodes 16\nConnections 3\n0->5 id 1 start 0 size 1000000\n1->6 id 2 start 1.5 size 64000
2->7 id 3 start 2000 size 3000\n' >data/units.cm
scenario units 'kind="flows" file="data/units.cm"'
run units
flows units 0 | cmp - expected || fail 'microseconds of a matrix are taken for something else'
"$weft" run units.runs/units/scenario.xml --no-figures --out kept >out 2>messages || fail 'the kept matrix does not run'
flows units 0 | cmp - expected || fail 'the kept matrix has other starts'
! grep -q warning messages || fail 'warned of a matrix of microseconds'
sed 's/file=/start-unit="ps" &/' units.xml >unit.xml
"$weft" validate unit.xml >out 2>messages || fail 'picoseconds are refused'
grep -q 'unit.xml:4: warning: data/units.cm: all flows start within a microsecond' messages ||
    fail 'no word about starts that are too near each other'
"$weft" run unit.xml --no-figures --out units --dry-run >out 2>messages || true
grep -q 'stale.*start-unit' out messages || fail 'another unit leaves old results standing'
sed 's/ start-unit="ps"//' matrix.xml >unit.xml
"$weft" validate unit.xml >out 2>messages && fail '2,000 s are taken for a start'
grep -q 'start, in microseconds (start-unit="ps": picoseconds)' messages || fail 'no word about the other unit'
sed -i 's/start 2000000000/start 2000000/' data/matrix.cm
"$weft" validate unit.xml >out 2>messages || fail '2 s are refused'
grep -q 'unit.xml:4: warning: data/matrix.cm: the last flow starts after 2 s' messages || fail 'no word about a start after 2 s'
sed 's/file=/start-unit="us" &/' unit.xml >meant.xml
"$weft" validate meant.xml >out 2>messages || fail '2 s that are meant are refused'
! grep -q 'the last flow starts' messages || fail 'warned of a unit that is written'
# 0.9 us in picoseconds, between flows of 80 us.
printf 'Nodes 16\nConnections 2\n0->5 id 1 start 0 size 1000000\n1->6 id 2 start 900000 size 1000000\n' >data/near.cm
scenario near 'kind="flows" file="data/near.cm"'
"$weft" validate near.xml >out 2>messages || fail '0.9 s are refused'
grep -q 'near.xml:4: warning: data/near.cm: the last flow starts after 0.9 s if its start is in microseconds, and 0.9 us .*start-unit' messages ||
    fail 'no word about hosts that are idle nearly all of the time'
for unit in ps us; do
    sed "s/file=/start-unit=\"$unit\" &/" near.xml >unit.xml
    "$weft" validate unit.xml >out 2>messages || fail "start-unit=$unit is refused"
    ! grep -q 'the last flow starts' messages || fail "warned of a unit that is written: $unit"
done
# Of a file whose starts have units of their own it would change nothing.
for name in a hpcc conweave; do
    sed 's/file=/start-unit="ps" &/' $name.xml >unit.xml
    ends 2 "$weft" validate unit.xml
    grep -q "^unit.xml:4: error: start-unit of <workload> is for htsim's .*data/$name\..* is none; expected no start-unit" messages ||
        fail "$name: no word about a start-unit that has no effect"
done
printf 'Nodes 16\nConnections 1\n0->5 id 1 start 0 size 1000\n' >data/once.cm
scenario once 'kind="flows" file="data/once.cm" start-unit="ps"'
"$weft" validate once.xml >out 2>messages || fail 'flows that all start at 0 are refused'
! grep -q 'within a microsecond' messages || fail 'warned of flows that all start at 0'
sed 's/<workload kind="flows"/<workload kind="ring" bytes="1MB" groups="2" start-unit="ps"/; s/ file="[^"]*"//' units.xml >unit.xml
"$weft" validate unit.xml >out 2>messages && fail 'a ring has a start-unit'

# --- htsim's triggers --------------------------------------------------------------------------

# 5 goes on when it has all, 0 when all is acknowledged, and 6 when it has both.
printf 'Nodes 16\nConnections 5\nTriggers 2\ntrigger id 7 oneshot
0->5 id 1 start 0 size 300000 send_done_trigger 7
5->6 id 2 trigger 7 size 300000 recv_done_trigger 9
0->6 id 3 trigger 7 size 300000 send_done_trigger 9
6->1 id 4 trigger 9 size 3000
6->2 id 5 trigger 9 size 3000\ntrigger id 9 barrier count 2\n' >data/chain.cm
scenario chain 'kind="flows" file="data/chain.cm"'
run chain
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    { posted[NR - 2] = $c["posted_us"]; there[NR - 2] = $c["delivered_us"]; acked[NR - 2] = $c["acked_us"] }
    END { both = there[1] > there[2] ? there[1] : there[2]
          exit !(posted[1] == there[0] && posted[2] == acked[0] && posted[3] == both &&
                 posted[4] == both) }' chain.runs/chain/flows.csv || fail 'a trigger fires at another time'

# --- results stand on their own ----------------------------------------------------------------

"$weft" run a.xml --no-figures --out a --dry-run 2>messages | grep -q '^finished' ||
    fail 'a finished run is to be made again'
    exported a
grep -q '^workload file: data/a.csv (cksum ' a.runs/a/provenance.txt || fail 'the file leaves no trace'
"$weft" run a.runs/a/scenario.xml --no-figures --out again >out 2>messages || fail 'the kept run does not run'
exported again
for file in scenario.xml flows.csv summary.csv; do
    cmp "again.runs/a/$file" "a.runs/a/$file" || fail "the kept run has another $file"
done
mv data away
"$weft" run --collect a >out 2>messages || fail 'no table without the file that was read'
"$weft" validate a.xml >out 2>messages && fail 'a file that is not there is taken'
grep -q "a.xml:4: error: cannot read file 'data/a.csv': cannot open data/a.csv: No such file" messages ||
    fail 'a missing file is not named'
mv away data

# From another folder, as a node of a cluster runs one of its runs.
scenario swept 'kind="flows" file="data/a.csv"' '<sweep><vary param="workload.file" values="data/a.csv data/conweave.txt"/></sweep>'
(cd / && "$weft" run --plan "$work/swept.xml" --out "$work/swept" >"$work/commands" 2>"$work/messages") || fail 'no plan'
[ "$(wc -l <commands)" = 2 ] || fail 'not one command per run'
sed "s|^[^ ]*weft[^ ]* |\"$weft\" |" commands >commands.sh
(cd / && sh "$work/commands.sh" >"$work/out" 2>"$work/messages") || fail 'a planned command fails'
(cd / && "$weft" run --collect "$work/swept.xml" --out "$work/swept" >"$work/out" 2>"$work/messages") || fail 'no table of planned runs'
[ "$(wc -l <swept/summary.csv)" = 3 ] || fail 'not two runs in the table'

sed -i 's/64KB/65KB/' data/a.csv
"$weft" run a.xml --no-figures --out a --dry-run >out 2>messages
grep -q '^stale.*workload.file changed' out messages || fail 'a changed file leaves old results standing'

# --- poisson -----------------------------------------------------------------------------------

printf '# sizes\n1000 0\n1000 20\n2000 20\n10000 100\n' >data/sizes.txt
scenario random 'kind="poisson" load="0.3" flows="300" file="data/sizes.txt"'
run random
[ "$(wc -l <random.runs/random/flows.csv)" = 301 ] || fail 'not 300 flows'
scenario other 'kind="poisson" load="0.3" flows="300" file="data/sizes.txt"' '<seed value="2"/>'
run other
cmp -s random.runs/random/flows.csv other.runs/other/flows.csv && fail 'another seed, the same flows'

# As a spreadsheet writes it: a mark before UTF-8, CR LF, no end of the last line. And two QPs between the same
# hosts, as collectives use them: flows that are alike are two flows, but may also be a slip.
printf '\357\273\277src,dst,bytes,start\r\n0,1,9KB,0\r\n0,1,9KB,0\r\n2,1,9KB,1us' >data/sheet.csv
scenario sheet 'kind="flows" file="data/sheet.csv"'
"$weft" run sheet.xml --out sheet >out 2>messages || fail 'what a spreadsheet writes is refused'
exported sheet
[ "$(wc -l <sheet.runs/sheet/flows.csv)" = 4 ] || fail 'a spreadsheet has three flows'
grep -q 'sheet.csv:3: the same flow stands at line 2 as well; each of the two is sent' messages ||
    fail 'no word about flows that are alike'

# --- mistakes ----------------------------------------------------------------------------------

# refused WHAT WORKLOAD PATTERN: with the line of the scenario, and that of the file
refused()
{
    scenario bad "$2"
    "$weft" run bad.xml --out bad >out 2>messages && fail "$1: accepted"
    [ ! -e bad ] || fail "$1: made the results folder"
    grep -Eq "^bad.xml:4: error: $3" messages || fail "$1: no message like '$3'"
}

# wrong WHAT PATTERN LINES: of a file of flows
wrong()
{
    printf '%b' "$3" >data/wrong
    refused "$1" 'kind="flows" file="data/wrong"' "data/wrong:$2"
}

refused 'no file' 'kind="flows"' 'the flows workload lacks file="..."; expected a file of flows'
refused 'a file for a ring' 'kind="ring" bytes="1MB" file="data/a.csv"' 'unknown attribute file of <workload ring>'
refused 'a folder' 'kind="flows" file="data"' "cannot read file 'data': .*data is a folder, not a file"
wrong 'no flows' '1: no flows; expected CSV' ''
wrong 'prose' "1: unknown column 'Once'" 'Once upon a time,\n'
wrong 'a column' "1: unknown column 'byte'; expected src, dst, bytes and start; did you mean 'bytes'" 'src,dst,byte,start\n'
wrong 'no unit' "2: start '5'; expected a time" 'src,dst,bytes,start\n0,1,1000,5\n'
wrong 'to itself' '3: a flow from host 3 to itself' 'src,dst,bytes,start\n0,1,1000,0\n3,3,1000,0\n'
wrong 'a NUL' '3: there is a NUL' 'src,dst,bytes,start\n0,1,9,0\n0,2,9,0\0000\n'
wrong 'many words' '2: more than 64 words' "1\n0 1 3 100$(printf ' 5%.0s' $(seq 64))\n"
wrong 'no such host' '3: flow 2 names host 16; the topology has 16 hosts, 0 to 15, and the file needs 17' 'src,dst,bytes,start\n0,1,9,0\n16,2,9,0\n'
wrong 'a host beyond the matrix' '4: connection 2 names host 16; the topology has 16 hosts, 0 to 15, and the file needs 141' 'Nodes 141\nConnections 3
0->15 id 1 start 0 size 4\n3->16 id 2 start 0 size 4\n140->0 id 3 start 0 size 4\n'
grep -qF '5: connection 3 names host 140;' messages || fail 'a second mistake is not told'
wrong 'a huge host' '2: flow 1 names host 4294967295; the topology has 16 hosts, 0 to 15, and the file needs 4294967296' '1\n4294967295 2 3 5 2\n'
wrong 'no bytes' "2: bytes '0'; expected" 'src,dst,bytes,start\n0,1,0,0\n'
wrong 'too few' '1: it announces 3 flows and has 2' '3\n0 1 3 100 5 2\n0 2 3 100 5 2\n'
wrong 'words' '2: 4 words; expected src dst priority dport bytes start' '1\n0 1 3 5\n'
wrong 'multishot' '3: a trigger that is not known; expected' 'Nodes 16\nConnections 1\ntrigger id 1 multishot\n'
wrong 'unknown word' "3: unknown word 'sise' .*; did you mean 'size'" 'Nodes 16\nConnections 1\n0->1 id 1 start 0 sise 4\n'
wrong 'too many' '1: it announces 2 Connections' 'Nodes 16\nConnections 2\n0->1 id 1 start 0 size 4\n'
wrong 'a circle' '4: the flow waits for itself' 'Nodes 16\nConnections 2\nTriggers 2
0->1 id 1 trigger 1 size 4 send_done_trigger 2\n1->0 id 2 trigger 2 size 4 send_done_trigger 1
trigger id 1 oneshot\ntrigger id 2 oneshot\n'
wrong 'a stranger' '5: host 3 cannot know when the flow of line 4 ends' 'Nodes 16\nConnections 2\nTriggers 1
0->1 id 1 start 0 size 4 send_done_trigger 2\n3->0 id 2 trigger 2 size 4\ntrigger id 2 oneshot\n'
printf '1000 5\n2000 100\n' >data/sizes.txt
refused 'no start' 'kind="poisson" load="0.3" file="data/sizes.txt"' 'data/sizes.txt:1: the first percent is 5'
printf '1000 0\n500 50\n2000 100\n' >data/sizes.txt
refused 'falling' 'kind="poisson" load="0.3" file="data/sizes.txt"' 'data/sizes.txt:2: 500 50 is below'
printf '1000 0\n2000 99\n' >data/sizes.txt
refused 'no end' 'kind="poisson" load="0.3" file="data/sizes.txt"' 'data/sizes.txt:2: .* ends before 100'

echo 'files are read as they are, kept with the results, and their mistakes are named'
