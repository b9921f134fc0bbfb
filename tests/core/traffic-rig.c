/* SPDX-License-Identifier: MIT */
#include "traffic-rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

const struct weft_workload_ops *ops;
union traffic_config config;
struct weft_traffic_size size;
struct weft_message *messages;
uint32_t *next;

void
traffic_choose(const char *name)
{
    ops = weft_workload_find(name);
    ck_assert_ptr_nonnull(ops);
    ck_assert_uint_le(ops->algo.config_size, sizeof config);
    ck_assert_int_eq(weft_config_default(&ops->algo, &config), 0);
}

void
traffic_set(const char *name, const char *text)
{
    ck_assert_int_eq(weft_config_set(&ops->algo, &config, name, text), 0);
}

void
traffic_build(const struct weft_hosts *hosts, uint64_t run)
{
    traffic_forget();
    ck_assert_int_eq(ops->size(&config, hosts, &size), 0);
    messages = malloc(size.nmessages * sizeof *messages);
    next = malloc((size.nnext + 1) * sizeof *next);
    ck_assert(messages && next);
    memset(messages, 0xa5, size.nmessages * sizeof *messages);
    ck_assert_int_eq(ops->fill(&config, hosts, 1, run, messages, next), 0);
}

void
traffic_forget(void)
{
    free(messages);
    free(next);
    messages = NULL;
    next = NULL;
}
