/* SPDX-License-Identifier: MIT */
/* A user would lose ConWeave's promise: QPs that leave congested paths, and no packet out of order
 * at a NIC because of it. The examples are traces of its authors' simulator, computed by hand.
 * Times are in us, and what travels with packets is exact to a tick of 65.5 ns. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "lb-rig.h"
#include "must.h"

#define US   INT64_C(1000000) /* ps */
#define TICK INT64_C(65536)

enum kind
{
    PLAIN,
    INIT,
    TAIL
};

enum control
{
    INIT_REPLY = 1,
    CLEAR,
    NOTIFY
};

static int64_t
ps(double us)
{
    return (int64_t)(us * (double)US + 0.5);
}

static struct weft_clos clos;
static struct lb_place source, destination;
static void *flow;

/* 8 leaves with 8 spines, 1 us: a round trip of 4 us between ToRs. */
static void
open_both(const char *settings)
{
    const char *const shape[] = {"leaves", "8",          "spines", "8", "hosts-per-leaf",
                                 "4",      "link-delay", "1us",    NULL};
    memset(&clos, 0, sizeof clos);
    lb_build(&clos, "leaf-spine", shape);
    lb_open_at(&source, &clos, 0, 1, "conweave", settings);
    lb_open_at(&destination, &clos, 1, 1, "conweave", settings);
    flow = lb_flow(&source);
}

static void
close_both(void)
{
    free(flow);
    lb_close(&source.rig);
    lb_close(&destination.rig);
}

static struct weft_packet
data(uint32_t src, uint32_t dst)
{
    struct weft_packet p = lb_data(src, dst);
    p.qp = 77;
    return p;
}

/* Packet that has left the source's ToR. */
struct sent
{
    enum kind kind;
    bool phase;
    unsigned epoch;
    uint32_t port;
    uint16_t tail;
    struct weft_packet packet;
};

static struct sent
send_at(double us)
{
    struct sent s;
    s.packet = data(0, 5);
    s.port = lb_forward(&source, flow, &s.packet, NULL, ps(us));
    s.kind = (enum kind)(s.packet.echo >> 14);
    s.phase = (s.packet.echo & 0x2000) != 0;
    s.epoch = s.packet.echo & 0x1fff;
    s.tail = s.packet.meta[2];
    return s;
}

static void
hear_at(double us, enum control what, unsigned value)
{
    struct weft_packet p = data(5, 0);
    uint32_t queue;
    p.kind = WEFT_CONTROL;
    p.in_port = 4;
    p.meta[1] = (uint16_t)what;
    p.meta[2] = (uint16_t)value;
    ck_assert_int_eq(source.rig.ops->arrive(source.rig.state, flow, &p, &queue, ps(us)),
                     WEFT_ARRIVAL_END);
}

static void
is(struct sent s, enum kind kind, bool phase, unsigned epoch)
{
    ck_assert_int_eq(s.kind, kind);
    ck_assert_int_eq(s.phase, phase);
    ck_assert_uint_eq(s.epoch, epoch);
}

START_TEST(a_late_reply_moves_the_qp_behind_a_tail)
{
    open_both(NULL);
    const struct sent first = send_at(1000);
    is(first, INIT, false, 1); /* the reply is due by 1008 */
    is(send_at(1001), PLAIN, false, 1);
    is(send_at(1007.9), PLAIN, false, 1);
    is(send_at(1008), PLAIN, false, 1); /* not late yet */
    const struct sent tail = send_at(1008.2);
    is(tail, TAIL, false, 1);
    ck_assert_uint_eq(tail.port, first.port);
    const struct sent next = send_at(1008.3);
    is(next, PLAIN, true, 1);
    ck_assert_uint_eq(next.tail, tail.packet.meta[1]);
    hear_at(1009, INIT_REPLY, 1); /* too late, and of phase 0 */
    is(send_at(1010), PLAIN, true, 1);
    hear_at(1018, CLEAR, 1);
    const struct sent again = send_at(1018.1);
    is(again, INIT, false, 2); /* the reply is due by 1026.1 */
    ck_assert_uint_eq(again.port, next.port);
    hear_at(1026.1, INIT_REPLY, 2); /* not earlier */
    ck_assert_uint_eq(source.rig.ops->counters(source.rig.state)->reroutes, 1);
    is(send_at(1026.2), TAIL, false, 2);
    ck_assert_uint_eq(source.rig.ops->counters(source.rig.state)->reroutes, 2);
    close_both();
}
END_TEST

