/* SPDX-License-Identifier: MIT */
/*
 * Themis-D: the destination's ToR keeps the PSNs that are under way to the NIC, finds out by them
 * which packet triggered a NACK, and blocks the NACK if that one took another path than the packet
 * that the NACK misses. A blocked NACK is made up for once a packet of the right path passes.
 *
 * Truncated PSNs are rebuilt from the newest one that has passed, not from the NACK's ePSN: after a
 * loss the ePSN stays behind by a round trip's worth of packets, more than one byte can tell apart,
 * while the ring's entries lie close below the newest PSN. They are made to: an entry that has
 * fallen behind what its bytes tell apart leaves the ring, and a packet that comes so late is not
 * recorded, else it would be read as one of the newest.
 */
#include "tor/themis.h"

#include "base/ring.h"

#include <weft/error.h>
#include <weft/psn.h>
#include <weft/theory.h>

struct themis_qp
{
    struct weft_ring ring; /* its slots lie behind this struct */
    uint32_t newest;       /* the latest PSN of those in the ring */
    uint32_t floor;        /* none of those in the ring comes before it */
    uint32_t bepsn;        /* ePSN of the blocked NACK that is armed */
    bool armed;            /* themis' Valid */
    uint8_t compensation;  /* enum themis_compensation */
    struct themis_modulus paths;
};

static uint32_t
ring_entries(const struct themis_config *c, const struct weft_last_hop *hop)
{
    const uint32_t factor_milli = (uint32_t)(c->ring_factor * 1000.0 + 0.5);
    return weft_themis_ring_entries(hop->rate, hop->rtt, factor_milli, hop->mtu);
}

static size_t
qp_size(const void *config, const struct weft_last_hop *hop)
{
    const struct themis_config *c = (const struct themis_config *)config;
    const size_t slots = weft_ring_size(ring_entries(c, hop), (uint32_t)c->entry_bytes);
    return (sizeof(struct themis_qp) + slots + 7) & ~(size_t)7;
}

static const char *
refusal(const void *config, const struct weft_last_hop *hop)
{
    const struct themis_config *c = (const struct themis_config *)config;
    const uint32_t entries = ring_entries(c, hop);
    if (hop->npaths == 0 || hop->npaths > WEFT_PSN_MASK)
    {
        return "the number of paths is 0, or more than there are PSNs";
    }
    if (entries == 0 || entries > UINT16_MAX)
    {
        return "the ring of this last hop would have no entries, or more than 65535; set a smaller "
               "ring-factor";
    }
    if (entries > themis_entry_reach(c))
    {
        return c->entry_bytes == 1 ? "the ring of this last hop needs more than the 127 entries "
                                     "that entry-bytes=1 can tell apart; set entry-bytes=2"
                                   : "the ring of this last hop needs more than the 32767 entries "
                                     "that entry-bytes=2 can tell apart; set entry-bytes=3";
    }
    return NULL;
}

static int
qp_init(void *memory, const void *config, const struct weft_last_hop *hop)
{
    struct themis_qp *qp = (struct themis_qp *)memory;
    const struct themis_config *c = (const struct themis_config *)config;
    const uint32_t entries = ring_entries(c, hop);
    if (refusal(config, hop))
    {
        return WEFT_ERANGE;
    }
    weft_ring_init(&qp->ring, (uint8_t *)(qp + 1), entries, (uint32_t)c->entry_bytes);
    qp->newest = 0;
    qp->floor = 0;
    qp->bepsn = 0;
    qp->armed = false;
    qp->compensation = (uint8_t)c->compensation;
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
    return (qp->newest - weft_ring_at(&qp->ring, i)) & weft_ring_mask(&qp->ring);
}

/* The PSN that was truncated to the i-th entry. */
static inline uint32_t
psn_at(const struct themis_qp *qp, uint32_t i)
{
    return weft_psn_add(qp->newest, 0U - age_at(qp, i));
}

