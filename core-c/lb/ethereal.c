/* SPDX-License-Identifier: MIT */
/*
 * Ethereal: the messages that a host posts at one instant are planned together. Those towards one
 * destination ToR are dealt out over the paths to it, whole, as many to each; the r = n mod s that
 * are left of n messages on s paths are divided into s / gcd(r, s) parts each, which are dealt out
 * likewise. So each path gets n/s of a message, and no fewer messages could be divided (Theorem 1).
 *
 * A path is named by the UDP source port: 8 bits say which uplink the ToR takes, 8 bits which one
 * the aggregation takes. In the paper every switch reads the first 8 bits and swaps the halves.
 * Here a switch knows by its tier which half is its own, and the field stays as it was sent: a
 * shortest path crosses 1, 3 or 5 switches, so what the receiver would find are swapped halves.
 * Links that are parallel share a digit: downwards a packet takes the one of the same number that
 * it took upwards.
 *
 * After a timeout or a NACK the host shuns the QP's path for a while, towards all destinations:
 * plans leave it out unless all are shunned. The QP goes on by another one, drawn at random among
 * those that are not shunned, or among all others if there is none.
 */
#include "lb/ethereal.h"
#include "base/saturating.h"
#include "lb/candidates.h"
#include "lb/ecmp.h"
#include "lb/site.h"
#include "roster/tables.h"

#include <weft/error.h>

/* "ethr" in ASCII: this balancer's random streams, one per host. */
#define ETHEREAL_STREAM (UINT64_C(0x65746872) << 32)

/* Values of each half of a path's name. */
#define HALF 256U

enum replies
{
    REPLIES_SWAP,
    REPLIES_COPY,
};

/* How one switch reads the name of a path: by how many bits it shifts it. */
struct ethereal
{
    struct weft_ecmp ecmp;
    uint32_t first_up; /* port */
    uint32_t parallel; /* ports down to each child */
    uint32_t shift_up;
    uint32_t shift_down;
    uint32_t planes;
};

/* A QP's. */
struct ethereal_qp
{
    struct weft_ethereal_host *host;
    uint32_t npaths; /* to its destination */
    uint16_t label;
    bool labelled;
    bool active; /* something is under way */
};

static const struct weft_param params[] = {
    {"replies", WEFT_CHOICE, WEFT_P(struct weft_ethereal_config, replies), "swap", NULL, NULL,
     "swap copy",
     "How the receiver names the path of a reply. swap: it swaps the halves of what it finds once "
     "more, so that replies take the data's links; copy: it copies what it finds, as printed, and "
     "replies take other links unless both halves are equal.",
     "ethereal §3.2; swap (ours)"},
    {"shun", WEFT_TIME, WEFT_P(struct weft_ethereal_config, shun), "10ms", "0ps", "inf", NULL,
     "For how long after its last failure a path is left out of a host's plans.",
     "ethereal §3.3; 10 ms (ours)"},
    {"spread", WEFT_TIME, WEFT_P(struct weft_ethereal_config, spread), "1us", "0ps", "1s", NULL,
     "Flows that are planned start at random times within it, those of the own rack at once.",
     "ethereal §3.1; 1 us (ours)"},
};

static size_t
ethereal_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct ethereal);
}

static int
check_halves(const struct weft_clos *clos, struct weft_refusal *why)
{
    const bool fits =
        clos->planes * weft_tor_uplinks(clos) <= HALF && weft_agg_uplinks(clos) <= HALF;
    return fits ? 0
                : weft_refuse(why, WEFT_ERANGE, NULL,
                              "a switch, or all of a host's ToRs together, has more than 256 "
                              "uplinks, which 8 bits of a path's name "
                              "cannot tell apart");
}

static int
ethereal_init(void *state, const void *config, const struct weft_site *site)
{
    struct ethereal *s = state;
    (void)config;
    int code = weft_site_serves(site, &weft_lb_ethereal);
    code = code ? code : weft_site_shape(site);
    code = code ? code : check_halves(site->clos, site->why);
    if (code)
    {
        return code;
    }
    struct weft_switch_map map;
    weft_clos_switch(site->clos, site->switch_index, &map);
    weft_ecmp_init(&s->ecmp, site, false);
    s->first_up = map.first_up;
    s->parallel = map.parallel;
    s->planes = site->clos->planes;
    s->shift_up = site->tier == 0 ? 8 : 0;
    s->shift_down = site->tier == 1 ? 8 : 0;
    return 0;
}

