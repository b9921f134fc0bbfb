#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: warnings.sh WEFT-RUNNER
# Choices of which one spoils the other must be warned of, once, before anything is run: else a user
# measures a scheme that never worked, and blames the scheme.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
go_on
root=$(cd "$here/../.." && pwd)

# warned PATTERN BALANCER ELEMENTS [TOPOLOGY [GROUPS [LEAVES]]]: once, by validate and by run, and it runs
warned()
{
    cat >it.xml <<END
<scenario name="it">
  <topology kind="leaf-spine" leaves="${6:-2}" spines="2" hosts-per-leaf="2" link-rate="100Gbps" ${4:-}/>
  <balancer name="$2"/>
  <workload kind="ring" bytes="20KB" groups="${5:-2}"/>
  $3
  <sweep><seeds count="3"/></sweep>
</scenario>
END
    for command in validate 'run --no-figures --out it'; do
        # shellcheck disable=SC2086 # options
        "$weft" $command it.xml >out 2>messages || fail "$2 $3: exit status $?"
        [ "$(grep -Ec "^it.xml:[0-9]+: warning: $1" messages)" = 1 ] || fail "$2 $3: not warned once of '$1'"
    done
    rm -rf it
}

dcqcn='<congestion-control name="dcqcn" preset="vendor"/>'
warned 'the balancer themis reorders the packets of a QP, and the transport gbn drops' themis '<transport name="gbn"/>'
warned 'the balancer themis blocks NACKs .*, and the transport sack sends none' themis '<transport name="sack"/>'
warned 'the balancer themis blocks NACKs .* those of the transport pro-window tell of losses alone' themis '<transport name="pro-window"/>'
warned 'themis is off in the whole fabric' themis '<failure leaf="0" spine="0"/>'
sed -e 's/spines="2"/spines="1"/' it.xml >one.xml
warned 'the balancer ops reorders the packets' ops '<transport name="gbn"/>'
for balancer in rsq ops reps prime ar ofan; do
    warned "the balancer $balancer reorders the packets of a QP, and the transport nic-sr sends NACKs of it, .*; others, such as sack" \
        $balancer '<switch preset="100g"/>'
done
for pair in 'themis nic-sr' 'ecmp nic-sr' 'conweave nic-sr' 'rsq sack'; do
    sed -e "s/<balancer.*/<balancer name=\"${pair% *}\"\/><transport name=\"${pair#* }\"\/>/" it.xml >suits.xml
    "$weft" validate suits.xml >out 2>messages || fail "$pair is refused"
    ! grep -q reorders messages || fail "$pair is warned of"
done
warned 'the congestion control dcqcn waits for CNPs, and with ecn off' ecmp "$dcqcn<switch ecn=\"off\"/>"
warned 'the congestion control hpcc measures a path by two packets in a row .* the balancer rsq sprays' \
    rsq '<transport name="sack"/><congestion-control name="hpcc"/>'
warned 'the balancer plb learns from ECN marks' plb '<switch ecn="off"/>'
warned 'the balancer reps learns from ECN marks, .* never hears of congestion' reps '<switch ecn="off"/>'
warned 'the balancer prime learns from ECN marks, .* only when packets are trimmed or lost' prime '<switch ecn="off"/>'
warned 'the congestion control dcqcn has cnp-interval inf' ecmp '<congestion-control name="dcqcn" cnp-interval="inf"/>'
warned 'a switch has a kmin of 90000000 bytes, not less than its buffer' ecmp '<switch ecn="on" kmin="90MB" kmax="91MB" buffer="16MB"/>'
warned 'the scheduler wrr has nothing to share with 2 classes' ecmp '<scheduler name="wrr" weight-1="3"/>'
warned 'the transport trim needs switches that trim' ecmp '<switch pfc="off"/><transport name="trim"/>'
warned 'a switch has a kmin of 400000 bytes, not less than trim-at of 100000' ecmp \
    '<switch pfc="off" trim="on" trim-at="100KB"/><transport name="trim"/>'
