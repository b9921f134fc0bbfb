/* SPDX-License-Identifier: GPL-2.0-only */
#include "file-list.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "checksum.h"

#define HEADING                                                                                    \
    "files (checksum, bytes, name, as cksum prints them; the last line is of the lines above):\n"

static void
add_line(struct text *list, const char *name, const struct checksum *c)
{
    text_add(list, "%" PRIu32 " %" PRIu64 " %s\n", checksum_value(c), c->bytes, name);
}

void
file_list_add(struct text *list, const char *name, const char *bytes, size_t n)
{
    struct checksum c = {0};
    checksum_add(&c, bytes, n);
    add_line(list, name, &c);
}

char *
file_list_end(const char *before, const struct text *list)
{
    struct text t = {0};
    struct checksum c = {0};
    text_add(&t, "%s" HEADING "%s", before, list->len ? list->s : "");
    checksum_add(&c, t.s, t.len);
    text_add(&t, "%" PRIu32 " %zu\n", checksum_value(&c), t.len);
    return text_take(&t);
}

/** The last one: a path in the lines above may hold anything. */
static char *
last_heading(char *text)
{
    char *found = NULL;
    for (char *p = strstr(text, "\n" HEADING); p; p = strstr(p + 1, "\n" HEADING))
    {
        found = p;
    }
    return found;
}

/** Adds all bytes of a file; of one whose size is not @p expected (NULL: any is) only their number.
 */
static bool
checksum_of_file(const struct folder *run, const char *name, const uint64_t *expected,
                 struct checksum *c, char **why)
{
    static char bytes[1 << 16];
    struct stat st;
    int fd = file_open(run, name, why);
    ssize_t n = fd < 0 ? -1 : 1;
    if (fd >= 0 && expected && fstat(fd, &st) == 0 && (uint64_t)st.st_size != *expected)
    {
        c->bytes = (uint64_t)st.st_size;
        n = 0;
    }
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

bool
file_list_add_file(struct text *list, const char *name, const struct folder *folder,
                   const char *file, char **why)
{
    struct checksum c = {0};
    const bool good = checksum_of_file(folder, file, NULL, &c, why);
    if (good)
    {
        add_line(list, name, &c);
    }
    return good;
}

/** What a line of the list says of a file. */
struct listed
{
    const char *name;
    uint32_t checksum;
    uint64_t bytes;
};

/** Reads one line of file @p list, without its end. */
static bool
read_line(const char *list, const char *line, struct listed *l, char **why)
{
    int name = 0;
    if (sscanf(line, "%" SCNu32 " %" SCNu64 " %n", &l->checksum, &l->bytes, &name) != 2 ||
        !line[name])
    {
        *why = xformat("'%s' in %s is no line of a list of files", line, list);
        return false;
    }
    l->name = line + name;
    return true;
}

/** Whether a file's bytes are those that were written. */
static bool
compare(const struct listed *l, const struct checksum *c, char **why)
{
    if (c->bytes != l->bytes)
    {
        *why = xformat("%s has %" PRIu64 " bytes, and it was written with %" PRIu64, l->name,
                       c->bytes, l->bytes);
        return false;
    }
    if (checksum_value(c) != l->checksum)
    {
        *why = xformat("%s has other bytes than were written (checksum %" PRIu32
                       ", expected %" PRIu32 ")",
                       l->name, checksum_value(c), l->checksum);
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

/** Reads file @p list, the caller's to free; *lines: of its list, without the last. NULL with a
 * sentence if it is not whole. */
static char *
read_list(const struct folder *folder, const char *list, char **lines, char **why)
{
    size_t n;
    char *text = file_read(folder, list, &n, why);
    char *heading = text && take_last_line(text, n) ? last_heading(text) : NULL;
    if (text && !heading)
    {
        *why = xformat("%s is damaged, or of an earlier Weft, which listed no files", list);
        free(text);
        text = NULL;
    }
    *lines = heading ? heading + strlen("\n" HEADING) : NULL;
    return text;
}

/** Cuts the first line off what is left of a list; NULL: there is none. */
static char *
next_line(char **lines)
{
    char *line = *lines, *end = strchr(line, '\n');
    if (!end)
    {
        return NULL;
    }
    *end = '\0';
    *lines = end + 1;
    return line;
}

/** Checks all files of a list, or that of one name, which must be there. */
static bool
check(const struct folder *folder, const char *list, const char *name, char **why)
{
    char *lines, *text = read_list(folder, list, &lines, why), *line;
    bool good = text != NULL, found = name == NULL;
    while (good && (line = next_line(&lines)) != NULL)
    {
        struct listed l;
        struct checksum c = {0};
        good = read_line(list, line, &l, why);
        if (good && (!name || strcmp(l.name, name) == 0))
        {
            found = true;
            good = checksum_of_file(folder, l.name, &l.bytes, &c, why) && compare(&l, &c, why);
        }
    }
    if (good && !found)
    {
        *why = xformat("%s lists no %s", list, name);
    }
    free(text);
    return good && found;
}

bool
file_list_check(const struct folder *run, char **why)
{
    return check(run, FILE_LIST_FILE, NULL, why);
}

bool
file_list_check_file(const struct folder *folder, const char *list, const char *name, char **why)
{
    return check(folder, list, name, why);
}
