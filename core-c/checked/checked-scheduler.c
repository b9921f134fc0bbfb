/* SPDX-License-Identifier: MIT */
/* The checked build's schedulers. */
#include "checked/check.h"
#include "checked/checked.h"

#ifdef WEFT_CHECKED

static int
checked_init(const struct weft_scheduler_ops *ops, void *state, const void *config,
             const struct weft_scheduler_site *site)
{
    struct weft_checked *c = weft_checked_begin(state, ops, "scheduler->init");
    weft_checked_config(&ops->algo, config, "scheduler->init");
    c->count = site->classes < WEFT_MAX_CLASSES ? site->classes : WEFT_MAX_CLASSES;
    return weft_checked_end(c, WEFT_CHECKED_SCHEDULER,
                            ops->init(weft_checked_own(c), config, site));
}

static uint32_t
checked_pick(void *state, uint32_t ready, uint32_t last, const uint32_t *bytes)
{
    const char *call = "scheduler->pick";
    const struct weft_checked *c = weft_checked_of(state, WEFT_CHECKED_SCHEDULER, call);
    const struct weft_scheduler_ops *ops = c->ops;
    WEFT_CHECK(ready != 0 && !(ready & 1U) && ready >> c->count == 0, call,
               "ready has a bit for at least one class, from 1 to below classes of the site");
    WEFT_CHECK((last & ~ready) == 0, call, "the classes of last are among those that are ready");
    for (uint32_t i = 0; i < WEFT_MAX_CLASSES; i++)
    {
        WEFT_CHECK(!(ready >> i & 1U) || bytes[i] > 0, call,
                   "each class that is ready has the length of its next frame (bytes)");
    }
    return ops->pick(weft_checked_own(c), ready, last, bytes);
}

/* Calls that come before there is a state that knows its table: each table has its own. */
#define WRAPPER(table)                                                                             \
    struct weft_scheduler_ops weft_checked_##table;                                                \
    static size_t scheduler_size_##table(const void *config)                                       \
    {                                                                                              \
        weft_checked_config(&table.algo, config, "scheduler->state_size");                         \
        return weft_checked_size(table.state_size(config));                                        \
    }                                                                                              \
    static int scheduler_init_##table(void *state, const void *config,                             \
                                      const struct weft_scheduler_site *site)                      \
    {                                                                                              \
        return checked_init(&table, state, config, site);                                          \
    }
WEFT_SCHEDULERS(WRAPPER)

#define WRAP(table)                                                                                \
    weft_checked_##table = table;                                                                  \
    weft_checked_##table.state_size = scheduler_size_##table;                                      \
    weft_checked_##table.init = scheduler_init_##table;                                            \
    weft_checked_##table.pick = checked_pick;

__attribute__((constructor)) static void
wrap_all(void)
{
    WEFT_SCHEDULERS(WRAP)
}

#else
typedef int weft_no_scheduler_is_checked;
#endif
