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
 * Themis-D written plainly, after the text in docs/decisions.md: PSNs in full and without a wrap, a
 * list instead of a ring, and for each packet the number of those that had passed. Of one-byte
 * entries it has only that nothing farther behind the newest PSN than 255 is in the list.
 */
#define REACH 255

enum ref_state
{
    REF_UNTOLD,
    REF_IDLE,
    REF_ARMED,
    REF_PASSED,
    REF_UNSURE,
    REF_ASKED,
};

struct entry
{
    int64_t psn;
    uint64_t place; /* among all that passed, the first is 1 */
};

struct reference
{
    struct entry list[256];
    size_t count;
    size_t capacity;
    uint64_t passed;
    uint64_t dealt;  /* the NIC has dealt with all that passed up to this one */
    uint64_t doubt;  /* the last one given up that the NIC may not have dealt with; 0: none */
    bool doubt_epsn; /* it is the packet of the ePSN, and its first copy */
    bool doubt_any;  /* a copy of the ePSN may have been given up before the last one */
    int64_t newest;  /* of what was recorded since the list was last empty */
    int64_t n;
    int64_t epsn; /* literal: of the blocked NACK; scan: of the NIC */
    enum ref_state state;
    size_t since;
    bool complains;
    int mode;      /* index of compensations[] */
    int64_t first; /* PSN of the stream's number 0 */
};

static void
ref_open(struct reference *r, int mode)
{
    memset(r, 0, sizeof *r);
    r->epsn = -1;
    r->state = mode == 0 ? REF_UNTOLD : REF_IDLE;
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
    memmove(r->list + at, r->list + at + 1, (r->count - at) * sizeof r->list[0]);
}

/* Forgets what is known of a packet that the NIC may not have had. */
static void
ref_give_up(struct reference *r, struct entry gone)
{
    if (gone.place <= r->dealt || gone.place <= r->doubt ||
        (r->state != REF_UNTOLD && gone.psn < r->epsn))
    {
        return;
    }
    const bool told = r->state != REF_UNTOLD;
    const bool own = told && gone.psn == r->epsn;
    if (own && (r->doubt_epsn || r->doubt_any))
    {
        return; /* it was another copy that moved the ePSN, or may have been */
    }
    r->dealt = 0;
    r->doubt = gone.place;
    r->doubt_any = !own && (!told || r->doubt_epsn || r->doubt_any);
    r->doubt_epsn = own;
}

static void
ref_record(struct reference *r, int64_t psn)
{
    const struct entry entry = {psn, ++r->passed};
    r->newest = r->count == 0 || psn > r->newest ? psn : r->newest;
    for (size_t i = 0; i < r->count;)
    {
        if (r->newest - r->list[i].psn <= REACH)
        {
            i++;
            continue;
        }
        ref_give_up(r, r->list[i]);
        ref_remove(r, i);
    }
    if (r->newest - psn > REACH)
    {
        ref_give_up(r, entry);
        return;
    }
    if (r->count == r->capacity)
    {
        ref_give_up(r, r->list[0]);
        ref_remove(r, 0);
    }
    r->list[r->count++] = entry;
}

/* Whether the NIC's silence has lasted long enough, if it can tell anything. */
static bool
ref_silent(struct reference *r, int64_t psn, bool paused)
{
    if (r->state != REF_PASSED && r->state != REF_UNSURE)
    {
        return false;
    }
    r->state = ref_proves(r, psn, r->epsn) ? REF_PASSED : r->state;
    r->since += !paused;
    return r->state == REF_PASSED && r->since >= r->capacity;
}

static int64_t
ref_pass(struct reference *r, int64_t psn, bool paused)
{
    const bool scan = r->mode == 0;
    int64_t made = -1;
    if (psn == r->epsn)
    {
        r->since = 0;
        r->state = r->state == REF_ARMED ? (scan ? REF_PASSED : REF_IDLE) : r->state;
        r->state = r->state == REF_UNSURE ? REF_PASSED : r->state;
    }
    else if ((r->state == REF_ARMED && ref_proves(r, psn, r->epsn)) || ref_silent(r, psn, paused))
    {
        made = r->epsn;
        r->state = scan ? REF_ASKED : REF_IDLE;
    }
    ref_record(r, psn);
    return made;
}

