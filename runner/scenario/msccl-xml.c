/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * An <algo> of MSCCL: a <gpu> for each GPU, in it a <tb> for each thread block, in it a <step> for
 * each step: s (send), r (receive), c (copy), re (reduce) and what is made of these. Attributes
 * that say nothing of what is sent are not read.
 */
#include "msccl-xml.h"

#include <stdlib.h>
#include <string.h>

#include "document.h"
#include "grammar-table.h"
#include "textbuf.h"
#include "trace-collectives.h"

static const struct element_spec elements[] = {
    PLAIN("algo", "", 0, "an algorithm"),
    PLAIN("gpu", "algo", ELEMENT_MANY, "what a GPU does"),
    PLAIN("tb", "gpu", ELEMENT_MANY, "what a thread block does"),
    PLAIN("step", "tb", ELEMENT_MANY, "a step"),
};

static const struct grammar msccl_grammar = {elements, COUNT_OF(elements)};

#define NUMBER(name, least, most) INPUT_PARAM(name, WEFT_COUNT, least, most)
static const struct weft_param gpus_param = NUMBER("ngpus", "2", "1048576");
static const struct weft_param chunks_param = NUMBER("nchunksperloop", "1", "16777216");
static const struct weft_param id_param = NUMBER("id", "0", "1048575");
static const struct weft_param channel_param = NUMBER("chan", "0", "65535");
static const struct weft_param count_param = NUMBER("cnt", "1", "16777216");
static const struct weft_param number_param = NUMBER("s", "0", "16777215");

struct reading
{
    struct input_source *from;
    struct msccl_algorithm *to;
    uint32_t *block_ids;          /**< of each block: its id in its GPU */
    const struct element **steps; /**< [nsteps] */
};

/** Reads an attribute that must be there. */
static bool
number(struct reading *r, const struct element *e, const struct weft_param *p, uint32_t *out)
{
    const char *word = element_value(e, p->name);
    int64_t value = 0;
    const bool good =
        word ? input_value(r->from, element_line(e, p->name), p, word, &value)
             : input_error(r->from, e->line, "<%s> lacks %s; expected it", e->name, p->name);
    *out = (uint32_t)value;
    return good;
}

/** Reads a number that may be missing or -1, which is none. */
static bool
number_or_none(struct reading *r, const struct element *e, const char *name, uint32_t *out)
{
    const char *word = element_value(e, name);
    struct weft_param p = id_param;
    int64_t value = MSCCL_NONE;
    p.name = name;
    const bool good = !word || strcmp(word, "-1") == 0 ||
                      input_value(r->from, element_line(e, name), &p, word, &value);
    *out = (uint32_t)value;
    return good;
}

/** Checks that an element is of that name. */
static bool
expect(struct reading *r, const struct element *e, const char *name)
{
    return strcmp(e->name, name) == 0 ||
           input_error(r->from, e->line, "<%s>; expected <%s>", e->name, name);
}

/* --- steps ------------------------------------------------------------------------------------ */

static const struct
{
    const char *name;
    bool receives, sends;
} types[] = {{"s", false, true},    {"r", true, false},   {"rcs", true, true},
             {"rrc", true, false},  {"rrs", true, true},  {"rrcs", true, true},
             {"cpy", false, false}, {"re", false, false}, {"nop", false, false}};

static bool
read_type(struct reading *r, const struct element *e, struct msccl_step *step)
{
    const char *type = element_value(e, "type");
    size_t i = 0;
    while (type && i < COUNT_OF(types) && strcmp(types[i].name, type) != 0)
    {
        i++;
    }
    if (!type || i == COUNT_OF(types))
    {
        return input_error(
            r->from, element_line(e, "type"),
            "type '%s' of <step>; expected s, r, rcs, rrc, rrs, rrcs, cpy, re or nop",
            type ? type : "");
    }
    step->receives = types[i].receives;
    step->sends = types[i].sends;
    return true;
}

