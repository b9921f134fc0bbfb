/* SPDX-License-Identifier: MIT */
/* EQDS (Olteanu et al., NSDI 2022): one pull for each packet; without credit ahead it is NDP. */
#include "cc/pulled.h"

#include "roster/tables.h"

static const struct weft_param params[] = {
    WEFT_PULLED_PARAMS("1", "4KiB", "off", "Olteanu et al., NSDI 2022; uet-htsim 40ccb05")};

static int
eqds_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    (void)now;
    return weft_pulled_init(state, config, site, &weft_cc_eqds.algo);
}

const struct weft_cc_ops weft_cc_eqds = {
    .algo =
        {
            .name = "eqds",
            .doc = "EQDS: pulls grant credit at the pace of the receiver's link, one for each "
                   "packet.",
            .source = "Olteanu et al., NSDI 2022; NDP: Handley et al., SIGCOMM 2017",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct weft_pulled_config),
        },
    .init = eqds_init,
    WEFT_PULLED_HOOKS,
};
