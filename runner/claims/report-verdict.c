/* SPDX-License-Identifier: GPL-2.0-only */
#include "report-verdict.h"

#include <string.h>

#define QUICK "quick"

const struct report_verdict_text report_verdicts[VERDICTS] = {
    [VERDICT_AGREES] = {"agrees", "agrees", "✓", "Weft's results say what the paper says."},
    [VERDICT_TESTED] = {"shown by a test", "tested", "✓",
                        "A test that runs with Weft's others shows it."},
    [VERDICT_DIFFERS] = {"differs, with cause", "differs", "≠",
                         "Weft's results differ, and the reason is given."},
    [VERDICT_OPEN] = {"open", "open", "?",
                      "Weft's results differ for a reason that is not known, or do not decide it."},
    [VERDICT_FORMER] = {"to be run again", "former", "†",
                        "Former code made the numbers; they have to be made again."},
    [VERDICT_QUICK] = {"not judged", "quick", "·",
                       "The numbers are of a quick version, and verdicts are about full ones."},
    [VERDICT_NOT_RUN] = {"not run", "notrun", "–", "There are no results."},
    [VERDICT_NONE] = {"no verdict", "none", "·",
                      "The paper says nothing to compare with, or nobody has judged."},
};

void
report_verdict_set_quick(struct element *claim)
{
    if (element_value(claim, "verdict"))
    {
        element_set(claim, "verdict", QUICK, element_line(claim, "verdict"), false);
    }
}

/** What the claim's attribute says. */
static enum report_verdict
stated(const struct element *claim)
{
    const char *verdict = element_value(claim, "verdict");
    if (!verdict || strcmp(verdict, "none") == 0)
    {
        return VERDICT_NONE;
    }
    if (strcmp(verdict, "agrees") == 0)
    {
        const bool query = element_child(claim, "query") != NULL;
        return !query && element_child(claim, "test") ? VERDICT_TESTED : VERDICT_AGREES;
    }
    return strcmp(verdict, "differs") == 0 ? VERDICT_DIFFERS
           : strcmp(verdict, QUICK) == 0   ? VERDICT_QUICK
                                           : VERDICT_OPEN;
}

enum report_verdict
report_verdict_of(const struct element *claim, bool run, bool former)
{
    return !run ? VERDICT_NOT_RUN : former ? VERDICT_FORMER : stated(claim);
}
