/* SPDX-License-Identifier: GPL-2.0-only */
#include "sql-file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"
#include "clock.h"
#include "sql-open.h"
#include "textbuf.h"

/* --- names and values ------------------------------------------------------------------------- */

/** Whether a name stands for itself without quotes. */
static bool
is_plain(const char *name)
{
    const size_t n =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    return n > 0 && !name[n] && !(*name >= '0' && *name <= '9') &&
           !sqlite3_keyword_check(name, (int)n);
}

/** Adds a text between quotes, with those inside doubled. */
static void
add_quoted(struct text *t, char quote, const char *s)
{
    text_add_bytes(t, &quote, 1);
    for (const char *end; (end = strchr(s, quote)) != NULL; s = end + 1)
    {
        text_add_bytes(t, s, (size_t)(end + 1 - s));
        text_add_bytes(t, &quote, 1);
    }
    text_add_bytes(t, s, strlen(s));
    text_add_bytes(t, &quote, 1);
}

void
sql_add_name(struct text *t, const char *name)
{
    if (is_plain(name))
    {
        text_add(t, "%s", name);
    }
    else
    {
        add_quoted(t, '"', name);
    }
}

void
sql_add_literal(struct text *t, const char *s)
{
    add_quoted(t, '\'', s);
}

/* Places in the first bytes of a file, by the description of SQLite's format. */
#define HEADER         100
#define PAGE_SIZE      16
#define PAGES          28
#define APPLICATION_ID 68

/* --- writing ---------------------------------------------------------------------------------- */

/** False with what SQLite, or else the system, says. */
static bool
fail(const struct sql_file *f, char **why)
{
    const int status = f->db ? sqlite3_errcode(f->db) : SQLITE_NOMEM;
    const int error = status == SQLITE_FULL    ? ENOSPC
                      : status == SQLITE_IOERR ? sqlite3_system_errno(f->db)
                                               : 0;
    *why = xformat("cannot write %s%s%s: %s", f->folder ? f->folder->path : "",
                   f->folder ? "/" : "", f->name,
                   error ? strerror(error)
                   : status == SQLITE_CANTOPEN && f->folder && strlen(f->folder->path) > 256
                       ? "SQLite takes no path of more than 500 characters"
                   : f->db ? sqlite3_errmsg(f->db)
                           : "out of memory");
    return false;
}

/** "file:PATH?" with what follows. Two slashes at the path's beginning would name another machine.
 */
static char *
address(const char *path, const char *parameters)
{
    struct text t = {0};
    text_add(&t, *path == '/' ? "file://" : "file:");
    for (const char *s = path; *s; s++)
    {
        text_add(&t, isalnum((unsigned char)*s) || strchr("/._-", *s) ? "%c" : "%%%02X",
                 (unsigned char)*s);
    }
    text_add(&t, "?%s", parameters);
    return text_take(&t);
}

char *
sql_file_address(const char *path)
{
    return address(path, "mode=ro&immutable=1");
}

/** Opens it. The schema `run` is there for what is read from other files. */
static bool
open_at(struct sql_file *f, const char *where, int page, char **why)
{
    OWNED char *start =
        xformat("PRAGMA page_size = %d; PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                "PRAGMA user_version = %d; ATTACH ':memory:' AS run;",
                page, RESULTS_VERSION);
    const int how = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    return sql_open(&f->db, where, how, start) == SQLITE_OK || fail(f, why);
}

/** The path of a file in an open folder, which may have been moved, or its name given to another
 * one, since it was opened. */
static char *
path_in(const struct folder *folder, const char *name)
{
    char *path = xformat("/proc/self/fd/%d/%s", folder->fd, name);
    if (access(path, F_OK) == 0)
    {
        return path;
    }
    free(path);
    return xformat("%s/%s", folder->path, name);
}

bool
sql_file_open(struct sql_file *f, const struct folder *folder, const char *temporary,
              const char *name, int page, char **why)
{
    OWNED char *path = path_in(folder, temporary), *where = address(path, "nolock=1");
    *f = (struct sql_file){NULL, folder, name};
    return open_at(f, where, page, why);
}

bool
sql_file_open_unnamed(struct sql_file *f, char **why)
{
    *f = (struct sql_file){NULL, NULL, "a temporary file"};
    return open_at(f, "", 4096, why);
}

bool
sql_file_run(const struct sql_file *f, const char *sql, char **why)
{
    return sqlite3_exec(f->db, sql, NULL, NULL, NULL) == SQLITE_OK || fail(f, why);
}

bool
sql_file_prepare(const struct sql_file *f, const char *sql, sqlite3_stmt **statement, char **why)
{
    return sqlite3_prepare_v2(f->db, sql, -1, statement, NULL) == SQLITE_OK || fail(f, why);
}

bool
sql_file_step(const struct sql_file *f, sqlite3_stmt *statement, char **why)
{
    const bool good = sqlite3_step(statement) == SQLITE_DONE;
    return (sqlite3_reset(statement) == SQLITE_OK && good) || fail(f, why);
}

void
statement_drop(sqlite3_stmt **statement)
{
    sqlite3_finalize(*statement);
}

static void
finalize_all(const struct sql_file *f)
{
    sqlite3_stmt *each;
    while (f->db && (each = sqlite3_next_stmt(f->db, NULL)) != NULL)
    {
        sqlite3_finalize(each);
    }
}

