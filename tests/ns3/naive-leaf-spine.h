/* SPDX-License-Identifier: GPL-2.0-only */
/** @file naive-leaf-spine.h Ports of the fabric that is simulated by hand, and where they lead. */
#ifndef NAIVE_LEAF_SPINE_H
#define NAIVE_LEAF_SPINE_H

#include "naive-fabric.h"

static inline unsigned
hosts_of(const struct naive_setup* s)
{
    return s->leaves * s->hosts_per_leaf;
}

static inline unsigned
leaf_port(const struct naive_setup* s, unsigned leaf, unsigned i)
{
    return hosts_of(s) + leaf * (s->hosts_per_leaf + s->spines) + i;
}

static inline unsigned
spine_port(const struct naive_setup* s, unsigned spine, unsigned leaf)
{
    return leaf_port(s, s->leaves, 0) + spine * s->leaves + leaf;
}

/* Returns what is at the other end of a port: a host's number, or hosts + a leaf's, or beyond, a
 * spine's. */
static inline unsigned
other_end(const struct naive_setup* s, unsigned port)
{
    const unsigned per_leaf = s->hosts_per_leaf + s->spines;
    if (port < hosts_of(s))
    {
        return hosts_of(s) + port / s->hosts_per_leaf;
    }
    if (port >= spine_port(s, 0, 0))
    {
        return hosts_of(s) + (port - spine_port(s, 0, 0)) % s->leaves;
    }
    const unsigned leaf = (port - hosts_of(s)) / per_leaf;
    const unsigned i = (port - hosts_of(s)) % per_leaf;
    return i < s->hosts_per_leaf ? leaf * s->hosts_per_leaf + i
                                 : hosts_of(s) + s->leaves + i - s->hosts_per_leaf;
}

/* The number, at the node at its other end, of the port that a port is linked to. */
static inline unsigned
ingress(const struct naive_setup* s, unsigned port)
{
    if (port < hosts_of(s))
    {
        return port % s->hosts_per_leaf;
    }
    const unsigned per_leaf = s->hosts_per_leaf + s->spines;
    return port < spine_port(s, 0, 0)
             ? (port - hosts_of(s)) / per_leaf
             : s->hosts_per_leaf + (port - spine_port(s, 0, 0)) / s->leaves;
}

#endif
