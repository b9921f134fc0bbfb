/* SPDX-License-Identifier: MIT */
/**
 * @file must.h  Assertions for inner loops: ck_assert() writes to a pipe each time it holds, which
 * costs more than what it tests.
 */
#ifndef WEFT_TESTS_MUST_H
#define WEFT_TESTS_MUST_H

#include <check.h>

#define MUST(condition)                                                                            \
    do                                                                                             \
    {                                                                                              \
        if (!(condition))                                                                          \
        {                                                                                          \
            ck_abort_msg("%s", #condition);                                                        \
        }                                                                                          \
    } while (0)

#endif
