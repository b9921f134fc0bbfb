/* SPDX-License-Identifier: MIT */
/* A user would lose a job's hosts to another one, or have jobs that wait for each other's messages.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "refused.h"

Suite *jobs_suite(void);

static const struct weft_hosts hosts = {16, 4, 8, INT64_C(100000000000)};
static const uint32_t left[] = {0, 1, 6, 7}, right[] = {8, 9, 12, 15};
static int64_t configs[3][16];
static struct weft_job jobs[3];
static struct weft_jobs all = {jobs, 2};
static struct weft_traffic_size size;
static struct weft_message messages[256];
static uint32_t next[512];

static void
choose(uint32_t j, const char *kind, const char *bytes, const uint32_t *on, uint32_t n)
{
    const struct weft_workload_ops *ops = weft_workload_find(kind);
    weft_config_default(&ops->algo, configs[j]);
    ck_assert_int_eq(weft_config_set(&ops->algo, configs[j], "bytes", bytes), 0);
    jobs[j] = (struct weft_job){ops, configs[j], on, n};
}

static int
build(void)
{
    const int error = weft_workload_jobs.size(&all, &hosts, &size);
    ck_assert(error || (size.nmessages <= 256 && size.nnext <= 512));
    return error ? error : weft_workload_jobs.fill(&all, &hosts, 1, 0, messages, next);
}

/* An allreduce of 4 ranks, 24 messages, beside an all-to-all of 4, 12 messages. */
START_TEST(jobs_stand_side_by_side)
{
    all.njobs = 2;
    choose(0, "allreduce-ring", "4000B", left, 4);
    choose(1, "alltoall", "8000B", right, 4);
    ck_assert_int_eq(build(), 0);
    ck_assert_uint_eq(size.nmessages, 24 + 12);
    ck_assert_uint_eq(size.nqps, 4 + 12);
    ck_assert_uint_eq(size.ngroups, 2);
    for (uint32_t i = 0; i < 36; i++)
    {
        const struct weft_message *m = &messages[i];
        const uint32_t *on = i < 24 ? left : right;
        ck_assert_uint_eq(m->group, i >= 24);
        ck_assert_uint_eq(m->qp, i < 24 ? i / 6 : 4 + i - 24);
        ck_assert_uint_eq(m->bytes, i < 24 ? 1000 : 2000);
        ck_assert(m->src == on[0] || m->src == on[1] || m->src == on[2] || m->src == on[3]);
        ck_assert(m->dst == on[0] || m->dst == on[1] || m->dst == on[2] || m->dst == on[3]);
        for (uint32_t k = 0; k < m->nnext; k++)
        {
            ck_assert_uint_eq(messages[next[m->first_next + k]].src, m->dst);
        }
    }
}
END_TEST

/* Successors of the second job are its own; the first has successors too. */
START_TEST(a_later_job_waits_for_itself)
{
    all.njobs = 2;
    choose(0, "allreduce-ring", "8000B", right, 4);
    choose(1, "allreduce-ring", "4000B", left, 4);
    ck_assert_int_eq(build(), 0);
    ck_assert_uint_eq(size.nmessages, 24 + 24);
    for (uint32_t i = 24; i < 48; i++)
    {
        for (uint32_t k = 0; k < messages[i].nnext; k++)
        {
            const uint32_t after = next[messages[i].first_next + k];
            ck_assert_uint_ge(after, 24);
            ck_assert_uint_eq(messages[after].src, messages[i].dst);
            ck_assert_uint_eq(messages[after].step, messages[i].step + 1);
        }
    }
}
END_TEST

START_TEST(equal_jobs_draw_different_numbers_and_the_first_its_own)
{
    struct weft_message alone[16];
    choose(0, "permutation", "1KB", NULL, 0);
    choose(1, "permutation", "1KB", NULL, 0);
    all.njobs = 1;
    ck_assert_int_eq(jobs[0].ops->fill(configs[0], &hosts, 1, 0, alone, next), 0);
    ck_assert_int_eq(build(), 0);
    ck_assert_int_eq(memcmp(alone, messages, sizeof alone), 0);
    all.njobs = 2;
    ck_assert_int_eq(build(), 0);
    ck_assert_int_eq(memcmp(alone, messages, sizeof alone), 0);
    uint32_t same = 0;
    for (uint32_t i = 0; i < 16; i++)
    {
        same += messages[i].dst == messages[16 + i].dst;
    }
    ck_assert_uint_lt(same, 16);
}
END_TEST

/* Hosts 0 and 1 are in one pod, 8 and 9 in the other: pods are told by place. */
START_TEST(a_part_of_the_hosts_knows_its_pods)
{
    static const uint32_t both[] = {0, 1, 8, 9};
    all.njobs = 1;
    choose(0, "permutation", "1KB", both, 4);
    weft_config_set(&jobs[0].ops->algo, configs[0], "pattern", "inter-pod");
    ck_assert_int_eq(build(), 0);
    for (uint32_t i = 0; i < 4; i++)
    {
        ck_assert_uint_ne(messages[i].src / 8, messages[i].dst / 8);
    }
    choose(0, "permutation", "1KB", left, 4);
    weft_config_set(&jobs[0].ops->algo, configs[0], "pattern", "inter-pod");
    ck_assert_int_eq(build(), WEFT_ERANGE);
}
END_TEST

START_TEST(hosts_that_are_not_there_are_refused)
{
    static const uint32_t beyond[] = {3, 16}, twice[] = {3, 3};
    all.njobs = 1;
    choose(0, "ring", "1KB", beyond, 2);
    ck_assert_int_eq(build(), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(size_refused(&weft_workload_jobs, &all, &hosts), "not there"));
    choose(0, "ring", "1KB", twice, 2);
    ck_assert_int_eq(build(), WEFT_ERANGE);
    all.njobs = 0;
    ck_assert_int_eq(build(), WEFT_ERANGE);
}
END_TEST

Suite *
jobs_suite(void)
{
    Suite *suite = suite_create("jobs");
    TCase *tcase = tcase_create("jobs");
    tcase_add_test(tcase, jobs_stand_side_by_side);
    tcase_add_test(tcase, a_later_job_waits_for_itself);
    tcase_add_test(tcase, equal_jobs_draw_different_numbers_and_the_first_its_own);
    tcase_add_test(tcase, a_part_of_the_hosts_knows_its_pods);
    tcase_add_test(tcase, hosts_that_are_not_there_are_refused);
    suite_add_tcase(suite, tcase);
    return suite;
}
