/* SPDX-License-Identifier: MIT */
/*
 * Pseudo-random integrated multi-part entropy: each packet of a QP takes the next path as Alg. 2
 * makes them, and passes over those whose penalty has not yet decayed (Alg. 1). A marked packet
 * penalizes its path if that has no penalty, a trimmed or lost one by more. Where all paths have
 * penalties the one of the least is taken, and Alg. 2 stands still.
 *
 * A trimmed packet's NACK carries its entropy. One that is lost is known by its PSN only: the QP
 * remembers the entropy with which it was sent.
 *
 * The history is a QP's own or its host's, which all QPs of the host share; and of paths or of the
 * ports of each part, of which an entropy is congested if any part is.
 */
#include "lb/congestion-history.h"
#include "lb/ecmp.h"
#include "lb/multipart.h"
#include "lb/site.h"
#include "roster/tables.h"

enum unit
{
    UNIT_BDP,
    UNIT_CYCLE,
};

enum keeper
{
    KEEPER_QP,
    KEEPER_HOST,
};

enum penalized
{
    PENALIZED_PATH,
    PENALIZED_PARTS,
};

struct prime_config
{
    struct weft_multipart_config common;
    double explore;
    double ecn;
    double nack;
    int64_t override;  /* 0 or 1 */
    int64_t losses;    /* 0 or 1 */
    int64_t unit;      /* enum unit */
    int64_t history;   /* enum keeper */
    int64_t penalized; /* enum penalized */
};

/* State of one QP; the counts of its own history, if it has one, and then the permutations follow.
 * */
struct prime
{
    struct weft_multipart multipart;
    struct weft_history own;
    struct weft_history *shared; /* the host's, with its counts behind it; NULL: it is the own */
    struct weft_history_rows rows;
    bool override;
    bool losses;
    uint32_t exploring; /* packets that still disregard penalties */
    uint32_t ecn;       /* penalties, in packets */
    uint32_t nack;
};

static const struct weft_param params[] = {
    WEFT_MULTIPART_PARAMS,
    {"explore", WEFT_REAL, WEFT_P(struct prime_config, explore), "1", "0", "1000000", NULL,
     "Packets at the start that take penalized paths too, in the QP's own bandwidth-delay "
     "products (its share of the host's line times the idle fabric's round trip).",
     "prime §III-C"},
    {"ecn-penalty", WEFT_REAL, WEFT_P(struct prime_config, ecn), "1", "0", "1000000", NULL,
     "For how many packets a path is avoided after a mark, in the unit that penalty-unit names.",
     "prime §III-D; 1 (ours)"},
    {"nack-penalty", WEFT_REAL, WEFT_P(struct prime_config, nack), "4", "0", "1000000", NULL,
     "The same after a NACK of a trimmed packet, or a loss; at least ecn-penalty.",
     "prime §III-D; 4 (ours)"},
    {"nack-overrides", WEFT_BOOL, WEFT_P(struct prime_config, override), "on", NULL, NULL, NULL,
     "A NACK penalizes a path that has a penalty already; off: as with marks, only one that has "
     "none.",
     "(ours): prime §III-D has both"},
    {"losses", WEFT_BOOL, WEFT_P(struct prime_config, losses), "on", NULL, NULL, NULL,
     "A packet that the sender takes for lost penalizes its path as a trimmed one does, however "
     "the sender knows: by a NACK, a gap or a timeout.",
     "prime §III-B; timeouts (ours)"},
    {"penalty-unit", WEFT_CHOICE, WEFT_P(struct prime_config, unit), "cycle", NULL, NULL,
     "bdp cycle",
     "Unit of the penalties. bdp: packets of a bandwidth-delay product, the QP's own, or with "
     "history=host that of the host's line; cycle: as many packets as there are paths, so that 1 "
     "passes a path over once, however many there are.",
     "(ours): the paper's values are lost"},
    {"history", WEFT_CHOICE, WEFT_P(struct prime_config, history), "qp", NULL, NULL, "qp host",
     "Who keeps penalties, and by whose packets they decay: each QP, or a host for all its QPs, to "
     "whatever receivers, by the names of the paths.",
     "prime §III-D, \"a data structure maintained by a host\"; qp (ours)"},
    {"penalizes", WEFT_CHOICE, WEFT_P(struct prime_config, penalized), "path", NULL, NULL,
     "path parts",
     "What a signal penalizes: the path of the packet; or in each tier the number of the up port "
     "that it took, and then a path is avoided of which any part is penalized. In two tiers the "
     "same.",
     "prime §III-D, \"each EV uniquely represents a path\"; §III-C, \"none of the EVs included\""},
};

