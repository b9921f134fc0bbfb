#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: simulator-traces.sh WEFT-RUNNER WEFT-MAKE-CHAKRA
# Traces of Chakra, SimAI and MSCCL do what their files say, and every mistake in one is told with its
# file and line or byte, its rank and node. Else a damaged trace, or one that lacks a rank, would run as
# something else.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
make=$2

# scenario NAME ATTRIBUTES: eight hosts and a trace
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="4" link-rate="100Gbps" link-delay="1us"/>
  <switch preset="100g"/><transport name="nic-sr"/><balancer name="rsq"/>
  <workload $2/>
</scenario>
END
}

# run NAME ATTRIBUTES
run()
{
    scenario "$1" "$2"
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
    exported "$1"
}

# when NAME: when each message was delivered, in order of time
when()
{
    column "$1.runs/$1/flows.csv" delivered_us | sort -g
}

# same NAME OTHER WHAT
same()
{
    when "$1" >"$1.when"
    when "$2" >"$2.when"
    cmp "$1.when" "$2.when" || fail "$3"
}

# told MESSAGE ATTRIBUTES: a trace that is refused with it, whatever the path
told()
{
    scenario wrong "kind=\"trace\" $2"
    ends 2 "$weft" validate wrong.xml
    grep -qF -- "$1" messages || fail "not told: $1"
}

# --- a ring of eight, four ways ---------------------------------------------------------------
ring()
{
    chunk=$1
    rank=0
    while [ $rank -lt 8 ]; do
        {
            id=0 step=0
            while [ $step -lt 14 ]; do
                echo "node $id 5 0 $([ $id = 0 ] && echo - || echo $((id - 1))) comm_size=$chunk comm_dst=$(((rank + 1) % 8)) comm_tag=3"
                echo "node $((id + 1)) 6 0 $id comm_size=$chunk comm_src=$(((rank + 7) % 8)) comm_tag=3"
                echo "node $((id + 2)) 4 5 $((id + 1)) is_cpu_op=0"
                id=$((id + 3))
                step=$((step + 1))
            done
        } | "$make" >"ring.$rank.et"
        rank=$((rank + 1))
    done
}

msccl()
{
    echo '<algo name="ring" nchannels="1" nchunksperloop="8" ngpus="8" coll="allreduce" proto="Simple">'
    rank=0
    while [ $rank -lt 8 ]; do
        echo "<gpu id=\"$rank\"><tb id=\"0\" send=\"$(((rank + 1) % 8))\" recv=\"$(((rank + 7) % 8))\" chan=\"0\">"
        step=0
        while [ $step -lt 15 ]; do
            type=rrcs
            [ $step -gt 0 ] || type=s
            [ $step -lt 14 ] || type=r
            echo "<step s=\"$step\" type=\"$type\" cnt=\"1\" depid=\"-1\" deps=\"-1\"/>"
            step=$((step + 1))
        done
        echo '</tb></gpu>'
        rank=$((rank + 1))
    done
    echo '</algo>'
}

ring 100000
msccl >ring.xml
rank=0
while [ $rank -lt 8 ]; do
    echo "node 0 7 0 - comm_type=0 comm_size=800000 is_cpu_op=0" | "$make" >"reduce.$rank.et"
    rank=$((rank + 1))
done
run workload 'kind="allreduce-ring" bytes="800000B"'
[ "$(when workload | wc -l)" = 112 ] || fail 'a ring of eight has other messages than 8 * 14'
run chakra 'kind="trace" file="ring.%d.et" compute-scale="0"'
same workload chakra 'a ring of sends and receives has other times than allreduce-ring'
run algorithm 'kind="trace" file="ring.xml" collective-bytes="800000B"'
same workload algorithm 'a ring of MSCCL has other times than allreduce-ring'
run chosen 'kind="trace" file="reduce.%d.et" allreduce="ring"'
same workload chosen 'an allreduce of a trace by ring has other times than allreduce-ring'
run given 'kind="trace" file="reduce.%d.et" collective-file="ring.xml"'
same workload given 'an allreduce of a trace by an algorithm of MSCCL has other times than that'
run one 'kind="trace" file="reduce.0.et" ranks="8" allreduce="ring"'
grep -qF "all ranks do what 'reduce.0.et' says, and other ranks have files beside it; 'reduce.%d.et' reads" messages ||
    fail 'a trace of one rank stands for all without a word'
