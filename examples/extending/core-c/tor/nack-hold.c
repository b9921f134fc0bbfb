/* SPDX-License-Identifier: MIT */
/* Random spraying whose NACKs wait at the receiver's ToR, as TCP waits for duplicate ACKs: one goes
 * on if so many more packets have left for the NIC and the packet that is missed has not come. */
#include "lb/site.h"
#include "roster/tables.h"

#include <weft/psn.h>

struct nack_hold_config
{
    int64_t tolerance;
};

/* A QP at its receiver's ToR. */
struct nack_hold
{
    uint32_t epsn; /* of the NACK that waits */
    uint32_t left; /* packets until it goes on; 0: none waits */
    uint32_t tolerance;
};

static const struct weft_param params[] = {
    {"tolerance", WEFT_COUNT, WEFT_P(struct nack_hold_config, tolerance), "32", "1", "65536", NULL,
     "Packets that may still bring what the NIC misses, before the ToR asks for it.", "(ours)"},
};

static size_t
qp_size(const void *config, const struct weft_last_hop *hop)
{
    (void)config;
    (void)hop;
    return sizeof(struct nack_hold);
}

static int
qp_init(void *qp, const void *config, const struct weft_last_hop *hop)
{
    const int64_t tolerance = ((const struct nack_hold_config *)config)->tolerance;
    if (tolerance < 1 || tolerance > 65536)
    {
        return weft_refuse_config(hop->why, &weft_lb_nack_hold.algo, config);
    }
    *(struct nack_hold *)qp = (struct nack_hold){0, 0, (uint32_t)tolerance};
    return weft_lb_check_needs(&weft_lb_nack_hold, hop->provides | WEFT_NEED_PICK, hop->why);
}

static bool
to_host(void *qp, const struct weft_packet *data, bool paused, struct weft_tor_counters *counters,
        uint32_t *epsn)
{
    struct nack_hold *h = qp;
    (void)data;
    (void)paused;
    if (h->left == 0 || --h->left > 0)
    {
        return false;
    }
    counters->compensated++;
    *epsn = h->epsn;
    return true;
}

static enum weft_tor_verdict
from_host(void *qp, const struct weft_packet *reply, struct weft_tor_counters *counters)
{
    struct nack_hold *h = qp;
    if (reply->kind == WEFT_NACK)
    {
        counters->seen++;
        counters->invalid++;
        counters->blocked++;
        h->epsn = reply->psn;
        h->left = h->tolerance;
        return WEFT_TOR_BLOCK;
    }
    h->left = weft_psn_before(h->epsn, reply->psn) ? 0 : h->left;
    return WEFT_TOR_FORWARD;
}

static const struct weft_tor_ops tor = {
    .qp_size = qp_size,
    .qp_init = qp_init,
    .to_host = to_host,
    .from_host = from_host,
};

/* At switches it is random spraying. */
static size_t
state_size(const void *config, const struct weft_site *site)
{
    return weft_lb_rsq.state_size(config, site);
}

static int
init(void *state, const void *config, const struct weft_site *site)
{
    const int missing = weft_site_serves(site, &weft_lb_nack_hold);
    return missing ? missing : weft_lb_rsq.init(state, config, site);
}

static uint32_t
pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    return weft_lb_rsq.pick(state, ports, packet, now);
}

const struct weft_lb_ops weft_lb_nack_hold = {
    .algo =
        {
            .name = "nack-hold",
            .doc = "Random spraying, and NACKs that wait at the receiver's ToR for late packets.",
            .source = "(ours)",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct nack_hold_config),
        },
    .state_size = state_size,
    .init = init,
    .pick = pick,
    .tor = &tor,
    .oblivious = true,
};
