#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: sanitized-ranks.sh WEFT-RUNNER
# A build with assertions and sanitizers runs on two ranks of MPI, with the results of one process:
# balancers with a part at ToRs and without, and a run that is cut by its limit. A few seconds: ranks.sh
# asks the ordinary build for more. Else a rank reads what it does not have, and nobody sees it.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

command -v mpirun >/dev/null || {
    echo 'skipped: mpirun (package openmpi-bin) is not installed'
    exit 0
}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_mpi_yield_when_idle=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_hwloc_base_binding_policy=none
export ASAN_OPTIONS=detect_leaks=0 # MPI's own

# A ToR's balancer in the place of each of tiny's.
sed -e 's,value="ecmp",value="conga",' -e 's,value="rsq",value="conweave",' "$here/tiny.xml" >tors.xml
for scenario in "$here/tiny.xml" tors.xml; do
    name=$(basename "$scenario" .xml)
    ends 0 "$weft" run "$scenario" --only '*seed=1' --no-figures --out "$name-1"
    ends 0 mpirun -n 2 "$weft" run "$scenario" --only '*seed=1' --no-figures --out "$name-2"
    "$here/same-results.sh" "$weft" "$name-1" "$name-2" || fail "$name: two ranks give other results"
done
sed 's,<limit time="100ms"/>,<limit time="22us"/>,' tors.xml >cut.xml
ends 1 mpirun -n 2 "$weft" run cut.xml --only '*seed=1' --no-figures --out cut
grep -q 'messages were not delivered' messages || fail 'a run that is cut'
echo 'two ranks keep to their own'
