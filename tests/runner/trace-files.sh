#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: trace-files.sh WEFT-RUNNER
# Traces of GOAL, as text, as a binary and compressed. If this fails, a user's step has times of
# another trace than that of his file, or a mistake in it ends in a run that never does, or in no
# word of which line of which rank is wrong.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
corpus=$here/../fuzz/corpus/trace-file

# scenario NAME FILE [ATTRIBUTES]: 8 hosts at 100 Gb/s
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="4" link-rate="100Gbps" link-delay="1us"/>
  <switch preset="100g"/><balancer name="ecmp"/>
  <workload kind="trace" file="$2" ${3:-}/>
</scenario>
END
}

run()
{
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
}

# --- the same trace in each form ---------------------------------------------------------------

cp "$corpus/small.goal" "$corpus/small.bin" .
gzip -k small.goal
gzip -k small.bin
xz -k small.bin
for file in small.goal small.bin small.goal.gz small.bin.gz small.bin.xz; do
    scenario step $file
    rm -rf step
    run step
    for table in summary ranks qps flows; do
        "$weft" query step "select * from $table" >$table.found || fail "$file: no table $table"
        [ -f $table.first ] || cp $table.found $table.first
        cmp $table.found $table.first || fail "$file: $table differs from that of small.goal"
    done
done
# Rank 1: 2000 B behind 0.5 us of computing, and then 0.02 us.
"$weft" query step "select count(*) from ranks where rank = 1 and computing_us = 0.02 and
    abs(end_us - exposed_us - 0.02) < 1e-9 and idle_us < 3" | tail -n 1 | grep -qx ' *1' ||
    fail 'rank 1 does not compute for 0.02 us, or waits for something else'
"$weft" query step "select posted_us from flows where bytes = 2000" | tail -n 1 | grep -qx ' *0.5' ||
    fail 'a send does not begin when what it requires has ended'
"$weft" query step "select step_us - max(ranks.end_us) from ranks, summary" | tail -n 1 | grep -qx ' *0' ||
    fail 'a step does not end with the last operation of the last rank'

# --- in closed form ----------------------------------------------------------------------------

# closed NAME SCALE: every construct of GOAL once, beside LogGOPS' formula with o = O = 0. A byte takes G;
# frames have 1452 B of payload, 48 B of headers and a gap of 20 B; a way within a leaf is two links and L.
# Rank 0 sends rank 2 its frame behind the first one to rank 1, all of which come one slot later by that.
closed()
{
    cat >"$1.goal" <<'END'
num_ranks 3

rank 0 {
l1: calc 5000
l2: send 1000000b to 1 tag 7
l2 requires l1
l3: send 10b to 2 tag 1 nic 0
l3 irequires l2
}

rank 1 {
l1: recv 1000000b from 0 tag 7
l2: calc 3000 cpu 1
l2 requires l1
}

rank 2 {
l1: recv 10b from 0 tag 1
}
END
    scenario "$1" "$1.goal" "compute-scale=\"$2\""
    run "$1"
    awk -v scale="$2" 'BEGIN {
        G = 80; L = 2000000; header = 48; gap = 20; full = 1452
        slot = (full + header + gap) * G; frames = 688; last = 1000000 - frames * full
        begun = 5000000 * scale
        other = begun + slot + 2 * (10 + header) * G + L
        came = begun + frames * slot + (10 + header + gap) * G + (full + header) * G + (last + header) * G + L
        ack = 2 * 64 * G + L
        printf "0 %.6f %.6f\n1 %.6f %.6f\n2 %.6f %.6f\n", (came + ack) / 1e6, (came + ack - begun) / 1e6,
            (came + 3000000 * scale) / 1e6, came / 1e6, other / 1e6, other / 1e6
    }' >"$1.closed"
    "$weft" query "$1" "select printf('%d %.6f %.6f', rank, end_us, exposed_us) from ranks order by rank" |
        tail -n +2 >"$1.found"
    cmp "$1.closed" "$1.found" || fail "$1: $(cat "$1.found") is not $(cat "$1.closed")"
}
closed once 1
closed thrice 3
closed talk 0

