/* SPDX-License-Identifier: GPL-2.0-only */
/* GOAL as text: for each rank its operations, with labels, and which requires which. */
#include <stdlib.h>
#include <string.h>

#include "textbuf.h"
#include "trace-file.h"

/** Piece of the text: a word, a number, or a single character. */
struct token
{
    const char *at;
    size_t n; /**< 0: the end of a line, or of the file */
};

/** Operation by its label. */
struct label
{
    const char *at;
    size_t n;
    uint32_t op;
};

/** Dependency, until all labels of its rank are known. */
struct wait
{
    struct token after, before;
    int line;
    bool start;
};

/** A file while it is read. */
struct goal
{
    struct input_source *from;
    const char *at, *end;
    int line;
    struct token token; /**< the next one */
    struct weft_ops *ops;
    uint32_t nranks;
    uint32_t rank;
    bool inside;          /**< a rank's braces */
    bool *seen;           /**< [rank] */
    struct label *labels; /**< of the rank: a table that is half empty at least */
    size_t mask, nlabels;
    struct wait *waits; /**< of the rank */
    size_t nwaits;
};

static bool
is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-';
}

/** Goes over white space and comments, and stops at the end of a line. */
static void
skip(struct goal *g)
{
    while (g->at < g->end)
    {
        const size_t left = (size_t)(g->end - g->at);
        if (*g->at == ' ' || *g->at == '\t' || *g->at == '\r')
        {
            g->at++;
        }
        else if (left > 1 && g->at[0] == '/' && g->at[1] == '/')
        {
            const char *end = memchr(g->at, '\n', left);
            g->at = end ? end : g->end;
        }
        else if (left > 1 && g->at[0] == '/' && g->at[1] == '*')
        {
            const char *end = g->at + 2;
            while (end < g->end && !(end[-1] == '*' && *end == '/' && end > g->at + 2))
            {
                g->line += *end++ == '\n';
            }
            g->at = end < g->end ? end + 1 : g->end;
        }
        else
        {
            return;
        }
    }
}

/** Goes to the next token of the line. */
static void
next(struct goal *g)
{
    skip(g);
    const char *p = g->at;
    while (p < g->end && is_word(*p))
    {
        p++;
    }
    const bool single = p == g->at && p < g->end && *p != '\n';
    g->token = (struct token){g->at, single ? 1 : (size_t)(p - g->at)};
    g->at = single ? p + 1 : p;
}

static bool
is(const struct goal *g, const char *word)
{
    return g->token.n == strlen(word) && memcmp(g->token.at, word, g->token.n) == 0;
}

/** Most characters of a token that a message shows. */
#define SHOWN 40

static bool
expected(struct goal *g, const char *what)
{
    const struct token t = g->token;
    const int n = t.n < SHOWN ? (int)t.n : SHOWN;
    return t.n == 0 ? input_error(g->from, g->line, "the line ends; expected %s", what)
                    : input_error(g->from, g->line, "'%.*s'; expected %s", n, t.at, what);
}

static bool
take(struct goal *g, const char *word)
{
    if (!is(g, word))
    {
        CLEANUP(text_drop) struct text what = {0};
        text_add(&what, "'%s'", word);
        return expected(g, what.s);
    }
    next(g);
    return true;
}

/** Reads a number of at most @p most, and behind it @p unit. */
static bool
take_number(struct goal *g, uint64_t most, const char *unit, const char *what, uint64_t *out)
{
    const struct token t = g->token;
    size_t i = 0;
    bool fits = true;
    for (*out = 0; i < t.n && t.at[i] >= '0' && t.at[i] <= '9'; i++)
    {
        const uint64_t digit = (uint64_t)(t.at[i] - '0');
        fits = fits && digit <= most && *out <= (most - digit) / 10;
        *out = fits ? *out * 10 + digit : 0;
    }
    if (i == 0 || !fits || t.n - i != strlen(unit) || memcmp(t.at + i, unit, t.n - i) != 0)
    {
        CLEANUP(text_drop) struct text text = {0};
        text_add(&text, "%s: a number up to %llu%s%s", what, (unsigned long long)most,
                 *unit ? ", and behind it " : "", unit);
        return expected(g, text.s);
    }
    next(g);
    return true;
}

/* --- labels ----------------------------------------------------------------------------------- */

static struct label *
place_of(const struct goal *g, struct token t)
{
    uint64_t h = 1469598103934665603U;
    for (size_t i = 0; i < t.n; i++)
    {
        h = (h ^ (unsigned char)t.at[i]) * 1099511628211U;
    }
    size_t at = (size_t)(h ^ h >> 32) & g->mask;
    while (g->labels[at].at &&
           !(g->labels[at].n == t.n && memcmp(g->labels[at].at, t.at, t.n) == 0))
    {
        at = (at + 1) & g->mask;
    }
    return &g->labels[at];
}

