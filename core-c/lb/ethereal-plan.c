/* SPDX-License-Identifier: MIT */
/* Ethereal's planner (ethereal §3.1, §3.2): see ethereal.c. */
#include "base/gcd.h"
#include "base/tables.h"
#include "lb/ethereal.h"

#include <weft/error.h>

/* A host's, as a planner. */
struct ethereal_planner
{
    struct weft_ethereal_host *host;
    int64_t spread;
};

static size_t
planner_size(const void *config, const struct weft_plan_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct ethereal_planner);
}

static int
planner_init(void *planner, const void *config, const struct weft_plan_site *site)
{
    if (!site->path)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "a planner needs its host's paths; expected `path` to be the state of "
                           "host_init()");
    }
    *(struct ethereal_planner *)planner =
        (struct ethereal_planner){.host = (struct weft_ethereal_host *)site->path,
                                  .spread = ((const struct weft_ethereal_config *)config)->spread};
    return 0;
}

static uint32_t
planner_qps(const void *config)
{
    (void)config;
    return 1;
}

/* Parts at most; where messages are sorted, one more for each, behind them. */
static size_t
planner_most_parts(const void *planner, const struct weft_plan_message *messages, size_t n)
{
    const uint32_t npaths = ((const struct ethereal_planner *)planner)->host->npaths;
    size_t most = n;
    for (size_t i = 0; i < n; i++)
    {
        most += messages[i].bytes < npaths ? (size_t)messages[i].bytes : npaths;
    }
    return most;
}

/* Shell sort by `bytes`. All differ. */
static void
sort_by_bytes(struct weft_plan_part *keys, size_t n)
{
    size_t gap = 1;
    while (gap < n / 3)
    {
        gap = 3 * gap + 1;
    }
    for (; gap > 0; gap /= 3)
    {
        for (size_t i = gap; i < n; i++)
        {
            const struct weft_plan_part key = keys[i];
            size_t at = i;
            for (; at >= gap && keys[at - gap].bytes > key.bytes; at -= gap)
            {
                keys[at] = keys[at - gap];
            }
            keys[at] = key;
        }
    }
}

/* The group of the messages to a ToR: the own rack comes first. */
static uint64_t
group_of(const struct weft_ethereal_host *h, uint32_t dst)
{
    const uint32_t tor = weft_clos_tor(h->clos, dst);
    return tor == h->tor ? 0 : (uint64_t)tor + 1;
}

/* The numbers of the messages, those for one ToR together and in the order in which they were
 * posted: `bytes` is the group, and in its low half the message. */
static void
sort_messages(const struct weft_ethereal_host *h, const struct weft_plan_message *messages,
              size_t n, struct weft_plan_part *keys)
{
    for (size_t i = 0; i < n; i++)
    {
        keys[i].bytes = group_of(h, messages[i].dst) << 32 | i;
    }
    sort_by_bytes(keys, n);
}

/* A deal of messages over the paths to one ToR that may be used. */
struct deal
{
    struct weft_ethereal_host *host;
    const struct weft_plan_message *messages;
    int64_t now;
    uint32_t npaths;
    uint32_t good; /* of these */
    uint32_t next; /* path */
};

static bool
is_good(const struct deal *d, uint32_t path)
{
    return weft_ethereal_shunned(d->host)[path] <= d->now;
}

static struct deal
begin_deal(struct weft_ethereal_host *h, const struct weft_plan_message *messages, uint32_t tor,
           int64_t now)
{
    struct deal d = {
        .host = h, .messages = messages, .now = now, .npaths = weft_ethereal_paths(h, tor)};
    d.next = (uint32_t)((weft_mix64(h->salt ^ tor) >> 32) * d.npaths >> 32);
    for (uint32_t i = 0; i < d.npaths; i++)
    {
        d.good += is_good(&d, i);
    }
    if (d.good == 0)
    {
        d.good = d.npaths;
        d.now = WEFT_NEVER; /* all are used */
    }
    return d;
}

/* The next path in turn. */
static uint16_t
deal_label(struct deal *d)
{
    while (!is_good(d, d->next))
    {
        d->next = d->next + 1 < d->npaths ? d->next + 1 : 0;
    }
    const uint32_t path = d->next;
    d->next = d->next + 1 < d->npaths ? d->next + 1 : 0;
    return weft_ethereal_label(d->host, path);
}

/* Deals a message out in so many parts, the first ones a byte longer. Returns how many have one. */
static size_t
deal_message(struct deal *d, uint32_t message, uint32_t n, struct weft_plan_part *parts)
{
    const uint64_t bytes = d->messages[message].bytes;
    size_t made = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        const uint64_t share = bytes / n + (i < bytes % n);
        const uint16_t label = deal_label(d);
        if (share > 0)
        {
            parts[made++] = (struct weft_plan_part){
                .message = message, .qp = i, .bytes = share, .label = label, .labelled = true};
        }
    }
    return made;
}

/* The messages for one ToR, @p n of them. */
static size_t
deal_out(struct deal *d, const struct weft_plan_part *keys, size_t n, struct weft_plan_part *parts)
{
    const uint32_t left = (uint32_t)(n % d->good);
    const uint32_t each = left > 0 ? d->good / weft_gcd(left, d->good) : 1;
    size_t made = 0;
    for (size_t i = 0; i < n; i++)
    {
        made += deal_message(d, (uint32_t)keys[i].bytes, i < n - left ? 1 : each, parts + made);
    }
    return made;
}

/* What stays in the rack goes whole, and at once. Returns how many messages do. */
static size_t
post_local(const struct weft_plan_message *messages, const struct weft_plan_part *keys, size_t n,
           struct weft_plan_part *parts)
{
    size_t i = 0;
    for (; i < n && keys[i].bytes >> 32 == 0; i++)
    {
        const uint32_t message = (uint32_t)keys[i].bytes;
        parts[i] = (struct weft_plan_part){.message = message, .bytes = messages[message].bytes};
    }
    return i;
}

/* A random order and random starts: Fisher and Yates' shuffle. */
static void
shuffle(struct ethereal_planner *p, struct weft_plan_part *parts, size_t n)
{
    struct weft_rng *rng = &p->host->rng;
    for (size_t i = 0; i < n; i++)
    {
        const size_t other = i + weft_rng_below(rng, (uint32_t)(n - i));
        const struct weft_plan_part part = parts[other];
        parts[other] = parts[i];
        parts[i] = part;
        parts[i].delay = p->spread > 0 ? (int64_t)(weft_rng_unit(rng) * (double)p->spread) : 0;
    }
}

static size_t
planner_plan(void *planner, const struct weft_plan_message *messages, size_t n, int64_t now,
             struct weft_plan_part *parts)
{
    struct ethereal_planner *p = planner;
    struct weft_plan_part *keys = parts + planner_most_parts(planner, messages, n) - n;
    sort_messages(p->host, messages, n, keys);
    const size_t local = post_local(messages, keys, n, parts);
    size_t made = local;
    for (size_t first = local, end = local; first < n; first = end)
    {
        const uint64_t group = keys[first].bytes >> 32;
        while (end < n && keys[end].bytes >> 32 == group)
        {
            end++;
        }
        struct deal deal = begin_deal(p->host, messages, (uint32_t)group - 1, now);
        made += deal_out(&deal, keys + first, end - first, parts + made);
    }
    shuffle(p, parts + local, made - local);
    return made;
}

const struct weft_plan_ops weft_ethereal_plan = {
    .host_size = planner_size,
    .host_init = planner_init,
    .qps = planner_qps,
    .most_parts = planner_most_parts,
    .plan = planner_plan,
};
