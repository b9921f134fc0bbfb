#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: uec-matrices.sh WEFT-RUNNER
# NSCC, RCCC and EQDS beside uet-htsim 40ccb05 on three connection matrices (docs/beside-uet-htsim.md). Else who compares
# balancers under Ultra Ethernet's NIC has a NIC that is another one.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

cp "$here/../../scenarios/baselines/"uec-*.cm .
sed 's/ values="256 65536"/ values="256"/; s/labels=65536/labels=256/; s/<seeds .*count="10"/<seeds first="1" count="5"/' \
    "$here/../../scenarios/baselines/uec-matrices.xml" >uec-matrices.xml
ends 0 "$weft" run uec-matrices.xml --no-figures --out uec

# near MATRIX BALANCER CONTROL LAST MEAN PERCENT: uet-htsim's times, us, means of ten seeds; the last flow is as
# near as that, the mean within 2 % or a seventh argument
near()
{
    "$weft" query uec --format csv "select abs(avg(last) / $4 - 1) <= $6 / 100.0 and
            abs(avg(mean) / $5 - 1) <= ${7:-2} / 100.0
        from (select max(acked_us) as last, avg(acked_us) as mean from flows join summary using (run)
            where \"workload.file\" = 'uec-$1.cm' and \"balancer.name\" = '$2' and
                \"congestion-control.name\" = '$3' group by run)" >found 2>messages || fail "$1 $2 $3"
    [ "$(tail -n 1 found)" = 1 ] || fail "$3, $1, $2: not near uet-htsim's $4 and $5 us"
}

near perm2048K ops nscc 62.71 58.48 2
near perm2048K reps nscc 63.29 59.13 3
near incast8 ops nscc 194.34 163.61 3
near incast8 reps nscc 194.04 164.46 3
near a2a16 ops nscc 93.67 92.25 0.1
near a2a16 reps nscc 93.67 92.25 0.1

near perm2048K ops rccc 62.97 58.76 2
near perm2048K reps rccc 63.00 59.37 3
near incast8 ops rccc 179.41 174.19 0.1
near incast8 reps rccc 179.41 173.85 0.1
# Here uet-htsim serves some QPs more often than their turn comes, as the page says.
near a2a16 ops rccc 114.50 91.66 5 3
near a2a16 reps rccc 116.15 91.94 5 3

near perm2048K ops eqds 63.78 59.42 2
near incast8 ops eqds 177.36 171.59 2
