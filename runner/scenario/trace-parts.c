/* SPDX-License-Identifier: GPL-2.0-only */
#include "trace-parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file-read.h"
#include "textbuf.h"

#define HEAD       "weft-trace-of-ranks "
#define MOST_RANKS (1U << 20)
/** Most bytes of all parts: a run's file takes no more. */
#define MOST_BYTES ((size_t)900 << 20)
/** Ranks that are looked at behind one that has no file. */
#define LOOK_AHEAD 1024U

bool
trace_has_parts(const char *written)
{
    return strstr(written, "%d") != NULL;
}

/** The name of a rank's file. */
static char *
part_name(const char *written, uint32_t rank)
{
    const char *mark = strstr(written, "%d");
    return xformat("%.*s%u%s", (int)(mark - written), written, rank, mark + 2);
}

static bool
is_there(const char *path, uint32_t rank)
{
    OWNED char *name = part_name(path, rank);
    return access(name, F_OK) == 0;
}

char *
trace_parts_name(const char *path, const char *written)
{
    const size_t n = strlen(path), end = strlen(".0.et");
    const size_t cut = n > end && strcmp(path + n - end, ".0.et") == 0 ? n - end : 0;
    OWNED char *next = xformat("%.*s.1.et", (int)cut, path);
    return cut > 0 && access(next, F_OK) == 0
               ? xformat("%.*s.%%d.et", (int)(strlen(written) - end), written)
               : NULL;
}

/** Counts the files; 0 with *why if one is missing among them. */
static uint32_t
count(const char *path, const char *written, uint32_t ranks, char **why)
{
    uint32_t n = 0, later;
    while (n < MOST_RANKS && is_there(path, n))
    {
        n++;
    }
    later = n;
    while (later < n + LOOK_AHEAD && !is_there(path, later))
    {
        later++;
    }
    OWNED char *missing = part_name(written, n), *other = part_name(written, later);
    if (n > 0 && n == ranks)
    {
        return n;
    }
    if (later < n + LOOK_AHEAD && (ranks == 0 || n < ranks))
    {
        *why =
            xformat("rank %u has no file, '%s', but rank %u has '%s'; expected a file of each rank",
                    n, missing, later, other);
        return 0;
    }
    if (n == 0 || (ranks > 0 && n != ranks))
    {
        *why =
            ranks > n || n == 0
                ? xformat("rank %u has no file, '%s'; expected a file of each rank", n, missing)
                : xformat("there are files of %u ranks; expected %u, as ranks of <workload> says",
                          n, ranks);
        return 0;
    }
    return n;
}

char *
trace_parts_read(const char *path, const char *written, uint32_t ranks, size_t *n, char **why)
{
    const uint32_t nparts = count(path, written, ranks, why);
    if (nparts == 0)
    {
        return NULL;
    }
    CLEANUP(text_drop) struct text head = {0};
    char **part = xcalloc(nparts, sizeof *part), *all = NULL;
    size_t *size = xcalloc(nparts, sizeof *size), total = 0;
    bool good = true;
    text_add(&head, HEAD "%u\n", nparts);
    for (uint32_t i = 0; good && i < nparts; i++)
    {
        OWNED char *from = part_name(path, i), *name = part_name(written, i);
        part[i] = file_read_path(from, MOST_BYTES - total, &size[i], why);
        good = part[i] != NULL;
        total += size[i];
        text_add(&head, "%zu %s\n", size[i], name);
    }
    if (good)
    {
        *n = head.len + total;
        all = xcalloc(*n + 1, 1);
        memcpy(all, head.s, head.len);
    }
    for (size_t i = 0, at = head.len; i < nparts; i++)
    {
        if (good && size[i] > 0)
        {
            memcpy(all + at, part[i], size[i]);
        }
        at += size[i];
        free(part[i]);
    }
    free(part);
    free(size);
    return all;
}

/** Cuts a line off; NULL: there is none, or one with a NUL in it. */
static char *
take_line(char **at, const char *end)
{
    char *line = *at, *stop = memchr(line, '\n', (size_t)(end - line));
    if (!stop || memchr(line, '\0', (size_t)(stop - line)))
    {
        return NULL;
    }
    *stop = '\0';
    *at = stop + 1;
    return line;
}

uint32_t
trace_parts_split(const char *bytes, size_t n, struct trace_part **parts, char **names)
{
    *parts = NULL;
    *names = NULL;
    if (n < sizeof HEAD || memcmp(bytes, HEAD, sizeof HEAD - 1) != 0)
    {
        return 0;
    }
    char *copy = memcpy(xcalloc(n + 1, 1), bytes, n), *at = copy;
    char *line = take_line(&at, copy + n);
    const unsigned long long nparts = line ? strtoull(line + sizeof HEAD - 1, NULL, 10) : 0;
    struct trace_part *p = nparts && nparts <= MOST_RANKS ? xcalloc(nparts, sizeof *p) : NULL;
    uint32_t found = 0;
    size_t total = 0;
    for (; p && found < nparts && (line = take_line(&at, copy + n)) != NULL; found++)
    {
        char *name;
        const unsigned long long size = strtoull(line, &name, 10);
        p[found] = (struct trace_part){*name == ' ' ? name + 1 : name, NULL, (size_t)size};
        total += size <= n ? (size_t)size : n;
    }
    const size_t head = (size_t)(at - copy);
    const bool good = p && found == nparts && total == n - head;
    for (size_t i = 0, from = head; good && i < found; i++)
    {
        p[i].bytes = bytes + from;
        from += p[i].n;
    }
    *parts = p;
    *names = copy;
    return good ? found : 0;
}
