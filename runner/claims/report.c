/* SPDX-License-Identifier: GPL-2.0-only */
/* A claims file read, and a report delivered. */
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "files.h"
#include "sweep-run.h"

static int
write_into(const char *text, const char *output)
{
    FILE *file = fopen(output, "w");
    const bool good = file && fputs(text, file) >= 0;
    if ((file && fclose(file) != 0) || !good)
    {
        fprintf(stderr, "weft: error: cannot write %s: %s\n", output, strerror(errno));
        return EXIT_FAILED;
    }
    return EXIT_GOOD;
}

int
report_deliver(const char *text, const char *output)
{
    if (!output)
    {
        fputs(text, stdout);
        return EXIT_GOOD;
    }
    struct stat st;
    if (stat(output, &st) == 0 && !S_ISREG(st.st_mode))
    {
        return write_into(text, output); /* a device or a pipe stays what it is */
    }
    const char *slash = strrchr(output, '/');
    OWNED char *why = NULL;
    OWNED char *folder =
        slash ? xformat("%.*s", slash > output ? (int)(slash - output) : 1, output) : xstrdup(".");
    bool good = file_replace(folder, slash ? slash + 1 : output, text, strlen(text), &why);
    if (!good)
    {
        fprintf(stderr, "weft: error: %s\n", why);
    }
    return good ? EXIT_GOOD : EXIT_FAILED;
}

struct document *
claims_read(const char *path)
{
    CLEANUP(diag_free) struct diagnostics d = {.file = path};
    struct document *claims = document_read_as(&claims_grammar, path, &d);
    if (claims)
    {
        claims_check(claims, &d);
    }
    if (d.n)
    {
        document_free(claims);
        claims = NULL;
    }
    diag_print(&d, stderr);
    return claims;
}
