/* SPDX-License-Identifier: MIT */
/*
 * Orchestrated round robin (pro §III-A, Alg. 1): an RNIC sprays the packets of each of its QPs over
 * all M paths to the destination's ToR, in an order that its other QPs to that ToR do not share: a
 * QP steps by their number, made odd, and a new one begins behind the packet sent last. Served in
 * batches of n packets, a QP takes n neighbouring paths and steps by groups of n.
 *
 * The path travels as PathID in the low 12 bits of the UDP source port (pro §V): bits 0-5 name the
 * ToR's up port, bits 6-11 the aggregation's port, upwards in three tiers, among parallel links
 * downwards in two. Other parallel links downwards are those taken upwards. A switch whose named
 * port is gone forwards by adaptive routing.
 */
#include "base/gcd.h"
#include "lb/candidates.h"
#include "lb/ecmp.h"
#include "lb/site.h"
#include "roster/tables.h"

#include <assert.h>

/* "pro" in ASCII: this balancer's random streams, one per host. */
#define PRO_STREAM (UINT64_C(0x70726f) << 32)

/* A PathID is two digits of this many bits. */
#define DIGIT_BITS 6U
#define DIGIT_MASK ((1U << DIGIT_BITS) - 1)
#define PATH_MASK  ((1U << 2 * DIGIT_BITS) - 1)

/* Room for the configuration of the balancer that takes over where a port is gone. */
#define FALLBACK_WORDS 8

enum rotation
{
    ROTATION_ORCHESTRATED,
    ROTATION_QP,
    ROTATION_NIC,
};

enum set
{
    SET_TOR,
    SET_NIC,
};

enum counter
{
    COUNTER_PACKET,
    COUNTER_QP,
};

enum batches
{
    BATCHES_BLOCK,
    BATCHES_LITERAL,
};

enum replies
{
    REPLIES_ROTATE,
    REPLIES_ECMP,
    REPLIES_ECHO,
};

struct pro_config
{
    int64_t rotation; /* enum rotation */
    int64_t set;      /* enum set */
    int64_t counter;  /* enum counter */
    int64_t batches;  /* enum batches */
    int64_t start;    /* 0: at path 0; 1: anywhere */
    int64_t replies;  /* enum replies */
    int64_t fallback; /* index into fallbacks */
};

static const struct weft_param params[] = {
    {"rotation", WEFT_CHOICE, WEFT_P(struct pro_config, rotation), "orchestrated", NULL, NULL,
     "orchestrated qp nic",
     "Who takes turns: Alg. 1; each QP for itself, one path at a time (no inter-QP orchestration); "
     "the NIC, whichever QP a packet belongs to (Fig. 3, left).",
     "pro §III-A; §VI-C"},
    {"set", WEFT_CHOICE, WEFT_P(struct pro_config, set), "tor", NULL, NULL, "tor nic",
     "Whose counter of paths and number of active QPs: of each destination's ToR, or of the whole "
     "NIC (no destination awareness).",
     "pro §III-A; §VI-C"},
    {"counter", WEFT_CHOICE, WEFT_P(struct pro_config, counter), "packet", NULL, NULL, "packet qp",
     "When the counter at which a new QP begins moves: with every packet (Alg. 1, line 12, as it "
     "is indented), or with a new QP's first one (the prose).",
     "pro Alg. 1"},
    {"batches", WEFT_CHOICE, WEFT_P(struct pro_config, batches), "block", NULL, NULL,
     "block literal",
     "Paths of a batch of n packets: n neighbouring ones, one of M/n groups of them; with n = M or "
     "more there is one group, all batches begin alike, and QPs are not staggered. Or as printed, "
     "which never uses paths from M/n on. Of no effect where the NIC's batch is 1.",
     "pro §III-A; block (ours)"},
    {"start", WEFT_CHOICE, WEFT_P(struct pro_config, start), "zero", NULL, NULL, "zero random",
     "Where the counters begin: at path 0, or anywhere, which Lemma 4 assumes.", "pro Alg. 1; §IV"},
    {"replies", WEFT_CHOICE, WEFT_P(struct pro_config, replies), "rotate", NULL, NULL,
     "rotate ecmp echo",
     "How ACKs, NACKs and CNPs travel: over the paths to their ToR in turn, on their QP's ECMP "
     "path, or on the PathID of the packet that they answer.",
     "(ours)"},
    {"fallback", WEFT_CHOICE, WEFT_P(struct pro_config, fallback), "ar-quality", NULL, NULL,
     "ar-quality ar", "What forwards a packet whose named port is gone, with its defaults.",
     "pro §V, \"AR [5]\""},
};

