#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: fresh-machine.sh [--archive] [--core] [--plain] [--all] [VERSION[:ARCHITECTURE]...]
# What a newcomer meets and a machine in use hides: a Debian of each version (12 and 13) with nothing but its
# base (debootstrap), a clone of what is committed here, and README's commands under "Start", word for word.
# By default the first of them, which must print what README says; with --core then what meets the system's
# libraries most, and the core's tests, by the system's gcc and by clang, with warnings as errors; with --all
# both commands; with --plain the first one again where ns-3's packages are not to be had. With --archive the tree has no .git and lies in a folder whose name has a blank, and the first
# command comes again without a network. 12:i386 is a Debian 12 for 32-bit x86.
#
# Needs root, debootstrap, a network, a git checkout and some 4 GB of memory; what is missing makes it end with
# 77. The system lives in a tmpfs that is mounted in namespaces of the test's own: nobody else sees it, and it is
# gone with the last process of the test, however that ends. The mirror is WEFT_DEBIAN_MIRROR, or that of this
# machine's own apt, or debootstrap's.
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
    # shellcheck disable=SC2086 # no word, or two
    $network env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root \
        ${http_proxy:+http_proxy="$http_proxy"} chroot "$base" "$@" </dev/null
}

# Seconds of processor time that all that has ended here has taken, in $used.
use_so_far()
{
    times >"$log/times"
    used=$(tr 'ms' '  ' <"$log/times" | awk 'END { printf "%.0f", 60 * $1 + $2 + 60 * $3 + $4 }')
}

# step WHAT COMMAND...: keeps what it prints in $log.
step()
{
    what=$1
    shift
    began=$(date +%s)
    use_so_far
    before=$used
    "$@" >"$log/out" 2>"$log/messages" || {
        tail -n 60 "$log/out"
        fail "Debian $version: $what"
    }
    use_so_far
    say "Debian $version: $what, $(($(date +%s) - began)) s, processor time $((used - before)) s"
}

