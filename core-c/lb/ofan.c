/* SPDX-License-Identifier: MIT */
/*
 * OFAN: destination-based rotation at switches. An edge has a pointer per destination edge and size
 * class, an aggregation one per destination pod and class; each steps through the up ports.
 *
 * Orders are random, one per pointer, but a table for each would take 128 KiB and more of an edge
 * of k = 64. A switch draws 32 outer and 32 inner permutations, and a pointer's order is a random
 * outer one of a random inner one: each order is uniform, any two of different inner or outer
 * permutations are independent, and two pointers have the same one in 1 case of 1,024.
 *
 * After convergence with dead links all pointers towards a pod share its schedule of W-ECMP weights
 * (see iwrr.h).
 */
#include "lb/iwrr.h"
#include "lb/shortest.h"
#include "lb/site.h"
#include "roster/tables.h"

#include <weft/rng.h>

/* "ofan" in ASCII: this balancer's random streams, one per switch. */
#define OFAN_STREAM (UINT64_C(0x6f66616e) << 32)

#define PERMUTATIONS 32U
#define CLASSES      2U /* of sizes: data, replies */

/* The place of a pointer that has not been used yet and will start at the shortest queue. */
#define UNSET UINT16_MAX

enum order
{
    ORDER_POINTER,
    ORDER_POD,
};

enum first
{
    FIRST_RANDOM,
    FIRST_SHORTEST,
};

struct ofan_config
{
    int64_t order; /* enum order */
    int64_t first; /* enum first */
    int64_t weights;
};

/* Names one of a switch's permutations. */
struct order_id
{
    uint8_t outer; /* below PERMUTATIONS */
    uint8_t inner; /* PERMUTATIONS and above */
};

struct pointer
{
    uint32_t round; /* of a schedule */
    uint16_t place;
    struct order_id order;
};

struct pod
{
    uint32_t rounds;
    struct order_id order;
};

/* State of one switch; its parts follow it in memory, the pointers first. */
struct ofan
{
    struct weft_switch_map by_dest; /* divides by the hosts of a destination */
    uint32_t first_up;
    uint32_t n_up;
    uint32_t dests;                    /* ToRs at a ToR, pods above; 0 at the top */
    bool weighted;                     /* schedules are in force */
    bool weighs;                       /* they may be */
    uint32_t orders, down, pod, slots; /* where they are: see lay_out() */
    uint32_t npods;
    uint32_t dests_per_pod;
    uint32_t index; /* of the switch */
    struct weft_rng rng;
};

static const struct weft_param params[] = {
    {"order", WEFT_CHOICE, WEFT_P(struct ofan_config, order), "pointer", NULL, NULL, "pointer pod",
     "Random orders in which pointers go through the ports: one per pointer, or per destination "
     "pod.",
     "ofan §7; pod (ours)"},
    {"first", WEFT_CHOICE, WEFT_P(struct ofan_config, first), "random", NULL, NULL,
     "random shortest",
     "Where a pointer starts: at a random port, in a random order; or at the shortest queue that "
     "its first packet finds, in the order of the ports.",
     "ofan §7; App. F.4"},
    {"weights", WEFT_BOOL, WEFT_P(struct ofan_config, weights), "on", NULL, NULL, NULL,
     "Failures: whether schedules follow W-ECMP's weights, or only pass over unreachable ports.",
     "ofan App. F.4"},
};

static const struct weft_preset presets[] = {
    {"paper", "order=pointer first=random weights=on", "OFAN as described.", "ofan §7"},
    {"shortest-first", "first=shortest", "The first variant: slightly better without failures.",
     "ofan App. F.4"},
    {"fib-only", "weights=off", "The second variant: simpler, slightly worse under failures.",
     "ofan App. F.4"},
};

static uint32_t
dests_of(const struct weft_site *site)
{
    return site->up_ports == 0 ? 0 : site->tier == 0 ? site->clos->ntors : site->clos->npods;
}

/* [class][dest] */
static inline struct pointer *
pointers_of(const struct ofan *o)
{
    return (struct pointer *)(void *)((const char *)o + sizeof(struct ofan));
}

/* [permutation][place]: the outer ones, of ports, then the inner ones, of places */
static inline uint16_t *
orders_of(const struct ofan *o)
{
    return (uint16_t *)(void *)((const char *)o + o->orders);
}

/* [class][first port]: packets to that child */
static inline uint32_t *
down_of(const struct ofan *o)
{
    return (uint32_t *)(void *)((const char *)o + o->down);
}

/* Returns the states of all pods; schedules follow them: [pod][place]. */
static inline struct pod *
pods_of(const struct ofan *o)
{
    return (struct pod *)(void *)((const char *)o + o->pod);
}

static inline struct weft_iwrr_port *
slots_of(const struct ofan *o)
{
    return (struct weft_iwrr_port *)(void *)((const char *)o + o->slots);
}

/* Places of the state's parts, in bytes; their alignments fall in this order. At most 153 MiB. */
struct layout
{
    size_t slots, pod, down, orders, end;
};

