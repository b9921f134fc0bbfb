#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A reader would find a table whose rows break off, or a link to a page or heading that is not there.
set -eu
export LC_ALL=C
here=$(dirname -- "$(readlink -f -- "$0")")
cd "$here/../.."

status=0
awk -f "$here/pages.awk" README.md bench/README.md examples/astra-sim/README.md docs/*.md docs/papers/*.md || status=1

# A paper's page says each thing in a few words: the first table is a screenful, and no cell has a table in it.
# shellcheck disable=SC2016 # the program is awk's
brief='
    FNR == 1 { keys = 0 }
    !/^\|/ { claims = 0 }
    /^\| \| what is claimed/ { claims = 1 }
    {
        row = $0
        gsub(/\\\|/, "/", row)
        n = split(row, cell, "|")
    }
    claims && n == 8 && !/^\|-/ && !/what is claimed/ {
        if (cell[2] ~ /\[/ && ++keys == 13) print FILENAME ": more than twelve key claims"
        for (c = 4; c <= 5; c++)
            if (numbers(cell[c]) > 3) print FILENAME ":" FNR ": more than three numbers:" cell[c]
        if (split(cell[7], words, " ") > 8) print FILENAME ":" FNR ": more than eight words:" cell[7]
    }
    # What stands before a colon is a label, what stands in a link its target.
    function numbers(text)
    {
        gsub(/\]\([^)]*\)/, "", text)
        gsub(/(^|<br>)[^<]*: /, " ", text)
        gsub(/[0-9],[0-9][0-9][0-9]/, "0", text)
        return gsub(/(^|[^A-Za-z0-9._-])-?[0-9]+(\.[0-9]+)?/, "", text)
    }'
found=$(awk "$brief" docs/papers/*.md)
[ -z "$found" ] || {
    echo "$found"
    status=1
}

# docs/generate.sh counts the verdicts of the papers that validation.md lists.
for page in docs/papers/*.md; do
    grep -q "^\* .*](papers/${page##*/})" docs/validation.md || {
        echo "$page: validation.md does not list this page"
        status=1
    }
done

# A long page has its contents: docs/generate.sh makes the list.
for page in docs/*.md; do
    [ "$(wc -l <"$page")" -lt 150 ] || [ "$page" = docs/performance.md ] ||
        grep -qE '^(<!-- begin: contents -->|## Contents)$' "$page" || {
        echo "$page: this long page has no contents"
        status=1
    }
done
[ "$(grep -c '^| .*? |' docs/how-do-i.md)" -ge 25 ] || {
    echo 'docs/how-do-i.md answers fewer than 25 questions'
    status=1
}

# The check itself finds what it is for, and nothing in what is right.
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
cat >wrong.md <<'END'
# One page
| a | b |
|---|---|
| by | a bare one | too many |
| too few |
[a file](gone.md), [a heading](#another-page), [elsewhere](right.md#one-page)
END
cat >right.md <<'END'
# Another `page`, (with_signs)
| a | b |
|---|---|
| an escaped \| | `\|` |
[a heading](#another-page-with_signs), [the other](wrong.md#one-page), `[no](link.md)`, [web](https://x.org/#y)
```
| not | a | table
|---|
```
END
awk -f "$here/pages.awk" wrong.md right.md >found || true
cut -d : -f 1,2 found | sort >lines
printf 'wrong.md:%s\n' 4 5 6 6 6 | cmp - lines || {
    echo "pages.awk finds in the wrong page:"
    cat found
    status=1
}
exit $status
