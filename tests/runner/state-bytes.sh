#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: state-bytes.sh WEFT-RUNNER
# What switches and NICs keep must grow with what it is kept of: else a table says that a scheme is
# cheap whose switches hold a ring for every QP.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# state BALANCER WORKLOAD [WINDOW [SPINES]]: leaves the columns in $switch, $nic and $labels
state()
{
    cat >it.xml <<END
<scenario name="it">
  <topology kind="leaf-spine" leaves="4" spines="${4:-4}" hosts-per-leaf="4" link-rate="100Gbps"/>
  <transport name="nic-sr" window="${3:-1024}" outstanding="1024"/><balancer $1/>
  <workload bytes="64KB" $2/>
</scenario>
END
    rm -rf it
    "$weft" run it.xml --no-figures --out it >out 2>messages || fail "$1 $2"
    switch=$(column it/summary.csv switch_state_bytes)
    nic=$(column it/summary.csv nic_state_bytes)
    labels=$(column it/summary.csv nic_label_bytes)
}

shift='kind="permutation" pattern="shift"'

# A bitmap of the receiver is one bit per packet of the window. Each host has one QP either way.
state 'name="ecmp"' "$shift shift=\"4\""
small=$nic
plain=$switch
state 'name="ecmp"' "$shift shift=\"4\"" 65536
[ $((nic - small)) -ge $(((65536 - 1024) / 8)) ] || fail "a NIC's bitmaps of 65536 and 1024 packets: $nic and $small"

# Four QPs in the place of one are four times what QPs take.
state 'name="subflow" n="4"' "$shift shift=\"4\""
four=$nic
state 'name="subflow" n="2"' "$shift shift=\"4\""
two=$nic
state 'name="subflow" n="1"' "$shift shift=\"4\""
[ $((four - two)) = $((2 * (two - nic))) ] || fail "QPs do not add up: $nic, $two and $four"

# Themis has a ring at the destination's ToR for each QP from another rack, and none within a rack.
state 'name="themis"' "$shift shift=\"4\""
across=$switch
state 'name="themis"' "$shift shift=\"2\" placement=\"blocked\""
some=$switch # two hosts of a ToR get their data from another one
state 'name="themis"' "$shift shift=\"1\" placement=\"blocked\""
within=$switch # one host does
[ $((across - some)) = $((2 * (some - within))) ] || fail "Themis' QPs do not add up: $across, $some and $within"
[ $((some - within)) -gt 20 ] || fail "Themis keeps $((some - within)) bytes of a QP, less than its table's entry"
[ "$plain" -lt "$across" ] || fail 'ECMP keeps as much as Themis'

# A QP's 4,096 labels of two bytes each are there for PRIME to hear of losses, and no state of PRIME's.
state 'name="prime"' "$shift shift=\"4\""
heard=$nic
[ "$labels" = 8192 ] || fail "labels of one QP take $labels bytes"
state 'name="prime" losses="off"' "$shift shift=\"4\""
[ "$labels" = 0 ] || fail "$labels bytes of labels for a PRIME that does not hear of losses"
[ "$nic" = "$heard" ] || fail "PRIME keeps $heard bytes if it hears of losses, else $nic"
state 'name="reps"' "$shift shift=\"4\""
[ "$labels" = 0 ] || fail "$labels bytes of labels for REPS, which hears of no losses"

# A history of the host is one for all its QPs, which have none of their own.
spread='kind="alltoall"'
state 'name="prime"' "$spread" 1024 16
own=$nic
state 'name="prime" history="host"' "$spread" 1024 16
[ "$nic" -lt "$own" ] || fail "histories of all QPs take $own bytes, the host's $nic"
