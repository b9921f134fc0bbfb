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
        int64_t rate;    /**< bit/s, of one that is slower */
        uint64_t stream; /**< of random numbers, for times that are drawn */
    };

    /** The links to which something happens, fault by fault, and how many. To be freed. */
    struct faulty_link *faulty_links(const struct scenario *s, size_t *n);

    /** Whether chance chooses the links. */
    bool fault_is_drawn(const struct link_fault *f);

    /** Whether it comes and goes between its begin and its end. */
    bool fault_flaps(const struct link_fault *f);

    /** ps of each outage of one that flaps, the mean if chance decides. */
    int64_t fault_outage(const struct link_fault *f);

    /** Why it has no effect, whatever its links are; NULL: it has one. */
    const char *fault_idle(const struct link_fault *f);

    /** The frames that links lose that are lossy or corrupting. */
    struct weft_frame_losses fault_losses(const struct link_fault *f);

    /** Whether forwarding is sure to hear of it: its links are down for long enough. */
    bool fault_is_heard(const struct scenario *s, const struct link_fault *f);

    /** Whether two faults are of one kind, so that a link can have one of them at a time, and there
     * at one time; one that is slower may not even touch the next time. */
    bool faults_meet(const struct link_fault *a, const struct link_fault *b);

    /** Whether it may happen: it has an effect, and chance may choose a link. */
    bool fault_happens(const struct link_fault *f);

    /** The links that chance chooses, rising, and how many. To be freed. */
    uint64_t *random_links_draw(const struct scenario *s, const struct link_fault *f, size_t *n);

    /** How many different links have failed by @p now; sorts @p faulty by link. */
    uint64_t links_failed(struct faulty_link *faulty, size_t n, int64_t now);

#ifdef __cplusplus
}
#endif
#endif
