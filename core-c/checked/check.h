/* SPDX-License-Identifier: MIT */
/**
 * @file check.h  Checks of what callers owe, in a build with WEFT_CHECKED: a breach ends the
 * program with the name of the call and the rule. Private.
 */
#ifndef WEFT_CHECKED_CHECK_H
#define WEFT_CHECKED_CHECK_H

#include <assert.h>

#ifdef WEFT_CHECKED

#ifdef __cplusplus
extern "C"
{
#endif

    /** Says "weft: CALL: RULE" on the standard error and aborts. */
    void weft_breach(const char *call, const char *rule);

    /** A state that a view (views.h) is handed, of table @p a or @p b: the algorithm's own. */
    const void *weft_checked_view(const void *state, const void *a, const void *b,
                                  const char *call);

#ifdef __cplusplus
}
#endif

#define WEFT_CHECK(holds, call, rule)     ((holds) ? (void)0 : weft_breach((call), (rule)))
#define WEFT_OWN_STATE(state, a, b, call) weft_checked_view((state), (a), (b), (call))

#else
#define WEFT_CHECK(holds, call, rule)     ((void)0)
#define WEFT_OWN_STATE(state, a, b, call) (state)
#endif

/** Checks in a checked build, and asserts in others. */
#ifdef WEFT_CHECKED
#define WEFT_ASSERT(holds, call, rule) WEFT_CHECK(holds, call, rule)
#else
#define WEFT_ASSERT(holds, call, rule) assert(holds)
#endif

/** Rules that several calls have. */
#define WEFT_RULE_TIME  "time does not go backwards in the calls on one state"
#define WEFT_RULE_QP    "the packet is of this QP"
#define WEFT_RULE_HOSTS "hosts are below nhosts of the shape, which has none if build() refused"
#define WEFT_RULE_CLOS  "the shape is a Clos, not a graph"
#define WEFT_RULE_SWITCH                                                                           \
    "a switch is below nswitches of the shape, which has none if build() refused"
#define WEFT_RULE_QP_INIT "weft_qp_init() of this QP comes first, and returns 0"

/** Checks the QP that a call is handed: one whose init has returned 0. Only where labels.h is
 * included. */
#define WEFT_CHECK_QP(q, call)                                                                     \
    WEFT_CHECK((q) && (q)->algos && (q)->algos != &weft_refused_algos, (call), WEFT_RULE_QP_INIT)

/** Checks the two hosts by which a shape is asked. */
#define WEFT_CHECK_HOSTS(shape, a, b, call)                                                        \
    WEFT_CHECK((a) < (shape)->nhosts && (b) < (shape)->nhosts, (call), WEFT_RULE_HOSTS)

#endif
