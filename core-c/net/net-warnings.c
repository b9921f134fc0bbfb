/* SPDX-License-Identifier: MIT */
/* Warnings of settings that work and spoil a part of a fabric, or make it useless. */
#include "node/shared.h"

#include <weft/param.h>

#include "base/text-out.h"
#include "topo/graph-distance.h"

/* Subject of a warning: a configuration, one of its levels, and where its text goes. */
struct case_of
{
    const struct weft_net_config *c;
    const struct weft_net_level *l;
    struct weft_text text;
};

static bool
say(struct case_of *w, const char *text)
{
    weft_text_put(&w->text, text);
    return true;
}

static void
say_count(struct case_of *w, int64_t value)
{
    weft_text_u64(&w->text, value > 0 ? (uint64_t)value : 0);
}

static bool
say_number(struct case_of *w, const char *before, int64_t value, const char *after)
{
    say(w, before);
    say_count(w, value);
    return say(w, after);
}

/* --- balancers ---------------------------------------------------------------------------------
 */

static bool
order_is_lost(struct case_of *w)
{
    const struct weft_lb_ops *lb = w->l->lb;
    const struct weft_transport_ops *nic = w->l->transport;
    const bool nacks = nic->nacks == WEFT_NACKS_ORDER && !lb->tor; /* which would block them */
    if (!lb->reorders || w->c->clos->npaths == 1 || !(nic->in_order || nacks))
    {
        return false;
    }
    say(w, "reorders the packets of a QP, and the transport ");
    say(w, nic->algo.name);
    say(w, nic->in_order ? " drops what comes out of order; "
                         : " sends NACKs of it, so that what is only late is sent again; ");
    return say(w, lb->tor ? "it is made for nic-sr"
                          : "others, such as sack, or trim with switches that trim, do not");
}

static bool
nacks_do_not_suit(struct case_of *w)
{
    const enum weft_nacks nacks = w->l->transport->nacks;
    if (!w->l->lb->tor || nacks == WEFT_NACKS_ORDER)
    {
        return false;
    }
    say(w, "blocks NACKs of packets that are only out of order, and ");
    say(w, nacks == WEFT_NACKS_NONE ? "the transport " : "those of the transport ");
    say(w, w->l->transport->algo.name);
    return say(w, nacks == WEFT_NACKS_NONE
                      ? " sends none, so that it only sprays; it is made for nic-sr"
                      : " tell of losses alone; it is made for nic-sr");
}

static bool
one_path(struct case_of *w)
{
    return w->l->lb->tor && w->c->clos->npaths == 1 &&
           say(w, "has a single path between hosts, and nothing to spray over");
}

static bool
balancer_hears_nothing(struct case_of *w)
{
    const struct weft_path_ops *path = w->l->lb->path;
    return w->l->lb->learns_from_marks && !w->c->buffer.ecn &&
           say(w, "learns from ECN marks, and ecn is off at the switches: it ") &&
           say(w, path && path->on_lost
                      ? "hears of congestion only when packets are trimmed or lost"
                      : "never hears of congestion");
}

/* --- congestion controls ------------------------------------------------------------------------
 */

static bool
no_cnps(struct case_of *w)
{
    const struct weft_cc_ops *cc = w->l->cc;
    if (!cc->cnp_interval)
    {
        return false;
    }
    if (w->c->buffer.ecn)
    {
        return cc->cnp_interval(w->l->cc_config) == WEFT_NEVER &&
               say(w, "has cnp-interval inf: receivers send no CNPs, so marks change nothing");
    }
    say(w, "waits for CNPs, and with ecn off at the switches no packet is marked: no CNP ever cuts "
           "a rate");
    return weft_config_get_int(&cc->algo, w->l->cc_config, "nack-cut", 0) == 0 ||
           say(w, ", only NACKs do");
}

static bool
path_is_not_measured(struct case_of *w)
{
    const struct weft_lb_ops *lb = w->l->lb;
    if (!w->l->cc->on_stamps || !lb->reorders || w->c->clos->npaths == 1)
    {
        return false;
    }
    say(w, "measures a path by two packets in a row that took it, and the balancer ");
    say(w, lb->algo.name);
    return say(w, " sprays packets over all paths: windows seldom change");
}

/* --- switches -----------------------------------------------------------------------------------
 */

static bool
nothing_to_share(struct case_of *w)
{
    const struct weft_scheduler_ops *s = w->c->scheduler;
    return w->c->buffer.classes == 2 && s && !s->lowest_first &&
           say(w, "has nothing to share with 2 classes of a switch, as class 0 goes first under "
                  "every scheduler; it is for 4 or 8 classes");
}

static bool
marks_too_late(struct case_of *w)
{
    const struct weft_mmu_config *b = &w->c->buffer;
    if (!b->ecn || b->kmin < weft_mmu_total(b, 2 * w->c->clos->hosts_per_tor))
    {
        return false;
    }
    return say_number(w, "has a kmin of ", b->kmin,
                      " bytes, not less than its buffer: no packet will be marked");
}

static bool
trims_before_marks(struct case_of *w)
{
    const struct weft_mmu_config *b = &w->c->buffer;
    if (!b->trim || !b->ecn || b->kmin < b->trim_at)
    {
        return false;
    }
    say_number(w, "has a kmin of ", b->kmin, " bytes, not less than trim-at of ");
    return say_number(w, "", b->trim_at,
                      " bytes: packets are trimmed before any is marked; the preset trim-400g has "
                      "both");
}

/* Bytes that a link holds in both directions. */
static double
held_by(const struct weft_link *link)
{
    return 2 * (double)link->delay * (double)link->rate / 8e12;
}

