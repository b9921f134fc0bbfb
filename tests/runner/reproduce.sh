#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: reproduce.sh WEFT-RUNNER
# Reproducing a paper must survive being killed without repeating a run, and one broken scenario
# must not cost the others: else a night on a cluster ends with nothing to show.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME BYTES: six runs.
scenario()
{
    sed -e "s/\"200KB\"/\"$2\"/" -e "s/name=\"tiny\"/name=\"$1\"/" -e '/<figure/,/\/>/d' \
        -e 's/limit time="100ms"/limit time="10s"/' -e 's/interval="5us"/interval="1ms"/' \
        "$here/tiny.xml" >scenarios/"$1".xml
}

# section TITLE RESULTS SCENARIO
section()
{
    printf '<section title="%s" results="%s" scenario="scenarios/%s.xml"><claim verdict="agrees"><says>time of %s</says>' "$@" "$2"
    printf '<query>select avg(cct_us) as value from summary where "case" = '"'rsq'</query></claim></section>\n"
}

mkdir -p docs/claims docs/papers scenarios
scenario first 10MB
scenario second 10MB
sed -i 's|</sweep>|&<quick><set param="workload.bytes" value="100KB"/></quick>|' scenarios/second.xml
{
    echo '<claims title="Demo">'
    section first first first
    section second second second
    section again second second
    section afar first first | sed -e 's|<claim |<attach results="second" as="afar"/>&|' -e 's/from summary/from afar.summary/'
    echo '</claims>'
} >docs/claims/demo.xml
sed 's/results="[a-z]*"/results="nowhere"/; s/Demo/Other/' docs/claims/demo.xml >docs/claims/other.xml

ends 0 "$reproduce"
[ "$(xargs <out)" = 'demo scenarios/first.xml scenarios/second.xml other scenarios/first.xml scenarios/second.xml' ] ||
    fail 'the list of papers'
ends 2 "$reproduce" dmeo
grep -q "no claims of that name.*expected all or one of demo" messages || fail 'no suggestion for dmeo'
ends 2 "$reproduce" ''
ends 2 "$reproduce" demo --only ''
ends 2 "$reproduce" demo --only nothing
ends 2 "$reproduce" demo --nonsense

# Killed in the middle, with all that it has started.
setsid "$reproduce" demo -j 1 >/dev/null 2>&1 &
pid=$!
n=0
while [ $n -lt 600 ] && [ "$(find results/first/runs -mindepth 1 -maxdepth 1 ! -name '.*' 2>/dev/null | wc -l)" -lt 2 ]; do
    sleep 0.05
    n=$((n + 1))
done
kill -9 -$pid
wait $pid 2>/dev/null || true
[ ! -e docs/papers/demo.md ] || fail 'a report of half of the results'
kept=$(find results -path '*/runs/*' ! -path '*/.*' | sort | xargs ls -li --time-style=full-iso | awk '{ print $1, $8, $NF }')
[ -n "$kept" ] || fail 'nothing was finished before the kill'
ends 0 "$reproduce" demo -j 2
grep -q '\[scenario 2 of 2\] scenarios/second.xml: 6 of 6 runs to do' messages || fail 'no word about the second scenario'
after=$(find results -path '*/runs/*' | sort | xargs ls -li --time-style=full-iso | awk '{ print $1, $8, $NF }')
echo "$kept" | while read -r line; do
    echo "$after" | grep -qxF "$line" || fail "a finished run was repeated: $line"
done
[ "$(echo "$after" | wc -l)" = 12 ] || fail 'not 12 runs'
grep -q '^| 3 | time of second' docs/papers/demo.md || fail 'not every claim is in the report'
grep -q '^| [0-9].*not run' docs/papers/demo.md && fail 'the report lacks results'
[ "$(grep -c '| agrees |  |$' docs/papers/demo.md)" = 4 ] || fail 'the report lacks verdicts'
grep -q '<span class="verdict v-agrees"' results/demo.html || fail 'no report as a page'
grep -q '^written: results/demo.html$' messages || fail 'no word about the page'
cp docs/papers/demo.md whole.md
ends 0 "$reproduce" demo
cmp docs/papers/demo.md whole.md || fail 'a second call writes another report'
grep -q 'scenarios/first.xml: its 6 runs are there already; none is to do$' messages || fail 'no word that nothing is to do'
grep -q '0 of 0' messages && fail 'nothing of nothing'
[ "$after" = "$(find results -path '*/runs/*' | sort | xargs ls -li --time-style=full-iso |
    awk '{ print $1, $8, $NF }')" ] || fail 'a finished run was repeated'

# Another paper's page stays as it is.
echo '# Other' >docs/papers/other.md
sed -i 's/^| 3 |/| 9 |/' docs/papers/demo.md
ends 0 "$reproduce" demo --report
cmp docs/papers/demo.md whole.md || fail 'the page is not made anew'
[ "$(cat docs/papers/other.md)" = '# Other' ] || fail "another paper's page is gone"

# What is no plain file is not Weft's page.
rm docs/papers/demo.md
mkfifo docs/papers/demo.md
ends 2 timeout 60 "$reproduce" demo --report
grep -q 'docs/papers/demo.md is not a plain file' messages || fail 'a pipe as the page: no message'
[ -p docs/papers/demo.md ] || fail 'a pipe as the page is replaced'
rm docs/papers/demo.md
cp whole.md docs/papers/demo.md