/* Takes out what will be out of range once @p psn is the newest. Returns how many entries. */
static uint32_t
forget(struct themis_qp *qp, uint32_t psn)
{
    const uint32_t before = qp->ring.count;
    const uint32_t step = (psn - qp->newest) & WEFT_PSN_MASK;
    uint32_t oldest = 0; /* age of those that stay */
    for (uint32_t n = before; n > 0; n--)
    {
        const uint32_t age = age_at(qp, 0) + step;
        const uint32_t entry = weft_ring_at(&qp->ring, 0);
        weft_ring_drop(&qp->ring, 1);
        if (age <= weft_ring_mask(&qp->ring))
        {
            weft_ring_push(&qp->ring, entry);
            oldest = age > oldest ? age : oldest;
        }
    }
    qp->floor = weft_psn_add(psn, 0U - oldest);
    return before - qp->ring.count;
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
        if (((psn - qp->floor) & WEFT_PSN_MASK) > weft_ring_mask(&qp->ring))
        {
            gone = forget(qp, psn);
        }
        qp->newest = psn;
    }
    else if (((qp->newest - psn) & WEFT_PSN_MASK) > weft_ring_mask(&qp->ring))
    {
        return 0;
    }
    else if (weft_psn_before(psn, qp->floor))
    {
        qp->floor = psn;
    }
    return gone + weft_ring_push(&qp->ring, psn);
}

/* The place of the first entry that comes after @p epsn, or the ring's count. */
static uint32_t
first_after(const struct themis_qp *qp, uint32_t epsn)
{
    uint32_t i = 0;
    while (i < qp->ring.count && !weft_psn_before(epsn, psn_at(qp, i)))
    {
        i++;
    }
    return i;
}

/* While a NACK is armed: whether @p psn proves the loss. Either answer disarms. */
static bool
resolve(struct themis_qp *qp, uint32_t psn, struct weft_tor_counters *counters)
{
    if (psn == qp->bepsn)
    {
        qp->armed = false;
        counters->cancelled++;
        return false;
    }
    if (weft_psn_before(qp->bepsn, psn) && same_path(qp, psn, qp->bepsn))
    {
        qp->armed = false;
        counters->compensated++;
        return true;
    }
    return false;
}

static bool
to_host(void *state, const struct weft_packet *data, struct weft_tor_counters *counters,
        uint32_t *epsn)
{
    struct themis_qp *qp = (struct themis_qp *)state;
    const bool compensate = qp->armed && resolve(qp, data->psn, counters);
    if (compensate)
    {
        *epsn = qp->bepsn;
    }
    counters->ring_full += record(qp, data->psn);
    return compensate;
}

static void
arm(struct themis_qp *qp, uint32_t epsn, struct weft_tor_counters *counters)
{
    counters->overwritten += qp->armed;
    counters->armed++;
    qp->bepsn = epsn;
    qp->armed = true;
}

/* What the ring knows of a packet that an invalid NACK misses. */
enum evidence
{
    OPEN,
    DELIVERED, /* it is in the ring itself: on its way to the NIC, or there */
    LOST,      /* a later packet of its path is in the ring, and it is not */
};

static enum evidence
weigh(const struct themis_qp *qp, uint32_t epsn)
{
    enum evidence found = OPEN;
    for (uint32_t i = 0; i < qp->ring.count; i++)
    {
        const uint32_t psn = psn_at(qp, i);
        if (psn == epsn)
        {
            return DELIVERED;
        }
        if (weft_psn_before(epsn, psn) && same_path(qp, psn, epsn))
        {
            found = LOST;
        }
    }
    return found;
}

/* An invalid NACK. Returns true to forward it all the same. */
static bool
judge(struct themis_qp *qp, uint32_t epsn, struct weft_tor_counters *counters)
{
    const enum evidence found = qp->compensation == THEMIS_SCAN ? weigh(qp, epsn) : OPEN;
    if (found == LOST)
    {
        counters->scan_passed++;
        return true;
    }
    counters->blocked++;
    if (found == DELIVERED)
    {
        counters->scan_cancelled++;
    }
    else if (qp->compensation != THEMIS_OFF)
    {
        arm(qp, epsn, counters);
    }
    return false;
}

static bool
from_host(void *state, const struct weft_packet *nack, struct weft_tor_counters *counters)
{
    struct themis_qp *qp = (struct themis_qp *)state;
    const uint32_t epsn = nack->psn;
    const uint32_t at = first_after(qp, epsn);
    counters->seen++;
    if (at == qp->ring.count)
    {
        weft_ring_drop(&qp->ring, at);
        counters->unknown++;
        return true;
    }
    const bool valid = same_path(qp, psn_at(qp, at), epsn);
    const bool forward = valid || judge(qp, epsn, counters);
    counters->valid += valid;
    counters->invalid += !valid;
    weft_ring_drop(&qp->ring, at + 1);
    return forward;
}

const struct weft_tor_ops weft_themis_d = {qp_size, qp_init, to_host, from_host, refusal};