same workload one 'one trace for all ranks has other times than one for each'
# Two groups of four, in the traces themselves and in a file.
rank=0
while [ $rank -lt 8 ]; do
    group="$((rank / 4))"
    echo "node 1 7 0 - comm_type=0 comm_size=800000 is_cpu_op=0 pg_name=tp$group" >nodes
    "$make" <nodes >"named.$rank.et"
    printf '%s\n' 'node 0 1 0 -' "values ['[{\"pg_name\": \"tp$group\", \"ranks\": [$((4 * group)), $((4 * group + 1)), $((4 * group + 2)), $((4 * group + 3))]}]']" |
        cat - nodes | "$make" >"naming.$rank.et"
    rank=$((rank + 1))
done
echo '{"tp0": [0, 1, 2, 3], "tp1": [4, 5, 6, 7]}' >groups.json
run groups 'kind="allreduce-ring" bytes="800000B" groups="2" placement="blocked"'
run naming 'kind="trace" file="naming.%d.et" allreduce="ring"'
same groups naming 'process groups of a trace have other times than groups of a workload'
run named 'kind="trace" file="named.%d.et" allreduce="ring" process-groups="groups.json"'
same groups named 'process groups of a file have other times than groups of a workload'
run computing 'kind="trace" file="ring.%d.et"'
when computing >late
[ "$(tail -n 1 late | cut -d . -f 1)" -ge $(($(tail -n 1 workload.when | cut -d . -f 1) + 5 * 13)) ] ||
    fail 'what ranks compute takes no time'

