/* SPDX-License-Identifier: MIT */
/*
 * Themis-D: the destination's ToR keeps the PSNs that are under way to the NIC, finds out by them
 * which packet triggered a NACK, and blocks the NACK if that one took another path than the packet
 * that the NACK misses. A blocked NACK is made up for once a packet of the right path passes.
 *
 * That is themis' own rule (compensation=literal). It takes what has passed the ToR for delivered
 * in one place and for lost in another. The default, scan, follows the NIC's ePSN instead, by ACKs
 * and NACKs. The last hop is a FIFO, so a reply that moves the ePSN from E to E' was caused by
 * packet E, and the NIC has dealt with all that passed before E. For a NACK of e this leaves three
 * cases:
 *  - e passed before the trigger: the NIC had its chance and does not have it. Forward.
 *  - e passed behind the trigger: it is on its way. Block, and watch: if a ring's worth of packets
 *    follows and the ePSN has not moved, e was lost on the last hop.
 *  - e has not passed: it is on its way to the ToR, or lost. Eq. 3 decides, now or when a later
 *    packet of e's path passes. If e itself passes, it is watched as above.
 * A NIC that keeps nothing out of order (go-back-N) drops E' if it passes before E, and may never
 * ask for it: the ACK that says E' then goes to the sender as a NACK.
 *
 * Truncated PSNs are rebuilt from the newest one that has passed, not from the NACK's ePSN: after a
 * loss the ePSN stays behind by a round trip's worth of packets, more than one byte can tell apart,
 * while the ring's entries lie close below the newest PSN. They are made to: an entry that has
 * fallen behind what its bytes tell apart leaves the ring, and a packet that comes so late is not
 * recorded, else it would be read as one of the newest.
 */
#include "tor/themis.h"

#include "base/ring.h"
#include "checked/check.h"
#include "roster/tables.h"

#include <weft/error.h>
#include <weft/psn.h>
#include <weft/theory.h>
#include <weft/views.h>

/* Knowledge of the packet of BePSN. */
enum watch
{
    UNTOLD, /* scan: the NIC has sent no reply yet, its ePSN is unknown */
    IDLE,   /* nothing to make up for */
    ARMED,  /* its NACK was blocked, and it has not passed: themis' Valid */
    PASSED, /* its NACK was blocked, and it is on its way to the NIC, or lost (scan) */
    UNSURE, /* its NACK was blocked, and it has passed and been given up, or has not (scan) */
    ASKED,  /* the sender has been asked for it (scan) */
};

/* scan: whether packets that the NIC may not have seen were given up: the ring has them no more. */
enum spill
{
    NONE,
    SOME,    /* none of them is BePSN's */
    ANY,     /* BePSN's may be among them */
    OF_EPSN, /* the last is BePSN's first copy: earlier ones are dealt with when BePSN moves */
};

struct themis_qp
{
    uint32_t newest;      /* the latest PSN of those in the ring */
    uint32_t floor;       /* none of those in the ring comes before it */
    uint32_t bepsn;       /* literal: ePSN of the blocked NACK; scan: the NIC's ePSN */
    uint16_t mark;        /* scan: entries, the oldest, that the NIC has dealt with; if spilled,
                             those that passed before the last one that was given up */
    uint16_t since;       /* PASSED, UNSURE: packets that have followed it, or its NACK */
    uint8_t watch;        /* enum watch */
    uint8_t compensation; /* enum themis_compensation */
    bool complains;       /* scan: the NIC has sent a NACK */
    uint8_t spilled;      /* enum spill */
    uint32_t judged_epsn; /* the last judgement, for weft_themis_judged() */
    uint32_t judged_tpsn;
    uint32_t reason; /* enum weft_themis_reason */
    uint32_t mask;   /* the bits of a PSN that an entry of the ring keeps */
    struct themis_modulus paths;
    struct weft_ring ring; /* last: its slots lie behind this struct */
};

/* Notes what has been judged; not on the way of a packet that nothing is decided about. */
static void
note(struct themis_qp *qp, enum weft_themis_reason reason, uint32_t epsn, uint32_t tpsn)
{
    qp->reason = reason;
    qp->judged_epsn = epsn;
    qp->judged_tpsn = tpsn;
}

/* As the user has set it, or as the last hop asks for. */
static uint32_t
ring_entries(const struct themis_config *c, const struct weft_last_hop *hop)
{
    const uint32_t factor_milli = (uint32_t)(c->ring_factor * 1000.0 + 0.5);
    return c->ring ? (uint32_t)c->ring
                   : weft_themis_ring_entries(hop->rate, hop->rtt, factor_milli, hop->mtu);
}

