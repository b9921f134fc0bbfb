/* SPDX-License-Identifier: MIT */
/* A queue pair's making: where its states lie, and what of its algorithms is refused. */
#include "checked/check.h"
#include "nic/labels.h"

#include <string.h>

#include <weft/error.h>
#include <weft/levels.h>
#include <weft/mmu.h>
#include <weft/psn.h>
#include <weft/qp.h>

#define WORD sizeof(uint64_t)
#define LINE 64U /* bytes of a cache line */

/* Whether an algorithm has the configuration that it reads. */
static bool
is_configured(const struct weft_algo *algo, const void *config)
{
    return config || algo->config_size == 0;
}

/* Returns which part is missing and what was expected, or NULL. */
static const char *
missing_of(const struct weft_nic_algos *algos)
{
    if (!algos->transport)
    {
        return "transport is NULL; expected what weft_transport_find() finds";
    }
    if (!algos->cc)
    {
        return "cc is NULL; expected what weft_cc_find() finds, as of \"none\"";
    }
    if (!is_configured(&algos->transport->algo, algos->transport_config))
    {
        return "transport_config is NULL; expected what weft_config_default() fills";
    }
    return is_configured(&algos->cc->algo, algos->cc_config)
               ? NULL
               : "cc_config is NULL; expected what weft_config_default() fills";
}

/* Where the states lie: sender and receiver are at different hosts, so the receiver's begins with
 * the cache line after the sender's last one, if the memory begins with one. */
struct layout
{
    size_t path;
    size_t cc;
    size_t labels;
    size_t rx;
    size_t pull;
    size_t end;
};

/* Packets whose labels are remembered, for the path selector's on_lost(). */
static uint32_t
labels_of(const struct weft_nic_algos *algos)
{
    return weft_path_hears_losses(algos->path, algos->path_config) ? algos->labels : 0;
}

static size_t
words_of(size_t bytes)
{
    return (bytes + WORD - 1) / WORD * WORD;
}

static struct layout
lay_out(const struct weft_nic_algos *algos, const struct weft_qp_site *site)
{
    const struct weft_path_ops *path = algos->path;
    struct layout l = {0};
    if (!site->lacks_sender)
    {
        l.path = words_of(algos->transport->tx_size(algos->transport_config));
        l.cc = l.path + (path ? words_of(path->qp_size(algos->path_config, &site->path)) : 0);
        l.labels = l.cc + words_of(algos->cc->state_size);
        l.rx = l.labels + words_of(labels_of(algos) * sizeof(uint16_t));
        l.rx = (l.rx + LINE - 1) / LINE * LINE;
    }
    l.pull = l.rx;
    if (!site->lacks_receiver)
    {
        l.pull += words_of(algos->transport->rx_size(algos->transport_config));
    }
    l.end = l.pull;
    if (!site->lacks_receiver && algos->cc->terms)
    {
        l.end += words_of(sizeof(struct weft_pull_rx));
    }
    return l;
}

size_t
weft_qp_size(const struct weft_nic_algos *algos, const struct weft_qp_site *site)
{
    return missing_of(algos) ? 0 : lay_out(algos, site).end;
}

static int
init_sender(struct weft_qp *qp, const struct layout *l, char *states,
            const struct weft_qp_site *site, int64_t now)
{
    const struct weft_nic_algos *a = qp->algos;
    qp->tx = states;
    qp->path = a->path ? states + l->path : NULL;
    qp->cc = states + l->cc;
    if (labels_of(a) > 0)
    {
        qp->labels = (uint16_t *)(void *)(states + l->labels);
        qp->label_mask = a->labels - 1;
    }
    int error = a->transport->tx_init(qp->tx, a->transport_config, &site->transport);
    if (!error)
    {
        error = a->cc->init(qp->cc, a->cc_config, &site->cc, now);
    }
    if (!error && qp->path)
    {
        error = a->path->qp_init(qp->path, weft_path_host(a, qp->src), a->path_config, &site->path,
                                 qp->index);
    }
    return error;
}

static int
init_receiver(struct weft_qp *qp, const struct layout *l, char *states,
              const struct weft_qp_site *site)
{
    const struct weft_nic_algos *a = qp->algos;
    qp->rx = states + l->rx;
    if (a->cc->terms)
    {
        qp->pull = (struct weft_pull_rx *)(void *)(states + l->pull);
        *qp->pull = (struct weft_pull_rx){0};
        a->cc->terms(a->cc_config, &site->cc, &qp->pull->terms);
    }
    return a->transport->rx_init(qp->rx, a->transport_config, &site->transport);
}