/* Path set of a NIC, for one destination's ToR or for all. */
struct path_set
{
    uint32_t counter; /* C */
    uint32_t first;   /* where that began */
    uint32_t reply;   /* path of the next reply */
    uint32_t active;  /* P */
};

/* State of one NIC; its path sets follow, one per ToR. */
struct pro_host
{
    uint32_t serving; /* the QP that sent last */
    uint32_t hosts_per_tor, tors_per_pod;
    uint32_t tor;    /* its own */
    uint32_t planes; /* and the host's ports */
    uint32_t near;   /* paths to other ToRs of its pod */
    uint32_t far;    /* paths to ToRs of other pods */
    uint32_t up;     /* first digits */
    uint32_t batch;  /* n */
    uint8_t rotation, set, counter, batches, replies;
};

struct pro_qp
{
    struct pro_host *host;
    struct path_set *set;
    uint32_t index;
    uint32_t npaths;  /* M */
    uint32_t unit;    /* neighbouring paths of a batch: n, at most M; as printed 1 */
    uint32_t groups;  /* the modulus: M / n, at least 1 */
    uint32_t span;    /* how many groups it moves on per batch when `spanned` QPs are active */
    uint32_t spanned; /* active QPs for which span was computed; 0: it was not yet */
    uint32_t group;   /* path / unit of the batch being sent; of a QP that rotates alone its next
                         path */
    uint32_t at;      /* packets of that batch that have been sent */
    bool invited;     /* has sent before */
};

/* State of one switch; the fallback's state lies where a part's does. */
struct pro
{
    struct weft_ecmp ecmp;
    const struct weft_lb_ops *fallback;
    uint16_t first_up;
    uint16_t up_ports;
    uint16_t parallel; /* links down to each child */
    uint8_t tier;
    bool high_down; /* downwards it takes the higher digit */
    bool ecmp_replies;
};

/* ---- Switches ---- */

static const struct weft_lb_ops *const fallbacks[] = {&weft_lb_ar_quality, &weft_lb_ar};

static const struct weft_lb_ops *
fallback_of(const struct pro_config *c, uint64_t config[FALLBACK_WORDS])
{
    const struct weft_lb_ops *part = fallbacks[c->fallback != 0];
    assert(part->algo.config_size <= FALLBACK_WORDS * sizeof(config[0]));
    weft_config_default(&part->algo, config);
    return part;
}

static void *
part_of(struct pro *s)
{
    return (char *)s + weft_lb_part_at(sizeof(*s));
}

static size_t
pro_size(const void *config, const struct weft_site *site)
{
    uint64_t theirs[FALLBACK_WORDS];
    const struct weft_lb_ops *part = fallback_of(config, theirs);
    return weft_lb_part_at(sizeof(struct pro)) + part->state_size(theirs, site);
}

static int
refuse_digits(struct weft_refusal *why)
{
    return weft_refuse(why, WEFT_ERANGE, NULL,
                       "a PathID has 6 bits for a ToR's up port and 6 for an aggregation's; "
                       "expected at most 64 of each");
}

/* Ports that the second digit of a PathID names; the first one names the ToR's up ports. */
static uint32_t
high_digits(const struct weft_clos *clos)
{
    return clos->tiers == 3 ? weft_agg_uplinks(clos) : clos->parallel;
}

static bool
fits(const struct weft_clos *clos)
{
    return weft_tor_uplinks(clos) <= DIGIT_MASK + 1 && high_digits(clos) <= DIGIT_MASK + 1;
}

