#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: several-workloads.sh WEFT-RUNNER
# Several jobs in one fabric. If this fails, a job runs on other hosts than it was given, its
# completion time is another one's, or a sweep sets a parameter of the wrong job.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME ELEMENTS: 16 hosts at 100 Gb/s, line by line
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps" link-delay="1us"/>
  <switch preset="100g" buffer="64MB"/><transport name="ideal"/><balancer name="rsq"/>
  $2
</scenario>
END
}

run()
{
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
    exported "$1"
}

# cell FILE WORKLOAD COLUMN: of that row
cell()
{
    awk -F , -v row="$2" -v name="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        $1 == row { print $c }' "$1"
}

is()
{
    found=$(cell "$1" "$2" "$3")
    [ "$found" = "$4" ] || fail "$1: $3 of $2 is '$found', expected '$4'"
}

# Hosts of different leaves that share no link with the others: each job as if it were alone.
ring='kind="allreduce-ring" bytes="400KB" hosts="0 4 8 12"'
incast='kind="incast" bytes="100KB" hosts="1-2 6 10-11" start="50us"'
scenario both "<workload name=\"a\" $ring/><workload name=\"b\" $incast/>"
scenario ring "<workload $ring/>"
scenario incast "<workload $incast/>"
run both
run ring
run incast
table=both.runs/both/workloads.csv
is $table a kind allreduce-ring
is $table a hosts 4
is $table a messages 24
is $table b first_qp 4
is $table b qps 4
is $table b first_group 1
is $table b start_us 50.000000
is $table b busbw_gbps ''
awk -v bus="$(cell $table a busbw_gbps)" -v alg="$(cell $table a algbw_gbps)" -v t="$(cell $table a cct_us)" \
    'BEGIN { exit !((alg - 3200 / t) ^ 2 < 1e-8 * alg ^ 2 && (bus - 1.5 * alg) ^ 2 < 1e-8 * bus ^ 2 && bus < 100) }' ||
    fail 'the bandwidths of a job are not those of nccl-tests'
[ ! -e ring.runs/ring/workloads.csv ] || fail 'one workload has a table of workloads'
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    { group = $c["group"]; list = group ? " 1 2 6 10 11 " : " 0 4 8 12 "
      if (!index(list, " " $c["src"] " ") || !index(list, " " $c["dst"] " ")) exit 1 }' \
    both.runs/both/flows.csv || fail 'a job runs on hosts that are not its own'
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "bound_us") c = i; next } { print $c }' \
    ring.runs/ring/summary.csv >alone
[ "$(cell $table a bound_us)" = "$(cat alone)" ] || fail 'a job has another bound than alone'
# The same with ACKs, for a second job whose messages, successors and groups lie behind the first one's.
scenario turned "<workload name=\"b\" $incast/><workload name=\"a\" $ring/>"
run turned
column ring.runs/ring/summary.csv bound_acked_us >alone
table=turned.runs/turned/workloads.csv
[ "$(cell $table a bound_acked_us)" = "$(cat alone)" ] || fail 'a job has another bound with ACKs than alone'
awk -v i="$(cell $table a increase)" -v t="$(cell $table a cct_acked_us)" -v b="$(cat alone)" \
    'BEGIN { exit !(b > 0 && i > 0 && (t / b - 1 - i) ^ 2 < 1e-10) }' || fail 'an increase is over another bound'
table=both.runs/both/workloads.csv
awk -v a="$(cell $table a slowdown)" 'BEGIN { exit !(a >= 1 && a < 1.5) }' || fail 'a job takes another time'
all=$(awk -F , 'NR == 2 { print $1 }' both.runs/both/summary.csv)
late=$(printf '%s\n%s\n' "$(cell $table a cct_us)" "$(cell $table b cct_us)" | sort -g | tail -n 1)
[ "$all" = "$late" ] || fail "cct_us is $all, expected the later job's, $late"

# A connection may be several QPs: all tables mean the QPs of qps.csv.
scenario parts "<class name=\"split\"><balancer name=\"subflow\" n=\"3\"/></class><measure flows=\"on\"/>
  <workload name=\"a\" $ring class=\"split\"/><workload name=\"b\" $incast/>"
