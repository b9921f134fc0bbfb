/* SPDX-License-Identifier: GPL-2.0-only */
/* From the bytes of a Chakra file to nodes; libprotobuf-c unpacks each message. Of the two kinds of
 * dependencies those of data are kept: of control they form circles in traces of PyTorch, and
 * Chakra's converters repeat those that count among those of data. */
#include "chakra-file.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "chakra-needs.h"
#include "chakra.pb-c.h"
#include "textbuf.h"

/** Types of nodes. */
enum
{
    TYPE_INVALID,
    TYPE_METADATA,
    TYPE_MEMORY_LOAD,
    TYPE_MEMORY_STORE,
    TYPE_COMPUTE,
    TYPE_SEND,
    TYPE_RECEIVE,
    TYPE_COLLECTIVE,
};

/** Longest that a node computes, microseconds. */
#define MOST_MICROS UINT64_C(1000000000)
/** Most bytes of a node. */
#define MOST_BYTES INT64_C(1000000000000)
/** Longest message, bytes. */
#define MOST_MESSAGE ((uint64_t)INT_MAX)
/** Letters of a node's name in messages. */
#define SHOWN_NAME 60

struct reading
{
    struct input_source *from;
    struct chakra_trace *trace;
    uint64_t *needs; /**< ids */
    uint32_t rank;
    size_t byte; /**< where the message begins */
    const Chakra__Node *node;
};

/* --- attributes ------------------------------------------------------------------------------- */

static bool
node_error(struct reading *r, const char *format, ...)
{
    CLEANUP(text_drop) struct text message = {0};
    const char *name = r->node->name ? r->node->name : "";
    va_list args;
    va_start(args, format);
    text_vadd(&message, format, args);
    va_end(args);
    return input_error_at(r->from, r->byte, "rank %u, node %llu '%.*s': %s", r->rank,
                          (unsigned long long)r->node->id, SHOWN_NAME, name, message.s);
}

static const Chakra__Attribute *
find(const struct reading *r, const char *name)
{
    const Chakra__Attribute *found = NULL;
    for (size_t i = 0; i < r->node->n_attributes && !found; i++)
    {
        const Chakra__Attribute *a = r->node->attributes[i];
        found = a->name && strcmp(a->name, name) == 0 ? a : NULL;
    }
    return found;
}

/** The whole number that an attribute has, of any type. False: it has none that fits. */
static bool
whole(const Chakra__Attribute *a, int64_t *out)
{
    const bool has[] = {a->has_int32_value,  a->has_int64_value,    a->has_sint32_value,
                        a->has_sint64_value, a->has_sfixed32_value, a->has_sfixed64_value,
                        a->has_uint32_value, a->has_fixed32_value,  a->has_bool_value,
                        a->has_uint64_value, a->has_fixed64_value};
    const int64_t value[] = {a->int32_value,           a->int64_value,           a->sint32_value,
                             a->sint64_value,          a->sfixed32_value,        a->sfixed64_value,
                             a->uint32_value,          a->fixed32_value,         a->bool_value,
                             (int64_t)a->uint64_value, (int64_t)a->fixed64_value};
    const bool huge = (a->has_uint64_value && a->uint64_value > INT64_MAX) ||
                      (a->has_fixed64_value && a->fixed64_value > INT64_MAX);
    bool found = false;
    for (size_t i = 0; i < sizeof has / sizeof *has && !huge && !found; i++)
    {
        found = has[i];
        *out = found ? value[i] : *out;
    }
    return found;
}

/** Reads a whole number from @p least to @p most; @p out is left as it is where there is none. */
static bool
number(struct reading *r, const char *name, bool needed, int64_t least, int64_t most, int64_t *out)
{
    const Chakra__Attribute *a = find(r, name);
    int64_t value = 0;
    if (!a)
    {
        return !needed ||
               node_error(r, "no attribute %s; expected a whole number from %lld to %lld", name,
                          (long long)least, (long long)most);
    }
    if (!whole(a, &value))
    {
        return node_error(r, "%s is no whole number; expected one from %lld to %lld", name,
                          (long long)least, (long long)most);
    }
    if (value < least || value > most)
    {
        return node_error(r, "%s %lld; expected %lld to %lld", name, (long long)value,
                          (long long)least, (long long)most);
    }
    *out = value;
    return true;
}

/** The attribute's text, or its number as text; NULL: there is none. The caller frees it. */
static char *
text_of(const struct reading *r, const char *name)
{
    const Chakra__Attribute *a = find(r, name);
    int64_t value;
    if (a && a->string_value)
    {
        return *a->string_value ? xstrdup(a->string_value) : NULL;
    }
    return a && whole(a, &value) ? xformat("%lld", (long long)value) : NULL;
}

/* --- nodes ------------------------------------------------------------------------------------ */