warned 'a switch has a headroom of 27000 bytes, less than .* links of 100000 Mbps and 1000 ns: .* expected 28000 bytes' ecmp '<switch preset="100g" headroom="27KB"/>'
warned 'the transport nic-sr has an rto of 2000 ns, less than a round trip' ecmp '<transport name="nic-sr" rto="2us"/><fabric retry-limit="0"/>'
warned 'the transport nic-sr has outstanding 4, less than what is under way' ecmp '<transport name="nic-sr" outstanding="4"/>'
warned 'interval of <measure> is longer' ecmp '<measure interval="20ms" queues="on"/><limit time="10ms"/>'

# A count of packets that the balancer's reordering exceeds: it decides comparisons of balancers.
# far BALANCER TRANSPORT MORE: of a ring of messages above a BDP, 1,000 packets
far()
{
    sed -e "s|<balancer.*|<balancer name=\"$1\"/>|" -e "s|20KB|${4:-20MB}|" -e 's|100Gbps|800Gbps|' \
        -e "s|<sweep>|$2$3&|" it.xml >far.xml
    "$weft" validate far.xml >out 2>messages || fail "far $*: exit status $?"
}
sed -i -e '/<measure/d' it.xml
much='warning: threshold of the transport sack is less than what balancers reorder that spread packets:'
far ops '<transport name="sack" threshold="32"/>' ''
grep -q "far.xml:[0-9]*: $much .* no threshold, so that time decides, or" messages || fail 'ops over 32'
for quiet in 'ops|<transport name="sack"/>' 'ops|<transport name="sack" threshold="512"/>' \
    'ofan|<transport name="sack" threshold="32"/>' 'ecmp|<transport name="sack" threshold="32"/>'; do
    far "${quiet%%|*}" "${quiet#*|}" ''
    ! grep -q 'is less than what balancers reorder' messages || fail "$quiet: warned of"
done
# The longer a message is, the farther queues are apart.
far ops '<transport name="sack" threshold="112"/>' ''
grep -q "$much" messages || fail 'ops over 112 with long messages'
far ops '<transport name="sack" threshold="112"/>' '' 1MB
! grep -q 'is less than what balancers reorder' messages || fail 'messages of 1 MB over 112: warned of'
sed 's|kind="ring" bytes="1MB" groups="2"|kind="incast" bytes="20MB" senders="2"|;s|threshold="112"|threshold="32"|' far.xml >incast.xml
"$weft" validate incast.xml >out 2>messages || fail 'an incast'
! grep -q 'is less than what balancers reorder' messages || fail 'an incast, whose QPs share a wire: warned of'
far ops '<transport name="sack" threshold="32"/>' '' 20KB
! grep -q 'is less than what balancers reorder' messages || fail 'messages of 14 packets over 32: warned of'
far ofan '<transport name="sack" threshold="32"/>' '<failure leaf="0" spine="0"/>'
grep -q "$much" messages || fail 'ofan over 32 with a dead link'
far reps '<transport name="mprdma"/>' ''
grep -q 'warning: window of the transport mprdma is less than what balancers reorder' messages || fail 'reps over 64'
warned 'probe of <transport> has no effect: threshold is more than 0' ecmp '<transport name="sack" threshold="9" probe="off"/>'

"$weft" validate one.xml >out 2>messages
grep -q 'warning: the balancer themis has a single path' messages || fail 'themis on one path'

# classes WARNINGS ALGORITHMS CLASS WORKLOADS: of algorithms of classes too, at their own lines (the
# class begins in line 5), and of what they have from the scenario once, and of nothing else
classes()
{
    cat >class.xml <<END
<scenario name="class">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2" link-rate="100Gbps"/>
  <switch preset="100g" classes="4"/>
  $2
  <class name="bulk" queue="2">
    $3
  </class>
  <workload name="a" kind="ring" bytes="20KB" groups="2" class="bulk"/>
  $4
</scenario>
END
    "$weft" validate class.xml >out 2>messages || fail "class: exit status $?"
    [ "$(grep -c warning messages)" = "$(printf '%s\n' "$1" | grep -c .)" ] || fail "as many warnings as: $1"
    printf '%s\n' "$1" | while IFS= read -r line; do
        [ -z "$line" ] || grep -qF "class.xml:$line" messages || echo "$line"
    done >missing
    [ ! -s missing ] || fail "not warned: $(cat missing)"
}

