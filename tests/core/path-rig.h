/* SPDX-License-Identifier: MIT */
/** @file path-rig.h Host of a path selector, and QPs of its own, for the tests. */
#ifndef WEFT_TESTS_PATH_RIG_H
#define WEFT_TESTS_PATH_RIG_H

#include <weft/weft.h>

/** The QPs' own source port, in every packet before the selector sees it. */
#define PATH_RIG_SPORT 50000

/** Packets of the QPs' bandwidth-delay product. */
#define PATH_RIG_BDP 37

struct path_rig
{
    const struct weft_lb_ops *ops;
    uint64_t config[16];
    uint64_t host[16];
    uint64_t qp[512];
};

/** Host @p host and its QP @p qp_index of balancer @p name, with "name=value name=value" set. */
void path_rig_begin(struct path_rig *rig, const char *name, const char *settings, uint64_t seed,
                    uint64_t run, uint32_t host, uint32_t qp_index);

/** The source port of the QP's next data packet. */
uint16_t path_rig_data(struct path_rig *rig);

/** The source port of a reply that the host makes to a packet of label @p echo. */
uint16_t path_rig_reply(struct path_rig *rig, enum weft_packet_kind kind, uint16_t echo);

/** A reply of that kind comes back to the QP. */
void path_rig_answer(struct path_rig *rig, enum weft_packet_kind kind, uint16_t echo, bool marked,
                     int64_t now);

/** Checks what every hashing selector promises: replies as asked for, switches as under ECMP. */
void path_rig_check_replies(const char *name, const char *by_default);
void path_rig_check_switches(const char *name);

/** Draws are repeatable, and those of another seed, run, QP or host are others. */
void path_rig_check_streams(const char *name, const char *settings);

#endif