static bool
read_compute(struct reading *r, bool cpu, struct chakra_node *node)
{
    const uint64_t micros = r->node->duration_micros;
    if (micros > MOST_MICROS)
    {
        return node_error(r, "duration_micros %llu; expected at most %llu",
                          (unsigned long long)micros, (unsigned long long)MOST_MICROS);
    }
    const bool memory = r->node->type == TYPE_MEMORY_LOAD || r->node->type == TYPE_MEMORY_STORE;
    node->kind = CHAKRA_COMPUTE;
    node->stream = memory ? CHAKRA_MEMORY : cpu ? CHAKRA_CPU : CHAKRA_GPU;
    node->amount = (int64_t)micros * 1000000;
    return true;
}

/** Reads the rank at the node's own end, if it is there, and at the other one. */
static bool
read_message(struct reading *r, struct chakra_node *node)
{
    const bool sends = r->node->type == TYPE_SEND;
    int64_t own = r->rank, peer = 0, tag = 0;
    if (!number(r, "comm_size", true, 1, MOST_BYTES, &node->amount) ||
        !number(r, "comm_tag", false, 0, UINT32_MAX, &tag) ||
        !number(r, sends ? "comm_dst" : "comm_src", true, 0, CHAKRA_MOST_RANKS - 1, &peer) ||
        !number(r, sends ? "comm_src" : "comm_dst", false, 0, CHAKRA_MOST_RANKS - 1, &own))
    {
        return false;
    }
    if (own != r->rank)
    {
        return node_error(r, "%s %lld of a node that %s; expected its own rank, %u",
                          sends ? "comm_src" : "comm_dst", (long long)own,
                          sends ? "sends" : "receives", r->rank);
    }
    node->kind = sends ? CHAKRA_SEND : CHAKRA_RECEIVE;
    node->peer = (uint32_t)peer;
    node->tag = (uint32_t)tag;
    return true;
}

/** Kinds of collectives, at the numbers that the format has for them; NULL: not read. */
static const char *const collective_names[] = {
    "all_reduce", "reduce",     "all_gather",     NULL, NULL,
    "broadcast",  "all_to_all", "reduce_scatter", NULL, "barrier"};

const char *
chakra_collective_name(int64_t of)
{
    const int64_t n = sizeof collective_names / sizeof *collective_names;
    return of >= 0 && of < n ? collective_names[of] : NULL;
}

static bool
read_collective(struct reading *r, struct chakra_node *node)
{
    int64_t of = 0;
    if (!number(r, "comm_type", true, 0, INT64_MAX, &of))
    {
        return false;
    }
    if (!chakra_collective_name(of))
    {
        return node_error(r,
                          "comm_type %lld; expected 0 (all_reduce), 1 (reduce), 2 (all_gather), 5 "
                          "(broadcast), 6 (all_to_all), 7 (reduce_scatter) or 9 (barrier)",
                          (long long)of);
    }
    node->kind = CHAKRA_COLLECTIVE;
    node->of = (uint8_t)of;
    node->group = text_of(r, "pg_name");
    return number(r, "comm_size", of != CHAKRA_BARRIER, 1, MOST_BYTES, &node->amount);
}

/** Reads the process groups that PyTorch's node of that name has. */
static bool
read_metadata(struct reading *r)
{
    const char *text = r->node->inputs ? r->node->inputs->values : NULL;
    if (!text || !r->node->name || !strstr(r->node->name, "process_group"))
    {
        return true;
    }
    const char *wrong = chakra_groups_parse(text, r->trace);
    return !wrong || node_error(r, "its process groups are unreadable: %s", wrong);
}

/** Reads what the node's type says. A call of a collective on the CPU has no comm_type: it
 * computes. */
static bool
read_kind(struct reading *r, struct chakra_node *node)
{
    int64_t cpu = 1;
    if (!number(r, "is_cpu_op", false, 0, 1, &cpu))
    {
        return false;
    }
    switch (r->node->type)
    {
    case TYPE_INVALID:
        return true;
    case TYPE_METADATA:
        return read_metadata(r);
    case TYPE_MEMORY_LOAD:
    case TYPE_MEMORY_STORE:
    case TYPE_COMPUTE:
        return read_compute(r, cpu != 0, node);
    case TYPE_SEND:
    case TYPE_RECEIVE:
        return read_message(r, node);
    case TYPE_COLLECTIVE:
        return find(r, "is_cpu_op") && cpu && !find(r, "comm_type") ? read_compute(r, true, node)
                                                                    : read_collective(r, node);
    default:
        return node_error(r,
                          "type %d; expected 0 to 7: nothing, metadata, memory load, memory "
                          "store, compute, send, receive, collective",
                          (int)r->node->type);
    }
}

