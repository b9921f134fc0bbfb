/* SPDX-License-Identifier: GPL-2.0-only */
#include "layer-names.h"

static const char *const two_tiers[] = {"tor-up", "spine-down", "tor-down"};
static const char *const three_tiers[] = {"tor-up", "agg-up", "core-down", "agg-down", "tor-down"};

size_t
layer_names(const struct weft_clos *clos, const char *const **names)
{
    *names = clos->tiers == 2 ? two_tiers : three_tiers;
    return 2 * (size_t)clos->tiers - 1;
}

size_t
layer_of(const struct weft_clos *clos, uint32_t tier, bool up)
{
    return up ? tier : 2 * (size_t)(clos->tiers - 1) - tier;
}
