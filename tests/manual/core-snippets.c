/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs one C block of the manual's pages: the one that begins at PAGE:LINE. programs.sh makes the two
 * .inc files of the pages. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "c-bodies.inc"

static const struct
{
    const char *name;
    int (*run)(void);
} snippets[] = {
#include "c-table.inc"
};

int
main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof snippets / sizeof snippets[0]; i++)
    {
        if (strcmp(snippets[i].name, argv[1]) == 0)
        {
            return snippets[i].run() ? EXIT_FAILURE : EXIT_SUCCESS;
        }
    }
    fprintf(stderr, "there is no such block in this build: %s\n", argc == 2 ? argv[1] : "PAGE:LINE");
    return 2;
}
