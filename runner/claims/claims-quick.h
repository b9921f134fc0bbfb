/* SPDX-License-Identifier: GPL-2.0-only */
/** @file claims-quick.h  Claims beside the results of quick versions. */
#ifndef WEFT_RUNNER_CLAIMS_QUICK_H
#define WEFT_RUNNER_CLAIMS_QUICK_H

#include "document.h"

/** Lets the claims look at the results of the quick version of @p scenario, which is called @p
 * quick and made by 'weft run @p with', instead of the full ones, for which the verdicts were
 * given. */
void claims_use_quick(struct document *claims, const char *scenario, const char *with,
                      const char *quick);

#endif
