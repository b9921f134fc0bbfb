#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: bad-input.sh WEFT-RUNNER
# A mistake in a scenario must be named with file and line, with a non-zero exit, and must run and
# write nothing: else a user loses hours of simulation, or earlier results, to a slip of the pen.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
go_on
checks=0

# refused WHAT PATTERN: bad.xml must be refused with a message that matches.
refused()
{
    checks=$((checks + 1))
    "$weft" run bad.xml --out kept/new >out 2>messages
    status=$?
    [ "$status" = 2 ] || fail "$1: exit status $status, expected 2"
    [ ! -s out ] || fail "$1: wrote to standard output"
    [ ! -e kept ] || fail "$1: made the results folder"
    rm -rf kept
    grep -Eq "^bad.xml(:[0-9]+)?: error: $2" messages || fail "$1: no message like '$2'"
    "$weft" validate bad.xml >out 2>messages && fail "$1: 'validate' accepts it"
}

# edited WHAT PATTERN SED...: the same for tiny.xml after edits.
edited()
{
    what=$1
    pattern=$2
    shift 2
    for edit; do
        set -- "$@" -e "$edit"
        shift
    done
    sed "$@" "$here/tiny.xml" >bad.xml
    cmp -s bad.xml "$here/tiny.xml" && fail "$what: the edit changes nothing"
    refused "$what" "$pattern"
}

# at WHAT PATTERN SED: the message must stand at the very line that the edit touches.
at()
{
    sed -e "$3" "$here/tiny.xml" >bad.xml
    refused "$1" "$2"
    line=$(diff "$here/tiny.xml" bad.xml | sed -n 's/^[0-9,]*[acd]\([0-9]*\).*/\1/p' | head -n 1)
    grep -Eq "^bad.xml:$line: error: $2" messages || fail "$1: not reported at line $line"
}

# --- the text ---
at 'mismatched tag' 'malformed XML: .*mismatch' 's,</sweep>,</swoop>,'
edited 'cut short' 'malformed XML' '20,999d'
: >bad.xml
refused 'an empty file' 'malformed XML'
printf 'plain text\n' >bad.xml
refused 'no XML at all' 'malformed XML'
head -c 4096 /dev/zero >bad.xml
refused 'binary zeros' 'bytes that are not UTF-8'
[ "$(wc -l <messages)" = 1 ] || fail 'malformed XML is reported more than once'

cat >bad.xml <<'END'
<?xml version="1.0"?>
<!DOCTYPE scenario [<!ENTITY secret SYSTEM "file:///etc/passwd">]>
<scenario name="x"><title>&secret;</title></scenario>
END
refused 'an external entity' 'DOCTYPE and entities are not accepted'
grep -q '^bad.xml:2:' messages || fail 'an external entity: wrong line'
grep -q root: messages && fail 'an external entity was read'

cat >bad.xml <<'END'
<?xml version="1.0"?>
<!DOCTYPE scenario [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;"><!ENTITY d "&c;&c;&c;&c;&c;&c;&c;&c;&c;&c;">
<!ENTITY e "&d;&d;&d;&d;&d;&d;&d;&d;&d;&d;"><!ENTITY f "&e;&e;&e;&e;&e;&e;&e;&e;&e;&e;">
<!ENTITY g "&f;&f;&f;&f;&f;&f;&f;&f;&f;&f;"><!ENTITY h "&g;&g;&g;&g;&g;&g;&g;&g;&g;&g;">]>
<scenario name="&h;"/>
END
refused 'an entity bomb' 'DOCTYPE and entities are not accepted'
printf '<!DOCTYPE scenario SYSTEM "http://localhost/x.dtd"><scenario name="x"/>' >bad.xml
refused 'an external DTD' 'DOCTYPE and entities are not accepted'
edited 'an undefined entity' 'malformed XML: Entity' 's/Four hosts/\&four; hosts/'

# --- the file ---
rm -f bad.xml
refused 'a missing file' 'cannot open bad.xml: No such file'
mkdir bad.xml
refused 'a directory' 'bad.xml is a folder, not a file; expected a file of XML'
rmdir bad.xml
mkfifo bad.xml
refused 'a FIFO' 'bad.xml is not a plain file'
rm bad.xml
if [ "$(id -u)" != 0 ]; then
    cp "$here/tiny.xml" bad.xml
    chmod 000 bad.xml
    refused 'an unreadable file' 'cannot open bad.xml: Permission denied'
    rm -f bad.xml
else
    echo 'note: root can read every file; the unreadable one is left out'
fi
{
    printf '<scenario name="big"><!--'
    head -c 17000000 /dev/zero | tr '\0' x
    printf -- '--></scenario>'
} >bad.xml
refused 'a file of 17 MB' 'bad.xml has more than 16777216 bytes'

# --- names ---
at 'a namespace' 'unknown attribute xmlns of <scenario>; expected name' 's/<scenario/<scenario xmlns="urn:x"/'
sed 's/<scenario/<scenario xmlns=""/' "$here/tiny.xml" >bad.xml
"$weft" validate bad.xml >out 2>messages || fail 'xmlns="", which says that there is no namespace, is refused'
edited 'an attribute of a namespace' 'unknown attribute x:kmin of <switch' \
    's/<scenario/<scenario xmlns:x="urn:x"/' 's/<workload/<switch x:kmin="1KB"\/>&/'
