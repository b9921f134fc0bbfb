#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: public-inputs.sh WEFT-RUNNER
# The files of other simulators run as they are, from the folder WEFT_INPUTS: HPCC's flows, its and
# ConWeave's topologies and distributions, htsim's connection matrix, SimAI's servers. Users bring files
# like these.
# shellcheck source=tests/runner/begin.sh
. "$(dirname "$0")/begin.sh"

# run NAME WORKLOAD: 128 hosts at 100 Gb/s
run()
{
    cat >"$1.xml" <<END
<scenario name="$1">
  <topology kind="leaf-spine" leaves="8" spines="8" hosts-per-leaf="16" link-rate="100Gbps" link-delay="1us"/>
  <switch preset="100g" buffer="64MB"/><transport name="ideal"/><balancer name="rsq"/>
  <workload $2/>
</scenario>
END
    "$weft" run "$1.xml" --no-figures --out "$1" >out 2>messages || fail "$1: exit status $?"
    exported "$1"
}

count=0
run hpcc "kind=\"flows\" file=\"$WEFT_INPUTS/hpcc-flow.txt\""
[ "$(wc -l <hpcc.runs/hpcc/flows.csv)" = 3 ] || fail 'HPCC: not the two flows that its file announces'
run htsim "kind=\"flows\" file=\"$WEFT_INPUTS/htsim-permutation-128.cm\""
awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
    { print $c["src"] "->" $c["dst"], $c["bytes"] }' htsim.runs/htsim/flows.csv >found
awk '/->/ { print $1, $7 }' "$WEFT_INPUTS/htsim-permutation-128.cm" | cmp - found ||
    fail 'htsim: other flows than those of the matrix'

# The mean size within its 95 % interval, and the load within that of what as many exponential gaps
# and these sizes make of it. The seed is fixed: it is one draw, and always the same.
for file in "$WEFT_INPUTS"/cdf-*.txt; do
    count=$((count + 1))
    run "cdf$count" "kind=\"poisson\" load=\"0.3\" flows=\"4000\" file=\"$file\""
    awk 'FNR == NR { if (NF == 2) { p = ($2 - share) / 100; share = $2
              mean += p * ($1 + last) / 2; square += p * ($1 * $1 + $1 * last + last * last) / 3
              last = $1 } next }
        FNR == 1 { split($0, head, ","); for (i in head) c[head[i]] = i; next }
        { split($0, cell, ","); n++; sum += cell[c["bytes"]]; end = cell[c["posted_us"]] }
        END { error = 1.96 * sqrt((square - mean * mean) / n); off = sum / n - mean
              load = sum * 8 / (128 * 100e3 * end)
              far = 1.96 * 0.3 * sqrt((square / mean / mean) / n)
              printf "mean %.0f, expected %.0f +- %.0f; load %.4f, expected 0.3 +- %.4f\n", sum / n,
                  mean, error, load, far
              exit !(n == 4000 && off <= error && -off <= error && load - 0.3 <= far &&
                     0.3 - load <= far) }' "$file" "cdf$count.runs/cdf$count/flows.csv" ||
        fail "$file: another mean or load"
done
[ "$count" -ge 3 ] || fail "not three distributions in $WEFT_INPUTS"

# HPCC's and ConWeave's topologies, as many hosts as their first lines say.
count=0
for file in "$WEFT_INPUTS"/hpcc-topology.txt "$WEFT_INPUTS"/hpcc-fat.txt "$WEFT_INPUTS"/conweave-*.txt; do
    count=$((count + 1))
    cat >graph.xml <<END
<scenario name="graph$count">
  <topology kind="graph" file="$file"/><switch preset="100g" buffer="64MB"/>
  <transport name="ideal"/><balancer name="ecmp"/><workload kind="permutation" bytes="100KB"/>
</scenario>
END
    "$weft" run graph.xml --no-figures --out "graph$count" >out 2>messages || fail "$file: exit status $?"
    exported "graph$count"
    hosts=$(awk 'NR == 1 { print $1 - $2 }' "$file")
    [ "$(sed 1d "graph$count.runs/graph$count/flows.csv" | wc -l)" = "$hosts" ] ||
        fail "$file: not a flow from each of $hosts hosts"
