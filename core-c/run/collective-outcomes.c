/* SPDX-License-Identifier: MIT */
/* Outcomes of a collective's messages, of which all ranks hear: what is done, what is lost, and
 * what can never start. */
#include "run/collective.h"

#include <string.h>

/* Everything but what is lost for good is done. */
static bool
is_done(const struct weft_collective *c)
{
    const bool blocked = c->held > 0 && c->undelivered == 0; /* or it goes on when someone hears */
    return c->computing == 0 && !blocked &&
           c->done + c->failed + c->unstarted + c->held == c->is.size.nmessages;
}

/* Counts one message more or less that another one waits for in vain; that one goes on the list if
 * it can no longer start, or again. Returns the length of the list. */
static uint32_t
set_lost_wait(struct weft_collective *c, uint32_t message, bool lost, uint32_t n)
{
    const bool could = c->lost_waits[message] == 0;
    c->lost_waits[message] += lost ? 1 : UINT32_MAX;
    if (could != (c->lost_waits[message] == 0))
    {
        c->unstarted += lost ? 1 : SIZE_MAX;
        c->lost[n++] = message;
    }
    return n;
}

/* Counts the same for the messages that wait for a step with one lost more, or less. */
static uint32_t
set_lost_step(struct weft_collective *c, const struct weft_message *m, bool lost, uint32_t n)
{
    struct weft_step *step = weft_step_of(c, m);
    const bool could = step->lost == 0;
    step->lost += lost ? 1 : UINT32_MAX;
    const struct weft_step *behind = weft_step_behind(c, m);
    if (could == (step->lost == 0) || !behind)
    {
        return n;
    }
    for (uint32_t i = 0; i < behind->n; i++)
    {
        const uint32_t next = c->member[behind->first + i];
        n = c->is.messages[next].barrier ? set_lost_wait(c, next, lost, n) : n;
    }
    return n;
}

/* Counts a given-up message as lost, and what waits for it as never to start; or, when it is
 * delivered after all, takes that back. */
static void
set_lost(struct weft_collective *c, uint32_t message, bool lost)
{
    const uint32_t nmessages = c->is.size.nmessages;
    c->undelivered += lost ? 1 : SIZE_MAX;
    if (!c->lost_waits)
    {
        const struct weft_memory *memory = weft_run_memory(c->run);
        c->lost_waits = weft_take(memory, nmessages * sizeof *c->lost_waits);
        c->lost = weft_take(memory, (nmessages + (size_t)1) * sizeof *c->lost);
    }
    uint32_t n = 0;
    c->lost[n++] = message;
    while (n > 0)
    {
        const struct weft_message *m = &c->is.messages[c->lost[--n]];
        for (uint32_t i = 0; i < m->nnext; i++)
        {
            n = set_lost_wait(c, c->is.next[m->first_next + i], lost, n);
        }
        n = c->step ? set_lost_step(c, m, lost, n) : n;
    }
}

/* A message that its step waited for is acknowledged, or not to be. Returns whether the step has
 * ended. */
static bool
count_in_step(struct weft_collective *c, const struct weft_message *m, int64_t at)
{
    struct weft_step *step = c->step ? weft_step_of(c, m) : NULL;
    if (!step)
    {
        return false;
    }
    step->last = at > step->last ? at : step->last; /* hosts tell in any order within a window */
    return --step->left == 0;
}

static void
end_step(struct weft_collective *c, const struct weft_message *m)
{
    const struct weft_step *behind = weft_step_behind(c, m);
    const int64_t at = weft_step_of(c, m)->last + c->news;
    if (c->is.hooks.ended)
    {
        c->is.hooks.ended(c->is.hooks.of, m->group, m->step);
    }
    if (c->run->has_ranks)
    {
        c->released = true;
    }
    for (uint32_t i = 0; behind && i < behind->n; i++)
    {
        const uint32_t next = c->member[behind->first + i];
        if (c->is.messages[next].barrier && weft_net_is_here(c->run->net, c->is.messages[next].src))
        {
            weft_collective_count(c, next, at);
        }
    }
}

static int64_t
way(const struct weft_collective *c, uint32_t from, uint32_t to)
{
    return weft_clos_way(c->run->clos, from, to, c->run->ack);
}

/* Consequences of an outcome, for which nothing is locked. */
struct effects
{
    int64_t answered; /* when the sender that has given up and asked hears that the receiver has the
                         message; -1: it does not */
    bool step_ends;
};

/* A sender has given up and asked the receiver, which has the message and answers. */
static void
answer(struct weft_collective *c, uint32_t message, struct effects *effects)
{
    const struct weft_message *m = &c->is.messages[message];
    const struct weft_message_times *t = &c->is.times[message];
    const int64_t since = t->asked > t->delivered ? t->asked : t->delivered;
    effects->answered = since + way(c, m->dst, m->src);
    effects->step_ends = count_in_step(c, m, effects->answered);
    c->released = true;
}

static bool
note_delivered(struct weft_collective *c, uint32_t message, int64_t now, struct effects *effects)
{
    struct weft_message_times *t = &c->is.times[message];
    c->last_delivery = now > c->last_delivery ? now : c->last_delivery;
    t->delivered = now;
    if (t->failed)
    {
        set_lost(c, message, false);
    }
    if (t->asked >= 0)
    {
        answer(c, message, effects);
    }
    c->done += t->acked >= 0; /* acknowledged too soon, by a transport that is wrong */
    return t->acked >= 0;
}

static bool
note_acked(struct weft_collective *c, uint32_t message, int64_t now, struct effects *effects)
{
    struct weft_message_times *t = &c->is.times[message];
    t->acked = now;
    c->acked++;
    c->done += t->delivered >= 0;
    effects->step_ends = count_in_step(c, &c->is.messages[message], now);
    return true;
}