edited 'an element of a namespace' 'unknown element <x:loss> in <scenario>' \
    's/<scenario/<scenario xmlns:x="urn:x"/' 's/<workload/<x:loss probability="0"\/>&/'
edited 'another root' 'the root element is <experiment>; expected <scenario>' \
    's/<scenario/<experiment/' 's,</scenario,</experiment,'
at 'an unknown element' "unknown element <balanser> in <scenario>; expected .*did you mean 'balancer'" \
    's,<balancer,<balanser,'
at 'a misspelt balancer' "unknown balancer 'ecpm'; expected .*did you mean 'ecmp'" \
    's,<balancer name="rsq",<balancer name="ecpm",'
at 'a misspelt case value' "unknown balancer 'themsi'; expected .*did you mean 'themis'" \
    's,value="themis",value="themsi",'
at 'an unknown attribute' "unknown attribute leafs of <topology leaf-spine>; .*did you mean 'leaves'" \
    's,leaves=,leafs=,'
at 'an unknown fixed attribute' "unknown attribute packet of <drop>; .*did you mean 'packets'" \
    's,<drop qp="0" packets=,<drop qp="0" packets="1" packet=,'
at 'a misspelt choice' "placement 'interleafed' of <workload> is not one of the choices; expected .*did you mean 'interleaved'" \
    's,groups="2",groups="2" placement="interleafed",'
at 'an unknown preset' "unknown preset 'vendors' .*did you mean 'vendor'" 's,preset="vendor",preset="vendors",'
at 'a second topology' 'a second <topology>; expected one only' 's,<balancer,<topology kind="fat-tree"/><balancer,'
edited 'no workload' 'the scenario has no <workload kind=' '/<workload/d'
edited 'no name' '<scenario> lacks name' 's/<scenario name="tiny"/<scenario/'
at 'a slash in the name' "name '../tiny' of <scenario> cannot name a file" 's,name="tiny",name="../tiny",'
at 'an empty name' 'name of <scenario> is empty' 's,name="tiny",name="",'
at 'text where none belongs' 'text inside <sweep>' 's,<sweep>,<sweep>and so on,'

# --- the quick version: its mistakes are told without --quick as well ---
# quick WHAT PATTERN ELEMENTS: the message must be about the line of the element; that of <quick> is next.
quick()
{
    at "$1" "$2" "s,^  <figure name=\"cct\",  <quick>$3</quick>\n&,"
}
quick 'an unknown parameter of <quick>' "no workload has a parameter 'byts'; .*did you mean 'bytes'" \
    '<set param="workload.byts" value="1MB"/>'
quick 'an unknown element of a parameter of <quick>' "no element 'wokload' .*did you mean 'workload'" \
    '<set param="wokload.bytes" value="1MB"/>'
quick 'an unknown element in <quick>' 'unknown element <limit> in <quick>; expected .*<set>' '<limit time="1s"/>'
quick 'no value in <quick>' '<set> lacks value=' '<set param="workload.bytes"/>'
quick 'what nothing varies' '<quick> changes <vary param="workload.bytes">, which the scenario does not have' \
    '<vary param="workload.bytes" values="1MB 2MB"/>'
quick 'an unknown parameter that varies in <quick>' "no transport has a parameter 'rot'" \
    '<vary param="transport.rot" values="1us"/>'
quick 'an unknown case' '<quick> changes <case name="thmeis">, .*did you mean .themis.' '<case name="thmeis" label="x"/>'
quick 'an unknown parameter of a case in <quick>' "no workload has a parameter 'byts'" \
    '<case name="rsq"><set param="workload.byts" value="1MB"/></case>'
quick 'an unknown figure' '<quick> changes <figure name="ctc">, .*did you mean .cct.' '<figure name="ctc" title="x"/>'
quick 'an unknown attribute of a figure' 'unknown attribute titel of <figure>' '<figure name="cct" titel="x"/>'
quick 'what the cases set' 'the sweep sets balancer.name in every run, by <cases> at line 18, .*expected a <case>' \
    '<set param="balancer.name" value="ecmp"/>'
quick 'what the seeds set' 'the sweep sets seed.value in every run, by <seeds> at line 30' \
    '<set param="seed.value" value="7"/>'
quick 'a value twice' "a second <set> 'workload.bytes'; expected each once, and it stands at line" \
    '<set param="workload.bytes" value="1MB"/><set param="workload.bytes" value="2MB"/>'
quick 'an empty quick version' '<quick> is empty' ''
edited 'seeds of <quick> alone' '<quick> changes <seeds>, which the scenario does not have' \
    '/<seeds/d' 's,^  <figure name="cct",<quick><seeds count="1"/></quick>&,'
edited 'cases of times named as a result' "<cases> of times, rates or sizes cannot have the name 'bound': .* 'bound_us'" \
    's,<seeds,<cases name="bound"><case name="10us"/><case name="20us"/></cases>&,'
edited 'a case of two names' '<quick> changes <case name="rsq">, and the scenario has 2 of them' \
    's,<seeds,<cases name="other"><case name="rsq"/></cases>&,' \
    's,^  <figure name="cct",<quick><case name="rsq" label="x"/></quick>&,'
long=$(printf '%0145d' 0)
edited 'a name too long for a quick version' "'$long' is too long for the name of the quick version" \
    "s,name=\"tiny\",name=\"$long\"," 's,^  <figure name="cct",<quick><seeds count="1"/></quick>&,'

