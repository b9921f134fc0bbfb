/* SPDX-License-Identifier: GPL-2.0-only */
#include "paper-report.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "report.h"
#include "results-folder.h"
#include "sweep-run.h"
#include "validation.h"

/** Sections with results, and sections that want some. */
static void
count_results(const struct document *claims, const char *results, size_t *have, size_t *want)
{
    *have = *want = 0;
    for (size_t i = 0; i < claims->root->nchildren; i++)
    {
        const char *name = element_value(claims->root->children[i], "results");
        if (name)
        {
            OWNED char *path = xformat("%s/%s/summary.csv", results, name);
            *have += access(path, F_OK) == 0;
            ++*want;
        }
    }
}

static int
write_validation(xmlDoc *report, const char *claims)
{
    OWNED char *part = page_write(report, PAGE_MARKDOWN), *old = validation_read();
    OWNED char *text = old ? validation_replace(old, claims, part) : NULL;
    return text ? report_deliver(text, VALIDATION) : EXIT_FAILED;
}

/** Writes report.html; *path is where. */
static int
write_page(xmlDoc *report, const char *folder, char **path)
{
    char *page = page_write(report, PAGE_HTML), *why = NULL;
    *path = xformat("%s/report.html", folder);
    const int status = results_folder_mark(folder, &why) ? report_deliver(page, *path)
                                                         : sweep_refuse(why, EXIT_FAILED);
    free(page);
    return status;
}

int
paper_report_whole(struct document *claims, const char *paper, const char *results,
                   const char *folder)
{
    size_t have, want;
    OWNED char *page = NULL;
    count_results(claims, results, &have, &want);
    fprintf(stderr, "%s: results of %zu of %zu sections\n", paper, have, want);
    const struct report_options options = {results, true, REPORT_LIMITS, VALIDATION, true};
    xmlDoc *report = have ? report_make(&claims, 1, &options) : NULL;
    int status = report ? write_validation(report, claims->path) : EXIT_BAD_INPUT;
    fprintf(stderr,
            status == EXIT_GOOD ? "written: " VALIDATION "\n" : VALIDATION " is as it was\n");
    if (status == EXIT_GOOD && (status = write_page(report, folder, &page)) == EXIT_GOOD)
    {
        fprintf(stderr, "written: %s\n", page);
    }
    xmlFreeDoc(report);
    return status;
}

int
paper_report_part(struct document *claims, const char *results, const char *folder)
{
    OWNED char *path = xformat("%s/report.md", folder), *page = NULL;
    const struct report_options options = {results, true, REPORT_LIMITS, path, true};
    xmlDoc *report = report_make(&claims, 1, &options);
    OWNED char *text = report ? page_write(report, PAGE_MARKDOWN) : NULL;
    int status = report ? write_page(report, folder, &page) : EXIT_BAD_INPUT;
    if (status == EXIT_GOOD && (status = report_deliver(text, path)) == EXIT_GOOD)
    {
        OWNED char *summary = page_write(report, PAGE_TEXT);
        printf("%s\nthe report: %s\nas a page: %s\n", summary, path, page);
    }
    xmlFreeDoc(report);
    return status;
}
