/* SPDX-License-Identifier: GPL-2.0-only */
/** @file losses.h  Losses of a scenario, for a run. */
#ifndef WEFT_RUNNER_LOSSES_H
#define WEFT_RUNNER_LOSSES_H

#include "link-failures.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** Sets up what is lost in a fabric that is built: drops, random loss, links that are slow or
     * fail. Returns these links and how many they are; to be freed. */
    struct faulty_link *set_losses(const struct scenario *s, struct weft_run *run, size_t *n);

#ifdef __cplusplus
}
#endif
#endif
