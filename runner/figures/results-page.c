/* SPDX-License-Identifier: GPL-2.0-only */
#include "results-page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "document.h"
#include "provenance.h"
#include "results-facts.h"
#include "results-table.h"
#include "shown-text.h"
#include "sweep-plan.h"
#include "textbuf.h"

/* --- results ---------------------------------------------------------------------------------- */

/** The last part of a path. */
static char *
name_of(const char *folder)
{
    size_t n = strlen(folder);
    while (n > 1 && folder[n - 1] == '/')
    {
        n--;
    }
    size_t start = n;
    while (start > 0 && folder[start - 1] != '/')
    {
        start--;
    }
    return xformat("%.*s", (int)(n - start), folder + start);
}

/* --- warnings and notes ------------------------------------------------------------------------
 */

/** Adds what `weft validate` warns of, as a list; the first error where this version of Weft does
 * not take the scenario. */
static void
add_warnings(xmlNode *section, const struct document *scenario, struct diagnostics *d)
{
    const struct plan_options none = {.quick = QUICK_NO};
    document_check(scenario, d);
    struct plan *plan = d->n ? NULL : plan_build(scenario, &none, d);
    const bool good = plan && plan_check(plan, d);
    const struct diagnostic *items = good ? d->warnings : d->items;
    xmlNode *list = page_add(section, "remarks", NULL);
    page_set(list, "title", good ? "Warnings" : "This version of Weft refuses the scenario");
    for (size_t i = 0; i < (good ? d->nwarnings : 1); i++)
    {
        xmlNode *remark = page_add(list, "remark", items[i].message);
        if (items[i].line > 0)
        {
            page_format(remark, "line", "%d", items[i].line);
        }
    }
    plan_free(plan);
}

/** A section while it is made. */
struct results
{
    xmlNode *section;
    const char *folder, *output;
    struct database *db;
    const struct document *scenario; /**< NULL: not known */
    char *why;                       /**< a sentence, if they cannot be read */
};

/** Notes that a page has, at most. */
#define MOST_NOTES "100"

/** Adds the notes that the terminal prints below its tables. */
static void
add_notes(struct results *r)
{
    static const char sql[] =
        "select text from (select rowid as at, text from notes order by at limit " MOST_NOTES ")"
        " union all select (n - " MOST_NOTES ") || ' more are in the table notes'"
        " from (select count(*) as n from notes) where n > " MOST_NOTES;
    struct query_mistake mistake = {NULL, 0};
    CLEANUP(query_rows_drop)
    struct query_rows *rows =
        database_has(r->db, "notes") ? database_query(r->db, sql, QUERY_LIMITS, &mistake) : NULL;
    xmlNode *list = page_add(r->section, "remarks", NULL);
    page_set(list, "title", "Notes");
    for (size_t i = 0; rows && i < rows->nrows; i++)
    {
        OWNED char *text = query_cell_text(&rows->cells[i]);
        page_add(list, "remark", text);
    }
    r->why = mistake.message;
}

/* --- tables ----------------------------------------------------------------------------------- */

/** The first column of a run's totals. */
#define MEASURED (summary_table.columns[0].name)

/** Asks for a table and adds it if it has rows. @p file: with the same rows; NULL: there is none.
 */
static void
add_table(struct results *r, const char *select, const char *title, const char *measured,
          const char *file)
{
    OWNED char *sql = xformat("%s limit %d", select, RESULTS_MOST_ROWS + 1);
    struct query_mistake mistake = {NULL, 0};
    CLEANUP(query_rows_drop)
    struct query_rows *rows = r->why ? NULL : database_query(r->db, sql, QUERY_LIMITS, &mistake);
    if (rows && rows->nrows)
    {
        const struct results_table t = {title, measured, file, r->folder, r->output, r->scenario};
        results_table_add(r->section, &t, rows);
    }
    r->why = r->why ? r->why : mistake.message;
}

/** Returns the swept parameters, as columns of the runs `s`, with commas. The caller frees it. */
static char *
varied(struct database *db)
{
    struct query_mistake mistake = {NULL, 0};
    CLEANUP(query_rows_drop)
    struct query_rows *rows =
        database_query(db, "select * from summary limit 0", QUERY_LIMITS, &mistake);
    struct text t = {0};
    for (size_t c = 2; rows && c < rows->ncolumns && strcmp(rows->columns[c], MEASURED) != 0; c++)
    {
        text_add(&t, "s.");
        sql_add_name(&t, rows->columns[c]);
        text_add(&t, ", ");
    }
    free(mistake.message);
    return t.s ? text_take(&t) : xstrdup("");
}

static void
add_tables(struct results *r)
{
    OWNED char *keys = varied(r->db);
    const struct column_table *const parts[] = {&workloads_table, &ranks_table, &collectives_table};
    static const char *const titles[] = {"By workload", "Ranks of traces", "Collectives of traces"};
    if (database_has(r->db, "aggregate"))
    {
        add_table(r, "select * from aggregate", "Over the seeds", MEASURED, "aggregate.csv");
    }
    add_table(r, "select * from summary", "All runs", MEASURED, "summary.csv");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
    {
        const char *name = parts[i]->name;
        OWNED char *select = xformat(
            "select %st.* from %s t join summary s using (run) order by t.rowid", keys, name);
        if (database_has(r->db, name))
        {
            add_table(r, select, titles[i], parts[i]->columns[1].name, NULL);
        }
    }
}

/** Adds a section. False after a message. */
static bool
add_results(xmlNode *part, const char *folder, const char *output, size_t number, bool alone)
{
    OWNED char *why = NULL, *name = name_of(folder);
    OWNED char *path = xformat("%s/scenario.xml", folder);
    CLEANUP(diag_free) struct diagnostics d = {.file = path};
    CLEANUP(document_drop) struct document *scenario = document_read(path, &d);
    const struct element *given = scenario ? element_child(scenario->root, "title") : NULL;
    const struct element *title = given && !text_is_blank(given->text) ? given : NULL;
    CLEANUP(database_drop) struct database *db = database_open(folder, &why);
    xmlNode *section = page_add(part, "section", NULL);
    page_format(section, "id", "s%zu", number);
    page_set(section, "title", title && !alone ? title->text : name);
    if (alone && title)
    {
        page_set(part, "title", title->text);
    }
    else if (alone)
    {
        page_format(part, "title", "Results of %s", name);
    }
    drawings_add(section, folder);
    if (scenario)
    {
        add_warnings(section, scenario, &d);
    }
    if (db)
    {
        struct results r = {section, folder, output, db, scenario, NULL};
        add_notes(&r);
        add_tables(&r);
        results_add_facts(section, folder, db);
        why = r.why;
    }
    if (why)
    {
        print_shown(stderr, "weft: error: %s: %s\n", folder, why);
    }
    return !why;
}

xmlDoc *
results_page(char *const *folders, size_t n, const char *output)
{
    xmlDoc *page = page_new("report");
    xmlNode *report = xmlDocGetRootElement(page), *part = page_add(report, "part", NULL);
    bool good = true;
    page_set(report, "version", provenance_version());
    page_format(part, "title", "Results of %zu scenarios", n);
    for (size_t i = 0; i < n; i++)
    {
        good = add_results(part, folders[i], output, i + 1, n == 1) && good;
    }
    if (!good)
    {
        xmlFreeDoc(page);
        page = NULL;
    }
    return page;
}
