/* SPDX-License-Identifier: MIT */
/* Ethereal's planner (ethereal §3.1, §3.2): see ethereal.c. */
#include "base/gcd.h"
#include "lb/ethereal.h"
#include "roster/tables.h"

#include <string.h>

#include <weft/error.h>

/* A host's, as a planner. */
struct ethereal_planner
{
    struct weft_ethereal_host *host;
    int64_t spread;
    uint64_t payload; /* bytes of a full packet */
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
    if (site->payload < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site does not say how long a packet is; expected payload > 0");
    }
    *(struct ethereal_planner *)planner =
        (struct ethereal_planner){.host = (struct weft_ethereal_host *)site->path,
                                  .spread = ((const struct weft_ethereal_config *)config)->spread,
                                  .payload = (uint64_t)site->payload};
    return 0;
}

static uint32_t
planner_qps(const void *config)
{
    (void)config;
    return 1;
}

static uint32_t
planner_most_qps(const void *planner, uint32_t dst)
{
    const struct weft_ethereal_host *h = ((const struct ethereal_planner *)planner)->host;
    const uint32_t paths = weft_ethereal_paths(h, weft_clos_tor(h->clos, dst));
    return paths > 0 ? paths : 1;
}

/* Parts of a message at most: none is shorter than a full packet, but of a message that is. */
static uint32_t
most_of(const struct weft_plan_message *message, uint64_t payload, uint32_t n)
{
    const uint64_t packets = message->bytes / payload;
    return packets < 1 ? 1 : packets < n ? (uint32_t)packets : n;
}

/* Parts at most, twice: where they are put in order, a copy of them lies behind them. And where
 * messages are sorted, one more for each, at the end. */
static size_t
planner_most_parts(const void *planner, const struct weft_plan_message *messages, size_t n)
{
    const struct ethereal_planner *p = planner;
    size_t most = n;
    for (size_t i = 0; i < n; i++)
    {
        most += 2 * (size_t)most_of(&messages[i], p->payload, p->host->npaths);
    }
    return most;
}

typedef bool (*is_before)(const struct weft_plan_part *a, const struct weft_plan_part *b,
                          const struct weft_plan_message *messages);

static bool
has_fewer_bytes(const struct weft_plan_part *a, const struct weft_plan_part *b,
                const struct weft_plan_message *messages)
{
    (void)messages;
    return a->bytes < b->bytes;
}

static bool
is_earlier(const struct weft_plan_part *a, const struct weft_plan_part *b,
           const struct weft_plan_message *messages)
{
    (void)messages;
    return a->delay < b->delay;
}

/* Below 0: the QP of a comes first, 0: it is the same one. */
static int
compare_qps(const struct weft_plan_part *a, const struct weft_plan_part *b,
            const struct weft_plan_message *messages)
{
    const uint32_t x = messages[a->message].connection, y = messages[b->message].connection;
    return x != y ? (x < y ? -1 : 1) : a->qp != b->qp ? (a->qp < b->qp ? -1 : 1) : 0;
}

static bool
is_before_by_qp(const struct weft_plan_part *a, const struct weft_plan_part *b,
                const struct weft_plan_message *messages)
{
    const int qps = compare_qps(a, b, messages);
    return qps != 0 ? qps < 0 : a->message < b->message;
}

/* Shell sort. */
static void
sort_parts(struct weft_plan_part *keys, size_t n, is_before before,
           const struct weft_plan_message *messages)
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
            for (; at >= gap && before(&key, &keys[at - gap], messages); at -= gap)
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
    return weft_ethereal_paths(h, tor) == 0 ? 0 : (uint64_t)tor + 1;
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
    sort_parts(keys, n, has_fewer_bytes, messages);
}

/* A deal of messages over the paths to one ToR that may be used. */
struct deal
{
    struct weft_ethereal_host *host;
    const struct weft_plan_message *messages;
    int64_t now;
    uint64_t payload;
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
begin_deal(const struct ethereal_planner *p, const struct weft_plan_message *messages, uint32_t tor,
           int64_t now)
{
    struct weft_ethereal_host *h = p->host;
    struct deal d = {.host = h,
                     .messages = messages,
                     .now = now,
                     .payload = p->payload,
                     .npaths = weft_ethereal_paths(h, tor)};
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

/* Deals a message out in so many parts, if it is long enough, the first ones a byte longer. Returns
 * how many there are. */
static size_t
deal_message(struct deal *d, uint32_t message, uint32_t wanted, struct weft_plan_part *parts)
{
    const uint64_t bytes = d->messages[message].bytes;
    const uint32_t n = most_of(&d->messages[message], d->payload, wanted);
    for (uint32_t i = 0; i < n; i++)
    {
        const uint64_t share = bytes / n + (i < bytes % n);
        parts[i] = (struct weft_plan_part){
            .message = message, .qp = i, .bytes = share, .label = deal_label(d), .labelled = true};
    }
    return n;
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

/* Posts messages that stay in the rack whole and at once. Returns how many there are. */
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

/* Whether two messages go over the same QPs. @p keys: room for n. */
static bool
share_connections(const struct weft_plan_message *messages, size_t n, struct weft_plan_part *keys)
{
    for (size_t i = 0; i < n; i++)
    {
        keys[i].bytes = (uint64_t)messages[i].connection << 32 | i;
    }
    sort_parts(keys, n, has_fewer_bytes, messages);
    for (size_t i = 1; i < n; i++)
    {
        if (keys[i].bytes >> 32 == keys[i - 1].bytes >> 32)
        {
            return true;
        }
    }
    return false;
}

/* The first of the parts, which are sorted by QP, that goes over the QP of @p part. */
static size_t
first_of_qp(const struct weft_plan_part *sorted, size_t n, const struct weft_plan_part *part,
            const struct weft_plan_message *messages)
{
    size_t least = 0;
    for (size_t end = n; least < end;)
    {
        const size_t middle = least + (end - least) / 2;
        if (compare_qps(&sorted[middle], part, messages) < 0)
        {
            least = middle + 1;
        }
        else
        {
            end = middle;
        }
    }
    return least;
}

/* A QP sends its messages in the order in which they were posted: its parts take the places in the
 * random order that they have together, the earliest message the first of them. @p places: room for
 * as many. */
static void
keep_order_in_qps(const struct weft_plan_message *messages, struct weft_plan_part *parts, size_t n,
                  struct weft_plan_part *places)
{
    memcpy(places, parts, n * sizeof *parts);
    sort_parts(places, n, is_earlier, messages);
    sort_parts(parts, n, is_before_by_qp, messages);
    for (size_t i = 0; i < n; i++)
    {
        parts[i].delay = 0; /* of a QP's first: how many are placed */
    }
    for (size_t i = 0; i < n; i++)
    {
        const int64_t delay = places[i].delay;
        const size_t first = first_of_qp(parts, n, &places[i], messages);
        places[i] = parts[first + (size_t)parts[first].delay++];
        places[i].delay = delay;
    }
    memcpy(parts, places, n * sizeof *parts);
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
        struct deal deal = begin_deal(p, messages, (uint32_t)group - 1, now);
        made += deal_out(&deal, keys + first, end - first, parts + made);
    }
    shuffle(p, parts + local, made - local);
    if (share_connections(messages, n, keys))
    {
        keep_order_in_qps(messages, parts + local, made - local, parts + made);
    }
    return made;
}

const struct weft_plan_ops weft_ethereal_plan = {
    .host_size = planner_size,
    .host_init = planner_init,
    .qps = planner_qps,
    .most_qps = planner_most_qps,
    .most_parts = planner_most_parts,
    .plan = planner_plan,
};
