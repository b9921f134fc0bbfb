#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds this tree as ns-3's contrib/weft and runs our suites in ns-3's own test runner. ns-3 is
# Debian's source package, so that no other network than the package mirror is needed. Everything
# stays in build/contrib; a second call builds what has changed.
set -eu

root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$root/build/contrib
ns3=$work/ns-3

say()
{
    printf 'contrib: %s\n' "$*"
}

die()
{
    printf 'contrib: %s\n' "$*" >&2
    exit 1
}

# apt with source packages, from this machine's own sources; nothing under /etc is changed.
apt_source()
{
    apt=$work/apt
    mkdir -p "$apt/parts" "$apt/lists/partial" "$apt/cache/archives/partial"
    : >"$apt/sources.list"
    for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
        [ ! -f "$file" ] || sed -n 's/^deb\([[:blank:]]\)/deb-src\1/p' "$file" >>"$apt/sources.list"
    done
    for file in /etc/apt/sources.list.d/*.sources; do
        [ ! -f "$file" ] || sed 's/^Types:.*/Types: deb-src/' "$file" >"$apt/parts/${file##*/}"
    done
    apt-get -q -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts="$apt/parts" \
        -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" -o APT::Sandbox::User= "$@"
}

# Leaves ns-3's source in $ns3.
get_ns3()
{
    [ ! -f "$ns3/VERSION" ] || return 0
    command -v apt-get >/dev/null || die "this test needs Debian's source packages (apt-get)"
    say "fetching Debian's source package of ns-3"
    log=$work/fetch.log
    rm -rf "$work/fetch"
    mkdir -p "$work/fetch"
    # One source without an index does not matter if ns-3 is found in another.
    apt_source update >"$log" 2>&1 </dev/null || true
    if ! (cd "$work/fetch" && apt_source source --download-only ns3) >>"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        die "Debian's source package of ns-3 could not be had (see above)"
    fi
    set -- "$work"/fetch/ns3_*.orig.tar.*
    [ -f "$1" ] || die "there is no upstream archive in Debian's source package"
    say "unpacking ${1##*/}"
    (cd "$work/fetch" && cmake -E tar xf "$1")
    set -- "$work"/fetch/ns-allinone-*/ns-3.* "$work"/fetch/ns-3.*
    while [ $# -gt 0 ] && [ ! -f "$1/VERSION" ]; do shift; done
    [ $# -gt 0 ] || die "no ns-3 in that archive"
    rm -rf "$ns3"
    mv "$1" "$ns3"
    rm -rf "$work/fetch"
}

# Copies the tree's files (not its build folder) to contrib/weft, with their times, so that only
# what has changed is built again.
copy_tree()
{
    rm -rf "$ns3/contrib/weft"
    mkdir -p "$ns3/contrib/weft"
    (
        cd "$root"
        git -c safe.directory="$root" ls-files --cached --others --exclude-standard |
            while IFS= read -r file; do [ ! -e "$file" ] || printf '%s\n' "$file"; done |
            tar -cf - -T -
    ) | tar -xf - -C "$ns3/contrib/weft"
    [ -f "$ns3/contrib/weft/CMakeLists.txt" ] || die "could not copy the tree"
}

build()
{
    log=$work/build.log
    say "configuring ns-3 $(cat "$ns3/VERSION") with contrib/weft and what it depends on"
    if ! cmake -S "$ns3" -B "$work/out" -G Ninja -DCMAKE_BUILD_TYPE=default -DNS3_ASSERT=ON \
        -DNS3_LOG=ON -DNS3_ENABLED_MODULES=weft -DNS3_TESTS=ON -DNS3_EXAMPLES=ON \
        -DNS3_FILTER_MODULE_EXAMPLES_AND_TESTS=weft >"$log" 2>&1; then
        cat "$log" >&2
        die "ns-3 does not configure with contrib/weft"
    fi
    say "building"
    if ! ninja -C "$work/out" -j "${WEFT_JOBS:-2}" >"$log" 2>&1; then
        grep -v '^\[[0-9]*/[0-9]*\] ' "$log" >&2
        die "ns-3 does not build with contrib/weft"
    fi
}

command -v cmake >/dev/null || die "cmake is missing: './weft build' installs it"
mkdir -p "$work"
get_ns3
copy_tree
build

# One process per suite, as ns-3's test.py does it.
set -- "$ns3"/build/utils/ns3*-test-runner*
[ -x "$1" ] || die "ns-3 built no test runner"
runner=$1
suites=$("$runner" --list | grep '^weft') || die "ns-3's test runner knows none of our suites"
failed=
for suite in $suites; do
    if (cd "$work" && "$runner" --suite="$suite" --verbose) >"$work/$suite.log" 2>&1; then
        say "PASS $suite"
    else
        cat "$work/$suite.log"
        say "FAIL $suite"
        failed="$failed $suite"
    fi
done
[ -z "$failed" ] || die "failed in ns-3's test runner:$failed"
say "all suites pass in ns-3 $(cat "$ns3/VERSION")'s test runner"
