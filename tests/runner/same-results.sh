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
rows()
{
    "$weft" query "$1" --format csv "$2"
}

weft=$1
tables="select name from sqlite_master where type = 'table' and name <> 'provenance' order by name"
here=$(rows "$2" "$tables")
there=$(rows "$3" "$tables")
[ "$here" = "$there" ] || { echo "the databases have other tables" && exit 1; }
for table in $(rows "$2" "$tables" | tail -n +2); do
    a=$(rows "$2" "select * from \"$table\"" | cksum)
    b=$(rows "$3" "select * from \"$table\"" | cksum)
    [ "$a" = "$b" ] || { echo "the databases have other rows in $table" && exit 1; }
done
