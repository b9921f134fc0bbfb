/* SPDX-License-Identifier: MIT */
/* Whether the parts of a fabric can begin: their inits, called before there is one, at the places
 * where they will be called when it is made. Switches of a tier are alike in a Clos, and so are its
 * hosts. */
#include "node/sites.h"

#include <weft/error.h>
#include <weft/plan.h>

/* A part that is tried. */
struct trial
{
    const struct weft_net_config *c;
    const struct weft_net_level *l;
    uint32_t level;
    struct weft_refusal *why;
};

static void *
take(const struct trial *t, size_t bytes)
{
    return t->c->memory.take(t->c->memory.of, bytes + 16);
}

/* --- switches ---------------------------------------------------------------------------------
 */

static uint32_t
nports(const struct trial *t, uint32_t index)
{
    struct weft_switch_map map;
    weft_clos_switch(t->c->clos, index, &map);
    return weft_map_nports(&map);
}

static int
try_buffer(const struct trial *t, uint32_t index)
{
    const struct weft_mmu_config *buffer = &t->c->buffer;
    const uint32_t n = nports(t, index);
    const int code = weft_mmu_check(buffer, n, t->why);
    return code ? code : weft_mmu_init(take(t, (size_t)weft_mmu_size(buffer, n)), buffer, n);
}

static int
try_scheduler(const struct trial *t, uint32_t index)
{
    const struct weft_net_config *c = t->c;
    const struct weft_scheduler_site site = weft_net_scheduler_site(c);
    (void)index;
    return weft_net_schedules(c)
               ? c->scheduler->init(take(t, c->scheduler->state_size(c->scheduler_config)),
                                    c->scheduler_config, &site)
               : 0;
}

static int
try_port_selector(const struct trial *t, uint32_t index)
{
    static const struct weft_port_reader none; /* init() reads no port */
    struct weft_site site = weft_net_switch_site(t->c, index, &none, t->why);
    site.seed = weft_level_seed(site.seed, t->level);
    site.tclass = t->l->tclass;
    void *state = take(t, t->l->lb->state_size(t->l->lb_config, &site));
    return t->l->lb->init(state, t->l->lb_config, &site);
}

static int
at_switches(const struct trial *t, int (*try_at)(const struct trial *t, uint32_t index))
{
    const struct weft_clos *clos = t->c->clos;
    const uint32_t first[] = {0, clos->ntors, clos->ntors + clos->naggs};
    const uint32_t n = clos->graph ? clos->nswitches : clos->tiers;
    int code = 0;
    for (uint32_t i = 0; i < n && !code; i++)
    {
        code = try_at(t, clos->graph ? i : first[i]);
    }
    return code;
}

/* --- hosts ------------------------------------------------------------------------------------
 */

static int
try_transport(const struct trial *t, const struct weft_qp_site *site)
{
    const struct weft_transport_ops *ops = t->l->transport;
    const void *config = t->l->transport_config;
    const int code = ops->tx_init(take(t, ops->tx_size(config)), config, &site->transport);
    return code ? code : ops->rx_init(take(t, ops->rx_size(config)), config, &site->transport);
}

static int
try_control(const struct trial *t, const struct weft_qp_site *site)
{
    return t->l->cc->init(take(t, t->l->cc->state_size), t->l->cc_config, &site->cc, 0);
}

/* A host's path part; *host is its state, NULL if there is none. */
static int
try_host(const struct trial *t, uint32_t index, void **host)
{
    const struct weft_path_ops *ops = t->l->lb->path;
    const struct weft_path_site at = weft_net_host_site(t->c, t->level, index, t->why);
    *host = ops ? take(t, ops->host_size(t->l->lb_config, &at)) : NULL;
    return ops ? ops->host_init(*host, t->l->lb_config, &at) : 0;
}

/* Tries the planner of a host's messages; *planner is its state. */
static int
try_planner(const struct trial *t, uint32_t index, void *path, void **planner)
{
    const struct weft_plan_ops *ops = t->l->lb->plan;
    const struct weft_plan_site at = {.seed = weft_level_seed(t->c->seed, t->level),
                                      .run = t->c->run,
                                      .host = index,
                                      .payload = t->c->frame.payload,
                                      .clos = t->c->clos,
                                      .path = path,
                                      .why = t->why};
    *planner = ops ? take(t, ops->host_size(t->l->lb_config, &at)) : NULL;
    return ops ? ops->host_init(*planner, t->l->lb_config, &at) : 0;
}

static int
try_path(const struct trial *t, const struct weft_qp_site *site)
{
    const struct weft_path_ops *ops = t->l->lb->path;
    const void *config = t->l->lb_config;
    void *host, *planner;
    int code = try_host(t, site->src, &host);
    if (ops && !code)
    {
        void *qp = take(t, ops->qp_size(config, &site->path));
        code = ops->qp_init(qp, host, config, &site->path, site->index);
    }
    return code ? code : try_planner(t, site->src, host, &planner);
}

