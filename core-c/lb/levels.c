/* SPDX-License-Identifier: MIT */
/* Several balancers at one switch, by the packets' service levels. */
#include "checked/check.h"

#include <string.h>

#include <weft/error.h>
#include <weft/levels.h>

/* A switch's; the levels' states follow, each where a part's begins. */
struct levels
{
    uint32_t n;
    const struct weft_lb_ops *lb[WEFT_LEVELS];
    size_t at[WEFT_LEVELS]; /* bytes from here to each state */
    struct weft_lb_counters sum;
};

static void *
state_of(struct levels *s, uint32_t level)
{
    return (char *)s + s->at[level];
}

static const void *
state_in(const struct levels *s, uint32_t level)
{
    return (const char *)s + s->at[level];
}

static struct weft_site
site_of(const struct weft_site *site, const struct weft_levels *levels, uint32_t level)
{
    struct weft_site own = *site;
    own.seed = weft_level_seed(site->seed, level);
    own.tclass = levels->tclass[level];
    return own;
}

static uint32_t
count_of(const struct weft_levels *levels)
{
    uint32_t n = 0;
    while (n < levels->n && levels->n <= WEFT_LEVELS && levels->lb[n])
    {
        n++;
    }
    return n == levels->n ? n : 0; /* others are refused */
}

static size_t
levels_size(const void *config, const struct weft_site *site)
{
    const struct weft_levels *levels = config;
    size_t bytes = sizeof(struct levels);
    for (uint32_t i = 0; i < count_of(levels); i++)
    {
        const struct weft_site own = site_of(site, levels, i);
        bytes = weft_lb_part_at(bytes) + levels->lb[i]->state_size(levels->config[i], &own);
    }
    return bytes;
}

static int
levels_init(void *state, const void *config, const struct weft_site *site)
{
    const struct weft_levels *levels = config;
    struct levels *s = state;
    size_t bytes = sizeof(*s);
    if (levels->n < 1 || levels->n > WEFT_LEVELS)
    {
        return weft_refuse(site->why, WEFT_ERANGE, NULL, "a fabric has 1 to 8 service levels");
    }
    if (count_of(levels) == 0)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "lb of a service level is NULL; expected what weft_lb_find() finds");
    }
    memset(s, 0, sizeof(*s));
    s->n = levels->n;
    for (uint32_t i = 0; i < s->n; i++)
    {
        const struct weft_site own = site_of(site, levels, i);
        s->lb[i] = levels->lb[i];
        s->at[i] = weft_lb_part_at(bytes);
        bytes = s->at[i] + s->lb[i]->state_size(levels->config[i], &own);
        const int error = s->lb[i]->init(state_of(s, i), levels->config[i], &own);
        if (error)
        {
            return error;
        }
    }
    return 0;
}

static uint32_t
levels_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    struct levels *s = state;
    const uint32_t level = packet->sl;
    WEFT_ASSERT(level < s->n, "lb->pick", "a packet's service level (sl) is below n of the levels");
    /* A switch asks for the last live port as soon as one level wants it. */
    return weft_lb_picks(s->lb[level], ports)
               ? s->lb[level]->pick(state_of(s, level), ports, packet, now)
               : weft_port_at(ports, 0);
}

static uint32_t
levels_peek(const void *state, const struct weft_ports *ports, const struct weft_packet *packet)
{
    const struct levels *s = state;
    const uint32_t level = packet->sl;
    return s->lb[level]->peek ? s->lb[level]->peek(state_in(s, level), ports, packet)
                              : weft_port_at(ports, 0);
}

static void
levels_set_routes(void *state, const struct weft_fib *fib)
{
    struct levels *s = state;
    for (uint32_t i = 0; i < s->n; i++)
    {
        if (s->lb[i]->set_routes)
        {
            s->lb[i]->set_routes(state_of(s, i), fib);
        }
    }
}

