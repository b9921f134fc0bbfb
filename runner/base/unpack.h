/* SPDX-License-Identifier: GPL-2.0-only */
/** @file unpack.h  Files that are compressed by xz or gzip. */
#ifndef WEFT_RUNNER_UNPACK_H
#define WEFT_RUNNER_UNPACK_H

#include <stdbool.h>
#include <stddef.h>

/** Whether bytes are those of a file that xz or gzip has compressed. */
bool is_packed(const char *bytes, size_t n);

/** Returns what was compressed, at most @p most bytes, and a NUL behind them; the caller frees it.
 * NULL: the file is damaged, or there are more; *why says so, and the caller frees it. */
char *unpack(const char *bytes, size_t n, size_t most, size_t *size, char **why);

#endif
