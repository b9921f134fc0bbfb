/* SPDX-License-Identifier: MIT */
/* Runs programs: begins each operation when those that it requires are done, and has its message
 * posted. Whatever is done to a rank is done by its host. */
#include "run/play.h"

#include "traffic/ops-build.h"
#include "traffic/trace.h"

#include <math.h>

/* Rank to which something happens, at an instant. */
struct turn
{
    struct weft_play *play;
    struct weft_op *ops; /* of the program */
    uint32_t rank;
    int64_t now;
};

static struct turn
turn_of(struct weft_play *play, uint32_t rank, int64_t now)
{
    return (struct turn){play, play->program->ops, rank, now};
}

/* Parts of a rendezvous, in the order of their messages. */
enum part
{
    ASK,
    ANSWER,
    DATA,
};

static bool
asks(const struct weft_play *play, const struct weft_op *send)
{
    return send->amount > play->is->eager;
}

/* Has the message of a part of a send posted, now. */
static void
post(const struct turn *t, const struct weft_op *send, enum part part)
{
    const uint32_t message = send->message + (asks(t->play, send) ? (uint32_t)part : 0);
    weft_collective_note_play(t->play->c, message, WEFT_PLAY_RELEASED, t->now);
    weft_collective_count(t->play->c, message, t->now);
}

/* Counts down what waits for an operation; what waits for nothing any more is ready. */
static void
release(const struct turn *t, uint32_t from, uint32_t to)
{
    struct weft_op_row *ready = &t->play->ready[t->rank];
    for (uint32_t k = from; k < to; k++)
    {
        const uint32_t next = t->play->program->next[k];
        if (--t->ops[next].waits == 0)
        {
            weft_op_queue(t->ops, &ready->head, &ready->tail, next);
        }
    }
}

static void
begin(const struct turn *t, uint32_t op)
{
    t->ops[op].begun = t->now;
    t->ops[op].state = WEFT_OP_BEGUN;
    release(t, t->ops[op].next, t->ops[op].next + t->ops[op].nstart);
}

static void
end(const struct turn *t, uint32_t op)
{
    t->ops[op].ended = t->now;
    t->ops[op].state = WEFT_OP_ENDED;
    release(t, t->ops[op].next + t->ops[op].nstart, t->ops[op + 1].next);
}

/* Lets a receive that is posted and a send of which something has come go on together. */
static void
meet(const struct turn *t, uint32_t send, uint32_t receive)
{
    if (!asks(t->play, &t->ops[send]))
    {
        end(t, receive);
        return;
    }
    t->ops[send].link = receive;
    post(t, &t->ops[send], ANSWER);
}

/* A receive is posted, or something of a send has come to its receiver. */
static void
look_for_other(const struct turn *t, uint32_t op)
{
    struct weft_op_match *m = &t->play->program->match[t->ops[op].match];
    const bool receives = t->ops[op].kind == WEFT_OP_RECV;
    if (m->head == WEFT_NO_OP || t->ops[m->head].kind == t->ops[op].kind)
    {
        weft_op_queue(t->ops, &m->head, &m->tail, op);
        return;
    }
    const uint32_t other = weft_op_take(t->ops, &m->head, &m->tail);
    meet(t, receives ? other : op, receives ? op : other);
}

static void
send(const struct turn *t, uint32_t op)
{
    begin(t, op);
    if (asks(t->play, &t->ops[op]))
    {
        t->ops[op].state = WEFT_OP_ASKS;
    }
    post(t, &t->ops[op], ASK); /* or its only part */
}

static struct weft_play_stream *
stream_of(const struct turn *t, uint32_t op)
{
    const uint8_t stream = t->ops[op].stream;
    return stream == WEFT_NO_STREAM && t->ops[op].kind != WEFT_OP_COMPUTE
               ? NULL
               : &t->play->stream[(size_t)t->rank * t->play->program->nstreams + stream];
}

static int64_t
time_of(const struct weft_play *play, const struct weft_op *op)
{
    const double scale = play->is->compute_scale;
    const double scaled = (double)op->amount * scale;
    return scale == 1                     ? (int64_t)op->amount
           : scaled < (double)WEFT_LATEST ? (int64_t)floor(scaled + 0.5)
                                          : WEFT_LATEST;
}

