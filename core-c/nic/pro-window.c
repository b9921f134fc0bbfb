/* SPDX-License-Identifier: MIT */
/*
 * PRO's cautious loss retransmission (pro §III-B, Algorithm 2). The receiver takes packets in any
 * order, and answers each by an ACK that names it, as under sack. A packet that is missing counts
 * as lost once it lies more than `wnd` packets before the highest one that has arrived: then one
 * NACK asks for it, and never again. A packet that arrives twice makes wnd one larger, a timeout
 * halves it.
 *
 * A timer of the receiver that is due at once sends the NACKs, so that a packet has its ACK and the
 * NACK that it makes due.
 *
 * The sender is that of repeat.h. What it sends again is what NACKs ask for, and after a timeout
 * all that is missing of what had been sent when the timer was started. Every data packet carries
 * in `ahead` how many timeouts its sender has had, modulo 2^16: by that the receiver knows of them.
 */
#include "base/saturating.h"
#include "nic/bdp.h"
#include "nic/repeat.h"
#include "roster/tables.h"

enum
{
    CHECK_EVENTS,
    CHECK_TIMEOUTS,
};

enum
{
    NACKS_ONE,
    NACKS_ALL,
};

enum
{
    TIMEOUT_SENDER,
    TIMEOUT_RECEIVER,
};

struct pro_config
{
    struct weft_selective_config base;
    int64_t initial;
    int64_t most;
    int64_t check;   /* CHECK_ */
    int64_t nacks;   /* NACKS_ */
    int64_t timeout; /* TIMEOUT_ */
};

/* The receiver of selective.h follows it in memory. */
struct pro_rx
{
    uint32_t tail;     /* highest PSN that has arrived */
    uint32_t nack;     /* the next one to be asked for, if it is missing */
    int32_t wnd;       /* packets */
    int32_t most;      /* limit of wnd */
    uint16_t timeouts; /* that the sender is known to have had, modulo 2^16 */
    bool checks;       /* after every event, not only after timeouts */
    bool all;          /* asks for all that is lost at once */
    bool own_timer;    /* its own timer says what a timeout is, not the sender */
    int64_t rto;       /* ps */
    int64_t deadline;  /* of its own timer; WEFT_NEVER: nothing is known to be missing */
    int64_t asks_at;   /* when a NACK is due; WEFT_NEVER: none is */
};

#define P(member) WEFT_P(struct pro_config, member)

static const struct weft_param params[] = {
    {"ooo-window", WEFT_COUNT, P(initial), "0", "0", "65535", NULL,
     "The out-of-order window at the start, in packets; 0: the bandwidth-delay product in full "
     "frames, rounded up.",
     "pro §III-B"},
    {"ooo-limit", WEFT_COUNT, P(most), "65535", "1", "65535", NULL,
     "Largest out-of-order window; never beyond the bitmap.", "(ours)"},
    {"check", WEFT_CHOICE, P(check), "events", NULL, NULL, "events timeouts",
     "When the receiver looks for lost packets: after every packet and timeout, or, as Algorithm 2 "
     "is printed, only after timeouts.",
     "pro §III-B"},
    {"nacks", WEFT_CHOICE, P(nacks), "one", NULL, NULL, "one all",
     "NACKs that it sends then, at most one (Algorithm 2) or one for each lost packet.",
     "pro §III-B"},
    {"timeout", WEFT_CHOICE, P(timeout), "sender", NULL, NULL, "sender receiver",
     "Whose timer halves the window: the sender's, which its packets tell, or one that the "
     "receiver keeps while a packet is missing.",
     "(ours)"},
    WEFT_WINDOW_PARAMS("1"),
    {"rto", WEFT_TIME, P(base.rto), "80us", "1ns", "inf", NULL,
     "Time without progress after which what was sent before it is sent again; no back-off.",
     "pro §VI-A"},
};

static const char *
check(const void *config)
{
    const struct pro_config *c = config;
    if (c->initial > c->most)
    {
        return "ooo-window exceeds ooo-limit; expected it to be at most that";
    }
    return weft_selective_check(config);
}

static inline struct weft_selective_rx *
placed_of(struct pro_rx *r)
{
    return (struct weft_selective_rx *)(void *)(r + 1);
}

static size_t
rx_size(const void *config)
{
    return sizeof(struct pro_rx) + weft_selective_rx_size(config);
}

static int
rx_init(void *rx, const void *config, const struct weft_transport_site *site)
{
    const struct pro_config *c = config;
    struct pro_rx *r = rx;
    if (c->initial < 0 || c->most < 1 || c->most > UINT16_MAX || c->base.rto < 1 || check(config))
    {
        return WEFT_ERANGE;
    }
    const int64_t most = c->most < c->base.window ? c->most : c->base.window - 1;
    *r = (struct pro_rx){
        .tail = weft_psn_add(site->first_psn, UINT32_MAX),
        .nack = site->first_psn & WEFT_PSN_MASK,
        .most = (int32_t)most,
        .checks = c->check == CHECK_EVENTS,
        .all = c->nacks == NACKS_ALL,
        .own_timer = c->timeout == TIMEOUT_RECEIVER,
        .rto = c->base.rto,
        .deadline = WEFT_NEVER,
        .asks_at = WEFT_NEVER,
    };
    r->wnd = c->initial == 0     ? (int32_t)weft_bdp_frames(site, (uint32_t)most)
             : c->initial < most ? (int32_t)c->initial
                                 : (int32_t)most;
    return weft_selective_rx_init(placed_of(r), config, site);
}

static void
halve(struct pro_rx *r)
{
    r->wnd = r->wnd > 1 ? r->wnd / 2 : 1;
}

