/* SPDX-License-Identifier: MIT */
#include "mmu/weights.h"

#include "base/bitmap.h"

#include <weft/error.h>

#define MOST 65535

#define WEIGHT(c)                                                                                  \
    {                                                                                              \
        "weight-" #c, WEFT_COUNT, WEFT_P(struct weft_class_weights, weight[c]), "1", "1", "65535", \
            NULL,                                                                                  \
            "Share of class " #c " of what class 0 leaves; ignored if a port has no such "         \
            "class.",                                                                              \
            "prime §IV"                                                                           \
    }

const struct weft_param weft_weights_params[WEFT_WEIGHTS_NPARAMS] = {
    WEIGHT(1), WEIGHT(2), WEIGHT(3), WEIGHT(4), WEIGHT(5), WEIGHT(6), WEIGHT(7),
};

int
weft_weights_take(uint32_t weight[WEFT_MAX_CLASSES], const struct weft_class_weights *config,
                  const struct weft_scheduler_site *site)
{
    bool sound = site->classes > 0 && site->classes <= WEFT_MAX_CLASSES && site->frame > 0 &&
                 site->frame <= UINT16_MAX;
    for (uint32_t c = 1; c < WEFT_MAX_CLASSES; c++)
    {
        sound = sound && config->weight[c] >= 1 && config->weight[c] <= MOST;
        weight[c] = (uint32_t)config->weight[c];
    }
    return sound ? 0 : WEFT_ERANGE;
}

uint32_t
weft_weights_next(uint32_t ready, uint32_t tclass)
{
    const uint32_t behind = ready & ~((UINT32_C(2) << tclass) - 1U);
    return weft_ctz64(behind ? behind : ready);
}
