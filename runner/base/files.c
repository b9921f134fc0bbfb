/* SPDX-License-Identifier: GPL-2.0-only */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "textbuf.h"

#define TEMPORARY ".tmp-"

static bool
fail(char **why, const char *what, const char *path, int error)
{
    *why = xformat("cannot %s %s: %s", what, path, strerror(error));
    return false;
}

/** Fails for an entry of a folder; says so if it is a link. */
static bool
fail_in(char **why, const char *what, const struct folder *f, const char *name, int error)
{
    struct stat st;
    const bool link = fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(st.st_mode);
    *why = xformat("cannot %s %s/%s: %s", what, f->path, name,
                   link ? "it is a symbolic link, and Weft follows none there" : strerror(error));
    return false;
}

/* --- folders ---------------------------------------------------------------------------------- */

bool
folder_make(const char *path, char **why)
{
    OWNED char *copy = xstrdup(path);
    bool good = true;
    for (size_t n = 1, length = strlen(path); good && n <= length; n++)
    {
        struct stat st;
        n += strcspn(path + n, "/");
        copy[n] = '\0';
        if (mkdir(copy, 0777) != 0 &&
            (errno != EEXIST || stat(copy, &st) != 0 || !S_ISDIR(st.st_mode)))
        {
            good = fail(why, "make the folder", copy, errno == EEXIST ? ENOTDIR : errno);
        }
        copy[n] = path[n];
    }
    return good;
}

bool
folder_open(struct folder *f, const char *path, char **why)
{
    *f = NO_FOLDER;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    const int error = errno;
    struct stat st;
    if (fd < 0 && error == ENOTDIR && stat(path, &st) == 0) /* else what is above it is no folder */
    {
        *why = xformat("%s is a file, not a folder", path);
        return false;
    }
    if (fd < 0)
    {
        return fail(why, "open", path, error);
    }
    *f = (struct folder){fd, xstrdup(path)};
    return true;
}

