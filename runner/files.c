/* SPDX-License-Identifier: GPL-2.0-only */
#include "files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "textbuf.h"

static bool
fail(char **why, const char *what, const char *path, int error)
{
    *why = xformat("cannot %s %s: %s", what, path, strerror(error));
    return false;
}

static bool
write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0)
    {
        ssize_t done = write(fd, bytes, n);
        if (done < 0 && errno == EINTR)
        {
            continue;
        }
        if (done <= 0)
        {
            return false;
        }
        bytes += done;
        n -= (size_t)done;
    }
    return true;
}

bool
file_write(const char *folder, const char *name, const char *bytes, size_t n, char **why)
{
    char *path = xformat("%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = fd >= 0 && write_all(fd, bytes, n) && fsync(fd) == 0;
    int error = errno;
    if (fd >= 0 && close(fd) != 0 && good)
    {
        good = false;
        error = errno;
    }
    if (!good)
    {
        fail(why, "write", path, error);
    }
    free(path);
    return good;
}

/** "folder/.tmp-PID-name": where a file is written before it takes its place. */
static char *
beside(const char *folder, const char *name)
{
    return xformat("%s/.tmp-%ld-%s", folder, (long)getpid(), name);
}

static bool
write_beside(const char *folder, const struct file_bytes *file, char **why)
{
    char *path = beside(folder, file->name);
    bool good = file_write(folder, strrchr(path, '/') + 1, file->bytes, file->n, why);
    free(path);
    return good;
}

static bool
move_into_place(const char *folder, const char *name, char **why)
{
    char *from = beside(folder, name), *to = xformat("%s/%s", folder, name);
    bool good = rename(from, to) == 0 || fail(why, "write", to, errno);
    free(from);
    free(to);
    return good;
}

bool
files_replace(const char *folder, const struct file_bytes *files, size_t n, char **why)
{
    bool good = true;
    size_t written = 0;
    while (good && written < n)
    {
        good = write_beside(folder, &files[written++], why);
    }
    for (size_t i = 0; good && i < n; i++)
    {
        good = move_into_place(folder, files[i].name, why);
    }
    for (size_t i = 0; !good && i < written; i++)
    {
        char *path = beside(folder, files[i].name);
        unlink(path);
        free(path);
    }
    return good && folder_sync(folder, why);
}

bool
file_replace(const char *folder, const char *name, const char *bytes, size_t n, char **why)
{
    const struct file_bytes file = {name, bytes, n};
    return files_replace(folder, &file, 1, why);
}

bool
folder_make(const char *path, char **why)
{
    char *copy = xstrdup(path);
    bool good = true;
    for (char *p = copy + 1; good && *copy; p++)
    {
        if (*p && *p != '/')
        {
            continue;
        }
        char kept = *p;
        *p = '\0';
        struct stat st;
        if (mkdir(copy, 0777) != 0 &&
            (errno != EEXIST || stat(copy, &st) != 0 || !S_ISDIR(st.st_mode)))
        {
            good = fail(why, "make the folder", copy, errno == EEXIST ? ENOTDIR : errno);
        }
        *p = kept;
        if (!kept)
        {
            break;
        }
    }
    free(copy);
    return good;
}

bool
folder_sync(const char *path, char **why)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
    {
        return fail(why, "open", path, errno);
    }
    /* Some file systems cannot flush a folder; that is not a failure of the results. */
    bool good = fsync(fd) == 0 || errno == EINVAL;
    int error = errno;
    close(fd);
    return good || fail(why, "flush", path, error);
}

bool
folder_empty(const char *path, char **why)
{
    DIR *dir = opendir(path);
    if (!dir)
    {
        return fail(why, "open", path, errno);
    }
    bool good = true;
    for (struct dirent *e; good && (e = readdir(dir)) != NULL;)
    {
        bool dots = strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0;
        if (!dots && unlinkat(dirfd(dir), e->d_name, 0) != 0)
        {
            good = fail(why, "remove files in", path, errno);
        }
    }
    closedir(dir);
    return good;
}

bool
folder_remove(const char *path, char **why)
{
    if (!folder_empty(path, why))
    {
        return false;
    }
    return rmdir(path) == 0 || fail(why, "remove", path, errno);
}

void
folder_forget_temporary(const char *path)
{
    DIR *dir = opendir(path);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    {
        if (strncmp(e->d_name, ".tmp-", 5) == 0)
        {
            unlinkat(dirfd(dir), e->d_name, 0);
        }
    }
    if (dir)
    {
        closedir(dir);
    }
}

bool
file_equals(const char *folder, const char *name, const char *bytes, size_t n)
{
    char *path = xformat("%s/%s", folder, name);
    FILE *f = fopen(path, "rb");
    free(path);
    if (!f)
    {
        return false;
    }
    char *found = xcalloc(n + 1, 1);
    bool same = fread(found, 1, n + 1, f) == n && memcmp(found, bytes, n) == 0;
    free(found);
    fclose(f);
    return same;
}
