/* SPDX-License-Identifier: MIT */
/* Equal-cost multi-path: a hash of the flow chooses the port, so a flow keeps to one path. */
#include "lb/ecmp.h"

#include "lb/site.h"
#include "roster/tables.h"

enum hash
{
    MIX,
    LINEAR,
};

struct ecmp_config
{
    int64_t hash; /* enum hash */
};

static const struct weft_param params[] = {
    {"hash", WEFT_CHOICE, WEFT_P(struct ecmp_config, hash), "mix", NULL, NULL, "mix linear",
     "mix: independent at every switch; linear: linear over GF(2), as in commodity switches.",
     "Zhang et al., ATC'21"},
};

uint32_t
weft_ecmp_hash(const struct weft_packet *packet, uint64_t switch_seed)
{
    uint64_t x = ((uint64_t)packet->src << 32 | packet->dst) ^ switch_seed;
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return (uint32_t)(weft_mix64(x ^ packet->sport) >> 32);
}

/* n in [0, 63] */
static inline uint64_t
rotl64(uint64_t x, unsigned n)
{
    return x << n | x >> ((64U - n) & 63U);
}

/* x + x z^a + x z^b in GF(2)[z] / (z^64 - 1): linear, and a bijection since it has 3 terms. */
static inline uint64_t
stir64(uint64_t x, uint64_t key)
{
    return x ^ rotl64(x, key & 63U) ^ rotl64(x, key >> 6 & 63U);
}

/* n in [0, 15] */
static inline uint32_t
rotl16(uint32_t x, unsigned n)
{
    return (x << n | x >> (16U - n)) & 0xffffU;
}

/* Stirs 16 bits as above, modulo z^16 - 1. */
static inline uint32_t
stir16(uint32_t x, uint64_t key)
{
    return x ^ rotl16(x, key & 15U) ^ rotl16(x, key >> 4 & 15U);
}

#define SPREAD(a, b) ((uint64_t)(a) | (uint64_t)(b) << 6)

/*
 * Fixed rotations whose product is dense (32 terms, no run of more than three equal bits), so that
 * even a key whose rotations cancel out leaves every bit of a host's number in many places.
 */
static inline uint64_t
spread64(uint64_t x)
{
    return stir64(stir64(stir64(stir64(x, SPREAD(51, 30)), SPREAD(30, 58)), SPREAD(23, 15)),
                  SPREAD(33, 29));
}

/*
 * The low 16 bits of the unrotated hash are a bijection of the source port for every (src, dst), so
 * tiers whose windows do not overlap there choose independently, and every PathMap exists.
 */
uint32_t
weft_ecmp_hash_linear(const struct weft_packet *packet, uint64_t switch_seed)
{
    const uint64_t key = weft_mix64(switch_seed >> 40);
    const unsigned window = (unsigned)(switch_seed >> 32) & 31U;
    uint64_t hosts = (uint64_t)packet->src << 32 | packet->dst;
    hosts = spread64(hosts);
    hosts = stir64(stir64(stir64(stir64(hosts, key), key >> 12), key >> 24), key >> 36);
    const uint32_t port = stir16(stir16(packet->sport, key >> 48), key >> 56);
    const uint32_t hash = (uint32_t)hosts ^ port ^ port << 16;
    return (hash >> window | hash << ((32U - window) & 31U)) ^ (uint32_t)switch_seed;
}

static size_t
ecmp_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct weft_ecmp);
}

static int
ecmp_init(void *state, const void *config, const struct weft_site *site)
{
    const struct ecmp_config *c = config;
    weft_ecmp_init((struct weft_ecmp *)state, site, c->hash == LINEAR);
    return weft_site_ports(site);
}

static uint32_t
ecmp_peek(const void *state, const struct weft_ports *ports, const struct weft_packet *packet)
{
    return weft_port_at(ports, weft_ecmp_index((const struct weft_ecmp *)state, ports->n, packet));
}

static uint32_t
ecmp_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    (void)now;
    return ecmp_peek(state, ports, packet);
}

const struct weft_lb_ops weft_lb_ecmp = {
    .algo =
        {
            .name = "ecmp",
            .doc = "Per-flow hashing of the 5-tuple.",
            .source = "RFC 2992; themis §2.1",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct ecmp_config),
        },
    .state_size = ecmp_size,
    .init = ecmp_init,
    .pick = ecmp_pick,
    .oblivious = true,
    .peek = ecmp_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS},
};
