#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A program of a user's own: 'weft build NAME' must build it, say what is wrong with it, and rebuild what
# has changed and nothing else. In a copy of the tree, as it writes scratch/.
set -eu
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "scratch: $*" >&2
    cat "$work/log" >&2
    exit 1
}

mkdir "$work/tree"
(cd "$root" && git -c safe.directory="$root" ls-files --cached --others --exclude-standard | tar -cf - -T -) |
    tar -xf - -C "$work/tree"
cd "$work/tree"
mkdir scratch
cp examples/weft-two-hosts.cc scratch/mine.cc
./weft build mine >"$work/log" 2>&1 || fail "the example does not build"
build/scratch/mine >"$work/out"
cmp -s "$work/out" tests/ns3/weft-two-hosts.out || fail "it prints something else than the example"
[ ! -e build/weft-runner ] || fail "the command was built as well"

sed '1i #error wrong' examples/weft-two-hosts.cc >scratch/mine.cc
if ./weft build mine >"$work/log" 2>&1; then
    fail "a program that is wrong passes"
fi
grep -q 'scratch/mine\.cc:1:.*wrong' "$work/log" || fail "not said what is wrong, and where"
# With TCP, which Weft itself does not need; an ns-3 of a user's own may lack it.
cat >scratch/other.cc <<'END'
#include "ns3/applications-module.h"
#include "ns3/internet-module.h"

int
main()
{
    ns3::InternetStackHelper stack;
    ns3::PacketSinkHelper sink("ns3::TcpSocketFactory", ns3::Address());
    return 7;
}
END
[ -z "${ns3_DIR:-}" ] || printf 'int main() { return 7; }\n' >scratch/other.cc
./weft build scratch/other.cc >"$work/log" 2>&1 || fail "a second program does not build"
status=0
build/scratch/other || status=$?
[ "$status" = 7 ] || fail "the second program is another one"
git -C "$root" -c safe.directory="$root" check-ignore -q scratch/mine.cc || fail "git does not ignore scratch/"
