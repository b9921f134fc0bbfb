/* SPDX-License-Identifier: MIT */
/*
 * Selective acknowledgements (ofan §4). Every data packet is answered by an ACK that names it and
 * carries the ePSN, so the sender's bitmap becomes the receiver's. What is lost is sent again,
 * ahead of new packets. One of two rules says what that is:
 *
 * Time (RFC 8985): a packet is lost once one that left a reordering window later is acknowledged
 * (lateness.h). When all is sent and nothing is heard for long, a probe asks.
 *
 * Counts (ofan §4), with a `threshold`: when the highest acknowledged packet is that much or more
 * beyond the lowest missing one, all missing packets before it are lost.
 *
 * A packet that was sent again is out of that rule, or every further ACK would repeat it. The
 * packets sent again so far form a round: once a packet is acknowledged that left a window after
 * the round's last one (or with counts, is `threshold` beyond the last one sent before the round's
 * end), what the round still misses has been lost once more, and is sent again. What is found
 * missing meanwhile belongs to the next round. A packet that is sent again alone, such as a probe,
 * has a time of its own and makes the round no younger: its answer shows that the round is lost.
 * Where no such packets follow only the timer helps, which sends again whatever is missing of what
 * had been sent when it was started, or the probe. With recovery=timer (IRN, SIGCOMM 2018, §3.1)
 * there are no rounds: only the timer repeats what was sent again, and of packets beyond the oldest
 * one it takes those for lost that a later one has overtaken.
 *
 * Each ACK costs a bit and a few comparisons: every cursor below only moves forward over the
 * bitmap, a word at a time, except that a round starts again from the oldest packet.
 */
#include "nic/bdp.h"
#include "nic/sack-cursors.h"
#include "roster/tables.h"

struct sack_config
{
    struct weft_selective_config base;
    int64_t threshold;   /* packets; 0: time decides */
    int64_t reorder_min; /* ps; 0: a quarter of the base RTT */
    int64_t reorder_max; /* ps */
    int64_t probe;
    int64_t recovery; /* RECOVERY_ */
    int64_t bdp_fc;
    int64_t rto_low; /* ps; 0: off */
    int64_t few;     /* packets */
};

enum
{
    RECOVERY_ROUNDS,
    RECOVERY_TIMER,
};

#define P(member) WEFT_P(struct sack_config, member)

static const struct weft_param params[] = {
    {"threshold", WEFT_COUNT, P(threshold), "0", "0", "65535", NULL,
     "Distance from the lowest missing packet to the highest acknowledged one at which all missing "
     "ones are sent again. 0: time decides, not a distance.",
     "ofan §8.2; RFC 8985 §6.2"},
    {"reorder-min", WEFT_TIME, P(reorder_min), "0ps", "0ps", "inf", NULL,
     "Where time decides: least reordering window. 0: a quarter of the base RTT, if "
     "reorder-max is not less.",
     "RFC 8985 §6.2"},
    {"reorder-max", WEFT_TIME, P(reorder_max), "inf", "1ps", "inf", NULL,
     "Where time decides: greatest reordering window.", "RFC 8985 §6.2"},
    {"probe", WEFT_BOOL, P(probe), "on", NULL, NULL, NULL,
     "Where time decides: the oldest missing packet is sent again when the last packets stay "
     "without an answer.",
     "RFC 8985 §7"},
    WEFT_WINDOW_PARAMS("2"),
    {"rto", WEFT_TIME, P(base.rto), "1ms", "1ns", "inf", NULL,
     "Time without progress after which what was sent before it is sent again; no back-off.",
     "(ours)"},
    {"recovery", WEFT_CHOICE, P(recovery), "rounds", NULL, NULL, "rounds timer",
     "With a threshold, a packet that was sent again is sent once more by what shows that it was "
     "lost too; or by the timer alone, which then repeats only the oldest packet and what a later "
     "one has overtaken.",
     "ofan §4; IRN §3.1"},
    {"bdp-fc", WEFT_BOOL, P(bdp_fc), "off", NULL, NULL, NULL,
     "New packets lie less than a bandwidth-delay product beyond the oldest missing one.",
     "IRN §3.2"},
    {"rto-low", WEFT_TIME, P(rto_low), "0s", "0s", "10s", NULL,
     "With a threshold, the timer while no more than rto-low-packets lie between the oldest "
     "missing "
     "packet and the last one sent; 0: rto, too.",
     "IRN §3.1"},
    {"rto-low-packets", WEFT_COUNT, P(few), "3", "1", "65536", NULL, "So many packets.",
     "IRN §3.1"},
};

