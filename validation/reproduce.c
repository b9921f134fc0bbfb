/* SPDX-License-Identifier: GPL-2.0-only */
/* All that the claims of a paper, or of all papers, rest on: run by `weft run`, and reported. */
#include <errno.h>
#include <fnmatch.h>
#include <glob.h>
#include <libxml/parser.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "claims.h"
#include "files.h"
#include "results-folder.h"
#include "shown-text.h"

#define CLAIMS_FOLDER "docs/claims"
#define PAGES_FOLDER  "docs/papers"

/** Stands for all papers on the command line. */
#define ALL "all"

/** Ends the name of the folder of a report on a part of a paper's scenarios. */
#define PART "-part"

struct paper
{
    const char *name;
    struct claims *claims;
    struct words scenarios; /**< files of those that are wanted */
    char *folder;           /**< of the report as a page, and of that on a part */
    bool quick;             /**< some of them are run in their quick version */
};

/* --- papers ------------------------------------------------------------------------------------
 */

static struct words
find_papers(void)
{
    struct words papers = {0};
    glob_t found = {0};
    const size_t n = glob(CLAIMS_FOLDER "/*.xml", 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    for (size_t i = 0; i < n; i++)
    {
        const char *name = found.gl_pathv[i] + sizeof CLAIMS_FOLDER;
        words_add(&papers, xformat("%.*s", (int)(strlen(name) - strlen(".xml")), name));
    }
    globfree(&found);
    return papers;
}

static struct claims *
claims_of(const char *paper)
{
    OWNED char *path = xformat(CLAIMS_FOLDER "/%s.xml", paper);
    return claims_read(path);
}

/** Returns what an attribute of the sections says, each once, where it matches (NULL: always). */
static struct words
values_of(const struct claims *claims, const char *attribute, const char *pattern)
{
    struct words w = {0};
    const xmlNode *root = xmlDocGetRootElement(claims->doc);
    for (const xmlNode *e = NULL; (e = child_after(root, "section", e)) != NULL;)
    {
        const char *value = value_of(e, attribute);
        const bool wanted =
            value && (!pattern || strstr(value, pattern) || fnmatch(pattern, value, 0) == 0);
        if (wanted && !words_have(&w, value))
        {
            words_add(&w, xstrdup(value));
        }
    }
    return w;
}

static int
list_papers(const struct words *papers)
{
    int status = CLAIMS_GOOD;
    for (size_t i = 0; i < papers->n; i++)
    {
        struct claims *claims = claims_of(papers->word[i]);
        CLEANUP(words_free)
        struct words scenarios = claims ? values_of(claims, "scenario", NULL) : (struct words){0};
        print_shown(stdout, "%s\n", papers->word[i]);
        for (size_t k = 0; k < scenarios.n; k++)
        {
            print_shown(stdout, "  %s\n", scenarios.word[k]);
        }
        status = claims ? status : CLAIMS_BAD_INPUT;
        claims_free(claims);
    }
    return status;
}

/** Says what is wrong with a paper's name; NULL: nothing. The caller frees it. */
static char *
misnamed(const struct words *papers, const char *name)
{
    struct nearest near = nearest_start(name);
    const bool all = strcmp(name, ALL) == 0, named = words_have(papers, name);
    nearest_try_words(&near, papers);
    nearest_try(&near, ALL);
    return all && named   ? xformat("'" ALL "' means every file of " CLAIMS_FOLDER
                                    ", but there is a " CLAIMS_FOLDER "/" ALL
                                    ".xml; expected it under another name")
           : all || named ? NULL
                          : xformat("there are no claims of '%s' in " CLAIMS_FOLDER "%s", name,
                                    did_you_mean(near.best));
}

/* --- scenarios ---------------------------------------------------------------------------------
 */

/** Whether @p name is a paper's with an ending of reports, or none. */
static bool
is_report_of(const char *name, const char *paper)
{
    const size_t n = strlen(paper);
    return strncmp(name, paper, n) == 0 &&
           (!name[n] || strcmp(name + n, QUICK_NAME) == 0 || strcmp(name + n, PART) == 0);
}

/** Says that a scenario's results would lie where the report on a paper is to; NULL: they do not.
 */
static char *
clash(const char *path, const char *name, const struct words *papers, const char *results)
{
    for (size_t i = 0; i < papers->n; i++)
    {
        if (is_report_of(name, papers->word[i]))
        {
            return xformat("%s: the scenario's results and the report of %s would both lie in "
                           "%s/%s; expected a scenario of another name",
                           path, papers->word[i], results, name);
        }
    }
    return NULL;
}

/** Looks into a scenario: where its results go, and whether it has a quick version. What is wrong
 * with it says who runs it. */
static char *
look_into(const struct claims_options *o, struct paper *paper, const char *path,
          const struct words *papers)
{
    const int how = XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    xmlDoc *doc = xmlReadFile(path, NULL, how);
    const xmlNode *root = doc ? xmlDocGetRootElement(doc) : NULL;
    const char *own = value_of(root, "name");
    const bool quick = o->quick && own && child_of(root, "quick");
    OWNED char *name = own ? xformat("%s%s", own, quick ? QUICK_NAME : "") : NULL;
    char *why = name ? clash(path, name, papers, o->results) : NULL;
    OWNED char *folder = name ? xformat("%s/%s", o->results, name) : NULL;
    if (quick)
    {
        paper->quick = true;
        claims_use_quick(paper->claims, path, own);
    }
    if (!why && folder && !o->alone)
    {
        results_folder_is_ours(folder, &why);
    }
    xmlFreeDoc(doc);
    return why;
}

/* --- running -----------------------------------------------------------------------------------
 */

static volatile sig_atomic_t ended_by;
static volatile pid_t child;

/** Hands on what ends this process; Ctrl-C goes to both anyway. */
static void
end_child(int number)
{
    ended_by = number;
    if (number != SIGINT && child > 0)
    {
        kill(child, number);
    }
}

static void
watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action = {.sa_handler = end_child};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
    {
        sigaction(numbers[i], &action, NULL);
    }
}

