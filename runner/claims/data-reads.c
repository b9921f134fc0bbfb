/* SPDX-License-Identifier: GPL-2.0-only */
#include "data-reads.h"

#include <stdint.h>
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
    struct database *plain; /**< the section's results, where nothing is kept */
    size_t own;             /**< what is read of these */
};

/* --- lists ------------------------------------------------------------------------------------ */

/** What is read of the results of a name: its place. */
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
        words_free(&list->reads[i].columns);
        kept_free(&list->reads[i].kept);
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
    while (!results && (e = report_next(section, "attach", e)) != NULL)
    {
        results =
            strcasecmp(element_value(e, "as"), schema) == 0 ? element_value(e, "results") : NULL;
    }
    return results;
}

/* --- what a query reads ----------------------------------------------------------------------- */

/** A query_reader for a list of words: "main.qps.fct_us". */
static void
gather(void *user, const char *schema, const char *table, const char *column)
{
    char *word = xformat("%s.%s.%s", schema, table, column);
    if (words_have(user, word))
    {
        free(word);
    }
    else
    {
        words_add(user, word);
    }
}

/** The number that a query gives, 0 if none. */
static double
number_of(struct database *db, const char *sql)
{
    struct query_mistake m;
    CLEANUP(query_rows_drop) struct query_rows *rows = database_query(db, sql, QUERY_LIMITS, &m);
    free(m.message);
    const bool has = rows && rows->nrows == 1 && rows->cells[0].kind != QUERY_NULL;
    return has ? rows->cells[0].real : 0;
}

/** Whether what is read are a table of the section's results that is not to be kept whole. */
static bool
is_large(const struct look *l, const char *read)
{
    const char *table = read + strlen("main."), *dot = strchr(table, '.');
    OWNED char *name = xformat("%.*s", (int)(dot ? dot - table : 0), table);
    OWNED char *sql = xformat("select max(rowid) from \"%s\"", name);
    return strncmp(read, "main.", 5) == 0 && strcmp(name, "summary") != 0 &&
           strcmp(name, "runs") != 0 && number_of(l->plain, sql) > DATA_MOST_ROWS;
}

/** Whether a query can be asked by itself and reads a large table; *own: of the section's own
 * results alone. */
static bool
reads_large(const struct look *l, const char *sql, bool *own)
{
    CLEANUP(words_free) struct words reads = {0};
    OWNED char *why = NULL;
    bool large = false;
    *own = database_reads(l->source->db, sql, gather, &reads, &why);
    for (size_t i = 0; i < reads.n; i++)
    {
        const char *word = reads.word[i];
        *own = *own && (strncmp(word, "main.", 5) == 0 || strncmp(word, "temp.", 5) == 0);
        large = large || is_large(l, word);
    }
    return large;
}

/* --- queries within it ------------------------------------------------------------------------ */

/** How much of a query that begins with "with" leads to what is at @p at. */
static size_t
lead_of(const char *sql, const char *at)
{
    size_t lead = 0;
    int depth = 0;
    for (const char *s = sql; strncasecmp(sql, "with ", 5) == 0 && s < at; s = kept_skip(s))
    {
        depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
        if (*s != ')' || depth)
        {
            continue;
        }
        lead = s[1] == ',' ? (size_t)(s + 1 - sql) : lead;
        if (s[1] != ',' && strncasecmp(s + 1, " as", 3) != 0)
        {
            return (size_t)(s + 1 - sql); /* the select itself has begun */
        }
    }
    return lead;
}

/** The end of what is between parentheses, of which the first is at @p s. */
static const char *
end_of(const char *s)
{
    int depth = 0;
    do
    {
        depth += *s == '(' ? 1 : *s == ')' ? -1 : 0;
        s = kept_skip(s);
    } while (*s && depth);
    return s - 1;
}

/** How many rows a query gives; SIZE_MAX: too many, or some rest on rows without a value, of which
 * its rows alone do not tell. */
static size_t
rows_of(const struct look *l, const char *sql)
{
    struct query_mistake m;
    CLEANUP(query_rows_drop)
    struct query_rows *rows = database_query(l->plain, sql, QUERY_LIMITS, &m);
    OWNED struct query_hole *holes =
        rows ? database_holes(l->plain, sql, QUERY_LIMITS, rows->nrows, &m) : NULL;
    bool whole = holes != NULL;
    free(m.message);
    for (size_t i = 0; whole && i < rows->nrows * rows->ncolumns; i++)
    {
        whole = holes[i].ground == QUERY_WHOLE;
    }
    return whole ? rows->nrows : SIZE_MAX;
}

/** The query within @p sql that begins at @p at, if it is one that may be kept: with as little as
 * it needs of what leads to it. */
