#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Usage: same-results.sh WEFT-RUNNER FOLDER FOLDER
# Whether two results folders hold the same files, and databases with the same rows. What tells when and
# where a run was made may differ.
set -eu
export LC_ALL=C

diff -r -x '*.sqlite' -x .lock "$2" "$3"
rm -rf "$2.same" "$3.same"
"$1" export "$2"/runs/*.sqlite --to "$2.same"
"$1" export "$3"/runs/*.sqlite --to "$3.same"
diff -r -x provenance.txt "$2.same" "$3.same"
rm -rf "$2.same" "$3.same"

# One query finds what is in one database and not in the other; row numbers keep rows in their order.
differ()
{
    printf "select '%s' as differ where exists (%s from main.%s except %s from there.%s)" "$1" "$2" "$3" "$2" "$3"
    printf " or exists (%s from there.%s except %s from main.%s)\n" "$2" "$3" "$2" "$3"
}

tables=$("$1" query "$2" --format csv "select name from sqlite_master where type = 'table' and name <> 'provenance'")
query=$(differ 'their tables' 'select name, sql' sqlite_master)
for table in $(printf '%s\n' "$tables" | tail -n +2); do
    query="$query union all $(differ "rows of $table" 'select rowid, *' "\"$table\"")"
done
found=$("$1" query "$2" --with "there=$3" --format csv "$query")
[ "$found" = differ ] || { echo "the databases are not the same: $found" && exit 1; }