static const struct weft_preset presets[] = {
    {"permutation", "threshold=32", "Best of a sweep under a permutation.", "ofan §8.2"},
    {"alltoall", "threshold=6", "Best of a sweep under an all-to-all.", "ofan §8.2"},
    {"irn", "threshold=1 recovery=timer bdp-fc=on rto=320us rto-low=100us",
     "IRN: each gap is a loss, BDP-FC, and two timers.", "IRN §3, §4.1"},
};

static const char *
check(const void *config)
{
    const struct sack_config *c = config;
    if (c->threshold >= c->base.window)
    {
        return "no gap can reach threshold; expected it to be less than window";
    }
    if (c->threshold == 0 && (c->recovery == RECOVERY_TIMER || c->rto_low > 0))
    {
        return "recovery=timer and rto-low are for packets that are counted; expected a threshold";
    }
    if (c->rto_low > 0 && (c->rto_low > c->base.rto || c->base.rto == WEFT_NEVER))
    {
        return "rto-low needs a longer timer behind it; expected an rto that is not inf, nor less";
    }
    if (c->reorder_max < c->reorder_min)
    {
        return "reorder-max is less than reorder-min; expected as much or more";
    }
    return weft_selective_check(config);
}

/* A gap can still reach the threshold, or cannot, as before. */
static void
narrow(void *config, uint64_t packets)
{
    const struct sack_config *c = config;
    const uint64_t threshold = (uint64_t)c->threshold;
    weft_selective_narrow(config, packets > threshold ? packets : threshold);
}

static void
rx_data(void *rx, const struct weft_packet *data, int64_t now, struct weft_rx_verdict *verdict)
{
    (void)now;
    weft_selective_receive_each((struct weft_selective_rx *)rx, data->psn, verdict);
}

static size_t
tx_size(const void *config)
{
    const struct sack_config *c = config;
    return sizeof(struct sack_tx) + (c->threshold > 0 ? 0 : sizeof(struct sack_clock)) +
           weft_selective_window_size(&c->base);
}

static void
start_clock(struct sack_tx *s, const struct sack_config *c, const struct weft_transport_site *site)
{
    struct sack_clock *k = sack_clock_of(s);
    const int64_t rtt = site->base_rtt > 0 ? site->base_rtt : s->base.rto / 16 + 1;
    *k = (struct sack_clock){.alone = weft_psn_add(s->base.una, WEFT_PSN_MASK),
                             .probe_at = WEFT_NEVER,
                             .probes = c->probe != 0};
    weft_lateness_init(&k->late, rtt, c->reorder_min, c->reorder_max);
}

static int
tx_init(void *tx, const void *config, const struct weft_transport_site *site)
{
    const struct sack_config *c = config;
    struct sack_tx *s = tx;
    const int64_t span = c->bdp_fc ? weft_bdp_frames(site, UINT32_MAX) : c->base.window;
    const int64_t most = span < c->base.window ? span : c->base.window;
    memset(s, 0, sizeof(*s));
    if (check(config) || weft_selective_window_check(&c->base) || c->threshold < 0 || c->few < 0 ||
        weft_sender_init(&s->base, c->base.outstanding < most ? c->base.outstanding : most, most,
                         c->base.rto, site->first_psn))
    {
        return WEFT_ERANGE;
    }
    s->mask = (uint32_t)c->base.window - 1U;
    s->threshold = (int32_t)c->threshold;
    s->by_timer = c->recovery == RECOVERY_TIMER;
    s->round_gap = s->by_timer ? INT32_MAX : s->threshold;
    s->sooner = c->rto_low > 0 ? c->base.rto - c->rto_low : 0;
    s->few = (uint32_t)c->few;
    s->timers = c->threshold == 0 || s->sooner > 0;
    s->top = s->base.una;
    s->tried = s->base.una;
    if (c->threshold == 0)
    {
        s->clock = true;
        start_clock(s, c, site);
    }
    weft_bitmap_init(sack_bits_of(s), (uint32_t)c->base.window);
    return 0;
}

