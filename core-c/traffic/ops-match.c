/* SPDX-License-Identifier: MIT */
/* Lets sends and receives of a program meet: by their pair of ranks, their tag and their size. */
#include "traffic/ops-build.h"

#include <stdio.h>

#include <weft/error.h>

/* Sends and receives of one pair, tag and size. */
struct meeting
{
    uint32_t example; /* one of them */
    uint32_t sends, receives;
    bool own; /* the tag is none of the trace's */
};

/* Table of them by what they have in common. */
struct meetings
{
    const struct weft_program *program;
    struct meeting *row;
    uint32_t n;
    uint32_t *slot; /* [mask + 1]: number in the row, from 1; 0: free */
    uint64_t mask;
};

static bool
talks(const struct weft_op *op)
{
    return op->kind == WEFT_OP_SEND || op->kind == WEFT_OP_RECV;
}

/* Rank of an operation, and the one that it talks to: as the sender and as the receiver. */
struct ends
{
    uint32_t src, dst;
};

static struct ends
ends_of(const struct weft_op *op, uint32_t rank)
{
    return op->kind == WEFT_OP_SEND ? (struct ends){rank, op->peer} : (struct ends){op->peer, rank};
}

static uint64_t
mix(uint64_t h, uint64_t with)
{
    h = (h ^ with) * UINT64_C(0x9e3779b97f4a7c15);
    return h ^ h >> 29;
}

static bool
are_alike(const struct meetings *m, const struct meeting *a, const struct weft_op *op,
          struct ends ends)
{
    const struct weft_op *other = &m->program->ops[a->example];
    /* The peer of one is the rank of the other, unless both are on one side. */
    const struct ends is = ends_of(other, weft_program_rank(m->program, a->example));
    return other->tag == op->tag && other->amount == op->amount && is.src == ends.src &&
           is.dst == ends.dst && a->own == (op->match != 0);
}

static uint32_t
number_of(struct meetings *m, uint32_t i, uint32_t rank)
{
    const struct weft_op *op = &m->program->ops[i];
    const struct ends ends = ends_of(op, rank);
    const uint64_t who = (uint64_t)ends.src << 32 | ends.dst;
    uint64_t at = mix(mix(mix(op->match, who), op->tag), op->amount) & m->mask;
    while (m->slot[at] != 0 && !are_alike(m, &m->row[m->slot[at] - 1], op, ends))
    {
        at = (at + 1) & m->mask;
    }
    if (m->slot[at] == 0)
    {
        m->row[m->n] = (struct meeting){.example = i, .own = op->match != 0};
        m->slot[at] = ++m->n;
    }
    return m->slot[at] - 1;
}

static void
number_all(struct meetings *m, struct weft_program *program)
{
    for (uint32_t rank = 0; rank < program->nranks; rank++)
    {
        for (uint32_t i = program->rank[rank]; i < program->rank[rank + 1]; i++)
        {
            struct weft_op *op = &program->ops[i];
            if (talks(op))
            {
                const uint32_t number = number_of(m, i, rank);
                op->match = number;
                m->row[number].sends += op->kind == WEFT_OP_SEND;
                m->row[number].receives += op->kind == WEFT_OP_RECV;
            }
        }
    }
}

/* Returns an operation that would meet another one, did their sizes not differ, or else their tags;
 * or WEFT_NO_OP. */
static uint32_t
nearly_met(const struct meetings *m, uint32_t alone, bool other_size)
{
    const struct weft_program *program = m->program;
    const struct weft_op *op = &program->ops[alone];
    const struct ends ends = ends_of(op, weft_program_rank(program, alone));
    const bool sends = op->kind == WEFT_OP_SEND;
    for (uint32_t i = program->rank[op->peer]; i < program->rank[op->peer + 1]; i++)
    {
        const struct weft_op *other = &program->ops[i];
        const uint8_t wanted = sends ? WEFT_OP_RECV : WEFT_OP_SEND;
        if (other->kind != wanted ||
            (other_size ? other->tag != op->tag : other->amount != op->amount))
        {
            continue;
        }
        const struct ends is = ends_of(other, op->peer);
        const struct meeting *of = &m->row[other->match];
        const bool spare = sends ? of->receives > of->sends : of->sends > of->receives;
        if (spare && is.src == ends.src && is.dst == ends.dst)
        {
            return i;
        }
    }
    return WEFT_NO_OP;
}

/* Returns the first operation that never meets another one, or WEFT_NO_OP. */
static uint32_t
find_alone(const struct meetings *m)
{
    for (uint32_t i = 0; i < m->program->nops; i++)
    {
        const struct weft_op *op = &m->program->ops[i];
        if (!talks(op))
        {
            continue;
        }
        const struct meeting *of = &m->row[op->match];
        if (op->kind == WEFT_OP_SEND ? of->sends > of->receives : of->receives > of->sends)
        {
            return i;
        }
    }
    return WEFT_NO_OP;
}

static int
refuse_alone(const struct meetings *m, uint32_t alone, struct weft_refusal *why)
{
    const bool sends = m->program->ops[alone].kind == WEFT_OP_SEND;
    const uint32_t sized = nearly_met(m, alone, true);
    const uint32_t other = sized == WEFT_NO_OP ? nearly_met(m, alone, false) : sized;
    char one[100], two[100], text[WEFT_REFUSAL_BYTES];
    weft_program_describe(m->program, alone, one, sizeof one);
    if (other == WEFT_NO_OP)
    {
        snprintf(text, sizeof text, "%s: rank %u has no %s for it", one,
                 (unsigned)m->program->ops[alone].peer, sends ? "receive" : "send");
        return weft_refuse(why, WEFT_ENOTFOUND, NULL, text);
    }
    weft_program_describe(m->program, other, two, sizeof two);
    snprintf(text, sizeof text, "%s: the %s from %s", one,
             sized == WEFT_NO_OP ? "tag differs" : "sizes differ", two);
    return weft_refuse(why, WEFT_ENOTFOUND, NULL, text);
}

int
weft_program_match(struct weft_program *program, struct weft_refusal *why)
{
    const struct weft_scratch *memory = &program->memory;
    struct meetings m = {.program = program, .mask = 15};
    uint32_t n = 0;
    for (uint32_t i = 0; i < program->nops; i++)
    {
        n += talks(&program->ops[i]);
    }
    while (m.mask < 2 * (uint64_t)n)
    {
        m.mask = 2 * m.mask + 1;
    }
    m.row = weft_ops_row(memory, n, sizeof *m.row);
    m.slot = weft_ops_row(memory, m.mask + 1, sizeof *m.slot);
    number_all(&m, program);
    const uint32_t alone = find_alone(&m);
    const int code = alone == WEFT_NO_OP ? 0 : refuse_alone(&m, alone, why);
    program->nmatches = m.n;
    program->match = weft_ops_row(memory, m.n, sizeof *program->match);
    for (uint32_t i = 0; i < m.n; i++)
    {
        program->match[i] = (struct weft_op_match){WEFT_NO_OP, WEFT_NO_OP};
    }
    memory->give(memory->of, m.row);
    memory->give(memory->of, m.slot);
    return code;
}
