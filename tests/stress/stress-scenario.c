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

#include <weft/weft.h>

#define MAX_CONFIG    512
#define MOST_HOSTS    32
#define LEAST_RATE    100000000 /* bit/s */
#define LONG_DELAY    100000000 /* ps */
#define MOST_PACKETS  20000
#define MOST_TIMEOUTS 2000 /* of one QP until the time limit */

static struct weft_rng rng;
static int64_t tiny; /* bytes: sizes are often about as large, if not 0 */

/* A choice from a registry: what was set, and to what. */
struct draw
{
    const struct weft_algo *algo;
    uint64_t config[MAX_CONFIG / 8];
    bool is_set[64];
};

static uint32_t
below(uint32_t n)
{
    return weft_rng_below(&rng, n);
}

static bool
one_in(uint32_t n)
{
    return below(n) == 0;
}

/* An integer from @p least to @p most, each order of magnitude alike. */
static int64_t
spread(int64_t least, int64_t most)
{
    const double base = least > 0 ? (double)least : 1;
    const double value = base * pow((double)most / base, weft_rng_unit(&rng));
    if (least < 1 && one_in(4))
    {
        return least;
    }
    return value < (double)least ? least : value < (double)most ? (int64_t)value : most;
}

static int64_t
integer_of(const struct weft_algo *algo, const char *name, const void *config, int64_t otherwise)
{
    const struct weft_param *p = weft_param_find(algo, name);
    int64_t value = otherwise;
    if (p != NULL)
    {
        memcpy(&value, (const char *)config + p->offset, sizeof value);
    }
    return value;
}

/* A bound as a number; what has none ends where small scenarios do. */
static int64_t
bound_of(const struct weft_param *p, const char *text, int64_t otherwise)
{
    struct weft_param unbounded = *p;
    int64_t value = otherwise;
    unbounded.offset = 0;
    unbounded.min = p->type == WEFT_COUNT ? "-1000000000" : NULL;
    unbounded.max = NULL;
    return text == NULL || weft_param_parse(&unbounded, text, &value) != 0 ? otherwise : value;
}

static void
draw_real(const struct weft_param *p, void *config)
{
    const double least = p->min != NULL ? strtod(p->min, NULL) : 0;
    const double most = p->max != NULL ? strtod(p->max, NULL) : 1000;
    char text[40];
    snprintf(text, sizeof text, "%.6f", least + (most - least) * pow(weft_rng_unit(&rng), 3));
    (void)weft_param_parse(p, text, config);
}

static uint32_t
choices_of(const struct weft_param *p)
{
    uint32_t n = 1;
    for (const char *c = p->choices; *c != '\0'; c++)
    {
        n += *c == ' ';
    }
    return n;
}

static void
draw_value(const struct weft_param *p, void *config)
{
    if (one_in(6) && p->type != WEFT_BOOL && p->type != WEFT_CHOICE)
    {
        const char *bound = one_in(2) ? p->min : p->max;
        (void)weft_param_parse(p, bound != NULL ? bound : p->def != NULL ? p->def : "0", config);
        return;
    }
    if (p->type == WEFT_REAL)
    {
        draw_real(p, config);
        return;
    }
    const int64_t least = bound_of(p, p->min, 0);
    int64_t most = bound_of(p, p->max, 1000000000);
    if (p->type == WEFT_BYTES && tiny > least && tiny < most)
    {
        most = tiny;
    }
    const int64_t value = p->type == WEFT_BOOL     ? below(2)
                          : p->type == WEFT_CHOICE ? below(choices_of(p))
                                                   : spread(least, most);
    memcpy((char *)config + p->offset, &value, sizeof value);
}

/* Draws a parameter in @p rarely, and what has no default. */
static void
draw_config(struct draw *d, const struct weft_algo *algo, uint32_t rarely)
{
    memset(d, 0, sizeof *d);
    d->algo = algo;
    (void)weft_config_default(algo, d->config);
    for (size_t i = 0; i < algo->nparams; i++)
    {
        d->is_set[i] = algo->params[i].def == NULL || one_in(rarely);
        if (d->is_set[i])
        {
            draw_value(&algo->params[i], d->config);
        }
    }
}

static const struct weft_algo *
some_algo(const char *kind)
{
    const struct weft_registry *registry = weft_registry_find(kind);
    return registry->algos[below((uint32_t)registry->count)];
}

