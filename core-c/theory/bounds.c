/* SPDX-License-Identifier: MIT */
/* Lower bounds on completion times. What does not fit 63 bits comes out as WEFT_NEVER. */
#include "base/muldiv.h"
#include "base/saturating.h"

#include <stdbool.h>

#include <weft/param.h>
#include <weft/theory.h>

static int64_t
mul(uint64_t a, int64_t b)
{
    if (b != 0 && a > (uint64_t)WEFT_NEVER / (uint64_t)b)
    {
        return WEFT_NEVER;
    }
    return (int64_t)a * b;
}

/* Bytes of the last frame of a message. */
static int64_t
last_frame(const struct weft_wire *w, uint64_t bytes)
{
    uint64_t rest = bytes % (uint64_t)w->payload;
    return (rest ? (int64_t)rest : w->payload) + w->header;
}

/* ps of bytes one behind the other on a wire. */
static int64_t
in_row(const struct weft_wire *w, int64_t bytes)
{
    return bytes == WEFT_NEVER ? WEFT_NEVER : weft_wire_time(bytes, w->rate);
}

/* Returns what a frame takes of its sender: where it is paced ps, rounded up for each frame, as
 * NICs do; at line rate bytes, so that nothing is rounded before the sum is known. */
static int64_t
slot(const struct weft_wire *w, int64_t frame, int64_t pace)
{
    return pace < w->rate ? weft_wire_time(frame + w->gap, pace) : frame + w->gap;
}

/*
 * A frame leaves behind others, by the sum of their slots as slot() counts them, and never waits.
 * All things begin at whole ps, and a frame is at a link's end at one; but frames that follow each
 * other on a wire are rounded up together.
 */
static int64_t
after(const struct weft_wire *w, int64_t slots, int64_t pace, int64_t frame)
{
    int64_t wire = weft_wire_time(frame, w->rate);
    int64_t sent = pace < w->rate ? weft_sum(slots, wire) : in_row(w, weft_sum(slots, frame));
    return weft_sum(weft_sum(sent, w->delay), mul(w->links - 1, weft_sum(wire, w->delay)));
}

/* A frame's way through the fabric when it never waits. */
static int64_t
way(const struct weft_wire *w, int64_t frame)
{
    return mul(w->links, weft_sum(weft_wire_time(frame, w->rate), w->delay));
}

/* A full frame comes to the last link without waiting; so many bytes follow it there at once. */
static int64_t
through(const struct weft_wire *w, int64_t behind)
{
    int64_t full = w->payload + w->header;
    int64_t before = mul(w->links - 1, weft_sum(weft_wire_time(full, w->rate), w->delay));
    return weft_sum(before, weft_sum(in_row(w, weft_sum(full, behind)), w->delay));
}

int64_t
weft_one_way(const struct weft_wire *w)
{
    return way(w, w->payload + w->header);
}

static uint64_t
ports_of(const struct weft_wire *w)
{
    return w->ports > 1 ? w->ports : 1;
}

uint64_t
weft_port_bytes(const struct weft_wire *w, uint64_t bytes)
{
    const uint64_t packets = weft_packets(bytes, w->payload), full = (uint64_t)w->payload;
    if (packets == 0)
    {
        return 0;
    }
    const uint64_t before = (packets - 1) / ports_of(w);
    const uint64_t last = bytes - (packets - 1) * full;
    return before * full + ((packets - 1) % ports_of(w) == 0 ? last : full);
}

/* Returns what a port carries of equal messages. */
struct row
{
    int64_t full;  /* the greatest frame */
    int64_t last;  /* the least one */
    int64_t slots; /* of all frames together, as slot() counts them */
    int64_t fulls; /* of the greatest ones but one */
};

/*
 * Returns what one port has at least. As all together have so many frames, it has its part of all
 * slots, and of the greatest frames; a short frame as well where these are as many at each port.
 */
