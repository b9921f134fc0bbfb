/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether buffer and balancers suit the topology: tried on one switch of each tier, so that a sweep
 * does not find out after hours. */
#include <stdlib.h>

#include <weft/levels.h>

#include "scenario-load.h"
#include "textbuf.h"

/** What QPs of one service level work by, the scenario's own or a <class>'s. */
struct level
{
    const struct choice *balancer, *transport;
    const char *name; /**< of the <class>; NULL: the scenario's own */
    uint32_t number;
    int balancer_line, transport_line;
};

struct fit
{
    const struct scenario *s;
    struct diagnostics *d;
    const struct fit_lines *lines;
    struct level level;
};

/** Level 0 is the scenario's own. */
static struct level
level_at(const struct scenario *s, const struct fit_lines *lines, uint32_t number)
{
    if (number == 0)
    {
        return (struct level){&s->balancer,    &s->transport,   NULL, 0,
                              lines->balancer, lines->transport};
    }
    const struct qp_class *c = &s->classes[number - 1];
    return (struct level){&c->balancer, &c->transport,    c->name,
                          number,       c->balancer_line, c->transport_line};
}

/** " of <class name="bulk">", or nothing. The caller frees it. */
static char *
of_class(const struct level *level)
{
    return level->name ? xformat(" of <class name=\"%s\">", level->name) : xstrdup("");
}

static void
check_buffer(const struct fit *f, uint32_t nports)
{
    const struct weft_mmu_config *config = f->s->switches.config;
    int64_t size = weft_mmu_size(config, nports);
    void *memory = size > 0 ? xcalloc((size_t)size / 8 + 1, 8) : NULL;
    const int64_t classes = config->classes - 1;
    if (!memory || weft_mmu_init(memory, config, nports))
    {
        diag_error(
            f->d, f->lines->buffer,
            "the headroom of %u ports leaves nothing of a buffer of %lld bytes, for %lld data "
            "classes each; expected headroom below %lld bytes, or a larger buffer",
            nports, (long long)weft_mmu_total(config, nports), (long long)classes,
            (long long)(weft_mmu_total(config, nports) / nports / classes));
    }
    free(memory);
}

/** Into a smaller one no full frame fits, even if it is empty. */
static void
check_port_buffer(const struct fit *f)
{
    const struct weft_mmu_config *config = f->s->switches.config;
    const struct weft_fabric_config *frame = f->s->fabric.config;
    if (config->port_buffer > 0 && config->port_buffer < frame->payload + frame->header)
    {
        diag_error(f->d, f->lines->buffer,
                   "port-buffer of %lld bytes holds no full frame of %lld + %lld bytes: every one "
                   "would be dropped; expected %lld bytes at least, or 0",
                   (long long)config->port_buffer, (long long)frame->payload,
                   (long long)frame->header, (long long)(frame->payload + frame->header));
    }
}

static void
report_balancer(const struct fit *f, int code, const struct weft_refusal *why)
{
    const struct weft_clos *clos = &f->s->clos;
    const char *name = f->level.balancer->algo->name;
    char *of = of_class(&f->level);
    if (code == WEFT_ENOTCLOS)
    {
        diag_error(f->d, f->level.balancer_line,
                   "the balancer %s%s needs a Clos, and this topology is a graph; expected the "
                   "topology leaf-spine, fat-tree or clos, or another balancer",
                   name, of);
    }
    else
    {
        diag_error(f->d, f->level.balancer_line,
                   "the balancer %s%s cannot work on this %s with %u paths, last hops of %lld Gbps "
                   "and %lld ns: %s; 'weft list %s' shows what can be set",
                   name, of, f->s->topology.algo->name, clos->npaths,
                   (long long)(clos->host_rate / 1000000000), (long long)(clos->host_delay / 1000),
                   weft_refusal_text(code, why), name);
    }
    free(of);
}

static void
check_balancer(const struct fit *f, uint32_t index)
{
    const struct scenario *s = f->s;
    const struct choice *balancer = f->level.balancer;
    const struct weft_lb_ops *lb = weft_lb_find(balancer->algo->name);
    struct weft_site site;
    static const struct weft_port_reader none; /* init() reads no port */
    const uint64_t seed = weft_level_seed(s->seed, f->level.number);
    weft_clos_site(&s->clos, s->switches.config, index, seed, s->run, &site);
    struct weft_refusal why = {0, NULL, ""};
    site.reader = &none;
    site.why = &why;
    void *state = xcalloc(lb->state_size(balancer->config, &site) / 8 + 2, 8);
    int code = lb->init(state, balancer->config, &site);
    if (code < 0)
    {
        report_balancer(f, code, &why);
    }
    free(state);
}

