/* SPDX-License-Identifier: MIT */
/* Builds a program: takes operations, and what they wait for, in any order. */
#include "traffic/ops-build.h"

#include "traffic/groups.h"

#include <string.h>

#include <weft/error.h>

void *
weft_ops_row(const struct weft_scratch *memory, size_t n, size_t each)
{
    void *row = memory->take(memory->of, n * each + 8);
    memset(row, 0, n * each + 8);
    return row;
}

/* Makes room for another piece. */
static void
add_piece(const struct weft_scratch *memory, struct weft_pile *pile)
{
    if (pile->npieces == pile->room)
    {
        pile->room = pile->room ? 2 * pile->room : 16;
        void **piece = (void **)weft_ops_row(memory, pile->room, sizeof *piece);
        if (pile->piece)
        {
            memcpy((void *)piece, (const void *)pile->piece, pile->npieces * sizeof *piece);
            memory->give(memory->of, (void *)pile->piece);
        }
        pile->piece = piece;
    }
    pile->piece[pile->npieces++] = weft_ops_row(memory, WEFT_PILE_PIECE, pile->each);
}

void *
weft_pile_add(const struct weft_scratch *memory, struct weft_pile *pile)
{
    if (pile->n >= WEFT_MAX_OPS)
    {
        return NULL;
    }
    if (pile->n >> WEFT_PILE_BITS == pile->npieces)
    {
        add_piece(memory, pile);
    }
    return weft_pile_at(pile, pile->n++);
}

void
weft_pile_end(const struct weft_scratch *memory, struct weft_pile *pile)
{
    for (uint32_t i = 0; i < pile->npieces; i++)
    {
        memory->give(memory->of, pile->piece[i]);
    }
    if (pile->piece)
    {
        memory->give(memory->of, (void *)pile->piece);
    }
    pile->piece = NULL;
    pile->npieces = pile->room = pile->n = 0;
}

struct weft_ops *
weft_ops_begin(const struct weft_scratch *memory, uint32_t nranks, const char *called)
{
    if (!memory->take || nranks == 0 || nranks > WEFT_MAX_RANKS)
    {
        return NULL;
    }
    struct weft_ops *ops = weft_ops_row(memory, 1, sizeof *ops);
    ops->memory = *memory;
    ops->nranks = nranks;
    ops->called = called;
    ops->specs.each = sizeof(struct weft_op_spec);
    ops->edges.each = sizeof(struct weft_op_edge);
    ops->collectives.each = sizeof(struct weft_program_collective);
    ops->joins.each = sizeof(uint32_t);
    return ops;
}

void
weft_ops_end(struct weft_ops *ops)
{
    const struct weft_scratch memory = ops->memory;
    weft_pile_end(&memory, &ops->specs);
    weft_pile_end(&memory, &ops->edges);
    weft_pile_end(&memory, &ops->collectives);
    weft_pile_end(&memory, &ops->joins);
    memory.give(memory.of, ops);
}

static void
blame(struct weft_ops *ops, int code, uint32_t op, uint32_t before, const char *what)
{
    if (!ops->fault.code)
    {
        ops->fault = (struct weft_op_fault){code, op, before, what};
    }
}

static const char *
fault_of(const struct weft_ops *ops, const struct weft_op_spec *spec)
{
    const bool talks = spec->kind == WEFT_OP_SEND || spec->kind == WEFT_OP_RECV;
    if (spec->kind > WEFT_OP_JOIN)
    {
        return "it is of no kind";
    }
    if (spec->rank >= ops->nranks)
    {
        return "there is no such rank";
    }
    if (talks && spec->peer >= ops->nranks)
    {
        return "there is no such rank to talk to";
    }
    if (talks && spec->peer == spec->rank)
    {
        return "a rank talks to another one, not to itself";
    }
    return spec->amount > INT64_MAX / 2 ? "so much never ends" : NULL;
}

/* Returns whether there are so many of something that no more are kept. */
static bool
is_too_long(struct weft_ops *ops, bool more, const char *what)
{
    if (more)
    {
        blame(ops, WEFT_EOVERFLOW, WEFT_NO_OP, WEFT_NO_OP, what);
    }
    return more || ops->fault.code == WEFT_EOVERFLOW;
}

uint32_t
weft_ops_add(struct weft_ops *ops, const struct weft_op_spec *spec)
{
    const uint32_t number = ops->specs.n;
    ops->nsends += spec->kind == WEFT_OP_SEND && ops->nsends <= WEFT_MAX_MESSAGES;
    if (is_too_long(ops, ops->nsends > WEFT_MAX_MESSAGES, "there are more sends than 2^24") ||
        is_too_long(ops, number >= WEFT_MAX_OPS, "there are more operations than 2^31"))
    {
        return WEFT_NO_OP;
    }
    struct weft_op_spec *to = weft_pile_add(&ops->memory, &ops->specs);
    *to = *spec;
    const char *fault = fault_of(ops, spec);
    if (fault)
    {
        blame(ops, WEFT_ERANGE, number, WEFT_NO_OP, fault);
        to->rank = spec->rank < ops->nranks ? spec->rank : 0;
    }
    return number;
}

static void
require(struct weft_ops *ops, uint32_t op, uint32_t before, bool start)
{
    if (before == WEFT_NO_OP ||
        is_too_long(ops, ops->edges.n >= WEFT_MAX_OPS, "there are more dependencies than 2^31"))
    {
        return;
    }
    struct weft_op_edge *edge = weft_pile_add(&ops->memory, &ops->edges);
    *edge = (struct weft_op_edge){before, op, start};
}

void
weft_ops_require(struct weft_ops *ops, uint32_t op, uint32_t before)
{
    require(ops, op, before, false);
}

void
weft_ops_require_start(struct weft_ops *ops, uint32_t op, uint32_t before)
{
    require(ops, op, before, true);
}

uint32_t
weft_ops_count(const struct weft_ops *ops)
{
    return ops->specs.n;
}

uint32_t
weft_ops_tag(struct weft_ops *ops)
{
    return UINT32_MAX - ops->ntags++;
}

void
weft_ops_name_collective(struct weft_ops *ops, const char *name, uint64_t bytes, double bus,
                         uint32_t id, const uint32_t *first, const uint32_t *last, uint32_t n)
{
    struct weft_program_collective *c = weft_pile_add(&ops->memory, &ops->collectives);
    if (c)
    {
        *c = (struct weft_program_collective){name, bytes, bus, id, ops->joins.n, n};
    }
    for (uint32_t i = 0; c && i < 2 * n; i++)
    {
        uint32_t *join = weft_pile_add(&ops->memory, &ops->joins);
        if (join)
        {
            *join = i < n ? first[i] : last[i - n];
        }
    }
}
