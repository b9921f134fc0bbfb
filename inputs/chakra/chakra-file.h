/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file chakra-file.h  Chakra execution traces (MLCommons): what one rank does, in a file of its
 * own. Messages of protobuf stand one after the other, each behind its length; the first is about
 * the trace, each further one is a node of a graph of operations.
 */
#ifndef WEFT_INPUTS_CHAKRA_FILE_H
#define WEFT_INPUTS_CHAKRA_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "table-lines.h"

/** Ranks that a node may name. */
#define CHAKRA_MOST_RANKS (1U << 20)

enum chakra_kind
{
    CHAKRA_NOTHING, /**< takes no time */
    CHAKRA_COMPUTE,
    CHAKRA_SEND,
    CHAKRA_RECEIVE,
    CHAKRA_COLLECTIVE,
};

/** Nodes of one stream that compute take turns. */
enum chakra_stream
{
    CHAKRA_CPU,
    CHAKRA_GPU,
    CHAKRA_MEMORY,
};

/** The numbers that the format has for them. */
enum chakra_collective
{
    CHAKRA_ALL_REDUCE = 0,
    CHAKRA_REDUCE = 1,
    CHAKRA_ALL_GATHER = 2,
    CHAKRA_BROADCAST = 5,
    CHAKRA_ALL_TO_ALL = 6,
    CHAKRA_REDUCE_SCATTER = 7,
    CHAKRA_BARRIER = 9,
};

/** Returns the name of a kind of collectives, or NULL: it is none that is read. */
const char *chakra_collective_name(int64_t of);

struct chakra_node
{
    uint64_t id;
    int64_t amount; /**< bytes; of a node that computes ps */
    char *name;
    char *group; /**< process group of a collective; NULL: all ranks */
    size_t byte; /**< of the file, where its message begins */
    uint32_t peer, tag;
    uint32_t first, n;        /**< nodes that it waits for: needs[first .. first + n) */
    uint8_t kind, stream, of; /**< chakra_kind, chakra_stream, chakra_collective */
};

/** A process group that a node names with its ranks. */
struct chakra_group
{
    char *name;
    uint32_t *ranks;
    uint32_t n; /**< 0: all */
};

/** Trace of one rank. */
struct chakra_trace
{
    struct chakra_node *nodes;
    uint32_t *needs; /**< numbers of nodes */
    struct chakra_group *groups;
    size_t n, nneeds, ngroups;
};

/** Whether bytes begin as a Chakra trace does. */
bool chakra_file_is(const char *bytes, size_t n);

/** Reads rank @p rank's file. False after errors, which name the byte and the node. The caller
 * frees the trace with chakra_trace_free() either way. */
bool chakra_file_parse(struct input_source *from, uint32_t rank, const char *bytes, size_t n,
                       struct chakra_trace *trace);

void chakra_trace_free(struct chakra_trace *trace);

/** Reads process groups, {"NAME": [RANK, ...], ...} or [{"pg_name": "NAME", "ranks": [...]}, ...];
 * adds them to the trace's. Returns what is wrong, or NULL. */
const char *chakra_groups_parse(const char *text, struct chakra_trace *trace);

/** The group of that name among the trace's, or NULL. */
const struct chakra_group *chakra_group_find(const struct chakra_trace *trace, const char *name);

#endif
