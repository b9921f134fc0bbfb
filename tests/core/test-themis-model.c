/* SPDX-License-Identifier: MIT */
/*
 * A user would lose Themis with PSNs cut to one byte, if these decide otherwise than whole ones: a
 * plain reference of Themis-D, and random orders of arrival.
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

enum ref_state
{
    REF_UNTOLD,
    REF_IDLE,
    REF_ARMED,
    REF_PASSED,
    REF_ASKED,
};

struct reference
{
    int64_t list[256];
    size_t count;
    size_t capacity;
    size_t dealt;   /* of the list, the oldest: what the NIC has dealt with */
    int64_t newest; /* of what was recorded since the list was last empty */
    int64_t n;
    int64_t epsn; /* literal: of the blocked NACK; scan: of the NIC */
    enum ref_state state;
    size_t since;
    bool spilled;
    bool complains;
    int mode;      /* index of compensations[] */
    int64_t first; /* PSN of the stream's number 0 */
};

static void
ref_open(struct reference *r, int mode)
{
    r->count = 0;
    r->dealt = 0;
    r->newest = 0;
    r->epsn = -1;
    r->state = mode == 0 ? REF_UNTOLD : REF_IDLE;
    r->since = 0;
    r->spilled = false;
    r->complains = false;
    r->mode = mode;
}

static bool
ref_same_path(const struct reference *r, int64_t a, int64_t b)
{
    const int64_t wrap = INT64_C(1) << 24;
    return (a + r->first) % wrap % r->n == (b + r->first) % wrap % r->n;
}

/* Whether @p psn proves that @p epsn is lost if that has not passed. */
static bool
ref_proves(const struct reference *r, int64_t psn, int64_t epsn)
{
    return psn > epsn && ref_same_path(r, psn, epsn);
}

/* Takes the entry at @p at out. */
static void
ref_remove(struct reference *r, size_t at)
{
    r->count--;
    r->dealt -= at < r->dealt;
    memmove(r->list + at, r->list + at + 1, (r->count - at) * sizeof r->list[0]);
}

static void
ref_record(struct reference *r, int64_t psn)
{
    r->newest = r->count == 0 || psn > r->newest ? psn : r->newest;
    for (size_t i = r->count; i > 0; i--)
    {
        if (r->newest - r->list[i - 1] > REACH)
        {
            ref_remove(r, i - 1);
        }
    }
    if (r->newest - psn > REACH)
    {
        return;
    }
    if (r->count == r->capacity)
    {
        r->spilled = r->spilled || r->dealt == 0;
        ref_remove(r, 0);
    }
    r->list[r->count++] = psn;
}

static int64_t
ref_pass(struct reference *r, int64_t psn)
{
    const bool scan = r->mode == 0;
    const enum ref_state before = r->state;
    int64_t made = -1;
    if (psn == r->epsn)
    {
        r->since = 0;
        r->state = before != REF_ARMED ? before : scan ? REF_PASSED : REF_IDLE;
    }
    else if ((before == REF_ARMED && ref_proves(r, psn, r->epsn)) ||
             (before == REF_PASSED && ++r->since == r->capacity))
    {
        made = r->epsn;
        r->state = scan ? REF_ASKED : REF_IDLE;
    }
    ref_record(r, psn);
    return made;
}

/* How often @p psn is in the list from @p from to before @p to. */
static size_t
ref_count(const struct reference *r, int64_t psn, size_t from, size_t to)
{
    size_t n = 0;
    for (size_t i = from; i < to; i++)
    {
        n += r->list[i] == psn;
    }
    return n;
}

/* The NIC's ePSN is @p epsn. Returns whether that is new. */
static bool
ref_moves(struct reference *r, int64_t epsn)
{
    if (r->state != REF_UNTOLD && epsn <= r->epsn)
    {
        return false;
    }
    if (r->state != REF_UNTOLD && ref_count(r, r->epsn, r->dealt, r->count) > 0)
    {
        while (r->list[r->dealt++] != r->epsn)
        {
        }
        r->spilled = false;
    }
    r->epsn = epsn;
    r->state = REF_IDLE;
    return true;
}

static bool
ref_ack(struct reference *r, int64_t epsn)
{
    if (r->mode != 0 || !ref_moves(r, epsn) || !r->complains ||
        ref_count(r, epsn, r->dealt, r->count) > 0 || ref_count(r, epsn, 0, r->dealt) == 0)
    {
        return false;
    }
    r->state = r->spilled ? REF_PASSED : REF_ASKED;
    r->since = 0;
    return !r->spilled;
}

/* What triggered a NACK, as far as the list tells. */
static size_t
ref_trigger(const struct reference *r, int64_t epsn)
{
    size_t at = r->dealt;
    while (at < r->count && r->list[at] <= epsn)
    {
        at++;
    }
    return at;
}

static enum ref_state
ref_judge(const struct reference *r, int64_t epsn)
{
    bool proved = false;
    const size_t trigger = ref_trigger(r, epsn);
    for (size_t i = 0; i < r->count; i++)
    {
        proved = proved || ref_proves(r, r->list[i], epsn);
    }
    if (ref_count(r, epsn, 0, r->count) == 0)
    {
        return proved || trigger == r->count ? REF_ASKED : REF_ARMED;
    }
    const bool dealt = ref_count(r, epsn, r->dealt, r->count) == 0;
    const bool before = ref_count(r, epsn, r->dealt, trigger) > 0;
    return (dealt || before) && !r->spilled ? REF_ASKED : REF_PASSED;
}

