/* SPDX-License-Identifier: MIT */
/* Runs a workload: posts each message of a graph when those it waits for are done. */
#include "run/collective.h"

#include <stdio.h>
#include <string.h>

#include <weft/error.h>

static uint32_t
level_of(const struct weft_collective *c, const struct weft_message *m)
{
    return m->sl ? m->sl : c->is.level;
}

static void
plan_together(void *of, uint64_t what, int64_t now)
{
    struct weft_collective *c = of;
    const uint32_t host = (uint32_t)(what >> 32);
    const uint32_t level = (uint32_t)what;
    struct weft_together *together = &c->together[level][host];
    const uint32_t n = together->n;
    together->n = 0;
    weft_planner_post(c->run, host, level, together->post, n, now);
}

/* Posts a message with the others of its host, level and instant. */
static void
post_together(struct weft_collective *c, uint32_t message, uint32_t level, int64_t now)
{
    const struct weft_message *m = &c->is.messages[message];
    struct weft_together *together = &c->together[level][m->src];
    if (together->n == 0)
    {
        weft_run_call(c->run, m->src, now, WEFT_NET_PLAN, level, plan_together, c,
                      (uint64_t)m->src << 32 | level);
    }
    together->post = weft_grow(weft_run_memory(c->run), together->post, together->n,
                               &together->room, sizeof *together->post);
    together->post[together->n++] = (struct weft_post){c->connection[m->qp], m->bytes, message};
}

static void
post(void *of, uint64_t what, int64_t now)
{
    struct weft_collective *c = of;
    const uint32_t message = (uint32_t)what;
    const struct weft_message *m = &c->is.messages[message];
    const uint32_t level = level_of(c, m);
    c->is.times[message].posted = now;
    if (c->is.hooks.posted)
    {
        c->is.hooks.posted(c->is.hooks.of, message, now);
    }
    if (c->together[level])
    {
        post_together(c, message, level, now);
        return;
    }
    weft_run_post_now(c->run, weft_connection_qp(c->connection[m->qp], 0), m->bytes, message, now);
}

/* Has a message posted that waits for nothing any more, as its sender knows since @p since. */
static void
release(struct weft_collective *c, uint32_t message, int64_t since)
{
    const struct weft_message *m = &c->is.messages[message];
    const int64_t start = m->start < WEFT_LATEST ? m->start : WEFT_LATEST + 1;
    const int64_t at = m->barrier || m->delayed ? since + start : since > start ? since : start;
    weft_run_call(c->run, m->src, at, WEFT_NET_POST, message, post, c, message);
}

void
weft_collective_count(struct weft_collective *c, uint32_t message, int64_t at)
{
    struct weft_message_times *t = &c->is.times[message];
    weft_run_lock(c->run);
    t->ready = at > t->ready ? at : t->ready;
    const int64_t ready = t->ready;
    const bool waits = --c->is.messages[message].waits > 0;
    weft_run_unlock(c->run);
    if (!waits)
    {
        release(c, message, ready);
    }
}

void
weft_collective_count_next(struct weft_collective *c, uint32_t message, bool sender, int64_t at)
{
    const struct weft_message *m = &c->is.messages[message];
    for (uint32_t i = 0; i < m->nnext; i++)
    {
        const uint32_t next = c->is.next[m->first_next + i];
        if ((c->is.messages[next].src == m->src) == sender)
        {
            weft_collective_count(c, next, at);
        }
    }
}

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    struct weft_collective *c = of;
    (void)qp;
    if (c->is.hooks.delivered)
    {
        c->is.hooks.delivered(c->is.hooks.of, (uint32_t)tag, now);
    }
    weft_plays_delivered(c, (uint32_t)tag, now);
    weft_collective_count_next(c, (uint32_t)tag, false, now);
    weft_collective_note(c, (uint32_t)tag, WEFT_MESSAGE_DELIVERED, now);
}