static struct row
row_of(const struct weft_wire *w, uint32_t messages, uint64_t bytes, int64_t pace)
{
    const uint64_t n = weft_packets(bytes, w->payload), ports = ports_of(w);
    struct row row = {.last = last_frame(w, bytes)};
    row.full = n > 1 ? w->payload + w->header : row.last;
    const bool shorter = row.last < row.full;
    const int64_t fulls = mul(messages, (int64_t)(n - shorter));
    const int64_t most = (int64_t)weft_packets((uint64_t)fulls, (int64_t)ports);
    const int64_t lasts = shorter ? mul(messages, slot(w, row.last, pace)) : 0;
    const int64_t all = weft_sum(mul((uint64_t)fulls, slot(w, row.full, pace)), lasts);
    const bool even = shorter && (uint64_t)fulls % ports == 0;
    row.fulls = mul((uint64_t)(most - 1), slot(w, row.full, pace));
    row.slots =
        weft_sum(weft_sum(row.fulls, slot(w, row.full, pace)), even ? slot(w, row.last, pace) : 0);
    row.slots = all == WEFT_NEVER
                    ? WEFT_NEVER
                    : weft_larger(row.slots, (int64_t)weft_packets((uint64_t)all, (int64_t)ports));
    return row;
}

/*
 * Equal messages leave through a host's wires, at pace bit/s. Beyond these frames may take paths of
 * their own, so that a short last one overtakes full ones: the full frames are sent first at best,
 * and whichever frame ends a kind still has its own way to go.
 */
static int64_t
burst(const struct weft_wire *w, uint32_t messages, uint64_t bytes, int64_t pace)
{
    if (messages == 0 || bytes == 0 || w->links == 0)
    {
        return 0;
    }
    const struct row row = row_of(w, messages, bytes, pace);
    if (row.slots == WEFT_NEVER)
    {
        return WEFT_NEVER;
    }
    const int64_t all = after(w, row.slots - slot(w, row.last, pace), pace, row.last);
    return weft_larger(all, after(w, row.fulls, pace, row.full));
}

int64_t
weft_message_bound(const struct weft_wire *w, uint64_t bytes)
{
    return burst(w, 1, bytes, w->rate);
}

/* On one path a short last frame waits at each later link behind the full one before it. */
int64_t
weft_message_fifo(const struct weft_wire *w, uint64_t bytes)
{
    const uint64_t own = weft_port_bytes(w, bytes), n = weft_packets(own, w->payload);
    if (n < 2 || w->links == 0)
    {
        return burst(w, 1, bytes, w->rate);
    }
    int64_t full = w->payload + w->header;
    int64_t sent = weft_sum(mul(n - 1, full + w->gap), last_frame(w, own));
    int64_t later = mul(w->links - 1, full);
    return weft_sum(in_row(w, weft_sum(sent, later)), mul(w->links, w->delay));
}

/*
 * The full frames leave each link a slot of the slowest link so far apart. The last frame leaves
 * when it has come and those before it have left.
 */
int64_t
weft_message_path(const struct weft_wire *w, const struct weft_hop *hops, uint64_t message)
{
    const uint64_t bytes = weft_port_bytes(w, message), n = weft_packets(bytes, w->payload);
    const int64_t full = w->payload + w->header;
    const int64_t before = n > 1 ? mul(n - 1, full + w->gap) : 0;
    const int64_t last = n > 0 ? last_frame(w, bytes) : 0;
    int64_t slowest = WEFT_NEVER;
    int64_t first = 0; /* when the first full frame has come to this link */
    int64_t come = 0;  /* and when the last frame has */
    for (uint32_t i = 0; n > 0 && before < WEFT_NEVER && i < w->links; i++)
    {
        const struct weft_hop *hop = &hops[i];
        const bool slower = hop->rate <= slowest;
        slowest = slower ? hop->rate : slowest;
        int64_t left = weft_sum(come, weft_wire_time(last, hop->rate));
        if (n > 1)
        {
            const int64_t behind = slower ? before : full + w->gap;
            const int64_t start = slower ? 0 : weft_wire_time(before - behind, slowest);
            left = weft_larger(left, weft_sum(weft_sum(first, start),
                                              weft_wire_time(weft_sum(behind, last), hop->rate)));
            first = weft_sum(first, weft_sum(weft_wire_time(full, hop->rate), hop->delay));
        }
        come = weft_sum(left, hop->delay);
    }
    return before < WEFT_NEVER ? come : WEFT_NEVER;
}

int64_t
weft_allreduce_ring_bound(const struct weft_wire *w, uint32_t ranks, uint64_t bytes)
{
    if (ranks < 2)
    {
        return 0;
    }
    return mul(2 * ((uint64_t)ranks - 1), weft_message_fifo(w, weft_packets(bytes, ranks)));
}

