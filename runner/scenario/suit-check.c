/* SPDX-License-Identifier: GPL-2.0-only */
/* Warnings: choices that are possible, and of which one has no effect or spoils the other. */
#include <stdlib.h>
#include <string.h>

#include "scenario-load.h"
#include "textbuf.h"

/** One service level: the scenario's own algorithms, or those of a class. */
struct suiting
{
    const struct scenario *s;
    const struct element *root;
    const struct choice *balancer, *transport, *cc;
    const struct qp_class *class; /**< NULL: the scenario's own */
    const struct element *e;      /**< its <class>; NULL: a <workload> has made it, or none */
    const char *of;               /**< " of <class name=...>" */
    struct diagnostics *d;
};

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

/** The value of a parameter in whole units, or @p otherwise if the algorithm has none. */
static int64_t
value_of(const struct choice *choice, const char *name, int64_t otherwise)
{
    const struct weft_param *p = weft_param_find(choice->algo, name);
    return p ? *(const int64_t *)((const char *)choice->config + p->offset) : otherwise;
}

/** Where an element, or one of its attributes, stands; the root where it does not. */
static int
line_at(const struct suiting *c, const char *element, const char *attribute)
{
    const struct element *e = element_child(c->root, element);
    return e ? element_line(e, attribute) : c->root->line;
}

/** Whether the level has an algorithm of that kind of its own, and not the scenario's. */
static bool
is_own(const struct suiting *c, const char *kind)
{
    return c->class && (c->e ? element_child(c->e, kind) != NULL : strcmp(kind, "balancer") == 0);
}

/** Where the level's algorithm of that kind, or its @p attribute, is chosen. */
static int
line_of(const struct suiting *c, const char *kind, const char *attribute)
{
    if (!is_own(c, kind))
    {
        return line_at(c, kind, attribute);
    }
    return c->e ? element_line(element_child(c->e, kind), attribute) : c->class->balancer_line;
}

/** The same where a balancer does not suit a transport, which may be what the class has chosen. */
static int
line_of_pair(const struct suiting *c)
{
    const bool transport = !is_own(c, "balancer") && is_own(c, "transport");
    return line_of(c, transport ? "transport" : "balancer", "name");
}

/** For a message about these: whose they are, if not the scenario's, which is warned for all. */
static const char *
of(const struct suiting *c, const char *kind, const char *other)
{
    return is_own(c, kind) || is_own(c, other) ? c->of : "";
}

static bool
something_fails(const struct scenario *s)
{
    return s->nfailures || s->random_failures.edge > 0 || s->random_failures.core > 0;
}

static void
suit_themis(const struct suiting *c)
{
    const int line = line_of(c, "balancer", "name");
    const char *its = of(c, "balancer", "balancer");
    if (!is(c->balancer, "themis"))
    {
        return;
    }
    if (is(c->transport, "gbn"))
    {
        diag_warning(c->d, line_of_pair(c),
                     "themis with the transport gbn%s: this NIC drops what comes out of order, so "
                     "that sprayed packets must be sent again although their NACKs are filtered; "
                     "themis is made for nic-sr",
                     of(c, "balancer", "transport"));
    }
    else if (!is(c->transport, "nic-sr"))
    {
        diag_warning(c->d, line_of_pair(c),
                     "themis with the transport %s%s, which sends no NACKs: there is nothing to "
                     "filter, themis only sprays; it is made for nic-sr",
                     c->transport->algo->name, of(c, "balancer", "transport"));
    }
    if (c->s->clos.npaths == 1)
    {
        diag_warning(c->d, line,
                     "themis%s on a fabric with a single path between hosts: there is nothing to "
                     "spray over",
                     its);
    }
    if (something_fails(c->s))
    {
        diag_warning(c->d, line,
                     "themis%s is off in the whole fabric while a failure is known: it is plain "
                     "ECMP then, and NACKs pass",
                     its);
    }
}

static void
suit_spraying(const struct suiting *c)
{
    static const char *const per_packet[] = {
        "rsq", "simple-rr", "switch-rr", "jsq",     "drill", "ar", "ofan",
        "ops", "subflow",   "reps",      "host-dr", "pro",   NULL};
    if (is(c->transport, "gbn") && is_one_of(c->balancer, per_packet) && c->s->clos.npaths > 1)
    {
        diag_warning(c->d, line_of_pair(c),
                     "%s%s reorders the packets of a QP, and the transport gbn drops what comes "
                     "out of order; others, such as nic-sr or sack, keep it",
                     c->balancer->algo->name, of(c, "balancer", "transport"));
    }
}

static void
suit_scheduler(const struct suiting *c)
{
    const struct weft_mmu_config *mmu = c->s->switches.config;
    if (mmu->classes == 2 && !is(&c->s->scheduler, "strict"))
    {
        diag_warning(c->d, line_at(c, "scheduler", "name"),
                     "the scheduler %s with 2 classes of <switch>: class 0 goes first under every "
                     "scheduler, so that there is nothing to share; it is for 4 or 8 classes",
                     c->s->scheduler.algo->name);
    }
}

