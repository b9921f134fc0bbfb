/* SPDX-License-Identifier: GPL-2.0-only */
#include "summary-notes.h"

#include <stdio.h>
#include <string.h>

#include "input-file.h"
#include "summary-print.h"

/** The run of the plan that a row is of. */
static size_t
run_of(const struct query_rows *rows, size_t row)
{
    return (size_t)summary_number(rows, row, "at", "");
}

/** Runs of which a note is, and the one in which the most happened. */
struct noted
{
    size_t n;
    double most;
    size_t row; /**< of that one */
};

static void
note(struct noted *of, size_t row, double value)
{
    if (value > of->most || of->n == 0)
    {
        of->most = value;
        of->row = row;
    }
    of->n++;
}

static bool
has_pfc(const struct scenario *s)
{
    return ((const struct weft_mmu_config *)s->switches.config)->pfc;
}

/** What overtakes a packet looks like its loss to these. */
static bool
wants_order(const struct scenario *s)
{
    const char *transport = s->transport.algo->name;
    return strcmp(transport, "nic-sr") == 0 || strcmp(transport, "gbn") == 0;
}

static bool
is_run(const struct plan *plan, size_t run, bool (*is)(const struct scenario *s))
{
    struct diagnostics d = {.file = plan->doc->path};
    struct scenario *s = plan_load(plan, run, &d);
    const bool yes = s && is(s);
    scenario_free(s);
    diag_free(&d);
    return yes;
}

/** Whoever turns PFC on counts on no loss. */
static void
note_losses(const struct plan *plan, struct database *db, size_t nruns)
{
    struct noted lossy = {0};
    struct query_rows *rows = summary_rows(
        db, "SELECT run - 1 AS at, dropped_buffer FROM summary WHERE dropped_buffer > 0");
    for (size_t row = 0; row < rows->nrows; row++)
    {
        if (is_run(plan, run_of(rows, row), has_pfc))
        {
            note(&lossy, row, summary_number(rows, row, "dropped_buffer", ""));
        }
    }
    if (lossy.n)
    {
        printf("PFC is on, and switch buffers dropped packets in %zu of %zu runs, %.0f in %s: "
               "headroom of <switch> is too small\n",
               lossy.n, nruns, lossy.most, plan->names[run_of(rows, lossy.row)]);
    }
    query_rows_free(rows);
}

static void
note_late_failures(struct database *db, size_t nruns)
{
    struct query_rows *late = summary_rows(db, "SELECT 1 FROM summary WHERE failures_late > 0");
    if (late->nrows)
    {
        printf("failures were to come after the end of %zu of %zu runs, which they did not change "
               "(failures_late)\n",
               late->nrows, nruns);
    }
    query_rows_free(late);
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
        const struct weft_table none = {0}, *table = w->input ? &w->input->table : &none;
        has = has || strcmp(w->choice.algo->name, "poisson") == 0;
        for (uint32_t k = 1; !has && k < table->nflows; k++)
        {
            has = table->flows[k].start != table->flows[0].start;
        }
    }
    return has;
}

/** Runs whose slowest QP is three times as slow as the median one, and the last one that was
 * delivered, or nearly: of the run's time nine tenths have passed when it ends. */
static const char far_off[] =
    "SELECT s.run - 1 AS at, slowest_qp, qp_slowdown_max, qp_slowdown_p50,"
    " qp_slowdown_max / qp_slowdown_p50 AS ratio"
    " FROM summary s CROSS JOIN qps q ON q.run = s.run AND q.qp = s.slowest_qp"
    " WHERE ratio >= 3 AND q.delivered_us - first_start_us >= 0.9 * (cct_us - first_start_us)";

/** One QP alone may make a run's completion time. */
static void
note_slowest(const struct plan *plan, struct database *db, size_t nruns)
{
    struct noted off = {0};
    struct query_rows *rows = summary_rows(db, far_off);
    for (size_t row = 0; row < rows->nrows; row++)
    {
        if (!is_run(plan, run_of(rows, row), has_arrivals))
        {
            note(&off, row, summary_number(rows, row, "ratio", ""));
        }
    }
    if (off.n)
    {
        printf(
            "the slowest QP is far off and among the last to be done in %zu of %zu runs: QP %.0f "
            "of %s takes %.4g times as long as alone, the median QP %.4g times (qps)\n",
            off.n, nruns, summary_number(rows, off.row, "slowest_qp", ""),
            plan->names[run_of(rows, off.row)],
            summary_number(rows, off.row, "qp_slowdown_max", ""),
            summary_number(rows, off.row, "qp_slowdown_p50", ""));
    }
    query_rows_free(rows);
}

/** Runs with shares and increases from which retransmissions are likelier to decide than paths. */
static const char much_resent[] =
    "SELECT run - 1 AS at, increase, resent_share, nacks_received, timeouts FROM summary"
    " WHERE increase > 1 AND (resent_share > 0.05 OR timeouts > 0)";

static void
note_resent(const struct plan *plan, struct database *db, size_t nruns)
{
    struct noted slow = {0};
    struct query_rows *rows = summary_rows(db, much_resent);
    for (size_t row = 0; row < rows->nrows; row++)
    {
        if (is_run(plan, run_of(rows, row), wants_order))
        {
            note(&slow, row, summary_number(rows, row, "increase", ""));
        }
    }
    if (slow.n)
    {
        printf(
            "retransmissions may decide in %zu of %zu runs: in %s %.4g %% of the packets are "
            "sent again, after %.0f NACKs and %.0f timeouts; a <transport> that keeps what comes "
            "out of order and repeats only what is lost, such as sack, tells them from paths\n",
            slow.n, nruns, plan->names[run_of(rows, slow.row)],
            100 * summary_number(rows, slow.row, "resent_share", ""),
            summary_number(rows, slow.row, "nacks_received", ""),
            summary_number(rows, slow.row, "timeouts", ""));
    }
    query_rows_free(rows);
}

void
summary_notes(const struct plan *plan, struct database *db, size_t nruns)
{
    note_losses(plan, db, nruns);
    note_late_failures(db, nruns);
    note_slowest(plan, db, nruns);
    note_resent(plan, db, nruns);
}
