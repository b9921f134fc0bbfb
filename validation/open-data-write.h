/* SPDX-License-Identifier: GPL-2.0-only */
/** @file open-data-write.h  Writing files of open data, which open-data.h reads. */
#ifndef WEFT_VALIDATION_OPEN_DATA_WRITE_H
#define WEFT_VALIDATION_OPEN_DATA_WRITE_H

#include <stdbool.h>
#include <stddef.h>

/** Writes an SQLite file: the same bytes for the same @p bytes and version of zlib. *size: of the
 * file. False with a sentence in *why; what is there and is not open data stays. */
bool open_data_write(const char *folder, const char *name, unsigned char *bytes, size_t n,
                     size_t *size, char **why);

#endif
