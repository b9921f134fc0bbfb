#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: limit.sh WEFT-RUNNER
# A run that reaches its limit must keep what it has, and say who was not done and why: else a steady
# state cannot be measured, and a day's run that hangs leaves nothing to find the reason by.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME ELEMENTS: four hosts at 100 Gb/s, two rings
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2" link-rate="100Gbps" link-delay="1us"/>
  $2
</scenario>
END
}

# cell FILE ROW NAME: of that row behind the header
cell()
{
    awk -F , -v row="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        NR == row + 1 { print $c }' "$1"
}

# is FILE ROW NAME VALUE
is()
{
    found=$(cell "$1" "$2" "$3")
    [ "$found" = "$4" ] || fail "$1: $3 is '$found', expected '$4'"
}

# A steady state: a normal end. Hosts 0 and 2, 1 and 3 exchange far more than 100 us are enough for.
ring='<balancer name="ecmp"/><workload kind="ring" bytes="100MB" groups="2"/><measure interval="10us" qps="0"/>'
scenario steady "$ring<limit time=\"100us\" then=\"stop\"/>"
"$weft" run steady.xml --no-figures --out steady >out 2>messages || fail "then=stop: exit status $?"
exported steady
run=steady.runs/steady
is $run/summary.csv 1 cct_us ''
is $run/summary.csv 1 cct_acked_us ''
is $run/summary.csv 1 cct_mean_us ''
is $run/summary.csv 1 slowdown ''
is $run/summary.csv 1 end_us 100.000000
is $run/summary.csv 1 failed 0
is $run/groups.csv 2 delivered_us ''
is $run/flows.csv 1 delivered_us ''
[ "$(wc -l <$run/series.csv)" = 10 ] || fail 'not nine samples before 100 us'
# 100 Gb/s less headers, gaps, ACKs, the way there, and what two flows on one path lose.
cell $run/summary.csv 1 goodput_gbps | awk '{ exit !($1 > 40 && $1 < 96) }' || fail 'goodput of what was under way'
grep -q 'stopped at 0.1 ms with 4 QPs under way' messages || fail 'no word about the end'
grep -q 'goodput .*: [1-4] .*(such as QP [0-3], host [0-3] to host [0-3]: [1-9][0-9]* of' messages ||
    fail 'no word about what QPs do'
! grep -q warning messages || fail 'a warning of a steady state'
"$weft" run steady.xml --no-figures --out steady >out 2>messages
exported steady
grep -q '1 of 1 runs are finished already' messages || fail 'a stopped run does not count as finished'
grep -q '<limit time="100us" then="stop"/>' $run/scenario.xml || fail 'the resolved scenario'

# Nothing is under way, and what is to start later is not all that there was.
scenario gap '<balancer name="ecmp"/><workload name="a" kind="ring" bytes="100KB" groups="1" hosts="0 2"/>
  <workload name="b" kind="ring" bytes="100KB" groups="1" hosts="1 3" start="10ms"/>
  <measure window="5ms"/><limit time="1ms" then="stop"/>'
"$weft" run gap.xml --no-figures --out gap >out 2>messages || fail 'gap: it does not end'
grep -q 'stopped at 1 ms with 0 QPs under way, goodput [1-9][0-9.]* Gbps .*: 2 messages have not started$' messages ||
    fail 'gap: not what is left'
# 200 KB in 1 ms, of four hosts at 100 Gb/s
is gap/summary.csv 1 load_carried 0.004000
is gap/summary.csv 1 load_offered 0.004000

# Seeds that are done in time have a completion time; the mean over them is too low, so it says how many they are.
scenario seeds '<balancer name="ecmp"/><workload kind="permutation" bytes="1MB"/><sweep><seeds count="6"/></sweep>'
"$weft" run seeds.xml --no-figures --out all >out 2>messages || fail 'six seeds'
! grep -q 'have no .*cct_us' messages || fail 'a word about values that are all there'
limit=$(awk -F, 'NR > 1 { print $3 }' all/summary.csv | sort -g | sed -n '1p;$p' | xargs | awk '{ print ($1 + $2) / 2 }')
"$weft" run seeds.xml --no-figures --out some --set limit.time="${limit}us" --set limit.then=stop >out 2>messages ||
    fail 'six seeds, some cut'
k=$(awk -F, 'NR > 1 && $3 == ""' some/summary.csv | wc -l)
if [ "$k" = 0 ] || [ "$k" = 6 ]; then fail "$k of 6 seeds are cut"; fi
grep -q "^weft: warning: $k of 6 runs of seeds have no cct_us, .*; means are over the other runs$" messages ||
    fail 'no warning of seeds without a completion time'
