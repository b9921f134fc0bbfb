# SPDX-License-Identifier: GPL-2.0-only
# Usage: awk -f edit.awk DIFF... FILE
# Prints FILE with the changes of the page's blocks of diff. Each hunk (@@) must fit one place of the file.
FNR == 1 {
    nfiles++
    hunk += FILENAME != ARGV[ARGC - 1]
}

FILENAME == ARGV[ARGC - 1] {
    text = text $0 "\n"
    next
}

/^@@/ {
    hunk++
    next
}

{
    rest = substr($0, 2) "\n"
    if (!/^\+/) old[hunk] = old[hunk] rest
    if (!/^-/) new[hunk] = new[hunk] rest
}

END {
    for (i = 1; i <= hunk; i++) {
        if (old[i] == "" && new[i] == "") continue
        at = index("\n" text, "\n" old[i])
        if (old[i] == "" || !at || index(substr("\n" text, at + 1), "\n" old[i])) {
            printf "this fits no place or several:\n%s", old[i] >"/dev/stderr"
            exit 1
        }
        text = substr(text, 1, at - 1) new[i] substr(text, at + length(old[i]))
    }
    printf "%s", text
}
