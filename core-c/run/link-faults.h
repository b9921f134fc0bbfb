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

/** Returns the rate of a link that is slow, or 0. */
int64_t weft_links_rate(const struct weft_link_states *links, uint64_t link);

/** A link goes down or comes back: forwarding is to learn of it once that has lasted. */
void weft_faults_note_down(struct weft_run *run, uint64_t link, bool down);
/** A link has another rate, likewise. */
void weft_faults_note_rate(struct weft_run *run, uint64_t link, int64_t rate);
/** Has forwarding learn of what has lasted long enough now. */
void weft_faults_converge(struct weft_run *run);
/** Makes all changes of this instant: what ends now does not last beyond it, and forwarding is
 * computed once. */
void weft_faults_change(struct weft_run *run, int64_t at);
/** Has the links of a new fabric be as they are. */
void weft_faults_set_links(struct weft_run *run);

/** Returns a plane's links of those that @p links names, by the plane's own numbers, in scratch
 * memory that weft_scratch_give() takes back: it begins with the dead ones. */
void *weft_plane_links(const struct weft_run *run, const struct weft_link_states *links,
                       uint32_t plane, struct weft_fib_case *of);
/** Returns a plane's rooms for forwarding. */
struct weft_plane_routes *weft_plane_routes(struct weft_run *run, uint32_t plane);
/** Computes forwarding of a plane in one of its two rooms. */
int weft_plane_fib(struct weft_run *run, struct weft_plane_routes *plane,
                   const struct weft_fib_case *of, uint32_t room);

#endif
