/* SPDX-License-Identifier: GPL-2.0-only */
/** @file memory-out.h End of a process when memory is out, whoever asked for it. */
#ifndef WEFT_RUNNER_MEMORY_OUT_H
#define WEFT_RUNNER_MEMORY_OUT_H

#ifdef __cplusplus
extern "C"
{
#endif

    /** Every allocation that fails, of C, C++ or libxml2, calls @p handler, which must end the
     * process and may not allocate. */
    void memory_out_is(void (*handler)(void));

#ifdef __cplusplus
}
#endif
#endif
