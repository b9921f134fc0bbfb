/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What Themis-D promises, whatever the packets and NACKs that it sees. The input's first byte
 * chooses one of two games:
 *
 * A sprayed flow without loss. Its paths are FIFOs of any delay, the NIC is NIC-SR, and the ring
 * holds what is under way to it: then no NACK may reach the sender, and none may be made up. Else
 * spraying costs spurious retransmissions after all.
 *
 * Any packets and NACKs at all. One byte of a PSN must decide as three do while it can tell the
 * PSNs apart, the counters must add up, and a NACK that the ToR makes must be one that it blocked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "fuzz.h"
#include "must.h"

#define MOST_PATHS 64

/** One QP at a ToR. */
struct tor
{
    const struct weft_tor_ops *ops;
    void *qp;
    struct weft_tor_counters n;
};

static void
set(const struct weft_algo *algo, int64_t *config, const char *name, const char *value)
{
    MUST(weft_config_set(algo, config, name, value) == 0);
}

/** A ring of exactly so many entries: frames of 1 byte at 8 Tbit/s take 1 ps. */
static void
tor_open(struct tor *t, uint32_t npaths, uint32_t entries, const char *mode, const char *width)
{
    int64_t config[16];
    const struct weft_lb_ops *lb = weft_lb_find("themis");
    const struct weft_last_hop hop = {npaths, INT64_C(8000000000000), entries, 1};
    memset(t, 0, sizeof *t);
    MUST(weft_config_default(&lb->algo, config) == 0);
    set(&lb->algo, config, "compensation", mode);
    set(&lb->algo, config, "ring-factor", "1");
    set(&lb->algo, config, "entry-bytes", width);
    t->ops = lb->tor;
    t->qp = malloc(t->ops->qp_size(config, &hop));
    MUST(t->ops->qp_init(t->qp, config, &hop) == 0);
}

static void
tor_close(struct tor *t)
{
    MUST(t->n.seen == t->n.valid + t->n.invalid + t->n.unknown);
    MUST(t->n.blocked <= t->n.invalid);
    MUST(t->n.compensated + t->n.cancelled + t->n.overwritten <= t->n.armed);
    free(t->qp);
}

/** The ePSN of the NACK that the ToR makes, or -1. */
static int64_t
pass(struct tor *t, uint32_t psn)
{
    struct weft_packet data;
    uint32_t epsn = UINT32_MAX;
    memset(&data, 0, sizeof data);
    data.psn = psn;
    return t->ops->to_host(t->qp, &data, &t->n, &epsn) ? (int64_t)epsn : -1;
}

/** Whether it is forwarded. */
static bool
nack(struct tor *t, uint32_t epsn)
{
    struct weft_packet reply;
    memset(&reply, 0, sizeof reply);
    reply.kind = WEFT_NACK;
    reply.psn = epsn;
    return t->ops->from_host(t->qp, &reply, &t->n);
}

/* --- a sprayed flow without loss -------------------------------------------------------------- */

#define PACKETS 4096
#define RING    60
#define AHEAD   60 /* packets that the network may reorder */

static struct flow
{
    struct tor tor;
    uint32_t first, npaths;
    uint32_t sent;               /* packets that have left the sender: 0 to sent - 1 */
    bool passed[PACKETS];        /* the ToR */
    uint32_t order[PACKETS];     /* in which they did */
    uint32_t npassed, nreceived; /* by the ToR, and of these by the NIC */
    bool got[PACKETS];           /* the NIC has it */
    uint32_t epsn;               /* of the NIC */
    bool nacked;                 /* this ePSN has had its NACK */
    uint32_t asked[PACKETS];     /* ePSNs of NACKs on their way back */
    uint32_t cause[PACKETS];     /* place in order[] of what triggered each */
    uint32_t nnacks, nreturned;
} flow;

static uint32_t
psn_of(uint32_t packet)
{
    return (flow.first + packet) & WEFT_PSN_MASK;
}

/** The NIC gets the next packet that has passed the ToR. */
static void
nic_receive(void)
{
    if (flow.nreceived == flow.npassed)
    {
        return;
    }
    const uint32_t packet = flow.order[flow.nreceived++];
    flow.got[packet] = true;
    if (packet > flow.epsn && !flow.nacked)
    {
        flow.nacked = true;
        flow.asked[flow.nnacks] = flow.epsn;
        flow.cause[flow.nnacks++] = flow.nreceived - 1;
    }
    while (flow.got[flow.epsn])
    {
        flow.epsn++;
        flow.nacked = false;
    }
}

/** The next NACK of the NIC reaches the ToR. */
static void
nack_returns(void)
{
    if (flow.nreturned < flow.nnacks)
    {
        MUST(!nack(&flow.tor, psn_of(flow.asked[flow.nreturned++])));
    }
}