static bool
in_bounds(const struct themis_config *c)
{
    return c->entry_bytes >= 1 && c->entry_bytes <= 3 && c->ring_factor >= 1 &&
           c->ring_factor <= 1000 && c->ring >= 0 && c->ring <= UINT16_MAX;
}

/* Why the ring does not suit the last hop, or NULL; @p param: what would help. */
static const char *
ring_fault(const struct themis_config *c, const struct weft_last_hop *hop, const char **param)
{
    const uint32_t entries = ring_entries(c, hop);
    *param = NULL;
    if (hop->npaths == 0 || hop->npaths > WEFT_PSN_MASK)
    {
        return "the number of paths is 0, or more than there are PSNs";
    }
    *param = "ring-factor";
    if (entries == 0 || entries > UINT16_MAX)
    {
        return "the ring of this last hop would have no entries, or more than 65535; set a smaller "
               "ring-factor";
    }
    if (c->ring && entries > themis_entry_reach(c))
    {
        *param = "ring";
        return "ring has more entries than entry-bytes can tell apart; expected at most 127 with "
               "entry-bytes=1 and 32767 with entry-bytes=2";
    }
    *param = "entry-bytes";
    if (entries > themis_entry_reach(c))
    {
        return c->entry_bytes == 1 ? "the ring of this last hop needs more than the 127 entries "
                                     "that entry-bytes=1 can tell apart; set entry-bytes=2"
                                   : "the ring of this last hop needs more than the 32767 entries "
                                     "that entry-bytes=2 can tell apart; set entry-bytes=3";
    }
    return NULL;
}

static size_t
qp_size(const void *config, const struct weft_last_hop *hop)
{
    const struct themis_config *c = config;
    const char *param;
    const bool fits = in_bounds(c) && !ring_fault(c, hop, &param);
    const size_t slots = fits ? weft_ring_size(ring_entries(c, hop), (uint32_t)c->entry_bytes) : 0;
    return (sizeof(struct themis_qp) + slots + 7) & ~(size_t)7;
}

static int
qp_init(void *memory, const void *config, const struct weft_last_hop *hop)
{
    struct themis_qp *qp = memory;
    const struct themis_config *c = config;
    const char *param;
    if (!in_bounds(c))
    {
        return weft_refuse_config(hop->why, &weft_lb_themis.algo, config);
    }
    if (weft_lb_check_needs(&weft_lb_themis, hop->provides | WEFT_NEED_PICK, hop->why))
    {
        return WEFT_EINVAL;
    }
    const char *fault = ring_fault(c, hop, &param);
    if (fault)
    {
        return weft_refuse(hop->why, WEFT_ERANGE, param, fault);
    }
    const uint32_t entries = ring_entries(c, hop);
    weft_ring_init(&qp->ring, entries, (uint32_t)c->entry_bytes);
    qp->mask = weft_ring_mask(&qp->ring);
    qp->newest = 0;
    qp->floor = 0;
    qp->bepsn = 0;
    qp->mark = 0;
    qp->since = 0;
    qp->complains = false;
    qp->compensation = (uint8_t)c->compensation;
    qp->watch = qp->compensation == THEMIS_SCAN ? UNTOLD : IDLE;
    qp->spilled = NONE;
    note(qp, WEFT_THEMIS_NOTHING, WEFT_THEMIS_NONE, WEFT_THEMIS_NONE);
    themis_modulus_init(&qp->paths, hop->npaths);
    return 0;
}

/* Eq. 3. Residues of the PSNs themselves: 2^24 need not be a multiple of N. */
static inline bool
same_path(const struct themis_qp *qp, uint32_t a, uint32_t b)
{
    return themis_residue(&qp->paths, a) == themis_residue(&qp->paths, b);
}

/* How far the i-th entry lies behind the newest PSN. */
static inline uint32_t
age_at(const struct themis_qp *qp, uint32_t i)
{
    return (qp->newest - weft_ring_at(&qp->ring, i)) & qp->mask;
}

/* The PSN that was truncated to the i-th entry. */
static inline uint32_t
psn_at(const struct themis_qp *qp, uint32_t i)
{
    return weft_psn_add(qp->newest, 0U - age_at(qp, i));
}

/* Entries, the oldest, that the NIC has certainly dealt with. */
static inline uint32_t
dealt(const struct themis_qp *qp)
{
    return qp->spilled ? 0 : qp->mark;
}

/* Gives up the packet @p psn, before which @p ahead of the ring's passed, and behind which none was
 * given up. The NIC has had what comes before its ePSN. The first of several copies of BePSN moves
 * it, so that a later one tells nothing of what passed between them. */
