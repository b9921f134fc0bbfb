/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Traces that nobody would write, GOAL as text and as a binary: reading one must end in a program
 * that the workload accepts, or in messages that name the file. Else a slip in a trace takes the
 * command down, or a run waits for what never comes.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "must.h"
#include "textbuf.h"
#include "trace-file.h"

/** The workload takes it, on as many hosts as it has ranks, if they are not absurdly many. */
static void
check_workload(struct weft_program *program)
{
    const struct weft_workload_ops *ops = weft_workload_find("trace");
    const struct weft_table table = {.program = program};
    struct weft_hosts hosts = {.n = program->nranks, .per_tor = 1, .per_pod = program->nranks};
    struct weft_traffic_size size;
    if (program->nsends == 0)
    {
        return;
    }
    void *config = xcalloc(1, ops->algo.config_size);
    MUST(weft_config_default(&ops->algo, config) == 0);
    ops->use(config, &table);
    MUST(ops->size(config, &hosts, &size) == 0 && size.nmessages == program->nsends);
    struct weft_message *messages = xcalloc(size.nmessages, sizeof *messages);
    uint32_t *next = xcalloc((size_t)size.nnext + 1, sizeof *next);
    MUST(ops->fill(config, &hosts, 1, 0, messages, next) == 0);
    for (uint32_t i = 0; i < size.nmessages; i++)
    {
        const struct weft_op *op = &program->ops[messages[i].op];
        MUST(op->kind == WEFT_OP_SEND && messages[i].dst == op->peer);
        MUST(messages[i].qp < size.nqps && messages[i].bytes > 0);
    }
    free(messages);
    free(next);
    free(config);
}

/** Rows point to what is there, and as many things wait as are waited for. */
static void
check_rows(const struct weft_program *program)
{
    uint64_t waits = 0;
    for (uint32_t i = 0; i < program->nops; i++)
    {
        const struct weft_op *op = &program->ops[i];
        MUST(op->state == WEFT_OP_WAITS && op->next + op->nstart <= op[1].next);
        waits += op->waits;
    }
    MUST(waits == program->nnext && program->ops[program->nops].next == program->nnext);
    for (uint32_t k = 0; k < program->nnext; k++)
    {
        MUST(program->next[k] < program->nops);
    }
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct diagnostics d = {.file = "fuzz.xml"};
    struct input_source from = {.path = "fuzz.goal", .scenario_line = 1, .d = &d};
    struct weft_program program = {.nranks = 0};
    char *bytes = xcalloc(size + 1, 1);
    if (size > 0)
    {
        memcpy(bytes, data, size);
    }
    const bool good = trace_file_parse(&from, bytes, size, &program);
    MUST(good == (d.n == 0) && (good || strncmp(d.items[0].message, "fuzz.goal:", 10) == 0));
    if (good)
    {
        check_rows(&program);
        check_workload(&program);
        weft_program_release(&program);
    }
    free(bytes);
    diag_free(&d);
    return 0;
}
