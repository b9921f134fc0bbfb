/* SPDX-License-Identifier: GPL-2.0-only */
#include "trace-load.h"

#include <stdlib.h>
#include <string.h>

#include "chakra-ops.h"
#include "input-file.h"
#include "msccl-xml.h"
#include "simai-ops.h"
#include "textbuf.h"
#include "trace-parts.h"
#include "unpack.h"

/** Most ranks that share one trace. */
#define MOST_COPIES (1U << 16)

/** A trace while it is read. */
struct loading
{
    struct input_source *from; /**< [nparts] */
    struct trace_part *parts;  /**< [nparts], unpacked */
    char **unpacked;           /**< [nparts]; NULL: it was not packed */
    uint32_t nparts;
    const struct trace_wish *wish;
    struct trace_choice choice;
    struct weft_program *program;
};

bool
trace_wish_same(const struct trace_wish *a, const struct trace_wish *b)
{
    return a->ranks == b->ranks && a->hosts == b->hosts && a->bytes == b->bytes &&
           a->allreduce == b->allreduce && a->allgather == b->allgather &&
           a->reducescatter == b->reducescatter && a->bytes_scale == b->bytes_scale &&
           a->rate == b->rate && a->gpus == b->gpus && a->algorithm == b->algorithm &&
           a->groups == b->groups;
}

/* --- kinds ------------------------------------------------------------------------------------ */

/** Returns the same name, kept until the process ends: programs have them. */
static char *
lasting(char *name)
{
    static struct words names;
    size_t i = 0;
    while (i < names.n && strcmp(names.word[i], name) != 0)
    {
        i++;
    }
    if (i == names.n)
    {
        words_add(&names, xstrdup(name));
    }
    free(name);
    return names.word[i];
}

static bool
read_algorithm(struct input_source *from, const char *bytes, size_t n, struct msccl_algorithm *a)
{
    const bool good = msccl_xml_parse(from, bytes, n, a);
    if (good)
    {
        a->name = lasting(a->name);
    }
    return good;
}

static void
free_algorithm(struct msccl_algorithm *a, bool good)
{
    a->name = good ? NULL : a->name; /* a lasting one */
    msccl_algorithm_free(a);
}

/** Adds an algorithm that is all of a trace. */
static bool
add_algorithm(struct loading *l, const struct msccl_algorithm *a)
{
    struct input_source *from = &l->from[0];
    if (l->wish->bytes == 0)
    {
        return input_error(from, 1,
                           "an algorithm says not how much it is for; expected collective-bytes of "
                           "<workload>");
    }
    if (l->wish->ranks && l->wish->ranks != a->ngpus)
    {
        return input_error(from, 1, "ngpus %u, and ranks of <workload> is %u; expected the same",
                           a->ngpus, l->wish->ranks);
    }
    OWNED uint32_t *ranks = xcalloc(3 * (size_t)a->ngpus, sizeof *ranks);
    struct weft_ops *ops = weft_ops_begin(&trace_memory, a->ngpus, "line");
    for (uint32_t i = 0; i < a->ngpus; i++)
    {
        ranks[i] = i;
    }
    msccl_ops_add(ops, a, trace_bytes(&l->choice, l->wish->bytes), ranks, 0, ranks + a->ngpus,
                  ranks + 2 * (size_t)a->ngpus);
    return trace_pack(from, ops, l->program);
}

static bool
load_msccl(struct loading *l)
{
    struct msccl_algorithm a;
    const bool readable = read_algorithm(&l->from[0], l->parts[0].bytes, l->parts[0].n, &a);
    const bool good = readable && add_algorithm(l, &a);
    free_algorithm(&a, readable);
    return good;
}

static bool
load_simai(struct loading *l)
{
    return simai_trace_parse(&l->from[0], l->parts[0].bytes, l->parts[0].n, &l->choice,
                             l->wish->ranks, l->program);
}

/** Reads the process groups of a file, if there is one. */
static bool
load_groups(struct loading *l, struct chakra_trace *groups)
{
    const struct input_file *f = l->wish->groups;
    const char *wrong = f ? chakra_groups_parse(f->bytes, groups) : NULL;
    if (wrong)
    {
        diag_error(l->from[0].d, l->from[0].scenario_line, "%s: process groups: %s", f->path,
                   wrong);
    }
    return !wrong;
}

static bool
add_chakra(struct loading *l, const struct chakra_trace *traces, uint32_t nranks)
{
    struct chakra_trace groups = {0};
    const struct chakra_job job = {.from = l->from,
                                   .traces = traces,
                                   .groups = &groups,
                                   .ntraces = l->nparts,
                                   .nranks = nranks};
    bool good = load_groups(l, &groups);
    if (good)
    {
        struct weft_ops *ops = weft_ops_begin(&trace_memory, nranks, "node");
        good = chakra_ops_add(&job, &l->choice, ops);
        l->from[0].bad = !good;
        good = trace_pack(&l->from[0], ops, l->program);
    }
    chakra_trace_free(&groups);
    return good;
}

static bool
load_chakra(struct loading *l)
{
    const uint32_t wanted = l->wish->ranks ? l->wish->ranks : l->wish->hosts;
    const uint32_t nranks = l->nparts > 1 ? l->nparts : wanted;
    struct chakra_trace *traces = xcalloc(l->nparts, sizeof *traces);
    bool good = true;
    if (nranks == 0 || nranks > MOST_COPIES)
    {
        good =
            input_error_at(&l->from[0], 0,
                           "the trace of one rank, and nothing says for how many; expected ranks "
                           "of <workload>, 1 to %u",
                           MOST_COPIES);
    }
    for (uint32_t i = 0; i < l->nparts && (good || !diag_is_full(l->from[0].d)); i++)
    {
        good =
            chakra_file_parse(&l->from[i], i, l->parts[i].bytes, l->parts[i].n, &traces[i]) && good;
    }
    good = good && add_chakra(l, traces, nranks);
    for (uint32_t i = 0; i < l->nparts; i++)
    {
        chakra_trace_free(&traces[i]);
    }
    free(traces);
    return good;
}