# The quick versions: into results of their own, no report but the printed one.
ends 0 "$reproduce" demo --quick --only "*se[c]ond*" -j 2
"$weft" export results/second-quick/runs/rsq_seed=1.sqlite --to second-quick.runs
grep -q '"100KB"' second-quick.runs/rsq_seed=1/scenario.xml || fail 'the quick version was not run'
grep -q '^| 2 | time of second' results/demo-quick.md || fail '--quick writes no report of its own'
# time_of NUMBER REPORT: what the report has measured for a claim.
time_of()
{
    sed -n "s/^| $1 | time of .* | \([0-9.]*\) |.*|\$/\1/p" "$2"
}
quick=$(time_of 2 results/demo-quick.md)
afar=$(time_of 4 results/demo-quick.md)
[ -n "$quick" ] || fail '--quick reports no time'
# Verdicts were given to full results.
[ "$(grep '^| [124] | time' results/demo-quick.md | sed 's/.*| \(.*\) |  |$/\1/' | xargs)" = 'agrees not judged not judged' ] ||
    fail '--quick has the verdicts of full results'
grep -q '<span class="verdict v-quick"' results/demo-quick.html || fail '--quick makes no page'
[ "$quick" != "$(time_of 2 whole.md)" ] || fail "--quick reports the full results: $quick"
[ "$quick" = "$afar" ] || fail "--quick reads full results from another section: $afar, not $quick"
grep -qF './weft run scenarios/second.xml --quick' results/demo-quick.md || fail '--quick names another command'
grep -q '^ *2  time of second$' out || fail '--quick prints no summary'
grep -q '^       Weft: [0-9.]*; verdict: not judged$' out || fail '--quick prints no numbers'
grep -q '^written: results/demo-quick.md$' messages || fail '--quick does not say where the report is'
grep -q '^rsq  *1 ' out || fail '--quick prints no tables of the runs'
cmp docs/papers/demo.md whole.md || fail '--quick touches the report'

# Elsewhere, and from the report alone.
ends 0 "$reproduce" demo --report --results "$work/results"
cmp docs/papers/demo.md whole.md || fail '--report writes another report'

# All papers, by name: a scenario of two of them is run once, and the one without results costs the
# others nothing.
ends 2 "$reproduce" al
grep -q "no claims of that name.*expected all or one of demo other" messages || fail 'no suggestion for al'
ends 2 "$reproduce" all --only nothing
scenario third 100KB
{
    echo '<claims title="Common">'
    section second second second
    section third third third
    echo '</claims>'
} >docs/claims/common.xml
rm docs/papers/*
ends 2 "$reproduce" all -j 2 --results every
[ "$(sed -n 's/^\[scenario \(.*\) runs are there already.*/\1/p' messages | head -n 1)" = '2 of 2] scenarios/second.xml: its 6' ] ||
    fail 'a scenario of two papers is run twice'
grep -q 'errors (above) with: other$' messages || fail 'no word about the paper that failed'
[ "$(cd docs/papers && echo *)" = 'common.md demo.md' ] || fail 'not each paper that was done has its page'
[ "$(cat docs/papers/*.md | grep -c '| agrees |  |$')" = 6 ] || fail 'the pages of two papers lack results'
ends 0 "$reproduce"
[ "$(grep -v '^ ' out | xargs)" = 'common demo other' ] || fail 'the list has another order'
cat docs/papers/*.md >all.md
ends 2 "$reproduce" all --report --results every
cat docs/papers/*.md | cmp - all.md || fail '--report writes another report of all'
ends 0 "$reproduce" all --quick --only third -j 2 --results every
[ "$(cd every && echo *-quick*)" = 'common-quick.html common-quick.md' ] || fail 'a report of a paper without such a scenario'

# Interrupted once, it ends: what was whole by then is in the report, and no other paper is begun.
rm docs/papers/*
scenario first 1GB
scenario fourth 1GB
sed 's/second/fourth/g' docs/claims/common.xml >docs/claims/later.xml
"$reproduce" all -j 1 --results every >/dev/null 2>messages &
pid=$!
n=0
while [ $n -lt 1200 ] && ! find every/first/runs -name '.tmp-*' 2>/dev/null | grep -q .; do
    sleep 0.05
    n=$((n + 1))
done
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status = 1 ] || fail "interrupted: exit status $status"
[ "$(grep -c '^weft: interrupted' messages)" = 1 ] || fail 'no word that it is interrupted, or several'
grep -q '^weft: no report of demo is written' messages || fail 'no word about the paper that was interrupted'
grep -v ': warning: ' messages | grep -q 'fourth' && fail 'a paper is begun although all is interrupted'
grep -q 'with: demo, later, other$' messages || fail 'no word about what is left'
[ "$(cat docs/papers/*.md | grep -c '| agrees |  |$')" = 2 ] || fail 'the paper that was done is not in the report'
scenario first 10MB
cp whole.md docs/papers/demo.md

# The name is taken.
cp docs/claims/demo.xml docs/claims/all.xml
ends 2 "$reproduce" all
grep -q 'there is a docs/claims/all.xml; expected it under another name' messages || fail 'no word about all.xml'
rm docs/claims/all.xml

# One scenario is broken, one cannot end: the third is run all the same.
sed -i 's/10MB/10MBB/' scenarios/first.xml
sed -i 's/10MB/9MB/' scenarios/second.xml
ends 2 "$reproduce" demo -j 2
grep -q 'scenarios/first.xml: there are mistakes in it' messages || fail 'no word about the broken scenario'
"$weft" export results/second/runs/rsq_seed=1.sqlite --to second.runs
grep -q "9MB" second.runs/rsq_seed=1/scenario.xml || fail 'the scenario behind the broken one was not run'
cmp docs/papers/demo.md whole.md || fail 'a report in spite of a broken scenario'
echo 'reproduced'
