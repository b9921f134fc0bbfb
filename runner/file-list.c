/* SPDX-License-Identifier: GPL-2.0-only */
#include "file-list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "checksum.h"

#define HEADING                                                                                    \
    "files (checksum, bytes, name, as cksum prints them; the last line is of the lines above):\n"

void
file_list_add(struct text *list, const char *name, const char *bytes, size_t n)
{
    struct checksum c = {0};
    checksum_add(&c, bytes, n);
    text_add(list, "%" PRIu32 " %zu %s\n", checksum_value(&c), n, name);
}

char *
file_list_end(const char *provenance, const struct text *list)
{
    struct text t = {0};
    struct checksum c = {0};
    text_add(&t, "%s" HEADING "%s", provenance, list->len ? list->s : "");
    checksum_add(&c, t.s, t.len);
    text_add(&t, "%" PRIu32 " %zu\n", checksum_value(&c), t.len);
    return text_take(&t);
}

static bool
checksum_of_file(const struct folder *run, const char *name, struct checksum *c, char **why)
{
    static char bytes[1 << 16];
    int fd = file_open(run, name, why);
    ssize_t n = fd < 0 ? -1 : 1;
    while (n > 0)
    {
        n = read(fd, bytes, sizeof bytes);
        checksum_add(c, bytes, n > 0 ? (size_t)n : 0);
    }
    if (fd >= 0 && n < 0)
    {
        *why = xformat("cannot read %s/%s", run->path, name);
    }
    if (fd >= 0)
    {
        close(fd);
    }
    return n == 0;
}

/** Checks one line of the list, without its end. */
static bool
check_line(const struct folder *run, const char *line, char **why)
{
    uint32_t value;
    uint64_t bytes;
    int name = 0;
    struct checksum c = {0};
    if (sscanf(line, "%" SCNu32 " %" SCNu64 " %n", &value, &bytes, &name) != 2 || !line[name])
    {
        *why = xformat("'%s' in " FILE_LIST_FILE " is no line of a list of files", line);
        return false;
    }
    if (!checksum_of_file(run, line + name, &c, why))
    {
        return false;
    }
    if (c.bytes != bytes)
    {
        *why = xformat("%s has %" PRIu64 " bytes, and it was written with %" PRIu64, line + name,
                       c.bytes, bytes);
        return false;
    }
    if (checksum_value(&c) != value)
    {
        *why = xformat("%s has other bytes than were written (checksum %" PRIu32
                       ", expected %" PRIu32 ")",
                       line + name, checksum_value(&c), value);
        return false;
    }
    return true;
}

/** Cuts the last line off; whether it is the checksum of the bytes before it. */
static bool
take_last_line(char *text, size_t n)
{
    uint32_t value;
    uint64_t bytes;
    int end = -1;
    size_t start = n > 0 ? n - 1 : 0;
    while (start > 0 && text[start - 1] != '\n')
    {
        start--;
    }
    if (memchr(text, '\0', n) ||
        sscanf(text + start, "%" SCNu32 " %" SCNu64 "\n%n", &value, &bytes, &end) != 2 || end < 0 ||
        start + (size_t)end != n)
    {
        return false;
    }
    struct checksum c = {0};
    checksum_add(&c, text, start);
    text[start] = '\0';
    return bytes == start && checksum_value(&c) == value;
}

bool
file_list_check(const struct folder *run, char **why)
{
    size_t n;
    char *text = file_read(run, FILE_LIST_FILE, &n, why);
    if (!text)
    {
        return false;
    }
    bool good = take_last_line(text, n);
    char *heading = strstr(text, "\n" HEADING);
    char *line = good && heading ? heading + strlen("\n" HEADING) : NULL;
    if (!line)
    {
        *why = xstrdup(FILE_LIST_FILE " is damaged, or of an earlier Weft, which listed no files");
    }
    good = line != NULL;
    while (good && *line)
    {
        char *end = strchr(line, '\n');
        *end = '\0';
        good = check_line(run, line, why);
        line = end + 1;
    }
    free(text);
    return good;
}