static struct layout
lay_out(const struct weft_site *site)
{
    const size_t n_up = site->up_ports;
    const size_t npods = n_up > 0 ? site->clos->npods : 0;
    struct layout at;
    at.slots = sizeof(struct ofan) + (size_t)CLASSES * dests_of(site) * sizeof(struct pointer);
    at.pod = at.slots + npods * n_up * sizeof(struct weft_iwrr_port);
    at.down = at.pod + npods * sizeof(struct pod);
    at.orders = at.down + CLASSES * (site->nports - n_up) * sizeof(uint32_t);
    at.end = at.orders + 2 * PERMUTATIONS * n_up * sizeof(uint16_t);
    return at;
}

static size_t
ofan_size(const void *config, const struct weft_site *site)
{
    (void)config;
    return weft_site_has_shape(site) ? lay_out(site).end : sizeof(struct ofan);
}

/* Random permutations of [first, first + n) by Fisher-Yates, or the ports in their own order. */
static void
draw_orders(struct ofan *o, uint16_t *order, uint32_t first, bool shuffled)
{
    for (uint32_t p = 0; p < PERMUTATIONS; p++, order += o->n_up)
    {
        for (uint32_t i = 0; i < o->n_up; i++)
        {
            const uint32_t j = shuffled ? weft_rng_below(&o->rng, i + 1) : i;
            order[i] = order[j];
            order[j] = (uint16_t)(first + i);
        }
    }
}

static struct order_id
draw_id(struct ofan *o)
{
    struct order_id id;
    id.outer = (uint8_t)weft_rng_below(&o->rng, PERMUTATIONS);
    id.inner = (uint8_t)(PERMUTATIONS + weft_rng_below(&o->rng, PERMUTATIONS));
    return id;
}

static void
draw_pointers(struct ofan *o, const struct ofan_config *c)
{
    for (uint32_t pod = 0; o->dests > 0 && pod < o->npods; pod++)
    {
        pods_of(o)[pod].order = draw_id(o);
    }
    for (uint32_t i = 0; i < CLASSES * o->dests; i++)
    {
        struct pointer *p = &pointers_of(o)[i];
        p->round = 0;
        p->place = (uint16_t)weft_rng_below(&o->rng, o->n_up);
        p->order = draw_id(o);
        if (c->order == ORDER_POD)
        {
            p->order = pods_of(o)[i % o->dests / o->dests_per_pod].order;
        }
        if (c->first == FIRST_SHORTEST)
        {
            p->place = UNSET;
        }
    }
}

static int
ofan_init(void *state, const void *config, const struct weft_site *site)
{
    struct ofan *o = state;
    const struct ofan_config *c = config;
    const struct weft_clos *clos = site->clos;
    const int code = weft_site_shape(site);
    if (code)
    {
        return code;
    }
    const struct layout at = lay_out(site);
    o->slots = (uint32_t)at.slots;
    o->pod = (uint32_t)at.pod;
    o->down = (uint32_t)at.down;
    o->orders = (uint32_t)at.orders;
    weft_site_rng(&o->rng, site, OFAN_STREAM | site->switch_index);
    o->n_up = site->up_ports;
    o->first_up = site->nports - site->up_ports;
    o->index = site->switch_index;
    o->npods = clos->npods;
    o->dests = dests_of(site);
    o->dests_per_pod = site->tier == 0 ? clos->tors_per_pod : 1;
    o->weighs = c->weights != 0 && o->dests > 0;
    o->weighted = false;
    /* The children of the switches above are this one's destinations. */
    weft_clos_switch(clos, site->tier == 0 ? clos->ntors : clos->nswitches - 1, &o->by_dest);
    draw_orders(o, orders_of(o), o->first_up, c->first == FIRST_RANDOM);
    draw_orders(o, orders_of(o) + PERMUTATIONS * o->n_up, 0, c->first == FIRST_RANDOM);
    draw_pointers(o, c);
    for (uint32_t i = 0; i < CLASSES * o->first_up; i++)
    {
        down_of(o)[i] = weft_rng_u32(&o->rng) >> 1; /* 2^31 packets before it wraps */
    }
    return 0;
}

static inline uint32_t
class_of(const struct weft_packet *packet)
{
    return packet->kind != WEFT_DATA && packet->kind != WEFT_RAW;
}

static inline uint32_t
port_at(const struct ofan *o, struct order_id order, uint32_t place)
{
    const uint32_t inner = orders_of(o)[order.inner * o->n_up + place];
    return orders_of(o)[order.outer * o->n_up + inner];
}

static struct weft_iwrr
schedule_to(const struct ofan *o, uint32_t pod)
{
    const struct weft_iwrr s = {slots_of(o) + (size_t)pod * o->n_up, o->n_up,
                                pods_of(o)[pod].rounds};
    return s;
}

/* By the schedule of the destination's pod. */
static uint32_t
pick_weighted(struct ofan *o, struct pointer *p, const struct weft_ports *ports, uint32_t dest)
{
    const struct weft_iwrr s = schedule_to(o, dest / o->dests_per_pod);
    struct weft_iwrr_slot slot = {p->round, p->place};
    const uint32_t port = weft_iwrr_take(&s, &slot, ports);
    p->round = slot.round;
    p->place = (uint16_t)slot.place;
    return port;
}