# --- values ---
at 'a missing unit' "rto '100' of <transport> has no unit, or the wrong one; expected a time" 's,rto="100us",rto="100",'
at 'a wrong unit' "bytes '200us' of <workload> has no unit, or the wrong one" 's,"200KB","200us",'
at 'a negative value' "rto '-1us' of <transport>" 's,rto="100us",rto="-1us",'
at 'not a number' "bytes 'NaN' of <workload>" 's,"200KB","NaN",'
at 'a real that is not a number' "probability 'nan' of <loss>" 's,<drop qp,<loss probability="nan"/><drop qp,'
at 'infinity' "probability 'inf' of <loss>" 's,<drop qp,<loss probability="inf"/><drop qp,'
at 'an overflow' "bytes '99999999999999999999GB' of <workload> is too large" 's,"200KB","99999999999999999999GB",'
at 'an empty value' "leaves '' of <topology>" 's,leaves="2",leaves="",'
at 'no hosts' "hosts-per-leaf '0' of <topology> is out of bounds" 's,hosts-per-leaf="2",hosts-per-leaf="0",'
at 'a thousand million hosts' "hosts-per-leaf '1000000000' of <topology> is out of bounds" \
    's,hosts-per-leaf="2",hosts-per-leaf="1000000000",'
edited 'too many hosts in all' '<topology leaf-spine>: it is too large; expected at most 1048576 hosts' \
    's,leaves="2",leaves="4000",' 's,hosts-per-leaf="2",hosts-per-leaf="4000",'
at 'a message of no bytes' "bytes '0B' of <workload> is out of bounds" 's,"200KB","0B",'
edited 'an odd fat-tree' 'this fat-tree cannot be built|<topology fat-tree>' \
    's,kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2",kind="fat-tree" k="5",'
at 'groups of other sizes' 'this ring does not fit 4 hosts: they do not divide' 's,groups="2",groups="3",'
at 'groups of one host' 'this ring does not fit 4 hosts: a group needs 2 hosts' 's,groups="2",groups="4",'
at 'a QP that is not there' 'QP 4 of <drop> does not exist; expected 0 to 3' 's,<drop qp="0",<drop qp="4",'
planned='s,<balancer name="rsq"/>,<balancer name="subflow" n="4"/>,;s,<drop qp="0",<drop qp="16",;/<sweep>/,/<.scenario>/c</scenario>'
edited 'a QP that no planner makes' 'QP 16 of <drop> does not exist; expected 0 to 15' "$planned"
at 'a sampled QP that is not there' 'QP 9 of <measure> does not exist' 's,qps="0 1",qps="0 9",'
at 'a QP sampled twice' 'QP 1 of <measure> is named twice' 's,qps="0 1",qps="1 1",'
at 'ports of a layer that is not there' \
    "ports 'spine-dwon' of <measure>; expected a layer .tor-up, spine-down, tor-down. or switch:port, such as 0:4 or 0-3:4-7; did you mean 'spine-down'" \
    's,qps="0 1",ports="0:1 spine-dwon",'
for word in 0: :1 0:1: 0:2-1 1-0:1 -1:0 0x1:0 '0:1,2' 3; do
    at "ports '$word'" "ports '$word' of <measure>; expected a layer" "s;qps=\"0 1\";ports=\"tor-up $word\";"
done
at 'a switch that is not there' 'switch 4 of <measure> does not exist; expected 0 to 3' 's,qps="0 1",ports="0-4:0",'
at 'a switch beyond all numbers' 'switch [0-9]* of <measure> does not exist' \
    's,qps="0 1",ports="99999999999999999999999:0",'
at 'a port that is not there' 'switch 2 has no port 2; expected 0 to 1 in ports of <measure>' \
    's,qps="0 1",ports="0-1:3 2:1-2",'
at 'a port named twice' 'port 2 of switch 1 is named twice in ports of <measure>' \
    's,qps="0 1",ports="1:2 tor-up",'
at 'no ports' 'ports of <measure> is empty' 's,qps="0 1",ports=" ",'
edited 'too many ports' 'ports of <measure> names too many; expected at most 65536' \
    's,qps="0 1",ports="tor-down",;s,leaves="2",leaves="1024",;s,hosts-per-leaf="2",hosts-per-leaf="1024",'
edited 'ports without interval' '<measure> samples QPs, ports, queues or balance but has no interval' \
    's,interval="5us" qps="0 1" queues="on",ports="tor-up",'
edited 'samples without interval' '.*no interval' 's,interval="5us" ,,'
at 'kmin above kmax' '<switch shared-buffer>: ' 's,preset="100g",preset="100g" kmin="9MB",'
at 'a buffer that headroom eats up' 'the headroom of 4 ports leaves nothing' 's,buffer="16MB",buffer="100KB",'
edited 'a balancer that cannot work' 'the balancer themis cannot work on this leaf-spine with 2 paths.*set entry-bytes=2' \
    's,link-delay="1us",link-delay="50us",'
at 'a failure of no link' 'spine 7 of <failure> does not exist; there are 2, 0 to 1' 's,<drop,<failure leaf="0" spine="7"/><drop,'
at 'a repair before the failure' 'repair of <failure> is not after at' \
    's,<drop,<failure leaf="0" spine="1" at="2ms" repair="1ms"/><drop,'
at 'a repair before random failures' 'repair of <random-failures> is not after at' \
    's,<drop,<random-failures at="2ms" repair="1ms"/><drop,'
