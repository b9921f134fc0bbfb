/* SPDX-License-Identifier: MIT */
/* Arrivals at a node within a window, in their order. */
#include "node/arrivals.h"

#define LEAST_BUCKETS 64U
#define LINE          64U /* bytes of a cache line */
#define FRAMES_AHEAD  4U
#define MOST_LEAVING  33U
#define MOST_LISTS    128U
#define FEW           8U /* arrivals that are not worth buckets, packets not worth to be loaded */

static __attribute__((noinline, cold)) void
grow(struct weft_worker *worker, uint32_t more)
{
    uint32_t size = worker->arriving_size ? worker->arriving_size : 64;
    while (size < worker->narriving + more)
    {
        size *= 2;
    }
    /* An entry of zeros before the first one ends an insertion; one more stands behind the last. */
    struct weft_arriving *unsorted = weft_take(&worker->memory, (size + 2) * sizeof *unsorted);
    unsorted++;
    for (uint32_t i = 0; i < worker->narriving; i++)
    {
        unsorted[i] = worker->unsorted[i];
    }
    worker->unsorted = unsorted;
    worker->arriving = weft_take(&worker->memory, (size + 2) * sizeof *unsorted);
    worker->arriving++;
    worker->arriving_size = size;
}

/* Room for @p more arrivals. */
static inline void
make_room(struct weft_worker *worker, uint32_t more)
{
    if (worker->narriving + more > worker->arriving_size)
    {
        grow(worker, more);
    }
}

/* The frames of a chunk are yet to be looked at: it goes back when the node has run. */
static inline void
keep_for_later(struct weft_worker *worker, struct weft_chunk *chunk)
{
    chunk->next = worker->read;
    worker->read = chunk;
}

/* Returns how many frames of a lane ever left, as its reader sees it. */
static inline uint32_t
left_of(const struct weft_lane *lane, const struct weft_port *to)
{
    if (to->remote)
    {
        return __atomic_load_n(&lane->shown, __ATOMIC_ACQUIRE);
    }
    return lane->left;
}

/* Has the lines loaded of so many bytes, two at a time. */
static inline void
load_bytes(const void *from, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += 2 * LINE)
    {
        weft_load_line(from, at);
        weft_load_line(from, at + LINE);
    }
}

/* Frames of a lane that are still to be loaded, in the chunks behind one. */
struct to_load
{
    const struct weft_chunk *behind;
    uint32_t n;
};

/* Has @p n frames from a place on loaded as far as its chunk goes. Returns how many lists there are
 * of those behind it. */
static inline uint32_t
load_first(struct weft_place from, uint32_t n, struct to_load *list, uint32_t nlists)
{
    const uint32_t here = (uint32_t)(from.end - from.frame);
    load_bytes(from.frame, (n < here ? n : here) * sizeof *from.frame);
    if (n > here && nlists < MOST_LISTS)
    {
        list[nlists++] = (struct to_load){weft_chunk_of(&from), n - here};
    }
    return nlists;
}

/* Chunk by chunk of all lists in turn: by then it is here which one is behind it. */
static void
load_behind(struct to_load *list, uint32_t n)
{
    while (n > 0)
    {
        uint32_t kept = 0;
        for (uint32_t i = 0; i < n; i++)
        {
            const struct weft_chunk *chunk = list[i].behind->next;
            if (!chunk)
            {
                continue;
            }
            load_bytes(chunk, sizeof *chunk);
            if (list[i].n > WEFT_CHUNK_FRAMES)
            {
                list[kept++] = (struct to_load){chunk, list[i].n - WEFT_CHUNK_FRAMES};
            }
        }
        n = kept;
    }
}

/* Where the frames under way do not fit a cache, a node waits less for them if all are asked for
 * at once: what has come, what waits, and the places where what goes on will be written. */
static uint32_t
load_port(const struct weft_worker *worker, const struct weft_port *port, struct to_load *list,
          uint32_t nlists)
{
    for (uint32_t c = 0; c < worker->classes; c++)
    {
        const struct weft_lane *from = &port->from[c];
        const struct weft_lane *to = &port->lane[c];
        const uint32_t n = left_of(from, port) - from->taken;
        if (n > 0)
        {
            nlists = load_first(from->head, n, list, nlists);
        }
        if (to->waiting > FEW) /* a shorter queue was written of late, and is still here */
        {
            nlists = load_first(to->first, to->waiting < MOST_LEAVING ? to->waiting : MOST_LEAVING,
                                list, nlists);
        }
        load_bytes(to->last.frame, FRAMES_AHEAD * sizeof *to->last.frame);
    }
    return nlists;
}

