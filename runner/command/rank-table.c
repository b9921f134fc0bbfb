/* SPDX-License-Identifier: GPL-2.0-only */
#include "rank-table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure-style.h"
#include "files.h"
#include "shown-text.h"
#include "sql-file.h"

/** Name of the scheme's results in queries, beside those of the others. */
#define HERE "here"

bool
rank_is_condition(const struct plan_dimension *dim)
{
    return !dim->is_seeds && strcmp(dim->columns[0], RANK_COLUMN) != 0;
}

/* --- queries ---------------------------------------------------------------------------------- */

/** Adds a cell's name, "permutation, healthy", as an expression. */
static void
add_cell(struct text *t, const struct plan *plan)
{
    const char *between = "";
    for (size_t i = 0; i < plan->ncolumns; i++)
    {
        if (rank_is_condition(plan->columns[i].dim))
        {
            text_add(t, "%ss.", between);
            sql_add_name(t, plan->keys[i].name);
            between = " || ', ' || ";
        }
    }
    text_add(t, *between ? "" : "'all'");
}

/** Adds which runs are in the table: those of which one condition at most is not the first one. */
static void
add_where(struct text *t, const struct plan *plan)
{
    int n = 0;
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        for (size_t c = 0; rank_is_condition(dim) && c < dim->ncolumns; c++)
        {
            text_add(t, "%s", c ? " and s." : n ? ") + (s." : "(s.");
            sql_add_name(t, dim->columns[c]);
            text_add(t, " = ");
            sql_add_literal(t, dim->points[0].cells[c]);
        }
        n += rank_is_condition(dim);
    }
    text_add(t, n ? ") >= %d" : "1", n - 1);
}

/** The columns that the tables show. */
#define TAKEN "queue_peak_bytes, ooo_degree_p99, switch_state_bytes, nic_state_bytes"

/** The beginning of each query: own, the values of the scheme; and old, those of the others for the
 * same seeds. A link that is drawn is a ToR's or one above, and what either leaves differs too much
 * for one mean; the same seed draws the same link for all. */
static void
add_both(struct text *t, const struct ranking *r)
{
    const struct plan *plan = r->experiment.plan;
    text_add(t, "with drawn as (select p.run as run, case when "
                "cast(substr(p.text, instr(p.text, ':') + 1) as integer) < k.text * k.text / 2 "
                "then ' ToR' else ' core' end as layer from " HERE ".provenance p join " HERE
                ".parameters k on k.run = p.run and k.name = 'topology.k' "
                "where p.text like '1 links%%' and p.key like 'random %%' group by p.run "
                "having count(*) = 1), own as (select ");
    add_cell(t, plan);
    text_add(t, " as conditions, ");
    add_cell(t, plan);
    text_add(t, " || coalesce(layer, '') as cell, s.seed as seed, s.run as run, 1 + s.increase as "
                "v, " TAKEN " from " HERE ".summary s left join drawn using (run) where ");
    add_where(t, plan);
    text_add(t, " and s." RANK_COLUMN " = ");
    sql_add_literal(t, r->name);
    text_add(t, "), old as (select cast(s.");
    sql_add_name(t, r->column);
    text_add(
        t,
        " as text) as scheme, own.cell as cell, s.seed as seed, s.run as run, 1 + s.increase as v, "
        "s.queue_peak_bytes, s.ooo_degree_p99, s.switch_state_bytes, s.nic_state_bytes "
        "from main.summary s join own on own.seed = s.seed and own.conditions = ");
    add_cell(t, plan);
    text_add(t, ")");
}

/** The rows of a query, which is freed; NULL after a message. */
static struct query_rows *
ask(struct database *db, struct text *sql)
{
    struct query_mistake m = {NULL, 0};
    struct query_rows *rows = database_query(db, sql->s, QUERY_LIMITS, &m);
    if (!rows)
    {
        sweep_refuse(m.message, 0);
    }
    text_drop(sql);
    *sql = (struct text){0};
    return rows;
}

