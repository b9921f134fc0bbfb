#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: not-ours.sh WEFT-RUNNER
# A mistyped --out must not cost a user the files that lie there, nor a symbolic link those that it
# leads to: no command may write, replace or delete anything that is not Weft's.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# Everything in a folder: names, kinds, bytes, times.
look()
{
    find "$1" -printf '%p %y %s %T@ %l\n' | sort
    find "$1" -type f -exec cksum {} + | sort
}

# refused FOLDER WORDS COMMAND...: ends with 2, says these words, and leaves the folder as it was.
refused()
{
    folder=$1
    words=$2
    shift 2
    look "$folder" >before
    ends 2 "$weft" "$@"
    grep -q "error: .*$words" messages || fail "$*: does not say '$words'"
    look "$folder" | cmp before - || fail "$*: the folder is not as it was"
}

sed -e '/<figure name="rate"/,/\/>/d' "$here/tiny.xml" >tiny.xml
# A user's folder that holds files of the names that Weft uses.
mkdir -p mine/runs/ecmp_seed=1 mine/runs/.tmp-notes
for file in summary.csv aggregate.csv layers.csv scenario.xml cct.svg cct.gp .tmp-1-x runs/ecmp_seed=1.sqlite runs/ecmp_seed=1/data \
    runs/.tmp-notes/data; do
    echo "precious $file" >"mine/$file"
done
cp tiny.xml mine/scenario.xml
no='mine is not empty and has no .weft-results'
refused mine "$no" run tiny.xml --out mine
refused mine "$no" run tiny.xml --out mine --no-figures
refused mine "$no" run tiny.xml --only ecmp --again --out mine
refused mine "$no" run tiny.xml --dry-run --out mine
refused mine "$no" run-one tiny.xml --run ecmp_seed=1 --out mine
refused mine "$no" run --plan tiny.xml --out mine
refused mine "$no" run --collect tiny.xml --out mine
refused mine "$no" run --collect mine
refused mine "$no" plot tiny.xml --out mine
refused mine "$no" plot mine
# A mark that leads elsewhere is none, and one of a later version may mean anything.
echo 'weft results 2' >mark
ln -s ../mark mine/.weft-results
refused mine 'symbolic link' run tiny.xml --out mine
rm mine/.weft-results
echo 'weft results 99' >mine/.weft-results
refused mine "mark.*expected 'weft results 2'" run tiny.xml --out mine
# Results of an earlier version, a folder for each run, are named as such.
echo 'weft results 1' >mine/.weft-results
for command in 'run tiny.xml' 'plot tiny.xml' 'run --dry-run tiny.xml'; do
    # shellcheck disable=SC2086 # a command and its options
    refused mine 'mine has results of an earlier Weft' $command --out mine
done
refused mine 'mine has results of an earlier Weft' run --collect mine
# An empty mark is none, and no command that only reads makes one.
: >mine/.weft-results
refused mine "mark.*expected 'weft results 2'" run tiny.xml --out mine
mkdir void
ends 3 "$weft" plot tiny.xml --out void
grep -q 'void has no .weft-results' messages || fail 'plot of an empty folder: no message'
[ -z "$(ls -A void)" ] || fail 'plot makes files in an empty folder'

# A new folder, an empty one, and a link to one are what a user may give.
mkdir -p scratch/empty
ln -s scratch/empty link
"$weft" run tiny.xml --no-figures --out link >/dev/null 2>messages || fail 'a link as --out'
[ -L link ] || fail 'a link as --out is replaced'
[ -e scratch/empty/summary.csv ] || fail 'a link as --out is not followed'
"$weft" run tiny.xml --out good >/dev/null 2>messages || fail 'a new folder'
for file in summary.csv aggregate.csv layers.csv; do
    cmp link/$file good/$file || fail "$file of the two differ"