static __attribute__((noinline)) void
give_up(struct themis_qp *qp, uint32_t psn, uint32_t ahead)
{
    const bool told = qp->watch != UNTOLD;
    if (told && psn == qp->bepsn)
    {
        if (qp->spilled == NONE || qp->spilled == SOME)
        {
            qp->spilled = OF_EPSN;
            qp->mark = (uint16_t)ahead;
        }
    }
    else if (!told || weft_psn_before(qp->bepsn, psn))
    {
        qp->spilled = told && (qp->spilled == NONE || qp->spilled == SOME) ? SOME : ANY;
        qp->mark = (uint16_t)ahead;
    }
}

/* Takes out what will be out of range once @p psn is the newest. Returns how many entries. */
static __attribute__((noinline)) uint32_t
forget(struct themis_qp *qp, uint32_t psn)
{
    const uint32_t before = qp->ring.count;
    const uint32_t step = (psn - qp->newest) & WEFT_PSN_MASK;
    const uint32_t marked = qp->mark;
    uint32_t stay = 0;
    uint32_t oldest = 0; /* age of those that stay */
    for (uint32_t i = 0; i < before; i++)
    {
        const uint32_t age = age_at(qp, 0) + step;
        const uint32_t entry = weft_ring_at(&qp->ring, 0);
        const uint32_t whole = psn_at(qp, 0);
        weft_ring_drop(&qp->ring, 1);
        if (age <= qp->mask)
        {
            weft_ring_push(&qp->ring, entry);
            oldest = age > oldest ? age : oldest;
            stay++;
        }
        else if (i < marked)
        {
            qp->mark--;
        }
        else
        {
            give_up(qp, whole, stay);
        }
    }
    qp->floor = weft_psn_add(psn, 0U - oldest);
    return before - stay;
}

/* Adds the newest entry. Returns whether the oldest made room for it. */
static bool
push(struct themis_qp *qp, uint32_t psn)
{
    const bool full = qp->ring.count == qp->ring.capacity;
    if (full && qp->mark == 0)
    {
        give_up(qp, psn_at(qp, 0), 0);
    }
    qp->mark = (uint16_t)(qp->mark - (full && qp->mark > 0));
    weft_ring_push(&qp->ring, psn);
    return full;
}

/* A packet leaves for the NIC. Returns how many entries made room for it. */
static uint32_t
record(struct themis_qp *qp, uint32_t psn)
{
    uint32_t gone = 0;
    if (qp->ring.count == 0)
    {
        qp->newest = psn;
        qp->floor = psn;
    }
    else if (weft_psn_before(qp->newest, psn))
    {
        if (((psn - qp->floor) & WEFT_PSN_MASK) > qp->mask)
        {
            gone = forget(qp, psn);
        }
        qp->newest = psn;
    }
    else if (((qp->newest - psn) & WEFT_PSN_MASK) > qp->mask)
    {
        give_up(qp, psn, qp->ring.count);
        return 0;
    }
    else if (weft_psn_before(psn, qp->floor))
    {
        qp->floor = psn;
    }
    return gone + push(qp, psn);
}

/* The place of the first entry that comes after @p epsn and may be its NACK's trigger, or the
 * ring's count. */
static uint32_t
first_after(const struct themis_qp *qp, uint32_t epsn)
{
    uint32_t i = dealt(qp);
    while (i < qp->ring.count && !weft_psn_before(epsn, psn_at(qp, i)))
    {
        i++;
    }
    return i;
}

/* ARMED: whether @p psn proves the loss. */
static bool
resolve(struct themis_qp *qp, uint32_t psn, struct weft_tor_counters *counters)
{
    const bool scan = qp->compensation == THEMIS_SCAN;
    if (psn == qp->bepsn)
    {
        qp->watch = scan ? PASSED : IDLE;
        qp->since = 0;
        counters->cancelled++;
        return false;
    }
    if (weft_psn_before(qp->bepsn, psn) && same_path(qp, psn, qp->bepsn))
    {
        qp->watch = scan ? ASKED : IDLE;
        counters->compensated++;
        note(qp, WEFT_THEMIS_OVERTAKEN, qp->bepsn, psn);
        return true;
    }
    return false;
}

