/* SPDX-License-Identifier: MIT */
/*
 * A user would lose Themis at scale: spurious retransmissions without loss, losses left to the RTO,
 * or one-byte PSNs that decide otherwise than whole ones. Slot models and a plain reference.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"
#include "themis-rig.h"

/*
 * Themis-D written plainly: PSNs in full and without a wrap, a list instead of a ring. Of one-byte
 * entries it has only that nothing farther behind the newest PSN than 255 is in the list.
 */
#define REACH 255

struct reference
{
    int64_t list[256];
    size_t count;
    size_t capacity;
    int64_t newest; /* of what was recorded since the list was last empty */
    int64_t n;
    int64_t bepsn; /* -1: none */
    int mode;      /* index of compensations[] */
    int64_t first; /* PSN of the stream's number 0 */
};

static bool
ref_same_path(const struct reference *r, int64_t a, int64_t b)
{
    const int64_t wrap = INT64_C(1) << 24;
    return (a + r->first) % wrap % r->n == (b + r->first) % wrap % r->n;
}

static void
ref_record(struct reference *r, int64_t psn)
{
    size_t kept = 0;
    r->newest = r->count == 0 || psn > r->newest ? psn : r->newest;
    for (size_t i = 0; i < r->count; i++)
    {
        if (r->newest - r->list[i] <= REACH)
        {
            r->list[kept++] = r->list[i];
        }
    }
    r->count = kept;
    if (r->newest - psn > REACH)
    {
        return;
    }
    if (r->count == r->capacity)
    {
        r->count--;
        memmove(r->list, r->list + 1, r->count * sizeof r->list[0]);
    }
    r->list[r->count++] = psn;
}

static int64_t
ref_pass(struct reference *r, int64_t psn)
{
    int64_t made = -1;
    if (r->bepsn >= 0 && psn == r->bepsn)
    {
        r->bepsn = -1;
    }
    else if (r->bepsn >= 0 && psn > r->bepsn && ref_same_path(r, psn, r->bepsn))
    {
        made = r->bepsn;
        r->bepsn = -1;
    }
    ref_record(r, psn);
    return made;
}

static bool
ref_open(const struct reference *r, int64_t epsn, bool *forward)
{
    bool lost = false;
    *forward = false;
    for (size_t i = 0; i < r->count; i++)
    {
        if (r->list[i] == epsn)
        {
            return false;
        }
        lost = lost || (r->list[i] > epsn && ref_same_path(r, r->list[i], epsn));
    }
    *forward = lost;
    return !lost;
}

static bool
ref_nack(struct reference *r, int64_t epsn)
{
    size_t at = 0;
    bool forward = true;
    while (at < r->count && r->list[at] <= epsn)
    {
        at++;
    }
    if (at < r->count && !ref_same_path(r, r->list[at], epsn))
    {
        bool open = r->mode == 1;
        forward = false;
        if (r->mode == 0)
        {
            open = ref_open(r, epsn, &forward);
        }
        r->bepsn = open ? epsn : r->bepsn;
    }
    at = at < r->count ? at + 1 : at;
    r->count -= at;
    memmove(r->list, r->list + at, r->count * sizeof r->list[0]);
    return forward;
}

/*
 * Sprays a flow in slots: packet i leaves at slot i on path i mod N, every path is a FIFO with a
 * random delay of its own, the NIC answers as NIC-SR, its NACKs take rtt packets to come back.
 */
#define MAX_PATHS 64
#define MAX_RTT   64

struct flow
{
    struct weft_rng rng;
    uint32_t npaths, rtt, loss_percent, spread;
    uint32_t length;
    uint32_t first;  /* PSN of packet 0 */
    uint32_t *order; /* what passes the ToR, in order */
    uint32_t passed;
    bool *lost;
};

struct arrival
{
    uint32_t slot, path, packet;
};

static int
by_slot(const void *a, const void *b)
{
    const struct arrival *x = (const struct arrival *)a;
    const struct arrival *y = (const struct arrival *)b;
    if (x->slot != y->slot)
    {
        return x->slot < y->slot ? -1 : 1;
    }
    return (x->packet > y->packet) - (x->packet < y->packet);
}

