/* SPDX-License-Identifier: GPL-2.0-only */
/* weft reproduce: all that a paper's claims rest on, run in one go. */
#include <dirent.h>
#include <fnmatch.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "loaded.h"
#include "provenance.h"
#include "report.h"
#include "textbuf.h"
#include "validation.h"

#define CLAIMS "docs/claims"
#define REPORT "docs/validation.md"

static const char help[] =
    "usage: weft reproduce PAPER [OPTIONS]\n"
    "       weft reproduce [--list]\n\n"
    "Runs every scenario that the claims of a paper rest on, draws their figures, and "
    "writes its part of\n" REPORT
    ", which sets the claims beside the results. PAPER is the name of a file in\n" CLAIMS
    ". Interrupt it at any time: the same command goes on where it was.\n\n"
    "  --quick               the small version of each scenario that has one (NAME-quick.xml);\n"
    "                        prints the report and writes none\n"
    "  --only PATTERN        only scenarios whose file holds PATTERN (or matches, with * ? []);\n"
    "                        prints the report as well\n"
    "  --report              run nothing; only write the report\n"
    "  --results DIR         folder of all results (default: results in this folder)\n"
    "  -j, --jobs N          N processes at a time (default: one per core)\n"
    "  --no-figures          draw nothing\n"
    "  --list                the papers and their scenarios\n"
    "\nExit status: 0 all is well; 1 a run failed or something cannot be written; 2 a mistake in a "
    "file or\non the command line; 3 a figure could not be drawn. A scenario that fails does not "
    "stop the others.\n"
    "\nExamples:\n  weft reproduce themis --quick\n"
    "  weft reproduce themis -j 8 --results /scratch/results\n"
    "  weft reproduce themis --only fig1\n";

static const struct option long_options[] = {
    {"help", no_argument, NULL, 'h'},
    {"quick", no_argument, NULL, 'q'},
    {"report", no_argument, NULL, 'R'},
    {"results", required_argument, NULL, 'r'},
    {"jobs", required_argument, NULL, 'j'},
    {"only", required_argument, NULL, 'O'},
    {"no-figures", no_argument, NULL, 'N'},
    {"list", no_argument, NULL, 'l'},
    {NULL, 0, NULL, 0},
};

struct reproduce_arguments
{
    const char *paper, *only;
    char *results;
    long jobs;
    bool quick, report_alone, no_figures, list;
};

/** A scenario that claims name. */
struct part
{
    char *path; /**< of the file that is run */
    struct loaded loaded;
    bool good; /**< it was loaded */
    char *out;
    size_t due;
    int status;
};

struct parts
{
    struct part *part;
    size_t n;
};

/* --- the papers ------------------------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/** Names of the claims files, without folder and ending. */
static struct words
find_papers(void)
{
    struct words papers = {0};
    DIR *dir = opendir(CLAIMS);
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;)
    {
        size_t n = strlen(e->d_name);
        if (e->d_name[0] != '.' && n > 4 && strcmp(e->d_name + n - 4, ".xml") == 0)
        {
            ARRAY_GROW(papers.word, papers.n);
            papers.word[papers.n++] = xformat("%.*s", (int)(n - 4), e->d_name);
        }
    }
    if (dir)
    {
        closedir(dir);
    }
    if (papers.n)
    {
        qsort(papers.word, papers.n, sizeof *papers.word, by_name);
    }
    return papers;
}

static bool
is_folder(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/** Goes to the checkout that this program was built in, unless the claims are here. Results stay
 * where they were meant to be. */
static bool
go_to_claims(struct reproduce_arguments *a)
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
    char *claims = xformat("%s/" CLAIMS, exe);
    bool good = is_folder(claims) && getcwd(here, sizeof here) && chdir(exe) == 0;
    if (good && a->results[0] != '/')
    {
        char *results = xformat("%s/%s", here, a->results);
        free(a->results);
        a->results = results;
    }
    if (!good)
    {
        fprintf(stderr, "weft: error: there is no folder " CLAIMS " here; expected to be called "
                        "in Weft's folder\n");
    }
    free(claims);
    return good;
}

