/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings: choices that are possible, and of which one has no effect or spoils the other. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "scenario-load.h"
#include "textbuf.h"

static bool
is(const struct choice *choice, const char *name)
{
    return strcmp(choice->algo->name, name) == 0;
}

static bool
is_one_of(const struct choice *choice, const char *const *names)
{
    for (; *names; names++)
    {
        if (is(choice, *names))
        {
            return true;
        }
    }
    return false;
}

/** Where a balancer does not suit a transport: that may be what the class has chosen. */
static int
line_of_pair(const struct level *l)
{
    const bool transport = !level_owns(l, "balancer") && level_owns(l, "transport");
    return level_line(l, transport ? "transport" : "balancer", "name");
}

/** For a message about these: whose they are, if not the scenario's, which is warned for all. */
static const char *
of(const struct level *l, const char *kind, const char *other)
{
    return level_owns(l, kind) || level_owns(l, other) ? l->of : "";
}

static void
suit_themis(const struct level *l)
{
    const int line = level_line(l, "balancer", "name");
    const char *its = of(l, "balancer", "balancer");
    if (!is(l->balancer, "themis"))
    {
        return;
    }
    if (is(l->transport, "gbn"))
    {
        diag_warning(l->d, line_of_pair(l),
                     "themis with the transport gbn%s: this NIC drops what comes out of order, so "
                     "that sprayed packets must be sent again although their NACKs are filtered; "
                     "themis is made for nic-sr",
                     of(l, "balancer", "transport"));
    }
    else if (is(l->transport, "pro-window") || is(l->transport, "mprdma"))
    {
        diag_warning(l->d, line_of_pair(l),
                     "themis with the transport %s%s, whose NACKs tell of losses alone: themis "
                     "takes them for those of nic-sr, for which it is made, and blocks some of "
                     "them",
                     l->transport->algo->name, of(l, "balancer", "transport"));
    }
    else if (!is(l->transport, "nic-sr"))
    {
        diag_warning(l->d, line_of_pair(l),
                     "themis with the transport %s%s, which sends no NACKs: there is nothing to "
                     "filter, themis only sprays; it is made for nic-sr",
                     l->transport->algo->name, of(l, "balancer", "transport"));
    }
    if (l->s->clos.npaths == 1)
    {
        diag_warning(l->d, line,
                     "themis%s on a fabric with a single path between hosts: there is nothing to "
                     "spray over",
                     its);
    }
    if (fails_surely(l->s))
    {
        diag_warning(l->d, line,
                     "themis%s is off in the whole fabric while a failure is known: it is plain "
                     "ECMP then, and NACKs pass",
                     its);
    }
}

static void
suit_spraying(const struct level *l)
{
    static const char *const per_packet[] = {
        "rsq", "simple-rr", "switch-rr", "jsq", "drill", "ar",       "ar-quality", "ofan",
        "ops", "reps",      "host-dr",   "pro", "prime", "co-prime", NULL};
    if (is(l->transport, "gbn") && is_one_of(l->balancer, per_packet) && l->s->clos.npaths > 1)
    {
        diag_warning(l->d, line_of_pair(l),
                     "%s%s reorders the packets of a QP, and the transport gbn drops what comes "
                     "out of order; others, such as nic-sr or sack, keep it",
                     l->balancer->algo->name, of(l, "balancer", "transport"));
    }
}

static void
suit_scheduler(const struct level *l)
{
    const struct weft_mmu_config *mmu = l->s->switches.config;
    if (mmu->classes == 2 && !is(&l->s->scheduler, "strict"))
    {
        diag_warning(l->d, level_line(l, "scheduler", "name"),
                     "the scheduler %s with 2 classes of <switch>: class 0 goes first under every "
                     "scheduler, so that there is nothing to share; it is for 4 or 8 classes",
                     l->s->scheduler.algo->name);
    }
}

/** Balancers that learn from marks; prime from trimmed and lost packets as well. */
static void
suit_marks(const struct level *l)
{
    static const char *const by_marks[] = {"plb", "reps", "prime", NULL};
    const struct weft_mmu_config *mmu = l->s->switches.config;
    if (is_one_of(l->balancer, by_marks) && !mmu->ecn)
    {
        const bool losses = is(l->balancer, "prime");
        diag_warning(l->d, level_line(l, "balancer", "name"),
                     "%s%s learns from ECN marks, and ecn is off at the switches: it %s",
                     l->balancer->algo->name, of(l, "balancer", "balancer"),
                     losses ? "hears of congestion only when packets are trimmed or lost"
                            : "never hears of congestion");
    }
}

static void
suit_ecn(const struct level *l)
{
    const struct weft_mmu_config *mmu = l->s->switches.config;
    const char *its = of(l, "congestion-control", "congestion-control");
    if (is(l->cc, "dcqcn") && !mmu->ecn)
    {
        diag_warning(l->d, level_line(l, "switch", "ecn"),
                     "dcqcn%s with ecn off at the switches: no packet is marked, so no CNP ever "
                     "cuts a rate%s",
                     its, choice_value(l->cc, "nack-cut", 0) ? ", only NACKs do" : "");
    }
    if (is(l->cc, "dcqcn") && mmu->ecn && choice_value(l->cc, "cnp-interval", 0) == WEFT_NEVER)
    {
        diag_warning(
            l->d, level_line(l, "congestion-control", "cnp-interval"),
            "dcqcn%s with cnp-interval inf: receivers send no CNPs, so marks change nothing", its);
    }
    if (mmu->ecn && mmu->kmin >= weft_mmu_total(mmu, 2 * l->s->clos.hosts_per_tor))
    {
        diag_warning(l->d, level_line(l, "switch", "kmin"),
                     "kmin of %lld bytes is not less than the buffer: no packet will be marked",
                     (long long)mmu->kmin);
    }
}

