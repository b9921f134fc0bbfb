/* SPDX-License-Identifier: MIT */
/*
 * Pseudo-random integrated multi-part entropy: each packet of a QP takes the next path as Alg. 2
 * makes them, and passes over those whose penalty has not yet decayed (Alg. 1). A marked packet
 * penalizes its path if that has no penalty, a trimmed or lost one by more. Where all paths have
 * penalties the one of the least is taken, and Alg. 2 stands still.
 *
 * A trimmed packet's NACK carries its entropy. One that is lost is known by its PSN only: the QP
 * remembers the entropy with which it was sent.
 */
#include "base/tables.h"
#include "lb/congestion-history.h"
#include "lb/ecmp.h"
#include "lb/multipart.h"
#include "lb/site.h"

struct prime_config
{
    struct weft_multipart_config common;
    double explore;
    double ecn;
    double nack;
    int64_t override; /* 0 or 1 */
    int64_t losses;   /* 0 or 1 */
};

/* One QP's; the history's counts and then the permutations follow. */
struct prime
{
    struct weft_multipart multipart;
    struct weft_history history;
    uint32_t ecn; /* penalties, in packets */
    uint32_t nack;
    bool override;
    bool losses;
};

static const struct weft_param params[] = {
    WEFT_MULTIPART_PARAMS,
    {"explore", WEFT_REAL, WEFT_P(struct prime_config, explore), "1", "0", "1000000", NULL,
     "Packets at the start that take penalized paths too, in the QP's own bandwidth-delay "
     "products (its share of the host's line times the idle fabric's round trip).",
     "prime §III-C"},
    {"ecn-penalty", WEFT_REAL, WEFT_P(struct prime_config, ecn), "0.1", "0", "1000000", NULL,
     "For how many packets a path is avoided after a mark, in the QP's own bandwidth-delay "
     "products.",
     "prime §III-D; 0.1 (ours)"},
    {"nack-penalty", WEFT_REAL, WEFT_P(struct prime_config, nack), "0.4", "0", "1000000", NULL,
     "The same after a NACK of a trimmed packet, or a loss; at least ecn-penalty.",
     "prime §III-D; 0.4 (ours)"},
    {"nack-overrides", WEFT_BOOL, WEFT_P(struct prime_config, override), "on", NULL, NULL, NULL,
     "A NACK penalizes a path that has a penalty already; off: as with marks, only one that has "
     "none.",
     "(ours): prime §III-D has both"},
    {"losses", WEFT_BOOL, WEFT_P(struct prime_config, losses), "on", NULL, NULL, NULL,
     "A packet that the sender takes for lost penalizes its path as a trimmed one does, however "
     "the sender knows: by a NACK, a gap or a timeout.",
     "prime §III-B; timeouts (ours)"},
};

static const struct weft_preset presets[] = {
    {"short", "ecn-penalty=0.1 nack-penalty=0.4",
     "Shorter than what was marked or trimmed for takes to drain: the defaults.", "(ours)"},
    {"round-trip", "ecn-penalty=1 nack-penalty=4",
     "A round trip after a mark, and four after a NACK: until what was done about it shows.",
     "(ours)"},
};

static const char *
check(const void *config)
{
    const struct prime_config *c = config;
    return c->nack < c->ecn ? "nack-penalty is less than ecn-penalty, but a NACK tells of worse "
                              "congestion than a mark; expected at least as much"
                            : NULL;
}

static uint32_t *
until_of(struct prime *p)
{
    return (uint32_t *)(void *)(p + 1);
}

static uint16_t *
order_of(struct prime *p)
{
    return (uint16_t *)(void *)(until_of(p) + p->history.npaths);
}

static size_t
prime_qp_size(const void *config, const struct weft_path_site *site)
{
    struct weft_parts parts;
    (void)config;
    (void)weft_parts_between(&parts, site);
    return sizeof(struct prime) + weft_parts_paths(&parts) * sizeof(uint32_t) +
           weft_parts_values(&parts) * sizeof(uint16_t);
}

static bool
is_in_bounds(double bdps)
{
    return bdps >= 0 && bdps <= 1000000;
}

