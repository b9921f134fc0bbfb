/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * htsim's connection matrices: "src->dst id i start time size bytes" lines. Its programs for UEC,
 * RoCE and EQDS take the time in microseconds, the one for NDP and the scripts that make matrices
 * in picoseconds. A flow with `trigger` instead of `start` begins when flows that name this trigger
 * as send_done_trigger or recv_done_trigger have ended: one flow of a oneshot trigger, all of a
 * barrier's.
 */
#include "flow-htsim.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

static const struct weft_param id_param = INPUT_PARAM("id", WEFT_COUNT, "1", "4294967295");
static const struct weft_param ps_param =
    INPUT_PARAM("start, in picoseconds,", WEFT_REAL, "0", "1000000000000000");
static const struct weft_param us_param = INPUT_PARAM(
    "start, in microseconds (start-unit=\"ps\": picoseconds),", WEFT_REAL, "0", "1000000000");

/** Mentions of triggers: by what they are, in the order in which they are put together. */
enum role
{
    DECLARED,
    FIRES,
    STARTS,
};

struct mention
{
    int64_t id;
    enum role role;
    uint32_t flow;
    int line;
    int64_t count; /**< of a barrier; 1: oneshot */
};

struct matrix
{
    struct table_lines *t;
    struct flow_list *list;
    bool ps; /**< starts are in picoseconds, else in microseconds */
    struct mention *mentions;
    size_t n;
    int64_t nodes, connections, triggers; /**< announced */
    int64_t ntriggers;
};

static void
add_mention(struct matrix *m, int64_t id, enum role role, int64_t count)
{
    ARRAY_GROW(m->mentions, m->n);
    m->mentions[m->n++] = (struct mention){id, role, (uint32_t)m->list->n, m->t->line, count};
}

/** "src->dst"; the word is cut. */
static bool
read_pair(struct matrix *m, struct weft_table_flow *flow)
{
    char *word = m->t->word[0], *arrow = strstr(word, "->");
    *arrow = '\0';
    if (!flow_hosts(m->t, word, arrow + 2, flow))
    {
        return false;
    }
    const uint32_t last = flow->src > flow->dst ? flow->src : flow->dst;
    return last < m->nodes ||
           input_error(m->t->from, m->t->line, "host %u of %lld Nodes; expected 0 to %lld", last,
                       (long long)m->nodes, (long long)m->nodes - 1);
}

/** Keys of a connection. */
enum key
{
    ID,
    START,
    SIZE,
    TRIGGER,
    SEND_DONE,
    RECV_DONE,
    NKEYS,
};

static const char *const keys[NKEYS] = {
    "id", "start", "size", "trigger", "send_done_trigger", "recv_done_trigger"};

/** Reads one key and its value. */
static bool
read_key(struct matrix *m, const char *word, const char *value, struct weft_table_flow *flow,
         unsigned *starts)
{
    struct nearest near = nearest_start(word);
    const size_t key = name_find(&near, keys, NKEYS);
    int64_t number;
    double start;
    if (key == NKEYS)
    {
        return input_error(m->t->from, m->t->line,
                           "unknown word '%s' of a connection; expected id, start, size, trigger, "
                           "send_done_trigger or recv_done_trigger%s",
                           word, did_you_mean(near.best));
    }
    *starts += key == START || key == TRIGGER;
    if (key == START)
    {
        const bool good = table_value(m->t, m->ps ? &ps_param : &us_param, value, &start);
        flow->start = good ? (int64_t)llround(m->ps ? start : start * 1e6) : 0;
        return good;
    }
    if (!table_value(m->t, key == SIZE ? &flow_bytes_param : &id_param, value, &number))
    {
        return false;
    }
    if (key == SIZE)
    {
        flow->bytes = (uint64_t)number;
    }
    else if (key != ID)
    {
        add_mention(m, number, key == TRIGGER ? STARTS : FIRES, 0);
    }
    return true;
}

