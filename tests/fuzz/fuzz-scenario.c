/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Scenario files that nobody would write: whatever the bytes, loading must end in a scenario or in
 * messages, never in a crash, and a scenario that loads must survive being written and read again.
 * Else a slip in a scenario takes the whole command down, or a resolved scenario does not reproduce
 * its run.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "figures.h"
#include "fuzz.h"
#include "scenario-load.h"
#include "sweep-plan.h"
#include "textbuf.h"

/** Larger sweeps only take longer. */
#define MOST_RUNS 50

static void
fail(const char *what, const char *text)
{
    fprintf(stderr, "FAILED: %s\n%s\n", what, text);
    abort();
}

/** The resolved scenario of run 0 of a file in memory, or NULL. @p quick: of its quick version
 * instead, and *quick is that as a file. */
static char *
resolve(const char *bytes, size_t size, char **quick, struct diagnostics *d)
{
    char *resolved = NULL;
    struct plan *plan = NULL;
    const struct plan_options none = {0};
    struct document *doc = document_parse("fuzz.xml", bytes, size, d);
    if (doc)
    {
        document_check(doc, d);
    }
    if (doc && doc->root->spec)
    {
        quick_check(doc, d);
    }
    if (doc && doc->root->spec && (!quick || quick_apply(doc, d)))
    {
        plan = plan_build(doc, &none, d);
    }
    if (plan && plan->nruns <= MOST_RUNS)
    {
        plan_check(plan, d);
        figures_check(plan, d);
    }
    if (plan && d->n == 0 && plan->nruns > 0)
    {
        struct scenario *s = plan_load(plan, 0, d);
        resolved = s ? scenario_write(s, plan->names[0]) : NULL;
        scenario_free(s);
    }
    if (resolved && quick)
    {
        *quick = xstrdup(doc->quick);
    }
    plan_free(plan);
    document_free(doc);
    return resolved;
}

/** A scenario whose quick version loads: that must load as a file, too, and be the same. */
static void
check_quick(const char *bytes, size_t size)
{
    struct diagnostics d = {.file = "quick.xml"};
    char *file = NULL;
    char *resolved = resolve(bytes, size, &file, &d);
    if (resolved)
    {
        char *again = resolve(file, strlen(file), NULL, &d);
        if (!again)
        {
            diag_print(&d, stderr);
            fail("a quick version does not load as a file", file);
        }
        else if (strcmp(resolved, again) != 0)
        {
            fail("a quick version is another scenario as a file", file);
        }
        free(again);
    }
    free(resolved);
    free(file);
    diag_free(&d);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "fuzz.xml"};
    char *once = resolve((const char *)data, size, NULL, &d);
    if (once)
    {
        char *twice = resolve(once, strlen(once), NULL, &d);
        if (!twice)
        {
            diag_print(&d, stderr);
            fail("a resolved scenario does not load", once);
        }
        else if (strcmp(once, twice) != 0)
        {
            fail("a resolved scenario changes when it is resolved again", once);
        }
        free(twice);
    }
    free(once);
    diag_free(&d);
    check_quick((const char *)data, size);
    return 0;
}
