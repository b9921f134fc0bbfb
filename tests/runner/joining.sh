#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: joining.sh WEFT-RUNNER
# Flows that join another one on a link, by congestion control. Else a control that does not share a link,
# or leaves it idle, is taken for the one that its paper describes.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

cp "$here"/../../scenarios/baselines/joining* .
ends 0 "$weft" run joining.xml --only '2_*' --no-figures --out two
ends 0 "$weft" run joining.xml --only '8_*' --no-figures --out eight
ends 0 "$weft" run joining-two.xml --no-figures --out rates

# holds RESULTS CASE CONDITION WHY: of the run of the case
holds()
{
    "$weft" query "$1" --format csv "
        with shares as (
            select run, time_us,
                sum(wire_rate_gbps) * sum(wire_rate_gbps) / (count(*) * sum(wire_rate_gbps * wire_rate_gbps)) as jain
            from series where time_us > 1000 and time_us <= 8000 group by run, time_us),
        fairness as (
            select run, max(case when jain < 0.95 then time_us - 1000 else 0 end) as unfair_us from shares group by run),
        link as (
            select run, avg(wire_rate_gbps) as gbps, max(queue_bytes) as queue from ports
            where time_us > 1000 and time_us <= 8000 group by run)
        select min($3) from summary join fairness using (run) join link using (run)
        where cc = '$2'" >found 2>messages || fail "$2: $3"
    [ "$(tail -n 1 found)" = 1 ] || fail "$1, $2: not $3 ($4)"
}

# Frames of 1,062 B in 1,082: 98.15 % of a wire of 100 Gb/s, and 95 % of that.
for flows in two eight; do
    holds $flows hpcc 'gbps > 93 and gbps < 95' 'HPCC leaves what eta says'
    holds $flows hpcc 'queue < 50000' 'and no queue, as it hears of one before it has grown'
    holds $flows hpcc 'unfair_us = 0' 'and gives all the same'
    holds $flows timely-patched 'unfair_us = 0' 'the patched form is fair'
    holds $flows dctcp 'gbps > 98' 'DCTCP keeps the link busy'
    holds $flows swift 'gbps > 98' 'so does Swift'
    holds $flows dcqcn 'unfair_us > 300' 'DCQCN takes a T_I, and more'
done
holds two timely-patched "gbps > 1.5 * (select avg(wire_rate_gbps) from ports join summary as s using (run)
    where s.cc = 'timely' and time_us > 1000 and time_us <= 8000)" 'gradients alone leave nothing of a rate'

# Within 100 us of the joining each has half of what there is, and without fast react it takes longer.
"$weft" query rates --format csv "
    select cc, max(abs(wire_rate_gbps - 47)) from series join summary using (run)
    where time_us > 1100 and time_us < 3000 and cc like 'hpcc%' group by cc order by cc" >found
awk -F, '$1 == "hpcc" { fast = $2 } $1 == "hpcc-slow" { slow = $2 } END { exit !(fast < 2 && slow > 5) }' found ||
    fail "HPCC's two flows: $(cat found)"