/** Returns the path of `weft`, which lies beside this program. The caller frees it. */
static char *
runner_path(void)
{
    char path[PATH_MAX];
    const ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    const char *slash = strrchr(path, '/');
    return xformat("%.*s/weft-runner", slash ? (int)(slash - path) : 0, path);
}

/** Runs a command, which ends if this process does; its exit status. */
static int
run(const struct words *command)
{
    int status = -1;
    OWNED char **argv = xcalloc(command->n + 1, sizeof *argv);
    memcpy(argv, command->word, command->n * sizeof *argv);
    fflush(NULL);
    child = fork();
    if (child == 0)
    {
        prctl(PR_SET_PDEATHSIG, SIGTERM);
        execv(argv[0], argv);
        print_shown(stderr, "weft: error: cannot run %s: %s\n", argv[0], strerror(errno));
        _exit(CLAIMS_FAILED);
    }
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
    {
    }
    child = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : CLAIMS_FAILED;
}

static int
run_scenarios(const struct claims_options *o, const struct paper *paper)
{
    CLEANUP(words_free) struct words w = {0};
    words_add(&w, runner_path());
    words_add(&w, xstrdup("run"));
    for (size_t i = 0; i < paper->scenarios.n; i++)
    {
        words_add(&w, xstrdup(paper->scenarios.word[i]));
    }
    words_add(&w, xformat("--results=%s", o->results));
    if (o->jobs)
    {
        words_add(&w, xformat("--jobs=%s", o->jobs));
    }
    if (o->no_figures)
    {
        words_add(&w, xstrdup("--no-figures"));
    }
    if (paper->quick)
    {
        words_add(&w, xstrdup("--quick"));
    }
    return run(&w);
}