/* A silence of just the expiry is none: the late reply still costs a TAIL. */
START_TEST(a_silence_longer_than_the_expiry_begins_anew)
{
    open_both("expiry=300us");
    is(send_at(1000), INIT, false, 1);
    is(send_at(1300), TAIL, false, 1);
    close_both();
    open_both("expiry=300us");
    is(send_at(1000), INIT, false, 1);
    is(send_at(1300.000001), INIT, false, 2);
    close_both();
}
END_TEST

/* The uplink of the old path is dead: its TAIL goes elsewhere, and the QP by its new path all the
 * same. */
START_TEST(a_tail_that_must_move_does_not_move_its_qp)
{
    open_both(NULL);
    const uint32_t old = send_at(1000).port;
    is(send_at(1008.2), TAIL, false, 1);
    const uint32_t chosen = send_at(1008.3).port;
    ck_assert_uint_ne(chosen, old);
    close_both();
    open_both(NULL);
    ck_assert_uint_eq(send_at(1000).port, old);
    uint16_t alive[7];
    for (uint16_t i = 0, port = source.map.first_up; i < 7; port++)
    {
        alive[i] = port;
        i = (uint16_t)(i + (port != old));
    }
    const struct weft_ports ports = {
        .list = alive, .first = source.map.first_up, .n = 7, .width = 8};
    struct weft_packet tail = data(0, 5);
    const uint32_t instead = lb_forward(&source, flow, &tail, &ports, ps(1008.2));
    ck_assert_int_eq(tail.echo >> 14, TAIL);
    ck_assert_uint_ne(instead, old);
    ck_assert_uint_ne(instead, chosen);
    ck_assert_uint_eq(send_at(1008.3).port, chosen);
    close_both();
}
END_TEST

START_TEST(a_reply_in_time_keeps_the_path)
{
    open_both(NULL);
    const struct sent first = send_at(1000);
    hear_at(1007, INIT_REPLY, 1);
    for (unsigned i = 0; i < 20; i++)
    {
        const double now = 1010 + 10 * i;
        const struct sent s = send_at(now);
        is(s, INIT, false, 2 + i);
        MUST(s.port == first.port);
        hear_at(now + 5, INIT_REPLY, 2 + i);
    }
    ck_assert_uint_eq(source.rig.ops->counters(source.rig.state)->reroutes, 0);
    ck_assert_uint_eq(source.rig.ops->counters(source.rig.state)->probes, 21);
    close_both();
}
END_TEST

/* All paths but the QP's own are paused: drawn or not, it stays, and counts no reroute. Just when
 * the pause is over they are good again. */
START_TEST(a_path_of_a_notice_is_not_chosen_for_a_while)
{
    open_both("path-pause=16us");
    const struct sent first = send_at(1000);
    for (unsigned path = 0; path < 8; path++)
    {
        hear_at(2000, NOTIFY, path);
    }
    const struct sent idle = send_at(2010); /* after more than 300 us of silence */
    is(idle, INIT, false, 2);
    ck_assert_uint_eq(idle.port, first.port);
    ck_assert_uint_eq(source.rig.ops->counters(source.rig.state)->reroutes, 0);
    const struct sent late = send_at(2400);
    is(late, INIT, false, 3);
    ck_assert_uint_eq(source.rig.ops->counters(source.rig.state)->reroutes, 1);
    for (unsigned path = 0; path < 8; path++)
    {
        hear_at(2405, NOTIFY, path);
    }
    const struct sent tail = send_at(2410);
    is(tail, TAIL, false, 3);
    const struct sent same = send_at(2411);
    is(same, PLAIN, true, 3);
    ck_assert_uint_eq(same.port, late.port);
    ck_assert_uint_eq(source.rig.ops->counters(source.rig.state)->reroutes, 1);
    close_both();
}
END_TEST