/* The first entry of @p psn, or of a greater one if @p beyond, that the NIC may still have to deal
 * with; the list's count if there is none. */
static size_t
ref_find(const struct reference *r, int64_t psn, bool beyond)
{
    size_t i = 0;
    while (i < r->count && (r->list[i].place <= r->dealt ||
                            !(beyond ? r->list[i].psn > psn : r->list[i].psn == psn)))
    {
        i++;
    }
    return i;
}

/* Whether @p psn is in the list at all. */
static bool
ref_has(const struct reference *r, int64_t psn)
{
    bool found = false;
    for (size_t i = 0; i < r->count; i++)
    {
        found = found || r->list[i].psn == psn;
    }
    return found;
}

/* The NIC's ePSN is @p epsn. Returns whether that is new. */
static bool
ref_moves(struct reference *r, int64_t epsn)
{
    const size_t mover = ref_find(r, r->epsn, false);
    if (r->state != REF_UNTOLD && epsn <= r->epsn)
    {
        return false;
    }
    if (r->state != REF_UNTOLD && r->doubt_epsn)
    {
        r->dealt = r->doubt;
        r->doubt = 0;
    }
    else if (r->state != REF_UNTOLD && mover < r->count && r->list[mover].place > r->doubt)
    {
        r->dealt = r->list[mover].place;
        r->doubt = 0;
    }
    r->doubt_epsn = false;
    r->doubt_any = r->doubt > 0;
    r->epsn = epsn;
    r->state = REF_IDLE;
    return true;
}

static bool
ref_ack(struct reference *r, int64_t epsn)
{
    if (r->mode != 0 || !ref_moves(r, epsn) || !r->complains || r->doubt > 0 ||
        ref_find(r, epsn, false) < r->count || !ref_has(r, epsn))
    {
        return false;
    }
    r->state = REF_ASKED;
    r->since = 0;
    return true;
}

static enum ref_state
ref_judge(const struct reference *r, int64_t epsn)
{
    bool proved = false;
    const size_t trigger = ref_find(r, epsn, true);
    for (size_t i = 0; i < r->count; i++)
    {
        proved = proved || ref_proves(r, r->list[i].psn, epsn);
    }
    if (r->doubt > 0)
    {
        return proved || ref_has(r, epsn) ? REF_PASSED : REF_UNSURE;
    }
    if (!ref_has(r, epsn))
    {
        return proved || trigger == r->count ? REF_ASKED : REF_ARMED;
    }
    const size_t coming = ref_find(r, epsn, false);
    return coming == r->count || coming < trigger ? REF_ASKED : REF_PASSED;
}

static bool
ref_literal(struct reference *r, int64_t epsn)
{
    const size_t at = ref_find(r, epsn, true);
    const bool forward = at == r->count || ref_same_path(r, r->list[at].psn, epsn);
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
    const size_t trigger = ref_find(r, epsn, true);
    const bool again = r->state == REF_ASKED;
    r->state = again ? REF_ASKED : ref_judge(r, epsn);
    r->since = 0;
    r->dealt = trigger < r->count && r->doubt == 0 ? r->list[trigger].place : r->dealt;
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

/* Returns what arrives at the ToR in this slot. */
static struct answer
nic_returned(struct nic *nic, uint32_t now)
{
    const struct answer answer = nic->way[now % MAX_RTT];
    nic->way[now % MAX_RTT].epsn = -1;
    return answer;
}

/*
 * Random arrival order, packet by packet, against the reference: of SHORT packets, or of some
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
both_pass(struct bench *b, struct reference *r, uint32_t packet, bool paused)
{
    const int64_t made = ref_pass(r, packet, paused);
    const int64_t psn = pass_paused(b, (uint32_t)r->first + packet, paused);
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
    both_pass(b, r, packet, weft_rng_below(rng, 8) == 0);
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
    both_pass(b, r, nic.epsn, false); /* a resend */
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
        int64_t config[32];
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