at 'random failures of no probability' '<random-failures> without a probability' \
    's,<drop,<random-failures repair="1ms"/><drop,'
at 'a port too small for a frame' 'a switch has a port-buffer of 1000 bytes, which holds no full frame' \
    's,preset="100g",preset="100g" pfc="off" port-buffer="1000B",'
at 'trimming and PFC' '<switch shared-buffer>: .*expected pfc=off with trim=on' \
    's,preset="100g",preset="100g" trim="on",'
edited 'a NIC that does not know trimmed packets' 'the transport nic-sr would take a trimmed packet' \
    's,preset="100g",preset="100g" pfc="off" trim="on",'
edited 'a ToR that does not know them' 'the balancer themis would block NACKs of trimmed packets' \
    's,preset="100g",preset="100g" pfc="off" trim="on",;s,name="nic-sr",name="trim",'
at 'a queue without room for a frame' 'a switch has a trim-at of 1000 bytes, which holds no full frame of 1452 . 48 bytes' \
    's,preset="100g",preset="100g" pfc="off" trim="on" trim-at="1000B",;s,name="nic-sr",name="trim",'
at 'a trimmed frame without its header' 'a switch has trim-bytes of 40, less than the header of 48 bytes' \
    's,preset="100g",preset="100g" pfc="off" trim="on" trim-bytes="40B",;s,name="nic-sr",name="trim",'
at 'three classes' '<switch shared-buffer>: classes must be a power of two; expected 2, 4 or 8' \
    's,preset="100g",preset="100g" classes="3",'
in_class='s,<workload,<class name="bulk" queue="1"><balancer name="rsq"/></class><workload class="bulk",'
edited 'a class without a name' '<class> lacks name="..."' \
    "$in_class;s,<class name=.bulk.,<class,;s, class=.bulk.,,"
at 'a queue that no port has' \
    'queue 2 of <class name="bulk"> is none for data, as the ports of a switch have 2 classes; expected 1 to 1' \
    "$in_class;s,queue=.1.,queue=\"2\","
at 'a class of nobody' "no <workload> is of the class 'bluk'; .*did you mean 'bulk'" \
    "$in_class;s,<class ,<class name=\"bluk\"/>&,"
at 'a workload of no class' 'no <class name="bluk">; did you mean .bulk' \
    "$in_class;s,class=.bulk.,class=\"bluk\","
at 'a workload of two classes' 'a <workload> with class and balancer; expected one of them' \
    "$in_class;s,class=.bulk.,& balancer=\"rsq\","
at 'a class of a name that is taken' 'a <workload> with balancer="rsq" makes a class .balancer-rsq., and there is' \
    "$in_class;s,bulk,balancer-rsq,g;s,<workload,<workload name=\"2\" kind=\"ring\" bytes=\"1KB\" balancer=\"rsq\"/>& name=\"1\","
at 'a balancer of a class that does not fit' \
    'the balancer themis of <class name="bulk"> works on replies at ToRs' \
    "$in_class;s,name=.rsq./></class>,name=\"themis\"/></class><fabric ack-priority=\"ideal\"/>,"
edited 'a class whose NIC does not know trimmed packets' \
    'the transport sack of <class name="bulk"> would take a trimmed packet' \
    "$in_class;s,<balancer name=.rsq./></class>,<transport name=\"sack\"/></class>,;s,preset=.100g.,preset=\"trim-400g\",;s,name=.nic-sr.,name=\"trim\","
at 'no such scheduler' "unknown scheduler 'wr'; .*did you mean 'wrr'" \
    's,<drop,<scheduler name="wr"/><drop,'
at 'no weight at all' "weight-2 '0' of <scheduler> is out of bounds; expected .* from 1 to 65535" \
    's,<drop,<scheduler name="wrr" weight-2="0"/><drop,'
edited 'inter-pod in one pod' '.*no other pod to send to: a fabric of two tiers.*three tiers' \
    's,kind="ring",kind="permutation" pattern="inter-pod",'
at 'more random links than there are' 'links of <random-failures>: there are 4 links between switches' \
    's,<drop,<random-failures links="9"/><drop,'
at 'links and a probability' 'links of <random-degrade>: there is a probability as well' \
    's,<drop,<random-degrade links="1" probability="0.1" share="0.5"/><drop,'
at 'a degradation without a share' '<random-degrade> lacks share' 's,<drop,<random-degrade links="1"/><drop,'
at 'cores in two tiers' 'aggregation-core of <random-failures>: this leaf-spine has two tiers' \
    's,<drop,<random-failures aggregation-core="0.1"/><drop,'
at 'a percentage' "probability '1%' of <random-failures>" 's,<drop,<random-failures probability="1%"/><drop,'
edited 'a batch that a balancer of hosts cannot have' \
    'the balancer pro cannot work on this leaf-spine .*expected the number of paths between two ToRs to be a multiple' \
    's,<drop,<fabric batch="3"/><drop,' 's,value="ecmp",value="pro",'
edited 'more QPs than packets can name' \
    '1047552 connections may need 63380480 QPs, .*expected at most 16777216' \
    's,<topology.*,<topology kind="fat-tree" k="16"/>,;/^ *link-rate="100Gbps"/d;/<drop/d' \
    's,value="ecmp",value="ethereal",' 's,kind="ring" bytes="200KB" groups="2",kind="alltoall" bytes="1KB",'
