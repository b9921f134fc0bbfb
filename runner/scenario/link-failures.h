/* SPDX-License-Identifier: GPL-2.0-only */
/** @file link-failures.h  The links to which something happens in a run: named and drawn ones. */
#ifndef WEFT_RUNNER_LINK_FAILURES_H
#define WEFT_RUNNER_LINK_FAILURES_H

#include "scenario.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** A link in a run, and what happens to it. */
    struct faulty_link
    {
        uint64_t link; /**< as weft_planes_link() numbers it */
        const struct link_fault *fault;
        int64_t rate; /**< bit/s, of one that is slower */
    };

    /** The links to which something happens, fault by fault, and how many. To be freed. */
    struct faulty_link *faulty_links(const struct scenario *s, size_t *n);

    /** Whether chance chooses the links. */
    bool fault_is_drawn(const struct link_fault *f);

    /** Whether it may happen: there is a time for it, and chance may choose a link. */
    bool fault_happens(const struct link_fault *f);

    /** The links that chance chooses, rising, and how many. To be freed. */
    uint64_t *random_links_draw(const struct scenario *s, const struct link_fault *f, size_t *n);

    /** How many different links have failed by @p now; sorts @p faulty by link. */
    uint64_t links_failed(struct faulty_link *faulty, size_t n, int64_t now);

#ifdef __cplusplus
}
#endif
#endif
