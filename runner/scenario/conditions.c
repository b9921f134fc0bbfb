/* SPDX-License-Identifier: GPL-2.0-only */
/* The elements with fixed attributes: losses, failures, measurements, limits, seeds.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <weft/ops.h>

#include "element-values.h"
#include "number-order.h"
#include "scenario-load.h"
#include "textbuf.h"
#include "traffic-load.h"

static void
check_qp(const struct element *e, const char *attribute, uint64_t qp, uint32_t nqps,
         struct diagnostics *d)
{
    if (nqps && qp >= nqps)
    {
        diag_error(d, element_line(e, attribute),
                   "QP %llu of <%s> does not exist; expected 0 to %u: the workload has %u QPs",
                   (unsigned long long)qp, e->name, nqps - 1, nqps);
    }
}

/** Each packet has a rule of its own. */
static void
load_drop(const struct element *e, struct scenario *s, uint32_t nqps, struct diagnostics *d)
{
    struct drop_rule all = {.line = element_line(e, "packets")};
    element_read(e, e->spec, &all, d);
    check_qp(e, "qp", (uint64_t)all.qp, nqps, d);
    for (size_t i = 0; i < all.npackets; i++)
    {
        ARRAY_GROW(s->drops, s->ndrops);
        struct drop_rule *one = &s->drops[s->ndrops++];
        *one = all;
        one->packets = NULL;
        one->npackets = 0;
        one->psn_offset = all.packets[i];
    }
    free(all.packets);
}

static int
by_packet(const void *a, const void *b)
{
    const struct drop_rule *x = a, *y = b;
    if (x->qp != y->qp)
    {
        return x->qp > y->qp ? 1 : -1;
    }
    return (x->psn_offset > y->psn_offset) - (x->psn_offset < y->psn_offset);
}

/** How many packets each QP sends; NULL where the workload does not say. */
static uint64_t *
packets_of_qps(const struct scenario *s, uint32_t nqps)
{
    const struct weft_workload_ops *ops = scenario_ops(s);
    const struct weft_fabric_config *frames = s->fabric.config;
    const struct weft_hosts hosts = weft_clos_hosts(&s->clos);
    struct weft_traffic_size size;
    if (!frames || ops->size(s->workload.config, &hosts, &size) < 0 || size.nqps != nqps)
    {
        return NULL; /* a planner decides which QP sends what */
    }
    uint64_t *packets = xcalloc(size.nqps, sizeof *packets);
    struct traffic_sample all = {0};
    for (uint32_t i = 0; size.bytes && i < size.nqps; i++)
    {
        packets[i] = size.nmessages / size.nqps * weft_packets(size.bytes, frames->payload);
    }
    if (size.bytes == 0 && !traffic_messages(s, &hosts, UINT32_MAX, &all))
    {
        free(packets);
        packets = NULL;
    }
    for (uint32_t i = 0; i < all.n; i++)
    {
        packets[all.messages[i].qp] += weft_packets(all.messages[i].bytes, frames->payload);
    }
    free(all.messages);
    return packets;
}

/** Reports a packet that two rules name, the first of its <drop>. @p told: line of the last report.
 */
static void
report_twice(const struct drop_rule *r, const struct drop_rule *other, int *told,
             struct diagnostics *d)
{
    const int line = r->line > other->line ? r->line : other->line;
    if (line != *told)
    {
        diag_error(d, line,
                   "packet %u of QP %" PRId64 " is named twice in <drop>; expected it once, with "
                   "count for further transmissions",
                   r->psn_offset, r->qp);
    }
    *told = line;
}

/** Reports a packet that its QP never sends, the first of its <drop>. @p told: as above. */
static void
report_beyond(const struct drop_rule *r, uint64_t packets, int *told, struct diagnostics *d)
{
    if (r->line != *told)
    {
        diag_error(
            d, r->line,
            "QP %" PRId64 " has no packet %u to drop; expected 0 to %llu: it sends %llu packets",
            r->qp, r->psn_offset, (unsigned long long)packets - 1, (unsigned long long)packets);
    }
    *told = r->line;
}

/** A packet that is named twice or never sent would not be lost as the scenario says. */
static void
check_drops(const struct scenario *s, uint32_t nqps, struct diagnostics *d)
{
    OWNED uint64_t *packets = nqps && s->ndrops ? packets_of_qps(s, nqps) : NULL;
    OWNED struct drop_rule *sorted = xcalloc(s->ndrops + 1, sizeof *sorted);
    for (size_t i = 0; i < s->ndrops; i++)
    {
        sorted[i] = s->drops[i];
    }
    qsort(sorted, s->ndrops, sizeof *sorted, by_packet);
    int twice = LINE_NONE, beyond = LINE_NONE;
    for (size_t i = 0; i < s->ndrops; i++)
    {
        const struct drop_rule *r = &sorted[i];
        if (i && by_packet(r, r - 1) == 0)
        {
            report_twice(r, r - 1, &twice, d);
        }
        if (packets && r->qp < nqps && r->psn_offset >= packets[r->qp])
        {
            report_beyond(r, packets[r->qp], &beyond, d);
        }
    }
}

