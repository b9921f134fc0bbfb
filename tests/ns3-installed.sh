#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# ns3-installed.sh PACKAGE WORK STANDARD: a program that includes each of the module's headers, and
# an example, build and run with what pkg-config says of PACKAGE, outside of ns-3's tree and ours.
set -eu
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$2
rm -rf "$work"
mkdir -p "$work"
for header in "$root"/ns3-module/*/*.h; do
    printf '#include "ns3/%s"\n' "$(basename "$header")"
done >"$work/headers.cc"
cp "$root/examples/weft-two-hosts.cc" "$work"
# Some releases print -I/usr; with an escaped semicolon, which the shell must not see.
flags=$(pkg-config --cflags "$1" | tr -d '\\;')
libraries=$(pkg-config --libs "$1" | tr -d '\\;')
cd "$work"
# shellcheck disable=SC2086 # lists of words
c++ "-std=c++${3:-17}" -w $flags -c headers.cc -o headers.o
# shellcheck disable=SC2086
c++ "-std=c++${3:-17}" -w $flags weft-two-hosts.cc -o weft-two-hosts $libraries
"$root/tests/example.sh" ./weft-two-hosts "$root/tests/ns3/weft-two-hosts.out"
