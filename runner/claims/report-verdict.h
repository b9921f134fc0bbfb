/* SPDX-License-Identifier: GPL-2.0-only */
/** @file report-verdict.h  Whether a paper and Weft agree, as the author of the claims has judged.
 */
#ifndef WEFT_RUNNER_REPORT_VERDICT_H
#define WEFT_RUNNER_REPORT_VERDICT_H

#include <stdbool.h>

#include "document.h"

enum report_verdict
{
    VERDICT_AGREES,
    VERDICT_TESTED,  /**< agrees, and a test alone shows it */
    VERDICT_DIFFERS, /**< and the claim says why */
    VERDICT_OPEN,    /**< differs, or may, for a reason that is not known */
    VERDICT_FORMER,  /**< numbers of former code, whatever was judged */
    VERDICT_QUICK,   /**< judged at full size, and these numbers are of a quick version */
    VERDICT_NOT_RUN,
    VERDICT_NONE, /**< nothing to agree with: a finding, or nobody has judged */
    VERDICTS
};

/** Words that a claim's attribute may say, separated by spaces. */
#define VERDICT_WORDS "agrees differs open none"

/** Returns the verdict that holds for a claim: as its attribute says, unless its numbers were not
 * run or are of former code. */
enum report_verdict report_verdict_of(const struct element *claim, bool run, bool former);

/** How a verdict is shown. */
struct report_verdict_text
{
    const char *name;    /**< "differs, with cause" */
    const char *word;    /**< for style sheets */
    const char *sign;    /**< of one character, for where a name has no room */
    const char *meaning; /**< a sentence */
};

extern const struct report_verdict_text report_verdicts[VERDICTS];

/** Lets the claims look at the results of the quick version of @p scenario, which is called @p
 * quick and made by 'weft run @p with', instead of the full ones, for which the verdicts were
 * given. */
void claims_use_quick(struct document *claims, const char *scenario, const char *with,
                      const char *quick);

#endif
