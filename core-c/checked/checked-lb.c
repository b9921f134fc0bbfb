/* SPDX-License-Identifier: MIT */
/* The checked build's balancers: each call is checked, and then handed on to the balancer. What the
 * checks remember lies before the balancer's own state. */
#include "checked/check.h"

#ifdef WEFT_CHECKED

#include <stdio.h>
#include <stdlib.h>

#include <weft/clos.h>

#include "base/tables.h"
#include "checked/checked-lb.h"
#include "lb/candidates.h"

#define MADE UINT64_C(0x77656674206c6221) /* init() has been here */

struct checked
{
    uint64_t made;
    const struct weft_lb_ops *ops;
    int64_t now;
    uint32_t nports;
    uint32_t nhosts; /* 0: not known */
    bool looks;      /* pick() reads queue_bytes */
};

void
weft_breach(const char *call, const char *rule)
{
    (void)fprintf(stderr, "weft: %s: %s\n", call, rule);
    abort();
}

static void *
own(struct checked *c)
{
    return (char *)c + weft_lb_part_at(sizeof *c);
}

static const void *
own_const(const struct checked *c)
{
    return (const char *)c + weft_lb_part_at(sizeof *c);
}

static void
check_time(struct checked *c, int64_t now, const char *call)
{
    WEFT_CHECK(c->made == MADE, call, "init() of this state comes first, and returns 0");
    WEFT_CHECK(now >= c->now, call, "time does not go backwards in the calls on one state");
    c->now = now;
}

/* Rounds of ascending port numbers, each a part of the first one. */
static bool
is_in_order(const struct weft_ports *ports)
{
    uint32_t first = 1;
    while (first < ports->n && weft_port_at(ports, first) > weft_port_at(ports, first - 1))
    {
        first++;
    }
    for (uint32_t i = first; i < ports->n; i++)
    {
        uint32_t k = 0;
        while (k < first && weft_port_at(ports, k) != weft_port_at(ports, i))
        {
            k++;
        }
        if (k == first)
        {
            return false;
        }
    }
    return true;
}

static void
check_ports(const struct checked *c, const struct weft_ports *ports, const char *call)
{
    WEFT_CHECK(ports->n >= 1, call, "there is at least one candidate (n)");
    for (uint32_t i = 0; i < ports->n; i++)
    {
        WEFT_CHECK(weft_port_at(ports, i) < c->nports, call,
                   "candidates are ports of the switch, below nports of its site (first, list, n)");
    }
    WEFT_CHECK(
        is_in_order(ports), call,
        "candidates come in the order of their port numbers, each by the same number always");
    WEFT_CHECK(!c->looks || ports->queue_bytes, call,
               "this balancer looks at queues (weft_lb_looks()); expected queue_bytes");
}

static void
check_packet(const struct checked *c, const struct weft_packet *packet, const char *call)
{
    WEFT_CHECK(packet->kind <= WEFT_CONTROL, call, "a packet's kind is one of weft_packet_kind");
    WEFT_CHECK(c->nhosts == 0 || packet->kind == WEFT_RAW ||
                   (packet->dst < c->nhosts && packet->src < c->nhosts),
               call, "a packet's src and dst are hosts of the site's clos, below nhosts");
}

static size_t
checked_size(const struct weft_lb_ops *ops, const void *config, const struct weft_site *site)
{
    return weft_lb_part_at(sizeof(struct checked)) + ops->state_size(config, site);
}

static int
checked_init(const struct weft_lb_ops *ops, void *state, const void *config,
             const struct weft_site *site)
{
    struct checked *c = state;
    WEFT_CHECK((uintptr_t)state % sizeof(uint64_t) == 0, "lb->init", "a state is aligned");
    *c = (struct checked){.ops = ops, .now = INT64_MIN, .nports = site->nports};
    const int code = ops->init(own(c), config, site);
    c->made = code == 0 ? MADE : 0;
    c->looks = weft_lb_looks(ops, config) && !ops->reads_ports;
    c->nhosts = code == 0 && site->clos ? site->clos->nhosts : 0;
    return code;
}

/* What lies in a reply is its transport's. */
static void
check_reply(const struct weft_packet *before, const struct weft_packet *after, const char *call)
{
    const bool same = before->echo == after->echo && before->meta[0] == after->meta[0] &&
                      before->meta[1] == after->meta[1] && before->meta[2] == after->meta[2];
    WEFT_CHECK(before->kind == WEFT_DATA || before->kind == WEFT_CONTROL || same, call,
               "a balancer writes echo and meta of data and of its own packets alone");
}

