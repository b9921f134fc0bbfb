/* SPDX-License-Identifier: MIT */
/** @file absurd.h Arguments that a host may hand over by mistake: for tests of every init in the
 * registry. */
#ifndef WEFT_TESTS_ABSURD_H
#define WEFT_TESTS_ABSURD_H

#include <stddef.h>
#include <stdint.h>

#include <weft/weft.h>

/** Configurations of one algorithm. */
uint32_t absurd_nconfigs(const struct weft_algo *algo);
/**
 * The @p which-th: nothing but zeros, as without weft_config_default(); the defaults; then those
 * with one parameter at its least or its greatest value. free() it.
 */
void *absurd_config(const struct weft_algo *algo, uint32_t which);

/** A number that is too small, too large, or no good, now and then a sound one. */
uint32_t absurd_u32(struct weft_rng *rng);
int64_t absurd_i64(struct weft_rng *rng);
double absurd_real(struct weft_rng *rng);

/** Calls @p visit for each algorithm of a kind. */
void absurd_each(const char *kind, void (*visit)(const struct weft_algo *algo));

/** Whether @p code is 0 or an error of the core. */
int absurd_is_code(int code);

#endif
