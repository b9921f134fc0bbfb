/* SPDX-License-Identifier: GPL-2.0-only */
#include "open-data.h"

#include <glob.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "diagnostics.h"
#include "files.h"
#include "textbuf.h"

/** Most bytes of a file. */
#define MOST_PACKED ((size_t)64 << 20)

/** zlib's code for gzip's format, with the largest window. */
#define GZIP (16 + MAX_WBITS)

/** gzip's least header and its trailer, which ends with the number of bytes, the lowest first. */
#define LEAST  18
#define LENGTH 4

bool
open_data_is(const char *path)
{
    const size_t n = strlen(path), ending = strlen(OPEN_DATA_ENDING);
    return n > ending && strcmp(path + n - ending, OPEN_DATA_ENDING) == 0;
}

/* --- names ------------------------------------------------------------------------------------ */

/** The names of all results in a folder, in their order. */
static struct words
names_in(const char *folder)
{
    struct words names = {0};
    glob_t found = {0};
    OWNED char *pattern = xformat("%s/*" OPEN_DATA_ENDING, folder);
    const size_t n = glob(pattern, 0, NULL, &found) == 0 ? found.gl_pathc : 0;
    for (size_t i = 0; i < n; i++)
    {
        const char *name = found.gl_pathv[i] + strlen(folder) + 1;
        words_add(&names, xformat("%.*s", (int)(strlen(name) - strlen(OPEN_DATA_ENDING)), name));
    }
    globfree(&found);
    return names;
}

/** "; did you mean themis-fig5 or ethereal-fig5?": those of which the name is a part between
 * dashes, or begins one; else the one that is nearest. */
static char *
meant(const struct words *names, const char *name)
{
    struct text t = {0};
    struct nearest near = nearest_start(name);
    for (size_t i = 0; i < names->n; i++)
    {
        const char *part = strstr(names->word[i], name);
        if (*name && part && (part == names->word[i] || part[-1] == '-'))
        {
            text_add(&t, "%s%s", t.len ? " or " : "; did you mean ", names->word[i]);
        }
    }
    text_add(&t, t.len ? "?" : "");
    nearest_try_words(&near, names);
    if (!t.len)
    {
        text_add(&t, "%s", did_you_mean(near.best));
    }
    return text_take(&t);
}

char *
open_data_find(const char *folder, const char *name, char **why)
{
    CLEANUP(words_free) struct words names = names_in(folder);
    const bool there = words_have(&names, name);
    OWNED char *others = there ? NULL : meant(&names, name);
    if (!there)
    {
        *why = xformat("there are no results of '%s' in %s%s", name, folder, others);
    }
    return there ? xformat("%s/%s" OPEN_DATA_ENDING, folder, name) : NULL;
}

/* --- reading ---------------------------------------------------------------------------------- */

/** How many bytes the file says that it gives. */
static size_t
length_of(const unsigned char *packed, size_t n)
{
    size_t length = 0;
    for (size_t i = 1; i <= LENGTH; i++)
    {
        length = length << 8 | packed[n - i];
    }
    return length;
}

/** Unpacks a file, which must give all, and no more than it says; NULL: it is damaged. */
static unsigned char *
unpack(unsigned char *packed, size_t n, size_t length)
{
    unsigned char *bytes = xcalloc(length, 1);
    z_stream z = {
        .next_in = packed, .avail_in = (uInt)n, .next_out = bytes, .avail_out = (uInt)length};
    bool good = inflateInit2(&z, GZIP) == Z_OK;
    good = good && inflate(&z, Z_FINISH) == Z_STREAM_END && z.avail_in == 0 && z.avail_out == 0;
    inflateEnd(&z);
    if (!good)
    {
        free(bytes);
        bytes = NULL;
    }
    return bytes;
}

unsigned char *
open_data_read(const char *path, size_t *n, char **why)
{
    size_t size;
    char *file = file_read_path(path, MOST_PACKED, &size, why);
    void *packed = file;
    if (!file)
    {
        return NULL;
    }
    *n = size >= LEAST ? length_of(packed, size) : 0;
    unsigned char *bytes = *n && *n <= OPEN_DATA_MOST ? unpack(packed, size, *n) : NULL;
    if (!bytes)
    {
        *why = xformat("%s cannot be used: its bytes are not those that were written, or hold more "
                       "than %zu MB",
                       path, OPEN_DATA_MOST >> 20);
    }
    free(file);
    return bytes;
}
