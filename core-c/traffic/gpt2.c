/* SPDX-License-Identifier: MIT */
/*
 * Training iteration of GPT-2 with tensor and data parallelism (ethereal §4; Shoeybi et al.
 * 2019). n GPUs, each a host, are n/t replicas of the model, each divided among a tensor-parallel
 * group of t. The k-th GPUs of all replicas are a data-parallel group.
 *
 * A replica goes through its layers and back. Each layer has two allreduces of the activations in
 * the forward pass (after its attention and after its MLP) and two in the backward pass (after its
 * MLP and after its attention), one after the other, with what a GPU computes in between. When the
 * backward pass has left a layer, the data-parallel groups reduce its gradients while it goes on.
 * These collectives follow one another as well, the last layer first; the embedding, which the
 * output layer shares, comes last. Sharded: reduce-scatters in this order, then the all-gathers.
 *
 * A collective goes step by step among its ranks. A rank sends a step's messages once it has
 * received those of all earlier steps of that collective, and begins a collective once it has
 * received all of the one before.
 */
#include "roster/tables.h"
#include "traffic/groups.h"

#include <stdbool.h>

#include <weft/error.h>

enum collective
{
    RING,
    DIRECT,
    DOUBLING,
};

struct gpt2_config
{
    struct weft_groups common; /* placement, start and spread alone */
    int64_t layers;
    int64_t hidden;
    int64_t sequence;
    int64_t vocabulary;
    int64_t batch;
    int64_t value;
    int64_t tensor;
    int64_t collective; /* enum collective */
    int64_t sharded;
    int64_t tflops;
};

static const struct weft_param params[] = {
    {"layers", WEFT_COUNT, WEFT_P(struct gpt2_config, layers), "48", "1", "1000", NULL,
     "Layers of the model.", "Radford et al. 2019; (ours)"},
    {"hidden", WEFT_COUNT, WEFT_P(struct gpt2_config, hidden), "1600", "1", "16384", NULL,
     "Hidden size h: a layer has 12 h^2 + 13 h parameters.", "Radford et al. 2019; (ours)"},
    {"sequence", WEFT_COUNT, WEFT_P(struct gpt2_config, sequence), "1024", "1", "65536", NULL,
     "Tokens of a sequence.", "Radford et al. 2019; (ours)"},
    {"vocabulary", WEFT_COUNT, WEFT_P(struct gpt2_config, vocabulary), "50257", "1", "1048576",
     NULL, "Tokens of the vocabulary: with the positions, h parameters of the embedding each.",
     "Radford et al. 2019; (ours)"},
    {"batch", WEFT_COUNT, WEFT_P(struct gpt2_config, batch), "1", "1", "1024", NULL,
     "Sequences of a replica in the iteration, its one micro-batch.", "(ours)"},
    {"value", WEFT_BYTES, WEFT_P(struct gpt2_config, value), "2B", "1B", "8B", NULL,
     "What an activation or a gradient takes.", "(ours)"},
    {"tensor", WEFT_COUNT, WEFT_P(struct gpt2_config, tensor), "8", "0", "1024", NULL,
     "GPUs of a tensor-parallel group, which share each layer; 1: data parallelism alone; 0: all "
     "of a server, as the topology has it.",
     "Shoeybi et al. 2019; (ours)"},
    {"collective", WEFT_CHOICE, WEFT_P(struct gpt2_config, collective), "ring", NULL, NULL,
     "ring direct doubling",
     "How collectives are done: as allreduce-ring, allreduce-direct or allreduce-doubling, the "
     "last for groups of a power of two.",
     "ethereal §4.1"},
    {"sharded", WEFT_BOOL, WEFT_P(struct gpt2_config, sharded), "off", NULL, NULL, NULL,
     "Gradients are reduced and scattered, and when all of them are the parameters are gathered; "
     "off: an allreduce of each layer's gradients.",
     "ethereal §4.2 names both; (ours)"},
    {"placement", WEFT_CHOICE, WEFT_P(struct gpt2_config, common.placement), "blocked", NULL, NULL,
     "interleaved blocked random",
     "Which hosts form a tensor-parallel group: every so many hosts, consecutive ones, or random "
     "ones.",
     "(ours)"},
    {"tflops", WEFT_COUNT, WEFT_P(struct gpt2_config, tflops), "312", "1", "1000000", NULL,
     "Rate of a GPU, 10^12 operations per second: a layer takes 2 (forward) or 4 (backward) times "
     "its parameters and tokens, divided by tensor and this.",
     "A100 in BF16; (ours)"},
    WEFT_START_PARAMS,
};