/* The link that holds most: in a Clos the hosts' and those of each tier are alike. */
static struct weft_link
longest_link(const struct weft_clos *c)
{
    const uint64_t some[] = {0, c->nhosts, c->nlinks - 1};
    const uint64_t n = c->graph ? c->nlinks : sizeof some / sizeof *some;
    struct weft_link longest = {.rate = 0}, link;
    for (uint64_t i = 0; i < n; i++)
    {
        weft_clos_link(c, c->graph ? i : some[i], &link);
        const bool inside = c->graph && weft_graph_is_inside(c->graph, &link); /* never pauses */
        longest =
            !inside && (longest.rate == 0 || held_by(&link) > held_by(&longest)) ? link : longest;
    }
    return longest;
}

/* Whether headroom does not hold what arrives after a pause was sent: the content of the link, and
 * a frame under way at each end. */
static bool
headroom_is_short(struct case_of *w)
{
    const struct weft_link link = longest_link(w->c->clos);
    const double least = held_by(&link) + 2 * (double)(w->c->frame.payload + w->c->frame.header);
    const int64_t needed = (int64_t)least + ((double)(int64_t)least < least);
    if (!w->c->buffer.pfc || w->c->buffer.headroom >= needed)
    {
        return false;
    }
    say_number(w, "has a headroom of ", w->c->buffer.headroom,
               " bytes, less than 2 x delay x rate + 2 frames of links of ");
    say_number(w, "", link.rate / 1000000, " Mbps and ");
    say_number(w, "", link.delay / 1000, " ns: it may drop packets in spite of PFC; expected ");
    return say_number(w, "", needed, " bytes or more");
}

/* --- transports ---------------------------------------------------------------------------------
 */

static bool
trims_are_lost(struct case_of *w)
{
    return w->l->transport->trims && !w->c->buffer.trim && !w->c->buffer.pfc &&
           say(w, "needs switches that trim, and these drop packets: what is lost waits for the "
                  "RTO; expected trim=on at the switches, or another transport");
}

/* ps of a full frame there and its ACK back between the hosts that lie farthest apart. */
static int64_t
round_trip(const struct weft_net_config *c)
{
    const uint32_t last = c->clos->nhosts - 1;
    return weft_clos_way(c->clos, 0, last, c->frame.payload + c->frame.header) +
           weft_clos_way(c->clos, last, 0, c->frame.ack);
}

static bool
rto_is_short(struct case_of *w)
{
    const int64_t trip = round_trip(w->c);
    const int64_t rto =
        weft_config_get_int(&w->l->transport->algo, w->l->transport_config, "rto", WEFT_NEVER);
    if (rto >= trip)
    {
        return false;
    }
    say_number(w, "has an rto of ", rto / 1000, " ns, less than a round trip of ");
    return say_number(w, "", trip / 1000,
                      " ns in an idle fabric: packets are sent again before they can be "
                      "acknowledged");
}

static bool
outstanding_is_short(struct case_of *w)
{
    const struct weft_fabric_config *f = &w->c->frame;
    const int64_t trip = round_trip(w->c);
    const int64_t most = weft_config_get_int(&w->l->transport->algo, w->l->transport_config,
                                             "outstanding", INT64_MAX);
    const double bits = (double)(f->payload + f->header + f->gap) * 8;
    const double share =
        (double)most * bits / ((double)trip * 1e-12) / (double)weft_planes_host_rate(w->c->clos);
    if (share >= 0.99)
    {
        return false;
    }
    say_number(w, "has outstanding ", most, ", less than what is under way in a round trip of ");
    say_number(w, "", trip / 1000, " ns: a QP gets ");
    return say_number(w, "", (int64_t)(100 * share + 0.5), " % of its host's rate at most");
}

/* ------------------------------------------------------------------------------------------------
 */

struct warning
{
    enum weft_net_part part;
    const char *param;
    bool (*applies)(struct case_of *w);
};

/* In the order in which they are told. */
static const struct warning warnings[] = {
    {WEFT_NET_SCHEDULER, "name", nothing_to_share},
    {WEFT_NET_BUFFER, "headroom", headroom_is_short},
    {WEFT_NET_BUFFER, "kmin", marks_too_late},
    {WEFT_NET_BUFFER, "kmin", trims_before_marks},
    {WEFT_NET_BALANCER, NULL, nacks_do_not_suit},
    {WEFT_NET_BALANCER, NULL, order_is_lost},
    {WEFT_NET_BALANCER, "name", one_path},
    {WEFT_NET_BALANCER, "name", balancer_hears_nothing},
    {WEFT_NET_CONTROL, "cnp-interval", no_cnps},
    {WEFT_NET_CONTROL, "name", path_is_not_measured},
    {WEFT_NET_TRANSPORT, "name", trims_are_lost},
    {WEFT_NET_TRANSPORT, "rto", rto_is_short},
    {WEFT_NET_TRANSPORT, "outstanding", outstanding_is_short},
};

bool
weft_net_warning(const struct weft_net_config *c, uint32_t level, uint32_t *at,
                 enum weft_net_part *part, struct weft_refusal *what)
{
    while (*at < sizeof warnings / sizeof *warnings)
    {
        const uint32_t i = (*at)++;
        const bool of_switch =
            warnings[i].part == WEFT_NET_BUFFER || warnings[i].part == WEFT_NET_SCHEDULER;
        struct case_of w = {c, &c->levels[level], {what->text, sizeof what->text, 0}};
        if ((!of_switch || level == 0) && warnings[i].applies(&w))
        {
            weft_text_end(&w.text);
            *part = warnings[i].part;
            what->code = 0;
            what->param = warnings[i].param;
            return true;
        }
    }
    return false;
}
