#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: notes.sh WEFT-RUNNER
# Notes on what a NIC does to a comparison, and on parameters that do nothing. If this fails, somebody takes
# the retransmissions of one QP, or packets that were sent again though they had arrived, for a balancer's work,
# or draws twelve equal bars and does not learn that the parameter was never used.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME ELEMENTS: 16 hosts of 100 Gbps
scenario()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="100Gbps"/>
  $2
</scenario>
END
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
}

says()
{
    grep -Eq "$1" out messages || { cat out >>messages && fail "nothing is said: $1"; }
}

silent()
{
    ! grep -Eq "$1" out messages || { cat out >>messages && fail "it is said: $1"; }
}

# asked NAME QUERY: its answer, one row
asked()
{
    "$weft" query "$1" --format csv "$2" | tail -n +2 | tr -d '"'
}

# is NAME QUERY ANSWER
is()
{
    [ "$(asked "$1" "$2")" = "$3" ] || fail "$1: $2 is $(asked "$1" "$2"), expected $3"
}

losses='what one QP takes for losses costs half of the time or more'

# --- the slowest QP ------------------------------------------------------------------------------

cuts='<switch preset="100g"/><congestion-control name="dcqcn" preset="hpcc"/>'
dead="<balancer name=\"ecmp\"/>$cuts<failure leaf=\"0\" spine=\"1\"/>"
nics='<sweep><vary param="transport.name" values="nic-sr gbn sack"/></sweep>'

# In a ring all wait for the slowest one: all end at once, and only two of them, whose link is dead, are
# busy for long.
scenario ring "$dead<workload kind=\"allreduce-ring\" bytes=\"16MB\"/>$nics"
says "^$losses in 1 of 3 runs: in nic-sr QP 3 \(host 3 -> host 4\) lost [0-9.]+ of its [0-9.]+ ms, the median QP [0-9.]+: [0-9]+ NACKs, [0-9]+ rate cuts, 0 timeouts, [0-9]+ packets sent again; the NIC \(nic-sr with dcqcn\) decides more here than paths\$"
silent 'far off|retransmissions may decide'
is ring 'select max(fct_us) < 1.1 * min(fct_us) from qps where run = 1' 1
is ring 'select straggler_qp from summary where run = 1' 3
is ring 'select count(*) from qps join summary s using (run) where run = 1 and lost_us > 0.1 * qp_lost_max_us' 2
is ring 'select count(*) from summary s join qps q on q.run = s.run and q.qp = straggler_qp where straggler_resent = q.resent
    and straggler_nacks = q.nacks_received and straggler_cuts = q.cuts and straggler_timeouts = q.timeouts
    and qp_lost_max_us = lost_us' 3
# Its messages are all there is between its first packet and its last: gaps, and they, are its completion time.
is ring 'select count(*) from qps where busy_us > fct_us or lost_us >= busy_us' 0
# Times in which several of a QP's messages were under way count once.
is ring 'with m as (select run, qp, posted_us, delivered_us, max(delivered_us) over (partition by run, qp order by posted_us
        rows between unbounded preceding and 1 preceding) as before from flows),
    b as (select m.run, m.qp, sum(max(0, m.delivered_us - max(posted_us, start_us, coalesce(before, 0)))) as busy
        from m join qps using (run, qp) group by 1, 2)
    select count(*), sum(abs(b.busy - qps.busy_us) > 0.001) from b join qps using (run, qp)' 48,0
# The note is a row as well.
is ring "select kind, run from notes" straggler,1
[ "$(asked ring 'select text from notes')" = "$(grep "^$losses" out)" ] || fail 'the table has another text than the terminal'

# In a permutation it ends last, and what NACKs do to it hides the median.
scenario pairs "$dead<workload kind=\"permutation\" bytes=\"16MB\"/>$nics"
says "^$losses in 1 of 3 runs: in nic-sr QP $(asked pairs 'select straggler_qp from summary where run = 1') "
# One timeout takes longer than all else. sack has no NACKs.
scenario timeout '<balancer name="rsq"/><transport name="sack" threshold="256"/><workload kind="permutation" bytes="1MB"/><drop qp="3" packets="688"/>'
says "^$losses in 1 of 1 runs: in timeout QP 3 .*: 0 NACKs, [0-9]+ rate cuts, 1 timeouts, [0-9]+ packets sent again; the NIC \(sack with"
# A loss that is mended at once is no reason to speak of it.
scenario mended '<balancer name="rsq"/><transport name="sack" threshold="256"/><workload kind="permutation" bytes="1MB"/><drop qp="3" packets="5"/>'
is mended 'select data_resent > 0 and timeouts = 0 from summary' 1
silent "$losses"
# A slow QP whose rate is cut for congestion is the balancer's.
awk 'BEGIN { print "src,dst,bytes,start"; for (i = 0; i < 7; i++) print i "," i + 8 ",1MB,0"
             for (i = 0; i < 5; i++) print "7,15,1MB,0" }' >one.csv
