/* SPDX-License-Identifier: MIT */
/* A user whose trace is wrong would see a run that never ends, or times of something else, in
 * place of which operation of which rank is wrong. */
#include <check.h>
#include <stdio.h>

#include "net-parts.h"
#include "program-rig.h"

static struct weft_op_spec
talk(uint8_t kind, uint32_t rank, uint32_t peer, uint64_t bytes, uint32_t id)
{
    return (struct weft_op_spec){
        .amount = bytes, .rank = rank, .peer = peer, .tag = 7, .id = id, .kind = kind};
}

static struct weft_ops *
begin(void)
{
    return weft_ops_begin(&program_memory, 3, "line");
}

/* Expects that a program is refused, in these words. */
static void
check_refusal(struct weft_ops *ops, int code, const char *words)
{
    struct weft_program program;
    struct weft_refusal why = {.text = ""};
    ck_assert_int_eq(weft_ops_pack(ops, &program, &why), code);
    ck_assert_str_eq(why.text, words);
    ck_assert_ptr_null(program.ops);
}

START_TEST(ranks_that_are_not_there_are_refused)
{
    struct weft_ops *ops = begin();
    struct weft_op_spec op = talk(WEFT_OP_SEND, 1, 3, 10, 4);
    weft_ops_add(ops, &op);
    check_refusal(ops, WEFT_ERANGE,
                  "rank 1, line 4, 10 B, rank 3: there is no such rank to talk to; expected ranks "
                  "0 to 2");
    ops = begin();
    op = talk(WEFT_OP_SEND, 1, 1, 10, 4);
    weft_ops_add(ops, &op);
    check_refusal(ops, WEFT_ERANGE,
                  "rank 1, line 4, 10 B, rank 1: a rank talks to another one, not to itself; "
                  "expected ranks 0 to 2");
}
END_TEST

START_TEST(what_never_meets_is_refused)
{
    struct weft_ops *ops = begin();
    struct weft_op_spec op = talk(WEFT_OP_SEND, 0, 2, 10, 4);
    weft_ops_add(ops, &op);
    check_refusal(ops, WEFT_ENOTFOUND,
                  "rank 0, line 4, send of 10 B to rank 2, tag 7: rank 2 has no receive for it");
    ops = begin();
    op = talk(WEFT_OP_RECV, 0, 2, 10, 4);
    weft_ops_add(ops, &op);
    check_refusal(ops, WEFT_ENOTFOUND,
                  "rank 0, line 4, receive of 10 B from rank 2, tag 7: rank 2 has no send for it");
    ops = begin();
    op = talk(WEFT_OP_SEND, 0, 2, 10, 4);
    weft_ops_add(ops, &op);
    op = talk(WEFT_OP_RECV, 2, 0, 11, 9);
    weft_ops_add(ops, &op);
    check_refusal(ops, WEFT_ENOTFOUND,
                  "rank 0, line 4, send of 10 B to rank 2, tag 7: the sizes differ from rank 2, "
                  "line 9, receive of 11 B from rank 0, tag 7");
}
END_TEST

START_TEST(circles_are_refused_with_their_operations)
{
    struct weft_ops *ops = begin();
    uint32_t n[4];
    const struct weft_op_spec op[] = {
        talk(WEFT_OP_RECV, 0, 1, 10, 1), talk(WEFT_OP_SEND, 0, 1, 20, 2),
        talk(WEFT_OP_RECV, 1, 0, 20, 5), talk(WEFT_OP_SEND, 1, 0, 10, 6)};
    for (int i = 0; i < 4; i++)
    {
        n[i] = weft_ops_add(ops, &op[i]);
    }
    weft_ops_require(ops, n[1], n[0]);
    weft_ops_require(ops, n[3], n[2]);
    check_refusal(ops, WEFT_EINVAL,
                  "operations wait for each other in a circle: rank 0, line 1 waits for rank 1, "
                  "line 6 waits for rank 1, line 5 waits for rank 0, line 2 waits for rank 0, line "
                  "1");
    ops = begin();
    n[0] = weft_ops_add(ops, &(struct weft_op_spec){.rank = 2, .id = 3});
    weft_ops_require_start(ops, n[0], n[0]);
    check_refusal(ops, WEFT_EINVAL,
                  "operations wait for each other in a circle: rank 2, line 3 waits for rank 2, "
                  "line 3");
}
END_TEST

