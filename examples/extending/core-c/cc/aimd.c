/* SPDX-License-Identifier: MIT */
/* Additive increase, multiplicative decrease: the rate of the textbook. */
#include "roster/tables.h"

#include <weft/error.h>

struct aimd_config
{
    int64_t step;
    int64_t interval;
};

struct aimd
{
    int64_t line_rate;
    int64_t rate;
    int64_t step;
    uint64_t cuts;
};

static const struct weft_param params[] = {
    {"step", WEFT_RATE, WEFT_P(struct aimd_config, step), "5Mbps", "1Kbps", "1Gbps", NULL,
     "Added for each acknowledged packet.", "(ours)"},
    {"interval", WEFT_TIME, WEFT_P(struct aimd_config, interval), "50us", "1ns", "1s", NULL,
     "Least time between two CNPs of a QP; each halves the rate.", "(ours)"},
};

static int
init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    const struct aimd_config *c = config;
    (void)now;
    if (c->step < 1 || c->step > 1000000000)
    {
        return weft_refuse_config(site->why, &weft_cc_aimd.algo, config);
    }
    if (!weft_rate_possible(site->line_rate))
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site has no line_rate; expected one above 0 and below 2^53 bit/s");
    }
    *(struct aimd *)state = (struct aimd){site->line_rate, site->line_rate, c->step, 0};
    return 0;
}

static int64_t
rate(void *state, int64_t now)
{
    (void)now;
    return ((const struct aimd *)state)->rate;
}

static void
on_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    struct aimd *a = state;
    const int64_t risen = a->rate + a->step * (int64_t)ack->acked;
    (void)now;
    a->rate = risen < a->line_rate ? risen : a->line_rate;
}

static void
on_cnp(void *state, const struct weft_packet *cnp, int64_t now)
{
    struct aimd *a = state;
    (void)cnp;
    (void)now;
    a->rate = a->rate > 1 ? a->rate / 2 : 1;
    a->cuts++;
}

static int64_t
cnp_interval(const void *config)
{
    return ((const struct aimd_config *)config)->interval;
}

static uint64_t
cuts(const void *state)
{
    return ((const struct aimd *)state)->cuts;
}

const struct weft_cc_ops weft_cc_aimd = {
    .algo =
        {
            .name = "aimd",
            .doc = "Additive increase per acknowledged packet, half the rate at each CNP.",
            .source = "Chiu & Jain 1989",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct aimd_config),
        },
    .state_size = sizeof(struct aimd),
    .init = init,
    .rate = rate,
    .on_ack = on_ack,
    .on_cnp = on_cnp,
    .cnp_interval = cnp_interval,
    .cuts = cuts,
};
