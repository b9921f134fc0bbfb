/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Promises of Themis-D, whatever the packets and NACKs that it sees. The input's first byte
 * chooses one of two games:
 *
 * A sprayed flow. Its paths are FIFOs of any delay, the NIC is NIC-SR or go-back-N, and the ring
 * holds what is under way to it. Without loss and with NIC-SR no NACK may reach the sender, and
 * none may be made up: else spraying costs spurious retransmissions after all. With losses, before
 * the ToR or behind it, the sender must be asked for what is missing as long as packets follow:
 * else a flow waits for its timer.
 *
 * Any packets and NACKs at all. One byte of a PSN must decide as three do while it can tell the
 * PSNs apart, the counters must add up, and the ToR may ask for no packet that no reply has named.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "fuzz.h"
#include "must.h"

#define MOST_PATHS 64

/** State of one QP at a ToR. */
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
    int64_t config[32];
    const struct weft_lb_ops *lb = weft_lb_find("themis");
    const struct weft_last_hop hop = {npaths, INT64_C(8000000000000), entries, 1,
                                      NULL,   WEFT_NEEDS_ALL};
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
    const uint64_t early = t->n.compensated - t->n.silent - t->n.turned;
    MUST(t->n.seen == t->n.valid + t->n.invalid + t->n.unknown);
    MUST(t->n.invalid == t->n.blocked + t->n.scan_passed);
    MUST(early + t->n.cancelled + t->n.overwritten <= t->n.armed);
    MUST(t->n.silent <= t->n.cancelled + t->n.scan_cancelled);
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
    const bool owed = t->ops->owes(t->qp);
    const bool sends = t->ops->to_host(t->qp, &data, false, &t->n, &epsn);
    MUST(owed || (!sends && !t->ops->owes(t->qp)));
    return sends ? (int64_t)epsn : -1;
}

/** Returns what becomes of a reply. */
static enum weft_tor_verdict
answer(struct tor *t, enum weft_packet_kind kind, uint32_t epsn)
{
    struct weft_packet reply;
    memset(&reply, 0, sizeof reply);
    reply.kind = (uint8_t)kind;
    reply.psn = epsn;
    return t->ops->from_host(t->qp, &reply, &t->n);
}

/** Whether a NACK is forwarded. */
static bool
nack(struct tor *t, uint32_t epsn)
{
    const enum weft_tor_verdict verdict = answer(t, WEFT_NACK, epsn);
    MUST(verdict != WEFT_TOR_NACK);
    return verdict == WEFT_TOR_FORWARD;
}

/* --- a sprayed flow --------------------------------------------------------------------------- */

#define PACKETS 32768
#define FRAMES  65536 /* data frames, retransmissions included; replies */
#define RING    60
#define AHEAD   60 /* packets that may be outstanding */

enum fate
{
    ARRIVES,
    LOST_BEFORE, /* the ToR */
    LOST_BEHIND,
};

struct frame
{
    uint32_t packet;
    enum fate fate;
};

struct reply
{
    uint32_t epsn, cause; /* place in order[] of the packet that it answers */
    bool nack;
};

static struct flow
{
    struct tor tor;
    uint32_t first, npaths;
    bool lossy, keeps; /* keeps: the NIC keeps what comes out of order */
    /* The sender */
    uint32_t sent, una;
    bool resend;
    uint32_t next; /* go-back-N: what is sent next */
    /* The network: frames in the order in which they were sent */
    struct frame frame[FRAMES];
    bool passed[FRAMES];
    uint32_t nframes, oldest;
    /* The ToR: frames in the order in which they passed */
    struct frame order[FRAMES];
    uint32_t npassed;
    /* The NIC */
    bool got[PACKETS];
    uint32_t nreceived, epsn;
    bool nacked; /* this ePSN has had its NACK */
    struct reply reply[FRAMES];
    uint32_t nreplies, nreturned;
} flow;

static uint32_t
psn_of(uint32_t packet)
{
    return (flow.first + packet) & WEFT_PSN_MASK;
}