done
# Fabrics of others that are a Clos, whatever their numbers, run what needs one; htsim's have as many hosts as they say.
count=0
for file in "$WEFT_INPUTS"/hpcc-fat.txt "$WEFT_INPUTS"/conweave-*.txt "$WEFT_INPUTS"/simai/*_H100 "$WEFT_INPUTS"/htsim-topo/*.topo; do
    case $file in *SinglePlane*) continue ;; esac # hosts at two ToRs of a plane
    count=$((count + 1))
    for balancer in themis conweave conga letflow pro ethereal; do
        printf '<scenario name="clos"><topology kind="graph" file="%s"/><switch preset="100g" buffer="64MB"/><balancer name="%s"/><workload kind="permutation" bytes="16KB"/></scenario>' \
            "$file" "$balancer" >clos.xml
        "$weft" validate clos.xml >out 2>messages || fail "$balancer on $file: $(cat messages)"
    done
    "$weft" run clos.xml --no-figures --out "clos$count" >out 2>messages || fail "$file: exit status $?"
    hosts=$(awk '$1 == "Nodes" { print $2; exit } NR == 1 && $1 != "#" && NF > 2 { print NF == 6 ? $1 - $3 - $4 : $1 - $2; exit }' "$file")
    [ "$("$weft" query "clos$count" "select count(distinct src) from flows where delivered_us > posted_us" --format csv | tail -1)" = "$hosts" ] ||
        fail "$file: not a flow from each of $hosts hosts"
done
[ "$count" -ge 11 ] || fail "not eleven Clos fabrics in $WEFT_INPUTS"
# HPCC's flows on HPCC's topologies: all of them arrive, each from and to the hosts of these ids, and not
# before its start.
for file in hpcc-topology hpcc-fat; do
    cat >$file.xml <<END
<scenario name="$file">
  <topology kind="graph" file="$WEFT_INPUTS/$file.txt"/><switch preset="100g" buffer="64MB"/>
  <transport name="ideal"/><balancer name="ecmp"/><workload kind="flows" file="$WEFT_INPUTS/hpcc-flow.txt"/>
</scenario>
END
    "$weft" run $file.xml --no-figures --out $file >out 2>messages || fail "$file: exit status $?"
    "$weft" query $file "
        select s.name, d.name, bytes, printf('%.6f', posted_us * 1e-6) from flows
            join nodes s on s.kind = 'host' and s.number = src
            join nodes d on d.kind = 'host' and d.number = dst
        where delivered_us > posted_us order by message" --format csv | sed '1d;s/,/ /g' >found
    awk 'NR == 1 { n = $1 } NR > 1 && NR <= n + 1 { printf "%s %s %s %.6f\n", $1, $2, $5, $6 }' \
        "$WEFT_INPUTS/hpcc-flow.txt" | cmp - found || fail "$file: other flows than those of the file"
done
[ "$count" -ge 4 ] || fail "not four topologies in $WEFT_INPUTS"

# SimAI's servers: all messages of a collective arrive, and no rank sends faster than its slowest wire lets it.
# bounds_of FILE: "KIND MESSAGES BUSBW" for each collective. A ring passes servers by NIC, and each GPU sends
# 2(n-1)/n of the bytes. The other one has n GPUs in s servers of g: each sends (g-1)/g of the bytes to its
# server, 2(s-1)/s of 1/g to its rail when these have arrived, and then (g-1)/g to its server again.
bounds_of()
{
    awk 'NR == 1 { g = $2; switches = $3 + $4; n = $1 - switches; nvswitches = $3; next }
        NR == 2 { for (i = 1; i <= switches; i++) kind[$i] = i <= nvswitches ? "nvswitch" : "switch"; next }
        kind[$1] == "" { wires[$1 " " (kind[$2] == "nvswitch")] += $3 }
        END { for (i in wires) {
                  split(i, wire, " ")
                  if (!least[wire[2]] || wires[i] < least[wire[2]]) least[wire[2]] = wires[i] }
              s = n / g
              print "allreduce-ring", n * 2 * (n - 1), least[0]
              print "allreduce-hierarchical", n * 2 * (g - 1 + s - 1),
                  2 * (n - 1) / n / (2 * (g - 1) / g / least[1] + 2 * (s - 1) / s / g / least[0]) }' "$1"
}
count=0
for file in "$WEFT_INPUTS"/simai/*_H100; do
    bounds_of "$file" >bounds
    while read -r kind messages most; do
        count=$((count + 1))
        name=simai$count
        cat >servers.xml <<END
<scenario name="$name">
  <topology kind="graph" file="$file"/><switch preset="400g"/>
  <transport name="ideal"/><balancer name="rsq"/><workload kind="$kind" bytes="4MB"/>
</scenario>
END
        "$weft" run servers.xml --no-figures --out "$name" >out 2>messages || fail "$file: exit status $?"
        case $file:$kind in
            */Spectrum-X*:allreduce-ring) least=0.8 ;;
            *) least=0 ;;
        esac
        awk -F , -v messages="$messages" -v most="$most" -v least="$least" '
            NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next }
            { printf "%d of %d messages; %.1f of at most %.1f Gb/s\n", $c["fct_messages"], messages,
                  $c["busbw_gbps"], most
              exit !($c["messages"] == messages && $c["fct_messages"] == messages &&
                     $c["fct_undelivered"] == 0 && $c["busbw_gbps"] + 0 > least * most &&
                     $c["busbw_gbps"] + 0 <= most) }' "$name/summary.csv" || fail "$kind on $file"
    done <bounds
done
[ "$count" = 8 ] || fail "not two collectives on four of SimAI's topologies in $WEFT_INPUTS"
echo "public files run as they are"

# GOAL traces: each runs whole, and a binary has the times of its text.
cp "$WEFT_INPUTS"/goal/* .
for file in three-ranks.goal three-ranks.bin step-tp2-pp4-dp2.goal step-tp2-pp4-dp2.bin; do
    name=${file%.*}
    run "trace-${file##*.}" "kind=\"trace\" file=\"$file\""
    "$weft" query "trace-${file##*.}" 'select * from ranks' >"$name.${file##*.}.ranks"
    "$weft" query "trace-${file##*.}" 'select * from flows' >"$name.${file##*.}.flows"
    rm -rf "trace-${file##*.}"
done
for name in three-ranks step-tp2-pp4-dp2; do
    for table in ranks flows; do
        cmp $name.goal.$table $name.bin.$table || fail "$name: a binary has other times than its text"
    done
done
run trace-xz 'kind="trace" file="step-tp8-pp4-dp4.bin.xz"'
"$weft" query trace-xz 'select count(*) from ranks where end_us > 0 and operations > 0' | tail -n 1 |
    grep -qx ' *128' || fail 'step-tp8-pp4-dp4: not all of 128 ranks came to their end'
