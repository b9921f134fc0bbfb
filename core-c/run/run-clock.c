/* SPDX-License-Identifier: MIT */
/* A run without a simulator: windows of the fabric, faults, and calls at a time. */
#include "node/shared.h"
#include "run/run-parts.h"

/* Order of an instant: faults first. */
enum
{
    CHANGE,
    CALL,
};

/* Lets a fabric that is run come back at the end of its window: calls are others. */
static void
halt(const struct weft_run *run)
{
    if (run->net)
    {
        run->net->halts = true;
    }
}

static struct weft_run_call *
add(struct weft_run *run, int64_t at, uint64_t key, struct weft_run_call call)
{
    weft_run_lock(run); /* a hook on a thread may ask */
    struct weft_run_call *c = run->free_calls;
    run->free_calls = c ? c->next : NULL;
    c = c ? c : weft_take(weft_run_memory(run), sizeof *c);
    *c = call;
    c->number = ++run->ncalls;
    weft_agenda_add(&run->agenda, at > run->now ? at : run->now, key, c->number, c,
                    weft_run_memory(run));
    halt(run);
    weft_run_unlock(run);
    return c;
}

void
weft_run_change(struct weft_run *run, int64_t at, void (*change)(struct weft_run *run, int64_t at))
{
    if (run->host.change)
    {
        run->host.change(run->host.of, at, change);
        return;
    }
    add(run, at, CHANGE, (struct weft_run_call){.change = change});
}

uint64_t
weft_run_at(struct weft_run *run, int64_t at, void (*call)(void *of), void *of)
{
    return add(run, at, CALL, (struct weft_run_call){.call = call, .of = of})->number;
}

void
weft_run_remove(struct weft_run *run, uint64_t number)
{
    weft_run_lock(run); /* a hook on a thread may ask */
    for (uint32_t i = 0; i < run->agenda.n; i++)
    {
        struct weft_run_call *c = run->agenda.due[i].what;
        c->removed = c->removed || c->number == number;
    }
    halt(run);
    weft_run_unlock(run);
}

void
weft_run_forget_changes(struct weft_run *run)
{
    for (uint32_t i = 0; i < run->agenda.n; i++)
    {
        struct weft_run_call *c = run->agenda.due[i].what;
        c->removed = c->removed || c->change;
    }
}

int64_t
weft_run_now(const struct weft_run *run)
{
    return run->now;
}

void
weft_run_stop(struct weft_run *run)
{
    run->stops = true;
}

static struct weft_run_call
take(struct weft_run *run)
{
    struct weft_run_call *c = weft_agenda_take(&run->agenda).what;
    const struct weft_run_call call = *c;
    c->next = run->free_calls;
    run->free_calls = c;
    return call;
}

/* Returns when the next call is due: those that are removed move no clock. */
static int64_t
next_call(struct weft_run *run)
{
    while (run->agenda.n > 0 && ((struct weft_run_call *)run->agenda.due[0].what)->removed)
    {
        take(run);
    }
    return weft_agenda_next(&run->agenda);
}

/* Makes the calls of an instant. */
static void
call_all(struct weft_run *run, int64_t at)
{
    while (!run->stops && next_call(run) <= at)
    {
        const struct weft_run_call call = take(run);
        if (call.change)
        {
            call.change(run, at);
        }
        else
        {
            call.call(call.of);
        }
    }
}

int64_t
weft_run_until(struct weft_run *run, int64_t until)
{
    struct weft_net *net = run->net;
    until = until > run->now ? until : run->now;
    run->stops = false;
    while (!run->stops)
    {
        const int64_t call = next_call(run);
        const int64_t at = call < until ? call : until;
        weft_net_run(net, at);
        run->now = weft_net_now(net); /* earlier, if a hook has asked for a call */
        call_all(run, run->now);
        if (run->now >= until || (at == WEFT_NEVER && !net->halts))
        {
            break;
        }
    }
    return run->now;
}