/* 0, or why these algorithms make no frames that a packet can describe. */
static int
check_algos(const struct weft_nic_algos *algos, struct weft_refusal *why)
{
    const struct weft_fabric_config *f = &algos->frame;
    if (f->payload < 1 || f->payload > UINT16_MAX || f->header < 0 || f->header > UINT16_MAX ||
        f->payload + f->header > UINT16_MAX || f->gap < 0 || f->gap > UINT16_MAX || f->ack < 1 ||
        f->ack > UINT16_MAX)
    {
        return weft_refuse_config(why, &weft_fabric_algo, f);
    }
    const char *wrong = algos->labels & (algos->labels - 1)
                            ? "labels is no power of two; expected one, or 0 for none"
                        : algos->tclass >= WEFT_MAX_CLASSES
                            ? "tclass is no traffic class; expected 1 to 7"
                        : algos->cc->terms && !algos->pullers
                            ? "pullers is NULL; expected one for each host, as the congestion "
                              "control grants credit"
                        : algos->cc->stamp && algos->transport->tx_stamp
                            ? "transport and congestion control both write into data; expected "
                              "another transport, as trim, or a control without credit"
                        : algos->sl >= WEFT_LEVELS ? "sl is no service level; expected 0 to 7"
                                                   : NULL;
    return wrong ? weft_refuse(why, WEFT_EINVAL, NULL, wrong) : 0;
}

/* 0, or why a QP cannot be there. */
static int
check_site(const struct weft_nic_algos *algos, const struct weft_qp_site *site)
{
    const struct weft_path_ops *path = site->lacks_sender ? NULL : algos->path;
    const size_t host =
        path && path->host_size ? path->host_size(algos->path_config, &site->path) : 0;
    const char *wrong =
        site->index > WEFT_QP_MASK ? "index is beyond WEFT_QP_MASK; expected the QP's number"
        : site->src > WEFT_HOST_MASK || site->dst > WEFT_HOST_MASK
            ? "src or dst is beyond WEFT_HOST_MASK; expected hosts' numbers"
        : host > 0 && !algos->path_hosts
            ? "path_hosts is NULL; expected the states of all hosts, each made by host_init()"
        : site->src > 0 && algos->path_stride < host
            ? "path_stride is less than host_size(); expected the bytes from host to host"
            : NULL;
    return wrong ? weft_refuse(site->cc.why, WEFT_EINVAL, NULL, wrong) : 0;
}

/* 0, or why there can be no such QP. */
static int
check(const void *memory, const struct weft_nic_algos *algos, const struct weft_qp_site *site)
{
    struct weft_refusal *why = site->cc.why;
    const char *missing = missing_of(algos);
    if (missing)
    {
        return weft_refuse(why, WEFT_EINVAL, NULL, missing);
    }
    const int refused = check_algos(algos, why);
    if (refused)
    {
        return refused;
    }
    return memory || lay_out(algos, site).end == 0
               ? check_site(algos, site)
               : weft_refuse(why, WEFT_EINVAL, NULL,
                             "memory is NULL; expected weft_qp_size() bytes, aligned to 8");
}

/* Nothing that comes after changes or crashes anything. */
static int
refuse(struct weft_qp *qp, int code)
{
    *qp = (struct weft_qp){
        .algos = &weft_refused_algos,
        .algos_rx = &weft_refused_algos,
        .deliver_at = WEFT_NO_PACKETS,
        .ack_at = WEFT_NO_PACKETS,
        .slot = -1,
        .first_sent = -1,
        .last_delivery = -1,
        .cnp_interval = WEFT_NEVER,
        .given_up = true,
    };
    return code;
}

int
weft_qp_init(struct weft_qp *qp, void *memory, const struct weft_nic_algos *algos,
             const struct weft_qp_site *site, int64_t now)
{
    const int refused = check(memory, algos, site);
    if (refused)
    {
        return refuse(qp, refused);
    }
    const struct layout l = lay_out(algos, site);
    char *states = memory;
    WEFT_CHECK((uintptr_t)memory % WORD == 0, "weft_qp_init", "memory is aligned to 8 bytes");
    memset(qp, 0, sizeof(*qp));
    qp->algos = algos;
    qp->algos_rx = algos;
    qp->index = site->index;
    qp->src = site->src;
    qp->dst = site->dst;
    qp->sport = site->sport;
    qp->sport_rx = site->sport;
    qp->first_psn = site->transport.first_psn & WEFT_PSN_MASK;
    qp->epsn = qp->first_psn;
    qp->asked = qp->first_psn;
    qp->deliver_at = 1;
    qp->ack_at = WEFT_NO_PACKETS;
    qp->slot = -1;
    qp->first_sent = -1;
    qp->last_delivery = -1;
    qp->cnp_interval =
        algos->cc->cnp_interval ? algos->cc->cnp_interval(algos->cc_config) : WEFT_NEVER;
    qp->listens = algos->transport->rx_deadline || algos->cc->terms;
    qp->stamps = algos->transport->tx_stamp || algos->cc->stamp;
    qp->tells_losses = algos->cc->on_lost ||
                       weft_path_hears_losses(algos->path, algos->path_config) ||
                       (algos->cc->window && algos->frame.ack_every > 1);
    int error = site->lacks_sender ? 0 : init_sender(qp, &l, states, site, now);
    if (!error && !site->lacks_receiver)
    {
        error = init_receiver(qp, &l, states, site);
    }
    return error ? refuse(qp, error) : 0;
}