static int
pro_init(void *state, const void *config, const struct weft_site *site)
{
    struct pro *s = state;
    const struct pro_config *c = config;
    uint64_t theirs[FALLBACK_WORDS];
    int code = weft_site_serves(site, &weft_lb_pro);
    code = code ? code : weft_site_shape(site);
    if (code)
    {
        return code;
    }
    if (!fits(site->clos))
    {
        return refuse_digits(site->why);
    }
    const bool top = site->up_ports == 0;
    weft_ecmp_init(&s->ecmp, site, false);
    s->fallback = fallback_of(c, theirs);
    s->tier = (uint8_t)site->tier;
    s->first_up = (uint16_t)(site->nports - site->up_ports);
    s->up_ports = (uint16_t)site->up_ports;
    s->parallel = (uint16_t)(site->tier == 2 ? site->clos->core_parallel : site->clos->parallel);
    s->high_down = top; /* an aggregation of three tiers goes down as its ToR went up */
    s->ecmp_replies = c->replies == REPLIES_ECMP;
    return s->fallback->init(part_of(s), theirs, site);
}

/* The place in its group of the port that a packet's PathID names. */
static inline uint32_t
named(const struct pro *s, const struct weft_ports *ports, uint32_t path)
{
    const bool up = ports->first >= s->first_up;
    const uint32_t digit =
        (up ? s->tier > 0 : s->high_down) ? path >> DIGIT_BITS & DIGIT_MASK : path & DIGIT_MASK;
    const uint32_t ends = up ? s->up_ports : s->parallel;
    return digit < ends ? digit : digit % ends;
}

static inline bool
is_hashed(const struct pro *s, const struct weft_packet *packet)
{
    return packet->kind == WEFT_RAW || packet->kind == WEFT_CONTROL ||
           (s->ecmp_replies && packet->kind != WEFT_DATA);
}

static uint32_t
pro_peek(const void *state, const struct weft_ports *ports, const struct weft_packet *packet)
{
    const struct pro *s = state;
    if (is_hashed(s, packet))
    {
        return weft_port_at(ports, weft_ecmp_index(&s->ecmp, ports->n, packet));
    }
    return (uint32_t)ports->first + named(s, ports, packet->sport);
}

static uint32_t
pro_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    struct pro *s = state;
    const uint32_t port = pro_peek(s, ports, packet);
    if (weft_ports_have(ports, port))
    {
        return port;
    }
    return s->fallback->pick(part_of(s), ports, packet, now);
}

/* ---- NICs ---- */

static struct path_set *
sets_of(struct pro_host *h)
{
    return (struct path_set *)(void *)(h + 1);
}

static size_t
pro_host_size(const void *config, const struct weft_path_site *site)
{
    size_t ntors = 0;
    (void)config;
    /* gcc 14.2 would read clos->ntors always if this were (shaped ? clos->ntors : 0) * size + size.
     * */
    if (site->clos && weft_clos_check(site->clos) == 0)
    {
        ntors = site->clos->ntors;
    }
    return sizeof(struct pro_host) + ntors * sizeof(struct path_set);
}

/* Paths to a ToR. */
static inline uint32_t
paths_to(const struct pro_host *h, uint32_t tor)
{
    if (tor / h->tors_per_pod != h->tor / h->tors_per_pod)
    {
        return h->far;
    }
    return tor == h->tor ? h->planes : h->near;
}

/* Whether one of two numbers is a multiple of the other. */
static bool
divides(uint32_t a, uint32_t b)
{
    return a % b == 0 || b % a == 0;
}

static int
check_host(const struct pro_host *h, const struct weft_path_site *site)
{
    if (!fits(site->clos))
    {
        return refuse_digits(site->why);
    }
    if (site->batch < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "expected the site to have the NIC's batch, at least 1");
    }
    if (h->rotation == ROTATION_ORCHESTRATED &&
        (!divides(h->near, site->batch) || !divides(h->far, site->batch)))
    {
        return weft_refuse(
            site->why, WEFT_ERANGE, NULL,
            "it spreads each of the NIC's batches over neighbouring paths, all alike; "
            "expected the number of paths between two ToRs to be a multiple of the "
            "batch's packets, or the reverse");
    }
    return 0;
}