START_TEST(dependencies_across_ranks_are_refused)
{
    struct weft_ops *ops = begin();
    const uint32_t a = weft_ops_add(ops, &(struct weft_op_spec){.rank = 0, .id = 3});
    const uint32_t b = weft_ops_add(ops, &(struct weft_op_spec){.rank = 1, .id = 4});
    weft_ops_require(ops, b, a);
    check_refusal(ops, WEFT_EINVAL, "rank 1, line 4: it waits for an operation of another rank");
    ops = begin();
    weft_ops_require(ops, weft_ops_add(ops, &(struct weft_op_spec){.rank = 2, .id = 3}), 99);
    check_refusal(ops, WEFT_EINVAL, "rank 2, line 3: it waits for an operation that there is not");
}
END_TEST

START_TEST(an_operation_takes_64_bytes)
{
    ck_assert_uint_le(sizeof(struct weft_op), 64);
}
END_TEST

/* --- times ------------------------------------------------------------------------------------ */

static void
run_program(struct weft_program *program, const char *topology)
{
    stage_describe(topology, "ecmp");
    stage_begin();
    struct weft_collective *work = program_start(stage.run, program, UINT64_MAX, 1);
    stage_run();
    struct weft_collective_state state;
    weft_collective_describe(work, &state);
    ck_assert(state.done);
}

/* LogGOPS with o = 0: a message takes L + G bytes, as long as nothing else is sent; computing its
 * time; and what requires a start begins with it. */
START_TEST(three_ranks_take_what_a_closed_form_says)
{
    struct weft_ops *ops = begin();
    const uint32_t calc = weft_ops_add(
        ops, &(struct weft_op_spec){.amount = 5 * US, .kind = WEFT_OP_COMPUTE, .stream = 0});
    struct weft_op_spec op = talk(WEFT_OP_SEND, 0, 1, 1000000, 2);
    const uint32_t send = weft_ops_add(ops, &op);
    op = talk(WEFT_OP_RECV, 1, 0, 1000000, 1);
    const uint32_t receive = weft_ops_add(ops, &op);
    const uint32_t then = weft_ops_add(
        ops,
        &(struct weft_op_spec){.amount = 3 * US, .rank = 1, .kind = WEFT_OP_COMPUTE, .stream = 1});
    const uint32_t beside = weft_ops_add(
        ops,
        &(struct weft_op_spec){.amount = 2 * US, .rank = 0, .kind = WEFT_OP_COMPUTE, .stream = 0});
    const uint32_t early = weft_ops_add(
        ops,
        &(struct weft_op_spec){.amount = 4 * US, .rank = 0, .kind = WEFT_OP_COMPUTE, .stream = 3});
    weft_ops_require(ops, send, calc);
    weft_ops_require(ops, then, receive);
    weft_ops_require_start(ops, beside, send);
    weft_ops_require_start(ops, early, calc);
    struct weft_program program;
    ck_assert_int_eq(weft_ops_pack(ops, &program, NULL), 0);
    run_program(&program, FOUR_PATHS);
    struct weft_hop hops[8];
    const int64_t message = weft_ideal_fct(&stage.clos, &stage.net.frame, 0, 1, 1000000, hops);
    /* Rank 0: calc, send, beside, early; rank 1: receive, then. */
    const struct weft_op *o = program.ops;
    ck_assert_int_eq(o[0].ended, 5 * US);
    ck_assert_int_eq(o[1].begun, 5 * US);
    ck_assert_int_eq(o[2].begun, 5 * US);
    ck_assert_int_eq(o[2].ended, 7 * US);
    ck_assert_int_eq(o[3].begun, 0);
    ck_assert_int_eq(o[3].ended, 4 * US);
    ck_assert_int_eq(o[4].begun, 0);
    ck_assert_int_eq(o[4].ended, 5 * US + message);
    ck_assert_int_eq(o[5].ended, 8 * US + message);
    ck_assert_int_gt(o[1].ended, o[4].ended);
    weft_program_release(&program);
    stage_end();
}
END_TEST

