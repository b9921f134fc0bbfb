#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# An author of another simulator can install the C core, without ns-3, and link it from CMake and
# through pkg-config; and what the example host prints is what the papers lead one to expect.
set -eu
export LC_ALL=C
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export CMAKE_GENERATOR=Ninja

fail()
{
    echo "embedding: $*" >&2
    exit 1
}

quietly()
{
    "$@" >log 2>&1 || {
        cat log >&2
        fail "failed: $*"
    }
}

quietly cmake -S "$root" -B core -DWEFT_CORE_ONLY=ON -DBUILD_TESTING=OFF
quietly cmake --build core
quietly cmake --install core --prefix "$work/prefix"

# The shared library: its soname names the minor version, and pkg-config finds it.
quietly cmake -S "$root" -B core -DBUILD_SHARED_LIBS=ON
quietly cmake --build core
quietly cmake --install core --prefix "$work/shared"
library=$(find "$work/shared" -name libweft.so)
objdump -p "$library" | grep -q 'SONAME  *libweft[.]so[.][0-9]*[.][0-9]*$' || fail "no soname"
[ -z "$(find "$work/shared" -name '*.a')" ] || fail "both libraries are installed"
for file in MIT.txt c-core.md examples/two-tors.c; do
    [ -n "$(find "$work/shared" -path "*/doc/weft/$file")" ] || fail "$file is not installed"
done
page=$(find "$work/shared" -name c-core.md)
grep -o '](\.\.[^)#]*' "$page" | cut -c3- | while IFS= read -r link; do
    [ -f "$(dirname "$page")/$link" ] || fail "c-core.md, installed: $link is not there"
done
cp -R "$root/examples/embedding" by-shared
PKG_CONFIG_PATH=$(dirname "$(find "$work/shared" -name weft.pc)") quietly make -C by-shared
quietly cmake -S by-shared -B by-shared-cmake -DCMAKE_PREFIX_PATH="$work/shared"
quietly cmake --build by-shared-cmake

# The core as two files: clean under every warning, and the same results.
quietly cmake --build core --target weft-amalgamation
for compiler in gcc clang; do
    ! command -v $compiler >/dev/null ||
        quietly $compiler -std=c11 -O2 -ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion \
            -Werror -c core/amalgamation/weft.c -o weft-$compiler.o
done
quietly gcc -std=c11 -DWEFT_CHECKED -c core/amalgamation/weft.c -o weft-checked.o
for program in fabric workload; do
    sed 's/<weft\/weft.h>/"weft.h"/' "$root/examples/embedding/$program.c" >$program.c
    quietly gcc -O2 -Icore/amalgamation $program.c weft-gcc.o -lm -o $program
done

cp -R "$root/examples/embedding" host
quietly cmake -S host -B by-cmake -DCMAKE_PREFIX_PATH="$work/prefix"
quietly cmake --build by-cmake
PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name weft.pc)") quietly make -C host
for built in by-cmake host; do
    "./$built/smallest-host" >smallest.txt
    grep -qx '1000 packets in .* us, 1 resent, 1 NACKs, 0 timeouts' smallest.txt ||
        fail "smallest-host in $built: $(cat smallest.txt)"
done
./by-cmake/two-tors >themis.txt
./host/two-tors >again.txt
cmp themis.txt again.txt || fail "the two builds differ"
LD_LIBRARY_PATH=$(dirname "$library") ./by-shared/two-tors | cmp - themis.txt ||
    fail "the shared library differs"
./by-shared-cmake/two-tors | cmp - themis.txt || fail "the shared library differs by CMake"

./fabric >fabric.txt
./by-cmake/fabric | cmp - fabric.txt || fail "the core as two files differs"
./workload >workload.txt
./by-cmake/workload | cmp - workload.txt || fail "a workload on the core as two files differs"

# A link fails under a workload, forwarding adapts, and all arrive; a planner's parts as well.
head -n 4 workload.txt >links.txt
cat >expected.txt <<'END'
200 us: link 64 is down
300 us: links that forwarding knows to be down: 1
800 us: link 64 is back
900 us: links that forwarding knows to be down: 0
END
cmp links.txt expected.txt || fail "a link that fails: $(cat links.txt)"
grep -q '^8064 of 8064 messages acknowledged, ' workload.txt || fail "$(cat workload.txt)"
./workload 'alltoall bytes=2MB' 'subflow n=4' >parts.txt || fail "$(cat parts.txt)"
grep -q '^4032 of 4032 messages acknowledged, ' parts.txt || fail "$(cat parts.txt)"
! ./workload 'ring bytes=1MB groups=5' 2>refused.txt || fail "5 groups of 64 hosts"