at 'ACKs that come too rarely' 'the transport nic-sr has outstanding 3, less than ack-every 4: every ACK would wait for the RTO' \
    's,rto="100us",rto="100us" outstanding="3",;s,<measure,<fabric ack-every="4"/><measure,'
at 'a packet dropped twice' 'packet 100 of QP 0 is named twice in <drop>' \
    's,packets="20",packets="100 100 20" count="2",'
at 'a packet dropped twice by two' 'packet 20 of QP 0 is named twice in <drop>' \
    's,<measure,<drop qp="0" packets="20"/><measure,'
at 'a packet that is never sent' 'QP 0 has no packet 138 to drop; expected 0 to 137' \
    's,packets="20",packets="137 138",'
at 'samples without end' 'interval of <measure> is too short' 's,interval="5us",interval="1ps",'

# --- sweeps ---
edited 'a parameter that varies twice' 'balancer.name varies twice' \
    's,<seeds.*,<vary param="balancer.name" values="ecmp ar"/>,'
edited 'a parameter twice in a zip' "a second <vary> 'transport.rto'; expected each once" \
    's,<seeds.*,<zip><vary param="transport.rto" values="1us 2us"/><vary param="transport.rto" values="3us 4us"/></zip>,'
edited 'a parameter twice in a case' "a second <set> 'balancer.name'; expected each once" \
    's,<set param="balancer.compensation" value="scan"/>,<set param="balancer.name" value="ar"/>,'
edited 'the seed varies twice' 'seed.value varies twice' 's,<seeds,<vary param="seed.value" values="1 2"/><seeds,'
edited 'a zip of different lengths' '.*in a <zip> has 1 values; expected 2' \
    's,<seeds.*,<zip><vary param="transport.rto" values="1us 2us"/><vary param="workload.bytes" values="1KB"/></zip>,'
at 'a value twice' "value '1us' of <vary param=\"transport.rto\"> stands twice" \
    's,<seeds.*,<vary param="transport.rto" values="1us 1us"/>,'
at 'no values' 'values of <vary> is empty' 's,<seeds.*,<vary param="transport.rto" values=""/>,'
at 'a bad value in a sweep' "rto '7' of <transport> has no unit" \
    's,<seeds.*,<vary param="transport.rto" values="5us 7"/>,'
at 'an element that cannot vary' "no element 'drop' whose attributes can be set" \
    's,<seeds.*,<vary param="drop.qp" values="1 2"/>,'
at 'a parameter that nothing has' "no transport has a parameter 'rtt'; .*did you mean 'rto'" \
    's,<seeds.*,<vary param="transport.rtt" values="1us 2us"/>,'
at 'no parameter' "'rto' names no parameter" 's,<seeds.*,<vary param="rto" values="1us 2us"/>,'
at 'an absurd number of runs' "count '1000000000' of <seeds>|more than 100000 runs" 's,count="2",count="1000000000",'
edited 'too many runs' 'the sweep has more than 100000 runs' 's,count="2",count="50000",'
edited 'an empty sweep' '<sweep> is empty' '/<cases>/,/<seeds/d' '/<figure/,/>/d'
edited 'a zip of nothing that can vary, before cases' "unknown attribute para of <vary>; .*did you mean 'param'" \
    's,<cases>,<zip><vary para="seed.value" values="1 2"/></zip>&,'
edited 'two cases of one name' "a second <case> 'ecmp'" 's,<case name="rsq",<case name="ecmp",'

# --- figures ---
at 'a figure of nothing' ".*there is no column 'cct_ms'; .*did you mean 'cct_us'" 's,y="cct_us",y="cct_ms",'
at 'a figure of no parameter' ".*there is no column 'casse'; .*did you mean 'case'" 's,x="case",x="casse",'
at 'an unknown template' "template 'bar' of <figure> is not one of the choices; .*did you mean 'bars'" \
    's,template="bars",template="bar",'
at 'two figures of one name' "a second <figure> 'cct'" 's,<figure name="rate",<figure name="cct",'
at 'an axis that bars do not have' 'x-log of <figure cct> of bars' 's,<figure name="cct",& x-log="on",'
at 'a column of no layer' ".*there is no column 'queue_mean'; expected a column of layers.csv" \
    's,x="case" y="cct_us",data="layers" x="layer" y="queue_mean",'
edited 'a mark among bars' '<mark> in <figure cct> of bars' \
    's,values="on"/>,><mark x="1" y="1" label="here"/></figure>,'
at 'an axis with its end before its start' 'y-max of <figure cct> is not above y-min' 's,<figure name="cct",& y-min="5" y-max="5",'
at 'an end of an axis of bars' 'x-max of <figure cct> of bars' 's,<figure name="cct",& x-max="5",'
at 'a log axis that starts at 0' 'y-min of <figure cct> is 0; expected more than 0' \
    's,<figure name="cct",& y-log="on" y-min="0",'
edited 'a level that a log axis has no place for' 'y of <level> in <figure cct> is 0' \
    's,<figure name="cct",& y-log="on",' 's,values="on"/>,><level y="0" label="none"/></figure>,'
edited 'a misspelt level on a log axis' "unknown element <levle> in <figure>; .*did you mean 'level'" \
    's,<figure name="cct",& y-log="on",' 's,values="on"/>,><levle y="1" label="one"/></figure>,'
