/* SPDX-License-Identifier: MIT */
/* RCCC, Ultra Ethernet's congestion control at the receiver (UEC 1.0, its section on congestion
 * control; where that leaves something open, as uet-htsim 40ccb05 has it). */
#include "cc/pulled.h"

#include "roster/tables.h"

static const struct weft_param params[] = {
    WEFT_PULLED_PARAMS("1.5", "16KiB", "on", "UEC 1.0; uet-htsim 40ccb05")};

static int
rccc_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    (void)now;
    return weft_pulled_init(state, config, site, &weft_cc_rccc.algo);
}

const struct weft_cc_ops weft_cc_rccc = {
    .algo =
        {
            .name = "rccc",
            .doc = "RCCC, Ultra Ethernet's at the receiver: pulls grant credit at the pace of the "
                   "receiver's link.",
            .source = "UEC 1.0; uet-htsim 40ccb05",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct weft_pulled_config),
        },
    .init = rccc_init,
    WEFT_PULLED_HOOKS,
};