/* Frames of one lane. Returns when the next one comes, or WEFT_NEVER. */
static inline int64_t
collect_lane(struct weft_worker *worker, struct weft_lane *lane, const struct weft_port *to,
             int64_t until)
{
    const uint16_t port = to->index;
    const uint32_t left = left_of(lane, to);
    uint32_t taken = lane->taken;
    if (left == taken)
    {
        return WEFT_NEVER;
    }
    make_room(worker, left - taken);
    const uint64_t key_at_0 = (WEFT_IS_FRAME | port) - ((uint64_t)worker->base << WEFT_TIE_BITS);
    struct weft_arriving *a = worker->unsorted + worker->narriving;
    struct weft_place place = lane->head;
    int64_t next = WEFT_NEVER;
    do
    {
        if (place.frame == place.end)
        {
            struct weft_chunk *read = weft_chunk_of(&place);
            place = weft_chunk_begin(read->next);
            keep_for_later(worker, read);
        }
        struct weft_frame *frame = place.frame;
        const int64_t at = frame->at;
        if (at >= until)
        {
            next = at;
            break;
        }
        frame->d.in_port = port;
        a->key = key_at_0 + ((uint64_t)at << WEFT_TIE_BITS);
        a->of.frame = frame;
        a++;
        place.frame++;
        taken++;
    } while (taken != left);
    worker->runs += taken != lane->taken;
    worker->narriving += taken - lane->taken;
    lane->taken = taken;
    lane->head = place;
    return next;
}

static int64_t
collect_pauses(struct weft_worker *worker, struct weft_pfc_lane *lane, uint16_t port, int64_t until)
{
    while (lane->taken != lane->sent)
    {
        const struct weft_pfc *pfc = &lane->ring[lane->taken & (lane->size - 1)];
        if (pfc->at >= until)
        {
            return pfc->at;
        }
        make_room(worker, 1);
        struct weft_arriving *a = &worker->unsorted[worker->narriving++];
        a->key = (uint64_t)(pfc->at - worker->base) << WEFT_TIE_BITS | port;
        a->of.pfc = (uint64_t)pfc->tclass << 1 | pfc->pause;
        lane->taken++;
        worker->runs++;
    }
    return WEFT_NEVER;
}

static int64_t
collect_port(struct weft_worker *worker, struct weft_port *port, int64_t until)
{
    int64_t next = collect_pauses(worker, port->pfc_from, port->index, until);
    for (uint32_t c = 0; c < worker->classes; c++)
    {
        const int64_t at = collect_lane(worker, &port->from[c], port, until);
        next = at < next ? at : next;
    }
    return next;
}

/* In place and stable. What lies before the first is no later than any. */
static void
insertion_sort(struct weft_arriving *a, uint32_t n)
{
    const struct weft_arriving *end = a + n;
    for (struct weft_arriving *i = a + 1; i < end; i++)
    {
        const struct weft_arriving x = *i;
        struct weft_arriving *k = i;
        for (; k[-1].key > x.key; k--)
        {
            k[0] = k[-1];
        }
        if (k != i)
        {
            *k = x;
        }
    }
}

static void
make_buckets(struct weft_worker *worker)
{
    if (worker->nbuckets < worker->narriving || worker->nbuckets == 0)
    {
        worker->nbuckets = worker->nbuckets ? worker->nbuckets : LEAST_BUCKETS;
        while (worker->nbuckets < worker->narriving)
        {
            worker->nbuckets *= 2;
        }
        worker->bucket =
            weft_take(&worker->memory, (worker->nbuckets + 1) * sizeof *worker->bucket);
    }
}