static enum weft_arrival
levels_arrive(void *state, void *flow, struct weft_packet *packet, uint32_t *queue, int64_t now)
{
    struct levels *s = state;
    const uint32_t level = packet->sl;
    if (!s->lb[level]->arrive)
    {
        return WEFT_ARRIVAL_FORWARD;
    }
    const enum weft_arrival what =
        s->lb[level]->arrive(state_of(s, level), flow, packet, queue, now);
    if (what == WEFT_ARRIVAL_HOLD)
    {
        *queue = *queue * s->n + level;
    }
    return what;
}

static void
levels_leave(void *state, struct weft_packet *data, uint32_t port, int64_t now)
{
    struct levels *s = state;
    const uint32_t level = data->sl;
    if (s->lb[level]->leave)
    {
        s->lb[level]->leave(state_of(s, level), data, port, now);
    }
}

static bool
levels_request(void *state, struct weft_request *request, int64_t now)
{
    struct levels *s = state;
    for (uint32_t i = 0; i < s->n; i++)
    {
        if (s->lb[i]->request && s->lb[i]->request(state_of(s, i), request, now))
        {
            if (request->what == WEFT_REQUEST_RELEASE)
            {
                request->queue = request->queue * s->n + i;
            }
            else
            {
                request->packet.sl = i & (WEFT_LEVELS - 1);
            }
            return true;
        }
    }
    return false;
}

static int64_t
levels_deadline(const void *state)
{
    const struct levels *s = state;
    int64_t first = WEFT_NEVER;
    for (uint32_t i = 0; i < s->n; i++)
    {
        const int64_t at = s->lb[i]->deadline ? s->lb[i]->deadline(state_in(s, i)) : WEFT_NEVER;
        first = at < first ? at : first;
    }
    return first;
}

static void
levels_on_deadline(void *state, int64_t now)
{
    struct levels *s = state;
    for (uint32_t i = 0; i < s->n; i++)
    {
        if (s->lb[i]->on_deadline)
        {
            s->lb[i]->on_deadline(state_of(s, i), now);
        }
    }
}

static void
add(struct weft_lb_counters *sum, const struct weft_lb_counters *c)
{
    sum->reroutes += c->reroutes;
    sum->probes += c->probes;
    sum->notices += c->notices;
    sum->held += c->held;
    sum->flushed += c->flushed;
    sum->full += c->full;
    sum->queues += c->queues;
}

/* The sum is kept where the caller can point to it; the state is the switch's, and is not const. */
static const struct weft_lb_counters *
levels_counters(const void *state)
{
    const struct levels *s = state;
    struct weft_lb_counters *sum = (struct weft_lb_counters *)(uintptr_t)&s->sum;
    *sum = (struct weft_lb_counters){.reroutes = 0};
    for (uint32_t i = 0; i < s->n; i++)
    {
        if (s->lb[i]->counters)
        {
            add(sum, s->lb[i]->counters(state_in(s, i)));
        }
    }
    return sum;
}

static const struct weft_lb_ops all_hooks = {
    .algo = {.name = "levels", .doc = "Each service level has a balancer of its own."},
    .state_size = levels_size,
    .init = levels_init,
    .pick = levels_pick,
    .oblivious = true,
};

void
weft_levels_ops(const struct weft_levels *levels, struct weft_lb_ops *ops)
{
    *ops = all_hooks;
    for (uint32_t i = 0; i < count_of(levels); i++)
    {
        const struct weft_lb_ops *lb = levels->lb[i];
        ops->oblivious = ops->oblivious && !weft_lb_looks(lb, levels->config[i]);
        ops->pick_last = ops->pick_last || lb->pick_last;
        ops->peek = lb->peek ? levels_peek : ops->peek;
        ops->set_routes = lb->set_routes ? levels_set_routes : ops->set_routes;
        ops->arrive = lb->arrive ? levels_arrive : ops->arrive;
        ops->leave = lb->leave ? levels_leave : ops->leave;
        ops->request = lb->request ? levels_request : ops->request;
        ops->deadline = lb->deadline ? levels_deadline : ops->deadline;
        ops->on_deadline = lb->on_deadline ? levels_on_deadline : ops->on_deadline;
        ops->counters = lb->counters ? levels_counters : ops->counters;
    }
}
