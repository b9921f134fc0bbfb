#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: fct-window.sh WEFT-RUNNER
# Which messages completion times are of, and the load that a fabric was offered and has carried. If
# this fails, times at "80 %" are those of a fabric that was filling or emptying, and nobody is told.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME WORKLOAD [MORE]: 16 hosts of 100 Gbps
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps"/>
  <balancer name="rsq"/>
  <transport name="sack"/>
  <workload $2/>
  ${3:-}
</scenario>
END
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
    exported "$1"
    summary=$1.runs/$1/summary.csv
}

# is COLUMN VALUE TOLERANCE
is()
{
    got=$(column "$summary" "$1")
    awk -v a="$got" -v b="$2" -v t="$3" 'BEGIN { exit !(a != "" && a - b <= t && b - a <= t) }' ||
        fail "$summary: $1 is '$got', expected $2"
}

# --- which messages ------------------------------------------------------------------------------

# Twenty messages of 125,000 bytes (10 us of a wire), one every 100 us, the first at 2 s: each alone.
awk 'BEGIN { print "start,bytes,src,dst"
             for (i = 0; i < 20; i++) printf "%dus,125000,0,%d\n", 2000000 + 100 * i, 4 + i % 12 }' >every.csv
flows='kind="flows" file="every.csv"'
scenario all "$flows"
is fct_messages 20 0
is load_offered 0.006579 0.000001 # 20 x 10 us of 16 hosts in 1,900 us
is load_carried 0.006528 0.000001 # and until the last of them has come, 10 us later
scenario some "$flows" '<measure warm-up="450us" window="1ms"/>'
is fct_messages 10 0
is fct_undelivered 0 0
is load_offered 0.00625 0.0000001 # 10 x 10 us of 16 hosts in 1,000 us
is load_carried 0.00625 0.0000001
# From its beginning on, up to before its end.
scenario edges "$flows" '<measure warm-up="500us" window="1ms"/>'
is fct_messages 10 0
# A window may end after everything: what it has seen is the load.
scenario beyond "$flows" '<measure warm-up="1450us" window="1ms"/>'
is fct_messages 5 0
is load_carried 0.003125 0.0000001
is end_us "$(column all.runs/all/summary.csv end_us)" 0.0001
# It begins in the middle of a message: half of it was carried before, and it does not count.
scenario half "$flows" '<measure warm-up="5us" window="100us"/>'
is fct_messages 1 0
is load_offered 0.00625 0.0000001
is load_carried 0.0061 0.0004 # half of the first, and half of the second, less their way
# What is under way at the end is told of.
scenario cut "$flows" '<measure warm-up="850us" window="1ms"/><limit time="2001.005ms" then="stop"/>'
is fct_messages 1 0
is fct_undelivered 1 0
is load_offered 0.008065 0.000001 # 2 x 10 us of 16 hosts in 155 us
is load_carried 0.0043 0.0001     # one of them, and of the other 5 us less its way of 4.4
grep -q 'warning: cut: 1 of 2 messages of the window .* not delivered' messages || fail 'nothing is said of what is missing'
scenario open "$flows" '<measure warm-up="850us"/><limit time="2001.005ms" then="stop"/>'
is load_offered 0.008333 0.000001 # until the last of them has started, at 1,000 us
is load_carried 0.0043 0.0001     # until the run was stopped
# What follows everything has carried nothing.
scenario after "$flows" '<measure warm-up="5ms" window="1ms"/>'
is load_carried 0 0
is end_us "$(column all.runs/all/summary.csv end_us)" 0.0001
# The hosts are those that have traffic, each once.
printf 'start,bytes,src,dst\n0,125000,0,1\n100us,125000,2,3\n' >two.csv
two='kind="flows" file="two.csv"'
scenario hosts "name=\"a\" $two hosts=\"0-7\"" "<workload name=\"b\" $two hosts=\"4-11\"/><measure window=\"200us\"/>"
is load_offered 0.016667 0.000001 # 4 x 10 us of 12 hosts in 200 us
scenario none "$flows" '<measure warm-up="5ms"/>'
[ -z "$(column "$summary" fct_p50_us)" ] || fail 'percentiles of nothing'
grep -q 'warning: none: no message started in the window' messages || fail 'nothing is said of an empty window'
# All at once: there is no load to offer.
scenario once 'kind="incast" bytes="100KB"'
[ -z "$(column "$summary" load_offered)" ] || fail 'the load of messages that start at once'
# Those that wait for each other start one after the other.
scenario ring 'kind="allreduce-ring" bytes="1MB" groups="1"'
is load_offered "$(awk -F , 'NR > 1 { bytes += $7; last = $8 > last ? $8 : last } END { printf "%.6f", bytes * 8 / (16 * 1e5 * last) }' \
    ring.runs/ring/flows.csv)" 0.000002

