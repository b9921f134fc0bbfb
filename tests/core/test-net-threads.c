/* SPDX-License-Identifier: MIT */
/* A fabric that several threads run: QPs that hosts make as they are run, parts of a balancer at
 * hosts and at ToRs, and a process that is forked. */
#include <check.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "net-parts.h"
#include "net-world.h"

#include <weft/error.h>

#define EACH 3U /* QPs that a host makes */

/* Makes a QP of a host, with a reserved index. */
static int
make(uint32_t index, uint32_t src, struct weft_qp **qp)
{
    struct weft_refusal why;
    const struct weft_net_qp_site site = {.src = src,
                                          .dst = (src + 1 + index % EACH) % HOSTS,
                                          .stream = index,
                                          .reserved = true,
                                          .index = index};
    return weft_net_add_qp(world.net, &site, qp, &why);
}

/* A host makes a QP and posts a message on it. */
static void
make_and_post(void *of, uint64_t what, int64_t now)
{
    const uint32_t *first = of;
    const uint32_t index = (uint32_t)what;
    struct weft_qp *qp;
    ck_assert_int_eq(make(index, (index - *first) / EACH, &qp), 0);
    ck_assert_ptr_eq(weft_net_qp(world.net, index), qp);
    weft_net_post(world.net, qp, 40000, index, now, index);
}

static struct result
run_with_late_qps(const struct scene *scene, uint32_t threads)
{
    uint32_t first;
    world.threads = threads;
    world_begin(scene);
    ck_assert_int_eq(weft_net_reserve_qps(world.net, EACH * HOSTS, &first), 0);
    ck_assert_uint_eq(weft_net_nqps(world.net), first + EACH * HOSTS);
    for (uint32_t i = 0; i < EACH * HOSTS; i++)
    {
        ck_assert_ptr_null(weft_net_qp(world.net, first + i));
        weft_net_call(world.net, i / EACH, INT64_C(1000000) * ((i * 7) % 50), WEFT_NET_CALL, i,
                      make_and_post, &first, first + i);
        world.messages++;
    }
    weft_net_run(world.net, LONG);
    const struct result r = world_conclude();
    world_end();
    world.threads = 0;
    return r;
}

START_TEST(hosts_make_qps_on_any_number_of_threads)
{
    const struct result one = run_with_late_qps(&scenes[_i], 1);
    ck_assert_uint_eq(world.delivered, world.messages);
    for (uint32_t n = 2; n <= 4; n++)
    {
        const struct result several = run_with_late_qps(&scenes[_i], n);
        ck_assert_mem_eq(&one, &several, sizeof one);
        ck_assert_uint_eq(world.delivered, world.messages);
    }
}
END_TEST

/* Thousands of QPs, whose states take several of the pieces in which a worker takes memory. */
static struct result
run_with_many_qps(uint32_t threads)
{
    world.threads = threads;
    world_begin(&scenes[0]);
    const size_t taken = parts_taken();
    for (uint32_t i = 0; i < 4000; i++)
    {
        world_post(i % HOSTS, (i + 1 + i / HOSTS % (HOSTS - 1)) % HOSTS, 100, i * INT64_C(1000000));
    }
    ck_assert(threads == 1 || parts_taken() > taken + 1);
    weft_net_run(world.net, 2 * LONG);
    const struct result r = world_conclude();
    world_end();
    world.threads = 0;
    return r;
}

START_TEST(workers_take_no_more_memory_than_they_are_given)
{
    const struct result one = run_with_many_qps(1);
    ck_assert_uint_eq(world.delivered, world.messages);
    const struct result two = run_with_many_qps(2);
    ck_assert_mem_eq(&one, &two, sizeof one);
}
END_TEST

/* Asks for what would meet what other threads do at the same time. */
static void
ask_too_much(void *of, uint64_t what, int64_t now)
{
    const struct weft_net_qp_site site = {.src = 4, .dst = 5, .stream = 999};
    const uint32_t first = *(const uint32_t *)of;
    uint32_t more;
    struct weft_qp *qp;
    struct weft_refusal why;
    (void)what;
    (void)now;
    ck_assert_int_eq(weft_net_add_qp(world.net, &site, &qp, &why), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(why.text, "several threads run the fabric"));
    ck_assert_int_eq(make(first, 6, &qp), WEFT_EINVAL);
    ck_assert_int_eq(weft_net_reserve_qps(world.net, 1, &more), WEFT_EINVAL);
    ck_assert_int_eq(make(first, 4, &qp), world.level.lb->tor ? WEFT_EINVAL : 0);
}

START_TEST(a_thread_makes_nothing_that_others_share)
{
    uint32_t first;
    world.threads = 2;
    world_begin(&scenes[_i]);
    ck_assert_int_eq(weft_net_reserve_qps(world.net, 1, &first), 0);
    weft_net_call(world.net, 4, 1000000, WEFT_NET_CALL, 0, ask_too_much, &first, 0);
    weft_net_run(world.net, LONG);
    ck_assert(!weft_net_qp(world.net, first) == (world.level.lb->tor != NULL));
    world_end();
    world.threads = 0;
}
END_TEST