/* Kind of group, and the collectives that each of its GPUs takes part in. */
struct chain
{
    enum collective how;
    uint32_t ranks;
    uint32_t log;      /* 2^log = ranks, of doubling */
    uint32_t steps;    /* of a whole allreduce */
    uint32_t parts;    /* collectives that an allreduce is divided into: 1 or 2 */
    uint32_t peers;    /* that a rank sends to in a step, and receives from */
    uint32_t qps;      /* of a rank */
    uint32_t n;        /* collectives */
    uint32_t messages; /* of a rank in a collective */
};

/* The whole iteration, as far as all GPUs are alike. */
struct plan
{
    const struct gpt2_config *c;
    struct weft_groups groups; /* the replicas */
    struct chain tensor, data;
    uint64_t messages, next, qps; /* of a GPU */
    uint32_t ngroups, data_group; /* the first data-parallel group */
    int64_t forward, backward;    /* ps: of a layer */
    int64_t head;                 /* ps: of the output layer, there and back */
};

static uint64_t
layer_parameters(const struct gpt2_config *c)
{
    const uint64_t h = (uint64_t)c->hidden;
    return 12 * h * h + 13 * h;
}

/* ps: 10^12 operations per second are one per picosecond. */
static int64_t
computing(const struct gpt2_config *c, uint64_t operations, uint64_t parameters)
{
    const uint64_t tokens = (uint64_t)c->batch * (uint64_t)c->sequence;
    return (int64_t)(operations * parameters * tokens / (uint64_t)(c->tensor * c->tflops));
}

static struct chain
make_chain(const struct gpt2_config *c, uint32_t ranks, uint32_t parts, uint32_t n)
{
    struct chain h = {.how = (enum collective)c->collective, .ranks = ranks, .parts = parts};
    if (ranks < 2)
    {
        return h;
    }
    while (ranks >> h.log > 1)
    {
        h.log++;
    }
    const uint32_t steps[] = {[RING] = 2 * (ranks - 1), [DIRECT] = 2, [DOUBLING] = 2 * h.log};
    const uint32_t qps[] = {[RING] = 1, [DIRECT] = ranks - 1, [DOUBLING] = h.log};
    h.steps = steps[h.how];
    h.peers = h.how == DIRECT ? ranks - 1 : 1;
    h.qps = qps[h.how];
    h.n = n * parts;
    h.messages = h.steps / parts * h.peers;
    return h;
}

static struct plan
make_plan(const struct gpt2_config *c, const struct weft_hosts *hosts)
{
    const uint32_t layers = (uint32_t)c->layers, t = (uint32_t)c->tensor;
    const uint32_t replicas = hosts->n / t;
    struct plan p = {.c = c, .groups = c->common};
    p.groups.groups = replicas;
    p.tensor = make_chain(c, t, 1, 4 * layers);
    p.data = make_chain(c, replicas, c->sharded ? 2 : 1, layers + 1);
    p.messages = (uint64_t)p.tensor.n * p.tensor.messages + (uint64_t)p.data.n * p.data.messages;
    /* A collective's first messages are named by the one before; those of data-parallel groups by
     * the backward pass of their layer, too. */
    p.next = p.messages - p.tensor.peers - p.data.peers;
    p.next += p.tensor.n > 0 ? (uint64_t)layers * p.data.peers : 0;
    p.qps = (uint64_t)p.tensor.qps + p.data.qps;
    p.data_group = p.tensor.n > 0 ? replicas : 0;
    p.ngroups = p.data_group + (p.data.n > 0 ? t : 0);
    p.forward = computing(c, 2, layer_parameters(c));
    p.backward = computing(c, 4, layer_parameters(c));
    p.head = computing(c, 6, (uint64_t)c->vocabulary * (uint64_t)c->hidden);
    return p;
}

