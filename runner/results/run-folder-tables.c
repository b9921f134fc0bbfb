/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdlib.h>

#include "run-folder.h"

/** Whether run_folder_write() writes the table for every run. */
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
    *why = NULL;
    for (size_t i = 0; fit && i < n; i++)
    {
        if (!file_is_there(run, tables[i]->file))
        {
            fit = !is_in_every_run(tables[i]);
            *why =
                fit ? NULL
                    : xformat("it has no %s, which this version of Weft writes", tables[i]->file);
            continue;
        }
        struct text header = {0};
        columns_header(&header, tables[i]);
        fit = file_begins_with(run, tables[i]->file, header.s, header.len, why);
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