# Results repeat themselves from what they keep, without the files.
mkdir -p kept && mv ring.*.et reduce.*.et ring.xml kept/
"$weft" run given/scenario.xml --no-figures --out again >out 2>messages || fail 'results do not repeat'
cp kept/* .

# --- SimAI -------------------------------------------------------------------------------------
simai()
{
    echo "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 1 vpp: 1 ga: 1 all_gpus: 8 checkpoints: 0 checkpoint_initiates: 0"
    cat
}
printf '2\na -1 1000 ALLGATHER 8000 2000 NONE 0 3000 ALLREDUCE_DP_EP 16000 0\nb -1 1000 NONE 0 2000 ALLTOALL_EP 8000 3000 NONE 0 0\n' |
    simai >step.txt
run simai 'kind="trace" file="step.txt"'
# Two ranks of each of four tensor groups send half of 8,000 bytes; of four expert groups as well; of four
# groups of data and experts half of 16,000 bytes twice.
column simai.runs/simai/flows.csv bytes | sort -g | uniq -c | awk '{ print $1, $2 }' >found
printf '16 4000\n16 8000\n' | cmp - found || fail 'SimAI: other messages than its groups have'
# Computing and collectives of a step take turns: 1 us, the first collective, 1 us of b and 2 us for b's
# input, the second one, 3 us for b's weights, 2 us and 3 us for a, and then the last one, in two steps.
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    { n = $c["bytes"] == 8000 ? 3 : $c["posted_us"] < 2 ? 1 : 2 }
    !(n in first) || $c["posted_us"] < first[n] { first[n] = $c["posted_us"] }
    $c["acked_us"] > last[n] { last[n] = $c["acked_us"] }
    END { printf "%.6f %.6f %.6f\n", first[1], first[2] - last[1], first[3] - last[2] }' \
    simai.runs/simai/flows.csv >found
[ "$(cat found)" = '1.000000 3.000000 8.000000' ] || fail "SimAI: what is computed takes other times: $(cat found)"

# A pipeline of four stages and eight microbatches, of 100 us forward and 200 us backward each: it takes the time
# of three microbatches more than there are, and with two chunks a stage of half as many. Messages are small.
pipeline()
{
    echo "HYBRID_TRANSFORMER model_parallel_NPU_group: 1 ep: 1 pp: $1 vpp: $2 ga: 8 all_gpus: $1 pp_comm: 100"
    echo 16
    for _ in 1 2 3 4 5 6 7 8; do
        echo 'embedding_layer -1 50000 NONE 0 50000 NONE 0 50000 NONE 0 0'
        echo 'mlp -1 50000 NONE 0 50000 NONE 0 50000 NONE 0 0'
    done
}
# takes NAME LEAST MOST: us of a step
takes()
{
    "$weft" query "$1" 'select max(end_us) from ranks' | tail -n 1 >found
    awk -v least="$2" -v most="$3" '{ exit !($1 >= least && $1 <= most) }' found ||
        fail "$1: a step takes $(cat found) us, not $2 to $3"
}
pipeline 4 1 >pipeline.txt
run pipeline 'kind="trace" file="pipeline.txt"'
takes pipeline 3300 3400
pipeline 4 2 >interleaved.txt
run interleaved 'kind="trace" file="interleaved.txt"'
takes interleaved 2850 3000
pipeline 2 1 >two.txt
run two 'kind="trace" file="two.txt"'
takes two 2700 2750

# --- collectives -------------------------------------------------------------------------------
# collective NAME ATTRIBUTES MESSAGES BYTES NODE: all of eight ranks do it: so many messages, and bytes of all
collective()
{
    echo "$5 is_cpu_op=0" | "$make" >"$1.et"
    run "$1" "kind=\"trace\" file=\"$1.et\" $2"
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } { sum += $c["bytes"] }
        END { print NR - 1, sum }' "$1.runs/$1/flows.csv" >found
    [ "$(cat found)" = "$3 $4" ] || fail "$1: messages and bytes $(cat found), not $3 $4"
}
collective gather '' 56 56000 'node 1 7 0 - comm_type=2 comm_size=1000'
collective gather-direct 'allgather="direct"' 56 56000 'node 1 7 0 - comm_type=2 comm_size=1000'
collective scatter '' 56 56000 'node 1 7 0 - comm_type=7 comm_size=8000'
collective scatter-direct 'reduce-scatter="direct"' 56 56000 'node 1 7 0 - comm_type=7 comm_size=8000'
collective broadcast '' 21 8400000 'node 1 7 0 - comm_type=5 comm_size=1200000'
collective reduction '' 7 7000 'node 1 7 0 - comm_type=1 comm_size=1000'
collective exchange '' 56 56000 'node 1 7 0 - comm_type=6 comm_size=8000'
collective halved 'bytes-scale="0.5"' 56 28000 'node 1 7 0 - comm_type=6 comm_size=8000'
for how in ring tree doubling direct; do
    collective "reduce-$how" "allreduce=\"$how\"" "$(
        case $how in ring) echo 112 ;; tree) echo 28 ;; doubling) echo 48 ;; direct) echo 112 ;; esac
    )" 112000 'node 1 7 0 - comm_type=0 comm_size=8000'
done
# By NCCL's model a small vector is reduced by tree and a large one by ring.
for size in 65536:allreduce-tree 16777216:allreduce-ring; do
    collective "nccl-${size%:*}" '' "$([ "${size#*:}" = allreduce-ring ] && echo 112 || echo 28)" \
        $((14 * ${size%:*})) "node 1 7 0 - comm_type=0 comm_size=${size%:*}"
    "$weft" query "nccl-${size%:*}" 'select kind from collectives' | grep -q "${size#*:}" ||
        fail "${size%:*} bytes are not reduced by ${size#*:}"
done
collective barrier '' 28 56 'node 1 7 0 - comm_type=9'

# --- mistakes ----------------------------------------------------------------------------------
rm ring.5.et
told "rank 5 has no file, 'ring.5.et', but rank 6 has 'ring.6.et'" 'file="ring.%d.et"'
cp kept/ring.5.et .
told "rank 8 has no file, 'ring.8.et'" 'file="ring.%d.et" ranks="9"'
told "rank 0 has no file, 'none.0.et'" 'file="none.%d.et"'
head -c 100 kept/ring.3.et >ring.3.et
told 'ring.3.et: byte 68: rank 3: a message of ' 'file="ring.%d.et"'
told 'the file is cut short or damaged' 'file="ring.%d.et"'
cp kept/ring.3.et .
flip ring.2.et 12
told 'ring.2.et: byte 8: rank 2' 'file="ring.%d.et"'
cp kept/ring.2.et .

# A few words that ask for more than any memory holds are refused at once: an all-gather of 65,536 ranks
# has 4 billion messages, and 64 of 1,024 ranks have 67 million together.
huge()
{
    {
        echo "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: $1 ep: 1 pp: 1 vpp: 1 ga: 1 all_gpus: $1"
        echo "$2"
        yes "mlp -1 1000 $3 1000000 1000 NONE 0 1000 NONE 0 100" | head -n "$2"
    } >huge.txt
    told "$4" 'file="huge.txt"'
}
huge 65536 1 ALLGATHER 'huge.txt:3: there may be more than 16777216 messages; expected fewer ranks'
huge 65536 1 ALLTOALL 'huge.txt:3: there would be more than 16777216 messages'
huge 1024 64 ALLGATHER 'there are more sends than 2^24'

# wrong MESSAGE NODE...: a trace of these nodes for two ranks
wrong()
{
    message=$1
    shift
    printf '%s\n' "$@" | "$make" >wrong.et
    told "$message" 'file="wrong.et" ranks="2"'
}
wrong "byte 8: rank 0, node 7 'node-7': comm_type 3; expected 0 (all_reduce), 1 (reduce), 2 (all_gather)" \
    'node 7 7 0 - comm_type=3 comm_size=100 is_cpu_op=0'
wrong "node 7 'node-7': no attribute comm_type" 'node 7 7 0 - comm_size=100 is_cpu_op=0'
wrong "node 7 'node-7': comm_size 0; expected 1 to" 'node 7 5 0 - comm_size=0 comm_dst=1'
wrong 'no attribute comm_dst' 'node 7 5 0 - comm_size=100'
wrong 'comm_size is no whole number' 'node 7 5 0 - comm_size=many comm_dst=1'
wrong "node 8 'node-8': it waits for node 9, which the file does not have" 'node 7 4 1 -' 'node 8 4 1 7,9'
wrong "node 2 'node-2': it waits for itself: for 3 for 1 for 2; expected no circle" \
    'node 1 4 1 2' 'node 2 4 1 3' 'node 3 4 1 1' 'node 4 4 1 1'
wrong 'a second node of this id; the first one is at byte 8' 'node 7 4 1 -' 'node 7 4 1 -'
wrong 'type 12; expected 0 to 7' 'node 7 12 1 -'
wrong "process group 'tp' is not known" 'node 7 7 0 - comm_type=0 comm_size=100 pg_name=tp'
wrong "node 1 'process_group-1': its process groups are unreadable: a rank was expected" \
    'node 1 1 0 -' 'values {"tp": [0, x]}'
wrong "its rank is not in process group 'tp'" \
    'node 1 1 0 -' 'values {"tp": [1]}' 'node 7 7 0 - comm_type=0 comm_size=100 pg_name=tp'
wrong 'comm_dst 4; expected another rank below 2' 'node 7 5 0 - comm_size=100 comm_dst=4'
wrong 'duration_micros 99999999999; expected at most' 'node 7 4 99999999999 -'
echo 'node 1 4 1 -' | "$make" >two.0.et
echo 'node 1 7 0 - comm_type=0 comm_size=100' | "$make" >two.1.et
told "two.1.et: byte 8: rank 1, node 1 'node-1': rank 0 has no collective 1 of process group '0'" 'file="two.%d.et"'
echo 'node 4 7 0 - comm_type=0 comm_size=99' | "$make" >two.0.et
told 'all_reduce of 100 B as collective 1 of process group '"'0'"', of which rank 0 has all_reduce of 99 B' 'file="two.%d.et"'
echo 'node 4 5 0 - comm_size=99 comm_dst=1' | "$make" >two.0.et
echo 'node 4 6 0 - comm_size=98 comm_src=0' | "$make" >two.1.et
told 'rank 0, node 4' 'file="two.%d.et"'

# sub EXPRESSION: the step of SimAI with that changed
sub()
{
    sed "$1" step.txt >wrong.txt
}
sub 's/ep: 2/ep: 3/'
told 'wrong.txt:1: 8 ranks; expected a multiple of 6' 'file="wrong.txt"'
sub 's/pp: 1/pp: 2/'
told 'wrong.txt:1: pp 2 without pp_comm' 'file="wrong.txt"'
sub 's/vpp/wpp/'
told "unknown 'wpp' of the parallelism" 'file="wrong.txt"'
told "did you mean 'pp'" 'file="wrong.txt"'
sub 's/ALLTOALL_EP/ALLTOALL_XP/'
told "wrong.txt:4: collective 'ALLTOALL_XP'; expected NONE" 'file="wrong.txt"'
sub '4s/ NONE 0 0$//'
told 'wrong.txt:4: 9 words; expected 12' 'file="wrong.txt"'
sub '4s/8000/8e3/'
told "wrong.txt:4: bytes '8e3'" 'file="wrong.txt"'
sub 's/^HYBRID_TRANSFORMER[A-Z_]*/DATA/'
told "wrong.txt:1: parallelism 'DATA'" 'file="wrong.txt"'
told '10 ranks; expected a multiple of 4' 'file="step.txt" ranks="10"'
sub '2s/2/9/'
scenario wrong 'kind="trace" file="wrong.txt"'
ends 0 "$weft" validate wrong.xml
grep -qF 'it announces 9 layers and has 2, which are run' messages || fail 'a file that ends early is not told'

