/* SPDX-License-Identifier: GPL-2.0-only */
#include "run-status.h"

#include <inttypes.h>

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
    text_add(t, "%zu under way (", n);
    for (size_t i = 0; i < n; i++)
    {
        memory += process_memory(status[i].pid);
        if (i < MOST_NAMED)
        {
            text_add(t, "%s%s ", i ? "; " : "", status[i].name);
            add_place(t, &status[i].progress);
        }
    }
    if (n > MOST_NAMED)
    {
        text_add(t, "; and %zu more", n - MOST_NAMED);
    }
    text_add(t, "), %.0f MB in all", memory * 1e-6);
}
