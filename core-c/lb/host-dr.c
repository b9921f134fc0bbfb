/* SPDX-License-Identifier: MIT */
/*
 * Destination-based rotation at the hosts (DRB): for each destination host and size class, data or
 * reply, a source host has one pointer over all paths to it, at a random place to begin with. A
 * packet takes the path under the pointer, which then steps on. Paths are numbered as
 * weft_clos_path() has them, the ToR's up port first, so that consecutive packets take different
 * aggregations and each is used every k/2 packets (ofan App. E).
 *
 * Where hosts have several ports, one in each plane, data take the planes in turn on each path: the
 * number is that of plane and path, the plane its lowest digit. A reply takes the plane of its
 * data.
 *
 * The path's number travels in the UDP source port; each switch takes its own digit out of it,
 * where ofan encapsulates. Packets of IP stacks carry no path and are hashed.
 *
 * Once routing has converged, or at once (`knows`), hosts know which paths are alive at both ends
 * and pass over the others, without weights. Before, a packet follows its path onto the dead link.
 */
#include "lb/candidates.h"
#include "lb/ecmp.h"
#include "lb/site.h"
#include "roster/tables.h"

/* "hdr" in ASCII: this balancer's random streams, one per host. */
#define HOST_DR_STREAM (UINT64_C(0x686472) << 32)

/* Values of a source port. */
#define MAX_PATHS 65536

/* When hosts know of links. */
enum knows
{
    KNOWS_SWITCHES,
    KNOWS_AT_ONCE,
};

struct host_dr_config
{
    int64_t knows; /* enum knows */
};

static const struct weft_param params[] = {
    {"knows", WEFT_CHOICE, WEFT_P(struct host_dr_config, knows), "switches", NULL, NULL,
     "switches at-once",
     "When hosts learn which paths are alive: when forwarding changes in switches, or as soon as a "
     "link fails or is back.",
     "at-once: ofan §6.1; switches: (ours)"},
};

enum size_class
{
    DATA,
    REPLY,
    CLASSES,
};

/* State of one host. Forwarding of each plane follows, NULL where all is healthy, and a pointer for
 * each host and size class. */
struct host_dr_host
{
    const struct weft_clos *clos;
    uint32_t planes;
    uint32_t host;
    uint32_t tor_first, tor_hosts; /* the hosts below its own ToR */
    uint32_t pod_first, pod_hosts;
    uint32_t near; /* paths to other hosts of its pod */
    uint32_t far;  /* paths to hosts of other pods */
};

/* How one switch reads the number of a path: this many are divided off below its own digit. */
struct host_dr
{
    struct weft_ecmp ecmp;
    uint32_t lo, hi;   /* hosts reached downwards */
    uint32_t first_up; /* port */
    uint32_t up_ports;
    uint32_t parallel; /* ports down to each child */
    uint32_t up;
    uint32_t down_own; /* from a host below this switch */
    uint32_t down_far; /* from another pod: the core's digit comes before the aggregation's */
};

static uint32_t
most_paths(const struct weft_clos *clos)
{
    return weft_clos_paths(clos, 0, clos->nhosts - 1);
}

static size_t
host_dr_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct host_dr);
}

static int
refuse_paths(struct weft_refusal *why)
{
    return weft_refuse(why, WEFT_ERANGE, NULL,
                       "two hosts have more than 65,536 paths, which a UDP source port cannot tell "
                       "apart");
}

static int
host_dr_init(void *state, const void *config, const struct weft_site *site)
{
    struct host_dr *s = state;
    const struct weft_clos *clos = site->clos;
    struct weft_switch_map map;
    (void)config;
    int code = weft_site_serves(site, &weft_lb_host_dr);
    code = code ? code : weft_site_shape(site);
    if (code)
    {
        return code;
    }
    if (most_paths(clos) > MAX_PATHS)
    {
        return refuse_paths(site->why);
    }
    const uint32_t tor_up = weft_tor_uplinks(clos);
    const uint32_t agg_up = weft_agg_uplinks(clos);
    weft_clos_switch(clos, site->switch_index, &map);
    weft_ecmp_init(&s->ecmp, site, false);
    s->lo = map.lo;
    s->hi = map.hi;
    s->first_up = map.first_up;
    s->up_ports = map.n_up;
    s->parallel = map.parallel;
    s->up = site->tier == 0 ? 1 : tor_up;
    s->down_own = site->tier == 2 ? tor_up * agg_up : tor_up;
    s->down_far = tor_up * agg_up * clos->core_parallel;
    return 0;
}

