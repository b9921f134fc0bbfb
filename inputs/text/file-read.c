/* SPDX-License-Identifier: GPL-2.0-only */
#define _POSIX_C_SOURCE 200809L /* O_CLOEXEC, where C is strictly C11 */

#include "file-read.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "textbuf.h"

int
file_only_plain(int fd, const char *path, char **why)
{
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0 || S_ISREG(st.st_mode))
    {
        return fd;
    }
    *why = xformat(S_ISDIR(st.st_mode) ? "%s is a folder, not a file" : "%s is not a plain file",
                   path);
    close(fd);
    return -1;
}

char *
file_read_open(int fd, const char *path, size_t most, size_t *n, char **why)
{
    char *bytes = NULL;
    size_t size = 0, room = 0;
    ssize_t got = 1;
    while (got > 0 && size <= most)
    {
        if (room - size < 65537)
        {
            room = 2 * room + 65537;
            bytes = xrealloc(bytes, room, 1);
        }
        got = read(fd, bytes + size, 65536);
        size += got > 0 ? (size_t)got : 0;
    }
    if (got < 0)
    {
        *why = xformat("cannot read %s: %s", path, strerror(errno));
    }
    else if (size > most)
    {
        *why = xformat("%s has more than %zu bytes", path, most);
        got = -1;
    }
    close(fd);
    if (got < 0)
    {
        free(bytes);
        return NULL;
    }
    bytes[size] = '\0';
    if (n)
    {
        *n = size;
    }
    return bytes;
}

char *
file_read_path(const char *path, size_t most, size_t *n, char **why)
{
    int fd = open(path, FILE_READING);
    if (fd < 0)
    {
        *why = xformat("cannot open %s: %s", path, strerror(errno));
    }
    fd = file_only_plain(fd, path, why);
    return fd < 0 ? NULL : file_read_open(fd, path, most, n, why);
}
