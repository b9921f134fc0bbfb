#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a user relies on who has many machines: that nodes without compilers, with homes of their own,
# work on one results folder; that nothing is built by the way; that the table of what is finished can
# be had at any time; and that the commands of docs/sweeps.md do what it says. Machines are played
# by processes, Slurm by a few lines; GNU parallel is the real one unless it is not installed.
set -eu
export LC_ALL=C
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
unset WEFT_COMMAND

fail()
{
    echo "FAILED: $*"
    [ ! -e messages ] || tail -n 20 messages
    exit 1
}

# A tree that is newer than what is built in it, and that may be written.
mkdir -p tree/build tree/scenarios/themis bin nothing
cp "$root/weft" "$root/CMakeLists.txt" tree/
cp -r "$root/plots" tree/
# 2 cases x 50 seeds, a few milliseconds each.
sed -e '/<case name="themis"/,/<\/case>/d' -e 's/count="2"/count="50"/' -e '/<figure name="rate"/,/\/>/d' \
    -e 's/name="tiny"/name="many"/' "$root/tests/runner/tiny.xml" >tree/scenarios/themis/fig5.xml
scenario=scenarios/themis/fig5.xml

# What a node has: neither tools nor packages.
for tool in sh sed readlink dirname cat wc gnuplot; do
    path=$(command -v $tool) || continue
    ln -s "$path" bin/
done
# What must not be called where it is there.
mkdir tools
for tool in cmake ninja make cc c++ pkg-config apt-get dpkg-query flock sudo; do
    printf '#!/bin/sh\necho "%s $*" >>"%s/called"\nexit 1\n' $tool "$work" >tools/$tool
    chmod +x tools/$tool
done

# node NUMBER COMMAND: runs it as on that machine.
node()
{
    home=$work/home$1
    shift
    mkdir -p "$home"
    (cd tree && env -i PATH="$nodes_path" HOME="$home" LD_LIBRARY_PATH="${LD_LIBRARY_PATH:-}" "$@")
}
nodes_path=$work/bin

# Without a build they say so, and begin none.
for with in '' ":$work/tools"; do
    nodes_path=$work/bin$with
    for command in "run --plan $scenario" "run-one $scenario --run ecmp_seed=1" "run --collect $scenario"; do
        status=0
        # shellcheck disable=SC2086 # words of a command
        node 1 ./weft $command >out 2>messages || status=$?
        [ $status = 1 ] || fail "without a build: $command ends with $status"
        grep -q "nothing is built in .*tree, and '${command%% *}' builds nothing.*weft build" messages ||
            fail "without a build: $command does not say so"
    done
done
[ ! -e called ] || fail "without a build: something called $(cat called)"
[ -z "$(ls tree/build)" ] || fail "without a build: there is now $(ls tree/build)"

cp "$root/build/weft-runner" tree/build/
touch -d '1 hour ago' tree/build/weft-runner
nodes_path=$work/bin
node 1 ./weft run $scenario --no-figures --out calm >/dev/null 2>messages || fail 'a sweep on one node'
grep -q '^weft: using the build that is there, as it is; to build anew, these are missing: cmake ninja' messages ||
    fail 'no word about the tools that are missing'

# Three nodes share the lines of a plan, others count rows meanwhile, with the tools and without.
node 1 ./weft run --plan $scenario --out ../shared --batch 7 >runs.txt 2>messages || fail 'plan'
[ "$(wc -l <runs.txt)" = 15 ] || fail "$(wc -l <runs.txt) lines for 100 runs by seven"
[ "$(grep -o -e ' --run ' runs.txt | wc -l)" = 100 ] || fail 'the plan does not have 100 runs'
[ "$(sed -n '15p' runs.txt | grep -o -e ' --run ' | wc -l)" = 2 ] || fail 'the last line has not the other two runs'
cp runs.txt tree/
pids=
for n in 1 2 3; do
    [ $n = 3 ] && nodes_path=$work/bin:$work/tools
    node $n sh -c "sed -n '$n~3p' runs.txt | sh -e" >node$n 2>&1 &
    pids="$pids $!"
done
rows=0
collections=0
while :; do
    working=
    for pid in $pids; do
        ! kill -0 "$pid" 2>/dev/null || working=1
    done
    if [ ! -d shared/runs ]; then
        [ -n "$working" ] || break
        sleep 0.1
        continue
    fi
    status=0
    node 4 ./weft run --collect $scenario --no-figures --out ../shared >table 2>messages || status=$?
    if [ $status = 0 ]; then
        now=$(sed -n 's,^\([0-9]*\) of 100 runs are in ../shared/summary.csv$,\1,p' table)
        [ "$now" -ge "$rows" ] || fail "$now rows after $rows"
        [ "$(wc -l <shared/summary.csv)" -gt "$now" ] || fail "$now rows are said, not there"
        rows=$now
        collections=$((collections + 1))
    else
        grep -q 'no run of .* is finished in' messages || fail 'collect while others run'
    fi
    [ -n "$working" ] || break
    sleep 0.1
