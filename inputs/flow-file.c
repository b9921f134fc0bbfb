/* SPDX-License-Identifier: GPL-2.0-only */
/* Flows from files: CSV with a header, and the text files of HPCC's and ConWeave's simulators; and
 * the distributions of sizes that their generators read, lines of "bytes percent". */
#include "flow-file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "flow-htsim.h"
#include "textbuf.h"

static const struct weft_param flow_seconds_param =
    INPUT_PARAM("start, in seconds,", WEFT_REAL, "0", "1000");
static const struct weft_param units_param = INPUT_PARAM("bytes", WEFT_BYTES, "1B", "1000000GB");
static const struct weft_param time_param = INPUT_PARAM("start", WEFT_TIME, "0s", "1000s");
static const struct weft_param count_param =
    INPUT_PARAM("number of flows", WEFT_COUNT, "1", "16777216");

/* --- CSV -------------------------------------------------------------------------------------- */

enum column
{
    SRC,
    DST,
    BYTES,
    START,
    NCOLUMNS,
};

static const char *const column_names[NCOLUMNS] = {"src", "dst", "bytes", "start"};

/** Where each column stands. False after errors. */
static bool
read_header(struct table_lines *t, size_t at[NCOLUMNS])
{
    bool seen[NCOLUMNS] = {false};
    for (size_t i = 0; i < t->n; i++)
    {
        struct nearest near = nearest_start(t->word[i]);
        const size_t c = name_find(&near, column_names, NCOLUMNS);
        if (c == NCOLUMNS || seen[c])
        {
            input_error(t->from, t->line, "%s column '%s'; expected src, dst, bytes and start%s",
                        c == NCOLUMNS ? "unknown" : "a second", t->word[i],
                        c == NCOLUMNS ? did_you_mean(near.best) : "");
            return false;
        }
        seen[c] = true;
        at[c] = i;
    }
    if (t->n != NCOLUMNS)
    {
        input_error(t->from, t->line, "%zu columns; expected src, dst, bytes and start", t->n);
    }
    return t->n == NCOLUMNS;
}

static bool
is_digits(const char *word)
{
    return word[strspn(word, "0123456789")] == '\0';
}

static void
read_csv(struct table_lines *t, struct flow_list *list)
{
    size_t at[NCOLUMNS];
    if (!read_header(t, at))
    {
        return;
    }
    while (table_lines_next(t))
    {
        struct weft_table_flow flow = {0};
        int64_t bytes;
        if (t->n != NCOLUMNS)
        {
            input_error(t->from, t->line, "%zu values; expected %d", t->n, NCOLUMNS);
            continue;
        }
        const char *size = t->word[at[BYTES]], *start = t->word[at[START]];
        const struct weft_param *unit = is_digits(size) ? &flow_bytes_param : &units_param;
        if (flow_hosts(t, t->word[at[SRC]], t->word[at[DST]], &flow) &&
            table_value(t, unit, size, &bytes) &&
            table_value(t, &time_param, strcmp(start, "0") == 0 ? "0s" : start, &flow.start))
        {
            flow.bytes = (uint64_t)bytes;
            flow_list_add(list, t, &flow);
        }
    }
}

/* --- HPCC and ConWeave ------------------------------------------------------------------------ */

/** "src dst priority [dport] bytes start". */
static void
read_hpcc_flow(struct table_lines *t, struct flow_list *list)
{
    struct weft_table_flow flow = {0};
    int64_t bytes;
    double start;
    if (t->n != 5 && t->n != 6)
    {
        input_error(t->from, t->line,
                    "%zu words; expected src dst priority dport bytes start (HPCC), or the same "
                    "without dport (ConWeave)",
                    t->n);
        return;
    }
    if (flow_hosts(t, t->word[0], t->word[1], &flow) &&
        table_value(t, &flow_bytes_param, t->word[t->n - 2], &bytes) &&
        table_value(t, &flow_seconds_param, t->word[t->n - 1], &start))
    {
        flow.bytes = (uint64_t)bytes;
        flow.start = (int64_t)llround(start * 1e12);
        flow_list_add(list, t, &flow);
    }
}

/** The first line says how many flows follow; what stands behind them is not read, as there. */
static void
read_hpcc(struct table_lines *t, struct flow_list *list)
{
    int64_t count = 0, n = 0;
    const int first = t->line;
    if (!table_value(t, &count_param, t->word[0], &count))
    {
        return;
    }
    for (; n < count && table_lines_next(t); n++)
    {
        read_hpcc_flow(t, list);
    }
    if (n < count && !t->from->bad)
    {
        input_error(t->from, first, "it announces %lld flows and has %lld; expected as many",
                    (long long)count, (long long)n);
    }
    else if (!t->from->bad && table_lines_next(t))
    {
        input_warning(t->from, t->line,
                      "what follows the %lld flows that line %d announces is not read",
                      (long long)count, first);
    }
}

/* --- any -------------------------------------------------------------------------------------- */

static const struct flow_list *sorting;