edited 'an attribute that a level lacks, on a log axis' 'unknown attribute x of <level>' \
    's,<figure name="cct",& x-log="on",' 's,values="on"/>,><level x="1" y="1" label="one"/></figure>,'
edited 'a log axis with a zero' "x-log of <figure more>: convergence.delay is '0s'" \
    's,<figure name="cct",<figure name="more" template="lines" x="convergence.delay" y="cct_us" x-log="on"/>&,' \
    's,<seeds.*,<vary param="convergence.delay" values="0s 50us"/>,'
edited 'words along a line' "x of <figure more> of lines: case is 'ecmp' in the sweep; expected numbers" \
    's,<figure name="cct",<figure name="more" template="lines" x="case" y="cct_us"/>&,'
edited 'steps of a workload without' '<figure more> shows steps, but no message of the workload waits' \
    's,<figure name="cct",<figure name="more" template="lines" data="steps" x="step" y="cct_us"/>&,'
at 'values of lines' 'values of <figure more> of lines' \
    's,<figure name="cct",<figure name="more" template="lines" x="seed" y="cct_us" values="on"/>&,'
edited 'layers that are not sampled' '.*shows what is not measured .layers.csv.' \
    's,x="case" y="cct_us",data="layers" x="layer" y="queue_mean_bytes",' 's, queues="on",,'
edited 'samples that are not taken' '.*shows what is not measured .series.csv.' '/<measure/d'
cdf='<figure name="more" template="cdf" data="qps" x="fct_us"'
at 'a CDF of no column' ".*there is no column 'fct_ms'; expected a column of qps.csv; did you mean 'fct_us'" \
    's,<figure name="cct",<figure name="more" template="cdf" data="qps" x="fct_ms"/>&,'
at 'a CDF of what varies' ".*there is no column 'case'; expected a column of qps.csv" \
    's,<figure name="cct",<figure name="more" template="cdf" data="qps" x="case"/>&,'
at 'a CDF of words' "x of <figure more> of a cdf: column 'layer' holds text" \
    's,<figure name="cct",<figure name="more" template="cdf" data="layers" x="layer"/>&,'
at 'a CDF of two columns' '<figure more> of a cdf has 2 x columns; expected one' \
    's,<figure name="cct",<figure name="more" template="cdf" data="qps" x="sent resent"/>&,'
at 'a CDF with a y' 'y of <figure more> of a cdf; expected template="bars" or "grouped-bars" or "lines" or "heatmap" or ' "s,<figure name=\"cct\",$cdf y=\"sent\"/>&,"
at 'a CDF with a line' 'line of <figure more> of a cdf; expected template="bars" or "grouped-bars"$' \
    "s,<figure name=\"cct\",$cdf line=\"cct_us\"/>&,"
at 'a condition on what is in no file' "where of <figure more>: there is no column 'fct_ms'" \
    "s,<figure name=\"cct\",$cdf where=\"fct_ms=1\"/>&,"
at 'lines over QPs' '<figure more> of lines cannot show the rows of qps.csv; expected template="cdf"' \
    's,<figure name="cct",<figure name="more" template="lines" data="qps" x="qp" y="sent"/>&,'
at 'bars over messages' '<figure cct> of bars cannot show the rows of flows.csv; expected template="cdf"' \
    's,x="case" y="cct_us",data="flows" x="src" y="bytes",'
at 'bars without a y' '<figure cct> of bars lacks y=' 's,x="case" y="cct_us",x="case",'
edited 'a CDF of messages that are not written' \
    '.*shows what is not measured .flows.csv.; expected <measure flows="..."/>' \
    's,<measure,& flows="off",' 's,<figure name="cct",<figure name="more" template="cdf" data="flows" x="fct_us"/>&,'

# --- many at once ---
sed -e 's,leaves="2",leaves="two",' -e 's,rto="100us",rto="100",' -e 's,"200KB","0B",' "$here/tiny.xml" >bad.xml
refused 'three mistakes' 'leaves'
[ "$(grep -c ': error: ' messages)" = 3 ] || fail 'three mistakes do not give three messages'

# --- the command line ---
command_line()
{
    checks=$((checks + 1))
    what=$1
    pattern=$2
    shift 2
    "$weft" "$@" >out 2>messages
    status=$?
    [ "$status" = 2 ] || fail "$what: exit status $status, expected 2"
    [ ! -e kept ] || fail "$what: made the results folder"
    grep -Eq "$pattern" messages || fail "$what: no message like '$pattern'"
}

# --- all mistakes of a file at once, and what is meant ---

# all WHAT PATTERN... : each of the patterns is in a message about bad.xml
all()
{
    what=$1
    shift
    for pattern; do
        refused "$what" "$pattern"
    done
}

printf 'src,dst,bytes,start\n0,99,9KB,0\n0,2,9KB,0\n98,1,9KB,0\n' >missing.csv
cat >bad.xml <<'END'
<scenario name="bad">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2" link-rate="100Gbps"/>
  <balancer name="ecmp"/>
  <congestion-control name="dcqcn" kmin="30KB"/>
  <workload name="a" kind="poisson" load="50%" file="websearch"/>
  <workload name="b" kind="incast" bytes="9" hosts="0 7 9"/>
  <sweep><vary param="balancer.name" values="ecmp,ar"/></sweep>
</scenario>
END
all 'several mistakes' "load '50%' .*did you mean '0.5'" "bytes '9' of <workload> has no unit" \
    'unknown attribute kmin of <congestion-control dcqcn>.*did you mean kmin of <switch>'
