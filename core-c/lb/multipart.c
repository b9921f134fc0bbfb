/* SPDX-License-Identifier: MIT */
/* Multi-part entropy: what does not depend on whether its sender listens to congestion. */
#include "lb/multipart.h"

#include "lb/candidates.h"
#include "lb/ecmp.h"
#include "lb/site.h"

/* --- parts ------------------------------------------------------------------------------------ */

int
weft_parts_init(struct weft_parts *parts, const uint32_t *ports, uint32_t n)
{
    uint32_t bits = 0;
    *parts = (struct weft_parts){.n = 0};
    for (uint32_t i = 0; i < n; i++)
    {
        uint32_t own = 0;
        while (own < 16 && UINT32_C(1) << own < ports[i])
        {
            own++;
        }
        bits += own;
        if (ports[i] < 1 || ports[i] > UINT16_MAX || bits > 16)
        {
            *parts = (struct weft_parts){.n = 0};
            return WEFT_ERANGE;
        }
        parts->ports[i] = (uint16_t)ports[i];
        parts->shift[i + 1] = (uint8_t)bits;
    }
    parts->n = (uint8_t)n;
    return 0;
}

uint32_t
weft_parts_paths(const struct weft_parts *parts)
{
    uint32_t paths = 1;
    for (uint32_t i = 0; i < parts->n; i++)
    {
        paths *= parts->ports[i];
    }
    return paths;
}

uint32_t
weft_parts_values(const struct weft_parts *parts)
{
    uint32_t values = 0;
    for (uint32_t i = 0; i < parts->n; i++)
    {
        values += parts->ports[i];
    }
    return values;
}

uint32_t
weft_parts_path(const struct weft_parts *parts, uint16_t label)
{
    uint32_t path = 0;
    uint32_t weight = 1;
    for (uint32_t i = 0; i < parts->n; i++)
    {
        const uint32_t port = weft_part_of(parts, i, label);
        if (port >= parts->ports[i])
        {
            return WEFT_NO_PATH;
        }
        path += weight * port;
        weight *= parts->ports[i];
    }
    return (uint32_t)label >> parts->shift[parts->n] == 0 ? path : WEFT_NO_PATH;
}

uint16_t
weft_parts_label(const struct weft_parts *parts, uint32_t path)
{
    uint32_t label = 0;
    for (uint32_t i = 0; i < parts->n; i++)
    {
        label |= path % parts->ports[i] << parts->shift[i];
        path /= parts->ports[i];
    }
    return (uint16_t)label;
}

/* The parts of a fabric's hosts, if they have several ports, and of its first @p n tiers. */
static int
parts_of(struct weft_parts *parts, const struct weft_clos *clos, uint32_t n,
         struct weft_refusal *why)
{
    const uint32_t ports[] = {clos->planes, weft_tor_uplinks(clos), weft_agg_uplinks(clos)};
    const bool several = clos->planes > 1;
    const int code = weft_parts_init(parts, several ? ports : ports + 1, n + several);
    parts->names_port = code == 0 && several;
    return code == 0
               ? 0
               : weft_refuse(why, WEFT_ERANGE, NULL,
                             "the up ports of all tiers need more than the 16 bits of a UDP source "
                             "port; expected the bits of each tier's port number to be 16 in all");
}

int
weft_parts_between(struct weft_parts *parts, const struct weft_path_site *site)
{
    const struct weft_clos *clos = site->clos;
    *parts = (struct weft_parts){.n = 0};
    const int code = weft_host_shape(site);
    if (code)
    {
        return code;
    }
    if (site->dst >= clos->nhosts)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the receiver is not one of the fabric's hosts; expected dst to be "
                           "below its hosts");
    }
    const uint32_t src_tor = weft_clos_tor(clos, site->host);
    const uint32_t dst_tor = weft_clos_tor(clos, site->dst);
    const uint32_t pod = clos->tors_per_pod;
    const uint32_t n = src_tor == dst_tor ? 0 : src_tor / pod == dst_tor / pod ? 1 : 2;
    return parts_of(parts, clos, n, site->why);
}

int
weft_parts_across(struct weft_parts *parts, const struct weft_path_site *site)
{
    const int code = weft_host_shape(site);
    *parts = (struct weft_parts){.n = 0};
    return code ? code : parts_of(parts, site->clos, site->clos->tiers - 1, site->why);
}

/* --- the sender: Alg. 2 ----------------------------------------------------------------------- */

/* Fisher-Yates. */
static void
shuffle(struct weft_rng *rng, uint16_t *order, uint32_t n)
{
    for (uint32_t i = n; i-- > 1;)
    {
        const uint32_t j = weft_rng_below(rng, i + 1);
        const uint16_t other = order[j];
        order[j] = order[i];
        order[i] = other;
    }
}

/* Composes the next entropy from all parts but the lowest. */
static void
compose_above(struct weft_multipart *m, const uint16_t *order)
{
    const struct weft_parts *parts = &m->parts;
    uint32_t path = 0;
    uint32_t label = 0;
    uint32_t weight = 1;
    for (uint32_t i = 1; i < parts->n; i++)
    {
        weight *= parts->ports[i - 1];
        order += parts->ports[i - 1];
        path += weight * order[m->counter[i]];
        label |= (uint32_t)order[m->counter[i]] << parts->shift[i];
    }
    m->above = (struct weft_entropy){.path = path, .label = (uint16_t)label};
}

