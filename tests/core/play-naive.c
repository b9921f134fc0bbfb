/* SPDX-License-Identifier: MIT */
#include "play-naive.h"

#include <check.h>
#include <math.h>
#include <string.h>

#define STREAMS 256U

/* List of operations, in the order in which they came. */
struct list
{
    uint32_t op[MOST_OPS];
    uint32_t n;
};

static struct
{
    struct task *task;
    bool seen[MOST_OPS];      /* it was ready */
    uint32_t other[MOST_OPS]; /* of a rendezvous: its receive */
    struct list ready[MOST_RANKS_PLAYED];
    struct list posted[MOST_RANKS_PLAYED]; /* receives */
    struct list come[MOST_RANKS_PLAYED];   /* sends of which something is there */
    struct list turns[MOST_RANKS_PLAYED][STREAMS];
    bool computes[MOST_RANKS_PLAYED][STREAMS];
    struct weft_connection *connection[MOST_RANKS_PLAYED][MOST_RANKS_PLAYED][STREAMS];
    struct weft_listener listener;
    const struct ways *ways; /* of an ideal network; NULL: the stage's run */
} is;

/* --- an ideal network ------------------------------------------------------------------------- */

typedef void (*event_fn)(void *of, uint64_t what, int64_t now);

/* Events of an ideal network; of one instant the first one that was asked for comes first. */
static struct
{
    bool acks_first; /* or of one instant acks before all else */
    struct
    {
        int64_t at;
        uint64_t what;
        event_fn act;
    } event[8 * MOST_OPS];
    uint32_t n;
} later;

static void
call_later(int64_t at, uint64_t what, event_fn act)
{
    ck_assert_uint_lt(later.n, 8 * MOST_OPS);
    later.event[later.n].at = at;
    later.event[later.n].what = what;
    later.event[later.n++].act = act;
}

static void is_acked(void *of, uint64_t tag, int64_t now);

static bool
precedes(uint32_t i, uint32_t k)
{
    const int64_t at = later.event[i].at, other = later.event[k].at;
    return at < other || (at == other && later.acks_first && later.event[i].act == is_acked &&
                          later.event[k].act != is_acked);
}

static void
let_all_happen(void)
{
    while (later.n > 0)
    {
        uint32_t first = 0;
        for (uint32_t i = 1; i < later.n; i++)
        {
            first = precedes(i, first) ? i : first;
        }
        const int64_t at = later.event[first].at;
        const uint64_t what = later.event[first].what;
        const event_fn act = later.event[first].act;
        memmove(&later.event[first], &later.event[first + 1],
                (--later.n - first) * sizeof later.event[0]);
        act(NULL, what, at);
    }
}

/* Has something happen at a rank. */
static void
call(uint32_t rank, int64_t at, uint64_t what, event_fn act)
{
    if (is.ways)
    {
        call_later(at, what, act);
    }
    else
    {
        weft_net_call(weft_run_net(stage.run), is.task->host[rank], at, WEFT_NET_CALL,
                      (uint32_t)what, act, NULL, what);
    }
}

/* --- operations ------------------------------------------------------------------------------- */

enum part
{
    ASK,
    ANSWER,
    DATA,
};

static void
append(struct list *l, uint32_t op)
{
    l->op[l->n++] = op;
}

static uint32_t
take(struct list *l, uint32_t at)
{
    const uint32_t op = l->op[at];
    memmove(&l->op[at], &l->op[at + 1], (--l->n - at) * sizeof l->op[0]);
    return op;
}

/* Looks which operations of a rank have what they require since now. */
static void
look(uint32_t rank)
{
    const struct task *t = is.task;
    for (uint32_t i = 0; i < t->nops; i++)
    {
        bool ready = t->op[i].rank == rank && !is.seen[i];
        for (uint32_t k = 0; ready && k < t->nedges; k++)
        {
            const int64_t *when = t->start[k] ? t->begun : t->ended;
            ready = t->after[k] != i || when[t->before[k]] >= 0;
        }
        if (ready)
        {
            is.seen[i] = true;
            append(&is.ready[rank], i);
        }
    }
}

