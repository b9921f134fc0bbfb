/* SPDX-License-Identifier: MIT */
/**
 * @file check.h  Checks of what callers owe, in a build with WEFT_CHECKED alone: a breach ends the
 * program with the name of the call and the rule. Private.
 */
#ifndef WEFT_CHECKED_CHECK_H
#define WEFT_CHECKED_CHECK_H

#ifdef WEFT_CHECKED

#ifdef __cplusplus
extern "C"
{
#endif

    /** Says "weft: CALL: RULE" on the standard error and aborts. */
    void weft_breach(const char *call, const char *rule);

#ifdef __cplusplus
}
#endif

#define WEFT_CHECK(holds, call, rule) ((holds) ? (void)0 : weft_breach((call), (rule)))

#else
#define WEFT_CHECK(holds, call, rule) ((void)0)
#endif

#endif
