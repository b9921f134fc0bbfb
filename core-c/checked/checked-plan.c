/* SPDX-License-Identifier: MIT */
/* The checked build's planners. */
#include "checked/check.h"
#include "checked/checked.h"

#ifdef WEFT_CHECKED

#define RULE_DST "dst is another host, below nhosts of the shape"

static const struct weft_plan_ops *
ops_of(const struct weft_checked *c)
{
    return c->ops;
}

static int
init_host(const struct weft_plan_ops *ops, void *host, const void *config,
          const struct weft_plan_site *site)
{
    const char *call = "lb->plan->host_init";
    struct weft_checked *c = weft_checked_begin(host, ops, call);
    struct weft_plan_site own = *site;
    c->host = site->host;
    c->nhosts = site->clos ? site->clos->nhosts : 0;
    WEFT_CHECK(c->nhosts == 0 || site->host < c->nhosts, call, WEFT_RULE_HOSTS);
    if (site->path)
    {
        own.path = weft_checked_own(weft_checked_of(site->path, WEFT_CHECKED_PATH_HOST, call));
    }
    return weft_checked_end(c, WEFT_CHECKED_PLAN,
                            ops->host_init(weft_checked_own(c), config, &own));
}

static uint32_t
checked_most_qps(const void *host, uint32_t dst)
{
    const char *call = "lb->plan->most_qps";
    const struct weft_checked *c = weft_checked_of(host, WEFT_CHECKED_PLAN, call);
    WEFT_CHECK(dst != c->host && (c->nhosts == 0 || dst < c->nhosts), call, RULE_DST);
    return ops_of(c)->most_qps(weft_checked_own(c), dst);
}

static void
check_messages(const struct weft_checked *c, const struct weft_plan_message *messages, size_t n,
               const char *call)
{
    for (size_t i = 0; i < n; i++)
    {
        WEFT_CHECK(messages[i].bytes > 0, call, "a message has bytes");
        WEFT_CHECK(messages[i].dst != c->host && (c->nhosts == 0 || messages[i].dst < c->nhosts),
                   call, RULE_DST);
    }
}

static size_t
checked_most_parts(const void *host, const struct weft_plan_message *messages, size_t n)
{
    const char *call = "lb->plan->most_parts";
    const struct weft_checked *c = weft_checked_of(host, WEFT_CHECKED_PLAN, call);
    check_messages(c, messages, n, call);
    return ops_of(c)->most_parts(weft_checked_own(c), messages, n);
}

static size_t
checked_plan(void *host, const struct weft_plan_message *messages, size_t n, int64_t now,
             struct weft_plan_part *parts)
{
    const char *call = "lb->plan->plan";
    const struct weft_checked *c = weft_checked_at(host, WEFT_CHECKED_PLAN, now, call);
    check_messages(c, messages, n, call);
    return ops_of(c)->plan(weft_checked_own(c), messages, n, now, parts);
}

/* Calls that come before there is a state that knows its table: each table has its own. */
#define WRAPPER(table)                                                                             \
    struct weft_plan_ops weft_checked_plan_##table;                                                \
    static size_t plan_size_##table(const void *config, const struct weft_plan_site *site)         \
    {                                                                                              \
        weft_checked_config(&table.algo, config, "lb->plan->host_size");                           \
        return weft_checked_size(table.plan->host_size(config, site));                             \
    }                                                                                              \
    static int plan_init_##table(void *host, const void *config,                                   \
                                 const struct weft_plan_site *site)                                \
    {                                                                                              \
        weft_checked_config(&table.algo, config, "lb->plan->host_init");                           \
        return init_host(table.plan, host, config, site);                                          \
    }
WEFT_BALANCERS(WRAPPER)

#define WRAP(table)                                                                                \
    if (table.plan)                                                                                \
    {                                                                                              \
        weft_checked_plan_##table = *table.plan;                                                   \
        weft_checked_plan_##table.host_size = plan_size_##table;                                   \
        weft_checked_plan_##table.host_init = plan_init_##table;                                   \
        weft_checked_plan_##table.most_qps = table.plan->most_qps ? checked_most_qps : NULL;       \
        weft_checked_plan_##table.most_parts = checked_most_parts;                                 \
        weft_checked_plan_##table.plan = checked_plan;                                             \
    }

__attribute__((constructor)) static void
wrap_all(void)
{
    WEFT_BALANCERS(WRAP)
}

#else
typedef int weft_no_planner_is_checked;
#endif