static uint32_t held_in; /* the queue of the last packet that was held */

/* A packet that left its ToR at @p left, the TAIL of its epoch at @p tail (us, 0: none), comes. */
static enum weft_arrival
come_of(unsigned epoch, double now, enum kind kind, bool phase, double left, double tail)
{
    struct weft_packet p = data(0, 5);
    uint32_t queue = 0;
    p.in_port = 4;
    p.meta[0] = 3;
    p.meta[1] = (uint16_t)(ps(left) / TICK);
    p.meta[2] = (uint16_t)(ps(tail) / TICK);
    p.echo = (uint16_t)((unsigned)kind << 14 | (phase ? 0x2000U : 0) | epoch);
    const enum weft_arrival what =
        destination.rig.ops->arrive(destination.rig.state, flow, &p, &queue, ps(now));
    ck_assert(what != WEFT_ARRIVAL_HOLD || (queue & WEFT_QP_MASK) == p.qp);
    held_in = what == WEFT_ARRIVAL_HOLD ? queue : held_in;
    return what;
}

static enum weft_arrival
come(double now, enum kind kind, bool phase, double left, double tail)
{
    return come_of(1, now, kind, phase, left, tail);
}

/* When what is held goes on, if nothing more comes; us. */
static double
flushes_at(void)
{
    return (double)destination.rig.ops->deadline(destination.rig.state) / (double)US;
}

/* Serves what is requested. Returns how many queues of the QP are released, the last of them in
 * *@p queue. */
static unsigned
count_released(int64_t now, uint32_t *queue)
{
    struct weft_request request;
    unsigned released = 0;
    while (destination.rig.ops->request(destination.rig.state, &request, now))
    {
        if (request.what == WEFT_REQUEST_RELEASE)
        {
            ck_assert_uint_eq(request.queue & WEFT_QP_MASK, 77);
            *queue = request.queue;
            released++;
        }
    }
    return released;
}

/* Serves the deadline at @p now. Returns whether the QP's queue is released. */
static bool
released_at(double us)
{
    const struct weft_lb_ops *ops = destination.rig.ops;
    const int64_t now = ps(us);
    uint32_t queue = 0;
    if (ops->deadline(destination.rig.state) <= now)
    {
        ops->on_deadline(destination.rig.state, now);
    }
    const unsigned released = count_released(now, &queue);
    ck_assert(released == 0 || (released == 1 && queue == held_in));
    return released == 1;
}

#define NEAR(a, b) ck_assert_double_eq_tol(a, b, 0.14) /* two ticks */

START_TEST(packets_wait_for_the_tail)
{
    open_both(NULL);
    ck_assert_int_eq(come(1011, PLAIN, false, 1004, 0), WEFT_ARRIVAL_FORWARD);
    ck_assert_int_eq(come(1011.5, PLAIN, true, 1008.3, 1008.2), WEFT_ARRIVAL_HOLD);
    NEAR(flushes_at(), 1031.2); /* 1011 + 4.2 + 16 */
    ck_assert_int_eq(come(1012, PLAIN, false, 1005, 0), WEFT_ARRIVAL_FORWARD);
    NEAR(flushes_at(), 1031.2); /* 1012 + 3.2 + 16 */
    ck_assert_int_eq(come(1014, PLAIN, false, 1005.5, 0), WEFT_ARRIVAL_FORWARD);
    NEAR(flushes_at(), 1032.7);
    ck_assert_int_eq(come(1015, PLAIN, true, 1009, 1008.2), WEFT_ARRIVAL_HOLD);
    NEAR(flushes_at(), 1032.7); /* what is held does not move it */
    ck_assert(!released_at(1015.5));
    ck_assert_int_eq(come(1016, TAIL, false, 1008.2, 1008.2), WEFT_ARRIVAL_FORWARD);
    ck_assert_double_eq_tol(flushes_at(), 1016.001, 1e-6);
    ck_assert(!released_at(1016));
    ck_assert(released_at(1016.001));
    const struct weft_lb_counters *c = destination.rig.ops->counters(destination.rig.state);
    ck_assert_uint_eq(c->held, 2);
    ck_assert_uint_eq(c->flushed, 0);
    ck_assert_uint_eq(c->queues, 1);
    ck_assert_int_eq(come(1017, PLAIN, true, 1010, 1008.2), WEFT_ARRIVAL_FORWARD);
    close_both();
}
END_TEST

