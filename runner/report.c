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
    "usage: weft report FILE [OPTIONS]\n\n"
    "Sets the claims of a paper beside what the results say, as Markdown. FILE holds the claims: "
    "what each\nsays, the paper's value, and how to compute it from the CSV files.\n\n"
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
    if (optind != argc - 1)
    {
        fputs(help, stderr);
        return EXIT_BAD_INPUT;
    }
    return -1;
}

static int
deliver(const char *text, const char *output)
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

int
command_report(int argc, char **argv)
{
    struct report_arguments a;
    int status = take_arguments(argc, argv, &a);
    if (status >= 0)
    {
        return status;
    }
    struct diagnostics d = {.file = argv[optind]};
    struct document *claims = document_read(d.file, &d);
    char *text = NULL;
    if (claims)
    {
        claims_check(claims->root, &d);
    }
    if (claims && d.n == 0)
    {
        text = report_write(claims, a.results, a.allow_missing, &d);
    }
    status = d.n ? EXIT_BAD_INPUT : deliver(text, a.output);
    diag_print(&d, stderr);
    free(text);
    diag_free(&d);
    document_free(claims);
    return status;
}