/* Returns the port that the path's number says if there is such a port and it is alive; else
 * ECMP's. */
static uint32_t
ethereal_peek(const void *state, const struct weft_ports *ports, const struct weft_packet *packet)
{
    const struct ethereal *s = state;
    const bool up = ports->first >= s->first_up;
    const uint32_t shift = up ? s->shift_up : s->shift_down;
    const uint32_t named = packet->sport >> shift & (HALF - 1);
    const uint32_t half = shift > 0 && s->planes > 1 ? named / s->planes : named;
    const uint32_t digit = up ? half : half % s->parallel;
    const uint32_t port = (up ? s->first_up : ports->first) + digit;
    if (packet->kind != WEFT_RAW && weft_ports_have(ports, port))
    {
        return port;
    }
    return weft_port_at(ports, weft_ecmp_index(&s->ecmp, ports->n, packet));
}

static uint32_t
ethereal_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    (void)now;
    return ethereal_peek(state, ports, packet);
}

static uint16_t
swapped(uint16_t label)
{
    return (uint16_t)(label << 8 | label >> 8);
}

static uint32_t
path_of(const struct weft_ethereal_host *h, uint16_t label)
{
    return (label >> 8) + (label & (HALF - 1)) * h->tor_up;
}

static size_t
host_size(const void *config, const struct weft_path_site *site)
{
    const bool shaped = site->clos && !site->clos->graph && weft_clos_check(site->clos) == 0;
    const size_t npaths = shaped ? (size_t)site->clos->planes * weft_tor_uplinks(site->clos) *
                                       weft_agg_uplinks(site->clos)
                                 : 0;
    (void)config;
    return sizeof(struct weft_ethereal_host) + npaths * sizeof(int64_t);
}

static int
host_init(void *host, const void *config, const struct weft_path_site *site)
{
    const struct weft_ethereal_config *c = config;
    struct weft_ethereal_host *h = host;
    int code = weft_host_shape(site);
    code = code ? code : check_halves(site->clos, site->why);
    if (code)
    {
        return code;
    }
    if (c->replies < REPLIES_SWAP || c->replies > REPLIES_COPY || c->shun < 0 || c->spread < 0)
    {
        return weft_refuse_config(site->why, &weft_lb_ethereal.algo, config);
    }
    h->clos = site->clos;
    h->shun = c->shun;
    h->replies = (uint64_t)c->replies;
    h->tor = weft_clos_tor(site->clos, site->host);
    h->planes = site->clos->planes;
    h->tor_up = h->planes * weft_tor_uplinks(site->clos);
    h->npaths = h->tor_up * weft_agg_uplinks(site->clos);
    weft_host_rng(&h->rng, site, ETHEREAL_STREAM | site->host);
    h->salt = (uint64_t)weft_rng_u32(&h->rng) << 32;
    h->salt |= weft_rng_u32(&h->rng);
    for (uint32_t i = 0; i < h->npaths; i++)
    {
        weft_ethereal_shunned(h)[i] = 0;
    }
    return 0;
}

static size_t
qp_size(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct ethereal_qp);
}

static int
qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
        uint32_t qp_index)
{
    struct weft_ethereal_host *h = host;
    (void)config;
    (void)qp_index;
    if (!h)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "a QP needs its host's state; expected host_init() first");
    }
    *(struct ethereal_qp *)qp = (struct ethereal_qp){
        .host = h, .npaths = weft_ethereal_paths(h, weft_clos_tor(h->clos, site->dst))};
    return weft_host_serves(site, &weft_lb_ethereal);
}

/* A QP that has something under way keeps its path, so that nothing is overtaken. */
static void
take_label(void *qp, uint16_t label, int64_t now)
{
    struct ethereal_qp *q = qp;
    (void)now;
    if (!q->active || !q->labelled)
    {
        q->label = label;
        q->labelled = true;
    }
}

