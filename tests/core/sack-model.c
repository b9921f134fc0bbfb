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

/* Nothing is queued, and nothing of a round that is out is missing: the next round is out. */
static void
settle(struct sack_model *m)
{
    bool queued = false;
    bool out = false;
    for (uint32_t i = m->una; i < m->end; i++)
    {
        queued |= !m->packet[i].acked && (m->packet[i].queued || m->packet[i].again);
        out |= !m->packet[i].acked && m->packet[i].round && m->watching;
    }
    if (queued || out)
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
}

static void
detect(struct sack_model *m)
{
    uint32_t lowest = m->una;
    while (lowest < m->top && (m->packet[lowest].acked || m->packet[lowest].tried))
    {
        lowest++;
    }
    const bool lost = (int32_t)(m->top - lowest) > m->threshold;
    for (uint32_t i = lowest; lost && i < m->top; i++)
    {
        m->packet[i].queued |= !m->packet[i].acked && !m->packet[i].tried;
        m->packet[i].tried = true;
    }
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

uint32_t
sack_model_reply(struct sack_model *m, uint32_t epsn, uint32_t answered, int64_t now)
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
    detect(m);
    settle(m);
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
    if (m->packet[i].sent > 1 && !m->packet[i].timed)
    {
        /* The promise in a user's words, whatever the rounds: not before the gap says so. */
        MUST((int32_t)(m->top - m->packet[i].end) >= m->threshold);
    }
    m->packet[i].queued = m->packet[i].again = m->packet[i].timed = false;
    m->packet[i].end = m->end;
    m->packet[i].sent++;
    *index = i;
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

void
sack_model_timeout(struct sack_model *m, int64_t now)
{
    uint32_t tried = m->overdue;
    for (uint32_t i = m->una; i < m->end; i++)
    {
        m->packet[i].timed = true;
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
}
