#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: changed-code.sh WEFT-RUNNER EDIT-RUN
# A user who changes a balancer would get the results of the former one, or lose those of all others.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"
edit_run=$2
root=$(cd "$here/../.." && pwd)

# --- what a hash is of ------------------------------------------------------------------------------

mkdir tree
cp -r "$root/core-c" "$root/inputs" "$root/ns3-module" "$root/runner" "$root/CMakeLists.txt" tree

# hashes NAME: of the tree as it is now.
hashes()
{
    cmake -DROOT="$work/tree" -DHEADER="$work/$1" -P "$root/runner/results/built-code.cmake" ||
        fail "no hashes of $1"
}

# differ NAME EXPECTED...: these hashes, and no others, are not those of the tree at first.
differ()
{
    hashes "$1"
    found=$(diff first "$1" | sed -n 's/^> #define BUILT_\([^ ]*\) .*/\1/p' | sort | tr '\n' ' ')
    shift
    [ "$found" = "${*:+$* }" ] || fail "hashes of '$found' differ, expected '$*'"
}

# edit FILE SED: changes a file of the tree.
edit()
{
    cp "tree/$1" before
    sed -i "$2" "tree/$1"
    ! cmp -s before "tree/$1" || fail "nothing to change in $1"
}

undo()
{
    cp before "tree/$1"
}

hashes first
[ "$(grep -c '^#define BUILT_weft_' first)" = "$(grep -c 'X(weft_' tree/core-c/roster/roster.h)" ] ||
    fail 'not one hash for each algorithm'
grep -qx '#define BUILT_COMMIT ""' first || fail 'a commit without a repository'
differ same

edit core-c/lb/jsq.c '/^jsq_pick/,/^}/s/return/return 0 +/'
differ a-balancer weft_lb_jsq
undo core-c/lb/jsq.c
# What it calls, or what its headers call, is its own as well; so is the base of another one.
edit core-c/tor/themis-d.c 's/^}$/    ;\n}/'
cp before themis-d.c
edit core-c/cc/swift.c 's/^}$/    ;\n}/'
differ a-part-and-a-base weft_cc_mswift weft_cc_swift weft_lb_themis
undo core-c/cc/swift.c
cp themis-d.c tree/core-c/tor/themis-d.c
edit core-c/lb/shortest.h 's/<=/</g; s/ < / <= /g'
differ a-header weft_lb_jsq weft_lb_ofan
undo core-c/lb/shortest.h
# All runs use these.
for file in core-c/nic/qp.c core-c/mmu/shared-buffer.c core-c/base/rng.c ns3-module/model/weft-port.cc \
    inputs/graph-text.c runner/run/simulate.c; do
    edit $file 's/^}$/    ;\n}/'
    differ all SIMULATOR
    undo $file
done
# Which number is in a column of a run's tables.
edit runner/results/results-tables.h 's/"cct_us", cct/"cct_us", cct_acked/'
differ a-column SIMULATOR
undo runner/results/results-tables.h
# Words are not code.
edit core-c/lb/jsq.c '2s/^/\/* "A comment; with [brackets], it'"'"'s \\ all *\/\n  /'
cp before jsq.c
edit runner/command/main.c 's/^}$/    ;\n}/'
differ a-comment-and-a-command
undo runner/command/main.c
cp jsq.c tree/core-c/lb/jsq.c

# An algorithm that is added changes no other one. One that finds another by its name may use any.
sed 's/weft_lb_jsq/weft_lb_own/; s/"jsq"/"own"/' tree/core-c/lb/jsq.c >tree/core-c/lb/own.c
edit core-c/roster/roster.h 's/^    X(weft_lb_jsq)/    X(weft_lb_own) \\\n&/'
differ own weft_lb_own
cp own first
sed -i 's/^jsq_pick.*/&\n\/\/ weft_lb_find\n/; $a static const void *(*other)(const char *) = weft_lb_find;' tree/core-c/lb/own.c
differ finds weft_lb_own
cp finds first
edit core-c/tor/themis-d.c 's/^}$/    ;\n}/'
differ of-another weft_lb_own weft_lb_themis
undo core-c/tor/themis-d.c

# The commit, and whether the tree is that of it.
if command -v git >/dev/null; then
    (
        cd tree
        git init -q
        git -c user.name=a -c user.email=a@b.c add . 
        git -c user.name=a -c user.email=a@b.c commit -qm one
    )
    commit()
    {
        hashes commit
        sed -n 's/^#define BUILT_COMMIT "\(.*\)"$/\1/p' commit
    }
    commit | grep -qx '[0-9a-f]\{12\}' || fail "commit $(commit)"
    edit core-c/lb/jsq.c '1s/$/ /'
    one=$(commit)
    printf '%s\n' "$one" | grep -qx '[0-9a-f]\{12\}-modified [0-9a-f]\{12\}' || fail "changed: commit $one"
    edit core-c/lb/rsq.c '1s/$/ /'
    [ "$(commit)" != "$one" ] || fail 'the difference has no hash'
    (cd tree && git checkout -q .)
    commit | grep -qx '[0-9a-f]\{12\}' || fail "changed back: commit $(commit)"
    : >tree/core-c/lb/new.c
    commit | grep -q modified || fail "a new file: commit $(commit)"
fi

# --- what becomes of runs ---------------------------------------------------------------------------

"$weft" run "$here/tiny.xml" --no-figures --out kept >/dev/null 2>messages || fail 'run'
exported kept
grep -qx 'code: simulator [0-9a-f]\{12\}, topology leaf-spine [0-9a-f]\{12\}, scheduler strict .*, balancer rsq .*, transport nic-sr .*, congestion-control dcqcn .*, workload ring [0-9a-f]\{12\}' \
    kept.runs/rsq_seed=1/provenance.txt || fail "$(grep code kept.runs/rsq_seed=1/provenance.txt)"
ends 0 "$weft" query kept "select count(distinct text) as codes from provenance where key = 'code'" --format csv
grep -qx 3 out || fail 'the code is not in results.sqlite'
cp -r kept other

for seed in 1 2; do
    "$edit_run" "other/runs/ecmp_seed=$seed.sqlite" "update provenance set text = replace(text, 'balancer ecmp ', 'balancer ecmp 0')"
done
ends 0 "$weft" run "$here/tiny.xml" --out other --dry-run
[ "$(grep -c '^finished' out)" = 4 ] || fail 'changing ECMP makes others stale'
grep -qx 'stale     ecmp_seed=1: the code of balancer ecmp changed' out || fail "$(cat out)"
ends 0 "$weft" run --collect "$here/tiny.xml" --no-figures --out other
grep -q '^4 of 6 runs' out || fail 'results of other code are in the table'
grep -q 'ecmp_seed=1.*the code of balancer ecmp changed' messages || fail 'collect does not say so'
ends 0 "$weft" run "$here/tiny.xml" --no-figures --out other
grep -qx 'stale: ecmp_seed=2: the code of balancer ecmp changed' messages || fail 'run does not say so'
grep -q '^4 of 6 runs are finished already' messages || fail 'the others are run again'
"$here/same-results.sh" "$weft" kept other || fail 'not what it was'

# Of an earlier version.
"$edit_run" other/runs/rsq_seed=1.sqlite "delete from provenance where key = 'code'"
ends 0 "$weft" run "$here/tiny.xml" --out other --dry-run
grep -qx 'stale     rsq_seed=1: an earlier Weft made it, which did not say by what code' out || fail "$(cat out)"
