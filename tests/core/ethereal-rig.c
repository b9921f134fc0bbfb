/* SPDX-License-Identifier: MIT */
#include "ethereal-rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lb-rig.h"
#include "must.h"

struct ethereal_rig ether;

static void
open_hosts(uint64_t seed)
{
    struct weft_path_site at = {
        .seed = seed, .run = 1, .clos = &ether.clos, .provides = WEFT_NEEDS_ALL};
    ether.host_words = (ether.ops->path->host_size(ether.config, &at) + 7) / 8;
    ether.hosts = (uint64_t *)malloc(ether.clos.nhosts * ether.host_words * 8);
    ck_assert_ptr_nonnull(ether.hosts);
    memset(ether.hosts, 0x5a, ether.clos.nhosts * ether.host_words * 8); /* as a heap may be */
    for (at.host = 0; at.host < ether.clos.nhosts; at.host++)
    {
        MUST(ether.ops->path->host_init(ethereal_host(at.host), ether.config, &at) == 0);
    }
    ethereal_plan_at(0);
}

void
ethereal_plan_at(uint32_t host)
{
    const struct weft_plan_site plan = {.seed = 1,
                                        .run = 1,
                                        .host = host,
                                        .payload = ether.payload,
                                        .clos = &ether.clos,
                                        .path = ethereal_host(host)};
    ck_assert_uint_le(ether.ops->plan->host_size(ether.config, &plan), sizeof(ether.planner));
    ck_assert_int_eq(ether.ops->plan->host_init(ether.planner, ether.config, &plan), 0);
}

void
ethereal_begin(const char *kind, const char *shape, const char *settings, uint64_t seed)
{
    uint64_t topology[32];
    const struct weft_topology_ops *ops = weft_topology_find(kind);
    lb_configure(&ops->algo, topology, sizeof(topology), shape);
    ck_assert_int_eq(ops->build(topology, &ether.clos), 0);
    ether.ops = weft_lb_find("ethereal");
    ck_assert_ptr_nonnull(ether.ops);
    lb_configure(&ether.ops->algo, ether.config, sizeof(ether.config), settings);
    ether.nparts = 0;
    ether.payload = 1;
    path_drive_begin(&ether.drive, ether.ops, ether.config, &ether.clos, seed);
    open_hosts(seed);
}

void
ethereal_end(void)
{
    free(ether.hosts);
    path_drive_end(&ether.drive);
}

void
ethereal_spines(unsigned spines, const char *settings)
{
    char shape[64];
    snprintf(shape, sizeof(shape), "leaves=3 hosts-per-leaf=2 spines=%u", spines);
    ethereal_begin("leaf-spine", shape, settings, 1);
}

void *
ethereal_host(uint32_t host)
{
    return ether.hosts + ether.host_words * host;
}

void
ethereal_qp(uint64_t qp[4], uint32_t src, uint32_t dst)
{
    const struct weft_path_site at = {.provides = WEFT_NEEDS_ALL,
                                      .seed = 1,
                                      .run = 1,
                                      .clos = &ether.clos,
                                      .host = src,
                                      .dst = dst,
                                      .qp_bdp = 1,
                                      .batch = 1};
    MUST(ether.ops->path->qp_size(ether.config, &at) <= 4 * sizeof(qp[0]));
    MUST(ether.ops->path->qp_init(qp, ethereal_host(src), ether.config, &at, 7) == 0);
}

uint16_t
ethereal_data(uint64_t qp[4])
{
    struct weft_packet packet = {.kind = WEFT_DATA, .sport = 50000};
    ether.ops->path->data(qp, &packet, 0);
    return packet.sport;
}

void
ethereal_nack(uint64_t qp[4], uint16_t echo, int64_t now)
{
    const struct weft_packet nack = {.kind = WEFT_NACK, .echo = echo};
    ether.ops->path->on_reply(qp, &nack, now);
}

void
ethereal_plan(const struct weft_plan_message *messages, size_t n, int64_t now)
{
    const size_t most = ether.ops->plan->most_parts(ether.planner, messages, n);
    MUST(most + 2 * n <= ETHEREAL_PARTS);
    memset(ether.parts + most, 0x5a, 2 * n * sizeof(ether.parts[0]));
    ether.nparts = ether.ops->plan->plan(ether.planner, messages, n, now, ether.parts);
    MUST(ether.nparts <= most);
    for (size_t i = most; i < most + 2 * n; i++)
    {
        MUST(ether.parts[i].bytes == UINT64_C(0x5a5a5a5a5a5a5a5a)); /* beyond what it may use */
    }
}

uint32_t
ethereal_drive(struct weft_packet *packet, uint64_t links[6])
{
    const uint32_t n = path_drive(&ether.drive, packet, links);
    MUST(n > 0);
    return n;
}
