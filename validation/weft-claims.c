/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets what papers claim beside what Weft's results say: `weft report FILE.xml` and `weft
 * reproduce`. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "shown-text.h"

static const char usage[] =
    "usage: weft report FILE.xml... [OPTIONS]\n"
    "       weft reproduce PAPER|all [OPTIONS]\n"
    "       weft reproduce [--list]\n\n"
    "'report' sets the claims of papers beside what the results say, as Markdown. FILE holds the\n"
    "claims of one: what each says, the paper's value, and a query of results.sqlite that gives\n"
    "Weft's. 'reproduce' runs every scenario that the claims of a paper rest on ('weft run') and\n"
    "writes the page docs/papers/PAPER.md, and the same with all figures, "
    "RESULTS/PAPER/report.html.\n"
    "PAPER is the name of a file in docs/claims; all: each of them. Interrupt it at any time: the\n"
    "same command goes on where it was.\n\n"
    "  --results DIR     folder of all results (default: results in this folder)\n"
    "  --data DIR        read open data, such as docs/data, in place of results; run nothing\n"
    "of report:\n"
    "  --html            a page in HTML, which needs no other file\n"
    "  --output FILE     write to FILE, which is replaced only by a whole report\n"
    "  --allow-missing   results that are not there are shown as 'not run'\n"
    "of reproduce:\n"
    "  --quick           the quick version of each scenario that has one; the report is printed "
    "in\n"
    "                    short and goes to RESULTS/PAPER-quick/report.md and .html\n"
    "  --only PATTERN    only scenarios whose file holds PATTERN (or matches, with * ? []); the\n"
    "                    same, to RESULTS/PAPER-part\n"
    "  --report          run nothing; only write the report\n"
    "  --save-data DIR   also save what claims read of the results, as docs/data has it\n"
    "  -j, --jobs N      N processes at a time (default: one per core, if memory suffices)\n"
    "  --no-figures      draw nothing\n"
    "  --list            the papers and their scenarios\n\n"
    "Exit status: 0 all is well; 1 a run failed or something cannot be written; 2 a mistake in a\n"
    "file or on the command line, or results are missing; 3 a figure could not be drawn.\n";

int
claims_refuse(char *why, int status)
{
    print_shown(stderr, "weft: error: %s\n", why);
    free(why);
    return status;
}

/* --- options -----------------------------------------------------------------------------------
 */

static const struct option names[] = {
    {"help", no_argument, NULL, 'h'},         {"results", required_argument, NULL, 'D'},
    {"data", required_argument, NULL, 'd'},   {"html", no_argument, NULL, 'H'},
    {"output", required_argument, NULL, 'u'}, {"allow-missing", no_argument, NULL, 'A'},
    {"quick", no_argument, NULL, 'q'},        {"only", required_argument, NULL, 'O'},
    {"report", no_argument, NULL, 'e'},       {"save-data", required_argument, NULL, 'V'},
    {"jobs", required_argument, NULL, 'j'},   {"no-figures", no_argument, NULL, 'N'},
    {"list", no_argument, NULL, 'l'},         {NULL, 0, NULL, 0},
};

/** Letters of the options that each of both takes. */
#define OF_REPORT    "hDdHuA"
#define OF_REPRODUCE "hDdqOeVjNl"

static void
replace(char **text, const char *with)
{
    free(*text);
    *text = xstrdup(with);
}

static void
take_flag(struct claims_options *o, int letter)
{
    o->html = o->html || letter == 'H';
    o->allow_missing = o->allow_missing || letter == 'A';
    o->quick = o->quick || letter == 'q';
    o->alone = o->alone || letter == 'e';
    o->no_figures = o->no_figures || letter == 'N';
    o->list = o->list || letter == 'l';
}

static void
take_option(struct claims_options *o, int letter)
{
    char **const text = letter == 'D'   ? &o->results
                        : letter == 'd' ? &o->data
                        : letter == 'u' ? &o->output
                        : letter == 'V' ? &o->save_data
                                        : NULL;
    if (text)
    {
        replace(text, optarg);
    }
    else if (letter == 'O')
    {
        o->only = optarg;
    }
    else if (letter == 'j')
    {
        o->jobs = optarg;
    }
    else
    {
        take_flag(o, letter);
    }
}

/** Says which option is wrong. */
static int
refuse_option(const char *given, const char *command, const char *letters)
{
    OWNED char *name =
        xformat("%.*s", (int)strcspn(given + strspn(given, "-"), "="), given + strspn(given, "-"));
    struct nearest near = nearest_start(name);
    for (size_t i = 0; names[i].name; i++)
    {
        if (strchr(letters, names[i].val))
        {
            nearest_try(&near, names[i].name);
        }
    }
    const bool known = near.best && strcmp(near.best, name) == 0;
    return claims_refuse(
        known ? xformat("--%s of 'weft %s' lacks its value, or takes none", name, command)
              : xformat("'weft %s' has no option %s%s", command, given, did_you_mean(near.best)),
        CLAIMS_BAD_INPUT);
}

/* --- both --------------------------------------------------------------------------------------
 */

/** Reports on files of claims; a status. */
static int
claims(const struct claims_options *o, char *const *files, size_t n)
{
    OWNED struct claims **read = xcalloc(n, sizeof *read);
    bool good = true;
    char *why = NULL;
    for (size_t i = 0; i < n; i++)
    {
        read[i] = claims_read(files[i]);
        good = good && read[i];
    }
    xmlDoc *page = good ? claims_page(read, n, o) : NULL;
    OWNED char *text = page ? claims_write(page, o->html ? "html" : "markdown") : NULL;
    xmlFreeDoc(page);
    for (size_t i = 0; i < n; i++)
    {
        claims_free(read[i]);
    }
    return !text                                 ? CLAIMS_BAD_INPUT
           : page_deliver(text, o->output, &why) ? CLAIMS_GOOD
                                                 : claims_refuse(why, CLAIMS_FAILED);
}

/** Says what does not go together; NULL: nothing. */
static const char *
conflict(const struct claims_options *o, bool is_reproduce, int nfiles)
{
    const bool part = o->data || o->quick || o->only || !nfiles || o->list;
    return is_reproduce && nfiles > 1    ? "too many arguments; expected one PAPER, or all"
           : !is_reproduce && nfiles < 1 ? "too few arguments; expected weft report FILE.xml..."
           : is_reproduce && o->save_data && part
               ? "--save-data with a part of the results; expected it with all runs in full"
               : NULL;
}

static int
call(int argc, char **argv, struct claims_options *o)
{
    const bool is_reproduce = strcmp(argv[1], "reproduce") == 0;
    const char *letters = is_reproduce ? OF_REPRODUCE : OF_REPORT;
    int letter;
    opterr = 0;
    optind = 2;
    while ((letter = getopt_long(argc, argv, "hj:", names, NULL)) != -1)
    {
        if (letter == 'h')
        {
            fputs(usage, stdout);
            return CLAIMS_GOOD;
        }
        if (letter == '?' || !strchr(letters, letter))
        {
            return refuse_option(argv[optind - 1], argv[1], letters);
        }
        take_option(o, letter);
    }
    const int n = argc - optind;
    const char *why = conflict(o, is_reproduce, n);
    return why            ? claims_refuse(xstrdup(why), CLAIMS_BAD_INPUT)
           : is_reproduce ? reproduce(o, n ? argv[optind] : NULL)
                          : claims(o, argv + optind, (size_t)n);
}

int
main(int argc, char **argv)
{
    struct claims_options o = {.results = xstrdup("results"),
                               .limits = {60, 1000, (size_t)1 << 30, 0, 0}};
    int status = CLAIMS_BAD_INPUT;
    if (argc < 2 || (strcmp(argv[1], "report") != 0 && strcmp(argv[1], "reproduce") != 0))
    {
        fputs(usage, argc < 2 ? stderr : stdout);
        status = argc < 2 ? CLAIMS_BAD_INPUT : CLAIMS_GOOD;
    }
    else
    {
        status = call(argc, argv, &o);
    }
    free(o.results);
    free(o.data);
    free(o.output);
    free(o.save_data);
    /* A full disk behind standard output must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout))
    {
        fprintf(stderr, "weft: error: cannot write to standard output\n");
        return CLAIMS_FAILED;
    }
    return status;
}