/* The last packet of phase 0 left after the TAIL: it waits no less than the margin for it. */
START_TEST(the_wait_for_a_tail_is_never_negative)
{
    open_both(NULL);
    come(1011, PLAIN, false, 1010, 0);
    ck_assert_int_eq(come(1011.5, PLAIN, true, 1008.3, 1008.2), WEFT_ARRIVAL_HOLD);
    NEAR(flushes_at(), 1027); /* 1011 + 16 */
    close_both();
}
END_TEST

/* The TAIL of one epoch says nothing of the next one's packets. */
START_TEST(each_epoch_waits_for_a_tail_of_its_own)
{
    open_both(NULL);
    ck_assert_int_eq(come_of(1, 500, PLAIN, true, 498.3, 498.2), WEFT_ARRIVAL_HOLD);
    come_of(1, 501, TAIL, false, 498.2, 498.2);
    ck_assert(released_at(501.001));
    ck_assert_uint_eq(destination.rig.ops->counters(destination.rig.state)->flushed, 0);
    ck_assert_int_eq(come_of(2, 520, PLAIN, true, 518.3, 518.2), WEFT_ARRIVAL_HOLD);
    ck_assert(released_at(737)); /* its TAIL is lost */
    ck_assert_uint_eq(destination.rig.ops->counters(destination.rig.state)->flushed, 1);
    close_both();
}
END_TEST

START_TEST(a_lost_tail_holds_nothing_for_ever)
{
    open_both(NULL);
    come(1011, PLAIN, false, 1004, 0);
    ck_assert_int_eq(come(1011.5, PLAIN, true, 1008.3, 1008.2), WEFT_ARRIVAL_HOLD);
    ck_assert_int_eq(come(1012, PLAIN, false, 1005, 0), WEFT_ARRIVAL_FORWARD); /* no TAIL either */
    ck_assert(!released_at(1031));
    ck_assert(released_at(1031.4));
    ck_assert_uint_eq(destination.rig.ops->counters(destination.rig.state)->flushed, 1);
    ck_assert_int_eq(destination.rig.ops->deadline(destination.rig.state) == WEFT_NEVER, 1);
    ck_assert_int_eq(come(1040, PLAIN, false, 1006, 0), WEFT_ARRIVAL_FORWARD);
    ck_assert_int_eq(come(1041, PLAIN, true, 1012, 1008.2), WEFT_ARRIVAL_FORWARD);
    close_both();
}
END_TEST

/* A new epoch finds packets of the last one held back: they go on before it, and nothing waits for
 * them any more. */
START_TEST(a_new_epoch_ends_the_wait_for_the_last_one)
{
    open_both("default-wait=1ms");
    ck_assert_int_eq(come(500, PLAIN, true, 498.3, 498.2), WEFT_ARRIVAL_HOLD);
    struct weft_packet p = data(0, 5);
    uint32_t queue;
    p.in_port = 4;
    p.meta[0] = 3;
    p.echo = INIT << 14 | 2;
    const struct weft_lb_ops *ops = destination.rig.ops;
    ck_assert_int_eq(ops->arrive(destination.rig.state, flow, &p, &queue, 900 * US),
                     WEFT_ARRIVAL_FORWARD);
    struct weft_request request;
    bool released = false;
    while (ops->request(destination.rig.state, &request, 900 * US))
    {
        released |= request.what == WEFT_REQUEST_RELEASE;
    }
    ck_assert(released && ops->deadline(destination.rig.state) == WEFT_NEVER);
    p.echo = 0x2000 | 2; /* phase 1 of the new epoch waits for its own TAIL */
    ck_assert_int_eq(ops->arrive(destination.rig.state, flow, &p, &queue, 901 * US),
                     WEFT_ARRIVAL_HOLD);
    close_both();
}
END_TEST

