/* SPDX-License-Identifier: MIT */
/* The checked build's path selectors. */
#include "checked/check.h"
#include "checked/checked.h"

#ifdef WEFT_CHECKED

static const struct weft_path_ops *
ops_of(const struct weft_checked *c)
{
    return c->ops;
}

static struct weft_checked *
sender(void *qp, int64_t now, const char *call)
{
    return weft_checked_at(qp, WEFT_CHECKED_PATH_QP, now, call);
}

static uint32_t
nhosts_of(const struct weft_path_site *site)
{
    return site->clos ? site->clos->nhosts : 0;
}

static int
init_host(const struct weft_path_ops *ops, void *host, const void *config,
          const struct weft_path_site *site)
{
    struct weft_checked *c = weft_checked_begin(host, ops, "lb->path->host_init");
    c->nhosts = nhosts_of(site);
    WEFT_CHECK(c->nhosts == 0 || site->host < c->nhosts, "lb->path->host_init", WEFT_RULE_HOSTS);
    return weft_checked_end(c, WEFT_CHECKED_PATH_HOST,
                            ops->host_init(weft_checked_own(c), config, site));
}

/* A host's own state. */
static void *
own_host(void *host, const char *call)
{
    const struct weft_checked *c = host;
    WEFT_CHECK(
        !c || weft_checked_is(c, WEFT_CHECKED_PATH_HOST), call,
        "host_init() of this host's state (path_hosts, path_stride) comes first, and returns 0");
    return c ? weft_checked_own(c) : NULL;
}

static int
init_qp(const struct weft_path_ops *ops, void *qp, void *host, const void *config,
        const struct weft_path_site *site, uint32_t index)
{
    struct weft_checked *c = weft_checked_begin(qp, ops, "lb->path->qp_init");
    c->nhosts = nhosts_of(site);
    WEFT_CHECK(c->nhosts == 0 || (site->host < c->nhosts && site->dst < c->nhosts),
               "lb->path->qp_init", WEFT_RULE_HOSTS);
    return weft_checked_end(c, WEFT_CHECKED_PATH_QP,
                            ops->qp_init(weft_checked_own(c), own_host(host, "lb->path->qp_init"),
                                         config, site, index));
}

static void
checked_data(void *qp, struct weft_packet *data, int64_t now)
{
    const char *call = "lb->path->data";
    struct weft_checked *c = sender(qp, now, call);
    WEFT_CHECK(data->kind == WEFT_DATA, call, "the packet is data");
    WEFT_CHECK(weft_checked_hosts(c, data), call, WEFT_RULE_HOSTS);
    WEFT_CHECK(!c->sends || data->sport == c->sport, call,
               "every packet comes with its QP's own source port (sport), always the same");
    WEFT_CHECK(!ops_of(c)->on_active || c->active, call,
               "on_active(true) comes before a QP's first data after it was idle");
    c->sends = true;
    c->sport = data->sport;
    ops_of(c)->data(weft_checked_own(c), data, now);
}

static void
reply_of(const struct weft_path_ops *ops, void *host, struct weft_packet *reply)
{
    WEFT_CHECK(reply->kind >= WEFT_ACK && reply->kind <= WEFT_PULL, "lb->path->reply",
               "the packet is an ACK, a NACK, a CNP or a pull");
    ops->reply(own_host(host, "lb->path->reply"), reply);
}

static void
checked_on_reply(void *qp, const struct weft_packet *reply, int64_t now)
{
    const struct weft_checked *c = sender(qp, now, "lb->path->on_reply");
    WEFT_CHECK(reply->kind == WEFT_ACK || reply->kind == WEFT_NACK, "lb->path->on_reply",
               "the packet is an ACK or a NACK");
    ops_of(c)->on_reply(weft_checked_own(c), reply, now);
}

static void
checked_on_timeout(void *qp, int64_t now)
{
    const struct weft_checked *c = sender(qp, now, "lb->path->on_timeout");
    ops_of(c)->on_timeout(weft_checked_own(c), now);
}

static void
checked_on_lost(void *qp, const struct weft_loss *loss, int64_t now)
{
    const struct weft_checked *c = sender(qp, now, "lb->path->on_lost");
    WEFT_CHECK(loss->cause <= WEFT_LOST_TOLD, "lb->path->on_lost",
               "cause is one of weft_loss_cause");
    ops_of(c)->on_lost(weft_checked_own(c), loss, now);
}

