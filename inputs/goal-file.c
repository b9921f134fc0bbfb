/* SPDX-License-Identifier: GPL-2.0-only */
/* Recognises GOAL: text or a binary. */
#include <string.h>

#include "trace-file.h"

bool
trace_file_parse(struct input_source *from, const char *bytes, size_t n,
                 struct weft_program *program)
{
    static const unsigned char magic[8] = {GOAL_MAGIC & 0xff, GOAL_MAGIC >> 8};
    if (n >= sizeof magic && memcmp(bytes, magic, sizeof magic) == 0)
    {
        return goal_binary_parse(from, bytes, n, program);
    }
    return goal_text_parse(from, bytes, n, program);
}
