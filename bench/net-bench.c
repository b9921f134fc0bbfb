/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The cases of packet-hop-cases.h on a fabric of the C core alone, without ns-3: what a packet-hop
 * costs there, and what packet-hop-bench must find as well (hops, completion, digest).
 */
#define _DEFAULT_SOURCE /* mmap(), madvise(), getrusage() */

#include "packet-hop-cases.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

#include <weft/weft.h>

#define LIMIT INT64_C(1000000000000) /* ps: no case takes a hundredth of it */
/* Bytes of addresses; pages are taken as they are used. A 32-bit machine has no 16 GiB of them. */
#define ROOM     (SIZE_MAX > UINT32_MAX ? SIZE_MAX >> 30 : SIZE_MAX / 4)
#define MAX_WORD 200

/* Workload of a case. */
struct job
{
    struct weft_message *message;
    uint32_t *next;
    int64_t (*time)[3]; /* [message]: posted, delivered, acknowledged; ps */
    struct weft_traffic_size size;
    uint32_t first_qp;
    uint64_t first_tag;
};

static struct
{
    struct weft_net *net;
    struct weft_clos clos;
    struct job *job;
    uint32_t njobs;
    char *memory;
    size_t used;
    uint64_t payload; /* bytes of all messages */
} bench;

static void
die(const char *what, const char *why)
{
    fprintf(stderr, "net-bench: %s: %s\n", what, why);
    exit(1);
}

static void *
take(void *of, size_t bytes)
{
    (void)of;
    void *memory = bench.memory + bench.used;
    bench.used += (bytes + 63) / 64 * 64;
    if (bench.used > ROOM)
    {
        die("memory", "more than there are addresses set aside for it");
    }
    return memory;
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

static struct job *
job_of(uint64_t tag)
{
    uint32_t i = bench.njobs - 1;
    while (bench.job[i].first_tag > tag)
    {
        i--;
    }
    return &bench.job[i];
}

static void
post(struct job *job, uint32_t i, int64_t now)
{
    const struct weft_message *m = &job->message[i];
    const int64_t at = m->delayed ? now + m->start : m->start > now ? m->start : now;
    job->time[i][0] = at;
    weft_net_post(bench.net, weft_net_qp(bench.net, job->first_qp + m->qp), m->bytes,
                  job->first_tag + i, at, job->first_tag + i);
}

/* Posts what waited for a message at the host that knows of its end. */
static void
go_on(struct job *job, uint32_t i, bool sender, int64_t now)
{
    const struct weft_message *m = &job->message[i];
    for (uint32_t k = 0; k < m->nnext; k++)
    {
        const uint32_t next = job->next[m->first_next + k];
        struct weft_message *behind = &job->message[next];
        if ((behind->src == m->src) == sender && --behind->waits == 0)
        {
            post(job, next, now);
        }
    }
}

/* The receiver of a message has it, or its sender knows that. */
static void
note_end(uint64_t tag, bool sender, int64_t now)
{
    struct job *job = job_of(tag);
    const uint32_t i = (uint32_t)(tag - job->first_tag);
    job->time[i][sender ? 2 : 1] = now;
    go_on(job, i, sender, now);
}

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    (void)qp;
    note_end(tag, false, now);
}

static void
acked(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    (void)qp;
    note_end(tag, true, now);
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
                                  .hooks = {.delivered = delivered, .acked = acked},
                                  .memory = {.take = take}};
    parse("fabric", c->frames, &config);
    memcpy(&net.frame, config, sizeof net.frame);
    parse("switch", c->switches, &config);
    memcpy(&net.buffer, config, sizeof net.buffer);
    struct weft_refusal why = {.text = ""};
    const int code = weft_net_make(&bench.net, &net, &why);
    if (code)
    {
        die(c->name, weft_refusal_text(code, &why));
    }
}