static char *
claims_path(const char *paper)
{
    return xformat(CLAIMS "/%s.xml", paper);
}

/** The scenarios of a claims file, each once, in its order. */
static struct words
scenarios_of(const struct document *claims)
{
    struct words w = {0};
    for (size_t i = 0; i < claims->root->nchildren; i++)
    {
        const char *scenario = element_value(claims->root->children[i], "scenario");
        bool known = !scenario;
        for (size_t k = 0; !known && k < w.n; k++)
        {
            known = strcmp(w.word[k], scenario) == 0;
        }
        if (!known)
        {
            ARRAY_GROW(w.word, w.n);
            w.word[w.n++] = xstrdup(scenario);
        }
    }
    return w;
}

static int
list_papers(const struct words *papers)
{
    int status = EXIT_GOOD;
    for (size_t i = 0; i < papers->n; i++)
    {
        char *path = claims_path(papers->word[i]);
        struct document *claims = claims_read(path);
        free(path);
        if (!claims)
        {
            status = EXIT_BAD_INPUT;
            continue;
        }
        struct words scenarios = scenarios_of(claims);
        printf("%s\n", papers->word[i]);
        for (size_t k = 0; k < scenarios.n; k++)
        {
            printf("  %s\n", scenarios.word[k]);
        }
        words_free(&scenarios);
        document_free(claims);
    }
    return status;
}

static bool
is_paper(const struct words *papers, const char *name)
{
    struct nearest near = nearest_start(name);
    for (size_t i = 0; i < papers->n; i++)
    {
        if (strcmp(papers->word[i], name) == 0)
        {
            return true;
        }
        nearest_try(&near, papers->word[i]);
    }
    fprintf(stderr, "weft: error: there are no claims of '%s' in " CLAIMS "%s\n", name,
            did_you_mean(near.best));
    return false;
}

/* --- running ---------------------------------------------------------------------------------- */

static bool
is_wanted(const char *path, const char *only)
{
    return !only ||
           (strpbrk(only, "*?[") ? fnmatch(only, path, 0) == 0 : strstr(path, only) != NULL);
}

/** The quick version of a scenario's file, or a copy of its name where there is none. */
static char *
file_to_run(const char *scenario, bool quick)
{
    size_t n = strlen(scenario);
    n -= n > 4 && strcmp(scenario + n - 4, ".xml") == 0 ? 4 : 0;
    char *small = xformat("%.*s-quick.xml", (int)n, scenario);
    if (quick && access(small, F_OK) == 0)
    {
        return small;
    }
    free(small);
    return xstrdup(scenario);
}

/** The claims look at what was run: at the quick results instead of the full ones. */
static void
point_claims(struct document *claims, const char *scenario, const char *results)
{
    for (size_t i = 0; i < claims->root->nchildren; i++)
    {
        struct element *e = claims->root->children[i];
        const char *named = element_value(e, "scenario");
        if (named && strcmp(named, scenario) == 0 && element_value(e, "results"))
        {
            element_set(e, "results", results, element_line(e, "results"), false);
        }
    }
}

static struct sweep_options
options_of(const struct reproduce_arguments *a, const struct part *p)
{
    return (struct sweep_options){.out = p->out, .jobs = a->jobs, .log_interval = 60};
}

static struct parts
load_parts(const struct reproduce_arguments *a, struct document *claims)
{
    struct words scenarios = scenarios_of(claims);
    struct parts parts = {0};
    const struct plan_options none = {0};
    for (size_t i = 0; i < scenarios.n; i++)
    {
        struct part p = {.path = file_to_run(scenarios.word[i], a->quick)};
        if (!is_wanted(scenarios.word[i], a->only))
        {
            free(p.path);
            continue;
        }
        p.good = loaded_read(p.path, &none, &p.loaded);
        p.status = p.good ? EXIT_GOOD : EXIT_BAD_INPUT;
        if (p.good)
        {
            p.out = xformat("%s/%s", a->results, p.loaded.plan->name);
            struct sweep_options options = options_of(a, &p);
            p.due = sweep_count_due(p.loaded.plan, &options);
            if (a->quick && strcmp(p.path, scenarios.word[i]) != 0)
            {
                point_claims(claims, scenarios.word[i], p.loaded.plan->name);
            }
        }
        ARRAY_GROW(parts.part, parts.n);
        parts.part[parts.n++] = p;
    }
    words_free(&scenarios);
    return parts;
}

