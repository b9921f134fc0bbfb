/* SPDX-License-Identifier: GPL-2.0-only */
/* Notes on what happened in the runs of a sweep. */
#include "notes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "notes-unchanged.h"

/** Notes while they are found. */
struct notes
{
    const struct plan *plan;
    struct database *db; /**< all results, to be queried */
    struct text inserts; /**< what puts the notes into the table */
};

/** Adds one. @p run: the one that it names, from 1; 0: none. */
static void
add(struct notes *notes, const char *kind, size_t run, const char *text)
{
    OWNED char *number = run ? xformat("%zu", run) : xstrdup("NULL");
    text_add(&notes->inserts, "INSERT INTO main.notes VALUES (");
    sql_add_literal(&notes->inserts, kind);
    text_add(&notes->inserts, ", %s, ", number);
    sql_add_literal(&notes->inserts, text);
    text_add(&notes->inserts, ");");
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

/** Says once for each number of runs that lack values which columns those are: values that others
 * have, or that there would be if no messages had failed, which leaves a run without an increase.
 */
static void
add_missing_of(struct notes *notes, const struct query_rows *aggregate, size_t row, size_t nkeys)
{
    const double of = number_at(aggregate, row, "seeds", "");
    const bool failed = number_at(aggregate, row, "failed", "_max") > 0 ||
                        number_at(aggregate, row, "unstarted", "_max") > 0;
    OWNED char *name = case_name(notes->plan->name, aggregate, row, nkeys);
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
        OWNED char *text =
            xformat("%.0f of %.0f runs of %s have no %s%s; means are over the other runs", missing,
                    of, name, columns.s, failed ? " (messages failed)" : "");
        if (columns.len)
        {
            add(notes, NOTES_MISSING, 0, text);
        }
    }
}

static void
add_missing(struct notes *notes, size_t nkeys)
{
    CLEANUP(query_rows_drop)
    struct query_rows *aggregate = results_ask(notes->db, "SELECT * FROM aggregate");
    for (size_t row = 0; row < aggregate->nrows; row++)
    {
        add_missing_of(notes, aggregate, row, nkeys - 1);
    }
}

/* --- of runs ---------------------------------------------------------------------------------- */

/** Whoever turns PFC off does not count on no loss. */
static bool
has_pfc(const struct scenario *s, const struct query_cell *cells)
{
    (void)cells;
    return ((const struct weft_mmu_config *)s->switches.config)->pfc;
}

static bool
wants_order(const struct choice *transport)
{
    return weft_transport_find(transport->algo->name)->nacks == WEFT_NACKS_ORDER;
}

/** To a NIC that wants order what overtakes a packet looks like its loss. Whether a workload has
 * such a one; it repeats for NACKs and timeouts, as the query says. */
static bool
nic_wants_order(const struct scenario *s, const struct query_cell *cells)
{
    bool wants = false;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        const uint32_t level = s->workloads[i].level;
        wants = wants || wants_order(level ? &s->classes[level - 1].transport : &s->transport);
    }
    return wants && cells[2].integer > 0;
}

/** Whether all flows start together. Where they start at times of their own, at random or from a
 * file, the last one to end is one that is large or late, and what it met says nothing of the
 * others. */
static bool
start_together(const struct scenario *s, const struct query_cell *cells)
{
    bool has_arrivals = false;
    (void)cells;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        const struct workload *w = &s->workloads[i];
        const struct weft_table *table = &w->table;
        has_arrivals = has_arrivals || strcmp(w->choice.algo->name, "poisson") == 0;
        for (uint32_t k = 1; !has_arrivals && k < table->nflows; k++)
        {
            has_arrivals = table->flows[k].start != table->flows[0].start;
        }
    }
    return !has_arrivals;
}

/** Time without progress before a timeout, us: the longest of all NICs. */
static double
longest_rto(const struct scenario *s)
{
    int64_t longest = weft_config_get_int(s->transport.algo, s->transport.config, "rto", 0);
    for (size_t i = 0; i < s->nclasses; i++)
    {
        const struct choice *t = &s->classes[i].transport;
        const int64_t rto = weft_config_get_int(t->algo, t->config, "rto", 0);
        longest = rto > longest ? rto : longest;
    }
    return (double)longest * 1e-6;
}

/** Whether a straggler's losses account for the time that it lost: its repeats or its control, as
 * the query says, or the timeouts with which it waited half of that or more. */
static bool
explains_straggler(const struct scenario *s, const struct query_cell *cells)
{
    return cells[2].integer || 2 * cells[3].real * longest_rto(s) >= cells[4].real;
}

