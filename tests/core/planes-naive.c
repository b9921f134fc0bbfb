/* SPDX-License-Identifier: MIT */
/* Hosts with several ports by hand. Made to be seen to be right, not to be fast. */
#include "planes-naive.h"

#include <stdbool.h>
#include <string.h>

#include <weft/rng.h>

#define NEVER       INT64_MAX
#define MOST_FRAMES (2U * NAIVE_FLOWS * NAIVE_PACKETS)
#define TIE_STREAM  (UINT64_C(0x71e5) << 32) /* of switches, as the manual has it */

struct frame
{
    uint32_t flow;
    uint32_t psn;
    uint32_t port;
    bool ack;
    bool at_switch; /* on its way to a switch, else to a host */
    bool whole;     /* an ACK: all of the message had come when it was made */
    int64_t at;     /* when it arrives, ps */
};

struct row
{
    uint32_t of[MOST_FRAMES];
    uint32_t head, tail;
};

struct wire
{
    struct row acks, data;
    int64_t free_at;
    uint32_t turn; /* 0: an ACK, 1: nothing that is here, 2: data */
};

struct nic
{
    struct wire wire[NAIVE_PLANES];
    uint32_t row[NAIVE_FLOWS], n, next; /* flows, and whose turn it is */
    uint32_t first;                     /* wire that is served first */
    uint32_t held;                      /* flows that wait outside the row */
    int64_t wake_at;
};

/* A flow's sender and receiver. */
struct state
{
    uint32_t made, waits, last_port, got;
    bool held, begun;
};

static struct
{
    struct naive_planes *s;
    struct frame frame[MOST_FRAMES];
    uint32_t frames;
    uint32_t live[MOST_FRAMES], nlive; /* frames under way */
    struct nic nic[NAIVE_HOSTS];
    struct state flow[NAIVE_FLOWS];
    int64_t out[NAIVE_PLANES][NAIVE_HOSTS]; /* when a switch's wire to a host is free */
} world;

static int64_t
size(const struct frame *f)
{
    return f->ack ? world.s->ack : world.s->data;
}

static void
push(struct row *r, uint32_t frame)
{
    r->of[r->tail++] = frame;
}

static uint32_t
new_frame(uint32_t flow, uint32_t psn, bool ack, uint32_t port)
{
    world.frame[world.frames] = (struct frame){.flow = flow, .psn = psn, .ack = ack, .port = port};
    return world.frames++;
}

/* --- the row of QPs --------------------------------------------------------------------------- */

static void
leave_row(struct nic *nic, uint32_t i)
{
    memmove(&nic->row[i], &nic->row[i + 1], (nic->n - i - 1) * sizeof *nic->row);
    nic->n--;
    nic->next -= nic->next > i;
}

static void
join_row(struct nic *nic, uint32_t flow)
{
    for (uint32_t i = 0; i < nic->n; i++)
    {
        if (nic->row[i] == flow)
        {
            return;
        }
    }
    nic->row[nic->n++] = flow;
}

/* The flow that makes the next frame; false: none has one. */
static bool
ask_row(struct nic *nic, uint32_t *flow)
{
    uint32_t i = nic->next;
    for (uint32_t left = nic->n; left > 0; left--)
    {
        i = i < nic->n ? i : 0;
        *flow = nic->row[i];
        if (world.flow[*flow].made < world.s->flow[*flow].packets)
        {
            nic->next = i + 1;
            return true;
        }
        leave_row(nic, i);
    }
    return false;
}

static uint32_t
port_of(uint32_t flow, uint32_t psn, uint32_t idle)
{
    struct state *q = &world.flow[flow];
    switch (world.s->choice)
    {
    case NAIVE_IN_TURN:
        q->last_port = (q->last_port + 1) % world.s->planes;
        return q->last_port;
    case NAIVE_LEAST:
        return idle;
    default:
        return world.s->flow[flow].port[psn];
    }
}

/* A frame of data waits: its flow may have to. */
static void
keep(struct nic *nic, uint32_t port, uint32_t frame)
{
    const uint32_t flow = world.frame[frame].flow;
    struct state *q = &world.flow[flow];
    const uint32_t part = world.s->window / (nic->n + nic->held);
    push(&nic->wire[port].data, frame);
    if (++q->waits >= (part > 0 ? part : 1))
    {
        q->held = true;
        nic->held++;
        for (uint32_t i = 0; i < nic->n; i++)
        {
            if (nic->row[i] == flow)
            {
                leave_row(nic, i);
                break;
            }
        }
    }
}