/* --- reporting ---------------------------------------------------------------------------------
 */

/** Writes the report in two forms; of a part of a paper it is printed in short as well. */
static int
write_report(const struct paper *paper, xmlDoc *page, const char *path, bool part)
{
    OWNED char *text = claims_write(page, "markdown"), *html = claims_write(page, "html");
    OWNED char *summary = claims_write(page, "summary");
    OWNED char *html_path = xformat("%s/report.html", paper->folder);
    char *why = NULL;
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
    {
        return claims_refuse(xformat("%s is not a plain file", path), CLAIMS_FAILED);
    }
    if (!results_folder_mark(paper->folder, &why) || !page_deliver(text, path, &why) ||
        !page_deliver(html, html_path, &why))
    {
        return claims_refuse(why, CLAIMS_FAILED);
    }
    print_shown(part ? stdout : stderr, "%s%swritten: %s\nwritten: %s\n", part ? summary : "",
                part ? "\n" : "", path, html_path);
    return CLAIMS_GOOD;
}

static int
report(struct claims_options *o, const struct paper *paper)
{
    const bool part = o->quick || o->only;
    CLEANUP(words_free) struct words results = values_of(paper->claims, "results", NULL);
    size_t have = 0;
    for (size_t i = 0; i < results.n; i++)
    {
        have += results_are_there(o, results.word[i]);
    }
    print_shown(stderr, "%s: %zu of its %zu results are there\n", paper->name, have, results.n);
    o->output =
        part ? xformat("%s/report.md", paper->folder) : xformat(PAGES_FOLDER "/%s.md", paper->name);
    xmlDoc *page = have ? claims_page(&paper->claims, 1, o) : NULL;
    const int status = page ? write_report(paper, page, o->output, part) : CLAIMS_BAD_INPUT;
    if (status != CLAIMS_GOOD)
    {
        print_shown(stderr, "%s is as it was\n", o->output);
    }
    xmlFreeDoc(page);
    free(o->output);
    o->output = NULL;
    return status;
}

/* --- all of it ---------------------------------------------------------------------------------
 */

/** Returns the worse of two statuses. */
static int
worst(int a, int b)
{
    static const int rank[] = {
        [CLAIMS_GOOD] = 0, [CLAIMS_NO_FIGURE] = 1, [CLAIMS_BAD_INPUT] = 2, [CLAIMS_FAILED] = 3};
    return rank[a] < rank[b] ? b : a;
}

/** Whether nothing speaks against running a paper's scenarios; else says so. */
static bool
may_run(const struct claims_options *o, struct paper *paper, const struct words *papers)
{
    bool good = true;
    char *why = NULL;
    for (size_t i = 0; i < paper->scenarios.n; i++)
    {
        why = look_into(o, paper, paper->scenarios.word[i], papers);
        good = (!why || claims_refuse(why, 0)) && good;
    }
    return good && (results_folder_is_ours(paper->folder, &why) || claims_refuse(why, 0));
}

static int
reproduce_paper(struct claims_options *o, struct paper *paper, const struct words *papers)
{
    if (!may_run(o, paper, papers))
    {
        return CLAIMS_BAD_INPUT;
    }
    const int status = o->alone ? CLAIMS_GOOD : run_scenarios(o, paper);
    if (status != CLAIMS_GOOD && status != CLAIMS_NO_FIGURE)
    {
        print_shown(stderr,
                    "weft: no report of %s is written; the same command goes on where this one "
                    "ended\n",
                    paper->name);
        return status;
    }
    return worst(report(o, paper), status);
}

