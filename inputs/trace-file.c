/* SPDX-License-Identifier: GPL-2.0-only */
/* Memory, errors and packing that readers of traces share. */
#include "trace-file.h"

#include <stdlib.h>

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
