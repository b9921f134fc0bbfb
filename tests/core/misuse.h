/* SPDX-License-Identifier: MIT */
/** @file misuse.h  Mistakes that an author of another simulator makes, and what they are made with.
 */
#ifndef WEFT_TESTS_MISUSE_H
#define WEFT_TESTS_MISUSE_H

#include <stdbool.h>

#include <weft/weft.h>

#define PORTS 8

extern const struct weft_lb_ops *lb;
extern void *state;
extern struct weft_clos clos;
extern struct weft_ports ports;
extern struct weft_packet packet;

/** An algorithm's configuration with its defaults. */
void *defaults(const struct weft_algo *algo);
/** A balancer at ToR 0 of a fat-tree of three tiers with k = 8: ports 4 to 7 lead upwards. */
void make(const char *name);

struct mistake
{
    void (*make)(void);
    const char *says; /**< the checked build, after "weft: " */
    bool survives;    /**< so does any other build */
};

/** Each list ends with a mistake without make(). */
extern const struct mistake switch_mistakes[];
extern const struct mistake parts_mistakes[];
extern const struct mistake nic_mistakes[];
extern const struct mistake refused_mistakes[];

#endif
