/* SPDX-License-Identifier: GPL-2.0-only */
#include "summary-notes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "input-file.h"
#include "run-folder.h"
#include "textbuf.h"

double
summary_number(const struct csv *csv, size_t row, const char *name, const char *suffix)
{
    char *whole = xformat("%s%s", name, suffix);
    long column = csv_column(csv, whole);
    const char *cell = column < 0 ? "" : csv_cell(csv, row, (size_t)column);
    free(whole);
    return *cell ? strtod(cell, NULL) : NAN;
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
note_losses(const struct plan *plan, const struct csv *csv, const size_t *runs)
{
    struct noted lossy = {0};
    for (size_t row = 0; row < csv->nrows; row++)
    {
        const double dropped = summary_number(csv, row, "dropped_buffer", "");
        if (dropped > 0 && is_run(plan, runs[row], has_pfc))
        {
            note(&lossy, row, dropped);
        }
    }
    if (lossy.n)
    {
        printf("PFC is on, and switch buffers dropped packets in %zu of %zu runs, %.0f in %s: "
               "headroom of <switch> is too small\n",
               lossy.n, csv->nrows, lossy.most, plan->names[runs[lossy.row]]);
    }
}

static void
note_late_failures(const struct csv *csv)
{
    struct noted late = {0};
    for (size_t row = 0; row < csv->nrows; row++)
    {
        const double failures = summary_number(csv, row, "failures_late", "");
        if (failures > 0)
        {
            note(&late, row, failures);
        }
    }
    if (late.n)
    {
        printf("failures were to come after the end of %zu of %zu runs, which they did not change "
               "(failures_late)\n",
               late.n, csv->nrows);
    }
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

/** How many times as slow as the median of a run's QPs its slowest one is, to be named. */
#define FAR_OFF 3

/** The share of a run's time that has passed when its slowest QP ends, to be named. */
#define NEARLY_ALL 0.9

/** Whether the slowest QP of a finished run is the last one that was delivered, or nearly. */
static bool
ends_run(const struct folder *finished, const char *name, const struct csv *csv, size_t row)
{
    struct folder run;
    char *why = NULL;
    const size_t slowest = (size_t)summary_number(csv, row, "slowest_qp", "");
    const double first = summary_number(csv, row, "first_start_us", "");
    const double all = summary_number(csv, row, "cct_us", "") - first;
    const bool open = folder_open_in(&run, finished, name, &why);
    struct csv *qps = open ? run_folder_table(&run, &qps_table, &why) : NULL;
    const bool ends = qps && slowest < qps->nrows &&
                      summary_number(qps, slowest, "delivered_us", "") - first >= NEARLY_ALL * all;
    folder_close(&run);
    csv_free(qps);
    free(why);
    return ends;
}

/** One QP alone may make a run's completion time. */
static void
note_slowest(const struct plan *plan, const struct csv *csv, const size_t *runs,
             const struct folder *finished)
{
    struct noted off = {0};
    for (size_t row = 0; row < csv->nrows; row++)
    {
        const double slowest = summary_number(csv, row, "qp_slowdown_max", "");
        const double ratio = slowest / summary_number(csv, row, "qp_slowdown_p50", "");
        if (ratio >= FAR_OFF && ends_run(finished, plan->names[runs[row]], csv, row) &&
            !is_run(plan, runs[row], has_arrivals))
        {
            note(&off, row, ratio);
        }
    }
    if (off.n)
    {
        printf(
            "the slowest QP is far off and among the last to be done in %zu of %zu runs: QP %.0f "
            "of %s takes %.4g times as long as alone, the median QP %.4g times (qps.csv)\n",
            off.n, csv->nrows, summary_number(csv, off.row, "slowest_qp", ""),
            plan->names[runs[off.row]], summary_number(csv, off.row, "qp_slowdown_max", ""),
            summary_number(csv, off.row, "qp_slowdown_p50", ""));
    }
}

/** Shares and increases from which retransmissions are likelier to decide than paths. */
#define MUCH_RESENT   0.05
#define MUCH_INCREASE 1

static void
note_resent(const struct plan *plan, const struct csv *csv, const size_t *runs)
{
    struct noted slow = {0};
    for (size_t row = 0; row < csv->nrows; row++)
    {
        const double increase = summary_number(csv, row, "increase", "");
        const bool resent = summary_number(csv, row, "resent_share", "") > MUCH_RESENT;
        if (increase > MUCH_INCREASE && (resent || summary_number(csv, row, "timeouts", "") > 0) &&
            is_run(plan, runs[row], wants_order))
        {
            note(&slow, row, increase);
        }
    }
    if (slow.n)
    {
        printf(
            "retransmissions may decide in %zu of %zu runs: in %s %.4g %% of the packets are "
            "sent again, after %.0f NACKs and %.0f timeouts; a <transport> that keeps what comes "
            "out of order and repeats only what is lost, such as sack, tells them from paths\n",
            slow.n, csv->nrows, plan->names[runs[slow.row]],
            100 * summary_number(csv, slow.row, "resent_share", ""),
            summary_number(csv, slow.row, "nacks_received", ""),
            summary_number(csv, slow.row, "timeouts", ""));
    }
}

void
summary_notes(const struct plan *plan, const struct csv *summary, const size_t *runs,
              const struct folder *finished)
{
    note_losses(plan, summary, runs);
    note_late_failures(summary);
    note_slowest(plan, summary, runs, finished);
    note_resent(plan, summary, runs);
}
