/* SPDX-License-Identifier: MIT */
/** @file run-stage.h  A run on a small fabric, and graphs of messages, for tests. */
#ifndef WEFT_RUN_STAGE_H
#define WEFT_RUN_STAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/weft.h>

/** Two hosts at each of two leaves, and four paths between these: links 0 to 3 are the hosts',
 * 4 to 7 the first leaf's, 8 to 11 the second's. */
#define FOUR_PATHS "leaf-spine leaves=2 spines=4 hosts-per-leaf=2 link-rate=100Gbps"
/** So many hosts that several threads have some. */
#define MANY_HOSTS "leaf-spine leaves=8 spines=4 hosts-per-leaf=4 link-rate=100Gbps"
#define US         INT64_C(1000000)
#define LATER      INT64_C(1000000000000) /* ps: after this nothing happens any more */

/** Outcomes of messages that a listener has heard of, by tag, and when it heard last. */
struct outcomes
{
    uint32_t delivered[16], acked[16], failed[16];
    int64_t delivered_at[16], settled_at[16];
};

struct stage
{
    struct weft_clos clos;
    struct weft_net_level level[3];
    struct weft_net_config net;
    struct weft_run_config is;
    struct weft_run *run;
    struct weft_refusal why;
    struct outcomes heard;
    struct weft_listener listener; /**< fills `heard` */
};
extern struct stage stage;

/** Describes a fabric of one level with a NIC that repairs, no congestion control and a retry limit
 * of 3. @p balancer: name and parameters. Forwarding adapts at once. */
void stage_describe(const char *topology, const char *balancer);
/** Adds a level like the first one with another balancer. */
void stage_add_level(const char *balancer);
/** Chooses an algorithm and its parameters by a line. */
const void *stage_choose(const char *kind, const char *line, const void **config);
/** Makes the run of a fabric that is described. */
void stage_begin(void);
/** Lets everything happen, and checks that nothing is lost. */
void stage_run(void);
void stage_end(void);
/** As parts_take(), on any thread. */
void *stage_take(void *of, size_t bytes);
/** Connects two hosts, with the stage's listener. */
struct weft_connection *stage_connect(uint32_t src, uint32_t dst, uint32_t level);
/** Posts messages of a host at a time. @p posts outlives that. */
void stage_post(const struct weft_post *posts, size_t n, int64_t at);
/** Forwarding with links down or slow. */
struct weft_fib *stage_fib(const struct weft_fib_case *of);
/** Share of line rate for flows, likewise. */
double stage_share(const struct weft_flow *flows, uint32_t n, const struct weft_fib_case *of,
                   enum weft_split split);

#define MOST_MESSAGES 64U
#define MOST_WAITS    512U

/** Graph of messages. */
struct graph
{
    struct weft_collective_config is;
    struct weft_collective *started;
    struct weft_message m[MOST_MESSAGES];
    struct weft_message_times t[MOST_MESSAGES];
    uint32_t before[MOST_WAITS], after[MOST_WAITS];
    uint32_t next[MOST_WAITS];
    uint32_t nwaits;
};

/** Adds a message on a QP of its own; returns its number. */
uint32_t graph_add(struct graph *g, uint32_t src, uint32_t dst, uint64_t bytes);
/** A message waits for another one. */
void graph_wait(struct graph *g, uint32_t after, uint32_t before);
/** A message waits for the step before its own. */
void graph_bar(struct graph *g, uint32_t message, uint32_t step);
/** Fills the rows of a graph to which nothing is added any more. */
void graph_close(struct graph *g);
/** Starts a graph on the stage's run; it is closed by that. */
void graph_start(struct graph *g);
/** How far it is. */
struct weft_collective_state graph_state(const struct graph *g);

#endif