static void
name_nic(const struct scenario *s, struct text *t)
{
    if (s->nclasses == 0)
    {
        text_add(t, "; the NIC (%s with %s) decides more here than paths", s->transport.algo->name,
                 s->cc.algo->name);
    }
}

static void
advise_against_repeats(const struct scenario *s, struct text *t)
{
    const char *name = s->transport.algo->name;
    const int64_t threshold =
        weft_config_get_int(s->transport.algo, s->transport.config, "threshold", 0);
    if (s->nclasses > 0)
    {
        return; /* whose NIC it was the totals do not say */
    }
    text_add(t, ", by %s", name);
    if (threshold > 0)
    {
        text_add(t,
                 ", which takes a packet for lost when one %lld later has arrived: leave "
                 "`threshold` out",
                 (long long)threshold);
    }
    else if (wants_order(&s->transport))
    {
        text_add(t, ", which takes late packets for lost: compare balancers with another "
                    "<transport> as well, such as sack");
    }
}

/** How a straggler's losses hold it up: its control cuts the rate for them rather than for
 * congestion, to less than half of what the fabric gives, or its repeats take half of the lost
 * time. Where it gets no NACK and has no timeout, it knows of losses from ACKs. */
#define LOSSES_CUT                                                                                 \
    "(s.straggler_cuts > 0 AND s.straggler_cuts <= 2 * (CASE"                                      \
    " WHEN s.straggler_nacks + s.straggler_timeouts > 0"                                           \
    " THEN s.straggler_nacks + s.straggler_timeouts ELSE s.straggler_resent END)"                  \
    " AND 2 * q.mean_rate_gbps * 1000 * (q.busy_us - q.lost_us) <= 8 * q.bytes)"
#define REPEATS_TAKE "(2 * q.resent_share * q.busy_us >= q.lost_us)"
/** A host's number, with what the topology's file calls it where that differs. */
#define SHOWN(host)                                                                                \
    host " || coalesce((SELECT ' (' || n.name || ' in the topology''s file)' FROM nodes n"         \
         " WHERE n.run = q.run AND n.kind = 'host' AND n.number = " host                           \
         " AND n.name <> CAST(" host " AS TEXT)), '')"
/** The median slowdown of the slowest QP's workload; there is no row of it if it is the only one.
 */
#define MEDIAN                                                                                     \
    "coalesce((SELECT p50(o.fct_slowdown) FROM workloads w JOIN qps o ON o.run = w.run AND"        \
    " o.qp >= w.first_qp AND o.qp < w.first_qp + w.qps WHERE w.run = q.run AND"                    \
    " q.qp >= w.first_qp AND q.qp < w.first_qp + w.qps), qp_slowdown_p50)"
#define STRAGGLER "FROM summary s LEFT JOIN qps q ON q.run = s.run AND q.qp = s.straggler_qp"

/** Ports of hosts to planes, by run: how many there are of hosts that sent, and how many of those
 * carried next to nothing. */
#define IDLE_PORTS                                                                                 \
    "SELECT run, count(*) AS ports, sum(100 * bytes < most) AS idle FROM (SELECT run, bytes,"      \
    " max(bytes) OVER (PARTITION BY run, host) AS most FROM links WHERE host IS NOT NULL"          \
    " AND link LIKE 'host % -> plane %') WHERE most > 0 GROUP BY run"

enum
{
    NOTE_PFC,
    NOTE_LATE,
    NOTE_STRAGGLER,
    NOTE_FAR_OFF,
    NOTE_REPEATS,
    NOTE_SPURIOUS,
    NOTE_IDLE,
    NOTES,
};

