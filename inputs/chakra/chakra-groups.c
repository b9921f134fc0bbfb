/* SPDX-License-Identifier: GPL-2.0-only */
/* Process groups in JSON, as PyTorch writes them into a trace and as files of ASTRA-sim have them.
 * Of JSON no more is read than what they need. */
#include <stdlib.h>
#include <string.h>

#include "chakra-file.h"
#include "textbuf.h"

/** Deepest that values stand in values. */
#define MOST_DEPTH 32

struct walk
{
    const char *at;
    const char *wrong; /**< what was found first that is not as it should be */
};

static bool
fail(struct walk *w, const char *wrong)
{
    w->wrong = w->wrong ? w->wrong : wrong;
    return false;
}

static char
peek(struct walk *w)
{
    w->at += strspn(w->at, " \t\r\n");
    return *w->at;
}

/** Goes past that letter if it is next. */
static bool
take(struct walk *w, char letter)
{
    const bool found = peek(w) == letter;
    w->at += found;
    return found;
}

/** Reads a string without what escapes would mean; the caller frees it. NULL after an error. */
static char *
read_string(struct walk *w)
{
    if (!take(w, '"'))
    {
        fail(w, "a string was expected");
        return NULL;
    }
    const char *begin = w->at;
    while (*w->at && *w->at != '"')
    {
        w->at += *w->at == '\\' && w->at[1] ? 2 : 1;
    }
    if (!*w->at)
    {
        fail(w, "a string does not end");
        return NULL;
    }
    return xformat("%.*s", (int)(w->at++ - begin), begin);
}

static bool read_over(struct walk *w, unsigned depth);

/** Goes past the members of a list or an object. */
static bool
over_members(struct walk *w, char close, unsigned depth)
{
    bool good = true;
    w->at++;
    while (good && !take(w, close))
    {
        if (close == '}')
        {
            OWNED char *name = read_string(w);
            good = name && (take(w, ':') || fail(w, "':' was expected"));
        }
        good = good && read_over(w, depth + 1) &&
               (take(w, ',') || peek(w) == close || fail(w, "',' was expected"));
    }
    return good;
}

/** Goes past any value. */
static bool
read_over(struct walk *w, unsigned depth)
{
    const char first = peek(w);
    if (depth > MOST_DEPTH)
    {
        return fail(w, "values stand too deep in each other");
    }
    if (first == '[' || first == '{')
    {
        return over_members(w, first == '[' ? ']' : '}', depth);
    }
    if (first == '"')
    {
        OWNED char *value = read_string(w);
        return value != NULL;
    }
    const size_t n = strcspn(w->at, ",]} \t\r\n");
    w->at += n;
    return n > 0 || fail(w, "a value was expected");
}

static bool
read_ranks(struct walk *w, struct chakra_group *group)
{
    size_t n = 0;
    if (!take(w, '['))
    {
        return fail(w, "a list of ranks was expected");
    }
    while (!take(w, ']'))
    {
        char *end;
        peek(w);
        const unsigned long rank = strtoul(w->at, &end, 10);
        if (*w->at < '0' || *w->at > '9' || rank >= CHAKRA_MOST_RANKS || n >= CHAKRA_MOST_RANKS)
        {
            return fail(w, "a rank was expected");
        }
        w->at = end;
        ARRAY_GROW(group->ranks, n);
        group->ranks[n++] = (uint32_t)rank;
        group->n = (uint32_t)n;
        if (!take(w, ',') && peek(w) != ']')
        {
            return fail(w, "',' was expected between ranks");
        }
    }
    return true;
}

/** Adds a group, or drops it after an error. */
static bool
add(struct walk *w, bool good, struct chakra_group *group, struct chakra_trace *trace)
{
    good = good && (group->name || fail(w, "a group has no name"));
    if (!good)
    {
        free(group->name);
        free(group->ranks);
        return false;
    }
    ARRAY_GROW(trace->groups, trace->ngroups);
    trace->groups[trace->ngroups++] = *group;
    return true;
}

/** Reads {"pg_name": "NAME", "ranks": [...], ...}. */
static bool
read_described(struct walk *w, struct chakra_trace *trace)
{
    struct chakra_group group = {0};
    bool good = take(w, '{') || fail(w, "an object was expected");
    while (good && !take(w, '}'))
    {
        OWNED char *name = read_string(w);
        good = name && (take(w, ':') || fail(w, "':' was expected"));
        if (good && strcmp(name, "pg_name") == 0 && !group.name)
        {
            group.name = read_string(w);
            good = group.name != NULL;
        }
        else if (good && strcmp(name, "ranks") == 0 && !group.ranks)
        {
            good = read_ranks(w, &group);
        }
        else if (good)
        {
            good = read_over(w, 0);
        }
        good = good && (take(w, ',') || peek(w) == '}' || fail(w, "',' was expected"));
    }
    return add(w, good, &group, trace);
}

/** Reads {"NAME": [RANK, ...], ...}. */
static bool
read_named(struct walk *w, struct chakra_trace *trace)
{
    bool good = take(w, '{');
    while (good && !take(w, '}'))
    {
        struct chakra_group group = {.name = read_string(w)};
        good = group.name && (take(w, ':') || fail(w, "':' was expected"));
        good = add(w, good && read_ranks(w, &group), &group, trace) &&
               (take(w, ',') || peek(w) == '}' || fail(w, "',' was expected"));
    }
    return good;
}

const char *
chakra_groups_parse(const char *text, struct chakra_trace *trace)
{
    struct walk w = {.at = text};
    if (peek(&w) == '[' &&
        (w.at[1] == '\'' || (w.at[1] == '"' && w.at[2] == '['))) /* a Python list */
    {
        w.at += 2;
    }
    if (peek(&w) == '{')
    {
        read_named(&w, trace);
    }
    else if (take(&w, '['))
    {
        bool good = true;
        while (good && !take(&w, ']'))
        {
            good = read_described(&w, trace) &&
                   (take(&w, ',') || peek(&w) == ']' || fail(&w, "',' was expected"));
        }
    }
    else
    {
        fail(&w, "a list or an object was expected");
    }
    return w.wrong;
}

const struct chakra_group *
chakra_group_find(const struct chakra_trace *trace, const char *name)
{
    size_t i = trace->ngroups;
    while (i > 0 && strcmp(trace->groups[i - 1].name, name) != 0)
    {
        i--;
    }
    return i > 0 ? &trace->groups[i - 1] : NULL;
}