/* --- the table -------------------------------------------------------------------------------- */

static struct query_rows *
ask_table(struct database *db, const struct ranking *r, const struct query_rows *cells)
{
    struct text t = {0};
    OWNED char *own = xformat("%s (here)", r->name);
    add_both(&t, r);
    text_add(&t, ", both as (select 0 as place, ");
    sql_add_literal(&t, own);
    text_add(&t,
             " as scheme, cell, v, run, " TAKEN " from own union all select 1, scheme, cell, v, "
             "run, " TAKEN " from old), "
             "texts as (select place, scheme, cell, min(run) as first, "
             "case when count(v) then printf('%%.2f', avg(v)) else '-' end || "
             "case when ci95(v) >= 0.005 then printf(' ± %%.2f', ci95(v)) else '' end || "
             "case when count(v) < count(*) then printf(' (%%d of %%d)', count(v), count(*)) "
             "else '' end as text from both group by 1, 2, 3), "
             "taken as (select place, scheme, max(queue_peak_bytes) / 1000 as queue, "
             "max(ooo_degree_p99) as late, max(switch_state_bytes) / 1000.0 as switch, "
             "max(nic_state_bytes) / 1000.0 as nic from both where cell = ");
    sql_add_literal(&t, cells->cells[0].text);
    text_add(&t, " group by 1, 2) select scheme");
    for (size_t i = 0; i < cells->nrows; i++)
    {
        text_add(&t, ", max(text) filter (where cell = ");
        sql_add_literal(&t, cells->cells[i].text);
        text_add(&t, ") as ");
        sql_add_name(&t, cells->cells[i].text);
    }
    text_add(&t, ", queue as \"longest queue (KB)\", late as \"out of order, P99\", "
                 "printf('%%.1f / %%.1f', switch, nic) as \"state of a switch / NIC (KB)\" "
                 "from texts join taken using (place, scheme) group by place, scheme "
                 "order by place, min(first)");
    return ask(db, &t);
}

static bool
print_table(struct database *db, const struct ranking *r)
{
    struct text t = {0};
    add_both(&t, r);
    text_add(&t, " select cell from own group by 1 order by min(run)");
    CLEANUP(query_rows_drop) struct query_rows *cells = ask(db, &t);
    if (!cells || !cells->nrows)
    {
        return false;
    }
    CLEANUP(query_rows_drop) struct query_rows *table = ask_table(db, r, cells);
    if (table)
    {
        print_shown(
            stdout,
            "Completion time over the bound; mean of the seeds ± half of its 95 %% interval. The "
            "last three columns: %s.\n",
            cells->cells[0].text);
        query_print(&t, table, QUERY_AS_TEXT);
        fputs(t.s, stdout);
        text_drop(&t);
    }
    return table != NULL;
}

/* --- ahead and behind ------------------------------------------------------------------------- */

/** Columns of the comparison. */
enum
{
    CELL,
    SCHEME,
    VALUE,
    HALF,
    OTHER,
    OTHER_HALF,
    MORE,
    MORE_HALF,
    SEEDS,
    VERDICT
};

/** Asks for one row for each other scheme in each cell: seeds are the same for both, so that their
 * difference is that of each seed. */
static struct query_rows *
ask_comparison(struct database *db, const struct ranking *r)
{
    struct text t = {0};
    add_both(&t, r);
    text_add(
        &t, ", mine as (select cell, min(run) as first, avg(v) as value, ci95(v) as half, count(*) "
            "as seeds from own group by 1), theirs as (select scheme, cell, avg(v) as value, "
            "ci95(v) as half from "
            "old group by 1, 2), pairs as (select old.scheme as scheme, cell, avg(own.v - old.v) "
            "as more, ci95(own.v - old.v) as half, count(own.v - old.v) as n "
            "from own join old using (cell, seed) group by 1, 2) "
            "select cell, scheme, m.value as \"value\", m.half as ci95, t.value as other, "
            "t.half as other_ci95, more as difference, p.half as difference_ci95, n as seeds, "
            "case when n < m.seeds or p.half is null then 'unknown' when more + p.half < 0 then "
            "'ahead' "
            "when more - p.half > 0 then 'behind' else 'level' end as verdict "
            "from mine m join theirs t using (cell) join pairs p using (scheme, cell) "
            "order by m.first, t.value, scheme");
    return ask(db, &t);
}