bool
folder_open_in(struct folder *f, const struct folder *in, const char *name, char **why)
{
    *f = NO_FOLDER;
    int fd = openat(in->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
    {
        return fail_in(why, "open the folder", in, name, errno);
    }
    *f = (struct folder){fd, xformat("%s/%s", in->path, name)};
    return true;
}

bool
folder_make_in(struct folder *f, const struct folder *in, const char *name, char **why)
{
    *f = NO_FOLDER;
    if (mkdirat(in->fd, name, 0777) != 0 && errno != EEXIST)
    {
        return fail_in(why, "make the folder", in, name, errno);
    }
    return folder_open_in(f, in, name, why);
}

void
folder_close(struct folder *f)
{
    if (f->fd >= 0)
    {
        close(f->fd);
    }
    free(f->path);
    *f = NO_FOLDER;
}

bool
folder_flush(const struct folder *f, char **why)
{
    /* Some file systems cannot flush a folder; that is not a failure of the results. */
    return fsync(f->fd) == 0 || errno == EINVAL || fail(why, "flush", f->path, errno);
}

DIR *
folder_list(const struct folder *f)
{
    int fd = openat(f->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (fd >= 0 && !dir)
    {
        close(fd);
    }
    return dir;
}

void
list_drop(DIR **list)
{
    if (*list)
    {
        closedir(*list);
    }
}

void
fd_drop(const int *fd)
{
    if (*fd >= 0)
    {
        close(*fd);
    }
}

void
folder_forget_temporary(const struct folder *f)
{
    CLEANUP(list_drop) DIR *dir = folder_list(f);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    {
        if (strncmp(e->d_name, TEMPORARY, strlen(TEMPORARY)) == 0)
        {
            unlinkat(f->fd, e->d_name, 0);
        }
    }
}

/* --- files ------------------------------------------------------------------------------------ */

/** Writes a file that is not there yet, and flushes it to disk. */
static bool
create(const struct folder *f, const char *name, const struct file_writer *w, char **why)
{
    const int fd = openat(f->fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "w");
    errno = fd < 0 ? errno : 0;
    bool good = file && w->write(file, w->user) && fflush(file) == 0 && fsync(fd) == 0;
    int error = errno;
    if (file && fclose(file) != 0 && good)
    {
        good = false;
        error = errno;
    }
    if (fd >= 0 && !good)
    {
        unlinkat(f->fd, name, 0);
    }
    return good || fail_in(why, "write", f, name, error);
}

static bool
write_bytes(FILE *file, const void *user)
{
    const struct file_bytes *f = user;
    return fwrite(f->bytes, 1, f->n, file) == f->n;
}

bool
file_create(const struct folder *f, const char *name, const char *bytes, size_t n, char **why)
{
    const struct file_bytes file = {name, bytes, n};
    return create(f, name, &(struct file_writer){name, write_bytes, &file}, why);
}

bool
file_write(const struct folder *f, const struct file_writer *file, char **why)
{
    return create(f, file->name, file, why);
}

/** A name that no other process takes, on no other machine: file_create() refuses the second. */
static char *
temporary_name(const char *name)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return xformat(TEMPORARY "%ld-%ld-%s", (long)getpid(), now.tv_nsec, name);
}

/** The file that is begun and not ended: there is one at a time. */
static struct
{
    int folder;
    const char *name;
} begun;

static void
drop_begun(void)
{
    unlinkat(begun.folder, begun.name, 0);
}

char *
file_begin(const struct folder *f, const char *name, char **why)
{
    char *temporary = temporary_name(name);
    if (!file_create(f, temporary, "", 0, why))
    {
        free(temporary);
        return NULL;
    }
    begun.folder = f->fd;
    begun.name = temporary;
    tidy_out_of_memory = drop_begun;
    return temporary;
}

void
file_drop(const struct folder *f, const char *temporary)
{
    unlinkat(f->fd, temporary, 0);
    tidy_out_of_memory = NULL;
}

bool
file_place(const struct folder *f, const char *temporary, const char *name, char **why)
{
    CLEANUP(fd_drop) int fd = openat(f->fd, temporary, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    bool good = fd >= 0 && fsync(fd) == 0 && renameat(f->fd, temporary, f->fd, name) == 0;
    int error = errno;
    if (!good)
    {
        file_drop(f, temporary);
    }
    tidy_out_of_memory = NULL;
    return good ? folder_flush(f, why) : fail_in(why, "write", f, name, error);
}

/** Writes all of them under other names, and only then gives them theirs. */
bool
files_write(const struct folder *f, const struct file_writer *files, size_t n, char **why)
{
    CLEANUP(words_free) struct words temporary = {0};
    size_t written = 0, placed = 0;
    for (size_t i = 0; i < n && written == i; i++)
    {
        words_add(&temporary, temporary_name(files[i].name));
        written += create(f, temporary.word[i], &files[i], why);
    }
    while (written == n && placed < n &&
           renameat(f->fd, temporary.word[placed], f->fd, files[placed].name) == 0)
    {
        placed++;
    }
    if (written == n && placed < n)
    {
        fail_in(why, "write", f, files[placed].name, errno);
    }
    for (size_t i = placed; i < written; i++)
    {
        unlinkat(f->fd, temporary.word[i], 0);
    }
    return placed == n && folder_flush(f, why);
}

bool
files_replace(const char *folder, const struct file_bytes *files, size_t n, char **why)
{
    struct folder f;
    OWNED struct file_writer *writers = xcalloc(n, sizeof *writers);
    for (size_t i = 0; i < n; i++)
    {
        writers[i] = (struct file_writer){files[i].name, write_bytes, &files[i]};
    }
    const bool good = folder_open(&f, folder, why) && files_write(&f, writers, n, why);
    folder_close(&f);
    return good;
}

bool
file_replace(const char *folder, const char *name, const char *bytes, size_t n, char **why)
{
    const struct file_bytes file = {name, bytes, n};
    return files_replace(folder, &file, 1, why);
}

int
file_open(const struct folder *f, const char *name, char **why)
{
    OWNED char *path = xformat("%s/%s", f->path, name);
    const int fd = openat(f->fd, name, FILE_READING | O_NOFOLLOW);
    if (fd < 0)
    {
        fail_in(why, "open", f, name, errno);
    }
    return file_only_plain(fd, path, why);
}

char *
file_read(const struct folder *f, const char *name, size_t *n, char **why)
{
    int fd = file_open(f, name, why);
    OWNED char *path = xformat("%s/%s", f->path, name);
    return fd < 0 ? NULL : file_read_open(fd, path, SIZE_MAX, n, why);
}

bool
file_is_there(const struct folder *f, const char *name)
{
    struct stat st;
    return fstatat(f->fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool
file_equals(const struct folder *f, const char *name, const char *bytes, size_t n)
{
    OWNED char *why = NULL;
    size_t size = 0;
    OWNED char *found = file_read(f, name, &size, &why);
    return found && size == n && memcmp(found, bytes, n) == 0;
}

static bool
is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

char *
checkout_path(const char *name)
{
    char exe[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    for (int i = 0; i < 2; i++)
    {
        char *slash = strrchr(exe, '/');
        *(slash ? slash : exe) = '\0';
    }
    OWNED char *there = xformat("%s/%s", exe, name);
    return is_folder(name) ? xstrdup(name) : is_folder(there) ? xstrdup(there) : NULL;
}
