/* SPDX-License-Identifier: MIT */
/** @file link-faults.h  States of links, and what forwarding knows of it. Private. */
#ifndef WEFT_FAULTS_H
#define WEFT_FAULTS_H

#include "run/run-parts.h"

/** Puts a link among those that are down, or takes it away. */
void weft_links_set_down(const struct weft_run *run, struct weft_link_states *links, uint64_t link,
                         bool down);
/** Puts a link among those that are slow; @p rate 0: takes it away. */
void weft_links_set_rate(const struct weft_run *run, struct weft_link_states *links, uint64_t link,
                         int64_t rate);

/** Notes a change of a link, of which forwarding is to learn. */
void weft_faults_log(struct weft_run *run, struct weft_link_event event);
/** Forwarding will know how links are now a convergence delay later. */
void weft_faults_converge(struct weft_run *run);

/** Returns a plane's links of those that @p links names, by the plane's own numbers, in scratch
 * memory that weft_scratch_give() takes back: it begins with the dead ones. */
void *weft_plane_links(const struct weft_run *run, const struct weft_link_states *links,
                       uint32_t plane, struct weft_fib_case *of);
/** Rooms for forwarding, one row for each plane. */
struct weft_plane_routes *weft_plane_routes(struct weft_run *run, uint32_t plane);
/** Computes forwarding of a plane in one of its two rooms. */
int weft_plane_fib(struct weft_run *run, struct weft_plane_routes *plane,
                   const struct weft_fib_case *of, uint32_t room);

#endif
