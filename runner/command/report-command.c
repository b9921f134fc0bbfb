/* SPDX-License-Identifier: GPL-2.0-only */
/* weft report */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "commands.h"
#include "report.h"
#include "sweep-run.h"

static const char help[] =
    "usage: weft report FILE... [OPTIONS]\n"
    "       weft report --html RESULTS... [OPTIONS]\n\n"
    "Sets the claims of papers beside what the results say, as Markdown or as a page in HTML. FILE "
    "holds the\nclaims of one: what each says, the paper's value, and a query of results.sqlite "
    "that gives Weft's.\nOf folders of RESULTS it makes a page of their figures and tables.\n\n"
    "  --html                a page in HTML, which needs no other file\n"
    "  --results DIR         folder of the results (default: results in this folder)\n"
    "  --output FILE         write to FILE, which is replaced only by a whole report\n"
    "  --allow-missing       results that are not there are shown as 'not run'\n"
    "\nExit status: 0 all is well; 1 the report cannot be written; 2 a mistake in the claims or on "
    "the\ncommand line, or results are missing.\n"
    "\nExamples:\n  weft report docs/claims/themis.xml --output docs/validation.md\n"
    "  weft report docs/claims/themis.xml --allow-missing --html --output themis.html\n"
    "  weft report --html results/themis-fig1 --output fig1.html\n";

static const struct option long_options[] = {
    {"help", no_argument, NULL, 'h'},          {"results", required_argument, NULL, 'r'},
    {"output", required_argument, NULL, 'o'},  {"html", no_argument, NULL, 'H'},
    {"allow-missing", no_argument, NULL, 'a'}, {NULL, 0, NULL, 0},
};

struct report_arguments
{
    const char *results, *output;
    bool allow_missing, html;
};

/** Returns -1 to go on, else the exit status. */
static int
take_arguments(int argc, char **argv, struct report_arguments *a)
{
    int letter;
    *a = (struct report_arguments){"results", NULL, false, false};
    optind = 1;
    while ((letter = getopt_long(argc, argv, "h", long_options, NULL)) != -1)
    {
        switch (letter)
        {
        case 'h':
            fputs(help, stdout);
            return EXIT_GOOD;
        case 'r':
            a->results = optarg;
            break;
        case 'o':
            a->output = optarg;
            break;
        case 'H':
            a->html = true;
            break;
        case 'a':
            a->allow_missing = true;
            break;
        default:
            fputs(help, stderr);
            return EXIT_BAD_INPUT;
        }
    }
    if (optind >= argc)
    {
        fputs(help, stderr);
        return EXIT_BAD_INPUT;
    }
    return -1;
}

/** The report of claims; NULL after a message. */
static char *
report_claims(const struct report_arguments *a, char *const *files, size_t n)
{
    struct document **claims = xcalloc(n, sizeof *claims);
    bool good = true;
    for (size_t i = 0; i < n; i++)
    {
        claims[i] = claims_read(files[i]);
        good = good && claims[i];
    }
    const struct report_options options = {a->results, a->allow_missing, REPORT_LIMITS};
    struct report *report = good ? report_make(claims, n, &options) : NULL;
    char *text = !report   ? NULL
                 : a->html ? report_html(report)
                           : report_markdown(report, a->output);
    report_free(report);
    for (size_t i = 0; i < n; i++)
    {
        document_free(claims[i]);
    }
    free(claims);
    return text;
}

/** How many of the arguments are folders. */
static size_t
count_folders(char *const *files, size_t n)
{
    size_t folders = 0;
    for (size_t i = 0; i < n; i++)
    {
        struct stat st;
        folders += stat(files[i], &st) == 0 && S_ISDIR(st.st_mode);
    }
    return folders;
}

int
command_report(int argc, char **argv)
{
    struct report_arguments a;
    int status = take_arguments(argc, argv, &a);
    if (status >= 0)
    {
        return status;
    }
    const size_t n = (size_t)(argc - optind), folders = count_folders(argv + optind, n);
    if (folders && (folders < n || !a.html))
    {
        fprintf(stderr, "weft: error: %s\n",
                a.html ? "files of claims and folders of results; expected one or the other"
                       : "a folder of results; expected a file of claims, or --html");
        return EXIT_BAD_INPUT;
    }
    char *text = folders ? results_html(argv + optind, n) : report_claims(&a, argv + optind, n);
    status = text ? report_deliver(text, a.output) : EXIT_BAD_INPUT;
    free(text);
    return status;
}
