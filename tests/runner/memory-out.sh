#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: memory-out.sh WEFT-RUNNER
# Memory that is out, wherever that is noticed, must end a run with a message and without a result,
# and leave earlier results alone: else a half result passes for a whole one, or a crash for a bug.
# shellcheck disable=SC3045 # ulimit -v: dash and bash have it
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

if grep -q asan_init "$weft"; then
    echo 'skipped: AddressSanitizer needs all the address space'
    exit 77
fi

cat >large.xml <<'END'
<scenario name="large">
  <topology kind="fat-tree" k="16" link-rate="400Gbps"/>
  <transport name="sack"/>
  <balancer name="ops"/>
  <workload kind="alltoall" bytes="64KiB" groups="64"/>
  <sweep>
    <vary param="workload.bytes" values="1KiB 64KiB"/>
  </sweep>
</scenario>
END
"$weft" run large.xml --only '*1KiB' --no-figures --out kept >out 2>messages || fail 'a small run'
cp kept/runs/bytes=1KiB.sqlite before
exported kept
small=$(awk '/^peak memory/ { print $3 }' kept.runs/bytes=1KiB/provenance.txt)

tried=0
for limit in 55000 60000 65000 70000 80000 90000 100000; do
    status=0
    (
        ulimit -v $limit
        exec "$weft" run large.xml -j 1 --exceed-memory --no-figures --out kept
    ) >out 2>messages || status=$?
    [ $status != 127 ] || continue # the loader's own memory
    grep -q '64KiB: completion time' messages && break
    tried=$((tried + 1))
    [ $status = 1 ] || fail "$limit KiB: exit status $status, expected 1"
    grep -q 'error: out of memory' messages || fail "$limit KiB: no word about memory"
    cmp before kept/runs/bytes=1KiB.sqlite || fail "$limit KiB: an earlier result changed"
    [ ! -e kept/runs/bytes=64KiB.sqlite ] || fail "$limit KiB: a run without memory counts as finished"
    find kept -name '.tmp-*' | grep -q . && fail "$limit KiB: temporary files are left"
done
[ $tried -gt 1 ] || fail "no limit was too small: $small KiB suffice for the small run"
"$weft" run large.xml --no-figures --out kept >out 2>messages || fail 'with memory again'
[ -e kept/runs/bytes=64KiB.sqlite ] || fail 'with memory again: no result'
echo "memory was out under $tried limits"
