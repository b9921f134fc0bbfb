/* SPDX-License-Identifier: GPL-2.0-only */
#include "claims-quick.h"

#include <stdlib.h>
#include <string.h>

#include "report-verdict.h"
#include "textbuf.h"

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
            if (element_child(section->children[k], "query"))
            {
                report_verdict_set_quick(section->children[k]);
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
