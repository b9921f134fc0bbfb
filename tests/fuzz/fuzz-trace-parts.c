/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of all ranks as one, as a run keeps them, that nobody would write: what is taken for parts
 * lies in the file, one behind the other up to its end. Else a damaged result takes the command
 * down.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "must.h"
#include "textbuf.h"
#include "trace-parts.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct trace_part *parts;
    char *names;
    char *bytes = xcalloc(size + 1, 1);
    if (size > 0)
    {
        memcpy(bytes, data, size);
    }
    const uint32_t n = trace_parts_split(bytes, size, &parts, &names);
    const char *at = n > 0 ? parts[0].bytes : NULL;
    for (uint32_t i = 0; i < n; i++)
    {
        MUST(parts[i].bytes == at && parts[i].n <= (size_t)(bytes + size - at));
        MUST(strlen(parts[i].path) < size);
        at += parts[i].n;
    }
    MUST(n == 0 || at == bytes + size);
    free(parts);
    free(names);
    free(bytes);
    return 0;
}
