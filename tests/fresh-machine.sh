#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: fresh-machine.sh [--core | --all] [VERSION...]
# What a newcomer meets and a machine in use hides: a Debian of each version (12 and 13) with nothing but its
# base (debootstrap), a clone of what is committed here, and README's commands under "Start", word for word.
# By default the first of them, which must print what README says; with --core then what meets the system's
# libraries most, and the core's tests, by the system's gcc and by clang, with warnings as errors; with --all
# both commands.
#
# Needs root, debootstrap, a network, a git checkout and some 4 GB of memory; what is missing makes it end with
# 77. The system lives in a tmpfs that is mounted in namespaces of the test's own: nobody else sees it, and it is
# gone with the last process of the test, however that ends. WEFT_DEBIAN_MIRROR is a mirror other than
# debootstrap's own.
set -eu
export LC_ALL=C
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")

say()
{
    printf 'fresh-machine: %s\n' "$*"
}

skip()
{
    say "left out: $*"
    exit 77
}

fail()
{
    missing=$(sed -n 's/^E: \(Failed getting release file .*\)/\1/p' "$log/out" "$log/messages")
    [ -z "$missing" ] || skip "there is no network, or no such Debian: $missing"
    say "FAILED: $*"
    [ ! -s "$log/messages" ] || tail -n 60 "$log/messages"
    exit 1
}

# Namespaces of its own, whose processes and mounts end with `unshare`; and that ends with this process,
# also if it is killed.
if [ "${1:-}" != --inside ]; then
    [ "$(id -u)" = 0 ] || skip 'it needs root'
    for tool in debootstrap unshare setpriv git; do
        command -v $tool >/dev/null || skip "$tool is not installed"
    done
    [ -e "$root/.git" ] || skip 'what is tried is a clone, and this is no git checkout'
    unshare --mount --pid --fork true 2>/dev/null || skip 'no namespaces can be made here'
    setpriv --pdeathsig KILL unshare --mount --pid --fork --mount-proc --kill-child "$0" --inside "$@" &
    trap 'kill -KILL $!' INT TERM HUP
    wait $!
    exit
fi
shift

# inside COMMAND...: runs it in the new system, which knows nothing of this one but its network.
inside()
{
    env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        ${http_proxy:+http_proxy="$http_proxy"} chroot "$base" "$@" </dev/null
}

# step WHAT COMMAND...: keeps what it prints in $log.
step()
{
    what=$1
    shift
    began=$(date +%s)
    "$@" >"$log/out" 2>"$log/messages" || {
        tail -n 60 "$log/out"
        fail "Debian $version: $what"
    }
    say "Debian $version: $what, $(($(date +%s) - began)) s"
}

# A system in $base, with the tree in /root/weft.
install_system()
{
    case $version in
        12) suite=bookworm ;;
        13) suite=trixie ;;
        *) suite=$version ;;
    esac
    mkdir "$base"
    # shellcheck disable=SC2086 # no word if there is none
    step "the base" debootstrap --variant=minbase "$suite" "$base" ${WEFT_DEBIAN_MIRROR:-}
    mount -t proc proc "$base/proc"
    git -c safe.directory='*' clone --quiet "$root" "$base/root/weft" 2>"$log/messages" || fail 'clone'
}

# Lines that a newcomer types: the first block under "Start".
commands()
{
    sed -n '/^## Start/,/^```$/p' "$base/root/weft/README.md" | grep '^\./'
}

first_command()
{
    line=$(commands | head -n 1)
    step "$line" inside sh -c "cd /root/weft && $line"
    awk -v typed="\$ $(echo "$line" | sed 's/ *#.*//')" '/^```/ { on = 0 } on { print } $0 == typed { on = 1 }' \
        "$base/root/weft/README.md" >"$log/expected"
    [ -s "$log/expected" ] || fail 'README does not say what the first command prints'
    diff "$log/expected" "$log/out" || fail "Debian $version prints something else than README"
    say "Debian $version: $(sed -n 's/^Fetched \(.*\) in .*/\1/p' "$base/root/weft/build/packages.log" |
        paste -sd + | sed 's/+/ and /') downloaded"
}

second_command()
{
    line=$(commands | sed -n 2p)
    step "$line" inside sh -c "cd /root/weft && $line"
    sed -n '/tests passed/,$p' "$log/out"
}

# The manual's C++ programs include ns-3's headers, which name those of other packages; the tests meet SQLite's
# messages and what cairo draws.
with_libraries()
{
    tests='^runner-(figure-query|queries|plot)$'
    step "programs of users, and tests of queries and figures" inside sh -c "cd /root/weft/build &&
        ninja snippets weft-query-tests && ctest -R '$tests' --no-tests=error --output-on-failure"
    sed -n '/tests passed/p' "$log/out"
}

core_with()
{
    step "the core by $1" inside sh -c "cd /root/weft && cmake -S . -B core-$1 -G Ninja -DWEFT_CORE_ONLY=ON \
        -DWEFT_WERROR=ON -DCMAKE_C_COMPILER=$1 && ninja -C core-$1 && ctest --test-dir core-$1 -j $(nproc) \
        --output-on-failure"
    sed -n '/tests passed/p' "$log/out"
}

mode=--first
case ${1:-} in
    --core | --all) mode=$1 && shift ;;
esac
[ $# -gt 0 ] || set -- 12 13
[ -z "$(git -c safe.directory='*' -C "$root" status --porcelain)" ] || say 'what is not committed is not tried'
above=/mnt
case $root/ in
    /mnt/*) above=/media ;;
esac
mount -t tmpfs -o mode=755,size=80% fresh-machine $above
log=$above/log
mkdir $log
for version in "$@"; do
    base=$above/$version
    install_system
    first_command
    case $mode in
        --core)
            with_libraries
            core_with gcc
            step 'clang' inside apt-get install -y -q --no-install-recommends clang
            core_with clang
            ;;
        --all) second_command ;;
    esac
    umount "$base/proc"
    rm -rf "$base"
done