static const struct query_cell *
at(const struct query_rows *rows, size_t i, size_t column)
{
    return &rows->cells[i * rows->ncolumns + column];
}

/** The row behind the last one of row @p i's cell. */
static size_t
end_of_cell(const struct query_rows *rows, size_t i)
{
    size_t end = i;
    while (end < rows->nrows && strcmp(at(rows, end, CELL)->text, at(rows, i, CELL)->text) == 0)
    {
        end++;
    }
    return end;
}

static void
print_verdict(const struct query_rows *rows, size_t i, size_t end, const char *verdict,
              const char *words)
{
    const char *before = words;
    for (; i < end; i++)
    {
        if (strcmp(at(rows, i, VERDICT)->text, verdict) == 0)
        {
            print_shown(stdout, "%s %s", before, at(rows, i, SCHEME)->text);
            before = "";
        }
    }
    fputs(*before ? "" : "\n", stdout);
}

static void
print_comparison(const struct query_rows *rows, const char *name)
{
    print_shown(
        stdout,
        "\nWhere %s is ahead: the 95 %% interval of the difference, seed by seed, leaves out 0. "
        "Of 20 schemes\nthat are alike one will seem to differ.\n",
        name);
    for (size_t i = 0, end; i < rows->nrows; i = end)
    {
        const double value = at(rows, i, VALUE)->real, half = at(rows, i, HALF)->real;
        size_t rank = 1;
        end = end_of_cell(rows, i);
        for (size_t k = i; k < end; k++)
        {
            rank += at(rows, k, OTHER)->real < value;
        }
        print_shown(stdout, isnan(value) ? "\n%s: no run ended\n" : "\n%s: %.3f",
                    at(rows, i, CELL)->text, value);
        printf(isnan(half) ? "" : " ± %.3f", half);
        printf(isnan(value) ? "" : ", place %zu of %zu\n", rank, end - i + 1);
        print_verdict(rows, i, end, "ahead", "  ahead of  ");
        print_verdict(rows, i, end, "behind", "  behind    ");
        print_verdict(rows, i, end, "level", "  neither   ");
        print_verdict(rows, i, end, "unknown",
                      "  not known (one seed, or runs that did not end)  ");
    }
}

static bool
write_comparison(const struct query_rows *rows, const char *out)
{
    CLEANUP(text_drop) struct text t = {0};
    char *why = NULL;
    query_print(&t, rows, QUERY_AS_CSV);
    const bool good = file_replace(out, "rank.csv", t.s, t.len, &why);
    if (good)
    {
        print_shown(stdout, "\n%s/rank.csv\n", out);
    }
    return good || sweep_refuse(why, 0);
}

/* --- the figure ------------------------------------------------------------------------------- */

/** How many times the scheme's time each other one needs, where either is ahead; NULL: nowhere. */
static char *
figure_query_of(const struct query_rows *rows)
{
    struct text t = {0};
    for (size_t i = 0; i < rows->nrows; i++)
    {
        const char *verdict = at(rows, i, VERDICT)->text;
        if (strcmp(verdict, "ahead") == 0 || strcmp(verdict, "behind") == 0)
        {
            text_add(&t, t.len ? ", (" : "with shown(x, y, z, n) as (values (");
            sql_add_literal(&t, at(rows, i, CELL)->text);
            text_add(&t, ", ");
            sql_add_literal(&t, figure_short_name(at(rows, i, SCHEME)->text));
            text_add(&t, ", %.2f, %d)", at(rows, i, OTHER)->real / at(rows, i, VALUE)->real,
                     (int)at(rows, i, SEEDS)->integer);
        }
    }
    if (t.len)
    {
        text_add(&t, ") select x, y, z, n from shown");
    }
    return t.s;
}

