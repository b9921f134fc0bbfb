#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Checks on the tree's own files: style.sh format|warnings|spdx|tags|names|heads|comments|length|shell
set -eu
export LC_ALL=C
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
cd "$root"
list=$(mktemp)
trap 'rm -f "$list"' EXIT

# The tree's files among the given patterns, one per line.
files()
{
    git -c safe.directory="$root" ls-files -- "$@" |
        while IFS= read -r file; do [ ! -f "$file" ] || printf '%s\n' "$file"; done
}

# Fails with a headline if $list has lines in it.
none()
{
    if [ -s "$list" ]; then
        printf '%s:\n' "$1"
        cat "$list"
        exit 1
    fi
}

is_c()
{
    files 'core-c/*.[ch]' 'inputs/*.[ch]' 'runner/*/*.[ch]' 'validation/*.[ch]' 'tests/core/*.[ch]' 'tests/fuzz/*.c' \
        'tests/fuzz/*.h' 'tests/stress/*.[ch]' 'examples/embedding/*.[ch]' 'examples/extending/*.[ch]'
}

is_cc()
{
    files '*.cc' 'ns3-module/*.h' 'tests/ns3/*.[ch]' 'bench/*.h' 'examples/*.h'
}

format()
{
    status=0
    is_c | xargs clang-format --style=file:core-c/.clang-format --dry-run -Werror || status=1
    is_cc | xargs clang-format --style=file:.clang-format --dry-run -Werror || status=1
    return $status
}

# The core is clean as C11 and as C++17, and each public header stands alone in both.
warnings()
{
    flags="-O2 -Wall -Wextra -Wshadow -Wconversion -Werror -Icore-c -Icore-c/include -c -o /dev/null"
    for file in $(files 'core-c/*.c'); do
        # shellcheck disable=SC2086 # a list of flags
        gcc -std=c11 -Wpedantic $flags "$file"
    done
    for file in $(files 'core-c/include/*.h'); do
        header=${file#core-c/include/}
        # shellcheck disable=SC2086
        echo "#include <$header>" | gcc -std=c11 -Wpedantic $flags -x c -
        for standard in c++17 c++23; do
            # shellcheck disable=SC2086
            echo "#include <$header>" | g++ -std=$standard -Wpedantic $flags -x c++ -
        done
    done
}

spdx()
{
    files '*.c' '*.h' '*.cc' '*.sh' '*.py' '*.cmake' '*.gp' '*.rng' '*CMakeLists.txt' wscript weft .ci/run |
        while IFS= read -r file; do
            case $file in
                core-c/* | tests/core/* | examples/embedding/* | examples/extending/*) id=MIT ;;
                *) id=GPL-2.0-only ;;
            esac
            head -n 5 "$file" | grep -q "SPDX-License-Identifier: $id\b" || echo "$file: $id"
        done >"$list"
    none "files without their licence in the first five lines"
    files ns3-module | while IFS= read -r file; do
        head -n 5 "$file" | grep -q 'Copyright (c) [0-9]* The Weft Authors' || echo "$file"
    done >"$list"
    none "files of the ns-3 module without their copyright line in the first five lines"
}

# ns-3 writes Doxygen's commands with @.
tags()
{
    files '*.cc' '*.h' '*.c' | xargs grep -nE '^ *(/\*\*|\*|//).*\\(brief|file|param|return|ingroup|defgroup)\b' \
        >"$list" || true
    none 'Doxygen commands with a backslash; expected @'
}

names()
{
    files . | sed 's|.*/||' | sort | uniq -d |
        grep -vxE 'CMakeLists\.txt|Makefile|README\.md|\.clang-format|\.gitignore' >"$list" || true
    none "names that more than one file bears"
}

# A file says at its head what it is, a .c or .cc there or in the header of its name. The headers of
# the ns-3 module have a class each, which says it.
heads()
{
    files '*.[ch]' '*.cc' | grep -v '^ns3-module/' | xargs awk '
        function base(file) { sub(/^.*\//, "", file); return file }
        # Words before the first line of code, but for the licence.
        FNR == 1 { all[FILENAME]; open = ended = 0 }
        ended { next }
        !open && /^ *(\/\*|\/\/)/ { open = 1 }
        !open { ended = /[^ ]/; next }
        /[A-Za-z]/ && !/SPDX-License-Identifier|Copyright/ { says[base(FILENAME)]; ended = 1 }
        /^ *\/\/|\*\// { open = 0 }
        END {
            for (file in all) {
                header = base(file)
                sub(/\.cc?$/, ".h", header)
                if (!(base(file) in says) && !(header in says)) print file
            }
        }' | sort >"$list"
    none 'files that do not say at their head what they are; expected a comment behind the SPDX line'
}

# A comment begins with the noun or the verb that it is about, and not with a pronoun.
comments()
{
    # shellcheck disable=SC2016 # awk's own $
    files '*.[ch]' '*.cc' | xargs awk '
        # The first line of a comment that has words.
        function look(text) {
            sub(/^[*!<\/ \t]+/, "", text)
            sub(/^@(file [^ ]+|return|param(\[[a-z]*\])? [^ ]+) */, "", text)
            if (text ~ /^(What|Those|It|One|Of|Whose|That|Its|They|Their|Which|Who|Them|Others|The same|The others)([^A-Za-z0-9_-]|$)/)
                print FILENAME ":" FNR ": " text
        }
        FNR == 1 { open = waits = 0 }
        open && waits && /[A-Za-z]/ { look($0); waits = 0 }
        open { if (/\*\//) open = 0; next }
        match($0, /\/\*/) {
            rest = substr($0, RSTART + 2)
            open = rest !~ /\*\//
            waits = rest !~ /[A-Za-z]/
            if (!waits) look(rest)
            next
        }
        match($0, /(^|[ \t])\/\/[!\/]*<? /) && !last { look(substr($0, RSTART + RLENGTH)) }
        { last = /^ *\/\// }' >"$list"
    none 'comments that begin with a pronoun; expected the noun or the verb that they are about'
}

length()
{
    files '*.c' '*.h' '*.cc' '*.sh' '*.py' '*.cmake' '*.gp' '*CMakeLists.txt' wscript weft .ci/run |
        while IFS= read -r file; do
            lines=$(wc -l <"$file")
            [ "$lines" -le 600 ] || echo "$file: $lines"
        done >"$list"
    none "files of more than 600 lines"
}

shell()
{
    for file in weft $(files '*.sh'); do
        sh -n "$file"
    done
    files weft '*.sh' .ci/run | xargs shellcheck
}

case ${1:-} in
    format | warnings | spdx | tags | names | heads | comments | length | shell) "$1" ;;
    *)
        echo "usage: style.sh format|warnings|spdx|tags|names|heads|comments|length|shell" >&2
        exit 2
        ;;
esac
