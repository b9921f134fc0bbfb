/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "must.h"
#include "sack-model.h"

void
sack_model_init(struct sack_model *m, int32_t threshold, int64_t rto, uint32_t limit,
                uint32_t window)
{
    memset(m, 0, sizeof(*m));
    m->threshold = threshold;
    m->rto = rto;
    m->limit = limit;
    m->window = window;
    m->deadline = WEFT_NEVER;
}

void
sack_model_by_time(struct sack_model *m, int64_t rtt)
{
    m->threshold = 0;
    m->time = (struct sack_model_time){
        .late = rtt / 2,
        .window = rtt / 2 * 2,
        .least = rtt / 4 + 1,
        .most = WEFT_NEVER,
        .rtt = rtt,
        .variation = rtt / 2,
        .probe_at = WEFT_NEVER,
    };
}

int64_t
sack_model_deadline(const struct sack_model *m)
{
    const int64_t probe = m->threshold == 0 ? m->time.probe_at : WEFT_NEVER;
    return probe < m->deadline ? probe : m->deadline;
}

static void
size_window(struct sack_model_time *t)
{
    t->window = 2 * t->late;
    t->window = t->window < t->least ? t->least : t->window;
    t->window = t->window > t->most ? t->most : t->window;
}

/* A first transmission: perhaps a milestone. */
static void
note_sent(struct sack_model *m, int64_t now)
{
    struct sack_model_time *t = &m->time;
    t->last = now;
    if (now >= t->mark_at)
    {
        const int64_t eighth = t->window / 8 + t->rtt / 8;
        const uint32_t i = t->n < 8 ? t->n++ : 7;
        t->milestone[i].left = now;
        t->milestone[i].end = m->end;
        t->mark_at = now + (eighth > t->window / 4 ? eighth : t->window / 4);
    }
}

/* Packets before which all are lost that have not arrived. */
static uint32_t
judge(struct sack_model *m, int64_t now)
{
    struct sack_model_time *t = &m->time;
    const int64_t off = now - t->newest - t->rtt;
    const int64_t old = t->newest - t->window;
    uint32_t lost = 0;
    while (t->n > 0 && t->milestone[0].left <= old)
    {
        lost = t->milestone[0].end;
        memmove(t->milestone, t->milestone + 1, 7 * sizeof t->milestone[0]);
        t->n--;
        t->late -= t->late / 16;
    }
    lost = t->n == 0 && t->last <= old ? m->end : lost;
    for (uint32_t i = m->una; i < lost; i++)
    {
        /* The promise in a user's words, whatever the milestones. */
        MUST(m->packet[i].acked || m->packet[i].sent > 1 || m->packet[i].left <= old);
    }
    t->variation += ((off < 0 ? -off : off) - t->variation) / 4;
    t->rtt += off / 8;
    size_window(t);
    t->due = (t->n > 0 ? t->milestone[0].left : t->last) + t->window;
    return lost;
}

/* When a probe is to ask what became of the last packets. */
static void
await(struct sack_model *m, bool gap, int64_t now)
{
    struct sack_model_time *t = &m->time;
    int64_t wait = t->window + 4 * t->variation + (gap ? 0 : t->rtt);
    for (uint32_t i = 0; i < t->tries && wait < m->rto; i++)
    {
        wait *= 2;
    }
    wait = wait < m->rto ? wait : m->rto;
    t->probe_at = m->end < m->posted || m->una == m->end ? WEFT_NEVER : now + wait;
}

/* The first packet before the highest one that has arrived that is missing and was not found so
 * before; top if there is none. */
static uint32_t
first_gap(const struct sack_model *m)
{
    uint32_t lowest = m->una;
    while (lowest < m->top && (m->packet[lowest].acked || m->packet[lowest].tried))
    {
        lowest++;
    }
    return lowest;
}

static void
find_lost(struct sack_model *m, uint32_t end)
{
    for (uint32_t i = m->una; i < end; i++)
    {
        m->packet[i].queued |= !m->packet[i].acked && !m->packet[i].tried;
        m->packet[i].tried |= !m->packet[i].acked;
    }
}

