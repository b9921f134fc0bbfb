/* SPDX-License-Identifier: MIT */
/** @file net-world.h  A small fabric with messages, and what is heard of it, for tests. */
#ifndef WEFT_NET_WORLD_H
#define WEFT_NET_WORLD_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/weft.h>

#define HOSTS 16U
#define LONG  INT64_C(3000000000) /* ps: after this nothing happens any more */

/** Algorithms by name, with parameters in pairs. */
struct scene
{
    const char *balancer;
    const char *transport;
    const char *cc;
    const char *buffer[13];
    uint64_t bytes;
    uint32_t to;   /* 0: each to the one half the fabric away; else all to hosts below it */
    double loss;   /* probability */
    uint32_t more; /* messages of each host to others, one after the other, on four QPs */
};

#define NSCENES 14
extern const struct scene scenes[NSCENES];

/** A fabric, and what was heard of it. */
struct net_world
{
    struct weft_clos clos;
    struct weft_net_level level;
    struct weft_net_config config;
    struct weft_net *net;
    uint32_t threads;          /* 0: nothing is said of them */
    const char *const *frames; /* settings of its frames; NULL: defaults */
    int64_t host_delay;        /* ps, of hosts' links; 0: as long as all others */
    pthread_mutex_t mutex;     /* of what follows */
    uint64_t heard;    /* hash of all frames that a host sends or gets, and when, in any order */
    uint32_t messages; /* posted */
    uint32_t delivered;
    uint32_t raw; /* packets of the program that came to their hosts */
    bool relays;  /* a third host is to answer each message of the first QPs */
    int64_t last;
};
extern struct net_world world;

/** Outcome that is to be the same in two runs. */
struct result
{
    uint64_t heard;
    int64_t last;
    struct weft_net_counters total;
    uint64_t marks;
    uint64_t pauses;
    int64_t peaks;
};

/** Everything but the fabric itself. */
void world_describe(const struct scene *scene);
/** Posts a message on a QP of its own. */
void world_post(uint32_t src, uint32_t dst, uint64_t bytes, int64_t at);
/** Makes the fabric and posts its messages. @p lb: in place of the scene's balancer, with settings,
 * if not NULL. */
void world_begin_with(const struct scene *scene, const struct weft_lb_ops *lb,
                      const char *const *settings);
void world_begin(const struct scene *scene);
void world_end(void);
struct result world_conclude(void);
/** Runs nodes that are watched instant by instant, the others window by window. */
void world_run_watched(int64_t until);

#endif
