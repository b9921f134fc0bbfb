/* SPDX-License-Identifier: GPL-2.0-only */
/** @file link-failures.h  The links that fail in a run: those that are named and those drawn. */
#ifndef WEFT_RUNNER_LINK_FAILURES_H
#define WEFT_RUNNER_LINK_FAILURES_H

#include "scenario.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** The failures of a run: those named and those drawn, of their number @p n. To be freed. */
    struct link_fault *failures_of(const struct scenario *s, size_t *n);

    /** The links that are slower for a while: those named and those drawn, of their number @p n. To
     * be freed. */
    struct link_fault *degradations_of(const struct scenario *s, size_t *n);

    /** Whether chance may choose a link. */
    bool random_links_any(const struct random_links *r);

    /** The links that chance chooses, rising, and how many. @p r: one of the scenario's. To be
     * freed. */
    uint64_t *random_links_draw(const struct scenario *s, const struct random_links *r, size_t *n);

    /** How many different links have failed by @p now; sorts @p failures by link. */
    uint64_t links_failed(struct link_fault *failures, size_t n, int64_t now);

#ifdef __cplusplus
}
#endif
#endif