static uint32_t
checked_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    struct checked *c = state;
    check_time(c, now, "lb->pick");
    check_ports(c, ports, "lb->pick");
    check_packet(c, packet, "lb->pick");
    const struct weft_packet before = *packet;
    const uint32_t port = c->ops->pick(own(c), ports, packet, now);
    check_reply(&before, packet, "lb->pick");
    return port;
}

static uint32_t
checked_peek(const void *state, const struct weft_ports *ports, const struct weft_packet *packet)
{
    const struct checked *c = state;
    check_ports(c, ports, "lb->peek");
    check_packet(c, packet, "lb->peek");
    return c->ops->peek(own_const(c), ports, packet);
}

static void
checked_set_routes(void *state, const struct weft_fib *fib)
{
    struct checked *c = state;
    check_time(c, c->now, "lb->set_routes");
    c->ops->set_routes(own(c), fib);
}

static enum weft_arrival
checked_arrive(void *state, void *flow, struct weft_packet *packet, uint32_t *queue, int64_t now)
{
    struct checked *c = state;
    check_time(c, now, "lb->arrive");
    check_packet(c, packet, "lb->arrive");
    WEFT_CHECK(packet->in_port < c->nports, "lb->arrive",
               "in_port is the port by which the packet entered, below nports of the site");
    const struct weft_packet before = *packet;
    const enum weft_arrival verdict = c->ops->arrive(own(c), flow, packet, queue, now);
    check_reply(&before, packet, "lb->arrive");
    return verdict;
}

static void
checked_leave(void *state, struct weft_packet *data, uint32_t port, int64_t now)
{
    struct checked *c = state;
    WEFT_CHECK(c->made == MADE, "lb->leave", "init() of this state comes first, and returns 0");
    WEFT_CHECK(data->kind == WEFT_DATA, "lb->leave", "it is called for data alone");
    WEFT_CHECK(port < c->nports, "lb->leave", "a port is below nports of the site");
    c->ops->leave(own(c), data, port, now);
}

static bool
checked_request(void *state, struct weft_request *request, int64_t now)
{
    struct checked *c = state;
    check_time(c, now, "lb->request");
    return c->ops->request(own(c), request, now);
}

static int64_t
checked_deadline(const void *state)
{
    const struct checked *c = state;
    WEFT_CHECK(c->made == MADE, "lb->deadline", "init() of this state comes first, and returns 0");
    return c->ops->deadline(own_const(c));
}

static void
checked_on_deadline(void *state, int64_t now)
{
    struct checked *c = state;
    check_time(c, now, "lb->on_deadline");
    c->ops->on_deadline(own(c), now);
}

static const struct weft_lb_counters *
checked_counters(const void *state)
{
    const struct checked *c = state;
    return c->ops->counters(own_const(c));
}

static void
wrap(struct weft_lb_ops *checked, const struct weft_lb_ops *ops)
{
    *checked = *ops;
    checked->pick = checked_pick;
    checked->peek = ops->peek ? checked_peek : NULL;
    checked->set_routes = ops->set_routes ? checked_set_routes : NULL;
    checked->arrive = ops->arrive ? checked_arrive : NULL;
    checked->leave = ops->leave ? checked_leave : NULL;
    checked->request = ops->request ? checked_request : NULL;
    checked->deadline = ops->deadline ? checked_deadline : NULL;
    checked->on_deadline = ops->on_deadline ? checked_on_deadline : NULL;
    checked->counters = ops->counters ? checked_counters : NULL;
}

/* init() and state_size() are told of no state that knows its balancer: each has its own. */
#define WRAPPER(table)                                                                             \
    struct weft_lb_ops weft_checked_##table;                                                       \
    static size_t size_##table(const void *config, const struct weft_site *site)                   \
    {                                                                                              \
        return checked_size(&table, config, site);                                                 \
    }                                                                                              \
    static int init_##table(void *state, const void *config, const struct weft_site *site)         \
    {                                                                                              \
        return checked_init(&table, state, config, site);                                          \
    }
WEFT_BALANCERS(WRAPPER)

#define WRAP(table)                                                                                \
    wrap(&weft_checked_##table, &table);                                                           \
    weft_checked_##table.state_size = size_##table;                                                \
    weft_checked_##table.init = init_##table;

__attribute__((constructor)) static void
wrap_all(void)
{
    WEFT_BALANCERS(WRAP)
}

#else
typedef int weft_nothing_is_checked; /* a file of C is not empty */
#endif
