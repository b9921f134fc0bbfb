#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: ranks.sh WEFT-RUNNER
# Several processes of MPI simulate a run together: the same results as with one, an end with a message
# where one of them dies, and no finished run lost. Else a large run on many machines cannot be relied on.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

mounted='' all=''
cleanup()
{
    [ -z "$mounted" ] || umount "$work/small"
    [ -z "$all" ] || kill "$all" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

command -v mpirun >/dev/null || {
    echo 'skipped: mpirun (package openmpi-bin) is not installed'
    exit 77
}
# Here ranks share processors, and this may be root in a container.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
# Looking for networks that are not here takes most of a start.
export OMPI_MCA_pml=ob1

# ranks N COMMAND...
ranks()
{
    n=$1
    shift
    mpirun -n "$n" "$weft" "$@"
}

# end_with STATUS N COMMAND...: ranks of which one or more end with that exit status, the others with 0.
# mpirun does not see it: it would take two seconds to end the others.
end_with()
{
    expected=$1 n=$2
    shift 2
    # shellcheck disable=SC2016 # expanded there
    mpirun -n "$n" sh -c '"$0" "$@" || echo "a rank ended with $?"' "$weft" "$@" >out 2>messages || fail "$*: mpirun"
    found=$(grep 'a rank ended' out | sort -u)
    [ "$found" = "a rank ended with $expected" ] || fail "$*: $found, expected $expected"
}

if ! ranks 2 run "$here/tiny.xml" --no-figures --out two >out 2>messages; then
    grep -q 'built without MPI' messages || fail 'two ranks'
    echo 'skipped: this weft was built without MPI'
    exit 77
fi
grep -q '6 of 6 runs are in two/summary.csv' out || fail 'two ranks: no word of the end'
[ "$(grep -c 'completion time' messages)" = 6 ] || fail 'two ranks: not one line for each run'
"$weft" run "$here/tiny.xml" --no-figures --out one >out 2>messages || fail 'one process'
"$here/same-results.sh" "$weft" one two || fail 'two ranks: other results'

# Three tiers, links that fail, steps that wait for each other, messages that are given up; messages that
# hosts plan, and QPs that a host makes only when a part needs them; ranks that have threads, and one that
# has no node at all.
sed -e 's,<topology.*,<topology kind="fat-tree" k="4" link-rate="100Gbps",' \
    -e 's,link-rate="100Gbps" link-delay="1us"/>,link-delay="1us"/>,' -e '/<drop/d' \
    -e 's,<workload.*,<workload kind="alltoall" bytes="200KB"/><failure lower="0" upper="8" at="20us"/>,' \
    -e 's,queues="on",queues="on" paths="on" ports="tor-up" balance="on",' \
    -e 's,rsq,conga,' \
    -e 's,</cases>,<case name="ethereal"><set param="balancer.name" value="ethereal"/></case>&,' "$here/tiny.xml" >tree.xml
"$weft" run tree.xml --no-figures --out tree-1 >out 2>messages || fail 'a fat-tree'
for n in 2 3 5; do
    host=$([ $n = 3 ] && echo plain || echo ns3)
    ranks $n run tree.xml --threads $((n % 2 + 1)) --host "$host" --no-figures --out tree-$n >out 2>messages ||
        fail "a fat-tree, $n ranks"
    "$here/same-results.sh" "$weft" tree-1 "tree-$n" || fail "a fat-tree, $n ranks: other results"
done

# What is cut by a limit is a part, and says the same.
sed 's,<limit time="100ms"/>,<limit time="30us"/>,' tree.xml >cut.xml
ends 1 "$weft" run cut.xml -j 1 --no-figures --out cut-1
sed -n 's/^.*error: //p' messages | sed 's,cut-1,cut,' >one-says
end_with 1 2 run cut.xml --no-figures --out cut-2
sed -n 's/^.*error: //p' messages | sed 's,cut-2,cut,' >two-say
grep -q 'messages were not delivered' one-says || fail 'nothing was cut'
cmp one-says two-say || fail 'a part: other words'

# A run that is cut while hosts have QPs that they have sent nothing on: the later parts have begun first.
sed -e 's,<balancer name="conga",<balancer name="ethereal" spread="300us",' -e 's,kind="alltoall",kind="permutation",' \
    -e 's,<limit time="100ms"/>,<limit time="150us"/>,' tree.xml >begun.xml
ends 1 "$weft" run begun.xml --only 'ethereal_seed=1' -j 1 --no-figures --out begun-1
sed -n 's/^.*error: //p' messages | sed 's,begun-1,begun,' >one-says
end_with 1 3 run begun.xml --only 'ethereal_seed=1' --no-figures --out begun-3
sed -n 's/^.*error: //p' messages | sed 's,begun-3,begun,' >three-say
cmp one-says three-say || fail 'planned messages, a part: other words'

# Peak memory is that of the rank that has most.
"$weft" export two/runs/ecmp_seed=1.sqlite --to exported >out 2>messages || fail 'export'
grep -q '^peak memory.* KiB, the most of 2 ranks' "$(find exported -name provenance.txt)" || fail 'provenance: memory'

# A mistake is said once.
end_with 2 2 run "$here/tiny.xml" --set transport.name=nobody
[ "$(grep -c 'nobody' messages)" = 1 ] || fail 'a mistake is said more than once'

# What srun starts without --mpi=pmix does not find its others.
ends 2 env SLURM_STEP_NUM_TASKS=2 "$weft" run "$here/tiny.xml" --no-figures --out alone
grep -q 'expected mpirun, or srun --mpi=pmix' messages || fail 'processes that are not joined: no reason'

# Ranks that would simulate different things: all end, and nothing is kept. Single runs are not shared.
if mpirun -n 1 "$weft" run "$here/tiny.xml" --only ecmp_seed=1 --no-figures --out differ : \
    -n 1 "$weft" run "$here/tiny.xml" --only ecmp_seed=1 --set workload.bytes=100KB --no-figures --out differ \
    >out 2>messages; then
    fail 'ranks have different scenarios'
fi
grep -q 'another scenario than rank 0' messages || fail 'ranks have different scenarios: no reason'
[ ! -e differ/runs/ecmp_seed=1.sqlite ] || fail 'ranks have different scenarios: a run is kept'
mpirun -n 1 "$weft" run-one "$here/tiny.xml" --run ecmp_seed=1 --out farm : \
    -n 1 "$weft" run-one "$here/tiny.xml" --run rsq_seed=1 --out farm >out 2>messages || fail 'two single runs'
for run in ecmp_seed=1 rsq_seed=1; do
    [ -e "farm/runs/$run.sqlite" ] || fail 'a single run is lost'
done

# A rank that is killed: all end, and what was finished is kept. The third run is a long one.
sed -e 's,<set param="balancer.name" value="rsq"/>,&<set param="workload.bytes" value="400MB"/>,' \
    -e 's,100ms,10s,' "$here/tiny.xml" >long.xml
# begin_long OUT
begin_long()
{
    mpirun -n 2 "$weft" run long.xml --no-figures --out "$1" >out 2>messages &
    all=$!
    for _ in $(seq 300); do
        victim=$(pgrep -P $all -f rsq | tail -n 1) || victim=
        [ -z "$victim" ] || break
        sleep 0.1
    done
    [ -n "$victim" ] || fail 'the third run does not begin'
}

begin_long killed
cp killed/runs/ecmp_seed=1.sqlite kept
kill -9 "$victim"
status=0
wait $all || status=$?
[ $status != 0 ] || fail 'a rank is killed: exit status 0'
grep -q 'signal 9' messages || fail 'a rank is killed: no message'
cmp kept killed/runs/ecmp_seed=1.sqlite || fail 'a rank is killed: a finished run changed'
[ ! -e killed/runs/rsq_seed=1.sqlite ] || fail 'a rank is killed: its run looks finished'

# Asked where it is, it says so and goes on; Ctrl-C ends all (mpirun may end before it has passed on the last word).
begin_long stopped
for _ in $(seq 100); do
    kill -USR1 $all
    ! grep -q '^rsq_seed=1: at .* of 4 messages' messages || break
    sleep 0.1
done
grep -q '^rsq_seed=1: at .* of 4 messages' messages || fail 'SIGUSR1: no word of where it is'
kill -INT $all
status=0
wait $all || status=$?
[ $status != 0 ] || fail 'Ctrl-C: exit status 0'
! pgrep -f -- '--out stopped' >/dev/null || fail 'Ctrl-C: a process is left'
[ -e stopped/runs/ecmp_seed=1.sqlite ] || fail 'Ctrl-C: a finished run is lost'

# A rank without memory says which it is.
cat >large.xml <<'END'
<scenario name="large">
  <title>8,192 hosts, of which each rank has a part</title>
  <topology kind="fat-tree" k="32" link-rate="100Gbps" link-delay="1us"/>
  <transport name="sack"/>
  <congestion-control name="none"/>
  <balancer name="rsq"/>
  <workload kind="permutation" bytes="64KB"/>
  <limit time="1s"/>
</scenario>
END
# shellcheck disable=SC2016 # expanded there
if mpirun -n 1 "$weft" run large.xml --no-figures --out large : \
    -n 1 sh -c 'ulimit -v 200000; exec "$0" "$@"' "$weft" run large.xml --no-figures --out large >out 2>messages; then
    fail 'a rank has 200 MB: exit status 0'
fi
grep -q 'rank 1: out of memory' messages || fail 'a rank without memory: no reason'

mkdir small
if ! mount -t tmpfs -o size=768k,nr_inodes=200 tmpfs small 2>/dev/null; then
    echo 'skipped: mounting a small disk needs root'
    exit 77
fi
mounted=yes
ranks 2 run "$here/tiny.xml" --only ecmp_seed=1 --no-figures --out small/r >out 2>messages || fail 'the first run does not fit'
cp small/r/runs/ecmp_seed=1.sqlite kept
head -c 768k /dev/zero >small/ballast 2>/dev/null || true
end_with 1 2 run "$here/tiny.xml" --no-figures --out small/r
grep -q 'No space left on device' messages || fail 'full disk: no reason given'
cmp kept small/r/runs/ecmp_seed=1.sqlite || fail 'full disk: an earlier run changed'
rm small/ballast
ranks 2 run "$here/tiny.xml" --no-figures --out small/r >out 2>messages || fail 'no recovery'
"$here/same-results.sh" "$weft" one small/r || fail 'full disk: other results'
echo 'ranks have the results of one process'
