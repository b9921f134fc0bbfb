/* SPDX-License-Identifier: MIT */
/* Flows as a table lists them: each a message on a QP of its own. */
#include "base/saturating.h"
#include "base/text-out.h"
#include "roster/tables.h"
#include "traffic/groups.h"

#include <stdbool.h>
#include <string.h>

#include <weft/error.h>

/* 1000 s, as for every other start. */
#define MOST_START INT64_C(1000000000000000)

struct flows_config
{
    int64_t start; /* ps */
    const struct weft_table *table;
};

static const struct weft_param params[] = {
    {"start", WEFT_TIME, WEFT_P(struct flows_config, start), "0s", "0s", "1000s", NULL,
     "Added to the start of every flow.", "(ours)"},
};

static void
flows_use(void *config, const struct weft_table *table)
{
    struct flows_config *c = config;
    c->table = table;
}

static bool
is_sound(const struct weft_table_flow *f, uint32_t nhosts)
{
    return f->src < nhosts && f->dst < nhosts && f->src != f->dst && f->bytes > 0 &&
           f->start >= 0 && f->start <= MOST_START;
}

/* Whether the source of the later flow can know of the earlier one's end. */
static bool
can_wait(const struct weft_table *t, const struct weft_table_wait *w)
{
    if (w->before >= t->nflows || w->after >= t->nflows || w->before == w->after)
    {
        return false;
    }
    const uint32_t who = t->flows[w->after].src;
    return who == t->flows[w->before].src || who == t->flows[w->before].dst;
}

static const char *
flows_refusal(const void *config, const struct weft_hosts *hosts)
{
    const struct flows_config *c = config;
    const struct weft_table *t = c->table;
    if (!t || t->nflows == 0)
    {
        return "there are no flows; expected a table of one or more";
    }
    for (uint32_t i = 0; i < t->nflows; i++)
    {
        if (!is_sound(&t->flows[i], hosts->n))
        {
            return "a flow is not between two of the hosts, has no bytes or starts before 0s or "
                   "after 1000s";
        }
    }
    if (c->start < 0 || c->start > MOST_START)
    {
        return "the start is out of bounds; expected 0s to 1000s";
    }
    return "a flow waits for one that none of its source's is; expected one that its source sends "
           "or receives";
}

static int
flows_count(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct flows_config *c = config;
    const struct weft_table *t = c->table;
    if (!t || t->nflows == 0 || c->start < 0 || c->start > MOST_START)
    {
        return WEFT_ERANGE;
    }
    if (t->nflows > WEFT_MAX_MESSAGES || t->nwaits > WEFT_MAX_MESSAGES)
    {
        return WEFT_EOVERFLOW;
    }
    uint64_t bytes = t->flows[0].bytes;
    for (uint32_t i = 0; i < t->nflows; i++)
    {
        if (!is_sound(&t->flows[i], hosts->n))
        {
            return WEFT_ERANGE;
        }
        bytes = t->flows[i].bytes == bytes ? bytes : 0;
    }
    for (uint32_t i = 0; i < t->nwaits; i++)
    {
        if (!can_wait(t, &t->waits[i]))
        {
            return WEFT_ERANGE;
        }
    }
    *out = (struct weft_traffic_size){t->nflows, t->nflows, t->nwaits, 1, 1, bytes};
    return 0;
}

static uint32_t
greater_end(const struct weft_table_flow *f)
{
    return f->src > f->dst ? f->src : f->dst;
}

/* Says which flow is the first of a host that is not there, and how many hosts all flows need. */
static int
refuse_hosts(const struct weft_table *t, const struct weft_hosts *hosts, uint32_t most)
{
    char buf[WEFT_REFUSAL_BYTES];
    struct weft_text text = {buf, sizeof buf, 0};
    uint32_t first = 0;
    while (greater_end(&t->flows[first]) < hosts->n)
    {
        first++;
    }
    weft_text_put(&text, "flow ");
    weft_text_u64(&text, first);
    weft_text_put(&text, ", counted from 0, names host ");
    weft_text_u64(&text, greater_end(&t->flows[first]));
    weft_text_put(&text, "; there are ");
    weft_text_u64(&text, hosts->n);
    weft_text_put(&text, " hosts, and the flows need ");
    weft_text_u64(&text, (uint64_t)most + 1);
    weft_text_end(&text);
    return weft_refuse(hosts->why, WEFT_ERANGE, NULL, buf);
}

static int
flows_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct flows_config *c = config;
    const int code = flows_count(config, hosts, out);
    uint32_t most = 0;
    for (uint32_t i = 0; code == WEFT_ERANGE && c->table && i < c->table->nflows; i++)
    {
        const uint32_t end = greater_end(&c->table->flows[i]);
        most = end > most ? end : most;
    }
    return most > 0 && most >= hosts->n ? refuse_hosts(c->table, hosts, most)
                                        : weft_workload_refuse(code, config, hosts, flows_refusal);
}

/* Sorts the waits by what comes first. */
static void
fill_waits(const struct weft_table *t, struct weft_message *messages, uint32_t *next)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < t->nwaits; i++)
    {
        messages[t->waits[i].before].nnext++;
        messages[t->waits[i].after].waits++;
    }
    for (uint32_t i = 0; i < t->nflows; i++)
    {
        messages[i].first_next = used;
        used += messages[i].nnext;
        messages[i].nnext = 0;
    }
    for (uint32_t i = 0; i < t->nwaits; i++)
    {
        struct weft_message *m = &messages[t->waits[i].before];
        next[m->first_next + m->nnext++] = t->waits[i].after;
    }
}

static int
flows_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
           struct weft_message *messages, uint32_t *next)
{
    const struct flows_config *c = config;
    struct weft_traffic_size size;
    const int error = flows_size(config, hosts, &size);
    (void)seed;
    (void)run;
    if (error)
    {
        return error;
    }
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_table_flow *f = &c->table->flows[i];
        struct weft_message *m = &messages[i];
        memset(m, 0, sizeof *m);
        m->bytes = f->bytes;
        m->start = f->start;
        m->src = f->src;
        m->dst = f->dst;
        m->qp = i;
    }
    fill_waits(c->table, messages, next);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        messages[i].delayed = messages[i].waits > 0;
        messages[i].start += messages[i].waits ? 0 : c->start;
    }
    return 0;
}

/* Each flow by itself; what waits may start any time. */
static int64_t
flows_bound(const void *config, const struct weft_hosts *hosts, const struct weft_bound_case *of)
{
    const struct flows_config *c = config;
    const struct weft_table *t = c->table;
    int64_t first = WEFT_NEVER, last = 0;
    (void)hosts;
    if (of->acked || of->partial || t->nwaits > 0)
    {
        return -1;
    }
    for (uint32_t i = 0; i < t->nflows; i++)
    {
        const struct weft_table_flow *f = &t->flows[i];
        const int64_t end = weft_sum(f->start, weft_message_bound(&of->wire, f->bytes));
        first = f->start < first ? f->start : first;
        last = weft_larger(last, end);
    }
    return last - first;
}

const struct weft_workload_ops weft_workload_flows = {
    {"flows", "Flows that a file lists: who sends how much to whom, and when.", "(ours)", params,
     sizeof params / sizeof params[0], NULL, 0, sizeof(struct flows_config), NULL},
    flows_size,
    flows_fill,
    flows_bound,
    WEFT_TABLE_FLOWS,
    flows_use,
    NULL,
};
