/* SPDX-License-Identifier: MIT */
/*
 * Weighted round robin: in its turn a class sends as many frames as its weight says. A class that
 * has nothing to send when it could loses the rest of its turn.
 */
#include <string.h>

#include "mmu/weights.h"

struct wrr
{
    uint32_t turn; /* class whose turn it is */
    uint32_t left; /* frames that it may still send in it */
    uint32_t weight[WEFT_MAX_CLASSES];
};

static size_t
state_size(const void *config)
{
    (void)config;
    return sizeof(struct wrr);
}

static int
init(void *state, const void *config, const struct weft_scheduler_site *site)
{
    struct wrr *s = state;
    memset(s, 0, sizeof(*s));
    return weft_weights_take(s->weight, config, site);
}

static uint32_t
pick(void *state, uint32_t ready, uint32_t last, const uint32_t *bytes)
{
    struct wrr *s = state;
    (void)bytes;
    if (s->left == 0 || !(ready >> s->turn & 1U))
    {
        s->turn = weft_weights_next(ready, s->turn);
        s->left = s->weight[s->turn];
    }
    s->left = last >> s->turn & 1U ? 0 : s->left - 1U;
    return s->turn;
}

const struct weft_scheduler_ops weft_scheduler_wrr = {
    .algo =
        {
            .name = "wrr",
            .doc = "Weighted round robin: in its turn a class sends as many frames as its weight.",
            .source = "prime §IV; Katevenis et al. 1991",
            .params = weft_weights_params,
            .nparams = WEFT_WEIGHTS_NPARAMS,
            .config_size = sizeof(struct weft_class_weights),
        },
    .state_size = state_size,
    .init = init,
    .pick = pick,
};
