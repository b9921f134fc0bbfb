/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the scenario of a number: small, random, and mostly sound. Kinds, algorithms, parameters
 * and their bounds come from the registries, so that whatever is added there takes part. usage:
 * stress-scenario NUMBER
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stress-draw.h"

#define MOST_PACKETS  20000
#define MOST_TIMEOUTS 2000 /* of one QP until the time limit */

/* Whether an empty switch admits two frames to a queue. */
static bool
holds_frames(const struct weft_mmu *mmu, int64_t frame)
{
    return mmu->alpha * (double)mmu->shared >= (double)(2 * frame) && mmu->shared >= 2 * frame;
}

/* Draws a switch that leaves something of the buffer to share, and most often enough to send. */
static void
draw_switch(struct draw *d, const struct weft_clos *clos, const struct draw *fabric)
{
    const struct weft_fabric_config *frame = (const struct weft_fabric_config *)fabric->config;
    const struct weft_mmu_config *c = (const struct weft_mmu_config *)d->config;
    const uint32_t index[] = {0, clos->ntors, clos->nswitches - 1};
    bool good;
    do
    {
        tiny = one_in(2) ? spread(2, 60) * (frame->payload + frame->header) : 0;
        draw_sound(d, "switch", 2);
        good = (c->port_buffer == 0 || c->port_buffer >= frame->payload + frame->header) &&
               (!c->trim ||
                (c->trim_at >= frame->payload + frame->header && c->trim_bytes >= frame->header));
        for (uint32_t i = 0; i < 3; i++)
        {
            struct weft_switch_map map;
            weft_clos_switch(clos, index[i], &map);
            const uint32_t nports = weft_map_nports(&map);
            struct weft_mmu *mmu = (struct weft_mmu *)malloc((size_t)weft_mmu_size(c, nports));
            good = good && weft_mmu_init(mmu, c, nports) == 0 &&
                   (holds_frames(mmu, frame->payload + frame->header) || one_in(50));
            free(mmu);
        }
    } while (!good && !one_in(50));
    tiny = 0;
}

/* Draws a workload that fits the hosts and is over soon. */
static void
draw_workload(struct draw *d, const struct weft_clos *clos, const struct draw *fabric,
              struct weft_traffic_size *size)
{
    const struct weft_fabric_config *frame = (const struct weft_fabric_config *)fabric->config;
    const struct weft_hosts hosts = weft_clos_hosts(clos);
    bool good = false;
    while (!good)
    {
        do
        {
            draw_sound(d, "workload", 3);
        } while (!weft_param_find(d->algo, "bytes")); /* its sizes are in a file */
        const struct weft_workload_ops *ops =
            (const struct weft_workload_ops *)(const void *)d->algo;
        const struct weft_param *bytes = weft_param_find(d->algo, "bytes");
        const int64_t value =
            one_in(4) ? spread(1, frame->payload) : frame->payload * spread(5, 1000) - below(2);
        memcpy((char *)d->config + bytes->offset, &value, sizeof value);
        good = ops->size(d->config, &hosts, size) == 0 &&
               size->nmessages * weft_packets((uint64_t)value, frame->payload) < MOST_PACKETS &&
               integer_of(d->algo, "start", d->config, 0) < 100000000 &&
               integer_of(d->algo, "compute", d->config, 0) < 100000000 &&
               integer_of(d->algo, "spread", d->config, 0) < 100000000;
    }
}

/* When a failure begins and ends, and whether it flaps. */
static void
write_times(void)
{
    char at[32];
    printf(" at=\"%s\"", some_time(at));
    if (one_in(2))
    {
        printf(" for=\"%s\"", one_in(2) ? "100us" : "2ms");
    }
    if (one_in(4))
    {
        printf(" period=\"%uus\" duty=\"%.2f\"", 1 + below(100), weft_rng_unit(&rng));
    }
    else if (one_in(4))
    {
        printf(" mean-up=\"%uus\" mean-down=\"%uus\"", 1 + below(100), 1 + below(100));
    }
    else
    {
        return;
    }
    if (one_in(3))
    {
        printf(" count=\"%u\"", 1 + below(5));
    }
}

