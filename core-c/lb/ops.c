/* SPDX-License-Identifier: MIT */
/*
 * Oblivious packet spraying at the hosts: every packet leaves with a source port of its own, drawn
 * uniformly from all 65,536, and switches hash it as they hash any flow. For one pair of hosts, the
 * shares of a switch's n ports then differ by some sqrt(n / 65536) of a share (1.6 % for 16 ports);
 * with the 16,384 ports of the dynamic range it would be twice that.
 */
#include "base/tables.h"
#include "lb/ecmp.h"

#include <weft/rng.h>

/* "opsq" and "opsh" in ASCII: this balancer's random streams, one per QP and one per host. */
#define OPS_QP_STREAM   (UINT64_C(0x6f707371) << 32)
#define OPS_HOST_STREAM (UINT64_C(0x6f707368) << 32)

enum replies
{
    REPLIES_ECMP,
    REPLIES_SPRAY,
};

struct ops_config
{
    int64_t replies; /* enum replies */
};

/* Draws of a host, for the replies that it makes. */
struct ops_host
{
    struct weft_rng rng;
    uint64_t sprays;
};

static const struct weft_param params[] = {
    {"replies", WEFT_CHOICE, WEFT_P(struct ops_config, replies), "spray", NULL, NULL, "ecmp spray",
     "How ACKs, NACKs and CNPs travel: on their QP's ECMP path, or sprayed like data.",
     "ofan §3.2(4) leaves it open; spray (ours)"},
};

static size_t
ops_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct weft_ecmp);
}

static int
ops_init(void *state, const void *config, const struct weft_site *site)
{
    (void)config;
    weft_ecmp_init((struct weft_ecmp *)state, site, false);
    return 0;
}

static uint32_t
ops_peek(const void *state, const struct weft_ports *ports, const struct weft_packet *packet)
{
    return weft_port_at(ports, weft_ecmp_index((const struct weft_ecmp *)state, ports->n, packet));
}

static uint32_t
ops_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    (void)now;
    return ops_peek(state, ports, packet);
}

static size_t
ops_host_size(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct ops_host);
}

static int
ops_host_init(void *host, const void *config, const struct weft_path_site *site)
{
    struct ops_host *h = (struct ops_host *)host;
    weft_rng_seed(&h->rng, site->seed, site->run, OPS_HOST_STREAM | site->host);
    h->sprays = ((const struct ops_config *)config)->replies == REPLIES_SPRAY;
    return 0;
}

static size_t
ops_qp_size(const void *config)
{
    (void)config;
    return sizeof(struct weft_rng);
}

static void
ops_qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
            uint32_t qp_index)
{
    (void)host;
    (void)config;
    weft_rng_seed((struct weft_rng *)qp, site->seed, site->run, OPS_QP_STREAM | qp_index);
}

static void
ops_data(void *qp, struct weft_packet *data, int64_t now)
{
    (void)now;
    data->sport = (uint16_t)(weft_rng_u32((struct weft_rng *)qp) >> 16);
}

static void
ops_reply(void *host, struct weft_packet *reply)
{
    struct ops_host *h = (struct ops_host *)host;
    if (h->sprays)
    {
        reply->sport = (uint16_t)(weft_rng_u32(&h->rng) >> 16);
    }
}

static const struct weft_path_ops ops_path = {
    ops_host_size, ops_host_init, ops_qp_size, ops_qp_init,
    ops_data,      ops_reply,     NULL, /* on_reply */
    NULL,                               /* on_timeout */
    NULL,                               /* set_routes */
};

const struct weft_lb_ops weft_lb_ops_spray = {
    {
        "ops",
        "Oblivious packet spraying: a random UDP source port per packet, hashed by the switches.",
        "ofan §3.2(4)",
        params,
        sizeof params / sizeof params[0],
        NULL,
        0,
        sizeof(struct ops_config),
        NULL,
    },
    WEFT_LB_PATH,
    ops_size,
    ops_init,
    ops_pick,
    NULL,
    NULL,
    NULL,
    &ops_path,
    true,
    ops_peek,
};
