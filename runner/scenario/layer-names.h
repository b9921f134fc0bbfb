/* SPDX-License-Identifier: GPL-2.0-only */
/** @file layer-names.h  The queueing layers of a fabric: ports that a packet meets in the same
 * place of its way. */
#ifndef WEFT_RUNNER_LAYER_NAMES_H
#define WEFT_RUNNER_LAYER_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/clos.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** The names of a fabric's layers, in the order in which packets meet them; returns how many.
     */
    size_t layer_names(const struct weft_clos *clos, const char *const **names);

    /** The layer of a switch's ports that lead up, or of those that lead down. */
    size_t layer_of(const struct weft_clos *clos, uint32_t tier, bool up);

#ifdef __cplusplus
}
#endif
#endif
