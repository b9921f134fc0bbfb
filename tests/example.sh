#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# example.sh PROGRAM FILE: the program ends well and prints what stands in the file.
set -eu
output=$(mktemp)
trap 'rm -f "$output"' EXIT
"$1" >"$output" || {
    status=$?
    cat "$output"
    printf '%s: exit status %s\n' "$1" "$status"
    exit 1
}
diff -u "$2" "$output"