static void
begin(uint32_t op, int64_t now)
{
    is.task->begun[op] = now;
    look(is.task->op[op].rank);
}

static void
end(uint32_t op, int64_t now)
{
    is.task->ended[op] = now;
    look(is.task->op[op].rank);
}

static bool
asks(uint32_t send)
{
    return is.task->op[send].amount > is.task->eager;
}

static void arrives(void *of, uint64_t tag, int64_t now);

static void
post(uint32_t send, enum part part, int64_t now)
{
    const struct weft_op_spec *op = &is.task->op[send];
    const bool back = part == ANSWER;
    const uint32_t src = back ? op->peer : op->rank, dst = back ? op->rank : op->peer;
    const uint64_t tag = 3 * (uint64_t)send + part;
    if (is.ways)
    {
        call_later(now + is.ways->ps[src][dst], tag, arrives);
        return;
    }
    const uint64_t bytes = op->amount > 0 ? op->amount : 1;
    const struct weft_post p = {is.connection[src][dst][op->nic], part == DATA ? bytes : 64, tag};
    weft_run_post(stage.run, is.task->host[src], &p, 1, now);
}

static void
go(uint32_t send, int64_t now)
{
    begin(send, now);
    post(send, asks(send) ? ASK : DATA, now);
}

/* Lets receives and sends of a rank meet. */
static void
meet(uint32_t rank, int64_t now)
{
    struct list *posted = &is.posted[rank], *come = &is.come[rank];
    for (uint32_t i = 0; i < posted->n; i++)
    {
        for (uint32_t k = 0; k < come->n; k++)
        {
            const struct weft_op_spec *r = &is.task->op[posted->op[i]];
            const struct weft_op_spec *s = &is.task->op[come->op[k]];
            if (s->rank != r->peer || s->tag != r->tag || s->amount != r->amount ||
                s->own != r->own)
            {
                continue;
            }
            const uint32_t receive = take(posted, i), send = take(come, k);
            if (asks(send))
            {
                is.other[send] = receive;
                post(send, ANSWER, now);
            }
            else
            {
                end(receive, now);
            }
            return;
        }
    }
}

static void computed(void *of, uint64_t op, int64_t now);

static void
take_turns(uint32_t rank, uint32_t stream, int64_t now)
{
    const struct task *t = is.task;
    while (!is.computes[rank][stream] && is.turns[rank][stream].n > 0)
    {
        const uint32_t op = take(&is.turns[rank][stream], 0);
        const int64_t time = (int64_t)floor((double)t->op[op].amount * t->scale + 0.5);
        if (t->op[op].kind == WEFT_OP_SEND)
        {
            go(op, now);
            continue;
        }
        begin(op, now);
        if (time == 0)
        {
            end(op, now);
            continue;
        }
        is.computes[rank][stream] = true;
        call(rank, now + time, op, computed);
    }
}

static void
act(uint32_t op, int64_t now)
{
    const struct weft_op_spec *o = &is.task->op[op];
    if (o->kind == WEFT_OP_JOIN)
    {
        begin(op, now);
        end(op, now);
    }
    else if (o->kind == WEFT_OP_RECV)
    {
        begin(op, now);
        append(&is.posted[o->rank], op);
        meet(o->rank, now);
    }
    else if (o->kind == WEFT_OP_SEND && o->stream == WEFT_NO_STREAM)
    {
        go(op, now);
    }
    else
    {
        append(&is.turns[o->rank][o->stream], op);
        take_turns(o->rank, o->stream, now);
    }
}

static void
act_all(uint32_t rank, int64_t now)
{
    while (is.ready[rank].n > 0)
    {
        act(take(&is.ready[rank], 0), now);
    }
}

