/* SPDX-License-Identifier: MIT */
/*
 * DCTCP: the window is cut by the share of marked packets, at most once per window of data.
 *
 * As an RNIC would do it: a QP starts with a bandwidth-delay product, for there is no handshake
 * that measures anything; a loss (a retransmission that the timer did not cause) halves the window,
 * and a timeout makes it one packet, from which slow start goes to half of what it was.
 */
#include "checked/check.h"
#include "roster/tables.h"

#include <math.h>

#include <weft/error.h>
#include <weft/views.h>

#define MOST_PACKETS 4194304 /* that a transport may have outstanding: 2^22 */

struct dctcp_config
{
    double g;
    double alpha;
    double ai;
    int64_t initial;
    int64_t max_cwnd;
    int64_t window_end; /* WINDOW_ */
    int64_t trim;       /* TRIM_ */
};

/* Units in which the end of a window of data is counted. */
enum
{
    WINDOW_FLIGHT,
    WINDOW_UNA,
};

/* Meanings of a trimmed packet. */
enum
{
    TRIM_LOSS,
    TRIM_PACKET,
    TRIM_OFF,
};

struct dctcp
{
    const struct dctcp_config *config;
    int64_t line; /* bit/s */
    double cwnd;  /* packets */
    double threshold;
    double most;
    double alpha;
    double uncut; /* the window before its last cut */
    uint64_t cuts;
    uint64_t delivered; /* packets acknowledged in any order */
    int64_t place;      /* packets that have left flight, or with una: acknowledged in order */
    int64_t next;       /* packets sent, each transmission, or with una: at least once */
    int64_t window_end; /* alpha is updated once `place` is beyond; -1: no ACK yet */
    int64_t cut_end;    /* nor is the window cut for marks before; -1: it has not been */
    int64_t recover;    /* nor for losses before: what was sent when one was found; -1: none */
    int64_t fresh;      /* packets sent at least once */
    int64_t una;        /* packets acknowledged in order */
    int64_t pardoned;   /* nothing cuts until so many are: those sent before the last timeout */
    uint32_t acked;     /* packets of this window */
    uint32_t marked;
    uint32_t early; /* packets counted before una passed them */
    bool timed_out; /* no ACK came since the timer fired */
};

static const struct weft_param params[] = {
    {"g", WEFT_REAL, WEFT_P(struct dctcp_config, g), "0.0625", "0.0001", "1", NULL,
     "Weight of the latest window in the share of marked packets.", "Alizadeh 2010, §3.1"},
    {"alpha", WEFT_REAL, WEFT_P(struct dctcp_config, alpha), "1", "0", "1", NULL,
     "The share of marked packets at first.", "RFC 8257, §3.3"},
    {"ai", WEFT_REAL, WEFT_P(struct dctcp_config, ai), "1", "0.0001", "1000", NULL,
     "Additive increase, packets per round trip.", "RFC 5681"},
    {"initial", WEFT_COUNT, WEFT_P(struct dctcp_config, initial), "0", "0", "4194304", NULL,
     "First window, packets, from which slow start begins; 0: a bandwidth-delay product, without "
     "slow start.",
     "(ours)"},
    {"max-cwnd", WEFT_COUNT, WEFT_P(struct dctcp_config, max_cwnd), "0", "0", "4194304", NULL,
     "Largest window, packets; 0: no limit.", "(ours)"},
    {"window-end", WEFT_CHOICE, WEFT_P(struct dctcp_config, window_end), "flight", NULL, NULL,
     "flight una",
     "A window of data ends when what had been sent when it began is in flight no more, as many "
     "packets, delivered or taken for lost; or when it is acknowledged in order, and one missing "
     "packet holds up all windows.",
     "RFC 8257, §3.3"},
    {"trim", WEFT_CHOICE, WEFT_P(struct dctcp_config, trim), "loss", NULL, NULL, "loss packet off",
     "What the NACK of a trimmed packet does: it halves the window once per window of data, as a "
     "loss does; takes a packet off it; or does nothing.",
     "(ours); packet: UEC's simulator"},
};

static int
dctcp_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    struct dctcp *s = state;
    const struct dctcp_config *c = config;
    (void)now;
    if (!weft_rate_possible(site->line_rate) || site->base_rtt < 1 || site->frame < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site lacks what it needs to know; expected a line_rate above 0 and "
                           "below 2^53 bit/s, a base_rtt and a frame");
    }
    if (!(c->g > 0 && c->g <= 1) || !(c->alpha >= 0 && c->alpha <= 1) || !(c->ai > 0) ||
        c->initial < 0 || c->initial > MOST_PACKETS || c->max_cwnd < 0 ||
        c->max_cwnd > MOST_PACKETS)
    {
        return weft_refuse_config(site->why, &weft_cc_dctcp.algo, config);
    }
    const double bytes = (double)site->line_rate * (double)site->base_rtt / 8e12;
    const double most = c->max_cwnd > 0 ? (double)c->max_cwnd : MOST_PACKETS;
    const double first = c->initial > 0 ? (double)c->initial
                                        : ceil(bytes / ((double)site->frame + (double)site->gap));
    *s = (struct dctcp){.config = c,
                        .line = site->line_rate,
                        .most = most,
                        .cwnd = first < most ? first : most,
                        .threshold = c->initial > 0 ? most : 1,
                        .alpha = c->alpha,
                        .window_end = -1,
                        .cut_end = -1,
                        .recover = -1};
    return 0;
}

static int64_t
dctcp_rate(void *state, int64_t now)
{
    (void)now;
    return ((const struct dctcp *)state)->line;
}

