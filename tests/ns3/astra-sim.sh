#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: astra-sim.sh PROGRAM
# The program of examples/astra-sim, with a stand-in for ASTRA-sim. If this fails, its user has ranks at
# other hosts than he said, or a job that ends without a word.
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "FAILED: $*"
    cat out messages
    exit 1
}

# job STATUS WORKLOAD OPTION...: it ends with that exit status; above 127 for any abort.
job()
{
    expected=$1 workload=$2
    shift 2
    status=0
    "$program" "--workload-configuration=$workload" --system-configuration=s --remote-memory-configuration=m \
        --ns3::WeftFabric::Transport=sack --ns3::WeftFabric::CongestionControl=none "$@" >out 2>messages || status=$?
    [ "$((status > 127 ? 128 : status))" = "$expected" ] || fail "$*: exit status $status, expected $expected"
}
leaves='--ns3::WeftFabric::Topology=leaf-spine leaves=2 spines=2 hosts-per-leaf=2 link-rate=100Gbps'

job 0 ring "$leaves"
[ "$(grep -c '^rank [0-3] has finished after [0-9]* ns$' out)" = 4 ] || fail 'not all ranks have finished'
near=$(sed -n 's/rank 0 has finished after \([0-9]*\) ns/\1/p' out)

# Each step of this ring crosses the spines, which takes longer; and two ranks of it share a leaf.
job 0 ring "$leaves" --hosts=0,2,1,3 --logical-dims=2,2
far=$(sed -n 's/rank 0 has finished after \([0-9]*\) ns/\1/p' out)
[ "$far" -ge "$near" ] || fail "across the spines $far ns, beside $near ns"
job 0 ring "$leaves" --hosts=0,1
[ "$(wc -l <out)" = 2 ] || fail 'not as many ranks as hosts'
leaf=$(sed -n 's/rank 0 has finished after \([0-9]*\) ns/\1/p' out)
job 0 ring "$leaves" --hosts=0,2
[ "$(sed -n 's/rank 0 has finished after \([0-9]*\) ns/\1/p' out)" -gt "$leaf" ] || fail 'hosts are not where ranks are'

# Ids of a topology's file: the switch is 0.
printf '3 1 2\n0\n0 1 100Gbps 1us 0\n0 2 100Gbps 1us 0\n' >topology.txt
job 0 ring --topology-file=topology.txt --hosts=1,2
[ "$(wc -l <out)" = 2 ] || fail 'a topology file'

job 1 stuck "$leaves"
grep -qx 'rank 1 has not finished: 1 receive waits, such as for 250000 bytes from rank 0 with tag 0; 0 of its own are under way' messages ||
    fail 'nobody says what a job that is stuck waits for'

# refused MESSAGE OPTION...
refused()
{
    message=$1
    shift
    job 128 ring "$leaves" "$@"
    grep -qF -- "$message" messages || fail "not '$message'"
}
refused 'rank 1 is at host 4; expected one below 4' --hosts=0,4
refused 'ranks 0 and 1 are at host 2; expected a host for each' --hosts=2,2
refused "--hosts '0,x': expected numbers, as 4,4" --hosts=0,x
refused "--hosts '0;1': expected commas" '--hosts=0;1'
refused '--logical-dims have 6 ranks, and there are hosts for 4' --logical-dims=2,3
! "$program" >out 2>messages || fail 'no files are taken for a job'
grep -qF 'expected --workload-configuration, --system-configuration and --remote-memory-configuration' messages ||
    fail 'nobody says which files are lacking'
