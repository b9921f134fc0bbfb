#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: summary.sh WEFT-RUNNER
# What the terminal says of a sweep besides its numbers. If this fails, somebody reads a table and
# does not learn that a failure came too late, that packets were lost in spite of PFC, or what the
# slowest of many did.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME ELEMENTS [TOPOLOGY]: 16 hosts of 100 Gbps
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps" ${3:-}/>
  $2
</scenario>
END
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
}

# says PATTERN; is silent about it otherwise
says()
{
    grep -Eq "$1" out messages || { cat out >>messages && fail "nothing is said: $1"; }
}

silent()
{
    ! grep -Eq "$1" out messages || { cat out >>messages && fail "it is said: $1"; }
}

# is FILE COLUMN VALUE...: of all rows
is()
{
    file=$1/summary.csv name=$2
    shift 2
    [ "$(column "$file" "$name" | xargs)" = "$*" ] || fail "$file: $name is $(column "$file" "$name" | xargs), expected $*"
}

ring='<balancer name="rsq"/><transport name="sack"/><workload kind="ring" bytes="1MB" groups="4"/>'

# --- failures that come too late -----------------------------------------------------------------

# The ring takes some 90 us.
scenario plain "$ring"
end=$(column plain/summary.csv end_us)
# Timers that run out when all is done, as that of an RTO, do not draw it out.
is plain end_us "$(column plain/summary.csv cct_acked_us)"
scenario late "$ring<failure leaf=\"0\" spine=\"1\" at=\"5ms\" repair=\"7ms\"/><failure leaf=\"1\" spine=\"1\" at=\"9s\"/>
    <degrade leaf=\"2\" spine=\"1\" rate=\"1Gbps\" at=\"6ms\"/>"
is late links_failed 0
is late failures_late 2
is late end_us "$end"
says 'failures were to come after the end of 1 of 1 runs'
scenario early "$ring<failure leaf=\"0\" spine=\"1\" at=\"20us\" repair=\"7ms\"/><failure leaf=\"1\" spine=\"1\" at=\"5ms\"/>"
is early links_failed 1
is early failures_late 1
awk -v end="$(column early/summary.csv end_us)" 'BEGIN { exit !(end < 5000) }' ||
    fail 'the end is drawn out to a repair or a failure that comes after it'
scenario during "$ring<failure leaf=\"0\" spine=\"1\" at=\"20us\"/>"
silent 'failures were'
# Half of the runs are over before it.
scenario some "$ring<failure leaf=\"0\" spine=\"1\" at=\"200us\"/><sweep><vary param=\"workload.bytes\" values=\"1MB 8MB\"/></sweep>"
is some links_failed 0 1
says 'failures were to come after the end of 1 of 2 runs'
# A run that is stopped has no last delivery.
scenario stopped "$ring<failure leaf=\"0\" spine=\"1\" at=\"50us\"/><limit time=\"30us\" then=\"stop\"/>"
is stopped failures_late 1
is stopped slowest_qp ''
says 'failures were to come after the end of 1 of 1 runs'
silent 'delivery'

# Themis is off only where the failure is known during traffic.
themis=$(echo "$ring" | sed 's/rsq/themis/; s/sack/nic-sr/')
off='warning: .*themis (is|was) off in the whole fabric'
scenario themis "$themis<failure leaf=\"0\" spine=\"1\" at=\"5ms\"/>"
silent "$off"
scenario themis0 "$themis<failure leaf=\"0\" spine=\"1\"/>"
says "themis0.xml:.*$off"
scenario themis1 "$themis<failure leaf=\"0\" spine=\"1\" at=\"20us\"/><convergence delay=\"10us\"/>"
says "$off"
scenario themis2 "$themis<failure leaf=\"0\" spine=\"1\" at=\"20us\"/><convergence delay=\"inf\"/>"
silent "$off"

# --- losses in spite of PFC ----------------------------------------------------------------------

