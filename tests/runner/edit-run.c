/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Usage: edit-run FILE SQL...
 *        edit-run FILE --endless TABLE
 * Changes the file of runs, or results.sqlite, as if it had been written so: its checksum is that
 * of what is in it then. With --endless the pages of the table lead to each other so often that it
 * has more rows than anybody can read.
 */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sql-file.h"

#define LEVELS 10

/** As SQLite has all its numbers. */
static void
put(uint8_t *at, uint32_t number, int bytes)
{
    while (bytes-- > 0)
    {
        at[bytes] = (uint8_t)number;
        number >>= 8;
    }
}

static int
ask(sqlite3 *db, const char *sql)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    return sqlite3_prepare_v2(db, sql, -1, &s, NULL) == SQLITE_OK && sqlite3_step(s) == SQLITE_ROW
               ? sqlite3_column_int(s, 0)
               : 0;
}

/** A page whose children are all the page @p child. */
static void
make_inner(uint8_t *page, int size, uint32_t child)
{
    const int n = (size - 12) / 7;
    memset(page, 0, (size_t)size);
    page[0] = 5;
    put(page + 3, (uint32_t)n, 2);
    put(page + 5, (uint32_t)(size - 5 * n), 2);
    put(page + 8, child, 4);
    for (int i = 0; i < n; i++)
    {
        uint8_t *cell = page + size - 5 * (i + 1);
        put(page + 12 + 2 * i, (uint32_t)(size - 5 * (i + 1)), 2);
        put(cell, child, 4);
        cell[4] = 1;
    }
}

/** Puts inner pages above a table's root, each of which has the next one many times. */
static bool
make_endless(const struct folder *folder, const char *file, int root, int pages, int size)
{
    const int fd = openat(folder->fd, file, O_RDWR);
    uint8_t *page = xcalloc((size_t)size, 1), number[4];
    const int last = pages + LEVELS;
    bool good = fd >= 0 && pread(fd, page, (size_t)size, (off_t)(root - 1) * size) == size &&
                pwrite(fd, page, (size_t)size, (off_t)(last - 1) * size) == size;
    for (int p = pages; good && p < last; p++)
    {
        make_inner(page, size, (uint32_t)p + 1);
        good = pwrite(fd, page, (size_t)size, (off_t)((p == pages ? root : p) - 1) * size) == size;
    }
    put(number, (uint32_t)last, 4);
    good = good && pwrite(fd, number, 4, 28) == 4;
    free(page);
    return close(fd) == 0 && good;
}

/** Does what is asked for with the open file; it is closed, but for its checksum. */
static bool
edit(struct sql_file *f, const struct folder *folder, char **argv, int argc, char **why)
{
    if (argc == 2 && strcmp(argv[0], "--endless") == 0)
    {
        OWNED char *sql = xformat("select rootpage from sqlite_master where name = '%s'", argv[1]);
        const int root = ask(f->db, sql), pages = ask(f->db, "pragma page_count"),
                  size = ask(f->db, "pragma page_size");
        return sqlite3_close(f->db) == SQLITE_OK && (f->db = NULL) == NULL && root > 1 &&
               make_endless(folder, f->name, root, pages, size);
    }
    /* Statements that SQLite would not write for anybody. */
    sqlite3_db_config(f->db, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    bool good = true;
    for (int i = 0; good && i < argc; i++)
    {
        good = sql_file_run(f, argv[i], why);
    }
    return good;
}

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
    const bool good = slash && folder_open(&folder, argv[1], &why) &&
                      sql_file_open(&f, &folder, slash + 1, slash + 1, 1024, &why) &&
                      edit(&f, &folder, argv + 2, argc - 2, &why) &&
                      sql_file_end(&f, slash + 1, &why);
    if (!good)
    {
        fprintf(stderr, "edit-run: %s\n", why ? why : "expected FOLDER/FILE SQL...");
    }
    folder_close(&folder);
    return good ? 0 : 1;
}
