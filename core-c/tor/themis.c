/* SPDX-License-Identifier: MIT */
/*
 * Themis-S: the source's ToR gives every data packet the path PSN mod N places after its flow's own
 * (Eq. 1), by choosing the port in two tiers and by changing the UDP source port, on which all
 * switches hash linearly, in three. Other traffic, and all of it while links are down, is plain
 * ECMP.
 *
 * With parallel links in two tiers, N counts every uplink of the source's leaf, and the packets
 * that meet at a spine choose among its links to the destination's leaf by Eq. 1 again. The number
 * of these links divides N, so packets of one residue mod N still share one path from end to end.
 */
#include "tor/themis.h"

#include "lb/ecmp.h"
#include "lb/site.h"
#include "roster/tables.h"

#include <weft/error.h>
#include <weft/pathmap.h>
#include <weft/psn.h>

struct themis
{
    struct weft_ecmp ecmp;
    struct themis_modulus paths;
    uint32_t up_ports;
    bool source; /* a ToR: sprays what its hosts send */
    bool sprays; /* or a spine: among parallel links */
    bool spraying;
    bool replies; /* ACKs and the like are sprayed as well, by the PSN they carry */
    bool mapped;  /* by the PathMap behind this struct */
};

static const struct weft_param params[] = {
    {"compensation", WEFT_CHOICE, WEFT_P(struct themis_config, compensation), "scan", NULL, NULL,
     "scan literal off",
     "How a blocked NACK is compensated. literal: as printed, once a later packet of the same path "
     "passes; scan: also by the NIC's ePSN, so that a packet that has passed the ToR counts as "
     "delivered only when the NIC says so; off: never.",
     "themis §3.4; scan (ours)"},
    {"entry-bytes", WEFT_COUNT, WEFT_P(struct themis_config, entry_bytes), "1", "1", "3", NULL,
     "Bytes of a truncated PSN in the ring.", "themis §4"},
    {"ring-factor", WEFT_REAL, WEFT_P(struct themis_config, ring_factor), "1.5", "1", "1000", NULL,
     "F: ring entries in multiples of the last hop's bandwidth-delay product.", "themis §4"},
    {"replies", WEFT_CHOICE, WEFT_P(struct themis_config, replies), "spray", NULL, NULL,
     "ecmp spray",
     "How ACKs, NACKs and CNPs travel: on their QP's ECMP path, or sprayed by the ePSN that ACKs "
     "and "
     "NACKs carry (CNPs carry none and keep to one path).",
     "themis §3.2 leaves it open; spray (ours)"},
    {"ring", WEFT_COUNT, WEFT_P(struct themis_config, ring), "0", "0", "65535", NULL,
     "Entries of a QP's ring, whatever the last hop; 0: as many as ring-factor says. At most 127 "
     "with entry-bytes=1 and 32767 with 2. A ring that is too small gives up entries, which "
     "ring_full counts.",
     "(ours)"},
};

static uint32_t
path_count(const struct weft_site *site)
{
    return site->tiers == 3 ? site->npaths : site->up_ports;
}

/* Entries of a PathMap: as many as there are UDP source ports. */
#define MAX_MAP 65536U

static bool
has_pathmap(const struct weft_site *site)
{
    return site->tiers == 3 && site->tier == 0;
}

static size_t
themis_size(const void *config, const struct weft_site *site)
{
    (void)config;
    const bool maps = has_pathmap(site) && site->npaths <= MAX_MAP;
    return sizeof(struct themis) + (maps ? site->npaths * sizeof(uint16_t) : 0);
}

static int
build_map(struct themis *t, const struct weft_site *site, uint32_t npaths)
{
    const char *reason = NULL;
    const int code =
        weft_pathmap_build((uint16_t *)(t + 1), site->up_ports, npaths / site->up_ports,
                           weft_linear_seed(site, 0), weft_linear_seed(site, 1), &reason);
    return code && reason ? weft_refuse(site->why, code, NULL, reason) : code;
}

static int
themis_init(void *state, const void *config, const struct weft_site *site)
{
    struct themis *t = state;
    const struct themis_config *c = config;
    const uint32_t npaths = path_count(site);
    if (site->tiers == 0)
    {
        return weft_refuse(site->why, WEFT_ENOTCLOS, NULL, weft_strerror(WEFT_ENOTCLOS));
    }
    const int missing = weft_site_serves(site, &weft_lb_themis);
    if (missing)
    {
        return missing;
    }
    weft_ecmp_init(&t->ecmp, site, site->tiers == 3);
    t->up_ports = site->up_ports;
    t->source = site->tier == 0;
    t->sprays = t->source || site->tiers == 2;
    t->spraying = t->sprays;
    t->replies = c->replies == THEMIS_REPLIES_SPRAY;
    t->mapped = has_pathmap(site);
    if (!t->source)
    {
        return 0;
    }
    if (site->up_ports == 0 || npaths == 0 || npaths > WEFT_PSN_MASK)
    {
        return weft_refuse(site->why, WEFT_ERANGE, NULL,
                           "the ToR has no up ports, or more paths than there are PSNs");
    }
    if (npaths % site->up_ports != 0)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the paths are no multiple of the ToR's up ports");
    }
    themis_modulus_init(&t->paths, npaths);
    return t->mapped ? build_map(t, site, npaths) : 0;
}

/* The group must be whole: n is less than its width after failures. */
static inline bool
sprayed(const struct themis *t, const struct weft_ports *ports, const struct weft_packet *packet)
{
    return t->spraying && (packet->kind == WEFT_DATA || t->replies) && packet->kind != WEFT_RAW &&
           ports->n == (t->source ? t->up_ports : ports->width);
}

static uint32_t
themis_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    const struct themis *t = state;
    const uint32_t n = ports->n;
    uint32_t step = 0;
    (void)now;
    if (sprayed(t, ports, packet))
    {
        /* A CNP's BTH has no PSN: what it names is for the sender alone. */
        const uint32_t psn = packet->kind == WEFT_CNP ? 0 : packet->psn;
        step = t->source ? themis_residue(&t->paths, psn) : psn % n;
        if (t->mapped)
        {
            packet->sport ^= ((const uint16_t *)(t + 1))[step];
            step = 0;
        }
    }
    const uint32_t path = step + weft_ecmp_index(&t->ecmp, n, packet);
    return weft_port_at(ports, path < n ? path : path - n);
}

static void
themis_set_routes(void *state, const struct weft_fib *fib)
{
    struct themis *t = state;
    t->spraying = t->sprays && !fib;
}

const struct weft_lb_ops weft_lb_themis = {
    .algo =
        {
            .name = "themis",
            .doc = "PSN-based spraying at the source's ToR, NACK filtering at the destination's.",
            .source = "themis §3",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct themis_config),
        },
    .state_size = themis_size,
    .init = themis_init,
    .pick = themis_pick,
    .set_routes = themis_set_routes,
    .tor = &weft_themis_d,
    .oblivious = true,
    .fields = {.reads = WEFT_HASHED_FIELDS | WEFT_FIELD_KIND | WEFT_FIELD_PSN,
               .writes = WEFT_FIELD_SPORT},
    .reorders = true,
    .off_while_down = true,
};
