/* SPDX-License-Identifier: MIT */
/* Packs a program: operations of one rank in a row, and behind each those that wait for it. */
#include "traffic/ops-build.h"

#include <stdio.h>
#include <string.h>

#include <weft/error.h>

/* Rows that packing needs for a while. */
struct packing
{
    struct weft_ops *ops;
    struct weft_program *program;
    uint32_t *place;  /* [number in the builder]: in the program */
    uint32_t *first;  /* [operation + 1]: those that it waits for: before[first ..) */
    uint32_t *before; /* operations, with START where it is their start */
};

#define START (UINT32_C(1) << 31)

static void
place_ops(struct packing *p)
{
    struct weft_program *program = p->program;
    const uint32_t n = p->ops->specs.n;
    uint32_t *at = program->rank + 1;
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_op_spec *spec = weft_pile_at(&p->ops->specs, i);
        at[spec->rank]++;
    }
    for (uint32_t r = 1; r <= program->nranks; r++)
    {
        program->rank[r] += program->rank[r - 1];
    }
    uint32_t *room = weft_ops_row(&p->ops->memory, program->nranks, sizeof *room);
    memcpy(room, program->rank, program->nranks * sizeof *room);
    for (uint32_t i = 0; i < n; i++)
    {
        const struct weft_op_spec *spec = weft_pile_at(&p->ops->specs, i);
        p->place[i] = room[spec->rank]++;
    }
    p->ops->memory.give(p->ops->memory.of, room);
}

static void
copy_ops(struct packing *p)
{
    struct weft_program *program = p->program;
    for (uint32_t i = 0; i < program->nops; i++)
    {
        const struct weft_op_spec *spec = weft_pile_at(&p->ops->specs, i);
        const uint32_t to = p->place[i];
        const bool own_stream = spec->stream != WEFT_NO_STREAM || spec->kind == WEFT_OP_COMPUTE;
        program->ops[to] = (struct weft_op){.amount = spec->amount,
                                            .begun = -1,
                                            .ended = -1,
                                            .peer = spec->peer,
                                            .tag = spec->tag,
                                            .match = spec->own,
                                            .id = spec->id,
                                            .message = WEFT_NO_OP,
                                            .link = WEFT_NO_OP,
                                            .kind = spec->kind,
                                            .stream = spec->stream,
                                            .nic = spec->nic};
        if (own_stream && spec->stream >= program->nstreams)
        {
            program->nstreams = spec->stream + 1U;
        }
        program->nnics = spec->nic >= program->nnics ? spec->nic + 1U : program->nnics;
    }
}

/* Sorts dependencies by the operation that waits. */
static void
sort_edges(struct packing *p)
{
    const struct weft_pile *edges = &p->ops->edges;
    const uint32_t nops = p->program->nops;
    for (uint32_t i = 0; i < edges->n; i++)
    {
        const struct weft_op_edge *e = weft_pile_at(edges, i);
        p->first[p->place[e->after]]++;
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= nops; i++)
    {
        const uint32_t n = i < nops ? p->first[i] : 0;
        sum += n;
        p->first[i] = sum; /* where its row ends: filling it from behind leads to where it begins */
        if (i < nops)
        {
            p->program->ops[i].waits = n;
        }
    }
    for (uint32_t i = edges->n; i-- > 0;)
    {
        const struct weft_op_edge *e = weft_pile_at(edges, i);
        const uint32_t before = p->place[e->before];
        p->before[--p->first[p->place[e->after]]] = e->start ? before | START : before;
    }
}

/* Writes those that wait for each operation: first for its start, by number, then for its end. */
static void
write_next(struct packing *p)
{
    struct weft_op *ops = p->program->ops;
    const uint32_t nops = p->program->nops;
    for (uint32_t i = 0; i < p->program->nnext; i++)
    {
        struct weft_op *before = &ops[p->before[i] & ~START];
        before->nstart += (p->before[i] & START) != 0;
        before->next++;
    }
    uint32_t sum = 0;
    for (uint32_t i = 0; i <= nops; i++)
    {
        const uint32_t n = ops[i].next;
        ops[i].next = sum;
        sum += n;
    }
    uint32_t *room = weft_ops_row(&p->ops->memory, 2 * (size_t)nops, sizeof *room);
    for (uint32_t after = 0; after < nops; after++)
    {
        for (uint32_t k = p->first[after]; k < p->first[after + 1]; k++)
        {
            const uint32_t before = p->before[k] & ~START;
            const bool start = (p->before[k] & START) != 0;
            const uint32_t skip = start ? 0 : ops[before].nstart;
            p->program->next[ops[before].next + skip + room[2 * (size_t)before + start]++] = after;
            p->before[k] = before;
        }
    }
    p->ops->memory.give(p->ops->memory.of, room);
}

static void
pack_collectives(struct packing *p)
{
    struct weft_program *program = p->program;
    const struct weft_ops *ops = p->ops;
    for (uint32_t i = 0; i < ops->collectives.n; i++)
    {
        const struct weft_program_collective *c = weft_pile_at(&ops->collectives, i);
        program->collectives[i] = *c;
    }
    for (uint32_t i = 0; i < ops->joins.n; i++)
    {
        const uint32_t *join = weft_pile_at(&ops->joins, i);
        program->joins[i] = p->place[*join];
    }
}