static void
read_connection(struct matrix *m)
{
    struct table_lines *t = m->t;
    struct weft_table_flow flow = {0};
    unsigned starts = 0;
    bool good = read_pair(m, &flow);
    if (t->n % 2 == 0)
    {
        input_error(t->from, t->line, "'%s' has no value; expected words and values in turn",
                    t->word[t->n - 1]);
        return;
    }
    for (size_t i = 1; good && i < t->n; i += 2)
    {
        good = read_key(m, t->word[i], t->word[i + 1], &flow, &starts);
    }
    if (good && (starts != 1 || flow.bytes == 0))
    {
        input_error(t->from, t->line, "expected a size, and either start or trigger");
        good = false;
    }
    if (good)
    {
        flow_list_add(m->list, t, &flow);
    }
}

/** "trigger id i oneshot", "trigger id i barrier count n". */
static void
read_trigger(struct matrix *m)
{
    struct table_lines *t = m->t;
    int64_t id, count = 1;
    const bool barrier =
        t->n == 6 && strcmp(t->word[3], "barrier") == 0 && strcmp(t->word[4], "count") == 0;
    const bool oneshot = t->n == 4 && strcmp(t->word[3], "oneshot") == 0;
    if (t->n < 4 || strcmp(t->word[1], "id") != 0 || (!barrier && !oneshot))
    {
        input_error(t->from, t->line,
                    "a trigger that is not known; expected 'trigger id NUMBER oneshot' or 'trigger "
                    "id NUMBER barrier count NUMBER'");
        return;
    }
    if (table_value(t, &id_param, t->word[2], &id) &&
        (!barrier || table_value(t, &id_param, t->word[5], &count)))
    {
        add_mention(m, id, DECLARED, count);
        m->ntriggers++;
    }
}

/** Lines before the first connection. */
static bool
read_header(struct matrix *m)
{
    static const char *const names[] = {"Nodes", "Connections", "Triggers"};
    int64_t *const values[] = {&m->nodes, &m->connections, &m->triggers};
    for (size_t i = 0; i < 3; i++)
    {
        if (strcmp(m->t->word[0], names[i]) == 0)
        {
            struct weft_param p = id_param;
            p.name = names[i];
            p.min = "0";
            table_value(m->t, &p, m->t->n == 2 ? m->t->word[1] : "", values[i]);
            return true;
        }
    }
    return false;
}

/* --- triggers --------------------------------------------------------------------------------- */

static int
by_trigger(const void *a, const void *b)
{
    const struct mention *x = a, *y = b;
    if (x->id != y->id)
    {
        return x->id > y->id ? 1 : -1;
    }
    return x->role != y->role ? (int)x->role - (int)y->role : x->line - y->line;
}

static void
add_wait(struct matrix *m, const struct mention *fires, const struct mention *starts)
{
    const struct weft_table_flow *before = &m->list->flows[fires->flow];
    const struct weft_table_flow *after = &m->list->flows[starts->flow];
    if (after->src != before->src && after->src != before->dst)
    {
        input_error(m->t->from, starts->line,
                    "host %u cannot know when the flow of line %d ends, which it neither sends nor "
                    "receives; expected a flow from host %u or %u",
                    after->src, fires->line, before->src, before->dst);
        return;
    }
    if (m->list->nwaits == (size_t)1 << 24)
    {
        input_error(m->t->from, starts->line,
                    "more than 16777216 flows wait for others; expected fewer");
        return;
    }
    ARRAY_GROW(m->list->waits, m->list->nwaits);
    m->list->waits[m->list->nwaits++] = (struct weft_table_wait){fires->flow, starts->flow};
}

