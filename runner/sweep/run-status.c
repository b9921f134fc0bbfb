/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-status.h"

#include <inttypes.h>
#include <stdlib.h>

#include "machine-memory.h"

#define MOST_NAMED 8

static void
add_place(struct text *t, const struct run_progress *p)
{
    if (p->messages == 0)
    {
        text_add(t, "not begun");
        return;
    }
    text_add(t, "at %.6g ms, %" PRIu64 " of %" PRIu64 " messages, %.0f %% of the payload",
             (double)p->now * 1e-9, p->delivered, p->messages, 100 * p->done);
}

void
run_status_add(struct text *t, const struct run_status *status)
{
    text_add(t, "%s: ", status->name);
    add_place(t, &status->progress);
    text_add(t, ", %.0f MB, process %ld", process_memory(status->pid) * 1e-6, (long)status->pid);
}

void
run_status_add_all(struct text *t, const struct run_status *status, size_t n)
{
    double memory = process_memory(0);
    CLEANUP(text_drop) struct text named = {0};
    size_t running = 0;
    for (size_t i = 0; i < n; i++)
    {
        if (status[i].pid == 0)
        {
            continue;
        }
        memory += process_memory(status[i].pid);
        if (running++ < MOST_NAMED)
        {
            text_add(&named, "%s%s ", running > 1 ? "; " : "", status[i].name);
            add_place(&named, &status[i].progress);
        }
    }
    text_add(t, "%zu under way (%s", running, named.s ? named.s : "");
    if (running > MOST_NAMED)
    {
        text_add(t, "; and %zu more", running - MOST_NAMED);
    }
    text_add(t, "), %.0f MB in all", memory * 1e-6);
}
