/* SPDX-License-Identifier: GPL-2.0-only */
#include "results-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sql-file.h"
#include "textbuf.h"

#define MARK   ".weft-results"
#define LOCK   ".lock"
#define RUNS   "runs"
#define FORMAT 2

static const char mark_text[] =
    "weft results 2\n"
    "This folder holds results of Weft, which replaces and removes files in it. Weft writes to no\n"
    "other folder that is not empty.\n";

enum content
{
    CONTENT_NONE,
    CONTENT_OURS,
    CONTENT_OTHER,
};

/** Returns what a folder holds. The mark is made first, but a listing may miss what appears
 * meanwhile. */
static enum content
content_of(const char *path)
{
    enum content found = CONTENT_NONE;
    for (int attempt = 0; attempt < 3 && found != CONTENT_OURS; attempt++)
    {
        CLEANUP(list_drop) DIR *dir = opendir(path);
        found = CONTENT_NONE;
        for (struct dirent *e; dir && found != CONTENT_OURS && (e = readdir(dir)) != NULL;)
        {
            bool dots = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
            found = strcmp(e->d_name, MARK) == 0 ? CONTENT_OURS : dots ? found : CONTENT_OTHER;
        }
    }
    return found;
}

/** The mark's text; NULL with a sentence. An empty one may be in the hands of who writes it. */
static char *
read_mark(const struct folder *top, char **why)
{
    const struct timespec moment = {0, 10000000};
    char *text = file_read(top, MARK, NULL, why);
    for (int attempt = 0; text && !*text && attempt < 50; attempt++)
    {
        nanosleep(&moment, NULL);
        free(text);
        text = file_read(top, MARK, NULL, why);
    }
    return text;
}

/** Whether the mark is one that this version understands. */
static bool
check_mark(const struct folder *top, char **why)
{
    int format = 0;
    OWNED char *text = read_mark(top, why);
    bool good = text && sscanf(text, "weft results %d\n", &format) == 1 && format == FORMAT;
    if (format == 1)
    {
        *why =
            xformat("%s has results of an earlier Weft (a folder for each run); expected another "
                    "folder with --out, or these moved away",
                    top->path);
    }
    else if (text && !good)
    {
        *why = xformat("%s/" MARK " is not a mark that this version of Weft knows; expected "
                       "'weft results %d' in its first line",
                       top->path, FORMAT);
    }
    return good;
}

/** Whether what stands at the place of runs/ is a folder, or nothing. */
static bool
check_runs(const struct folder *top, char **why)
{
    struct stat st;
    if (fstatat(top->fd, RUNS, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISDIR(st.st_mode))
    {
        return true;
    }
    *why = xformat("%s/" RUNS " is %s; expected a folder, as Weft follows no links within a "
                   "results folder (which may be one itself)",
                   top->path, S_ISLNK(st.st_mode) ? "a symbolic link" : "a file");
    return false;
}

bool
results_folder_is_ours(const char *out, char **why)
{
    struct folder top;
    char *absent = NULL;
    if (!folder_open(&top, out, &absent))
    {
        free(absent); /* results_folder_make() says what stands in the way */
        return true;
    }
    const enum content found = content_of(out);
    if (found == CONTENT_OTHER)
    {
        *why = xformat("%s is not empty and has no " MARK ", so it is not known to be a results "
                       "folder and nothing is written there; expected one, an empty or a new "
                       "folder. Results of an earlier Weft have no such file: move them away",
                       out);
    }
    const bool good = found == CONTENT_NONE ||
                      (found == CONTENT_OURS && check_mark(&top, why) && check_runs(&top, why));
    folder_close(&top);
    return good;
}

void
results_folder_open(struct results_folder *r, const char *out)
{
    OWNED char *why = NULL, *also = NULL;
    r->runs = NO_FOLDER;
    if (folder_open(&r->top, out, &why))
    {
        folder_open_in(&r->runs, &r->top, RUNS, &also);
    }
}

static bool
is_marked(const struct folder *top)
{
    struct stat st;
    return fstatat(top->fd, MARK, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

/** Another process may be first. */
static bool
mark(const struct folder *top, char **why)
{
    char *said = NULL;
    const bool good = is_marked(top) ||
                      file_create(top, MARK, mark_text, strlen(mark_text), &said) || is_marked(top);
    *why = good ? *why : said;
    if (good)
    {
        free(said);
    }
    return good;
}

bool
results_folder_make(struct results_folder *r, const char *out, char **why)
{
    r->top = r->runs = NO_FOLDER;
    return folder_make(out, why) && folder_open(&r->top, out, why) && mark(&r->top, why) &&
           folder_make_in(&r->runs, &r->top, RUNS, why);
}

void
results_folder_close(struct results_folder *r)
{
    folder_close(&r->runs);
    folder_close(&r->top);
}

bool
results_file_is_whole(const char *out, const char *file, double deadline, char **why)
{
    CLEANUP(folder_close) struct folder top = NO_FOLDER;
    OWNED char *said = NULL;
    uint64_t size;
    const bool ours = folder_open(&top, out, &said) && is_marked(&top);
    const bool today = top.fd >= 0 && (!ours || check_mark(&top, &said));
    const enum sql_file_state state =
        today ? sql_file_look(&top, file, deadline, &size, &said) : SQL_FILE_UNREADABLE;
    if (!today || state == SQL_FILE_TOO_LARGE)
    {
        *why = said;
        said = NULL;
    }
    else if (state != SQL_FILE_WHOLE)
    {
        *why = ours ? xformat("%s/%s cannot be used: %s; 'weft run --collect %s' makes it again",
                              out, file, said, out)
                    : xformat("%s/%s cannot be used: %s; expected a folder of results", out, file,
                              said);
    }
    return state == SQL_FILE_WHOLE;
}

/** Opens a file of the folder to lock it; @p make: O_CREAT, or 0. Writing is needed for a lock to
 * hold on other machines' NFS as well. */
static int
open_lock(const struct folder *top, const char *name, int make, char **why)
{
    int fd = openat(top->fd, name, O_RDWR | make | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
    {
        *why = xformat("cannot write %s/%s: %s", top->path, name,
                       errno == ELOOP ? "it is a symbolic link" : strerror(errno));
    }
    return fd;
}

int
results_folder_lock_runs(const struct results_folder *r, bool shared, char **why)
{
    int fd = open_lock(&r->top, LOCK, O_CREAT, why);
    if (fd >= 0 && flock(fd, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0)
    {
        *why =
            errno == EWOULDBLOCK
                ? xformat("another weft works in %s (it holds %s/" LOCK "); expected it to end "
                          "first, or another folder with --out ('weft run --collect' makes a table "
                          "of what is finished)",
                          r->top.path, r->top.path)
                : xformat("cannot lock %s/" LOCK ": %s", r->top.path, strerror(errno));
        close(fd);
        fd = -1;
    }
    return fd;
}

int
results_folder_lock_tables(const char *out, char **why)
{
    struct folder top;
    int fd = -1;
    if (folder_open(&top, out, why))
    {
        bool marked = is_marked(&top);
        *why = marked ? NULL
                      : xformat("%s has no " MARK "; expected the folder that 'weft run' has made",
                                out);
        fd = marked ? open_lock(&top, MARK, 0, why) : -1;
    }
    while (fd >= 0 && flock(fd, LOCK_EX) != 0)
    {
        if (errno != EINTR)
        {
            *why = xformat("cannot lock %s/" MARK ": %s", out, strerror(errno));
            close(fd);
            fd = -1;
        }
    }
    if (fd >= 0)
    {
        folder_forget_temporary(&top);
    }
    folder_close(&top);
    return fd;
}