/** A reply reaches the sender. */
static void
sender_hears(uint32_t epsn, bool nack)
{
    MUST(flow.lossy || !flow.keeps || !nack);
    if (epsn > flow.una)
    {
        flow.una = epsn;
        flow.resend = false;
        flow.next = flow.next < epsn ? epsn : flow.next;
    }
    if (nack && epsn == flow.una)
    {
        flow.resend = flow.keeps && flow.una < flow.sent;
        flow.next = flow.keeps ? flow.next : flow.una;
    }
}

static void
nic_answers(bool nack)
{
    flow.reply[flow.nreplies++] = (struct reply){flow.epsn, flow.nreceived - 1, nack};
    MUST(flow.nreplies < FRAMES);
}

/** The NIC gets the next packet that has passed the ToR. */
static void
nic_receive(void)
{
    if (flow.nreceived == flow.npassed)
    {
        return;
    }
    const struct frame f = flow.order[flow.nreceived++];
    if (f.fate == LOST_BEHIND)
    {
        return;
    }
    const bool nacks = f.packet > flow.epsn && !flow.nacked;
    if (f.packet > flow.epsn)
    {
        flow.got[f.packet] = flow.keeps || flow.got[f.packet];
        flow.nacked = true;
    }
    else
    {
        flow.nacked = flow.nacked && f.packet < flow.epsn;
        flow.got[f.packet] = true;
    }
    while (flow.got[flow.epsn])
    {
        flow.epsn++;
    }
    if (nacks || f.packet < flow.epsn)
    {
        nic_answers(nacks);
    }
}

/** The next reply of the NIC reaches the ToR. */
static void
reply_returns(void)
{
    if (flow.nreturned < flow.nreplies)
    {
        const struct reply r = flow.reply[flow.nreturned++];
        const enum weft_tor_verdict verdict =
            answer(&flow.tor, r.nack ? WEFT_NACK : WEFT_ACK, psn_of(r.epsn));
        MUST(r.nack ? verdict != WEFT_TOR_NACK : verdict != WEFT_TOR_BLOCK);
        if (verdict != WEFT_TOR_BLOCK)
        {
            sender_hears(r.epsn, r.nack || verdict == WEFT_TOR_NACK);
        }
    }
}

/** How far back the ring must reach: to what caused the oldest reply that may still come. */
static uint32_t
under_way(void)
{
    const uint32_t oldest =
        flow.nreturned < flow.nreplies ? flow.reply[flow.nreturned].cause : flow.nreceived;
    return flow.npassed - oldest;
}

/** Frame number @p i passes the ToR. */
static void
tor_pass(uint32_t i)
{
    const struct frame f = flow.frame[i];
    flow.passed[i] = true;
    while (flow.oldest < flow.nframes && flow.passed[flow.oldest])
    {
        flow.oldest++;
    }
    if (f.fate == LOST_BEFORE)
    {
        return;
    }
    while (under_way() >= RING)
    {
        nic_receive();
        reply_returns();
    }
    flow.order[flow.npassed++] = f;
    const int64_t made = pass(&flow.tor, psn_of(f.packet));
    if (made >= 0)
    {
        sender_hears(flow.una + (((uint32_t)made - psn_of(flow.una)) & WEFT_PSN_MASK), true);
    }
}

/** The first frame of a path that has not passed the ToR yet passes it. */
static void
path_moves(uint32_t path)
{
    for (uint32_t i = flow.oldest; i < flow.nframes; i++)
    {
        if (!flow.passed[i] && psn_of(flow.frame[i].packet) % flow.npaths == path % flow.npaths)
        {
            tor_pass(i);
            return;
        }
    }
}

/** The sender sends what it is asked for, or the next packet. Retransmissions are not lost: no
 * transport here asks twice. */
