#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: programs.sh OUT PAGE...
# Makes sources of the C and C++ blocks in the manual's pages (named as from the root of the tree), in OUT:
#   cc-*.inc   what uses the module, for snippets.cc: whole programs, and fragments, each in a function
#   c-*.inc    fragments that use the core, for core-snippets.c
#   tree/*     what the worked examples of new algorithms change: files of the tree (```diff runner/...), and
#              core-c/roster/roster.h with the lines that they add to a list there (```c WEFT_BALANCERS)
# A C++ fragment that sets up no fabric but uses one finds it as `weft` and `fabric`, with a workload.
set -eu
export LC_ALL=C
here=$(dirname -- "$(readlink -f -- "$0")")
root=$(dirname -- "$(dirname -- "$here")")
out=$1
shift
cd "$root"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
awk -v out="$work" -f "$here/fences.awk" "$@" >"$work/list"
for file in cc-includes cc-bodies cc-table c-bodies c-table roster changed; do
    : >"$work/$file"
done

# A directive, so that the compiler's messages name the page.
source_line()
{
    printf '#line %s "%s"\n' "$2" "$root/$1"
}

cpp_program()
{
    grep '^#include' "$work/$1" >>"$work/cc-includes"
    printf 'namespace snippet_%s\n{\n' "$1"
    source_line "$2" "$3"
    sed 's/^#include.*//' "$work/$1"
    printf '} // namespace snippet_%s\n' "$1"
    printf '{"%s:%s", snippet_%s::main},\n' "$2" "$3" "$1" >>"$work/cc-table"
}

cpp_fragment()
{
    printf 'static int\nsnippet_%s(int, char**)\n{\n' "$1"
    if ! grep -q 'WeftHelper weft;' "$work/$1" && grep -qE '\<(weft|fabric)\>' "$work/$1"; then
        cat <<END
WeftHelper weft;
weft.SetTopology("leaf-spine leaves=4 spines=4 hosts-per-leaf=4 link-rate=100Gbps");
weft.Install();
Ptr<WeftFabric> fabric = weft.GetFabric();
Ptr<WeftCollective> workload = weft.InstallWorkload("permutation bytes=1MB");
END
    fi
    printf '{\n'
    source_line "$2" "$3"
    cat "$work/$1"
    printf '}\nSimulator::Run();\nSimulator::Destroy();\nreturn 0;\n}\n'
    printf '{"%s:%s", snippet_%s},\n' "$2" "$3" "$1" >>"$work/cc-table"
}

# An `error` that the fragment sets must be 0.
c_fragment()
{
    printf 'static int\nsnippet_%s(void)\n{\n' "$1"
    source_line "$2" "$3"
    cat "$work/$1"
    if grep -q '\<int error\>' "$work/$1"; then
        printf 'if (error) fprintf(stderr, "%%s\\n", weft_strerror(error));\nreturn error;\n}\n'
    else
        printf 'return 0;\n}\n'
    fi
    printf '{"%s:%s", snippet_%s},\n' "$2" "$3" "$1" >>"$work/c-table"
}

while read -r block page line language argument; do
    case $language:$argument in
        c:) c_fragment "$block" "$page" "$line" >>"$work/c-bodies" ;;
        c:WEFT_*) sed "s/^/$argument /" "$work/$block" >>"$work/roster" ;;
        diff:*) echo "$work/$block $argument" >>"$work/changed" ;;
        cpp:)
            kind=fragment
            ! grep -qE '^(int )?main\(' "$work/$block" || kind=program
            cpp_$kind "$block" "$page" "$line" >>"$work/cc-bodies"
            ;;
    esac
done <"$work/list"

cut -d ' ' -f 2 "$work/changed" | sort -u >"$work/files"
while read -r file; do
    mkdir -p "$out/tree/$(dirname "$file")"
    # shellcheck disable=SC2046 # a list of files
    awk -f "$here/edit.awk" $(sed -n "s, $file\$,,p" "$work/changed") "$file" >"$out/tree/$file"
done <"$work/files"

mkdir -p "$out/tree/core-c/base"
awk '
    FNR == NR { added[$1] = added[$1] substr($0, length($1) + 2) "\n"; next }
    { print }
    /^#define WEFT_/ { list = $2; sub(/\(.*/, "", list); printf "%s", added[list]; delete added[list] }
    END { for (list in added) { print "the roster has no list " list >"/dev/stderr"; exit 1 } }
' "$work/roster" core-c/roster/roster.h >"$out/tree/core-c/roster/roster.h"
for file in cc-includes cc-bodies cc-table c-bodies c-table; do
    mv "$work/$file" "$out/$file.inc"
done
