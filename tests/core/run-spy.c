/* SPDX-License-Identifier: MIT */
#include "run-spy.h"

#include <check.h>
#include <string.h>

struct spy spy;

static size_t
spy_size(const void *config, const struct weft_plan_site *site)
{
    (void)config;
    ck_assert_ptr_eq(site->clos, &stage.clos);
    return 5;
}

static int
spy_init(void *host, const void *config, const struct weft_plan_site *site)
{
    (void)config;
    memcpy(host, &site->host, sizeof site->host);
    ck_assert_int_eq(site->payload, stage.net.frame.payload);
    return site->host == 1 && spy.refuses
               ? weft_refuse(site->why, spy.refuses, "n", "it has no time")
               : 0;
}

static uint32_t
spy_qps(const void *config)
{
    (void)config;
    return 1;
}

static uint32_t
spy_most_qps(const void *host, uint32_t dst)
{
    (void)host;
    (void)dst;
    return 4;
}

static size_t
spy_most_parts(const void *host, const struct weft_plan_message *messages, size_t n)
{
    (void)host;
    (void)messages;
    return n;
}

static size_t
spy_plan(void *host, const struct weft_plan_message *messages, size_t n, int64_t now,
         struct weft_plan_part *parts)
{
    if (!spy.silent)
    {
        ck_assert_uint_lt(spy.asked, 8);
        memcpy(&spy.host[spy.asked], host, sizeof(uint32_t));
        spy.messages[spy.asked] = n;
        spy.at[spy.asked++] = now;
    }
    for (size_t i = 0; i < n; i++)
    {
        const uint32_t m = (uint32_t)(n - 1 - i);
        parts[i] = (struct weft_plan_part){.message = m + spy.message,
                                           .qp = 3 + spy.qp,
                                           .bytes = messages[m].bytes - spy.bytes,
                                           .label = (uint16_t)(100 + m),
                                           .labelled = m != 1,
                                           .delay = m * US + spy.delay};
    }
    return n;
}

const struct weft_plan_ops spy_ops = {spy_size,     spy_init,       spy_qps,
                                      spy_most_qps, spy_most_parts, spy_plan};

void
spy_describe(const char *topology)
{
    memset(&spy, 0, sizeof spy);
    stage_describe(topology, "ecmp");
    spy.balancer = *stage.level[0].lb;
    spy.balancer.plan = &spy_ops;
    stage.level[0].lb = &spy.balancer;
}