# Sets $mirror and http_proxy to what this machine's own apt uses, and $apt_fetches to what that can fetch.
use_mirror()
{
    apt_fetches=
    if command -v apt-get >/dev/null; then
        # shellcheck disable=SC2016 # apt-get fills them in; names with a dash are of updates
        apt_fetches=$(apt-get indextargets --format '$(REPO_URI)dists/$(CODENAME)/InRelease $(ORIGIN)' \
            'Created-By: Packages' | sed -n 's,^\(http:.*/[a-z]*/InRelease\) Debian$,\1,p' | head -n 1)
        [ -n "${http_proxy:-}" ] || eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
    fi
    mirror=${WEFT_DEBIAN_MIRROR:-${apt_fetches%dists/*}}
    usual=$(sed -n 's,^DEF_MIRROR="\(.*[^/]\)/*"$,\1/,p' "$(command -v debootstrap)")
    mirror=${mirror:-$usual}
    [ -z "${http_proxy:-}" ] || export http_proxy
}

# Without a network nothing can be tried. But where this machine's own apt has one, what keeps the test from its
# mirror is to be mended: nobody would see that it is left out each time.
need_mirror()
{
    wanted=${mirror%/}/dists/$suite/InRelease
    ! wget -q --spider --tries=2 --timeout=20 "$wanted" || return 0
    apt_fetches=${apt_fetches:-${usual}dists/stable/InRelease}
    PATH=$PATH:/usr/lib/apt apt-helper download-file "$apt_fetches" "$log/release" >"$log/messages" 2>&1 ||
        skip "there is no network: neither $wanted nor $apt_fetches can be fetched"
    fail "$wanted cannot be fetched, though apt fetches $apt_fetches; WEFT_DEBIAN_MIRROR can name another mirror"
}

# A system in $base, with the tree in /root/$tree.
install_system()
{
    case ${version%:*} in
        12) suite=bookworm ;;
        13) suite=trixie ;;
        *) suite=${version%:*} ;;
    esac
    case $version in
        *:*) architecture=${version#*:} ;;
        *) architecture=$(dpkg --print-architecture) ;;
    esac
    need_mirror
    mkdir "$base"
    step "the base" debootstrap --variant=minbase --arch="$architecture" "$suite" "$base" "$mirror"
    mount -t proc proc "$base/proc"
    git -c safe.directory='*' clone --quiet "$root" "$base/root/$tree" 2>"$log/messages" || fail 'clone'
    [ -z "$archive" ] || rm -rf "$base/root/$tree/.git"
}

# Lines that a newcomer types: the first block under "Start".
commands()
{
    sed -n '/^## Start/,/^```$/p' "$base/root/$tree/README.md" | grep '^\./'
}

# prints_expected: what the last step printed is what README says of $line.
prints_expected()
{
    awk -v typed="\$ $(echo "$line" | sed 's/ *#.*//')" '/^```/ { on = 0 } on { print } $0 == typed { on = 1 }' \
        "$base/root/$tree/README.md" >"$log/expected"
    [ -s "$log/expected" ] || fail 'README does not say what the first command prints'
    diff "$log/expected" "$log/out" || fail "Debian $version prints something else than README"
}

first_command()
{
    line=$(commands | head -n 1)
    step "$line" inside sh -c "cd '/root/$tree' && $line"
    prints_expected
    say "Debian $version: $(sed -n 's/^Fetched \(.*\) in .*/\1/p' "$base/root/$tree/build/packages.log" |
        paste -sd + | sed 's/+/ and /') downloaded"
    [ -n "$archive" ] || return 0
    rm -r "$base/root/$tree/results"
    network='unshare --net'
    step 'the same without a network' inside sh -c "cd '/root/$tree' && $line"
    network=
    prints_expected
}

# The first command where ns-3's packages are not to be had: what it prints is the same.
plain_command()
{
    line=$(commands | head -n 1)
    rm -rf "$base/root/$tree/results" "$base/root/$tree/build"
    inside apt-get purge -y -q ns3 'libns3*' g++ >"$log/out" 2>"$log/messages" || fail 'apt-get purge'
    printf 'Package: ns3 libns3*\nPin: release *\nPin-Priority: -1\n' >"$base/etc/apt/preferences.d/no-ns3"
    step "$line, without ns-3" inside sh -c "cd '/root/$tree' && $line"
    prints_expected
    grep -q 'Weft is built without ns-3' "$log/messages" || fail 'it does not say that there is no ns-3'
    rm "$base/etc/apt/preferences.d/no-ns3"
}

second_command()
{
    line=$(commands | sed -n 2p)
    step "$line" inside sh -c "cd '/root/$tree' && $line"
    sed -n '/tests passed/,$p' "$log/out"
}

# The manual's C++ programs include ns-3's headers, which name those of other packages; the tests meet SQLite's
# messages and what cairo draws.
with_libraries()
{
    tests='^runner-(figure-query|queries|plot)$'
    step "programs of users, and tests of queries and figures" inside sh -c "cd '/root/$tree/build' &&
        ninja snippets weft-query-tests weft-edit-run && ctest -R '$tests' --no-tests=error --output-on-failure"
    sed -n '/tests passed/p' "$log/out"
}

core_with()
{
    step "the core by $1" inside sh -c "cd '/root/$tree' && cmake -S . -B core-$1 -G Ninja -DWEFT_CORE_ONLY=ON \
        -DWEFT_WERROR=ON -DCMAKE_C_COMPILER=$1 && ninja -C core-$1 && ctest --test-dir core-$1 -j $(nproc) \
        --output-on-failure"
    sed -n '/tests passed/p' "$log/out"
}

core_by_compilers()
{
    with_libraries
    core_with gcc
    step 'clang' inside apt-get install -y -q --no-install-recommends clang
    core_with clang
}

tree=weft archive='' core='' plain='' all='' network=''
while :; do
    case ${1:-} in
        --archive) archive=yes tree='weft archive' ;;
        --core) core=yes ;;
        --plain) plain=yes ;;
        --all) all=yes ;;
        *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || set -- 12 13
[ -z "$(git -c safe.directory='*' -C "$root" status --porcelain)" ] || say 'what is not committed is not tried'
above=/mnt
case $root/ in
    /mnt/*) above=/media ;;
esac
mount -t tmpfs -o mode=755,size=80% fresh-machine $above
log=$above/log
mkdir $log
use_mirror
for version in "$@"; do
    base=$above/$version
    install_system
    first_command
    [ -z "$all" ] || second_command
    [ -z "$core" ] || core_by_compilers
    [ -z "$plain" ] || plain_command
    umount "$base/proc"
    rm -rf "$base"
done
