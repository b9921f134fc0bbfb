/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-file.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "textbuf.h"

#define TEMPORARY ".tmp-"
#define ASIDE     "unfinished"
#define PAGE      1024 /* bytes: a small run is to be a small file */

/** Whether a run may replace what has that name: nothing, or a plain file. */
static bool
may_replace(const struct folder *in, const char *name, char **why)
{
    struct stat st;
    const bool good = fstatat(in->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || S_ISREG(st.st_mode);
    if (!good)
    {
        *why =
            xformat("%s/%s is %s; expected a file that a run has made, or nothing", in->path, name,
                    S_ISLNK(st.st_mode)   ? "a symbolic link"
                    : S_ISDIR(st.st_mode) ? "a folder"
                                          : "no plain file");
    }
    return good;
}

/** Returns the length of the path of the folder that holds a folder, its last slash included. */
static int
parent_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/** Opens the folder of what was set aside, beside that of the runs. If it is not there it is made,
 * or, without @p make, is not open. */
static bool
open_aside(const struct folder *runs, struct folder *aside, bool make, char **why)
{
    struct folder top;
    bool good = folder_open_in(&top, runs, "..", why);
    *aside = NO_FOLDER;
    if (good)
    {
        free(top.path);
        top.path = xformat("%.*s", parent_length(runs->path) - 1, runs->path);
        good = make ? folder_make_in(aside, &top, ASIDE, why)
                    : !file_is_there(&top, ASIDE) || folder_open_in(aside, &top, ASIDE, why);
    }
    folder_close(&top);
    return good;
}

char *
run_file_name(const char *name)
{
    return xformat("%s.sqlite", name);
}

bool
run_file_may_be_made(const struct folder *runs, const char *name, char **why)
{
    OWNED char *file = run_file_name(name), *temporary = xformat(TEMPORARY "%s", file);
    CLEANUP(folder_close) struct folder aside = NO_FOLDER;
    return may_replace(runs, file, why) && may_replace(runs, temporary, why) &&
           open_aside(runs, &aside, false, why) && (aside.fd < 0 || may_replace(&aside, file, why));
}

/** Opens and locks a temporary file; @p make: O_CREAT | O_EXCL, or 0. The lock, or -1 with errno:
 * EWOULDBLOCK if another process holds it, or ESTALE if the file was renamed before it was ours. */
static int
lock_file(const struct folder *runs, const char *name, int make)
{
    struct stat open_file, named;
    const int fd = openat(runs->fd, name, O_RDWR | make | O_NOFOLLOW | O_CLOEXEC, 0666);
    int error = fd < 0 ? errno : flock(fd, LOCK_EX | LOCK_NB) != 0 ? errno : 0;
    if (!error &&
        !(fstat(fd, &open_file) == 0 && fstatat(runs->fd, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
          open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev))
    {
        error = ESTALE;
    }
    if (error && fd >= 0)
    {
        close(fd);
    }
    errno = error;
    return error ? -1 : fd;
}

/** Removes a temporary file; false with errno as lock_file(), if a process is at it as well. */
static bool
clean(const struct folder *runs, const char *temporary)
{
    const int lock = lock_file(runs, temporary, 0);
    if (lock >= 0)
    {
        unlinkat(runs->fd, temporary, 0);
        close(lock);
    }
    return lock >= 0;
}

/** Makes and locks a temporary file, as lock_file(). What a dead process left is removed and not
 * written to: the file may have another name in a backup of hard links. */
static int
make_file(const struct folder *runs, const char *name)
{
    const int lock = lock_file(runs, name, O_CREAT | O_EXCL);
    if (lock < 0 && errno == EEXIST && (clean(runs, name) || errno == ENOENT))
    {
        errno = ESTALE;
    }
    return lock;
}

bool
run_file_open(struct run_file *f, const struct folder *runs, const char *name, char **why)
{
    *f = (struct run_file){.runs = runs, .name = run_file_name(name), .lock = -1};
    f->temporary = xformat(TEMPORARY "%s", f->name);
    f->aside = xformat("%.*s" ASIDE "/%s", parent_length(runs->path), runs->path, f->name);
    if (!run_file_may_be_made(runs, name, why))
    {
        return false;
    }
    int error = ESTALE;
    for (int attempt = 0; attempt < 10 && error == ESTALE; attempt++)
    {
        f->lock = make_file(runs, f->temporary);
        error = f->lock < 0 ? errno : 0;
    }
    f->busy = error == ESTALE || error == EWOULDBLOCK;
    if (f->busy)
    {
        *why =
            xformat("another process works on this run (it holds %s/%s)", runs->path, f->temporary);
    }
    else if (error)
    {
        *why = xformat("cannot write %s/%s: %s", runs->path, f->temporary, strerror(error));
    }
    /* Before anything is simulated: SQLite may not take it. */
    return !*why && sql_file_open(&f->file, runs, f->temporary, f->name, PAGE, why);
}

/** Gives the temporary file a name in a folder. */
static bool
place(struct run_file *f, const struct folder *to, char **why)
{
    const bool good =
        fsync(f->lock) == 0 && renameat(f->runs->fd, f->temporary, to->fd, f->name) == 0;
    if (!good)
    {
        *why = xformat("cannot rename %s/%s to %s/%s: %s", f->runs->path, f->temporary, to->path,
                       f->name, strerror(errno));
        return false;
    }
    close(f->lock);
    f->lock = -1;
    return true;
}

bool
run_file_finish(struct run_file *f, char **why)
{
    return place(f, f->runs, why);
}

bool
run_file_set_aside(struct run_file *f, char **why)
{
    struct folder aside;
    const bool good = open_aside(f->runs, &aside, true, why) && may_replace(&aside, f->name, why) &&
                      place(f, &aside, why) && folder_flush(&aside, why);
    folder_close(&aside);
    return good;
}

bool
run_file_forget_aside(const struct run_file *f, char **why)
{
    struct folder aside;
    bool good = open_aside(f->runs, &aside, false, why);
    if (good && aside.fd >= 0 && unlinkat(aside.fd, f->name, 0) != 0 && errno != ENOENT)
    {
        *why = xformat("cannot remove %s: %s", f->aside, strerror(errno));
        good = false;
    }
    folder_close(&aside);
    return good;
}

void
run_file_close(struct run_file *f)
{
    sql_file_close(&f->file);
    if (f->lock >= 0)
    {
        unlinkat(f->runs->fd, f->temporary, 0);
        close(f->lock);
    }
    free(f->name);
    free(f->temporary);
    free(f->aside);
}

void
run_file_forget(const struct folder *runs, const char *name)
{
    OWNED char *file = run_file_name(name), *temporary = xformat(TEMPORARY "%s", file);
    clean(runs, temporary);
}

void
run_files_clean(const struct folder *runs)
{
    CLEANUP(list_drop) DIR *dir = folder_list(runs);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    {
        if (strncmp(e->d_name, TEMPORARY, strlen(TEMPORARY)) == 0)
        {
            clean(runs, e->d_name);
        }
    }
}
