/* SPDX-License-Identifier: GPL-2.0-only */
/* weft report */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "commands.h"
#include "report.h"
#include "results-page.h"

/** The report of claims; NULL after a message. */
static xmlDoc *
report_claims(const struct arguments *a, size_t n)
{
    OWNED struct document **claims = xcalloc(n, sizeof *claims);
    bool good = true;
    for (size_t i = 0; i < n; i++)
    {
        claims[i] = claims_read(a->files[i]);
        good = good && claims[i];
    }
    const struct report_options options = {a->results, a->allow_missing, REPORT_LIMITS, a->output,
                                           a->html};
    xmlDoc *report = good ? report_make(claims, n, &options) : NULL;
    for (size_t i = 0; i < n; i++)
    {
        document_free(claims[i]);
    }
    return report;
}

/** How many of the arguments are folders. */
static size_t
count_folders(const struct arguments *a)
{
    size_t folders = 0;
    for (int i = 0; i < a->nfiles; i++)
    {
        struct stat st;
        folders += stat(a->files[i], &st) == 0 && S_ISDIR(st.st_mode);
    }
    return folders;
}

int
command_report(const struct arguments *a)
{
    const size_t n = (size_t)a->nfiles, folders = count_folders(a);
    if (folders && (folders < n || !a->html))
    {
        fprintf(stderr, "weft: error: %s\n",
                a->html ? "files of claims and folders of results; expected one or the other"
                        : "a folder of results; expected a file of claims, or --html");
        return EXIT_BAD_INPUT;
    }
    xmlDoc *page = folders ? results_page(a->files, n) : report_claims(a, n);
    OWNED char *text = page ? page_write(page, a->html ? PAGE_HTML : PAGE_MARKDOWN) : NULL;
    int status = text ? report_deliver(text, a->output) : EXIT_BAD_INPUT;
    xmlFreeDoc(page);
    return status;
}