static void
suit_ecn(const struct suiting *c)
{
    static const char *const by_marks[] = {"plb", "reps", NULL};
    const struct weft_mmu_config *mmu = c->s->switches.config;
    const char *its = of(c, "congestion-control", "congestion-control");
    if (is(c->cc, "dcqcn") && !mmu->ecn)
    {
        diag_warning(c->d, line_at(c, "switch", "ecn"),
                     "dcqcn%s with ecn off at the switches: no packet is marked, so no CNP ever "
                     "cuts a rate%s",
                     its, value_of(c->cc, "nack-cut", 0) ? ", only NACKs do" : "");
    }
    if (is(c->cc, "dcqcn") && mmu->ecn && value_of(c->cc, "cnp-interval", 0) == WEFT_NEVER)
    {
        diag_warning(
            c->d, line_of(c, "congestion-control", "cnp-interval"),
            "dcqcn%s with cnp-interval inf: receivers send no CNPs, so marks change nothing", its);
    }
    if (is_one_of(c->balancer, by_marks) && !mmu->ecn)
    {
        diag_warning(c->d, line_of(c, "balancer", "name"),
                     "%s%s learns from ECN marks, and ecn is off at the switches: it never hears "
                     "of congestion",
                     c->balancer->algo->name, of(c, "balancer", "balancer"));
    }
    if (mmu->ecn && mmu->kmin >= weft_mmu_total(mmu, 2 * c->s->clos.hosts_per_tor))
    {
        diag_warning(c->d, line_at(c, "switch", "kmin"),
                     "kmin of %lld bytes is not less than the buffer: no packet will be marked",
                     (long long)mmu->kmin);
    }
}

static void
suit_trimming(const struct suiting *c)
{
    const struct weft_mmu_config *mmu = c->s->switches.config;
    if (!mmu->trim && !mmu->pfc && weft_transport_find(c->transport->algo->name)->trims)
    {
        diag_warning(
            c->d, line_of(c, "transport", "name"),
            "the transport %s%s with switches that drop packets and do not trim them: what is "
            "lost waits for the rto; expected trim=\"on\" of <switch>, or another transport",
            c->transport->algo->name, of(c, "transport", "transport"));
    }
    if (mmu->trim && mmu->ecn && mmu->kmin >= mmu->trim_at)
    {
        diag_warning(
            c->d, line_at(c, "switch", "kmin"),
            "kmin of %lld bytes is not less than trim-at of %lld bytes: packets are trimmed "
            "before any is marked; the preset trim-400g has both",
            (long long)mmu->kmin, (long long)mmu->trim_at);
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
suit_window(const struct suiting *c)
{
    const struct weft_fabric_config *f = c->s->fabric.config;
    const int64_t rto = value_of(c->transport, "rto", WEFT_NEVER);
    const int64_t outstanding = value_of(c->transport, "outstanding", INT64_MAX);
    const int64_t trip = round_trip(c->s);
    const double frame = (double)(f->payload + f->header + f->gap) * 8;
    const char *its = of(c, "transport", "transport");
    const double rate = (double)outstanding * frame / ((double)trip * 1e-12);
    if (rto < trip)
    {
        diag_warning(c->d, line_of(c, "transport", "rto"),
                     "rto of %.4g us%s is less than the %.4g us of a round trip in an idle fabric: "
                     "packets are sent again before they can be acknowledged",
                     (double)rto * 1e-6, its, (double)trip * 1e-6);
    }
    if (rate < 0.99 * (double)c->s->clos.host_rate)
    {
        diag_warning(c->d, line_of(c, "transport", "outstanding"),
                     "outstanding %lld%s is less than what is under way in a round trip of %.4g "
                     "us: a QP gets %.4g of %.4g Gbps at most",
                     (long long)outstanding, its, (double)trip * 1e-6, rate * 1e-9,
                     (double)c->s->clos.host_rate * 1e-9);
    }
}

static void
suit_measure(const struct suiting *c)
{
    if (c->s->measure.interval > c->s->stop && (c->s->measure.nqps || c->s->measure.queues))
    {
        diag_warning(
            c->d, line_at(c, "measure", "interval"),
            "interval of <measure> is longer than the time of <limit>: nothing is sampled");
    }
}

/** The <class> of that name, or NULL: a <workload> has made the class. */
static const struct element *
element_of(const struct element *root, const struct qp_class *class)
{
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        const char *name = strcmp(e->name, "class") == 0 ? element_value(e, "name") : NULL;
        if (name && strcmp(name, class->name) == 0)
        {
            return e;
        }
    }
    return NULL;
}

static void
suit_level(const struct suiting *c)
{
    suit_themis(c);
    suit_spraying(c);
    suit_ecn(c);
    suit_trimming(c);
    suit_window(c);
}

static void
suit_class(const struct scenario *s, const struct element *root, const struct qp_class *class,
           struct diagnostics *d)
{
    const struct element *e = element_of(root, class);
    char *of = e ? xformat(" of <class name=\"%s\">", class->name)
                 : xformat(" of <workload balancer=\"%s\">", class->balancer.algo->name);
    const struct suiting c = {s,  root, &class->balancer, &class->transport, &class->cc, class, e,
                              of, d};
    suit_level(&c);
    free(of);
}

void
check_suit(const struct scenario *s, const struct element *root, struct diagnostics *d)
{
    const struct suiting own = {s, root, &s->balancer, &s->transport, &s->cc, NULL, NULL, "", d};
    bool used = false;
    for (size_t i = 0; i < s->nworkloads; i++)
    {
        used = used || s->workloads[i].level == 0;
    }
    if (used)
    {
        suit_level(&own);
    }
    suit_scheduler(&own);
    suit_measure(&own);
    for (size_t i = 0; i < s->nclasses; i++)
    {
        suit_class(s, root, &s->classes[i], d);
    }
}
