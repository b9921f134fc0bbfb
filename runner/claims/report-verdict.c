/* SPDX-License-Identifier: GPL-2.0-only */
#include "report-verdict.h"

#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

/** Verdict beside a quick version; a file may not say it. */
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

/** Returns the verdict that the claim's attribute says. */
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

/* --- quick versions --------------------------------------------------------------------------- */

/** Everything that names the results folder @p was names @p is. */
static void
rename_results(struct element *e, const char *was, const char *is)
{
    const char *results = element_value(e, "results");
    if (results && strcmp(results, was) == 0)
    {
        element_set(e, "results", is, element_line(e, "results"), false);
    }
    for (size_t i = 0; i < e->nchildren; i++)
    {
        rename_results(e->children[i], was, is);
    }
}

/** Whether a section reads the results @p name. */
static bool
reads_results(const struct element *section, const char *name)
{
    const char *own = element_value(section, "results");
    bool reads = own && strcmp(own, name) == 0;
    for (size_t i = 0; !reads && i < section->nchildren; i++)
    {
        own = element_value(section->children[i], "results");
        reads = own && strcmp(own, name) == 0;
    }
    return reads;
}

/** Verdicts and pictures are about full results. */
static void
take_verdicts_back(struct document *claims, const char *quick)
{
    for (size_t i = 0; i < claims->root->nchildren; i++)
    {
        struct element *section = claims->root->children[i];
        if (!reads_results(section, quick))
        {
            continue;
        }
        element_remove(section, "figure");
        for (size_t k = 0; k < section->nchildren; k++)
        {
            struct element *claim = section->children[k];
            if (element_child(claim, "query") && element_value(claim, "verdict"))
            {
                element_set(claim, "verdict", QUICK, element_line(claim, "verdict"), false);
            }
        }
    }
}

void
claims_use_quick(struct document *claims, const char *scenario, const char *with, const char *quick)
{
    for (size_t i = 0; i < claims->root->nchildren; i++)
    {
        struct element *e = claims->root->children[i];
        const char *named = element_value(e, "scenario"), *results = element_value(e, "results");
        if (named && strcmp(named, scenario) == 0 && results)
        {
            OWNED char *was = xstrdup(results);
            rename_results(claims->root, was, quick);
            element_set(e, "scenario", with, element_line(e, "scenario"), false);
        }
    }
    take_verdicts_back(claims, quick);
}
