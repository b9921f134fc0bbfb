#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: classes.sh WEFT-RUNNER
# Traffic of two classes in one fabric. If this fails, a mixed run loses bytes, differs from one time
# to the next, or a sweep over classes cannot be run or reproduced.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# same A B WHAT: the same tables, byte for byte.
same()
{
    (cd "$1" && find . -name '*.csv' | sort) >files
    [ "$(grep -c . files)" -ge "$4" ] || fail "$1 has too few files"
    while read -r file; do
        cmp "$1/$file" "$2/$file" || fail "$3"
    done <files
}

# cell FILE COLUMN: of its first row
cell()
{
    awk -F , -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i }
        NR == 2 { print $c }' "$1"
}

# The scenario of the manual, shortened. A run whose books do not balance fails.
mixed()
{
    out=$1
    shift
    "$weft" run "$here/../../scenarios/workloads/mixed.xml" --no-figures --out "$out" \
        --only '*seed=1' --set workload:ring.bytes=100KB --set workload:experts.bytes=100KB \
        --set workload:background.flows=10 "$@" >/dev/null 2>messages || fail "mixed: exit status $?"
    exported "$out"
    cp "$out"/*.csv "$out.runs"
}
mixed one
mixed two -j 2
same one.runs two.runs 'a second time' 20
mixed plain --host plain
same one.runs plain.runs 'without ns-3' 20

# A sweep chooses among classes; what a run does not use is not there, and a run is reproduced from
# its own scenario.
cat >either.xml <<'END'
<scenario name="either">
  <topology kind="leaf-spine" leaves="2" spines="4" hosts-per-leaf="4" link-rate="100Gbps" link-delay="1us"/>
  <switch preset="100g" classes="4"/>
  <transport name="sack"/><congestion-control name="dctcp"/><balancer name="ecmp"/>
  <class name="sprayed" queue="2"><balancer name="rsq"/></class>
  <class name="pinned" queue="3"><transport name="nic-sr"/></class>
  <workload name="a" kind="permutation" bytes="200KB" class="sprayed"/>
  <workload name="b" kind="incast" bytes="50KB" balancer="themis"/>
  <measure flows="on"/>
  <sweep><vary param="workload:a.class" values="sprayed pinned"/></sweep>
</scenario>
END
"$weft" run either.xml --no-figures --out either >/dev/null 2>messages || fail "either: exit status $?"
exported either
for class in sprayed pinned; do
    run=$(find either.runs -mindepth 1 -maxdepth 1 -name "*$class*")
    [ "$(grep -c '<class ' "$run/scenario.xml")" = 2 ] || fail "$class: classes of $run/scenario.xml"
    grep -q "<class name=\"$class\"" "$run/scenario.xml" || fail "$class is not in $run/scenario.xml"
    cp "$run/scenario.xml" "$class.xml"
    "$weft" run "$class.xml" --no-figures --out "again-$class" >/dev/null 2>messages ||
        fail "$class: its own scenario cannot be run"
    exported "again-$class"
    again=$(find "again-$class.runs" -mindepth 1 -maxdepth 1)
    same "$run" "$again" "$class: another result from its own scenario" 3
done