scenario one '<balancer name="rsq"/><transport name="sack"/><workload kind="flows" file="one.csv"/>'
says 'far off'
silent "$losses"
scenario collisions "<balancer name=\"ecmp\"/>$cuts<transport name=\"nic-sr\"/><workload kind=\"permutation\" bytes=\"4MB\"/>"
is collisions 'select cuts > 0 and qp_lost_max_us > 0.5 * cct_us from summary' 1
silent "$losses"
# Where all QPs are alike it is not one QP.
scenario lossy "<balancer name=\"themis\"/>$cuts<transport name=\"nic-sr\"/><loss probability=\"0.0005\"/><workload kind=\"permutation\" bytes=\"32MB\"/>"
is lossy 'select resent_share < 0.05 and timeouts = 0 from summary' 1
silent "$losses"
says 'retransmissions may decide in 1 of 1 runs: in lossy 0.[0-9]+ % .* NACKs and 0 timeouts, with [0-9]+ rate cuts'
# A run that is stopped: what is under way until then counts.
scenario stopped "$dead<workload kind=\"allreduce-ring\" bytes=\"16MB\"/><limit time=\"10ms\" then=\"stop\"/>"
says "^$losses in 1 of 1 runs: in stopped QP 3 "
# Several QPs share the messages of one pair: nobody knows which of them was late.
scenario shared '<balancer name="ethereal"/><transport name="sack"/><workload kind="permutation" bytes="1MB"/>'
is shared 'select count(*) from qps where busy_us is not null and bytes <> (select sum(bytes) from flows where flows.qp = qps.qp)' 0

# --- packets that had arrived --------------------------------------------------------------------

again='packets that had arrived were sent again'
spray='<balancer name="ops"/><workload kind="permutation" bytes="4MB"/>'
scenario early "$spray<transport name=\"sack\"/><sweep><vary param=\"transport.threshold\" values=\"2 1024\"/></sweep>"
is early 'select spurious_share >= 0.01 from summary where run = 1' 1
is early 'select spurious_share from summary where run = 2' 0
says "^$again in 1 of 2 runs: in threshold=2 [0-9.]+ % of the data packets \(spurious_share\), by sack, which takes a packet for lost when one 2 later has arrived: leave .threshold. out\$"
scenario patient "$spray<transport name=\"sack\" threshold=\"1024\"/>"
silent "$again"
# Of a NIC that wants order the sharper note is said, and once.
scenario order "$spray<transport name=\"nic-sr\"/><congestion-control name=\"none\"/>"
says "^$again in 1 of 1 runs: in order .* by nic-sr, which takes late packets for lost: compare"
scenario rewinds "$spray<transport name=\"gbn\"/>"
is rewinds 'select spurious_share >= 0.01 from summary' 1
says 'retransmissions may decide in 1 of 1 runs: in rewinds'
silent "$again"
# Of classes those count whose NIC a workload has.
nic='<transport name="sack"/><class name="a"><transport name="gbn"/></class>'
scenario of-class "$nic<balancer name=\"ops\"/><workload kind=\"permutation\" bytes=\"4MB\" class=\"a\"/>"
says 'retransmissions may decide in 1 of 1 runs: in of-class'
nic='<transport name="gbn"/><class name="a"><transport name="sack" threshold="1"/></class>'
scenario unused-nic "$nic$cuts<balancer name=\"themis\"/><workload kind=\"permutation\" bytes=\"16MB\" class=\"a\"/>"
is unused-nic 'select increase > 1 and resent_share > 0.05 from summary' 1
silent 'retransmissions may decide'
says "^$again in 1 of 1 runs: in unused-nic"

# --- what changes nothing ------------------------------------------------------------------------

