/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <string.h>

#include "refused.h"

const char *
refused(int code, const struct weft_refusal *why)
{
    const size_t length = strlen(why->text);
    ck_assert_int_lt(code, 0);
    ck_assert_int_eq(why->code, code);
    ck_assert_uint_gt(length, 0);
    ck_assert_uint_lt(length, WEFT_REFUSAL_BYTES - 1); /* not cut */
    ck_assert_msg(!strchr(why->text, '\n') && why->text[length - 1] != '.', "%s", why->text);
    ck_assert_ptr_eq(weft_refusal_text(code, why), why->text);
    return why->text;
}

const char *
size_refused(const struct weft_workload_ops *ops, const void *config,
             const struct weft_hosts *hosts)
{
    static struct weft_refusal why;
    struct weft_hosts asked = *hosts;
    struct weft_traffic_size size;
    why = (struct weft_refusal){0};
    asked.why = &why;
    return refused(ops->size(config, &asked, &size), &why);
}
