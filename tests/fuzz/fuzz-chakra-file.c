/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Chakra traces that nobody would write: reading one must end in nodes or in messages that name a
 * byte. What is taken for nodes must wait for nodes that are there, and for none in a circle. Else
 * a damaged trace takes the command down, or a run never ends.
 */
#include <stdlib.h>
#include <string.h>

#include "chakra-file.h"
#include "fuzz.h"
#include "must.h"
#include "textbuf.h"

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
    }
    chakra_trace_free(&trace);
    diag_free(&d);
    return 0;
}