edit()
{
    sed "$1" ring.xml >wrong-ring.xml
}
told "ring.xml:1: an algorithm says not how much it is for" 'file="ring.xml"'
edit '5s/rrcs/rcr/'
told "wrong-ring.xml:5: type 'rcr' of <step>" 'file="wrong-ring.xml" collective-bytes="1MB"'
edit '5s/depid="-1" deps="-1"/depid="4" deps="0"/'
told 'wrong-ring.xml:5: it waits for step 0 of thread block 4, which GPU 0 does not have' 'file="wrong-ring.xml" collective-bytes="1MB"'
edit '2s/send="1"/send="8"/'
told 'wrong-ring.xml:2: send 8 of a <tb> of GPU 0' 'file="wrong-ring.xml" collective-bytes="1MB"'
edit '2s/send="1"/send="2"/'
told 'wrong-ring.xml: ' 'file="wrong-ring.xml" collective-bytes="1MB"'
edit 's/ngpus="8"/ngpus="9"/'
told 'wrong-ring.xml:1: ngpus 9, and there are 8' 'file="wrong-ring.xml" collective-bytes="1MB"'
edit '3s/type="s"/type="r"/'
told 'rank 0, line 3, receive of 125000 B from rank 7: rank 7 has no send for it' 'file="wrong-ring.xml" collective-bytes="1MB"'
edit '3s/depid="-1" deps="-1"/depid="0" deps="1"/'
told 'wait for each other in a circle' 'file="wrong-ring.xml" collective-bytes="1MB"'
edit '7d'
told 's 5 of <step>; expected 4: steps stand in order' 'file="wrong-ring.xml" collective-bytes="1MB"'
told 'a trace in GOAL says all by itself' "file=\"$here/../../scenarios/workloads/six-flows.csv\" ranks=\"2\""
