/* SPDX-License-Identifier: MIT */
/* Memory of the checked build about states, and how it ends a program. */
#include "checked/checked.h"
#include "checked/check.h"

#ifdef WEFT_CHECKED

#include <stdio.h>
#include <stdlib.h>

#define MADE UINT64_C(0x77656674206c6200) /* and the kind: its init() has been here */

void
weft_breach(const char *call, const char *rule)
{
    (void)fprintf(stderr, "weft: %s: %s\n", call, rule);
    abort();
}

void
weft_checked_config(const struct weft_algo *algo, const void *config, const char *call)
{
    WEFT_CHECK(config || algo->config_size == 0, call,
               "config is not NULL, but what weft_config_default() has filled");
}

struct weft_checked *
weft_checked_begin(void *state, const void *ops, const char *call)
{
    struct weft_checked *c = state;
    WEFT_CHECK(state && (uintptr_t)state % sizeof(uint64_t) == 0, call,
               "a state has memory, of the size that was asked for and aligned to 8 bytes");
    *c = (struct weft_checked){.ops = ops, .now = INT64_MIN};
    return c;
}

int
weft_checked_end(struct weft_checked *c, enum weft_checked_kind kind, int code)
{
    c->made = code == 0 ? MADE + (uint64_t)kind : 0;
    return code;
}

bool
weft_checked_is(const struct weft_checked *c, enum weft_checked_kind kind)
{
    return c->made == MADE + (uint64_t)kind;
}

struct weft_checked *
weft_checked_of(const void *state, enum weft_checked_kind kind, const char *call)
{
    struct weft_checked *c = (struct weft_checked *)(uintptr_t)state;
    WEFT_CHECK(c && weft_checked_is(c, kind), call,
               "init() of this state comes first, and returns 0");
    return c;
}

struct weft_checked *
weft_checked_at(void *state, enum weft_checked_kind kind, int64_t now, const char *call)
{
    struct weft_checked *c = weft_checked_of(state, kind, call);
    WEFT_CHECK(now >= c->now, call, WEFT_RULE_TIME);
    c->now = now;
    return c;
}

void *
weft_checked_own(const struct weft_checked *c)
{
    return (char *)(uintptr_t)c + weft_checked_size(0);
}

size_t
weft_checked_size(size_t own)
{
    return weft_lb_part_at(sizeof(struct weft_checked)) + own;
}

bool
weft_checked_hosts(const struct weft_checked *c, const struct weft_packet *packet)
{
    return c->nhosts == 0 || packet->kind == WEFT_RAW ||
           (packet->dst < c->nhosts && packet->src < c->nhosts);
}

const void *
weft_checked_view(const void *state, const void *a, const void *b, const char *call)
{
    const struct weft_checked *c = state;
    WEFT_CHECK(c && c->made - MADE <= WEFT_CHECKED_SCHEDULER && (c->ops == a || c->ops == b), call,
               "the state is of the algorithm that the view names, and init() has made it");
    return weft_checked_own(c);
}

#else
typedef int weft_nothing_is_checked; /* a file of C is not empty */
#endif
