/* SPDX-License-Identifier: MIT */
#include "lb-rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"

void
lb_configure(const struct weft_algo *algo, void *config, size_t bytes, const char *settings)
{
    char text[256];
    ck_assert_uint_le(algo->config_size, bytes);
    ck_assert_uint_lt(strlen(settings), sizeof(text));
    strcpy(text, settings);
    ck_assert_int_eq(weft_config_default(algo, config), 0);
    for (char *one = strtok(text, " "); one != NULL; one = strtok(NULL, " "))
    {
        char *value = strchr(one, '=');
        ck_assert_ptr_nonnull(value);
        *value++ = '\0';
        ck_assert_int_eq(weft_config_set(algo, config, one, value), 0);
    }
}

void
lb_open(struct lb_rig *rig, const char *name, const char *settings, const struct weft_site *site)
{
    rig->ops = weft_lb_find(name);
    ck_assert_ptr_nonnull(rig->ops);
    ck_assert_ptr_null(rig->ops->path);
    lb_configure(&rig->ops->algo, rig->config, sizeof(rig->config),
                 settings != NULL ? settings : "");
    rig->state = malloc(rig->ops->state_size(rig->config, site) + 1);
    ck_assert_ptr_nonnull(rig->state);
    ck_assert_int_eq(rig->ops->init(rig->state, rig->config, site), 0);
}

void
lb_close(struct lb_rig *rig)
{
    free(rig->state);
    rig->state = NULL;
}

static void
read_quiet(void *of, uint32_t port, int64_t now, struct weft_port_status *status)
{
    (void)of;
    (void)port;
    (void)now;
    *status = (struct weft_port_status){100000000000, 0, 0, 0};
}

const struct weft_port_reader lb_quiet_ports = {NULL, read_quiet};

struct weft_site
lb_site(uint64_t seed, uint32_t nports)
{
    struct weft_site site;
    memset(&site, 0, sizeof(site));
    site.seed = seed;
    site.run = 1;
    site.nports = nports;
    site.port_buffer = 100000;
    site.tclass = 1;
    site.provides = WEFT_NEEDS_ALL;
    return site;
}

uint32_t
lb_pick(struct lb_rig *rig, const struct weft_ports *ports)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof(packet));
    packet.kind = WEFT_DATA;
    return rig->ops->pick(rig->state, ports, &packet, 0);
}

double
lb_unevenness(const uint32_t *counts, uint32_t n)
{
    double total = 0;
    double chi = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        total += counts[i];
    }
    for (uint32_t i = 0; i < n; i++)
    {
        const double d = counts[i] - total / n;
        chi += d * d * n / total;
    }
    return (chi - (n - 1)) / sqrt(2.0 * (n - 1));
}

void
lb_build(struct weft_clos *clos, const char *kind, const char *const *settings)
{
    uint64_t config[32];
    const struct weft_topology_ops *ops = weft_topology_find(kind);
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    for (; *settings; settings += 2)
    {
        ck_assert_int_eq(weft_config_set(&ops->algo, config, settings[0], settings[1]), 0);
    }
    ck_assert_int_eq(ops->build(config, clos), 0);
}

struct weft_clos
lb_fat_tree(const char *k)
{
    const char *const settings[] = {"k", k, "tiers", "3", NULL};
    struct weft_clos clos;
    lb_build(&clos, "fat-tree", settings);
    return clos;
}

void
lb_multiply_links(struct weft_clos *clos, uint32_t parallel)
{
    ck_assert_uint_eq(clos->parallel, 1);
    clos->parallel = parallel;
    clos->core_parallel = parallel;
    clos->nlinks = clos->nhosts + parallel * (clos->nlinks - clos->nhosts);
    clos->npaths *= clos->tiers == 3 ? parallel * parallel : parallel;
    ck_assert_int_eq(weft_clos_check(clos), 0);
}

struct weft_site
lb_site_of(const struct weft_clos *clos, uint32_t index, uint64_t seed)
{
    struct weft_mmu_config buffer;
    struct weft_site site;
    memset(&buffer, 0, sizeof(buffer));
    buffer.buffer = 1 << 20;
    weft_clos_site(clos, &buffer, index, seed, 1, &site);
    site.reader = &lb_quiet_ports;
    site.provides = WEFT_NEEDS_ALL;
    return site;
}

void
lb_open_at(struct lb_place *p, const struct weft_clos *clos, uint32_t index, uint64_t seed,
           const char *name, const char *settings)
{
    const struct weft_site site = lb_site_of(clos, index, seed);
    weft_clos_switch(clos, index, &p->map);
    lb_open(&p->rig, name, settings, &site);
}

uint32_t
lb_take(struct lb_place *p, uint32_t dst, enum weft_packet_kind kind,
        const struct weft_ports *ports)
{
    static const uint32_t no_queues[128];
    struct weft_ports healthy;
    struct weft_packet packet;
    memset(&packet, 0, sizeof(packet));
    packet.dst = dst & WEFT_HOST_MASK;
    packet.kind = (uint8_t)kind;
    if (ports == NULL)
    {
        weft_route(&p->map, dst, &healthy);
        healthy.queue_bytes = no_queues;
        ports = &healthy;
    }
    return weft_lb_picks(p->rig.ops, ports) ? p->rig.ops->pick(p->rig.state, ports, &packet, 0)
                                            : weft_port_at(ports, 0);
}

struct weft_packet
lb_data(uint32_t src, uint32_t dst)
{
    struct weft_packet p;
    memset(&p, 0, sizeof p);
    p.src = src & WEFT_HOST_MASK;
    p.dst = dst & WEFT_HOST_MASK;
    p.kind = WEFT_DATA;
    p.bytes = 1048;
    return p;
}

void *
lb_flow(struct lb_place *p)
{
    void *flow = malloc(p->rig.ops->flow_size(p->rig.config));
    ck_assert_int_eq(p->rig.ops->flow_init(flow, p->rig.config), 0);
    return flow;
}

uint32_t
lb_forward(struct lb_place *p, void *flow, struct weft_packet *packet,
           const struct weft_ports *ports, int64_t now)
{
    static const uint32_t no_queues[128];
    const struct weft_lb_ops *ops = p->rig.ops;
    struct weft_ports healthy;
    uint32_t queue;
    if (p->map.tier == 0)
    {
        ck_assert_int_eq(ops->arrive(p->rig.state, flow, packet, &queue, now),
                         WEFT_ARRIVAL_FORWARD);
    }
    if (ports == NULL)
    {
        weft_route(&p->map, packet->dst, &healthy);
        healthy.queue_bytes = no_queues;
        ports = &healthy;
    }
    return weft_lb_picks(ops, ports) ? ops->pick(p->rig.state, ports, packet, now)
                                     : weft_port_at(ports, 0);
}
