/* SPDX-License-Identifier: GPL-2.0-only */
#include "summary-notes.h"

#include <stdio.h>
#include <string.h>

#include "input-file.h"
#include "summary-print.h"

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
        const struct weft_table none = {0}, *table = w->input ? &w->input->table : &none;
        has = has || strcmp(w->choice.algo->name, "poisson") == 0;
        for (uint32_t k = 1; !has && k < table->nflows; k++)
        {
            has = table->flows[k].start != table->flows[0].start;
        }
    }
    return has;
}

static const struct note
{
    const char *says;
    bool (*but)(const struct scenario *s); /**< not of runs of which this is true; NULL: of all */
    /** Of what happened: the run from 0, how much it was there, and what is said of the run in
     * which it was most. */
    const char *select;
} notes[] = {
    {"PFC is on, and switch buffers dropped packets in", has_no_pfc,
     "SELECT run - 1, dropped_buffer,"
     " printf(', %d in %s: headroom of <switch> is too small', dropped_buffer, name)"
     " FROM summary WHERE dropped_buffer > 0"},
    {"failures were to come after the end of", NULL,
     "SELECT run - 1, 0, ', which they did not change (failures_late)'"
     " FROM summary WHERE failures_late > 0"},
    /* One QP alone may make a run's completion time: three times as slow as the median one, and
     * the last one that was delivered, or nearly: of the run's time nine tenths have passed when
     * it ends. */
    {"the slowest QP is far off and among the last to be done in", has_arrivals,
     "SELECT s.run - 1, qp_slowdown_max / qp_slowdown_p50 AS ratio,"
     " printf(': QP %d of %s takes %.4g times as long as alone, the median QP %.4g times (qps)',"
     "  slowest_qp, name, qp_slowdown_max, qp_slowdown_p50)"
     " FROM summary s CROSS JOIN qps q ON q.run = s.run AND q.qp = s.slowest_qp"
     " WHERE qp_slowdown_max / qp_slowdown_p50 >= 3 AND q.delivered_us - first_start_us >= 0.9 * "
     "(cct_us - first_start_us)"},
    /* With such shares and increases retransmissions are likelier to decide than paths. */
    {"retransmissions may decide in", wants_no_order,
     "SELECT run - 1, increase,"
     " printf(': in %s %.4g %% of the packets are sent again, after %d NACKs and %d timeouts; a"
     " <transport> that keeps what comes out of order and repeats only what is lost, such as sack,"
     " tells them from paths', name, 100 * resent_share, nacks_received, timeouts)"
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
    CLEANUP(query_rows_drop) struct query_rows *rows = summary_rows(db, note->select);
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
    if (most)
    {
        printf("%s %zu of %zu runs%s\n", note->says, n, nruns, most[2].text);
    }
}

void
summary_notes(const struct plan *plan, struct database *db, size_t nruns)
{
    for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
    {
        print_note(plan, db, nruns, &notes[i]);
    }
}
