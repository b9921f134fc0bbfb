/* SPDX-License-Identifier: GPL-2.0-only */
/* GOAL as LogGOPSim keeps it: a part for each rank, its operations and those that wait for them. */
#include <stdlib.h>
#include <string.h>

#include "textbuf.h"
#include "trace-file.h"

#define HEAD 14U /* bytes before the table of parts */
#define OP   39U /* bytes of an operation */

/** A file while it is read. */
struct goal
{
    struct input_source *from;
    const unsigned char *bytes;
    size_t n;
    struct weft_ops *ops;
    size_t base;    /**< byte from which the table counts */
    uint64_t taken; /**< bytes of parts so far: more than there are, if some are of several ranks */
    uint32_t nranks;
};

/** Part of a rank. */
struct part
{
    size_t begin, end; /**< bytes of the file */
    size_t ops;        /**< where its operations begin */
    size_t appendix;   /**< where the numbers of those that wait begin */
    uint32_t rank, nops;
    uint32_t first;  /**< number of its first operation in the builder */
    uint32_t *named; /**< [operation]: how often it is named by those that it waits for */
    uint64_t waits;  /**< entries of the appendix that its operations have named */
};

static uint32_t
u32_at(const struct goal *g, size_t at)
{
    const unsigned char *p = g->bytes + at;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t
u64_at(const struct goal *g, size_t at)
{
    return u32_at(g, at) | (uint64_t)u32_at(g, at + 4) << 32;
}

/** Finds the part of a rank, and checks that it is in the file. */
static bool
find_part(struct goal *g, uint32_t rank, struct part *part)
{
    const size_t entry = HEAD + (size_t)16 * rank;
    const uint64_t begin = u64_at(g, entry), end = u64_at(g, entry + 8);
    const uint64_t most = g->n - g->base;
    if (begin > end || end > most || end - begin < 8)
    {
        return input_error_at(g->from, entry,
                              "rank %u is in bytes %llu to %llu; expected a part of 8 bytes at "
                              "least, before byte %zu, where the file ends",
                              (unsigned)rank, (unsigned long long)begin, (unsigned long long)end,
                              g->n);
    }
    g->taken += end - begin;
    if (g->taken > most)
    {
        return input_error_at(g->from, entry,
                              "the parts of ranks 0 to %u are larger than the file; expected a "
                              "part of its own for each",
                              (unsigned)rank);
    }
    part->rank = rank;
    part->begin = (size_t)begin + g->base;
    part->end = (size_t)end + g->base;
    part->nops = u32_at(g, part->begin);
    const uint64_t roots = u32_at(g, part->begin + 4);
    const uint64_t needs = 8 + 4 * roots + (uint64_t)OP * part->nops;
    if (needs > end - begin)
    {
        return input_error_at(g->from, part->begin,
                              "rank %u has %u operations and %llu roots, which take %llu bytes; "
                              "expected at most the %llu of its part",
                              (unsigned)rank, (unsigned)part->nops, (unsigned long long)roots,
                              (unsigned long long)needs, (unsigned long long)(end - begin));
    }
    part->ops = part->begin + 8 + (size_t)(4 * roots);
    part->appendix = part->ops + (size_t)OP * part->nops;
    return true;
}

static bool
add_op(const struct goal *g, const struct part *part, uint32_t i)
{
    static const enum weft_op_kind kinds[] = {WEFT_OP_SEND, WEFT_OP_RECV, WEFT_OP_COMPUTE};
    const size_t at = part->ops + (size_t)OP * i;
    const unsigned char kind = g->bytes[at + 4];
    uint64_t amount = u64_at(g, at + 9);
    if (kind < 1 || kind > 3)
    {
        return input_error_at(g->from, at + 4,
                              "rank %u, operation %u is of kind %u; expected 1 (send), 2 (receive) "
                              "or 3 (computing)",
                              (unsigned)part->rank, (unsigned)i + 1, kind);
    }
    if (amount > INT64_MAX / 2000)
    {
        return input_error_at(g->from, at + 9,
                              "rank %u, operation %u is of %llu bytes or ns; expected fewer",
                              (unsigned)part->rank, (unsigned)i + 1, (unsigned long long)amount);
    }
    if (g->bytes[at + 21] == WEFT_NO_STREAM)
    {
        return input_error_at(g->from, at + 21, "rank %u, operation %u: cpu 255; expected 0 to 254",
                              (unsigned)part->rank, (unsigned)i + 1);
    }
    amount *= kind == 3 ? 1000 : 1;
    weft_ops_add(g->ops, &(struct weft_op_spec){.amount = amount,
                                                .rank = part->rank,
                                                .peer = u32_at(g, at + 5),
                                                .tag = u32_at(g, at + 17),
                                                .id = i + 1,
                                                .kind = (uint8_t)kinds[kind - 1],
                                                .stream = g->bytes[at + 21],
                                                .nic = g->bytes[at + 22]});
    return true;
}

/** Adds those that wait for an operation. @p list: where their count and the first one's place in
 * the appendix are. */
static bool
add_waits(const struct goal *g, struct part *part, uint32_t i, size_t list, bool start)
{
    const uint64_t count = u32_at(g, list), first = u32_at(g, list + 4);
    const uint64_t most = (part->end - part->appendix) / 4;
    if (count > most || (count > 0 && first > most - count))
    {
        return input_error_at(g->from, list,
                              "rank %u, operation %u names entries %llu to %llu of an appendix of "
                              "%llu",
                              (unsigned)part->rank, (unsigned)i + 1, (unsigned long long)first,
                              (unsigned long long)(first + count), (unsigned long long)most);
    }
    part->waits += count;
    if (part->waits > most)
    {
        return input_error_at(g->from, list,
                              "rank %u, operations 1 to %u name %llu entries of an appendix of "
                              "%llu; expected each entry once",
                              (unsigned)part->rank, (unsigned)i + 1,
                              (unsigned long long)part->waits, (unsigned long long)most);
    }
    for (uint64_t k = first; k < first + count; k++)
    {
        const size_t at = part->appendix + (size_t)(4 * k);
        const uint32_t after = u32_at(g, at);
        if (after >= part->nops)
        {
            return input_error_at(g->from, at,
                                  "operation %u of rank %u waits; the rank has %u operations",
                                  (unsigned)after, (unsigned)part->rank, (unsigned)part->nops);
        }
        part->named[after]++;
        (start ? weft_ops_require_start : weft_ops_require)(g->ops, part->first + after,
                                                            part->first + i);
    }
    return true;
}

/** Each operation is named by as many as it waits for: else a part is damaged. */
static bool
check_waits(const struct goal *g, const struct part *part)
{
    for (uint32_t i = 0; i < part->nops; i++)
    {
        const size_t at = part->ops + (size_t)OP * i;
        if (u32_at(g, at) != part->named[i])
        {
            return input_error_at(g->from, at,
                                  "rank %u, operation %u waits for %u operations, and %u name it; "
                                  "expected as many",
                                  (unsigned)part->rank, (unsigned)i + 1, (unsigned)u32_at(g, at),
                                  (unsigned)part->named[i]);
        }
    }
    return true;
}

static bool
read_part(struct goal *g, uint32_t rank)
{
    struct part part = {.rank = rank};
    bool good = find_part(g, rank, &part);
    if (good)
    {
        part.first = weft_ops_count(g->ops);
        part.named = xcalloc((size_t)part.nops + 1, sizeof *part.named);
    }
    for (uint32_t i = 0; good && i < part.nops; i++)
    {
        good = add_op(g, &part, i);
    }
    for (uint32_t i = 0; good && i < part.nops; i++)
    {
        const size_t at = part.ops + (size_t)OP * i + 23;
        good = add_waits(g, &part, i, at, false) && add_waits(g, &part, i, at + 8, true);
    }
    good = good && check_waits(g, &part);
    free(part.named);
    return good;
}

bool
goal_binary_parse(struct input_source *from, const char *bytes, size_t n,
                  struct weft_program *program)
{
    struct goal g = {.from = from, .bytes = (const unsigned char *)bytes, .n = n};
    if (n < HEAD)
    {
        return input_error_at(
            from, n, "the file ends in the head of a GOAL binary; expected %u bytes", HEAD);
    }
    g.nranks = u32_at(&g, 8);
    const uint64_t table = HEAD + (uint64_t)16 * g.nranks;
    if (g.nranks == 0 || g.nranks > WEFT_MAX_RANKS || table > n)
    {
        return input_error_at(
            from, 8,
            "there are %u ranks, whose table takes %llu bytes; expected 1 to %u in "
            "a file of %zu bytes",
            (unsigned)g.nranks, (unsigned long long)table, (unsigned)WEFT_MAX_RANKS, n);
    }
    /* Where the first part begins the table ends: by some writers' count from behind the magic. */
    g.base = u64_at(&g, HEAD) + 8 == table ? 8 : 0;
    g.ops = weft_ops_begin(&trace_memory, g.nranks, "operation");
    bool good = true;
    for (uint32_t rank = 0; good && rank < g.nranks; rank++)
    {
        good = read_part(&g, rank);
    }
    return trace_pack(from, g.ops, program);
}
