#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An author of another simulator who calls the core wrongly is told which call and which rule by a
# build with WEFT_CHECKED, and who calls it rightly gets the results of any other build.
set -eu
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "checked: $*" >&2
    exit 1
}

# The names of all algorithms of a kind.
named()
{
    sed -n "s/^    X(weft_$1_\([a-z_]*\)).*/\1/p" "$root/core-c/roster/roster.h" | tr _ -
}

for checked in ON OFF; do
    cmake -S "$root" -B "$checked" -G Ninja -DWEFT_CORE_ONLY=ON -DBUILD_TESTING=OFF \
        -DWEFT_CHECKED="$checked" -DCMAKE_INSTALL_PREFIX="$work/$checked/prefix" >/dev/null
    cmake --build "$checked" --target install >/dev/null
    for program in two-tors fabric workload foreign smallest-host lone-selector lone-balancer \
        lone-control lone-receiver; do
        cc -std=c11 -I "$checked/prefix/include" "$root/examples/embedding/$program.c" \
            "$checked/core-c/libweft.a" -lm -o "$checked/$program"
        "$checked/$program" >"$checked/$program.txt" || fail "$program, checked $checked"
        cmp "$checked/$program.txt" "ON/$program.txt" || fail "$program differs"
    done
    # Every balancer and transport in a fabric, and every congestion control in a simulator of
    # another style.
    for balancer in $(named lb | sed s/oblivious-spray/ops/); do
        "$checked/fabric" "$balancer" 100000 || fail "fabric $balancer, checked $checked"
    done >"$checked/all.txt"
    for transport in $(named transport); do
        "$checked/fabric" rsq 100000 "$transport" || fail "fabric $transport, checked $checked"
    done >>"$checked/all.txt"
    for control in $(named cc); do
        "$checked/foreign" ecmp "$control" || fail "foreign $control, checked $checked"
    done >>"$checked/all.txt"
    cmp "$checked/all.txt" ON/all.txt || fail "results differ"
    cc -std=gnu11 -g -I "$checked/prefix/include" "$root"/tests/core/misuse*.c \
        "$checked/core-c/libweft.a" -lm -o "$checked/misuse"
done
ON/misuse || fail "a mistake goes unnamed"
OFF/misuse unchecked || fail "a mistake that is survived elsewhere is not"
