/* SPDX-License-Identifier: GPL-2.0-only */
#include "programs.h"

#include <stdlib.h>

#include "must.h"
#include "textbuf.h"

static void *
take(void *of, size_t n)
{
    (void)of;
    return xcalloc(n, 1);
}

static void
give(void *of, void *memory)
{
    (void)of;
    free(memory);
}

struct weft_ops *
programs_begin(uint32_t nranks)
{
    const struct weft_scratch memory = {.take = take, .give = give};
    struct weft_ops *ops = weft_ops_begin(&memory, nranks, "line");
    MUST(ops);
    return ops;
}

int
programs_end(struct weft_ops *ops)
{
    struct weft_refusal why = {0, NULL, ""};
    struct weft_program program;
    const int code = weft_ops_pack(ops, &program, &why);
    MUST(code == 0 || why.text[0] != '\0');
    if (!code)
    {
        weft_program_release(&program);
    }
    return code;
}
