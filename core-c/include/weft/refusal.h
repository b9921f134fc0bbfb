/* SPDX-License-Identifier: MIT */
/**
 * @file refusal.h  Why something is refused, in words: one way for everything that can be.
 *
 * A function that refuses returns a negative WEFT_E... Whoever wants the reason lends it a struct
 * weft_refusal and asks weft_refusal_text() afterwards:
 *
 * | what                                   | where it takes the struct                         |
 * |----------------------------------------|---------------------------------------------------|
 * | balancer: at a switch, a host, a ToR   | `why` of weft_site, weft_path_site, weft_last_hop |
 * | planner                                | `why` of weft_plan_site                           |
 * | congestion control                     | `why` of weft_cc_site                             |
 * | workload                               | `why` of weft_hosts                               |
 * | topology, transport: their             | weft_config_check()                               |
 * | configuration is all that they are told|                                                   |
 * | buffer                                 | weft_mmu_check()                                  |
 *
 * `why` is read while the function runs and never kept. It may be NULL.
 */
#ifndef WEFT_REFUSAL_H
#define WEFT_REFUSAL_H

#include <weft/error.h>
#include <weft/param.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Bytes of a reason, with its final 0. A longer one is cut. */
#define WEFT_REFUSAL_BYTES 256

    /** A reason. Plain bytes: copy it as you like. */
    struct weft_refusal
    {
        int code;          /**< what the function that refused returned; 0: nothing has refused */
        const char *param; /**< the parameter at fault, as in the algorithm's table, or NULL */
        /** Sentence that says what is wrong and what was expected: no capital letter, no full stop,
         * no line break. */
        char text[WEFT_REFUSAL_BYTES];
    };

    /**
     * For an init that refuses: `return weft_refuse(site->why, WEFT_ERANGE, "ring", "...")`. Writes
     * the reason to @p why, unless that is NULL, and returns @p code. @p param: NULL if no single
     * parameter is at fault. It must outlive @p why. @p text: NULL for weft_strerror().
     */
    WEFT_API int weft_refuse(struct weft_refusal *why, int code, const char *param,
                             const char *text);

    /**
     * Whether every parameter of @p config is within its bounds and the algorithm's own check
     * finds nothing: 0, WEFT_ERANGE, WEFT_EOVERFLOW, WEFT_ENOTFOUND or, where the algorithm or its
     * configuration is NULL, WEFT_EINVAL, and why. A parameter
     * without a default that nobody has set counts as 0. It reads texts: not for a packet path.
     */
    WEFT_API int weft_config_check(const struct weft_algo *algo, const void *config,
                                   struct weft_refusal *why);

    /** For an init whose configuration is out of its bounds: WEFT_ERANGE, and what
     * weft_config_check() finds. */
    WEFT_API int weft_refuse_config(struct weft_refusal *why, const struct weft_algo *algo,
                                    const void *config);

    /** The reason for @p code: that in @p why if it is about this code, else weft_strerror(). Never
     * NULL. @p why may be NULL. */
    WEFT_API const char *weft_refusal_text(int code, const struct weft_refusal *why);

#ifdef __cplusplus
}
#endif
#endif
