#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# circles.sh MOST FLOORS OBJECT...: no more than MOST of these object files need each other in a circle, as the linker
# sees it; and no room needs what lies above it, or beside it: a node does not know of threads, nor a claim of figures.
# FLOORS: all rooms from below, "base topo,cc node".
set -eu
export LC_ALL=C
usage='usage: circles.sh MOST FLOORS OBJECT...'
most=${1:?$usage} floors=${2:?$usage}
shift 2
arrows=$(mktemp)
trap 'rm -f "$arrows"' EXIT

# "ROOM/FILE defines SYMBOL" and "ROOM/FILE needs SYMBOL".
symbols()
{
    nm -A "$@" | sed 's/:/ /' | awk '
        # What lies in no room of its target is in one that is called after it.
        function folder(name) { sub(/^weft-/, "", name); sub(/\.dir$/, "", name); return name }
        function name(object,    n, part) {
            n = split(object, part, "/")
            sub(/\.c*\.o$/, "", part[n])
            return folder(part[n - 1] == "." ? part[n - 2] : part[n - 1]) "/" part[n]
        }
        NF == 4 && $3 ~ /^[TDRBVW]$/ { print name($1), "defines", $4 }
        NF == 3 && $2 == "U" { print name($1), "needs", $3 }'
}

# "FILE FILE SYMBOL": the first one needs a symbol of the second one.
symbols "$@" | awk '
    $2 == "defines" { of[$3] = $1 }
    $2 == "needs" { needs[$1 " " $3] = 1 }
    END {
        for (pair in needs) {
            split(pair, p, " ")
            if (p[2] in of && of[p[2]] != p[1]) print p[1], of[p[2]], p[2]
        }
    }' | sort >"$arrows"
[ -s "$arrows" ] || { echo "circles: no object needs another one" >&2; exit 1; }

awk -v most="$most" -v floors="$floors" '
    function room(file) { sub(/\/.*/, "", file); return file }
    BEGIN {
        n = split(floors, floor, " ")
        for (i = 1; i <= n; i++) { k = split(floor[i], rooms, ","); while (k > 0) level[rooms[k--]] = i }
    }
    {
        needs[$1] = needs[$1] " " $2
        file[$1]; file[$2]
        up = room($1) != room($2) && level[room($2)] >= level[room($1)]
        if (up) { print $1 " needs " $3 " of " $2 ", which does not lie below it"; bad = 1 }
    }
    # Sets seen[] to all that a file reaches.
    function reach(from,    todo, n, next_ones, i, k) {
        split("", seen); todo[n = 1] = from
        while (n > 0) {
            k = split(needs[todo[n--]], next_ones, " ")
            for (i = 1; i <= k; i++) if (!(next_ones[i] in seen)) { seen[next_ones[i]]; todo[++n] = next_ones[i] }
        }
    }
    END {
        for (f in file) if (!level[room(f)]) { print f ": its room is on no floor"; bad = 1 }
        for (f in file) { reach(f); for (g in seen) reaches[f, g] }
        for (f in file) {
            n = 0; members = ""
            for (g in file) if ((f, g) in reaches && (g, f) in reaches) { n++; members = members " " g }
            if (n > most && !(members in told)) { told[members]; print n " files need each other:" members; bad = 1 }
            if (n > largest) largest = n
        }
        print "largest circle: " largest + 0 " files"
        exit bad
    }' "$arrows"
