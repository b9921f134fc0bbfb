/* SPDX-License-Identifier: MIT */
/* Several threads run the nodes of one fabric. The nodes are in parts, two for each thread, but
 * whoever has done its own does those that nobody has begun: perhaps other programs keep a thread
 * from a processor, or some parts have little to do. */
#include "base/bitmap.h"
#include "parallel/net-ranks.h"

#include <string.h>
#include <unistd.h>

#include <weft/error.h>

#define SLAB  ((size_t)1 << 20) /* bytes that a thread takes at once */
#define STACK ((size_t)1 << 20) /* bytes of a thread's stack */
#define SPINS 2000              /* looks at what another thread is to do, before sleep */
#define FEW   256               /* arrivals in a window that are not worth two threads */

static _Thread_local struct weft_worker *g_here;

struct weft_worker *
weft_threads_here(const struct weft_net *net)
{
    return g_here && g_here->net == net ? g_here : net->threads->worker[0];
}

static void *
take_from_slab(void *of, size_t bytes)
{
    struct weft_slab *slab = of;
    const size_t rounded = (bytes + 63) / 64 * 64;
    if (rounded > slab->left)
    {
        const size_t more = rounded > SLAB / 4 ? rounded : SLAB;
        pthread_mutex_lock(&slab->of->taking);
        char *taken = slab->from.take(slab->from.of, more);
        pthread_mutex_unlock(&slab->of->taking);
        if (more == rounded)
        {
            return taken;
        }
        slab->free = taken;
        slab->left = more;
    }
    void *memory = slab->free;
    slab->free += rounded;
    slab->left -= rounded;
    return memory;
}

static void
run_part(struct weft_threads *threads, uint32_t i)
{
    struct weft_worker *worker = threads->worker[i];
    struct weft_worker *const was = g_here;
    weft_outboxes_read(worker, !threads->turn);
    g_here = worker;
    worker->outbox = threads->outbox[i][threads->turn];
    weft_worker_run(worker, threads->end);
    weft_outboxes_show(worker);
    worker->outbox = NULL;
    g_here = was;
}

