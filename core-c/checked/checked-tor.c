/* SPDX-License-Identifier: MIT */
/* The checked build's middleware at ToRs. */
#include "checked/check.h"
#include "checked/checked.h"

#ifdef WEFT_CHECKED

static const struct weft_tor_ops *
ops_of(const struct weft_checked *c)
{
    return c->ops;
}

static const struct weft_checked *
tracked(const void *qp, const char *call)
{
    return weft_checked_of(qp, WEFT_CHECKED_TOR, call);
}

static int
init_qp(const struct weft_tor_ops *ops, void *qp, const void *config,
        const struct weft_last_hop *hop)
{
    struct weft_checked *c = weft_checked_begin(qp, ops, "lb->tor->qp_init");
    return weft_checked_end(c, WEFT_CHECKED_TOR, ops->qp_init(weft_checked_own(c), config, hop));
}

static bool
checked_to_host(void *qp, const struct weft_packet *data, bool paused,
                struct weft_tor_counters *counters, uint32_t *epsn)
{
    const struct weft_checked *c = tracked(qp, "lb->tor->to_host");
    WEFT_CHECK(data->kind == WEFT_DATA, "lb->tor->to_host", "it is called for data alone");
    return ops_of(c)->to_host(weft_checked_own(c), data, paused, counters, epsn);
}

static enum weft_tor_verdict
checked_from_host(void *qp, const struct weft_packet *reply, struct weft_tor_counters *counters)
{
    const struct weft_checked *c = tracked(qp, "lb->tor->from_host");
    WEFT_CHECK(reply->kind == WEFT_ACK || reply->kind == WEFT_NACK, "lb->tor->from_host",
               "it is called for ACKs and NACKs alone");
    WEFT_CHECK(!(reply->flags & WEFT_F_COMPENSATED), "lb->tor->from_host",
               "it is called for the NIC's own replies, not for those that the ToR has made");
    return ops_of(c)->from_host(weft_checked_own(c), reply, counters);
}

static bool
checked_release(void *qp, struct weft_tor_counters *counters, uint32_t *epsn)
{
    const struct weft_checked *c = tracked(qp, "lb->tor->release");
    return ops_of(c)->release(weft_checked_own(c), counters, epsn);
}

static bool
checked_owes(const void *qp)
{
    const struct weft_checked *c = tracked(qp, "lb->tor->owes");
    return ops_of(c)->owes(weft_checked_own(c));
}

static void
wrap(struct weft_tor_ops *checked, const struct weft_tor_ops *ops)
{
    *checked = *ops;
    WEFT_CHECKED_HOOK(to_host, checked_to_host);
    WEFT_CHECKED_HOOK(from_host, checked_from_host);
    WEFT_CHECKED_HOOK(release, checked_release);
    WEFT_CHECKED_HOOK(owes, checked_owes);
}

/* Calls that come before there is a state that knows its table: each table has its own. */
#define WRAPPER(table)                                                                             \
    struct weft_tor_ops weft_checked_tor_##table;                                                  \
    static size_t tor_size_##table(const void *config, const struct weft_last_hop *hop)            \
    {                                                                                              \
        weft_checked_config(&table.algo, config, "lb->tor->qp_size");                              \
        return weft_checked_size(table.tor->qp_size(config, hop));                                 \
    }                                                                                              \
    static int tor_init_##table(void *qp, const void *config, const struct weft_last_hop *hop)     \
    {                                                                                              \
        weft_checked_config(&table.algo, config, "lb->tor->qp_init");                              \
        return init_qp(table.tor, qp, config, hop);                                                \
    }
WEFT_BALANCERS(WRAPPER)

#define WRAP(table)                                                                                \
    if (table.tor)                                                                                 \
    {                                                                                              \
        wrap(&weft_checked_tor_##table, table.tor);                                                \
        weft_checked_tor_##table.qp_size = tor_size_##table;                                       \
        weft_checked_tor_##table.qp_init = tor_init_##table;                                       \
    }

__attribute__((constructor)) static void
wrap_all(void)
{
    WEFT_BALANCERS(WRAP)
}

#else
typedef int weft_no_tor_is_checked;
#endif
