#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: paused.sh WEFT-RUNNER
# NICs that PFC has paused would stay so for ever if a resume were lost: here, where frames have no gap
# between them, a ToR may release what it held back at the instant at which another frame ends, before the
# end of that frame has been seen to.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

cat >paused.xml <<'END'
<scenario name="paused">
  <topology kind="leaf-spine" leaves="3" spines="4" hosts-per-leaf="4" link-rate="100Gbps" link-delay="1us"/>
  <fabric gap="0B" payload="952B" header="48B" ack="1000B"/>
  <switch name="shared-buffer" buffer="1MB" headroom="50KB" alpha="0.03" xon-gap="0B" pfc="on" ecn="off"/>
  <balancer name="conweave" expiry="300us" extra-reply="0ps" extra-flush="4us" default-wait="0ps" path-pause="0ps"/>
  <transport name="sack" rto="1ms"/>
  <congestion-control name="none"/>
  <workload kind="alltoall" bytes="20MB"/>
  <limit time="50ms"/>
  <sweep><seeds count="8"/></sweep>
</scenario>
END
"$weft" run paused.xml --no-figures --out paused >out 2>messages || fail 'NICs stay paused'
[ "$("$weft" query paused --format csv 'select count(*), min(pauses) > 0 from summary' | tail -n 1)" = 8,1 ] ||
    fail 'nobody was paused: the test tests nothing'
