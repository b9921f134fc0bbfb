/* SPDX-License-Identifier: GPL-2.0-only */
/* State of a run, and rows of its results. */
#include "collect.h"

#include <string.h>

#include "textbuf.h"

void
row_make_room(void **rows, size_t n, size_t each)
{
    if ((n & (n - 1)) == 0)
    {
        *rows = xrealloc(*rows, n ? 2 * n : 1, each);
    }
    memset((char *)*rows + n * each, 0, each);
}

bool
is_done(const struct simulation *sim)
{
    struct weft_collective_state state;
    sim->host->settle();
    weft_collective_describe(sim->work, &state);
    return state.done;
}

int64_t
end_of(const struct simulation *sim)
{
    if (sim->done != WEFT_NEVER)
    {
        return sim->done;
    }
    return sim->host->now() >= sim->s->stop ? sim->s->stop : weft_net_last(sim->net);
}
