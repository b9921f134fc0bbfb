/* SPDX-License-Identifier: MIT */
/** @file refused.h Words that a user is told when something is refused. */
#ifndef REFUSED_H
#define REFUSED_H

#include <weft/weft.h>

/** A reason as a function has just left it: of @p code, in words, on one line. Aborts the test if
 * it is not. Returns its text. */
const char *refused(int code, const struct weft_refusal *why);

/** Asks a workload for its size on hosts that it must refuse. Returns why; good until the next
 * call.
 */
const char *size_refused(const struct weft_workload_ops *ops, const void *config,
                         const struct weft_hosts *hosts);

#endif