/* Fills order[] and lost[]. */
static void
spray(struct flow *f)
{
    struct arrival *arrivals = calloc(f->length, sizeof *arrivals);
    uint32_t latest[MAX_PATHS] = {0};
    f->order = calloc(f->length, sizeof *f->order);
    f->lost = calloc(f->length, sizeof *f->lost);
    ck_assert(arrivals && f->order && f->lost);
    f->passed = 0;
    for (uint32_t i = 0; i < f->length; i++)
    {
        const uint32_t path = ((f->first + i) & WEFT_PSN_MASK) % f->npaths;
        uint32_t slot = i + weft_rng_below(&f->rng, f->spread);
        f->lost[i] = weft_rng_below(&f->rng, 100) < f->loss_percent;
        if (f->lost[i])
        {
            continue;
        }
        slot = slot > latest[path] ? slot : latest[path] + 1;
        latest[path] = slot;
        arrivals[f->passed].slot = slot;
        arrivals[f->passed].path = path;
        arrivals[f->passed++].packet = i;
    }
    qsort(arrivals, f->passed, sizeof *arrivals, by_slot);
    for (uint32_t i = 0; i < f->passed; i++)
    {
        f->order[i] = arrivals[i].packet;
    }
    free(arrivals);
}

static void
flow_free(struct flow *f)
{
    free(f->order);
    free(f->lost);
}

/* NIC-SR's NACKs: one per ePSN, by the first packet beyond it. */
struct nic
{
    bool *have;
    uint32_t epsn;
    int64_t nacked;
    int64_t way[MAX_RTT]; /* NACKs on their way to the ToR, by the slot of their arrival */
    uint64_t sent;
};

static void
nic_receive(struct nic *nic, uint32_t packet, uint32_t now, uint32_t rtt)
{
    nic->have[packet] = true;
    if (packet > nic->epsn && nic->nacked != (int64_t)nic->epsn)
    {
        nic->nacked = nic->epsn;
        nic->way[(now + rtt - 1) % MAX_RTT] = nic->epsn;
        nic->sent++;
    }
    while (nic->have[nic->epsn])
    {
        nic->epsn++;
    }
}

static void
nic_open(struct nic *nic, const struct flow *f)
{
    memset(nic, 0, sizeof *nic);
    nic->have = calloc(f->length + 1, sizeof *nic->have);
    ck_assert_ptr_nonnull(nic->have);
    nic->nacked = -1;
    memset(nic->way, 0xff, sizeof nic->way);
}

/* The NACK that arrives at the ToR in this slot, or -1. */
static int64_t
nic_returned(struct nic *nic, uint32_t now)
{
    const int64_t epsn = nic->way[now % MAX_RTT];
    nic->way[now % MAX_RTT] = -1;
    return epsn;
}

/* What a flow without any loss makes reach its sender. */
static uint64_t
spurious(struct flow *f, struct bench *b, uint64_t *nacks)
{
    struct nic nic;
    uint64_t reached = 0;
    nic_open(&nic, f);
    for (uint32_t i = 0; i < f->passed; i++)
    {
        const int64_t epsn = nic_returned(&nic, i);
        reached += epsn >= 0 && nack(b, f->first + (uint32_t)epsn);
        reached += pass(b, f->first + f->order[i]) >= 0;
        nic_receive(&nic, f->order[i], i, f->rtt);
    }
    *nacks += nic.sent;
    free(nic.have);
    return reached;
}

static void
lossless(struct flow *f, uint32_t first, uint64_t run)
{
    weft_rng_seed(&f->rng, 42, run, 0);
    f->npaths = 16;
    f->rtt = 60;
    f->loss_percent = 0;
    f->spread = 24;
    f->length = 20000;
    f->first = first;
    spray(f);
}

/* N = 16, 60 packets in a last-hop round trip, no loss: every NACK that passes is spurious. */
START_TEST(without_loss_scan_lets_nothing_through_and_literal_does)
{
    static const uint32_t firsts[] = {0, 1000, WEFT_PSN_MASK - 7};
    for (unsigned i = 0; i < 3; i++)
    {
        uint64_t nacks = 0;
        uint64_t reached[3];
        for (int mode = 0; mode < 3; mode++)
        {
            struct flow f;
            struct bench b;
            lossless(&f, firsts[i], i);
            open_bench(&b, 16, 90, compensations[mode], "1");
            reached[mode] = spurious(&f, &b, &nacks);
            close_bench(&b);
            flow_free(&f);
        }
        ck_assert_uint_gt(nacks, 1000);
        ck_assert_uint_eq(reached[0], 0);
        ck_assert_uint_gt(reached[1], 20);
        ck_assert_uint_eq(reached[2], 0);
    }
}
END_TEST

/* A flow with losses: the sender resends what a NACK asks for, `delay` slots later. */
#define MAX_RESENDS 4096

struct recovery
{
    uint32_t delay;
    uint64_t losses, asked, twice, spurious, timeouts, missed;
};

struct sender
{
    uint32_t due[MAX_RESENDS], packet[MAX_RESENDS];
    uint32_t head, tail;
    uint32_t *asked; /* how often a NACK asked for each packet */
};

static void
ask(struct sender *s, const struct flow *f, uint32_t packet, uint32_t due, struct recovery *r)
{
    MUST(s->tail < MAX_RESENDS);
    r->asked++;
    r->spurious += !f->lost[packet];
    r->twice += s->asked[packet] > 0;
    s->asked[packet]++;
    s->due[s->tail] = due;
    s->packet[s->tail++] = packet;
}

