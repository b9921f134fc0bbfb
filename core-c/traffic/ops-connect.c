/* SPDX-License-Identifier: MIT */
/* Numbers the connections of a program: a pair of ranks and the sender's NIC each, in the order of
 * the first sends, and behind them those the other way that no send uses. */
#include "traffic/ops-build.h"

struct end
{
    uint32_t src, dst, nic;
};

/* Table of connections by their ends. */
struct ends_table
{
    struct end *row;
    uint32_t n;
    uint32_t *slot; /* [mask + 1]: number in the row, from 1; 0: free */
    uint64_t mask;
};

static uint32_t
number_of(struct ends_table *t, struct end e)
{
    uint64_t at = ((uint64_t)e.src << 32 | e.dst) * UINT64_C(0x9e3779b97f4a7c15) + e.nic;
    at = (at ^ at >> 31) & t->mask;
    while (t->slot[at] != 0)
    {
        const struct end *other = &t->row[t->slot[at] - 1];
        if (other->src == e.src && other->dst == e.dst && other->nic == e.nic)
        {
            return t->slot[at] - 1;
        }
        at = (at + 1) & t->mask;
    }
    t->row[t->n] = e;
    t->slot[at] = ++t->n;
    return t->n - 1;
}

static void
number_sends(struct weft_program *program, struct ends_table *t)
{
    uint32_t n = 0;
    for (uint32_t rank = 0; rank < program->nranks; rank++)
    {
        for (uint32_t i = program->rank[rank]; i < program->rank[rank + 1]; i++)
        {
            const struct weft_op *op = &program->ops[i];
            if (op->kind == WEFT_OP_SEND)
            {
                program->connection[n++] = number_of(t, (struct end){rank, op->peer, op->nic});
            }
        }
    }
}

void
weft_program_connect(struct weft_program *program)
{
    const struct weft_scratch *memory = &program->memory;
    struct ends_table t = {.mask = 15};
    for (uint32_t i = 0; i < program->nops; i++)
    {
        program->nsends += program->ops[i].kind == WEFT_OP_SEND;
    }
    while (t.mask < 4 * (uint64_t)program->nsends)
    {
        t.mask = 2 * t.mask + 1;
    }
    t.row = weft_ops_row(memory, 2 * (size_t)program->nsends, sizeof *t.row);
    t.slot = weft_ops_row(memory, t.mask + 1, sizeof *t.slot);
    program->connection = weft_ops_row(memory, program->nsends, sizeof *program->connection);
    number_sends(program, &t);
    const uint32_t forth = t.n;
    for (uint32_t i = 0; i < forth; i++)
    {
        const struct end e = t.row[i];
        number_of(&t, (struct end){e.dst, e.src, e.nic});
    }
    program->nconnections = t.n;
    program->back = weft_ops_row(memory, t.n, sizeof *program->back);
    program->qp = weft_ops_row(memory, t.n, sizeof *program->qp);
    for (uint32_t i = 0; i < t.n; i++)
    {
        const struct end e = t.row[i];
        program->back[i] = number_of(&t, (struct end){e.dst, e.src, e.nic});
    }
    memory->give(memory->of, t.row);
    memory->give(memory->of, t.slot);
}