static void
computed(void *of, uint64_t op, int64_t now)
{
    const struct weft_op_spec *o = &is.task->op[op];
    (void)of;
    end((uint32_t)op, now);
    act_all(o->rank, now);
    is.computes[o->rank][o->stream] = false;
    take_turns(o->rank, o->stream, now);
    act_all(o->rank, now);
}

static void
begin_rank(void *of, uint64_t rank, int64_t now)
{
    (void)of;
    look((uint32_t)rank);
    act_all((uint32_t)rank, now);
}

static void
arrives(void *of, uint64_t tag, int64_t now)
{
    const uint32_t send = (uint32_t)tag / 3;
    const enum part part = (enum part)(tag % 3);
    const struct weft_op_spec *s = &is.task->op[send];
    (void)of;
    if (is.ways)
    {
        const uint32_t from = part == ANSWER ? s->peer : s->rank;
        const uint32_t at = part == ANSWER ? s->rank : s->peer;
        call_later(now + is.ways->ps[at][from], tag, is_acked);
    }
    if (part == ANSWER)
    {
        post(send, DATA, now);
        return;
    }
    if (part == DATA && asks(send))
    {
        end(is.other[send], now);
    }
    else
    {
        append(&is.come[s->peer], send);
        meet(s->peer, now);
    }
    act_all(s->peer, now);
}

static void
is_acked(void *of, uint64_t tag, int64_t now)
{
    const uint32_t send = (uint32_t)tag / 3;
    (void)of;
    if (tag % 3 == DATA)
    {
        end(send, now);
        act_all(is.task->op[send].rank, now);
    }
}

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)qp;
    arrives(of, tag, now);
}

static void
acked(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)qp;
    is_acked(of, tag, now);
}

static void
connect(uint32_t src, uint32_t dst, uint8_t nic)
{
    struct weft_connection **c = &is.connection[src][dst][nic];
    if (!*c)
    {
        ck_assert_int_eq(weft_run_connect(stage.run, is.task->host[src], is.task->host[dst], 0,
                                          &is.listener, c, NULL),
                         0);
    }
}

/* Whether a send of the same connection asks. */
static bool
any_asks(const struct task *t, uint32_t send)
{
    bool any = false;
    for (uint32_t i = 0; i < t->nops; i++)
    {
        const struct weft_op_spec *a = &t->op[i], *b = &t->op[send];
        any = any || (a->kind == WEFT_OP_SEND && asks(i) && a->rank == b->rank &&
                      a->peer == b->peer && a->nic == b->nic);
    }
    return any;
}

/* Makes connections in the order in which a graph's messages number them. */
static void
connect_all(const struct task *t)
{
    for (int back = 0; back < 2; back++)
    {
        for (uint32_t i = 0; i < t->nops; i++)
        {
            const struct weft_op_spec *o = &t->op[i];
            if (o->kind == WEFT_OP_SEND && (!back || any_asks(t, i)))
            {
                connect(back ? o->peer : o->rank, back ? o->rank : o->peer, o->nic);
            }
        }
    }
}

static void
begin_all(struct task *task, const struct ways *ways)
{
    memset(&is, 0, sizeof is);
    memset(task->begun, 0xff, sizeof task->begun);
    memset(task->ended, 0xff, sizeof task->ended);
    is.task = task;
    is.ways = ways;
    is.listener = (struct weft_listener){NULL, delivered, acked, NULL};
    for (uint32_t r = 0; r < task->nranks; r++)
    {
        call(r, 0, r, begin_rank);
    }
}

void
play_naively(struct task *task)
{
    begin_all(task, NULL);
    connect_all(task);
    weft_run_until(stage.run, WEFT_NEVER);
}

void
play_ideally(struct task *task, const struct ways *ways, bool acks_first)
{
    later.acks_first = acks_first;
    begin_all(task, ways);
    let_all_happen();
}