/* Whether a later packet of the path of @p packet passed the ToR after the NIC had its ePSN. */
static bool
had_evidence(const struct flow *f, uint32_t packet, uint32_t since)
{
    const uint32_t path = ((f->first + packet) & WEFT_PSN_MASK) % f->npaths;
    for (uint32_t i = since; i < f->passed; i++)
    {
        if (f->order[i] > packet && ((f->first + f->order[i]) & WEFT_PSN_MASK) % f->npaths == path)
        {
            return true;
        }
    }
    return false;
}

static void
recover(struct flow *f, struct bench *b, struct recovery *r)
{
    static struct sender s;
    struct nic nic;
    uint32_t next = 0;
    uint32_t idle = 0;
    uint32_t since = 0; /* how much had passed when the NIC's ePSN came to where it is */
    memset(&s, 0, sizeof s);
    s.asked = calloc(f->length, sizeof *s.asked);
    ck_assert_ptr_nonnull(s.asked);
    nic_open(&nic, f);
    for (uint32_t slot = 0; nic.epsn < f->length; slot++)
    {
        const uint32_t before = nic.epsn;
        const int64_t epsn = nic_returned(&nic, slot);
        int64_t packet = -1;
        idle++;
        if (epsn >= 0 && nack(b, f->first + (uint32_t)epsn))
        {
            ask(&s, f, (uint32_t)epsn, slot + r->delay, r);
        }
        if (s.head < s.tail && s.due[s.head] <= slot)
        {
            packet = s.packet[s.head++];
        }
        else if (next < f->passed)
        {
            packet = f->order[next++];
        }
        else if (idle > r->delay + f->rtt) /* nothing moves any more: the sender's RTO */
        {
            r->timeouts++;
            r->missed += had_evidence(f, nic.epsn, since);
            packet = nic.epsn;
        }
        if (packet >= 0)
        {
            idle = 0;
            const int64_t made = pass(b, f->first + (uint32_t)packet);
            if (made >= 0)
            {
                ask(&s, f, ((uint32_t)made - f->first) & WEFT_PSN_MASK, slot + r->delay, r);
            }
            nic_receive(&nic, (uint32_t)packet, slot, f->rtt);
        }
        since = nic.epsn != before ? next : since;
    }
    for (uint32_t i = 0; i < f->length; i++)
    {
        r->losses += f->lost[i];
    }
    free(s.asked);
    free(nic.have);
}

/*
 * One per cent is lost: every loss of which the NIC complained and for which a later packet of the
 * same path passed is asked for, once, by a NACK of the NIC or of the ToR. A resend takes up to 400
 * packet times, so that the ePSN stays far behind what one byte tells apart.
 */
START_TEST(every_loss_that_can_be_known_is_asked_for_once)
{
    static const uint32_t delays[] = {20, 100, 196, 260, 400};
    static const char *const widths[] = {"1", "2"};
    struct recovery r;
    memset(&r, 0, sizeof r);
    r.delay = delays[_i % 5];
    for (uint64_t run = 0; run < 10; run++)
    {
        struct flow f;
        struct bench b;
        weft_rng_seed(&f.rng, 5, run, (uint64_t)_i);
        f.npaths = 16;
        f.rtt = 60;
        f.loss_percent = 1;
        f.spread = 24;
        f.length = 10000;
        f.first = (WEFT_PSN_MASK - 5000 + (uint32_t)run) & WEFT_PSN_MASK;
        spray(&f);
        open_bench(&b, f.npaths, 90, "scan", widths[_i / 5]);
        recover(&f, &b, &r);
        close_bench(&b);
        flow_free(&f);
    }
    ck_assert_uint_gt(r.losses, 800);
    ck_assert_uint_gt(r.asked, 200);
    ck_assert_uint_eq(r.missed, 0);
    ck_assert_uint_eq(r.twice, 0);
    ck_assert_uint_eq(r.spurious, 0); /* nothing is asked for in vain */
    ck_assert_uint_eq(r.asked - r.spurious + r.timeouts, r.losses);
}
END_TEST

/*
 * One random arrival order, packet by packet, against the reference: of SHORT packets, or of some
 * hundred with resends of any of them at any time, so that one byte meets PSNs beyond its range.
 */
#define SHORT 24
#define LONG  700

static uint32_t
random_order(struct weft_rng *rng, uint32_t *order, uint32_t length)
{
    uint32_t keys[LONG];
    uint32_t n = 0;
    const uint32_t spread = 1 + weft_rng_below(rng, length / 2);
    for (uint32_t i = 0; i < length; i++)
    {
        const uint32_t key = i + weft_rng_below(rng, spread);
        uint32_t at = n;
        if (weft_rng_below(rng, 20) == 0)
        {
            continue;
        }
        for (; at > 0 && keys[at - 1] > key; at--)
        {
            keys[at] = keys[at - 1];
            order[at] = order[at - 1];
        }
        keys[at] = key;
        order[at] = i;
        n++;
    }
    return n;
}