/** The mentions of one trigger, from @p first to before @p end. */
static void
join_trigger(struct matrix *m, const struct mention *first, const struct mention *end)
{
    const struct mention *fires = first + 1, *starts;
    if (first->role != DECLARED || (first + 1 < end && first[1].role == DECLARED))
    {
        input_error(m->t->from, first->line,
                    "trigger %lld is %s; expected one line 'trigger id %lld ...'",
                    (long long)first->id, first->role == DECLARED ? "there twice" : "not there",
                    (long long)first->id);
        return;
    }
    for (starts = fires; starts < end && starts->role == FIRES; starts++)
    {
    }
    if (starts - fires != first->count)
    {
        input_error(m->t->from, first->line,
                    "trigger %lld waits for %lld flows, and %td name it when they are done; "
                    "expected as many",
                    (long long)first->id, (long long)first->count, starts - fires);
        return;
    }
    for (const struct mention *f = fires; f < starts; f++)
    {
        for (const struct mention *s = starts; s < end && !diag_is_full(m->t->from->d); s++)
        {
            add_wait(m, f, s);
        }
    }
}

static void
join_triggers(struct matrix *m)
{
    if (m->n == 0)
    {
        return;
    }
    qsort(m->mentions, m->n, sizeof *m->mentions, by_trigger);
    for (size_t i = 0, end; i < m->n && !diag_is_full(m->t->from->d); i = end)
    {
        for (end = i; end < m->n && m->mentions[end].id == m->mentions[i].id; end++)
        {
        }
        join_trigger(m, &m->mentions[i], &m->mentions[end]);
    }
}

/** Reports flows that wait for themselves, directly or not. */
static void
check_circles(struct matrix *m)
{
    const struct flow_list *list = m->list;
    OWNED uint32_t *waits = xcalloc(list->n + 1, sizeof *waits);
    OWNED uint32_t *first = xcalloc(list->n + 2, sizeof *first);
    OWNED uint32_t *next = xcalloc(list->nwaits + 1, sizeof *next);
    OWNED uint32_t *ready = xcalloc(list->n + 1, sizeof *ready);
    size_t n = 0;
    for (size_t i = 0; i < list->nwaits; i++)
    {
        waits[list->waits[i].after]++;
        first[list->waits[i].before + 1]++;
    }
    for (size_t i = 0; i < list->n; i++)
    {
        first[i + 1] += first[i];
        ready[n] = (uint32_t)i;
        n += waits[i] == 0;
    }
    OWNED uint32_t *place = xcalloc(list->n + 1, sizeof *place);
    for (size_t i = 0; i < list->nwaits; i++)
    {
        const struct weft_table_wait *w = &list->waits[i];
        next[first[w->before] + place[w->before]++] = w->after;
    }
    for (size_t i = 0; i < n; i++)
    {
        for (uint32_t k = first[ready[i]]; k < first[ready[i] + 1]; k++)
        {
            ready[n] = next[k];
            n += --waits[next[k]] == 0;
        }
    }
    for (size_t i = 0; n < list->n && i < list->n; i++)
    {
        if (waits[i] > 0)
        {
            input_error(m->t->from, list->lines[i],
                        "the flow waits for itself, by way of triggers; expected an order");
            break;
        }
    }
}

void
flow_htsim_parse(struct table_lines *t, bool ps, struct flow_list *list)
{
    struct matrix m = {.t = t, .list = list, .ps = ps};
    bool more = true;
    for (; more && read_header(&m); more = table_lines_next(t))
    {
    }
    for (; more; more = table_lines_next(t))
    {
        if (strcmp(t->word[0], "trigger") == 0)
        {
            read_trigger(&m);
        }
        else if (strstr(t->word[0], "->"))
        {
            read_connection(&m);
        }
        else
        {
            input_error(t->from, t->line, "'%s'; expected a connection src->dst or a trigger",
                        t->word[0]);
        }
    }
    if (!t->from->bad && ((size_t)m.connections != list->n || m.triggers != m.ntriggers))
    {
        input_error(t->from, 1,
                    "it announces %lld Connections and %lld Triggers, and has %zu and %lld; "
                    "expected as many",
                    (long long)m.connections, (long long)m.triggers, list->n,
                    (long long)m.ntriggers);
    }
    if (!t->from->bad)
    {
        join_triggers(&m);
    }
    if (!t->from->bad)
    {
        check_circles(&m);
    }
    free(m.mentions);
}