static bool
sender_sends(enum fate fate, uint32_t ahead)
{
    const bool again = flow.resend || flow.next < flow.sent;
    if (flow.nframes == FRAMES ||
        (!again && (flow.sent >= flow.una + ahead || flow.sent >= PACKETS - 1)))
    {
        return false;
    }
    const uint32_t packet = flow.resend ? flow.una : flow.next;
    flow.frame[flow.nframes++] = (struct frame){packet, again ? ARRIVES : fate};
    flow.next += !flow.resend;
    flow.sent += !again;
    flow.resend = false;
    return true;
}

/** From now on nothing is lost and everything is fast: what was sent arrives, and soon. */
static void
finish(void)
{
    const uint32_t all = flow.sent;
    for (uint32_t rounds = 0; flow.una < all; rounds++)
    {
        MUST(rounds < 8192);
        sender_sends(ARRIVES, PACKETS);
        for (uint32_t i = flow.oldest; i < flow.nframes; i++)
        {
            if (!flow.passed[i])
            {
                tor_pass(i);
            }
        }
        while (flow.nreceived < flow.npassed || flow.nreturned < flow.nreplies)
        {
            nic_receive();
            reply_returns();
        }
    }
}

static void
move(struct fuzz_input *in)
{
    const uint32_t what = fuzz_below(in, 8);
    const uint32_t n = fuzz_below(in, 64);
    for (uint32_t i = 0; what == 0 && i < n; i++)
    {
        sender_sends(ARRIVES, AHEAD);
    }
    for (uint32_t i = 0; what == 1 && i < n % 16; i++)
    {
        nic_receive();
    }
    for (uint32_t i = 0; what == 2 && i < n % 16; i++)
    {
        reply_returns();
    }
    if (what == 3)
    {
        sender_sends(!flow.lossy ? ARRIVES : n % 2 ? LOST_BEFORE : LOST_BEHIND, AHEAD);
    }
    else if (what > 3)
    {
        path_moves(n);
    }
}

static void
play_flow(struct fuzz_input *in)
{
    const uint32_t kind = fuzz_below(in, 3);
    memset(&flow, 0, sizeof flow);
    flow.lossy = kind != 0;
    flow.keeps = kind != 2;
    flow.npaths = fuzz_between(in, 1, MOST_PATHS);
    flow.first = fuzz_below(in, 3) == 0 ? (0U - fuzz_below(in, 300)) & WEFT_PSN_MASK
                                        : (uint32_t)fuzz_number(in, 3);
    tor_open(&flow.tor, flow.npaths, RING, "scan", fuzz_below(in, 2) == 0 ? "1" : "3");
    while (in->left > 0)
    {
        move(in);
    }
    finish();
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
    static bool named[1 << 12]; /* by PSN, modulo: a reply has had it for its ePSN */
    memset(named, 0, sizeof named);
    const char *mode = modes[fuzz_below(in, 3)];
    const uint32_t npaths = fuzz_between(in, 1, MOST_PATHS);
    const uint32_t first = (uint32_t)fuzz_number(in, 3);
    recent.capacity = fuzz_between(in, 1, 127);
    tor_open(&narrow, npaths, recent.capacity, mode, "1");
    tor_open(&wide, npaths, recent.capacity, mode, "3");
    for (int64_t base = 0; in->left > 0;)
    {
        const uint32_t what = fuzz_below(in, 5);
        const int64_t at = base + fuzz_byte(in);
        const uint32_t psn = (first + (uint32_t)at) & WEFT_PSN_MASK;
        if (what == 0)
        {
            MUST(nack(&narrow, psn) == nack(&wide, psn));
            named[psn % (1 << 12)] = true;
        }
        else if (what == 1)
        {
            base += fuzz_below(in, 16);
        }
        else if (what == 2)
        {
            MUST(answer(&narrow, WEFT_ACK, psn) == answer(&wide, WEFT_ACK, psn));
            named[psn % (1 << 12)] = true;
        }
        else if (told_apart(&recent, at))
        {
            const int64_t made = pass(&wide, psn);
            MUST(pass(&narrow, psn) == made);
            MUST(made < 0 || named[made % (1 << 12)]);
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