void
sql_file_close(struct sql_file *f)
{
    finalize_all(f);
    sqlite3_close(f->db);
    f->db = NULL;
}

/* --- checksum --------------------------------------------------------------------------------- */

/** Four bytes, most significant first, as all numbers in SQLite's files are. */
static uint32_t
number_at(const uint8_t *bytes, size_t at)
{
    return (uint32_t)bytes[at] << 24 | (uint32_t)bytes[at + 1] << 16 |
           (uint32_t)bytes[at + 2] << 8 | bytes[at + 3];
}

/** State of reading a file for its checksum. */
struct reading
{
    double deadline;         /**< as clock_seconds() */
    uint32_t sum;            /**< of its bytes, as if none were in it */
    uint32_t there;          /**< that which is in it */
    uint64_t size, expected; /**< bytes: that it has, and that it has by its own account */
};

/** Takes what the first bytes of a file say of it. */
static void
read_header(struct reading *r, uint8_t *bytes, ssize_t n)
{
    if (n >= HEADER)
    {
        const uint32_t page = number_at(bytes, PAGE_SIZE) >> 16;
        r->expected = (uint64_t)number_at(bytes, PAGES) * (page == 1 ? 65536 : page);
        r->there = number_at(bytes, APPLICATION_ID);
        memset(bytes + APPLICATION_ID, 0, sizeof r->there);
    }
}

/** Reads an open file whose deadline is given, to its end if it has the bytes that it should have,
 * as it may be far too large otherwise. */
static enum sql_file_state
read_checksum(int fd, struct reading *r)
{
    static uint8_t bytes[1 << 16];
    struct checksum c = {0};
    struct stat st;
    ssize_t n;
    const bool known = fstat(fd, &st) == 0;
    *r =
        (struct reading){.deadline = r->deadline, .size = (uint64_t)st.st_size, .expected = HEADER};
    while (known && (n = read(fd, bytes, sizeof bytes)) > 0)
    {
        if (c.bytes == 0)
        {
            read_header(r, bytes, n);
        }
        if (r->size != r->expected || r->size > SQL_FILE_MOST)
        {
            return r->size != r->expected ? SQL_FILE_DAMAGED : SQL_FILE_TOO_LARGE;
        }
        if (clock_seconds() > r->deadline)
        {
            return SQL_FILE_TOO_LARGE;
        }
        checksum_add(&c, bytes, (size_t)n);
    }
    r->sum = checksum_value(&c);
    return !known || n < 0                                ? SQL_FILE_UNREADABLE
           : r->size == r->expected && r->sum == r->there ? SQL_FILE_WHOLE
                                                          : SQL_FILE_DAMAGED;
}

/** Gives a file that is closed its checksum. */
static bool
seal(const struct sql_file *f, const char *temporary, char **why)
{
    CLEANUP(fd_drop)
    const int fd = openat(f->folder->fd, temporary, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    struct reading r = {.deadline = INFINITY};
    const enum sql_file_state state = fd < 0 ? SQL_FILE_UNREADABLE : read_checksum(fd, &r);
    bool good = state != SQL_FILE_UNREADABLE;
    if (good && (state == SQL_FILE_TOO_LARGE || r.size != r.expected))
    {
        good = false;
        errno = state == SQL_FILE_TOO_LARGE ? EFBIG : ESTALE;
    }
    if (good)
    {
        const uint8_t bytes[] = {(uint8_t)(r.sum >> 24), (uint8_t)(r.sum >> 16),
                                 (uint8_t)(r.sum >> 8), (uint8_t)r.sum};
        good = pwrite(fd, bytes, sizeof bytes, APPLICATION_ID) == (ssize_t)sizeof bytes;
    }
    if (!good)
    {
        *why = xformat("cannot write %s/%s: %s", f->folder->path, f->name, strerror(errno));
    }
    return good;
}

bool
sql_file_end(struct sql_file *f, const char *temporary, char **why)
{
    finalize_all(f);
    const bool good = sqlite3_close(f->db) == SQLITE_OK || fail(f, why);
    f->db = good ? NULL : f->db;
    sql_file_close(f);
    return good && seal(f, temporary, why);
}

enum sql_file_state
sql_file_look(const struct folder *folder, const char *name, double deadline, uint64_t *size,
              char **why)
{
    CLEANUP(fd_drop) const int fd = file_open(folder, name, why);
    struct reading r = {.deadline = deadline};
    if (fd < 0)
    {
        return SQL_FILE_UNREADABLE;
    }
    const enum sql_file_state state = read_checksum(fd, &r);
    *size = r.size;
    if (state != SQL_FILE_WHOLE)
    {
        *why = state == SQL_FILE_UNREADABLE ? xformat("cannot read %s/%s", folder->path, name)
               : r.size != r.expected
                   ? xformat("%s has %" PRIu64 " bytes, and it was written with %" PRIu64, name,
                             r.size, r.expected)
               : state == SQL_FILE_DAMAGED ? xformat("%s has other bytes than were written", name)
               : r.size > SQL_FILE_MOST
                   ? xformat("%s/%s has %" PRIu64 " bytes; expected %" PRIu64 " at most",
                             folder->path, name, r.size, SQL_FILE_MOST)
                   : xformat("%s/%s has %" PRIu64 " bytes, which take longer to be read than "
                             "--timeout leaves",
                             folder->path, name, r.size);
    }
    return state;
}
