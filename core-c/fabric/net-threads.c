/* SPDX-License-Identifier: MIT */
/* Several threads run the nodes of one fabric. The nodes are in parts, two for each thread, but
 * whoever has done its own does those that nobody has begun: perhaps other programs keep a thread
 * from a processor, or some parts have little to do. */
#include "fabric/net-ranks.h"

#include <string.h>
#include <unistd.h>

#include <weft/error.h>

#define SLAB  ((size_t)1 << 20) /* bytes that a thread takes at once */
#define STACK ((size_t)1 << 20) /* bytes of a thread's stack */
#define SPINS 2000              /* looks at what another thread is to do, before sleep */
#define FEW   256               /* arrivals in a window that are not worth two threads */

static _Thread_local struct weft_net *g_here;

struct weft_net *
weft_threads_here(const struct weft_net *net)
{
    return g_here && g_here->threads == net->threads ? g_here : net->threads->net[0];
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
    struct weft_net *net = threads->net[i];
    struct weft_net *const was = g_here;
    weft_outboxes_read(net, !threads->turn);
    g_here = net;
    net->outbox = threads->outbox[i][threads->turn];
    weft_net_run_blocks(net, threads->end);
    weft_outboxes_show(net);
    net->outbox = NULL;
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

/* Begins with a slab, which says from first to last whose it is: what a view shares is written
 * again before each window, and a thread may begin late. */
static void *
work(void *of)
{
    const struct weft_slab *own = of;
    struct weft_threads *threads = own->of;
    const uint32_t first = (uint32_t)(own - threads->slab);
    for (unsigned window = 0;;)
    {
        wait_for(threads, &threads->window, window, true);
        window = atomic_load(&threads->window);
        if (threads->quits)
        {
            return NULL;
        }
        run_parts(threads, first, window);
    }
}

/* What all share is what it is in the caller's. */
static void
share(const struct weft_net *net, uint32_t thread)
{
    struct weft_net *other = net->threads->net[thread];
    if (other == net)
    {
        return;
    }
    memcpy(other, net, offsetof(struct weft_net, thread));
    for (uint32_t k = 0; k < net->config.nlevels; k++)
    {
        other->algos[k].ooo_degrees = other->ooo_degrees[k];
    }
}

static void
share_with_all(const struct weft_net *net)
{
    for (uint32_t i = 0; i < net->threads->n; i++)
    {
        share(net, i);
    }
}

void
weft_threads_note_change(const struct weft_net *net)
{
    share(net, weft_threads_here(net)->thread);
}

/* What has arrived in the last window, wherever. */
static uint32_t
take_arrivals(const struct weft_threads *threads)
{
    uint32_t arrivals = 0;
    for (uint32_t i = 0; i < threads->n; i++)
    {
        arrivals += threads->net[i]->arrivals;
        threads->net[i]->arrivals = 0;
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
    /* Of all: a thread's own cache does not have what others have written. */
    weft_net_expect(net, arrivals);
    share_with_all(net);
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
        const int64_t own = weft_net_next_here(threads->net[i]);
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
        weft_outboxes_read(threads->net[i], !threads->turn);
    }
    threads->is_pending = false;
}

void
weft_threads_run_node(const struct weft_net *net, uint32_t node, int64_t until)
{
    const struct weft_threads *threads = net->threads;
    struct weft_net *of = threads->net[net->run_by[node]];
    struct weft_net *const was = g_here;
    share(net, of->thread);
    g_here = of;
    of->outbox = threads->outbox[of->thread][threads->turn];
    weft_node_run(of, node, until);
    weft_outboxes_show(of);
    of->outbox = NULL;
    g_here = was;
    for (uint32_t to = 0; to < threads->n; to++)
    {
        weft_outbox_read(threads->net[to], &threads->outbox[of->thread][threads->turn][to]);
    }
}

void
weft_threads_sum_degrees(const struct weft_net *net, uint32_t level)
{
    for (uint32_t i = 1; i < net->threads->n; i++)
    {
        uint64_t *from = net->threads->net[i]->ooo_degrees[level];
        for (uint32_t k = 0; k < WEFT_OOO_DEGREES; k++)
        {
            net->algos[level].ooo_degrees[k] += from[k];
            from[k] = 0;
        }
    }
}

const struct weft_nic_algos *
weft_threads_algos(const struct weft_net *net, uint32_t host, uint32_t level)
{
    const uint32_t part = weft_node_is_elsewhere(net, host) ? 0 : net->run_by[host];
    return &net->threads->net[part]->algos[level];
}

/* Behind the last node of a tier; hosts are one. */
static uint32_t
next_tier(const struct weft_net *net, uint32_t node)
{
    return net->nhosts + (node < net->nhosts ? 0 : weft_net_next_tier(net, node - net->nhosts));
}

/* Of nodes in a row, those from the first to the last that this rank runs. */
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

/* A port whose neighbour another thread runs tells it nothing by itself. */
static void
part(const struct weft_net *net, uint32_t node, struct weft_port *port)
{
    struct weft_net *of = net->threads->net[net->run_by[node]];
    const uint32_t peer = (uint32_t)(port->peer_due - net->due);
    const size_t word = (size_t)(port->peer_coming - net->coming) - (size_t)peer * net->words;
    if (net->run_by[peer] == net->run_by[node])
    {
        return;
    }
    struct weft_remote *remote = weft_net_take(of, sizeof *remote);
    *remote = (struct weft_remote){
        .at = WEFT_NEVER, .node = peer, .port = (uint32_t)word * 64 + weft_ctz64(port->peer_bit)};
    port->is_remote = true;
    port->peer_due = &remote->at;
    port->peer_coming = &of->nowhere;
    for (uint32_t c = 0; c < net->classes; c++)
    {
        port->lane[c].shown = port->lane[c].left;
    }
}

/* Gives each thread its nodes. */
static void
hand_out(struct weft_net *net)
{
    struct weft_threads *threads = net->threads;
    const uint32_t nodes = net->nhosts + net->nswitches;
    uint8_t *thread = weft_net_take(net, nodes / WEFT_BLOCK + 1);
    cut(net, thread);
    for (uint32_t i = 0; i < threads->n; i++)
    {
        threads->net[i]->nblocks = 0;
        threads->net[i]->block =
            weft_net_take(threads->net[i], (nodes / WEFT_BLOCK + 1) * sizeof(uint32_t));
    }
    for (uint32_t i = 0; i < nodes; i++)
    {
        struct weft_net *of = threads->net[thread[i / WEFT_BLOCK]];
        if (i % WEFT_BLOCK == 0)
        {
            of->block[of->nblocks++] = i;
        }
        if (weft_node_is_elsewhere(net, i))
        {
            continue;
        }
        net->run_by[i] = (uint8_t)of->thread;
        if (i >= net->nhosts)
        {
            net->sw[i - net->nhosts].net = of;
        }
    }
    for (uint32_t i = 0; i < nodes; i++)
    {
        for (uint32_t k = 0; weft_net_is_here(net, i) && k < net->node[i]->nports; k++)
        {
            part(net, i, &net->node[i]->port[k]);
        }
    }
}

static void
make_view(struct weft_threads *threads, struct weft_net *net, uint32_t i)
{
    const struct weft_net *root = threads->net[0];
    threads->net[i] = net;
    net->thread = i;
    net->threads = threads;
    threads->slab[i] = (struct weft_slab){.of = threads, .from = threads->memory};
    threads->frames[i] = (struct weft_slab){.of = threads, .from = root->config.frames};
    net->memory = (struct weft_memory){.take = take_from_slab, .of = &threads->slab[i]};
    net->chunks.take = take_from_slab;
    net->chunks.of = &threads->frames[i];
    net->chunks.thread = i;
    for (uint32_t turn = 0; turn < 2; turn++)
    {
        threads->outbox[i][turn] =
            weft_net_take(net, threads->boxes * sizeof *threads->outbox[i][turn]);
        for (uint32_t to = 0; to < threads->boxes; to++)
        {
            threads->outbox[i][turn][to].soonest = WEFT_NEVER;
        }
    }
    for (uint32_t k = 0; k < root->config.nlevels && i > 0; k++)
    {
        net->ooo_degrees[k] = weft_net_take(net, WEFT_OOO_DEGREES * sizeof(uint64_t));
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
    struct weft_threads *threads = weft_net_take(net, sizeof *threads);
    threads->n = n > 1 ? n * WEFT_PARTS_EACH : 1;
    threads->boxes = threads->n + (net->ranks ? net->ranks->with.n : 0);
    threads->memory = net->memory;
    threads->spins = sysconf(_SC_NPROCESSORS_ONLN) >= (long)n;
    threads->process = getpid();
    pthread_mutex_init(&threads->taking, NULL);
    pthread_mutex_init(&threads->mutex, NULL);
    pthread_cond_init(&threads->wakes, NULL);
    threads->net[0] = net;
    for (uint32_t i = 0; i < threads->n; i++)
    {
        make_view(threads, i > 0 ? weft_net_take(net, sizeof *net) : net, i);
    }
    hand_out(net);
    share_with_all(net);
    for (uint32_t i = 0; i < net->nqps; i++)
    {
        struct weft_qp *qp = weft_net_qp(net, i);
        if (qp)
        {
            qp->algos_rx = weft_threads_algos(net, qp->dst, qp->algos->sl);
        }
    }
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, STACK);
    for (threads->running = 1; threads->running < n; threads->running++)
    {
        const uint32_t i = threads->running;
        if (pthread_create(&threads->thread[i], &small, work, &threads->slab[i * WEFT_PARTS_EACH]))
        {
            break; /* those that there are do its parts */
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
