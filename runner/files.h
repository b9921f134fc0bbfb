/* SPDX-License-Identifier: GPL-2.0-only */
/** @file files.h  Files that are whole or not there: written beside, flushed to disk, renamed. */
#ifndef WEFT_RUNNER_FILES_H
#define WEFT_RUNNER_FILES_H

#include <stdbool.h>
#include <stddef.h>

/** All of these return true, or false with a sentence in *why (the caller frees it). */

/** Writes folder/name and flushes it to disk. */
bool file_write(const char *folder, const char *name, const char *bytes, size_t n, char **why);
/** The same by way of a temporary file: an existing file is replaced at once or not at all. */
bool file_replace(const char *folder, const char *name, const char *bytes, size_t n, char **why);

/** A file that is to be written. */
struct file_bytes
{
    const char *name;
    const char *bytes;
    size_t n;
};

/** The same for files that belong together: none is replaced before all are written. */
bool files_replace(const char *folder, const struct file_bytes *files, size_t n, char **why);
/** Makes a folder and those above it. */
bool folder_make(const char *path, char **why);
/** Flushes a folder's entries to disk. */
bool folder_sync(const char *path, char **why);
/** Removes a folder of plain files. */
bool folder_remove(const char *path, char **why);
/** Removes the plain files in a folder. */
bool folder_empty(const char *path, char **why);

/** Removes what a killed process left of file_replace(). */
void folder_forget_temporary(const char *path);

/** Whether the file holds exactly these bytes. */
bool file_equals(const char *folder, const char *name, const char *bytes, size_t n);

#endif