/* Whether the next packet to be asked for is lost. Skips those that have arrived. */
static bool
is_due(struct pro_rx *r)
{
    struct weft_selective_rx *placed = placed_of(r);
    if (weft_psn_diff(r->tail, r->nack) <= r->wnd)
    {
        return false;
    }
    const uint32_t span = (r->tail - r->nack) & WEFT_PSN_MASK;
    r->nack = weft_psn_add(
        r->nack, weft_bitmap_run(weft_selective_bits(placed), placed->mask, r->nack, span));
    return weft_psn_diff(r->tail, r->nack) > r->wnd;
}

/* Takes in what a packet tells of its sender's timeouts. Returns whether there were new ones. */
static bool
hear_timeouts(struct pro_rx *r, uint16_t timeouts)
{
    const uint16_t fresh = (uint16_t)(timeouts - r->timeouts);
    if (r->own_timer || fresh == 0 || fresh > UINT16_MAX / 2) /* an older packet comes late */
    {
        return false;
    }
    for (uint16_t i = 0; i < fresh && r->wnd > 1; i++)
    {
        halve(r);
    }
    r->timeouts = timeouts;
    return true;
}

/* The receiver's own timer starts when a packet is found missing, and again when the ePSN moves. It
 * stops when it can change nothing more. */
static void
start_timer(struct pro_rx *r, bool moved, int64_t now)
{
    if (placed_of(r)->ahead == 0)
    {
        r->deadline = WEFT_NEVER;
    }
    else if (moved || r->deadline == WEFT_NEVER)
    {
        r->deadline = weft_sum(now, r->rto);
    }
}

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    struct pro_rx *r = rx;
    struct weft_selective_rx *placed = placed_of(r);
    const uint32_t epsn = placed->epsn;
    weft_selective_receive(placed, data->psn, false, verdict);
    if (weft_psn_before(r->nack, placed->epsn))
    {
        r->nack = placed->epsn; /* now: far behind it would seem to lie ahead */
    }
    const bool taken = verdict->fresh || verdict->duplicate;
    verdict->reply = taken ? WEFT_REPLY_ACK : (uint8_t)WEFT_REPLY_NONE;
    if (verdict->fresh && weft_psn_before(r->tail, data->psn))
    {
        r->tail = data->psn;
    }
    r->wnd += verdict->duplicate && r->wnd < r->most;
    const bool timeout = hear_timeouts(r, data->ahead);
    if (r->own_timer)
    {
        start_timer(r, placed->epsn != epsn, now);
    }
    if ((timeout || (r->checks && taken)) && is_due(r))
    {
        r->asks_at = now;
    }
}

static int64_t
rx_deadline(const void *rx)
{
    const struct pro_rx *r = rx;
    return r->asks_at < r->deadline ? r->asks_at : r->deadline;
}

static void
rx_timeout(void *rx, int64_t now, struct weft_rx_verdict *verdict)
{
    struct pro_rx *r = rx;
    verdict->epsn = placed_of(r)->epsn;
    if (now >= r->deadline)
    {
        const bool narrow = r->wnd == 1;
        halve(r);
        r->asks_at = is_due(r) ? now : r->asks_at;
        if (narrow && r->asks_at == WEFT_NEVER)
        {
            r->deadline = WEFT_NEVER; /* until a packet comes: perhaps its sender has given up */
        }
        else
        {
            start_timer(r, true, now);
        }
    }
    if (now >= r->asks_at)
    {
        if (is_due(r))
        {
            verdict->reply = WEFT_REPLY_NACK;
            verdict->asks_place = true;
            verdict->place = r->nack;
            r->nack = weft_psn_add(r->nack, 1);
        }
        r->asks_at = r->all && is_due(r) ? r->asks_at : WEFT_NEVER;
    }
}

static uint64_t
rx_bitmap(const void *rx, uint32_t place)
{
    return weft_selective_bitmap((const struct pro_rx *)rx + 1, place);
}

static void
tx_stamp(const void *tx, struct weft_packet *data)
{
    const struct weft_repeat_tx *s = tx;
    data->ahead = (uint16_t)s->base.counters.timeouts;
}

const struct weft_transport_ops weft_transport_pro_window = {
    .algo =
        {
            .name = "pro-window",
            .doc = "PRO's loss detection: a NACK for what lies outside an adaptive out-of-order "
                   "window.",
            .source = "pro §III-B, §III-C, Alg. 2",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct pro_config),
            .check = check,
        },
    .nacks = WEFT_NACKS_LOSSES,
    .rx_size = rx_size,
    .rx_init = rx_init,
    .rx_data = rx_data,
    .rx_deadline = rx_deadline,
    .rx_timeout = rx_timeout,
    .rx_bitmap = rx_bitmap,
    .tx_size = weft_repeat_tx_size,
    .tx_init = weft_repeat_tx_init,
    .tx_post = weft_sender_post,
    .tx_ready = weft_sender_ready,
    .tx_next = weft_repeat_tx_next,
    .tx_reply = weft_repeat_tx_reply,
    .tx_deadline = weft_sender_deadline,
    .tx_timeout = weft_repeat_tx_timeout,
    .tx_next_lost = weft_repeat_tx_next_lost,
    .tx_una = weft_sender_una,
    .tx_counters = weft_sender_counters,
    .tx_flight = weft_sender_flight,
    .tx_sacked = weft_sender_sacked,
    .tx_stamp = tx_stamp,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_PSN | WEFT_FIELD_FLAGS | WEFT_FIELD_AHEAD |
                        WEFT_FIELD_META,
               .writes = WEFT_FIELD_AHEAD},
};
