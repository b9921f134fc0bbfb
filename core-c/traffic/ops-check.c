/* SPDX-License-Identifier: MIT */
/* Checks that every operation of a program can end, by carrying it out without time; else finds
 * operations that wait for each other in a circle. */
#include "traffic/ops-build.h"

#include <stdio.h>
#include <string.h>

#include <weft/error.h>

/* Program that is carried out. */
struct trial
{
    struct weft_program *program;
    uint32_t *waits; /* [operation]: that it requires and that are not done */
    uint32_t *ready; /* in the order in which they begin */
    uint32_t n;
    uint32_t left; /* operations that have not ended */
};

static void
release(struct trial *t, uint32_t from, uint32_t to)
{
    for (uint32_t k = from; k < to; k++)
    {
        const uint32_t op = t->program->next[k];
        if (--t->waits[op] == 0)
        {
            t->ready[t->n++] = op;
        }
    }
}

static void
end(struct trial *t, uint32_t op)
{
    struct weft_op *ops = t->program->ops;
    ops[op].state = WEFT_OP_ENDED;
    t->left--;
    release(t, ops[op].next + ops[op].nstart, ops[op + 1].next);
}

/* Lets a send or a receive meet the first one that waits for it, or wait. */
static void
meet(struct trial *t, uint32_t op)
{
    struct weft_op *ops = t->program->ops;
    struct weft_op_match *m = &t->program->match[ops[op].match];
    const bool sends = ops[op].kind == WEFT_OP_SEND;
    if (m->head == WEFT_NO_OP || ops[m->head].kind == ops[op].kind)
    {
        weft_op_queue(ops, &m->head, &m->tail, op);
    }
    else
    {
        const uint32_t other = weft_op_take(ops, &m->head, &m->tail);
        end(t, sends ? other : op);
    }
    if (sends)
    {
        end(t, op);
    }
}

static void
begin(struct trial *t, uint32_t op)
{
    struct weft_op *ops = t->program->ops;
    ops[op].state = WEFT_OP_BEGUN;
    release(t, ops[op].next, ops[op].next + ops[op].nstart);
    if (ops[op].kind == WEFT_OP_SEND || ops[op].kind == WEFT_OP_RECV)
    {
        meet(t, op);
    }
    else
    {
        end(t, op);
    }
}

static void
carry_out(struct trial *t)
{
    for (uint32_t i = 0; i < t->program->nops; i++)
    {
        t->waits[i] = t->program->ops[i].waits;
        if (t->waits[i] == 0)
        {
            t->ready[t->n++] = i;
        }
    }
    for (uint32_t i = 0; i < t->n; i++)
    {
        begin(t, t->ready[i]);
    }
}

/* Returns an operation that @p op waits for, which has not ended either. */
static uint32_t
what_it_waits_for(const struct trial *t, uint32_t op, const uint32_t *first, const uint32_t *before)
{
    const struct weft_op *ops = t->program->ops;
    if (ops[op].state == WEFT_OP_BEGUN) /* a receive: for one of its sends */
    {
        const uint32_t peer = ops[op].peer;
        for (uint32_t i = t->program->rank[peer]; i < t->program->rank[peer + 1]; i++)
        {
            if (ops[i].kind == WEFT_OP_SEND && ops[i].match == ops[op].match &&
                ops[i].state == WEFT_OP_WAITS)
            {
                return i;
            }
        }
        return op;
    }
    for (uint32_t k = first[op]; k < first[op + 1]; k++)
    {
        if (ops[before[k]].state != WEFT_OP_ENDED)
        {
            return before[k];
        }
    }
    return op;
}

#define NAMED 4U /* operations of a circle that are named */

