/* SPDX-License-Identifier: GPL-2.0-only */
/* Sets what papers claim beside what Weft's results say. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "claims.h"
#include "shown-text.h"

static const char usage[] =
    "usage: weft report FILE.xml... [OPTIONS]\n\n"
    "Sets the claims of papers beside what the results say, as Markdown. FILE holds the claims of\n"
    "one: what each says, the paper's value, and a query of results.sqlite that gives Weft's.\n\n"
    "  --html            as a page in HTML, which needs no other file\n"
    "  --output FILE     write to FILE, which is replaced only by a whole report; a page if it "
    "ends\n"
    "                    with .html; up to two of them\n"
    "  --results DIR     folder of all results (default: results in this folder)\n"
    "  --data DIR        read open data, such as docs/data, in place of results\n"
    "  --allow-missing   results that are not there are shown as 'not run'\n"
    "  --some            but not all of them may be missing\n"
    "  --quick           read the results of quick versions, of scenarios that have one\n"
    "  --summary         also print the report in short\n"
    "  --save-data DIR   save what the claims read of the results, as docs/data has it\n"
    "  --list            the scenarios that make the results\n\n"
    "Exit status: 0 all is well; 1 something cannot be written; 2 a mistake in a file or on the\n"
    "command line, or results are missing.\n";

int
claims_refuse(char *why, int status)
{
    print_shown(stderr, "weft: error: %s\n", why);
    free(why);
    return status;
}

/* --- what is asked for -------------------------------------------------------------------------
 */

static bool
any_is_there(struct claims *const *claims, size_t n, const struct claims_options *o)
{
    bool any = false;
    for (size_t i = 0; i < n; i++)
    {
        CLEANUP(words_free) struct words results = claims_values(claims[i], "results");
        for (size_t k = 0; k < results.n; k++)
        {
            any = any || results_are_there(o, results.word[k]);
        }
    }
    return any;
}

/** Writes a report into a file, or prints it. */
static int
write_report(xmlDoc *page, const char *output, bool html)
{
    const size_t n = output ? strlen(output) : 0;
    const bool is_page = html || (n > 5 && strcmp(output + n - 5, ".html") == 0);
    OWNED char *text = claims_write(page, is_page ? "html" : "markdown");
    char *why = NULL;
    const bool good = page_deliver(text, output, &why);
    if (good && output)
    {
        print_shown(stderr, "written: %s\n", output);
    }
    return good ? CLAIMS_GOOD : why ? claims_refuse(why, CLAIMS_FAILED) : CLAIMS_FAILED;
}

static int
report(struct claims *const *claims, size_t n, const struct claims_options *o)
{
    if (o->some && !any_is_there(claims, n, o))
    {
        return claims_refuse(xformat("none of the results of %s is there", claims[0]->path),
                             CLAIMS_BAD_INPUT);
    }
    xmlDoc *page = claims_page(claims, n, o);
    int status = page ? CLAIMS_GOOD : CLAIMS_BAD_INPUT;
    for (size_t i = 0; status == CLAIMS_GOOD && (i == 0 || (i < 2 && o->outputs[i])); i++)
    {
        status = write_report(page, o->outputs[i], o->html);
    }
    if (status == CLAIMS_GOOD && o->summary)
    {
        OWNED char *text = claims_write(page, "summary");
        fputs(text, stdout);
    }
    xmlFreeDoc(page);
    return status;
}

static int
list(struct claims *const *claims, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        CLEANUP(words_free) struct words scenarios = claims_values(claims[i], "scenario");
        for (size_t k = 0; k < scenarios.n; k++)
        {
            print_shown(stdout, "%s\n", scenarios.word[k]);
        }
    }
    return CLAIMS_GOOD;
}

static int
work_on(const struct claims_options *o, char *const *files, size_t n)
{
    OWNED struct claims **claims = xcalloc(n, sizeof *claims);
    int status = CLAIMS_GOOD;
    for (size_t i = 0; i < n; i++)
    {
        claims[i] = claims_read(files[i]);
        status = claims[i] ? status : CLAIMS_BAD_INPUT;
    }
    status = status != CLAIMS_GOOD ? status
             : o->list             ? list(claims, n)
             : o->save_data        ? data_save(claims, n, o)
                                   : report(claims, n, o);
    for (size_t i = 0; i < n; i++)
    {
        claims_free(claims[i]);
    }
    return status;
}

/* --- the command line --------------------------------------------------------------------------
 */

int
main(int argc, char **argv)
{
    struct claims_options o = {.results = "results", .limits = {60, 1000, (size_t)1 << 30, 0, 0}};
    int html = 0, some = 0, missing = 0, quick = 0, summary = 0, listed = 0, letter, n = 0;
    const struct option names[] = {
        {"help", no_argument, NULL, 'h'},
        {"results", required_argument, NULL, 'D'},
        {"data", required_argument, NULL, 'd'},
        {"output", required_argument, NULL, 'u'},
        {"save-data", required_argument, NULL, 'V'},
        {"html", no_argument, &html, 1},
        {"some", no_argument, &some, 1},
        {"allow-missing", no_argument, &missing, 1},
        {"quick", no_argument, &quick, 1},
        {"summary", no_argument, &summary, 1},
        {"list", no_argument, &listed, 1},
        {NULL, 0, NULL, 0},
    };
    while ((letter = getopt_long(argc, argv, "h", names, NULL)) != -1)
    {
        switch (letter)
        {
        case 0:
            break;
        case 'D':
            o.results = optarg;
            break;
        case 'd':
            o.data = optarg;
            break;
        case 'u':
            o.outputs[n++ % 2] = optarg;
            break;
        case 'V':
            o.save_data = optarg;
            break;
        default:
            fputs(usage, letter == 'h' ? stdout : stderr);
            return letter == 'h' ? CLAIMS_GOOD : CLAIMS_BAD_INPUT;
        }
    }
    o.html = html, o.some = some, o.allow_missing = missing;
    o.quick = quick, o.summary = summary, o.list = listed;
    int status = CLAIMS_BAD_INPUT;
    if (optind < argc)
    {
        status = work_on(&o, argv + optind, (size_t)(argc - optind));
    }
    else
    {
        fputs(usage, stderr);
    }
    /* A full disk behind standard output must not look like success. */
    if (fflush(stdout) != 0 || ferror(stdout))
    {
        fprintf(stderr, "weft: error: cannot write to standard output\n");
        status = CLAIMS_FAILED;
    }
    return status;
}
