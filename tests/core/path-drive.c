/* SPDX-License-Identifier: MIT */
#include "path-drive.h"

#include <stdlib.h>

#include "lb-rig.h"
#include "lb/candidates.h"
#include "must.h"

static void
open_switches(struct path_drive *d, const void *config, uint64_t seed)
{
    for (uint32_t i = 0; i < d->clos->nswitches; i++)
    {
        const struct weft_site site = lb_site_of(d->clos, i, seed);
        d->switches[i] = malloc(d->ops->state_size(config, &site));
        ck_assert_ptr_nonnull(d->switches[i]);
        MUST(d->ops->init(d->switches[i], config, &site) == 0);
        d->nports = site.nports > d->nports ? site.nports : d->nports;
    }
}

static void
wire(struct path_drive *d)
{
    d->links = calloc((size_t)d->clos->nswitches * d->nports, sizeof(d->links[0]));
    ck_assert_ptr_nonnull(d->links);
    for (uint64_t i = 0; i < d->clos->nlinks; i++)
    {
        struct weft_link link;
        weft_clos_link(d->clos, i, &link);
        d->links[link.upper.index * d->nports + link.upper.port] = i;
        if (!link.lower.is_host)
        {
            d->links[link.lower.index * d->nports + link.lower.port] = i;
        }
    }
}

void
path_drive_begin(struct path_drive *d, const struct weft_lb_ops *ops, const void *config,
                 const struct weft_clos *clos, uint64_t seed)
{
    ck_assert_ptr_nonnull(ops);
    *d = (struct path_drive){.ops = ops, .clos = clos};
    d->switches = calloc(clos->nswitches, sizeof(d->switches[0]));
    ck_assert_ptr_nonnull(d->switches);
    open_switches(d, config, seed);
    wire(d);
}

void
path_drive_end(struct path_drive *d)
{
    for (uint32_t i = 0; i < d->clos->nswitches; i++)
    {
        free(d->switches[i]);
    }
    free(d->switches);
    free(d->links);
}

uint64_t
path_drive_link(const struct path_drive *d, uint32_t index, uint32_t port)
{
    MUST(port < d->nports);
    return d->links[index * d->nports + port];
}

struct weft_end
path_drive_peer(const struct path_drive *d, uint32_t index, uint32_t port)
{
    struct weft_link link;
    weft_clos_link(d->clos, path_drive_link(d, index, port), &link);
    return !link.lower.is_host && link.lower.index == index ? link.upper : link.lower;
}

/* The port that a packet takes at a switch. */
static uint32_t
forward(const struct path_drive *d, uint32_t at, const struct weft_ports *ports,
        struct weft_packet *packet)
{
    if (!weft_lb_picks(d->ops, ports))
    {
        return weft_port_at(ports, 0);
    }
    const uint32_t foretold = d->ops->peek(d->switches[at], ports, packet);
    const uint32_t port = d->ops->pick(d->switches[at], ports, packet, 0);
    MUST(port == foretold);
    MUST(weft_ports_have(ports, port));
    return port;
}

uint32_t
path_drive(const struct path_drive *d, struct weft_packet *packet, uint64_t links[6])
{
    static const uint32_t queues[WEFT_MAX_PORTS];
    uint32_t n = 0;
    uint32_t at = weft_clos_tor(d->clos, packet->src);
    links[n++] = packet->src;
    while (n < 6)
    {
        struct weft_switch_map map;
        struct weft_ports ports;
        weft_clos_switch(d->clos, at, &map);
        weft_route(&map, packet->dst, &ports);
        if (d->fib && !weft_fib_route(d->fib, at, &map, packet->dst, &ports))
        {
            return 0;
        }
        ports.queue_bytes = queues;
        const uint32_t port = forward(d, at, &ports, packet);
        const struct weft_end next = path_drive_peer(d, at, port);
        links[n++] = path_drive_link(d, at, port);
        if (next.is_host)
        {
            MUST(next.index == packet->dst);
            return n;
        }
        at = next.index;
    }
    MUST_FAIL("a packet never arrives");
    return 0;
}
