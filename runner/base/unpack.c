/* SPDX-License-Identifier: GPL-2.0-only */
#include "unpack.h"

#include <lzma.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "textbuf.h"

#define PIECE ((size_t)1 << 20)

static const unsigned char xz_magic[] = {0xfd, '7', 'z', 'X', 'Z', 0};
static const unsigned char gzip_magic[] = {0x1f, 0x8b};

/** Bytes that have been unpacked so far. */
struct unpacked
{
    char *bytes;
    size_t n, room;
};

static bool
begins_with(const char *bytes, size_t n, const unsigned char *magic, size_t length)
{
    return n >= length && memcmp(bytes, magic, length) == 0;
}

bool
is_packed(const char *bytes, size_t n)
{
    return begins_with(bytes, n, xz_magic, sizeof xz_magic) ||
           begins_with(bytes, n, gzip_magic, sizeof gzip_magic);
}

static void
make_room(struct unpacked *u)
{
    if (u->room - u->n < PIECE + 1)
    {
        u->room = 2 * u->room + PIECE + 1;
        u->bytes = xrealloc(u->bytes, u->room, 1);
    }
}

/** Unpacks until the end, an error, or more than @p most. Returns what is wrong, or NULL. */
static const char *
unpack_xz(const char *bytes, size_t n, size_t most, struct unpacked *u)
{
    lzma_stream s = LZMA_STREAM_INIT;
    lzma_ret code = lzma_stream_decoder(&s, UINT64_MAX, LZMA_CONCATENATED);
    s.next_in = (const uint8_t *)bytes;
    s.avail_in = n;
    while (code == LZMA_OK && u->n <= most)
    {
        make_room(u);
        s.next_out = (uint8_t *)u->bytes + u->n;
        s.avail_out = PIECE;
        code = lzma_code(&s, LZMA_FINISH);
        u->n += PIECE - s.avail_out;
    }
    lzma_end(&s);
    return code == LZMA_OK || code == LZMA_STREAM_END ? NULL
           : code == LZMA_BUF_ERROR                   ? "the xz data are cut short"
                                                      : "the xz data are damaged";
}

static const char *
unpack_gzip(const char *bytes, size_t n, size_t most, struct unpacked *u)
{
    z_stream s = {.zalloc = NULL};
    int code = inflateInit2(&s, 15 + 16);
    size_t left = n;
    s.next_in = (z_const Bytef *)bytes;
    while (code == Z_OK && u->n <= most)
    {
        const uInt piece = left < PIECE ? (uInt)left : (uInt)PIECE;
        make_room(u);
        s.avail_in = piece;
        s.next_out = (Bytef *)u->bytes + u->n;
        s.avail_out = (uInt)PIECE;
        code = inflate(&s, Z_NO_FLUSH);
        left -= piece - s.avail_in;
        u->n += PIECE - s.avail_out;
        if (code == Z_STREAM_END && left > 0) /* another member */
        {
            code = inflateReset(&s);
        }
    }
    inflateEnd(&s);
    return code == Z_OK || code == Z_STREAM_END ? NULL
           : code == Z_BUF_ERROR                ? "the gzip data are cut short"
                                                : "the gzip data are damaged";
}

char *
unpack(const char *bytes, size_t n, size_t most, size_t *size, char **why)
{
    struct unpacked u = {.bytes = NULL};
    const bool xz = begins_with(bytes, n, xz_magic, sizeof xz_magic);
    const char *wrong = xz ? unpack_xz(bytes, n, most, &u) : unpack_gzip(bytes, n, most, &u);
    if (wrong || u.n > most)
    {
        *why = wrong ? xstrdup(wrong) : xformat("there are more than %zu bytes in it", most);
        free(u.bytes);
        return NULL;
    }
    make_room(&u);
    u.bytes[u.n] = '\0';
    *size = u.n;
    return u.bytes;
}
