/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file file-list.h  The list of a run's files, at the end of its provenance.txt: a line each as
 * cksum prints it (checksum, bytes, name), and a last one of the lines above, so that a list that
 * was cut is found as well.
 */
#ifndef WEFT_RUNNER_FILE_LIST_H
#define WEFT_RUNNER_FILE_LIST_H

#include "files.h"
#include "textbuf.h"

/** The file that ends in the list. */
#define FILE_LIST_FILE "provenance.txt"

/** Adds a file's line. */
void file_list_add(struct text *list, const char *name, const char *bytes, size_t n);

/** The bytes of provenance.txt: what it says, then the list; the caller frees them. */
char *file_list_end(const char *provenance, const struct text *list);

/** Whether all files are as the list of that folder says; else false with what is not in *why. */
bool file_list_check(const struct folder *run, char **why);

/** The bytes of one file, and a NUL behind them, if they are those that the list says; the caller
 * frees them. Else NULL with a sentence. */
char *file_list_read(const struct folder *run, const char *name, char **why);

#endif
