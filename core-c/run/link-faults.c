/* SPDX-License-Identifier: MIT */
/* Faults of a run's links: they begin, end and flap, and links are as what is in force says. */
#include "run/link-faults.h"

#include <string.h>

#include "base/exponential.h"
#include <weft/error.h>

#define FLAP_STREAM (UINT64_C(0xf1a9) << 48)  /* rng streams of times that are drawn */
#define MOST_DELAY  INT64_C(3600000000000000) /* ps: an hour, so that sums do not overflow */

/* A link as its faults make it; [0]: upwards, [1]: downwards. */
struct link_state
{
    bool down[2];
    int64_t rate[2];
    int64_t delay[2];
};

static const enum weft_direction ways[2] = {WEFT_UPWARDS, WEFT_DOWNWARDS};

static int64_t
planned_rate(const struct weft_run *run, uint64_t link)
{
    struct weft_link of;
    weft_planes_link(run->clos, link, &of);
    return of.rate;
}

/* --- what is in force ------------------------------------------------------------------------- */

/* Returns how many failures in force come before that one. */
static uint32_t
place_of(const struct weft_faults *faults, uint64_t link, uint64_t number)
{
    uint32_t low = 0, high = faults->nfailures;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const struct weft_failure *at = &faults->failure[middle];
        const bool before = at->link < link || (at->link == link && at->number < number);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

static bool
is_of(const struct weft_faults *faults, uint32_t i, uint64_t link)
{
    return i < faults->nfailures && faults->failure[i].link == link;
}

static void
begin_failure(struct weft_run *run, struct weft_failure f)
{
    struct weft_faults *faults = &run->faults;
    const uint32_t i = place_of(faults, f.link, f.number);
    if (is_of(faults, i, f.link) && faults->failure[i].number == f.number)
    {
        return;
    }
    faults->failure = weft_grow(&run->memory, faults->failure, faults->nfailures,
                                &faults->failure_room, sizeof f);
    memmove(&faults->failure[i + 1], &faults->failure[i], (faults->nfailures - i) * sizeof f);
    faults->failure[i] = f;
    faults->nfailures++;
}

static void
end_failure(struct weft_faults *faults, uint32_t i)
{
    faults->nfailures--;
    memmove(&faults->failure[i], &faults->failure[i + 1],
            (faults->nfailures - i) * sizeof *faults->failure);
}

static bool
is_down_by(const struct weft_failure *f)
{
    return !f->is || f->is->effect == WEFT_FAULT_DOWN;
}

/* Whether a failure has its effect in the direction ways[i]. */
static bool
has_way(const struct weft_failure *f, unsigned i)
{
    return !f->is || f->is->direction == WEFT_BOTH_WAYS || f->is->direction == ways[i];
}

static void
add_failure(struct link_state *state, const struct weft_failure *f, unsigned i)
{
    if (!has_way(f, i))
    {
        return;
    }
    if (is_down_by(f))
    {
        state->down[i] = true;
    }
    else if (f->is->effect == WEFT_FAULT_SLOW)
    {
        state->rate[i] = f->is->rate < state->rate[i] ? f->is->rate : state->rate[i];
    }
    else if (f->is->effect == WEFT_FAULT_DELAYED)
    {
        state->delay[i] += f->is->delay;
    }
}

/* A link as all that is in force makes it, but for losses. */
static struct link_state
state_of(const struct weft_run *run, uint64_t link)
{
    const struct weft_faults *faults = &run->faults;
    const int64_t set = weft_links_rate(&faults->set, link);
    const int64_t rate = set > 0 ? set : planned_rate(run, link);
    struct link_state state = {.rate = {rate, rate}};
    for (uint32_t i = place_of(faults, link, 0); is_of(faults, i, link); i++)
    {
        add_failure(&state, &faults->failure[i], 0);
        add_failure(&state, &faults->failure[i], 1);
    }
    return state;
}

bool
weft_run_is_down(const struct weft_run *run, uint64_t link)
{
    const struct weft_faults *faults = &run->faults;
    bool down = false;
    for (uint32_t i = place_of(faults, link, 0); is_of(faults, i, link); i++)
    {
        down = down || is_down_by(&faults->failure[i]);
    }
    return down;
}

/* --- what links are --------------------------------------------------------------------------- */

/* Has the fabric's link be as it is now. Returns 0 or as weft_net_set_rate(). */
static int
set_link(struct weft_run *run, uint64_t link, const struct link_state *was,
         const struct link_state *is)
{
    int code = 0;
    for (unsigned i = 0; i < 2 && !code; i++)
    {
        if (is->rate[i] != was->rate[i])
        {
            code = weft_net_set_way_rate(run->net, link, ways[i], is->rate[i]);
        }
        if (is->delay[i] != was->delay[i])
        {
            weft_net_set_way_delay(run->net, link, ways[i], is->delay[i]);
        }
        if (is->down[i] != was->down[i])
        {
            weft_net_set_way_down(run->net, link, ways[i], is->down[i]);
        }
    }
    return code;
}

static int64_t
least_rate(const struct link_state *state)
{
    return state->rate[0] < state->rate[1] ? state->rate[0] : state->rate[1];
}

/* Changes the link as the faults in force have changed; who is to hear of it hears. */
static void
change_link(struct weft_run *run, uint64_t link, const struct link_state *was)
{
    const struct link_state is = state_of(run, link);
    const bool down = is.down[0] || is.down[1];
    set_link(run, link, was, &is);
    if (least_rate(&is) != least_rate(was))
    {
        weft_faults_note_rate(run, link, least_rate(&is));
    }
    if (down == (was->down[0] || was->down[1]))
    {
        return;
    }
    weft_faults_note_down(run, link, down);
    if (run->host.link_changed)
    {
        run->host.link_changed(run->host.of, link, down);
    }
}

static void
set_losses(struct weft_run *run, const struct weft_failure *f, bool begins)
{
    if (f->is && (f->is->effect == WEFT_FAULT_LOSSY || f->is->effect == WEFT_FAULT_CORRUPTING))
    {
        weft_net_set_losses(run->net, f->link, f->is->direction, f->number,
                            begins ? &f->is->losses : NULL, f->is->effect == WEFT_FAULT_CORRUPTING);
    }
}

/* --- in time ---------------------------------------------------------------------------------- */

/* Order of an instant: links that a fault leaves to another stay as they are. */
enum
{
    BEGIN,
    END,
};

/* A time that a fault flaps for. */
static int64_t
draw(struct weft_run_fault *fault, int64_t mean)
{
    if (!fault->is.drawn)
    {
        return mean;
    }
    const double time = weft_rng_exponential(&fault->rng) * (double)mean + 0.5;
    return time < 1 ? 1 : time < (double)WEFT_LATEST ? (int64_t)time : WEFT_LATEST;
}

static void
plan_change(struct weft_run *run, struct weft_run_fault *fault, int64_t at, uint64_t what)
{
    struct weft_agenda *changes = &run->faults.changes;
    if (at <= WEFT_LATEST)
    {
        weft_agenda_add(changes, at, what, ++changes->seq, fault, &run->memory);
        weft_run_change(run, at, weft_faults_change);
    }
}

static void
plan_next(struct weft_run *run, struct weft_run_fault *fault, int64_t at, bool begins)
{
    const bool flaps = fault->is.down > 0;
    if (begins)
    {
        const int64_t end = flaps ? at + draw(fault, fault->is.down) : WEFT_NEVER;
        plan_change(run, fault, end < fault->is.repair ? end : fault->is.repair, END);
    }
    else if (flaps && --fault->left > 0)
    {
        const int64_t again = at + draw(fault, fault->is.up);
        plan_change(run, fault, again < fault->is.repair ? again : WEFT_NEVER, BEGIN);
    }
}

/* A fault begins or ends at all its links. */
static void
change(struct weft_run *run, const struct weft_run_fault *fault, bool begins)
{
    struct weft_faults *faults = &run->faults;
    for (size_t k = 0; k < fault->is.nlinks; k++)
    {
        const struct weft_failure f = {fault->is.links[k], fault->number, &fault->is};
        const struct link_state was = state_of(run, f.link);
        const uint32_t i = place_of(faults, f.link, f.number);
        if (begins)
        {
            begin_failure(run, f);
        }
        else if (is_of(faults, i, f.link) && faults->failure[i].number == f.number)
        {
            end_failure(faults, i);
        }
        set_losses(run, &f, begins);
        change_link(run, f.link, &was);
    }
}

void
weft_faults_change(struct weft_run *run, int64_t at)
{
    struct weft_faults *faults = &run->faults;
    while (weft_agenda_next(&faults->changes) <= at)
    {
        const struct weft_due due = weft_agenda_take(&faults->changes);
        change(run, due.what, due.key == BEGIN);
        plan_next(run, due.what, due.at, due.key == BEGIN);
    }
    weft_faults_converge(run);
}

/* --- what is asked for ------------------------------------------------------------------------ */

static bool
are_probabilities(const struct weft_frame_losses *l)
{
    return l->good >= 0 && l->good <= 1 && l->bad >= 0 && l->bad <= 1 && l->to_bad >= 0 &&
           l->to_bad <= 1 && l->to_good >= 0 && l->to_good <= 1;
}

/* Whether there are such times. */
static bool
are_times(const struct weft_fault *f)
{
    return f->at >= 0 && f->at <= WEFT_LATEST && f->repair >= f->at &&
           (f->repair <= WEFT_LATEST || f->repair == WEFT_NEVER) && f->down >= 0 &&
           f->down <= WEFT_LATEST && f->up >= 0 && f->up <= WEFT_LATEST;
}

/* Whether there is such an effect on a link. */
static bool
is_possible(const struct weft_run *run, const struct weft_fault *f, uint64_t link)
{
    switch (f->effect)
    {
    case WEFT_FAULT_SLOW:
        return f->rate >= 1 && f->rate <= planned_rate(run, link);
    case WEFT_FAULT_LOSSY:
    case WEFT_FAULT_CORRUPTING:
        return are_probabilities(&f->losses);
    case WEFT_FAULT_DELAYED:
        return f->delay >= 0 && f->delay <= MOST_DELAY;
    default:
        return true;
    }
}

static int
check(const struct weft_run *run, const struct weft_fault *f)
{
    if (f->nlinks == 0 || (unsigned)f->effect >= WEFT_FAULT_EFFECTS ||
        (unsigned)f->direction > WEFT_DOWNWARDS || (f->down > 0) != (f->up > 0))
    {
        return WEFT_EINVAL;
    }
    bool possible = are_times(f);
    for (size_t i = 0; i < f->nlinks && possible; i++)
    {
        possible = f->links[i] < weft_planes_links(run->clos) && is_possible(run, f, f->links[i]);
    }
    return possible ? 0 : WEFT_ERANGE;
}

/* A fault from time 0 on, for good, counts in shares. */
static void
note_lasting(struct weft_run *run, const struct weft_fault *f)
{
    struct weft_link_states *lasting = &run->faults.lasting;
    if (f->at > 0 || f->repair != WEFT_NEVER || f->down > 0)
    {
        return;
    }
    for (size_t i = 0; i < f->nlinks; i++)
    {
        const int64_t rate = weft_links_rate(lasting, f->links[i]);
        if (f->effect == WEFT_FAULT_DOWN)
        {
            weft_links_set_down(run, lasting, f->links[i], true);
        }
        if (f->effect == WEFT_FAULT_SLOW && (rate == 0 || f->rate < rate))
        {
            weft_links_set_rate(run, lasting, f->links[i], f->rate);
        }
    }
}

int
weft_run_add_fault(struct weft_run *run, const struct weft_fault *fault)
{
    const int code = check(run, fault);
    if (code)
    {
        return code;
    }
    struct weft_run_fault *f = weft_take(&run->memory, sizeof *f);
    uint64_t *links = weft_take(&run->memory, fault->nlinks * sizeof *links);
    memcpy(links, fault->links, fault->nlinks * sizeof *links);
    f->is = *fault;
    f->is.links = links;
    f->number = ++run->faults.numbers;
    f->left = fault->count > 0 ? fault->count : UINT64_MAX;
    weft_rng_seed(&f->rng, run->seed, run->number, FLAP_STREAM + fault->stream);
    note_lasting(run, fault);
    plan_change(run, f, fault->at, BEGIN);
    return 0;
}

int
weft_run_fail(struct weft_run *run, uint64_t link, int64_t at, int64_t repair)
{
    const struct weft_fault fault = {.links = &link, .nlinks = 1, .at = at, .repair = repair};
    return weft_run_add_fault(run, &fault);
}

int
weft_run_degrade(struct weft_run *run, uint64_t link, int64_t rate, int64_t at, int64_t repair)
{
    const struct weft_fault fault = {.links = &link,
                                     .nlinks = 1,
                                     .effect = WEFT_FAULT_SLOW,
                                     .rate = rate,
                                     .at = at,
                                     .repair = repair};
    return weft_run_add_fault(run, &fault);
}

int
weft_run_set_down(struct weft_run *run, uint64_t link, bool down)
{
    struct weft_faults *faults = &run->faults;
    if (link >= weft_planes_links(run->clos))
    {
        return WEFT_ERANGE;
    }
    const struct link_state was = state_of(run, link);
    if (down)
    {
        begin_failure(run, (struct weft_failure){.link = link});
    }
    for (uint32_t i = place_of(faults, link, 0); !down && is_of(faults, i, link);)
    {
        if (is_down_by(&faults->failure[i]))
        {
            end_failure(faults, i);
            continue;
        }
        i++;
    }
    change_link(run, link, &was);
    weft_faults_converge(run);
    return 0;
}

int
weft_run_set_rate(struct weft_run *run, uint64_t link, int64_t rate)
{
    if (link >= weft_planes_links(run->clos))
    {
        return WEFT_ERANGE;
    }
    const struct link_state was = state_of(run, link);
    const int64_t former = weft_links_rate(&run->faults.set, link);
    weft_links_set_rate(run, &run->faults.set, link, rate == planned_rate(run, link) ? 0 : rate);
    const struct link_state is = state_of(run, link);
    const int code = rate < 1 ? WEFT_ERANGE : set_link(run, link, &was, &is);
    if (code)
    {
        weft_links_set_rate(run, &run->faults.set, link, former);
        return code;
    }
    weft_faults_note_rate(run, link, least_rate(&is));
    weft_faults_converge(run);
    return 0;
}

void
weft_run_forget_faults(struct weft_run *run)
{
    run->faults.changes.n = 0;
    run->faults.convergences.n = 0;
    run->faults.npending = 0;
    run->faults.looks_at = 0;
    weft_run_forget_changes(run);
}

/* Has a new fabric's link be as it is. */
static void
set_anew(struct weft_run *run, uint64_t link)
{
    const int64_t rate = planned_rate(run, link);
    const struct link_state planned = {.rate = {rate, rate}}, is = state_of(run, link);
    set_link(run, link, &planned, &is);
}

void
weft_faults_set_links(struct weft_run *run)
{
    const struct weft_faults *faults = &run->faults;
    for (uint32_t i = 0; i < faults->nfailures; i++)
    {
        set_anew(run, faults->failure[i].link);
        set_losses(run, &faults->failure[i], true);
    }
    for (uint32_t i = 0; i < faults->set.nslow; i++)
    {
        set_anew(run, faults->set.slow[i].link);
    }
}