/* PASSED, UNSURE: whether the NIC, by its silence, proves the loss. */
static bool
outwait(struct themis_qp *qp, uint32_t psn, bool paused, struct weft_tor_counters *counters)
{
    if (psn == qp->bepsn)
    {
        qp->watch = PASSED;
        qp->since = 0;
        return false;
    }
    if (weft_psn_before(qp->bepsn, psn) && same_path(qp, psn, qp->bepsn))
    {
        qp->watch = PASSED; /* on its way or lost: it will not pass any more */
    }
    qp->since = (uint16_t)(qp->since + (!paused && qp->since < qp->ring.capacity));
    if (qp->watch == UNSURE || qp->since < qp->ring.capacity)
    {
        return false;
    }
    qp->watch = ASKED;
    counters->silent++;
    counters->compensated++;
    note(qp, WEFT_THEMIS_SILENCE, qp->bepsn, psn);
    return true;
}

static bool
to_host(void *state, const struct weft_packet *data, bool paused,
        struct weft_tor_counters *counters, uint32_t *epsn)
{
    struct themis_qp *qp = state;
    const bool waits = qp->watch == PASSED || qp->watch == UNSURE;
    const bool compensate = qp->watch == ARMED ? resolve(qp, data->psn, counters)
                                               : waits && outwait(qp, data->psn, paused, counters);
    *epsn = qp->bepsn;
    counters->ring_full += record(qp, data->psn);
    return compensate;
}

/* A NACK by the printed rules. Returns true to forward it. */
static bool
judge_literally(struct themis_qp *qp, uint32_t epsn, struct weft_tor_counters *counters)
{
    const uint32_t at = first_after(qp, epsn);
    if (at == qp->ring.count)
    {
        weft_ring_drop(&qp->ring, at);
        counters->unknown++;
        note(qp, WEFT_THEMIS_NO_TRIGGER, epsn, WEFT_THEMIS_NONE);
        return true;
    }
    const uint32_t tpsn = psn_at(qp, at);
    const bool valid = same_path(qp, tpsn, epsn);
    note(qp, valid ? WEFT_THEMIS_SAME_PATH : WEFT_THEMIS_OTHER_PATH, epsn, tpsn);
    weft_ring_drop(&qp->ring, at + 1);
    counters->valid += valid;
    counters->invalid += !valid;
    counters->blocked += !valid;
    if (!valid && qp->compensation == THEMIS_LITERAL)
    {
        counters->overwritten += qp->watch == ARMED;
        counters->armed++;
        qp->bepsn = epsn;
        qp->watch = ARMED;
    }
    return valid;
}

/* The place of @p psn in the ring: of those that the NIC has yet to deal with the first, else one
 * of the others, else the ring's count. */
static inline uint32_t
place_of(const struct themis_qp *qp, uint32_t psn)
{
    const bool in_range = ((qp->newest - psn) & WEFT_PSN_MASK) <= qp->mask;
    return in_range ? weft_ring_find(&qp->ring, dealt(qp), psn & qp->mask) : qp->ring.count;
}

/* A reply says @p epsn. Returns whether the NIC's ePSN has moved, by the packet of the one before.
 */
static inline bool
follow(struct themis_qp *qp, uint32_t epsn)
{
    if (qp->watch != UNTOLD)
    {
        if (!weft_psn_before(qp->bepsn, epsn))
        {
            return false;
        }
        const uint32_t at = place_of(qp, qp->bepsn);
        if (qp->spilled != OF_EPSN && at >= qp->mark && at < qp->ring.count)
        {
            qp->mark = (uint16_t)(at + 1);
            qp->spilled = NONE;
        }
        qp->spilled = qp->spilled == SOME || qp->spilled == ANY ? ANY : NONE;
    }
    qp->bepsn = epsn;
    qp->watch = IDLE;
    return true;
}

/* Whether a later packet of the path of @p epsn has passed. */
static bool
overtaken(const struct themis_qp *qp, uint32_t epsn)
{
    for (uint32_t i = 0; i < qp->ring.count; i++)
    {
        const uint32_t psn = psn_at(qp, i);
        if (weft_psn_before(epsn, psn) && same_path(qp, psn, epsn))
        {
            return true;
        }
    }
    return false;
}

/* Returns what becomes of a NACK whose trigger is the ring's entry @p at; at = count: it is
 * unknown. */
static enum watch
weigh(const struct themis_qp *qp, uint32_t epsn, uint32_t at)
{
    const uint32_t place = place_of(qp, epsn);
    if (place < qp->ring.count)
    {
        return place < at && !qp->spilled ? ASKED : PASSED;
    }
    const bool gone = overtaken(qp, epsn); /* or, if spilled, on its way */
    if (qp->spilled)
    {
        return gone ? PASSED : UNSURE;
    }
    return gone || at == qp->ring.count ? ASKED : ARMED;
}

