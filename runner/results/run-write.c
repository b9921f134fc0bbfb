/* SPDX-License-Identifier: GPL-2.0-only */
/* Writer of the file of a run. */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "input-file.h"
#include "provenance.h"
#include "run-file.h"
#include "textbuf.h"

static bool
add_table(const struct sql_file *f, const struct column_table *table, const struct run_results *r,
          char **why)
{
    CLEANUP(text_drop) struct text t = {0};
    sqlite3_stmt *insert = NULL;
    columns_add_create(&t, table);
    bool good = sql_file_run(f, t.s, why);
    t.len = 0;
    text_add(&t, "INSERT INTO \"%s\" VALUES (", table->name);
    for (size_t i = 0; i < table->n; i++)
    {
        text_add(&t, i ? ",?" : "?");
    }
    text_add(&t, ");");
    good = good && sql_file_prepare(f, t.s, &insert, why);
    const void *row;
    for (size_t i = 0; good && (row = column_row(table, r, i)) != NULL; i++)
    {
        columns_bind(insert, table, row);
        good = sql_file_step(f, insert, why);
    }
    return good;
}

static bool
add_tables(const struct sql_file *f, const struct scenario *s, const struct run_results *r,
           char **why)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    bool good = true;
    for (size_t i = 0; good && i < n; i++)
    {
        const bool wanted = tables[i] != &flows_table || s->measure.flows;
        good = !wanted || !column_row(tables[i], r, 0) || add_table(f, tables[i], r, why);
    }
    return good;
}

static bool
add_file(const struct sql_file *f, sqlite3_stmt *insert, const char *name, const char *bytes,
         size_t n, char **why)
{
    sqlite3_bind_text(insert, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_blob64(insert, 2, bytes, n, SQLITE_STATIC);
    return sql_file_step(f, insert, why);
}

/** Adds those of some files that there are. */
static bool
add_inputs(const struct sql_file *f, sqlite3_stmt *insert, const struct input_file *const *inputs,
           size_t n, char **why)
{
    bool good = true;
    for (size_t i = 0; good && i < n; i++)
    {
        good =
            !inputs[i] || add_file(f, insert, inputs[i]->kept, inputs[i]->bytes, inputs[i]->n, why);
    }
    return good;
}

/** The resolved scenario, and what the topology and workloads read; several may read the same. */
static bool
add_files(const struct sql_file *f, const struct scenario *s, const char *resolved, char **why)
{
    sqlite3_stmt *insert = NULL;
    bool good = sql_file_run(f, RUN_FILES_TABLE, why) &&
                sql_file_prepare(f,
                                 "INSERT INTO files SELECT ?1, ?2"
                                 " WHERE NOT EXISTS (SELECT 1 FROM files WHERE name = ?1);",
                                 &insert, why) &&
                add_file(f, insert, "scenario.xml", resolved, strlen(resolved), why);
    for (size_t i = 0; good && i < s->nworkloads; i++)
    {
        const struct workload *w = &s->workloads[i];
        const struct input_file *inputs[] = {w->input, w->algorithm, w->groups, w->places};
        good = add_inputs(f, insert, inputs, 4, why);
    }
    return good && add_inputs(f, insert, &s->topology_file, 1, why);
}

bool
run_file_write(struct run_file *f, const struct scenario *s, const char *resolved,
               const struct run_results *r, double seconds, char **why)
{
    return sql_file_run(&f->file, "BEGIN;", why) && add_files(&f->file, s, resolved, why) &&
           parameters_add(f->file.db, "main", resolved, why) &&
           provenance_add(&f->file, s, r, seconds, why) && add_tables(&f->file, s, r, why) &&
           sql_file_run(&f->file, "COMMIT;", why) && sql_file_end(&f->file, f->temporary, why);
}
