/* SPDX-License-Identifier: GPL-2.0-only */
#include "input-file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <weft/rng.h>

#include "checksum.h"
#include "files.h"
#include "graph-file.h"
#include "textbuf.h"
#include "trace-parts.h"

/** Longest name in inputs/ but for a digest. */
#define MOST_NAME 150

static struct input_file **loaded;
static size_t nloaded;

/** The folder of a file, with the slash. */
static char *
folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return xformat("%.*s", slash ? (int)(slash - path) + 1 : 0, path);
}

char *
input_file_copy_name(const char *written)
{
    struct text t = {0};
    uint64_t digest = 0;
    for (const char *p = written; *p; p++)
    {
        /* So that different paths never share a name. */
        text_add(&t, *p == '/' ? "%%2F" : *p == '%' ? "%%25" : "%c", *p);
        digest = weft_mix64(digest ^ (uint64_t)(unsigned char)*p);
    }
    char *name = text_take(&t);
    if (strlen(name) <= MOST_NAME)
    {
        return name;
    }
    char *end = xformat("%016llx-%s", (unsigned long long)digest, name + strlen(name) - MOST_NAME);
    free(name);
    return end;
}

/** The copy that a results folder keeps, if there is one, else where the scenario says. */
static char *
find(const char *scenario, const char *written)
{
    OWNED char *folder = folder_of(scenario ? scenario : ""), *name = input_file_copy_name(written);
    OWNED char *mark = xformat("%s.weft-results", folder);
    OWNED char *copy = xformat("%s" INPUT_FOLDER "/%s", folder, name);
    return access(mark, F_OK) == 0 && access(copy, F_OK) == 0
               ? xstrdup(copy)
               : xformat("%s%s", *written == '/' ? "" : folder, written);
}

static void
release(struct input_file *f)
{
    free(f->written);
    free(f->path);
    free(f->kept);
    free(f->bytes);
    flow_file_free(&f->flows);
    free(f->graph_memory);
    free(f->losses[0]);
    free(f->losses[1]);
    graph_names_free(&f->names);
    weft_program_release(&f->program);
    free(f);
}

/** Warns of a rank's trace that stands for all, where the others have traces of their own. */
static void
warn_of_others(const struct input_file *f, int line, struct diagnostics *d)
{
    OWNED char *all = trace_parts_name(f->path, f->written);
    if (all)
    {
        diag_warning(
            d, line,
            "all ranks do what '%s' says, and other ranks have files beside it; '%s' reads "
            "the file of each",
            f->written, all);
    }
}

/** Fills the table from the bytes. */
static bool
parse(struct input_file *f, int line, struct diagnostics *d)
{
    struct input_source from = {.path = f->path, .scenario_line = line, .d = d};
    struct table_lines t;
    if (f->kind == INPUT_TEXT)
    {
        return true;
    }
    if (f->kind == INPUT_GRAPH)
    {
        f->graph_memory = graph_file_parse(&from, f->bytes, f->n, &f->graph, f->losses, &f->names);
        return f->graph_memory != NULL;
    }
    if (f->kind == INPUT_TRACE)
    {
        f->flows.table.program = &f->program;
        warn_of_others(f, line, d);
        return trace_load(f->path, f->bytes, f->n, &f->wish, line, d, &f->program);
    }
    table_lines_begin(&t, &from, f->bytes, f->n);
    const bool good = f->kind == INPUT_SIZES
                          ? size_file_parse(&t, &f->flows)
                          : flow_file_parse(&t, f->kind == INPUT_FLOWS_PS, &f->flows);
    table_lines_end(&t);
    return good;
}

static struct input_file *
make(const char *written, char *path, char *bytes, size_t n, enum input_kind kind)
{
    struct input_file *f = xcalloc(1, sizeof *f);
    struct checksum sum = {0};
    checksum_add(&sum, bytes, n);
    f->written = xstrdup(written);
    f->path = path;
    f->bytes = bytes;
    f->n = n;
    f->checksum = checksum_value(&sum);
    f->kind = kind;
    f->kept = xformat("input-%u-%zu.txt", (unsigned)f->checksum, n);
    return f;
}

/** Returns the bytes of a file, or of the files of all ranks; NULL after an error. */
static char *
read_bytes(const char *path, const char *written, enum input_kind kind, uint32_t ranks, size_t *n,
           char **why)
{
    const bool whole = kind != INPUT_TRACE || !trace_has_parts(written) || access(path, F_OK) == 0;
    return whole ? file_read_path(path, INPUT_MOST_BYTES, n, why)
                 : trace_parts_read(path, written, ranks, n, why);
}

static const struct input_file *
load(const char *scenario, const char *written, enum input_kind kind, const struct trace_wish *wish,
     int line, struct diagnostics *d)
{
    char *path = find(scenario, written);
    for (size_t i = 0; i < nloaded; i++)
    {
        if (loaded[i]->kind == kind && strcmp(loaded[i]->path, path) == 0 &&
            strcmp(loaded[i]->written, written) == 0 && trace_wish_same(&loaded[i]->wish, wish))
        {
            free(path);
            return loaded[i];
        }
    }
    size_t n;
    char *why, *bytes = read_bytes(path, written, kind, wish->ranks, &n, &why);
    if (!bytes)
    {
        diag_error(d, line, "cannot read file '%s': %s%s", written, why,
                   kind == INPUT_SIZES ? "; Weft has scenarios/workloads/web-search.txt and "
                                         "scenarios/workloads/data-mining.txt"
                                       : "");
        free(why);
        free(path);
        return NULL;
    }
    struct input_file *f = make(written, path, bytes, n, kind);
    f->wish = *wish;
    if (!parse(f, line, d))
    {
        release(f);
        return NULL;
    }
    ARRAY_GROW(loaded, nloaded);
    loaded[nloaded++] = f;
    return f;
}

const struct input_file *
input_file_load(const char *scenario, const char *written, enum input_kind kind, int line,
                struct diagnostics *d)
{
    static const struct trace_wish none = {.bytes_scale = 1};
    return load(scenario, written, kind, &none, line, d);
}

const struct input_file *
input_file_load_trace(const char *scenario, const char *written, const struct trace_wish *wish,
                      int line, struct diagnostics *d)
{
    return load(scenario, written, INPUT_TRACE, wish, line, d);
}

const struct input_file *
input_file_load_text(const char *scenario, const char *written, int line, struct diagnostics *d)
{
    return input_file_load(scenario, written, INPUT_TEXT, line, d);
}

const struct input_file *
input_file_next(const struct input_file *after)
{
    size_t i = 0;
    while (after && i < nloaded && loaded[i++] != after)
    {
    }
    return i < nloaded ? loaded[i] : NULL;
}