/* One that its own check takes; the defaults if none comes up. */
static void
draw_sound(struct draw *d, const char *kind, uint32_t rarely)
{
    const struct weft_algo *algo = some_algo(kind);
    for (uint32_t tries = 0; tries < 100; tries++)
    {
        draw_config(d, algo, rarely);
        if (algo->check == NULL || algo->check(d->config) == NULL)
        {
            return;
        }
    }
    draw_config(d, algo, 1U << 31);
}

/* Counts of a topology are small; its rates and delays are not. */
static void
draw_topology(struct draw *d, struct weft_clos *clos)
{
    const struct weft_topology_ops *kind;
    do
    {
        draw_sound(d, "topology", 3);
        kind = (const struct weft_topology_ops *)(const void *)d->algo;
        for (size_t i = 0; i < d->algo->nparams; i++)
        {
            const struct weft_param *p = &d->algo->params[i];
            if (p->type == WEFT_COUNT)
            {
                const int64_t value =
                    bound_of(p, p->min, 1) + !one_in(4) + below(one_in(2) ? 2 : 5);
                memcpy((char *)d->config + p->offset, &value, sizeof value);
                d->is_set[i] = true;
            }
        }
    } while ((d->algo->check != NULL && d->algo->check(d->config) != NULL) ||
             kind->build(d->config, clos) != 0 || clos->nhosts < 2 || clos->nhosts > MOST_HOSTS ||
             clos->host_rate < LEAST_RATE || clos->fabric_rate < LEAST_RATE ||
             (clos->core_rate < LEAST_RATE && !one_in(8)) ||
             ((clos->ntors == 1 ||
               clos->host_delay + clos->fabric_delay + clos->core_delay > LONG_DELAY) &&
              !one_in(8)));
}

/* Whether an empty switch admits two frames to a queue. */
static bool
holds_frames(const struct weft_mmu *mmu, int64_t frame)
{
    return mmu->alpha * (double)mmu->shared >= (double)(2 * frame) && mmu->shared >= 2 * frame;
}

/* One that leaves something of the buffer to share, and most often enough to send. */
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

/* One that fits the hosts and is over soon. */
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

static void
write_choice(const char *element, const char *selector, const struct draw *d)
{
    printf("  <%s %s=\"%s\"", element, selector, d->algo->name);
    for (size_t i = 0; i < d->algo->nparams; i++)
    {
        char text[64];
        if (d->is_set[i] &&
            weft_param_format(&d->algo->params[i], d->config, text, sizeof text) > 0)
        {
            printf(" %s=\"%s\"", d->algo->params[i].name, text);
        }
    }
    printf("/>\n");
}

static const char *
some_time(char text[32])
{
    static const char *const often[] = {"0s", "1us", "20us", "50us"};
    if (one_in(2))
    {
        return often[below(4)];
    }
    snprintf(text, 32, "%ldps", (long)spread(1, 1000000000));
    return text;
}

/* Which of the parallel links between its switches link @p at is. */
static uint32_t
link_number(const struct weft_clos *clos, const struct weft_link *link, uint64_t at)
{
    uint32_t number = 0;
    for (uint64_t i = clos->nhosts; i < at; i++)
    {
        struct weft_link other;
        weft_clos_link(clos, i, &other);
        number += other.lower.index == link->lower.index && other.upper.index == link->upper.index;
    }
    return number;
}

static void
write_failures(const struct weft_clos *clos)
{
    char at[32];
    for (uint32_t n = one_in(3) ? 1 + below(3) : 0; n > 0; n--)
    {
        struct weft_link link;
        const uint64_t at_link = clos->nhosts + below((uint32_t)(clos->nlinks - clos->nhosts));
        weft_clos_link(clos, at_link, &link);
        printf("  <failure lower=\"%u\" upper=\"%u\" link=\"%u\" at=\"%s\"", link.lower.index,
               link.upper.index, link_number(clos, &link, at_link), some_time(at));
        if (one_in(2))
        {
            printf(" repair=\"%s\"", one_in(2) ? "100us" : "2ms");
        }
        printf("/>\n");
    }
    if (one_in(6))
    {
        printf("  <random-failures probability=\"%.3f\" at=\"%s\"/>\n", 0.5 * weft_rng_unit(&rng),
               some_time(at));
    }
    if (one_in(2))
    {
        printf("  <convergence delay=\"%s\" weights=\"%s\"/>\n", one_in(5) ? "inf" : some_time(at),
               one_in(2) ? "on" : "off");
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
