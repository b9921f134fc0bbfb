/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file traffic-load.h  Load of a workload on the fabric, told before the run. The messages of a
 * large one are not made for it: a part of the fabric stands for the whole.
 */
#ifndef WEFT_RUNNER_TRAFFIC_LOAD_H
#define WEFT_RUNNER_TRAFFIC_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "scenario.h"

/** Workloads of more messages are not expanded: 56 bytes each. */
#define LOAD_MOST_MESSAGES ((uint32_t)1 << 16)
/** Most messages of different sizes, which nothing else tells. */
#define LOAD_MOST_UNLIKE ((uint32_t)1 << 20)

struct traffic_load
{
    uint64_t messages, qps, groups;
    double bytes;      /**< payload of all messages */
    double packets;    /**< data packets, each once */
    double acks;       /**< ACKs without loss and reordering, as ack-every has it */
    double data_links; /**< links that all data packets cross */
    double ack_links;  /**< links that all ACKs cross; an ideal one counts as one */
    double wire;       /**< bytes of all data frames and their gaps */
    double inside;     /**< of those, what servers' own networks carry; 0, if not exact */
    bool exact;        /**< every message was looked at; else the links are those of a part */
};

/** Messages of the workload, or of the same one on the first hosts of the fabric. */
struct traffic_sample
{
    struct weft_message *messages; /**< for the caller to free; NULL: none */
    uint32_t n;
};

/** Fills @p sample with the messages of the workload on @p hosts; false, and no messages, if there
 * are more than @p most, or if it does not fit. */
bool traffic_messages(const struct scenario *s, const struct weft_hosts *hosts, uint32_t most,
                      struct traffic_sample *sample);

/**
 * Fills @p load; false if the workload does not fit the topology (which is reported elsewhere).
 * @p links: looks at the messages for what they cross; without, data_links and ack_links are those
 * of the average pair of hosts, and it takes no time.
 */
bool traffic_load_of(const struct scenario *s, bool links, struct traffic_load *load);

/**
 * The least time in which the workload can end, ps: that of its closed form, if one is known, or
 * what the average host's own wires take for what it sends. @p sure: looks at the messages whether
 * the closed form holds for them; without, it may be that of messages which all cross the fabric.
 */
int64_t traffic_bound(const struct scenario *s, bool sure);

#endif