incast='<balancer name="ecmp"/><workload kind="incast" bytes="4MB"/>'
scenario lossless "$incast<switch preset=\"100g\" buffer=\"8MB\" headroom=\"35KB\"/>"
is lossless dropped_buffer 0
silent 'PFC is on'
scenario lossy "$incast<switch preset=\"100g\" buffer=\"8MB\" headroom=\"5KB\"/><sweep><vary param=\"switch.headroom\" values=\"5KB 35KB\"/></sweep>"
says 'warning: a switch has a headroom of 5000 bytes, less than .* expected [0-9]+ bytes'
says "PFC is on, and switch buffers dropped packets in 1 of 2 runs, $(column lossy/summary.csv dropped_buffer | head -n 1) in headroom=5KB"
scenario open "$incast<switch preset=\"100g\" buffer=\"1MB\" pfc=\"off\"/><transport name=\"sack\"/>"
[ "$(column open/summary.csv dropped_buffer)" -gt 0 ] || fail 'nothing was lost without PFC'
silent 'PFC is on'

# --- one ratio to one bound, for any traffic -----------------------------------------------------

# shown COLUMN: that column of the first table
shown()
{
    awk -v name="$1" '!c { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } NF < c || /^by workload/ { exit } { print $c }' out
}

# Two messages into one host: its wire takes both, 2 x 100 KB and headers. The rest is their way.
printf 'src,dst,bytes,start\n0,5,100KB,2s\n1,5,100KB,2s\n' >two.csv
scenario two '<balancer name="rsq"/><transport name="sack"/><workload kind="flows" file="two.csv"/>'
is two first_start_us 2000000.000000
awk -v bound="$(column two/summary.csv bound_acked_us)" -v more="$(column two/summary.csv increase)" \
    'BEGIN { b = bound - 2000000; exit !(b > 16.1 && b < 26 && more >= 0 && more < 0.01) }' ||
    fail "a bound of $(column two/summary.csv bound_acked_us) us for two messages into one host"
# They start at 2 s, as HPCC's do: the time is from then on.
awk -v ms="$(shown cct_ms)" 'BEGIN { exit !(ms > 0.01 && ms < 0.03) }' || fail "a completion time of $(shown cct_ms) ms"
grep -q 'completion time 0.0[12]' messages || fail 'the completion time of a run counts from time 0'
# A chain of messages takes the times of all of them, one after the other.
printf 'Nodes 16\nConnections 3\nTriggers 2\ntrigger id 1 oneshot\ntrigger id 2 oneshot
0->5 id 1 start 0 size 1000000 recv_done_trigger 1\n5->9 id 2 trigger 1 size 1000000 recv_done_trigger 2
9->2 id 3 trigger 2 size 1000000\n' >chain.cm
scenario chain '<balancer name="rsq"/><transport name="sack"/><workload kind="flows" file="chain.cm"/>'
awk -v more="$(column chain/summary.csv increase)" 'BEGIN { exit !(more >= 0 && more < 0.002) }' ||
    fail "a chain that nothing disturbs is $(column chain/summary.csv increase) longer than it must be"
printf '1000 0\n20000 50\n300000 100\n' >sizes.txt
mix='<workload name="a" kind="incast" bytes="100KB" hosts="0-7"/>
  <workload name="b" kind="poisson" load="0.3" flows="100" file="sizes.txt" hosts="8-15"/>'
scenario mix "<balancer name=\"rsq\"/><transport name=\"sack\"/>$mix<sweep><vary param=\"workload:a.bytes\" values=\"100KB 200KB\"/></sweep>"
[ -z "$(shown slowdown)" ] || fail 'there are two ratios'
shown increase_% | grep -q -- - && fail 'no ratio for a mix'
# A row for each workload of each run.
[ "$(sed -n '/^by workload/,/^2 of 2/p' out | awk '$2 == "a" || $2 == "b" { print $1, $2, ($3 > 0 && $3 < 1 && $4 >= 0) }' | xargs)" = \
    '100KB a 1 100KB b 1 200KB a 1 200KB b 1' ] || { cat out >>messages; fail 'not a row for each workload'; }

# --- the slowest QP, and retransmissions ---------------------------------------------------------