static void
begin_sets(struct pro_host *h, const struct pro_config *c, const struct weft_path_site *site)
{
    struct weft_rng rng;
    weft_host_rng(&rng, site, PRO_STREAM | site->host);
    for (uint32_t i = 0; i < site->clos->ntors; i++)
    {
        const uint32_t n = h->set == SET_NIC ? h->far : paths_to(h, i);
        const bool random = c->start != 0;
        const uint32_t first = random ? weft_rng_below(&rng, n) : 0;
        sets_of(h)[i] = (struct path_set){
            .counter = first,
            .first = first,
            .reply = random ? weft_rng_below(&rng, n) : 0,
        };
    }
}

static int
pro_host_init(void *host, const void *config, const struct weft_path_site *site)
{
    struct pro_host *h = host;
    const struct pro_config *c = config;
    const struct weft_clos *clos = site->clos;
    const int shape = weft_host_shape(site);
    if (shape)
    {
        return shape;
    }
    const bool deep = clos->tiers == 3;
    const uint32_t up = weft_tor_uplinks(clos);
    *h = (struct pro_host){
        .hosts_per_tor = clos->hosts_per_tor,
        .tors_per_pod = clos->tors_per_pod,
        .tor = site->host / clos->hosts_per_tor,
        .planes = clos->planes,
        .near = clos->planes * (deep ? up : up * high_digits(clos)),
        .far = clos->planes * up * high_digits(clos),
        .up = up,
        .batch = site->batch,
        .rotation = (uint8_t)c->rotation,
        .set = (uint8_t)c->set,
        .counter = (uint8_t)c->counter,
        .batches = (uint8_t)c->batches,
        .replies = (uint8_t)c->replies,
    };
    const int code = check_host(h, site);
    if (code == 0)
    {
        begin_sets(h, c, site);
    }
    return code;
}

static size_t
pro_qp_size(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct pro_qp);
}

static int
pro_qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
            uint32_t qp_index)
{
    struct pro_qp *q = qp;
    struct pro_host *h = host;
    (void)config;
    const int missing = weft_host_serves(site, &weft_lb_pro);
    if (missing)
    {
        return missing;
    }
    if (!h || site->dst / h->hosts_per_tor >= site->clos->ntors)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "a QP needs its host's state, and a destination in the fabric; expected "
                           "host_init() first");
    }
    const uint32_t tor = site->dst / h->hosts_per_tor;
    const uint32_t npaths = paths_to(h, tor);
    const uint32_t spread = h->batch < npaths ? h->batch : npaths;
    *q = (struct pro_qp){
        .host = h,
        .index = qp_index,
        .set = &sets_of(h)[h->set == SET_NIC ? 0 : tor],
        .npaths = npaths,
        .unit = h->batches == BATCHES_BLOCK ? spread : 1,
        .groups = npaths / spread,
    };
    return 0;
}

/* By how much a QP steps beside others: their number, itself included, made odd; where the number
 * of groups is no power of two, made coprime with it, so that all of them come up. */
static uint32_t
span_of(struct pro_qp *q)
{
    const uint32_t active = q->set->active > 0 ? q->set->active : 1;
    if (q->spanned != active)
    {
        q->spanned = active;
        q->span = active | 1U;
        while (weft_gcd(q->span, q->groups) != 1)
        {
            q->span += 2;
        }
    }
    return q->span;
}

/* Alg. 1's CALC_PATH, once for each batch. */
static void
step(struct pro_qp *q)
{
    struct path_set *set = q->set;
    const bool is_new = !q->invited;
    q->group = (is_new ? set->counter / q->unit : q->group + span_of(q)) % q->groups;
    q->invited = true;
    q->at = 0;
    if (is_new || q->host->counter == COUNTER_PACKET)
    {
        set->counter = q->group * q->unit + q->host->batch;
    }
}