static void
add_qps(const struct BenchCase *c, struct job *job)
{
    struct weft_net_qp_site *site = calloc(job->size.nqps, sizeof *site);
    job->first_qp = weft_net_nqps(bench.net);
    for (uint32_t i = job->size.nmessages; i-- > 0;)
    {
        const struct weft_message *m = &job->message[i];
        site[m->qp] = (struct weft_net_qp_site){
            .src = m->src, .dst = m->dst, .stream = job->first_qp + m->qp};
    }
    for (uint32_t i = 0; i < job->size.nqps; i++)
    {
        struct weft_refusal why = {.text = ""};
        struct weft_qp *qp;
        const int code = weft_net_add_qp(bench.net, &site[i], &qp, &why);
        if (code)
        {
            die(c->name, weft_refusal_text(code, &why));
        }
    }
    free(site);
}

static void
add_job(const struct BenchCase *c, const char *text, const struct weft_table *table)
{
    const struct weft_hosts hosts = weft_clos_hosts(&bench.clos);
    const void *config;
    const struct weft_workload_ops *ops = parse("workload", text, &config);
    struct job *job = &bench.job[bench.njobs];
    if (ops->use)
    {
        ops->use((void *)(uintptr_t)config, table);
    }
    if (ops->size(config, &hosts, &job->size))
    {
        die(text, "not for these hosts");
    }
    job->message = calloc(job->size.nmessages, sizeof *job->message);
    job->next = calloc(job->size.nnext + 1, sizeof *job->next);
    job->time = calloc(job->size.nmessages, sizeof *job->time);
    if (ops->fill(config, &hosts, 1, 1, job->message, job->next))
    {
        die(text, "cannot be made");
    }
    job->first_tag = bench.njobs ? job[-1].first_tag + job[-1].size.nmessages : 0;
    bench.njobs++;
    add_qps(c, job);
    for (uint32_t i = 0; i < job->size.nmessages; i++)
    {
        bench.payload += job->message[i].bytes;
        if (job->message[i].waits == 0)
        {
            post(job, i, 0);
        }
    }
}

static void
build(const struct BenchCase *c, int64_t bytes)
{
    bench.memory = mmap(NULL, ROOM, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (bench.memory == MAP_FAILED)
    {
        die("memory", "no room for addresses");
    }
    madvise(bench.memory, ROOM, MADV_HUGEPAGE);
    make_net(c);
    bench.job = calloc(c->shifts + 1, sizeof *bench.job);
    char text[MAX_WORD];
    if (c->busy > 0)
    {
        struct weft_table_flow *flows = calloc(c->busy, sizeof *flows);
        FillBenchRing(c, bench.clos.nhosts, bytes, flows);
        add_job(c, c->workload, &(struct weft_table){.flows = flows, .nflows = c->busy});
    }
    for (uint32_t i = 1; i <= (c->shifts ? c->shifts : c->busy == 0); i++)
    {
        const int n = snprintf(text, sizeof text, "%s bytes=%" PRId64 "B", c->workload, bytes);
        if (c->shifts > 0)
        {
            snprintf(text + n, sizeof text - (size_t)n, " shift=%" PRIu32, 15 * i);
        }
        add_job(c, text, NULL);
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
        const struct job *job = &bench.job[i];
        for (uint32_t k = 0; k < job->size.nmessages; k++)
        {
            for (uint32_t t = 0; t < 3; t++)
            {
                *digest = weft_mix64(*digest ^ (uint64_t)job->time[k][t]);
            }
            end = job->time[k][1] > end ? job->time[k][1] : end;
        }
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
    if (weft_net_set_threads(bench.net, threads))
    {
        die("--threads", "not so many");
    }
    const double start = cpu_seconds();
    const int64_t before = peak_bytes();
    const double wall = wall_seconds();
    weft_net_run(bench.net, LIMIT);
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
            die(argv[i], "expected --case=a to j, --bytes=SIZE, --threads=N, --balancer=TEXT, "
                         "--transport=TEXT or --congestion-control=TEXT, the case first");
        }
    }
    if (!c.name)
    {
        die("--case=NAME", "is missing");
    }
    return run(&c, bytes ? bytes : c.bytes, threads);
}