int64_t
weft_alltoall_bound(const struct weft_wire *w, uint32_t ranks, uint64_t bytes)
{
    return ranks < 2 ? 0 : burst(w, ranks - 1, weft_packets(bytes, ranks), w->rate);
}

/* With several ports a short frame may be the first at one. */
int64_t
weft_incast_bound(const struct weft_wire *w, uint32_t senders, uint64_t bytes)
{
    if (senders == 0 || bytes == 0 || w->links == 0)
    {
        return 0;
    }
    const struct row row = row_of(w, senders, bytes, w->rate);
    const int64_t first = w->ports > 1 ? row.last : row.full;
    const int64_t hop = weft_sum(weft_wire_time(first, w->rate), w->delay);
    const int64_t carried = in_row(w, row.slots == WEFT_NEVER ? WEFT_NEVER : row.slots - w->gap);
    return weft_sum(mul(w->links - 1, hop), weft_sum(carried, w->delay));
}

int64_t
weft_ack_way(const struct weft_wire *w)
{
    return way(w, w->ack);
}

/* Packets that a host of an exchange sends at pace before the first one comes (ofan's i1) but one.
 */
static uint64_t
sent_alone(const struct weft_wire *w, int64_t pace)
{
    int64_t full = w->payload + w->header;
    uint64_t rest = 0;
    uint64_t sending = weft_muldiv((uint64_t)full, WEFT_BIT_PS, (uint64_t)w->rate, &rest);
    uint64_t alone = (uint64_t)weft_one_way(w) - sending;
    if (pace < w->rate)
    {
        return weft_packets(alone, slot(w, full, pace));
    }
    uint64_t bytes = weft_muldiv(alone, (uint64_t)w->rate, WEFT_BIT_PS, &rest);
    return weft_packets(bytes + (rest != 0), slot(w, full, pace));
}

/* Returns the time that follows the first packet of an exchange on the wire into a host until
 * packet m has come: from packet i1 + 1 on an ACK comes before each. */
static int64_t
alternating(const struct weft_wire *w, uint64_t m, uint64_t i1)
{
    int64_t data = w->payload + w->header + w->gap;
    return weft_sum(mul(i1 - 1, data), mul(m - i1, weft_sum(data, w->ack + w->gap)));
}

/* An exchange of fewer than i1 packets: nothing alternates, the last one is answered when it
 * arrives. */
static int64_t
short_exchange(const struct weft_wire *w, uint64_t m)
{
    int64_t full = w->payload + w->header;
    return weft_sum(after(w, mul(m - 1, slot(w, full, w->rate)), w->rate, full), way(w, w->ack));
}

/*
 * ofan Appendix B. Each host sends i1 packets before the first one arrives; then data and ACKs
 * alternate up to ACK i2 = m - i1 + 1; then only ACKs are left. The last ACK, m, is due when the
 * ACKs since i2 have been sent, and not before its own packet has come, just before ACK i2, and the
 * ACK has travelled. (The printed form, kept here, is one gap above what two lone hosts can reach.)
 */
int64_t
weft_permutation_bound(const struct weft_wire *w, uint64_t m)
{
    if (m == 0 || w->links == 0)
    {
        return 0;
    }
    uint64_t i1 = sent_alone(w, w->rate) + 1;
    if (m < i1)
    {
        return short_exchange(w, m);
    }
    int64_t ack = w->ack + w->gap;
    int64_t i2_ack = weft_sum(alternating(w, m, i1), ack);
    int64_t sent = through(w, weft_sum(i2_ack, mul(i1 - 1, ack)));
    int64_t later = mul(w->links - 1, weft_wire_time(w->ack, w->rate));
    int64_t travelled = weft_sum(through(w, i2_ack), weft_sum(mul(w->links, w->delay), later));
    return sent > travelled ? sent : travelled;
}

/* Returns what two lone hosts can reach: from i1 packets on a gap less than what is printed. */
static int64_t
exchange(const struct weft_wire *w, uint64_t m)
{
    uint64_t i1 = sent_alone(w, w->rate) + 1;
    if (m < i1)
    {
        return short_exchange(w, m);
    }
    int64_t come = alternating(w, m, i1);
    int64_t acks = mul(i1, w->ack + w->gap);
    int64_t answered = weft_sum(through(w, come), way(w, w->ack));
    int64_t carried = come == WEFT_NEVER ? come : through(w, weft_sum(come - w->gap, acks));
    return answered > carried ? answered : carried;
}