static const struct weft_preset presets[] = {
    {"cycles", "penalty-unit=cycle ecn-penalty=1 nack-penalty=4",
     "Once past a path after a mark, and four times after a NACK, however many paths there are: "
     "the defaults.",
     "(ours)"},
    {"short", "penalty-unit=bdp ecn-penalty=0.1 nack-penalty=0.4",
     "Shorter than what was marked or trimmed for takes to drain.", "(ours)"},
    {"round-trip", "penalty-unit=bdp ecn-penalty=1 nack-penalty=4",
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

static bool
is_shared(const struct prime_config *c)
{
    return c->history == KEEPER_HOST;
}

static uint32_t *
own_counts(struct prime *p)
{
    return (uint32_t *)(void *)(p + 1);
}

static uint16_t *
order_of(struct prime *p)
{
    return (uint16_t *)(void *)(own_counts(p) + (p->shared ? 0 : weft_history_counts(&p->own)));
}

static inline struct weft_history *
history_of(struct prime *p)
{
    return p->shared ? p->shared : &p->own;
}

static inline uint32_t *
counts_of(struct prime *p)
{
    return p->shared ? (uint32_t *)(void *)(p->shared + 1) : own_counts(p);
}

/* Counts of a QP's own history. */
static uint32_t
counts_for(const struct prime_config *c, const struct weft_parts *parts)
{
    return is_shared(c)                      ? 0
           : c->penalized == PENALIZED_PARTS ? weft_parts_values(parts)
                                             : weft_parts_paths(parts);
}

/* ---- What a host keeps ---- */

/* Rows of paths with no part, one, and so on, as many as there are within a ToR, a pod, and beyond;
 * or rows of the ports of each part. */
static void
add_rows(struct weft_history *h, uint32_t *until, const struct prime_config *c,
         const struct weft_parts *across)
{
    uint32_t paths = 1;
    for (uint32_t i = 0; i < across->n; i++)
    {
        weft_history_add_row(h, until, c->penalized == PENALIZED_PARTS ? across->ports[i] : paths);
        paths *= across->ports[i];
    }
    if (c->penalized == PENALIZED_PATH)
    {
        weft_history_add_row(h, until, paths);
    }
}

/* Counts of all those rows. */
static size_t
counts_across(const struct prime_config *c, const struct weft_parts *across)
{
    size_t counts = 1;
    size_t paths = 1;
    for (uint32_t i = 0; i < across->n; i++)
    {
        paths *= across->ports[i];
        counts += paths;
    }
    return c->penalized == PENALIZED_PARTS ? weft_parts_values(across) : counts;
}

static size_t
history_at(const void *config, const struct weft_path_site *site)
{
    return (weft_multipart_host_size(config, site) + 7) / 8 * 8;
}

static size_t
prime_host_size(const void *config, const struct weft_path_site *site)
{
    const struct prime_config *c = config;
    struct weft_parts across;
    if (!is_shared(c) || weft_parts_across(&across, site) != 0)
    {
        return weft_multipart_host_size(config, site);
    }
    return history_at(config, site) + sizeof(struct weft_history) +
           counts_across(c, &across) * sizeof(uint32_t);
}

static int
prime_host_init(void *host, const void *config, const struct weft_path_site *site)
{
    const struct prime_config *c = config;
    struct weft_parts across;
    const int code = weft_multipart_host_init(host, config, site);
    if (code == 0 && is_shared(c) && weft_parts_across(&across, site) == 0)
    {
        struct weft_history *h = (void *)((char *)host + history_at(config, site));
        weft_history_begin(h);
        add_rows(h, (uint32_t *)(void *)(h + 1), c, &across);
    }
    return code;
}

/* ---- What a QP keeps ---- */

static size_t
prime_qp_size(const void *config, const struct weft_path_site *site)
{
    struct weft_parts parts;
    (void)weft_parts_between(&parts, site);
    return sizeof(struct prime) + counts_for(config, &parts) * sizeof(uint32_t) +
           weft_parts_values(&parts) * sizeof(uint16_t);
}

static bool
is_in_bounds(double units)
{
    return units >= 0 && units <= 1000000;
}

static bool
has_known_choices(const struct prime_config *c)
{
    return c->unit >= UNIT_BDP && c->unit <= UNIT_CYCLE && c->history >= KEEPER_QP &&
           c->history <= KEEPER_HOST && c->penalized >= PENALIZED_PATH &&
           c->penalized <= PENALIZED_PARTS;
}

static int
check_qp(const void *host, const struct prime_config *c, const struct weft_path_site *site,
         struct weft_parts *parts)
{
    if (!is_in_bounds(c->explore) || !is_in_bounds(c->ecn) || !is_in_bounds(c->nack) ||
        !has_known_choices(c) || check(c))
    {
        return weft_refuse_config(site->why, &weft_lb_prime.algo, c);
    }
    int code = weft_host_serves(site, &weft_lb_prime);
    code = code ? code : weft_parts_between(parts, site);
    if (code)
    {
        return code;
    }
    if (site->qp_bdp < 1 || (is_shared(c) && site->host_bdp < 1))
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "exploring is counted in bandwidth-delay products, and so may be "
                           "penalties, and the site has none; expected qp_bdp of at least 1, and "
                           "host_bdp with history=host");
    }
    return !is_shared(c) || host ? 0
                                 : weft_refuse(site->why, WEFT_EINVAL, NULL,
                                               "a QP needs its host's history; expected "
                                               "host_init() first");
}