/* A new epoch begins with phase 1 while packets of the last one are held back: these go on, and it
 * waits for its own phase 0. */
START_TEST(a_new_epoch_waits_for_its_own_phase_0)
{
    uint32_t queue = 0;
    open_both(NULL);
    ck_assert_int_eq(come_of(1, 500, PLAIN, true, 498.3, 498.2), WEFT_ARRIVAL_HOLD);
    const uint32_t first = held_in;
    ck_assert_int_eq(come_of(2, 520, PLAIN, true, 518.3, 518.2), WEFT_ARRIVAL_HOLD);
    const uint32_t second = held_in;
    ck_assert_uint_ne(first, second);
    ck_assert_uint_eq(count_released(ps(520), &queue), 1);
    ck_assert_uint_eq(queue, first);
    NEAR(flushes_at(), 736); /* 520 + 200 + 16 */
    ck_assert_int_eq(come_of(2, 521, PLAIN, false, 515, 0), WEFT_ARRIVAL_FORWARD);
    ck_assert_uint_eq(count_released(ps(521), &queue), 0);
    come_of(2, 522, TAIL, false, 518.2, 518.2);
    ck_assert(released_at(522.001) && held_in == second);
    /* Epoch 1 was flushed, epoch 2 went on by its TAIL. */
    const struct weft_lb_counters *c = destination.rig.ops->counters(destination.rig.state);
    ck_assert_uint_eq(c->held, 2);
    ck_assert_uint_eq(c->flushed, 1);
    ck_assert_uint_eq(c->queues, 1);
    close_both();
}
END_TEST

/* A TAIL may be the first packet of its epoch that comes: nothing of it needs to wait any more. */
START_TEST(a_tail_that_opens_an_epoch_is_noted)
{
    uint32_t queue = 0;
    open_both(NULL);
    ck_assert_int_eq(come_of(1, 500, PLAIN, true, 498.3, 498.2), WEFT_ARRIVAL_HOLD);
    ck_assert_int_eq(come_of(2, 520, TAIL, false, 518.2, 518.2), WEFT_ARRIVAL_FORWARD);
    ck_assert_uint_eq(count_released(ps(520), &queue), 1);
    ck_assert_int_eq(come_of(2, 521, PLAIN, true, 518.3, 518.2), WEFT_ARRIVAL_FORWARD);
    ck_assert_int_eq(destination.rig.ops->deadline(destination.rig.state) == WEFT_NEVER, 1);
    close_both();
}
END_TEST

START_TEST(without_history_the_wait_is_a_default)
{
    open_both(NULL);
    ck_assert_int_eq(come(500, PLAIN, true, 498.3, 498.2), WEFT_ARRIVAL_HOLD);
    NEAR(flushes_at(), 716);
    ck_assert_int_eq(come(501, PLAIN, false, 496, 0), WEFT_ARRIVAL_FORWARD);
    NEAR(flushes_at(), 519.2); /* 501 + 2.2 + 16 */
    close_both();
}
END_TEST

/* A request and a TAIL are answered at once, and congestion is told of once per marked packet. */
START_TEST(the_destinations_tor_answers)
{
    struct weft_request r;
    uint32_t queue;
    open_both(NULL);
    struct weft_packet p = data(0, 5);
    p.in_port = 4;
    p.meta[0] = 3;
    p.echo = INIT << 14 | 9;
    p.flags = WEFT_F_CE;
    const struct weft_lb_ops *ops = destination.rig.ops;
    ops->arrive(destination.rig.state, flow, &p, &queue, US);
    ck_assert(ops->request(destination.rig.state, &r, US));
    ck_assert(r.packet.kind == WEFT_CONTROL && r.packet.meta[1] == NOTIFY && r.packet.meta[2] == 2);
    ck_assert(ops->request(destination.rig.state, &r, US));
    ck_assert(r.packet.meta[1] == INIT_REPLY && r.packet.meta[2] == 9);
    ck_assert(r.packet.src == 5 && r.packet.dst == 0 && r.packet.qp == 77 && r.packet.bytes == 64 &&
              r.packet.tclass == 0 && r.packet.in_port == 1);
    ck_assert(!ops->request(destination.rig.state, &r, US));
    ck_assert_uint_eq(ops->counters(destination.rig.state)->notices, 1);
    close_both();
}
END_TEST

