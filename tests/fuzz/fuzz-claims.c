/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of claims that nobody would write: whatever the bytes, reading them and setting them beside
 * results must end in a report or in messages, never in a crash. A report that is allowed to lack
 * results is the same when it is written again.
 */
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "fuzz.h"
#include "must.h"

/** A folder of results, made from claims-results/. */
#define RESULTS WEFT_FUZZ_RESULTS

/** A report as Markdown and, behind it, as HTML; NULL: it has none. */
static char *
write_both(struct claims *claims, const struct claims_options *options)
{
    xmlDoc *page = claims_page(&claims, 1, options);
    if (!page)
    {
        return NULL;
    }
    char *markdown = claims_write(page, "markdown"), *html = claims_write(page, "html");
    char *both = xformat("%s%s", markdown, html);
    xmlFreeDoc(page);
    free(markdown);
    free(html);
    return both;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "claims.xml"};
    struct claims *claims = claims_parse(d.file, (const char *)data, size, &d);
    if (claims)
    {
        struct claims_options options = {.results = RESULTS,
                                         .allow_missing = true,
                                         .limits = {60, 100, (size_t)1 << 26, 1000000},
                                         .outputs = {"docs/report.md", NULL}};
        char *once = write_both(claims, &options);
        char *twice = write_both(claims, &options);
        MUST((once == NULL) == (twice == NULL));
        MUST(!once || strcmp(once, twice) == 0);
        free(once);
        free(twice);
        options.allow_missing = false;
        free(write_both(claims, &options));
    }
    claims_free(claims);
    diag_free(&d);
    return 0;
}
