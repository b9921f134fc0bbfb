/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Algorithms of MSCCL that nobody would write: reading one must end in steps or in messages that
 * name a line. What is taken for steps must be what a program can be made of, or be refused with a
 * reason: a send without a receive, a circle. Else a slip in an algorithm takes the command down.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "msccl-xml.h"
#include "must.h"
#include "programs.h"
#include "textbuf.h"

#define MOST_GPUS 64

static void
check_program(const struct msccl_algorithm *a)
{
    uint32_t ranks[MOST_GPUS], first[MOST_GPUS], last[MOST_GPUS];
    struct weft_ops *ops = programs_begin(a->ngpus);
    for (uint32_t i = 0; i < a->ngpus; i++)
    {
        ranks[i] = a->ngpus - 1 - i;
    }
    msccl_ops_add(ops, a, 12345, ranks, 0, first, last);
    programs_end(ops);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "fuzz.xml"};
    struct input_source from = {.path = "algo.xml", .scenario_line = 1, .d = &d};
    struct msccl_algorithm a;
    char *bytes = xcalloc(size + 1, 1);
    if (size > 0)
    {
        memcpy(bytes, data, size);
    }
    const bool good = msccl_xml_parse(&from, bytes, size, &a);
    MUST(good == (d.n == 0) && (good || strncmp(d.items[0].message, "algo.xml:", 9) == 0));
    if (good && a.ngpus <= MOST_GPUS)
    {
        check_program(&a);
    }
    msccl_algorithm_free(&a);
    free(bytes);
    diag_free(&d);
    return 0;
}