static void
acked(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    struct weft_collective *c = of;
    (void)qp;
    weft_plays_acked(c, (uint32_t)tag, now);
    weft_collective_count_next(c, (uint32_t)tag, true, now);
    weft_collective_note(c, (uint32_t)tag, WEFT_MESSAGE_ACKED, now);
}

static void
failed(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)qp;
    weft_plays_failed(of, (uint32_t)tag);
    weft_collective_note(of, (uint32_t)tag, WEFT_MESSAGE_FAILED, now);
}

/* Lists the messages of each step, if any waits for a whole step. */
static void
build_barriers(struct weft_collective *c)
{
    const uint32_t n = c->is.size.nmessages;
    const struct weft_message *messages = c->is.messages;
    bool any = false;
    for (uint32_t i = 0; i < n; i++)
    {
        any = any || messages[i].barrier;
        c->nsteps = messages[i].step + 1 > c->nsteps ? messages[i].step + 1 : c->nsteps;
    }
    if (!any)
    {
        c->nsteps = 0;
        return;
    }
    const size_t nsteps = (size_t)c->is.size.ngroups * c->nsteps;
    c->step = weft_take(&c->run->memory, nsteps * sizeof *c->step);
    c->member = weft_take(&c->run->memory, n * sizeof *c->member);
    c->news = weft_clos_least_delay(c->run->clos, c->run->ack);
    for (uint32_t i = 0; i < n; i++)
    {
        weft_step_of(c, &messages[i])->left++;
    }
    for (size_t i = 1; i < nsteps; i++)
    {
        c->step[i].first = c->step[i - 1].first + c->step[i - 1].left;
    }
    for (uint32_t i = 0; i < n; i++)
    {
        struct weft_step *step = weft_step_of(c, &messages[i]);
        c->member[step->first + step->n++] = i;
        assert(!messages[i].barrier || (messages[i].step > 0 && step[-1].left > 0));
    }
}

/* Tells what is drawn from all QPs of the graph: the levels' shares, and how many QPs start on each
 * host's line. @p first: of each QP the first message. */
static int
announce(struct weft_collective *c, const struct weft_message *const *first)
{
    struct weft_run *run = c->run;
    const uint32_t nqps = c->is.size.nqps;
    struct weft_flow *flows = weft_scratch_take(run, nqps * sizeof *flows + 1);
    uint32_t *starters = weft_scratch_take(run, run->clos->nhosts * sizeof *starters);
    uint32_t created = 0;
    memset(starters, 0, run->clos->nhosts * sizeof *starters);
    for (uint32_t i = 0; i < nqps; i++)
    {
        const struct weft_message *m = first[i];
        const uint32_t each = weft_planner_qps(&run->level[level_of(c, m)]);
        flows[i] = (struct weft_flow){m->src, m->dst};
        starters[m->src] += m->waits == 0 ? each : 0;
        created += each;
    }
    const int code = weft_run_set_flows(run, flows, nqps);
    weft_run_add_starters(run, starters, created);
    weft_scratch_give(run, starters);
    weft_scratch_give(run, flows);
    return code;
}

/* Counts the packets of each QP of the graph. */
static void
count_packets(const struct weft_collective *c, uint64_t *packets)
{
    const uint64_t payload = (uint64_t)c->run->net->config.frame.payload;
    memset(packets, 0, c->is.size.nqps * sizeof *packets);
    for (uint32_t i = 0; i < c->is.size.nmessages; i++)
    {
        const struct weft_message *m = &c->is.messages[i];
        packets[m->qp] += m->bytes / payload + (m->bytes % payload != 0);
    }
}

