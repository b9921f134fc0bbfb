/* SPDX-License-Identifier: MIT */
/** @file ops-build.h A program that is being built: rows that grow. Private. */
#ifndef WEFT_OPS_BUILD_H
#define WEFT_OPS_BUILD_H

#include <weft/ops.h>

#define WEFT_PILE_BITS  16U /* elements of a piece */
#define WEFT_PILE_PIECE (UINT32_C(1) << WEFT_PILE_BITS)

/** Elements in pieces that never move. */
struct weft_pile
{
    void **piece;
    uint32_t npieces, room; /**< pieces that there are, and for which there is room */
    uint32_t n;             /**< elements */
    size_t each;            /**< bytes */
};

/** Dependency: numbers in the builder. */
struct weft_op_edge
{
    uint32_t before, after;
    bool start; /**< of the start of `before` */
};

/** First mistake of a program. */
struct weft_op_fault
{
    int code; /**< 0: nothing */
    uint32_t op;
    uint32_t before; /**< of a dependency; else WEFT_NO_OP */
    const char *what;
};

struct weft_ops
{
    struct weft_scratch memory;
    const char *called;
    uint32_t nranks;
    uint32_t ntags;
    uint32_t nsends;
    struct weft_pile specs;       /**< struct weft_op_spec */
    struct weft_pile edges;       /**< struct weft_op_edge */
    struct weft_pile collectives; /**< struct weft_program_collective */
    struct weft_pile joins;       /**< uint32_t */
    struct weft_op_fault fault;
};

/** Returns a new element of a pile, or NULL when there are WEFT_MAX_OPS. */
void *weft_pile_add(const struct weft_scratch *memory, struct weft_pile *pile);
void weft_pile_end(const struct weft_scratch *memory, struct weft_pile *pile);

static inline void *
weft_pile_at(const struct weft_pile *pile, uint32_t i)
{
    char *piece = pile->piece[i >> WEFT_PILE_BITS];
    return piece + (i & (WEFT_PILE_PIECE - 1)) * pile->each;
}

/** Returns a row of zeros. */
void *weft_ops_row(const struct weft_scratch *memory, size_t n, size_t each);

/** Puts an operation at the end of a queue. */
static inline void
weft_op_queue(struct weft_op *ops, uint32_t *head, uint32_t *tail, uint32_t op)
{
    ops[op].link = WEFT_NO_OP;
    if (*head == WEFT_NO_OP)
    {
        *head = op;
    }
    else
    {
        ops[*tail].link = op;
    }
    *tail = op;
}

/** Takes the first operation of a queue, which has one. */
static inline uint32_t
weft_op_take(struct weft_op *ops, uint32_t *head, uint32_t *tail)
{
    const uint32_t op = *head;
    *head = ops[op].link;
    *tail = *head == WEFT_NO_OP ? WEFT_NO_OP : *tail;
    ops[op].link = WEFT_NO_OP;
    return op;
}

/** Checks that every operation can end: that of every receive's pair, tag and size there are as
 * many sends, and that none waits for itself. @p before: of each operation those that it waits for,
 * before[first[op] .. first[op + 1]). */
int weft_program_check(struct weft_program *program, const uint32_t *first, const uint32_t *before,
                       struct weft_refusal *why);
/** Numbers the connections of sends, and those the other way. */
void weft_program_connect(struct weft_program *program);
/** Lets sends and receives meet: numbers pairs, tags and sizes. */
int weft_program_match(struct weft_program *program, struct weft_refusal *why);

#endif