own='<workload name="b" kind="ring" bytes="20KB" groups="2"'
classes '6: warning: the balancer rsq of <class name="bulk"> reorders
7: warning: the transport gbn of <class name="bulk"> has outstanding 4,' '<balancer name="ecmp"/><transport name="sack"/>' \
    '<balancer name="rsq"/>
    <transport name="gbn" outstanding="4"/>' "$own/>"
classes '6: warning: the balancer ops of <class name="bulk"> reorders' '<balancer name="ops"/><transport name="sack"/>' \
    '<transport name="gbn"/>' "$own/>"
classes '9: warning: the balancer themis of <workload balancer="themis"> blocks' '<balancer name="ecmp"/><transport name="sack"/>' \
    '<balancer name="rsq"/>' "$own balancer=\"themis\"/>"
classes '4: warning: the congestion control dcqcn has cnp-interval inf' '<balancer name="ecmp"/><congestion-control name="dcqcn" cnp-interval="inf"/>' \
    '<transport name="sack"/>' "$own/>"
classes '6: warning: the congestion control dcqcn of <class name="bulk"> has cnp-interval' '<balancer name="ecmp"/><transport name="sack"/>' \
    '<congestion-control name="dcqcn" cnp-interval="inf"/>' "$own/>"
classes '' '<balancer name="themis"/><transport name="gbn"/>' '<balancer name="rsq"/><transport name="sack"/>' ''
classes '4: warning: the balancer themis reorders' '<balancer name="themis"/><transport name="gbn"/>' \
    '<congestion-control name="none"/>' ''

# --- what changes nothing --------------------------------------------------------------------

warned 'weight-7 of <scheduler> has no effect' ecmp '<switch classes="4"/><scheduler name="dwrr" weight-1="3" weight-7="2"/>'
warned 'trim-at of <switch> has no effect: trim is off' ecmp '<switch trim-at="100KB"/>'
warned 'headroom of <switch> has no effect: pfc is off' ecmp '<switch pfc="off" headroom="100KB"/><transport name="sack"/>'
warned 'kmin of <switch> has no effect: ecn is off' ecmp '<switch ecn="off" kmin="100KB"/>'
warned 'alpha of <switch> has no effect: port-buffer is more' ecmp '<switch pfc="off" port-buffer="1MB" alpha="1"/><transport name="sack"/>'
warned 'the transport trim with switches that do not trim' ecmp '<transport name="trim"/>'
warned 'scale-up-delay of <topology> has no effect: scale-up-rate is 0bps' ecmp '' 'gpus-per-server="2" scale-up-delay="1us"'
warned '<random-degrade> has no effect: the links keep their rates' ecmp '<random-degrade links="1" share="1"/>'
warned '<degrade> has no effect: the link has that rate' ecmp '<degrade leaf="0" spine="1" rate="100Gbps"/>'
warned '<degrade> has no effect: it comes after' ecmp '<degrade leaf="0" spine="1" rate="10Gbps" at="10s"/><limit time="1ms" then="stop"/>'
# Two of one line in one run are not one of each of two runs.
sed 's/  <sweep>.*/  <sweep><zip><vary param="failure:a.at" values="never 1us"\/><vary param="failure:b.at" values="never 1us"\/><\/zip><\/sweep>/
     s/.*<degrade.*/<failure name="a" leaf="0" spine="1"\/><failure name="b" leaf="1" spine="1"\/>/' it.xml >twice.xml
ends 0 "$weft" validate twice.xml
grep -q 'no effect' messages && fail 'failures that have an effect in one of two runs'

