/* SPDX-License-Identifier: GPL-2.0-only */
#include "database-fill.h"

#include <stdlib.h>
#include <string.h>

#include "aggregate.h"
#include "file-list.h"
#include "run-folder.h"
#include "textbuf.h"

struct database_key
plan_key(const struct plan_dimension *dim, size_t column)
{
    const char **cells = xcalloc(dim->npoints, sizeof *cells);
    for (size_t i = 0; i < dim->npoints; i++)
    {
        cells[i] = dim->points[i].cells[column];
    }
    struct database_key key = database_key_of(dim->columns[column], cells, dim->npoints);
    free(cells);
    return key;
}

struct database_key *
plan_keys(const struct plan *plan, size_t *n)
{
    struct database_key *keys = NULL;
    *n = 0;
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        for (size_t c = 0; c < dim->ncolumns; c++)
        {
            ARRAY_GROW(keys, *n);
            keys[(*n)++] = plan_key(dim, c);
        }
    }
    return keys;
}

static bool
fill_cells(struct database_writer *w, const struct plan *plan, size_t i, char **why)
{
    size_t n = 0;
    const char **cells = NULL;
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        for (size_t c = 0; c < plan->dimensions[k].ncolumns; c++)
        {
            ARRAY_GROW(cells, n);
            cells[n++] = plan_point(plan, i, k)->cells[c];
        }
    }
    bool good = database_add_run(w, i + 1, plan->names[i], cells, why);
    free(cells);
    return good;
}

/** A CSV file of the run, if it has it. */
static bool
fill_table(struct database_writer *w, const struct column_table *table, const struct folder *run,
           char **why)
{
    if (table == &stuck_table || !file_is_there(run, table->file))
    {
        return true;
    }
    struct csv *csv = run_folder_table(run, table, why);
    const bool good = csv && database_add_table(w, table, csv, why);
    csv_free(csv);
    return good;
}

/** The attributes of one of the scenario's elements, and of those within a <class>, which are named
 * as --set names them: "balancer:NAME.name". @p of: ":NAME", or "". */
static bool
fill_element(struct database_writer *w, const struct element *e, const char *of, size_t number,
             char **why)
{
    bool good = true;
    for (size_t a = 0; good && a < e->nattributes; a++)
    {
        char *name = xformat("%s%s.%s", e->name, of, e->attributes[a].name);
        good = database_add_parameter(w, name, number, e->attributes[a].value, why);
        free(name);
    }
    if (strcmp(e->name, "class") == 0)
    {
        const char *own = element_value(e, "name");
        char *within = xformat(":%s", own ? own : "");
        for (size_t i = 0; good && i < e->nchildren; i++)
        {
            good = fill_element(w, e->children[i], within, 0, why);
        }
        free(within);
    }
    return good;
}

static bool
fill_parameters(struct database_writer *w, const struct folder *run, char **why)
{
    size_t size;
    char *bytes = file_read(run, "scenario.xml", &size, why);
    struct diagnostics d = {.file = "scenario.xml"};
    struct document *doc = bytes ? document_parse("scenario.xml", bytes, size, &d) : NULL;
    bool good = bytes != NULL;
    for (size_t i = 0; doc && good && i < doc->root->nchildren; i++)
    {
        const struct element *e = doc->root->children[i];
        size_t number = 0;
        for (size_t k = 0; k < i; k++)
        {
            number += strcmp(doc->root->children[k]->name, e->name) == 0;
        }
        good = fill_element(w, e, "", number, why);
    }
    document_free(doc);
    diag_free(&d);
    free(bytes);
    return good;
}

/** "key: value" lines, down to the list of files. */
static bool
fill_provenance(struct database_writer *w, const struct folder *run, char **why)
{
    char *bytes = file_read(run, FILE_LIST_FILE, NULL, why), *rest = bytes;
    bool good = bytes != NULL;
    for (char *line; good && (line = strsep(&rest, "\n")) != NULL;)
    {
        char *colon = strstr(line, ": ");
        if (colon)
        {
            *colon = '\0';
            good = database_add_provenance(w, line, colon + 2, why);
        }
    }
    free(bytes);
    return good;
}

bool
database_fill_run(struct database_writer *w, const struct plan *plan, size_t i,
                  const struct folder *run, char **why)
{
    size_t n;
    const struct column_table *const *tables = column_tables(&n);
    bool good = fill_cells(w, plan, i, why);
    for (size_t t = 0; good && t < n; t++)
    {
        good = fill_table(w, tables[t], run, why);
    }
    return good && fill_parameters(w, run, why) && fill_provenance(w, run, why);
}

struct database *
plan_tables(const struct plan *plan)
{
    size_t nkeys;
    struct database_key *keys = plan_keys(plan, &nkeys);
    struct text header = {0};
    char *why = NULL;
    aggregate_build(&header, plan, NULL, NULL);
    struct csv *aggregate = csv_cut(text_take(&header), "aggregate.csv", &why);
    struct database *tables = database_of_tables(keys, nkeys, aggregate, &why);
    csv_free(aggregate);
    free(keys);
    free(why);
    return tables;
}
