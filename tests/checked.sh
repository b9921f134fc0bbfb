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

for checked in ON OFF; do
    cmake -S "$root" -B "$checked" -G Ninja -DWEFT_CORE_ONLY=ON -DBUILD_TESTING=OFF \
        -DWEFT_CHECKED="$checked" -DCMAKE_INSTALL_PREFIX="$work/$checked/prefix" >/dev/null
    cmake --build "$checked" --target install >/dev/null
    for program in two-tors fabric lone-selector lone-balancer lone-control lone-receiver; do
        cc -std=c11 -I "$checked/prefix/include" "$root/examples/embedding/$program.c" \
            "$checked/core-c/libweft.a" -lm -o "$checked/$program"
        "$checked/$program" >"$checked/$program.txt" || fail "$program, checked $checked"
        cmp "$checked/$program.txt" "ON/$program.txt" || fail "$program differs"
    done
done
cc -std=gnu11 -g -I ON/prefix/include "$root/tests/core/misuse.c" ON/core-c/libweft.a -lm -o misuse
./misuse || fail "a mistake goes unnamed"