run parts
table=parts.runs/parts/workloads.csv
is $table a first_qp 0
is $table a qps 12
is $table b first_qp 12
is $table b qps 4
awk -F , 'FNR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    FNR == NR { pair[$c["qp"]] = $c["src"] " " $c["dst"]; n++; next }
    $c["src"] " " $c["dst"] != pair[$c["qp"]] { exit 1 }
    { flows++ } END { exit n != 16 || flows != 28 }' parts.runs/parts/qps.csv parts.runs/parts/flows.csv ||
    fail 'a flow has the QP of other hosts'

# Random hosts: as many as asked for, none of another job's, others with another seed; kept as drawn.
scenario drawn "<workload name=\"a\" $ring/><workload name=\"b\" kind=\"ring\" bytes=\"9KB\" hosts=\"random 5\"/>
  <workload name=\"c\" kind=\"ring\" bytes=\"9KB\" hosts=\"random 7\"/><sweep><seeds count=\"2\"/></sweep>"
run drawn
for seed in 1 2; do
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } $c["group"] { print $c["group"], $c["src"] }' \
        drawn.runs/seed=$seed/flows.csv >hosts-$seed
    [ "$(cut -d ' ' -f 2 hosts-$seed | sort -un | wc -l)" = 12 ] || fail 'random hosts are in two jobs'
    grep -q ' \(0\|4\|8\|12\)$' hosts-$seed && fail 'random hosts are taken from a list'
    [ "$(grep -c '^1' hosts-$seed)" = 5 ] || fail 'not as many random hosts as asked for'
    "$weft" run drawn.runs/seed=$seed/scenario.xml --no-figures --out again-$seed >out 2>messages || fail 'kept'
    exported "again-$seed"
    cmp again-$seed.runs/seed=$seed/flows.csv drawn.runs/seed=$seed/flows.csv || fail 'the kept run is another'
done
cmp -s hosts-1 hosts-2 && fail 'another seed, the same hosts'

# A sweep says whose parameter it sets.
scenario swept "<workload name=\"a\" $ring/><workload name=\"b\" $incast/>
  <sweep><vary param=\"workload:b.bytes\" values=\"10KB 20KB\"/></sweep>"
run swept
grep -q 'kind="incast" name="b" .*bytes="20KB"' swept.runs/bytes=20KB/scenario.xml || fail 'b is not set'
grep -q 'name="a" .*bytes="400KB"' swept.runs/bytes=20KB/scenario.xml || fail 'a is set for b'
"$weft" run both.xml --no-figures --out set --set workload:a.bytes=40KB >out 2>messages || fail '--set'
exported set
grep -q 'name="a" .*bytes="40KB"' set.runs/both/scenario.xml || fail '--set sets another job'

# refused WHAT ELEMENTS PATTERN
refused()
{
    scenario bad "$2"
    "$weft" run bad.xml --out bad >out 2>messages && fail "$1: accepted"
    [ ! -e bad ] || fail "$1: made the results folder"
    grep -Eq "^bad.xml:[0-9]+: error: $3" messages || fail "$1: no message like '$3'"
}
scenario figure "<workload $ring/><figure name=\"f\" template=\"bars\" data=\"workloads\" x=\"workload\" y=\"cct_us\"/>"
"$weft" validate figure.xml >out 2>messages && fail 'a figure of one workload is taken'
grep -q 'figure.xml:4: error: <figure f> shows workloads one by one' messages || fail 'nothing is said of the figure'
refused 'no name' "<workload $ring/><workload name=\"b\" $incast/>" 'one of 2 <workload>s lacks name'
refused 'one name' "<workload name=\"b\" $ring/><workload name=\"b\" $incast/>" "a second <workload> 'b'"
refused 'beyond' '<workload kind="ring" bytes="1KB" hosts="3 16"/>' "hosts '16' of <workload>; expected hosts from 0 to 15"
refused 'twice' '<workload kind="ring" bytes="1KB" hosts="3 0-5"/>' 'host 3 of <workload> stands twice'
refused 'too many' '<workload kind="ring" bytes="1KB" hosts="random 17"/>' 'hosts .random 17. .* 16 hosts are left'
refused 'a fit' '<workload kind="ring" bytes="1KB" hosts="1"/>' 'this ring does not fit 1 hosts: a group needs 2'
refused 'nobody' "<workload name=\"a\" $ring/><sweep><vary param=\"workload:x.bytes\" values=\"1KB\"/></sweep>" \
    'no <workload name="x">; expected the name of a <workload>'

echo 'jobs run on their own hosts and have their own completion times'
