/* SPDX-License-Identifier: MIT */
/*
 * RCCC, Ultra Ethernet's congestion control at the receiver (UEC 1.0, its section on congestion
 * control; where that leaves something open, as uet-htsim 40ccb05 has it), and EQDS (Olteanu et
 * al., NSDI 2022), which grants credit in the same way (pull.h).
 *
 * A sender has credit in bytes. Each packet that leaves takes its bytes off, sent again or not, and
 * while any is left the next one may leave. It begins with a window of credit of its own, and
 * speculates with it that the receiver's link is free, until the first reply or pull comes: what is
 * left of it then is void, and from then on pulls alone bring credit.
 */
#include "roster/tables.h"

#include <weft/error.h>

struct rccc_config
{
    int64_t network_rtt; /* ps; 0: the QP's own base_rtt */
    double window;       /* BDPs */
    int64_t pull;        /* bytes */
    double pace;         /* of line rate */
    int64_t ahead;       /* idle QPs are granted credit ahead */
    int64_t divide;      /* QPs of a host ask for their parts */
};

struct rccc
{
    int64_t line;    /* bit/s */
    int64_t credit;  /* bytes; below 0: the last packet was larger */
    int64_t most;    /* bytes */
    int64_t frame;   /* bytes */
    uint64_t pulled; /* quanta granted so far */
    bool speculates;
    bool divides;
};

#define P(member) WEFT_P(struct rccc_config, member)

/* clang-format off */
/* Rows of both parameter tables. */
#define PARAMS(window_default, pull_default, divide_default, source) \
    {"network-rtt", WEFT_TIME, P(network_rtt), "0s", "0s", "1s", NULL, \
     "Round trip of the fabric's longest idle path, from which the window follows; 0: that of the QP's own path.", \
     source}, \
    {"window", WEFT_REAL, P(window), window_default, "0.01", "100", NULL, \
     "First credit, and the most that a sender has, in bandwidth-delay products.", source}, \
    {"pull", WEFT_BYTES, P(pull), pull_default, "256B", "1MB", NULL, \
     "Credit of a pull, in whole 256 B.", source}, \
    {"pace", WEFT_REAL, P(pace), "0.99", "0.01", "1", NULL, \
     "Credit that a receiver grants in all, as a share of its line's rate.", source}, \
    {"ahead", WEFT_BOOL, P(ahead), "on", NULL, NULL, NULL, \
     "When nobody asks, QPs are granted credit ahead, up to a window.", source}, \
    {"divide", WEFT_BOOL, P(divide), divide_default, NULL, NULL, NULL, \
     "QPs of one host that have something to send ask for their parts of what they would ask for alone.", source}
/* clang-format on */

static const struct weft_param rccc_params[] = {
    PARAMS("1.5", "16KiB", "on", "UEC 1.0; uet-htsim 40ccb05")};

static const struct weft_param eqds_params[] = {
    PARAMS("1", "4KiB", "off", "Olteanu et al., NSDI 2022; uet-htsim 40ccb05")};

/* Largest number of bytes that 15 bits of quanta say. */
#define MOST_CREDIT (INT64_C(32767) * WEFT_PULL_QUANTUM)

static int64_t
window_of(const struct rccc_config *c, const struct weft_cc_site *site)
{
    const int64_t rtt = c->network_rtt > 0 ? c->network_rtt : site->base_rtt;
    const double bytes = c->window * (double)site->line_rate * (double)rtt / 8e12;
    return bytes < (double)MOST_CREDIT / 2 ? (int64_t)bytes : MOST_CREDIT / 2;
}

static int
begin(struct rccc *s, const struct rccc_config *c, const struct weft_cc_site *site,
      const struct weft_algo *algo)
{
    if (!weft_rate_possible(site->line_rate) || site->base_rtt < 1 || site->frame < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site lacks what it needs to know; expected a line_rate above 0 and "
                           "below 2^53 bit/s, a base_rtt and a frame");
    }
    if (!(c->window > 0) || !(c->pace > 0) || c->pull < WEFT_PULL_QUANTUM || c->network_rtt < 0)
    {
        return weft_refuse_config(site->why, algo, c);
    }
    *s = (struct rccc){.line = site->line_rate,
                       .credit = window_of(c, site),
                       .most = window_of(c, site),
                       .frame = site->frame,
                       .speculates = true,
                       .divides = c->divide};
    return 0;
}

static int
rccc_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    (void)now;
    return begin((struct rccc *)state, config, site, &weft_cc_rccc.algo);
}