static bool
whole_replicas(const struct gpt2_config *c, const struct weft_hosts *hosts)
{
    return c->tensor >= 1 && c->tensor <= hosts->n && hosts->n % (uint32_t)c->tensor == 0 &&
           hosts->n >= 2;
}

static bool
power_of_two(uint32_t n)
{
    return (n & (n - 1)) == 0;
}

/* Returns the configuration with the GPUs of a tensor-parallel group. */
static struct gpt2_config
resolve(const void *config, const struct weft_hosts *hosts)
{
    struct gpt2_config c = *(const struct gpt2_config *)config;
    c.tensor = c.tensor ? c.tensor : hosts->gpus;
    return c;
}

/* Why tensor-parallel groups are not the fabric's servers, where they are to be. */
static const char *
servers_refusal(const struct gpt2_config *c, const struct weft_hosts *hosts)
{
    struct weft_groups replicas = c->common;
    replicas.groups = hosts->n;
    return c->tensor > 0 ? NULL
           : hosts->gpus == 0
               ? "nothing says how many GPUs a server has; expected a topology with "
                 "gpus-per-server, or tensor above 0"
               : weft_groups_whole_servers_refusal(&replicas, hosts->gpus, hosts->gpus, hosts);
}

static const char *
gpt2_refusal(const void *config, const struct weft_hosts *hosts)
{
    const struct gpt2_config c = resolve(config, hosts);
    const char *servers = servers_refusal(config, hosts);
    return servers != NULL ? servers
           : whole_replicas(&c, hosts)
               ? "recursive doubling needs groups of a power of two; expected such a tensor and "
                 "such a number of replicas"
               : "the hosts are not whole replicas; expected two hosts at least, and a multiple of "
                 "tensor";
}

static int
gpt2_count(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    const struct gpt2_config own = resolve(config, hosts), *c = &own;
    if (hosts->n > WEFT_MAX_MESSAGES)
    {
        return WEFT_EOVERFLOW;
    }
    if (servers_refusal(config, hosts) != NULL || !whole_replicas(c, hosts) ||
        (c->collective == DOUBLING &&
         !(power_of_two((uint32_t)c->tensor) && power_of_two(hosts->n / (uint32_t)c->tensor))))
    {
        return WEFT_ERANGE;
    }
    const struct plan p = make_plan(c, hosts);
    if (p.messages > WEFT_MAX_MESSAGES / hosts->n ||
        p.forward + p.backward > (WEFT_NEVER - p.head) / 2 / c->layers)
    {
        return WEFT_EOVERFLOW;
    }
    const uint32_t scratch = c->common.placement == WEFT_RANDOM ? hosts->n : 0;
    out->nmessages = hosts->n * (uint32_t)p.messages;
    out->nnext = hosts->n * (uint32_t)p.next + scratch;
    out->nqps = hosts->n * (uint32_t)p.qps;
    out->ngroups = p.ngroups;
    out->nsteps = p.tensor.n + p.data.n;
    out->bytes = 0;
    return 0;
}

static int
gpt2_size(const void *config, const struct weft_hosts *hosts, struct weft_traffic_size *out)
{
    return weft_workload_refuse(gpt2_count(config, hosts, out), config, hosts, gpt2_refusal);
}

/* Returns what a GPU computes before collective @p k of its replica, ps; its attention has a third
 * of a layer's parameters. */
static int64_t
before_tensor(const struct plan *p, uint32_t k)
{
    const uint32_t backwards = p->tensor.n / 2;
    if (k < backwards)
    {
        return k % 2 == 0 ? p->forward / 3 : p->forward - p->forward / 3;
    }
    return (k % 2 == 0 ? p->backward - p->backward / 3 : p->backward / 3) +
           (k == backwards ? p->head : 0);
}

/* When the backward pass has left the layers that the first @p k + 1 data-parallel collectives are
 * about, where no allreduce holds it up. */
static int64_t
before_data(const struct plan *p, uint32_t k)
{
    const int64_t layers = p->c->layers;
    return layers * p->forward + p->head + (k < layers ? k + 1 : layers) * p->backward;
}

