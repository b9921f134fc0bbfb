#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What a user relies on in ./weft: help without building, plain errors, and that it works from any
# folder, through a symlink, and when several calls come at once.
set -eu
export LC_ALL=C
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail()
{
    echo "launcher: $*" >&2
    exit 1
}

# A copy without build/ must answer these without building or installing anything.
cp "$root/weft" "$root/CMakeLists.txt" "$work/"
mkdir -p "$work/core-c/include/weft"
cp "$root/core-c/include/weft/version.h" "$work/core-c/include/weft/"
fresh=$work/weft
"$fresh" --version | grep -qE '^weft [0-9]+\.[0-9]+\.[0-9]+$' || fail "--version"
for command in bench build test clean run run-one query plot report reproduce list validate schema; do
    "$fresh" --help | grep -q "^  $command " || fail "--help does not list '$command'"
    "$fresh" $command --help | grep -q "Usage: weft $command" || fail "$command --help"
done
[ ! -e "$work/build" ] || fail "asking for help built something"

# unknown LAUNCHER COMMAND MESSAGE: it is told of in two lines.
unknown()
{
    status=0
    "$1" "$2" 2>"$work/err" || status=$?
    [ "$status" = 2 ] || fail "an unknown command exits with $status, not 2"
    grep -q "$3" "$work/err" || fail "'$2': $(cat "$work/err")"
    [ "$(wc -l <"$work/err")" = 2 ] || fail "'$2': $(cat "$work/err")"
}
unknown "$fresh" sweeep "no command 'sweeep'$"
unknown "$root/weft" querry "'querry'; did you mean 'query'?$"
unknown "$root/weft" biuld "'biuld'; did you mean 'build'?$"
unknown "$root/weft" qqqq "'qqqq'$"
status=0
"$fresh" 2>"$work/err" || status=$?
[ "$status" = 2 ] || fail "no command at all exits with $status, not 2"

# A program of the user's that is not there is said at once.
for name in nosuch ../nosuch 'a b' ''; do
    status=0
    "$fresh" build "$name" 2>"$work/err" || status=$?
    [ "$status" != 0 ] || fail "build '$name' ends well"
    [ -s "$work/err" ] || fail "build '$name' says nothing"
done
[ ! -e "$work/build" ] || fail "a program that is not there was built"

