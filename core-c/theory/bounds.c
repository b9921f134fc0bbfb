/* SPDX-License-Identifier: MIT */
/* Lower bounds on completion times. What does not fit 63 bits comes out as WEFT_NEVER. */
#include "theory/muldiv.h"

#include <stdbool.h>

#include <weft/param.h>
#include <weft/theory.h>

#define BIT_PS UINT64_C(8000000000000) /* ps per byte at 1 bit/s */

static int64_t
add(int64_t a, int64_t b)
{
    return a > WEFT_NEVER - b ? WEFT_NEVER : a + b;
}

static int64_t
mul(uint64_t a, int64_t b)
{
    if (b != 0 && a > (uint64_t)WEFT_NEVER / (uint64_t)b)
    {
        return WEFT_NEVER;
    }
    return (int64_t)a * b;
}

uint64_t
weft_packets(uint64_t bytes, int64_t payload)
{
    uint64_t p = (uint64_t)payload;
    return bytes / p + (bytes % p != 0);
}

int64_t
weft_wire_time(int64_t bytes, int64_t rate)
{
    uint64_t rest = 0;
    uint64_t ps = weft_muldiv((uint64_t)bytes, BIT_PS, (uint64_t)rate, &rest);
    return ps >= (uint64_t)WEFT_NEVER ? WEFT_NEVER : (int64_t)(ps + (rest != 0));
}

/* Bytes of the last frame of a message. */
static int64_t
last_frame(const struct weft_wire *w, uint64_t bytes)
{
    uint64_t rest = bytes % (uint64_t)w->payload;
    return (rest ? (int64_t)rest : w->payload) + w->header;
}

/* A frame's way through the fabric when it never waits. */
static int64_t
way(const struct weft_wire *w, int64_t frame)
{
    return mul(w->links, add(weft_wire_time(frame, w->rate), w->delay));
}

int64_t
weft_one_way(const struct weft_wire *w)
{
    return way(w, w->payload + w->header);
}

/*
 * Equal messages leave through one wire, at pace bit/s. Beyond it frames may take paths of their
 * own, so that a short last one overtakes full ones: the full frames are sent first at best, and
 * whichever frame ends a kind still has its own way to go.
 */