/* The wanted port if it is a candidate, else one that the path's digit decides. */
static uint32_t
candidate(const struct weft_ports *ports, uint32_t digit)
{
    const uint32_t wanted = (uint32_t)ports->first + digit;
    if (!ports->list || weft_ports_have(ports, wanted))
    {
        return wanted;
    }
    return weft_port_at(ports, digit % ports->n);
}

static uint32_t
host_dr_peek(const void *state, const struct weft_ports *ports, const struct weft_packet *packet)
{
    const struct host_dr *s = state;
    if (packet->kind == WEFT_RAW)
    {
        return weft_port_at(ports, weft_ecmp_index(&s->ecmp, ports->n, packet));
    }
    if (ports->first >= s->first_up)
    {
        return candidate(ports, packet->sport / s->up % s->up_ports);
    }
    const uint32_t down = packet->src - s->lo < s->hi - s->lo ? s->down_own : s->down_far;
    return candidate(ports, packet->sport / down % s->parallel);
}

static uint32_t
host_dr_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    (void)now;
    return host_dr_peek(state, ports, packet);
}

static const struct weft_fib **
fibs_of(struct host_dr_host *h)
{
    return (const struct weft_fib **)(void *)(h + 1);
}

static uint16_t *
pointers_of(struct host_dr_host *h)
{
    return (uint16_t *)(void *)(fibs_of(h) + h->planes);
}

/* Paths to another host. */
static inline uint32_t
paths_to(const struct host_dr_host *h, uint32_t dst)
{
    const struct weft_clos *clos = h->clos;
    if (clos->server_rate > 0 && weft_clos_server(clos, h->host) == weft_clos_server(clos, dst))
    {
        return 1; /* by their server's own network */
    }
    if (dst - h->pod_first >= h->pod_hosts)
    {
        return h->far;
    }
    return dst - h->tor_first >= h->tor_hosts ? h->near : 1;
}

/* Planes and paths to another host among which packets of a class take turns. */
static inline uint32_t
ways_to(const struct host_dr_host *h, uint32_t dst, uint32_t size_class)
{
    return paths_to(h, dst) * (size_class == DATA ? h->planes : 1);
}

static size_t
host_dr_host_size(const void *config, const struct weft_path_site *site)
{
    const bool shaped = site->clos && weft_clos_check(site->clos) == 0;
    const size_t nhosts = shaped ? site->clos->nhosts : 0, planes = shaped ? site->clos->planes : 0;
    (void)config;
    return sizeof(struct host_dr_host) + planes * sizeof(struct weft_fib *) +
           nhosts * CLASSES * sizeof(uint16_t);
}

static int
host_dr_host_init(void *host, const void *config, const struct weft_path_site *site)
{
    struct host_dr_host *h = host;
    const struct weft_clos *clos = site->clos;
    struct weft_rng rng;
    (void)config;
    const int code = weft_host_shape(site);
    if (code)
    {
        return code;
    }
    if (clos->planes * most_paths(clos) > MAX_PATHS)
    {
        return refuse_paths(site->why);
    }
    const uint32_t p = clos->parallel;
    const uint32_t c = clos->core_parallel;
    h->clos = clos;
    h->planes = clos->planes;
    for (uint32_t i = 0; i < h->planes; i++)
    {
        fibs_of(h)[i] = NULL;
    }
    h->host = site->host;
    h->tor_hosts = clos->hosts_per_tor;
    h->pod_hosts = clos->hosts_per_tor * clos->tors_per_pod;
    h->tor_first = site->host - site->host % h->tor_hosts;
    h->pod_first = site->host - site->host % h->pod_hosts;
    h->near = clos->up_tor * p * p;
    h->far = h->near * clos->up_agg * c * c;
    weft_host_rng(&rng, site, HOST_DR_STREAM | site->host);
    for (uint32_t i = 0; i < clos->nhosts * CLASSES; i++)
    {
        pointers_of(h)[i] = (uint16_t)weft_rng_below(&rng, ways_to(h, i / CLASSES, i % CLASSES));
    }
    return 0;
}