static bool
draw(const struct ranking *r, const struct query_rows *rows)
{
    char *sql = figure_query_of(rows);
    if (!sql)
    {
        return true;
    }
    OWNED char *title =
        xformat("Time of others over that of %s, where they differ", figure_short_name(r->name));
    const char *const attributes[][2] = {
        {"name", "rank"},      {"template", "heatmap"},
        {"title", title},      {"x-label", "traffic and links"},
        {"y-label", "scheme"}, {"z-label", "over 1: it is slower"},
        {"z-log", "on"},       {"values", "on"},
        {"width", "190mm"},    {"height", "125mm"},
    };
    struct element *figure =
        element_new("figure", vocabulary_find("figure", "scenario"), LINE_NONE);
    struct element *query = element_new("query", vocabulary_find("query", "figure"), LINE_NONE);
    for (size_t i = 0; i < sizeof attributes / sizeof *attributes; i++)
    {
        element_set(figure, attributes[i][0], attributes[i][1], LINE_NONE, false);
    }
    free(query->text);
    query->text = sql;
    element_add(figure, query);
    element_add(r->experiment.doc->root, figure);
    return experiment_draw(&r->experiment, r->out, "rank");
}

/* --- one run again ---------------------------------------------------------------------------- */

/** Columns that two runs of one scenario hardly share by accident. */
#define TELLING                                                                                    \
    "seed, cct_us, cct_acked_us, data_sent, marked, queue_peak_bytes, queue_mean_bytes, "          \
    "ooo_degree_p99, packet_hops, end_us"

/** Warns if the run that was made again is another one now. False after a message. */
static bool
check_again(struct database *db, const struct ranking *r)
{
    struct text t = {0};
    text_add(&t, "select " TELLING " from " HERE ".summary where " RANK_COLUMN " = ");
    sql_add_literal(&t, r->case_again);
    text_add(&t, " intersect select " TELLING " from main.summary where ");
    sql_add_name(&t, r->column);
    text_add(&t, " = ");
    sql_add_literal(&t, r->again);
    CLEANUP(query_rows_drop) struct query_rows *same = ask(db, &t);
    if (same && same->nrows > 0)
    {
        print_shown(stdout, "A run of %s, made again, gives the values that these have.\n",
                    r->again);
    }
    else if (same)
    {
        print_shown(
            stderr,
            "weft: warning: a run of %s, made again, gives other values than %s has: the code "
            "of the fabric has changed since. Differences may come from that; 'weft run %s' "
            "makes the others again, for --beside\n",
            r->again, r->others, r->scenario);
    }
    return same != NULL;
}

int
rank_show(const struct ranking *r, struct database *db, bool figure)
{
    char *why = NULL;
    if (!database_attach(db, HERE, r->out, &why))
    {
        return sweep_refuse(why, EXIT_BAD_INPUT);
    }
    if (!check_again(db, r) || !print_table(db, r))
    {
        return EXIT_FAILED;
    }
    CLEANUP(query_rows_drop) struct query_rows *rows = ask_comparison(db, r);
    if (!rows || !rows->nrows)
    {
        return rows ? sweep_refuse(xformat("%s has no run of the same seeds", r->others),
                                   EXIT_BAD_INPUT)
                    : EXIT_FAILED;
    }
    print_comparison(rows, r->name);
    const bool written = write_comparison(rows, r->out);
    return !written ? EXIT_FAILED : figure && !draw(r, rows) ? EXIT_NO_FIGURE : EXIT_GOOD;
}