# Ports of hosts that carry nothing, as each QP keeps to one and there are too few.
idle='keeps a QP to one port of its host at a time, and hosts with 4 ports have 1 QPs at most: ports carry nothing'
for balancer in ecmp letflow plb rsq ofan; do
    warned "the balancer $balancer $idle; expected more QPs, host-port=\"round-robin\" of <fabric>, or .* such as reps" \
        $balancer '' 'planes="4"'
done
# A link inside a server is none of these ports, and its QPs are none of theirs.
warned "the balancer ecmp keeps .* hosts with 2 ports have 1 QPs" ecmp '' \
    'planes="2" gpus-per-server="2" scale-up-rate="900Gbps"'
sed -e 's/groups="2"/groups="1"/' -e 's/kind="ring"/kind="alltoall"/' -e 's/planes="2"/planes="3"/' it.xml >inside.xml
"$weft" validate inside.xml >out 2>messages || fail 'an all-to-all in servers, too'
grep -q 'hosts with 3 ports have 2 QPs' messages || fail 'an all-to-all on three ports: not warned of'
sed -i -e 's/planes="3"/planes="2"/' inside.xml
"$weft" validate inside.xml >out 2>messages || fail 'an all-to-all on two ports'
! grep -q 'keeps a QP' messages || fail 'as many QPs as ports: warned of'
warned "the balancer ecmp $idle" ecmp '' 'planes="4"'
for other in 's/name="ecmp"/name="ops"/' 's/name="ecmp"/name="subflow"/' 's/name="ecmp"/name="ethereal"/' \
    's/planes="4"/planes="1"/' 's|<sweep>|<fabric host-port="round-robin"/>&|' \
    's|<sweep>|<fabric host-port="least-queued"/>&|'; do
    sed -e "$other" it.xml >busy.xml
    "$weft" validate busy.xml >out 2>messages || fail "$other: refused"
    ! grep -q 'keeps a QP' messages || fail "$other: warned of idle ports"
done

# A workload of more messages than are looked at: 256 hosts, a QP and 510 messages each.
cat >many.xml <<'END'
<scenario name="many">
  <topology kind="leaf-spine" leaves="16" spines="2" hosts-per-leaf="16" planes="4"/>
  <balancer name="ecmp"/>
  <workload kind="allreduce-ring" bytes="1MB"/>
</scenario>
END
"$weft" validate many.xml >out 2>messages || fail 'many messages'
grep -q 'many.xml:3: warning: the balancer ecmp keeps a QP .* 4 ports have 1 QPs' messages || fail 'many messages: not warned of'

# Hosts that failures cut off from each other: all links of leaf 1, or the way between two of them.
both='<failure leaf="1" spine="0" at="5us"/><failure leaf="1" spine="1" at="3us"/>'
warned 'no path is left from host 0 to host 2 from 5 us .*, as every link of leaf 1 to other switches is down: 4 messages' \
    ecmp "$both"
warned 'no path is left from host 0 to host 2 from 5 us until the end of the run: 4 messages' ecmp \
    '<failure leaf="1" spine="0" at="5us"/><failure leaf="0" spine="1"/>'
warned '<random-failures> leaves hosts of the workload without a path' ecmp '<random-failures links="4"/>'
for healed in 's/at="5us"/& repair="1ms"/' 's/at="5us"/at="never"/' \
    's/kind="ring" bytes="20KB" groups="2"/kind="ring" bytes="20KB" groups="2" placement="blocked"/'; do
    warned 'no path is left' ecmp "$both"
    sed -e "$healed" it.xml >healed.xml
    "$weft" validate healed.xml >out 2>messages || fail "$healed: refused"
    ! grep -q 'no path is left' messages || fail "$healed: warned of a cut"
