/* SPDX-License-Identifier: GPL-2.0-only */
#include "report.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "files.h"
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
report_deliver(const char *text, const char *output)
{
    if (!output)
    {
        fputs(text, stdout);
        return EXIT_GOOD;
    }
    const char *slash = strrchr(output, '/');
    char *why = NULL;
    char *folder =
        slash ? xformat("%.*s", slash > output ? (int)(slash - output) : 1, output) : xstrdup(".");
    bool good = file_replace(folder, slash ? slash + 1 : output, text, strlen(text), &why);
    if (!good)
    {
        fprintf(stderr, "weft: error: %s\n", why);
    }
    free(why);
    free(folder);
    return good ? EXIT_GOOD : EXIT_FAILED;
}

struct document *
claims_read(const char *path)
{
    struct diagnostics d = {.file = path};
    struct document *claims = document_read(path, &d);
    if (claims)
    {
        claims_check(claims->root, &d);
    }
    if (d.n)
    {
        document_free(claims);
        claims = NULL;
    }
    diag_print(&d, stderr);
    diag_free(&d);
    return claims;
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
    char *text = good ? report_write(claims, n, a.results, a.allow_missing) : NULL;
    status = text ? report_deliver(text, a.output) : EXIT_BAD_INPUT;
    free(text);
    for (size_t i = 0; i < n; i++)
    {
        document_free(claims[i]);
    }
    free(claims);
    return status;
}
