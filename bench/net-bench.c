/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cases of packet-hop-cases.h on a fabric of the C core alone, without ns-3: what a packet-hop
 * costs there, and what packet-hop-bench must find as well (hops, completion, digest).
 */
#define _DEFAULT_SOURCE /* getrusage() */

#include "packet-hop-cases.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <weft/weft.h>

#define LIMIT    INT64_C(1000000000000) /* ps: no case takes a hundredth of it */
#define MAX_WORD 200

/* Workload of a case. */
struct job
{
    struct weft_collective_config graph;
    struct weft_collective *collective;
};

static struct
{
    struct weft_run *run;
    struct weft_net *net;
    struct weft_clos clos;
    struct job *job;
    uint32_t njobs;
    struct weft_blocks memory;
    uint64_t payload; /* bytes of all messages */
} bench;

static void
die(const char *what, const char *why)
{
    fprintf(stderr, "net-bench: %s: %s\n", what, why);
    exit(1);
}

/* "name parameter=value ...": the algorithm and its configuration. */
static const void *
parse(const char *kind, const char *text, const void **config)
{
    struct weft_refusal why = {0};
    const struct weft_algo *algo = weft_choice_find(kind, text, &why);
    void *made = algo ? calloc(1, algo->config_size + 8) : NULL;
    if (!algo || weft_choice_set(algo, text, made, &why))
    {
        die(text, why.text);
    }
    *config = made;
    return algo;
}

static void
make_net(const struct BenchCase *c)
{
    static struct weft_net_level level = {.share = 1, .labels = 4096, .tclass = 1};
    const void *config;
    const struct weft_topology_ops *shape = parse("topology", c->topology, &config);
    if (shape->build(config, &bench.clos))
    {
        die(c->topology, "no such shape");
    }
    level.lb = parse("balancer", c->balancer, &level.lb_config);
    level.transport = parse("transport", c->transport, &level.transport_config);
    level.cc = parse("congestion-control", c->congestionControl, &level.cc_config);
    struct weft_net_config net = {.clos = &bench.clos,
                                  .scheduler = weft_scheduler_find("strict"),
                                  .levels = &level,
                                  .nlevels = 1,
                                  .seed = 1,
                                  .run = 1,
                                  .memory = {weft_blocks_take, &bench.memory}};
    parse("fabric", c->frames, &config);
    memcpy(&net.frame, config, sizeof net.frame);
    parse("switch", c->switches, &config);
    memcpy(&net.buffer, config, sizeof net.buffer);
    struct weft_refusal why = {.text = ""};
    bench.run =
        weft_run_make(&(struct weft_run_config){.memory = {weft_blocks_take, &bench.memory}});
    const int code = weft_run_build(bench.run, &net, &why);
    if (code)
    {
        die(c->name, weft_refusal_text(code, &why));
    }
    bench.net = weft_run_net(bench.run);
}

static void
add_job(const char *text, const struct weft_table *table)
{
    const void *config;
    const struct weft_workload_ops *ops = parse("workload", text, &config);
    struct job *job = &bench.job[bench.njobs++];
    struct weft_refusal why = {.text = ""};
    if (ops->use)
    {
        ops->use((void *)(uintptr_t)config, table);
    }
    int code = weft_run_fill(bench.run, ops, config, &job->graph, &why);
    job->graph.alone = true;
    code = code ? code : weft_run_collective(bench.run, &job->graph, &job->collective, &why);
    if (code)
    {
        die(text, weft_refusal_text(code, &why));
    }
    for (uint32_t i = 0; i < job->graph.size.nmessages; i++)
    {
        bench.payload += job->graph.messages[i].bytes;
    }
}

static void
build(const struct BenchCase *c, int64_t bytes)
{
    make_net(c);
    bench.job = calloc(c->shifts + 1, sizeof *bench.job);
    char text[MAX_WORD];
    if (c->busy > 0)
    {
        struct weft_table_flow *flows = calloc(c->busy, sizeof *flows);
        FillBenchRing(c, bench.clos.nhosts, bytes, flows);
        add_job(c->workload, &(struct weft_table){.flows = flows, .nflows = c->busy});
    }
    for (uint32_t i = 1; i <= (c->shifts ? c->shifts : c->busy == 0); i++)
    {
        const int n = snprintf(text, sizeof text, "%s bytes=%" PRId64 "B", c->workload, bytes);
        if (c->shifts > 0)
        {
            snprintf(text + n, sizeof text - (size_t)n, " shift=%" PRIu32, 15 * i);
        }
        add_job(text, NULL);
    }
}

