/* SPDX-License-Identifier: MIT */
/* No congestion control: line rate, whatever happens, and no CNPs. */
#include "roster/tables.h"

#include <weft/error.h>

struct none_state
{
    int64_t line_rate;
};

static int
none_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    (void)config;
    (void)now;
    ((struct none_state *)state)->line_rate = site->line_rate;
    return weft_rate_possible(site->line_rate)
               ? 0
               : weft_refuse(site->why, WEFT_EINVAL, NULL,
                             "the site lacks what it needs to know; expected a line_rate above 0 "
                             "and below 2^53 bit/s");
}

static int64_t
none_rate(void *state, int64_t now)
{
    (void)now;
    return ((const struct none_state *)state)->line_rate;
}

const struct weft_cc_ops weft_cc_none = {
    .algo =
        {
            .name = "none",
            .doc = "No congestion control: every QP sends at line rate.",
            .source = "(ours)",
        },
    .state_size = sizeof(struct none_state),
    .init = none_init,
    .rate = none_rate,
};
