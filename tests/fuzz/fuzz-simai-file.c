/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Workloads of SimAI that nobody would write: reading one must end in layers or in messages that
 * name a line. Else a slip in a workload takes the command down, or ranks do what it does not say,
 * or wait for each other in a circle.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "must.h"
#include "programs.h"
#include "simai-ops.h"

/* Larger ones only take longer. */
#define MOST_LAYERS 64
#define MOST_RANKS  64

static void
check_layers(const struct simai_workload *w)
{
    MUST(w->n > 0 && w->tp > 0 && w->ep > 0 && w->pp > 0 && w->vpp > 0 && w->ga > 0);
    MUST(w->pp == 1 || w->pp_bytes > 0);
    for (size_t i = 0; i < w->n; i++)
    {
        MUST(w->layers[i].line > w->line && w->layers[i].update >= 0);
        for (size_t k = 0; k < SIMAI_PASSES; k++)
        {
            const struct simai_pass *p = &w->layers[i].pass[k];
            MUST(p->compute >= 0 && p->of <= SIMAI_ALLTOALL && p->group < SIMAI_GROUPS);
            MUST(p->of != SIMAI_NONE || p->bytes == 0);
        }
    }
}

/** A step of as many ranks as it says always ends. */
static void
check_program(struct input_source *from, const struct simai_workload *w)
{
    const struct trace_choice choice = {.bytes_scale = 1, .rate = INT64_C(400000000000), .gpus = 8};
    const uint32_t n = w->n < MOST_LAYERS && w->gpus <= MOST_RANKS ? simai_ranks(from, w, 0) : 0;
    if (n > 0)
    {
        struct weft_ops *ops = programs_begin(n);
        MUST(simai_ops_add(from, w, &choice, n, ops));
        MUST(programs_end(ops) == 0);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "fuzz.xml"};
    struct input_source from = {.path = "fuzz.txt", .scenario_line = 1, .d = &d};
    struct simai_workload w = {0};
    struct table_lines t;
    table_lines_begin(&t, &from, (const char *)data, size);
    if (table_lines_next(&t))
    {
        const bool good = simai_file_parse(&t, &w);
        MUST(good == (d.n == 0) && (good || strncmp(d.items[0].message, "fuzz.txt:", 9) == 0));
        if (good)
        {
            check_layers(&w);
            check_program(&from, &w);
        }
    }
    free(w.layers);
    table_lines_end(&t);
    diag_free(&d);
    return 0;
}