/* Packets of so many bandwidth-delay products, rounded up. */
static uint32_t
packets_of(double bdps, uint32_t bdp)
{
    const double packets = bdps * bdp;
    if (packets >= WEFT_MAX_PENALTY)
    {
        return WEFT_MAX_PENALTY;
    }
    const uint32_t whole = (uint32_t)packets;
    return whole + (whole < packets);
}

static int
prime_qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
              uint32_t qp_index)
{
    struct prime *p = qp;
    const struct prime_config *c = config;
    struct weft_parts parts;
    (void)host;
    if (!is_in_bounds(c->explore) || !is_in_bounds(c->ecn) || !is_in_bounds(c->nack) || check(c))
    {
        return weft_refuse_config(site->why, &weft_lb_prime.algo, config);
    }
    int code = weft_host_serves(site, &weft_lb_prime);
    code = code ? code : weft_parts_between(&parts, site);
    if (code)
    {
        return code;
    }
    if (site->qp_bdp < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "penalties are bandwidth-delay products, and the site has none; "
                           "expected qp_bdp of at least 1");
    }
    weft_history_begin(&p->history, until_of(p), weft_parts_paths(&parts),
                       packets_of(c->explore, site->qp_bdp));
    weft_host_rng(&p->multipart.rng, site, WEFT_MULTIPART_QP_STREAM | qp_index);
    weft_multipart_begin(&p->multipart, &parts, order_of(p));
    p->ecn = packets_of(c->ecn, site->qp_bdp);
    p->nack = packets_of(c->nack, site->qp_bdp);
    p->override = c->override != 0;
    p->losses = c->losses != 0;
    return 0;
}

static void
prime_data(void *qp, struct weft_packet *data, int64_t now)
{
    struct prime *p = qp;
    (void)now;
    data->sport = weft_history_next(&p->history, until_of(p), &p->multipart, order_of(p));
}

/* Penalizes a label's path, with @p anew even if it has a penalty. */
static void
penalize(struct prime *p, uint16_t label, uint32_t packets, bool anew)
{
    const uint32_t path = weft_parts_path(&p->multipart.parts, label);
    if (path != WEFT_NO_PATH && (anew || weft_history_penalty(&p->history, until_of(p), path) == 0))
    {
        weft_history_penalize(&p->history, until_of(p), path, packets);
    }
}

static void
prime_on_reply(void *qp, const struct weft_packet *reply, int64_t now)
{
    struct prime *p = qp;
    (void)now;
    if (reply->kind == WEFT_NACK && (reply->flags & WEFT_F_TRIMMED))
    {
        penalize(p, reply->echo, p->nack, p->override);
    }
    else if (reply->flags & WEFT_F_ECE)
    {
        penalize(p, reply->echo, p->ecn, false);
    }
}

static void
prime_on_lost(void *qp, const struct weft_loss *loss, int64_t now)
{
    struct prime *p = qp;
    (void)now;
    if (p->losses && loss->labelled && loss->cause != WEFT_LOST_TRIMMED)
    {
        penalize(p, loss->sport, p->nack, p->override);
    }
}

static int
prime_init(void *state, const void *config, const struct weft_site *site)
{
    const int missing = weft_site_serves(site, &weft_lb_prime);
    return missing ? missing : weft_multipart_init(state, config, site);
}

static const struct weft_path_ops prime_path = {
    .host_size = weft_multipart_host_size,
    .host_init = weft_multipart_host_init,
    .qp_size = prime_qp_size,
    .qp_init = prime_qp_init,
    .data = prime_data,
    .reply = weft_multipart_reply,
    .on_reply = prime_on_reply,
    .on_lost = prime_on_lost,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_FLAGS | WEFT_FIELD_ECHO,
               .writes = WEFT_FIELD_SPORT},
};

const struct weft_lb_ops weft_lb_prime = {
    .algo =
        {
            .name = "prime",
            .doc = "PRIME: each packet takes the next of all paths, in an order that is shuffled "
                   "again and again, but not one that is known to be congested.",
            .source = "prime §III, Alg. 1-2",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct prime_config),
            .check = check,
        },
    .state_size = weft_multipart_size,
    .init = prime_init,
    .pick = weft_multipart_pick,
    .path = &prime_path,
    .oblivious = true,
    .peek = weft_multipart_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS | WEFT_FIELD_KIND},
    .reorders = true,
    .learns_from_marks = true,
};