/* Into buckets of equal width, which hold about one each, and then in place. */
static void
sort(struct weft_worker *worker, int64_t width)
{
    const uint32_t n = worker->narriving;
    const struct weft_arriving *from = worker->unsorted;
    struct weft_arriving *to = worker->arriving;
    make_buckets(worker);
    uint32_t buckets = 2;
    uint32_t shift = WEFT_TIE_BITS;
    while (2 * buckets < n)
    {
        buckets *= 2;
    }
    while (width >> (shift - WEFT_TIE_BITS) >= buckets)
    {
        shift++;
    }
    uint32_t *bucket = worker->bucket;
    for (uint32_t i = 0; i <= buckets; i++)
    {
        bucket[i] = 0;
    }
    for (uint32_t i = 0; i < n; i++)
    {
        bucket[(from[i].key >> shift) + 1]++;
    }
    for (uint32_t i = 1; i < buckets; i++)
    {
        bucket[i] += bucket[i - 1];
    }
    for (uint32_t i = 0; i < n; i++)
    {
        to[bucket[from[i].key >> shift]++] = from[i];
    }
    insertion_sort(to, n);
}

/* Puts what was collected in order: by time, PFC frames first, by port. */
static void
put_in_order(struct weft_worker *worker, int64_t width)
{
    struct weft_arriving *sorted = worker->unsorted;
    if (worker->runs > 1 && worker->narriving > FEW)
    {
        sort(worker, width);
        return;
    }
    if (worker->runs > 1)
    {
        insertion_sort(sorted, worker->narriving);
    }
    worker->unsorted = worker->arriving;
    worker->arriving = sorted;
}

/* Gives the memory back of lanes by which nothing more comes: others need as much. The lanes of
 * another thread are being written. */
static __attribute__((noinline)) void
empty_port(struct weft_worker *worker, const struct weft_port *port)
{
    for (uint32_t c = 0; c < worker->classes; c++)
    {
        struct weft_chunk *last = weft_lane_empty(&port->from[c]);
        if (last)
        {
            keep_for_later(worker, last);
        }
    }
}

/* All ports by which something comes: mostly something leaves there as well. */
static __attribute__((noinline)) void
load_node(const struct weft_worker *worker, const struct weft_node *node, const uint64_t *coming)
{
    struct to_load list[MOST_LISTS];
    uint32_t n = 0;
    for (uint32_t word = 0; word < worker->words; word++)
    {
        for (uint64_t bits = coming[word]; bits != 0; bits &= bits - 1)
        {
            n = load_port(worker, &node->port[word * 64 + weft_ctz64(bits)], list, n);
        }
    }
    load_behind(list, n);
}

void
weft_node_collect(struct weft_worker *worker, struct weft_node *node, int64_t until)
{
    uint64_t *coming = worker->coming + (size_t)node->number * worker->words;
    if (worker->loads_ahead)
    {
        load_node(worker, node, coming);
    }
    worker->runs = 0;
    worker->narriving = 0;
    worker->ndrawn = 0;
    node->next = WEFT_NEVER;
    for (uint32_t word = 0; word < worker->words; word++)
    {
        for (uint64_t bits = coming[word]; bits != 0; bits &= bits - 1)
        {
            struct weft_port *port = &node->port[word * 64 + weft_ctz64(bits)];
            const int64_t next = collect_port(worker, port, until);
            if (next == WEFT_NEVER)
            {
                coming[word] &= ~(UINT64_C(1) << weft_ctz64(bits));
                if (!port->remote || port->is_fed)
                {
                    empty_port(worker, port);
                }
            }
            node->next = next < node->next ? next : node->next;
        }
    }
    worker->arrivals += worker->narriving;
    make_room(worker, 1);
    put_in_order(worker, until - worker->base);
    worker->arriving[worker->narriving].key = WEFT_COMES_NEVER;
}

void
weft_node_draw_order(struct weft_worker *worker, const struct weft_node *node, uint32_t first)
{
    struct weft_arriving *a = worker->arriving + first;
    const uint64_t order = weft_tie_order(node->tie_salt, weft_arrives_at(worker, a));
    const uint64_t next_instant = weft_key_behind(a->key);
    a->key ^= order;
    for (a++; a->key < next_instant; a++)
    {
        const struct weft_arriving x = {.key = a->key ^ order, .of = a->of};
        struct weft_arriving *k = a;
        for (; k[-1].key > x.key; k--)
        {
            k[0] = k[-1];
        }
        *k = x;
    }
    worker->ndrawn = (uint32_t)(a - worker->arriving);
}
