/* SPDX-License-Identifier: MIT */
/** @file traffic-rig.h  A workload with its messages, for suites that look at these. */
#ifndef WEFT_TESTS_TRAFFIC_RIG_H
#define WEFT_TESTS_TRAFFIC_RIG_H

#include <weft/traffic.h>

#include "traffic/groups.h"

/** The workload in hand and its configuration. */
extern const struct weft_workload_ops *ops;
extern union traffic_config
{
    struct weft_groups groups;
    int64_t members[32];
} config;

/** Graph that traffic_build() has made. */
extern struct weft_traffic_size size;
extern struct weft_message *messages;
extern uint32_t *next;

/** Takes the workload of that name in hand, with its defaults. */
void traffic_choose(const char *name);
void traffic_set(const char *name, const char *text);

/** Fills exactly as much memory as size() asked for: a sanitizer sees one message too many. */
void traffic_build(const struct weft_hosts *hosts, uint64_t run);

/** Frees what was built. */
void traffic_forget(void);

#endif