timers='<vary param="congestion-control.t-i" values="10us 300us"/><vary param="congestion-control.t-d" values="4us 50us"/>'
ring='<workload kind="ring" bytes="4MB" groups="4"/>'
nothing='changes nothing'
# No rate is cut under Themis, so that eight cells of its timers are equal.
scenario timers "$ring$cuts<transport name=\"nic-sr\"/><sweep>$timers<vary param=\"balancer.name\" values=\"rsq themis\"/></sweep>"
says "^congestion-control.t-i $nothing where balancer.name=themis: all totals are the same for its 2 values; no rate is cut there\$"
says "^congestion-control.t-d $nothing where balancer.name=themis"
silent "balancer.name $nothing|$nothing in any run"
is timers "select count(*) from notes where kind = 'unchanged' and run is null" 2
scenario unused "$ring$cuts<transport name=\"nic-sr\"/><balancer name=\"themis\"/><sweep>$timers</sweep>"
says "^congestion-control.t-i $nothing in any run: all totals are the same for its 2 values; no rate is cut there\$"
# Algorithms that do nothing differ by what they keep alone.
scenario controls "$ring<transport name=\"sack\"/><balancer name=\"simple-rr\"/><sweep><vary param=\"congestion-control.name\" values=\"none swift\"/></sweep>"
is controls 'select count(distinct nic_state_bytes) from summary' 2
says "^congestion-control.name $nothing in any run: all totals are the same for its 2 values; no rate is cut there\$"
# Over before any of the timers.
late='<vary param="transport.rto" values="50ms 1s"/>'
scenario short "<balancer name=\"rsq\"/><transport name=\"sack\"/>$ring<sweep>$late</sweep>"
says "^transport.rto $nothing in any run: all totals are the same for its 2 values; the runs are over after [0-9.]+ us, before the least of these, 50ms\$"
scenario within "<balancer name=\"rsq\"/><transport name=\"sack\"/>$ring<sweep><vary param=\"transport.rto\" values=\"200us 1s\"/></sweep>"
says "^transport.rto $nothing in any run: all totals are the same for its 2 values; there are no timeouts there\$"
# One of three values matters.
scenario some "<balancer name=\"rsq\"/><transport name=\"sack\"/>$ring<sweep><vary param=\"workload.bytes\" values=\"1MB 1000KB 2MB\"/></sweep>"
silent "$nothing"
# Seeds, where something is drawn and where nothing is.
seeds='<seeds count="3"/><vary param="balancer.name" values="rsq simple-rr"/>'
scenario seeds "$ring<transport name=\"sack\"/><sweep>$seeds</sweep>"
says "^seed $nothing where balancer.name=simple-rr: all totals are the same for its 3 values; nothing that is drawn matters, and one seed is enough\$"
silent "balancer.name $nothing"
# Runs that are not there yet say nothing.
rm seeds/runs/*seed=2*
ends 0 "$weft" run --collect seeds.xml --out seeds
silent "$nothing"

echo 'notes name the slowest QP, packets sent in vain and parameters without effect'

# --- planes ----------------------------------------------------------------------------------------

# A QP of ECMP stays at one port of four: three quarters of what was paid for carry ACKs at most.
cat >planes.xml <<'END'
<scenario name="planes">
  <topology kind="leaf-spine" leaves="4" spines="2" hosts-per-leaf="4" planes="4" link-rate="100Gbps"/>
  <transport name="sack"/>
  <workload kind="permutation" bytes="200KB"/>
  <sweep><vary param="balancer.name" values="ecmp ops"/></sweep>
</scenario>
END
"$weft" run planes.xml --no-figures --out planes >out 2>messages || fail 'planes'
says '^hosts left planes idle in 1 of 2 runs: in ecmp [0-9]+ of the 64 ports of hosts that sent'
is planes "select kind, run from notes where kind = 'idle-planes'" idle-planes,1

# --- where they stand --------------------------------------------------------------------------------

# A table of runs says which of them a note is about, and a figure does not go into a paper without.
figure='<figure name="cct" template="bars" x="transport.name" y="cct_us"/>'
sed "s,</scenario>,$figure&," ring.xml >drawn.xml
"$weft" run drawn.xml --out ring >out 2>messages || fail 'a figure'
is ring 'select notes from summary where run = 1' straggler
is ring 'select count(*) from summary where notes is not null' 1
is ring "select doc like 'kinds of the notes%' from columns where \"table\" = 'summary' and \"column\" = 'notes'" 1
grep -q "$losses in 1 of 3 runs" ring/cct.gp || fail 'the figure has no note'
! grep -q 'host 3' ring/cct.gp || fail 'the figure has the whole note'
sed "s,</scenario>,${figure%/>} note=\"off\"/>&," ring.xml >bare.xml
"$weft" plot bare.xml --out ring >out 2>messages || fail 'a figure without'
! grep -q "$losses" ring/cct.gp || fail 'there is a note that was not wanted'
