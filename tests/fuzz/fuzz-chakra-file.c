/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chakra traces that nobody would write: reading one must end in nodes or in messages that name a
 * byte. What is taken for nodes must wait for nodes that are there, and for none in a circle. Else
 * a damaged trace takes the command down, or a run never ends.
 */
#include <stdlib.h>
#include <string.h>

#include "chakra-ops.h"
#include "fuzz.h"
#include "must.h"
#include "programs.h"
#include "textbuf.h"

#define RANKS 4

/** Does what can be done, again and again, until nothing more can. */
static void
check_order(const struct chakra_trace *t)
{
    bool *done = xcalloc(t->n + 1, sizeof *done), more = true;
    size_t ndone = 0;
    while (more)
    {
        more = false;
        for (size_t i = 0; i < t->n; i++)
        {
            bool ready = !done[i];
            for (uint32_t k = 0; ready && k < t->nodes[i].n; k++)
            {
                ready = done[t->needs[t->nodes[i].first + k]];
            }
            done[i] = done[i] || ready;
            ndone += ready;
            more = more || ready;
        }
    }
    MUST(ndone == t->n);
    free(done);
}

static void
check_nodes(const struct chakra_trace *t)
{
    for (size_t i = 0; i < t->n; i++)
    {
        const struct chakra_node *node = &t->nodes[i];
        const bool barrier = node->of == CHAKRA_BARRIER;
        MUST(node->kind <= CHAKRA_COLLECTIVE && node->stream <= CHAKRA_MEMORY);
        MUST((size_t)node->first + node->n <= t->nneeds);
        for (uint32_t k = 0; k < node->n; k++)
        {
            MUST(t->needs[node->first + k] < t->n);
        }
        MUST(node->kind < CHAKRA_SEND || node->amount > 0 || barrier);
        MUST(node->kind != CHAKRA_COLLECTIVE || chakra_collective_name(node->of));
    }
    for (size_t i = 0; i < t->ngroups; i++)
    {
        MUST(chakra_group_find(t, t->groups[i].name));
    }
}

/** All of some ranks do as it says: that is a program, or is refused with a reason. */
static void
check_program(struct input_source *from, const struct chakra_trace *t)
{
    const struct trace_choice choice = {.bytes_scale = 1, .rate = INT64_C(400000000000)};
    const struct chakra_job job = {.from = from, .traces = t, .ntraces = 1, .nranks = RANKS};
    struct weft_ops *ops = programs_begin(RANKS);
    from->bad = false;
    if (chakra_ops_add(&job, &choice, ops))
    {
        programs_end(ops);
    }
    else
    {
        MUST(from->bad);
        weft_ops_end(ops);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "fuzz.xml"};
    struct input_source from = {.path = "fuzz.et", .scenario_line = 1, .d = &d};
    struct chakra_trace trace;
    const bool good = chakra_file_parse(&from, 3, (const char *)data, size, &trace);
    MUST(good == (d.n == 0) && (good || strncmp(d.items[0].message, "fuzz.et: byte ", 14) == 0));
    if (good)
    {
        check_nodes(&trace);
        check_order(&trace);
        check_program(&from, &trace);
    }
    chakra_trace_free(&trace);
    diag_free(&d);
    return 0;
}
