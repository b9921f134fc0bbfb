/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file file-list.h  Lists of files: of a run's, at the end of its provenance.txt, and of a results
 * folder's tables, tables.txt. A line each as cksum prints it (checksum, bytes, name), and a last
 * one of the lines above, so that a list that was cut is found as well.
 */
#ifndef WEFT_RUNNER_FILE_LIST_H
#define WEFT_RUNNER_FILE_LIST_H

#include "files.h"
#include "textbuf.h"

/** The file of a run that ends in the list. */
#define FILE_LIST_FILE "provenance.txt"

/** The file of a results folder that lists its tables. */
#define TABLE_LIST_FILE "tables.txt"
/** What it says before the list. */
#define TABLE_LIST_HEADING "weft tables 1\n"

/** Adds a file's line. */
void file_list_add(struct text *list, const char *name, const char *bytes, size_t n);

/** The same for a file that is there, as @p file. False with a sentence if it cannot be read. */
bool file_list_add_file(struct text *list, const char *name, const struct folder *folder,
                        const char *file, char **why);

/** The bytes of a file that ends in a list: what it says before, whole lines, then the list; the
 * caller frees them. */
char *file_list_end(const char *before, const struct text *list);

/** Whether all files of a run are as its list says; else false with what is not in *why. */
bool file_list_check(const struct folder *run, char **why);

/** Whether one file is as file @p list says; else false with a sentence. */
bool file_list_check_file(const struct folder *folder, const char *list, const char *name,
                          char **why);

#endif