/** Whether a number is what the element says, or the default of one that it lacks; else it is no
 * number, and reported. */
static bool
is_said(const struct element *e, const char *attribute)
{
    union attribute_value value;
    const char *text = element_value(e, attribute);
    return !text || attribute_parse(grammar_attribute(e->spec, attribute), text, &value) >= 0;
}

/** Rows of the table timeline that a run may have about. */
#define MOST_TIMELINE (UINT64_C(1) << 20)

/** Ranks of a timeline are those of a trace, and do not do too much. */
static void
check_timeline(const struct element *e, struct scenario *s, struct diagnostics *d)
{
    const struct measurements *m = &s->measure;
    const int line = element_line(e, "timeline");
    uint32_t nranks = 0;
    uint64_t nops = 0;
    qsort(m->timeline, m->ntimeline, sizeof *m->timeline, order_u32);
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        const struct weft_program *p = s->workloads[i].table.program;
        nranks = p && p->nranks > nranks ? p->nranks : nranks;
        for (size_t k = 0; p && k < m->ntimeline && m->timeline[k] < p->nranks; k++)
        {
            nops += p->rank[m->timeline[k] + 1] - p->rank[m->timeline[k]];
        }
    }
    if (nranks == 0)
    {
        diag_error(d, line,
                   "timeline of <measure>: no <workload> is a trace; expected "
                   "kind=\"trace\"");
    }
    else if (m->timeline[m->ntimeline - 1] >= nranks)
    {
        diag_error(d, line, "timeline of <measure>: there is no rank %u; expected 0 to %u",
                   m->timeline[m->ntimeline - 1], nranks - 1);
    }
    else if (nops > MOST_TIMELINE)
    {
        diag_error(d, line,
                   "timeline of <measure>: its ranks have %llu operations; expected fewer ranks, "
                   "with at most %llu",
                   (unsigned long long)nops, (unsigned long long)MOST_TIMELINE);
    }
    for (size_t i = 1; i < m->ntimeline; i++)
    {
        if (m->timeline[i] == m->timeline[i - 1])
        {
            diag_error(d, line, "timeline of <measure>: rank %u is named twice", m->timeline[i]);
        }
    }
}

/** Whether something is asked for that only samples tell. */
static bool
needs_interval(const struct measurements *m)
{
    const struct measurements others = {.nports = m->nports,
                                        .nqps = m->paths == PATHS_QPS ? 0 : m->nqps,
                                        .queues = m->queues,
                                        .balance = m->balance};
    return measures_over_time(&others);
}

static void
check_measure(const struct element *e, struct scenario *s, uint32_t nqps, struct diagnostics *d)
{
    if (s->measure.interval > 0 && s->measure.interval < 1000)
    {
        diag_error(d, element_line(e, "interval"),
                   "interval of <measure> is too short; expected 0s or at least 1ns");
    }
    if (s->measure.nqps > 0) /* else it is no list at all */
    {
        qsort(s->measure.qps, s->measure.nqps, sizeof *s->measure.qps, order_u32);
    }
    for (size_t i = 0; i < s->measure.nqps; i++)
    {
        check_qp(e, "qps", s->measure.qps[i], nqps, d);
        if (i && s->measure.qps[i] == s->measure.qps[i - 1])
        {
            diag_error(d, element_line(e, "qps"), "QP %u of <measure> is named twice",
                       s->measure.qps[i]);
        }
    }
    if (s->measure.ntimeline > 0)
    {
        check_timeline(e, s, d);
    }
    load_measured_ports(e, s, d);
    if (s->measure.paths == PATHS_QPS && s->measure.nqps == 0 && is_said(e, "qps"))
    {
        diag_error(d, element_line(e, "paths"),
                   "paths of <measure> is qps, and qps names none; expected qps=\"...\" such as "
                   "0-15, or paths=\"on\"");
    }
    if (needs_interval(&s->measure) && s->measure.interval == 0 && is_said(e, "interval"))
    {
        diag_error(d, e->line,
                   "<measure> samples QPs, ports, queues or balance but has no interval; expected "
                   "interval=\"...\" such as 10us");
    }
}

void
load_conditions(const struct element *root, struct scenario *s, uint32_t nqps,
                struct diagnostics *d)
{
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        if (strcmp(e->name, "drop") == 0)
        {
            load_drop(e, s, nqps, d);
        }
    }
    const struct element *measure = element_child(root, "measure");
    load_faults(root, s, d);
    if (measure)
    {
        check_measure(measure, s, nqps, d);
    }
    check_drops(s, nqps, d);
}
