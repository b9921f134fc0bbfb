/* SPDX-License-Identifier: MIT */
/**
 * @file must.h  Assertions for inner loops: ck_assert() writes to a pipe each time it holds, which
 * costs more than what it tests. In a fuzz target, where there is no Check, they end the program.
 */
#ifndef WEFT_TESTS_MUST_H
#define WEFT_TESTS_MUST_H

#ifdef WEFT_FUZZ_TARGET
#include <stdio.h>
#include <stdlib.h>
#define MUST_FAIL(text)                                                                            \
    (fprintf(stderr, "%s:%d: FAILED: %s\n", __FILE__, __LINE__, text), fflush(stderr), abort())
#else
#include <check.h>
#define MUST_FAIL(text) ck_abort_msg("%s", text)
#endif

#define MUST(condition)                                                                            \
    do                                                                                             \
    {                                                                                              \
        if (!(condition))                                                                          \
        {                                                                                          \
            MUST_FAIL(#condition);                                                                 \
        }                                                                                          \
    } while (0)

#endif