static bool
read_step(struct reading *r, const struct element *e, const struct msccl_block *block)
{
    struct msccl_step step = {.line = e->line, .after = MSCCL_NONE};
    uint32_t place;
    if (!expect(r, e, "step") || !read_type(r, e, &step) || !number(r, e, &number_param, &place))
    {
        return false;
    }
    if (place != block->n)
    {
        return input_error(r->from, e->line, "s %u of <step>; expected %u: steps stand in order",
                           place, block->n);
    }
    if ((step.sends && block->to == MSCCL_NONE) || (step.receives && block->from == MSCCL_NONE))
    {
        return input_error(r->from, e->line, "a step that %s in a <tb> with %s -1; expected a GPU",
                           step.sends && block->to == MSCCL_NONE ? "sends" : "receives",
                           step.sends && block->to == MSCCL_NONE ? "send" : "recv");
    }
    if ((step.sends || step.receives) && !number(r, e, &count_param, &step.count))
    {
        return false;
    }
    ARRAY_GROW(r->steps, r->to->nsteps);
    r->steps[r->to->nsteps] = e;
    ARRAY_GROW(r->to->steps, r->to->nsteps);
    r->to->steps[r->to->nsteps++] = step;
    return true;
}

/* --- thread blocks and GPUs ------------------------------------------------------------------- */

/** Whether the other GPU of a block is one. */
static bool
check_peer(struct reading *r, const struct element *e, const char *name, uint32_t peer,
           uint32_t gpu)
{
    return peer == MSCCL_NONE || (peer < r->to->ngpus && peer != gpu) ||
           input_error(r->from, element_line(e, name),
                       "%s %u of a <tb> of GPU %u; expected another GPU below %u, or -1", name,
                       peer, gpu, r->to->ngpus);
}

static bool
read_block(struct reading *r, const struct element *e, uint32_t gpu)
{
    struct msccl_block block = {.gpu = gpu, .first = r->to->nsteps};
    uint32_t id;
    if (!expect(r, e, "tb") || !number(r, e, &id_param, &id) ||
        !number_or_none(r, e, "send", &block.to) || !number_or_none(r, e, "recv", &block.from) ||
        !number(r, e, &channel_param, &block.channel) || !check_peer(r, e, "send", block.to, gpu) ||
        !check_peer(r, e, "recv", block.from, gpu))
    {
        return false;
    }
    bool good = true;
    for (size_t i = 0; good && i < e->nchildren; i++)
    {
        good = read_step(r, e->children[i], &block);
        block.n++;
    }
    r->to->nchannels = block.channel >= r->to->nchannels ? block.channel + 1 : r->to->nchannels;
    ARRAY_GROW(r->block_ids, r->to->nblocks);
    r->block_ids[r->to->nblocks] = id;
    ARRAY_GROW(r->to->blocks, r->to->nblocks);
    r->to->blocks[r->to->nblocks++] = block;
    return good;
}

/** The step of that place in the block of that id of a GPU, whose blocks are from..; or none. */
static uint32_t
find_step(const struct reading *r, uint32_t first_block, uint32_t id, uint32_t place)
{
    for (uint32_t i = first_block; i < r->to->nblocks; i++)
    {
        if (r->block_ids[i] == id)
        {
            return place < r->to->blocks[i].n ? r->to->blocks[i].first + place : MSCCL_NONE;
        }
    }
    return MSCCL_NONE;
}

/** Finds what the steps of a GPU wait for, whose blocks and steps are the last ones. */
static bool
read_waits(struct reading *r, uint32_t gpu, uint32_t first_block, uint32_t first_step)
{
    bool good = true;
    for (uint32_t i = first_step; good && i < r->to->nsteps; i++)
    {
        const struct element *e = r->steps[i];
        uint32_t block, place;
        good = number_or_none(r, e, "depid", &block) && number_or_none(r, e, "deps", &place);
        if (!good || block == MSCCL_NONE)
        {
            continue;
        }
        r->to->steps[i].after = find_step(r, first_block, block, place);
        if (r->to->steps[i].after == MSCCL_NONE)
        {
            good =
                input_error(r->from, e->line,
                            "it waits for step %s of thread block %u, which GPU %u does not "
                            "have; expected one of its steps",
                            element_value(e, "deps") ? element_value(e, "deps") : "?", block, gpu);
        }
    }
    return good;
}