static uint32_t
orchestrated(struct pro_qp *q)
{
    struct pro_host *h = q->host;
    const uint32_t batch = h->batches == BATCHES_BLOCK ? h->batch : 1;
    if (q->at >= batch || h->serving != q->index || !q->invited)
    {
        step(q);
        h->serving = q->index;
    }
    return q->group * q->unit + (q->set->first + q->at++) % q->unit;
}

/* Takes one path. The counter wraps where all numbers of paths do. */
static uint32_t
next_of(const struct pro_host *h, uint32_t *counter, uint32_t npaths)
{
    const uint32_t path = *counter % npaths;
    *counter = *counter + 1 < h->far ? *counter + 1 : 0;
    return path;
}

/* A new QP that rotates alone begins where its set's counter does, and leaves that there. */
static uint32_t
alone(struct pro_qp *q)
{
    if (!q->invited)
    {
        q->invited = true;
        q->group = q->set->counter;
    }
    return next_of(q->host, &q->group, q->npaths);
}

static uint32_t
next_path(struct pro_qp *q)
{
    if (q->host->rotation == ROTATION_ORCHESTRATED)
    {
        return orchestrated(q);
    }
    return q->host->rotation == ROTATION_QP ? alone(q)
                                            : next_of(q->host, &q->set->counter, q->npaths);
}

/* The source port of a path, which is in a plane, the lowest digit of its number: the other digits,
 * the ToR's up port first, and what is left of the QP's. */
static inline uint16_t
sport_of(const struct pro_host *h, uint16_t own, uint32_t path)
{
    const uint32_t within = path / h->planes;
    return (uint16_t)((own & ~PATH_MASK) | within / h->up << DIGIT_BITS | within % h->up);
}

static void
pro_data(void *qp, struct weft_packet *data, int64_t now)
{
    struct pro_qp *q = qp;
    (void)now;
    const uint32_t path = next_path(q);
    data->sport = sport_of(q->host, data->sport, path);
    data->in_port = (uint16_t)(1 + path % q->host->planes);
}

static void
pro_reply(void *host, struct weft_packet *reply)
{
    struct pro_host *h = host;
    if (h->replies == REPLIES_ROTATE)
    {
        const uint32_t tor = reply->dst / h->hosts_per_tor;
        const uint32_t path = next_of(h, &sets_of(h)[tor].reply, paths_to(h, tor));
        reply->sport = sport_of(h, reply->sport, path);
    }
    else if (h->replies == REPLIES_ECHO)
    {
        reply->sport = reply->echo;
    }
}

static void
pro_on_active(void *qp, bool active, int64_t now)
{
    struct pro_qp *q = qp;
    (void)now;
    q->set->active += active ? 1U : -1U;
    q->at = q->host->batch; /* what comes next begins a batch */
}

static const struct weft_path_ops pro_path = {
    .host_size = pro_host_size,
    .host_init = pro_host_init,
    .qp_size = pro_qp_size,
    .qp_init = pro_qp_init,
    .data = pro_data,
    .reply = pro_reply,
    .on_active = pro_on_active,
    .fields = {.reads = WEFT_FIELD_DST | WEFT_FIELD_SPORT | WEFT_FIELD_ECHO,
               .writes = WEFT_FIELD_SPORT | WEFT_FIELD_IN_PORT},
};

static void
pro_set_routes(void *state, const struct weft_fib *fib)
{
    struct pro *s = state;
    if (s->fallback->set_routes)
    {
        s->fallback->set_routes(part_of(s), fib);
    }
}

const struct weft_lb_ops weft_lb_pro = {
    .algo =
        {
            .name = "pro",
            .doc = "Orchestrated round robin at the NIC: each QP goes over all paths to its "
                   "destination's ToR, staggered against the NIC's other QPs.",
            .source = "pro §III-A, Alg. 1, §V",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct pro_config),
        },
    .state_size = pro_size,
    .init = pro_init,
    .pick = pro_pick,
    .reads_ports = true, /* its fallback does */
    .set_routes = pro_set_routes,
    .path = &pro_path,
    .peek = pro_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS | WEFT_FIELD_KIND},
    .reorders = true,
    .in_turn = true,
};