void
weft_multipart_begin(struct weft_multipart *m, const struct weft_parts *parts, uint16_t *order)
{
    uint16_t *first = order;
    m->parts = *parts;
    for (uint32_t i = 0; i < WEFT_PARTS; i++)
    {
        m->counter[i] = 0;
    }
    for (uint32_t i = 0; i < parts->n; i++)
    {
        for (uint16_t port = 0; port < parts->ports[i]; port++)
        {
            order[port] = port;
        }
        shuffle(&m->rng, order, parts->ports[i]);
        order += parts->ports[i];
    }
    compose_above(m, first);
}

void
weft_multipart_wrap(struct weft_multipart *m, uint16_t *order)
{
    const struct weft_parts *parts = &m->parts;
    uint16_t *own = order;
    uint32_t i = 0;
    do
    {
        m->counter[i] = 0;
        shuffle(&m->rng, own, parts->ports[i]);
        own += parts->ports[i];
        i++;
    } while (i < parts->n && ++m->counter[i] == parts->ports[i]);
    compose_above(m, order);
}

/* --- the receiver: replies -------------------------------------------------------------------- */

struct multipart_host
{
    struct weft_replier replier;
    struct weft_parts parts; /* of the whole fabric: a switch reads no more than it needs */
};

size_t
weft_multipart_host_size(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct multipart_host);
}

int
weft_multipart_host_init(void *host, const void *config, const struct weft_path_site *site)
{
    struct multipart_host *h = host;
    const int code = weft_parts_across(&h->parts, site);
    if (code == 0)
    {
        weft_replier_init(&h->replier, site, WEFT_MULTIPART_HOST_STREAM,
                          ((const struct weft_multipart_config *)config)->replies);
    }
    return code;
}

void
weft_multipart_reply(void *host, struct weft_packet *reply)
{
    struct multipart_host *h = host;
    if (h->replier.how == WEFT_REPLIES_ECHO)
    {
        reply->sport = reply->echo;
    }
    else if (h->replier.how == WEFT_REPLIES_SPRAY)
    {
        uint32_t label = 0;
        for (uint32_t i = 0; i < h->parts.n; i++)
        {
            label |= weft_rng_below(&h->replier.rng, h->parts.ports[i]) << h->parts.shift[i];
        }
        reply->sport = (uint16_t)label;
    }
}

/* --- switches --------------------------------------------------------------------------------- */

struct multipart_switch
{
    struct weft_ecmp ecmp;
    struct weft_parts parts;
    uint16_t first_up; /* port */
    uint16_t parallel; /* ports down to each child */
    uint8_t up;        /* the part that is its own */
    uint8_t down;      /* the part that led up to its tier */
    bool hash_replies;
    bool modulo;
};

size_t
weft_multipart_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct multipart_switch);
}

int
weft_multipart_init(void *state, const void *config, const struct weft_site *site)
{
    struct multipart_switch *s = state;
    const struct weft_multipart_config *c = config;
    struct weft_switch_map map;
    const int code = weft_site_shape(site);
    if (code)
    {
        return code;
    }
    weft_clos_switch(site->clos, site->switch_index, &map);
    weft_ecmp_init(&s->ecmp, site, false);
    s->first_up = map.first_up;
    s->parallel = map.parallel;
    const uint32_t first = site->clos->planes > 1; /* part of the tiers */
    s->up = (uint8_t)(first + site->tier);
    s->down = (uint8_t)(first + (site->tier > 0 ? site->tier - 1 : 0));
    s->hash_replies = c->replies == WEFT_REPLIES_ECMP;
    s->modulo = c->dead_port == WEFT_DEAD_PORT_MODULO;
    return parts_of(&s->parts, site->clos, site->clos->tiers - 1, site->why);
}

/* Whether a packet carries an entropy. */
static bool
is_sprayed(const struct multipart_switch *s, const struct weft_packet *packet)
{
    return packet->kind != WEFT_RAW && (packet->kind == WEFT_DATA || !s->hash_replies);
}

/* The port of its group that a packet names. */
static uint32_t
port_of(const struct multipart_switch *s, const struct weft_ports *ports, uint16_t label)
{
    if (ports->first < s->first_up)
    {
        return weft_part_of(&s->parts, s->down, label) % s->parallel;
    }
    const uint32_t port = weft_part_of(&s->parts, s->up, label);
    const uint32_t there = s->parts.ports[s->up];
    return port < there ? port : port % there;
}

uint32_t
weft_multipart_peek(const void *state, const struct weft_ports *ports,
                    const struct weft_packet *packet)
{
    const struct multipart_switch *s = state;
    if (is_sprayed(s, packet))
    {
        const uint32_t number = port_of(s, ports, packet->sport);
        if (ports->list && s->modulo)
        {
            return ports->list[number % weft_ports_distinct(ports)];
        }
        if (!ports->list || weft_ports_have(ports, ports->first + number))
        {
            return ports->first + number;
        }
    }
    return weft_port_at(ports, weft_ecmp_index(&s->ecmp, ports->n, packet));
}

uint32_t
weft_multipart_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet,
                    int64_t now)
{
    (void)now;
    return weft_multipart_peek(state, ports, packet);
}