# All but the last keep out of each other's way.
awk 'BEGIN { print "src,dst,bytes,start"; for (i = 0; i < 7; i++) print i "," i + 8 ",1MB,0"
             for (i = 0; i < 5; i++) print "7,15,1MB,0" }' >one.csv
scenario one '<balancer name="rsq"/><transport name="sack"/><workload kind="flows" file="one.csv"/>'
says 'the slowest QP is far off and among the last to be done in 1 of 1 runs: QP (7|8|9|10|11) of one takes [0-9.]+ times as long as alone, the median QP 1'
is one slowest_qp "$("$weft" query one --format csv 'select qp from qps order by fct_slowdown desc, qp limit 1' | tail -n 1)"
silent 'retransmissions'
# Of flows that start at times of their own the last one to end is often slow: it is large, or late.
scenario random '<balancer name="rsq"/><transport name="sack"/><workload kind="poisson" load="0.8" flows="60" file="sizes.txt"/>
    <sweep><seeds count="5"/></sweep>'
[ "$("$weft" query random --format csv 'select count(*) from summary s join qps q on q.run = s.run and q.qp = slowest_qp
    where qp_slowdown_max >= 3 * qp_slowdown_p50 and delivered_us >= 0.95 * cct_us' | tail -n 1)" -gt 0 ] ||
    fail 'in no run is the slowest one the last'
silent 'far off'
# Which one that is has no mean; what stands beside it keeps its own.
! head -n 1 random/aggregate.csv | grep -q slowest_qp || fail 'a mean of numbers of QPs'
for name in load_carried qp_slowdown_max nic_state_bytes; do
    [ "$(column random/summary.csv $name | awk '{ all += $1 } END { printf "%.3f", all / NR }')" = \
        "$(column random/aggregate.csv ${name}_mean | awk '{ printf "%.3f", $1 }')" ] || fail "the mean of $name"
done
exported random
awk -F , 'NR == 1 { print "src,dst,bytes,start"; next } { print $3 "," $4 "," $7 "," $8 "us" }' \
    random.runs/seed=1/flows.csv >trace.csv
scenario trace '<balancer name="rsq"/><transport name="sack"/><workload kind="flows" file="trace.csv"/>'
is trace qp_slowdown_max "$(column random/summary.csv qp_slowdown_max | head -n 1)"
silent 'far off'
# One that others outlast by far does not make the completion time.
(cat one.csv && echo '4,12,40MB,0') >outlasted.csv
scenario outlasted '<balancer name="rsq"/><transport name="sack"/><workload kind="flows" file="outlasted.csv"/>'
awk -v most="$(column outlasted/summary.csv qp_slowdown_max)" 'BEGIN { exit !(most > 4) }' || fail 'outlasted: no QP is slow'
silent 'far off'
# An incast beside a ring is slow by itself: its QPs are like each other.
scenario beside '<balancer name="rsq"/><transport name="sack"/>
    <workload name="r" kind="ring" bytes="100KB" hosts="0-7"/><workload name="i" kind="incast" bytes="1MB" senders="7" hosts="8-15"/>'
awk -v most="$(column beside/summary.csv qp_slowdown_max)" -v median="$(column beside/summary.csv qp_slowdown_p50)" \
    'BEGIN { exit !(most > 3 * median) }' || fail 'beside: no QP is slow'
silent 'far off'
scenario gbn '<balancer name="rsq"/><transport name="gbn"/><workload kind="permutation" bytes="4MB"/>'
says 'retransmissions may decide in 1 of 1 runs: in gbn [0-9.]+ % of the packets'
outage='<workload kind="permutation" bytes="4MB"/><failure leaf="0" spine="1" at="50us" repair="52us"/><convergence delay="0s"/>'
scenario outage "<balancer name=\"ecmp\"/>$outage"
says 'what one QP takes for losses costs half of the time or more in 1 of 1 runs: in outage QP'
scenario quiet "<balancer name=\"rsq\"/><transport name=\"sack\"/><workload kind=\"permutation\" bytes=\"4MB\"/>"
silent 'retransmissions'

echo 'the summary says what the numbers do not'
