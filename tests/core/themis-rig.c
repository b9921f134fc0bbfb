/* SPDX-License-Identifier: MIT */
#include "themis-rig.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

void
configure(int64_t *config, const char *name, const char *value)
{
    const struct weft_lb_ops *ops = weft_lb_find("themis");
    ck_assert_ptr_nonnull(ops);
    ck_assert_uint_le(ops->algo.config_size, 16 * sizeof *config);
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    if (name)
    {
        ck_assert_int_eq(weft_config_set(&ops->algo, config, name, value), 0);
    }
}

/* A ring of exactly @p entries: frames of 1 byte at 8 Tbit/s take 1 ps. */
struct weft_last_hop
last_hop(uint32_t npaths, uint32_t entries)
{
    struct weft_last_hop hop = {npaths, INT64_C(8000000000000), 0, 1, .provides = WEFT_NEEDS_ALL};
    hop.rtt = entries;
    return hop;
}

void
open_bench(struct bench *b, uint32_t npaths, uint32_t entries, const char *compensation,
           const char *width)
{
    int64_t config[16];
    const struct weft_lb_ops *lb = weft_lb_find("themis");
    const struct weft_last_hop hop = last_hop(npaths, entries);
    configure(config, "compensation", compensation);
    ck_assert_int_eq(weft_config_set(&lb->algo, config, "ring-factor", "1"), 0);
    ck_assert_int_eq(weft_config_set(&lb->algo, config, "entry-bytes", width), 0);
    b->ops = lb->tor;
    memset(&b->n, 0, sizeof b->n);
    b->qp = malloc(b->ops->qp_size(config, &hop));
    ck_assert_ptr_nonnull(b->qp);
    ck_assert_int_eq(b->ops->qp_init(b->qp, config, &hop), 0);
}

void
close_bench(struct bench *b)
{
    ck_assert_uint_eq(b->n.seen, b->n.valid + b->n.invalid + b->n.unknown);
    ck_assert_uint_eq(b->n.invalid, b->n.blocked + b->n.scan_passed);
    const uint64_t early = b->n.compensated - b->n.silent - b->n.turned - b->n.released;
    ck_assert_uint_le(early + b->n.cancelled + b->n.overwritten, b->n.armed);
    ck_assert_uint_le(b->n.silent, b->n.cancelled + b->n.scan_cancelled);
    free(b->qp);
}

int64_t
pass(struct bench *b, uint32_t psn)
{
    return pass_paused(b, psn, false);
}

int64_t
pass_paused(struct bench *b, uint32_t psn, bool paused)
{
    struct weft_packet data;
    uint32_t epsn = UINT32_MAX;
    memset(&data, 0, sizeof data);
    data.kind = WEFT_DATA;
    data.psn = psn & WEFT_PSN_MASK;
    const bool owed = b->ops->owes(b->qp);
    const bool sends = b->ops->to_host(b->qp, &data, paused, &b->n, &epsn);
    if (!owed && (sends || b->ops->owes(b->qp))) /* an assertion for each packet would be slow */
    {
        ck_abort_msg("a NACK that was not owed");
    }
    return sends ? (int64_t)epsn : -1;
}

bool
nack(struct bench *b, uint32_t epsn)
{
    struct weft_packet reply;
    memset(&reply, 0, sizeof reply);
    reply.kind = WEFT_NACK;
    reply.psn = epsn & WEFT_PSN_MASK;
    return b->ops->from_host(b->qp, &reply, &b->n) == WEFT_TOR_FORWARD;
}

bool
ack(struct bench *b, uint32_t epsn)
{
    struct weft_packet reply;
    memset(&reply, 0, sizeof reply);
    reply.kind = WEFT_ACK;
    reply.psn = epsn & WEFT_PSN_MASK;
    const enum weft_tor_verdict verdict = b->ops->from_host(b->qp, &reply, &b->n);
    ck_assert_int_ne(verdict, WEFT_TOR_BLOCK);
    return verdict == WEFT_TOR_NACK;
}

const char *const compensations[3] = {"scan", "literal", "off"};
