/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file trace-parts.h  Files of a trace that has one for each rank, as one file: a run keeps them
 * as one. A line "weft-trace-of-ranks N", a line "BYTES NAME" for each rank, and then their bytes.
 */
#ifndef WEFT_RUNNER_TRACE_PARTS_H
#define WEFT_RUNNER_TRACE_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** A file of a trace, or of one rank. */
struct trace_part
{
    const char *path, *bytes;
    size_t n;
};

/** Whether a file's name stands for a file of each rank: it has a %d. */
bool trace_has_parts(const char *written);

/** Returns the name that stands for the files of all ranks of which @p written, found at @p path,
 * is one; the caller frees it. NULL: no other one is beside it. */
char *trace_parts_name(const char *path, const char *written);

/** Reads the files of all ranks, from 0 up, that @p path stands for; the caller frees them. @p
 * written: the same as the scenario has it. @p ranks: how many there are to be; 0: as many as there
 * are. NULL: one is missing or unreadable, and *why says which. */
char *trace_parts_read(const char *path, const char *written, uint32_t ranks, size_t *n,
                       char **why);

/** Divides what trace_parts_read() has returned; returns how many parts there are, 0 of anything
 * else. The caller frees *parts and *names, which the paths point into. */
uint32_t trace_parts_split(const char *bytes, size_t n, struct trace_part **parts, char **names);

#endif
