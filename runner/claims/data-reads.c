/* SPDX-License-Identifier: GPL-2.0-only */
#include "data-reads.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "data-save.h"
#include "element-values.h"

/** While the queries of a section are looked at. */
struct look
{
    struct data_reads_list *list;
    struct report_source *source;
};

/* --- lists ------------------------------------------------------------------------------------ */

/** Returns the place of the results of a name in the list. */
static size_t
place_of(struct data_reads_list *list, const char *name)
{
    size_t i = 0;
    while (i < list->n && strcmp(list->reads[i].name, name) != 0)
    {
        i++;
    }
    if (i == list->n)
    {
        ARRAY_GROW(list->reads, list->n);
        list->reads[list->n++] = (struct data_reads){.name = name};
    }
    return i;
}

void
data_reads_free(struct data_reads_list *list)
{
    for (size_t i = 0; i < list->n; i++)
    {
        struct data_reads *reads = &list->reads[i];
        words_free(&reads->columns);
        for (size_t k = 0; k < reads->nviews; k++)
        {
            query_rows_free(reads->views[k].rows);
        }
        free(reads->views);
    }
    free(list->reads);
    *list = (struct data_reads_list){0};
}

/** The results that a section's queries call @p schema; NULL: none. */
static const char *
results_of(const struct look *l, const char *schema)
{
    const struct element *e = NULL, *section = l->source->section;
    const char *results = strcmp(schema, "main") == 0 ? element_value(section, "results") : NULL;
    while (!results && (e = element_child_after(section, "attach", e)) != NULL)
    {
        results =
            strcasecmp(element_value(e, "as"), schema) == 0 ? element_value(e, "results") : NULL;
    }
    return results;
}

/* --- what a query reads ----------------------------------------------------------------------- */

/** Adds a word unless it is there; takes it. */
static void
add_new(struct words *words, char *word)
{
    if (words_have(words, word))
    {
        free(word);
    }
    else
    {
        words_add(words, word);
    }
}

/** A query_reader for a list of words: "main.qps.fct_us". */
static void
gather(void *user, const char *schema, const char *table, const char *column)
{
    add_new(user, xformat("%s.%s.%s", schema, table, column));
}

/** Whether a table, of the section's results or attached ones, is not to be saved whole. */
static bool
is_large(const struct look *l, const char *schema, const char *table)
{
    struct query_mistake m;
    if (list_has("summary runs parameters", table))
    {
        return false;
    }
    OWNED char *sql =
        xformat("select max(rowid) > %d from \"%s\".\"%s\"", DATA_MOST_ROWS, schema, table);
    CLEANUP(query_rows_drop)
    struct query_rows *rows = database_query(l->source->db, sql, l->source->options->limits, &m);
    free(m.message);
    return rows && rows->cells[0].integer > 0;
}

/* --- claims ----------------------------------------------------------------------------------- */

/** Notes what a query reads: "main.qps.fct_us". False: it is too much. */
static bool
note_read(struct look *l, const struct element *query, char *read)
{
    char *table = strchr(read, '.') + 1, *column = strchr(table, '.') + 1;
    table[-1] = '\0';
    const char *results = results_of(l, read);
    const size_t place = results ? place_of(l->list, results) : 0;
    OWNED char *name = xformat("%.*s", (int)(column - table - 1), table);
    const bool good = !results || !is_large(l, read, name);
    if (!good)
    {
        diag_error(l->source->d, query->text_line,
                   "reads %s, which has more than %d rows; expected a <view> of what it asks of "
                   "them, as open data have no larger tables",
                   name, DATA_MOST_ROWS);
    }
    else if (results)
    {
        add_new(&l->list->reads[place].columns, xstrdup(table));
    }
    return good;
}

/** Notes what a query of @p e reads. */
static void
note_query(struct look *l, const struct element *e, const struct element *query)
{
    OWNED char *sql = report_query_text(e, query), *why = NULL;
    CLEANUP(words_free) struct words reads = {0};
    bool good = database_reads(l->source->db, sql, gather, &reads, &why);
    if (!good)
    {
        diag_error(l->source->d, query->text_line, "%s", why);
    }
    for (size_t i = 0; good && i < reads.n; i++)
    {
        good = note_read(l, query, reads.word[i]);
    }
}

