/* SPDX-License-Identifier: MIT */
/** @file net-check.h Checks of a configuration that weft_net_make() makes before all else. Private.
 * */
#ifndef WEFT_NET_CHECK_H
#define WEFT_NET_CHECK_H

#include <weft/net.h>

/** Checks all parts of a fabric. Returns 0, or the first error and @p why. */
int weft_net_check_all(const struct weft_net_config *config, struct weft_refusal *why);

#endif