/* All ports alike, but for those that do not lead there. */
static uint32_t
pick_reachable(struct ofan *o, struct pointer *p, const struct weft_ports *ports)
{
    for (uint32_t tries = 0; tries < o->n_up; tries++)
    {
        const uint32_t place = p->place < o->n_up ? p->place : 0;
        const uint32_t port = port_at(o, p->order, place);
        p->place = (uint16_t)(place + 1);
        if (weft_ports_have(ports, port))
        {
            return port;
        }
    }
    return weft_port_at(ports, 0);
}

/* A pointer's first packet, or one while links are dead. */
static uint32_t
pick_specially(struct ofan *o, struct pointer *p, const struct weft_ports *ports, uint32_t dest)
{
    if (p->place == UNSET)
    {
        p->place = (uint16_t)(weft_shortest(&o->rng, ports) - o->first_up);
    }
    const uint32_t port = o->weighted ? pick_weighted(o, p, ports, dest) : WEFT_IWRR_NONE;
    return port != WEFT_IWRR_NONE ? port : pick_reachable(o, p, ports);
}

/* Parallel links to one child. */
static inline uint32_t *
down_count(const struct ofan *o, const struct weft_ports *ports, const struct weft_packet *packet)
{
    return &down_of(o)[class_of(packet) * o->first_up + ports->first];
}

static uint32_t
ofan_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    struct ofan *o = state;
    (void)now;
    if (ports->first != o->first_up)
    {
        return weft_port_at(ports, (*down_count(o, ports, packet))++ % ports->n);
    }
    const uint32_t dest = weft_map_child(&o->by_dest, packet->dst);
    struct pointer *p = &pointers_of(o)[class_of(packet) * o->dests + dest];
    if (p->place >= o->n_up || ports->list != NULL || o->weighted)
    {
        return pick_specially(o, p, ports, dest);
    }
    const uint32_t port = port_at(o, p->order, p->place);
    p->place = (uint16_t)(p->place + 1U < o->n_up ? p->place + 1U : 0);
    return port;
}

static uint32_t
ofan_peek(const void *state, const struct weft_ports *ports, const struct weft_packet *packet)
{
    const struct ofan *o = state;
    if (ports->first != o->first_up)
    {
        return weft_port_at(ports, *down_count(o, ports, packet) % ports->n);
    }
    const uint32_t dest = weft_map_child(&o->by_dest, packet->dst);
    const struct pointer *p = &pointers_of(o)[class_of(packet) * o->dests + dest];
    return port_at(o, p->order, p->place < o->n_up ? p->place : 0);
}

/* W-ECMP's weights towards a pod, in the pod's order. */
static void
build_schedule(struct ofan *o, const struct weft_fib *fib, uint32_t pod)
{
    struct weft_iwrr_port *at = slots_of(o) + (size_t)pod * o->n_up;
    for (uint32_t place = 0; place < o->n_up; place++)
    {
        at[place].port = port_at(o, pods_of(o)[pod].order, place);
        at[place].weight = weft_fib_pod_weight(fib, o->index, at[place].port, pod);
    }
    pods_of(o)[pod].rounds = weft_iwrr_build(at, o->n_up).rounds;
}

/* A used or random place stays if it has a slot in a random round, so that places are as likely as
 * they have slots. */
static void
seat_pointer(struct ofan *o, uint32_t i)
{
    const struct weft_iwrr s = schedule_to(o, i % o->dests / o->dests_per_pod);
    struct pointer *p = &pointers_of(o)[i];
    if (p->place != UNSET && s.rounds > 0)
    {
        struct weft_iwrr_slot slot = {weft_rng_below(&o->rng, s.rounds), p->place};
        weft_iwrr_seat(&s, &slot, &o->rng);
        p->round = slot.round;
        p->place = (uint16_t)slot.place;
    }
}

static void
ofan_set_routes(void *state, const struct weft_fib *fib)
{
    struct ofan *o = state;
    o->weighted = o->weighs && fib != NULL;
    if (!o->weighted)
    {
        return;
    }
    for (uint32_t pod = 0; pod < o->npods; pod++)
    {
        build_schedule(o, fib, pod);
    }
    for (uint32_t i = 0; i < CLASSES * o->dests; i++)
    {
        seat_pointer(o, i);
    }
}

static bool
ofan_looks(const void *config)
{
    return ((const struct ofan_config *)config)->first == FIRST_SHORTEST;
}

const struct weft_lb_ops weft_lb_ofan = {
    .algo =
        {
            .name = "ofan",
            .doc = "OFAN: round robin per destination edge, and above it per destination pod.",
            .source = "ofan §7, App. F",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct ofan_config),
        },
    .state_size = ofan_size,
    .init = ofan_init,
    .pick = ofan_pick,
    .looks = ofan_looks,
    .set_routes = ofan_set_routes,
    .peek = ofan_peek,
    .fields = {.reads = WEFT_FIELD_DST | WEFT_FIELD_KIND},
    .reorders = true,
    .in_turn = true,
};
