/* SPDX-License-Identifier: MIT */
/* Connections: what messages go over, a QP or as many as a balancer's planner wants. With a planner
 * a message goes out in parts, and its listener hears of it when all of them are done. */
#include "parallel/net-threads.h"
#include "run/run-parts.h"

#include <weft/error.h>

static const uint32_t PART_STREAM = 24; /* bits by which a part's number is shifted */

/* Returns a message by its number: row k has twice as many as row k - 1. */
static struct weft_parted *
parted_at(const struct weft_connection *c, uint64_t number)
{
    uint64_t first = 0, n = WEFT_PARTED_FIRST;
    uint32_t row = 0;
    while (number >= first + n && row + 1 < WEFT_PARTED_CHUNKS)
    {
        first += n;
        n *= 2;
        row++;
    }
    struct weft_parted **rows = c->parts->parted;
    if (!rows[row])
    {
        rows[row] = weft_take(weft_run_memory(c->run), n * sizeof **rows);
    }
    return &rows[row][number - first];
}

static void
part_delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    const struct weft_connection *c = of;
    struct weft_parted *message = parted_at(c, tag);
    (void)qp;
    if (--message->undelivered == 0 && c->listener && c->listener->delivered)
    {
        c->listener->delivered(c->listener->of, c->first, message->tag, now);
    }
}

/* A part is acknowledged or given up. */
static void
settle(const struct weft_connection *c, uint64_t number, bool failed, int64_t now)
{
    struct weft_parted *message = parted_at(c, number);
    message->failed = message->failed || failed;
    if (--message->unsettled > 0 || !c->listener)
    {
        return;
    }
    void (*const tell)(void *, struct weft_qp *, uint64_t, int64_t) =
        message->failed ? c->listener->failed : c->listener->acked;
    if (tell)
    {
        tell(c->listener->of, c->first, message->tag, now);
    }
}

static void
part_acked(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)qp;
    settle(of, tag, false, now);
}

static void
part_failed(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)qp;
    settle(of, tag, true, now);
}

/* Makes a QP, whose index is reserved. */
static int
make_qp(const struct weft_connection *c, uint64_t stream, uint32_t index, uint64_t packets,
        struct weft_qp **qp, struct weft_refusal *why)
{
    const struct weft_net_qp_site site = {.src = c->src,
                                          .dst = c->dst,
                                          .level = c->level,
                                          .stream = stream,
                                          .reserved = true,
                                          .index = index,
                                          .packets = packets};
    return weft_run_make_qp(c->run, &site, qp, why);
}

/* Makes the next QP of a connection that has parts. */
static int
add_qp(struct weft_connection *c, uint32_t index, struct weft_refusal *why)
{
    struct weft_part_qps *parts = c->parts;
    /* By connection and part: which host's planner made its QPs first must not matter. */
    const uint64_t stream = parts->stream + ((uint64_t)parts->nqps << PART_STREAM);
    const int code = make_qp(c, stream, index, 0, &parts->qp[parts->nqps], why);
    parts->nqps += code == 0;
    c->first = parts->qp[0];
    return code;
}

/* Makes the QPs that a connection has from the start, where its messages go out in parts. */
static int
make_parts(struct weft_connection *c, uint64_t stream, struct weft_refusal *why)
{
    struct weft_run *run = c->run;
    const struct weft_run_level *level = &run->level[c->level];
    struct weft_part_qps *parts = weft_take(&run->memory, sizeof *parts);
    parts->listener = (struct weft_listener){c, part_delivered, part_acked, part_failed};
    parts->most = weft_planner_most(level, c->src, c->dst);
    parts->qp = (struct weft_qp **)weft_take(&run->memory, parts->most * sizeof *parts->qp);
    parts->stream = stream;
    c->parts = parts;
    int code = 0;
    for (uint32_t i = 0; !code && i < weft_planner_qps(level); i++)
    {
        uint32_t index;
        code = weft_run_reserve(run, 1, false, &parts->listener, &index);
        code = code ? code : add_qp(c, index, why);
    }
    return code;
}

static struct weft_connection *
new_connection(struct weft_run *run, uint32_t src, uint32_t dst, uint32_t level,
               const struct weft_listener *listener)
{
    struct weft_connection *c = weft_take(&run->memory, sizeof *c);
    run->connection = (struct weft_connection **)weft_grow(&run->memory, (void *)run->connection,
                                                           run->nconnections, &run->connection_room,
                                                           sizeof *run->connection);
    run->connection[run->nconnections] = c;
    c->run = run;
    c->index = run->nconnections++;
    c->src = src;
    c->dst = dst;
    c->level = level;
    c->listener = listener;
    return c;
}