# Themis: all arrive, and only the lost packet is sent again, after one NACK.
cat >expected.txt <<'END'
qp 0: 2000 of 2000 packets acknowledged, 1 resent, 1 NACKs, 0 timeouts
qp 1: 2000 of 2000 packets acknowledged, 0 resent, 0 NACKs, 0 timeouts
END
head -n 2 themis.txt | cmp - expected.txt || fail "with themis: $(cat themis.txt)"

# Random spraying: all arrive as well, but packets that nobody lost are sent again.
./by-cmake/two-tors rsq >rsq.txt
[ "$(grep -c '^qp .: 2000 of 2000 ' rsq.txt)" = 2 ] || fail "with rsq: $(cat rsq.txt)"
! grep -q ' 0 resent' rsq.txt || fail "random spraying without a retransmission: $(cat rsq.txt)"
# A balancer that must know the fabric's shape.
./by-cmake/two-tors ofan >shape.txt || fail "with ofan"
[ "$(grep -c '^qp .: 2000 of 2000 ' shape.txt)" = 2 ] || fail "with ofan: $(cat shape.txt)"
# Balancers of which the program would run a half.
for half in 'host-dr hosts' 'reps hosts' 'conga arrive'; do
    ! ./by-cmake/two-tors "${half% *}" 2>refused.txt || fail "half of ${half% *} is run"
    grep -q "^${half% *} needs \"${half#* }\"" refused.txt || fail "$half: $(cat refused.txt)"
done
# Every program, in C and in C++.
for source in host/*.c; do
    program=$(basename "$source" .c)
    quietly "${CXX:-c++}" -std=c++17 -Wall -Wextra -Werror -Wno-missing-field-initializers \
        -I "$work/prefix/include" -x c++ "$source" -x none \
        "$(find "$work/prefix" -name libweft.a)" -o "in-c++-$program"
    "./host/$program" >in-c.txt || fail "$program"
    "./in-c++-$program" | cmp - in-c.txt || fail "$program differs in C++"
    "./by-cmake/$program" | cmp - in-c.txt || fail "$program differs by CMake"
done
# REPS leaves the path that marks; DRILL keeps queues short, and nothing else does so by chance;
# DCTCP keeps a queue as long as the threshold; Themis lets the one true NACK pass.
./host/lone-selector | grep -qx 'marked of the first 1000 packets: [0-9]\{1,2\}, of the last 1000: 0' ||
    fail "$(./host/lone-selector)"
[ "$(./host/lone-balancer drill | sed 's/[^0-9]//g')" -le 5 ] || fail "$(./host/lone-balancer drill)"
[ "$(./host/lone-balancer rsq | sed 's/[^0-9]//g')" -ge 15 ] || fail "$(./host/lone-balancer rsq)"
./host/lone-control | grep -qx 'window 1[0-2][0-9] of 100, on average [12][0-9]\.[0-9] packets wait' ||
    fail "$(./host/lone-control)"
./host/lone-receiver | grep -qx '1 NACK to the sender, 4[0-9]* of 4[0-9]* from the NIC blocked' ||
    fail "$(./host/lone-receiver)"
! ./host/lone-balancer reps 2>refused.txt || fail "half of reps is run"
grep -q '^reps needs "hosts"' refused.txt || fail "reps: $(cat refused.txt)"
# A simulator in another style, on the shared library that pkg-config finds: without contention it
# has the time of Weft's own fabric to the ns; Themis spares what random spraying sends again.
LD_LIBRARY_PATH=$(dirname "$library")
export LD_LIBRARY_PATH
quietly gcc -std=c11 -O2 -I "$work/prefix/include" "$root/tests/core/foreign-model.c" \
    "$(find "$work/prefix" -name libweft.a)" -lm -o model
foreign()
{
    ./by-shared/foreign "$@" || fail "foreign $*"
}
foreign jsq >foreign.txt
grep -q "^4 flows after $(./model), 0 packets resent" foreign.txt ||
    fail "Weft's fabric takes $(./model): $(cat foreign.txt)"
foreign themis none 4 200 >foreign.txt
grep -q ' 0 packets resent, [1-9][0-9]* NACKs blocked' foreign.txt || fail "$(cat foreign.txt)"
foreign rsq none 4 200 >foreign.txt
! grep -q ' 0 packets resent' foreign.txt || fail "$(cat foreign.txt)"
queue_of()
{
    foreign "$@" | sed 's/.*longest queue \([0-9]*\) B/\1/'
}
[ "$(queue_of ecmp dctcp)" -lt "$(($(queue_of ecmp) / 10))" ] || fail "DCTCP does not shorten queues"
[ "$(queue_of ecmp hpcc)" -lt "$(($(queue_of ecmp) / 10))" ] || fail "HPCC hears no stamps"
foreign 'reps ring=16' dctcp >foreign.txt
! ./by-shared/foreign conga 2>refused.txt || fail "half of conga is run"
unset LD_LIBRARY_PATH
if ./by-cmake/two-tors nonsense 2>/dev/null; then
    fail "an unknown balancer is accepted"
fi
