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

#include "built-code.h"
#include "columns.h"
#include "file-list.h"
#include "input-file.h"

#define TEMPORARY ".tmp-"
#define REPLACED  ".old-" /* as long */
#define LOCK      ".lock"
#define ASIDE     "unfinished"

/** How often a run is looked at that others replace meanwhile. */
#define MOST_LOOKS 20

bool
run_folder_is_in_place(const struct folder *runs, const char *name, const struct folder *run)
{
    struct stat open, there;
    return fstat(run->fd, &open) == 0 &&
           fstatat(runs->fd, name, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
           open.st_dev == there.st_dev && open.st_ino == there.st_ino;
}

enum run_state
run_folder_state(const struct folder *runs, const char *name, const struct run_source *source,
                 struct folder *finished, char **why)
{
    enum run_state state = RUN_TO_DO;
    bool again = runs->fd >= 0;
    *why = NULL;
    if (finished)
    {
        *finished = NO_FOLDER;
    }
    for (int attempt = 0; again && attempt < MOST_LOOKS; attempt++)
    {
        struct folder f = NO_FOLDER;
        char *absent = NULL;
        free(*why);
        *why = NULL;
        const bool there = folder_open_in(&f, runs, name, &absent);
        state = !there                      ? RUN_TO_DO
                : !file_list_check(&f, why) ? RUN_DAMAGED
                : file_equals(&f, "scenario.xml", source->resolved, strlen(source->resolved)) &&
                        run_folder_tables_fit(&f, why) && built_code_fits(&f, source->code, why)
                    ? RUN_FINISHED
                    : RUN_STALE;
        /* Files of a run that another process replaces go while they are looked at. */
        again = there && state != RUN_FINISHED && !run_folder_is_in_place(runs, name, &f);
        free(absent);
        if (finished && state == RUN_FINISHED)
        {
            *finished = f;
        }
        else
        {
            folder_close(&f);
        }
    }
    return state;
}

/** Whether a run may replace what has that name: nothing, or a folder of plain files and links. */
static bool
may_replace(const struct folder *in, const char *name, char **why)
{
    struct stat st;
    struct folder f = NO_FOLDER;
    char *ignored = NULL;
    bool good = true;
    if (fstatat(in->fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
    {
        return true;
    }
    if (!S_ISDIR(st.st_mode))
    {
        *why = xformat("%s/%s is %s; expected a folder that a run has made, or nothing", in->path,
                       name, S_ISLNK(st.st_mode) ? "a symbolic link" : "a file");
        return false;
    }
    DIR *dir = folder_open_in(&f, in, name, &ignored) ? folder_list(&f) : NULL;
    for (struct dirent *e; good && dir && (e = readdir(dir)) != NULL;)
    {
        bool dots = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
        good =
            dots || fstatat(f.fd, e->d_name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode);
        if (!good)
        {
            *why = xformat("%s/%s is a folder, which no run makes; expected it elsewhere, as the "
                           "run replaces all of %s",
                           f.path, e->d_name, f.path);
        }
    }
    if (dir)
    {
        closedir(dir);
    }
    folder_close(&f);
    free(ignored);
    return good;
}

/** Of the path of the folder that holds a folder, its last slash included. */
static int
parent_length(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

/** Opens the folder of what was set aside, beside that of the runs; @p make: it is made if it is
 * not there. */
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
                    : folder_open_in(aside, &top, ASIDE, why);
    }
    folder_close(&top);
    return good;
}

bool
run_folder_may_be_made(const struct folder *runs, const char *name, char **why)
{
    char *temporary = xformat(TEMPORARY "%s", name), *old = xformat(REPLACED "%s", name);
    const char *const names[] = {name, temporary, old};
    bool good = true;
    for (size_t i = 0; good && i < 3; i++)
    {
        good = may_replace(runs, names[i], why);
    }
    struct folder aside = NO_FOLDER;
    char *absent = NULL;
    good = good && (!open_aside(runs, &aside, false, &absent) || may_replace(&aside, name, why));
    folder_close(&aside);
    free(absent);
    free(temporary);
    free(old);
    return good;
}

/** Whether two names within open folders are still the files that are open. */
static bool
is_still(int fd, int in, const char *name)
{
    struct stat open_file, named;
    return fstat(fd, &open_file) == 0 && fstatat(in, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
           open_file.st_ino == named.st_ino && open_file.st_dev == named.st_dev;
}

/**
 * Locks an existing temporary folder. The lock, or -1 with errno: EWOULDBLOCK if another process
 * holds it, or ESTALE if the folder was renamed before the lock was ours. A lock on the folder
 * itself would not reach other machines over NFS.
 */
static int
lock_folder(const struct folder *runs, const char *name, const struct folder *f)
{
    int fd = openat(f->fd, LOCK, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (fd < 0)
    {
        return -1;
    }
    int error = 0;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0)
    {
        error = errno;
    }
    else if (!is_still(f->fd, runs->fd, name) || !is_still(fd, f->fd, LOCK))
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

/** Gives a folder that is whole, and that no process works in, the name of its run. False if it is
 * not, with *busy if a process is why. */
static bool
put_back(const struct folder *runs, const char *from, const char *name, bool *busy)
{
    struct folder f;
    char *why = NULL;
    int lock = folder_open_in(&f, runs, from, &why) ? lock_folder(runs, from, &f) : -1;
    *busy = lock < 0 && errno == EWOULDBLOCK;
    free(why);
    why = NULL;
    bool good =
        lock >= 0 && file_list_check(&f, &why) && renameat(runs->fd, from, runs->fd, name) == 0;
    if (good)
    {
        unlinkat(f.fd, LOCK, 0);
    }
    if (lock >= 0)
    {
        close(lock);
    }
    free(why);
    folder_close(&f);
    return good;
}

/** Ends what a process that was killed between the two renames of exchange_names() has begun: the
 * new results take their place, or else the old ones. */
static void
restore(const struct folder *runs, const char *name)
{
    char *temporary = xformat(TEMPORARY "%s", name), *old = xformat(REPLACED "%s", name);
    bool busy = false;
    if (!file_is_there(runs, name) && file_is_there(runs, old) &&
        !put_back(runs, temporary, name, &busy) && !busy)
    {
        put_back(runs, old, name, &busy);
    }
    free(temporary);
    free(old);
}

/** One attempt to make and lock; 0, or an error's number, with a sentence unless it is ESTALE. */
static int
try_to_lock(struct run_folder *f, char **why)
{
    int error = 0;
    if (!folder_make_in(&f->temporary, f->runs, f->temporary_name, why))
    {
        return EIO;
    }
    f->lock = lock_folder(f->runs, f->temporary_name, &f->temporary);
    if (f->lock < 0)
    {
        error = errno == ENOENT ? ESTALE : errno;
        if (error == EWOULDBLOCK)
        {
            *why = xformat("another process works on this run (it holds %s)", f->temporary.path);
        }
        else if (error != ESTALE)
        {
            *why = xformat("cannot lock %s/" LOCK ": %s", f->temporary.path, strerror(error));
        }
        folder_close(&f->temporary);
    }
    return error;
}

bool
run_folder_open(struct run_folder *f, const struct folder *runs, const char *name, char **why)
{
    *f = (struct run_folder){.runs = runs,
                             .name = xstrdup(name),
                             .temporary_name = xformat(TEMPORARY "%s", name),
                             .temporary = NO_FOLDER,
                             .lock = -1};
    f->aside = xformat("%.*s" ASIDE "/%s", parent_length(runs->path), runs->path, name);
    if (!run_folder_may_be_made(runs, name, why))
    {
        return false;
    }
    restore(runs, name);
    int error = ESTALE;
    for (int attempt = 0; attempt < 10 && error == ESTALE; attempt++)
    {
        error = try_to_lock(f, why);
    }
    if (error == ESTALE)
    {
        *why = xformat("other processes keep replacing %s/%s", runs->path, f->temporary_name);
    }
    f->busy = error == ESTALE || error == EWOULDBLOCK;
    return error == 0 && folder_empty(&f->temporary, LOCK, why);
}

/** Writes one file of the run into the temporary folder. */
static bool
add_file(struct run_folder *f, const char *name, const char *bytes, size_t n, char **why)
{
    file_list_add(&f->list, name, bytes, n);
    return file_create(&f->temporary, name, bytes, n, why);
}

static bool
write_table(struct run_folder *f, const struct column_table *table, const void *rows, size_t n,
            size_t row_size, char **why)
{
    struct text t = {0};
    columns_header(&t, table);
    for (size_t i = 0; i < n; i++)
    {
        columns_row(&t, table, (const char *)rows + i * row_size);
    }
    bool good = add_file(f, table->file, t.s, t.len, why);
    free(t.s);
    return good;
}

static bool
write_list(const struct run_folder *f, const char *provenance, char **why)
{
    char *text = file_list_end(provenance, &f->list);
    bool good = file_create(&f->temporary, FILE_LIST_FILE, text, strlen(text), why);
    free(text);
    return good && folder_flush(&f->temporary, why);
}

/** A file that the topology or a workload reads; several may read the same. */
static bool
add_input(struct run_folder *f, const struct input_file *input, char **why)
{
    return !input || file_is_there(&f->temporary, input->kept) ||
           add_file(f, input->kept, input->bytes, input->n, why);
}

static bool
add_inputs(struct run_folder *f, const struct scenario *s, char **why)
{
    bool good = add_input(f, s->topology_file, why);
    for (size_t i = 0; good && i < s->nworkloads; i++)
    {
        good = add_input(f, s->workloads[i].input, why);
    }
    return good;
}

bool
run_folder_write(struct run_folder *f, const struct scenario *s, const char *resolved,
                 const struct run_results *r, const char *provenance, char **why)
{
    return add_file(f, "scenario.xml", resolved, strlen(resolved), why) && add_inputs(f, s, why) &&
           write_table(f, &summary_table, &r->summary, 1, sizeof r->summary, why) &&
           write_table(f, &qps_table, r->qps, r->nqps, sizeof *r->qps, why) &&
           write_table(f, &groups_table, r->groups, r->ngroups, sizeof *r->groups, why) &&
           write_table(f, &layers_table, r->layers, r->nlayers, sizeof *r->layers, why) &&
           (!r->ntors || write_table(f, &tors_table, r->tors, r->ntors, sizeof *r->tors, why)) &&
           (!r->ntrims ||
            write_table(f, &trims_table, r->trims, r->ntrims, sizeof *r->trims, why)) &&
           (!r->nworkloads || write_table(f, &workloads_table, r->workloads, r->nworkloads,
                                          sizeof *r->workloads, why)) &&
           (!r->nsteps ||
            write_table(f, &steps_table, r->steps, r->nsteps, sizeof *r->steps, why)) &&
           (!s->measure.flows ||
            write_table(f, &flows_table, r->flows, r->nflows, sizeof *r->flows, why)) &&
           (!s->measure.nqps ||
            write_table(f, &series_table, r->samples, r->nsamples, sizeof *r->samples, why)) &&
           (!s->measure.queues ||
            write_table(f, &queues_table, r->queues, r->nqueues, sizeof *r->queues, why)) &&
           (!s->measure.nports ||
            write_table(f, &ports_table, r->ports, r->nports, sizeof *r->ports, why)) &&
           (!s->measure.balance ||
            write_table(f, &balance_table, r->balance, r->nbalance, sizeof *r->balance, why)) &&
           (!r->nreordering || write_table(f, &reordering_table, r->reordering, r->nreordering,
                                           sizeof *r->reordering, why)) &&
           (!r->nstuck ||
            write_table(f, &stuck_table, r->stuck, r->nstuck, sizeof *r->stuck, why)) &&
           write_list(f, provenance, why);
}

static bool
cannot_rename(const struct run_folder *f, char **why)
{
    *why = xformat("cannot rename %s/%s to %s: %s", f->runs->path, f->temporary_name, f->name,
                   strerror(errno));
    return false;
}

/** Puts the new folder in place of the old one. *where: the old one's name afterwards. */
static bool
exchange_names(const struct run_folder *f, const char **where, const char *aside, char **why)
{
    const int runs = f->runs->fd;
    *where = f->temporary_name;
    if (renameat2(runs, f->temporary_name, runs, f->name, RENAME_EXCHANGE) == 0)
    {
        return true;
    }
    /* Not every file system can exchange two names in one step. */
    *where = aside;
    char *ignored = NULL;
    folder_remove_in(f->runs, aside, &ignored); /* of a process that was killed behind it */
    free(ignored);
    if (renameat(runs, f->name, runs, aside) != 0)
    {
        return cannot_rename(f, why);
    }
    if (renameat(runs, f->temporary_name, runs, f->name) != 0)
    {
        cannot_rename(f, why);
        renameat(runs, aside, runs, f->name);
        return false;
    }
    return true;
}

/** Puts the new folder in place of the old one, and removes that. If it cannot be removed, the next
 * sweep tries again. */
static bool
exchange(const struct run_folder *f, char **why)
{
    struct folder old;
    char *ignored = NULL, *aside = xformat(REPLACED "%s", f->name);
    const char *where;
    /* Locked: nobody may take what is left of the old folder for a temporary one of his own. */
    int lock =
        folder_open_in(&old, f->runs, f->name, &ignored) ? lock_folder(f->runs, f->name, &old) : -1;
    free(ignored);
    ignored = NULL;
    bool good = exchange_names(f, &where, aside, why) && folder_flush(f->runs, why);
    if (good)
    {
        folder_remove_in(f->runs, where, &ignored);
    }
    else if (lock >= 0)
    {
        unlinkat(old.fd, LOCK, 0);
    }
    if (lock >= 0)
    {
        close(lock);
    }
    folder_close(&old);
    free(aside);
    free(ignored);
    return good;
}

/** The lock goes last: until then the folder, wherever it is, is ours. */
static void
unlock(struct run_folder *f)
{
    if (f->lock >= 0)
    {
        unlinkat(f->temporary.fd, LOCK, 0);
        close(f->lock);
        f->lock = -1;
    }
}

bool
run_folder_forget_aside(const struct run_folder *f, char **why)
{
    struct folder aside;
    char *absent = NULL;
    bool good = true;
    if (open_aside(f->runs, &aside, false, &absent) && file_is_there(&aside, f->name))
    {
        good = folder_remove_in(&aside, f->name, why);
    }
    folder_close(&aside);
    free(absent);
    return good;
}

bool
run_folder_set_aside(struct run_folder *f, char **why)
{
    struct folder aside;
    bool good = open_aside(f->runs, &aside, true, why) && run_folder_forget_aside(f, why);
    if (good && renameat(f->runs->fd, f->temporary_name, aside.fd, f->name) != 0)
    {
        *why = xformat("cannot rename %s/%s to %s: %s", f->runs->path, f->temporary_name, f->aside,
                       strerror(errno));
        good = false;
    }
    if (good)
    {
        unlock(f);
    }
    folder_close(&aside);
    return good;
}

bool
run_folder_finish(struct run_folder *f, char **why)
{
    bool good;
    if (renameat(f->runs->fd, f->temporary_name, f->runs->fd, f->name) == 0)
    {
        good = folder_flush(f->runs, why);
    }
    else if (errno == EEXIST || errno == ENOTEMPTY)
    {
        good = exchange(f, why);
    }
    else
    {
        good = cannot_rename(f, why);
    }
    if (good)
    {
        unlock(f);
    }
    return good;
}

void
run_folder_close(struct run_folder *f)
{
    char *why = NULL;
    if (f->lock >= 0)
    {
        folder_remove_in(f->runs, f->temporary_name, &why);
        unlock(f);
    }
    free(why);
    folder_close(&f->temporary);
    free(f->list.s);
    free(f->name);
    free(f->temporary_name);
    free(f->aside);
}

/** Removes a temporary folder of a run unless a process works in it; not the only results. */
static void
clean(const struct folder *runs, const char *name)
{
    struct folder f;
    char *why = NULL;
    restore(runs, name + strlen(TEMPORARY));
    if (folder_open_in(&f, runs, name, &why))
    {
        int lock = lock_folder(runs, name, &f);
        if (lock >= 0)
        {
            folder_remove_in(runs, name, &why);
            close(lock);
        }
    }
    folder_close(&f);
    free(why);
}

void
run_folder_forget(const struct folder *runs, const char *name)
{
    char *temporary = xformat(TEMPORARY "%s", name);
    clean(runs, temporary);
    free(temporary);
}

void
run_folders_clean(const struct folder *runs)
{
    DIR *dir = folder_list(runs);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    {
        if (strncmp(e->d_name, TEMPORARY, strlen(TEMPORARY)) == 0 ||
            strncmp(e->d_name, REPLACED, strlen(REPLACED)) == 0)
        {
            clean(runs, e->d_name);
        }
    }
    if (dir)
    {
        closedir(dir);
    }
}
