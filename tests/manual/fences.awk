# SPDX-License-Identifier: GPL-2.0-only
# Usage: awk -v out=FOLDER -f fences.awk PAGE...
# Writes the text of each fenced block of the pages to FOLDER/N, N counting from 1, and prints a line
# for each: N, the page and line where its text begins, its language ("console" if it has none), and what
# stands behind that, such as the file that the block is.
FNR == 1 && open {
    unclosed()
}

/^ *```/ && !open {
    open = 1
    info = $0
    sub(/^ *```/, "", info)
    if (split(info, words, " ") == 0) words[1] = "console"
    file = out "/" ++count
    printf "" >file
    print count, FILENAME, FNR + 1, words[1], words[2]
    last = FILENAME ":" FNR
    next
}

/^ *``` *$/ {
    open = 0
    close(file)
    next
}

open {
    print >file
}

END {
    if (open && !failed) unclosed()
}

function unclosed()
{
    print last ": this block has no end" >"/dev/stderr"
    failed = 1
    exit 1
}