static bool
note_failed(struct weft_collective *c, uint32_t message, int64_t now, struct effects *effects)
{
    const struct weft_message *m = &c->is.messages[message];
    struct weft_message_times *t = &c->is.times[message];
    t->failed = true;
    c->failed++;
    /* The sender hears no more of the message by itself: it asks the receiver. */
    t->asked = now + way(c, m->src, m->dst);
    if (t->delivered < 0)
    {
        set_lost(c, message, true);
    }
    else
    {
        answer(c, message, effects);
    }
    return true;
}

/* Hears what becomes of a program. */
static void
hear_play(struct weft_collective *c, enum weft_play_news what, int64_t now)
{
    weft_run_lock(c->run);
    c->held -= what == WEFT_PLAY_RELEASED;
    c->computing += what == WEFT_PLAY_COMPUTES;
    bool done = false;
    if (what == WEFT_PLAY_COMPUTED)
    {
        c->computing--;
        c->done_at = now > c->done_at ? now : c->done_at;
        done = is_done(c);
    }
    const int64_t done_at = c->done_at;
    weft_run_unlock(c->run);
    if (done && c->is.hooks.done)
    {
        c->is.hooks.done(c->is.hooks.of, done_at);
    }
}

/* Hears what all ranks hear of. */
static void
hear(struct weft_collective *c, uint32_t message, enum weft_message_end end, int64_t now)
{
    bool (*const note[])(struct weft_collective *, uint32_t, int64_t,
                         struct effects *) = {note_delivered, note_acked, note_failed};
    struct effects effects = {-1, false};
    const struct weft_message *m = &c->is.messages[message];
    weft_run_lock(c->run);
    const bool ends = note[end](c, message, now, &effects);
    c->done_at = ends && now > c->done_at ? now : c->done_at;
    const bool done = ends && is_done(c);
    const int64_t done_at = c->done_at;
    weft_run_unlock(c->run);
    if (end == WEFT_MESSAGE_FAILED && c->is.hooks.failed)
    {
        c->is.hooks.failed(c->is.hooks.of, message, now);
    }
    if (effects.answered >= 0 && weft_net_is_here(c->run->net, m->src))
    {
        weft_collective_count_next(c, message, true, effects.answered);
        weft_plays_answered(c, message, effects.answered);
    }
    if (effects.step_ends)
    {
        end_step(c, m);
    }
    if (done && c->is.hooks.done)
    {
        c->is.hooks.done(c->is.hooks.of, done_at);
    }
}

/* Tells all ranks at the end of the window. */
static void
tell_later(struct weft_collective *c, uint32_t message, uint32_t what, int64_t now)
{
    struct weft_run *run = c->run;
    weft_run_lock(run);
    c->outcome = weft_grow(weft_run_memory(run), c->outcome, c->noutcomes, &c->outcome_room,
                           sizeof *c->outcome);
    c->outcome[c->noutcomes++] = (struct weft_outcome){now, message, what};
    weft_run_unlock(run);
}

void
weft_collective_note(struct weft_collective *c, uint32_t message, enum weft_message_end end,
                     int64_t now)
{
    if (!c->run->has_ranks)
    {
        hear(c, message, end, now);
        return;
    }
    tell_later(c, message, end, now);
}

void
weft_collective_note_play(struct weft_collective *c, uint32_t message, enum weft_play_news what,
                          int64_t now)
{
    if (!c->run->has_ranks)
    {
        hear_play(c, what, now);
        return;
    }
    tell_later(c, message, what, now);
}

void
weft_collective_tell(struct weft_collective *c, uint32_t number)
{
    weft_news_put(c->run, number, c->outcome, c->noutcomes, sizeof *c->outcome);
    c->noutcomes = 0;
}

bool
weft_collective_hear(struct weft_collective *c, const void *outcomes, size_t n)
{
    c->released = false;
    for (size_t i = 0; i < n; i++)
    {
        struct weft_outcome o;
        memcpy(&o, (const unsigned char *)outcomes + i * sizeof o, sizeof o);
        if (o.what > WEFT_MESSAGE_FAILED)
        {
            hear_play(c, (enum weft_play_news)o.what, o.at);
            continue;
        }
        hear(c, o.message, (enum weft_message_end)o.what, o.at);
    }
    return c->released;
}

void
weft_collective_describe(struct weft_collective *c, struct weft_collective_state *is)
{
    weft_run_lock(c->run);
    *is = (struct weft_collective_state){.acked = c->acked,
                                         .failed = c->failed,
                                         .undelivered = c->undelivered,
                                         .unstarted = c->unstarted + (is_done(c) ? c->held : 0),
                                         .held = c->held,
                                         .last_delivery = c->last_delivery,
                                         .done_at = c->done_at,
                                         .done = is_done(c)};
    weft_run_unlock(c->run);
}

void
weft_collective_gather(struct weft_collective *c)
{
    const uint32_t n = c->is.size.nmessages;
    uint64_t *posted = weft_scratch_take(c->run, n * sizeof *posted + 1);
    for (uint32_t i = 0; i < n; i++)
    {
        const bool here = weft_net_is_here(c->run->net, c->is.messages[i].src);
        posted[i] = here ? (uint64_t)c->is.times[i].posted : 0;
    }
    weft_net_sum(c->run->net, posted, n);
    for (uint32_t i = 0; i < n; i++)
    {
        c->is.times[i].posted = (int64_t)posted[i];
    }
    weft_scratch_give(c->run, posted);
    weft_plays_gather(c);
}