/* When the last message was delivered, ps, and a digest as packet-hop-bench has it. */
static int64_t
read_times(uint64_t *digest)
{
    int64_t end = 0;
    *digest = 0;
    for (uint32_t i = 0; i < bench.njobs; i++)
    {
        const struct weft_collective_config *graph = &bench.job[i].graph;
        for (uint32_t k = 0; k < graph->size.nmessages; k++)
        {
            const struct weft_message_times *t = &graph->times[k];
            *digest = weft_mix64(*digest ^ (uint64_t)t->posted);
            *digest = weft_mix64(*digest ^ (uint64_t)t->delivered);
            *digest = weft_mix64(*digest ^ (uint64_t)t->acked);
        }
        struct weft_collective_state state;
        weft_collective_describe(bench.job[i].collective, &state);
        end = state.last_delivery > end ? state.last_delivery : end;
    }
    return end;
}

static double
cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

static int64_t
peak_bytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (int64_t)usage.ru_maxrss * 1024;
}

static double
wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int
run(const struct BenchCase *c, int64_t bytes, uint32_t threads)
{
    const double begin = cpu_seconds();
    build(c, bytes);
    if (weft_run_set_threads(bench.run, threads))
    {
        die("--threads", "not so many");
    }
    const double start = cpu_seconds();
    const int64_t before = peak_bytes();
    const double wall = wall_seconds();
    weft_run_until(bench.run, LIMIT);
    const double elapsed = wall_seconds() - wall;
    const double seconds = cpu_seconds() - start;
    uint64_t digest;
    const int64_t end = read_times(&digest);
    struct weft_net_counters count;
    weft_net_total(bench.net, &count);
    printf("case=%c name=%s bytes=%" PRId64 " hosts=%" PRIu32
           " setup_s=%.3f cpu_s=%.3f wall_s=%.3f",
           c->letter, c->name, bytes, bench.clos.nhosts, start - begin, seconds, elapsed);
    printf(" hops=%" PRIu64 " ns_per_hop=%.2f peak_bytes=%" PRId64 " run_bytes=%" PRId64,
           count.hops, seconds * 1e9 / (double)count.hops, peak_bytes(), peak_bytes() - before);
    printf(" completion_ps=%" PRId64 " digest=%016" PRIx64 "\n", end, digest);
    if (count.payload != bench.payload)
    {
        fprintf(stderr, "net-bench: case %c: not every byte was delivered once\n", c->letter);
        return 1;
    }
    return 0;
}

/* The value of an option, or NULL if @p word is another one. */
static const char *
value_of(const char *word, const char *name)
{
    const size_t n = strlen(name);
    return strncmp(word, name, n) == 0 ? word + n : NULL;
}

static int64_t
parse_bytes(const char *text)
{
    static const struct weft_param size = {"--bytes", WEFT_BYTES, 0,    NULL, "1B",
                                           "1000GB",  NULL,       NULL, NULL};
    int64_t bytes;
    if (weft_param_parse(&size, text, &bytes))
    {
        die(text, "expected a size, as in --bytes=64KiB");
    }
    return bytes;
}

int
main(int argc, char **argv)
{
    struct BenchCase c = {.name = NULL};
    int64_t bytes = 0;
    uint32_t threads = 1;
    for (int i = 1; i < argc; i++)
    {
        const char *value;
        if ((value = value_of(argv[i], "--case=")) != NULL && FindBenchCase(value))
        {
            c = *FindBenchCase(value);
        }
        else if ((value = value_of(argv[i], "--bytes=")) != NULL)
        {
            bytes = parse_bytes(value);
        }
        else if ((value = value_of(argv[i], "--threads=")) != NULL)
        {
            threads = (uint32_t)strtoul(value, NULL, 10);
        }
        else if ((value = value_of(argv[i], "--balancer=")) != NULL)
        {
            c.balancer = value;
        }
        else if ((value = value_of(argv[i], "--transport=")) != NULL)
        {
            c.transport = value;
        }
        else if ((value = value_of(argv[i], "--congestion-control=")) != NULL)
        {
            c.congestionControl = value;
        }
        else
        {
            die(argv[i], "expected --case=a to k, --bytes=SIZE, --threads=N, --balancer=TEXT, "
                         "--transport=TEXT or --congestion-control=TEXT, the case first");
        }
    }
    if (!c.name)
    {
        die("--case=NAME", "is missing");
    }
    return run(&c, bytes ? bytes : c.bytes, threads);
}
