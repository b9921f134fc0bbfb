/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE /* renameat2 */
#include "run-folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "columns.h"
#include "files.h"
#include "textbuf.h"

#define TEMPORARY ".tmp-"
#define REPLACED  ".old-"
#define ASIDE     "unfinished"

bool
run_is_finished(const char *runs, const char *name, const char *resolved)
{
    char *path = xformat("%s/%s", runs, name);
    bool same = file_equals(path, "scenario.xml", resolved, strlen(resolved));
    free(path);
    return same;
}

/** Locks an existing folder. -1 with errno EWOULDBLOCK if another process holds it, or ESTALE if it
 * was renamed before the lock was ours. */
static int
lock_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
    {
        return -1;
    }
    struct stat locked, named;
    int error = 0;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
    {
        error = errno;
    }
    else if (fstat(fd, &locked) != 0 || stat(path, &named) != 0 || locked.st_ino != named.st_ino ||
             locked.st_dev != named.st_dev)
    {
        error = ESTALE;
    }
    if (error)
    {
        close(fd);
        errno = error;
        return -1;
    }
    return fd;
}

/** Of the folder that holds a folder, its last slash included. */
static int
parent_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

bool
run_folder_open(struct run_folder *f, const char *runs, const char *name, char **why)
{
    *f = (struct run_folder){xstrdup(runs), xformat("%s/%s", runs, name),
                             xformat("%s/" TEMPORARY "%s", runs, name),
                             xformat("%.*s" ASIDE "/%s", parent_length(runs), runs, name), -1};
    for (int attempt = 0; attempt < 10 && f->lock < 0; attempt++)
    {
        if (mkdir(f->temporary, 0777) != 0 && errno != EEXIST)
        {
            *why = xformat("cannot make the folder %s: %s", f->temporary, strerror(errno));
            return false;
        }
        f->lock = lock_folder(f->temporary);
        if (f->lock < 0 && errno != ESTALE && errno != ENOENT)
        {
            *why = errno == EWOULDBLOCK
                       ? xformat("another process works on this run (it holds %s)", f->temporary)
                       : xformat("cannot lock %s: %s", f->temporary, strerror(errno));
            return false;
        }
    }
    if (f->lock < 0)
    {
        *why = xformat("other processes keep replacing %s", f->temporary);
        return false;
    }
    return folder_empty(f->temporary, why);
}

static bool
write_table(const struct run_folder *f, const struct column_table *table, const void *rows,
            size_t n, size_t row_size, char **why)
{
    struct text t = {0};
    columns_header(&t, table);
    for (size_t i = 0; i < n; i++)
    {
        columns_row(&t, table, (const char *)rows + i * row_size);
    }
    bool good = file_write(f->temporary, table->file, t.s, t.len, why);
    free(t.s);
    return good;
}

bool
run_folder_write(struct run_folder *f, const struct scenario *s, const char *resolved,
                 const struct run_results *r, const char *provenance, char **why)
{
    return file_write(f->temporary, "scenario.xml", resolved, strlen(resolved), why) &&
           write_table(f, &summary_table, &r->summary, 1, sizeof r->summary, why) &&
           write_table(f, &qps_table, r->qps, r->nqps, sizeof *r->qps, why) &&
           write_table(f, &groups_table, r->groups, r->ngroups, sizeof *r->groups, why) &&
           write_table(f, &layers_table, r->layers, r->nlayers, sizeof *r->layers, why) &&
           (!r->nsteps ||
            write_table(f, &steps_table, r->steps, r->nsteps, sizeof *r->steps, why)) &&
           (!s->measure.flows ||
            write_table(f, &flows_table, r->flows, r->nflows, sizeof *r->flows, why)) &&
           (!s->measure.nqps ||
            write_table(f, &series_table, r->samples, r->nsamples, sizeof *r->samples, why)) &&
           (!s->measure.queues ||
            write_table(f, &queues_table, r->queues, r->nqueues, sizeof *r->queues, why)) &&
           (!r->nstuck ||
            write_table(f, &stuck_table, r->stuck, r->nstuck, sizeof *r->stuck, why)) &&
           file_write(f->temporary, "provenance.txt", provenance, strlen(provenance), why) &&
           folder_sync(f->temporary, why);
}

/** Puts the new folder in place of the old one, and removes that. */
static bool
exchange(const struct run_folder *f, char **why)
{
    if (renameat2(AT_FDCWD, f->temporary, AT_FDCWD, f->path, RENAME_EXCHANGE) == 0)
    {
        return folder_sync(f->runs, why) && folder_remove(f->temporary, why);
    }
    /* Not every file system can exchange two names in one step. */
    char *old = xformat("%s/" REPLACED "%s", f->runs, strrchr(f->path, '/') + 1);
    bool good = rename(f->path, old) == 0 && rename(f->temporary, f->path) == 0;
    if (!good)
    {
        *why = xformat("cannot rename %s to %s: %s", f->temporary, f->path, strerror(errno));
    }
    good = good && folder_sync(f->runs, why) && folder_remove(old, why);
    free(old);
    return good;
}

/** Removes what an earlier attempt at this run has set aside. */
static bool
forget_aside(const struct run_folder *f, char **why)
{
    return access(f->aside, F_OK) != 0 || folder_remove(f->aside, why);
}

bool
run_folder_set_aside(struct run_folder *f, char **why)
{
    char *parent = xformat("%.*s", parent_length(f->aside) - 1, f->aside);
    bool good = folder_make(parent, why) && forget_aside(f, why);
    if (good && rename(f->temporary, f->aside) != 0)
    {
        *why = xformat("cannot rename %s to %s: %s", f->temporary, f->aside, strerror(errno));
        good = false;
    }
    if (good)
    {
        close(f->lock);
        f->lock = -1;
    }
    free(parent);
    return good;
}

bool
run_folder_finish(struct run_folder *f, char **why)
{
    bool good = true;
    if (rename(f->temporary, f->path) == 0)
    {
        good = folder_sync(f->runs, why);
    }
    else if (errno == EEXIST || errno == ENOTEMPTY)
    {
        good = exchange(f, why);
    }
    else
    {
        *why = xformat("cannot rename %s to %s: %s", f->temporary, f->path, strerror(errno));
        return false;
    }
    close(f->lock);
    f->lock = -1;
    return good && forget_aside(f, why);
}

void
run_folder_close(struct run_folder *f)
{
    char *why = NULL;
    if (f->lock >= 0)
    {
        folder_remove(f->temporary, &why);
        close(f->lock);
    }
    free(why);
    free(f->runs);
    free(f->path);
    free(f->temporary);
    free(f->aside);
}

void
run_folders_clean(const char *runs)
{
    DIR *dir = opendir(runs);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    {
        bool temporary = strncmp(e->d_name, TEMPORARY, strlen(TEMPORARY)) == 0;
        if (!temporary && strncmp(e->d_name, REPLACED, strlen(REPLACED)) != 0)
        {
            continue;
        }
        char *path = xformat("%s/%s", runs, e->d_name), *why = NULL;
        int lock = lock_folder(path);
        if (lock >= 0)
        {
            folder_remove(path, &why);
            close(lock);
        }
        free(why);
        free(path);
    }
    if (dir)
    {
        closedir(dir);
    }
}
