#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: schema.sh WEFT-RUNNER
# The schema in the tree must be the one that the tables give, and every shipped scenario must be
# valid by it and by the loader: else an editor marks right scenarios as wrong, or the other way.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

root=$(cd "$here/../.." && pwd)

"$weft" schema >"$work/weft.rng"
cmp "$work/weft.rng" "$root/scenarios/weft.rng" || {
    echo "FAILED: scenarios/weft.rng is out of date; 'docs/generate.sh build/weft-runner' renews it"
    exit 1
}
scenarios=$(find "$root/scenarios" "$root/tests/runner" -name '*.xml' | sort)
# shellcheck disable=SC2086 # no spaces in the names of a checkout's scenarios
"$weft" validate $scenarios || { echo 'FAILED: a shipped scenario is not valid'; exit 1; }

command -v xmllint >/dev/null || {
    echo 'skipped: xmllint (package libxml2-utils) is not installed'
    exit 77
}
# shellcheck disable=SC2086
xmllint --noout --relaxng "$work/weft.rng" $scenarios || {
    echo 'FAILED: xmllint does not accept a shipped scenario'
    exit 1
}

# What the loader refuses by its form, the schema refuses as well.
for edit in 's/<balancer/<balanser/' 's/leaves="2"/leafs="2"/' 's/rto="100us"/rto="100"/' \
    's/name="rsq"/name="rqs"/' 's/kind="ring"/kind="rings"/' 's/qp="0" packets="20"/qp="0"/'; do
    sed -e "$edit" "$root/tests/runner/tiny.xml" >"$work/bad.xml"
    if xmllint --noout --relaxng "$work/weft.rng" "$work/bad.xml" 2>/dev/null; then
        echo "FAILED: the schema accepts $edit"
        exit 1
    fi
done
echo 'schema and scenarios agree'
