/* SPDX-License-Identifier: GPL-2.0-only */
/* What a sweep says on the terminal. */
#include "summary.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "input-file.h"

/** Rows shown on the terminal before it refers to the file. */
#define MOST_SHOWN 100

/** Results are whole and the questions Weft's own. */
#define LIMITS ((struct query_limits){3600, 10000000, SIZE_MAX / 2, 0})

/** The rows of a SELECT; none after a message. */
static struct query_rows *
ask(struct database *db, const char *sql)
{
    struct query_mistake m;
    struct query_rows *rows = database_query(db, sql, LIMITS, &m);
    if (!rows)
    {
        fprintf(stderr, "weft: error: the results cannot be read: %s\n", m.message);
        free(m.message);
        rows = xcalloc(1, sizeof *rows);
    }
    return rows;
}

/** Adds a number; halves are rounded up, as in CSV files. Nothing is behind 0. */
static void
add_number(struct text *t, const char *format, double value)
{
    char digits[40];
    const double above = value != 0 ? nextafter(value, copysign(INFINITY, value)) : 0;
    snprintf(digits, sizeof digits, format, above);
    text_add(t, "%s", digits);
}

/* --- tables ----------------------------------------------------------------------------------- */

/** A column of numbers. */
struct shown
{
    const char *sql;    /**< of a row t; '$' stands for "_mean" in `aggregate` */
    const char *column; /**< whose seeds a mean tells of */
    const char *format, *title;
};

static const struct shown shown[] = {
    {"(t.cct_us$ - t.first_start_us$) * 1e-3", "cct_us", "%#.5g", "cct_ms"},
    {"t.goodput_gbps$", "goodput_gbps", "%.2f", "goodput_gbps"},
    {"t.mean_rate_gbps$", "mean_rate_gbps", "%.2f", "rate_gbps"},
    {"t.resent_share$ * 100", "resent_share", "%.2f", "resent_%"},
    {"t.nacks_received$", "nacks_received", "%.0f", "nacks"},
    {"t.timeouts$", "timeouts", "%.0f", "timeouts"},
    {"t.increase$ * 100", "increase", "%.2f", "increase_%"},
};

/** Beside `increase` if a fabric cannot serve its hosts at line rate: it says what of the increase
 * is not the fabric's own. */
static const struct shown shown_rho = {"t.increase_rho$ * 100", "increase_rho", "%.2f",
                                       "   increase_rho_%"};

/** Messages that were given up, and those that waited for them. */
static const struct shown shown_failed = {"t.failed$ + t.unstarted$", "failed", "%.5g", "failed"};

/** Of each workload by itself. */
static const struct shown shown_cct = {"(t.cct_us - t.start_us) * 1e-3", "cct_us", "%#.5g",
                                       "cct_ms"};
static const struct shown shown_increase = {"t.increase * 100", "increase", "%.2f", "increase_%"};

/** A table while it is asked for. */
struct table
{
    struct text sql;
    size_t nnames;                  /**< columns that name the rows, which come first */
    const struct shown *numbers[9]; /**< behind them; then, of means, of how many seeds each is */
    size_t nnumbers;
};

/** Begins a SELECT with what varies, the run's name if nothing does. */
static struct table
begin_table(const struct database_writer *w, bool means)
{
    struct table t = {.nnames = means || w->nkeys == 0};
    text_add(&t.sql, "SELECT %s", means ? "t.seeds" : t.nnames ? "s.name AS run" : "");
    for (size_t k = 0; k < w->nkeys; k++)
    {
        if (!means || !w->keys[k].is_seed)
        {
            text_add(&t.sql, t.nnames++ ? ", s." : "s.");
            sql_add_name(&t.sql, w->keys[k].name);
        }
    }
    return t;
}

static void
add_shown(struct table *t, const struct shown *s, bool means)
{
    text_add(&t->sql, ", ");
    for (const char *c = s->sql; *c; c++)
    {
        *c != '$' ? text_add(&t->sql, "%c", *c) : text_add(&t->sql, "%s", means ? "_mean" : "");
    }
    text_add(&t->sql, " AS \"%s\"", s->title);
    t->numbers[t->nnumbers++] = s;
}