done
# Links of hosts: all of one, or of several planes together; what goes inside a server has but its network.
cut='no path is left from host 0 to host 2 from 5 us until the end of the run'
by_host() # HOST PORT: that link is dead
{
    printf '<failure host="%s" port="%s" at="5us"/>' "$1" "$2"
}
two='planes="2"' dual='tors-per-host="2"' alone='<random-failures links="1"/>'
warned "$cut, as the link of host 2 to the fabric is down: 2 messages" ecmp '<failure host="2" at="5us"/>'
warned "$cut, as the link of host 2 to the fabric is down: 2 messages" ecmp "<failure host=\"2\" at=\"5us\"/>$alone"
warned "$cut, as every link of host 2 to the fabric is down: 2 messages" ecmp "$(by_host 2 0)$(by_host 2 1)" "$two"
warned "$cut, as every link of host 0 to the fabric is down: 2 messages" ecmp "$(by_host 0 0)$(by_host 0 1)" "$two"
warned "$cut, as port 1 of host 2 and port 0 of host 0 are down: 2 messages" ecmp "$(by_host 2 1)$(by_host 0 0)" "$two"
warned "$cut, as every link of host 2 to the fabric is down: 2 messages" ecmp "$(by_host 2 0)$(by_host 2 1)" "$dual" 2 4
warned 'no path is left from host 0 to host 2 .*, as every link of host 0 to the fabric is down: 4 messages' ecmp \
    '<failure switch="0"/><failure switch="1"/>' "$dual" 2 4
servers='gpus-per-server="2" scale-up-rate="900Gbps"'
warned 'no path is left from host 0 to host 1 .*, as the link of host 1 to its server.s network is down: 1 message between such hosts cannot arrive' ecmp \
    "$(by_host 1 1)" "$servers" 1
warned 'no path is left from host 0 to host 1 .*, as the link of host 1 to its server.s network is down: 1 message between such hosts cannot arrive' ecmp \
    "$(by_host 1 2)" "$servers $dual" 1 4
for quiet in "$(by_host 2 0)|$two" "$(by_host 2 1)$(by_host 0 1)|$two" "$(by_host 2 0)$(by_host 0 0)|$dual" \
    "$(by_host 2 1)|$servers" '<failure switch="0"/>|'"$dual"; do
    sed -e "s|<failure.*|${quiet%|*}|" -e "s|hosts-per-leaf=\"2\".*|hosts-per-leaf=\"2\" ${quiet#*|}/>|" it.xml >whole.xml
    sed -i 's|groups="1"|groups="2"|' whole.xml
    ends 0 "$weft" validate whole.xml
    ! grep -q 'no path is left' messages || fail "$quiet: warned of a cut"
done
# In a sweep others of its runs may need it, and a kept run names every parameter.
cat >others.xml <<'END'
<scenario name="others">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2" link-rate="100Gbps"/>
  <switch pfc="off" trim-at="100KB" kmin="20KB" kmax="80KB"/><balancer name="ecmp"/><transport name="trim"/>
  <workload kind="ring" bytes="20KB" groups="2"/>
  <random-degrade links="1" share="1"/>
  <sweep><vary param="switch.trim" values="on off"/><vary param="random-degrade.share" values="1 0.5"/></sweep>
</scenario>
END
"$weft" run others.xml --no-figures --out others >out 2>messages || fail 'others.xml does not run'
exported others
! grep -v 'the transport trim needs switches that trim' messages | grep -q warning || fail 'warned of what other runs need'
"$weft" validate others.runs/*trim=off*share=0.5*/scenario.xml 2>messages || fail 'a kept run is refused'
! grep -q 'no effect' messages || fail 'a kept run is warned of what Weft wrote'

# refused PATTERN ELEMENTS
refused()
{
    cat >it.xml <<END
<scenario name="it">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2" link-rate="100Gbps"/>
  <balancer name="ecmp"/>
  $2
</scenario>
END
    "$weft" validate it.xml >out 2>messages && fail "$2: taken"
    grep -Eq "^it.xml:[0-9]+: error: $1" messages || fail "$2: not refused as '$1'"
}

