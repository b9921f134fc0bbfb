/* SPDX-License-Identifier: MIT */
/* Lowers a collective to sends and receives: the messages of a workload among its ranks. */
#include "traffic/groups.h"
#include "traffic/ops-build.h"

#include <stdio.h>
#include <string.h>

#include <weft/error.h>

/* Collective that is being lowered. */
struct lowering
{
    struct weft_ops *ops;
    const struct weft_op_collective *spec;
    struct weft_traffic_size size;
    struct weft_message *messages;
    uint32_t *next;
    const uint32_t *first, *last; /* joins */
    uint32_t base;                /* number of the first send; the receive of each is behind it */
};

static uint32_t
add_join(const struct lowering *l, uint32_t i)
{
    return weft_ops_add(l->ops, &(struct weft_op_spec){.rank = l->spec->ranks[i],
                                                       .kind = WEFT_OP_JOIN,
                                                       .stream = WEFT_NO_STREAM,
                                                       .id = l->spec->id});
}

static uint32_t
send_of(const struct lowering *l, uint32_t message)
{
    return l->base + 2 * message;
}

static uint32_t
receive_of(const struct lowering *l, uint32_t message)
{
    return l->base + 2 * message + 1;
}

static void
add_message(const struct lowering *l, const struct weft_message *m)
{
    struct weft_op_spec spec = {.amount = m->bytes,
                                .rank = l->spec->ranks[m->src],
                                .peer = l->spec->ranks[m->dst],
                                .tag = weft_ops_tag(l->ops),
                                .own = true,
                                .kind = WEFT_OP_SEND,
                                .stream = WEFT_NO_STREAM,
                                .nic = l->spec->nic,
                                .id = l->spec->id};
    const uint32_t send = weft_ops_add(l->ops, &spec);
    spec.rank = l->spec->ranks[m->dst];
    spec.peer = l->spec->ranks[m->src];
    spec.kind = WEFT_OP_RECV;
    const uint32_t receive = weft_ops_add(l->ops, &spec);
    if (m->waits == 0)
    {
        weft_ops_require(l->ops, send, l->first[m->src]);
    }
    weft_ops_require(l->ops, receive, l->first[m->dst]);
    weft_ops_require(l->ops, l->last[m->src], send);
    weft_ops_require(l->ops, l->last[m->dst], receive);
}

/* Lets messages wait: for what their source receives, or has sent. */
static void
add_waits(const struct lowering *l, uint32_t message)
{
    const struct weft_message *m = &l->messages[message];
    for (uint32_t k = 0; k < m->nnext; k++)
    {
        const uint32_t after = l->next[m->first_next + k];
        const bool own = l->messages[after].src == m->src;
        weft_ops_require(l->ops, send_of(l, after),
                         own ? send_of(l, message) : receive_of(l, message));
    }
}

static int
lower(struct lowering *l, const void *config, const struct weft_hosts *hosts)
{
    const int code = l->spec->how->fill(config, hosts, 0, 0, l->messages, l->next);
    bool timed = false;
    for (uint32_t i = 0; !code && i < l->size.nmessages; i++)
    {
        timed = timed || l->messages[i].barrier || l->messages[i].start != 0;
    }
    if (code || timed)
    {
        return timed ? weft_refuse(hosts->why, WEFT_EINVAL, NULL,
                                   "an operation of a trace has neither barriers nor delays")
                     : code;
    }
    l->base = weft_ops_count(l->ops);
    for (uint32_t i = 0; i < l->size.nmessages; i++)
    {
        add_message(l, &l->messages[i]);
    }
    for (uint32_t i = 0; i < l->size.nmessages; i++)
    {
        add_waits(l, i);
    }
    return 0;
}

/* Lowers a collective of two ranks or more with a configuration. */
static int
lower_with(struct lowering *l, const void *config, struct weft_refusal *why)
{
    const struct weft_op_collective *spec = l->spec;
    const struct weft_scratch *memory = &l->ops->memory;
    const uint32_t server = spec->gpus ? spec->gpus : spec->n;
    const struct weft_hosts hosts = {
        .n = spec->n, .per_tor = server, .per_pod = spec->n, .gpus = spec->gpus, .why = why};
    int code = spec->how->size(config, &hosts, &l->size);
    if (code)
    {
        return code;
    }
    l->messages = weft_ops_row(memory, l->size.nmessages, sizeof *l->messages);
    l->next = weft_ops_row(memory, l->size.nnext, sizeof *l->next);
    code = lower(l, config, &hosts);
    double bytes = (double)spec->bytes;
    const double bus = !code && spec->how->bus ? spec->how->bus(config, &hosts, &bytes) : 0;
    memory->give(memory->of, l->messages);
    memory->give(memory->of, l->next);
    if (!code)
    {
        weft_ops_name_collective(l->ops, spec->how->algo.name, (uint64_t)bytes, bus, spec->id,
                                 l->first, l->last, spec->n);
    }
    return code;
}

static int
lower_by_default(struct lowering *l, struct weft_refusal *why)
{
    const struct weft_algo *algo = &l->spec->how->algo;
    const struct weft_scratch *memory = &l->ops->memory;
    if (l->spec->config)
    {
        return lower_with(l, l->spec->config, why);
    }
    char text[32];
    snprintf(text, sizeof text, "%lluB", (unsigned long long)l->spec->bytes);
    void *config = weft_ops_row(memory, 1, algo->config_size);
    int code = weft_config_default(algo, config);
    code = code ? code : weft_config_set(algo, config, "bytes", text);
    code = code ? code : lower_with(l, config, why);
    memory->give(memory->of, config);
    return code;
}

int
weft_ops_collective(struct weft_ops *ops, const struct weft_op_collective *spec, uint32_t *first,
                    uint32_t *last, struct weft_refusal *why)
{
    struct lowering l = {.ops = ops, .spec = spec, .first = first, .last = last};
    for (uint32_t i = 0; i < spec->n; i++)
    {
        first[i] = add_join(&l, i);
        last[i] = add_join(&l, i);
        weft_ops_require(ops, last[i], first[i]);
    }
    return spec->n > 1 ? lower_by_default(&l, why) : 0;
}