static void
acknowledge_one(struct sack_tx *s, uint32_t psn)
{
    if (weft_sender_is_outstanding(&s->base, psn))
    {
        const bool fresh = weft_bitmap_set(sack_bits_of(s), s->mask, psn);
        s->base.sacked += fresh;
        if (s->base.queued > 0 && fresh)
        {
            s->base.queued -= sack_is_queued(s, psn);
        }
        sack_raise_to(&s->top, weft_psn_add(psn, 1));
    }
}

/* Everything before epsn has arrived, and perhaps what follows it. Returns what that adds to una.
 */
static uint32_t
acknowledge_all(struct sack_tx *s, uint32_t epsn, int64_t now)
{
    const uint32_t una = s->base.una;
    const uint32_t beyond = (s->top - una) & WEFT_PSN_MASK;
    uint32_t acked = (epsn - una) & WEFT_PSN_MASK;
    acked = acked <= weft_sender_outstanding(&s->base) ? acked : 0;
    if (s->base.queued > 0)
    {
        s->base.queued -= sack_count_queued(s, weft_psn_add(una, acked));
    }
    if (beyond > 0)
    {
        const uint32_t known = acked < beyond ? acked : beyond;
        s->base.sacked -= weft_bitmap_count(sack_bits_of(s), s->mask, una, known);
        weft_bitmap_clear(sack_bits_of(s), s->mask, una, known);
    }
    if (acked < beyond)
    {
        const uint32_t run = weft_bitmap_advance(sack_bits_of(s), s->mask, una + acked);
        s->base.sacked -= run;
        acked += run;
    }
    if (acked > 0)
    {
        weft_sender_ack(&s->base, weft_psn_add(una, acked), now);
        s->overdue = s->base.end;
        sack_raise_to(&s->top, s->base.una);
        sack_raise_to(&s->tried, s->base.una);
    }
    return acked;
}

static bool
tx_next_lost(void *tx, uint32_t *psn)
{
    struct sack_tx *s = tx;
    while (s->told != s->telling)
    {
        *psn = sack_missing(s, s->told, s->telling);
        s->told = *psn == s->telling ? s->telling : weft_psn_add(*psn, 1);
        if (*psn != s->telling && sack_is_queued(s, *psn) &&
            !(s->had_queued && sack_is_in(&s->before, *psn)))
        {
            return true;
        }
    }
    return false;
}

static void
count_round(struct sack_tx *s)
{
    if (s->watching && weft_psn_before(s->base.una, s->limit) &&
        weft_psn_diff(s->top, s->mark) >= s->round_gap)
    {
        sack_repeat(s, s->base.una, s->limit);
    }
}

/* Moves the cursors by an ACK while something was sent again, or will be. */
static void
repair(struct sack_tx *s)
{
    sack_raise_to(&s->first, s->base.una);
    sack_raise_to(&s->again, s->base.una);
    sack_raise_to(&s->limit, s->base.una);
    if (s->clock)
    {
        sack_repeat_lost(s, weft_lateness_lost(&sack_clock_of(s)->late));
    }
    else
    {
        count_round(s);
    }
    sack_look_ahead(s);
}

static void
count_losses(struct sack_tx *s)
{
    if (sack_find_missing(s, s->top) && weft_psn_diff(s->top, s->tried) > s->threshold)
    {
        sack_take_up(s, s->top);
    }
}

/* Once all is sent something is to be heard before long. @p gap: packets that left later than
 * missing ones have been answered. */
static void
await(struct sack_tx *s, bool gap, int64_t now)
{
    struct sack_clock *k = sack_clock_of(s);
    k->probe_at = WEFT_NEVER;
    if (s->base.unsent == 0 && s->base.una != s->base.end && k->probes)
    {
        const int64_t patience = weft_lateness_patience(&k->late, gap);
        const bool shorter = patience <= (s->base.rto - 1) >> k->tries;
        k->probe_at = weft_sum(now, shorter ? patience << k->tries : s->base.rto);
    }
}