/* Returns the bytes of a collective's vector. */
static uint64_t
vector_bytes(const struct plan *p, bool data, uint32_t k)
{
    const struct gpt2_config *c = p->c;
    const uint64_t h = (uint64_t)c->hidden, length = (uint64_t)c->sequence;
    const uint64_t value = (uint64_t)c->value, t = (uint64_t)c->tensor;
    if (!data)
    {
        return (uint64_t)c->batch * length * h * value;
    }
    const uint32_t layers = (uint32_t)c->layers;
    const uint32_t all = layers + 1;
    /* Gathered again in the order of the forward pass. */
    const bool embedding = k < all ? k == layers : k == all;
    const uint64_t embedded = ((uint64_t)c->vocabulary + length) * h;
    return ((embedding ? embedded : layer_parameters(c)) * value - 1) / t + 1;
}

/* Exchange of a step: the peer by its rank, the QP to it, and by what the vector is divided. */
struct exchange
{
    uint32_t peer, qp, divisor;
};

static struct exchange
exchange_of(const struct chain *h, uint32_t rank, uint32_t step, uint32_t i)
{
    if (h->how != DOUBLING)
    {
        return (struct exchange){(rank + 1 + i) % h->ranks, i, h->ranks};
    }
    const uint32_t bit = step < h->log ? h->log - 1 - step : step - h->log;
    return (struct exchange){rank ^ (UINT32_C(1) << bit), bit, h->ranks >> bit};
}

/* A GPU as a member of one of its two groups. */
struct member
{
    const struct plan *p;
    const struct chain *chain;
    bool data;
    uint32_t replica, place;
    uint32_t rank;
};

/* Whether the gradients of a layer are there after collective @p k. */
static bool
leaves_layer(const struct member *g, uint32_t k)
{
    return !g->data && k >= g->chain->n / 2 && k % 2 == 1;
}

/*
 * The successors of a GPU's collective: its messages of later steps, then the first ones of what
 * the collective releases. Whoever sends the GPU something in a step names all that is behind it.
 */
struct list
{
    uint32_t first, n; /* in next */
};

static struct list
list_of(const struct member *g, uint32_t gpu, uint32_t k)
{
    const struct chain *h = g->chain, *tensor = &g->p->tensor;
    const uint32_t peers = g->p->data.peers, layers = (uint32_t)g->p->c->layers;
    const uint32_t back = !g->data && k > h->n / 2 ? (k - h->n / 2) / 2 : 0;
    struct list list = {gpu * (uint32_t)g->p->next + k * h->messages + back * peers, 0};
    if (g->data && tensor->n > 0)
    {
        list.first += tensor->n * tensor->messages - tensor->peers + layers * peers;
    }
    list.n = h->messages - h->peers + (leaves_layer(g, k) ? peers : 0);
    list.n += k + 1 < h->n ? h->peers : 0;
    return list;
}

/* The first message of collective @p k. */
static uint32_t
first_of(const struct plan *p, bool data, uint32_t gpu, uint32_t k)
{
    const uint32_t tensor = p->tensor.n * p->tensor.messages;
    return gpu * (uint32_t)p->messages +
           (data ? tensor + k * p->data.messages : k * p->tensor.messages);
}

static uint32_t *
name(uint32_t first, uint32_t n, uint32_t *next)
{
    for (uint32_t i = 0; i < n; i++)
    {
        *next++ = first + i;
    }
    return next;
}

static void
fill_list(const struct member *g, uint32_t gpu, uint32_t k, uint32_t *next)
{
    const struct chain *h = g->chain;
    const uint32_t first = first_of(g->p, g->data, gpu, k);
    uint32_t *end = next + list_of(g, gpu, k).first;
    end = name(first + h->peers, h->messages - h->peers, end);
    if (leaves_layer(g, k))
    {
        const uint32_t layer = (k - h->n / 2) / 2;
        end = name(first_of(g->p, true, gpu, layer), g->p->data.peers, end);
    }
    if (k + 1 < h->n)
    {
        name(first + h->messages, h->peers, end);
    }
}

