#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a user relies on in the benchmark: that it counts packet-hops as it says, that two runs are
# the same run, that a wrong run does not pass as a figure. No time is ever looked at.
set -eu
export LC_ALL=C
program=$1
core=$2 # net-bench
calls=$3
script=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")/bench/packet-hop-bench.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "bench: $*" >&2
    exit 1
}

# The value of $1 in a run's line.
value()
{
    tr ' ' '\n' | sed -n "s/^$1=//p"
}

# All-to-all with one packet per pair in the fat-tree of k = 8: of a host's peers 3 are 2 links
# away, 12 are 4 and 112 are 6; each packet has its ACK.
"$program" --case=e --bytes=4096B >"$work/line" || fail "case e fails"
hops=$(value hops <"$work/line")
expected=$((128 * (3 * 2 + 12 * 4 + 112 * 6) * 2))
[ "$hops" = "$expected" ] || fail "case e takes $hops packet-hops, not $expected"
digest=$(value digest <"$work/line")
for scheduler in HeapScheduler CalendarScheduler; do
    again=$("$program" --case=e --bytes=4096B --scheduler=$scheduler | value digest)
    [ "$again" = "$digest" ] || fail "$scheduler gives another result"
done
again=$("$program" --case=e --bytes=4097B | value digest)
[ "$again" != "$digest" ] || fail "the digest does not see that messages are longer"

# The C core's fabric alone, without an event list, does the same: each message is posted, delivered and
# acknowledged at the same picosecond.
same_in_core()
{
    "$program" "$@" | tr ' ' '\n' | grep -E '^(hops|completion_ps|digest)=' >"$work/module"
    "$core" "$@" | tr ' ' '\n' | grep -E '^(hops|completion_ps|digest)=' >"$work/core"
    [ "$(wc -l <"$work/core")" = 3 ] || fail "net-bench $* says too little"
    diff "$work/module" "$work/core" || fail "net-bench $* differs"
}
same_in_core --case=a --bytes=64KB
same_in_core --case=b --bytes=64KiB
same_in_core --case=c --bytes=16KiB
same_in_core --case=e --bytes=4096B
same_in_core --case=g
same_in_core --case=h --bytes=64KiB
same_in_core --case=i --bytes=64KiB

# A row per case, every column filled. Instructions need valgrind.
counts=--no-instructions
! command -v valgrind >/dev/null || counts=
"$script" "$program" --bytes=8KiB --cases=b --csv $counts >"$work/csv" || fail "the table fails"
"$script" "$program" --bytes=1B --cases=a,c,f --csv --no-instructions >>"$work/csv" ||
    fail "the table fails"
awk -F, -v counted="${counts:-yes}" '
    NR == 1 { columns = NF; header = $0; for (i = 1; i <= NF; i++) name[i] = $i; next }
    $0 == header { next }
    NF != columns { print "a row of " NF " columns, not " columns; exit 1 }
    {
        cases = cases $1
        for (i = 1; i <= NF; i++)
            if ($i == "" || name[i] == "hops" && $i <= 0 ||
                name[i] == "instructions_per_hop" && $1 == "b" && counted == "yes" && !($i > 0))
            {
                print "case " $1 ": " name[i] " is \047" $i "\047"
                exit 1
            }
    }
    END { if (cases != "bacf") { print "rows: " cases; exit 1 } }' "$work/csv" >"$work/why" ||
    fail "$(cat "$work/why")"

# A run that fails must fail the whole.
cat >"$work/stub" <<'END'
#!/bin/sh
case "$*" in
    *--plan*) echo 'b run --case=b' ;;
    *) echo "case=b digest=1 ns_per_hop=1" && exit "$STATUS" ;;
esac
END
chmod +x "$work/stub"
STATUS=0 "$script" "$work/stub" >/dev/null || fail "a sound run does not pass"
! STATUS=1 "$script" "$work/stub" >/dev/null 2>&1 || fail "a failed run passes"

# A line for each algorithm of the core, with its ns: the loop's are taken off.
"$calls" >"$work/calls" || fail "call-bench fails"
for kind in balancer transport congestion-control; do
    grep -q "^$kind " "$work/calls" || fail "call-bench measures no $kind"
done
! grep -v ' -\{0,1\}[0-9]*[.][0-9]$' "$work/calls" || fail "call-bench has lines without a time"

# Mistakes in options.
mistake()
{
    status=0
    "$script" "$program" "$1" >"$work/out" 2>"$work/err" || status=$?
    [ "$status" = 2 ] || fail "'$1' exits with $status, not 2"
    grep -q "$2" "$work/err" || fail "'$1' does not say '$2': $(cat "$work/err")"
    [ ! -s "$work/out" ] || fail "'$1' runs all the same"
}
mistake --quik "did you mean '--quick'"
mistake --cases=b,fat-tree-k18 "did you mean 'fat-tree-k8'\|did you mean 'fat-tree-k16'"
mistake --scheduler=MapSchedular "did you mean 'MapScheduler'"
mistake --simulator=DefaultSimulator "did you mean 'DefaultSimulatorImpl'\|has no 'DefaultSimulator'"
mistake --balancer=themes "did you mean 'themis'"
mistake --bytes=3XB "expected a size"
mistake --quick=1 "takes no value"
mistake --bytes "needs a value"
