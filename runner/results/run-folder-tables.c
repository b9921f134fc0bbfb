/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE /* faccessat's flags */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "run-folder.h"

/** Whether a file begins with a line. */
static bool
begins_with(const struct folder *run, const char *file, const struct text *line, char **why)
{
    const int fd = file_open(run, file, why);
    char *found = xcalloc(line->len, 1);
    const bool same = fd >= 0 && read(fd, found, line->len) == (ssize_t)line->len &&
                      memcmp(found, line->s, line->len) == 0;
    if (fd >= 0)
    {
        close(fd);
    }
    free(found);
    return same;
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