static bool
has_queued(const struct sack_model *m)
{
    bool queued = false;
    for (uint32_t i = m->una; i < m->end; i++)
    {
        queued |= !m->packet[i].acked && (m->packet[i].queued || m->packet[i].again);
    }
    return queued;
}

/* Nothing is queued, and nothing of a round that is out is missing: the next round is out. */
static void
settle(struct sack_model *m)
{
    bool out = false;
    for (uint32_t i = m->una; i < m->end; i++)
    {
        out |= !m->packet[i].acked && m->packet[i].round && m->watching;
    }
    if (has_queued(m) || out)
    {
        return;
    }
    m->watching = false;
    for (uint32_t i = m->una; i < m->end; i++)
    {
        m->packet[i].round = !m->packet[i].acked && m->packet[i].tried;
        m->watching |= m->packet[i].round;
    }
    m->mark = m->end;
    m->time.left = m->time.resent;
}

static void
detect_by_count(struct sack_model *m)
{
    if ((int32_t)(m->top - first_gap(m)) > m->threshold)
    {
        find_lost(m, m->top);
    }
}

static void
detect_by_time(struct sack_model *m, int64_t sent, int64_t now)
{
    struct sack_model_time *t = &m->time;
    if (sent >= 0 && sent < t->newest)
    {
        t->late = t->newest - sent > t->late ? t->newest - sent : t->late;
        size_window(t);
    }
    else if (sent >= 0)
    {
        t->newest = sent;
        find_lost(m, sent >= t->due ? judge(m, now) : 0);
    }
    t->tries = 0;
}

static bool
is_again(const struct sack_model *m, uint32_t i)
{
    return !m->packet[i].acked && m->packet[i].tried && !m->packet[i].queued && !m->packet[i].again;
}

/* Step 5 of RFC 8985 §6.2 for a packet that was sent again: it is lost once a packet was answered
 * that left late enough after it. When each left is known to the round; alone, to the packet. */
static bool
is_lost_again(const struct sack_model *m, uint32_t i, int64_t lost)
{
    const struct sack_model_time *t = &m->time;
    const bool over = m->packet[i].alone
                          ? m->packet[i].left <= lost
                          : t->resent <= lost || (m->packet[i].round && t->left <= lost);
    MUST(!over || !is_again(m, i) || m->packet[i].left <= lost);
    return over && is_again(m, i);
}

/* How many are, of a round that is out. */
static uint32_t
count_lost_again(const struct sack_model *m, int64_t lost)
{
    uint32_t n = 0;
    for (uint32_t i = m->una; i < m->end && m->watching && m->packet[m->una].round; i++)
    {
        n += is_lost_again(m, i, lost);
    }
    return n;
}

static void
repeat_lost(struct sack_model *m, int64_t lost)
{
    const uint32_t n = count_lost_again(m, lost);
    for (uint32_t i = m->una; i < m->end && n > 0; i++)
    {
        m->packet[i].again |= is_lost_again(m, i, lost);
    }
    m->packet[m->una].waits_alone |= n == 1 && m->packet[m->una].again;
    m->watching &= n == 0;
}

static void
repeat_counted(struct sack_model *m)
{
    if (m->watching && (int32_t)(m->top - m->mark) >= m->threshold)
    {
        bool missing = false;
        for (uint32_t i = m->una; i < m->end; i++)
        {
            m->packet[i].again |= m->packet[i].round && !m->packet[i].acked;
            missing |= m->packet[i].again && !m->packet[i].acked;
        }
        m->watching = !missing;
    }
}

/* Whether something is missing that left before a packet that was answered. */
static bool
is_overtaken(const struct sack_model *m)
{
    return first_gap(m) < m->top || count_lost_again(m, m->time.newest) > 0;
}