static void end_computing(void *of, uint64_t what, int64_t now);

static uint64_t
key_of(const struct turn *t, uint32_t op)
{
    return (uint64_t)t->rank << 32 | op;
}

static void
compute(const struct turn *t, uint32_t op, struct weft_play_stream *stream)
{
    const int64_t time = time_of(t->play, &t->ops[op]);
    begin(t, op);
    if (time == 0)
    {
        end(t, op);
        return;
    }
    stream->computes = true;
    weft_collective_note_play(t->play->c, 0, WEFT_PLAY_COMPUTES, t->now);
    weft_run_call(t->play->c->run, t->play->is->host[t->rank],
                  t->now < WEFT_LATEST - time ? t->now + time : WEFT_LATEST, WEFT_NET_CALL, op,
                  end_computing, t->play, key_of(t, op));
}

/* Lets those begin whose turn on a stream has come. */
static void
take_turns(const struct turn *t, struct weft_play_stream *stream)
{
    while (!stream->computes && stream->queue.head != WEFT_NO_OP)
    {
        const uint32_t op = weft_op_take(t->ops, &stream->queue.head, &stream->queue.tail);
        if (t->ops[op].kind == WEFT_OP_COMPUTE)
        {
            compute(t, op, stream);
        }
        else
        {
            send(t, op);
        }
    }
}

/* An operation has what it requires. */
static void
act(const struct turn *t, uint32_t op)
{
    struct weft_play_stream *stream = stream_of(t, op);
    switch (t->ops[op].kind)
    {
    case WEFT_OP_JOIN:
        begin(t, op);
        end(t, op);
        break;
    case WEFT_OP_RECV:
        begin(t, op);
        look_for_other(t, op);
        break;
    default:
        if (!stream)
        {
            send(t, op);
            break;
        }
        t->ops[op].state = WEFT_OP_QUEUED;
        weft_op_queue(t->ops, &stream->queue.head, &stream->queue.tail, op);
        take_turns(t, stream);
        break;
    }
}

static void
act_all(const struct turn *t)
{
    struct weft_op_row *ready = &t->play->ready[t->rank];
    while (ready->head != WEFT_NO_OP)
    {
        act(t, weft_op_take(t->ops, &ready->head, &ready->tail));
    }
}

static void
end_computing(void *of, uint64_t what, int64_t now)
{
    const struct turn t = turn_of(of, (uint32_t)(what >> 32), now);
    const uint32_t op = (uint32_t)what;
    struct weft_play_stream *stream = stream_of(&t, op);
    end(&t, op);
    /* Operations that wait for it come behind those that are in the queue. */
    act_all(&t);
    stream->computes = false;
    take_turns(&t, stream);
    act_all(&t);
    weft_collective_note_play(t.play->c, 0, WEFT_PLAY_COMPUTED, now);
}

/* --- messages --------------------------------------------------------------------------------- */

/* Returns the program that a message is of, or NULL. */
static struct weft_play *
play_of(const struct weft_collective *c, uint32_t message)
{
    for (uint32_t i = 0; i < c->is.nprograms; i++)
    {
        const struct weft_played *is = &c->is.programs[i];
        if (message >= is->first && message - is->first < is->n)
        {
            return &c->play[i];
        }
    }
    return NULL;
}

static enum part
part_of(const struct weft_play *play, uint32_t message)
{
    const struct weft_op *op = &play->program->ops[play->c->is.messages[message].op];
    return asks(play, op) ? (enum part)(message - op->message) : DATA;
}

void
weft_plays_delivered(struct weft_collective *c, uint32_t message, int64_t now)
{
    struct weft_play *play = play_of(c, message);
    if (!play)
    {
        return;
    }
    const struct weft_message *m = &c->is.messages[message];
    const struct turn t = turn_of(play, play->rank_at[m->dst], now);
    const enum part part = part_of(play, message);
    if (part == ANSWER)
    {
        t.ops[m->op].state = WEFT_OP_BEGUN;
        post(&t, &t.ops[m->op], DATA);
    }
    else if (part == DATA && asks(play, &t.ops[m->op]))
    {
        end(&t, t.ops[m->op].link);
    }
    else
    {
        look_for_other(&t, m->op);
    }
    act_all(&t);
}

