/* SPDX-License-Identifier: MIT */
/* No congestion control: line rate, whatever happens, and no CNPs. */
#include "base/tables.h"

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
    return weft_rate_possible(site->line_rate) ? 0 : WEFT_EINVAL;
}

static int64_t
none_rate(void *state, int64_t now)
{
    (void)now;
    return ((const struct none_state *)state)->line_rate;
}

const struct weft_cc_ops weft_cc_none = {
    {"none", "No congestion control: every QP sends at line rate.", "(ours)", NULL, 0, NULL, 0, 0,
     NULL},
    sizeof(struct none_state),
    none_init,
    none_rate,
    NULL, /* on_sent */
    NULL, /* on_ack */
    NULL, /* on_cnp */
    NULL, /* on_nack */
    NULL, /* on_timeout */
    NULL, /* cnp_interval */
    NULL, /* cuts */
    NULL, /* window */
    false,
};
