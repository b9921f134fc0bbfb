/* SPDX-License-Identifier: MIT */
/* Round robin: one frame of each class in turn, whatever its length. */
#include "base/bitmap.h"
#include "roster/tables.h"

static size_t
state_size(const void *config)
{
    (void)config;
    return sizeof(uint64_t);
}

static int
init(void *state, const void *config, const struct weft_scheduler_site *site)
{
    (void)config;
    *(uint64_t *)state = 0;
    return site->classes > 0 && site->classes <= WEFT_MAX_CLASSES && site->frame > 0
               ? 0
               : (int)WEFT_ERANGE;
}

/* The state is the class that has sent last. */
static uint32_t
pick(void *state, uint32_t ready, uint32_t last, const uint32_t *bytes)
{
    uint64_t *turn = state;
    const uint32_t behind = ready & ~((UINT32_C(2) << *turn) - 1U);
    (void)last;
    (void)bytes;
    *turn = weft_ctz64(behind ? behind : ready);
    return (uint32_t)*turn;
}

const struct weft_scheduler_ops weft_scheduler_rr = {
    .algo =
        {
            .name = "rr",
            .doc = "Round robin: one frame of each class in turn.",
            .source = "Nagle 1987",
        },
    .state_size = state_size,
    .init = init,
    .pick = pick,
};
