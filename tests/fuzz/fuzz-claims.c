/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of claims that nobody would write: whatever the bytes, reading them and setting them beside
 * results must end in a report or in messages, never in a crash. A report that is allowed to lack
 * results is the same when it is written again.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "must.h"
#include "report.h"

/** A folder of results, made from claims-results/. */
#define RESULTS WEFT_FUZZ_RESULTS

/** A report as Markdown and, behind it, as HTML; NULL: it has none. */
static char *
write_both(struct document **claims, const struct report_options *options)
{
    xmlDoc *report = report_make(claims, 1, options);
    if (!report)
    {
        return NULL;
    }
    char *markdown = page_write(report, PAGE_MARKDOWN), *html = page_write(report, PAGE_HTML);
    char *both = xformat("%s%s", markdown, html);
    xmlFreeDoc(report);
    free(markdown);
    free(html);
    return both;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "claims.xml"};
    struct document *claims =
        document_parse_as(&claims_grammar, d.file, (const char *)data, size, &d);
    if (claims)
    {
        claims_check(claims, &d);
    }
    if (claims && d.n == 0)
    {
        struct report_options options = {.results = RESULTS,
                                         .allow_missing = true,
                                         .limits = {60, 100, (size_t)1 << 26, 1000000},
                                         .output = "docs/report.md",
                                         .drawings = true};
        char *once = write_both(&claims, &options);
        char *twice = write_both(&claims, &options);
        MUST((once == NULL) == (twice == NULL));
        MUST(!once || strcmp(once, twice) == 0);
        free(once);
        free(twice);
        options.allow_missing = false;
        free(write_both(&claims, &options));
    }
    document_free(claims);
    diag_free(&d);
    return 0;
}