# --- parameters --------------------------------------------------------------------------------

scenario slow small.goal 'compute-scale="2" start="3us" placement="interleaved"'
run slow
"$weft" query slow "select posted_us, src, dst from flows where bytes = 2000" | tail -n 1 |
    grep -qx ' *4  *0  *2' || fail 'compute-scale, start or placement changes something else'
# Ranks where a file says: hosts of the topology, or numbered among the workload's own.
printf 'rank,host\n0,5\n2 1 \n# the last\n1 6\n' >places.csv
scenario placed small.goal 'placement-file="places.csv"'
run placed
"$weft" query placed "select group_concat(host, ' ') from (select host from ranks order by rank)" | tail -n 1 |
    grep -qx '5 6 1' || fail 'ranks are not where placement-file says'
"$weft" query placed "select src, dst from flows where bytes = 2000" | tail -n 1 | grep -qx ' *5  *6' ||
    fail 'messages are not between the hosts of placement-file'
printf '0 2\n1 0\n2 1\n' >places.csv
scenario placed-own small.goal 'placement-file="places.csv" hosts="3-5"'
run placed-own
"$weft" query placed-own "select group_concat(host, ' ') from (select host from ranks order by rank)" |
    tail -n 1 | grep -qx '5 3 4' || fail "placement-file does not number the workload's hosts"
# misplaced LINES MESSAGE [ATTRIBUTES]
misplaced()
{
    printf "%b" "$1" >bad-places.csv
    scenario misplaced small.goal "placement-file=\"bad-places.csv\" ${3:-}"
    ! "$weft" run misplaced.xml --no-figures --out misplaced >out 2>messages || fail "taken: $1"
    grep -qF "$2" messages || fail "not '$2' but: $(cat messages)"
}
misplaced '0 1\n1 2\n' 'bad-places.csv:2: rank 2 has no host; expected a line for each of 3 ranks'
misplaced '0 1\n1 1\n2 3\n' 'bad-places.csv:2: host 1 has the rank of line 1; expected a host of its own'
misplaced '0 1\n0 2\n2 3\n' 'bad-places.csv:2: rank 0 is at line 1 as well; expected each once'
misplaced '0 1\n1 8\n2 3\n' 'bad-places.csv:2: host 8; the topology has 8 hosts, 0 to 7'
misplaced '0 1\n1 2\n3 4\n' 'bad-places.csv:3: rank 3; the trace has 3 ranks, 0 to 2'
misplaced '0 1 2\n' 'bad-places.csv:1: 3 words; expected two, a rank and its host'
misplaced '0 h\n' "bad-places.csv:1: host 'h'; expected"
misplaced '0 1\n1 2\n2 3\n' 'expected no placement and no rails beside it' 'placement="random"'
scenario asks small.goal 'eager="1999B"'
run asks
"$weft" query asks "select count(*) from flows" | tail -n 1 | grep -qx ' *4' ||
    fail 'a rendezvous does not take two messages more'
# Two jobs of one trace do not share what changes.
cat >jobs.xml <<'END'
<scenario name="jobs">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="4" link-rate="100Gbps" link-delay="1us"/>
  <switch preset="100g"/><balancer name="ecmp"/>
  <workload name="a" kind="trace" file="small.goal" hosts="0-2"/>
  <workload name="b" kind="trace" file="small.goal" hosts="5-7"/>
