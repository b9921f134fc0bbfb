/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file files.h  Files that are whole or not there: written beside, flushed to disk, renamed.
 * Within a folder no symbolic link is ever followed: what it leads to is not Weft's.
 */
#ifndef WEFT_RUNNER_FILES_H
#define WEFT_RUNNER_FILES_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "file-read.h"

/** An open folder. What replaces or moves it meanwhile changes nothing for those who hold it. */
struct folder
{
    int fd;     /**< -1: not open */
    char *path; /**< for messages; NULL: not open */
};

#define NO_FOLDER ((struct folder){-1, NULL})

/** Functions that return bool or a pointer return true, or false or NULL with a sentence in *why
 * (the caller frees it). */

/** Makes a folder and those above it. */
bool folder_make(const char *path, char **why);
/** Opens a folder that a user has named: links are followed. */
bool folder_open(struct folder *f, const char *path, char **why);
/** Opens a folder within another one; a link is an error. @p f is not open after a failure. */
bool folder_open_in(struct folder *f, const struct folder *in, const char *name, char **why);
/** Opens a folder in a folder; makes it if it is not there. */
bool folder_make_in(struct folder *f, const struct folder *in, const char *name, char **why);
void folder_close(struct folder *f);
/** Flushes a folder's entries to disk. */
bool folder_flush(const struct folder *f, char **why);
/** The folder's entries, from the start; NULL with errno. The caller closes it. */
DIR *folder_list(const struct folder *f);
/** For CLEANUP(), of what is open or not. */
void list_drop(DIR **list);
void fd_drop(const int *fd);
/** Removes what killed processes left of file_replace() or file_begin(); nobody else may be writing
 * there. */
void folder_forget_temporary(const struct folder *f);

/** Writes a file that is not there yet, and flushes it to disk. */
bool file_create(const struct folder *f, const char *name, const char *bytes, size_t n, char **why);
/** Writes a file by way of a temporary one: an existing file is replaced at once or not at all. A
 * link is replaced, and what it leads to is left alone. @p folder may be one. */
bool file_replace(const char *folder, const char *name, const char *bytes, size_t n, char **why);
/** A file that is to be written. */
struct file_bytes
{
    const char *name;
    const char *bytes;
    size_t n;
};

/** Writes files that belong together: none is replaced before all are written. */
bool files_replace(const char *folder, const struct file_bytes *files, size_t n, char **why);

/** A file that somebody writes; false with errno if he could not. */
struct file_writer
{
    const char *name;
    bool (*write)(FILE *file, const void *user);
    const void *user;
};

/** Writes one as file_create(). */
bool file_write(const struct folder *f, const struct file_writer *file, char **why);
/** Writes some as files_replace(). */
bool files_write(const struct folder *f, const struct file_writer *files, size_t n, char **why);

/** Makes an empty file in the folder under a name that is no other's, for somebody to write; the
 * name, which the caller frees, or NULL with a sentence. file_place() or file_drop() ends it,
 * before another one is begun. */
char *file_begin(const struct folder *f, const char *name, char **why);
/** Flushes it to disk and renames it to @p name; after a failure it is gone. */
bool file_place(const struct folder *f, const char *temporary, const char *name, char **why);
void file_drop(const struct folder *f, const char *temporary);

/** Opens a plain file for reading; -1 with a sentence. */
int file_open(const struct folder *f, const char *name, char **why);
/** All bytes of a plain file, and a NUL behind them; the caller frees them. @p n may be NULL. */
char *file_read(const struct folder *f, const char *name, size_t *n, char **why);
/** Whether something of that name is in the folder, whatever it is. */
bool file_is_there(const struct folder *f, const char *name);
/** Whether the file holds exactly these bytes. */
bool file_equals(const struct folder *f, const char *name, const char *bytes, size_t n);

/** A folder of the checkout: in this folder, or in that above the one of this program. NULL: it is
 * in neither. The caller frees it. */
char *checkout_path(const char *name);

#endif