static bool
read_gpu(struct reading *r, const struct element *e, bool *seen)
{
    const uint32_t first_block = r->to->nblocks, first_step = r->to->nsteps;
    uint32_t gpu;
    if (!expect(r, e, "gpu") || !number(r, e, &id_param, &gpu))
    {
        return false;
    }
    if (gpu >= r->to->ngpus || seen[gpu])
    {
        return input_error(r->from, element_line(e, "id"),
                           "id %u of <gpu>; expected 0 to %u, each once", gpu, r->to->ngpus - 1);
    }
    seen[gpu] = true;
    bool good = true;
    for (size_t i = 0; good && i < e->nchildren; i++)
    {
        good = read_block(r, e->children[i], gpu);
        for (uint32_t k = first_block; good && k + 1 < r->to->nblocks; k++)
        {
            good = r->block_ids[k] != r->block_ids[r->to->nblocks - 1] ||
                   input_error(r->from, e->children[i]->line, "a second <tb> of id %u in GPU %u",
                               r->block_ids[k], gpu);
        }
    }
    return good && read_waits(r, gpu, first_block, first_step);
}

/* --- all -------------------------------------------------------------------------------------- */

static bool
read_collective(struct reading *r, const struct element *root)
{
    static const struct
    {
        const char *name;
        uint8_t kind;
    } kinds[] = {{"allreduce", TRACE_ALLREDUCE},
                 {"allgather", TRACE_ALLGATHER},
                 {"reduce_scatter", TRACE_REDUCESCATTER},
                 {"reducescatter", TRACE_REDUCESCATTER},
                 {"alltoall", TRACE_ALLTOALL},
                 {"broadcast", TRACE_BROADCAST},
                 {"reduce", TRACE_REDUCE}};
    const char *coll = element_value(root, "coll");
    size_t i = 0;
    while (coll && i < COUNT_OF(kinds) && strcmp(kinds[i].name, coll) != 0)
    {
        i++;
    }
    if (!coll || i == COUNT_OF(kinds))
    {
        return input_error(r->from, element_line(root, "coll"),
                           "coll '%s' of <algo>; expected allreduce, allgather, reduce_scatter, "
                           "alltoall, broadcast or reduce",
                           coll ? coll : "");
    }
    r->to->kind = kinds[i].kind;
    return true;
}

static bool
read_algorithm(struct reading *r, const struct element *root)
{
    const char *name = element_value(root, "name");
    if (!expect(r, root, "algo") || !read_collective(r, root) ||
        !number(r, root, &gpus_param, &r->to->ngpus) ||
        !number(r, root, &chunks_param, &r->to->nchunks))
    {
        return false;
    }
    if (root->nchildren != r->to->ngpus)
    {
        return input_error(r->from, root->line, "ngpus %u, and there are %zu; expected as many",
                           r->to->ngpus, root->nchildren);
    }
    r->to->name = xstrdup(name ? name : "algo");
    OWNED bool *seen = xcalloc(r->to->ngpus, sizeof *seen);
    bool good = true;
    for (size_t i = 0; good && i < root->nchildren; i++)
    {
        good = read_gpu(r, root->children[i], seen);
    }
    return good;
}

bool
msccl_xml_parse(struct input_source *from, const char *bytes, size_t size,
                struct msccl_algorithm *algorithm)
{
    CLEANUP(diag_free) struct diagnostics own = {.file = from->path};
    struct reading r = {.from = from, .to = algorithm};
    *algorithm = (struct msccl_algorithm){0};
    CLEANUP(document_drop)
    struct document *doc = document_parse_as(&msccl_grammar, from->path, bytes, size, &own);
    for (size_t i = 0; i < own.n; i++)
    {
        input_error(from, own.items[i].line, "%s", own.items[i].message);
    }
    const bool good = doc && own.n == 0 && read_algorithm(&r, doc->root);
    free(r.block_ids);
    free((void *)r.steps);
    return good;
}