/* --- all -------------------------------------------------------------------------------------- */

/** Whether the first bytes are those of a file for each rank. */
static bool
may_be_chakra(const struct trace_part *part)
{
    const unsigned char magic[] = {GOAL_MAGIC & 0xff, GOAL_MAGIC >> 8, 0};
    return chakra_file_is(part->bytes, part->n) &&
           (part->n < sizeof magic || memcmp(part->bytes, magic, sizeof magic) != 0);
}

/** GOAL says all by itself. */
static bool
check_goal(const struct loading *l)
{
    const struct trace_wish *w = l->wish;
    if (w->ranks || w->bytes || w->bytes_scale != 1 || w->algorithm || w->groups)
    {
        diag_error(l->from[0].d, l->from[0].scenario_line,
                   "%s: a trace in GOAL says all by itself; expected no ranks, collective-bytes, "
                   "bytes-scale, collective-file or "
                   "process-groups",
                   l->from[0].path);
        return false;
    }
    return true;
}

static bool
load_any(struct loading *l)
{
    const struct trace_part *part = &l->parts[0];
    if (may_be_chakra(part))
    {
        return load_chakra(l);
    }
    if (l->nparts > 1)
    {
        return input_error_at(&l->from[0], 0,
                              "no Chakra trace; expected one, as a file for each rank is");
    }
    if (part->bytes[strspn(part->bytes, " \t\r\n\xef\xbb\xbf")] == '<')
    {
        return load_msccl(l);
    }
    if (simai_file_is(part->bytes, part->n))
    {
        return load_simai(l);
    }
    return check_goal(l) && trace_file_parse(&l->from[0], part->bytes, part->n, l->program);
}

/** Unpacks what is packed. */
static bool
unpack_part(struct loading *l, uint32_t i, const struct trace_part *part)
{
    l->parts[i] = *part;
    if (!is_packed(part->bytes, part->n))
    {
        return true;
    }
    OWNED char *why = NULL;
    l->unpacked[i] = unpack(part->bytes, part->n, INPUT_MOST_UNPACKED, &l->parts[i].n, &why);
    l->parts[i].bytes = l->unpacked[i];
    if (!l->unpacked[i])
    {
        diag_error(l->from[i].d, l->from[i].scenario_line, "%s: %s; expected a whole file",
                   part->path, why);
    }
    return l->unpacked[i] != NULL;
}

static struct trace_choice
choice_of(const struct trace_wish *w, const struct msccl_algorithm *algorithm)
{
    return (struct trace_choice){.allreduce = (enum trace_allreduce)w->allreduce,
                                 .allgather = (enum trace_spread)w->allgather,
                                 .reducescatter = (enum trace_spread)w->reducescatter,
                                 .algorithm = w->algorithm ? algorithm : NULL,
                                 .bytes_scale = w->bytes_scale,
                                 .rate = w->rate,
                                 .gpus = w->gpus};
}

/** Reads the parts, which are unpacked first. */
static bool
load_parts(struct loading *l, const struct trace_part *parts, int line, struct diagnostics *d)
{
    bool good = true;
    l->from = xcalloc(l->nparts, sizeof *l->from);
    l->parts = xcalloc(l->nparts, sizeof *l->parts);
    l->unpacked = xcalloc(l->nparts, sizeof *l->unpacked);
    for (uint32_t i = 0; good && i < l->nparts; i++)
    {
        l->from[i] = (struct input_source){.path = parts[i].path, .scenario_line = line, .d = d};
        good = unpack_part(l, i, &parts[i]);
    }
    good = good && load_any(l);
    for (uint32_t i = 0; i < l->nparts; i++)
    {
        free(l->unpacked[i]);
    }
    free(l->unpacked);
    free(l->parts);
    free(l->from);
    return good;
}

/** Reads the algorithm that is wished for, if one is. */
static bool
load_algorithm(const struct trace_wish *wish, int line, struct diagnostics *d,
               struct msccl_algorithm *a)
{
    const struct input_file *f = wish->algorithm;
    struct input_source from = {.path = f ? f->path : "", .scenario_line = line, .d = d};
    const bool good = !f || read_algorithm(&from, f->bytes, f->n, a);
    if (!good)
    {
        free_algorithm(a, false);
    }
    return good;
}

bool
trace_load(const char *path, const char *bytes, size_t n, const struct trace_wish *wish, int line,
           struct diagnostics *d, struct weft_program *program)
{
    const struct trace_part whole = {path, bytes, n};
    struct loading l = {.wish = wish, .program = program};
    struct msccl_algorithm algorithm = {0};
    if (!load_algorithm(wish, line, d, &algorithm))
    {
        return false;
    }
    struct trace_part *parts;
    char *names;
    bool good;
    l.choice = choice_of(wish, &algorithm);
    l.nparts = trace_parts_split(bytes, n, &parts, &names);
    if (names && l.nparts == 0)
    {
        diag_error(d, line, "%s: damaged; expected the files of all ranks, each behind its size",
                   path);
        good = false;
    }
    else
    {
        l.nparts = names ? l.nparts : 1;
        good = load_parts(&l, names ? parts : &whole, line, d);
    }
    free(parts);
    free(names);
    free_algorithm(&algorithm, true);
    return good;
}
