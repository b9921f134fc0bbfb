/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage: edit-run FILE SQL...
 * Changes the file of runs, or results.sqlite, as if it had been written so: its checksum is that
 * of what is in it then.
 */
#include <stdio.h>
#include <string.h>

#include "sql-file.h"

int
main(int argc, char **argv)
{
    char *slash = argc > 2 ? strrchr(argv[1], '/') : NULL, *why = NULL;
    struct folder folder = NO_FOLDER;
    struct sql_file f = {NULL, NULL, NULL};
    if (slash)
    {
        *slash = '\0';
    }
    bool good = slash && folder_open(&folder, argv[1], &why) &&
                sql_file_open(&f, &folder, slash + 1, slash + 1, 1024, &why);
    for (int i = 2; good && i < argc; i++)
    {
        good = sql_file_run(&f, argv[i], &why);
    }
    good = good && sql_file_end(&f, slash + 1, &why);
    if (!good)
    {
        fprintf(stderr, "edit-run: %s\n", why ? why : "expected FOLDER/FILE SQL...");
    }
    folder_close(&folder);
    return good ? 0 : 1;
}