uint32_t
sack_model_reply(struct sack_model *m, uint32_t epsn, uint32_t answered, int64_t sent, int64_t now)
{
    const uint32_t una = m->una;
    for (uint32_t i = una; i < epsn; i++)
    {
        m->packet[i].acked = true;
    }
    m->packet[answered].acked = true;
    for (uint32_t i = una; i < m->end; i++)
    {
        m->top = m->packet[i].acked && i >= m->top ? i + 1 : m->top;
    }
    while (m->una < m->end && m->packet[m->una].acked)
    {
        m->una++;
    }
    if (m->una > una)
    {
        m->deadline = m->una < m->end ? now + m->rto : WEFT_NEVER;
        m->overdue = m->end;
    }
    if (m->threshold > 0)
    {
        detect_by_count(m);
        repeat_counted(m);
        settle(m);
        return m->una - una;
    }
    detect_by_time(m, sent, now);
    repeat_lost(m, m->time.newest - m->time.window);
    settle(m);
    await(m, is_overtaken(m), now);
    return m->una - una;
}

int
sack_model_next(struct sack_model *m, int64_t now, uint32_t *index)
{
    uint32_t i = m->una;
    while (i < m->end && (m->packet[i].acked || !m->packet[i].again))
    {
        i++;
    }
    if (i == m->end)
    {
        i = m->una;
        while (i < m->end && (m->packet[i].acked || !m->packet[i].queued))
        {
            i++;
        }
    }
    const bool fresh = i == m->end;
    if (fresh &&
        (m->end == m->posted || m->end - m->una == m->window || sack_model_flight(m) == m->limit))
    {
        return WEFT_TX_NONE;
    }
    if (fresh && m->una == m->end)
    {
        m->deadline = now + m->rto;
        m->overdue = m->end + 1;
    }
    m->end += fresh;
    if (m->threshold > 0 && m->packet[i].sent > 1 && !m->packet[i].timed)
    {
        /* The promise in a user's words, whatever the rounds: not before the gap says so. */
        MUST((int32_t)(m->top - m->packet[i].end) >= m->threshold);
    }
    m->packet[i].queued = m->packet[i].again = m->packet[i].timed = false;
    m->packet[i].end = m->end;
    m->packet[i].sent++;
    m->packet[i].alone = m->packet[i].waits_alone;
    m->packet[i].waits_alone = false;
    m->packet[i].left = now;
    *index = i;
    if (fresh)
    {
        note_sent(m, now);
    }
    else if (!m->packet[i].alone)
    {
        m->time.resent = now;
    }
    await(m, false, now);
    if (!fresh)
    {
        settle(m);
    }
    return fresh ? WEFT_TX_NEW : WEFT_TX_RETX;
}

uint32_t
sack_model_flight(const struct sack_model *m)
{
    uint32_t flight = 0;
    for (uint32_t i = m->una; i < m->end; i++)
    {
        flight += !m->packet[i].acked && !m->packet[i].queued && !m->packet[i].again;
    }
    return flight;
}

uint32_t
sack_model_sacked(const struct sack_model *m)
{
    uint32_t sacked = 0;
    for (uint32_t i = m->una; i < m->end; i++)
    {
        sacked += m->packet[i].acked;
    }
    return sacked;
}

static void
ask(struct sack_model *m, int64_t now)
{
    m->time.tries++;
    await(m, false, now);
    if (m->end < m->posted || has_queued(m))
    {
        return;
    }
    if (is_overtaken(m))
    {
        repeat_lost(m, m->time.newest);
        find_lost(m, m->top);
    }
    else if (m->packet[m->una].tried)
    {
        m->packet[m->una].again = true;
        m->packet[m->una].waits_alone = true;
        m->watching = false;
    }
    else
    {
        find_lost(m, m->una + 1);
    }
}

void
sack_model_timeout(struct sack_model *m, int64_t now)
{
    if (now < m->deadline)
    {
        ask(m, now);
        return;
    }
    uint32_t tried = m->overdue;
    for (uint32_t i = m->una; i < m->end; i++)
    {
        m->packet[i].timed = true;
        m->packet[i].waits_alone = false;
        tried = m->packet[i].tried && !m->packet[i].acked && i >= tried ? i + 1 : tried;
    }
    for (uint32_t i = m->una; i < tried; i++)
    {
        m->packet[i].tried = true;
        m->packet[i].queued = false;
        m->packet[i].again = !m->packet[i].acked;
    }
    m->watching = false;
    m->overdue = m->end;
    m->deadline = now + m->rto;
    m->time.probe_at = WEFT_NEVER;
}