# The percentiles are those of the messages of the window.
printf '1000 0\n20000 50\n300000 100\n' >sizes.txt
scenario tail 'kind="poisson" load="0.5" duration="2ms" file="sizes.txt"' '<measure warm-up="500us" window="1ms"/>'
"$weft" query tail --format csv 'with w as (select fct_us, row_number() over (order by fct_us) as k, count(*) over () as n
    from flows where posted_us >= (select min(posted_us) from flows) + 500 and posted_us < (select min(posted_us) from flows) + 1500)
    select min(fct_us), max(n) from w where k >= 0.99 * n' | tail -n 1 >expected
is fct_p99_us "$(cut -d, -f1 expected)" 0.000001
is fct_messages "$(cut -d, -f2 expected)" 0
# An open system that is stable carries what it is offered.
is load_offered 0.5 0.05
is load_carried "$(column "$summary" load_offered)" 0.02

# --- a load that is not reached ------------------------------------------------------------------

# warned PATTERN WORKLOAD [MORE]
warned()
{
    scenario warned "$2" "${3:-}"
    "$weft" validate warned.xml >out 2>messages || fail "$2: exit status $?"
    grep -Eq "^warned.xml:[0-9]+: warning: $1" messages || fail "$2: not warned of '$1'"
    rm -rf warned
}
poisson='kind="poisson" file="sizes.txt"'
# 10 x 85,250 bytes of 16 hosts at 0.8 x 100 Gbps
warned '10 flows start within 5.328 us on average, and one of 300000 bytes takes 24 us alone' "$poisson load=\"0.8\" flows=\"10\""
warned 'load 1.2 of <workload> is more than' "$poisson load=\"1.2\" flows=\"1000\""
warned 'the window of <measure> ends .* and flows start until' "$poisson load=\"0.5\" duration=\"1ms\"" '<measure warm-up="500us" window="1ms"/>'
warned 'warm-up of <measure> ends .* and flows start until' "$poisson load=\"0.5\" duration=\"1ms\"" '<measure warm-up="2ms"/>'
warned 'warm-up of <measure> ends .* and flows start until' "$poisson load=\"0.5\" duration=\"1ms\"" '<measure warm-up="1.5ms"/>'
warned 'flows start until .* and <limit> ends the run at 800 us' "$poisson load=\"0.5\" duration=\"400us\" start=\"600us\"" '<limit time="800us" then="stop"/>'
warned 'flows start until .* and <limit> ends the run at 500 us' "$poisson load=\"0.5\" duration=\"1ms\"" '<limit time="500us" then="stop"/>'
scenario quiet "$poisson load=\"0.5\" duration=\"2ms\"" '<measure warm-up="500us" window="1ms"/>'
! grep -q warning messages || fail 'warned of what is well'
scenario full "$poisson load=\"1\" duration=\"2ms\""
! grep -q 'more than hosts can send' messages || fail 'warned of a load of 1'

echo 'completion times are of the messages of the window, and loads are what was offered and carried'
