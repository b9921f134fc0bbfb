/* SPDX-License-Identifier: GPL-2.0-only */
#include "query-kept.h"

#include <ctype.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "query-database.h"
#include "sql-file.h"
#include "textbuf.h"

/** Rows of a file are far fewer. More would take long. */
#define MOST_KEPT 100

/* --- text of queries -------------------------------------------------------------------------- */

const char *
kept_skip(const char *s)
{
    const char *end = *s && strchr("'\"`", *s) ? strchr(s + 1, *s) : s;
    return (end ? end : s) + 1;
}

/** Whether it has comments, which end with a line. */
static bool
has_comments(const char *sql)
{
    bool has = false;
    for (const char *s = sql; *s && !has; s = kept_skip(s))
    {
        has = strncmp(s, "--", 2) == 0 || strncmp(s, "/*", 2) == 0;
    }
    return has;
}

char *
kept_squeeze(const char *sql)
{
    struct text t = {0};
    if (has_comments(sql))
    {
        return xstrdup(sql);
    }
    for (const char *s = sql, *next; *s; s = next)
    {
        for (next = s; isspace((unsigned char)*next); next++)
        {
        }
        const bool beside = !t.len || t.s[t.len - 1] == '(' || !*next || *next == ')';
        if (next == s)
        {
            next = kept_skip(s);
            text_add(&t, "%.*s", (int)(next - s), s);
        }
        else if (!beside)
        {
            text_add(&t, " ");
        }
    }
    return text_take(&t);
}

/** Whether a query reads from a table of that name, of @p n bytes. */
static bool
reads_from(const char *query, const char *name, size_t n)
{
    for (const char *s = query; *s; s++)
    {
        const bool from = strncasecmp(s, "from ", 5) == 0 || strncasecmp(s, "join ", 5) == 0;
        if (from && strncasecmp(s + 5, name, n) == 0 && !isalnum((unsigned char)s[5 + n]) &&
            s[5 + n] != '_')
        {
            return true;
        }
    }
    return false;
}

/** Whether a query has a table of its own, `with NAME as (`, that @p body reads: what is kept was
 * made of another one. */
static bool
redefines(const char *sql, const char *body)
{
    for (const char *s = sql; *s; s = kept_skip(s))
    {
        const char *end = s, *name;
        while (*s == '(' && end > sql && end[-1] == ' ')
        {
            end--;
        }
        if (*s != '(' || end - sql < 4 || strncasecmp(end - 3, " as", 3) != 0)
        {
            continue;
        }
        for (name = end -= 3; name > sql && (isalnum((unsigned char)name[-1]) || name[-1] == '_');)
        {
            name--;
        }
        if (end > name && reads_from(body, name, (size_t)(end - name)))
        {
            return true;
        }
    }
    return false;
}

/** Has a query read the table in place of its query, wherever that is. Takes @p sql. */
static char *
put_one(const struct kept *kept, char *sql)
{
    OWNED char *body = xformat("(%s)", kept->body);
    const char *lead = strstr(sql, kept->lead), *from = lead ? lead + strlen(kept->lead) : sql;
    OWNED char *before = xformat("%.*s", lead ? (int)(lead - sql) : 0, sql);
    const size_t n = strlen(body);
    if (!lead || redefines(before, body) || redefines(from, body))
    {
        return sql;
    }
    struct text t = {0};
    for (const char *s = sql, *next; *s; s = next)
    {
        const bool is = s >= from && strncmp(s, body, n) == 0;
        next = is ? s + n : kept_skip(s);
        text_add(&t, is ? "(select * from " : "%.*s", (int)(next - s), s);
        if (is)
        {
            sql_add_name(&t, kept->name);
            text_add(&t, ")");
        }
    }
    free(sql);
    return text_take(&t);
}

char *
kept_put(const struct kept_list *list, const char *sql)
{
    char *put = list->n ? kept_squeeze(sql) : NULL;
    for (size_t i = 0; i < list->n; i++)
    {
        put = put_one(&list->kept[i], put);
    }
    return put;
}

/* --- lists ------------------------------------------------------------------------------------ */

/** Whether a query may be within the other one, or within what leads to it. */
static bool
is_within(const struct kept *a, const struct kept *b)
{
    const size_t lead = strlen(a->lead), other = strlen(b->lead);
    return lead < other || (lead == other && strlen(a->body) < strlen(b->body));
}

void
kept_add(struct kept_list *list, const struct kept *kept)
{
    size_t i = list->n;
    ARRAY_GROW(list->kept, list->n);
    for (list->n++; i > 0 && is_within(&list->kept[i - 1], kept); i--)
    {
        list->kept[i] = list->kept[i - 1];
    }
    list->kept[i] = (struct kept){xstrdup(kept->name), xstrdup(kept->lead), xstrdup(kept->body)};
}

void
kept_drop(struct kept *kept)
{
    free(kept->name);
    free(kept->lead);
    free(kept->body);
    *kept = (struct kept){0};
}

void
kept_free(struct kept_list *list)
{
    for (size_t i = 0; i < list->n; i++)
    {
        kept_drop(&list->kept[i]);
    }
    free(list->kept);
    *list = (struct kept_list){0};
}

/** A text of the row in hand, "" if it has none; the caller frees it. */
static char *
text_at(sqlite3_stmt *s, int column)
{
    const void *text = sqlite3_column_text(s, column);
    return xstrdup(text ? text : "");
}

bool
kept_load(struct kept_list *list, sqlite3 *db, char **why)
{
    CLEANUP(statement_drop) sqlite3_stmt *s = NULL;
    if (sqlite3_table_column_metadata(db, "main", KEPT_TABLE, NULL, NULL, NULL, NULL, NULL, NULL) !=
        SQLITE_OK)
    {
        return true;
    }
    const bool read = sqlite3_prepare_v2(db, "SELECT name, lead, body FROM main." KEPT_TABLE, -1,
                                         &s, NULL) == SQLITE_OK;
    while (read && list->n < MOST_KEPT && sqlite3_step(s) == SQLITE_ROW)
    {
        OWNED char *name = text_at(s, 0), *lead = text_at(s, 1), *body = text_at(s, 2);
        kept_add(list, &(struct kept){name, lead, body});
    }
    const bool good = sqlite3_errcode(db) == SQLITE_DONE;
    if (list->n == MOST_KEPT)
    {
        *why = xformat("its table " KEPT_TABLE " has %d rows or more", MOST_KEPT);
    }
    else if (!good)
    {
        *why = xformat("cannot read its table " KEPT_TABLE ": %s", sqlite3_errmsg(db));
    }
    return good;
}

bool
database_keep(struct database *db, const struct kept *kept, char **why)
{
    CLEANUP(text_drop) struct text t = {0};
    text_add(&t, "CREATE TEMP TABLE ");
    sql_add_name(&t, kept->name);
    text_add(&t, " AS SELECT * FROM (%s %s) LIMIT 0", kept->lead, kept->body);
    const bool good = sqlite3_exec(db->db, t.s, NULL, NULL, NULL) == SQLITE_OK;
    if (good)
    {
        kept_add(&db->kept, kept);
    }
    else
    {
        *why = xstrdup(sqlite3_errmsg(db->db));
    }
    return good;
}