static void
set_active(void *qp, bool active, int64_t now)
{
    (void)now;
    ((struct ethereal_qp *)qp)->active = active;
}

/* A QP that no plan has labelled takes a path at random. */
static void
name_path(void *qp, struct weft_packet *data, int64_t now)
{
    struct ethereal_qp *q = qp;
    if (!q->labelled && q->npaths > 0)
    {
        const uint32_t path = weft_rng_below(&q->host->rng, q->npaths);
        q->label = weft_ethereal_label(q->host, path);
        q->labelled = true;
    }
    (void)now;
    data->sport = q->labelled ? q->label : data->sport;
    data->in_port = q->labelled ? (uint16_t)(1 + (q->label >> 8) % q->host->planes) : 0;
}

static void
name_reply_path(void *host, struct weft_packet *reply)
{
    const struct weft_ethereal_host *h = host;
    reply->sport = h->replies == REPLIES_SWAP ? reply->echo : swapped(reply->echo);
}

/* How many of a QP's paths the host does not shun, path @p old aside. */
static uint32_t
count_good(const struct ethereal_qp *q, uint32_t old, int64_t now)
{
    uint32_t good = 0;
    for (uint32_t i = 0; i < q->npaths; i++)
    {
        good += i != old && weft_ethereal_shunned(q->host)[i] <= now;
    }
    return good;
}

/* Any of a QP's paths but @p old that is not shunned, each as likely; if all are, any other. */
static uint32_t
draw_other(const struct ethereal_qp *q, uint32_t old, int64_t now)
{
    const uint32_t good = count_good(q, old, now);
    uint32_t left = weft_rng_below(&q->host->rng, good > 0 ? good : q->npaths - 1);
    uint32_t path = 0;
    for (;; path++)
    {
        const bool counts =
            path != old && (good == 0 || weft_ethereal_shunned(q->host)[path] <= now);
        if (counts && left-- == 0)
        {
            return path;
        }
    }
}

/* The path of a QP has failed: the host shuns it, and the QP takes another one. */
static void
leave_path(struct ethereal_qp *q, int64_t now)
{
    struct weft_ethereal_host *h = q->host;
    if (!q->labelled || q->npaths == 0)
    {
        return;
    }
    const uint32_t old = path_of(h, q->label);
    weft_ethereal_shunned(h)[old] = weft_sum(now, h->shun);
    if (q->npaths > 1)
    {
        q->label = weft_ethereal_label(h, draw_other(q, old, now));
    }
}

/* A reply to a packet of a path that the QP has left meanwhile says nothing of the new path. */
static void
hear_reply(void *qp, const struct weft_packet *reply, int64_t now)
{
    struct ethereal_qp *q = qp;
    if (reply->kind == WEFT_NACK && reply->echo == q->label)
    {
        leave_path(q, now);
    }
}

static void
hear_timeout(void *qp, int64_t now)
{
    leave_path((struct ethereal_qp *)qp, now);
}

static const struct weft_path_ops ethereal_path = {
    .host_size = host_size,
    .host_init = host_init,
    .qp_size = qp_size,
    .qp_init = qp_init,
    .data = name_path,
    .reply = name_reply_path,
    .on_reply = hear_reply,
    .on_timeout = hear_timeout,
    .on_active = set_active,
    .on_label = take_label,
    .fields = {.reads = WEFT_FIELD_DST | WEFT_FIELD_KIND | WEFT_FIELD_SPORT | WEFT_FIELD_ECHO,
               .writes = WEFT_FIELD_SPORT | WEFT_FIELD_IN_PORT},
};

const struct weft_lb_ops weft_lb_ethereal = {
    .algo =
        {
            .name = "ethereal",
            .doc = "Ethereal: each host deals its messages out over all paths, and divides only "
                   "those that do not come out even.",
            .source = "ethereal §3",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct weft_ethereal_config),
        },
    .state_size = ethereal_size,
    .init = ethereal_init,
    .pick = ethereal_pick,
    .path = &ethereal_path,
    .plan = &weft_ethereal_plan,
    .oblivious = true,
    .peek = ethereal_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS | WEFT_FIELD_KIND},
};
