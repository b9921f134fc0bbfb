/* SPDX-License-Identifier: GPL-2.0-only */
#include "papers.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "data-save.h"
#include "files.h"
#include "report-query.h"
#include "results-folder.h"
#include "shown-text.h"
#include "sweep-run.h"
#include "textbuf.h"

/* --- papers ----------------------------------------------------------------------------------- */

void
papers_find(struct words *papers)
{
    glob_t found = {0};
    const size_t n = glob(CLAIMS "/*.xml", 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    for (size_t i = 0; i < n; i++)
    {
        const char *name = found.gl_pathv[i] + sizeof CLAIMS;
        words_add(papers, xformat("%.*s", (int)(strlen(name) - strlen(".xml")), name));
    }
    globfree(&found);
}

/** Has a path, or NULL, name the same from another folder as from @p here. */
static void
keep_path(char **path, const char *here)
{
    if (*path && (*path)[0] != '/')
    {
        char *there = xformat("%s/%s", here, *path);
        free(*path);
        *path = there;
    }
}

bool
papers_go_to(char **paths[], size_t n)
{
    char here[PATH_MAX];
    OWNED char *claims = checkout_path(CLAIMS);
    bool good = claims != NULL;
    if (good && *claims == '/')
    {
        claims[strlen(claims) - strlen("/" CLAIMS)] = '\0';
        good = getcwd(here, sizeof here) && chdir(claims) == 0;
        for (size_t i = 0; good && i < n; i++)
        {
            keep_path(paths[i], here);
        }
    }
    if (!good)
    {
        fprintf(stderr, "weft: error: there is no folder " CLAIMS " here; expected to be called "
                        "in Weft's folder\n");
    }
    return good;
}

char *
papers_claims(const char *paper)
{
    return xformat(CLAIMS "/%s.xml", paper);
}

struct words
papers_scenarios(const struct document *claims)
{
    struct words w = {0};
    for (size_t i = 0; i < claims->root->nchildren; i++)
    {
        const char *scenario = element_value(claims->root->children[i], "scenario");
        if (scenario && !words_have(&w, scenario))
        {
            words_add(&w, xstrdup(scenario));
        }
    }
    return w;
}

int
papers_list(const struct words *papers)
{
    int status = EXIT_GOOD;
    for (size_t i = 0; i < papers->n; i++)
    {
        OWNED char *path = papers_claims(papers->word[i]);
        CLEANUP(document_drop) struct document *claims = claims_read(path);
        if (!claims)
        {
            status = EXIT_BAD_INPUT;
            continue;
        }
        CLEANUP(words_free) struct words scenarios = papers_scenarios(claims);
        print_shown(stdout, "%s\n", papers->word[i]);
        for (size_t k = 0; k < scenarios.n; k++)
        {
            print_shown(stdout, "  %s\n", scenarios.word[k]);
        }
    }
    return status;
}

bool
papers_know(const struct words *papers, const char *name)
{
    struct nearest near = nearest_start(name);
    const bool all = strcmp(name, PAPERS_ALL) == 0, named = words_have(papers, name);
    if (all && named)
    {
        fprintf(stderr,
                "weft: error: '" PAPERS_ALL "' means every file of " CLAIMS
                ", but there is a " CLAIMS "/" PAPERS_ALL ".xml; expected it under another name\n");
    }
    if (all || named)
    {
        return !(all && named);
    }
    nearest_try_words(&near, papers);
    nearest_try(&near, PAPERS_ALL);
    print_shown(stderr, "weft: error: there are no claims of '%s' in " CLAIMS "%s\n", name,
                did_you_mean(near.best));
    return false;
}

/* --- reports ---------------------------------------------------------------------------------- */

/** Sections with results, and sections that want some. */
static void
count_results(const struct document *claims, const struct report_options *options, size_t *have,
              size_t *want)
{
    *have = *want = 0;
    for (size_t i = 0; i < claims->root->nchildren; i++)
    {
        const char *name = element_value(claims->root->children[i], "results");
        if (name)
        {
            *have += report_has_results(options, name);
            ++*want;
        }
    }
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

/** Writes the paper's page; what is no plain file is another's. */
static int
write_paper(const char *text, const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode)
               ? sweep_refuse(xformat("%s is not a plain file", path), EXIT_FAILED)
               : report_deliver(text, path);
}

int
paper_report_whole(struct document *claims, const char *paper, const struct paper_sources *from,
                   const char *folder)
{
    size_t have, want;
    OWNED char *page = NULL;
    OWNED char *path = xformat(PAPERS "/%s.md", paper);
    const struct report_options options = {from->results, true, REPORT_LIMITS,
                                           path,          true, from->data};
    count_results(claims, &options, &have, &want);
    print_shown(stderr, "%s: results of %zu of %zu sections\n", paper, have, want);
    xmlDoc *report = have ? report_make(&claims, 1, &options) : NULL;
    OWNED char *text = report ? page_write(report, PAGE_MARKDOWN) : NULL;
    int status = text ? write_paper(text, path) : EXIT_BAD_INPUT;
    print_shown(stderr, status == EXIT_GOOD ? "written: %s\n" : "%s is as it was\n", path);
    if (status == EXIT_GOOD && (status = write_page(report, folder, &page)) == EXIT_GOOD)
    {
        print_shown(stderr, "written: %s\n", page);
    }
    xmlFreeDoc(report);
    return status;
}

int
paper_report_part(struct document *claims, const struct paper_sources *from, const char *folder)
{
    OWNED char *path = xformat("%s/report.md", folder), *page = NULL;
    const struct report_options options = {from->results, true, REPORT_LIMITS,
                                           path,          true, from->data};
    xmlDoc *report = report_make(&claims, 1, &options);
    OWNED char *text = report ? page_write(report, PAGE_MARKDOWN) : NULL;
    int status = report ? write_page(report, folder, &page) : EXIT_BAD_INPUT;
    if (status == EXIT_GOOD && (status = report_deliver(text, path)) == EXIT_GOOD)
    {
        OWNED char *summary = page_write(report, PAGE_TEXT);
        print_shown(stdout, "%s\nthe report: %s\nas a page: %s\n", summary, path, page);
    }
    xmlFreeDoc(report);
    return status;
}

/* --- open data -------------------------------------------------------------------------------- */

int
papers_save_data(const struct words *papers, const struct words *names, const char *results,
                 const char *folder)
{
    OWNED struct document **claims = xcalloc(papers->n, sizeof *claims);
    int status = EXIT_GOOD;
    for (size_t i = 0; i < papers->n; i++)
    {
        OWNED char *path = papers_claims(papers->word[i]);
        claims[i] = claims_read(path);
        status = claims[i] ? status : EXIT_BAD_INPUT;
    }
    if (status == EXIT_GOOD)
    {
        status = data_save(claims, papers->n, names, results, folder);
    }
    for (size_t i = 0; i < papers->n; i++)
    {
        document_free(claims[i]);
    }
    return status;
}