/* --- wires ------------------------------------------------------------------------------------ */

static bool
take_ack(struct nic *nic, uint32_t port, uint32_t *frame)
{
    struct row *acks = &nic->wire[port].acks;
    const bool any = acks->head < acks->tail;
    *frame = any ? acks->of[acks->head++] : 0;
    return any;
}

static bool
take_data(struct nic *nic, uint32_t port, uint32_t *frame)
{
    struct row *data = &nic->wire[port].data;
    if (data->head < data->tail)
    {
        *frame = data->of[data->head++];
        const uint32_t flow = world.frame[*frame].flow;
        struct state *q = &world.flow[flow];
        q->waits--;
        if (q->held)
        {
            q->held = false;
            nic->held--;
            if (q->made < world.s->flow[flow].packets)
            {
                join_row(nic, flow);
            }
        }
        return true;
    }
    uint32_t flow;
    while (ask_row(nic, &flow))
    {
        const uint32_t psn = world.flow[flow].made++;
        const uint32_t to = port_of(flow, psn, port);
        *frame = new_frame(flow, psn, false, to);
        if (to == port)
        {
            return true;
        }
        keep(nic, to, *frame);
    }
    return false;
}

static void
leave(struct wire *wire, uint32_t frame, int64_t now)
{
    struct frame *f = &world.frame[frame];
    world.live[world.nlive++] = frame;
    f->at_switch = true;
    f->at = now + size(f) * world.s->byte + world.s->delay;
    wire->free_at = now + (size(f) + world.s->gap) * world.s->byte;
    if (!f->ack)
    {
        world.s->flow[f->flow].sent[f->psn] = now;
        world.s->flow[f->flow].by[f->psn] = (uint8_t)f->port;
    }
}

static bool
serve_wire(struct nic *nic, uint32_t port, int64_t now)
{
    struct wire *wire = &nic->wire[port];
    for (uint32_t i = 0; i < 3; i++)
    {
        const uint32_t turn = wire->turn;
        uint32_t frame;
        wire->turn = (turn + 1) % 3;
        if ((turn == 0 && take_ack(nic, port, &frame)) ||
            (turn == 2 && take_data(nic, port, &frame)))
        {
            leave(wire, frame, now);
            return true;
        }
    }
    return false;
}

/* When the NIC has something to do next, as far as it knows. */
static int64_t
next_of(const struct nic *nic, int64_t now)
{
    int64_t next = NEVER, free = NEVER;
    for (uint32_t i = 0; i < world.s->planes; i++)
    {
        const struct wire *wire = &nic->wire[i];
        const int64_t at = wire->free_at > now ? wire->free_at : now;
        const bool any = wire->acks.head < wire->acks.tail || wire->data.head < wire->data.tail;
        next = any && at < next ? at : next;
        free = at < free ? at : free;
    }
    return nic->n > 0 && free < next ? free : next;
}

static void
serve(struct nic *nic, int64_t now)
{
    for (bool sends = true; sends;)
    {
        sends = false;
        for (uint32_t i = 0; i < world.s->planes && !sends; i++)
        {
            const uint32_t port = (nic->first + i) % world.s->planes;
            sends = nic->wire[port].free_at <= now && serve_wire(nic, port, now);
            nic->first = sends ? (port + 1) % world.s->planes : nic->first;
        }
    }
    nic->wake_at = next_of(nic, now);
}

/* --- what arrives ----------------------------------------------------------------------------- */

static void
come_to_switch(struct frame *f)
{
    const struct naive_flow *flow = &world.s->flow[f->flow];
    int64_t *free_at = &world.out[f->port][f->ack ? flow->src : flow->dst];
    const int64_t start = f->at > *free_at ? f->at : *free_at;
    *free_at = start + (size(f) + world.s->gap) * world.s->byte;
    f->at = start + size(f) * world.s->byte + world.s->delay;
    f->at_switch = false;
}

