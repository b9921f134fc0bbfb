/* SPDX-License-Identifier: GPL-2.0-only */
/* A report's claims and tables, with what their queries give. */
#include "report-model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "report-numbers.h"

/** A file that the claims name in relation to their own. */
static char *
beside(const struct document *claims, const char *file)
{
    const char *slash = strrchr(claims->path, '/');
    return xformat("%.*s%s", slash ? (int)(slash - claims->path) + 1 : 0, claims->path, file);
}

/** A test that shows a claim must be where the claims file says it is. */
static void
check_test(struct report_source *s, const struct document *claims, const struct element *test)
{
    const char *name = element_value(test, "name");
    char *path = beside(claims, element_value(test, "file")), *why = NULL;
    char *text = file_read_path(path, SIZE_MAX, NULL, &why);
    if (!text || !strstr(text, name))
    {
        diag_error(s->d, test->line, "%s %s; expected the test '%s' there",
                   text ? "there is no such test in" : "cannot read", path, name);
    }
    free(why);
    free(text);
    free(path);
}

/** Whether a column of values has none because there are no rows. */
static bool
is_without_rows(const struct report_numbers *n, size_t at)
{
    return n->columns[at % n->rows->ncolumns].kind == REPORT_VALUE &&
           n->holes[at].ground == QUERY_NO_ROWS;
}

/** Whether a claim has numbers, or needs none. */
static bool
has_run(const struct report_numbers *n)
{
    bool run = !n || (n->rows && n->rows->nrows > 0);
    for (size_t at = 0; n && run && at < n->rows->nrows * n->rows->ncolumns; at++)
    {
        run = !is_without_rows(n, at);
    }
    return run;
}

static void
add_claim(struct report_part *part, struct report_section *to, struct report_source *s,
          const struct element *e)
{
    struct report_claim claim = {.e = e, .number = ++part->nclaims};
    claim.numbers = report_numbers(s, e);
    claim.former = report_claim_is_former(e, claim.numbers);
    claim.verdict = report_verdict_of(e, has_run(claim.numbers), claim.former);
    part->counts[claim.verdict]++;
    for (const struct element *test = NULL; (test = report_next(e, "test", test)) != NULL;)
    {
        check_test(s, part->file, test);
    }
    ARRAY_GROW(to->claims, to->nclaims);
    to->claims[to->nclaims++] = claim;
}

/** The figure that a section names must be there. */
static char *
find_figure(struct report_source *s, const struct document *claims)
{
    const char *figure = element_value(s->section, "figure");
    char *path = figure ? beside(claims, figure) : NULL;
    if (path && access(path, R_OK) != 0)
    {
        diag_error(s->d, element_line(s->section, "figure"), "cannot read the figure %s", path);
    }
    return path;
}

static void
add_section(struct report_part *part, struct report_source *s, const struct element *e)
{
    struct report_section section = {.e = e};
    const char *results = element_value(e, "results");
    s->section = e;
    for (const struct element *claim = NULL; (claim = report_next(e, "claim", claim)) != NULL;)
    {
        add_claim(part, &section, s, claim);
    }
    for (const struct element *table = NULL; (table = report_next(e, "table", table)) != NULL;)
    {
        ARRAY_GROW(section.tables, section.ntables);
        section.tables[section.ntables++] = (struct report_table){table, report_numbers(s, table)};
    }
    section.results = results ? xformat("%s/%s", s->options->results, results) : NULL;
    section.figure = find_figure(s, part->file);
    section.facts = s->db ? results_facts(s->db) : NULL;
    report_source_close(s);
    ARRAY_GROW(part->sections, part->nsections);
    part->sections[part->nsections++] = section;
}

static bool
add_part(struct report *r, const struct document *claims, const struct report_options *options)
{
    struct diagnostics d = {.file = claims->path};
    struct report_source s = {.options = options, .claims = claims->root, .d = &d};
    struct report_part *part = &r->parts[r->nparts++];
    *part = (struct report_part){.file = claims};
    for (const struct element *e = NULL; (e = report_next(claims->root, "section", e)) != NULL;)
    {
        add_section(part, &s, e);
    }
    const bool good = d.n == 0;
    diag_print(&d, stderr);
    diag_free(&d);
    return good;
}

struct report *
report_make(struct document *const *claims, size_t n, const struct report_options *options)
{
    struct report *r = xcalloc(1, sizeof *r);
    bool good = true;
    r->parts = xcalloc(n, sizeof *r->parts);
    for (size_t i = 0; i < n; i++)
    {
        good = add_part(r, claims[i], options) && good;
    }
    if (!good)
    {
        report_free(r);
        r = NULL;
    }
    return r;
}

static void
free_section(struct report_section *section)
{
    for (size_t i = 0; i < section->nclaims; i++)
    {
        report_numbers_free(section->claims[i].numbers);
    }
    for (size_t i = 0; i < section->ntables; i++)
    {
        report_numbers_free(section->tables[i].numbers);
    }
    free(section->claims);
    free(section->tables);
    free(section->results);
    free(section->figure);
    query_rows_free(section->facts);
}

void
report_free(struct report *r)
{
    for (size_t i = 0; r && i < r->nparts; i++)
    {
        for (size_t k = 0; k < r->parts[i].nsections; k++)
        {
            free_section(&r->parts[i].sections[k]);
        }
        free(r->parts[i].sections);
    }
    if (r)
    {
        free(r->parts);
        free(r);
    }
}

struct query_rows *
results_facts(struct database *db)
{
    static const char sql[] =
        "select what, text from ("
        " select 0 as place, 'runs' as what, cast(count(*) as text) as text from runs"
        " union all select 1, key, text || case when n < (select count(*) from runs) then"
        "   ' (' || n || ' runs)' else '' end"
        "  from (select key, text, count(*) as n from provenance"
        "   where key in ('weft', 'ns-3', 'compiler', 'machine') group by key, text"
        "   order by key = 'weft' desc, key = 'ns-3' desc, key, n desc limit 40)"
        " union all select * from (select 2, key, min(text) || case when min(text) < max(text)"
        "   then ' (and ' || (count(distinct text) - 1) || ' more)' else '' end"
        "  from provenance where key = 'command' group by key)"
        " union all select 3, 'seeds', group_concat(text, ' ') from (select distinct text"
        "  from provenance where key = 'seed' order by cast(text as integer) limit 100)"
        " union all select * from (select 4, key, min(text) || case when min(text) < max(text)"
        "   then ' to ' || max(text) else '' end"
        "  from provenance where key = 'finished' group by key)"
        " union all select * from (select 5, 'time of all runs',"
        "   round(sum(cast(text as real)), 1) || ' s'"
        "  from provenance where key = 'wall time' group by key)"
        ") where text is not null order by place";
    struct query_mistake mistake = {NULL, 0};
    struct query_rows *rows = database_query(db, sql, REPORT_LIMITS, &mistake);
    free(mistake.message);
    return rows;
}
