/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Writes the scenario of a number with anything in it: all elements, several workloads, classes,
 * sweeps, presets, parameters at random and at their bounds, whether they suit each other or not.
 * The fabric is small and the limit short, so that what can be run is over soon. Files that the
 * scenario names are written beside it, in the working folder. usage: any-scenario NUMBER
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stress-draw.h"

#define MOST_MESSAGES 5000
#define MOST_DURATION 20000000 /* ps: of flows that begin at random, thousands from each host */
#define MOST_CLASSES  3

static struct weft_clos clos; /* of a graph: its hosts and switches */
static bool is_graph;
static uint32_t nclasses;

static const char *
some_of(const char *const *words, uint32_t n)
{
    return words[below(n)];
}

/* An algorithm's values: most often sound ones by themselves, the defaults, a preset or few of
 * them. */
static void
write_any(const char *element, const char *kind, const char *indent)
{
    struct draw d;
    const uint32_t rarely = one_in(4) ? 3 : 12;
    one_in(6) ? draw_config(&d, some_algo(kind), rarely) : draw_sound(&d, kind, rarely);
    const struct weft_algo *algo = d.algo;
    printf("%s<%s name=\"%s\"", indent, element, algo->name);
    if (algo->npresets > 0 && one_in(2))
    {
        printf(" preset=\"%s\"", algo->presets[below((uint32_t)algo->npresets)].name);
        memset(d.is_set, 0, one_in(2) ? sizeof d.is_set : 0);
    }
    for (size_t i = 0; i < algo->nparams; i++)
    {
        char text[64];
        if (d.is_set[i] && weft_param_format(&algo->params[i], d.config, text, sizeof text) > 0)
        {
            printf(" %s=\"%s\"", algo->params[i].name, text);
        }
    }
    printf("/>\n");
}

/* Switches in a ring with hosts, whose links differ, and some links across. */
static void
write_graph(uint64_t number)
{
    char name[40];
    const uint32_t nswitches = 2 + below(4), nhosts = 2 + below(8);
    const uint32_t across = below(5), nodes = nswitches + nhosts;
    snprintf(name, sizeof name, "%llu-graph.txt", (unsigned long long)number);
    FILE *f = fopen(name, "w");
    fprintf(f, "%u %u %u\n", nodes, nswitches, nhosts + nswitches - 1 + across);
    for (uint32_t i = 0; i < nswitches; i++)
    {
        fprintf(f, "%u ", nhosts + i);
    }
    for (uint32_t i = 0; i < nhosts + nswitches - 1 + across; i++)
    {
        const uint32_t far = nhosts + below(nswitches);
        const bool host = i < nhosts, chain = !host && i < nhosts + nswitches - 1;
        const uint32_t a = host ? i : chain ? i : nhosts + below(nswitches);
        const uint32_t b = chain ? i + 1 : far != a ? far : nhosts + (far + 1 - nhosts) % nswitches;
        fprintf(f, "\n%u %u %uGbps %uns 0", a, b, 1 + below(400), below(2000));
    }
    fprintf(f, "\n");
    fclose(f);
    clos.nhosts = nhosts;
    clos.nswitches = nswitches;
    printf("  <topology kind=\"graph\" file=\"%s\"/>\n", name);
}

static void
write_topology(uint64_t number)
{
    struct draw d;
    is_graph = one_in(6);
    if (is_graph)
    {
        write_graph(number);
        return;
    }
    draw_topology(&d, &clos);
    write_choice("topology", "kind", &d);
}

static void
write_classes(void)
{
    nclasses = one_in(3) ? 1 + below(MOST_CLASSES) : 0;
    for (uint32_t i = 0; i < nclasses; i++)
    {
        static const char *const kinds[] = {"transport", "balancer", "congestion-control"};
        printf("  <class name=\"c%u\" queue=\"%u\">\n", i, one_in(6) ? 2 : 1);
        for (uint32_t k = 0; k < 3; k++)
        {
            if (one_in(2))
            {
                write_any(kinds[k], kinds[k], "    ");
            }
        }
        printf("  </class>\n");
    }
}

/* --- workloads --------------------------------------------------------------------------------
 */

static const char *
write_file(uint64_t number, bool flows)
{
    static char name[48];
    snprintf(name, sizeof name, "%llu-%s", (unsigned long long)number, flows ? "f.csv" : "s.txt");
    FILE *f = fopen(name, "w");
    if (flows)
    {
        fprintf(f, "src,dst,bytes,start\n");
        for (uint32_t n = 1 + below(20); n > 0; n--)
        {
            const uint32_t src = below(clos.nhosts);
            fprintf(f, "%u,%u,%ldB,%ldns\n", src, (src + 1 + below(clos.nhosts - 1)) % clos.nhosts,
                    (long)spread(1, 1000000), (long)spread(0, 100000));
        }
    }
    else
    {
        fprintf(f, "0 0\n%u 30\n%u 100\n", 100 + below(1000), 2000 + below(100000));
    }
    fclose(f);
    return name;
}