static void
time_losses(struct sack_tx *s, const struct weft_packet *reply, int64_t now)
{
    struct sack_clock *k = sack_clock_of(s);
    if (reply->kind == WEFT_ACK && weft_lateness_answered(&k->late, reply->sent))
    {
        const uint32_t end = weft_lateness_judge(&k->late, s->base.una, s->base.end, now);
        if (sack_find_missing(s, end))
        {
            sack_take_up(s, end);
        }
    }
    k->tries = 0;
}

/* Whether something is missing that left before a packet that has been answered. */
static bool
is_overtaken(struct sack_tx *s)
{
    const struct sack_span again = sack_lost_again(s, sack_clock_of(s)->late.newest);
    return again.from != again.end || sack_find_missing(s, s->top);
}

/* The packets that an ACK names. */
static void
acknowledge_named(struct sack_tx *s, const struct weft_packet *ack)
{
    const uint32_t place = weft_psn_add(ack->psn, ack->ahead);
    uint64_t bitmap = weft_ack_bitmap(ack);
    if (ack->ahead > 0)
    {
        acknowledge_one(s, place);
    }
    while (bitmap != 0)
    {
        acknowledge_one(s, (place - 1 - weft_ctz64(bitmap)) & WEFT_PSN_MASK);
        bitmap &= bitmap - 1;
    }
}

static uint32_t
tx_reply(void *tx, const struct weft_packet *reply, int64_t now)
{
    struct sack_tx *s = tx;
    sack_tell_nothing(s);
    if (reply->kind == WEFT_NACK)
    {
        s->base.counters.nacks++;
    }
    else
    {
        acknowledge_named(s, reply);
    }
    const uint32_t acked = acknowledge_all(s, reply->psn, now);
    if (s->clock)
    {
        time_losses(s, reply, now);
    }
    else
    {
        count_losses(s);
    }
    if (s->repairing)
    {
        repair(s);
    }
    if (s->clock)
    {
        await(s, s->base.unsent == 0 && is_overtaken(s), now);
    }
    return acked;
}

static void
note_sent_again(struct sack_tx *s, uint32_t psn, int64_t now)
{
    struct sack_clock *k = sack_clock_of(s);
    if (k->alone_waits && k->alone == psn)
    {
        k->alone_at = now;
        k->alone_waits = false;
        return;
    }
    k->resent = now;
    if (k->alone == psn)
    {
        k->alone = weft_psn_add(psn, WEFT_PSN_MASK); /* one before una: no packet */
    }
}

static __attribute__((noinline)) uint32_t
send_again(struct sack_tx *s, int64_t now)
{
    uint32_t *cursor = s->again != s->limit ? &s->again : &s->first;
    const uint32_t psn = *cursor;
    *cursor = weft_psn_add(*cursor, 1);
    s->base.counters.resent++;
    s->base.queued--;
    if (s->clock)
    {
        note_sent_again(s, psn, now);
        await(s, false, now);
    }
    sack_look_ahead(s);
    return psn;
}

static int
tx_next(void *tx, int64_t now, uint32_t *psn)
{
    struct sack_tx *s = tx;
    if (s->base.resend)
    {
        *psn = send_again(s, now);
        return WEFT_TX_RETX;
    }
    if (!weft_sender_may_send_new(&s->base))
    {
        return WEFT_TX_NONE;
    }
    const bool idle = s->base.una == s->base.end;
    *psn = weft_sender_send_new(&s->base, now);
    if (idle)
    {
        s->overdue = s->base.end;
    }
    if (s->clock)
    {
        weft_lateness_sent(&sack_clock_of(s)->late, s->base.end, now);
        await(s, false, now);
    }
    return WEFT_TX_NEW;
}

static bool
hastens(const void *config)
{
    const struct sack_config *c = config;
    return c->threshold == 0 || c->rto_low > 0;
}

static int64_t
soonest(const struct sack_tx *s)
{
    const int64_t deadline = s->base.deadline;
    if (!s->clock)
    {
        const bool soon = weft_sender_outstanding(&s->base) <= s->few;
        return soon && deadline != WEFT_NEVER ? deadline - s->sooner : deadline;
    }
    const uint64_t *bits = (const uint64_t *)(const void *)(s + 1);
    const struct sack_clock *k =
        (const struct sack_clock *)(const void *)(bits + (s->mask + 1) / 64);
    return k->probe_at < deadline ? k->probe_at : deadline;
}