/* The sender's pace, if it is one: slower than the wire. */
static int64_t
slower(const struct weft_wire *w, int64_t pace)
{
    return pace < w->rate ? pace : w->rate;
}

int64_t
weft_answered_bound(const struct weft_wire *w, uint32_t messages, uint64_t bytes, int64_t pace)
{
    if (messages == 0 || bytes == 0 || w->links == 0)
    {
        return 0;
    }
    return pace <= 0 ? WEFT_NEVER
                     : weft_sum(burst(w, messages, bytes, slower(w, pace)), way(w, w->ack));
}

/* When packet m of a paced exchange has come: i1 - 1 slots, and m - i1 more in which an ACK takes
 * its turn, where it does not fit beside the data in the slot. */
static int64_t
paced_come(const struct weft_wire *w, uint64_t m, int64_t pace)
{
    int64_t full = w->payload + w->header;
    int64_t slots = slot(w, full, pace);
    uint64_t alone = sent_alone(w, pace);
    uint64_t turns = m - 1 > alone ? m - 1 - alone : 0;
    int64_t taken = mul(turns, full + w->gap + w->ack + w->gap);
    int64_t in_turn = weft_sum(mul(m - 1 - turns, slots), after(w, taken, w->rate, full));
    int64_t in_slots = after(w, mul(m - 1, slots), pace, full);
    return in_turn > in_slots ? in_turn : in_slots;
}

/*
 * As above with data slots of T'_d / rho. The wire into a host stands idle until the first data
 * packet comes and then has all data and ACKs to carry: first + (m - 1) T'_d + m T'_a. And packet m
 * is answered when it arrives.
 */
int64_t
weft_permutation_paced_bound(const struct weft_wire *w, uint64_t m, int64_t pace)
{
    if (pace <= 0 || m == 0 || w->links == 0)
    {
        return m == 0 || w->links == 0 ? 0 : WEFT_NEVER;
    }
    if (pace >= w->rate)
    {
        return exchange(w, m);
    }
    int64_t data = mul(m - 1, w->payload + w->header + w->gap);
    int64_t answered = weft_sum(paced_come(w, m, pace), way(w, w->ack));
    int64_t carried = through(w, weft_sum(data, mul(m, w->ack + w->gap)));
    return answered > carried ? answered : carried;
}

/* Bytes of equal messages and as many ACKs as they have packets, gaps included. */
static int64_t
load(const struct weft_wire *w, uint32_t messages, uint64_t bytes)
{
    uint64_t n = weft_packets(bytes, w->payload);
    int64_t fulls = mul(n - 1, w->payload + w->header + w->gap);
    int64_t last = last_frame(w, bytes) + w->gap;
    return mul(messages, weft_sum(weft_sum(fulls, last), mul(n, w->ack + w->gap)));
}

/*
 * Three things take their time. All data of a host must leave it, and what arrives last is
 * answered. The wire into a host carries all data and ACKs, and stands idle until the first frame,
 * a data frame, has come as far as the last link. The wire out of it carries as much, and its last
 * frame, an ACK at best, has its way to go.
 */
int64_t
weft_alltoall_acked_bound(const struct weft_wire *w, uint32_t ranks, uint64_t bytes, int64_t pace)
{
    if (ranks < 2 || bytes == 0 || w->links == 0)
    {
        return 0;
    }
    if (pace <= 0)
    {
        return WEFT_NEVER;
    }
    int64_t answered = weft_answered_bound(w, ranks - 1, bytes, pace);
    int64_t carried = load(w, ranks - 1, bytes);
    carried = in_row(w, carried == WEFT_NEVER ? carried : carried - w->gap);
    int64_t before = last_frame(w, bytes) > w->ack ? last_frame(w, bytes) : w->ack;
    int64_t hop = weft_sum(weft_wire_time(before, w->rate), w->delay);
    int64_t in = weft_sum(weft_sum(carried, w->delay), mul(w->links - 1, hop));
    return answered > in ? answered : in;
}
