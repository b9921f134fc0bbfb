/* SPDX-License-Identifier: MIT */
/** @file checked-lb.h  The checked build's tables of balancers: those of the registry. Private. */
#ifndef WEFT_CHECKED_CHECKED_LB_H
#define WEFT_CHECKED_CHECKED_LB_H

#include "base/roster.h"

#include <weft/lb.h>

#ifdef __cplusplus
extern "C"
{
#endif

#define WEFT_DECLARE_CHECKED(table) extern struct weft_lb_ops weft_checked_##table;
    /* clang-format off */
    WEFT_BALANCERS(WEFT_DECLARE_CHECKED)
    /* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
