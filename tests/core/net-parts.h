/* SPDX-License-Identifier: MIT */
/** @file net-parts.h Parts of a test's fabric: memory and configurations, until parts_free(). */
#ifndef WEFT_NET_PARTS_H
#define WEFT_NET_PARTS_H

#include <stddef.h>

#include <weft/weft.h>

/** As struct weft_memory has it. */
void *parts_take(void *of, size_t bytes);
/** How often it was called. */
size_t parts_taken(void);
/** An algorithm's default configuration. */
void *parts_defaults(const struct weft_algo *algo);
/** Sets parameters; @p settings: names and values in turn, "preset" among the names, and NULL. */
void parts_set_all(const struct weft_algo *algo, void *config, const char *const *settings);
/** Describes a fabric with one level, which has a share of 1, no congestion control, and switches
 * with room for everything. @p timers: settings of the transport. */
void parts_describe(struct weft_net_config *config, struct weft_net_level *level,
                    const struct weft_clos *clos, const char *balancer, const char *transport,
                    const char *const *timers);
void parts_free(void);

#endif
