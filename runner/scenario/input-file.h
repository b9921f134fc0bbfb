/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file input-file.h  The files that a scenario names: flows, distributions of sizes, graphs,
 * traces. Each is read once and kept until the process ends, as runs of a sweep share them.
 */
#ifndef WEFT_RUNNER_INPUT_FILE_H
#define WEFT_RUNNER_INPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/graph.h>

#include "diagnostics.h"
#include "flow-file.h"
#include "graph-names.h"
#include "trace-file.h"
#include "trace-load.h"

/** Largest file, bytes. */
#define INPUT_MOST_BYTES ((size_t)128 << 20)
/** Most bytes of a compressed one, unpacked. */
#define INPUT_MOST_UNPACKED ((size_t)8 << 30)

/** The folder of a results folder that keeps the files its scenario names. */
#define INPUT_FOLDER "inputs"

enum input_kind
{
    INPUT_FLOWS,    /**< an htsim matrix has microseconds */
    INPUT_FLOWS_PS, /**< the same, but an htsim matrix has picoseconds */
    INPUT_SIZES,    /**< a distribution */
    INPUT_GRAPH,
    INPUT_TRACE,
    INPUT_TEXT, /**< what Weft does not read itself, such as a figure's template */
};

struct input_file
{
    char *written; /**< as the scenario names it */
    char *path;    /**< where it was found */
    char *kept;    /**< its name among the files of a run: of its checksum and size */
    char *bytes;
    size_t n;
    uint32_t checksum; /**< of cksum */
    enum input_kind kind;
    struct flow_file flows; /**< or sizes */
    struct weft_graph graph;
    void *graph_memory; /**< what that points into */
    double *losses[2];  /**< [link]: probability that it loses a frame, by the numbers of the graph
                           and  of the Clos that it is; NULL: none does */
    struct graph_names names;
    struct weft_program program;
    struct trace_wish wish; /**< of the program */
};

/**
 * The file that the scenario at @p scenario calls @p written: an absolute path, or one from the
 * scenario's folder. In a results folder the copy in its inputs/ comes first. NULL after errors,
 * which are at line @p line of the scenario and name the line of the file.
 */
const struct input_file *input_file_load(const char *scenario, const char *written,
                                         enum input_kind kind, int line, struct diagnostics *d);

/** Loads a trace: a file of INPUT_TRACE, or where @p written has a %d a file of each rank, which
 * are kept as one. Workloads that wish the same share it. */
const struct input_file *input_file_load_trace(const char *scenario, const char *written,
                                               const struct trace_wish *wish, int line,
                                               struct diagnostics *d);

/** Loads a file of INPUT_TEXT. */
const struct input_file *input_file_load_text(const char *scenario, const char *written, int line,
                                              struct diagnostics *d);

/** The next file that has been loaded, or the first after NULL; NULL: there are no more. */
const struct input_file *input_file_next(const struct input_file *after);

/** Returns the file's name in inputs/; the caller frees it. */
char *input_file_copy_name(const char *written);

#endif