/** How far back the ring must reach: to the trigger of the oldest NACK that may still come. */
static uint32_t
under_way(void)
{
    const uint32_t oldest =
        flow.nreturned < flow.nnacks ? flow.cause[flow.nreturned] : flow.nreceived;
    return flow.npassed - oldest;
}

/** The first packet of a path that has not passed the ToR yet passes it. */
static void
tor_pass(uint32_t path)
{
    uint32_t packet = 0;
    while (packet < flow.sent &&
           (flow.passed[packet] || psn_of(packet) % flow.npaths != path % flow.npaths))
    {
        packet++;
    }
    if (packet == flow.sent)
    {
        return;
    }
    while (under_way() >= RING)
    {
        nic_receive();
        nack_returns();
    }
    flow.passed[packet] = true;
    flow.order[flow.npassed++] = packet;
    MUST(pass(&flow.tor, psn_of(packet)) == -1);
}

static void
flow_send(uint32_t n)
{
    uint32_t oldest = 0;
    while (oldest < flow.sent && flow.passed[oldest])
    {
        oldest++;
    }
    for (; n > 0 && flow.sent < oldest + AHEAD && flow.sent < PACKETS - 1; n--)
    {
        flow.sent++;
    }
}

static void
play_flow(struct fuzz_input *in)
{
    memset(&flow, 0, sizeof flow);
    flow.npaths = fuzz_between(in, 1, MOST_PATHS);
    flow.first = fuzz_below(in, 3) == 0 ? (0U - fuzz_below(in, 300)) & WEFT_PSN_MASK
                                        : (uint32_t)fuzz_number(in, 3);
    tor_open(&flow.tor, flow.npaths, RING, "scan", fuzz_below(in, 2) == 0 ? "1" : "3");
    while (in->left > 0)
    {
        const uint32_t what = fuzz_below(in, 4);
        const uint32_t n = fuzz_below(in, 64);
        if (what == 0)
        {
            flow_send(n);
        }
        for (uint32_t i = 0; what == 2 && i < n % 16; i++)
        {
            nic_receive();
        }
        if (what == 1)
        {
            tor_pass(n);
        }
        else if (what == 3)
        {
            nack_returns();
        }
    }
    tor_close(&flow.tor);
}

/* --- any packets and NACKs -------------------------------------------------------------------- */

#define TELLS_APART 255 /* how far one byte reaches behind the newest PSN */

/** The PSNs that may be in a ring, oldest first. */
struct recent
{
    int64_t psn[128];
    uint32_t n, capacity;
};

static void
remember(struct recent *r, int64_t psn)
{
    if (r->n == r->capacity)
    {
        memmove(r->psn, r->psn + 1, --r->n * sizeof *r->psn);
    }
    r->psn[r->n++] = psn;
}

static bool
told_apart(const struct recent *r, int64_t psn)
{
    bool good = true;
    for (uint32_t i = 0; i < r->n; i++)
    {
        good = good && llabs(psn - r->psn[i]) <= TELLS_APART;
    }
    return good;
}

static void
play_any(struct fuzz_input *in)
{
    static const char *const modes[] = {"scan", "literal", "off"};
    struct tor narrow, wide;
    struct recent recent = {.n = 0};
    static bool blocked[1 << 12]; /* by PSN less the first one, modulo */
    memset(blocked, 0, sizeof blocked);
    const char *mode = modes[fuzz_below(in, 3)];
    const uint32_t npaths = fuzz_between(in, 1, MOST_PATHS);
    const uint32_t first = (uint32_t)fuzz_number(in, 3);
    recent.capacity = fuzz_between(in, 1, 127);
    tor_open(&narrow, npaths, recent.capacity, mode, "1");
    tor_open(&wide, npaths, recent.capacity, mode, "3");
    for (int64_t base = 0; in->left > 0;)
    {
        const uint32_t what = fuzz_below(in, 4);
        const int64_t at = base + fuzz_byte(in);
        const uint32_t psn = (first + (uint32_t)at) & WEFT_PSN_MASK;
        if (what == 0)
        {
            const bool forward = nack(&wide, psn);
            MUST(nack(&narrow, psn) == forward);
            blocked[psn % (1 << 12)] |= !forward;
        }
        else if (what == 1)
        {
            base += fuzz_below(in, 16);
        }
        else if (told_apart(&recent, at))
        {
            const int64_t made = pass(&wide, psn);
            MUST(pass(&narrow, psn) == made);
            MUST(made < 0 || blocked[made % (1 << 12)]);
            remember(&recent, at);
        }
    }
    MUST(memcmp(&narrow.n, &wide.n, sizeof narrow.n) == 0);
    tor_close(&narrow);
    tor_close(&wide);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_input in = {data, size};
    if (fuzz_below(&in, 2) == 0)
    {
        play_flow(&in);
    }
    else
    {
        play_any(&in);
    }
    return 0;
}
