/* SPDX-License-Identifier: GPL-2.0-only */
#include "validation.h"

#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

/** Where the next part begins: a heading of the first rank. The text's end if there is none. */
static const char *
next_part(const char *s)
{
    const char *found = strstr(s, "\n# ");
    return found ? found + 1 : s + strlen(s);
}

/** Whether a part was made from these claims. */
static bool
is_of(const char *part, const char *end, const char *claims)
{
    char *mark = xformat("weft report %s'", claims);
    const char *found = strstr(part, mark);
    free(mark);
    return found && found < end;
}

char *
validation_replace(const char *old, const char *claims, const char *part)
{
    struct text t = {0};
    bool done = false;
    for (const char *s = old; *s; s = next_part(s))
    {
        const char *end = next_part(s);
        if (is_of(s, end, claims))
        {
            text_add(&t, "%s%s", part, *end ? "\n" : "");
            done = true;
        }
        else
        {
            text_add(&t, "%.*s", (int)(end - s), s);
        }
    }
    if (!done)
    {
        text_add(&t, "%s%s", t.len ? "\n" : "", part);
    }
    return text_take(&t);
}
