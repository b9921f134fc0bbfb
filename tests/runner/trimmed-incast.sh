#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: trimmed-incast.sh WEFT-RUNNER
# 16 flows into one host over switches that trim, by congestion control. Else a control that is told the
# wrong thing, or at the wrong time, leaves the last link idle, and schemes are judged by that.
# What each row rests on: the last link, which all data and all headers must cross.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

sed 's/<seeds .*/<seeds first="1" count="3"\/>/; s/values="1MiB 2MiB 4MiB 16MiB"/values="4MiB"/' \
    "$here/../../scenarios/baselines/incast-trimmed.xml" >incast.xml
ends 0 "$weft" run incast.xml --no-figures --out incast
! grep -q 'retransmissions may decide' out || fail 'a NIC for trimming switches repeats what is lost, and no more'

# holds CASE CONDITION WHY: in every run of the case
holds()
{
    "$weft" query incast --format csv "select min($2) from summary where cc = '$1'" >found 2>messages ||
        fail "$1: $2"
    [ "$(tail -n 1 found)" = 1 ] || fail "$1: not $2 ($3)"
}

# At 800 Gb/s: 16 x 4 MiB with their headers and gaps, a header of 64 + 20 B for each trimmed packet, and
# at least 2 links of 1 us each.
data="(16 * 1024 * 4164 * 8 / 800e3)"
headers="(nacks_received * 84 * 8 / 800e3)"
for case in none dctcp swift mswift dcqcn; do
    holds $case "cct_us > $data + $headers + 2" 'nothing is faster than the last link'
    holds $case 'timeouts = 0 and dropped_buffer = 0' 'what is trimmed is told of'
    holds $case 'data_resent = nacks_received' 'and sent again once'
    holds $case 'trimmed = data_resent' 'and counted'
done
holds none "cct_us < 1.02 * ($data + $headers + 2)" 'without congestion control the last link is never idle'

# The first windows are 16 times what the link can take, and half of them is still 8 times: while all flows
# have much to send, a window that is cut once for one congestion leaves the last link hardly idle.
for case in dctcp swift mswift; do
    holds $case "(select avg(wire_rate_gbps) from (select max(wire_rate_gbps) as wire_rate_gbps from ports
        where ports.run = summary.run and time_us between 20 and 250 group by time_us)) > 0.9 * 800" \
        'the last link is used in the first 250 us'
    holds $case "cct_us < (select min(cct_us) from summary where cc = 'none')" 'and no worse than without any'
done
# Headers are what is lost by a control that reacts late.
holds dctcp "nacks_received < (select min(nacks_received) from summary where cc = 'dctcp-una') / 4" \
    'a missing packet holds up no window'
# DCQCN has no window to follow the link: of its rate nothing comes back before T_I.
holds dcqcn "cct_us > $data + 300" 'the first rise is a T_I after the first cut'