static int
connect_qps(struct weft_collective *c, const struct weft_message *const *first,
            struct weft_refusal *why)
{
    struct weft_run *run = c->run;
    int code = announce(c, first);
    uint64_t *packets = weft_scratch_take(run, c->is.size.nqps * sizeof *packets + 1);
    count_packets(c, packets);
    for (uint32_t i = 0; !code && i < c->is.size.nqps; i++)
    {
        const uint32_t level = level_of(c, first[i]);
        code = weft_connection_make(run, first[i]->src, first[i]->dst, level,
                                    c->is.alone ? packets[i] : 0, &c->listener, &c->connection[i],
                                    why);
        if (run->level[level].plan && !c->together[level])
        {
            c->together[level] = weft_take(&run->memory, run->clos->nhosts * sizeof **c->together);
        }
    }
    for (uint32_t i = 0; !code && i < c->is.size.nqps; i++)
    {
        code = weft_connection_reserve(c->connection[i]); /* behind all QPs of the graph */
    }
    weft_scratch_give(run, packets);
    return code;
}

static int
connect_all(struct weft_collective *c, struct weft_refusal *why)
{
    const struct weft_message **first =
        weft_scratch_take(c->run, c->is.size.nqps * sizeof *first + 1);
    for (uint32_t i = c->is.size.nmessages; i-- > 0;)
    {
        first[c->is.messages[i].qp] = &c->is.messages[i];
    }
    const int code = connect_qps(c, first, why);
    weft_scratch_give(c->run, (void *)first);
    return code;
}

static int
check_levels(const struct weft_collective *c, struct weft_refusal *why)
{
    for (uint32_t i = 0; i < c->is.size.nmessages; i++)
    {
        const uint32_t level = level_of(c, &c->is.messages[i]);
        if (level >= c->run->nlevels)
        {
            char text[64];
            snprintf(text, sizeof text, "service level %u; expected 0 to %u", (unsigned)level,
                     (unsigned)c->run->nlevels - 1);
            return weft_refuse(why, WEFT_EINVAL, NULL, text);
        }
    }
    return 0;
}

int
weft_run_collective(struct weft_run *run, const struct weft_collective_config *config,
                    struct weft_collective **made, struct weft_refusal *why)
{
    struct weft_collective *c = weft_take(&run->memory, sizeof *c);
    const uint32_t n = config->size.nmessages;
    c->run = run;
    c->is = *config;
    c->listener = (struct weft_listener){c, delivered, acked, failed};
    const int refused = check_levels(c, why);
    if (refused)
    {
        return refused;
    }
    c->connection = (struct weft_connection **)weft_take(&run->memory,
                                                         config->size.nqps * sizeof *c->connection);
    for (uint32_t i = 0; i < n; i++)
    {
        config->times[i] = (struct weft_message_times){-1, -1, -1, -1, 0, false};
    }
    const int code = connect_all(c, why);
    if (code)
    {
        return code;
    }
    build_barriers(c);
    run->work = (struct weft_collective **)weft_grow(&run->memory, (void *)run->work, run->nworks,
                                                     &run->work_room, sizeof *run->work);
    run->work[run->nworks++] = c;
    *made = c;
    weft_plays_begin(c);
    const int64_t now = weft_net_now(run->net);
    for (uint32_t i = 0; i < n; i++)
    {
        if (c->is.messages[i].waits == 0)
        {
            release(c, i, now);
        }
    }
    return 0;
}

int
weft_run_fill(struct weft_run *run, const struct weft_workload_ops *ops, const void *config,
              struct weft_collective_config *out, struct weft_refusal *why)
{
    struct weft_hosts hosts = weft_clos_hosts(run->clos);
    hosts.why = why;
    int code = ops->size(config, &hosts, &out->size);
    if (code)
    {
        return code;
    }
    out->messages = weft_take(&run->memory, out->size.nmessages * sizeof *out->messages);
    uint32_t *next = weft_take(&run->memory, (out->size.nnext + (size_t)1) * sizeof *next);
    out->times = weft_take(&run->memory, out->size.nmessages * sizeof *out->times);
    out->next = next;
    code = ops->fill(config, &hosts, run->seed, run->number, out->messages, next);
    if (!code)
    {
        weft_run_find_programs(run, ops, config, out);
    }
    return code;
}

struct weft_connection *
weft_collective_connection(const struct weft_collective *c, uint32_t qp)
{
    return c->connection[qp];
}