# Where all names are right, what they stand for is looked at as well.
sed -i 's/ kmin="30KB"//' bad.xml
all 'several mistakes' "load '50%' .*did you mean '0.5'" "bytes '9' of <workload> has no unit" \
    "cannot read file 'websearch'.*scenarios/workloads/web-search.txt" \
    "unknown balancer 'ecmp,ar'.*spaces between its values"
cat >bad.xml <<'END'
<scenario name="bad">
  <topology kind="leaf-spine" leaves="2" spines="2" hosts-per-leaf="2" link-rate="100Gbps"/>
  <balancer name="ecmp"/>
  <workload name="a" kind="flows" file="missing.csv"/>
  <workload name="b" kind="incast" bytes="9KB" groups="3"/>
  <measure qps="0-1 99-100" interval="1us"/>
</scenario>
END
all 'several hosts' 'missing.csv:2: flow 1 names host 99; the topology has 4 hosts, 0 to 3, and the file needs 100' 'missing.csv:4: flow 3 names host 98;' 'this incast does not fit'
sed -i 's,<workload name="b".*,<workload name="b" kind="incast" bytes="9KB" hosts="0 7 9"/>,' bad.xml
all 'several words' "hosts '7' of <workload>" "hosts '9' of <workload>"
sed -i '/name="b"/d; s/flows" file="missing.csv"/ring" bytes="9KB"/' bad.xml
all 'a range of QPs' 'QP 99 of <measure> does not exist' 'QP 100 of <measure> does not exist'
sed -i 's/99-100/0-4294967295/' bad.xml
all 'too many QPs' "qps '0-4294967295' of <measure> is out of bounds"
sed -i 's/0-4294967295/7-5/' bad.xml
all 'a range that falls' "qps '7-5' of <measure> is no range"
sed -i 's/ 7-5/ 2-3/; s,<measure,<drop qp="0" packets="0-2"/>&,' bad.xml
"$weft" validate bad.xml >out 2>messages || fail 'ranges of QPs and of packets are refused'
sed -i 's/balancer name="ecmp"/balancer name="switch"/' bad.xml
all 'how a name begins' "unknown balancer 'switch'.*did you mean 'switch-rr'"

# What a scenario holds does not steer the terminal: a C1 control, and one that turns a line around.
edited 'controls' "unknown workload 'a b.{1,3}c'" "s/kind=\"ring\"/kind=\"a\&#x9b;b\&#x202e;c\"/"
LC_ALL=C grep -q "$(printf '\302\233\|\342\200\256')" messages && fail 'controls reach the terminal'

# A file of nothing but mistakes is told of at once, and in few words.
{
    printf '<scenario name="many"'
    seq -f ' a%.0f="1"' 100000
    printf '/>'
} >bad.xml
checks=$((checks + 1))
timeout 10 "$weft" validate bad.xml >out 2>messages
status=$?
[ "$status" = 2 ] || fail "100,000 unknown attributes: exit status $status"
grep -q '^bad.xml:1: error: an element with more than 1000 attributes' messages || fail '100,000 unknown attributes: no such message'
{
    echo '<scenario name="many">'
    seq 100000 | sed 's,.*,<a&/><drop b="&"/>,'
    echo '</scenario>'
} >bad.xml
checks=$((checks + 1))
timeout 60 "$weft" validate bad.xml >out 2>messages
status=$?
[ "$status" = 2 ] || fail "200,000 mistakes: exit status $status"
grep -q 'there may be more' messages || fail '200,000 mistakes: not told that there are more'
checks=$((checks + 1))
# The same of one that hides them in an encoding of its own.
{
    printf '<?xml version="1.0" encoding="UTF-16"?>\n<scenario name="many"'
    seq -f ' a%.0f="1"' 100000
    printf '/>'
} | iconv -f UTF-8 -t UTF-16 >bad.xml
checks=$((checks + 1))
timeout 10 "$weft" validate bad.xml >out 2>messages
status=$?
[ "$status" = 2 ] || fail "100,000 attributes in UTF-16: exit status $status"
grep -q '^bad.xml:1: error: bytes that are not UTF-8; expected a file in UTF-8' messages || fail 'UTF-16: no such message'
{
    echo '<?xml version="1.0" encoding="ISO-8859-1"?>'
    tail -n +2 "$here/tiny.xml" | sed 's,<topology,<!-- caf\xe9 -->&,'
} >bad.xml
all 'Latin 1' 'bytes that are not UTF-8; expected a file in UTF-8'
{
    printf '\357\273\277'
    sed '1s/UTF-8/US-ASCII/; s,<topology,<!-- caf\xc3\xa9 -->&,' "$here/tiny.xml"
} >bad.xml
"$weft" validate bad.xml >out 2>messages || fail 'UTF-8 behind a mark of the order of bytes is refused'

