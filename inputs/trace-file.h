/* SPDX-License-Identifier: GPL-2.0-only */
/** @file trace-file.h  Traces: the operations of a job's ranks, from files that record them. */
#ifndef WEFT_INPUTS_TRACE_FILE_H
#define WEFT_INPUTS_TRACE_FILE_H

#include <weft/ops.h>

#include "table-lines.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** Reads GOAL, text or binary; which, the first bytes say. False after errors; else
     * weft_program_release() is to be called. */
    bool trace_file_parse(struct input_source *from, const char *bytes, size_t n,
                          struct weft_program *program);

    /** Memory of programs: malloc()'s, which never fails. */
    extern const struct weft_scratch trace_memory;

    /** Packs what a reader has added, or reports what is wrong, and ends the builder. */
    bool trace_pack(struct input_source *from, struct weft_ops *ops, struct weft_program *program);

/** The number with which a GOAL binary begins. */
#define GOAL_MAGIC 4223U

    bool goal_text_parse(struct input_source *from, const char *bytes, size_t n,
                         struct weft_program *program);
    bool goal_binary_parse(struct input_source *from, const char *bytes, size_t n,
                           struct weft_program *program);

#ifdef __cplusplus
}
#endif
#endif
