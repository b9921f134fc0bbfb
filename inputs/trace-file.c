/* SPDX-License-Identifier: GPL-2.0-only */
/* Recognises traces; errors, memory and checks that their readers share. */
#include "trace-file.h"

#include <stdlib.h>
#include <string.h>

#include "textbuf.h"

static void *
take(void *of, size_t bytes)
{
    (void)of;
    return xrealloc(NULL, bytes, 1);
}

static void
give(void *of, void *memory)
{
    (void)of;
    free(memory);
}

const struct weft_scratch trace_memory = {take, give, NULL};

bool
trace_pack(struct input_source *from, struct weft_ops *ops, struct weft_program *program)
{
    struct weft_refusal why = {0, NULL, ""};
    const int code = from->bad ? -1 : weft_ops_pack(ops, program, &why);
    if (from->bad)
    {
        weft_ops_end(ops);
    }
    else if (code)
    {
        from->bad = true;
        diag_error(from->d, from->scenario_line, "%s: %s", from->path,
                   weft_refusal_text(code, &why));
    }
    return code == 0;
}

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
