/* SPDX-License-Identifier: GPL-2.0-only */
/* weft report */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "report.h"
#include "sweep-run.h"

static const char help[] =
    "usage: weft report FILE... [OPTIONS]\n\n"
    "Sets the claims of papers beside what the results say, as Markdown. FILE holds the claims of "
    "one: what\neach says, the paper's value, and how to compute it from the CSV files.\n\n"
    "  --results DIR         folder of the results (default: results in this folder)\n"
    "  --output FILE         write to FILE, which is replaced only by a whole report\n"
    "  --allow-missing       results that are not there are shown as 'not run'\n"
    "\nExit status: 0 all is well; 1 the report cannot be written; 2 a mistake in the claims or on "
    "the\ncommand line, or results are missing.\n"
    "\nExamples:\n  weft report docs/claims/themis.xml --output docs/validation.md\n"
    "  weft report docs/claims/themis.xml --allow-missing\n";

static const struct option long_options[] = {
    {"help", no_argument, NULL, 'h'},
    {"results", required_argument, NULL, 'r'},
    {"output", required_argument, NULL, 'o'},
    {"allow-missing", no_argument, NULL, 'a'},
    {NULL, 0, NULL, 0},
};

struct report_arguments
{
    const char *results, *output;
    bool allow_missing;
};

/** Returns -1 to go on, else the exit status. */
static int
take_arguments(int argc, char **argv, struct report_arguments *a)
{
    int letter;
    *a = (struct report_arguments){"results", NULL, false};
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

int
command_report(int argc, char **argv)
{
    struct report_arguments a;
    int status = take_arguments(argc, argv, &a);
    if (status >= 0)
    {
        return status;
    }
    size_t n = (size_t)(argc - optind);
    struct document **claims = xcalloc(n, sizeof *claims);
    bool good = true;
    for (size_t i = 0; i < n; i++)
    {
        claims[i] = claims_read(argv[optind + (int)i]);
        good = good && claims[i];
    }
    const struct report_options options = {a.results, a.allow_missing, REPORT_LIMITS};
    char *text = good ? report_write(claims, n, &options) : NULL;
    status = text ? report_deliver(text, a.output) : EXIT_BAD_INPUT;
    free(text);
    for (size_t i = 0; i < n; i++)
    {
        document_free(claims[i]);
    }
    free(claims);
    return status;
}