static int64_t
burst(const struct weft_wire *w, uint32_t messages, uint64_t bytes, int64_t pace)
{
    uint64_t n = weft_packets(bytes, w->payload);
    if (messages == 0 || n == 0 || w->links == 0)
    {
        return 0;
    }
    int64_t full = w->payload + w->header;
    int64_t last = last_frame(w, bytes);
    int64_t slot = weft_wire_time(full + w->gap, pace);
    int64_t fulls = mul(messages, mul(n - 1, slot));
    int64_t others = mul(messages - 1, weft_wire_time(last + w->gap, pace));
    int64_t all = add(add(fulls, others), way(w, last));
    if (n == 1 || fulls == WEFT_NEVER)
    {
        return all;
    }
    int64_t last_full = add(fulls - slot, way(w, full));
    return all > last_full ? all : last_full;
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
    uint64_t n = weft_packets(bytes, w->payload);
    if (n < 2 || w->links == 0)
    {
        return burst(w, 1, bytes, w->rate);
    }
    int64_t full = weft_wire_time(w->payload + w->header, w->rate);
    int64_t slot = weft_wire_time(w->payload + w->header + w->gap, w->rate);
    int64_t last = weft_wire_time(last_frame(w, bytes), w->rate);
    int64_t later = add(mul(w->links - 1, full), mul(w->links, w->delay));
    return add(add(mul(n - 1, slot), last), later);
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

/* Packets that a host of an exchange sends before the first one comes (ofan's i1) but one. */
static uint64_t
sent_alone(const struct weft_wire *w, int64_t slot)
{
    int64_t td = weft_wire_time(w->payload + w->header, w->rate);
    return weft_packets((uint64_t)(weft_one_way(w) - td), slot);
}

/*
 * ofan Appendix B. Each host sends i1 packets before the first one arrives; then data and ACKs
 * alternate up to ACK i2 = m - i1 + 1; then only ACKs are left. The last ACK, m, is due when the
 * ACKs since i2 have been sent, and not before its own packet has come, just before ACK i2, and the
 * ACK has travelled. (The printed form, kept here, is one gap above what two lone hosts can reach.)
 * With m < i1 nothing alternates: the last packet is answered when it arrives.
 */
int64_t
weft_permutation_bound(const struct weft_wire *w, uint64_t m)
{
    int64_t td = weft_wire_time(w->payload + w->header, w->rate);
    int64_t ta = weft_wire_time(w->ack, w->rate);
    int64_t data = weft_wire_time(w->payload + w->header + w->gap, w->rate);
    int64_t ack = weft_wire_time(w->ack + w->gap, w->rate);
    int64_t tp = mul(w->links, w->delay);
    if (m == 0 || w->links == 0)
    {
        return 0;
    }
    int64_t others = w->links - 1;
    int64_t first = add(tp, mul(w->links, td));
    uint64_t i1 = sent_alone(w, data) + 1;
    int64_t back = add(tp, mul((uint64_t)others, ta));
    if (m < i1)
    {
        return add(add(first, mul(m - 1, data)), add(back, ta));
    }
    int64_t first_ack = add(add(first, mul(i1 - 1, data)), ack);
    int64_t i2_ack = add(first_ack, mul(m - i1, add(data, ack)));
    int64_t acks = mul(i1 - 1, ack);
    return add(i2_ack, acks > back ? acks : back);
}

/* What two lone hosts can reach: from i1 packets on a gap less than what is printed. */
static int64_t
exchange(const struct weft_wire *w, uint64_t m)
{
    int64_t printed = weft_permutation_bound(w, m);
    int64_t slot = weft_wire_time(w->payload + w->header + w->gap, w->rate);
    bool alternates = printed != WEFT_NEVER && m > sent_alone(w, slot);
    return printed - (alternates ? weft_wire_time(w->gap, w->rate) : 0);
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
    return pace <= 0 ? WEFT_NEVER : add(burst(w, messages, bytes, slower(w, pace)), way(w, w->ack));
}

/*
 * As above with data slots of T'_d / rho. The wire into a host stands idle until the first data
 * packet comes and then has all data and ACKs to carry: first + (m - 1) T'_d + m T'_a. And packet m
 * leaves after i1 - 1 slots, and m - i1 more in which an ACK takes its turn, where it does not fit
 * beside the data in the slot; it is answered when it arrives.
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
    int64_t slot = weft_wire_time(w->payload + w->header + w->gap, pace);
    int64_t data = weft_wire_time(w->payload + w->header + w->gap, w->rate);
    int64_t ack = weft_wire_time(w->ack + w->gap, w->rate);
    int64_t first = weft_one_way(w);
    uint64_t alone = sent_alone(w, slot);
    uint64_t turns = m - 1 > alone ? m - 1 - alone : 0;
    int64_t shared = add(data, ack) > slot ? add(data, ack) : slot;
    int64_t leaves = add(mul(m - 1 - turns, slot), mul(turns, shared));
    int64_t answered = add(add(leaves, first), way(w, w->ack));
    int64_t carried = add(first, add(mul(m - 1, data), mul(m, ack)));
    return answered > carried ? answered : carried;
}

/* Wire time of equal messages and as many ACKs as they have packets, gaps included. */
static int64_t
load(const struct weft_wire *w, uint32_t messages, uint64_t bytes)
{
    uint64_t n = weft_packets(bytes, w->payload);
    int64_t full = weft_wire_time(w->payload + w->header + w->gap, w->rate);
    int64_t last = weft_wire_time(last_frame(w, bytes) + w->gap, w->rate);
    int64_t ack = weft_wire_time(w->ack + w->gap, w->rate);
    return mul(messages, add(add(mul(n - 1, full), last), mul(n, ack)));
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
    carried -= carried == WEFT_NEVER ? 0 : weft_wire_time(w->gap, w->rate);
    int64_t before = last_frame(w, bytes) > w->ack ? last_frame(w, bytes) : w->ack;
    int64_t hop = add(weft_wire_time(before, w->rate), w->delay);
    int64_t in = add(add(carried, w->delay), mul(w->links - 1, hop));
    return answered > in ? answered : in;
}