static void
grow_labels(struct goal *g)
{
    struct label *old = g->labels;
    const size_t n = g->labels ? g->mask + 1 : 0;
    g->mask = n ? 2 * n - 1 : 63;
    g->labels = xcalloc(g->mask + 1, sizeof *g->labels);
    for (size_t i = 0; i < n; i++)
    {
        if (old[i].at)
        {
            *place_of(g, (struct token){old[i].at, old[i].n}) = old[i];
        }
    }
    free(old);
}

static bool
add_label(struct goal *g, struct token t, uint32_t op)
{
    if (!g->labels || 2 * g->nlabels > g->mask)
    {
        grow_labels(g);
    }
    struct label *l = place_of(g, t);
    if (l->at)
    {
        return input_error(g->from, g->line,
                           "rank %u has the label '%.*s' already; expected "
                           "another one",
                           (unsigned)g->rank, t.n < SHOWN ? (int)t.n : SHOWN, t.at);
    }
    *l = (struct label){t.at, t.n, op};
    g->nlabels++;
    return true;
}

/** The operation of a label. */
static bool
find_label(struct goal *g, const struct wait *w, struct token t, uint32_t *op)
{
    const struct label *l = g->labels ? place_of(g, t) : NULL;
    *op = l && l->at ? l->op : WEFT_NO_OP;
    return (l && l->at) ||
           input_error(g->from, w->line,
                       "rank %u has no operation '%.*s'; expected a label of this rank",
                       (unsigned)g->rank, t.n < SHOWN ? (int)t.n : SHOWN, t.at);
}

/* --- lines ------------------------------------------------------------------------------------ */

/** Reads "to 3", or "from 3". */
static bool
take_peer(struct goal *g, struct weft_op_spec *op)
{
    uint64_t peer;
    if (!take(g, op->kind == WEFT_OP_SEND ? "to" : "from"))
    {
        return false;
    }
    if (is(g, "-1"))
    {
        return expected(g, "a rank: Weft has no receives from any rank");
    }
    const bool good = take_number(g, g->nranks - 1, "", "a rank", &peer);
    op->peer = (uint32_t)peer;
    if (good && op->peer == g->rank)
    {
        return input_error(g->from, g->line, "rank %u talks to itself; expected another rank",
                           (unsigned)g->rank);
    }
    return good;
}

/** Reads "tag 7 cpu 0 nic 0", in any order. */
static bool
take_options(struct goal *g, struct weft_op_spec *op)
{
    const bool talks = op->kind != WEFT_OP_COMPUTE;
    bool good = true;
    while (good && g->token.n > 0)
    {
        uint64_t value = 0;
        const bool tag = talks && is(g, "tag"), nic = is(g, "nic"), cpu = is(g, "cpu");
        if (!tag && !nic && !cpu)
        {
            return expected(g, talks ? "tag, cpu, nic or the end of the line"
                                     : "cpu or the end of the line");
        }
        next(g);
        if (tag && is(g, "-1"))
        {
            return expected(g, "a number: Weft has no receives of any tag");
        }
        good = take_number(g,
                           tag   ? UINT32_MAX
                           : cpu ? WEFT_NO_STREAM - 1
                                 : UINT8_MAX,
                           "",
                           tag   ? "a tag"
                           : cpu ? "a cpu"
                                 : "a NIC",
                           &value);
        op->tag = tag ? (uint32_t)value : op->tag;
        op->stream = cpu ? (uint8_t)value : op->stream;
        op->nic = nic ? (uint8_t)value : op->nic;
    }
    return good;
}

/** Reads an operation, up to the end of its line. */
static bool
take_op(struct goal *g, const struct token *label)
{
    struct weft_op_spec op = {.rank = g->rank, .id = (uint32_t)g->line};
    const bool sends = is(g, "send"), receives = is(g, "recv");
    bool good = true;
    if (!sends && !receives && !is(g, "calc"))
    {
        return expected(g, "send, recv or calc");
    }
    op.kind = sends ? WEFT_OP_SEND : receives ? WEFT_OP_RECV : WEFT_OP_COMPUTE;
    next(g);
    if (op.kind == WEFT_OP_COMPUTE)
    {
        good = take_number(g, INT64_MAX / 2000, "", "nanoseconds", &op.amount);
        op.amount *= 1000;
    }
    else
    {
        good = take_number(g, INT64_MAX / 2, "b", "bytes", &op.amount) && take_peer(g, &op);
    }
    good = good && take_options(g, &op);
    const uint32_t number = good ? weft_ops_add(g->ops, &op) : WEFT_NO_OP;
    return good && (!label || add_label(g, *label, number));
}

