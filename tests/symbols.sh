#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# symbols.sh LIBWEFT.A: whoever links the core with a program of his own gets no symbol but weft_...,
# and finds an algorithm's file by the name of its table.
set -eu
export LC_ALL=C
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
library=${1:?usage: symbols.sh LIBWEFT.A}
list=$(mktemp)
trap 'rm -f "$list" "$list.declared"' EXIT

fail()
{
    echo "symbols: $*" >&2
    exit 1
}

# Names with two underscores in front are the compiler's (sanitizers).
nm --extern-only --defined-only "$library" | awk 'NF == 3 { print $3 }' | grep -v '^__' >"$list"
[ "$(wc -l <"$list")" -gt 100 ] || fail "$library: nm finds hardly any symbols"
! grep -v '^weft_' "$list" || fail "$library: the names above do not begin with weft_"

# A shared library exports what the headers declare with WEFT_API, and nothing else.
objdump --syms "$library" | awk '/^[0-9a-f]+ g/ && !/\*UND\*/ && !/[.]hidden/ { print $NF }' |
    grep '^weft_' | sort >"$list"
for header in "$root"/core-c/include/weft/*.h; do
    echo "#include <weft/${header##*/}>"
done | "${CC:-cc}" -E -P -std=c11 -I "$root/core-c/include" -x c - | tr '\n' ' ' |
    grep -o 'visibility("default")))[^;(]*' | grep -o 'weft_[a-z0-9_]*$' | sort >"$list.declared"
[ "$(wc -l <"$list.declared")" -gt 100 ] || fail "hardly any declaration is found"
diff "$list.declared" "$list" ||
    fail "$library: < is declared in a header, and not exported; > is exported, and in no header"

# weft_lb_host_dr lies in host-dr.c; a file that would bear another's name has a word more:
# cc-ideal.c, clos-kind.c, collective-ring.c.
cd "$root/core-c"
grep -o 'X(weft_[a-z_]*)' roster/roster.h | sed 's/X(\(.*\))/\1/' >"$list"
[ -s "$list" ] || fail "roster/roster.h lists no tables"
while IFS= read -r table; do
    file=$(grep -l "^const struct weft_[a-z]*_ops $table = {" ./*/*.c) || fail "$table: no file has it"
    tail=$(echo "$table" | sed 's/^weft_[a-z]*_//; s/_/-/g')
    case ${file##*/} in
        "$tail.c" | [a-z]*-"$tail.c" | "$tail"-kind.c) ;;
        *) fail "$table lies in $file; expected $tail.c" ;;
    esac
    name=$(grep -A 4 "_ops $table = {" "$file" | grep -o '"[a-z-]*"' | head -n 1 | tr -d '"')
    # "ops" is what the literature writes; in code it would read as a table of operations.
    [ "$name" = "$tail" ] || [ "$name $tail" = "ops oblivious-spray" ] ||
        fail "$table in $file is named '$name'; expected '$tail'"
done <"$list"
