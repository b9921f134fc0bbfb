/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE /* faccessat's flags */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run-folder.h"

/** Reads up to @p most bytes; how many, or -1. */
static ssize_t
read_some(int fd, char *bytes, size_t most)
{
    size_t got = 0;
    ssize_t n = 1;
    while (got < most && n > 0)
    {
        do
        {
            n = read(fd, bytes + got, most - got);
        } while (n < 0 && errno == EINTR);
        got += n > 0 ? (size_t)n : 0;
    }
    return n < 0 ? -1 : (ssize_t)got;
}

/** Whether a file begins with a line; a sentence in *why if it cannot be read. */
static bool
begins_with(const struct folder *run, const char *file, const struct text *line, char **why)
{
    const int fd = file_open(run, file, why);
    char *found = xcalloc(line->len, 1);
    const ssize_t n = fd < 0 ? 0 : read_some(fd, found, line->len);
    const bool same = n == (ssize_t)line->len && memcmp(found, line->s, line->len) == 0;
    if (n < 0)
    {
        *why = xformat("cannot read %s/%s: %s", run->path, file, strerror(errno));
    }
    if (fd >= 0)
    {
        close(fd);
    }
    free(found);
    return same;
}

/** Whether every run writes the table. */
static bool
is_in_every_run(const struct column_table *table)
{
    return table == &summary_table || table == &qps_table || table == &groups_table ||
           table == &layers_table;
}

bool
run_folder_tables_fit(const struct folder *run, char **why)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    bool fit = true;
    for (size_t i = 0; fit && i < n; i++)
    {
        if (faccessat(run->fd, tables[i]->file, F_OK, AT_SYMLINK_NOFOLLOW) != 0)
        {
            fit = !is_in_every_run(tables[i]);
            *why = fit ? NULL : xformat("it has no %s", tables[i]->file);
            continue;
        }
        struct text header = {0};
        columns_header(&header, tables[i]);
        fit = begins_with(run, tables[i]->file, &header, why);
        if (!fit && !*why)
        {
            *why = xformat("%s does not have the columns of this version of Weft", tables[i]->file);
        }
        free(header.s);
    }
    return fit;
}

struct csv *
run_folder_table(const struct folder *run, const struct column_table *table, char **why)
{
    char *path = xformat("%s/%s", run->path, table->file);
    char *bytes = file_read(run, table->file, NULL, why);
    struct csv *csv = bytes ? csv_cut(bytes, path, why) : NULL;
    if (csv && (csv->ncolumns != table->n || (table == &summary_table && csv->nrows != 1)))
    {
        *why = xformat("%s is no result of this version of Weft; --again repeats the run", path);
        csv_free(csv);
        csv = NULL;
    }
    free(path);
    return csv;
}