static int64_t
tx_deadline(const void *tx)
{
    const struct sack_tx *s = tx;
    return s->timers ? soonest(s) : s->base.deadline;
}

/* The oldest missing packet is sent again, alone, which tells nobody of a loss. */
static void
repeat_oldest(struct sack_tx *s)
{
    const uint32_t end = weft_psn_add(s->base.una, 1);
    if (s->tried == s->base.una)
    {
        sack_take_up(s, end);
    }
    else
    {
        sack_repeat(s, s->base.una, end);
    }
    s->told = s->telling;
}

/*
 * All is sent, and nothing was heard for long. What left before an acknowledged packet and is
 * missing is lost (the reordering timer of RFC 8985 §6.2). Else the oldest missing packet is the
 * probe (§7), and its answer, by when the probe left, shows what else is lost; RFC 8985 sends the
 * last packet, since its answers do not say when packets left.
 */
static void
probe(struct sack_tx *s, int64_t now)
{
    struct sack_clock *k = sack_clock_of(s);
    sack_tell_nothing(s);
    k->tries = (uint8_t)(k->tries + (k->tries < 62));
    await(s, false, now);
    if (s->base.unsent > 0 || s->base.resend)
    {
        return;
    }
    if (is_overtaken(s))
    {
        sack_repeat_lost(s, k->late.newest);
        if (sack_find_missing(s, s->top))
        {
            sack_take_up(s, s->top);
        }
    }
    else
    {
        repeat_oldest(s);
    }
    sack_look_ahead(s);
}

static void
time_out(struct sack_tx *s)
{
    sack_tell_nothing(s);
    if (s->by_timer)
    {
        sack_raise_to(&s->tried, weft_psn_add(s->base.una, 1));
        sack_raise_to(&s->tried, s->top);
    }
    else
    {
        sack_raise_to(&s->tried, s->overdue);
    }
    s->overdue = s->base.end;
    s->first = s->tried;
    s->limit = s->tried;
    s->again = s->base.una;
    s->base.queued = sack_count_missing(s, s->again, s->limit);
    sack_tell(s, s->again, s->limit);
    s->base.resend = true;
    s->repairing = true;
    s->watching = false;
    if (s->clock)
    {
        sack_clock_of(s)->alone_waits = false;
        sack_clock_of(s)->probe_at = WEFT_NEVER; /* until something leaves */
    }
}

static void
tx_timeout(void *tx, int64_t now)
{
    struct sack_tx *s = tx;
    if (!s->clock && s->timers && now >= soonest(s))
    {
        s->base.deadline = now < s->base.deadline ? now : s->base.deadline;
    }
    if (weft_sender_timeout(&s->base, now))
    {
        time_out(s);
    }
    else if (s->clock && now >= sack_clock_of(s)->probe_at)
    {
        probe(s, now);
    }
}

const struct weft_transport_ops weft_transport_sack = {
    .algo =
        {
            .name = "sack",
            .doc = "Every packet is acknowledged individually; what time, or a count of packets, "
                   "shows to be missing is sent again.",
            .source = "ofan §4, §8.2; RFC 8985; IRN, SIGCOMM 2018",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct sack_config),
            .check = check,
        },
    .narrow = narrow,
    .rx_size = weft_selective_rx_size,
    .rx_init = weft_selective_rx_init,
    .rx_data = rx_data,
    .rx_bitmap = weft_selective_bitmap,
    .tx_size = tx_size,
    .tx_init = tx_init,
    .tx_post = weft_sender_post,
    .tx_ready = weft_sender_ready,
    .tx_next = tx_next,
    .tx_reply = tx_reply,
    .tx_deadline = tx_deadline,
    .hastens = hastens,
    .tx_timeout = tx_timeout,
    .tx_next_lost = tx_next_lost,
    .tx_una = weft_sender_una,
    .tx_counters = weft_sender_counters,
    .tx_flight = weft_sender_flight,
    .tx_sacked = weft_sender_sacked,
    .fields = {.reads = WEFT_FIELD_SENT | WEFT_FIELD_KIND | WEFT_FIELD_PSN | WEFT_FIELD_FLAGS |
                        WEFT_FIELD_AHEAD | WEFT_FIELD_META},
};
