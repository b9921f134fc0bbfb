#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: resume.sh WEFT-RUNNER
# A sweep that is killed must keep its finished runs, and end as if nothing had happened: else a
# night of simulation is lost to a reboot. No process may be left, two must not mix their results.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# Long enough to be killed in the middle: some tenths of a second for each of the runs.
sed -e 's/"200KB"/"40MB"/' -e 's/count="2"/count="3"/' -e 's/name="tiny"/name="long"/' \
    -e 's/limit time="100ms"/limit time="10s"/' -e 's/interval="5us"/interval="1ms"/' \
    "$here/tiny.xml" >long.xml
"$weft" run long.xml -j 2 --no-figures --out calm >calm.txt 2>/dev/null
[ "$(find calm/runs -mindepth 1 -maxdepth 1 | wc -l)" = 9 ] || fail 'not 9 runs'

killed=0
for wait in 1 1 1 1; do
    "$weft" run long.xml -j 2 --no-figures --out killed >/dev/null 2>&1 &
    pid=$!
    # Kill it once there is something to lose.
    n=0
    while kill -0 $pid 2>/dev/null && [ $n -lt 200 ]; do
        finished=$(find killed/runs -mindepth 1 -maxdepth 1 ! -name '.*' 2>/dev/null | wc -l)
        [ "$finished" -gt "$killed" ] && break
        sleep 0.05
        n=$((n + wait))
    done
    kill -9 $pid 2>/dev/null || true
    wait $pid 2>/dev/null || true
    finished=$(find killed/runs -mindepth 1 -maxdepth 1 ! -name '.*' | wc -l)
    [ "$finished" -ge "$killed" ] || fail 'a finished run is gone'
    killed=$finished
    find killed/runs -name '.tmp-*' -size +0 | grep -q . && echo 'killed while writing'
done
[ "$killed" -gt 0 ] || fail 'nothing was finished before the kill'
[ "$killed" -lt 9 ] || echo 'note: all runs ended before the last kill'

# The children died with their parent: their runs are free.
for run in killed/runs/.tmp-*; do
    [ ! -e "$run" ] || flock -w 0.3 "$run" true || fail "a process still works on $run"
done

kept=$(find killed/runs -name '*seed*' ! -name '.*' -newer long.xml |
    sort | xargs ls -li --time-style=full-iso | awk '{print $1, $8}')
"$weft" run long.xml -j 2 --no-figures --out killed >killed.txt 2>messages || fail "$(cat messages)"
grep -q 'runs are finished already' messages || fail 'nothing was kept'
"$here/same-results.sh" "$weft" calm killed || fail 'the result differs from an undisturbed one'
sed 's,calm/,killed/,' calm.txt | cmp - killed.txt || fail 'the table differs'
after=$(find killed/runs -name '*.sqlite' | sort | xargs ls -li --time-style=full-iso |
    awk '{print $1, $8}')
echo "$kept" | while read -r line; do
    echo "$after" | grep -qxF "$line" || fail "a finished run was repeated: $line"
done
find killed -name '.tmp-*' | grep -q . && fail 'temporary files are left'

# What a plan is asked for is in its lines, and lines that nobody can run are warned of.
"$weft" run long.xml --plan --again --only rsq_seed=1 --out killed | grep -q -e ' --again$' || fail 'a plan drops --again'
sed -e 's/count="3"/count="250"/' -e "s/<case name=\"/&$(printf '%0100d' 0)/" long.xml >many.xml
"$weft" run --plan many.xml --out many --batch 750 >plan.sh 2>messages || fail 'a plan of long lines'
grep -q '^weft: warning: lines of the plan have up to [0-9]* characters' messages || fail 'no word of a line that is too long'
"$weft" run --plan many.xml --out many --batch 100 >plan.sh 2>messages || fail 'a plan of shorter lines'
! grep -q '^weft: warning' messages || fail 'a warning of short lines'

# A polite end (Ctrl-C, a batch system's warning) keeps what is finished and leaves nothing half.
"$weft" run long.xml -j 1 --no-figures --out ended >/dev/null 2>messages &
pid=$!
while ! find ended/runs -mindepth 1 -maxdepth 1 ! -name '.*' 2>/dev/null | grep -q .; do sleep 0.02; done
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status = 1 ] || fail "ended: exit status $status, expected 1"
n=$(find ended/runs -mindepth 1 -maxdepth 1 ! -name '.*' | wc -l)
grep -Eq "interrupted; $n of [0-9]+ runs are done and kept" messages || fail "ended: no word about $n runs that are done"
! grep -q 'error' messages || fail 'ended by its user, it speaks of an error'
find ended -name '.tmp-*' | grep -q . && fail 'ended: temporary files are left'