/** A number as it is shown, or "-"; a mean tells of how many seeds it is if not all have a value.
 */
static char *
number_text(const struct table *t, const struct query_rows *rows, size_t row, size_t c)
{
    const struct query_cell *cell = &rows->cells[row * rows->ncolumns + c];
    struct text text = {0};
    if (cell->kind == QUERY_NULL)
    {
        return xstrdup("-");
    }
    add_number(&text, t->numbers[c - t->nnames]->format, cell->real);
    if (c + t->nnumbers < rows->ncolumns)
    {
        query_cell_add(&text, cell + t->nnumbers);
    }
    return text_take(&text);
}

/** Prints the names of the columns, or a row. */
static void
print_row(const struct table *t, const struct query_rows *rows, const size_t *widths, size_t row)
{
    for (size_t c = 0; c < t->nnames + t->nnumbers; c++)
    {
        const bool name = c < t->nnames;
        OWNED char *text = row == 0 ? xstrdup(rows->columns[c])
                           : name   ? query_cell_text(&rows->cells[(row - 1) * rows->ncolumns + c])
                                    : number_text(t, rows, row - 1, c);
        /* Of numbers there is a blank even before what is too wide. */
        name ? printf("%-*s  ", (int)widths[c], text)
             : printf("%s%*s", row ? " " : "", (int)widths[c] - (row > 0), text);
    }
    printf("\n");
}

/** Asks for the rest of a table and prints it, up to MOST_SHOWN rows, if it has any. */
static void
print_table(struct database *db, struct table *t, const char *title)
{
    CLEANUP(query_rows_drop) struct query_rows *rows = ask(db, t->sql.s);
    const size_t n = rows->nrows < MOST_SHOWN ? rows->nrows : MOST_SHOWN;
    OWNED size_t *widths = xcalloc(rows->ncolumns + 1, sizeof *widths);
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        const size_t least = c < t->nnames ? 0 : 13, title_width = strlen(rows->columns[c]);
        widths[c] = title_width > least ? title_width : least;
        for (size_t row = 0; c < t->nnames && row < n; row++)
        {
            OWNED char *text = query_cell_text(&rows->cells[row * rows->ncolumns + c]);
            widths[c] = strlen(text) > widths[c] ? strlen(text) : widths[c];
        }
    }
    printf("%s", n ? title : "");
    for (size_t row = 0; n && row <= n; row++)
    {
        print_row(t, rows, widths, row);
    }
    if (rows->nrows > n)
    {
        printf("... and %zu more\n", rows->nrows - n);
    }
    free(t->sql.s);
}

/** The values that vary and the main totals, of runs or of means over seeds. */
static void
print_totals(struct database *db, const struct database_writer *w, bool means)
{
    const char *from = means ? "aggregate" : "summary", *mean = means ? "_mean" : "";
    OWNED char *what = xformat("SELECT min(rho_max%s) < 1, max(failed%s + unstarted%s) > 0 FROM %s",
                               mean, mean, mean, from);
    CLEANUP(query_rows_drop) struct query_rows *any = ask(db, what);
    struct table t = begin_table(w, means);
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
    {
        add_shown(&t, &shown[i], means);
    }
    if (any->nrows && any->cells[0].integer)
    {
        add_shown(&t, &shown_rho, means);
    }
    if (any->nrows && any->cells[1].integer)
    {
        add_shown(&t, &shown_failed, means);
    }
    for (size_t i = 0; means && i < t.nnumbers; i++)
    {
        const char *column = t.numbers[i]->column;
        text_add(&t.sql,
                 ", CASE WHEN t.%s_n < t.seeds THEN printf(' (%%d/%%d)', t.%s_n, t.seeds) END",
                 column, column);
    }
    text_add(&t.sql, " FROM %s t CROSS JOIN %s s ON s.rowid = t.rowid ORDER BY t.rowid", from,
             from);
    print_table(db, &t,
                means ? "\nmean over seeds (aggregate.csv has their spread as well)\n" : "");
}

