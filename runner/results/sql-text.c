/* SPDX-License-Identifier: GPL-2.0-only */
#include "sql-text.h"

#include <sqlite3.h>
#include <string.h>

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
    text_add(t, "%c", quote);
    for (; *s; s++)
    {
        text_add(t, *s == quote ? "%c%c" : "%c", *s, *s);
    }
    text_add(t, "%c", quote);
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