done
# Results of another scenario are not replaced by accident.
sed -e 's/name="tiny"/name="other"/' -e 's/"200KB"/"100KB"/' tiny.xml >other.xml
refused good "good holds results of the scenario 'tiny', and 'other' would replace its ecmp_seed=1" run other.xml --out good
refused good 'or --again to replace them' run-one other.xml --run rsq_seed=2 --out good
# Nor run by run: one that is not there yet would give the folder another name, and the others would follow.
cp -r good bad
rm bad/runs/ecmp_seed=1.sqlite
refused bad "'other' would replace its ecmp_seed=2" run other.xml --only ecmp_seed=1 --out bad
# Nor what is damaged.
rm -r bad
cp -r good bad
for run in bad/runs/*; do
    flip "$run"
done
refused bad "'other' would replace its ecmp_seed=1" run other.xml --out bad
rm -r bad
cp -r good bad
"$weft" run other.xml --again --no-figures --out bad >/dev/null 2>messages || fail 'another scenario with --again'
"$weft" run other.xml --no-figures --out bad --set transport.rto=150us >/dev/null 2>messages || fail 'the same scenario, changed'
rm -r bad

# The jobs of an array may be the first of their scenario in a folder that was another's.
sed -e 's/name="tiny"/name="later"/' -e 's/<seeds [^>]*>/<seeds first="5" count="6"\/>/' tiny.xml >later.xml
for try in 1 2 3 4 5; do
    cp -r good array
    pids=
    for seed in 5 6 7 8 9 10; do
        "$weft" run-one later.xml --run rsq_seed=$seed --out array >job-$seed.out 2>&1 &
        pids="$pids $!"
    done
    for pid in $pids; do
        wait "$pid" || fail "a job of an array, try $try: $(cat job-*.out)"
    done
    rm -r array
done

# Two scenarios that begin in one new folder at once: it becomes that of one of them, and the other is
# refused, whether it comes before or after the first one's end.
sed -e 's/name="tiny"/name="first"/' -e 's/"200KB"/"10MB"/' -e 's/limit time="100ms"/limit time="10s"/' \
    -e '/<measure/d' -e '/<figure name="rate"/,/\/>/d' tiny.xml >first.xml
sed -e 's/name="first"/name="second"/' -e 's/"10MB"/"9MB"/' first.xml >second.xml
for try in 1 2 3; do
    for command in 'run --no-figures -j 1' 'run-one --run rsq_seed=1'; do
        pids=
        for scenario in first second; do
            # shellcheck disable=SC2086 # a command and its options
            "$weft" $command $scenario.xml --out both-$try >$scenario.out 2>&1 &
            pids="$pids $!"
        done
        statuses="" winner="" loser=""
        for pid in $pids; do
            status=0
            wait "$pid" || status=$?
            statuses="$statuses $status"
        done
        case $statuses in
            ' 0 1' | ' 0 2') winner=first loser=second ;;
            ' 1 0' | ' 2 0') winner=second loser=first ;;
            *) cat first.out second.out && fail "$command of two scenarios at once ends with$statuses" ;;
        esac
        grep -q "another weft works in both-$try\|both-$try holds results of the scenario '$winner'" "$loser.out" ||
            fail "$command: no word about the other scenario: $(cat "$loser.out")"
        "$weft" run "$winner.xml" --dry-run --out both-$try | grep -q '^stale' && fail "$command: runs of both are mixed"
        rm -r both-$try
    done
done

# Links within: what they lead to stays, wherever they stand.
mkdir elsewhere
echo precious >elsewhere/data
cp good/runs/ecmp_seed=1.sqlite elsewhere/
look elsewhere >treasure
untouched()
{
    look elsewhere | cmp treasure - || fail "$*: what the link leads to has changed"
}

for name in .tmp-ecmp_seed=1.sqlite ecmp_seed=1.sqlite; do
    cp -r good bad
    rm -rf "bad/runs/$name"
    ln -s ../../elsewhere/ecmp_seed=1.sqlite "bad/runs/$name"
    refused bad/runs "bad/runs/$name is a symbolic link" run tiny.xml --again --out bad
    refused bad/runs "bad/runs/$name is a symbolic link" run-one tiny.xml --again --run ecmp_seed=1 --out bad
    untouched "$name"
    # It is in nobody's way where its run is not to be done.
    "$weft" run tiny.xml --only rsq --again --no-figures --out bad >/dev/null 2>messages || fail "$name: others"
    [ -L "bad/runs/$name" ] || fail "$name: the link is gone"
    untouched "$name, others"
    rm -r bad
done
# Nor is a file written to that has another name elsewhere, as a backup by 'cp -al' has it: what a
# killed run left, and all that is made anew.
cp -r good bad
echo precious >elsewhere/left
ln elsewhere/left bad/runs/.tmp-ecmp_seed=1.sqlite
ln elsewhere/left bad/.tmp-runs.log
cp -al bad linked
look elsewhere >treasure
look linked >backup
"$weft" run-one tiny.xml --again --run ecmp_seed=1 --out bad >/dev/null 2>messages || fail 'run-one over a hard link'
untouched 'run-one: a hard link'
"$weft" run tiny.xml --again --out bad >/dev/null 2>messages || fail 'run over hard links'
untouched 'run: hard links'
look linked | cmp backup - || fail 'run: a backup by cp -al has changed'
rm -r bad linked

cp -r good bad
rm -r bad/runs
ln -s ../elsewhere bad/runs
refused bad 'bad/runs is a symbolic link' run tiny.xml --out bad
refused bad 'bad/runs is a symbolic link' run --collect tiny.xml --out bad
untouched runs
rm -r bad

cp -r good bad
rm bad/.lock
ln -s ../elsewhere/lock bad/.lock
ends 1 "$weft" run tiny.xml --again --out bad
grep -q 'bad/.lock: it is a symbolic link' messages || fail 'a link as .lock is not named'
untouched .lock
rm -r bad

cp -r good bad
for file in summary.csv aggregate.csv layers.csv results.sqlite scenario.xml cct.gp cct.dat cct.svg cct.png runs/rsq_seed=1.sqlite; do
    echo precious >"elsewhere/${file##*/}"
    rm "bad/$file"
    ln -s "$work/elsewhere/${file##*/}" "bad/$file"
