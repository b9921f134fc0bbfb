/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of claims that nobody would write: whatever the bytes, reading them and setting them beside
 * results must end in a report or in messages, never in a crash. A report that is allowed to lack
 * results is the same when it is written again.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

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

/** AddressSanitizer keeps little freed memory back: every query forks all of it. */
const char *__asan_default_options(void);
const char *
__asan_default_options(void)
{
    return "quarantine_size_mb=8";
}

/** Exit status of a query's process that has no memory left. */
#define WITHOUT_MEMORY 3

/** Sees crashes of queries, which are in processes of their own, and which no report tells from
 * other mistakes. */
pid_t
waitpid(pid_t pid, int *status, int options)
{
    const pid_t of = wait4(pid, status, options, NULL);
    const int number = of > 0 && WIFSIGNALED(*status) ? WTERMSIG(*status) : 0;
    const int left = of > 0 && WIFEXITED(*status) ? WEXITSTATUS(*status) : 0;
    MUST(number == 0 || number == SIGALRM || number == SIGKILL);
    MUST(left == 0 || left == WITHOUT_MEMORY);
    return of;
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