/* Whether a way is alive at both ends, as far as its plane's forwarding knows. */
static bool
is_alive(struct host_dr_host *h, uint32_t plane, uint32_t dst, uint32_t path)
{
    const struct weft_fib *fib = fibs_of(h)[plane];
    return !fib || weft_fib_path(fib, h->host, dst, path);
}

/* The way of the next data to @p dst: the first live one from the pointer on, if any is. */
static uint32_t
next_way(struct host_dr_host *h, uint32_t dst)
{
    uint16_t *pointer = &pointers_of(h)[dst * CLASSES + DATA];
    const uint32_t n = ways_to(h, dst, DATA);
    uint32_t way = *pointer;
    for (uint32_t i = 1; i < n && !is_alive(h, way % h->planes, dst, way / h->planes); i++)
    {
        way = way + 1 < n ? way + 1 : 0;
    }
    *pointer = (uint16_t)(way + 1 < n ? way + 1 : 0);
    return way;
}

/* The path of the next reply to @p dst in a plane, likewise. */
static uint32_t
next_reply_path(struct host_dr_host *h, uint32_t dst, uint32_t plane)
{
    uint16_t *pointer = &pointers_of(h)[dst * CLASSES + REPLY];
    const uint32_t n = ways_to(h, dst, REPLY);
    uint32_t path = *pointer;
    for (uint32_t i = 1; i < n && !is_alive(h, plane, dst, path); i++)
    {
        path = path + 1 < n ? path + 1 : 0;
    }
    *pointer = (uint16_t)(path + 1 < n ? path + 1 : 0);
    return path;
}

static size_t
host_dr_qp_size(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct host_dr_host *);
}

static int
host_dr_qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
                uint32_t qp_index)
{
    (void)config;
    (void)qp_index;
    *(struct host_dr_host **)qp = host;
    return host ? weft_host_serves(site, &weft_lb_host_dr)
                : weft_refuse(site->why, WEFT_EINVAL, NULL,
                              "a QP needs its host's state; expected host_init() first");
}

static void
host_dr_data(void *qp, struct weft_packet *data, int64_t now)
{
    struct host_dr_host *h = *(struct host_dr_host **)qp;
    const uint32_t way = next_way(h, data->dst);
    (void)now;
    data->sport = (uint16_t)(way / h->planes);
    data->in_port = (uint16_t)(1 + way % h->planes);
}

static void
host_dr_reply(void *host, struct weft_packet *reply)
{
    struct host_dr_host *h = host;
    const uint32_t plane = reply->in_port < h->planes ? reply->in_port : 0;
    reply->sport = (uint16_t)next_reply_path(h, reply->dst, plane);
}

static void
host_dr_set_routes(void *host, uint32_t plane, const struct weft_fib *fib)
{
    fibs_of(host)[plane] = fib;
}

static bool
host_dr_knows_at_once(const void *config)
{
    return ((const struct host_dr_config *)config)->knows == KNOWS_AT_ONCE;
}

static const struct weft_path_ops host_dr_path = {
    .host_size = host_dr_host_size,
    .host_init = host_dr_host_init,
    .qp_size = host_dr_qp_size,
    .qp_init = host_dr_qp_init,
    .data = host_dr_data,
    .reply = host_dr_reply,
    .set_routes = host_dr_set_routes,
    .knows_at_once = host_dr_knows_at_once,
    .fields = {.reads = WEFT_FIELD_DST | WEFT_FIELD_IN_PORT,
               .writes = WEFT_FIELD_SPORT | WEFT_FIELD_IN_PORT},
};

const struct weft_lb_ops weft_lb_host_dr = {
    .algo =
        {
            .name = "host-dr",
            .doc = "Host-based rotation: each host takes all paths to a destination in turn, data "
                   "and replies "
                   "apart.",
            .source = "ofan §6.1, App. E; Cao et al., CoNEXT 2013",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct host_dr_config),
        },
    .state_size = host_dr_size,
    .init = host_dr_init,
    .pick = host_dr_pick,
    .path = &host_dr_path,
    .oblivious = true,
    .peek = host_dr_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS | WEFT_FIELD_KIND},
    .reorders = true,
    .in_turn = true,
};