/* Packets of so many units, rounded up. */
static uint32_t
packets_of(double units, uint32_t unit)
{
    const double packets = units * unit;
    if (packets >= WEFT_MAX_PENALTY)
    {
        return WEFT_MAX_PENALTY;
    }
    const uint32_t whole = (uint32_t)packets;
    return whole + (whole < packets);
}

/* Where the QP's entropies are looked up. */
static void
begin_history(struct prime *p, void *host, const struct prime_config *c,
              const struct weft_path_site *site, const struct weft_parts *parts)
{
    const bool by_part = c->penalized == PENALIZED_PARTS;
    p->rows = (struct weft_history_rows){.n = by_part ? parts->n : 1};
    p->shared = NULL;
    weft_history_begin(&p->own);
    if (is_shared(c))
    {
        p->shared = (void *)((char *)host + history_at(c, site));
        p->rows.first = by_part ? 0 : parts->n;
        return;
    }
    for (uint32_t i = 0; i < p->rows.n; i++)
    {
        weft_history_add_row(&p->own, own_counts(p),
                             by_part ? parts->ports[i] : weft_parts_paths(parts));
    }
}

static int
prime_qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
              uint32_t qp_index)
{
    struct prime *p = qp;
    const struct prime_config *c = config;
    struct weft_parts parts;
    const int code = check_qp(host, c, site, &parts);
    if (code)
    {
        return code;
    }
    const uint32_t unit = c->unit == UNIT_CYCLE ? weft_parts_paths(&parts)
                          : is_shared(c)        ? site->host_bdp
                                                : site->qp_bdp;
    begin_history(p, host, c, site, &parts);
    weft_host_rng(&p->multipart.rng, site, WEFT_MULTIPART_QP_STREAM | qp_index);
    weft_multipart_begin(&p->multipart, &parts, order_of(p));
    p->exploring = packets_of(c->explore, site->qp_bdp);
    p->ecn = packets_of(c->ecn, unit);
    p->nack = packets_of(c->nack, unit);
    p->override = c->override != 0;
    p->losses = c->losses != 0;
    return 0;
}

static void
prime_data(void *qp, struct weft_packet *data, int64_t now)
{
    struct prime *p = qp;
    (void)now;
    const bool explores = p->exploring > 0;
    data->sport = weft_history_next(history_of(p), counts_of(p), p->rows, explores, &p->multipart,
                                    order_of(p));
    p->exploring -= explores;
    weft_parts_ask_port(&p->multipart.parts, data);
}

/* Penalizes a label's path, or its parts, with @p anew even what has a penalty. */
static void
penalize(struct prime *p, uint16_t label, uint32_t packets, bool anew)
{
    const struct weft_parts *parts = &p->multipart.parts;
    const struct weft_history *h = history_of(p);
    uint32_t *counts = counts_of(p);
    const struct weft_entropy entropy = {.path = weft_parts_path(parts, label), .label = label};
    for (uint32_t i = 0; i < p->rows.n && entropy.path != WEFT_NO_PATH; i++)
    {
        const uint32_t place = weft_history_place(h, p->rows, i, parts, entropy);
        if (anew || weft_history_penalty(h, counts, place) == 0)
        {
            weft_history_penalize(h, counts, place, packets);
        }
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

static bool
prime_hears_losses(const void *config)
{
    return ((const struct prime_config *)config)->losses != 0;
}

static int
prime_init(void *state, const void *config, const struct weft_site *site)
{
    const int missing = weft_site_serves(site, &weft_lb_prime);
    return missing ? missing : weft_multipart_init(state, config, site);
}

static const struct weft_path_ops prime_path = {
    .host_size = prime_host_size,
    .host_init = prime_host_init,
    .qp_size = prime_qp_size,
    .qp_init = prime_qp_init,
    .data = prime_data,
    .reply = weft_multipart_reply,
    .on_reply = prime_on_reply,
    .on_lost = prime_on_lost,
    .hears_losses = prime_hears_losses,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_FLAGS | WEFT_FIELD_ECHO,
               .writes = WEFT_FIELD_SPORT | WEFT_FIELD_IN_PORT},
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
    .in_turn = true,
    .learns_from_marks = true,
};
