/* SPDX-License-Identifier: GPL-2.0-only */
/** @file flow-file.h  Flows from files, and the distributions of sizes that generators read. */
#ifndef WEFT_INPUTS_FLOW_FILE_H
#define WEFT_INPUTS_FLOW_FILE_H

#include <weft/traffic.h>

#include "table-lines.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** Flows, or sizes, of a file. */
    struct flow_file
    {
        struct weft_table table;
        int *lines;     /**< of each flow */
        bool is_matrix; /**< of htsim */
    };

    /** Reads CSV, HPCC's and ConWeave's flows, and htsim's connection matrices; which, the first
     * line says. @p ps: starts of an htsim matrix are in picoseconds, else in microseconds. False
     * after errors; flow_file_free() is to be called in any case. */
    bool flow_file_parse(struct table_lines *t, bool ps, struct flow_file *f);

    /** Reads "bytes percent" lines in the same way. */
    bool size_file_parse(struct table_lines *t, struct flow_file *f);

    void flow_file_free(struct flow_file *f);

#ifdef __cplusplus
}
#endif
#endif