/* QPs whose waits end together go on together, and what waits from then on does not. */
START_TEST(all_that_is_due_goes_on_at_once)
{
    open_both("default-wait=100us extra-flush=0ps");
    const struct weft_lb_ops *ops = destination.rig.ops;
    void *other = lb_flow(&destination);
    uint32_t queue = 0;
    struct weft_packet p = data(0, 5);
    p.in_port = 4;
    p.echo = 0x2000 | 1;
    ck_assert_int_eq(come(500, PLAIN, true, 498, 0), WEFT_ARRIVAL_HOLD);
    ck_assert_int_eq(ops->arrive(destination.rig.state, other, &p, &queue, ps(500)),
                     WEFT_ARRIVAL_HOLD);
    ops->on_deadline(destination.rig.state, ps(600));
    ck_assert_uint_eq(count_released(ps(600), &queue), 2);
    ck_assert_int_eq(ops->deadline(destination.rig.state), WEFT_NEVER);
    come_of(2, 550, PLAIN, false, 540, 0);
    ck_assert_int_eq(come_of(2, 700, PLAIN, true, 541, 540), WEFT_ARRIVAL_HOLD);
    NEAR(flushes_at(), 550); /* over, but it has no place yet */
    ck_assert_uint_eq(count_released(ps(700), &queue), 0);
    ck_assert(released_at(700));
    free(other);
    close_both();
}
END_TEST

/* A port has one queue: the second QP of a host passes out of order, and is counted. */
START_TEST(without_a_queue_packets_pass)
{
    uint32_t queue;
    open_both("queues=1");
    void *other = lb_flow(&destination);
    ck_assert_int_eq(come(500, PLAIN, true, 498.3, 498.2), WEFT_ARRIVAL_HOLD);
    struct weft_packet p = data(0, 5);
    p.qp = 78;
    p.in_port = 4;
    p.meta[0] = 3;
    p.echo = 0x2000 | 1;
    const struct weft_lb_ops *ops = destination.rig.ops;
    ck_assert_int_eq(ops->arrive(destination.rig.state, other, &p, &queue, 501 * US),
                     WEFT_ARRIVAL_FORWARD);
    ck_assert_uint_eq(ops->counters(destination.rig.state)->full, 1);
    p.dst = 6; /* another host's port has its own */
    ck_assert_int_eq(ops->arrive(destination.rig.state, other, &p, &queue, 502 * US),
                     WEFT_ARRIVAL_HOLD);
    free(other);
    close_both();
}
END_TEST

Suite *
conweave_suite(void)
{
    Suite *s = suite_create("conweave");
    TCase *t = tcase_create("conweave");
    tcase_add_test(t, a_late_reply_moves_the_qp_behind_a_tail);
    tcase_add_test(t, a_silence_longer_than_the_expiry_begins_anew);
    tcase_add_test(t, a_tail_that_must_move_does_not_move_its_qp);
    tcase_add_test(t, a_reply_in_time_keeps_the_path);
    tcase_add_test(t, a_path_of_a_notice_is_not_chosen_for_a_while);
    tcase_add_test(t, packets_wait_for_the_tail);
    tcase_add_test(t, the_wait_for_a_tail_is_never_negative);
    tcase_add_test(t, each_epoch_waits_for_a_tail_of_its_own);
    tcase_add_test(t, a_lost_tail_holds_nothing_for_ever);
    tcase_add_test(t, a_new_epoch_ends_the_wait_for_the_last_one);
    tcase_add_test(t, a_new_epoch_waits_for_its_own_phase_0);
    tcase_add_test(t, a_tail_that_opens_an_epoch_is_noted);
    tcase_add_test(t, without_history_the_wait_is_a_default);
    tcase_add_test(t, the_destinations_tor_answers);
    tcase_add_test(t, all_that_is_due_goes_on_at_once);
    tcase_add_test(t, without_a_queue_packets_pass);
    suite_add_tcase(s, t);
    return s;
}
