#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: nic-presets.sh WEFT-RUNNER
# <nic preset="...">: a newcomer who names a NIC would run another one, or one whose switches do not suit
# it, or would lose what the scenario names itself.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# scenario NAME NIC
scenario()
{
    cat >"$1.xml" <<XML
<scenario name="$1">
  <topology kind="leaf-spine" leaves="4" spines="4" hosts-per-leaf="4" link-rate="400Gbps"/>
  <balancer name="ops"/><workload kind="permutation" bytes="400KB"/>
  $2
</scenario>
XML
}

# run NAME NIC
run()
{
    scenario "$@"
    ends 0 "$weft" run "$1.xml" --no-figures --host plain --progress 0 --out "$1"
}

# same A B: the resolved scenarios are those of one run.
same()
{
    for of; do
        exported "$of"
        sed "s/<scenario name=\"$of\">/<scenario>/" "$of.runs/$of/scenario.xml" >"$of.resolved"
    done
    cmp "$1.resolved" "$2.resolved" || fail "$1 is not $2"
}

run uec '<nic preset="uec"/>'
run uec-parts '<transport name="trim" rto="100us"/><congestion-control name="nscc"/><switch preset="trim-400g"/>'
same uec uec-parts
run lossless '<nic preset="roce-lossless"/>'
run lossless-parts '<transport name="nic-sr"/><congestion-control name="dcqcn"/>'
same lossless lossless-parts
run sr '<nic preset="roce-sr"/>'
run sr-parts '<transport name="sack"/><congestion-control name="dcqcn"/><switch pfc="off"/>'
same sr sr-parts
run ideal '<nic preset="ideal"/>'
run ideal-parts '<transport name="ideal"/>'
same ideal ideal-parts
run own '<nic preset="own"/>'
run none ''
same own none

# What the scenario names stays.
run mixed '<nic preset="uec"/><congestion-control name="dctcp"/><switch trim-at="200KB"/><transport rto="2ms"/>'
run mixed-parts '<transport name="trim" rto="2ms"/><congestion-control name="dctcp"/><switch preset="trim-400g" trim-at="200KB"/>'
same mixed mixed-parts

# NICs are swept like anything else.
run swept '<sweep><vary param="nic.preset" values="uec roce-lossless roce-sr ideal"/></sweep>'
[ "$(column swept/summary.csv nic.preset | tr '\n' ' ')" = 'uec roce-lossless roce-sr ideal ' ] || fail 'no column of NICs'
for preset in uec:uec roce-lossless:lossless roce-sr:sr ideal:ideal; do
    awk -F , -v preset="${preset%:*}" 'NR == 1 || $2 == preset' swept/summary.csv >chosen.csv
    [ "$(column chosen.csv cct_us)" = "$(column "${preset#*:}/summary.csv" cct_us)" ] || fail "a sweep over NICs runs another ${preset%:*}"
done
ends 0 "$weft" run none.xml --no-figures --host plain --progress 0 --set nic.preset=uec --out set
[ "$(column set/summary.csv cct_us)" = "$(column uec/summary.csv cct_us)" ] || fail '--set nic.preset=uec'

# A parameter of the preset's transport is no other's.
run other '<nic preset="uec"/><transport name="erasure"/><switch trim="off"/>'
run other-parts '<transport name="erasure"/><congestion-control name="nscc"/><switch preset="trim-400g" trim="off"/>'
same other other-parts

scenario bad '<nic preset="uecc"/>'
ends 2 "$weft" validate bad.xml
grep -q "preset 'uecc' of <nic> is not one of the choices.*did you mean 'uec'" messages || fail 'another NIC is taken'
scenario clash '<nic preset="uec"/><transport name="sack"/>'
ends 2 "$weft" validate clash.xml
grep -q 'trim' messages || fail 'a NIC that cannot handle trimmed packets'
