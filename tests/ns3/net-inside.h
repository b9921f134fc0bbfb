/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file net-inside.h  Acts upon a fabric of the core that no program may do, for tests: frames out
 * of nowhere, pauses by nobody. To be called while nothing is run, at weft_net_now().
 */
#ifndef NET_INSIDE_H
#define NET_INSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include <weft/net.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** A PFC frame of nobody takes effect at a port of a node (hosts first) now. */
void net_pause(struct weft_net* net, uint32_t node, uint32_t port, uint32_t tclass, bool pause);

/** A frame of host 0 has come to switch 0, by port 0, now. */
void net_put(struct weft_net* net, const struct weft_packet* packet);

/** Whether a switch has paused a neighbour. */
bool net_has_paused(const struct weft_net* net, uint32_t index);

#ifdef __cplusplus
}
#endif
#endif