static void
free_parts(struct parts *parts)
{
    for (size_t i = 0; i < parts->n; i++)
    {
        if (parts->part[i].good)
        {
            loaded_free(&parts->part[i].loaded);
        }
        free(parts->part[i].path);
        free(parts->part[i].out);
    }
    free(parts->part);
}

/** One line that says how far all of it is. */
static void
announce(const struct part *p, const struct progress_whole *w)
{
    char left[32] = "";
    double elapsed = clock_seconds() - w->start;
    if (p->due == 0)
    {
        fprintf(stderr,
                "\n[scenario %zu of %zu] %s: its %zu runs are there already; none is to do\n",
                w->sweep, w->nsweeps, p->path, p->loaded.plan->nruns);
        return;
    }
    if (w->before > 0 && w->total > w->before)
    {
        duration_text(left, sizeof left,
                      elapsed * (double)(w->total - w->before) / (double)w->before);
    }
    fprintf(stderr,
            "\n[scenario %zu of %zu] %s: %zu of %zu runs to do; %zu of %zu in all are done%s%s%s\n",
            w->sweep, w->nsweeps, p->path, p->due, p->loaded.plan->nruns, w->before, w->total,
            *left ? ", " : "", left, *left ? " left" : "");
}

/** Runs all of them, whatever becomes of the others, until it is interrupted. */
static void
run_parts(const struct reproduce_arguments *a, struct parts *parts)
{
    struct progress_whole whole = {.nsweeps = parts->n, .start = clock_seconds()};
    for (size_t i = 0; i < parts->n; i++)
    {
        whole.total += parts->part[i].due;
    }
    for (size_t i = 0; i < parts->n; i++)
    {
        struct part *p = &parts->part[i];
        whole.sweep = i + 1;
        if (sweep_was_interrupted())
        {
            p->status = EXIT_FAILED;
        }
        else if (p->good)
        {
            struct sweep_options options = options_of(a, p);
            announce(p, &whole);
            options.whole = &whole;
            fflush(stdout);
            p->status = loaded_sweep(&p->loaded, &options, !a->no_figures);
            whole.before += p->due;
        }
    }
}

static int
sum_up(const struct parts *parts)
{
    int status = EXIT_GOOD;
    for (size_t i = 0; i < parts->n; i++)
    {
        const struct part *p = &parts->part[i];
        if (p->status != EXIT_GOOD)
        {
            fprintf(stderr, "weft: error: %s: %s\n", p->path,
                    p->status == EXIT_NO_FIGURE   ? "a figure could not be drawn"
                    : p->status == EXIT_BAD_INPUT ? "there are mistakes in it; it was not run"
                                                  : "not every run ended well");
        }
        bool worse = status == EXIT_GOOD || status == EXIT_NO_FIGURE ||
                     (status == EXIT_BAD_INPUT && p->status == EXIT_FAILED);
        status = worse && p->status != EXIT_GOOD ? p->status : status;
    }
    return status;
}

/* --- the report ------------------------------------------------------------------------------- */

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
            char *path = xformat("%s/%s/summary.csv", results, name);
            *have += access(path, F_OK) == 0;
            ++*want;
            free(path);
        }
    }
}

/** What is there now; "" if there is nothing. */
static char *
read_report(void)
{
    struct text t = {0};
    FILE *f = fopen(REPORT, "rb");
    char line[4096];
    while (f && fgets(line, sizeof line, f))
    {
        text_add(&t, "%s", line);
    }
    if (f)
    {
        fclose(f);
    }
    return t.len ? text_take(&t) : xstrdup("");
}