static void
both_nack(struct bench *b, struct reference *r, int64_t epsn)
{
    if (epsn >= 0)
    {
        const bool expected = ref_nack(r, epsn);
        MUST(nack(b, (uint32_t)(r->first + epsn)) == expected);
    }
}

static void
both_pass(struct bench *b, struct reference *r, uint32_t packet)
{
    const int64_t made = ref_pass(r, packet);
    const int64_t psn = pass(b, (uint32_t)r->first + packet);
    if (made < 0 || psn < 0)
    {
        MUST(psn == made);
        return;
    }
    MUST(psn == ((made + r->first) & WEFT_PSN_MASK));
}

static void
run_order(struct bench *b, struct reference *r, struct weft_rng *rng, uint32_t length)
{
    uint32_t order[LONG];
    bool have[LONG + 1];
    struct nic nic;
    const uint32_t n = random_order(rng, order, length);
    const uint32_t rtt = 1 + weft_rng_below(rng, length / 2 < MAX_RTT ? length / 2 : MAX_RTT);
    memset(&nic, 0, sizeof nic);
    memset(have, 0, sizeof have);
    memset(nic.way, 0xff, sizeof nic.way);
    nic.have = have;
    nic.nacked = -1;
    for (uint32_t i = 0; i < n; i++)
    {
        both_nack(b, r, nic_returned(&nic, i));
        both_pass(b, r, order[i]);
        nic_receive(&nic, order[i], i, rtt);
        if (length > SHORT && weft_rng_below(rng, 8) == 0)
        {
            const uint32_t resend = weft_rng_below(rng, 2) ? nic.epsn : weft_rng_below(rng, length);
            both_pass(b, r, resend);
            nic_receive(&nic, resend, i, rtt);
        }
    }
    for (uint32_t i = n; i < n + rtt; i++)
    {
        both_nack(b, r, nic_returned(&nic, i));
    }
    both_pass(b, r, nic.epsn); /* a resend */
    both_nack(b, r, nic.epsn);
}

/* Every fourth order runs across the wrap of the PSN. */
static int64_t
random_first(struct weft_rng *rng)
{
    const uint32_t first = weft_rng_u32(rng) & WEFT_PSN_MASK;
    return first % 4 == 0 ? WEFT_PSN_MASK - first % SHORT : first;
}

/* 10^6 orders in all, of which 20,000 are long: 20 runs of 50,000. */
START_TEST(one_byte_entries_decide_as_whole_psns_do)
{
    static const uint32_t paths[] = {1, 2, 3, 4, 7, 8, 16, 255, 256};
    struct weft_rng rng;
    uint64_t judged = 0;
    weft_rng_seed(&rng, 11, (uint64_t)_i, 0);
    for (int run = 0; run < 3; run++)
    {
        const struct weft_last_hop hop =
            last_hop(paths[(_i * 3 + run) % 9], 3 + weft_rng_below(&rng, 124));
        int64_t config[16];
        struct bench b;
        const int mode = (_i + run) % 3;
        configure(config, "compensation", compensations[mode]);
        ck_assert_int_eq(weft_config_set(&weft_lb_find("themis")->algo, config, "ring-factor", "1"),
                         0);
        open_bench(&b, hop.npaths, (uint32_t)hop.rtt, compensations[mode], "1");
        for (unsigned i = 0; i < 16667; i++)
        {
            struct reference r;
            r.count = 0;
            r.capacity = (size_t)hop.rtt;
            r.n = hop.npaths;
            r.bepsn = -1;
            r.mode = mode;
            r.first = random_first(&rng);
            r.newest = 0;
            MUST(b.ops->qp_init(b.qp, config, &hop) == 0);
            run_order(&b, &r, &rng,
                      i % 50 ? SHORT : SHORT + 1 + weft_rng_below(&rng, LONG - SHORT));
        }
        judged += b.n.seen;
        free(b.qp);
    }
    ck_assert_uint_gt(judged, 50000);
}
END_TEST

Suite *
themis_model_suite(void)
{
    Suite *suite = suite_create("themis-model");
    TCase *tcase = tcase_create("themis-model");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, without_loss_scan_lets_nothing_through_and_literal_does);
    tcase_add_loop_test(tcase, every_loss_that_can_be_known_is_asked_for_once, 0, 10);
    tcase_add_loop_test(tcase, one_byte_entries_decide_as_whole_psns_do, 0, 20);
    suite_add_tcase(suite, tcase);
    return suite;
}
