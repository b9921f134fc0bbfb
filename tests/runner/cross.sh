#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: cross.sh WEFT-RUNNER [renew]
# Every balancer with every traffic and every state of the links, small. If this fails, one of them
# hangs, loses messages, depends on the event scheduler, or has changed what it does without anybody
# having meant it: cross-quick.csv has what each run gave when it was last looked at. After a change
# that was meant, 'renew' writes that file again; say in the commit why.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

scenarios=$here/../../scenarios/cross
known=$here/cross-quick.csv
balancers=$("$weft" list balancer | sed -n 's/^<balancer name="\([^"]*\)".*/\1/p')
[ "$(echo "$balancers" | wc -l)" -ge 22 ] || fail 'weft list balancer lists too few'

# Results of these files stand side by side, so a scheme must be the same in all: a line for each case.
for file in cross-schemes cross-mixed cross-background; do
    sed -n '/<cases name="scheme">/,/<\/cases>/p' "$scenarios/$file.xml" |
        awk '/<case name/ { line = "" } { line = line $0 } /<\/case>/ { print line }' >$file.cases
done
diff cross-schemes.cases cross-mixed.cases >messages || fail 'a scheme has other settings in cross-mixed.xml'
[ "$(wc -l <cross-schemes.cases)" -ge 22 ] || fail 'cross-schemes.xml has too few cases'
grep -vxFf cross-schemes.cases cross-background.cases | grep -v 'name="pro-trim"\|name="reps-lossless"' >messages || true
[ ! -s messages ] || fail 'a scheme has other settings in cross-background.xml'

# balance FILE OUT [SETTING ...]: all its runs, in ns-3 and without; OUT.csv has what each of them gave.
balance()
{
    xml=$scenarios/$1.xml
    out=$2
    shift 2
    for balancer in $balancers; do
        grep -q "\"balancer.name\" value=\"$balancer\"" "$xml" ||
            fail "$xml lacks the balancer $balancer: the matrix has all"
    done
    # A fabric's conservation laws are checked at the end of each run; a violation is an error.
    "$weft" run "$xml" --quick --no-figures --out "$out" "$@" >printed 2>messages || fail "$out: exit status $?"
    "$weft" run "$xml" --quick --no-figures --out again "$@" \
        --host plain >printed 2>messages || fail "$out without ns-3: exit status $?"
    cmp "$out/summary.csv" again/summary.csv || fail "$out: without ns-3 it gives other results"
    rm -rf again
    "$weft" query "$out" --format csv "select '$out ' || name as name, cct_acked_us, data_sent, data_resent,
        dropped_buffer + dropped_link as lost, queue_peak_bytes, ooo_degree_p99 from summary order by run" >"$out.csv"
    [ "$("$weft" query "$out" --format csv 'select sum(failed + unstarted) from summary' | tail -n 1)" = 0 ] ||
        fail "$out: messages were given up"
}
balance cross-schemes cross-schemes
balance cross-schemes two-tiers --set topology.tiers=2 --set topology.k=8
balance cross-mixed cross-mixed
[ "$("$weft" query cross-schemes --format csv "select count(*) from summary where increase < -1e-9 and links = 'healthy'" |
    tail -n 1)" = 0 ] || fail 'a run is faster than the lower bound'
[ "$("$weft" query cross-mixed --format csv 'select count(*) from workloads where increase < -1e-9' | tail -n 1)" = 0 ] ||
    fail 'a job is faster than its lower bound'

"$weft" query cross-schemes --file "$scenarios/cross-table.sql" --format csv >table.csv 2>messages ||
    fail 'the table of all schemes'
[ "$(wc -l <table.csv)" -gt "$(echo "$balancers" | wc -l)" ] || fail 'the table of all schemes lacks some'
# With one seed the bad link, dead or slow, is a ToR's or one above: two cells of a row are empty.
awk -F, 'NR > 1 { for (i = 1; i <= NF; i++) empty += $i == ""; rows++ } END { exit empty != 2 * rows }' table.csv ||
    fail 'the table of all schemes has holes'

tail -n +2 two-tiers.csv >>cross-schemes.csv
tail -n +2 cross-mixed.csv >>cross-schemes.csv
[ "${2:-}" != renew ] || cp cross-schemes.csv "$known"
diff "$known" cross-schemes.csv >messages || fail 'runs give other results than they did; < before, > now'

# What cannot work is refused, and the message says why.
cat >ring.xml <<'END'
<scenario name="ring">
  <topology kind="graph" file="links.txt"/>
  <workload kind="ring" bytes="20KB" groups="1"/>
</scenario>
END
cat >wide.xml <<'END'
<scenario name="wide">
  <topology kind="leaf-spine" leaves="2" spines="300" hosts-per-leaf="2"/>
  <workload kind="ring" bytes="20KB" groups="2"/>
</scenario>
END
cp "$here/../../scenarios/topologies/ring-links.txt" links.txt
refused=
for balancer in $balancers; do
    if ! "$weft" validate ring.xml --set "balancer.name=$balancer" >out 2>messages; then
        grep -q "the balancer $balancer needs a Clos, and this topology is a graph" messages ||
            fail "$balancer on a graph: no reason"
        refused="$refused $balancer"
    fi
done
[ "$(echo "$refused" | tr ' ' '\n' | sort | xargs)" = \
    'co-prime conga conweave ethereal host-dr letflow ofan prime pro themis' ] || fail "refused on a graph: $refused"
ends 2 "$weft" validate wide.xml --set balancer.name=pro
grep -q 'a PathID has 6 bits' messages || fail 'pro with 300 uplinks: no reason'
ends 2 "$weft" validate wide.xml --set balancer.name=ethereal
grep -q 'more than 256 uplinks' messages || fail 'ethereal with 300 uplinks: no reason'