</scenario>
END
run jobs
"$weft" query jobs "select workload, host, rank, computing_us from ranks order by workload, rank" >found
[ "$(tail -n +2 found | tr -s ' ' | sed 's/^ //')" = "$(printf 'a 0 0 0.51\na 1 1 0.02\na 2 2 0
b 5 0 0.51\nb 6 1 0.02\nb 7 2 0')" ] || fail "two jobs of one trace: $(cat found)"

# --- mistakes ----------------------------------------------------------------------------------

# refused TEXT MESSAGE: a trace that is refused with these words
refused()
{
    printf '%b' "$1" >bad.goal
    scenario bad bad.goal
    ! "$weft" run bad.xml --no-figures --out bad >out 2>messages || fail "taken: $1"
    grep -qF "bad.goal:$2" messages || fail "not '$2' but: $(cat messages)"
    [ ! -e bad ] || fail 'there are results of a trace that was refused'
}

refused '' "1: the file is empty; expected a trace: GOAL, text or binary"
refused 'flows\n' "1: 'flows'; expected a trace: GOAL as text begins with num_ranks, as a binary with the number 4223"
refused 'num_ranks 0\n' '1: there are no ranks; expected 1 or more'
refused 'num_ranks 2\nrank 0 {\n}\n' '4: rank 1 is missing; expected ranks 0 to 1'
refused 'num_ranks 2\nrank 0 {\n}\nrank 0 {\n}\n' '4: rank 0 is here again; expected each rank once'
refused 'num_ranks 2\nrank 2 {\n}\n' "2: '2'; expected a rank: a number up to 1"
refused 'num_ranks 2\nrank 0 {\nsend 10b to 1\n' '4: the file ends within rank 0'
refused 'num_ranks 2\nrank 0 {\nsend 10 to 1\n}\n' "3: '10'; expected bytes: a number up to 4611686018427387903, and behind it b"
refused 'num_ranks 2\nrank 0 {\nsend 10b from 1\n}\n' "3: 'from'; expected 'to'"
refused 'num_ranks 2\nrank 0 {\nsend 10b to 0\n}\n' '3: rank 0 talks to itself; expected another rank'
refused 'num_ranks 2\nrank 0 {\nrecv 10b from -1\n}\n' "3: '-1'; expected a rank: Weft has no receives from any rank"
refused 'num_ranks 2\nrank 0 {\na: calc 10\nb requires a\n}\nrank 1 {\n}\n' "4: rank 0 has no operation 'b'; expected a label of this rank"
refused 'num_ranks 2\nrank 0 {\na: calc 10\na: calc 10\n}\n' "4: rank 0 has the label 'a' already; expected another one"
refused 'num_ranks 2\nrank 0 {\ncalc 10 cpu 255\n}\n' "3: '255'; expected a cpu: a number up to 254"
refused 'num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\n}\n' \
    ' rank 0, line 3, send of 10 B to rank 1, tag 0: rank 1 has no receive for it'
refused 'num_ranks 2\nrank 0 {\nsend 10b to 1\n}\nrank 1 {\nrecv 9b from 0\n}\n' \
    ' rank 0, line 3, send of 10 B to rank 1, tag 0: the sizes differ from rank 1, line 6, receive of 9 B from rank 0, tag 0'
refused 'num_ranks 2\nrank 0 {\nsend 10b to 1 tag 5\n}\nrank 1 {\nrecv 10b from 0 tag 6\n}\n' \
    ' rank 0, line 3, send of 10 B to rank 1, tag 5: the tag differs from rank 1, line 6, receive of 10 B from rank 0, tag 6'
refused 'num_ranks 2\nrank 0 {\na: calc 5\nb: calc 5\na requires b\nb requires a\n}\nrank 1 {\n}\n' \
    ' operations wait for each other in a circle: rank 0, line 3 waits for rank 0, line 4 waits for rank 0, line 3'

# cut BYTES MESSAGE: the binary, cut or changed
cut()
{
    scenario bad bad.bin
    ! "$weft" run bad.xml --no-figures --out bad >out 2>messages || fail "taken: $1"
    grep -qF "bad.bin: $2" messages || fail "$1: not '$2' but: $(cat messages)"
}
head -c 12 small.bin >bad.bin
cut head 'byte 12: the file ends in the head of a GOAL binary; expected 14 bytes'
head -c 300 small.bin >bad.bin
cut part 'byte 30: rank 1 is in bytes'
head -c 60 small.bin.xz >bad.bin
cut xz 'the xz data are cut short; expected a whole file'
head -c 60 small.bin.gz >bad.bin
cut gzip 'the gzip data are cut short; expected a whole file'

# A small file that asks for more operations or dependencies than it has bytes for: of a hundred ranks
# with one part, or of operations that all name all of an appendix. These would fill any memory.
# little N BYTES...: numbers of N bytes each, little-endian.
little()
{
    width=$1
    shift
    for number; do
        digit=0
        while [ $digit -lt "$width" ]; do
            # shellcheck disable=SC2059 # the format is the byte
            printf "\\$(printf %o $((digit < 8 ? number >> 8 * digit & 255 : 0)))"
            digit=$((digit + 1))
        done
    done
}
# computing COUNT: an operation that computes for 1 us, for which the first COUNT of the appendix wait.
computing()
{
    little 4 0
    little 1 3
    little 4 0
    little 8 1000
    little 4 0
    little 1 0 0
    little 4 "$1" 0 0 0
}
{
    little 8 4223
    little 4 2
    little 1 1 1
    little 8 46 93 46 93
    little 4 1 0
    computing 0
} >bad.bin
cut shared 'byte 30: the parts of ranks 0 to 1 are larger than the file; expected a part of its own for each'
{
    little 8 4223
    little 4 1
    little 1 1 1
    little 8 30 124
    little 4 2 0
    computing 2
    computing 1
    little 4 1 1
} >bad.bin
cut appendix 'byte 100: rank 0, operations 1 to 2 name 3 entries of an appendix of 2; expected each entry once'

# A dependency that is lost: the second operation waits for one, and none names it.
{
    little 8 4223
    little 4 1
    little 1 1 1
    little 8 30 116
    little 4 2 0
    computing 0
    little 4 1
    computing 0 | tail -c 35
} >bad.bin
cut lost 'byte 77: rank 0, operation 2 waits for 1 operations, and 0 name it; expected as many'

# A cpu that a text cannot name would be none, and a send of it would not wait for computing there.
{
    little 8 4223
    little 4 1
    little 1 1 1
    little 8 30 77
    little 4 1 0
    computing 0 | head -c 21
    little 1 255 0
    little 4 0 0 0 0
} >bad.bin
cut cpu 'byte 59: rank 0, operation 1: cpu 255; expected 0 to 254'

# The mark that editors put before UTF-8 is no part of the trace.
{ printf '\357\273\277' && cat small.goal; } >marked.goal
scenario marked marked.goal
"$weft" run marked.xml --no-figures --out marked >out 2>messages || fail "a text with a byte order mark: $(cat messages)"

# More ranks than hosts; and a rendezvous that blocks both.
printf 'num_ranks 9\n' >many.goal
for rank in 0 1 2 3 4 5 6 7 8; do
    printf 'rank %d {\nsend 1b to %d\nrecv 1b from %d\n}\n' $rank $(((rank + 1) % 9)) $(((rank + 8) % 9))
done >>many.goal
scenario many many.goal
! "$weft" run many.xml --out many >out 2>messages || fail '9 ranks fit 8 hosts'
grep -q 'many.xml:4: error: this trace does not fit 8 hosts: the trace has 9 ranks, each at a host of its own; there are 8 hosts' messages ||
    fail "more ranks than hosts: $(cat messages)"
printf 'num_ranks 2\nrank 0 {\ns: send 10b to 1\nr: recv 10b from 1\nr requires s\n}
rank 1 {\ns: send 10b to 0\nr: recv 10b from 0\nr requires s\n}\n' >block.goal
scenario block block.goal
run block
scenario block block.goal 'eager="0B"'
! "$weft" run block.xml --no-figures --out block2 >out 2>messages || fail 'a rendezvous of two that both send first ends'
grep -q '4 operations have not ended: rank 0, line 3, send of 10 B to rank 1, tag 0: its receiver has not answered' messages out ||
    fail "what is blocked is not told: $(cat messages)"
