/* SPDX-License-Identifier: MIT */
/* The checked build's congestion controls. */
#include "checked/check.h"
#include "checked/checked.h"

#ifdef WEFT_CHECKED

static const struct weft_cc_ops *
ops_of(const struct weft_checked *c)
{
    return c->ops;
}

static struct weft_checked *
sender(void *state, int64_t now, const char *call)
{
    return weft_checked_at(state, WEFT_CHECKED_CC, now, call);
}

static int
checked_init(const struct weft_cc_ops *ops, void *state, const void *config,
             const struct weft_cc_site *site, int64_t now)
{
    struct weft_checked *c = weft_checked_begin(state, ops, "cc->init");
    weft_checked_config(&ops->algo, config, "cc->init");
    c->now = now;
    return weft_checked_end(c, WEFT_CHECKED_CC, ops->init(weft_checked_own(c), config, site, now));
}

static int64_t
checked_rate(void *state, int64_t now)
{
    const struct weft_checked *c = sender(state, now, "cc->rate");
    return ops_of(c)->rate(weft_checked_own(c), now);
}

static void
checked_on_sent(void *state, const struct weft_packet *data, int64_t now)
{
    const struct weft_checked *c = sender(state, now, "cc->on_sent");
    WEFT_CHECK(data->kind == WEFT_DATA, "cc->on_sent", "the packet is data");
    WEFT_CHECK(!(ops_of(c)->fields.reads & WEFT_FIELD_BYTES) || data->bytes > 0, "cc->on_sent",
               "the packet has its length (bytes), which this congestion control reads");
    ops_of(c)->on_sent(weft_checked_own(c), data, now);
}

/* Checks that an ACK or a NACK agrees with itself, and with what was told before. */
static void
check_ack(struct weft_checked *c, const struct weft_cc_ack *ack, int64_t now)
{
    const char *call = "cc->on_ack";
    const struct weft_packet *reply = ack->reply;
    WEFT_CHECK(reply && (reply->kind == WEFT_ACK || reply->kind == WEFT_NACK), call,
               "reply is an ACK or a NACK");
    WEFT_CHECK(!(ops_of(c)->fields.reads & WEFT_FIELD_SENT) || reply->sent <= now, call,
               "reply has when its data packet was sent (sent), not later than now");
    WEFT_CHECK(ack->una == c->una + ack->acked, call,
               "una counts from the QP's first packet, and acked is what this reply adds to it");
    WEFT_CHECK(ack->delivered >= ack->una && ack->delivered >= c->delivered, call,
               "delivered is at least una, and never falls");
    WEFT_CHECK(ack->next >= ack->una, call,
               "next counts the packets sent at least once, so it is not below una");
    c->una = ack->una;
    c->delivered = ack->delivered;
}

static void
checked_on_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    struct weft_checked *c = sender(state, now, "cc->on_ack");
    check_ack(c, ack, now);
    ops_of(c)->on_ack(weft_checked_own(c), ack, now);
}

static void
checked_on_cnp(void *state, const struct weft_packet *cnp, int64_t now)
{
    const struct weft_checked *c = sender(state, now, "cc->on_cnp");
    WEFT_CHECK(cnp->kind == WEFT_CNP, "cc->on_cnp", "the packet is a CNP");
    ops_of(c)->on_cnp(weft_checked_own(c), cnp, now);
}

static void
checked_on_pull(void *state, const struct weft_packet *pull, int64_t now)
{
    const struct weft_checked *c = sender(state, now, "cc->on_pull");
    WEFT_CHECK(pull->kind == WEFT_PULL, "cc->on_pull", "the packet is a pull");
    ops_of(c)->on_pull(weft_checked_own(c), pull, now);
}

static void
checked_stamp(void *state, const struct weft_demand *demand, struct weft_packet *data, int64_t now)
{
    const struct weft_checked *c = sender(state, now, "cc->stamp");
    WEFT_CHECK(data->kind == WEFT_DATA, "cc->stamp", "the packet is data");
    ops_of(c)->stamp(weft_checked_own(c), demand, data, now);
}