static void
suit_trimming(const struct level *l)
{
    const struct weft_mmu_config *mmu = l->s->switches.config;
    if (!mmu->trim && weft_transport_find(l->transport->algo->name)->trims && mmu->pfc)
    {
        diag_idle(l->d, level_line(l, "transport", "name"),
                  "the transport %s%s with switches that do not trim: it does not use what it "
                  "has for that; expected trim=\"on\" of <switch>, or another transport",
                  l->transport->algo->name, of(l, "transport", "transport"));
    }
    if (!mmu->trim && !mmu->pfc && weft_transport_find(l->transport->algo->name)->trims)
    {
        diag_warning(
            l->d, level_line(l, "transport", "name"),
            "the transport %s%s with switches that drop packets and do not trim them: what is "
            "lost waits for the rto; expected trim=\"on\" of <switch>, or another transport",
            l->transport->algo->name, of(l, "transport", "transport"));
    }
    if (mmu->trim && mmu->ecn && mmu->kmin >= mmu->trim_at)
    {
        diag_warning(
            l->d, level_line(l, "switch", "kmin"),
            "kmin of %lld bytes is not less than trim-at of %lld bytes: packets are trimmed "
            "before any is marked; the preset trim-400g has both",
            (long long)mmu->kmin, (long long)mmu->trim_at);
    }
}

/** Bytes that a link holds in both directions. */
static double
held_by(const struct weft_link *link)
{
    return 2 * (double)link->delay * (double)link->rate / 8e12;
}

/** The link that holds most: in a Clos the hosts' and those of each tier are alike. */
static struct weft_link
longest_link(const struct weft_clos *c)
{
    const uint64_t some[] = {0, c->nhosts, c->nlinks - 1};
    const uint64_t n = c->graph ? c->nlinks : 3;
    struct weft_link longest = {.rate = 0}, link;
    for (uint64_t i = 0; i < n; i++)
    {
        weft_clos_link(c, c->graph ? i : some[i], &link);
        longest = held_by(&link) > held_by(&longest) || i == 0 ? link : longest;
    }
    return longest;
}

/** What arrives after a pause was sent: what the link holds, and a frame under way at each end. */
static void
suit_headroom(const struct level *l)
{
    const struct weft_mmu_config *mmu = l->s->switches.config;
    const struct weft_fabric_config *f = l->s->fabric.config;
    const struct weft_link link = longest_link(&l->s->clos);
    const double needed = ceil(held_by(&link) + 2 * (double)(f->payload + f->header));
    if (mmu->pfc && (double)mmu->headroom < needed)
    {
        diag_warning(l->d, level_line(l, "switch", "headroom"),
                     "headroom of %lld bytes is less than 2 x delay x rate + 2 frames of links of "
                     "%.4g Gbps and %.4g us: switches may drop packets in spite of PFC; expected "
                     "%.0f bytes or more",
                     (long long)mmu->headroom, (double)link.rate * 1e-9, (double)link.delay * 1e-6,
                     needed);
    }
}

/** ps of a full frame there and its ACK back between the hosts that lie farthest apart. */
static int64_t
round_trip(const struct scenario *s)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const uint32_t last = s->clos.nhosts - 1;
    return weft_clos_way(&s->clos, 0, last, f->payload + f->header) +
           weft_clos_way(&s->clos, last, 0, f->ack);
}

static void
suit_window(const struct level *l)
{
    const struct weft_fabric_config *f = l->s->fabric.config;
    const int64_t rto = choice_value(l->transport, "rto", WEFT_NEVER);
    const int64_t outstanding = choice_value(l->transport, "outstanding", INT64_MAX);
    const int64_t trip = round_trip(l->s);
    const double frame = (double)(f->payload + f->header + f->gap) * 8;
    const char *its = of(l, "transport", "transport");
    const double rate = (double)outstanding * frame / ((double)trip * 1e-12);
    if (rto < trip)
    {
        diag_warning(l->d, level_line(l, "transport", "rto"),
                     "rto of %.4g us%s is less than the %.4g us of a round trip in an idle fabric: "
                     "packets are sent again before they can be acknowledged",
                     (double)rto * 1e-6, its, (double)trip * 1e-6);
    }
    if (rate < 0.99 * (double)l->s->clos.host_rate)
    {
        diag_warning(l->d, level_line(l, "transport", "outstanding"),
                     "outstanding %lld%s is less than what is under way in a round trip of %.4g "
                     "us: a QP gets %.4g of %.4g Gbps at most",
                     (long long)outstanding, its, (double)trip * 1e-6, rate * 1e-9,
                     (double)l->s->clos.host_rate * 1e-9);
    }
}

static void
suit_measure(const struct level *l)
{
    if (l->s->measure.interval > l->s->stop && measures_over_time(&l->s->measure))
    {
        diag_warning(
            l->d, level_line(l, "measure", "interval"),
            "interval of <measure> is longer than the time of <limit>: nothing is sampled");
    }
}

static void
suit_level(const struct level *l)
{
    suit_themis(l);
    suit_spraying(l);
    suit_marks(l);
    suit_ecn(l);
    suit_trimming(l);
    suit_window(l);
}

void
check_suit(const struct element *root, const struct scenario *s, struct diagnostics *d)
{
    const struct level own = level_at(root, s, 0, d);
    bool used = false;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        used = used || s->workloads[i].level == 0;
    }
    suit_scheduler(&own);
    suit_headroom(&own);
    suit_measure(&own);
    suit_arrivals(&own);
    for (uint32_t i = used ? 0 : 1; i <= s->nclasses; i++)
    {
        const struct level level = level_at(root, s, i, d);
        suit_level(&level);
    }
}