/* Whether the workload is small, or refused by itself. */
static bool
is_small(const struct draw *d)
{
    const struct weft_workload_ops *ops = (const struct weft_workload_ops *)(const void *)d->algo;
    const struct weft_hosts hosts = weft_clos_hosts(&clos);
    struct weft_traffic_size size;
    if (is_graph)
    {
        return integer_of(d->algo, "groups", d->config, 1) <= 2;
    }
    if (ops->table != WEFT_TABLE_NONE) /* without one it has no size */
    {
        return integer_of(d->algo, "flows", d->config, 0) <= MOST_MESSAGES &&
               integer_of(d->algo, "duration", d->config, 0) <= MOST_DURATION;
    }
    return ops->size(d->config, &hosts, &size) < 0 ? one_in(20) : size.nmessages < MOST_MESSAGES;
}

static void
draw_workload(struct draw *d)
{
    do
    {
        const struct weft_algo *algo = some_algo("workload");
        draw_config(d, algo, one_in(2) ? 4 : 20);
        for (size_t i = 0; i < algo->nparams; i++)
        {
            const struct weft_param *p = &algo->params[i];
            const int64_t value = p->type == WEFT_BYTES
                                      ? spread(1, one_in(20) ? 1000000000000 : 300000)
                                      : spread(0, 50000000);
            if ((p->type == WEFT_BYTES || p->type == WEFT_TIME) && d->is_set[i] && !one_in(10))
            {
                memcpy((char *)d->config + p->offset, &value, sizeof value);
            }
        }
    } while (!is_small(d));
}

static void
write_hosts(void)
{
    const uint32_t first = below(clos.nhosts - 1);
    if (one_in(2))
    {
        printf(" hosts=\"random %u\"", 2 + below(one_in(4) ? clos.nhosts - 1 : 2));
    }
    else
    {
        printf(" hosts=\"%u-%u\"", first, first + 1 + below(clos.nhosts - 1 - first));
    }
}

static void
write_workload(uint64_t number, uint32_t which, bool several)
{
    struct draw d;
    draw_workload(&d);
    const struct weft_workload_ops *ops = (const struct weft_workload_ops *)(const void *)d.algo;
    printf("  <workload kind=\"%s\"", d.algo->name);
    for (size_t i = 0; i < d.algo->nparams; i++)
    {
        char text[64];
        if (d.is_set[i] && weft_param_format(&d.algo->params[i], d.config, text, sizeof text) > 0)
        {
            printf(" %s=\"%s\"", d.algo->params[i].name, text);
        }
    }
    if (several)
    {
        printf(" name=\"w%u\"", which);
    }
    if (ops->table != WEFT_TABLE_NONE)
    {
        printf(" file=\"%s\"", write_file(number, ops->table == WEFT_TABLE_FLOWS));
    }
    if (clos.nhosts > 2 && one_in(several ? 2 : 6))
    {
        write_hosts();
    }
    if (which < nclasses)
    {
        printf(" class=\"c%u\"", which);
    }
    else if (one_in(6))
    {
        printf(" balancer=\"%s\"", some_algo("balancer")->name);
    }
    printf("/>\n");
}

static void
write_workloads(uint64_t number)
{
    uint32_t n = one_in(3) ? 1 + below(3) : 1;
    n = n < nclasses ? nclasses : n;
    for (uint32_t i = 0; i < n; i++)
    {
        write_workload(number, i, n > 1);
    }
}

/* --- what happens to links, and what is measured ----------------------------------------------
 */

/* A time, now and then one at the end of all clocks. */
static const char *
any_time(void)
{
    static char text[32];
    static const char *const late[] = {"1000s", "5000000s", "9223372s", "4611686018427387ns"};
    return one_in(12) ? some_of(late, 4) : some_time(text);
}

static void
write_times(void)
{
    char text[32];
    printf(" at=\"%s\"", one_in(16) ? "never" : any_time());
    if (one_in(2))
    {
        printf(" repair=\"%s\"", one_in(8) ? any_time() : one_in(4) ? "100us" : "9223372s");
    }
    else if (one_in(3))
    {
        printf(" for=\"%uus\"", 1 + below(100));
    }
    if (one_in(5))
    {
        printf(" period=\"%uus\" duty=\"%.2f\"", 1 + below(60), weft_rng_unit(&rng));
    }
    else if (one_in(5))
    {
        printf(" mean-up=\"%uus\"", 1 + below(60));
        printf(" mean-down=\"%s\"", some_time(text));
    }
    write_direction();
}

static void
write_link(const char *element)
{
    struct weft_link link = {.rate = 0};
    printf("  <%s", element);
    if (one_in(12))
    {
        printf(" switch=\"%u\"", below(3));
    }
    else if (!is_graph && !one_in(strcmp(element, "degrade") == 0 ? 3 : 6))
    {
        const uint64_t at = any_switch_link(&clos);
        weft_planes_link(&clos, at, &link);
        printf(" lower=\"%u\" upper=\"%u\" link=\"%u\"", link.lower.index, link.upper.index,
               link_number(&clos, &link, at));
    }
    else if (!is_graph || strcmp(element, "degrade") == 0)
    {
        printf(" host=\"%u\"", below(clos.nhosts));
        if (!is_graph && one_in(2))
        {
            printf(" plane=\"%u\"", below(clos.planes));
        }
    }
    else
    {
        printf(" lower=\"%u\" upper=\"%u\"", 0U, 1U);
    }
    if (strcmp(element, "degrade") == 0)
    {
        printf(" rate=\"%ldMbps\"", (long)spread(1, one_in(4) ? 100000 : 1000));
    }
    else
    {
        write_effect();
    }
    write_times();
    printf("/>\n");
}

