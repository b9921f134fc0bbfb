/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether buffer and balancer suit the topology: tried on one switch of each tier, so that a sweep
 * does not find out after hours. */
#include <stdlib.h>

#include "scenario-load.h"
#include "textbuf.h"

struct fit
{
    const struct scenario *s;
    struct diagnostics *d;
    const struct fit_lines *lines;
};

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
    if (code == WEFT_ENOTCLOS)
    {
        diag_error(f->d, f->lines->balancer,
                   "the balancer %s needs a Clos, and this topology is a graph; expected the "
                   "topology leaf-spine, fat-tree or clos, or another balancer",
                   f->s->balancer.algo->name);
        return;
    }
    diag_error(f->d, f->lines->balancer,
               "the balancer %s cannot work on this %s with %u paths, last hops of %lld Gbps and "
               "%lld ns: %s; 'weft list %s' shows what can be set",
               f->s->balancer.algo->name, f->s->topology.algo->name, clos->npaths,
               (long long)(clos->host_rate / 1000000000), (long long)(clos->host_delay / 1000),
               weft_refusal_text(code, why), f->s->balancer.algo->name);
}

static void
check_balancer(const struct fit *f, uint32_t index)
{
    const struct scenario *s = f->s;
    const struct weft_lb_ops *lb = weft_lb_find(s->balancer.algo->name);
    struct weft_site site;
    static const struct weft_port_reader none; /* init() reads no port */
    weft_clos_site(&s->clos, s->switches.config, index, s->seed, s->run, &site);
    struct weft_refusal why = {0, NULL, ""};
    site.reader = &none;
    site.why = &why;
    void *state = xcalloc(lb->state_size(s->balancer.config, &site) / 8 + 2, 8);
    int code = lb->init(state, s->balancer.config, &site);
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
    const struct weft_tor_ops *tor = weft_lb_find(s->balancer.algo->name)->tor;
    const struct weft_fabric_config *frame = s->fabric.config;
    if (!tor)
    {
        return;
    }
    if (frame->ack_priority == WEFT_ACK_IDEAL)
    {
        diag_error(f->d, f->lines->balancer,
                   "the balancer %s works on replies at ToRs, and ideal ones pass none; expected "
                   "ack-priority share or first",
                   s->balancer.algo->name);
        return;
    }
    struct weft_last_hop hop;
    struct weft_refusal why = {0, NULL, ""};
    weft_clos_last_hop(&s->clos, frame, &hop);
    hop.why = &why;
    void *qp = xcalloc(tor->qp_size(s->balancer.config, &hop) / 8 + 1, 8);
    int code = tor->qp_init(qp, s->balancer.config, &hop);
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
    const struct scenario *s = f->s;
    const struct weft_mmu_config *config = s->switches.config;
    if (config->trim && !weft_transport_find(s->transport.algo->name)->trims)
    {
        diag_error(
            f->d, f->lines->transport,
            "the transport %s would take a trimmed packet for a whole one; expected <transport "
            "name=\"trim\"/>, or trim=\"off\" at the switches",
            s->transport.algo->name);
    }
    else if (config->trim && weft_lb_find(s->balancer.algo->name)->tor)
    {
        diag_error(f->d, f->lines->balancer,
                   "the balancer %s would block NACKs of trimmed packets at ToRs; expected another "
                   "balancer, or trim=\"off\" at the switches",
                   s->balancer.algo->name);
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

void
check_fit(const struct scenario *s, const struct fit_lines *lines, struct diagnostics *d)
{
    const struct fit f = {s, d, lines};
    const uint32_t first[3] = {0, s->clos.ntors, s->clos.ntors + s->clos.naggs};
    size_t before = d->reported;
    check_port_buffer(&f);
    check_trim_at(&f);
    check_trimming(&f);
    /* In a graph each switch may have another number of ports. */
    const uint32_t n = s->clos.graph ? s->clos.nswitches : s->clos.tiers;
    for (uint32_t i = 0; i < n && d->reported == before; i++)
    {
        const uint32_t index = s->clos.graph ? i : first[i];
        struct weft_switch_map map;
        weft_clos_switch(&s->clos, index, &map);
        check_buffer(&f, weft_map_nports(&map));
        check_balancer(&f, index);
    }
    if (d->reported == before && !s->clos.graph)
    {
        check_last_hop(&f);
    }
}
