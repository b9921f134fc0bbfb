/* SPDX-License-Identifier: GPL-2.0-only */
#include "validation.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "files.h"
#include "sweep-run.h"
#include "textbuf.h"

/** Where the next part begins: a heading of the first rank. The text's end if there is none. */
static const char *
next_part(const char *s)
{
    const char *found = strstr(s, "\n# ");
    return found ? found + 1 : s + strlen(s);
}

char *
validation_read(void)
{
    char *why = NULL;
    if (access(VALIDATION, F_OK) != 0 && errno == ENOENT)
    {
        return xstrdup("");
    }
    char *text = file_read_path(VALIDATION, SIZE_MAX, NULL, &why);
    if (!text)
    {
        sweep_refuse(why, EXIT_FAILED);
    }
    return text;
}

size_t
validation_place(const char *old, const char *claims)
{
    OWNED char *mark = xformat("weft report %s'", claims);
    const char *part = old, *found = strstr(old, mark);
    while (found && next_part(part) <= found)
    {
        part = next_part(part);
    }
    return found ? (size_t)(part - old) : SIZE_MAX;
}

char *
validation_replace(const char *old, const char *claims, const char *part)
{
    const size_t place = validation_place(old, claims);
    if (place == SIZE_MAX)
    {
        return xformat("%s%s%s", old, *old ? "\n" : "", part);
    }
    const char *rest = next_part(old + place);
    return xformat("%.*s%s%s%s", (int)place, old, part, *rest ? "\n" : "", rest);
}
