#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: several-scenarios.sh WEFT-RUNNER
# Several scenarios in one call: one progress counts them all, and one that is wrong or fails does not cost the
# others, or a night on a cluster ends with nothing to show.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

for name in first second third; do
    sed -e "s/name=\"tiny\"/name=\"$name\"/" -e '/<figure/,/\/>/d' "$here/tiny.xml" >$name.xml
done
sed -i 's|</sweep>|&<quick><set param="workload.bytes" value="100KB"/></quick>|' second.xml
sed 's/200KB/200KBB/' first.xml >wrong.xml

ends 0 "$weft" run first.xml --results there -j 2
ends 2 "$weft" run first.xml wrong.xml second.xml third.xml --results there -j 2
sed -n 's/^\(\[scenario .*\)/\1/p' messages >told
cat >expected <<'END'
[scenario 1 of 3] first.xml: its 6 runs are there already; none is to do
[scenario 2 of 3] second.xml: 6 of 6 runs to do; 0 of 12 in all are done
[scenario 3 of 3] third.xml: 6 of 6 runs to do; 6 of 12 in all are done
END
sed 's/ are done,.* left$/ are done/' told | cmp - expected || fail "another progress: $(cat told)"
grep -q 'weft: error: wrong.xml: there are mistakes in it; it was not run' messages || fail 'no word about the one with mistakes'
[ "$(cd there && echo *)" = 'first second third' ] || fail "other results: $(ls there)"
[ "$(grep -c '^rsq  *1 ' out)" = 3 ] || fail 'not a table for each'

# The quick version of those that have one.
ends 0 "$weft" run second.xml third.xml --quick --results quick
[ "$(cd quick && echo *)" = 'second-quick third' ] || fail "other results: $(ls quick)"

# A folder of somebody else's is refused, and the others are run.
mkdir -p mine/second
echo precious >mine/second/summary.csv
ends 2 "$weft" run first.xml second.xml --results mine
grep -q 'mine/second is not empty and has no .weft-results' messages || fail "another's folder is not refused"
[ -e mine/first/summary.csv ] || fail 'the scenario before the one that is refused was not run'
ends 2 "$weft" run first.xml second.xml --out one
grep -q 'expected --results' messages || fail 'one folder for several scenarios'
[ ! -e one ] || fail 'something has run into one folder'
echo 'several scenarios are run'
