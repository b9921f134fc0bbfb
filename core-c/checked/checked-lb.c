/* SPDX-License-Identifier: MIT */
/* The checked build's balancers, the part at switches. */
#include "checked/check.h"
#include "checked/checked.h"

#ifdef WEFT_CHECKED

static const struct weft_lb_ops *
ops_of(const struct weft_checked *c)
{
    return c->ops;
}

static struct weft_checked *
at(void *state, int64_t now, const char *call)
{
    return weft_checked_at(state, WEFT_CHECKED_LB, now, call);
}

static const struct weft_checked *
of(const void *state, const char *call)
{
    return weft_checked_of(state, WEFT_CHECKED_LB, call);
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
check_ports(const struct weft_checked *c, const struct weft_ports *ports, const char *call)
{
    WEFT_CHECK(ports->n >= 1, call, "there is at least one candidate (n)");
    for (uint32_t i = 0; i < ports->n; i++)
    {
        WEFT_CHECK(weft_port_at(ports, i) < c->count, call,
                   "candidates are ports of the switch, below nports of its site (first, list, n)");
    }
    WEFT_CHECK(ports->list || ports->n <= ports->width, call,
               "width counts the group's ports when all are alive (width)");
    WEFT_CHECK(
        is_in_order(ports), call,
        "candidates come in the order of their port numbers, each by the same number always");
    WEFT_CHECK(!c->looks || ports->queue_bytes, call,
               "this balancer looks at queues (weft_lb_looks()); expected queue_bytes");
}

static void
check_packet(const struct weft_checked *c, const struct weft_packet *packet, const char *call)
{
    WEFT_CHECK(packet->kind <= WEFT_CONTROL, call, "a packet's kind is one of weft_packet_kind");
    WEFT_CHECK(weft_checked_hosts(c, packet), call,
               "a packet's src and dst are hosts of the site's clos, below nhosts");
}

static size_t
checked_size(const struct weft_lb_ops *ops, const void *config, const struct weft_site *site)
{
    weft_checked_config(&ops->algo, config, "lb->state_size");
    return weft_checked_size(ops->state_size(config, site));
}

static int
checked_init(const struct weft_lb_ops *ops, void *state, const void *config,
             const struct weft_site *site)
{
    struct weft_checked *c = weft_checked_begin(state, ops, "lb->init");
    weft_checked_config(&ops->algo, config, "lb->init");
    const int code = ops->init(weft_checked_own(c), config, site);
    c->count = site->nports;
    c->looks = weft_lb_looks(ops, config) && !ops->reads_ports;
    c->nhosts = code == 0 && site->clos ? site->clos->nhosts : 0;
    return weft_checked_end(c, WEFT_CHECKED_LB, code);
}

/* A packet goes on, and the next one comes, once all is done that the last one made the balancer
 * want. Its own packets are routed meanwhile. */
static void
check_requests(const struct weft_checked *c, bool own, const char *call)
{
    WEFT_CHECK(!c->wants || own, call,
               "after arrive() and on_deadline() request() is asked until it says false");
}

/* Checks that a balancer leaves a reply's members as its transport wrote them. */
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
    const struct weft_checked *c = at(state, now, "lb->pick");
    check_ports(c, ports, "lb->pick");
    check_packet(c, packet, "lb->pick");
    check_requests(c, packet->kind == WEFT_CONTROL, "lb->pick");
    const struct weft_packet before = *packet;
    const uint32_t port = ops_of(c)->pick(weft_checked_own(c), ports, packet, now);
    check_reply(&before, packet, "lb->pick");
    return port;
}

static uint32_t
checked_peek(const void *state, const struct weft_ports *ports, const struct weft_packet *packet)
{
    const struct weft_checked *c = of(state, "lb->peek");
    check_ports(c, ports, "lb->peek");
    check_packet(c, packet, "lb->peek");
    return ops_of(c)->peek(weft_checked_own(c), ports, packet);
}

static void
checked_set_routes(void *state, const struct weft_fib *fib)
{
    const struct weft_checked *c = of(state, "lb->set_routes");
    ops_of(c)->set_routes(weft_checked_own(c), fib);
}

