/* SPDX-License-Identifier: GPL-2.0-only */
/** @file collect.h Outcome of a fabric and of its workload, for struct run_results. */
#ifndef WEFT_RUNNER_COLLECT_H
#define WEFT_RUNNER_COLLECT_H

#include <stdbool.h>

#include "completion.h"
#include "results.h"
#include "run-host.h"
#include "scenario.h"
#include "textbuf.h"

/** A scenario that is simulated. */
struct simulation
{
    const struct scenario *s;
    const struct run_host *host;
    struct weft_run *run;
    struct weft_net *net; /**< its fabric */
    const struct weft_clos *clos;
    struct weft_collective *work;
    struct weft_collective_config graph;
    struct faulty_link *faulty;
    size_t nfaulty;
    uint64_t total_bytes;            /**< of all messages */
    struct weft_net_counters totals; /**< when it ended */
    int64_t done;                    /**< nothing that comes later changes a result; WEFT_NEVER */
    struct fct_window window;        /**< whose messages fct_* are of */
    bool cut;                        /**< messages were left when it ended */
};

/** The row of a table that grows by one, of zeros. */
#define ROW_ADD(results, table)                                                                    \
    (row_make_room((void **)&(results)->table, (results)->n##table, sizeof *(results)->table),     \
     &(results)->table[(results)->n##table++])
void row_make_room(void **rows, size_t n, size_t each);

/** Whether the workload is done. */
bool is_done(const struct simulation *sim);
/** When the last thing happened that matters, ps: the clock is later, at the end of a window or
 * when a timer has run out that is stale. */
int64_t end_of(const struct simulation *sim);

/** Adds what the switches counted. */
void collect_switches(const struct simulation *sim, struct run_results *out);
/** Fills what the ToRs' balancers counted, if they count, and adds up what all ranks have. */
void collect_tors(const struct simulation *sim, struct run_results *out);
/** Fills what switches trimmed, if trimming is on. */
void collect_trims(const struct simulation *sim, struct run_results *out);
/** Fills the links, if they are listed, with what all ranks have of them. */
void collect_links(const struct simulation *sim, struct run_results *out);
/** A direction of a link. */
struct link_way
{
    struct weft_end from, to;
};

/** Returns a direction by its number, that of its row in the table links. */
struct link_way link_way_of(const struct simulation *sim, uint64_t i);
/** Adds its name, as in that table. */
void link_add_name(const struct simulation *sim, const struct link_way *way, struct text *t);
/** Makes the times for which links were busy shares of that of the run, whose end must be there. */
void collect_link_shares(struct run_results *out);
/** Fills completion times. Of a run that was cut, the slowest group has none before all have ended.
 */
void collect_times(struct run_results *out);
/** Fills the packets by their out-of-order degree, if some have one, and its percentiles. */
void collect_reordering(const struct simulation *sim, struct run_results *out);
/** Fills the most bytes that algorithms keep at any switch and at any NIC, of QPs that exist at the
 * end of a run. */
void collect_state_bytes(const struct simulation *sim, struct run_results *out);
/** Fills what ranks of traces did, and their collectives. The end of the run must be there. */
void collect_traces(const struct simulation *sim, struct run_results *out);
/** Adds what the ranks that are to be measured did, up to the end of their program. */
void collect_timeline(const struct measurements *m, const struct weft_program *program,
                      const char *workload, int64_t end, struct run_results *out);
/** Fills flows and groups. */
void collect_flows(const struct simulation *sim, struct run_results *out);
/** Rate cuts by QP, which rank 0 gets of all ranks; to be freed. */
uint64_t *collect_cuts(const struct simulation *sim);
/** Fills QPs and their sums. */
void collect_qps(const struct simulation *sim, const uint64_t *cuts, struct run_results *out);

/** Lists the QPs with unfinished messages, and what each waits for; rank 0 gets those of all. */
void collect_stuck(const struct simulation *sim, struct run_results *out);
/** "3 paced by congestion control (such as ...)": for each cause how many QPs there are and the
 * first of them. To be freed. */
char *describe_causes(const struct scenario *s, const struct run_results *r);
/** "; 3 QPs are not done: ..." likewise. */
char *describe_stuck(const struct scenario *s, const struct run_results *r);

#endif