# Nor do cases in great number, whatever is wrong with them, take their number's square.
# cases BEFORE TEXT AFTER MESSAGE: TEXT stands 100,000 times, & for its number.
cases()
{
    {
        sed '/<sweep>/,$d' "$here/tiny.xml"
        echo "$1"
        seq 100000 | sed "s,.*,$2,"
        echo "$3"
    } >bad.xml
    checks=$((checks + 1))
    timeout 60 "$weft" validate bad.xml >out 2>messages
    status=$?
    [ "$status" = 2 ] || fail "$2, 100,000 times: exit status $status"
    grep -q "$4" messages || fail "$2, 100,000 times: no message '$4'"
    [ "$(wc -l <messages)" -lt 105 ] || fail "$2, 100,000 times: $(wc -l <messages) lines"
}
end='</cases></sweep></scenario>'
cases '<sweep><cases>' '<case name="c"/>' "$end" "a second <case> 'c'; expected each once"
cases '<sweep><cases>' '<case name="c&"><set param="no.rto" value="1us"/></case>' "$end" "no element 'no'"
cases '<sweep><cases>' '<case name="c&"><set param="transport.rto" value="9"/></case>' "$end" "rto '9' of <transport>"
cases '<sweep><cases><case name="c">' '<set param="transport.rto" value="9us"/>' "</case>$end" "a second <set> 'transport.rto'"
cases '<sweep>' '<vary param="transport.rto" values="9us"/>' '</sweep></scenario>' "a second <vary> 'transport.rto'"
cases '<quick>' '<case name="c&"/>' '</quick></scenario>' '<quick> has more than 4096 elements'

{
    printf 'src,dst,bytes,start\n0,'
    head -c 1000000 /dev/zero | tr '\0' 9
    printf ',1KB,0us\n'
} >long.csv
sed 's,<workload .*,<workload kind="flows" file="long.csv"/>,' "$here/tiny.xml" >bad.xml
"$weft" validate bad.xml >out 2>messages && fail 'a cell of 1 MB is taken'
grep -q '^bad.xml:[0-9]*: error: long.csv:2: .*999 ... ([0-9]* bytes) ... 999.*expected' messages || fail 'a cell of 1 MB: no such message'
[ "$(wc -c <messages)" -lt 4000 ] || fail "a cell of 1 MB: a message of $(wc -c <messages) bytes"
# libxml2 says nothing beside our messages.
for text in '<?xml version="1.0" encoding="UTF-32"?><s/>' '<scenario xml:id="1"/>'; do
    checks=$((checks + 1))
    printf '%s' "$text" >bad.xml
    "$weft" validate bad.xml >out 2>messages && fail "$text is taken"
    grep -v '^bad.xml' messages >raw && fail "$text: lines of libxml2"
done

cp "$here/tiny.xml" good.xml
command_line 'a bad --set' "command line: error: rto '9' of <transport>" run good.xml --out kept --set transport.rto=9
command_line 'a --set of nothing' "did you mean 'rto'" run good.xml --out kept --set transport.rt=9us
command_line 'a --set of what varies' 'the sweep varies it at line' run good.xml --out kept --set balancer.name=ar
command_line 'a --set without value' "expected element.attribute=value" run good.xml --out kept --set transport.rto
command_line 'a class of nobody' "command line: error: no <class name=\"fast\">" \
    run good.xml --out kept --set balancer:fast.name=ar
sed 's,<workload ,<workload name="w1" kind="permutation" bytes="1KB"/><workload name="w2" ,' good.xml >two.xml
command_line 'two of one name' "a second <workload> 'w2'; expected each once" run two.xml --out kept --set workload:w1.name=w2
command_line 'no such host' "error: --host 'omnet'; expected one of: ns3 plain" \
    run good.xml --out kept --host omnet
command_line 'no such run' "no run matches 'nothing'" run good.xml --out kept --only nothing
command_line 'no such command' "unknown command 'rnu'; did you mean 'run'" rnu good.xml
command_line 'no such option' "'weft run' has no option --nonsense$" run good.xml --out kept --nonsense
[ "$(wc -l <messages)" = 2 ] || fail 'a wrong option hides what is wrong behind all that are right'
command_line 'a misspelt option' "has no option --onyl; did you mean 'only'" run good.xml --out kept --onyl x
command_line 'a letter' "'weft run' has no option -x; expected -h, -j N or --NAME$" run good.xml --out kept -xy
command_line 'a letter behind an option' "'weft run' has no option -x; expected -h" run good.xml --again -xq
command_line 'a letter that begins names' "'weft list' has no option -q; expected -h or --NAME$" list -q
command_line 'a misspelt option with a value' "has no option --onyl; did you mean 'only'" run good.xml --onyl=x
command_line 'a hint that the command does not take' "'weft run' has no option --formt$" run good.xml --formt
command_line 'no value' "error: --set of 'weft run' lacks its value; expected --set PARAM=VALUE" run good.xml --out kept --set
command_line 'no number of jobs' "error: --jobs of 'weft run' lacks its value; expected --jobs N" run good.xml --out kept -j
command_line 'a value too many' "error: --dry-run of 'weft run' takes no value; expected no '=yes' behind it" run good.xml --dry-run=yes
command_line "a value too many of another command's option" "'weft run' does not take --html" run good.xml --html=yes
command_line 'a letter for a name' "nothing is called 'q'; 'weft list' shows all names$" list q
command_line "another command's option" "'weft run' does not take --format" \
    run good.xml --out kept --format csv
command_line 'a bad number of jobs' "expected a whole number from 1 to 4096" run good.xml --out kept -j 0
command_line 'no file' "too few arguments for 'weft run'; expected: weft run FILE" run
command_line 'nothing to list' "nothing is called 'themsi'.*did you mean 'themis'" list themsi

[ -e kept ] && fail 'something was written'
printf '%d checks, %d failures\n' "$checks" "$failures"
[ "$failures" = 0 ]
