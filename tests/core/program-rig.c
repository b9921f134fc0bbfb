/* SPDX-License-Identifier: MIT */
#include "program-rig.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

static void *
take(void *of, size_t bytes)
{
    (void)of;
    return malloc(bytes);
}

static void
give(void *of, void *memory)
{
    (void)of;
    free(memory);
}

const struct weft_scratch program_memory = {take, give, NULL};

int
program_pack(const struct task *task, struct weft_program *program, struct weft_refusal *why)
{
    struct weft_ops *ops = weft_ops_begin(&program_memory, task->nranks, "operation");
    uint32_t number[MOST_OPS];
    for (uint32_t left = task->nops, turn = 0; left > 0; turn++)
    {
        /* The next operation of each rank in turn. */
        const uint32_t rank = turn % task->nranks;
        uint32_t skip = turn / task->nranks;
        for (uint32_t i = 0; i < task->nops; i++)
        {
            if (task->op[i].rank == rank && skip-- == 0)
            {
                number[i] = weft_ops_add(ops, &task->op[i]);
                left--;
                break;
            }
        }
    }
    for (uint32_t k = task->nedges; k-- > 0;)
    {
        (task->start[k] ? weft_ops_require_start : weft_ops_require)(ops, number[task->after[k]],
                                                                     number[task->before[k]]);
    }
    return weft_ops_pack(ops, program, why);
}

struct weft_collective *
program_start(struct weft_run *run, struct weft_program *program, uint64_t eager, double scale)
{
    const struct weft_workload_ops *ops = weft_workload_find("trace");
    const struct weft_table table = {.program = program};
    struct weft_collective_config graph = {.level = 0};
    struct weft_collective *work = NULL;
    char text[40];
    void *config = calloc(1, ops->algo.config_size);
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    if (eager < 1000000)
    {
        snprintf(text, sizeof text, "%lluB", (unsigned long long)eager);
        ck_assert_int_eq(weft_config_set(&ops->algo, config, "eager", text), 0);
    }
    snprintf(text, sizeof text, "%g", scale);
    ck_assert_int_eq(weft_config_set(&ops->algo, config, "compute-scale", text), 0);
    ops->use(config, &table);
    struct weft_refusal why = {.text = ""};
    ck_assert_msg(weft_run_fill(run, ops, config, &graph, &why) == 0, "%s", why.text);
    ck_assert_msg(weft_run_collective(run, &graph, &work, &why) == 0, "%s", why.text);
    free(config);
    return work;
}
