/* SPDX-License-Identifier: GPL-2.0-only */
#include "papers.h"

#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report.h"
#include "sweep-run.h"
#include "validation.h"

struct paper_place
{
    char *name;
    size_t place; /**< of its part in VALIDATION */
};

static int
by_place(const void *a, const void *b)
{
    const struct paper_place *x = a, *y = b;
    return x->place != y->place ? (x->place < y->place ? -1 : 1) : strcmp(x->name, y->name);
}

bool
papers_find(struct words *papers)
{
    glob_t found = {0};
    char *page = validation_read();
    const size_t n = page && glob(CLAIMS "/*.xml", 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    OWNED struct paper_place *place = xcalloc(n + 1, sizeof *place);
    for (size_t i = 0; i < n; i++)
    {
        const char *path = found.gl_pathv[i], *name = path + sizeof CLAIMS;
        place[i].name = xformat("%.*s", (int)(strlen(name) - strlen(".xml")), name);
        place[i].place = validation_place(page, path);
    }
    qsort(place, n, sizeof *place, by_place);
    for (size_t i = 0; i < n; i++)
    {
        words_add(papers, place[i].name);
    }
    globfree(&found);
    free(page);
    return page != NULL;
}

static bool
is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/** Goes to the checkout that this program was built in, unless the claims are here. Results stay
 * where they were meant to be. */
bool
papers_go_to(char **results)
{
    char exe[PATH_MAX], here[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    if (is_folder(CLAIMS))
    {
        return true;
    }
    exe[n > 0 ? n : 0] = '\0';
    for (int i = 0; i < 2; i++)
    {
        char *slash = strrchr(exe, '/');
        *(slash ? slash : exe) = '\0';
    }
    OWNED char *claims = xformat("%s/" CLAIMS, exe);
    bool good = is_folder(claims) && getcwd(here, sizeof here) && chdir(exe) == 0;
    if (good && (*results)[0] != '/')
    {
        char *there = xformat("%s/%s", here, *results);
        free(*results);
        *results = there;
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
        printf("%s\n", papers->word[i]);
        for (size_t k = 0; k < scenarios.n; k++)
        {
            printf("  %s\n", scenarios.word[k]);
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
    fprintf(stderr, "weft: error: there are no claims of '%s' in " CLAIMS "%s\n", name,
            did_you_mean(near.best));
    return false;
}
