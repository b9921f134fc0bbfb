/* SPDX-License-Identifier: MIT */
/* Sends of a program's ranks, as messages: all at once here, without what they wait for. The run
 * posts each when its operation begins (run/play.c). */
#include "traffic/trace.h"

#include "base/text-out.h"
#include "roster/tables.h"
#include "traffic/groups.h"

#include <math.h>
#include <string.h>

#include <weft/error.h>

struct trace_config
{
    struct weft_groups common;
    double compute_scale;
    int64_t eager; /* bytes */
    struct weft_program *program;
    const uint32_t *place; /* [nplaces]: hosts of ranks; NULL: by placement */
    uint32_t nplaces;
};

static const struct weft_param params[] = {
    {"placement", WEFT_CHOICE, WEFT_P(struct weft_groups, placement), "blocked", NULL, NULL,
     "interleaved blocked random",
     "Where ranks are if there are more hosts: at hosts spread evenly, at the first ones, or at "
     "random ones.",
     "(ours)"},
    {"rails", WEFT_COUNT, WEFT_P(struct weft_groups, rails), "0", "0", "4096", NULL,
     "Hosts of a server, each at a ToR of its own (rail-optimised): ranks are numbered server by "
     "server; 0: as the topology has it, and else ToR by ToR.",
     "Wang et al. 2023 (rail-only)"},
    {"start", WEFT_TIME, WEFT_P(struct weft_groups, start), "0s", "0s", "1000s", NULL,
     "No operation begins before this time.", "(ours)"},
    {"compute-scale", WEFT_REAL, WEFT_P(struct trace_config, compute_scale), "1", "0", "1000000",
     NULL, "Factor by which times of computing are multiplied.", "(ours)"},
    {"eager", WEFT_BYTES, WEFT_P(struct trace_config, eager), "1000000GB", "0B", "1000000GB", NULL,
     "Largest message that is sent without asking; of a larger one the sender asks first and the "
     "receiver answers when its receive is posted, by messages of 64 B.",
     "LogGOPS (Hoefler et al. 2010)"},
};

static void
trace_use(void *config, const struct weft_table *table)
{
    struct trace_config *c = config;
    c->program = table->program;
    c->place = table->place;
    c->nplaces = table->nplaces;
}

struct weft_trace
weft_trace_of(const void *config)
{
    const struct trace_config *c = config;
    return (struct weft_trace){c->program, c->common.start, c->compute_scale, (uint64_t)c->eager};
}

/* Marks the connections that the messages of a program use, and counts these. Returns how many. */
static uint64_t
mark_connections(const struct weft_trace *t)
{
    struct weft_program *program = t->program;
    uint64_t messages = 0;
    uint32_t n = 0;
    for (uint32_t i = 0; i < program->nconnections; i++)
    {
        program->qp[i] = WEFT_NO_OP;
    }
    for (uint32_t i = 0; i < program->nops; i++)
    {
        const struct weft_op *op = &program->ops[i];
        if (op->kind == WEFT_OP_SEND)
        {
            const uint32_t connection = program->connection[n++];
            program->qp[connection] = 0;
            messages += weft_trace_messages(t, op);
            if (op->amount > t->eager)
            {
                program->qp[program->back[connection]] = 0;
            }
        }
    }
    return messages;
}

/* Numbers QPs and messages, once for all who ask for them with one threshold. */
static int
number_all(const struct weft_trace *t)
{
    struct weft_program *program = t->program;
    if (program->nmessages > 0 && program->eager == t->eager)
    {
        return 0;
    }
    const uint64_t messages = mark_connections(t);
    program->nqps = 0;
    for (uint32_t i = 0; i < program->nconnections; i++)
    {
        program->qp[i] = program->qp[i] == 0 ? program->nqps++ : WEFT_NO_OP;
    }
    program->eager = t->eager;
    program->nmessages = messages > WEFT_MAX_MESSAGES ? 0 : (uint32_t)messages;
    return messages > WEFT_MAX_MESSAGES ? WEFT_EOVERFLOW : 0;
}

/* Hosts of which every k-th one has a rank. */
static uint32_t
stride_of(const struct trace_config *c, const struct weft_hosts *hosts)
{
    return c->common.placement == WEFT_INTERLEAVED ? hosts->n / c->program->nranks : 1;
}

void
weft_trace_place(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
                 uint32_t *host)
{
    const struct trace_config *c = config;
    const uint32_t rails = weft_groups_rails(&c->common, hosts);
    if (c->place)
    {
        memcpy(host, c->place, c->program->nranks * sizeof *host);
        return;
    }
    if (c->common.placement == WEFT_RANDOM)
    {
        weft_groups_shuffle(hosts->n, seed, run, host);
    }
    for (uint32_t r = 0; r < c->program->nranks; r++)
    {
        struct weft_message m = {.src = r * stride_of(c, hosts)};
        m.src = c->common.placement == WEFT_RANDOM ? host[r] : m.src;
        weft_groups_number(rails, hosts, 1, &m);
        host[r] = m.src;
    }
}