static enum weft_themis_reason
blocked_for(const struct themis_qp *qp)
{
    return qp->watch == ASKED   ? WEFT_THEMIS_REPEATED
           : qp->watch == ARMED ? WEFT_THEMIS_OTHER_PATH
           : qp->spilled        ? WEFT_THEMIS_MAY_COME
                                : WEFT_THEMIS_ON_ITS_WAY;
}

/* A NACK by the rules above. Returns true to forward it. */
static bool
judge(struct themis_qp *qp, uint32_t epsn, struct weft_tor_counters *counters)
{
    qp->complains = true;
    follow(qp, epsn);
    const uint32_t at = first_after(qp, epsn);
    const bool known = at < qp->ring.count;
    const bool again = qp->watch == ASKED;
    qp->watch = (uint8_t)(again ? ASKED : weigh(qp, epsn, at));
    qp->since = 0;
    const bool blocked = again || qp->watch != ASKED;
    const uint32_t tpsn = known ? psn_at(qp, at) : WEFT_THEMIS_NONE;
    const bool valid = known && !blocked && same_path(qp, tpsn, epsn);
    note(qp,
         blocked ? blocked_for(qp)
         : valid ? WEFT_THEMIS_SAME_PATH
         : known ? WEFT_THEMIS_RING_PROVES
                 : WEFT_THEMIS_NO_TRIGGER,
         epsn, tpsn);
    if (known && !qp->spilled)
    {
        qp->mark = (uint16_t)(at + 1);
    }
    counters->unknown += !known && !blocked;
    counters->valid += valid;
    counters->invalid += blocked || (known && !valid);
    counters->scan_passed += known && !blocked && !valid;
    counters->blocked += blocked;
    counters->repeated += again;
    counters->armed += qp->watch == ARMED;
    counters->scan_cancelled += qp->watch == PASSED || qp->watch == UNSURE;
    return !blocked;
}

/* An ACK. Returns true to forward it as a NACK: the NIC has dropped the packet of its new ePSN. */
static bool
acknowledge(struct themis_qp *qp, uint32_t epsn, struct weft_tor_counters *counters)
{
    if (!follow(qp, epsn) || !qp->complains || place_of(qp, epsn) >= dealt(qp))
    {
        return false;
    }
    qp->watch = ASKED;
    qp->since = 0;
    note(qp, WEFT_THEMIS_TURNED, epsn, WEFT_THEMIS_NONE);
    counters->turned++;
    counters->compensated++;
    return true;
}

static enum weft_tor_verdict
from_host(void *state, const struct weft_packet *reply, struct weft_tor_counters *counters)
{
    struct themis_qp *qp = state;
    const bool scan = qp->compensation == THEMIS_SCAN;
    if (reply->kind == WEFT_NACK)
    {
        counters->seen++;
        return (scan ? judge : judge_literally)(qp, reply->psn, counters) ? WEFT_TOR_FORWARD
                                                                          : WEFT_TOR_BLOCK;
    }
    return reply->kind == WEFT_ACK && scan && acknowledge(qp, reply->psn, counters)
               ? WEFT_TOR_NACK
               : WEFT_TOR_FORWARD;
}

static bool
owes(const void *state)
{
    const struct themis_qp *qp = state;
    return qp->watch == ARMED || qp->watch == PASSED || qp->watch == UNSURE;
}

static bool
release(void *state, struct weft_tor_counters *counters, uint32_t *epsn)
{
    struct themis_qp *qp = state;
    if (!owes(qp))
    {
        return false;
    }
    qp->watch = qp->compensation == THEMIS_SCAN ? ASKED : IDLE;
    *epsn = qp->bepsn;
    note(qp, WEFT_THEMIS_RELEASED, qp->bepsn, WEFT_THEMIS_NONE);
    counters->released++;
    counters->compensated++;
    return true;
}

void
weft_themis_judged(const void *memory, struct weft_themis_judgement *judgement)
{
    const struct themis_qp *qp =
        WEFT_OWN_STATE(memory, &weft_themis_d, &weft_themis_d, "weft_themis_judged");
    const uint32_t none = WEFT_THEMIS_NONE;
    judgement->reason = (enum weft_themis_reason)qp->reason;
    judgement->epsn = qp->judged_epsn;
    judgement->tpsn = qp->judged_tpsn;
    judgement->epsn_path =
        qp->judged_epsn == none ? none : themis_residue(&qp->paths, qp->judged_epsn);
    judgement->tpsn_path =
        qp->judged_tpsn == none ? none : themis_residue(&qp->paths, qp->judged_tpsn);
}

const struct weft_tor_ops weft_themis_d = {
    .qp_size = qp_size,
    .qp_init = qp_init,
    .to_host = to_host,
    .from_host = from_host,
    .release = release,
    .owes = owes,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN},
};
