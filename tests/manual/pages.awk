# SPDX-License-Identifier: GPL-2.0-only
# Usage: awk -f pages.awk PAGE...
# Every row of a table has as many cells as its header (a bare | in a text makes one too many, and the
# row loses its end), and every relative link leads to a file, and in a page to a heading, that is there.
FNR == 1 {
    pages[FILENAME]
    fence = columns = 0
}

/^ *```/ {
    fence = !fence
    columns = 0
    next
}

fence {
    next
}

/^ *\|/ {
    n = cells($0)
    if (!columns) columns = n
    if (n != columns) fail(n " cells under a header of " columns ": " $0)
}

!/^ *\|/ {
    columns = 0
}

/^#+ / {
    headings[FILENAME, anchor($0)]
}

match($0, /<a id="[^"]*"/) {
    headings[FILENAME, substr($0, RSTART + 7, RLENGTH - 8)]
}

{
    text = $0
    gsub(/`[^`]*`/, "", text)
    while (match(text, /\]\([^) ]*\)/)) {
        links[FILENAME, FNR, substr(text, RSTART + 2, RLENGTH - 3)]
        text = substr(text, RSTART + RLENGTH)
    }
}

END {
    for (link in links) {
        split(link, part, SUBSEP)
        check(part[1], part[2], part[3])
    }
    exit failed
}

function cells(row)
{
    gsub(/\\\|/, "", row)
    sub(/^ *\|/, "", row)
    sub(/\| *$/, "", row)
    return gsub(/\|/, "", row) + 1
}

# What a heading is called in a link: small letters, digits, - for spaces, nothing for the rest.
function anchor(heading)
{
    sub(/^#+ */, "", heading)
    heading = tolower(heading)
    gsub(/[][!-,.\/:-@\\^`{-~]/, "", heading)
    gsub(/§/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}

function check(page, line, target,    folder, name, place)
{
    if (target ~ /^[a-z]+:/) return
    folder = page ~ /\// ? page : ""
    sub(/[^\/]*$/, "", folder)
    name = target
    sub(/#.*/, "", name)
    name = name == "" ? page : folder name
    while (sub(/[^\/]+\/\.\.\//, "", name)) continue
    place = target ~ /#/ ? substr(target, index(target, "#") + 1) : ""
    if (system("test -e '" name "'") != 0) {
        fail("the link to " target " leads nowhere", page, line)
    } else if (place != "" && name in pages && !((name, place) in headings)) {
        fail("the link to " target ": there is no such heading", page, line)
    }
}

function fail(what, page, line)
{
    print (page ? page ":" line : FILENAME ":" FNR) ": " what
    failed = 1
}
