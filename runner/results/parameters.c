/* SPDX-License-Identifier: GPL-2.0-only */
/* Parameters of a run as rows of its file, and how they differ from those of another scenario. */
#include "run-file.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"
#include "document.h"
#include "sql-file.h"
#include "textbuf.h"

#define MOST_NAMED 8

static bool
add_row(sqlite3_stmt *insert, const char *name, size_t number, const char *text)
{
    double value;
    sqlite3_bind_text(insert, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_int64(insert, 2, (sqlite3_int64)number);
    sqlite3_bind_text(insert, 3, text, -1, SQLITE_STATIC);
    if (csv_number(text, &value) == CELL_NUMBER)
    {
        sqlite3_bind_double(insert, 4, value);
    }
    sqlite3_bind_text(insert, 5, csv_unit(text), -1, SQLITE_STATIC);
    const bool good = sqlite3_step(insert) == SQLITE_DONE;
    return sqlite3_reset(insert) == SQLITE_OK && sqlite3_clear_bindings(insert) == SQLITE_OK &&
           good;
}

/** The attributes of one of the scenario's elements, and of those within a <class>, which are named
 * as --set names them: "balancer:NAME.name". @p of: ":NAME", or "". */
static bool
add_element(sqlite3_stmt *insert, const struct element *e, const char *of, size_t number)
{
    bool good = true;
    for (size_t a = 0; good && a < e->nattributes; a++)
    {
        OWNED char *name = xformat("%s%s.%s", e->name, of, e->attributes[a].name);
        good = add_row(insert, name, number, e->attributes[a].value);
    }
    if (strcmp(e->name, "class") == 0)
    {
        const char *own = element_value(e, "name");
        OWNED char *within = xformat(":%s", own ? own : "");
        for (size_t i = 0; good && i < e->nchildren; i++)
        {
            good = add_element(insert, e->children[i], within, 0);
        }
    }
    return good;
}

static bool
add_all(sqlite3_stmt *insert, const struct element *root)
{
    bool good = true;
    for (size_t i = 0; good && i < root->nchildren; i++)
    {
        size_t number = 0;
        for (size_t k = 0; k < i; k++)
        {
            number += strcmp(root->children[k]->name, root->children[i]->name) == 0;
        }
        good = add_element(insert, root->children[i], "", number);
    }
    return good;
}

bool
parameters_add(sqlite3 *db, const char *schema, const char *resolved, char **why)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = "scenario.xml"};
    CLEANUP(document_drop)
    struct document *doc = document_parse(d.file, resolved, strlen(resolved), &d);
    CLEANUP(statement_drop) sqlite3_stmt *insert = NULL;
    char *make = xformat("CREATE TABLE %s.parameters (" PARAMETERS_COLUMNS ");", schema),
         *add = xformat("INSERT INTO %s.parameters VALUES (?, ?, ?, ?, ?);", schema);
    const bool good = doc && sqlite3_exec(db, make, NULL, NULL, NULL) == SQLITE_OK &&
                      sqlite3_prepare_v2(db, add, -1, &insert, NULL) == SQLITE_OK &&
                      add_all(insert, doc->root);
    if (!good)
    {
        *why = xformat("the parameters cannot be written: %s",
                       doc ? sqlite3_errmsg(db) : "the scenario cannot be read");
    }
    free(make);
    free(add);
    return good;
}

/** Elements that only one of both has, and attributes that are not what they were. What only the
 * former algorithm of an element knows goes without saying. */
#define ELEMENT(table) "substr(" table ".name, 1, instr(" table ".name, '.') - 1)"
#define ONLY_IN(schema, other)                                                                     \
    "SELECT min(p.rowid), " ELEMENT(                                                               \
        "p") ", NULL, NULL FROM " schema ".parameters p"                                           \
             " WHERE (" ELEMENT("p") ", p.number) NOT IN"                                          \
                                     " (SELECT " ELEMENT(                                          \
                                         "o") ", o.number FROM " other ".parameters o)"            \
                                              " GROUP BY " ELEMENT("p") ", p.number"
static const char differences[] =
    "SELECT p.rowid AS place, p.name, w.text, p.text FROM temp.parameters p"
    " LEFT JOIN run.parameters w ON w.name = p.name AND w.number = p.number"
    " WHERE w.text IS NOT p.text AND (" ELEMENT(
        "p") ", p.number) IN"
             " (SELECT " ELEMENT("o") ", o.number FROM run.parameters o)"
                                      " UNION ALL " ONLY_IN("temp", "run") " UNION ALL " ONLY_IN(
                                          "run", "temp") " ORDER BY place;";

char *
parameters_changed(sqlite3 *db)
{
    struct text t = {0};
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    size_t n = 0;
    sqlite3_prepare_v2(db, differences, -1, &s, NULL);
    while (s && sqlite3_step(s) == SQLITE_ROW)
    {
        const char *was = (const char *)sqlite3_column_text(s, 2);
        const char *now = (const char *)sqlite3_column_text(s, 3);
        if (n++ < MOST_NAMED)
        {
            text_add(&t, "%s%s changed", n > 1 ? ", " : "", sqlite3_column_text(s, 1));
        }
        if (n <= MOST_NAMED && was && now)
        {
            text_add(&t, " (%s, now %s)", was, now);
        }
    }
    if (n > MOST_NAMED)
    {
        text_add(&t, " and %zu more", n - MOST_NAMED);
    }
    return n ? text_take(&t) : xstrdup("its scenario.xml is written differently");
}