static void
check_last_hop(const struct fit *f)
{
    const struct scenario *s = f->s;
    const struct choice *balancer = f->level.balancer;
    const struct weft_tor_ops *tor = weft_lb_find(balancer->algo->name)->tor;
    const struct weft_fabric_config *frame = s->fabric.config;
    if (!tor)
    {
        return;
    }
    if (frame->ack_priority == WEFT_ACK_IDEAL)
    {
        char *of = of_class(&f->level);
        diag_error(f->d, f->level.balancer_line,
                   "the balancer %s%s works on replies at ToRs, and ideal ones pass none; expected "
                   "ack-priority share or first",
                   balancer->algo->name, of);
        free(of);
        return;
    }
    struct weft_last_hop hop;
    struct weft_refusal why = {0, NULL, ""};
    weft_clos_last_hop(&s->clos, frame, &hop);
    hop.why = &why;
    void *qp = xcalloc(tor->qp_size(balancer->config, &hop) / 8 + 1, 8);
    int code = tor->qp_init(qp, balancer->config, &hop);
    if (code < 0)
    {
        report_balancer(f, code, &why);
    }
    free(qp);
}

/** A NIC that does not know trimmed packets would take them for whole ones. */
static void
check_trimming(const struct fit *f)
{
    const struct weft_mmu_config *config = f->s->switches.config;
    const struct level *level = &f->level;
    char *of = of_class(level);
    if (config->trim && !weft_transport_find(level->transport->algo->name)->trims)
    {
        diag_error(
            f->d, level->transport_line,
            "the transport %s%s would take a trimmed packet for a whole one; expected <transport "
            "name=\"trim\"/>, or trim=\"off\" at the switches",
            level->transport->algo->name, of);
    }
    else if (config->trim && weft_lb_find(level->balancer->algo->name)->tor)
    {
        diag_error(f->d, level->balancer_line,
                   "the balancer %s%s would block NACKs of trimmed packets at ToRs; expected "
                   "another balancer, or trim=\"off\" at the switches",
                   level->balancer->algo->name, of);
    }
    free(of);
}

static void
check_queue(const struct fit *f, const struct qp_class *c)
{
    const struct weft_mmu_config *config = f->s->switches.config;
    if (c->queue >= config->classes)
    {
        diag_error(f->d, c->queue_line,
                   "queue %u of <class name=\"%s\">, and the ports of <switch> have %lld classes; "
                   "expected 1 to %lld, or more classes",
                   c->queue, c->name, (long long)config->classes, (long long)config->classes - 1);
    }
}

/** Above a shorter queue every full frame is trimmed, even if it is alone. */
static void
check_trim_at(const struct fit *f)
{
    const struct weft_mmu_config *config = f->s->switches.config;
    const struct weft_fabric_config *frame = f->s->fabric.config;
    if (config->trim && config->trim_at < frame->payload + frame->header)
    {
        diag_error(
            f->d, f->lines->buffer,
            "trim-at of %lld bytes holds no full frame of %lld + %lld bytes: every one would "
            "be trimmed; expected %lld bytes at least",
            (long long)config->trim_at, (long long)frame->payload, (long long)frame->header,
            (long long)(frame->payload + frame->header));
    }
    if (config->trim && config->trim_bytes < frame->header)
    {
        diag_error(f->d, f->lines->buffer,
                   "trim-bytes of %lld are less than the header of %lld bytes; expected %lld at "
                   "least",
                   (long long)config->trim_bytes, (long long)frame->header,
                   (long long)frame->header);
    }
}

/** What each service level asks of switches. */
static void
check_level(const struct fit *f)
{
    if (f->level.number > 0)
    {
        check_queue(f, &f->s->classes[f->level.number - 1]);
    }
    check_trimming(f);
}

/** Its balancer, on each of these switches and at the last hop. */
static void
check_balancer_on(const struct fit *f, const uint32_t *indices, uint32_t n)
{
    const size_t before = f->d->reported;
    for (uint32_t i = 0; i < n && f->d->reported == before; i++)
    {
        check_balancer(f, indices ? indices[i] : i);
    }
    if (f->d->reported == before && !f->s->clos.graph)
    {
        check_last_hop(f);
    }
}

void
check_fit(const struct scenario *s, const struct fit_lines *lines, struct diagnostics *d)
{
    struct fit f = {s, d, lines, level_at(s, lines, 0)};
    const uint32_t first[3] = {0, s->clos.ntors, s->clos.ntors + s->clos.naggs};
    const uint32_t levels = (uint32_t)s->nclasses + 1;
    size_t before = d->reported;
    check_port_buffer(&f);
    check_trim_at(&f);
    for (uint32_t i = 0; i < levels; i++)
    {
        f.level = level_at(s, lines, i);
        check_level(&f);
    }
    /* In a graph each switch may have another number of ports. */
    const uint32_t n = s->clos.graph ? s->clos.nswitches : s->clos.tiers;
    const uint32_t *indices = s->clos.graph ? NULL : first;
    for (uint32_t i = 0; i < n && d->reported == before; i++)
    {
        struct weft_switch_map map;
        weft_clos_switch(&s->clos, indices ? indices[i] : i, &map);
        check_buffer(&f, weft_map_nports(&map));
    }
    for (uint32_t i = 0; i < levels && d->reported == before; i++)
    {
        f.level = level_at(s, lines, i);
        check_balancer_on(&f, indices, n);
    }
}