/** Reads "a requires b" behind the first word. */
static bool
take_wait(struct goal *g, struct token after)
{
    const bool start = is(g, "irequires");
    next(g);
    if (g->token.n == 0)
    {
        return expected(g, "a label");
    }
    ARRAY_GROW(g->waits, g->nwaits);
    g->waits[g->nwaits++] = (struct wait){after, g->token, g->line, start};
    next(g);
    return g->token.n == 0 || expected(g, "the end of the line");
}

static bool
end_rank(struct goal *g)
{
    bool good = true;
    for (size_t i = 0; i < g->nwaits && !diag_is_full(g->from->d); i++)
    {
        const struct wait *w = &g->waits[i];
        uint32_t after, before;
        if (find_label(g, w, w->after, &after) && find_label(g, w, w->before, &before))
        {
            (w->start ? weft_ops_require_start : weft_ops_require)(g->ops, after, before);
        }
        else
        {
            good = false;
        }
    }
    if (g->labels)
    {
        memset(g->labels, 0, (g->mask + 1) * sizeof *g->labels);
    }
    g->nlabels = g->nwaits = 0;
    g->inside = false;
    next(g);
    return good && (g->token.n == 0 || expected(g, "the end of the line"));
}

/** Reads a line between a rank's braces. */
static bool
take_inside(struct goal *g)
{
    const struct token first = g->token;
    if (is(g, "}"))
    {
        return end_rank(g);
    }
    if (is(g, "send") || is(g, "recv") || is(g, "calc"))
    {
        const char *at = g->at;
        skip(g);
        if (g->at < g->end && *g->at != ':') /* else a label of this name */
        {
            g->at = at;
            return take_op(g, NULL);
        }
    }
    next(g);
    if (is(g, ":"))
    {
        next(g);
        return take_op(g, &first);
    }
    if (is(g, "requires") || is(g, "irequires"))
    {
        return take_wait(g, first);
    }
    return expected(g, "':' and an operation, requires or irequires behind a label");
}

/** Reads "rank 3 {". */
static bool
take_rank(struct goal *g)
{
    uint64_t rank;
    if (!take(g, "rank") || !take_number(g, g->nranks - 1, "", "a rank", &rank))
    {
        return false;
    }
    g->rank = (uint32_t)rank;
    if (g->seen[rank])
    {
        return input_error(g->from, g->line, "rank %u is here again; expected each rank once",
                           (unsigned)rank);
    }
    g->seen[rank] = true;
    g->inside = true;
    return take(g, "{") && (g->token.n == 0 || expected(g, "the end of the line"));
}

/** Reads "num_ranks 16". */
static bool
take_head(struct goal *g)
{
    uint64_t n = 0;
    if (!is(g, "num_ranks"))
    {
        return expected(g, "a trace: GOAL as text begins with num_ranks, as a binary with the "
                           "number 4223");
    }
    next(g);
    if (!take_number(g, WEFT_MAX_RANKS, "", "how many ranks there are", &n))
    {
        return false;
    }
    if (n == 0)
    {
        return input_error(g->from, g->line, "there are no ranks; expected 1 or more");
    }
    g->nranks = (uint32_t)n;
    g->seen = xcalloc(g->nranks, sizeof *g->seen);
    g->ops = weft_ops_begin(&trace_memory, g->nranks, "line");
    return g->token.n == 0 || expected(g, "the end of the line");
}

static bool
take_line(struct goal *g)
{
    return g->token.n == 0 || (!g->ops ? take_head(g) : g->inside ? take_inside(g) : take_rank(g));
}

static void
read_lines(struct goal *g)
{
    while (g->at < g->end && !diag_is_full(g->from->d) && (g->ops || !g->from->bad))
    {
        next(g);
        take_line(g);
        const char *end = memchr(g->at, '\n', (size_t)(g->end - g->at));
        g->at = end ? end + 1 : g->end;
        g->line++;
    }
    if (g->inside && !g->from->bad)
    {
        input_error(g->from, g->line, "the file ends within rank %u; expected '}'",
                    (unsigned)g->rank);
    }
    for (uint32_t r = 0; r < g->nranks && !g->from->bad; r++)
    {
        if (!g->seen[r])
        {
            input_error(g->from, g->line, "rank %u is missing; expected ranks 0 to %u", (unsigned)r,
                        (unsigned)g->nranks - 1);
        }
    }
    if (!g->ops && !g->from->bad)
    {
        input_error(g->from, g->line, "the file is empty; expected a trace: GOAL, text or binary");
    }
}

bool
goal_text_parse(struct input_source *from, const char *bytes, size_t n,
                struct weft_program *program)
{
    const size_t mark = n >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0; /* of UTF-8 */
    struct goal g = {.from = from, .at = bytes + mark, .end = bytes + n, .line = 1};
    read_lines(&g);
    const bool good = g.ops && trace_pack(from, g.ops, program);
    free(g.labels);
    free(g.waits);
    free(g.seen);
    return good;
}