[ "$("$weft" query some --format csv "select text from notes where kind = 'missing-values'" | tail -n +2 | tr -d '"')" = \
    "$(sed -n 's/^weft: warning: \(.*; means are over\)/\1/p' messages)" ] || fail 'pages do not learn of seeds without one'
is some/aggregate.csv 1 seeds 6
is some/aggregate.csv 1 cct_us_n $((6 - k))
[ "$(awk -F, 'NR > 1 && $3 != "" { sum += $3; n++ } END { printf "%.3f", sum / n }' some/summary.csv)" = \
    "$(printf '%.3f' "$(cell some/aggregate.csv 1 cct_us_mean)")" ] || fail 'the mean is not that of the seeds that have a value'
is some/aggregate.csv 1 goodput_gbps_n 6
grep -q " ($((6 - k))/6)" out || fail 'the table does not say that seeds are missing'
[ -n "$(cell some/aggregate.csv 1 goodput_gbps_mean)" ] || fail 'no mean of what all seeds have'

# What ends in time is the same with and without.
scenario ends '<balancer name="ecmp"/><workload kind="ring" bytes="100KB" groups="2"/>'
"$weft" run ends.xml --no-figures --out error >out 2>messages
exported error
"$weft" run ends.xml --no-figures --out stop --set limit.then=stop >out 2>messages
exported stop
cmp error.runs/ends/qps.csv stop.runs/ends/qps.csv || fail 'then=stop changes a run that ends'
cmp error/summary.csv stop/summary.csv || fail 'then=stop changes the totals of a run that ends'

# An error otherwise, which keeps what happened where it counts for nothing.
# cut NAME WHY: must fail, with that cause for QPs in stuck.csv and in the message
cut()
{
    ends 1 "$weft" run "$1.xml" --no-figures --out "$1"
    [ -z "$(ls "$1/runs")" ] || fail "$1: it counts as finished"
    grep -q "messages were not delivered.*QPs\{0,1\} .*not done: .*$2.*what happened is in $1/unfinished/$1" messages ||
        fail "$1: no message with '$2'"
    rm -rf "$1.runs"
    "$weft" export "$1/unfinished/$1.sqlite" --to "$1.runs/unfinished"
    grep -q "$2" "$1.runs/unfinished/$1/stuck.csv" || fail "$1: no '$2' in stuck.csv"
    [ -s "$1.runs/unfinished/$1/qps.csv" ] || fail "$1: nothing is kept"
    grep -q '^0 of 1 runs' out || fail "$1: the summary counts it"
}

# Every packet to a dead spine is lost, and senders never give up: they wait for their timers.
dead='<fabric retry-limit="0"/><failure leaf="0" spine="0"/><failure leaf="0" spine="1"/>'
scenario timer "$dead<convergence delay=\"inf\"/><balancer name=\"ecmp\"/><workload kind=\"ring\" bytes=\"100KB\" groups=\"2\"/><limit time=\"5ms\"/>"
cut timer 'waiting for .*the RTO'
grep -q 'such as QP 0, host 0 to host 2: 0 of [0-9]* packets acknowledged' messages || fail 'no example'
is timer.runs/unfinished/timer/stuck.csv 1 acked 0
[ "$(wc -l <timer.runs/unfinished/timer/stuck.csv)" = 5 ] || fail 'not all QPs are listed'
scenario cutoff "$dead<convergence delay=\"0s\"/><balancer name=\"ecmp\"/><workload kind=\"ring\" bytes=\"100KB\" groups=\"2\"/><limit time=\"5ms\"/>"
cut cutoff 'no route to the destination'
# DCQCN with a rate that hardly rises again.
scenario paced '<switch preset="100g" kmin="1KB" kmax="2KB" pmax="1"/>
  <congestion-control name="dcqcn" t-i="10s" min-rate="1Mbps" r-ai="1bps" r-hai="1bps"/><balancer name="ecmp"/>
  <workload kind="alltoall" bytes="20MB"/><limit time="8ms"/>'
cut paced 'paced by congestion control'
scenario later '<balancer name="ecmp"/><workload kind="allreduce-ring" bytes="10MB" groups="1"/><drop qp="0" packets="5" count="1000000"/><fabric retry-limit="0"/><limit time="5ms"/>'
cut later 'waiting for .*RTO'
grep -q 'messages have not started' messages || fail 'no word about what waits for it'

# The same as a normal end says it as well; what is given up is not what is under way.
"$weft" run timer.xml --no-figures --out never --set limit.then=stop >out 2>messages || fail 'never: it does not end'
grep -q 'with 4 QPs under way.*: 4 waiting for .*the RTO (such as QP 0' messages || fail 'never: no causes'
grep -q 'warning: timer: 4 of 4 QPs under way have no packet acknowledged' messages || fail 'never: no warning'
scenario both '<fabric retry-limit="1"/><transport name="nic-sr" rto="50us"/><failure leaf="1" spine="0"/><failure leaf="1" spine="1"/><convergence delay="inf"/>
  <balancer name="ecmp"/><workload kind="ring" bytes="100MB" groups="1"/><limit time="5ms" then="stop"/>'
"$weft" run both.xml --no-figures --out both >out 2>messages || fail 'both: it does not end'
exported both
src=$(awk -F, 'NR > 1 { print $2 }' both.runs/both/stuck.csv | xargs)
grep -q 'messages were given up.*such as host' messages || fail "both: nothing is given up ($src are under way)"
[ -n "$src" ] || fail 'both: nothing is under way'
for host in $src; do
    grep -q "such as host $host to" messages && fail "both: host $host is under way and said to have given up"
done

# When it ends after all, what was set aside goes.
"$weft" run timer.xml --no-figures --out timer --set convergence.delay=0s --set fabric.retry-limit=1 >out 2>messages || fail 'it does not end'
[ ! -e timer/unfinished/timer.sqlite ] || fail 'what was set aside is still there'
# What a user keeps there is in the way before a run, not after it.
mkdir -p timer/unfinished/timer.sqlite/notes
ends 2 "$weft" run timer.xml --no-figures --out timer
grep -q 'error: timer/unfinished/timer.sqlite is a folder; expected a file that a run has made' messages ||
    fail 'a folder in the place of what was set aside'
rm -r timer/unfinished/timer.sqlite
ln -s ../timer timer/unfinished/timer.sqlite
ends 2 "$weft" run timer.xml --no-figures --out timer
rm timer/unfinished/timer.sqlite
"$weft" run ends.xml --no-figures --out kept --set workload.bytes=40MB >out 2>messages &
pid=$!
while [ ! -e kept/runs/.tmp-ends.sqlite ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
mkdir -p kept/unfinished/ends.sqlite/notes
wait $pid || fail "what was set aside meanwhile: exit status $?"
grep -q 'warning: ends: cannot remove kept/unfinished/ends.sqlite' messages || fail 'no warning of what was set aside'
[ -e kept/runs/ends.sqlite ] || fail 'a run that has ended is gone'

# A link of 1 bit/s at a share of its rate still carries something, and the run begins.
cat >slow.xml <<'END'
<scenario name="slow">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="1" fabric-rate="1bps"/>
  <balancer name="ecmp"/><workload kind="ring" bytes="1KB"/>
  <random-degrade links="1" share="0.2"/>
  <limit time="1us" then="stop"/>
</scenario>
END
"$weft" run slow.xml --no-figures --out slow >out 2>messages || fail 'a share of 1 bit/s'

# What servers' own networks carry is no load of the NICs, and what NICs carry none of these.
# inside TORS BYTES LIMIT: servers of eight hosts at TORS ToRs each, each server with an alltoall of its own
inside()
{
    cat >inside.xml <<END
<scenario name="inside">
  <topology kind="leaf-spine" leaves="4" spines="2" hosts-per-leaf="8" link-rate="100Gbps"
            gpus-per-server="8" scale-up-rate="8Tbps" tors-per-host="$1"/>
  <balancer name="ops"/><workload kind="alltoall" bytes="$2" groups="$((4 / $1))" placement="blocked"/>
  <limit time="$3"/>
</scenario>
END
    "$weft" run inside.xml --no-figures --out inside >out 2>messages
}
inside 1 8MB 100us || fail 'a limit that is enough where all stays inside servers'
inside 2 8MB 100us || fail 'the same with two ToRs of each host'
for tors in 1 2; do
    ! inside $tors 80MB 60us || fail 'a limit that is too short inside servers'
    grep -q 'than the 0.07[0-9]* ms that the workload takes at least' messages || fail 'the least time inside servers'
done

# A second error replaces what the first one left.
cut cutoff 'no route to the destination'
[ "$(ls -A cutoff/unfinished)" = cutoff.sqlite ] || fail 'more than one set aside'
echo 'what happened is kept'