/** A note on the runs that a query finds: how many, and of one of them more. */
static const struct note
{
    const char *kind, *says;
    unsigned but; /**< bits of notes before it: runs of which they are said are not meant */
    bool (*holds)(const struct scenario *s, const struct query_cell *cells); /**< NULL: yes */
    /** SQL for each run: how much it was there, and what holds() wants to know; for the run in
     * which it was most, pieces of text, one after the other. */
    const char *much, *tells, *from;
    void (*adds)(const struct scenario *s, struct text *t); /**< of the same run; NULL: nothing */
} notes_of_runs[NOTES] = {
    [NOTE_PFC] = {"pfc-loss", "PFC is on, and switch buffers dropped packets in", 0, has_pfc,
                  "dropped_buffer",
                  "', ', dropped_buffer, ' in ', name, ': headroom of <switch> is too small'",
                  "FROM summary s WHERE dropped_buffer > 0", NULL},
    [NOTE_LATE] = {"late-failure", "failures were to come after the end of", 0, NULL, "0",
                   "', which they did not change (failures_late)'",
                   "FROM summary s WHERE failures_late > 0", NULL},
    /* The run would last half as long, or less, if this QP had lost nothing; and it is not like all
     * others. */
    [NOTE_STRAGGLER] =
        {"straggler", "what one QP takes for losses costs half of the time or more in", 0,
         explains_straggler,
         "s.qp_lost_max_us, " LOSSES_CUT " OR " REPEATS_TAKE
         ", s.straggler_timeouts, s.qp_lost_max_us",
         "': in ', name, ' QP ', q.qp, ' (host ', " SHOWN("q.src") ", ' -> host ', " SHOWN(
             "q.dst") ", ') lost ',"
                      " q.lost_us * 1e-3, ' of its ', q.busy_us * 1e-3, ' ms, the median QP ',"
                      " s.qp_lost_p50_us * 1e-3, ': ', s.straggler_nacks, ' NACKs, ', "
                      "s.straggler_cuts,"
                      " ' rate cuts, ', s.straggler_timeouts, ' timeouts, ', s.straggler_resent,"
                      " ' packets sent again'",
         STRAGGLER " WHERE 2 * s.qp_lost_p50_us <= s.qp_lost_max_us"
                   " AND 2 * s.qp_lost_max_us >= coalesce(s.cct_us, s.end_us) - s.first_start_us"
                   " AND (s.straggler_timeouts > 0 OR " LOSSES_CUT " OR " REPEATS_TAKE ")",
         name_nic},
    /* A QP alone may make a run's completion time: three times as slow as the median one of its
     * workload, and the last one that was delivered, or nearly: of the run's time nine tenths have
     * passed when it ends. */
    [NOTE_FAR_OFF] = {"far-off-qp", "the slowest QP is far off and among the last to be done in",
                      1 << NOTE_STRAGGLER, start_together, "qp_slowdown_max / " MEDIAN,
                      "': QP ', slowest_qp, ' of ', name, ' takes ', qp_slowdown_max,"
                      " ' times as long as alone, the median QP ', " MEDIAN ", ' times (qps)'",
                      "FROM summary s CROSS JOIN qps q ON q.run = s.run AND q.qp = s.slowest_qp"
                      " WHERE q.delivered_us - first_start_us >= 0.9 * (cct_us - first_start_us)"
                      " AND qp_slowdown_max / " MEDIAN " >= 3",
                      NULL},
    /* With such shares and increases retransmissions are likelier to decide than paths, and where
     * rates are cut for losses as well. */
    [NOTE_REPEATS] =
        {"retransmissions", "retransmissions may decide in", 1 << NOTE_STRAGGLER, nic_wants_order,
         "increase, s.nacks_received + s.timeouts",
         "': in ', name, ' ', 100 * s.resent_share, ' % of the packets are sent again, after ',"
         " s.nacks_received, ' NACKs and ', s.timeouts, ' timeouts, with ', s.cuts, ' rate cuts;"
         " a <transport> that keeps what comes out of order and repeats only what is lost, such as "
         "sack, tells them from paths'",
         STRAGGLER " WHERE increase > 1 AND"
                   " (s.resent_share > 0.05 OR s.timeouts > 0 OR " LOSSES_CUT ")",
         NULL},
    /* Packets that are there already take a hundredth of the bandwidth or more. */
    [NOTE_SPURIOUS] = {"spurious", "packets that had arrived were sent again in", 1 << NOTE_REPEATS,
                       NULL, "spurious_share",
                       "': in ', name, ' ', 100 * spurious_share, ' % of the data packets"
                       " (spurious_share)'",
                       "FROM summary s WHERE spurious_share >= 0.01", advise_against_repeats},
    /* A quarter of what hosts could send by, or more. */
    [NOTE_IDLE] = {"idle-planes", "hosts left planes idle in", 0, NULL, "1.0 * idle / ports",
                   "': in ', name, ' ', idle, ' of the ', ports, ' ports of hosts that sent carried"
                   " less than a hundredth of what the busiest port of the host did (links); more"
                   " QPs, host-port=\"round-robin\" of <fabric>, or a balancer that labels packets,"
                   " such as reps, use all'",
                   "FROM summary s JOIN (" IDLE_PORTS
                   ") i ON i.run = s.run WHERE 4 * idle >= ports",
                   NULL},
};