done
n=0
for pid in $pids; do
    n=$((n + 1))
    wait "$pid" || fail "node $n: $(cat node$n)"
done
[ "$rows" = 100 ] || fail "$rows rows when all nodes have ended"
[ $collections -gt 1 ] || fail 'nothing was collected while the nodes worked'
[ ! -e called ] || fail "run-one, --plan or --collect called $(cat called)"
[ ! -e tree/build/.lock ] || fail 'run-one, --plan or --collect took the lock of the build'
[ "$(ls -A tree/build)" = weft-runner ] || fail "there is more in build/: $(ls -A tree/build)"
for n in 1 2 3 4; do
    [ -z "$(ls -A home$n)" ] || fail "node $n wrote to its home: $(ls -A home$n)"
done
for file in summary.csv layers.csv aggregate.csv; do
    cmp tree/calm/$file shared/$file || fail "$file is not that of one node"
done
find shared -name '.tmp-*' | grep -q . && fail 'temporary files are left'
# A batch goes on after a run that another process is at, and says that it is not done.
status=0
flock shared/runs/.tmp-ecmp_seed=1.sqlite sh -c "cd tree && ./weft run-one $scenario --out ../shared --again --run ecmp_seed=1 --run ecmp_seed=2" >out 2>messages ||
    status=$?
[ $status = 1 ] || fail "a run that another process is at: exit status $status"
grep -q 'ecmp_seed=1: error: another process works on this run' messages || fail 'no word of the other process'
grep -q 'ecmp_seed=2: completion time' messages || fail 'the rest of the batch was not run'

# What only reads works without tools as well.
nodes_path=$work/bin
for command in 'list themis' "validate $scenario" schema 'plot calm'; do
    # shellcheck disable=SC2086 # words of a command
    node 1 ./weft $command >out 2>messages || fail "$command without tools"
    [ -s out ] || fail "$command without tools says nothing"
done

# The commands of the page, on the real thing or, for Slurm, on what it would do with them: where sbatch
# is installed, a controller may not answer, or have other things to do.
mkdir played
cat >played/sbatch <<'END'
#!/bin/sh
# Runs the tasks of an array, one after the other, as Slurm does: each in sh, with its number.
tasks=
while [ $# -gt 0 ]; do
    case $1 in
        --array=1-*) tasks=$(seq "${1#--array=1-}") ;;
        --wrap) shift && wrap=$1 ;;
        --parsable) id=17 ;;
        --dependency=afterany:17 | --cpus-per-task=1 | --mem=1G | --time=4:00:00) ;;
        *) echo "sbatch: $1?" >&2 && exit 1 ;;
    esac
    shift
done
echo "$tasks" | wc -l >>"$SLURM_LOG"
for task in ${tasks:-none}; do
    SLURM_ARRAY_TASK_ID=$task sh -c "$wrap" >>"$SLURM_LOG.out" 2>&1 || exit 1
done
echo "${id:-Submitted batch job 18}"
END
chmod +x played/sbatch
if ! parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    echo 'note: GNU parallel is not installed; xargs takes its place'
    printf '#!/bin/sh\nexec xargs -P 4 -I "{}" sh -c "{}"\n' >tools/parallel
    chmod +x tools/parallel
fi
rm -f tools/flock tools/dpkg-query
echo : >tree/nodes.txt
awk -v RS='```' '/^sh\n/ { sub("^sh\n", ""); printf "%s", $0 >("page" ++n ".sh") }' <<END
$(sed -n '/^## Many machines/,/^### One large run/p' "$root/docs/sweeps.md")
END
if [ ! -e page3.sh ] || [ -e page4.sh ]; then fail 'the page does not have three examples'; fi
runs=100
for page in 1 2 3; do
    rm -rf shared called
    if [ $page = 2 ]; then
        # The other two are about the commands: they do with less.
        runs=20
        sed -i 's/count="50"/count="10"/' tree/$scenario
        "$root/build/weft-runner" run tree/$scenario --no-figures --out tree/calm >/dev/null 2>messages
    fi
    sed "s,/shared,$work/shared,g" page$page.sh >page.sh
    (cd tree && SLURM_LOG=$work/slurm PATH="$work/played:$PATH:$work/tools" sh -e ../page.sh) >out 2>messages || fail "example $page"
    [ ! -e called ] || fail "example $page called $(cat called)"
    [ $page = 3 ] || grep -q "^$runs of $runs runs are in" out || fail "example $page: $(tail -n 1 out)"
    for file in summary.csv layers.csv aggregate.csv; do
        cmp tree/calm/$file shared/fig5/$file || fail "example $page: $file is another"
    done
    [ -s shared/fig5/cct.png ] || ! command -v gnuplot >/dev/null || fail "example $page: no figure"
done
[ "$(xargs <slurm)" = '4 1' ] || fail "Slurm was given tasks: $(xargs <slurm)"
echo "collected $collections times while three nodes worked"