static int
refuse_circle(const struct trial *t, uint32_t *of, uint32_t at, struct weft_refusal *why)
{
    const struct weft_program *program = t->program;
    char text[WEFT_REFUSAL_BYTES] = "operations wait for each other in a circle: ";
    uint32_t n = 1;
    for (uint32_t i = of[at]; i != at; i = of[i])
    {
        n++;
    }
    for (uint32_t i = 0, op = at; i < n + 1; i++, op = of[op])
    {
        const size_t used = strlen(text);
        if (i >= NAMED && i + 1 < n)
        {
            continue;
        }
        snprintf(text + used, sizeof text - used, "%s%srank %u, %s %u", i > 0 ? " waits for " : "",
                 i > NAMED && i + 1 == n ? "... " : "", (unsigned)weft_program_rank(program, op),
                 program->called, (unsigned)program->ops[op].id);
    }
    return weft_refuse(why, WEFT_EINVAL, NULL, text);
}

/* Follows what an operation waits for until one comes again. */
static int
find_circle(struct trial *t, const uint32_t *first, const uint32_t *before,
            struct weft_refusal *why)
{
    const uint32_t nops = t->program->nops;
    uint32_t *of = t->waits; /* what each waits for, behind the way */
    uint32_t at = 0;
    while (t->program->ops[at].state == WEFT_OP_ENDED)
    {
        at++;
    }
    memset(of, 0xff, nops * sizeof *of);
    while (of[at] == WEFT_NO_OP)
    {
        of[at] = what_it_waits_for(t, at, first, before);
        at = of[at];
    }
    return refuse_circle(t, of, at, why);
}

static void
reset(struct weft_program *program)
{
    for (uint32_t i = 0; i < program->nops; i++)
    {
        program->ops[i].state = WEFT_OP_WAITS;
        program->ops[i].link = WEFT_NO_OP;
    }
    for (uint32_t i = 0; i < program->nmatches; i++)
    {
        program->match[i] = (struct weft_op_match){WEFT_NO_OP, WEFT_NO_OP};
    }
}

int
weft_program_check(struct weft_program *program, const uint32_t *first, const uint32_t *before,
                   struct weft_refusal *why)
{
    const struct weft_scratch *memory = &program->memory;
    struct trial t = {.program = program, .left = program->nops};
    t.waits = weft_ops_row(memory, program->nops, sizeof *t.waits);
    t.ready = weft_ops_row(memory, program->nops, sizeof *t.ready);
    carry_out(&t);
    const int code = t.left > 0 ? find_circle(&t, first, before, why) : 0;
    memory->give(memory->of, t.waits);
    memory->give(memory->of, t.ready);
    reset(program);
    return code;
}

uint32_t
weft_program_rank(const struct weft_program *program, uint32_t op)
{
    uint32_t low = 0, high = program->nranks; /* its rank is in [low, high) */
    while (high - low > 1)
    {
        const uint32_t middle = low + (high - low) / 2;
        if (program->rank[middle] <= op)
        {
            low = middle;
        }
        else
        {
            high = middle;
        }
    }
    return low;
}

void
weft_program_describe(const struct weft_program *program, uint32_t op, char *text, size_t size)
{
    static const char *const kinds[] = {"computing", "send", "receive", "join"};
    const struct weft_op *o = &program->ops[op];
    const int n =
        snprintf(text, size, "rank %u, %s %u, %s", (unsigned)weft_program_rank(program, op),
                 program->called, (unsigned)program->ops[op].id, kinds[o->kind]);
    if ((o->kind == WEFT_OP_SEND || o->kind == WEFT_OP_RECV) && n > 0 && (size_t)n < size)
    {
        const bool own = o->tag > UINT32_MAX - program->ntags;
        char tag[24] = "";
        snprintf(tag, sizeof tag, ", tag %u", (unsigned)o->tag);
        snprintf(text + n, size - (size_t)n, " of %llu B %s rank %u%s",
                 (unsigned long long)o->amount, o->kind == WEFT_OP_SEND ? "to" : "from",
                 (unsigned)o->peer, own ? "" : tag);
    }
}