static bool
take_inner(const struct look *l, const char *sql, const char *at, struct kept *kept)
{
    const size_t leads[] = {0, lead_of(sql, at)};
    bool good = false, own = false;
    for (size_t i = 0; !good && i < 2 && strncasecmp(at, "(select ", 8) == 0; i++)
    {
        kept_drop(kept);
        kept->lead = xformat("%.*s", (int)leads[i], sql);
        kept->body = xformat("%.*s", (int)(end_of(at) - at - 1), at + 1);
        OWNED char *whole = xformat("%s %s", kept->lead, kept->body);
        good = reads_large(l, whole, &own) && own;
    }
    return good;
}

/** The innermost query within @p sql that reads a large table and gives few rows, or the fewest.
 * False: there is none. */
static bool
choose_inner(const struct look *l, const char *sql, struct kept *best)
{
    size_t least = SIZE_MAX;
    for (size_t i = strlen(sql); i > 0 && least > DATA_MOST_ROWS; i--)
    {
        CLEANUP(kept_drop) struct kept kept = {0};
        if (sql[i - 1] != '(' || !take_inner(l, sql, &sql[i - 1], &kept))
        {
            continue;
        }
        OWNED char *whole = xformat("%s %s", kept.lead, kept.body);
        const size_t rows = rows_of(l, whole);
        if (rows < least)
        {
            least = rows;
            kept_drop(best);
            *best = kept;
            kept = (struct kept){0};
        }
    }
    return least < SIZE_MAX;
}

/** Keeps a query within the query; false: there is none to keep. */
static bool
keep_inner(struct look *l, const char *sql)
{
    struct kept_list *list = &l->list->reads[l->own].kept;
    CLEANUP(kept_drop) struct kept kept = {0};
    OWNED char *squeezed = kept_squeeze(sql), *why = NULL;
    bool good = choose_inner(l, squeezed, &kept);
    if (good)
    {
        kept.name = xformat("%s %zu", KEPT_TABLE, list->n + 1);
        good = database_keep(l->source->db, &kept, &why);
    }
    if (good)
    {
        kept_add(list, &kept);
    }
    return good;
}

/* --- claims ----------------------------------------------------------------------------------- */

static void
note_column(struct data_reads *reads, const char *column)
{
    if (!words_have(&reads->columns, column))
    {
        words_add(&reads->columns, xstrdup(column));
    }
}

/** Notes what a query of @p e reads. */
static bool
note_query(struct look *l, const struct element *e, const struct element *query)
{
    OWNED char *sql = report_query_text(e, query);
    CLEANUP(words_free) struct words reads = {0};
    char *why = NULL;
    bool own;
    while (reads_large(l, sql, &own) && keep_inner(l, sql))
    {
    }
    const bool good = database_reads(l->source->db, sql, gather, &reads, &why);
    for (size_t i = 0; good && i < reads.n; i++)
    {
        char *dot = strchr(reads.word[i], '.');
        *dot = '\0';
        const char *results = results_of(l, reads.word[i]);
        const size_t place = results ? place_of(l->list, results) : 0;
        if (results)
        {
            note_column(&l->list->reads[place], dot + 1);
        }
    }
    if (!good)
    {
        diag_error(l->source->d, query->text_line, "%s", why);
        free(why);
    }
    return good;
}

/** Notes all queries of an element, whatever they are within. */
static bool
note_all(struct look *l, const struct element *e)
{
    bool good = true;
    for (size_t i = 0; i < e->nchildren; i++)
    {
        const struct element *child = e->children[i];
        const bool query =
            strcmp(child->name, "query") == 0 || strcmp(child->name, "headline") == 0;
        good = (query ? note_query(l, e, child) : note_all(l, child)) && good;
    }
    return good;
}

static bool
note_section(struct look *l, const char *results)
{
    struct report_source *s = l->source;
    const struct kept_list *list;
    if (!report_source_open(s))
    {
        return !s->why;
    }
    OWNED char *folder = xformat("%s/%s", s->options->results, results);
    bool good = true;
    l->own = place_of(l->list, results);
    list = &l->list->reads[l->own].kept;
    for (size_t i = 0; good && i < list->n; i++)
    {
        good = database_keep(s->db, &list->kept[i], &s->why);
    }
    l->plain = good ? database_open_whole(folder, &s->why) : NULL;
    good = l->plain && note_all(l, s->section);
    database_close(l->plain);
    return good;
}

/** Whether a section's queries may read any of the results. */
static bool
is_wanted(const struct element *section, const struct words *names)
{
    const char *results = element_value(section, "results");
    bool wanted = results && words_have(names, results);
    for (const struct element *e = NULL; (e = report_next(section, "attach", e)) != NULL;)
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
    while ((e = report_next(claims->root, "section", e)) != NULL)
    {
        source.section = e;
        if (is_wanted(e, names) && !note_section(&l, element_value(e, "results")) && source.why)
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