/** Completion times of each workload by itself, where there are several. */
static void
print_workloads(struct database *db, const struct database_writer *w)
{
    struct table t = begin_table(w, false);
    text_add(&t.sql, ", t.workload");
    t.nnames++;
    add_shown(&t, &shown_cct, false);
    add_shown(&t, &shown_increase, false);
    text_add(&t.sql, " FROM workloads t CROSS JOIN summary s ON s.run = t.run ORDER BY t.rowid");
    print_table(db, &t, "\nby workload\n");
}

/* --- seeds without a value -------------------------------------------------------------------- */

/** The number in a cell of the column that is called @p name and @p suffix; NAN: it has none, or
 * there is no such column. */
static double
number_at(const struct query_rows *rows, size_t row, const char *name, const char *suffix)
{
    const size_t n = strlen(name);
    for (size_t c = 0; c < rows->ncolumns; c++)
    {
        if (strncmp(rows->columns[c], name, n) == 0 && strcmp(rows->columns[c] + n, suffix) == 0)
        {
            return rows->cells[row * rows->ncolumns + c].real;
        }
    }
    return NAN;
}

/** The values of one case, as "ops, 1MiB"; the scenario's name if nothing but the seed varies. */
static char *
case_name(const char *scenario, const struct query_rows *aggregate, size_t row, size_t nkeys)
{
    struct text t = {0};
    for (size_t c = 1; c <= nkeys; c++)
    {
        OWNED char *cell = query_cell_text(&aggregate->cells[row * aggregate->ncolumns + c]);
        text_add(&t, "%s%s", c > 1 ? ", " : "", cell);
    }
    return t.s ? text_take(&t) : xstrdup(scenario);
}

/** Warns once for each number of runs that lack values, with their columns: values that others
 * have, or that there would be if no messages had failed, which leaves a run without an increase.
 */
static void
warn_of_case(const char *scenario, const struct query_rows *aggregate, size_t row, size_t nkeys)
{
    const double of = number_at(aggregate, row, "seeds", "");
    const bool failed = number_at(aggregate, row, "failed", "_max") > 0 ||
                        number_at(aggregate, row, "unstarted", "_max") > 0;
    OWNED char *name = case_name(scenario, aggregate, row, nkeys);
    OWNED double *lack = xcalloc(summary_table.n, sizeof *lack);
    for (size_t c = 0; c < summary_table.n; c++)
    {
        const char *column = summary_table.columns[c].name;
        const double n = number_at(aggregate, row, column, "_n");
        lack[c] = n > 0 || (failed && strcmp(column, "increase") == 0) ? of - n : 0;
    }
    for (double missing = 1; missing <= of; missing++)
    {
        CLEANUP(text_drop) struct text columns = {0};
        for (size_t c = 0; c < summary_table.n; c++)
        {
            if (fabs(lack[c] - missing) < 0.5)
            {
                text_add(&columns, "%s%s", columns.len ? ", " : "", summary_table.columns[c].name);
            }
        }
        if (columns.len)
        {
            fprintf(stderr,
                    "weft: warning: %.0f of %.0f runs of %s have no %s%s; means are over the other "
                    "runs\n",
                    missing, of, name, columns.s, failed ? " (messages failed)" : "");
        }
    }
}

/* --- notes ------------------------------------------------------------------------------------ */

/** Whoever turns PFC on counts on no loss. */
static bool
has_no_pfc(const struct scenario *s)
{
    return !((const struct weft_mmu_config *)s->switches.config)->pfc;
}

/** To others what overtakes a packet looks like its loss. */
static bool
wants_no_order(const struct scenario *s)
{
    return weft_transport_find(s->transport.algo->name)->nacks != WEFT_NACKS_ORDER;
}

/** Whether flows start at times of their own, at random or from a file: the last one to end is
 * then one that is large or late, and what it met says nothing of the others. */
static bool
has_arrivals(const struct scenario *s)
{
    bool has = false;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        const struct workload *w = &s->workloads[i];
        const struct weft_table *table = &w->table;
        has = has || strcmp(w->choice.algo->name, "poisson") == 0;
        for (uint32_t k = 1; !has && k < table->nflows; k++)
        {
            has = table->flows[k].start != table->flows[0].start;
        }
    }
    return has;
}

