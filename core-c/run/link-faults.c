/* SPDX-License-Identifier: MIT */
/* Links of a run that fail, slow down and come back. */
#include "run/link-faults.h"

#include <string.h>

#include <weft/error.h>

static int64_t
planned_rate(const struct weft_run *run, uint64_t link)
{
    struct weft_link of;
    weft_planes_link(run->clos, link, &of);
    return of.rate;
}

/* Returns how many failures in force come before that one. */
static uint32_t
place_of(const struct weft_faults *faults, struct weft_failure f)
{
    uint32_t low = 0, high = faults->nfailures;
    while (low < high)
    {
        const uint32_t middle = low + (high - low) / 2;
        const struct weft_failure *at = &faults->failure[middle];
        const bool before = at->link < f.link || (at->link == f.link && at->number < f.number);
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    return low;
}

static bool
is_in_force(const struct weft_faults *faults, struct weft_failure f)
{
    const uint32_t i = place_of(faults, f);
    return i < faults->nfailures && faults->failure[i].link == f.link &&
           faults->failure[i].number == f.number;
}

bool
weft_run_is_down(const struct weft_run *run, uint64_t link)
{
    const uint32_t i = place_of(&run->faults, (struct weft_failure){link, 0});
    return i < run->faults.nfailures && run->faults.failure[i].link == link;
}

static void
begin_failure(struct weft_run *run, struct weft_failure f)
{
    struct weft_faults *faults = &run->faults;
    if (is_in_force(faults, f))
    {
        return;
    }
    const uint32_t i = place_of(faults, f);
    faults->failure = weft_grow(&run->memory, faults->failure, faults->nfailures,
                                &faults->failure_room, sizeof f);
    memmove(&faults->failure[i + 1], &faults->failure[i], (faults->nfailures - i) * sizeof f);
    faults->failure[i] = f;
    faults->nfailures++;
}

/* Ends failures in force: @p n from the one at @p i on. */
static void
end_failures(struct weft_faults *faults, uint32_t i, uint32_t n)
{
    memmove(&faults->failure[i], &faults->failure[i + n],
            (faults->nfailures - i - n) * sizeof *faults->failure);
    faults->nfailures -= n;
}

/* Failures have begun or ended. Returns whether the link's state is new. */
static bool
change_link(struct weft_run *run, uint64_t link, bool was)
{
    const bool down = weft_run_is_down(run, link);
    if (down == was)
    {
        return false;
    }
    weft_net_set_down(run->net, link, down);
    weft_faults_log(run, (struct weft_link_event){.link = link, .down = down});
    if (run->host.link_changed)
    {
        run->host.link_changed(run->host.of, link, down);
    }
    return true;
}

static int
change_rate(struct weft_run *run, uint64_t link, int64_t rate)
{
    const int64_t planned = planned_rate(run, link);
    const int code = weft_net_set_rate(run->net, link, rate);
    if (code)
    {
        return code;
    }
    weft_links_set_rate(run, &run->faults.now, link, rate == planned ? 0 : rate);
    weft_faults_log(
        run, (struct weft_link_event){.link = link, .rate = rate < planned ? rate : planned});
    if (run->faults.weights == WEFT_WEIGHTS_CAPACITY)
    {
        weft_faults_converge(run);
    }
    return 0;
}

/* Makes all changes of this instant: forwarding is computed once. */
static void
change_links(struct weft_run *run, int64_t at)
{
    struct weft_faults *faults = &run->faults;
    bool changed = false;
    while (weft_agenda_next(&faults->changes) <= at)
    {
        struct weft_link_change *change = weft_agenda_take(&faults->changes).what;
        const struct weft_failure f = change->failure;
        const bool was = weft_run_is_down(run, f.link);
        if (change->begins)
        {
            begin_failure(run, f);
        }
        else if (is_in_force(faults, f))
        {
            end_failures(faults, place_of(faults, f), 1);
        }
        change->next = faults->free_changes;
        faults->free_changes = change;
        changed = change_link(run, f.link, was) || changed;
    }
    if (changed)
    {
        weft_faults_converge(run);
    }
}

static void
change_rates(struct weft_run *run, int64_t at)
{
    struct weft_faults *faults = &run->faults;
    if (weft_agenda_next(&faults->rates) <= at)
    {
        struct weft_link_change *change = weft_agenda_take(&faults->rates).what;
        change->next = faults->free_changes;
        faults->free_changes = change;
        change_rate(run, change->failure.link, change->rate);
    }
}

/* Plans a change. @p kind: the agenda, and what makes it. */
static void
plan_change(struct weft_run *run, int64_t at, struct weft_link_change change)
{
    struct weft_faults *faults = &run->faults;
    struct weft_link_change *c = faults->free_changes;
    faults->free_changes = c ? c->next : NULL;
    c = c ? c : weft_take(&run->memory, sizeof *c);
    *c = change;
    struct weft_agenda *agenda = change.rate > 0 ? &faults->rates : &faults->changes;
    weft_agenda_add(agenda, at, 0, ++agenda->seq, c, &run->memory);
    weft_run_change(run, at, change.rate > 0 ? change_rates : change_links);
}

/* Whether there are such a link and such times. */
static bool
are_possible(const struct weft_run *run, uint64_t link, int64_t at, int64_t repair)
{
    return link < weft_planes_links(run->clos) && at >= 0 && at <= WEFT_LATEST && repair >= at &&
           (repair <= WEFT_LATEST || repair == WEFT_NEVER);
}

int
weft_run_fail(struct weft_run *run, uint64_t link, int64_t at, int64_t repair)
{
    if (!are_possible(run, link, at, repair))
    {
        return WEFT_ERANGE;
    }
    const struct weft_failure failure = {link, ++run->faults.numbers};
    plan_change(run, at, (struct weft_link_change){.failure = failure, .begins = true});
    if (at == 0 && repair == WEFT_NEVER)
    {
        weft_links_set_down(run, &run->faults.lasting, link, true);
    }
    if (repair != WEFT_NEVER)
    {
        plan_change(run, repair, (struct weft_link_change){.failure = failure});
    }
    return 0;
}

int
weft_run_degrade(struct weft_run *run, uint64_t link, int64_t rate, int64_t at, int64_t repair)
{
    if (!are_possible(run, link, at, repair) || rate < 1 || rate > planned_rate(run, link))
    {
        return WEFT_ERANGE;
    }
    plan_change(run, at, (struct weft_link_change){.failure = {link, 0}, .rate = rate});
    if (repair != WEFT_NEVER)
    {
        plan_change(
            run, repair,
            (struct weft_link_change){.failure = {link, 0}, .rate = planned_rate(run, link)});
    }
    else if (at == 0)
    {
        weft_links_set_rate(run, &run->faults.lasting, link, rate);
    }
    return 0;
}

int
weft_run_add_fault(struct weft_run *run, const struct weft_fault *fault)
{
    const bool slow = fault->effect == WEFT_FAULT_SLOW;
    if (fault->nlinks == 0 || fault->effect > WEFT_FAULT_SLOW ||
        fault->direction != WEFT_BOTH_WAYS || fault->down || fault->up)
    {
        return WEFT_EINVAL;
    }
    for (size_t i = 0; i < fault->nlinks; i++)
    {
        if (!are_possible(run, fault->links[i], fault->at, fault->repair) ||
            (slow && (fault->rate < 1 || fault->rate > planned_rate(run, fault->links[i]))))
        {
            return WEFT_ERANGE;
        }
    }
    for (size_t i = 0; i < fault->nlinks; i++)
    {
        slow ? weft_run_degrade(run, fault->links[i], fault->rate, fault->at, fault->repair)
             : weft_run_fail(run, fault->links[i], fault->at, fault->repair);
    }
    return 0;
}

int
weft_run_set_down(struct weft_run *run, uint64_t link, bool down)
{
    struct weft_faults *faults = &run->faults;
    if (link >= weft_planes_links(run->clos))
    {
        return WEFT_ERANGE;
    }
    const bool was = weft_run_is_down(run, link);
    if (down)
    {
        begin_failure(run, (struct weft_failure){link, 0});
    }
    else
    {
        const uint32_t i = place_of(faults, (struct weft_failure){link, 0});
        end_failures(faults, i, place_of(faults, (struct weft_failure){link + 1, 0}) - i);
    }
    if (change_link(run, link, was))
    {
        weft_faults_converge(run);
    }
    return 0;
}

int
weft_run_set_rate(struct weft_run *run, uint64_t link, int64_t rate)
{
    return link < weft_planes_links(run->clos) ? change_rate(run, link, rate) : WEFT_ERANGE;
}

void
weft_run_forget_faults(struct weft_run *run)
{
    run->faults.changes.n = 0;
    run->faults.rates.n = 0;
    run->faults.convergences.n = 0;
    weft_run_forget_changes(run);
}
