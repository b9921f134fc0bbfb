#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: progress.sh WEFT-RUNNER
# Whoever waits for a run for a day must be able to see that it moves, and which process it is: else
# he kills it, or the wrong one. What is run again must be told why.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

pid=
trap '[ -z "$pid" ] || kill -9 $pid 2>/dev/null; rm -rf "$work"' EXIT

# until COMMAND...: tries it for a minute
until_true()
{
    n=0
    until "$@"; do
        n=$((n + 1))
        [ $n -lt 1200 ] || fail "never: $*"
        sleep 0.05
    done
}

# answered TIMES: whether it has said so often where it is
answered()
{
    [ "$(grep -Ec "$status_line" messages)" = "$1" ]
}

# A run that does not end by itself for a long time.
cat >endless.xml <<'END'
<scenario name="endless">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2" link-rate="100Gbps"/>
  <balancer name="ecmp"/>
  <workload kind="ring" bytes="1000GB" groups="2"/>
  <limit time="100s" then="stop"/>
  <sweep><cases><case name="a-run-with-a-long-name"/></cases></sweep>
</scenario>
END
"$weft" run endless.xml --progress 1 --no-figures --out endless >out 2>messages &
pid=$!

# A line of progress now and then: simulated time, messages, runs under way, memory.
# shellcheck disable=SC2016 # no expansion is wanted
until_true grep -Eq '^\[0/1\] 1 under way \(a-run-with-a-long-name at [0-9.e-]+ ms, 0 of 4 messages, [0-9]+ % of the payload\), [0-9]+ MB in all$' messages

# Its process carries its name, and says where it is when it is asked.
child=$(pgrep -P $pid) || fail 'no process of its own'
[ "$(cat "/proc/$child/comm")" = 'a-run-with-a-lo' ] || fail "the process is called $(cat "/proc/$child/comm")"
tr '\0' ' ' <"/proc/$child/cmdline" | grep -q '^weft: a-run-with-a-long-name' || fail 'its command line'
status_line="^a-run-with-a-long-name: at [0-9.e-]+ ms, 0 of 4 messages, [0-9]+ % of the payload, [0-9]+ MB, process $child\$"
grep -Eq "$status_line" messages && fail 'it says where it is unasked'
kill -USR1 "$child"
until_true answered 1
kill -USR1 $pid
until_true answered 2
kill -TERM $pid
status=0
wait $pid || status=$?
[ $status = 1 ] || fail "ended: exit status $status"
pid=

# The help names all options.
"$weft" run --help | sed '/^Examples/,$d' | grep -e '^  -' >run-options.txt
for option in --only --dry-run --plan --jobs --out --seed --set --host --again --exceed-memory --progress --no-figures; do
    grep -q -e "$option" run-options.txt || fail "--help of run lacks $option"
done
"$weft" run "$here/tiny.xml" --only 'ecmp*' --no-figures --out tiny >out 2>messages || fail 'run --only'

# What has changed.
"$weft" run "$here/tiny.xml" --only 'ecmp*' --no-figures --out tiny --set workload.bytes=300KB >out 2>messages
grep -q '^stale: ecmp_seed=1: workload.bytes changed (200KB, now 300KB)$' messages || fail 'no word about the bytes'
"$weft" run "$here/tiny.xml" --out tiny --dry-run --set fabric.gap=30B --set transport.rto=70us >out 2>messages || fail 'run --dry-run'
grep -q '^stale     ecmp_seed=2: fabric.gap changed (20B, now 30B), transport.rto changed (100us, now 70us), workload.bytes changed (300KB, now 200KB)$' out ||
    fail "what is stale: $(cat out)"
grep -q '^to do     rsq_seed=1$' out || fail 'what was never run is not stale'
sed '/<drop/d' "$here/tiny.xml" >changed.xml
"$weft" run changed.xml --out tiny --dry-run --only ecmp_seed=1 --set workload.bytes=300KB >out 2>messages
grep -q '^stale     ecmp_seed=1: drop changed$' out || fail "an element that is gone: $(cat out)"
"$weft" run "$here/tiny.xml" --only 'ecmp*' --out tiny --dry-run --set workload.bytes=300KB >out 2>messages
[ "$(grep -c '^finished' out)" = 2 ] || fail 'nothing has changed'
echo 'progress is told'