/* Returns whether dependencies are of operations that there are, of one rank each. */
static int
check_edges(struct weft_ops *ops)
{
    for (uint32_t i = 0; i < ops->edges.n && !ops->fault.code; i++)
    {
        const struct weft_op_edge *e = weft_pile_at(&ops->edges, i);
        if (e->before >= ops->specs.n || e->after >= ops->specs.n)
        {
            const uint32_t op = e->after < ops->specs.n ? e->after : WEFT_NO_OP;
            ops->fault = (struct weft_op_fault){WEFT_EINVAL, op, WEFT_NO_OP,
                                                "it waits for an operation that there is not"};
            continue;
        }
        const struct weft_op_spec *before = weft_pile_at(&ops->specs, e->before);
        const struct weft_op_spec *after = weft_pile_at(&ops->specs, e->after);
        if (before->rank != after->rank)
        {
            ops->fault = (struct weft_op_fault){WEFT_EINVAL, e->after, e->before,
                                                "it waits for an operation of another rank"};
        }
    }
    return ops->fault.code;
}

static int
refuse_fault(const struct weft_ops *ops, struct weft_refusal *why)
{
    const struct weft_op_fault *f = &ops->fault;
    char text[WEFT_REFUSAL_BYTES];
    if (f->op == WEFT_NO_OP)
    {
        return weft_refuse(why, f->code, NULL, f->what);
    }
    const struct weft_op_spec *spec = weft_pile_at(&ops->specs, f->op);
    const bool talks = spec->kind == WEFT_OP_SEND || spec->kind == WEFT_OP_RECV;
    const int n = snprintf(text, sizeof text, "rank %u, %s %u", (unsigned)spec->rank, ops->called,
                           (unsigned)spec->id);
    const size_t at = n > 0 && (size_t)n < sizeof text ? (size_t)n : 0;
    if (f->code == WEFT_ERANGE && talks)
    {
        snprintf(text + at, sizeof text - at, ", %llu B, rank %u: %s; expected ranks 0 to %u",
                 (unsigned long long)spec->amount, (unsigned)spec->peer, f->what,
                 (unsigned)ops->nranks - 1);
    }
    else
    {
        snprintf(text + at, sizeof text - at, ": %s", f->what);
    }
    return weft_refuse(why, f->code, NULL, text);
}

static void
take_rows(struct packing *p)
{
    const struct weft_scratch *memory = &p->ops->memory;
    struct weft_program *program = p->program;
    const size_t n = p->ops->specs.n;
    program->nops = p->ops->specs.n;
    program->nnext = p->ops->edges.n;
    program->ncollectives = p->ops->collectives.n;
    program->ops = weft_ops_row(memory, n + 1, sizeof *program->ops);
    program->next = weft_ops_row(memory, program->nnext, sizeof *program->next);
    program->rank = weft_ops_row(memory, program->nranks + (size_t)2, sizeof *program->rank);
    program->collectives =
        weft_ops_row(memory, program->ncollectives, sizeof *program->collectives);
    program->joins = weft_ops_row(memory, p->ops->joins.n, sizeof *program->joins);
    p->place = weft_ops_row(memory, n, sizeof *p->place);
    p->first = weft_ops_row(memory, n + 1, sizeof *p->first);
    p->before = weft_ops_row(memory, program->nnext, sizeof *p->before);
}

int
weft_ops_pack(struct weft_ops *ops, struct weft_program *program, struct weft_refusal *why)
{
    struct packing p = {.ops = ops, .program = program};
    const struct weft_scratch memory = ops->memory;
    *program = (struct weft_program){
        .called = ops->called, .nranks = ops->nranks, .ntags = ops->ntags, .memory = memory};
    if (ops->fault.code || check_edges(ops))
    {
        const int code = refuse_fault(ops, why);
        weft_ops_end(ops);
        return code;
    }
    take_rows(&p);
    place_ops(&p);
    copy_ops(&p);
    weft_pile_end(&memory, &ops->specs);
    sort_edges(&p);
    pack_collectives(&p);
    memory.give(memory.of, p.place);
    weft_ops_end(ops);
    p.ops = &(struct weft_ops){.memory = memory};
    write_next(&p);
    weft_program_connect(program);
    int code = weft_program_match(program, why);
    code = code ? code : weft_program_check(program, p.first, p.before, why);
    memory.give(memory.of, p.first);
    memory.give(memory.of, p.before);
    if (code)
    {
        weft_program_release(program);
    }
    return code;
}

static void
give_row(struct weft_program *program, void *row)
{
    if (row)
    {
        program->memory.give(program->memory.of, row);
    }
}

void
weft_program_release(struct weft_program *program)
{
    give_row(program, program->ops);
    give_row(program, program->next);
    give_row(program, program->rank);
    give_row(program, program->match);
    give_row(program, program->connection);
    give_row(program, program->back);
    give_row(program, program->qp);
    give_row(program, program->collectives);
    give_row(program, program->joins);
    *program = (struct weft_program){.nranks = 0};
}
