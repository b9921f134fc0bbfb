#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: public-traces.sh WEFT-RUNNER
# Traces and workloads of ASTRA-sim and SimAI run as they are, from the folder WEFT_INPUTS; a ring of
# sends and receives and the MSCCL algorithm that it was made from have the times of allreduce-ring. Users
# bring files like these.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# run NAME RANKS WORKLOAD: so many hosts, eight at a ToR
run()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="leaf-spine" leaves="$((($2 + 7) / 8))" spines="8" hosts-per-leaf="$(($2 < 8 ? $2 : 8))"
            link-rate="400Gbps" link-delay="1us"/>
  <switch preset="400g"/><transport name="sack"/><balancer name="rsq"/>
  <workload $3/>
</scenario>
END
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
    sed -n 2p "$1/summary.csv" | grep -q . || fail "$1: no results"
}

# messages NAME N BYTES: it has sent so many messages of so many bytes in all, and all have arrived
messages()
{
    exported "$1"
    awk -F , -v n="$2" -v bytes="$3" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
        { sum += $c["bytes"]; arrived += $c["delivered_us"] > 0 }
        END { printf "%d messages of %.0f bytes, %d arrived\n", NR - 1, sum, arrived
              exit !(NR - 1 == n && arrived == n && (bytes == 0 || sum == bytes)) }' \
        "$1.runs/$1/flows.csv" || fail "$1: not $2 messages of $3 bytes"
}

mib=1048576 chakra=$WEFT_INPUTS/chakra simai=$WEFT_INPUTS/simai
ring=$chakra/custom_ring_allreduce_8npus_1MB/custom_allreduce
run ring 8 'kind="allreduce-ring" bytes="1MiB"'
run sends 8 "kind=\"trace\" file=\"$ring.%d.et\" compute-scale=\"0\""
run msccl 8 "kind=\"trace\" file=\"$ring.xml\" collective-bytes=\"1MiB\""
run reduce 8 "kind=\"trace\" file=\"$chakra/all_reduce_8npus_1MB/all_reduce.%d.et\" allreduce=\"ring\""
run given 8 "kind=\"trace\" file=\"$chakra/all_reduce_8npus_1MB/all_reduce.%d.et\" collective-file=\"$ring.xml\""
for name in ring sends msccl reduce given; do
    messages $name 112 $((14 * mib))
    column $name.runs/$name/flows.csv delivered_us | sort -g >$name.when
    cmp ring.when $name.when || fail "$name: other times than allreduce-ring"
done
run nccl 8 "kind=\"trace\" file=\"$chakra/all_reduce_8npus_1MB/all_reduce.%d.et\""
run exchange 8 "kind=\"trace\" file=\"$chakra/all_to_all_8npus_1MB/all_to_all.%d.et\""
messages exchange 56 $((7 * mib))
run scatter 4 "kind=\"trace\" file=\"$chakra/reduce_scatter_4npus_1MB/reduce_scatter.%d.et\""
messages scatter 12 $((3 * mib))
# One rank of PyTorch's: two broadcasts of a piece each, and five allreduces by ring; all eight ranks do so.
run pytorch 8 "kind=\"trace\" file=\"$chakra/pytorch-chakra.0.et.xz\" allreduce=\"ring\" bytes-scale=\"0.01\""
messages pytorch $((2 * 7 + 5 * 112)) 0

run micro 8 "kind=\"trace\" file=\"$simai/microAllReduce.txt\" allreduce=\"ring\" bytes-scale=\"0.1\""
messages micro 224 0
run workload 384 "kind=\"trace\" file=\"$simai/workload_analytical-head.txt\" ranks=\"384\" bytes-scale=\"0.00001\""
grep -qF 'it announces 1789 layers and has 398, which are run' messages || fail 'the first layers of many: not told'

# A step of 128 GPUs, tensor by pipeline by data, by five schemes with their own NICs. All operations end; the
# ranks compute equally long whatever the scheme, and ECMP's collisions are exposed communication.
cp "$WEFT_INPUTS/goal/step-tp8-pp4-dp4.bin.xz" .
sed 's/file="training-step.goal.xz"/file="step-tp8-pp4-dp4.bin.xz"/; s/<seeds first="1" count="10"/<seeds count="1"/' \
    "$here/../../scenarios/workloads/training-step.xml" >schemes.xml
"$weft" run schemes.xml --no-figures --out schemes >out 2>messages || fail "schemes: exit status $?"
"$weft" query schemes "select scheme, step_us, computing_us, exposed_us from summary order by run" >found
cat found
schemes=$(tail -n +2 found | awk '{ print $1 }' | tr '\n' ' ')
[ "$schemes" = 'ecmp reps ofan pro themis ' ] || fail "schemes: $schemes"
[ "$("$weft" query schemes "select count(*) from ranks where end_us is null" | tail -n 1 | tr -d ' ')" = 0 ] ||
    fail 'schemes: operations that have not ended'
tail -n +2 found | awk '$3 != 2860 || $3 + $4 > $2 { exit 1 } $1 == "ecmp" { step = $2; exposed = $4 }
    $1 != "ecmp" && ($2 >= step || $4 >= exposed) { exit 1 }' ||
    fail 'schemes: steps or exposed communication are not what they should be'
