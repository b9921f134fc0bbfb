/* SPDX-License-Identifier: MIT */
/**
 * @file choice.h  An algorithm and its parameters as one line of text: "reps ring=16 freeze=50us".
 *
 * The name comes first, then name=value in any order, a preset ("preset=hpcc") before what is to
 * differ from it. Values are written with their units, as in a scenario. White space separates.
 */
#ifndef WEFT_CHOICE_H
#define WEFT_CHOICE_H

#include <stddef.h>

#include <weft/param.h>
#include <weft/refusal.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Bytes of the longest name=value, with its final 0. */
#define WEFT_CHOICE_WORD 256

    /** The algorithm of @p kind ("balancer", "transport", ... as in registry.h) that a line's first
     * word names, or NULL and, unless it is NULL, in @p why the nearest name (WEFT_ENOTFOUND).
     * Without a kind or a text (NULL) nothing is found. */
    WEFT_API const struct weft_algo *weft_choice_find(const char *kind, const char *text,
                                                      struct weft_refusal *why);

    /**
     * Fills @p config, algo->config_size bytes aligned as uint64_t, with the algorithm's defaults
     * and what follows the first word of the line. Returns 0, or an error and why: WEFT_ENOTFOUND
     * (there is no such parameter or preset), WEFT_EINVAL (a word that is not name=value; the
     * algorithm, the text or @p config is NULL), what
     * weft_config_set() returns, or WEFT_ERANGE (the values do not go together). @p config is of
     * no use then.
     */
    WEFT_API int weft_choice_set(const struct weft_algo *algo, const char *text, void *config,
                                 struct weft_refusal *why);

#ifdef __cplusplus
}
#endif
#endif
