/* SPDX-License-Identifier: GPL-2.0-only */
/* weft export */
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "export.h"
#include "run-file.h"

/** Whether what is attached is the file of a run, by its name too; else a sentence. */
static bool
is_of_run(sqlite3 *db, const char *path, const char *name, const char *ending, char **why)
{
    const bool is = *name && strcmp(ending, ".sqlite") == 0 &&
                    sqlite3_table_column_metadata(db, "run", "files", "bytes", NULL, NULL, NULL,
                                                  NULL, NULL) == SQLITE_OK;
    *why = is ? NULL
              : xformat("%s is not the file of a run; expected one of runs/*.sqlite in a "
                        "results folder",
                        path);
    return is;
}

/** Exports the file of a run into a folder of its name in @p to. */
static bool
export_file(sqlite3 *db, const char *path, const struct folder *to, char **why)
{
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path,
               *dot = strrchr(file, '.');
    const int length = slash ? (int)(slash - path) : 0;
    OWNED char *folder = slash ? xformat("%.*s", length ? length : 1, path) : xstrdup(".");
    OWNED char *name = xformat("%.*s", (int)(dot ? dot - file : (long)strlen(file)), file);
    CLEANUP(folder_close) struct folder from = NO_FOLDER, run = NO_FOLDER;
    return folder_open(&from, folder, why) &&
           run_file_attach(db, &from, file, why) == SQL_FILE_WHOLE &&
           is_of_run(db, path, name, dot ? dot : "", why) && folder_make_in(&run, to, name, why) &&
           export_run(db, &run, why);
}

int
command_export(const struct arguments *a)
{
    CLEANUP(folder_close) struct folder to = NO_FOLDER;
    const char *out = a->to ? a->to : ".";
    char *why = NULL;
    sqlite3 *db = run_file_reader();
    bool good = folder_make(out, &why) && folder_open(&to, out, &why);
    for (int i = 0; good && i < a->nfiles; i++)
    {
        good = export_file(db, a->files[i], &to, &why);
    }
    sqlite3_close(db);
    return good ? EXIT_GOOD : sweep_refuse(why, EXIT_FAILED);
}