static bool
read_node(struct reading *r)
{
    struct chakra_trace *t = r->trace;
    struct chakra_node node = {.id = r->node->id, .byte = r->byte, .first = (uint32_t)t->nneeds};
    if (t->n >= UINT32_MAX - 1 || t->nneeds + r->node->n_data_deps >= UINT32_MAX)
    {
        return node_error(r, "more nodes or dependencies than can be counted; expected fewer");
    }
    const bool good = read_kind(r, &node);
    for (size_t i = 0; i < r->node->n_data_deps; i++)
    {
        ARRAY_GROW(r->needs, t->nneeds);
        r->needs[t->nneeds++] = r->node->data_deps[i];
    }
    node.n = (uint32_t)r->node->n_data_deps;
    node.name = xformat("%.*s", SHOWN_NAME, r->node->name ? r->node->name : "");
    ARRAY_GROW(t->nodes, t->n);
    t->nodes[t->n++] = node;
    return good;
}

/* --- messages --------------------------------------------------------------------------------- */

/** Reads the length that stands before a message. Returns the bytes that it takes, or 0: there is
 * none. */
static size_t
read_length(const uint8_t *bytes, size_t n, uint64_t *length)
{
    *length = 0;
    for (size_t i = 0; i < n && i < 10; i++)
    {
        *length |= (uint64_t)(bytes[i] & 0x7fU) << (7 * i);
        if (!(bytes[i] & 0x80U))
        {
            return i + 1;
        }
    }
    return 0;
}

bool
chakra_file_is(const char *bytes, size_t n)
{
    uint64_t length;
    const size_t head = read_length((const uint8_t *)bytes, n, &length);
    /* The first field of the message about the trace is its version, or an attribute. */
    return head > 0 && (length == 0 || (head < n && (bytes[head] == 0x0a || bytes[head] == 0x12)));
}

static void *
take(void *data, size_t n)
{
    (void)data;
    return xcalloc(n ? n : 1, 1);
}

static void
give_back(void *data, void *memory)
{
    (void)data;
    free(memory);
}

static ProtobufCAllocator allocator = {take, give_back, NULL};

/** Reads the message at @p bytes, the first of the file or a node. */
static bool
read_one(struct reading *r, bool first, const uint8_t *bytes, size_t n)
{
    if (first)
    {
        Chakra__Metadata *about = chakra__metadata__unpack(&allocator, n, bytes);
        const bool good = about != NULL;
        chakra__metadata__free_unpacked(about, &allocator);
        return good || input_error_at(r->from, r->byte,
                                      "rank %u: the message of %zu bytes is no GlobalMetadata of "
                                      "Chakra; expected a Chakra execution trace",
                                      r->rank, n);
    }
    Chakra__Node *node = chakra__node__unpack(&allocator, n, bytes);
    if (!node)
    {
        return input_error_at(r->from, r->byte,
                              "rank %u: the message of %zu bytes is no Node of Chakra; expected "
                              "protobuf that is whole",
                              r->rank, n);
    }
    r->node = node;
    const bool good = read_node(r);
    chakra__node__free_unpacked(node, &allocator);
    return good;
}

static bool
read_messages(struct reading *r, const uint8_t *bytes, size_t n)
{
    bool good = true;
    for (size_t at = 0; at < n && (good || !diag_is_full(r->from->d));)
    {
        uint64_t length;
        const size_t head = read_length(bytes + at, n - at, &length);
        r->byte = at;
        if (head == 0)
        {
            return input_error_at(r->from, at,
                                  "rank %u: no length of a message; expected one: the file is cut "
                                  "short or damaged",
                                  r->rank);
        }
        if (length > n - at - head || length > MOST_MESSAGE)
        {
            return input_error_at(r->from, at,
                                  "rank %u: a message of %llu bytes, and %zu are left; expected a "
                                  "whole one: the file is cut short or damaged",
                                  r->rank, (unsigned long long)length, n - at - head);
        }
        good = read_one(r, at == 0, bytes + at + head, (size_t)length) && good;
        at += head + (size_t)length;
    }
    return good;
}

bool
chakra_file_parse(struct input_source *from, uint32_t rank, const char *bytes, size_t n,
                  struct chakra_trace *trace)
{
    struct reading r = {.from = from, .trace = trace, .rank = rank};
    *trace = (struct chakra_trace){0};
    bool good = read_messages(&r, (const uint8_t *)bytes, n);
    if (good && trace->n == 0)
    {
        good = input_error_at(from, n, "rank %u: no nodes; expected one or more", rank);
    }
    good = good && chakra_needs_resolve(from, rank, r.needs, trace);
    free(r.needs);
    return good;
}

void
chakra_trace_free(struct chakra_trace *trace)
{
    for (size_t i = 0; i < trace->n; i++)
    {
        free(trace->nodes[i].name);
        free(trace->nodes[i].group);
    }
    for (size_t i = 0; i < trace->ngroups; i++)
    {
        free(trace->groups[i].name);
        free(trace->groups[i].ranks);
    }
    free(trace->nodes);
    free(trace->needs);
    free(trace->groups);
    *trace = (struct chakra_trace){0};
}