static enum weft_arrival
checked_arrive(void *state, void *flow, struct weft_packet *packet, uint32_t *queue, int64_t now)
{
    struct weft_checked *c = at(state, now, "lb->arrive");
    check_packet(c, packet, "lb->arrive");
    check_requests(c, false, "lb->arrive");
    c->wants = ops_of(c)->request != NULL;
    WEFT_CHECK(packet->in_port < c->count, "lb->arrive",
               "in_port is the port by which the packet entered, below nports of the site");
    const struct weft_packet before = *packet;
    const enum weft_arrival verdict =
        ops_of(c)->arrive(weft_checked_own(c), flow, packet, queue, now);
    check_reply(&before, packet, "lb->arrive");
    return verdict;
}

static void
checked_leave(void *state, struct weft_packet *data, uint32_t port, int64_t now)
{
    const struct weft_checked *c = of(state, "lb->leave");
    WEFT_CHECK(data->kind == WEFT_DATA, "lb->leave", "it is called for data alone");
    WEFT_CHECK(port < c->count, "lb->leave", "a port is below nports of the site");
    ops_of(c)->leave(weft_checked_own(c), data, port, now);
}

static bool
checked_request(void *state, struct weft_request *request, int64_t now)
{
    struct weft_checked *c = at(state, now, "lb->request");
    c->wants = ops_of(c)->request(weft_checked_own(c), request, now);
    return c->wants;
}

static int64_t
checked_deadline(const void *state)
{
    const struct weft_checked *c = of(state, "lb->deadline");
    return ops_of(c)->deadline(weft_checked_own(c));
}

static void
checked_on_deadline(void *state, int64_t now)
{
    struct weft_checked *c = at(state, now, "lb->on_deadline");
    check_requests(c, false, "lb->on_deadline");
    c->wants = ops_of(c)->request != NULL;
    ops_of(c)->on_deadline(weft_checked_own(c), now);
}

static const struct weft_lb_counters *
checked_counters(const void *state)
{
    const struct weft_checked *c = of(state, "lb->counters");
    return ops_of(c)->counters(weft_checked_own(c));
}

static void
wrap(struct weft_lb_ops *checked, const struct weft_lb_ops *ops)
{
    *checked = *ops;
    WEFT_CHECKED_HOOK(pick, checked_pick);
    WEFT_CHECKED_HOOK(peek, checked_peek);
    WEFT_CHECKED_HOOK(set_routes, checked_set_routes);
    WEFT_CHECKED_HOOK(arrive, checked_arrive);
    WEFT_CHECKED_HOOK(leave, checked_leave);
    WEFT_CHECKED_HOOK(request, checked_request);
    WEFT_CHECKED_HOOK(deadline, checked_deadline);
    WEFT_CHECKED_HOOK(on_deadline, checked_on_deadline);
    WEFT_CHECKED_HOOK(counters, checked_counters);
}

/* Calls that come before there is a state that knows its table: each table has its own. */
#define WRAPPER(table)                                                                             \
    struct weft_lb_ops weft_checked_##table;                                                       \
    static size_t lb_size_##table(const void *config, const struct weft_site *site)                \
    {                                                                                              \
        return checked_size(&table, config, site);                                                 \
    }                                                                                              \
    static int lb_init_##table(void *state, const void *config, const struct weft_site *site)      \
    {                                                                                              \
        return checked_init(&table, state, config, site);                                          \
    }
WEFT_BALANCERS(WRAPPER)

#define WRAP(table)                                                                                \
    wrap(&weft_checked_##table, &table);                                                           \
    weft_checked_##table.state_size = lb_size_##table;                                             \
    weft_checked_##table.init = lb_init_##table;                                                   \
    weft_checked_##table.path = table.path ? &weft_checked_path_##table : NULL;                    \
    weft_checked_##table.plan = table.plan ? &weft_checked_plan_##table : NULL;                    \
    weft_checked_##table.tor = table.tor ? &weft_checked_tor_##table : NULL;

__attribute__((constructor)) static void
wrap_all(void)
{
    WEFT_BALANCERS(WRAP)
}

#else
typedef int weft_no_balancer_is_checked;
#endif