/** Notes all queries of an element, whatever they are within. */
static void
note_all(struct look *l, const struct element *e)
{
    for (size_t i = 0; i < e->nchildren; i++)
    {
        const struct element *child = e->children[i];
        if (strcmp(child->name, "query") == 0 || strcmp(child->name, "headline") == 0)
        {
            note_query(l, e, child);
        }
        else
        {
            note_all(l, child);
        }
    }
}

/** Whether a view has been taken already: the same text may ask other results that are attached. */
static bool
is_shared(const struct data_view *other, const struct data_view *view)
{
    return strcmp(element_value(other->view, "name"), element_value(view->view, "name")) == 0 &&
           strcmp(other->view->text, view->view->text) == 0 &&
           query_rows_same(other->rows, view->rows);
}

/** Takes the rows of a view, if no section has; or a sentence of another one of its name. */
static char *
take_view(struct data_reads *reads, struct data_view *view)
{
    const char *name = element_value(view->view, "name");
    size_t i = 0;
    while (i < reads->nviews && strcasecmp(element_value(reads->views[i].view, "name"), name) != 0)
    {
        i++;
    }
    if (i == reads->nviews)
    {
        ARRAY_GROW(reads->views, i);
        reads->views[reads->nviews++] = *view;
        view->rows = NULL;
        return NULL;
    }
    const struct data_view *other = &reads->views[i];
    return is_shared(other, view) ? NULL
                                  : xformat("%s has another <view> '%s' at %s:%d; expected the "
                                            "same of the same results, or another name",
                                            reads->name, name, other->file, other->view->line);
}

static void
note_view(struct look *l, struct data_reads *reads, const struct element *e)
{
    OWNED char *sql = xformat("select * from \"%s\"", element_value(e, "name"));
    struct query_mistake m;
    struct data_view view = {e, l->source->d->file,
                             database_query(l->source->db, sql, QUERY_LIMITS, &m)};
    OWNED char *why = view.rows ? take_view(reads, &view) : m.message;
    query_rows_free(view.rows);
    if (why)
    {
        diag_error(l->source->d, e->line, "%s", why);
    }
}

static void
note_section(struct look *l)
{
    struct report_source *s = l->source;
    if (!report_source_open(s))
    {
        return;
    }
    const size_t own = place_of(l->list, element_value(s->section, "results"));
    note_all(l, s->section);
    for (const struct element *e = NULL; (e = element_child_after(s->section, "view", e)) != NULL;)
    {
        note_view(l, &l->list->reads[own], e);
    }
}

/** Whether a section's queries may read any of the results. */
static bool
is_wanted(const struct element *section, const struct words *names)
{
    const char *results = element_value(section, "results");
    bool wanted = results && words_have(names, results);
    for (const struct element *e = NULL; (e = element_child_after(section, "attach", e)) != NULL;)
    {
        wanted = wanted || words_have(names, element_value(e, "results"));
    }
    return wanted;
}

static bool
note_claims(struct data_reads_list *list, const struct document *claims, const struct words *names,
            const struct report_options *options)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = claims->path};
    struct report_source source = {.options = options, .claims = claims->root, .d = &d};
    struct look l = {.list = list, .source = &source};
    const struct element *e = NULL;
    while ((e = element_child_after(claims->root, "section", e)) != NULL)
    {
        source.section = e;
        if (is_wanted(e, names))
        {
            note_section(&l);
        }
        if (source.why)
        {
            diag_error(&d, e->line, "%s", source.why);
        }
        report_source_close(&source);
    }
    diag_print(&d, stderr);
    return d.n == 0;
}

bool
data_reads_find(struct data_reads_list *list, struct document *const *claims, size_t n,
                const struct words *names, const struct report_options *options)
{
    bool good = true;
    for (size_t i = 0; i < n; i++)
    {
        good = note_claims(list, claims[i], names, options) && good;
    }
    return good;
}