int
weft_connection_make(struct weft_run *run, uint32_t src, uint32_t dst, uint32_t level,
                     uint64_t packets, const struct weft_listener *listener,
                     struct weft_connection **made, struct weft_refusal *why)
{
    const uint32_t nhosts = run->clos->nhosts;
    if (src == dst || src >= nhosts || dst >= nhosts || level >= run->nlevels)
    {
        return weft_refuse(why, WEFT_EINVAL, NULL, "there are no such hosts, or no such level");
    }
    uint32_t index;
    int code = weft_net_reserve_qps(run->net, 0, &index);
    if (code)
    {
        return code; /* a hook on one of several threads asks */
    }
    struct weft_connection *c = new_connection(run, src, dst, level, listener);
    const uint64_t stream = run->streams++;
    *made = c;
    if (run->level[level].plan)
    {
        return make_parts(c, stream, why);
    }
    code = weft_run_reserve(run, 1, false, listener, &index);
    return code ? code : make_qp(c, stream, index, packets, &c->first, why);
}

int
weft_connection_reserve(struct weft_connection *c)
{
    struct weft_part_qps *parts = c->parts;
    return parts && parts->most > parts->nqps
               ? weft_run_reserve(c->run, parts->most - parts->nqps, true, &parts->listener,
                                  &parts->reserved)
               : 0;
}

int
weft_run_connect(struct weft_run *run, uint32_t src, uint32_t dst, uint32_t level,
                 const struct weft_listener *listener, struct weft_connection **connection,
                 struct weft_refusal *why)
{
    const int code = weft_connection_make(run, src, dst, level, 0, listener, connection, why);
    return code ? code : weft_connection_reserve(*connection);
}

uint64_t
weft_connection_begin(struct weft_connection *c, uint64_t tag, uint32_t parts)
{
    struct weft_run *run = c->run;
    *parted_at(c, c->parts->nparted) = (struct weft_parted){tag, parts, parts, false};
    if (run->has_ranks && weft_net_is_here(run->net, c->src))
    {
        weft_run_lock(run);
        run->begun = weft_grow(weft_run_memory(run), run->begun, run->nbegun, &run->begun_room,
                               sizeof *run->begun);
        run->begun[run->nbegun++] = (struct weft_begun){tag, c->index, parts};
        weft_run_unlock(run);
    }
    return c->parts->nparted++;
}

static void
post_part(struct weft_connection *c, uint64_t message, const struct weft_plan_part *part,
          int64_t now)
{
    const uint32_t first = weft_planner_qps(&c->run->level[c->level]);
    struct weft_part_qps *parts = c->parts;
    while (parts->nqps <= part->qp)
    {
        struct weft_refusal why = {.text = ""};
        const int code = add_qp(c, parts->reserved + parts->nqps - first, &why);
        if (code)
        {
            weft_run_breaks(c->run, weft_refusal_text(code, &why));
        }
    }
    struct weft_qp *qp = parts->qp[part->qp];
    if (part->labelled && qp->path && qp->algos->path->on_label)
    {
        qp->algos->path->on_label(qp->path, part->label, now);
    }
    weft_run_post_now(c->run, qp, part->bytes, message, now);
}

static void
post_later(void *of, uint64_t what, int64_t now)
{
    struct weft_later *later = of;
    struct weft_connection *c = later->connection;
    const uint64_t message = later->message;
    const struct weft_plan_part part = later->part;
    (void)what;
    later->next = c->run->later[c->src];
    c->run->later[c->src] = later;
    post_part(c, message, &part, now);
}

static struct weft_later *
take_later(struct weft_run *run, uint32_t host)
{
    struct weft_later *later = run->later[host];
    run->later[host] = later ? later->next : NULL;
    return later ? later : weft_take(weft_run_memory(run), sizeof *later);
}

void
weft_connection_post(struct weft_connection *c, uint64_t message, const struct weft_plan_part *part,
                     int64_t now)
{
    if (part->delay == 0)
    {
        post_part(c, message, part, now);
        return;
    }
    struct weft_later *later = take_later(c->run, c->src);
    later->connection = c;
    later->message = message;
    later->part = *part;
    weft_run_call(c->run, c->src, now + part->delay, WEFT_NET_PART, c->index, post_later, later, 0);
}

uint32_t
weft_connection_src(const struct weft_connection *c)
{
    return c->src;
}

uint32_t
weft_connection_dst(const struct weft_connection *c)
{
    return c->dst;
}

uint32_t
weft_connection_level(const struct weft_connection *c)
{
    return c->level;
}

uint32_t
weft_connection_index(const struct weft_connection *c)
{
    return c->index;
}

uint32_t
weft_connection_nqps(const struct weft_connection *c)
{
    return c->parts ? c->parts->nqps : 1;
}

struct weft_qp *
weft_connection_qp(const struct weft_connection *c, uint32_t i)
{
    return c->parts ? c->parts->qp[i] : c->first;
}