static bool
ref_literal(struct reference *r, int64_t epsn)
{
    const size_t at = ref_trigger(r, epsn);
    const bool forward = at == r->count || ref_same_path(r, r->list[at], epsn);
    if (!forward && r->mode == 1)
    {
        r->epsn = epsn;
        r->state = REF_ARMED;
    }
    for (size_t n = at < r->count ? at + 1 : at; n > 0; n--)
    {
        ref_remove(r, 0);
    }
    return forward;
}

static bool
ref_nack(struct reference *r, int64_t epsn)
{
    if (r->mode != 0)
    {
        return ref_literal(r, epsn);
    }
    r->complains = true;
    ref_moves(r, epsn);
    const size_t trigger = ref_trigger(r, epsn);
    const bool again = r->state == REF_ASKED;
    r->state = again ? REF_ASKED : ref_judge(r, epsn);
    r->since = 0;
    r->dealt = trigger < r->count && !r->spilled ? trigger + 1 : r->dealt;
    return !again && r->state == REF_ASKED;
}

/* The NIC's replies: NACKs, one per ePSN, by the first packet beyond it, and ACKs. */
#define MAX_RTT 64

struct answer
{
    int64_t epsn; /* -1: none */
    bool nack;
};

struct nic
{
    bool *have;
    bool gbn;
    uint32_t epsn;
    int64_t nacked;
    struct answer way[MAX_RTT]; /* on their way to the ToR, by the slot of their arrival */
};

static void
nic_open(struct nic *nic, bool *have, bool gbn)
{
    memset(nic, 0, sizeof *nic);
    nic->have = have;
    nic->gbn = gbn;
    nic->nacked = -1;
    for (uint32_t i = 0; i < MAX_RTT; i++)
    {
        nic->way[i].epsn = -1;
    }
}

static void
nic_receive(struct nic *nic, uint32_t packet, uint32_t now, uint32_t rtt)
{
    struct answer *answer = &nic->way[(now + rtt - 1) % MAX_RTT];
    if (packet > nic->epsn)
    {
        nic->have[packet] |= !nic->gbn;
        if (nic->nacked != (int64_t)nic->epsn)
        {
            nic->nacked = nic->epsn;
            *answer = (struct answer){nic->epsn, true};
        }
        return;
    }
    nic->have[packet] = true;
    while (nic->have[nic->epsn])
    {
        nic->epsn++;
    }
    *answer = (struct answer){nic->epsn, false};
}

/* What arrives at the ToR in this slot. */
static struct answer
nic_returned(struct nic *nic, uint32_t now)
{
    const struct answer answer = nic->way[now % MAX_RTT];
    nic->way[now % MAX_RTT].epsn = -1;
    return answer;
}

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
both_reply(struct bench *b, struct reference *r, struct answer answer)
{
    if (answer.epsn < 0)
    {
        return;
    }
    if (answer.nack)
    {
        const bool expected = ref_nack(r, answer.epsn);
        MUST(nack(b, (uint32_t)(r->first + answer.epsn)) == expected);
        return;
    }
    const bool expected = ref_ack(r, answer.epsn);
    MUST(ack(b, (uint32_t)(r->first + answer.epsn)) == expected);
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

/* Now and then a packet is lost on the last hop. */
static void
both_carry(struct bench *b, struct reference *r, struct weft_rng *rng, struct nic *nic,
           uint32_t packet, uint32_t now, uint32_t rtt)
{
    both_pass(b, r, packet);
    if (weft_rng_below(rng, 40) != 0)
    {
        nic_receive(nic, packet, now, rtt);
    }
}

static void
run_order(struct bench *b, struct reference *r, struct weft_rng *rng, uint32_t length)
{
    uint32_t order[LONG];
    bool have[LONG + 1];
    struct nic nic;
    const uint32_t n = random_order(rng, order, length);
    const uint32_t rtt = 1 + weft_rng_below(rng, length / 2 < MAX_RTT ? length / 2 : MAX_RTT);
    uint32_t slot = 0;
    memset(have, 0, sizeof have);
    nic_open(&nic, have, weft_rng_below(rng, 4) == 0);
    for (uint32_t i = 0; i < n; i++, slot++)
    {
        both_reply(b, r, nic_returned(&nic, slot));
        both_carry(b, r, rng, &nic, order[i], slot, rtt);
        if (length > SHORT && weft_rng_below(rng, 8) == 0)
        {
            const uint32_t resend = weft_rng_below(rng, 2) ? nic.epsn : weft_rng_below(rng, length);
            both_reply(b, r, nic_returned(&nic, ++slot));
            both_carry(b, r, rng, &nic, resend, slot, rtt);
        }
    }
    for (uint32_t i = 0; i < rtt; i++, slot++)
    {
        both_reply(b, r, nic_returned(&nic, slot));
    }
    both_pass(b, r, nic.epsn); /* a resend */
    both_reply(b, r, (struct answer){nic.epsn, true});
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
            ref_open(&r, mode);
            r.capacity = (size_t)hop.rtt;
            r.n = hop.npaths;
            r.first = random_first(&rng);
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
    tcase_add_loop_test(tcase, one_byte_entries_decide_as_whole_psns_do, 0, 20);
    suite_add_tcase(suite, tcase);
    return suite;
}