printf 'src,dst,bytes,start\n0,1,9KB,0\n0,2,9KB,20s\n' >late.csv
own='<workload kind="ring" bytes="20KB" groups="2"/>'
refused 'this link is down by the <failure> of line 4' "$own<failure leaf=\"0\" spine=\"1\"/><failure leaf=\"0\" spine=\"1\" at=\"1ms\"/>"
refused 'messages of this ring start after 11000 ms' "$(echo "$own" | sed 's/groups/start="11s" &/')"
# What fails does not make a workload faster, and nobody gives up before the RTOs of its retries.
long='<workload kind="ring" bytes="1000000GB" groups="2"/><limit time="10us"/>'
for fails in '<failure leaf="0" spine="0"/>' '<loss probability="0.1"/>' '<random-failures links="1"/>' '<drop qp="0" packets="0" count="9"/>'; do
    refused 'time 0.01 ms of <limit> is less than' "$fails$long"
done
sed 's/time="10us"/time="100ms"/' it.xml >given-up.xml
"$weft" validate given-up.xml >out 2>messages || fail 'a limit by which senders may give up is refused'
grep -q 'given-up.xml:4: warning: time 100 ms of <limit> is less .* only messages that senders give up' messages ||
    fail 'not warned of a limit that only messages which are given up keep'
refused 'messages of this flows start after 20000 ms' '<workload kind="flows" file="late.csv"/>'
refused 'messages of this allreduce-ring start after 12000 ms' '<workload kind="allreduce-ring" bytes="20KB" groups="1" compute="2.4s"/><limit time="11s"/>'
"$weft" validate it.xml >out 2>messages
sed 's/time="11s"/& then="stop"/' it.xml >stop.xml
"$weft" validate stop.xml >out 2>messages || fail 'what starts after a limit that is meant is refused'
grep -q 'stop.xml:4: warning: messages of this allreduce-ring start after 12000 ms' messages || fail 'not warned of what never starts'
cat >both.xml <<'END'
<scenario name="both">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2" link-rate="100Gbps"/>
  <balancer name="ecmp"/>
  <workload name="a" kind="ring" bytes="20KB" hosts="0-2"/>
  <workload name="b" kind="ring" bytes="20KB" hosts="1 3"/>
</scenario>
END
"$weft" validate both.xml >out 2>messages || fail 'two workloads on one host are refused'
grep -q "both.xml:5: warning: host 1 is listed for the workload 'b' and for 'a'" messages || fail 'not warned of a host that two workloads list'

# What suits is not warned of: neither the scenarios of the tree nor a plain one. The cross scenarios
# show Themis where it is off, and with a NIC that is not its own, because all schemes are there; those
# of three tiers and of a dead link show what being off costs, and sweeps of SACK's threshold what
# small ones do. OFAN's threshold of 32 is kept where its paper's messages are long.
"$weft" validate "$root"/scenarios/*/*.xml >out 2>seen || fail 'the scenarios of the tree'
papers='ofan/(sack-threshold|spraying|fig13|fig14|fsdp-phases|mswift-ar|mswift-variants|reps-marks)|cross/cross-(loss-detection|own-nics|schemes)'
grep -Ev "($papers).xml:[0-9]+: $much" seen >all
off='themis is off in the whole fabric'
# Sprays over nic-sr are shown beside Themis and ECMP on one NIC, as papers do. Chance cuts hosts off in
# two of OFAN's. Planes are compared with balancers that leave some idle.
spray='the balancer [-a-z]* reorders the packets of a QP, and the transport nic-sr sends NACKs of it'
grep -v -e '/cross/' -e "/themis/three-tiers.xml:.* $off" -e "/themis/dead-link[-a-z]*.xml:.* $off" \
    -e "warning: $spray" -e '/ofan/[-a-z0-9]*.xml:.* <random-failures> leaves hosts' \
    -e '/planes/.* keeps a QP to one port' -e '/servers-dual-tor.xml.* keeps a QP to one port' all >messages
[ ! -s messages ] || fail 'a scenario of the tree is warned of'
grep -vE "warning: (themis is off in the whole fabric|the balancer themis blocks .* transport (ideal|sack) sends none|$spray)|/ofan/|/themis/" \
    all | grep '/cross/' >messages
[ ! -s messages ] || fail 'a cross scenario is warned of what it does not mean to show'
[ $failures = 0 ] || exit 1
echo 'what does not suit is warned of'
