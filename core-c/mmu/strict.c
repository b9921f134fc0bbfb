/* SPDX-License-Identifier: MIT */
/* Strict priority: the lowest class first. */
#include "base/bitmap.h"
#include "roster/tables.h"

static size_t
state_size(const void *config)
{
    (void)config;
    return 0;
}

static int
init(void *state, const void *config, const struct weft_scheduler_site *site)
{
    (void)state;
    (void)config;
    (void)site;
    return 0;
}

static uint32_t
pick(void *state, uint32_t ready, uint32_t last, const uint32_t *bytes)
{
    (void)state;
    (void)last;
    (void)bytes;
    return weft_ctz64(ready);
}

const struct weft_scheduler_ops weft_scheduler_strict = {
    .algo =
        {
            .name = "strict",
            .doc =
                "Strict priority: the lowest class that has a frame sends, so others may starve.",
            .source = "IEEE 802.1Q",
        },
    .lowest_first = true,
    .state_size = state_size,
    .init = init,
    .pick = pick,
};
