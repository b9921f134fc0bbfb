#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Builds this tree as contrib/weft of any ns-3 (3.35 and newer), runs our suites in its test runner,
# compares what our examples print with tests/ns3/*.out, installs it, and builds an example against
# what was installed. The given ns-3 is copied and stays as it is.
set -eu

usage()
{
    cat >&2 <<END
Usage: ns3-release.sh [--flags=CXXFLAGS] NS3 [WORK]

  NS3      a folder with an ns-3 source tree, or an archive of one
  WORK     works there (default: build/ns3-releases/NAME); a second call builds what has changed
  --flags  how ns-3 and Weft are compiled (default: -O1)
END
    exit 2
}

say()
{
    printf '%s: %s\n' "$name" "$*"
}

die()
{
    printf '%s: %s\n' "$name" "$*" >&2
    exit 1
}

# Runs a command with its output in file $1, which is shown if it fails, without lines of progress.
logged()
{
    log=$1
    shift
    "$@" >"$log" 2>&1 </dev/null || {
        grep -v '^\[ *[0-9]*/[0-9]*\] ' "$log" >&2 || true
        return 1
    }
}

# The first of its arguments that exists.
first()
{
    for file in "$@"; do
        if [ -e "$file" ]; then
            printf '%s\n' "$file"
            return 0
        fi
    done
    return 1
}

# Leaves a copy of the given ns-3 in $ns3.
copy_ns3()
{
    [ ! -f "$ns3/VERSION" ] || return 0
    rm -rf "$ns3" "$work/unpacked"
    mkdir -p "$work/unpacked"
    if [ -d "$given" ]; then
        tar -C "$given" --exclude=./build --exclude=./cmake-cache --exclude=./.git -cf - . |
            tar -C "$work/unpacked" -xf -
    else
        (cd "$work/unpacked" && cmake -E tar xf "$given") || die "cannot unpack $given"
    fi
    version=$(first "$work"/unpacked/VERSION "$work"/unpacked/*/VERSION \
        "$work"/unpacked/ns-allinone-*/ns-3*/VERSION) || die "there is no ns-3 in $given"
    mv "${version%/VERSION}" "$ns3"
    rm -rf "$work/unpacked"
}

# Copies this tree's files (not its build folder) to contrib/weft, with their times, so that only
# what has changed is built again.
copy_weft()
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

build_with_cmake()
{
    logged "$work/configure.log" cmake -S "$ns3" -B "$work/out" -G Ninja \
        -DCMAKE_BUILD_TYPE=default -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="$flags" \
        -DCMAKE_CXX_FLAGS_DEFAULT="$flags" -DNS3_ASSERT=ON -DNS3_LOG=ON \
        -DNS3_ENABLED_MODULES=weft -DNS3_TESTS=ON -DNS3_EXAMPLES=ON \
        -DNS3_FILTER_MODULE_EXAMPLES_AND_TESTS=weft -DCMAKE_INSTALL_PREFIX="$work/installed" ||
        die "ns-3 does not configure with contrib/weft"
    say "building"
    logged "$work/build.log" ninja -C "$work/out" -j "${WEFT_JOBS:-2}" ||
        die "ns-3 does not build with contrib/weft"
}

build_with_waf()
{
    cd "$ns3"
    CXXFLAGS=$flags logged "$work/configure.log" ./waf configure --disable-werror --enable-examples \
        --enable-tests --enable-modules=weft --prefix="$work/installed" ||
        die "ns-3 does not configure with contrib/weft"
    say "building"
    logged "$work/build.log" ./waf build -j "${WEFT_JOBS:-2}" ||
        die "ns-3 does not build with contrib/weft"
    cd "$root"
}

# A warning in our files is an error of ours: users of ns-3 build with -Werror.
check_warnings()
{
    ! grep -E 'contrib/weft/[^ ]*: warning:' "$work/build.log" || die "warnings in contrib/weft"
}