done
look elsewhere >treasure
"$weft" run --collect tiny.xml --out bad >/dev/null 2>messages || fail 'collect: links as files'
untouched 'collect: files'
grep -q 'warning: rsq_seed=1 is left out: .*rsq_seed=1.sqlite.* symbolic link' messages || fail 'a link as the file of a run'
rm bad/runs/rsq_seed=1.sqlite
"$weft" run tiny.xml --out bad >/dev/null 2>messages || fail 'run: links as files'
untouched 'run: files'
for file in summary.csv aggregate.csv layers.csv results.sqlite scenario.xml; do
    [ ! -L "bad/$file" ] || fail "$file did not take the link's place"
    [ $file = results.sqlite ] || cmp "bad/$file" "good/$file" || fail "$file is another"
done
rm -r bad

# What a run that reaches its limit leaves is set aside, but not where a link leads or a file is: that
# is seen before hours of simulation.
cp -r good bad
touch bad/unfinished
refused bad 'bad/unfinished: Not a directory' run tiny.xml --again --no-figures --out bad
rm bad/unfinished
ln -s ../elsewhere bad/unfinished
cp good/runs/ecmp_seed=1.sqlite elsewhere/
look elsewhere >treasure
refused bad 'bad/unfinished: it is a symbolic link' run tiny.xml --set limit.time=30us --no-figures --out bad
untouched unfinished
"$weft" run tiny.xml --no-figures --out bad >/dev/null 2>messages || fail 'a link as unfinished: runs that end'
untouched 'unfinished, runs that end'
rm -r bad

# A run replaces its own file; a folder is none.
cp -r good bad
rm bad/runs/ecmp_seed=1.sqlite
mkdir bad/runs/ecmp_seed=1.sqlite
touch bad/runs/ecmp_seed=1.sqlite/precious
refused bad/runs 'ecmp_seed=1.sqlite is a folder' run tiny.xml --again --out bad
echo 'nothing else is touched'
