/* SPDX-License-Identifier: MIT */
/*
 * PRIME that ignores congestion: packets take the entropies as Alg. 2 makes them, which uses every
 * path once per cycle.
 */
#include "lb/ecmp.h"
#include "lb/multipart.h"
#include "lb/site.h"
#include "roster/tables.h"

static const struct weft_param params[] = {WEFT_MULTIPART_PARAMS};

/* State of one QP: that of Alg. 2, and its permutations behind it. */

static uint16_t *
order_of(struct weft_multipart *m)
{
    return (uint16_t *)(void *)(m + 1);
}

static size_t
co_prime_qp_size(const void *config, const struct weft_path_site *site)
{
    struct weft_parts parts;
    (void)config;
    (void)weft_parts_between(&parts, site);
    return sizeof(struct weft_multipart) + weft_parts_values(&parts) * sizeof(uint16_t);
}

static int
co_prime_qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
                 uint32_t qp_index)
{
    struct weft_multipart *m = qp;
    struct weft_parts parts;
    (void)host;
    (void)config;
    int code = weft_host_serves(site, &weft_lb_co_prime);
    code = code ? code : weft_parts_between(&parts, site);
    if (code)
    {
        return code;
    }
    weft_host_rng(&m->rng, site, WEFT_MULTIPART_QP_STREAM | qp_index);
    weft_multipart_begin(m, &parts, order_of(m));
    return 0;
}

static void
co_prime_data(void *qp, struct weft_packet *data, int64_t now)
{
    struct weft_multipart *m = qp;
    (void)now;
    data->sport = weft_multipart_next(m, order_of(m)).label;
    weft_parts_ask_port(&m->parts, data);
}

static int
co_prime_init(void *state, const void *config, const struct weft_site *site)
{
    const int missing = weft_site_serves(site, &weft_lb_co_prime);
    return missing ? missing : weft_multipart_init(state, config, site);
}

static const struct weft_path_ops co_prime_path = {
    .host_size = weft_multipart_host_size,
    .host_init = weft_multipart_host_init,
    .qp_size = co_prime_qp_size,
    .qp_init = co_prime_qp_init,
    .data = co_prime_data,
    .reply = weft_multipart_reply,
    .fields = {.reads = WEFT_FIELD_ECHO, .writes = WEFT_FIELD_SPORT | WEFT_FIELD_IN_PORT},
};

const struct weft_lb_ops weft_lb_co_prime = {
    .algo =
        {
            .name = "co-prime",
            .doc = "PRIME that ignores congestion: each packet takes the next of all paths, in an "
                   "order that is shuffled again and again.",
            .source = "prime §IV (CO-PRIME), Alg. 2",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct weft_multipart_config),
        },
    .state_size = weft_multipart_size,
    .init = co_prime_init,
    .pick = weft_multipart_pick,
    .path = &co_prime_path,
    .oblivious = true,
    .peek = weft_multipart_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS | WEFT_FIELD_KIND},
    .reorders = true,
    .in_turn = true,
};