static int
eqds_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    (void)now;
    return begin((struct rccc *)state, config, site, &weft_cc_eqds.algo);
}

static int64_t
rccc_rate(void *state, int64_t now)
{
    (void)now;
    return ((const struct rccc *)state)->line;
}

static void
stop_speculating(struct rccc *s)
{
    s->credit = s->speculates && s->credit > 0 ? 0 : s->credit;
    s->speculates = false;
}

static void
rccc_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    (void)ack;
    (void)now;
    stop_speculating((struct rccc *)state);
}

static void
rccc_pull(void *state, const struct weft_packet *pull, int64_t now)
{
    struct rccc *s = state;
    const int16_t more = (int16_t)(uint16_t)(pull->ahead - (uint16_t)s->pulled);
    (void)now;
    stop_speculating(s);
    if (more > 0)
    {
        s->pulled += (uint64_t)more;
        s->credit += (int64_t)more * WEFT_PULL_QUANTUM;
        s->credit = s->credit < s->most ? s->credit : s->most;
    }
}

/* Credit that is asked for: for what waits, at most a window, less what there is. QPs that send at
 * once may ask for their part. */
static void
rccc_stamp(void *state, const struct weft_demand *demand, struct weft_packet *data, int64_t now)
{
    struct rccc *s = state;
    const uint64_t full = (uint64_t)(s->most / s->frame + 1);
    const int64_t waits = (int64_t)(demand->waiting < full ? demand->waiting : full) * s->frame;
    (void)now;
    s->credit -= data->bytes;
    int64_t asked = (waits < s->most ? waits : s->most) - s->credit;
    asked = s->speculates && demand->has_new && asked < s->frame ? s->frame : asked;
    asked = s->divides && demand->active > 1 ? asked / (int64_t)demand->active : asked;
    const int64_t quanta = asked > 0 ? (asked + WEFT_PULL_QUANTUM - 1) / WEFT_PULL_QUANTUM : 0;
    data->ahead = (uint16_t)(s->pulled + (uint64_t)quanta);
}

/* Without credit one packet may be in flight, so that a QP of which the receiver has forgotten, or
 * never heard, goes on. */
static uint32_t
rccc_window(void *state, int64_t now)
{
    (void)now;
    return ((const struct rccc *)state)->credit > 0 ? UINT32_MAX : 1;
}

static void
rccc_terms(const void *config, const struct weft_cc_site *site, struct weft_pull_terms *terms)
{
    const struct rccc_config *c = config;
    const double line = (double)site->line_rate * c->pace;
    *terms = (struct weft_pull_terms){
        .each = (uint32_t)(c->pull / WEFT_PULL_QUANTUM),
        .ahead = c->ahead ? (uint32_t)(window_of(c, site) / WEFT_PULL_QUANTUM) : 0,
        .pace = WEFT_PULL_QUANTUM * 8e12 / line,
    };
}

/* All but the algorithm and init(). */
#define HOOKS                                                                                      \
    .state_size = sizeof(struct rccc), .rate = rccc_rate, .on_ack = rccc_ack,                      \
    .on_pull = rccc_pull, .stamp = rccc_stamp, .terms = rccc_terms, .window = rccc_window,         \
    .fields = {.reads = WEFT_FIELD_BYTES | WEFT_FIELD_AHEAD, .writes = WEFT_FIELD_AHEAD}

const struct weft_cc_ops weft_cc_rccc = {
    .algo =
        {
            .name = "rccc",
            .doc = "RCCC, Ultra Ethernet's at the receiver: pulls grant credit at the pace of the "
                   "receiver's link.",
            .source = "UEC 1.0; uet-htsim 40ccb05",
            .params = rccc_params,
            .nparams = sizeof rccc_params / sizeof rccc_params[0],
            .config_size = sizeof(struct rccc_config),
        },
    .init = rccc_init,
    HOOKS,
};

const struct weft_cc_ops weft_cc_eqds = {
    .algo =
        {
            .name = "eqds",
            .doc = "EQDS: pulls grant credit at the pace of the receiver's link, one for each "
                   "packet.",
            .source = "Olteanu et al., NSDI 2022; NDP: Handley et al., SIGCOMM 2017",
            .params = eqds_params,
            .nparams = sizeof eqds_params / sizeof eqds_params[0],
            .config_size = sizeof(struct rccc_config),
        },
    .init = eqds_init,
    HOOKS,
};