/* Tries the states that ToRs keep of a QP that crosses them. */
static int
try_tor(const struct trial *t, const struct weft_qp_site *site)
{
    const struct weft_lb_ops *lb = t->l->lb;
    const void *config = t->l->lb_config;
    const struct weft_last_hop hop = weft_net_last_hop(t->c, t->why);
    int code = 0;
    if (weft_clos_tor(t->c->clos, site->src) == weft_clos_tor(t->c->clos, site->dst) ||
        weft_clos_inside(t->c->clos, site->src, site->dst))
    {
        return 0;
    }
    if (lb->tor)
    {
        code = lb->tor->qp_init(take(t, lb->tor->qp_size(config, &hop)), config, &hop);
    }
    return code || !lb->flow_size ? code : lb->flow_init(take(t, lb->flow_size(config)), config);
}

static int
try_balancer(const struct trial *t, const struct weft_qp_site *site)
{
    const int code = try_path(t, site);
    return code ? code : try_tor(t, site);
}

static int
try_pair(const struct trial *t, uint32_t src, uint32_t dst,
         int (*try_at)(const struct trial *t, const struct weft_qp_site *site))
{
    const struct weft_net_qp_site of = {.src = src, .dst = dst, .level = t->level};
    const uint32_t n = t->c->clos->nhosts;
    struct weft_qp_site site;
    if (src == dst || src >= n || dst >= n)
    {
        return 0;
    }
    weft_net_describe_qp(t->c, &of, 0, &site);
    site.cc.why = t->why;
    site.path.why = t->why;
    return try_at(t, &site);
}

/* Whether a host of a graph is where the one before it is, by a like link. */
static bool
is_like_former(const struct weft_clos *clos, uint32_t host)
{
    const struct weft_graph *g = clos->graph;
    const uint32_t n = weft_clos_host_ports(clos, host);
    bool like = g->group[host] == g->group[host - 1] && g->inside[host] == g->inside[host - 1] &&
                weft_clos_host_ports(clos, host - 1) == n;
    for (uint32_t port = 0; port < n && like; port++)
    {
        const struct weft_link *link = &g->links[g->first_link[host] + port];
        const struct weft_link *former = &g->links[g->first_link[host - 1] + port];
        like = link->upper.index == former->upper.index && link->rate == former->rate &&
               link->delay == former->delay;
    }
    return like;
}

/* In a Clos from its first host to one of the same ToR, of the next one, and to the farthest; in a
 * graph from there to each of the others, and back. */
static int
between_hosts(const struct trial *t,
              int (*try_at)(const struct trial *t, const struct weft_qp_site *site))
{
    const struct weft_clos *clos = t->c->clos;
    const uint32_t dst[] = {1, clos->hosts_per_tor, clos->nhosts - 1};
    const uint32_t n = clos->graph ? clos->nhosts - 1 : sizeof dst / sizeof dst[0];
    int code = 0;
    for (uint32_t i = 0; i < n && !code; i++)
    {
        const uint32_t to = clos->graph ? i + 1 : dst[i];
        if (!clos->graph || i == 0 || !is_like_former(clos, to))
        {
            code = try_pair(t, 0, to, try_at);
            code = code ? code : try_pair(t, to, 0, try_at);
        }
    }
    return code;
}

int
weft_net_try(const struct weft_net_config *c, enum weft_net_part part, uint32_t level,
             struct weft_refusal *why)
{
    const struct trial t = {c, &c->levels[level], level, why};
    int code = 0;
    switch (part)
    {
    case WEFT_NET_BUFFER:
        return at_switches(&t, try_buffer);
    case WEFT_NET_SCHEDULER:
        code = at_switches(&t, try_scheduler);
        return code ? weft_refuse_config(why, &c->scheduler->algo, c->scheduler_config) : 0;
    case WEFT_NET_TRANSPORT:
        code = between_hosts(&t, try_transport);
        return code ? weft_refuse_config(why, &t.l->transport->algo, t.l->transport_config) : 0;
    case WEFT_NET_CONTROL:
        return between_hosts(&t, try_control);
    case WEFT_NET_BALANCER:
        code = at_switches(&t, try_port_selector);
        return code ? code : between_hosts(&t, try_balancer);
    case WEFT_NET_QUEUE:
    case WEFT_NET_PARTS:
        break;
    }
    return 0;
}

uint32_t
weft_net_most_qps(const struct weft_net_config *c, uint32_t level, uint32_t src, uint32_t dst)
{
    const struct trial t = {c, &c->levels[level], level, NULL};
    const struct weft_plan_ops *ops = t.l->lb->plan;
    void *host, *planner;
    if (!ops || try_host(&t, src, &host) || try_planner(&t, src, host, &planner))
    {
        return 1;
    }
    return ops->most_qps ? ops->most_qps(planner, dst) : ops->qps(t.l->lb_config);
}