/** Whether a run is meant; of a scenario that cannot be loaded nobody knows. */
static bool
holds(const struct notes *notes, const struct note *note, const struct query_cell *cells)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = notes->plan->doc->path};
    CLEANUP(scenario_drop)
    struct scenario *s =
        note->holds ? plan_load(notes->plan, (size_t)cells[0].integer - 1, &d) : NULL;
    return !note->holds || (s && note->holds(s, cells));
}

/** Whether a note before this one is said of the run, in whose stead this one would be. */
static bool
is_told(const struct note *note, const unsigned *told, size_t run)
{
    return (told[run] & note->but) != 0;
}

/** Adds the note on @p n runs, with what it tells of one of them. */
static void
add_note(struct notes *notes, const struct note *note, size_t run, size_t n, size_t of)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = notes->plan->doc->path};
    CLEANUP(scenario_drop)
    struct scenario *s = note->adds ? plan_load(notes->plan, run - 1, &d) : NULL;
    OWNED char *sql = xformat("SELECT %s %s AND s.run = %zu", note->tells, note->from, run);
    CLEANUP(query_rows_drop) struct query_rows *told = results_ask(notes->db, sql);
    CLEANUP(text_drop) struct text t = {0};
    text_add(&t, "%s %zu of %zu runs", note->says, n, of);
    for (size_t c = 0; told->nrows && c < told->ncolumns; c++)
    {
        told->cells[c].kind == QUERY_REAL ? text_add_rounded(&t, "%.4g", told->cells[c].real)
                                          : query_cell_add(&t, &told->cells[c]);
    }
    if (s)
    {
        note->adds(s, &t);
    }
    add(notes, note->kind, run, t.s);
}

/** Finds the runs of a note. @p told: of each run, from 1, the notes that are said of it. */
static void
find_runs(struct notes *notes, const struct note *note, unsigned *told, size_t of)
{
    OWNED char *sql = xformat("SELECT s.run, %s %s", note->much, note->from);
    CLEANUP(query_rows_drop) struct query_rows *rows = results_ask(notes->db, sql);
    const struct query_cell *most = NULL;
    size_t n = 0;
    for (size_t row = 0; row < rows->nrows; row++)
    {
        const struct query_cell *cells = &rows->cells[row * rows->ncolumns];
        const size_t run = (size_t)cells[0].integer;
        if (!is_told(note, told, run) && holds(notes, note, cells))
        {
            most = !most || cells[1].real > most[1].real ? cells : most;
            told[run] |= 1U << (note - notes_of_runs);
            n++;
        }
    }
    if (most)
    {
        add_note(notes, note, (size_t)most[0].integer, n, of);
    }
}

/** Has each run's row say which notes hold for it. */
static void
add_to_summary(struct notes *notes, const unsigned *told)
{
    for (size_t run = 1; run <= notes->plan->nruns; run++)
    {
        CLEANUP(text_drop) struct text kinds = {0};
        for (size_t i = 0; i < NOTES; i++)
        {
            if (told[run] >> i & 1)
            {
                text_add(&kinds, "%s%s", kinds.len ? " " : "", notes_of_runs[i].kind);
            }
        }
        if (kinds.len)
        {
            text_add(&notes->inserts, "UPDATE main.summary SET notes = '%s' WHERE run = %zu;",
                     kinds.s, run);
        }
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

static void
find_all(struct notes *notes, const struct database_writer *w)
{
    CLEANUP(query_rows_drop)
    struct query_rows *runs = results_ask(notes->db, "SELECT count(*) FROM summary");
    OWNED unsigned *told = xcalloc(notes->plan->nruns + 1, sizeof *told);
    if (database_has_seeds(w))
    {
        add_missing(notes, w->nkeys);
    }
    for (size_t i = 0; runs->nrows && i < NOTES; i++)
    {
        find_runs(notes, &notes_of_runs[i], told, (size_t)runs->cells[0].integer);
    }
    add_to_summary(notes, told);
    OWNED char **unchanged = notes_unchanged(notes->plan, notes->db);
    for (size_t k = 0; k < notes->plan->ndimensions; k++)
    {
        if (unchanged[k])
        {
            add(notes, "unchanged", 0, unchanged[k]);
        }
        free(unchanged[k]);
    }
}

bool
notes_write(const struct plan *plan, const struct database_writer *w, char **why)
{
    struct notes notes = {plan, database_lend(w->file.db, why), {0}};
    if (notes.db)
    {
        text_add(&notes.inserts, "BEGIN;");
        find_all(&notes, w);
        text_add(&notes.inserts, "COMMIT;");
    }
    const bool good = notes.db && sql_file_run(&w->file, notes.inserts.s, why);
    database_give_back(notes.db);
    text_drop(&notes.inserts);
    return good;
}