static void
pause_a_little(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Until @p what is @p value, or is no more if @p unlike. */
static void
wait_for(struct weft_threads *threads, atomic_uint *what, unsigned value, bool unlike)
{
    for (int i = 0; i < SPINS && threads->spins; i++)
    {
        if ((atomic_load_explicit(what, memory_order_acquire) == value) != unlike)
        {
            return;
        }
        pause_a_little();
    }
    pthread_mutex_lock(&threads->mutex);
    atomic_fetch_add(&threads->asleep, 1);
    while ((atomic_load(what) == value) == unlike)
    {
        pthread_cond_wait(&threads->wakes, &threads->mutex);
    }
    atomic_fetch_sub(&threads->asleep, 1);
    pthread_mutex_unlock(&threads->mutex);
}

static void
wake_all(struct weft_threads *threads)
{
    if (atomic_load(&threads->asleep) > 0)
    {
        pthread_mutex_lock(&threads->mutex);
        pthread_cond_broadcast(&threads->wakes);
        pthread_mutex_unlock(&threads->mutex);
    }
}

/* Runs parts that nobody has begun, from @p first on. */
static void
run_parts(struct weft_threads *threads, uint32_t first, unsigned window)
{
    for (uint32_t k = 0; k < threads->n; k++)
    {
        const uint32_t i = (first + k) % threads->n;
        unsigned former = window - 1;
        if (atomic_compare_exchange_strong(&threads->begun[i], &former, window))
        {
            run_part(threads, i);
            if (atomic_fetch_sub(&threads->left, 1) == 1)
            {
                wake_all(threads);
            }
        }
    }
}

/* Runs parts of each window. The worker's number and net are written before its thread begins, and
 * never again: a thread may begin late. */
static void *
work(void *of)
{
    const struct weft_worker *worker = of;
    struct weft_threads *threads = worker->net->threads;
    for (unsigned window = 0;;)
    {
        wait_for(threads, &threads->window, window, true);
        window = atomic_load(&threads->window);
        if (threads->quits)
        {
            return NULL;
        }
        run_parts(threads, worker->number, window);
    }
}

/* Counts the arrivals of the last window at all workers. */
static uint32_t
take_arrivals(const struct weft_threads *threads)
{
    uint32_t arrivals = 0;
    for (uint32_t i = 0; i < threads->n; i++)
    {
        arrivals += threads->worker[i]->arrivals;
        threads->worker[i]->arrivals = 0;
    }
    return arrivals;
}

/* Whether there are others than the caller's. */
static bool
has_others(const struct weft_threads *threads)
{
    return !threads->quits && threads->process == getpid();
}

void
weft_threads_run(struct weft_net *net, int64_t end)
{
    struct weft_threads *threads = net->threads;
    const uint32_t arrivals = take_arrivals(threads);
    const bool together = threads->n > 1 && arrivals >= FEW && has_others(threads);
    /* Arrivals of all: a thread's own cache does not have what others have written. */
    for (uint32_t i = 0; i < threads->n; i++)
    {
        weft_worker_expect(threads->worker[i], arrivals);
    }
    threads->end = end;
    if (together)
    {
        const unsigned window = atomic_load(&threads->window) + 1;
        atomic_store(&threads->left, threads->n);
        atomic_store(&threads->window, window);
        wake_all(threads);
        run_parts(threads, 0, window);
        wait_for(threads, &threads->left, 0, false);
    }
    for (uint32_t i = 0; i < threads->n && !together; i++)
    {
        run_part(threads, i);
    }
    threads->turn = !threads->turn;
    threads->is_pending = true;
}

int64_t
weft_threads_next(const struct weft_net *net)
{
    const struct weft_threads *threads = net->threads;
    int64_t next = WEFT_NEVER;
    for (uint32_t i = 0; i < threads->n; i++)
    {
        const int64_t own = weft_worker_next(threads->worker[i]);
        next = own < next ? own : next;
        for (uint32_t to = 0; to < threads->n; to++)
        {
            const int64_t at = threads->outbox[i][!threads->turn][to].soonest;
            next = at < next ? at : next;
        }
    }
    return net->ranks && net->ranks->elsewhere < next ? net->ranks->elsewhere : next;
}

void
weft_threads_settle(const struct weft_net *net)
{
    struct weft_threads *threads = net->threads;
    const struct weft_node *asks = weft_threads_here(net)->running;
    if (asks && !asks->watched)
    {
        return; /* they are read just now */
    }
    for (uint32_t i = 0; threads->is_pending && i < threads->n; i++)
    {
        weft_outboxes_read(threads->worker[i], !threads->turn);
    }
    threads->is_pending = false;
}

void
weft_threads_run_node(const struct weft_net *net, uint32_t node, int64_t until)
{
    const struct weft_threads *threads = net->threads;
    struct weft_worker *worker = threads->worker[net->run_by[node]];
    struct weft_worker *const was = g_here;
    struct weft_outbox *box = threads->outbox[worker->number][threads->turn];
    g_here = worker;
    worker->outbox = box;
    weft_node_run(worker, node, until);
    weft_outboxes_show(worker);
    worker->outbox = NULL;
    g_here = was;
    for (uint32_t to = 0; to < threads->n; to++)
    {
        weft_outbox_read(threads->worker[to], &box[to]);
    }
}

void
weft_threads_sum_degrees(const struct weft_net *net, uint32_t level)
{
    for (uint32_t i = 1; i < net->threads->n; i++)
    {
        uint64_t *from = net->threads->worker[i]->algos[level].ooo_degrees;
        for (uint32_t k = 0; k < WEFT_OOO_DEGREES; k++)
        {
            net->algos[level].ooo_degrees[k] += from[k];
            from[k] = 0;
        }
    }
}

static uint8_t
tier_of(const struct weft_net *net, uint32_t index)
{
    struct weft_switch_map map;
    weft_clos_switch(net->config.clos, index, &map);
    return map.tier;
}

uint32_t
weft_net_next_tier(const struct weft_net *net, uint32_t index)
{
    const uint8_t tier = tier_of(net, index);
    do
    {
        index++;
    } while (index < net->nswitches && tier_of(net, index) == tier);
    return index;
}

/* Behind the last node of a tier; hosts are one. */
static uint32_t
next_tier(const struct weft_net *net, uint32_t node)
{
    return net->nhosts + (node < net->nhosts ? 0 : weft_net_next_tier(net, node - net->nhosts));
}

/* Narrows a row of nodes to those from the first to the last that this rank runs. */
static void
keep_to_rank(const struct weft_net *net, uint32_t *first, uint32_t *end)
{
    while (*first < *end && weft_node_is_elsewhere(net, *first))
    {
        ++*first;
    }
    while (*first < *end && weft_node_is_elsewhere(net, *end - 1))
    {
        --*end;
    }
}

/* Neighbouring nodes of a tier have one thread, and as far as possible hosts that of their ToR. */
static void
cut(struct weft_net *net, uint8_t *thread)
{
    const uint32_t nodes = net->nhosts + net->nswitches;
    for (uint32_t tier = 0, next; tier < nodes; tier = next)
    {
        next = next_tier(net, tier);
        uint32_t first = tier;
        uint32_t end = next;
        keep_to_rank(net, &first, &end);
        for (uint32_t i = first; i < end; i++)
        {
            thread[i / WEFT_BLOCK] =
                (uint8_t)((uint64_t)(i / WEFT_BLOCK * WEFT_BLOCK < first
                                         ? 0
                                         : i / WEFT_BLOCK * WEFT_BLOCK - first) *
                          net->threads->n / (end - first));
        }
    }
}

/* A port whose neighbour another worker runs tells it nothing by itself. */
static void
part(const struct weft_net *net, struct weft_node *node, struct weft_port *port)
{
    struct weft_worker *worker = node->worker;
    const uint32_t peer = (uint32_t)(port->peer_due - net->due);
    const size_t word = (size_t)(port->peer_coming - net->coming) - (size_t)peer * net->words;
    if (net->run_by[peer] == worker->number)
    {
        return;
    }
    port->remote = weft_take(&worker->memory, sizeof *port->remote);
    *port->remote = (struct weft_remote){
        .at = WEFT_NEVER, .node = peer, .port = (uint32_t)word * 64 + weft_ctz64(port->peer_bit)};
    port->peer_due = &port->remote->at;
    port->peer_coming = &worker->nowhere;
    for (uint32_t c = 0; c < net->classes; c++)
    {
        port->lane[c].shown = port->lane[c].left;
    }
}

/* Gives each worker its nodes. */
static void
hand_out(struct weft_net *net)
{
    struct weft_threads *threads = net->threads;
    const uint32_t nodes = net->nhosts + net->nswitches;
    uint8_t *worker = weft_take(&net->first.memory, nodes / WEFT_BLOCK + 1);
    cut(net, worker);
    for (uint32_t i = 0; i < threads->n; i++)
    {
        threads->worker[i]->nblocks = 0;
        threads->worker[i]->block =
            weft_take(&threads->worker[i]->memory, (nodes / WEFT_BLOCK + 1) * sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < nodes; i++)
    {
        struct weft_worker *of = threads->worker[worker[i / WEFT_BLOCK]];
        if (i % WEFT_BLOCK == 0)
        {
            of->block[of->nblocks++] = i;
        }
        if (!weft_node_is_elsewhere(net, i))
        {
            net->run_by[i] = (uint8_t)of->number;
            net->node[i]->worker = of;
        }
    }
    for (uint32_t i = 0; i < nodes; i++)
    {
        for (uint32_t k = 0; !weft_node_is_elsewhere(net, i) && k < net->node[i]->nports; k++)
        {
            part(net, net->node[i], &net->node[i]->port[k]);
        }
    }
}

/* Algorithms of receivers, with counters of a worker's own. */
static const struct weft_nic_algos *
copy_algos(const struct weft_net *net, const struct weft_memory *memory)
{
    struct weft_nic_algos *algos = weft_take(memory, sizeof net->algos);
    for (uint32_t k = 0; k < net->config.nlevels; k++)
    {
        algos[k] = net->algos[k];
        algos[k].ooo_degrees = weft_take(memory, WEFT_OOO_DEGREES * sizeof(uint64_t));
    }
    return algos;
}

static void
make_worker(struct weft_net *net, struct weft_worker *worker, uint32_t i)
{
    struct weft_threads *threads = net->threads;
    threads->worker[i] = worker;
    threads->slab[i] = (struct weft_slab){.of = threads, .from = threads->memory};
    threads->frames[i] = (struct weft_slab){.of = threads, .from = net->config.frames};
    weft_worker_begin(worker, net);
    worker->number = i;
    worker->far = &weft_outbox_far;
    worker->memory = (struct weft_memory){.take = take_from_slab, .of = &threads->slab[i]};
    worker->chunks.take = take_from_slab;
    worker->chunks.of = &threads->frames[i];
    worker->chunks.worker = i;
    worker->algos = i > 0 ? copy_algos(net, &worker->memory) : net->algos;
    for (uint32_t turn = 0; turn < 2; turn++)
    {
        struct weft_outbox *box =
            weft_take(&worker->memory, threads->boxes * sizeof *threads->outbox[i][turn]);
        threads->outbox[i][turn] = box;
        for (uint32_t to = 0; to < threads->boxes; to++)
        {
            box[to].soonest = WEFT_NEVER;
        }
    }
}

int
weft_net_set_threads(struct weft_net *net, uint32_t n)
{
    if (n < 1 || n > WEFT_NET_THREADS || net->threads)
    {
        return WEFT_ERANGE;
    }
    if (n == 1 && !net->ranks)
    {
        return 0;
    }
    struct weft_threads *threads = weft_take(&net->first.memory, sizeof *threads);
    net->threads = threads;
    threads->n = n > 1 ? n * WEFT_PARTS_EACH : 1;
    threads->boxes = threads->n + (net->ranks ? net->ranks->with.n : 0);
    threads->memory = net->first.memory;
    threads->spins = sysconf(_SC_NPROCESSORS_ONLN) >= (long)n;
    threads->process = getpid();
    pthread_mutex_init(&threads->taking, NULL);
    pthread_mutex_init(&threads->mutex, NULL);
    pthread_cond_init(&threads->wakes, NULL);
    for (uint32_t i = 0; i < threads->n; i++)
    {
        make_worker(net, i > 0 ? weft_take(&net->first.memory, sizeof net->first) : &net->first, i);
    }
    hand_out(net);
    for (uint32_t i = 0; i < net->nqps; i++)
    {
        struct weft_net_qp *q = net->qp[i];
        if (q && !weft_node_is_elsewhere(net, q->qp.dst))
        {
            q->qp.algos_rx = &net->node[q->qp.dst]->worker->algos[q->qp.algos->sl];
        }
    }
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    for (threads->running = 1; threads->running < n; threads->running++)
    {
        const uint32_t i = threads->running;
        if (pthread_create(&threads->thread[i], &small, work, threads->worker[i * WEFT_PARTS_EACH]))
        {
            break; /* pthread_create failed: the remaining workers take over its parts */
        }
    }
    pthread_attr_destroy(&small);
    return 0;
}

void
weft_net_stop_threads(struct weft_net *net)
{
    struct weft_threads *threads = net->threads;
    if (!threads || !has_others(threads))
    {
        return;
    }
    threads->quits = true;
    atomic_fetch_add(&threads->window, 1);
    wake_all(threads);
    for (uint32_t i = 1; i < threads->running; i++)
    {
        pthread_join(threads->thread[i], NULL);
    }
}