# A run whose scenario has changed is done again, and the others are not.
"$weft" run long.xml -j 2 --no-figures --out killed --set transport.rto=150us >/dev/null 2>messages
grep -q 'finished already' messages && fail 'a run with other parameters was taken for finished'
"$weft" run long.xml -j 2 --no-figures --out killed >/dev/null 2>&1
"$here/same-results.sh" "$weft" calm killed || fail 'going back gives something else'

# Two at a time on one folder, with what dead processes left in it.
mkdir -p both/runs
cp calm/.weft-results both/
cp calm/runs/rsq_seed=2.sqlite both/runs/.tmp-rsq_seed=1.sqlite
touch both/runs/.tmp-forgotten.sqlite both/.tmp-1-summary.csv
"$weft" run long.xml -j 1 --no-figures --out both >/dev/null 2>&1 &
pid=$!
while [ ! -e both/scenario.xml ]; do sleep 0.02; done
ends 1 "$weft" run long.xml -j 1 --no-figures --out both
grep -q 'another weft works in both' messages || fail 'no word about the other process'
wait $pid
"$here/same-results.sh" "$weft" calm both || fail 'what dead processes left disturbs the sweep'

# Beside a table that is being written: what is temporary of it is not a dead process's.
"$weft" run "$here/tiny.xml" --no-figures --out beside >/dev/null 2>&1
for _ in $(seq 60); do
    "$weft" run --collect "$here/tiny.xml" --no-figures --out beside >/dev/null 2>>messages.collect || touch lost
done &
pid=$!
while kill -0 $pid 2>/dev/null; do
    "$weft" run "$here/tiny.xml" --no-figures --out beside >/dev/null 2>messages.run || fail "$(cat messages.run)"
done
wait $pid
[ ! -e lost ] || fail "beside a sweep: $(sort -u messages.collect)"

# Beside runs that are made again, in CSV files and database each run is there as a whole, once.
rows='select (select count(*) from summary), (select count(*) from qps), (select count(*) from series),
(select count(*) from parameters), (select count(*) from provenance where key = '"'seed'"')'
"$weft" query beside "$rows" >whole
: >again
for case in ecmp rsq themis; do
    while [ -e again ]; do
        "$weft" run-one "$here/tiny.xml" --again --run ${case}_seed=1 --run ${case}_seed=2 --out beside || touch lost
    done >/dev/null 2>messages.$case &
done
for _ in $(seq 40); do
    "$weft" run --collect "$here/tiny.xml" --no-figures --out beside >/dev/null 2>messages || break
    "$weft" query beside "$rows" >now 2>&1 || true
    cmp whole now >messages || break
done
rm again
wait
[ ! -s messages ] || fail 'beside runs that are made again'
[ ! -e lost ] || fail "beside a table: $(cat messages.ecmp messages.rsq messages.themis)"

# The plan's commands, in any order and twice, give the same as the sweep.
"$weft" run --plan long.xml --out planned | sed "s,^weft,$weft," >plan.sh
[ "$(grep -c run-one plan.sh)" = 9 ] || fail 'not 9 commands in the plan'
mkdir -p planned/runs
cp calm/.weft-results planned/
echo stray >planned/runs/.tmp-ecmp_seed=1.sqlite
sort -r plan.sh | xargs -P 2 -I '{}' sh -c '{}' >/dev/null 2>&1 || fail 'a planned command fails'
sh plan.sh >/dev/null 2>messages || fail 'a planned command fails when repeated'
[ "$(grep -c '1 of 1 runs are finished already' messages)" = 9 ] || fail 'a planned run was repeated'
"$weft" run long.xml --no-figures --out planned >/dev/null 2>&1
"$here/same-results.sh" "$weft" calm planned || fail 'the plan gives something else'
# A path that SQLite does not take is refused before anything is simulated.
long=$(printf '%0240d/%0240d' 0 0)
ends 1 "$weft" run "$here/tiny.xml" --no-figures --out "$long"
grep -q 'SQLite takes no path' messages || fail 'a long path: no reason'
! grep -q 'completion time' messages || fail 'a long path: simulated in vain'

echo "resumed after $killed finished runs"