# One process per suite, as ns-3's test.py does it, and with the slow cases.
run_suites()
{
    runner=$(first "$ns3"/build/utils/ns3*-test-runner*) || die "ns-3 built no test runner"
    suites=$("$runner" --list | grep '^weft') || die "ns-3's test runner knows none of our suites"
    wanted=$(sed -n '/^set(weft_suites$/,/^)/s/^  *\(weft.*\)/\1/p' \
        "$root/tests/ns3/suite-sources.cmake" | wc -l)
    [ "$(printf '%s\n' "$suites" | wc -l)" = "$wanted" ] ||
        die "ns-3's test runner knows not $wanted suites of ours, but: $suites"
    failed=
    for suite in $suites; do
        if (cd "$work" && "$runner" --suite="$suite" --fullness=EXTENSIVE --verbose) \
            >"$work/$suite.log" 2>&1; then
            say "PASS $suite"
        else
            cat "$work/$suite.log"
            say "FAIL $suite"
            failed="$failed $suite"
        fi
    done
    [ -z "$failed" ] || die "failed in ns-3's test runner:$failed"
}

# What an example prints does not depend on the release of ns-3.
run_examples()
{
    for expected in "$root"/tests/ns3/*.out; do
        example=$(basename "$expected" .out)
        program=$(first "$ns3"/build/contrib/weft/examples/ns3*-"$example"-* \
            "$ns3"/build/contrib/weft/ns3*-"$example"-*) || die "ns-3 built no $example"
        "$root/tests/example.sh" "$program" "$expected" || die "$example prints something else"
        say "PASS $example"
    done
}

install_ns3()
{
    rm -rf "$work/installed"
    if [ -x "$ns3/waf" ]; then
        (cd "$ns3" && logged "$work/install.log" ./waf install) || die "waf install failed"
    else
        logged "$work/install.log" cmake --install "$work/out" || die "cmake --install failed"
    fi
}

# Releases differ in where they install; what pkg-config says must do.
check_installed()
{
    pc=$(find "$work/installed" -name '*ns3*-weft*.pc')
    [ -f "$pc" ] || die "there is no pkg-config file of the module"
    # shellcheck disable=SC2016 # a literal $<
    ! grep -nF -e '$<' -e "$ns3" -e "$work/out" "$pc" ||
        die "${pc##*/} names the build tree or what only CMake understands"
    libraries=$(find "$work/installed" -name 'libns3*-weft*.so' ! -name '*-test*')
    PKG_CONFIG_PATH=$(dirname "$pc") LD_LIBRARY_PATH=$(dirname "$libraries") \
        "$root/tests/ns3-installed.sh" "$(basename "$pc" .pc)" "$work/user" "$standard" ||
        die "a program does not build against the installed ns-3"
    say "PASS a program against the installed ns-3"
}

flags=-O1
case ${1:-} in
    --flags=*) flags=${1#--flags=} && shift ;;
esac
case ${1:-} in
    "" | -*) usage ;;
esac
[ $# -le 2 ] || usage
name=$(basename "$1")
name=${name%.tar.*}
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
[ -e "$1" ] || die "there is no $1"
given=$(readlink -f -- "$1")
work=${2:-$root/build/ns3-releases/$name}
mkdir -p "$work"
work=$(readlink -f -- "$work")
ns3=$work/ns-3
command -v cmake >/dev/null || die "cmake is missing: './weft build' installs it"

copy_ns3
copy_weft
name="ns-3 $(cat "$ns3/VERSION")"
say "configuring with contrib/weft and what it depends on"
if [ -f "$ns3/CMakeLists.txt" ]; then
    build_with_cmake
    standard=$(sed -n 's/^set(CMAKE_CXX_STANDARD[_MINIMUM]* \([0-9]*\)).*/\1/p' \
        "$ns3/build-support/macros-and-definitions.cmake")
else
    build_with_waf
    LD_LIBRARY_PATH=$ns3/build/lib
    export LD_LIBRARY_PATH
    standard=17
fi
check_warnings
run_suites
run_examples
install_ns3
check_installed
say "all suites pass, all examples print what they should, and the installed module can be used"
