/* SPDX-License-Identifier: GPL-2.0-only */
#include "open-data-write.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "files.h"
#include "open-data.h"
#include "textbuf.h"

/** zlib's code for gzip's format, with the largest window. */
#define GZIP (16 + MAX_WBITS)

/** Header of an SQLite file: its length, how it begins, and what is cleared: how often SQLite has
 * changed it, and versions, which SQLite leaves and open data lack. */
#define SQLITE_HEADER 100
#define CHANGES       24
#define VERSIONS      92
static const char magic[] = "SQLite format 3";

/** The bytes in gzip's format, without a name or a time; the caller frees them. */
static char *
pack(const unsigned char *bytes, size_t n, size_t *size)
{
    z_stream z = {.next_in = (z_const Bytef *)bytes, .avail_in = (uInt)n};
    if (deflateInit2(&z, Z_BEST_COMPRESSION, Z_DEFLATED, GZIP, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) !=
        Z_OK)
    {
        on_out_of_memory();
    }
    const size_t room = deflateBound(&z, (uLong)n);
    char *packed = xcalloc(room, 1);
    void *out = packed;
    z.next_out = out;
    z.avail_out = (uInt)room;
    deflate(&z, Z_FINISH);
    *size = room - z.avail_out;
    deflateEnd(&z);
    return packed;
}

/** Whether a file that is to be replaced is open data, or there is none. SQLite itself leaves its
 * version in a header. */
static bool
may_replace(const char *path, char **why)
{
    static const unsigned char cleared[8];
    size_t n = 0;
    if (access(path, F_OK) != 0)
    {
        return true;
    }
    OWNED char *unread = NULL;
    OWNED unsigned char *bytes = open_data_read(path, &n, &unread);
    const bool may = bytes && n > SQLITE_HEADER && memcmp(bytes, magic, sizeof magic) == 0 &&
                     memcmp(bytes + VERSIONS, cleared, sizeof cleared) == 0;
    if (!may)
    {
        *why = xformat("%s is not open data, and is not replaced; expected another folder", path);
    }
    return may;
}

bool
open_data_write(const char *folder, const char *name, unsigned char *bytes, size_t n, size_t *size,
                char **why)
{
    memset(bytes + CHANGES, 0, 4);
    memset(bytes + VERSIONS, 0, 8);
    if (n > OPEN_DATA_MOST)
    {
        *why = xformat("%zu MB of results are too many to be kept in %s/%s" OPEN_DATA_ENDING
                       "; expected %zu at most",
                       n >> 20, folder, name, OPEN_DATA_MOST >> 20);
        return false;
    }
    OWNED char *file = xformat("%s" OPEN_DATA_ENDING, name), *path = xformat("%s/%s", folder, file);
    if (!may_replace(path, why))
    {
        return false;
    }
    OWNED char *packed = pack(bytes, n, size);
    return file_replace(folder, file, packed, *size, why);
}
