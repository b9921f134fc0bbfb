#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# This tree as contrib/weft of Debian's ns-3 (see ns3-release.sh). ns-3 comes from Debian's source
# package, so that no other network than the package mirror is needed. Everything stays in
# build/contrib; a second call builds what has changed.
set -eu

root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$root/build/contrib

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

# Leaves Debian's source package of ns-3 in $work/fetch.
fetch()
{
    set -- "$work"/fetch/ns3_*.orig.tar.*
    [ ! -f "$1" ] || return 0
    command -v apt-get >/dev/null || die "this test needs Debian's source packages (apt-get)"
    say "fetching Debian's source package of ns-3"
    log=$work/fetch.log
    mkdir -p "$work/fetch"
    # One source without an index does not matter if ns-3 is found in another.
    apt_source update >"$log" 2>&1 </dev/null || true
    if ! (cd "$work/fetch" && apt_source source --download-only ns3) >>"$log" 2>&1 </dev/null; then
        cat "$log" >&2
        die "Debian's source package of ns-3 could not be had (see above)"
    fi
}

mkdir -p "$work"
fetch
set -- "$work"/fetch/ns3_*.orig.tar.*
[ -f "$1" ] || die "there is no upstream archive in Debian's source package"
exec "$root/tests/ns3-release.sh" "$1" "$work/release"