static int
by_flow(const void *a, const void *b)
{
    const uint32_t i = *(const uint32_t *)a, k = *(const uint32_t *)b;
    const struct weft_table_flow *x = &sorting->flows[i], *y = &sorting->flows[k];
    const uint64_t of_x[] = {x->src, x->dst, (uint64_t)x->start, x->bytes, i};
    const uint64_t of_y[] = {y->src, y->dst, (uint64_t)y->start, y->bytes, k};
    for (size_t c = 0; c < 5; c++)
    {
        if (of_x[c] != of_y[c])
        {
            return of_x[c] > of_y[c] ? 1 : -1;
        }
    }
    return 0;
}

/** Says where the first flow stands that is like another one, unless something else starts them:
 * two QPs between two hosts, or a slip. */
static void
warn_of_repeated(const struct table_lines *t, const struct flow_list *list)
{
    if (list->nwaits > 0)
    {
        return; /* what waits for others may be alike */
    }
    OWNED uint32_t *order = xcalloc(list->n + 1, sizeof *order);
    int line = 0, other = 0;
    for (size_t i = 0; i < list->n; i++)
    {
        order[i] = (uint32_t)i;
    }
    sorting = list;
    qsort(order, list->n, sizeof *order, by_flow);
    for (size_t i = 1; i < list->n; i++)
    {
        const struct weft_table_flow *x = &list->flows[order[i - 1]], *y = &list->flows[order[i]];
        if (x->src == y->src && x->dst == y->dst && x->start == y->start && x->bytes == y->bytes &&
            (line == 0 || list->lines[order[i]] < line))
        {
            line = list->lines[order[i]];
            other = list->lines[order[i - 1]];
        }
    }
    if (line)
    {
        input_warning(
            t->from, line,
            "the same flow stands at line %d as well; each of the two is sent, on a QP of "
            "its own",
            other);
    }
}

bool
flow_file_parse(struct table_lines *t, bool ps, struct flow_file *f)
{
    struct flow_list list = {0};
    const bool any = table_lines_next(t);
    if (any && strcmp(t->word[0], "Nodes") == 0)
    {
        f->is_matrix = true;
        flow_htsim_parse(t, ps, &list);
    }
    else if (any && t->n == 1 && is_digits(t->word[0]))
    {
        read_hpcc(t, &list);
    }
    else if (any && t->n > 1 && !is_digits(t->word[0]))
    {
        read_csv(t, &list);
    }
    else
    {
        input_error(t->from, t->line > 0 ? t->line : 1,
                    "no flows; expected CSV with the header src,dst,bytes,start, HPCC's or "
                    "ConWeave's number of flows, or htsim's Nodes");
    }
    if (!t->from->bad && list.n == 0)
    {
        input_error(t->from, t->line, "no flows; expected one or more");
    }
    if (!t->from->bad)
    {
        warn_of_repeated(t, &list);
    }
    f->table = (struct weft_table){.flows = list.flows,
                                   .waits = list.waits,
                                   .nflows = (uint32_t)list.n,
                                   .nwaits = (uint32_t)list.nwaits};
    f->lines = list.lines;
    return !t->from->bad;
}

/* --- sizes ------------------------------------------------------------------------------------ */

static const struct weft_param bytes_param =
    INPUT_PARAM("bytes", WEFT_COUNT, "0", "1000000000000000");
static const struct weft_param percent_param = INPUT_PARAM("percent", WEFT_REAL, "0", "100");

/** Adds a point that must not be below the one before it. */
static void
add_point(struct table_lines *t, struct weft_table_size **sizes, size_t *n)
{
    int64_t bytes;
    double percent;
    if (t->n != 2)
    {
        input_error(t->from, t->line, "%zu words; expected bytes and percent", t->n);
        return;
    }
    if (!table_value(t, &bytes_param, t->word[0], &bytes) ||
        !table_value(t, &percent_param, t->word[1], &percent))
    {
        return;
    }
    const struct weft_table_size *last = *n ? &(*sizes)[*n - 1] : NULL;
    if (!last && percent != 0)
    {
        input_error(t->from, t->line, "the first percent is %s; expected 0", t->word[1]);
    }
    if (last && ((uint64_t)bytes < last->bytes || percent / 100 < last->share))
    {
        input_error(t->from, t->line,
                    "%s %s is below the line before; expected bytes and percent to rise",
                    t->word[0], t->word[1]);
    }
    ARRAY_GROW(*sizes, *n);
    (*sizes)[(*n)++] = (struct weft_table_size){(uint64_t)bytes, percent / 100};
}

bool
size_file_parse(struct table_lines *t, struct flow_file *f)
{
    struct weft_table_size *sizes = NULL;
    size_t n = 0;
    while (table_lines_next(t))
    {
        add_point(t, &sizes, &n);
    }
    f->table.sizes = sizes;
    f->table.nsizes = (uint32_t)n;
    if (!t->from->bad && (n < 2 || sizes[n - 1].share != 1 || sizes[n - 1].bytes == 0))
    {
        input_error(t->from, t->line,
                    "the distribution ends before 100 percent; expected lines of bytes and percent "
                    "from 0 to 100");
    }
    return !t->from->bad;
}

void
flow_file_free(struct flow_file *f)
{
    free((void *)f->table.flows);
    free((void *)f->table.waits);
    free((void *)f->table.sizes);
    free(f->lines);
}