static void
end(uint32_t frame)
{
    uint32_t i = 0;
    while (world.live[i] != frame)
    {
        i++;
    }
    world.live[i] = world.live[--world.nlive];
}

static void
come_to_host(uint32_t frame)
{
    struct frame *f = &world.frame[frame];
    struct naive_flow *flow = &world.s->flow[f->flow];
    struct state *q = &world.flow[f->flow];
    const int64_t now = f->at;
    end(frame);
    if (!f->ack)
    {
        struct nic *nic = &world.nic[flow->dst];
        flow->delivered = ++q->got == flow->packets ? now : flow->delivered;
        const uint32_t ack = new_frame(f->flow, f->psn, true, f->port);
        world.frame[ack].whole = q->got == flow->packets;
        push(&nic->wire[f->port].acks, ack);
        serve(nic, now);
        return;
    }
    flow->acked = f->whole && flow->acked == 0 ? now : flow->acked;
    if (!q->held && q->made < flow->packets)
    {
        join_row(&world.nic[flow->src], f->flow);
        serve(&world.nic[flow->src], now);
    }
}

/* The place of a frame among those that come to its switch at one instant. */
static uint32_t
drawn_place(const struct frame *f)
{
    const struct naive_flow *flow = &world.s->flow[f->flow];
    struct weft_rng rng;
    weft_rng_seed(&rng, world.s->seed, 0, TIE_STREAM + world.s->apart * f->port);
    const uint64_t high = weft_rng_u32(&rng);
    const uint64_t salt = high << 32 | weft_rng_u32(&rng);
    const uint32_t order = (uint32_t)(weft_mix64(salt ^ (uint64_t)f->at) % 65536);
    return order ^ (f->ack ? flow->dst : flow->src);
}

/* The next of the frames that arrive at @p now, at switches or else at hosts; or UINT32_MAX. */
static uint32_t
next_arrival(int64_t now, bool at_switch)
{
    uint32_t first = UINT32_MAX, least = UINT32_MAX;
    for (uint32_t i = 0; i < world.nlive; i++)
    {
        const struct frame *f = &world.frame[world.live[i]];
        if (f->at == now && f->at_switch == at_switch)
        {
            const uint32_t place = at_switch ? drawn_place(f) : f->port;
            first = place < least ? world.live[i] : first;
            least = place < least ? place : least;
        }
    }
    return first;
}

static int64_t
next_instant(void)
{
    int64_t next = NEVER;
    for (uint32_t i = 0; i < world.nlive; i++)
    {
        const int64_t at = world.frame[world.live[i]].at;
        next = at < next ? at : next;
    }
    for (uint32_t h = 0; h < world.s->hosts; h++)
    {
        next = world.nic[h].wake_at < next ? world.nic[h].wake_at : next;
    }
    for (uint32_t i = 0; i < world.s->nflows; i++)
    {
        const struct naive_flow *flow = &world.s->flow[i];
        next = !world.flow[i].begun && flow->start < next ? flow->start : next;
    }
    return next;
}

/* Wires first, then arrivals, then messages. A switch is never late for a host at the same instant.
 */
static void
run_instant(int64_t now)
{
    for (uint32_t h = 0; h < world.s->hosts; h++)
    {
        if (world.nic[h].wake_at == now)
        {
            serve(&world.nic[h], now);
        }
    }
    for (uint32_t i; (i = next_arrival(now, true)) != UINT32_MAX;)
    {
        come_to_switch(&world.frame[i]);
    }
    for (uint32_t i; (i = next_arrival(now, false)) != UINT32_MAX;)
    {
        come_to_host(i);
    }
    for (uint32_t i = 0; i < world.s->nflows; i++)
    {
        if (!world.flow[i].begun && world.s->flow[i].start == now)
        {
            world.flow[i].begun = true;
            join_row(&world.nic[world.s->flow[i].src], i);
            serve(&world.nic[world.s->flow[i].src], now);
        }
    }
}

void
naive_planes_run(struct naive_planes *all)
{
    memset(&world, 0, sizeof world);
    world.s = all;
    for (uint32_t h = 0; h < all->hosts; h++)
    {
        world.nic[h].wake_at = NEVER;
    }
    for (int64_t now = next_instant(); now != NEVER; now = next_instant())
    {
        run_instant(now);
    }
}