static void
checked_on_nack(void *state, const struct weft_packet *nack, int64_t now)
{
    const struct weft_checked *c = sender(state, now, "cc->on_nack");
    WEFT_CHECK(nack->kind == WEFT_NACK, "cc->on_nack", "the packet is a NACK");
    ops_of(c)->on_nack(weft_checked_own(c), nack, now);
}

static void
checked_on_timeout(void *state, int64_t now)
{
    const struct weft_checked *c = sender(state, now, "cc->on_timeout");
    ops_of(c)->on_timeout(weft_checked_own(c), now);
}

static void
checked_on_lost(void *state, const struct weft_loss *loss, int64_t now)
{
    const struct weft_checked *c = sender(state, now, "cc->on_lost");
    WEFT_CHECK(loss->cause <= WEFT_LOST_TOLD, "cc->on_lost", "cause is one of weft_loss_cause");
    ops_of(c)->on_lost(weft_checked_own(c), loss, now);
}

static void
checked_on_stamps(void *state, const struct weft_stamp *stamps, uint32_t n, int64_t now)
{
    const struct weft_checked *c = sender(state, now, "cc->on_stamps");
    WEFT_CHECK(n >= 1 && n <= WEFT_STAMPS, "cc->on_stamps", "there are 1 to WEFT_STAMPS stamps");
    for (uint32_t i = 0; i < n; i++)
    {
        WEFT_CHECK(
            weft_rate_possible(stamps[i].rate) && stamps[i].at <= now, "cc->on_stamps",
            "a stamp has the link's rate, and when the packet left there, not later than now");
    }
    ops_of(c)->on_stamps(weft_checked_own(c), stamps, n, now);
}

static uint64_t
checked_cuts(const void *state)
{
    const struct weft_checked *c = weft_checked_of(state, WEFT_CHECKED_CC, "cc->cuts");
    return ops_of(c)->cuts(weft_checked_own(c));
}

static uint32_t
checked_window(void *state, int64_t now)
{
    const struct weft_checked *c = sender(state, now, "cc->window");
    return ops_of(c)->window(weft_checked_own(c), now);
}

static void
wrap(struct weft_cc_ops *checked, const struct weft_cc_ops *ops)
{
    *checked = *ops;
    checked->state_size = weft_checked_size(ops->state_size);
    WEFT_CHECKED_HOOK(rate, checked_rate);
    WEFT_CHECKED_HOOK(on_sent, checked_on_sent);
    WEFT_CHECKED_HOOK(on_ack, checked_on_ack);
    WEFT_CHECKED_HOOK(on_cnp, checked_on_cnp);
    WEFT_CHECKED_HOOK(on_nack, checked_on_nack);
    WEFT_CHECKED_HOOK(on_pull, checked_on_pull);
    WEFT_CHECKED_HOOK(stamp, checked_stamp);
    WEFT_CHECKED_HOOK(on_timeout, checked_on_timeout);
    WEFT_CHECKED_HOOK(on_lost, checked_on_lost);
    WEFT_CHECKED_HOOK(on_stamps, checked_on_stamps);
    WEFT_CHECKED_HOOK(cuts, checked_cuts);
    WEFT_CHECKED_HOOK(window, checked_window);
}

/* Calls that come before there is a state that knows its table: each table has its own. */
#define WRAPPER(table)                                                                             \
    struct weft_cc_ops weft_checked_##table;                                                       \
    static int cc_init_##table(void *state, const void *config, const struct weft_cc_site *site,   \
                               int64_t now)                                                        \
    {                                                                                              \
        return checked_init(&table, state, config, site, now);                                     \
    }
WEFT_CONGESTION_CONTROLS(WRAPPER)

#define WRAP(table)                                                                                \
    wrap(&weft_checked_##table, &table);                                                           \
    weft_checked_##table.init = cc_init_##table;

__attribute__((constructor)) static void
wrap_all(void)
{
    WEFT_CONGESTION_CONTROLS(WRAP)
}

#else
typedef int weft_no_congestion_control_is_checked;
#endif