void
weft_plays_acked(struct weft_collective *c, uint32_t message, int64_t now)
{
    struct weft_play *play = play_of(c, message);
    if (play && part_of(play, message) == DATA)
    {
        const struct weft_message *m = &c->is.messages[message];
        const struct turn t = turn_of(play, play->rank_at[m->src], now);
        end(&t, m->op);
        act_all(&t);
    }
}

void
weft_plays_failed(struct weft_collective *c, uint32_t message)
{
    const struct weft_play *play = play_of(c, message);
    if (play && part_of(play, message) != ANSWER)
    {
        play->program->ops[c->is.messages[message].op].state = WEFT_OP_FAILED;
    }
}

static void
hear_answer(void *of, uint64_t what, int64_t now)
{
    const struct turn t = turn_of(of, (uint32_t)(what >> 32), now);
    end(&t, (uint32_t)what);
    act_all(&t);
    weft_collective_note_play(t.play->c, 0, WEFT_PLAY_COMPUTED, now);
}

void
weft_plays_answered(struct weft_collective *c, uint32_t message, int64_t at)
{
    struct weft_play *play = play_of(c, message);
    if (play && part_of(play, message) == DATA)
    {
        const struct weft_message *m = &c->is.messages[message];
        const struct turn t = turn_of(play, play->rank_at[m->src], at);
        weft_collective_note_play(c, message, WEFT_PLAY_COMPUTES, at);
        weft_run_call(c->run, m->src, at, WEFT_NET_CALL, m->op, hear_answer, play,
                      key_of(&t, m->op));
    }
}

/* --- beginning -------------------------------------------------------------------------------- */

static void
begin_rank(void *of, uint64_t what, int64_t now)
{
    const struct turn t = turn_of(of, (uint32_t)what, now);
    const struct weft_program *program = t.play->program;
    struct weft_op_row *ready = &t.play->ready[t.rank];
    for (uint32_t i = program->rank[t.rank]; i < program->rank[t.rank + 1]; i++)
    {
        if (t.ops[i].waits == 0)
        {
            weft_op_queue(t.ops, &ready->head, &ready->tail, i);
        }
    }
    act_all(&t);
    weft_collective_note_play(t.play->c, 0, WEFT_PLAY_COMPUTED, now);
}

static void
begin_play(struct weft_collective *c, struct weft_play *play)
{
    const struct weft_program *program = play->program;
    for (uint32_t i = play->is->first; i < play->is->first + play->is->n; i++)
    {
        struct weft_op *send = &program->ops[c->is.messages[i].op];
        send->message = send->message == WEFT_NO_OP ? i : send->message;
    }
    c->held += play->is->n;
    for (uint32_t r = 0; r < program->nranks; r++)
    {
        const uint32_t host = play->is->host[r];
        play->rank_at[host] = r;
        play->ready[r] = (struct weft_op_row){WEFT_NO_OP, WEFT_NO_OP};
        c->computing++;
        weft_run_call(c->run, host, play->is->start, WEFT_NET_CALL, r, begin_rank, play, r);
    }
    for (size_t i = 0; i < (size_t)program->nranks * program->nstreams; i++)
    {
        play->stream[i].queue = (struct weft_op_row){WEFT_NO_OP, WEFT_NO_OP};
    }
}

void
weft_plays_begin(struct weft_collective *c)
{
    const struct weft_memory *memory = &c->run->memory;
    c->play = weft_take(memory, c->is.nprograms * sizeof *c->play + 1);
    for (uint32_t i = 0; i < c->is.nprograms; i++)
    {
        struct weft_play *play = &c->play[i];
        struct weft_program *program = c->is.programs[i].program;
        const size_t nstreams = (size_t)program->nranks * program->nstreams;
        *play = (struct weft_play){.c = c, .is = &c->is.programs[i], .program = program};
        play->ready = weft_take(memory, program->nranks * sizeof *play->ready);
        play->stream = weft_take(memory, nstreams * sizeof *play->stream + 1);
        play->rank_at = weft_take(memory, c->run->clos->nhosts * sizeof *play->rank_at);
        begin_play(c, play);
    }
}