/* A link between switches, that of a host which stays up, or all of a switch. */
static void
write_failure(const struct weft_clos *clos)
{
    struct weft_link link;
    const uint64_t at = any_switch_link(clos);
    weft_planes_link(clos, at, &link);
    if (one_in(8))
    {
        printf("  <failure switch=\"%u\"", link.upper.index);
        write_effect();
    }
    else if (one_in(5))
    {
        printf("  <failure host=\"%u\" effect=\"lossy\" loss=\"%.4f\"", below(clos->nhosts),
               0.1 * weft_rng_unit(&rng));
    }
    else
    {
        printf("  <failure lower=\"%u\" upper=\"%u\" link=\"%u\"", link.lower.index,
               link.upper.index, link_number(clos, &link, at));
        write_effect();
    }
    write_direction();
    write_times();
    printf("/>\n");
}

static void
write_failures(const struct weft_clos *clos)
{
    char text[32];
    for (uint32_t n = one_in(3) ? 1 + below(3) : 0; n > 0; n--)
    {
        write_failure(clos);
    }
    if (one_in(6))
    {
        printf("  <random-failures probability=\"%.3f\"", 0.5 * weft_rng_unit(&rng));
        write_effect();
        write_direction();
        write_times();
        printf("/>\n");
    }
    if (one_in(2))
    {
        printf("  <convergence delay=\"%s\" weights=\"%s\"", one_in(5) ? "inf" : some_time(text),
               one_in(2) ? "on" : "off");
        if (one_in(3))
        {
            printf(" recovery=\"%s\"", one_in(5) ? "inf" : some_time(text));
        }
        printf("/>\n");
    }
    if (one_in(6))
    {
        printf("  <loss probability=\"%.4f\"/>\n", 0.3 * pow(weft_rng_unit(&rng), 2));
    }
}

static void
write_drops_and_measures(const struct weft_traffic_size *size)
{
    if (one_in(5))
    {
        printf("  <drop qp=\"%u\" packets=\"0\" count=\"%u\"/>\n", below(size->nqps), 1 + below(4));
    }
    if (one_in(3))
    {
        printf("  <measure interval=\"%uus\" qps=\"%u\" queues=\"%s\" flows=\"%s\"/>\n",
               2 + below(50), below(size->nqps), one_in(2) ? "on" : "off",
               one_in(2) ? "on" : "off");
    }
}

int
main(int argc, char **argv)
{
    struct draw topology, fabric, buffer, scheduler, transport, cc, balancer, workload;
    struct weft_clos clos;
    struct weft_traffic_size size;
    if (argc != 2)
    {
        fprintf(stderr, "usage: %s NUMBER\n", argv[0]);
        return 2;
    }
    const uint64_t number = strtoull(argv[1], NULL, 10);
    weft_rng_seed(&rng, number, 0, 0);
    draw_topology(&topology, &clos);
    draw_sound(&fabric, "fabric", 4);
    draw_switch(&buffer, &clos, &fabric);
    const int64_t acks = ((const struct weft_fabric_config *)fabric.config)->ack_every;
    const bool trims = ((const struct weft_mmu_config *)buffer.config)->trim;
    do
    {
        draw_sound(&transport, "transport", 3);
    } while ((trims && !weft_transport_find(transport.algo->name)->trims) ||
             integer_of(transport.algo, "outstanding", transport.config, INT32_MAX) < acks);
    draw_sound(&cc, "congestion-control", 4);
    do
    {
        draw_sound(&balancer, "balancer", 3);
    } while (trims && weft_lb_find(balancer.algo->name)->tor);
    draw_sound(&scheduler, "scheduler", 2);
    draw_workload(&workload, &clos, &fabric, &size);
    const int64_t rto = integer_of(transport.algo, "rto", transport.config, 1000000000);
    const int64_t most = rto < 5000000000 / MOST_TIMEOUTS ? MOST_TIMEOUTS * rto : 5000000000;
    printf("<scenario name=\"stress-%llu\">\n", (unsigned long long)number);
    write_choice("topology", "kind", &topology);
    write_choice("fabric", "name", &fabric);
    write_choice("switch", "name", &buffer);
    write_choice("scheduler", "name", &scheduler);
    write_choice("transport", "name", &transport);
    write_choice("congestion-control", "name", &cc);
    write_choice("balancer", "name", &balancer);
    write_choice("workload", "kind", &workload);
    write_drops_and_measures(&size);
    write_failures(&clos);
    printf("  <limit time=\"%lldps\"/>\n", (long long)most);
    printf("  <seed value=\"%u\"/>\n", below(1000));
    printf("</scenario>\n");
    return 0;
}