/** What the numbers of a sweep mean that a reader of its table may miss. */
static const struct note
{
    const char *says;
    bool (*but)(const struct scenario *s); /**< not of runs of which this is true; NULL: of all */
    /** Of what happened: the run from 0, how much it was there, and what is said of the run in
     * which it was most, one piece after the other. */
    const char *select;
} notes[] = {
    {"PFC is on, and switch buffers dropped packets in", has_no_pfc,
     "SELECT run - 1, dropped_buffer,"
     " ', ', dropped_buffer, ' in ', name, ': headroom of <switch> is too small'"
     " FROM summary WHERE dropped_buffer > 0"},
    {"failures were to come after the end of", NULL,
     "SELECT run - 1, 0, ', which they did not change (failures_late)'"
     " FROM summary WHERE failures_late > 0"},
    /* One QP alone may make a run's completion time: three times as slow as the median one, and
     * the last one that was delivered, or nearly: of the run's time nine tenths have passed when
     * it ends. */
    {"the slowest QP is far off and among the last to be done in", has_arrivals,
     "SELECT s.run - 1, qp_slowdown_max / qp_slowdown_p50,"
     " ': QP ', slowest_qp, ' of ', name, ' takes ', qp_slowdown_max,"
     " ' times as long as alone, the median QP ', qp_slowdown_p50, ' times (qps)'"
     " FROM summary s CROSS JOIN qps q ON q.run = s.run AND q.qp = s.slowest_qp"
     " WHERE qp_slowdown_max / qp_slowdown_p50 >= 3 AND q.delivered_us - first_start_us >= 0.9 * "
     "(cct_us - first_start_us)"},
    /* With such shares and increases retransmissions are likelier to decide than paths. */
    {"retransmissions may decide in", wants_no_order,
     "SELECT run - 1, increase,"
     " ': in ', name, ' ', 100 * resent_share, ' % of the packets are sent again, after ',"
     " nacks_received, ' NACKs and ', timeouts, ' timeouts; a <transport> that keeps what comes out"
     " of order and repeats only what is lost, such as sack, tells them from paths'"
     " FROM summary WHERE increase > 1 AND (resent_share > 0.05 OR timeouts > 0)"},
};

static bool
is_meant(const struct plan *plan, size_t run, const struct note *note)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = plan->doc->path};
    CLEANUP(scenario_drop) struct scenario *s = note->but ? plan_load(plan, run, &d) : NULL;
    return !note->but || (s && !note->but(s));
}

static void
print_note(const struct plan *plan, struct database *db, size_t nruns, const struct note *note)
{
    CLEANUP(query_rows_drop) struct query_rows *rows = ask(db, note->select);
    CLEANUP(text_drop) struct text t = {0};
    const struct query_cell *most = NULL;
    size_t n = 0;
    for (size_t row = 0; row < rows->nrows; row++)
    {
        const struct query_cell *cells = &rows->cells[row * rows->ncolumns];
        if (is_meant(plan, (size_t)cells[0].integer, note))
        {
            most = !most || cells[1].real > most[1].real ? cells : most;
            n++;
        }
    }
    for (size_t c = 2; most && c < rows->ncolumns; c++)
    {
        most[c].kind == QUERY_REAL ? add_number(&t, "%.4g", most[c].real)
                                   : query_cell_add(&t, &most[c]);
    }
    if (most)
    {
        printf("%s %zu of %zu runs%s\n", note->says, n, nruns, t.s);
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

void
summary_print(const struct plan *plan, struct database *db, const struct database_writer *w,
              size_t nruns)
{
    print_totals(db, w, false);
    if (database_has_seeds(w))
    {
        CLEANUP(query_rows_drop)
        struct query_rows *aggregate = ask(db, "SELECT * FROM aggregate");
        print_totals(db, w, true);
        fflush(stdout);
        for (size_t row = 0; row < aggregate->nrows; row++)
        {
            warn_of_case(plan->name, aggregate, row, w->nkeys - 1);
        }
    }
    print_workloads(db, w);
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
    {
        print_note(plan, db, nruns, &notes[i]);
    }
}