/** Writes the paper's part of the report anew; those of other papers stay. */
static int
write_report(const char *paper, const char *results)
{
    char *path = claims_path(paper);
    struct document *claims = claims_read(path);
    int status = EXIT_BAD_INPUT;
    if (claims)
    {
        size_t have, want;
        count_results(claims, results, &have, &want);
        fprintf(stderr, "%s: results of %zu of %zu sections\n", paper, have, want);
        char *part = have ? report_write(&claims, 1, results, true) : NULL;
        char *old = read_report();
        char *text = part ? validation_replace(old, path, part) : NULL;
        status = text ? report_deliver(text, REPORT) : EXIT_BAD_INPUT;
        free(text);
        free(old);
        free(part);
    }
    fprintf(stderr, status == EXIT_GOOD ? "written: " REPORT "\n" : REPORT " is as it was\n");
    document_free(claims);
    free(path);
    return status;
}

static int
print_report(struct document *claims, const char *results)
{
    char *text = report_write(&claims, 1, results, true);
    int status = text ? report_deliver(text, NULL) : EXIT_BAD_INPUT;
    free(text);
    return status;
}

static int
reproduce(const struct reproduce_arguments *a)
{
    char *path = claims_path(a->paper);
    struct document *claims = claims_read(path);
    free(path);
    if (!claims)
    {
        return EXIT_BAD_INPUT;
    }
    struct parts parts = load_parts(a, claims);
    int status = EXIT_GOOD;
    if (parts.n == 0)
    {
        fprintf(stderr,
                "weft: error: no scenario of '%s' matches '%s'; 'weft reproduce --list' "
                "names them\n",
                a->paper, a->only ? a->only : "");
        status = EXIT_BAD_INPUT;
    }
    else if (!a->report_alone)
    {
        run_parts(a, &parts);
        status = sum_up(&parts);
    }
    bool whole = status == EXIT_GOOD || status == EXIT_NO_FIGURE;
    int reported = EXIT_GOOD;
    if (whole)
    {
        reported = a->quick || a->only ? print_report(claims, a->results)
                                       : write_report(a->paper, a->results);
    }
    else if (parts.n)
    {
        fprintf(stderr,
                "weft: no report is written; the same command goes on where this one ended\n");
    }
    free_parts(&parts);
    document_free(claims);
    return reported != EXIT_GOOD ? reported : status;
}

/* --- the command ------------------------------------------------------------------------------ */

/** Returns -1 to go on, else the exit status. */
static int
take_arguments(int argc, char **argv, struct reproduce_arguments *a)
{
    int letter;
    optind = 1;
    while ((letter = getopt_long(argc, argv, "hj:", long_options, NULL)) != -1)
    {
        char *end = NULL;
        switch (letter)
        {
        case 'h':
            fputs(help, stdout);
            return EXIT_GOOD;
        case 'j':
            a->jobs = strtol(optarg, &end, 10);
            if (*end || end == optarg || a->jobs < 1 || a->jobs > 4096)
            {
                fprintf(stderr, "weft: error: --jobs '%s'; expected a number from 1 to 4096\n",
                        optarg);
                return EXIT_BAD_INPUT;
            }
            break;
        case 'r':
            free(a->results);
            a->results = xstrdup(optarg);
            break;
        case 'O':
            a->only = optarg;
            break;
        case 'q':
            a->quick = true;
            break;
        case 'R':
            a->report_alone = true;
            break;
        case 'N':
            a->no_figures = true;
            break;
        case 'l':
            a->list = true;
            break;
        default:
            fputs(help, stderr);
            return EXIT_BAD_INPUT;
        }
    }
    if (optind < argc - 1)
    {
        fputs(help, stderr);
        return EXIT_BAD_INPUT;
    }
    a->paper = optind < argc ? argv[optind] : NULL;
    return -1;
}

int
command_reproduce(int argc, char **argv)
{
    struct reproduce_arguments a = {.results = xstrdup("results")};
    int status = take_arguments(argc, argv, &a);
    if (status < 0)
    {
        status = EXIT_BAD_INPUT;
        struct words papers = {0};
        if (go_to_claims(&a))
        {
            papers = find_papers();
            status = a.list || !a.paper           ? list_papers(&papers)
                     : is_paper(&papers, a.paper) ? reproduce(&a)
                                                  : EXIT_BAD_INPUT;
        }
        words_free(&papers);
    }
    free(a.results);
    return status;
}
