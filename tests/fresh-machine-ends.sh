#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# How fresh-machine.sh ends: killed half-way it leaves no process, no mount and no folder; a mirror that it cannot
# fetch from makes it fail where this machine's apt has a network, and is left out where that has none either.
set -eu
export LC_ALL=C
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail()
{
    echo "fresh-machine-ends: $*"
    sed 's/^/    | /' out
    exit 1
}

# What others see of it: mounts, and folders where a system is mounted.
traces()
{
    grep fresh-machine /proc/self/mountinfo || true
    find /mnt /media -mindepth 1 -maxdepth 2 | sort
}

# A debootstrap that begins a system, says where it is and on what, and never ends; and a network that is there
# for the test, or for apt, if there is a file of that name.
mkdir tools
cat >tools/debootstrap <<END
#!/bin/sh
shift 3
mkdir -p "\$1/usr/bin"
echo "\$1 \$(stat -f -c %T "\$1")" >"$work/new"
mv "$work/new" "$work/begun"
exec sleep 60 >"$work/alive"
END
printf '#!/bin/sh\n[ -e "%s/for-test" ]\n' "$work" >tools/wget
printf '#!/bin/sh\n[ -e "%s/for-apt" ]\n' "$work" >tools/apt-helper
chmod +x tools/*
PATH=$work/tools:$PATH

# Begins a test of Debian 12, process $test, which waits for debootstrap; $reader ends with its last process.
begin()
{
    rm -f begun alive
    mkfifo alive
    timeout 30 cat alive >/dev/null &
    reader=$!
    "$root/tests/fresh-machine.sh" 12 >out 2>&1 &
    test=$!
    while [ ! -e begun ] && kill -0 $test 2>/dev/null; do
        sleep 0.05
    done
    [ ! -e begun ] || return 0
    kill $reader
    status=0
    wait $test || status=$?
    [ $status = 77 ] || fail "it ends with $status before it makes a system"
    cat out
    exit 77
}

# killed SIGNAL: while it makes the system.
killed()
{
    traces >before
    begin
    read -r system type <begun
    [ "$type" = tmpfs ] || fail "the system is on $type, where it would stay"
    traces | diff before - || fail 'others see the system'
    kill -"$1" $test
    wait $reader || fail "processes live on after SIG$1"
    traces | diff before - || fail "SIG$1 leaves this behind"
    [ ! -e "$system" ] || fail "SIG$1 leaves $system behind"
}
: >for-test
for signal in TERM HUP KILL; do
    killed $signal
done
rm for-test

# unreachable STATUS TEXT: what it says of a mirror that it cannot fetch from.
unreachable()
{
    status=0
    "$root/tests/fresh-machine.sh" 12 >out 2>&1 || status=$?
    [ $status = "$1" ] || fail "without the mirror it ends with $status, not $1"
    grep -q "$2" out || fail "without the mirror it does not say '$2'"
}
unreachable 77 'left out: there is no network'
: >for-apt
unreachable 1 'FAILED: .*/dists/bookworm/InRelease cannot be fetched, though apt fetches .*; WEFT_DEBIAN_MIRROR'