/* Sets what the first step of collective @p k waits for, and what the GPU computes then. */
static void
wait_for_others(const struct member *g, uint32_t k, struct weft_message *m)
{
    const struct plan *p = g->p;
    struct weft_groups wait = p->groups;
    uint32_t waits = k > 0 ? g->chain->messages : 0;
    if (g->data)
    {
        waits += k < (uint32_t)p->c->layers ? p->tensor.messages : 0;
        m->start += p->tensor.n > 0 ? 0 : before_data(p, k);
    }
    else
    {
        wait.compute = before_tensor(p, k);
        m->start += waits > 0 ? 0 : wait.compute;
    }
    weft_groups_wait(&wait, waits, m);
}

/* Message @p at of collective @p k, of a vector of @p bytes. */
static void
fill_message(const struct member *g, uint32_t k, uint32_t at, uint64_t bytes,
             struct weft_message *m)
{
    const struct plan *p = g->p;
    const struct chain *h = g->chain;
    const uint32_t t = (uint32_t)p->c->tensor, gpu = g->replica * t + g->place;
    const uint32_t step = at / h->peers, part = k / (h->n / h->parts);
    const struct exchange e =
        exchange_of(h, g->rank, part * (h->steps / h->parts) + step, at % h->peers);
    const uint32_t replica = g->data ? e.peer : g->replica, place = g->data ? g->place : e.peer;
    const struct list list = list_of(g, replica * t + place, k);
    *m = (struct weft_message){.bytes = (bytes - 1) / e.divisor + 1, .start = p->groups.start};
    m->src = weft_groups_host(&p->groups, t, g->replica, g->place);
    m->dst = weft_groups_host(&p->groups, t, replica, place);
    m->qp = gpu * (uint32_t)p->qps + (g->data ? p->tensor.qps : 0) + e.qp;
    m->group = g->data ? p->data_group + g->place : g->replica;
    m->step = (g->data ? p->tensor.n : 0) + k;
    m->first_next = list.first + step * h->peers;
    m->nnext = list.n - step * h->peers;
    if (step == 0)
    {
        wait_for_others(g, k, m);
    }
    else
    {
        m->waits = step * h->peers;
    }
}

static void
fill_gpu(const struct member *g, struct weft_message *messages, uint32_t *next)
{
    const uint32_t gpu = g->replica * (uint32_t)g->p->c->tensor + g->place;
    for (uint32_t k = 0; k < g->chain->n; k++)
    {
        const uint32_t first = first_of(g->p, g->data, gpu, k);
        const uint64_t bytes = vector_bytes(g->p, g->data, k);
        for (uint32_t i = 0; i < g->chain->messages; i++)
        {
            fill_message(g, k, i, bytes, &messages[first + i]);
        }
        fill_list(g, gpu, k, next);
    }
}

static int
gpt2_fill(const void *config, const struct weft_hosts *hosts, uint64_t seed, uint64_t run,
          struct weft_message *messages, uint32_t *next)
{
    const struct gpt2_config own = resolve(config, hosts), *c = &own;
    struct weft_traffic_size size;
    const int error = gpt2_size(config, hosts, &size);
    if (error)
    {
        return error;
    }
    const struct plan p = make_plan(c, hosts);
    const uint32_t t = (uint32_t)c->tensor;
    for (uint32_t gpu = 0; gpu < hosts->n; gpu++)
    {
        const uint32_t replica = gpu / t, place = gpu % t;
        const struct member in[] = {{&p, &p.tensor, false, replica, place, place},
                                    {&p, &p.data, true, replica, place, replica}};
        fill_gpu(&in[0], messages, next);
        fill_gpu(&in[1], messages, next);
    }
    weft_groups_finish(&c->common, hosts, &size, seed, run, messages, next);
    return 0;
}

const struct weft_workload_ops weft_workload_gpt2 = {
    {"gpt2",
     "A training iteration of GPT-2, tensor and data parallel: allreduces of activations and "
     "gradients, and what GPUs compute.",
     "ethereal §4; Shoeybi et al. 2019", params, sizeof params / sizeof params[0], NULL, 0,
     sizeof(struct gpt2_config), NULL},
    gpt2_size,
    gpt2_fill,
    NULL,
    WEFT_TABLE_NONE,
    NULL,
    NULL,
};
