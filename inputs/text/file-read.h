/* SPDX-License-Identifier: GPL-2.0-only */
/** @file file-read.h  Files that are read whole. */
#ifndef WEFT_INPUTS_FILE_READ_H
#define WEFT_INPUTS_FILE_READ_H

#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Flags of open(): opening a pipe would wait for its writer. */
#define FILE_READING (O_RDONLY | O_NONBLOCK | O_CLOEXEC)

    /** Closes a file that is not a plain one, with a sentence in *why, which the caller frees.
     * Returns @p fd, or -1. */
    int file_only_plain(int fd, const char *path, char **why);

    /** All bytes of a file that is then closed, and a NUL behind them; the caller frees them. More
     * than @p most are an error: NULL with a sentence. @p path: for messages; @p n may be NULL. */
    char *file_read_open(int fd, const char *path, size_t most, size_t *n, char **why);

    /** Reads a file that a user has named in the same way: links are followed. */
    char *file_read_path(const char *path, size_t most, size_t *n, char **why);

#ifdef __cplusplus
}
#endif
#endif
