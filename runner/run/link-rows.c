/* SPDX-License-Identifier: GPL-2.0-only */
/* Links of a run: what each direction carried and lost, and what held it up. */
#include <math.h>
#include <stdlib.h>

#include "collect.h"
#include "mpi-ranks.h"
#include "node-numbers.h"
#include "textbuf.h"

/** Sums over ranks of one direction, of which the port that sends and the one that receives may be
 * at two of them. */
enum word
{
    FRAMES,
    BYTES,
    BUSY,
    PEAK_QUEUE,
    MARKED,
    DROPPED_BUFFER,
    DROPPED_LINK,
    DROPPED_LOSSY,
    DROPPED_CORRUPTED,
    PAUSED,
    DOWN,
    LOSSY,
    WORDS,
};

struct link_way
link_way_of(const struct simulation *sim, uint64_t i)
{
    struct weft_link link;
    weft_planes_link(sim->clos, i / 2, &link);
    return i % 2 ? (struct link_way){link.upper, link.lower}
                 : (struct link_way){link.lower, link.upper};
}

/** Describes the port at an end, unless another rank runs it. */
static bool
port_at(const struct simulation *sim, const struct weft_end *end, struct weft_net_port *is)
{
    const uint32_t node = end->is_host ? end->index : sim->clos->nhosts + end->index;
    const bool here = weft_net_is_here(sim->net, node);
    if (here)
    {
        weft_net_port_status(sim->net, node, end->port, is);
    }
    return here;
}

/** How long something held by the end of a run. */
static uint64_t
held(const struct weft_net_span *span, int64_t end)
{
    return (uint64_t)(span->sum + (span->since < end ? end - span->since : 0));
}

static void
count_way(const struct simulation *sim, const struct link_way *way, int64_t end, uint64_t *word)
{
    struct weft_net_port is;
    if (port_at(sim, &way->from, &is))
    {
        word[FRAMES] = is.frames;
        word[BYTES] = is.bytes;
        word[BUSY] = (uint64_t)is.busy;
        word[PEAK_QUEUE] = is.peak_queue;
        word[MARKED] = is.marks;
        word[DROPPED_BUFFER] = is.dropped;
        word[PAUSED] = held(&is.paused_for, end);
    }
    if (port_at(sim, &way->to, &is))
    {
        word[DROPPED_LINK] = is.lost_down;
        word[DROPPED_LOSSY] = is.lost_lossy;
        word[DROPPED_CORRUPTED] = is.corrupted;
        word[DOWN] = held(&is.down_for, end);
        word[LOSSY] = held(&is.lossy_for, end);
    }
}

/** Name of the layer of what sends. */
static const char *
layer_of_way(const struct weft_clos *clos, const struct link_way *way)
{
    const char *const *names;
    struct weft_switch_map map;
    weft_clos_switch(clos, way->from.is_host ? way->to.index : way->from.index, &map);
    if (way->from.is_host)
    {
        return map.tier == WEFT_TIER_SERVER ? "server-up" : "host-up";
    }
    layer_names(clos, &names);
    return names[layer_of(clos, map.tier, way->from.port >= map.first_up)];
}

static void
fill_row(const struct simulation *sim, const struct link_way *way, const uint64_t *word,
         struct link_result *row)
{
    const struct weft_fabric_config *fabric = sim->s->fabric.config;
    const uint64_t gap = (uint64_t)fabric->gap;
    row->layer = layer_of_way(sim->clos, way);
    row->host = way->from.is_host ? (int64_t)way->from.index : -1;
    row->index = way->from.is_host ? -1 : (int64_t)way->from.index;
    row->port = way->from.port;
    row->frames = word[FRAMES];
    row->bytes = word[BYTES];
    row->queue_peak = word[PEAK_QUEUE];
    row->marked = word[MARKED];
    row->dropped_buffer = word[DROPPED_BUFFER];
    row->dropped_link = word[DROPPED_LINK];
    row->dropped_lossy = word[DROPPED_LOSSY];
    row->dropped_corrupted = word[DROPPED_CORRUPTED];
    row->paused = (int64_t)word[PAUSED];
    row->down = (int64_t)word[DOWN];
    row->lossy = (int64_t)word[LOSSY];
    row->busy = (double)word[BUSY];
    row->rate =
        word[BUSY] ? (double)(word[BYTES] + word[FRAMES] * gap) * 8e12 / row->busy : (double)NAN;
}

static enum node_kind
kind_of(const struct weft_end *end)
{
    return end->is_host ? NODE_HOST : NODE_SWITCH;
}

void
link_add_name(const struct simulation *sim, const struct link_way *way, struct text *t)
{
    node_add_name(sim->s, kind_of(&way->from), way->from.index, t);
    text_add(t, " -> ");
    node_add_name(sim->s, kind_of(&way->to), way->to.index, t);
}

/** Fills the rows of all ranks, and their names: one behind the other, each with its end. */
static void
fill_rows(const struct simulation *sim, const uint64_t *words, struct run_results *out)
{
    struct text names = {0};
    OWNED size_t *at = xcalloc(out->nlinks, sizeof *at);
    out->links = xcalloc(out->nlinks, sizeof *out->links);
    for (size_t i = 0; i < out->nlinks; i++)
    {
        const struct link_way way = link_way_of(sim, i);
        fill_row(sim, &way, &words[i * WORDS], &out->links[i]);
        at[i] = names.len;
        link_add_name(sim, &way, &names);
        text_add_bytes(&names, "", 1);
    }
    out->link_names = names.s;
    for (size_t i = 0; i < out->nlinks; i++)
    {
        out->links[i].link = names.s + at[i];
    }
}

void
collect_links(const struct simulation *sim, struct run_results *out)
{
    const size_t n = (size_t)links_listed(sim->s);
    const int64_t end = sim->done != WEFT_NEVER ? sim->done : sim->host->now();
    OWNED uint64_t *words = xcalloc(n + 1, WORDS * sizeof *words);
    for (size_t i = 0; i < n; i++)
    {
        const struct link_way way = link_way_of(sim, i);
        count_way(sim, &way, end, &words[i * WORDS]);
    }
    weft_net_sum(sim->net, words, n * WORDS);
    if (!ranks_helps())
    {
        out->nlinks = n;
        fill_rows(sim, words, out);
    }
}

void
collect_link_shares(struct run_results *out)
{
    const int64_t time = out->summary.end - out->summary.first_start;
    for (size_t i = 0; i < out->nlinks; i++)
    {
        struct link_result *l = &out->links[i];
        l->busy = time > 0 ? fmin(l->busy / (double)time, 1) : (double)NAN;
    }
}
