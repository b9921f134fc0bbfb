#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: unreachable.sh WEFT-RUNNER
# A run whose hosts cannot all be reached must end well, say so, and count every message: else a user
# of random failures loses sweeps to single seeds, or takes what is missing for what was fast.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME WORKLOAD ELEMENTS
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="fat-tree" k="4" link-rate="100Gbps"/>
  <transport name="nic-sr" rto="50us"/>
  <balancer name="rsq"/>
  <workload $2/>
  $3
  <limit time="100ms"/>
</scenario>
END
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
    exported "$1"
}

# column FOLDER NAME: of the only row, or of all rows, of its summary.csv
column()
{
    awk -F , -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next }
        { printf "%s%s", sep, $c; sep = " " }' "$1/summary.csv"
}

# is FOLDER COLUMN VALUE
is()
{
    found=$(column "$1" "$2")
    [ "$found" = "$3" ] || fail "$1: $2 is $found, expected $3"
}

cut='<failure lower="0" upper="8"/><failure lower="0" upper="9"/>'

# Host 1 sends to host 2, host 15 to host 0: both in vain.
scenario ring 'kind="ring" bytes="50KB" groups="1"' "$cut"
grep -q '^weft: warning: ring: 2 of 16 messages .*such as host 1 to host 2$' messages ||
    fail 'no warning'
grep -q 'means are over' messages && fail 'a word about a mean of one run'
is ring failed 2
is ring unstarted 0
is ring links_failed 2
is ring bound_us ''
is ring slowdown ''
grep -q ' resent_%.* failed$' out || fail 'no column of what failed'
grep -q '^ring .* - .* 2$' out || fail 'what is unknown is not shown as such'
grep -q '^1,1,1,2,0,0,50000,0.000000,,,,$' ring.runs/ring/flows.csv ||
    fail 'a message that failed has times in flows.csv'
case "$(column ring goodput_gbps) $(column ring cct_us)" in
*nan* | *-*) fail 'totals over what was delivered are no numbers' ;;
esac

# A collective: whatever waits for what is lost cannot start.
scenario collective 'kind="allreduce-ring" bytes="160KB" groups="1"' "$cut"
[ "$(column collective unstarted)" -gt 100 ] || fail 'no message waits for those that failed'
grep -q 'messages .* not delivered.* that waited for them did not start$' messages ||
    fail 'no warning of those that did not start'
is collective messages 480

# Nobody reaches anybody: no times at all.
scenario nobody 'kind="ring" bytes="20KB" groups="2"' \
    '<random-failures probability="1"/><convergence delay="0s"/>'
is nobody failed 16
is nobody links_failed 32
is nobody cct_us ''
is nobody goodput_gbps 0.000000
grep -q 'nobody: nothing was delivered' messages || fail 'what is said of an empty run'

# Senders that never give up run into the time limit, as ever.
sed 's,<balancer,<fabric retry-limit="0"/>&,' ring.xml >never.xml
ends 1 "$weft" run never.xml --no-figures
grep -q '2 of 16 messages were not delivered at the time limit' messages || fail 'retry-limit 0'

# A failure rate in a sweep: the same links and some more. At 0 the summary has its bound.
scenario rates 'kind="permutation" bytes="20KB"' '<random-failures probability="0"/>
  <sweep><vary param="random-failures.probability" values="0 0.05 0.2 0.5"/></sweep>'
# shellcheck disable=SC2046 # four numbers
set -- $(column rates links_failed)
if [ $# != 4 ] || [ "$1" != 0 ] || [ "$1" -ge "$3" ] || [ "$2" -gt "$3" ] || [ "$3" -ge "$4" ] ||
    [ "$4" -gt 32 ]; then
    fail "links failed at four rates: $*"
fi
# Where nothing failed the table says 0.
grep -Eq '^0 .* 0$' out || fail 'the number of messages that failed where none did'

# A mean over those seeds alone that went well says how many they are.
scenario seeds 'kind="permutation" bytes="20KB"' '<fabric payload="1500B" ack-every="1"/>
  <random-failures probability="0.05"/><sweep><seeds count="4"/></sweep>'
k=$(column seeds failed | xargs -n 1 | grep -cv '^0$' || true)
[ "$k" -gt 0 ] || fail 'no seed with messages that failed'
grep -q "^weft: warning: $k of 4 runs of seeds have no .*increase.* (messages failed); means are over the other runs$" messages ||
    fail "no warning that $k runs have no increase"
grep -q '[0-9] [0-9.]* (3/4) ' out || fail 'a mean of three seeds runs into the column before it'
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "increase_n") c = i } NR == 2 { print $c }' seeds/aggregate.csv >n
[ "$(cat n)" = $((4 - k)) ] || fail "increase_n is $(cat n)"
echo 'unreachable hosts are reported'