static void
checked_on_active(void *qp, bool active, int64_t now)
{
    struct weft_checked *c = sender(qp, now, "lb->path->on_active");
    WEFT_CHECK(active != c->active, "lb->path->on_active",
               "a QP begins idle, and becomes active and idle by turns");
    c->active = active;
    ops_of(c)->on_active(weft_checked_own(c), active, now);
}

static uint32_t
checked_batch(const void *qp)
{
    const struct weft_checked *c = weft_checked_of(qp, WEFT_CHECKED_PATH_QP, "lb->path->batch");
    return ops_of(c)->batch(weft_checked_own(c));
}

static void
checked_on_label(void *qp, uint16_t label, int64_t now)
{
    const struct weft_checked *c = sender(qp, now, "lb->path->on_label");
    ops_of(c)->on_label(weft_checked_own(c), label, now);
}

static void
checked_set_routes(void *host, uint32_t plane, const struct weft_fib *fib)
{
    const struct weft_checked *c =
        weft_checked_of(host, WEFT_CHECKED_PATH_HOST, "lb->path->set_routes");
    ops_of(c)->set_routes(weft_checked_own(c), plane, fib);
}

static void
wrap(struct weft_path_ops *checked, const struct weft_path_ops *ops)
{
    *checked = *ops;
    WEFT_CHECKED_HOOK(data, checked_data);
    WEFT_CHECKED_HOOK(on_reply, checked_on_reply);
    WEFT_CHECKED_HOOK(on_timeout, checked_on_timeout);
    WEFT_CHECKED_HOOK(on_lost, checked_on_lost);
    WEFT_CHECKED_HOOK(on_active, checked_on_active);
    WEFT_CHECKED_HOOK(batch, checked_batch);
    WEFT_CHECKED_HOOK(on_label, checked_on_label);
    WEFT_CHECKED_HOOK(set_routes, checked_set_routes);
}

/* Calls that are made without a state that knows its table: each table has its own. */
#define WRAPPER(table)                                                                             \
    struct weft_path_ops weft_checked_path_##table;                                                \
    static size_t host_size_##table(const void *config, const struct weft_path_site *site)         \
    {                                                                                              \
        weft_checked_config(&table.algo, config, "lb->path->host_size");                           \
        return weft_checked_size(table.path->host_size(config, site));                             \
    }                                                                                              \
    static size_t qp_size_##table(const void *config, const struct weft_path_site *site)           \
    {                                                                                              \
        weft_checked_config(&table.algo, config, "lb->path->qp_size");                             \
        return weft_checked_size(table.path->qp_size(config, site));                               \
    }                                                                                              \
    static int host_init_##table(void *host, const void *config,                                   \
                                 const struct weft_path_site *site)                                \
    {                                                                                              \
        weft_checked_config(&table.algo, config, "lb->path->host_init");                           \
        return init_host(table.path, host, config, site);                                          \
    }                                                                                              \
    static int qp_init_##table(void *qp, void *host, const void *config,                           \
                               const struct weft_path_site *site, uint32_t index)                  \
    {                                                                                              \
        weft_checked_config(&table.algo, config, "lb->path->qp_init");                             \
        return init_qp(table.path, qp, host, config, site, index);                                 \
    }                                                                                              \
    static void reply_##table(void *host, struct weft_packet *reply)                               \
    {                                                                                              \
        reply_of(table.path, host, reply);                                                         \
    }
WEFT_BALANCERS(WRAPPER)

#define WRAP(table)                                                                                \
    if (table.path)                                                                                \
    {                                                                                              \
        wrap(&weft_checked_path_##table, table.path);                                              \
        weft_checked_path_##table.host_size = host_size_##table;                                   \
        weft_checked_path_##table.host_init = host_init_##table;                                   \
        weft_checked_path_##table.qp_size = qp_size_##table;                                       \
        weft_checked_path_##table.qp_init = qp_init_##table;                                       \
        weft_checked_path_##table.reply = reply_##table;                                           \
    }

__attribute__((constructor)) static void
wrap_all(void)
{
    WEFT_BALANCERS(WRAP)
}

#else
typedef int weft_no_path_is_checked;
#endif
