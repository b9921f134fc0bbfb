/* SPDX-License-Identifier: MIT */
/*
 * Deficit weighted round robin (Shreedhar & Varghese 1995): in its turn a class may send its weight
 * times a full frame in bytes, and what it could not send of it, as the next frame was too long, is
 * added to its next turn. A class that has nothing to send when it could loses its deficit.
 */
#include <string.h>

#include "mmu/weights.h"

struct dwrr
{
    uint32_t turn;  /* class whose turn it is */
    uint32_t frame; /* bytes that a weight of 1 stands for */
    uint32_t weight[WEFT_MAX_CLASSES];
    uint64_t deficit[WEFT_MAX_CLASSES]; /* bytes that a class may still send */
};

static size_t
state_size(const void *config)
{
    (void)config;
    return sizeof(struct dwrr);
}

static int
init(void *state, const void *config, const struct weft_scheduler_site *site)
{
    struct dwrr *s = state;
    memset(s, 0, sizeof(*s));
    s->frame = site->frame;
    return weft_weights_take(s->weight, config, site);
}

static uint32_t
pick(void *state, uint32_t ready, uint32_t last, const uint32_t *bytes)
{
    struct dwrr *s = state;
    while (!(ready >> s->turn & 1U) || s->deficit[s->turn] < bytes[s->turn])
    {
        if (!(ready >> s->turn & 1U))
        {
            s->deficit[s->turn] = 0;
        }
        s->turn = weft_weights_next(ready, s->turn);
        s->deficit[s->turn] += (uint64_t)s->weight[s->turn] * s->frame;
    }
    s->deficit[s->turn] = last >> s->turn & 1U ? 0 : s->deficit[s->turn] - bytes[s->turn];
    return s->turn;
}

const struct weft_scheduler_ops weft_scheduler_dwrr = {
    .algo =
        {
            .name = "dwrr",
            .doc = "Deficit weighted round robin: classes share the bytes in proportion to their "
                   "weights.",
            .source = "Shreedhar & Varghese 1995",
            .params = weft_weights_params,
            .nparams = WEFT_WEIGHTS_NPARAMS,
            .config_size = sizeof(struct weft_class_weights),
        },
    .state_size = state_size,
    .init = init,
    .pick = pick,
};