static void
write_random_links(const char *element, bool slow)
{
    const double p = weft_rng_unit(&rng) * (one_in(4) ? 1 : 0.3);
    const char *kind = one_in(2)   ? "probability"
                       : one_in(2) ? "edge-aggregation"
                                   : "aggregation-core";
    printf("  <%s", element);
    one_in(3) ? printf(" links=\"%u\"", below(4)) : printf(" %s=\"%.3f\"", kind, p);
    write_times();
    if (slow)
    {
        printf(" share=\"%.3f\"", 0.001 + 0.999 * weft_rng_unit(&rng));
    }
    else
    {
        write_effect();
    }
    printf("/>\n");
}

static void
write_faults(void)
{
    static const char *const weights[] = {"on", "off", "capacity"};
    for (uint32_t n = one_in(3) ? 1 + below(4) : 0; n > 0; n--)
    {
        write_link(one_in(3) ? "degrade" : "failure");
    }
    if (one_in(8))
    {
        write_random_links("random-failures", false);
    }
    if (one_in(8))
    {
        write_random_links("random-degrade", true);
    }
    if (one_in(3))
    {
        printf("  <convergence delay=\"%s\" weights=\"%s\"/>\n", one_in(5) ? "inf" : any_time(),
               some_of(weights, 3));
    }
    if (one_in(6))
    {
        printf("  <loss probability=\"%.4f\"/>\n", one_in(8) ? 1 : 0.1 * weft_rng_unit(&rng));
    }
    if (one_in(6))
    {
        printf("  <drop qp=\"%u\" packets=\"%u\" count=\"%u\" at=\"%s\"/>\n", below(3), below(4),
               1 + below(8), one_in(2) ? "top" : "last-hop");
    }
}

static void
write_measures(void)
{
    static const char *const ports[] = {"tor-down", "0:0", "0:0-1 1:0", "agg-up"};
    static const char *const switched[] = {"on", "off"};
    if (!one_in(2))
    {
        return;
    }
    printf("  <measure interval=\"%ldns\" queues=\"%s\" balance=\"%s\" flows=\"%s\"",
           (long)spread(one_in(10) ? 0 : 1000, 200000), some_of(switched, 2), some_of(switched, 2),
           some_of(switched, 2));
    if (one_in(2))
    {
        printf(" qps=\"%u\"", below(3));
    }
    if (one_in(3))
    {
        printf(" ports=\"%s\"", some_of(ports, 4));
    }
    if (one_in(4))
    {
        printf(" warm-up=\"%s\" window=\"%s\"", one_in(9) ? "100s" : "10us",
               one_in(3) ? "9223372s" : "20us");
    }
    printf("/>\n");
}

/* --- the rest --------------------------------------------------------------------------------- */

static void
write_sweep(void)
{
    const struct weft_algo *a = some_algo("balancer"), *b = some_algo("balancer");
    const struct weft_algo *nic = some_algo("transport");
    if (one_in(4) && a != b)
    {
        printf("  <sweep><vary param=\"balancer.name\" values=\"%s %s\"/></sweep>\n", a->name,
               b->name);
    }
    else if (one_in(4))
    {
        printf("  <sweep><cases><case name=\"a\"><set param=\"balancer.name\" value=\"%s\"/></case>"
               "<case name=\"b\"><set param=\"transport.name\" value=\"%s\"/></case></cases>"
               "</sweep>\n",
               a->name, nic->name);
    }
    else if (one_in(6))
    {
        printf("  <sweep><seeds count=\"2\"/></sweep>\n");
    }
}

int
main(int argc, char **argv)
{
    static const char *const kinds[] = {"fabric", "switch", "scheduler", "transport",
                                        "congestion-control"};
    if (argc != 2)
    {
        fprintf(stderr, "usage: %s NUMBER\n", argv[0]);
        return 2;
    }
    const uint64_t number = strtoull(argv[1], NULL, 10);
    weft_rng_seed(&rng, number, 0, 1);
    printf("<scenario name=\"any-%llu\">\n", (unsigned long long)number);
    write_topology(number);
    for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
    {
        if (one_in(2))
        {
            write_any(kinds[i], kinds[i], "  ");
        }
    }
    write_any("balancer", "balancer", "  ");
    write_classes();
    write_workloads(number);
    write_faults();
    write_measures();
    write_sweep();
    printf("  <limit time=\"%ldns\" then=\"%s\"/>\n", (long)spread(1000, 300000),
           one_in(3) ? "error" : "stop");
    printf("  <seed value=\"%u\"/>\n</scenario>\n", below(1000));
    return 0;
}