START_TEST(an_index_is_reserved_before_it_is_used)
{
    uint32_t first;
    struct weft_qp *qp;
    world_begin(&scenes[0]);
    const uint32_t made = weft_net_nqps(world.net);
    ck_assert_int_eq(make(made, 0, &qp), WEFT_EINVAL);
    ck_assert_int_eq(make(0, 0, &qp), WEFT_EINVAL);
    ck_assert_int_eq(weft_net_reserve_qps(world.net, WEFT_QP_MASK + 1, &first), WEFT_EOVERFLOW);
    ck_assert_int_eq(weft_net_reserve_qps(world.net, 2, &first), 0);
    ck_assert_uint_eq(first, made);
    ck_assert_int_eq(make(made + 1, 0, &qp), 0);
    ck_assert_uint_eq(qp->index, made + 1);
    ck_assert_int_eq(make(made + 1, 0, &qp), WEFT_EINVAL);
    world_end();
}
END_TEST

/* A path part whose replies hang on what its host has sent before. */
struct counting_host
{
    uint32_t host;
    uint32_t replies;
};

static size_t
host_bytes(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct counting_host);
}

static int
begin_host(void *host, const void *config, const struct weft_path_site *site)
{
    (void)config;
    *(struct counting_host *)host = (struct counting_host){.host = site->host};
    return 0;
}

static size_t
no_bytes(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return 0;
}

static int
begin_qp(void *qp, void *host, const void *config, const struct weft_path_site *site,
         uint32_t qp_index)
{
    (void)qp;
    (void)host;
    (void)config;
    (void)site;
    (void)qp_index;
    return 0;
}

static void
see_data(void *qp, struct weft_packet *data, int64_t now)
{
    (void)qp;
    (void)data;
    (void)now;
}

static void
count_reply(void *host, struct weft_packet *reply)
{
    struct counting_host *h = host;
    struct weft_net_teller teller;
    ck_assert(weft_net_is_telling(world.net, &teller));
    ck_assert_uint_eq(teller.node, h->host); /* and not a ToR, on another thread */
    reply->sport = (uint16_t)(1024 + h->replies++ % 64);
}

static const struct weft_path_ops counting = {
    .host_size = host_bytes,
    .host_init = begin_host,
    .qp_size = no_bytes,
    .qp_init = begin_qp,
    .data = see_data,
    .reply = count_reply,
};

/* Themis makes NACKs at ToRs. */
static struct result
run_with_both_parts(uint32_t threads, bool watched)
{
    static const char *const literal[] = {"compensation", "literal", NULL};
    struct weft_lb_ops both = *weft_lb_find("themis");
    both.path = &counting;
    world.threads = threads;
    world_begin_with(&scenes[1], &both, literal);
    for (uint32_t i = 0; i < weft_net_nqps(world.net); i++)
    {
        weft_net_drop(world.net, weft_net_qp(world.net, i), 20 + 7 * i, 2, false);
    }
    if (watched)
    {
        world_run_watched(LONG / 4);
    }
    else
    {
        weft_net_run(world.net, LONG / 4);
    }
    const struct result r = world_conclude();
    world_end();
    world.threads = 0;
    return r;
}

START_TEST(parts_at_tors_and_at_hosts_share_nothing)
{
    const struct result one = run_with_both_parts(1, false);
    ck_assert_uint_gt(one.total.made_by_tors, 0);
    for (uint32_t n = 1; n <= 3; n++)
    {
        const struct result plain = run_with_both_parts(n, false);
        const struct result watched = run_with_both_parts(n, true);
        ck_assert_mem_eq(&one, &plain, sizeof one);
        ck_assert_mem_eq(&one, &watched, sizeof one);
    }
}
END_TEST

START_TEST(a_forked_process_goes_on_with_one_thread)
{
    world.threads = 3;
    world_begin(&scenes[1]);
    weft_net_run(world.net, 8000000);
    const pid_t child = fork();
    ck_assert_int_ge(child, 0);
    weft_net_run(world.net, LONG);
    const bool all = world.delivered == world.messages;
    weft_net_stop_threads(world.net);
    if (child == 0)
    {
        _exit(all ? 7 : 8);
    }
    int status;
    ck_assert(all);
    ck_assert_int_eq(waitpid(child, &status, 0), child);
    ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    world_end();
    world.threads = 0;
}
END_TEST

Suite *net_threads_suite(void);

Suite *
net_threads_suite(void)
{
    Suite *suite = suite_create("net-threads");
    TCase *tcase = tcase_create("net-threads");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, hosts_make_qps_on_any_number_of_threads, 0, 1);
    tcase_add_loop_test(tcase, a_thread_makes_nothing_that_others_share, 0, 2);
    tcase_add_test(tcase, an_index_is_reserved_before_it_is_used);
    tcase_add_test(tcase, workers_take_no_more_memory_than_they_are_given);
    tcase_add_test(tcase, parts_at_tors_and_at_hosts_share_nothing);
    tcase_add_test(tcase, a_forked_process_goes_on_with_one_thread);
    suite_add_tcase(suite, tcase);
    return suite;
}
