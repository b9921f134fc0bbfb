#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: hosts.sh WEFT-RUNNER
# Every scenario that has a small version gives the same bytes inside ns-3 and without it, on one thread, two
# and three. Else results would depend on what is installed.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# try FILE: both hosts; prints what differs.
cat >try <<'END'
weft=$1 here=$2 file=$3
name=$(echo "${file#*/scenarios/}" | tr / -)
threads=$(($(printf %s "$name" | cksum | cut -d ' ' -f 1) % 3 + 1))
for host in ns3 plain; do
    [ $host = ns3 ] || more="--threads $threads"
    "$weft" run "$file" --quick --no-figures -j 1 --threads 1 $more --exceed-memory --host $host --out "$name/$host" \
        >"$name.$host" 2>&1 || { echo "$name, $host: exit status $?" && tail -n 3 "$name.$host" && exit 1; }
done
"$here/same-results.sh" "$weft" "$name/ns3" "$name/plain" || { echo "$name, $threads threads: the hosts differ" && exit 1; }
echo "same $name"
rm -rf "$name"
END
grep -rl '<quick' "$here/../../scenarios" --include='*.xml' | sort >files
[ "$(wc -l <files)" -gt 120 ] || fail 'there are hardly any scenarios with a <quick>'
xargs -P "$(nproc)" -n 1 sh try "$weft" "$here" <files >out 2>&1 || true
grep -v '^same ' out && fail 'the two hosts give other results'
[ "$(grep -c '^same ' out)" = "$(wc -l <files)" ] || fail 'some scenarios were not compared'
echo "$(wc -l <files) scenarios: the same"
