/* SPDX-License-Identifier: GPL-2.0-only */
#include "bound.h"

#include <string.h>

#include <weft/theory.h>

#include "scenario.h"

static struct weft_wire
wire_of(const struct scenario *s, uint32_t links)
{
    const struct weft_fabric_config *f = s->fabric.config;
    const struct weft_clos *c = &s->clos;
    return (struct weft_wire){f->payload,   f->header,     f->gap, f->ack,
                              c->host_rate, c->host_delay, links};
}

static bool
all_cross(const struct scenario *s, const struct weft_message *messages, size_t n, uint32_t links)
{
    for (size_t i = 0; i < n; i++)
    {
        if (weft_clos_hops(&s->clos, messages[i].src, messages[i].dst) != links)
        {
            return false;
        }
    }
    return true;
}

int64_t
first_start(const struct weft_message *messages, size_t n)
{
    int64_t start = WEFT_NEVER;
    for (size_t i = 0; i < n; i++)
    {
        bool at_once = !messages[i].barrier; /* the others' times count from their release */
        start = at_once && messages[i].start < start ? messages[i].start : start;
    }
    return start;
}

static uint32_t
groups_of(const struct weft_message *messages, size_t n)
{
    uint32_t most = 0;
    for (size_t i = 0; i < n; i++)
    {
        most = messages[i].group > most ? messages[i].group : most;
    }
    return most + 1;
}

int64_t
bound_of(const struct scenario *s, const struct weft_message *messages, size_t n, bool whole)
{
    /* The closed forms hold for equal links and ranks that all lie under different ToRs. */
    const struct weft_clos *c = &s->clos;
    const uint32_t links = weft_clos_hops(c, 0, c->nhosts - 1);
    const int64_t start = first_start(messages, n);
    if (c->host_rate != c->fabric_rate || c->host_delay != c->fabric_delay ||
        !all_cross(s, messages, n, links))
    {
        return -1;
    }
    const struct weft_wire w = wire_of(s, links);
    const char *name = s->workload.algo->name;
    if (strcmp(name, "ring") == 0 || strcmp(name, "permutation") == 0)
    {
        return start + weft_message_bound(&w, messages[0].bytes);
    }
    const uint32_t ranks = c->nhosts / groups_of(messages, n);
    if (whole && strcmp(name, "allreduce-ring") == 0)
    {
        return start + weft_allreduce_ring_bound(&w, ranks, messages[0].bytes * ranks);
    }
    if (whole && strcmp(name, "alltoall") == 0)
    {
        return start + weft_alltoall_bound(&w, ranks, messages[0].bytes * ranks);
    }
    return -1;
}