static void
cut(struct dctcp *s, double factor)
{
    const double cwnd = s->cwnd * factor;
    s->uncut = s->cwnd;
    s->cuts += s->cwnd > 1;
    s->cwnd = cwnd > 1 ? cwnd : 1;
    s->threshold = s->cwnd;
    s->cut_end = s->next;
}

static void
grow(struct dctcp *s, uint32_t acked)
{
    const double by = s->cwnd < s->threshold ? acked : s->config->ai * acked / s->cwnd;
    s->cwnd = s->cwnd + by < s->most ? s->cwnd + by : s->most;
}

/* The end of a window of data. */
static void
update_alpha(struct dctcp *s)
{
    const double share = s->acked > 0 ? (double)s->marked / s->acked : 0;
    s->alpha += s->config->g * (share - s->alpha);
    s->acked = 0;
    s->marked = 0;
}

/* Whether all that a timeout has cut for has arrived. */
static bool
may_cut(const struct dctcp *s)
{
    return s->una >= s->pardoned;
}

/* Once for all that was under way when the loss came (RFC 6582). What a mark has cut already
 * counts: a window of data costs half of it at most (RFC 3168, §6.1.2). */
static void
take_loss(struct dctcp *s)
{
    const double half = (s->place > s->cut_end ? s->cwnd : s->uncut) / 2;
    if (s->place > s->recover && may_cut(s))
    {
        if (half < s->cwnd)
        {
            cut(s, half / s->cwnd);
        }
        s->recover = s->next;
    }
}

/* Packets that a reply tells of, marked or not: one that is acknowledged out of order by a
 * transport that keeps no bitmap is not counted again when una passes it. */
static uint32_t
count_told(struct dctcp *s, uint32_t acked)
{
    const uint32_t told = acked > s->early + 1 ? acked - s->early : 1;
    s->early += told;
    s->early -= acked;
    return told;
}

static void
end_window(struct dctcp *s)
{
    if (s->place > s->window_end)
    {
        if (s->window_end >= 0)
        {
            update_alpha(s);
        }
        s->window_end = s->next;
    }
}

static void
dctcp_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    struct dctcp *s = state;
    const bool marked = (ack->reply->flags & WEFT_F_ECE) != 0;
    const bool more = ack->delivered > s->delivered;
    const uint32_t acked = more ? (uint32_t)(ack->delivered - s->delivered) : 0;
    const bool could = may_cut(s);
    (void)now;
    s->delivered += acked;
    s->una = (int64_t)ack->una;
    s->place = s->config->window_end == WINDOW_UNA ? s->una : s->next - (int64_t)ack->in_flight;
    s->timed_out = false;
    if (ack->reply->kind == WEFT_NACK && acked == 0)
    {
        return; /* it acknowledges nothing */
    }
    s->acked += count_told(s, acked);
    s->marked += marked; /* a marked packet is acknowledged at once: of the others none was */
    end_window(s);
    if (!marked)
    {
        grow(s, acked);
    }
    else if (s->place > s->cut_end && could)
    {
        cut(s, 1 - s->alpha / 2);
    }
}

static void
dctcp_sent(void *state, const struct weft_packet *data, int64_t now)
{
    struct dctcp *s = state;
    (void)now;
    const bool fresh = !(data->flags & WEFT_F_RETX);
    s->fresh += fresh;
    s->next += s->config->window_end == WINDOW_FLIGHT || fresh;
}

static void
dctcp_timeout(void *state, int64_t now)
{
    struct dctcp *s = state;
    const double half = s->cwnd / 2;
    (void)now;
    const double threshold = s->threshold;
    cut(s, 0);
    s->threshold = s->timed_out ? threshold : half > 1 ? half : 1;
    s->pardoned = s->fresh;
    s->timed_out = true;
}

static void
dctcp_lost(void *state, const struct weft_loss *loss, int64_t now)
{
    struct dctcp *s = state;
    const int64_t does = loss->cause == WEFT_LOST_TRIMMED ? s->config->trim : TRIM_LOSS;
    (void)now;
    if (does == TRIM_LOSS)
    {
        take_loss(s);
    }
    else if (does == TRIM_PACKET)
    {
        s->cuts += s->cwnd > 1;
        s->cwnd = s->cwnd > 2 ? s->cwnd - 1 : 1;
        s->threshold = s->cwnd;
    }
}

static uint64_t
dctcp_cuts(const void *state)
{
    return ((const struct dctcp *)state)->cuts;
}

static uint32_t
dctcp_window(void *state, int64_t now)
{
    (void)now;
    return (uint32_t)((const struct dctcp *)state)->cwnd;
}

void
weft_dctcp_read(const void *state, struct weft_dctcp_view *view)
{
    const struct dctcp *s =
        WEFT_OWN_STATE(state, &weft_cc_dctcp, &weft_cc_dctcp, "weft_dctcp_read");
    *view = (struct weft_dctcp_view){
        .alpha = s->alpha,
        .cwnd = s->cwnd,
        .threshold = s->threshold,
        .acked = s->acked,
        .marked = s->marked,
        .cuts = s->cuts,
    };
}

const struct weft_cc_ops weft_cc_dctcp = {
    .algo =
        {
            .name = "dctcp",
            .doc = "DCTCP: a window that is cut by the share of marked packets.",
            .source = "Alizadeh et al., SIGCOMM 2010; RFC 8257",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct dctcp_config),
        },
    .state_size = sizeof(struct dctcp),
    .init = dctcp_init,
    .rate = dctcp_rate,
    .on_sent = dctcp_sent,
    .on_ack = dctcp_ack,
    .on_timeout = dctcp_timeout,
    .on_lost = dctcp_lost,
    .cuts = dctcp_cuts,
    .window = dctcp_window,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_FLAGS},
};