/** Reproduces a paper that is wanted; *any: it has a scenario to run. */
static int
take_paper(struct claims_options *o, const char *name, const struct words *papers, bool *any)
{
    struct paper paper = {.name = name,
                          .claims = claims_of(name),
                          .folder = xformat("%s/%s%s", o->results, name,
                                            o->quick  ? QUICK_NAME
                                            : o->only ? PART
                                                      : "")};
    int status = paper.claims ? CLAIMS_GOOD : CLAIMS_BAD_INPUT;
    if (paper.claims)
    {
        paper.scenarios = values_of(paper.claims, "scenario", o->only);
    }
    *any = *any || !paper.claims || paper.scenarios.n;
    if (ended_by)
    {
        status = CLAIMS_FAILED;
    }
    else if (paper.scenarios.n)
    {
        status = reproduce_paper(o, &paper, papers);
    }
    claims_free(paper.claims);
    words_free(&paper.scenarios);
    free(paper.folder);
    return status;
}

/** Saves what all papers ask of the results of those that are wanted. */
static int
save_data(const struct claims_options *o, const struct words *papers, const char *wanted)
{
    OWNED struct claims **claims = xcalloc(papers->n, sizeof *claims);
    CLEANUP(words_free) struct words names = {0};
    int status = CLAIMS_GOOD;
    for (size_t i = 0; i < papers->n; i++)
    {
        claims[i] = claims_of(papers->word[i]);
        const bool is = strcmp(wanted, ALL) == 0 || strcmp(wanted, papers->word[i]) == 0;
        CLEANUP(words_free)
        struct words own = claims[i] ? values_of(claims[i], "results", NULL) : (struct words){0};
        for (size_t k = 0; is && k < own.n; k++)
        {
            words_add(&names, xstrdup(own.word[k]));
        }
        status = claims[i] ? status : CLAIMS_BAD_INPUT;
    }
    status = status == CLAIMS_GOOD ? data_save(claims, papers->n, &names, o) : status;
    for (size_t i = 0; i < papers->n; i++)
    {
        claims_free(claims[i]);
    }
    return status;
}

/** Reproduces one paper after the other: what is wrong with one does not stop the others. */
static int
take_papers(struct claims_options *o, const struct words *papers, const char *wanted)
{
    CLEANUP(text_drop) struct text failed = {0};
    const bool all = strcmp(wanted, ALL) == 0;
    bool any = false;
    int status = CLAIMS_GOOD;
    for (size_t i = 0; i < papers->n; i++)
    {
        const char *name = papers->word[i];
        const bool is = all || strcmp(name, wanted) == 0;
        const int own = is ? take_paper(o, name, papers, &any) : CLAIMS_GOOD;
        text_add(&failed, own != CLAIMS_GOOD ? "%s%s" : "", failed.len ? ", " : "", name);
        status = worst(status, own);
    }
    if (!any)
    {
        return claims_refuse(xformat("no scenario of '%s' matches '%s'; 'weft reproduce --list' "
                                     "names them",
                                     wanted, o->only ? o->only : ""),
                             CLAIMS_BAD_INPUT);
    }
    if (o->save_data && !ended_by)
    {
        status = worst(status, save_data(o, papers, wanted));
    }
    if (all && failed.len)
    {
        print_shown(stderr, "\nweft: error: there were errors (above) with: %s\n", failed.s);
    }
    return status;
}

int
reproduce(struct claims_options *o, const char *wanted)
{
    char **paths[] = {&o->results, &o->data, &o->save_data}, *why = NULL;
    if (!checkout_enter(CLAIMS_FOLDER, paths, sizeof paths / sizeof *paths, &why))
    {
        return claims_refuse(why, CLAIMS_BAD_INPUT);
    }
    CLEANUP(words_free) struct words papers = find_papers();
    if (o->list || !wanted)
    {
        return list_papers(&papers);
    }
    why = misnamed(&papers, wanted);
    if (why)
    {
        return claims_refuse(why, CLAIMS_BAD_INPUT);
    }
    watch_signals();
    o->alone = o->alone || o->data;
    o->allow_missing = true;
    return take_papers(o, &papers, wanted);
}
