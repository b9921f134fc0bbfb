/* SPDX-License-Identifier: MIT */
/* The fixed rate that a fabric with failures can serve, as ofan's evaluation has it (App. A). */
#include "roster/tables.h"

#include <weft/cc.h>
#include <weft/error.h>

static const struct weft_param params[] = {
    {"split", WEFT_CHOICE, WEFT_P(struct weft_cc_ideal_config, split), "path", NULL, NULL,
     "path hop",
     "How rho_max assumes that flows are split: evenly over live paths, or at each hop evenly over "
     "the ports that lead there.",
     "ofan App. A; hop (ours)"},
};

struct ideal_state
{
    int64_t rate;
};

static int
ideal_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    (void)config;
    (void)now;
    if (!weft_rate_possible(site->line_rate) || !(site->share > 0 && site->share <= 1))
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site lacks what it needs to know; expected a line_rate above 0 and "
                           "below 2^53 bit/s, and a share above 0 and of at most 1");
    }
    const int64_t rate = (int64_t)((double)site->line_rate * site->share);
    ((struct ideal_state *)state)->rate = rate > 0 ? rate : 1;
    return 0;
}

static int64_t
ideal_rate(void *state, int64_t now)
{
    (void)now;
    return ((const struct ideal_state *)state)->rate;
}

const struct weft_cc_ops weft_cc_ideal = {
    .algo =
        {
            .name = "ideal",
            .doc = "Every host sends into the fabric at the share of line rate that this can "
                   "serve, rho_max.",
            .source = "ofan App. A",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct weft_cc_ideal_config),
        },
    .state_size = sizeof(struct ideal_state),
    .init = ideal_init,
    .rate = ideal_rate,
    .per_host = true,
};