static int
refuse_ranks(const struct trace_config *c, const struct weft_hosts *hosts)
{
    char buf[WEFT_REFUSAL_BYTES];
    struct weft_text text = {buf, sizeof buf, 0};
    weft_text_put(&text, "the trace has ");
    weft_text_u64(&text, c->program->nranks);
    weft_text_put(&text, " ranks, each at a host of its own; there are ");
    weft_text_u64(&text, hosts->n);
    weft_text_put(&text, " hosts");
    weft_text_end(&text);
    return weft_refuse(hosts->why, WEFT_ERANGE, NULL, buf);
}

/* Whether each rank has a host that is there. */
static bool
places_exist(const struct trace_config *c, const struct weft_hosts *hosts)
{
    bool exist = c->nplaces == c->program->nranks;
    for (uint32_t r = 0; exist && r < c->nplaces; r++)
    {
        exist = c->place[r] < hosts->n;
    }
    return exist;
}

static int
trace_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct trace_config *c = config;
    if (!c->program || c->program->nsends == 0)
    {
        return weft_refuse(hosts->why, WEFT_ERANGE, NULL,
                           "nothing is sent; expected a trace with a send at least");
    }
    if (c->program->nranks > hosts->n)
    {
        return refuse_ranks(c, hosts);
    }
    if (c->place && !places_exist(c, hosts))
    {
        return weft_refuse(hosts->why, WEFT_ERANGE, NULL,
                           "ranks are placed at hosts that are not there, or not all are placed; "
                           "expected a host for each rank");
    }
    if (!(c->compute_scale >= 0) || c->eager < 0 || c->common.start < 0)
    {
        return weft_refuse_config(hosts->why, &weft_workload_trace.algo, config);
    }
    struct weft_groups groups = c->common;
    uint32_t ranks;
    groups.groups = groups.bytes = 1;
    int code = weft_groups_ranks(&groups, hosts, &ranks); /* for rails that are none */
    if (code)
    {
        return weft_groups_refuse(code, &groups, hosts);
    }
    const struct weft_trace t = weft_trace_of(config);
    code = number_all(&t);
    *out = (struct weft_traffic_size){.nmessages = c->program->nmessages,
                                      .nqps = c->program->nqps,
                                      .nnext = hosts->n,
                                      .ngroups = 1,
                                      .nsteps = 1};
    return code ? weft_refuse(hosts->why, code, NULL, weft_workload_excess(code)) : 0;
}

/* Writes the messages of a send: for a rendezvous the question, the answer and the data. */
static struct weft_message *
fill_send(const struct weft_trace *t, struct weft_message m, uint32_t connection,
          struct weft_message *to)
{
    const struct weft_program *program = t->program;
    const struct weft_op *send = &program->ops[m.op];
    m.bytes = send->amount > 0 ? send->amount : 1;
    m.start = t->start;
    m.qp = program->qp[connection];
    if (send->amount > t->eager)
    {
        struct weft_message ask = m;
        ask.bytes = WEFT_ASKING_BYTES;
        *to++ = ask;
        ask.src = m.dst;
        ask.dst = m.src;
        ask.qp = program->qp[program->back[connection]];
        *to++ = ask;
    }
    *to++ = m;
    return to;
}

#define SEEN (UINT32_C(1) << 31)

/* Whether two ranks have one host; in the meantime a bit of host[h] says that host h has a rank. */
static bool
share_hosts(uint32_t *host, uint32_t nranks, uint32_t nhosts)
{
    bool share = false;
    memset(host + nranks, 0, (nhosts - nranks) * sizeof *host);
    for (uint32_t r = 0; r < nranks; r++)
    {
        uint32_t *seen = &host[host[r] & ~SEEN];
        share = share || (*seen & SEEN);
        *seen |= SEEN;
    }
    for (uint32_t h = 0; h < nhosts; h++)
    {
        host[h] &= ~SEEN;
    }
    return share;
}

static int
trace_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
           struct weft_message *messages, uint32_t *next)
{
    struct weft_traffic_size size;
    const int code = trace_size(config, hosts, &size);
    if (code)
    {
        return code;
    }
    const struct weft_trace t = weft_trace_of(config);
    const struct weft_program *program = t.program;
    uint32_t n = 0;
    weft_trace_place(config, hosts, seed, run, next);
    if (share_hosts(next, program->nranks, hosts->n))
    {
        return weft_refuse(hosts->why, WEFT_ERANGE, NULL,
                           "two ranks are placed at one host; expected a host of its own for each");
    }
    for (uint32_t rank = 0; rank < program->nranks; rank++)
    {
        for (uint32_t i = program->rank[rank]; i < program->rank[rank + 1]; i++)
        {
            if (program->ops[i].kind == WEFT_OP_SEND)
            {
                const struct weft_message m = {
                    .src = next[rank], .dst = next[program->ops[i].peer], .op = i};
                messages = fill_send(&t, m, program->connection[n++], messages);
            }
        }
    }
    return 0;
}

const struct weft_workload_ops weft_workload_trace = {
    {"trace",
     "What a job's ranks did, as a file records it: sends, receives and computing, and what each "
     "waits for.",
     "LogGOPSim and GOAL (Hoefler et al. 2010)", params, sizeof params / sizeof params[0], NULL, 0,
     sizeof(struct trace_config), NULL},
    trace_size,
    trace_fill,
    NULL,
    WEFT_TABLE_PROGRAM,
    trace_use,
    NULL,
};
