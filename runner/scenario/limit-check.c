/* SPDX-License-Identifier: GPL-2.0-only */
/* Whether a run can end before its limit: told from what is known to take longer. */
#include "scenario-load.h"
#include "traffic-load.h"

bool
something_fails(const struct scenario *s)
{
    return s->nfailures || s->random_failures.edge > 0 || s->random_failures.core > 0;
}

/** Senders that give up end their messages early, if something can be lost for good. */
static bool
may_give_up(const struct scenario *s)
{
    const struct weft_fabric_config *f = s->fabric.config;
    bool fails = s->loss > 0 || something_fails(s);
    for (size_t i = 0; i < s->ndrops; i++)
    {
        fails = fails || s->drops[i].count > f->retry_limit;
    }
    return f->retry_limit > 0 && fails;
}

void
check_limit(const struct scenario *s, int line, struct diagnostics *d)
{
    if (s->stop_is_end || may_give_up(s) || traffic_bound(s, false) <= s->stop)
    {
        return;
    }
    const int64_t bound = traffic_bound(s, true);
    if (bound > s->stop)
    {
        diag_error(d, line,
                   "time %.6g ms of <limit> is less than the %.6g ms that the workload takes at "
                   "least, on an idle fabric; expected a later limit, or then=\"stop\" to end "
                   "there without an error",
                   (double)s->stop * 1e-9, (double)bound * 1e-9);
    }
}