/* Runs an allreduce of all hosts as a workload; returns when its messages were delivered last. */
static int64_t
ring_alone(uint64_t bytes, int64_t *acked)
{
    const struct weft_workload_ops *how = weft_workload_find("allreduce-ring");
    struct weft_collective_config graph = {.level = 0};
    struct weft_collective *work;
    struct weft_collective_state state;
    const void *config;
    char line[64];
    snprintf(line, sizeof line, "allreduce-ring bytes=%lluB", (unsigned long long)bytes);
    stage_describe(MANY_HOSTS, "ecmp");
    stage_begin();
    stage_choose("workload", line, &config);
    ck_assert_int_eq(weft_run_fill(stage.run, how, config, &graph, NULL), 0);
    ck_assert_int_eq(weft_run_collective(stage.run, &graph, &work, NULL), 0);
    stage_run();
    weft_collective_describe(work, &state);
    *acked = state.done_at;
    stage_end();
    return state.last_delivery;
}

START_TEST(a_collective_of_a_trace_is_the_workload_of_its_algorithm)
{
    uint32_t ranks[32], first[32], last[32];
    int64_t acked;
    const int64_t delivered = ring_alone(3000000, &acked);
    struct weft_ops *ops = weft_ops_begin(&program_memory, 32, "node");
    for (uint32_t r = 0; r < 32; r++)
    {
        ranks[r] = r;
    }
    const struct weft_op_collective ring = {.how = weft_workload_find("allreduce-ring"),
                                            .bytes = 3000000,
                                            .ranks = ranks,
                                            .n = 32,
                                            .id = 5};
    ck_assert_int_eq(weft_ops_collective(ops, &ring, first, last, NULL), 0);
    struct weft_program program;
    ck_assert_int_eq(weft_ops_pack(ops, &program, NULL), 0);
    run_program(&program, MANY_HOSTS);
    int64_t received = 0, ended = 0;
    for (uint32_t i = 0; i < program.nops; i++)
    {
        const struct weft_op *op = &program.ops[i];
        received = op->kind == WEFT_OP_RECV && op->ended > received ? op->ended : received;
        ended = op->ended > ended ? op->ended : ended;
    }
    ck_assert_int_eq(received, delivered);
    ck_assert_int_eq(ended, acked);
    ck_assert_uint_eq(program.ncollectives, 1);
    ck_assert_double_eq_tol(program.collectives[0].bus, 2 * 31.0 / 32, 1e-12);
    weft_program_release(&program);
    stage_end();
}
END_TEST

/* Two ranks that send each other large messages before they post the receives: a rendezvous never
 * ends, and without one both do. */
START_TEST(what_a_rendezvous_blocks_is_named)
{
    struct weft_ops *ops = begin();
    for (uint32_t r = 0; r < 2; r++)
    {
        struct weft_op_spec op = talk(WEFT_OP_SEND, r, 1 - r, 5000, 2);
        const uint32_t send = weft_ops_add(ops, &op);
        op = talk(WEFT_OP_RECV, r, 1 - r, 5000, 3);
        weft_ops_require(ops, weft_ops_add(ops, &op), send);
    }
    struct weft_program program;
    ck_assert_int_eq(weft_ops_pack(ops, &program, NULL), 0);
    stage_describe(FOUR_PATHS, "ecmp");
    stage_begin();
    struct weft_collective *work = program_start(stage.run, &program, 4096, 1);
    stage_run();
    struct weft_collective_state state;
    char text[300];
    weft_collective_describe(work, &state);
    ck_assert(!state.done);
    ck_assert_uint_eq(weft_collective_blocked(work, text, sizeof text), 4);
    ck_assert_str_eq(text, "rank 0, line 2, send of 5000 B to rank 1, tag 7: its receiver has not "
                           "answered; rank 1, line 2, send of 5000 B to rank 0, tag 7: its "
                           "receiver has not answered");
    weft_program_release(&program);
    stage_end();
}
END_TEST

Suite *ops_suite(void);

Suite *
ops_suite(void)
{
    Suite *suite = suite_create("ops");
    TCase *tcase = tcase_create("ops");
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, ranks_that_are_not_there_are_refused);
    tcase_add_test(tcase, what_never_meets_is_refused);
    tcase_add_test(tcase, circles_are_refused_with_their_operations);
    tcase_add_test(tcase, dependencies_across_ranks_are_refused);
    tcase_add_test(tcase, an_operation_takes_64_bytes);
    tcase_add_test(tcase, three_ranks_take_what_a_closed_form_says);
    tcase_add_test(tcase, a_collective_of_a_trace_is_the_workload_of_its_algorithm);
    tcase_add_test(tcase, what_a_rendezvous_blocks_is_named);
    suite_add_tcase(suite, tcase);
    return suite;
}