# The built tree, from elsewhere, through a symlink.
cd "$work"
ln -s "$root/weft" linked
./linked list >list.txt 2>err || fail "list through a symlink: $(cat err)"
[ ! -s err ] || fail "an up-to-date build is not silent: $(cat err)"
grep -q themis list.txt || fail "list does not name themis"
# It knows every command of the runner.
for command in $("$root/build/weft-runner" --help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do
    "$fresh" --help | grep -q "^  $command " || fail "--help does not list the runner's command '$command'"
    "$fresh" "$command" --help >/dev/null || fail "the runner's command '$command' is unknown"
done

# What only looks builds nothing and waits for no build, not even for one that fails or is half linked.
mkdir -p other/core-c other/build
cp "$root/weft" "$root/CMakeLists.txt" other/
cp "$root/build/weft-runner" other/build/weft-runner.whole
: >other/build/weft-runner # as the linker begins it
echo 'no C' >other/core-c/half.c
(
    flock 9
    for command in 'list' 'validate here.xml' 'run --plan here.xml' 'run here.xml --collect' 'run --dry-run here.xml' 'query results' 'plot results' 'report results' 'run --help' 'list --help'; do
        # shellcheck disable=SC2086 # words of a command
        timeout 20 other/weft $command >out 2>err || [ $? = 2 ] || fail "'$command' while somebody builds: $(cat err)"
        ! grep -q 'waiting\|building\|nothing is built' err || fail "'$command' while somebody builds: $(cat err)"
    done
    echo "'weft test' (process 17)" >other/build/.lock
    timeout 2 other/weft run here.xml >out 2>err && fail "'run' does not wait for who builds"
    grep -qx "weft: waiting for 'weft test' (process 17), which is building in .*other/build" err ||
        fail "'run' does not say for whom it waits: $(cat err)"
) 9>>other/build/.lock

# A file of the caller's folder is found there, and the runner's exit status is handed on.
echo '<nonsense/>' >here.xml
status=0
./linked validate here.xml >out 2>&1 || status=$?
[ "$status" != 0 ] || fail "a broken scenario passes"
grep -q 'here\.xml:1' out || fail "a relative path is not the caller's: $(cat out)"

for i in 1 2 3 4; do
    ./linked list >"list.$i" 2>&1 &
done
wait
for i in 1 2 3 4; do
    cmp -s list.txt "list.$i" || fail "calls at the same time disturb each other"
done

# A mistake in the benchmark's options is found before it measures anything.
status=0
./linked bench --cases=a,bb >out 2>err || status=$?
[ "$status" = 2 ] || fail "'bench --cases=a,bb' exits with $status, not 2"
grep -q "no case 'bb'" err || fail "'bench --cases=a,bb' says: $(cat err)"
[ ! -s out ] || fail "'bench --cases=a,bb' measures all the same"

status=0
"$fresh" clean everything 2>err || status=$?
[ "$status" = 1 ] || fail "'clean everything' exits with $status, not 1"

# Without root, the message names every package that is missing, and each once.
mkdir tools
printf '#!/bin/sh\necho "ii make"\n' >tools/dpkg-query
printf '#!/bin/sh\necho 1000\n' >tools/id
printf '#!/bin/sh\nexit 1\n' >tools/sudo
chmod +x tools/*
status=0
PATH=$work/tools:$PATH "$fresh" build 2>err || status=$?
[ "$status" = 1 ] || fail "'build' without packages exits with $status, not 1"
sed -n 's/^ *sudo .* apt-get install --no-install-recommends //p' err | tr ' ' '\n' | sort >named
# ns-3's headers include Boost's since Debian 13.
boost=libboost-dev
! grep -qsx 'VERSION_ID="12"' /etc/os-release || boost=
xargs -n 1 >expected <<END
check cmake g++ gcc gnuplot-nox $boost libgsl-dev liblzma-dev libns3-dev libprotobuf-c-dev libsqlite3-dev libxml2-dev libxml2-utils libxslt1-dev ninja-build ns3 pkgconf protobuf-c-compiler zlib1g-dev
END
cmp named expected || fail "without packages: $(cat err)"

# What it says and does while it builds, with tools that only pretend to: half a minute is over at once. The
# folder's name has a blank; there is no .git, as in an archive of the tree; and no network is asked for, as
# nothing is missing.
mkdir 'pretended tree' 'pretended tree/core-c' 'pretended tree/scratch' fakes
cp "$root/weft" "$root/CMakeLists.txt" 'pretended tree/'
cp "$root/examples/weft-two-hosts.cc" 'pretended tree/scratch/mine.cc'
printf '#!/bin/sh\n: >"%s/asked-apt"\n' "$work" >fakes/apt-get
cp fakes/apt-get fakes/sudo
cat >fakes/dpkg-query <<'END'
#!/bin/sh
printf 'ii  %s\n' "$@"
END
cat >fakes/cmake <<'END'
#!/bin/sh
while [ "$1" != -B ]; do shift; done
mkdir -p "$2" && : >"$2/build.ninja"
END
# Its build ends when the file "go" is there, and fails if that says so.
cat >fakes/ninja <<END
#!/bin/sh
cd "\$2" || exit
[ "\$3" != -n ] || exit 0
echo '[7/9] Linking'
until [ -e "$work/go" ]; do /bin/sleep 0.05; done
[ ! -s "$work/go" ] || exit 1
case "\$3" in weft-runner | weft-claims) cp "$root/build/weft-runner" new && mv new weft-runner; ;; esac
END
printf '#!/bin/sh\nexec /bin/sleep 0.05\n' >fakes/sleep
chmod +x fakes/*

# pretend ARGUMENT...: 'weft build ARGUMENT...' there; it may end when it has said how far it is.
pretend()
{
    rm -f go err
    PATH=$work/fakes:$PATH "pretended tree/weft" build "$@" >out 2>err &
    for i in $(seq 200); do
        ! grep -sqx "weft: building \[7/9\]" err || break
        /bin/sleep 0.05
    done
    printf '%s' "$failing" >answer
    mv answer go
    status=0
    wait $! || status=$?
}
failing=
pretend
[ $status = 0 ] || fail "'build' exits with $status: $(cat err)"
sed '/^weft: building $/d' err | uniq >told
printf 'weft: building\nweft: building [7/9]\n' | cmp - told || fail "'build' says: $(cat err)"
cmp 'pretended tree/build/weft-runner' 'pretended tree/build/weft-runner.whole' || fail 'the runner is not kept'
[ ! -s 'pretended tree/build/.lock' ] || fail "who has built is still in the lock: $(cat 'pretended tree/build/.lock')"

pretend mine
[ $status = 0 ] || fail "'build mine' exits with $status: $(cat err)"
sed '/^weft: building $/d' err | uniq | sed "s,$work/,,g" >told
cmp - told <<'END' || fail "'build mine' says: $(cat told)"
weft: building Weft for programs into pretended tree/build/scratch/library; this takes minutes, and only the first time
weft: compiling scratch/mine.cc to pretended tree/build/scratch/mine where it has changed
weft: building
weft: building [7/9]
weft: pretended tree/build/scratch/mine is up to date
END

failing=yes
pretend
[ $status = 1 ] || fail "'build' exits with $status when the build fails"
grep -q 'the build failed' err || fail "a build that fails says: $(cat err)"
[ ! -s 'pretended tree/build/.lock' ] || fail "who has failed is still in the lock: $(cat 'pretended tree/build/.lock')"

# Where there are no hard links, the runner is kept all the same.
printf '#!/bin/sh\necho "ln: Operation not permitted" >&2\nexit 1\n' >fakes/ln
chmod +x fakes/ln
echo old >'pretended tree/build/weft-runner.whole'
failing=
pretend
[ $status = 0 ] || fail "'build' without hard links exits with $status: $(cat err)"
cmp 'pretended tree/build/weft-runner' 'pretended tree/build/weft-runner.whole' || fail 'without hard links no runner is kept'
[ ! -e asked-apt ] || fail 'packages are asked for although none is missing'

# Where there is no ns-3, Weft is built without it; what needs it says so.
mkdir -p 'plain tree/core-c'
cp "$root/weft" "$root/CMakeLists.txt" 'plain tree/'
cat >fakes/cmake <<'END'
#!/bin/sh
case " $* " in *" -DWEFT_NS3=OFF "*) plain=yes ;; esac
while [ "$1" != -B ]; do shift; done
[ -n "$plain" ] || { echo 'Could not find a package configuration file provided by "ns3" with' && exit 1; }
mkdir -p "$2" && : >"$2/build.ninja" && echo 'WEFT_NS3:BOOL=OFF' >"$2/CMakeCache.txt"
END
: >go
PATH=$work/fakes:$PATH 'plain tree/weft' build >out 2>err || fail "'build' without ns-3: $(cat err)"
grep -q 'cmake finds no ns-3: Weft is built without ns-3' err || fail "'build' without ns-3 says: $(cat err)"
for command in bench 'build mine'; do
    status=0
    # shellcheck disable=SC2086 # words of a command
    PATH=$work/fakes:$PATH 'plain tree/weft' $command >out 2>err || status=$?
    [ $status = 1 ] || fail "'$command' without ns-3 exits with $status, not 1"
    grep -qx "weft: '$command' needs ns-3, and this build has none. Once there is an ns-3: 'weft clean'" err ||
        fail "'$command' without ns-3 says: $(cat err)"
done
