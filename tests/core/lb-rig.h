/* SPDX-License-Identifier: MIT */
/** @file lb-rig.h  A port selector at a switch, for tests. */
#ifndef WEFT_TESTS_LB_RIG_H
#define WEFT_TESTS_LB_RIG_H

#include <stdint.h>

#include <weft/weft.h>

struct lb_rig
{
    const struct weft_lb_ops *ops;
    void *state;
    uint64_t config[8];
};

/** Fills @p config, of @p bytes, with the defaults and "a=1 b=2"; nothing of it may be refused. */
void lb_configure(const struct weft_algo *algo, void *config, size_t bytes, const char *settings);

/** The balancer @p name with settings "a=1 b=2" (or NULL) at @p site; init() must not refuse. */
void lb_open(struct lb_rig *rig, const char *name, const char *settings,
             const struct weft_site *site);
void lb_close(struct lb_rig *rig);

/** Switch of a fabric and its balancer. */
struct lb_place
{
    struct weft_switch_map map;
    struct lb_rig rig;
};

/** A fabric of that kind, with settings: name, value, ..., NULL. */
void lb_build(struct weft_clos *clos, const char *kind, const char *const *settings);
/** A fat-tree of three tiers. */
struct weft_clos lb_fat_tree(const char *k);
/** Makes @p parallel links of each one between switches, also in three tiers, where no topology of
 * the registry has them. */
void lb_multiply_links(struct weft_clos *clos, uint32_t parallel);
/** Switch @p index of a fabric, as its balancer sees it. */
struct weft_site lb_site_of(const struct weft_clos *clos, uint32_t index, uint64_t seed);
/** Opens a balancer there. */
void lb_open_at(struct lb_place *p, const struct weft_clos *clos, uint32_t index, uint64_t seed,
                const char *name, const char *settings);
/** The port of a packet to @p dst: of ports (NULL: as in a healthy fabric). */
uint32_t lb_take(struct lb_place *p, uint32_t dst, enum weft_packet_kind kind,
                 const struct weft_ports *ports);

/** A data packet of a full frame of 1,048 bytes. */
struct weft_packet lb_data(uint32_t src, uint32_t dst);
/** Memory of a QP's state at ToRs, to be freed. */
void *lb_flow(struct lb_place *p);
/** The port by which a packet leaves that has entered at packet->in_port: arrive(), and pick() if
 * there is a choice (@p ports NULL: as in a healthy fabric). */
uint32_t lb_forward(struct lb_place *p, void *flow, struct weft_packet *packet,
                    const struct weft_ports *ports, int64_t now);

/** Ports that have never sent anything. */
extern const struct weft_port_reader lb_quiet_ports;

/** A site without a fabric: @p nports ports. */
struct weft_site lb_site(uint64_t seed, uint32_t nports);

/** The port that a data packet takes. */
uint32_t lb_pick(struct lb_rig *rig, const struct weft_ports *ports);

/** Chi-square of @p counts against equal shares, in its standard deviations above its mean. */
double lb_unevenness(const uint32_t *counts, uint32_t n);

#endif
