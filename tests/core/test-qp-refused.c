/* SPDX-License-Identifier: MIT */
/* Embedders that go on with a QP that was refused would crash somewhere else, or divide by its
 * payload of 0, and would never learn what was wrong. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "refused.h"

static struct weft_nic_algos algos;
static struct weft_qp_site site;
static struct weft_refusal why;
static struct weft_qp qp;
static uint64_t zeros[64];

static void *
defaults(const struct weft_algo *algo)
{
    void *config = calloc(1, algo->config_size + 1);
    ck_assert_int_eq(weft_config_default(algo, config), 0);
    return config;
}

/* A QP that would be made. */
static void
prepare(void)
{
    static struct weft_puller pullers[2];
    algos = (struct weft_nic_algos){.tclass = 1, .pullers = pullers};
    algos.transport = weft_transport_find("nic-sr");
    algos.transport_config = defaults(&algos.transport->algo);
    algos.cc = weft_cc_find("dcqcn");
    algos.cc_config = defaults(&algos.cc->algo);
    ck_assert_int_eq(weft_config_default(&weft_fabric_algo, &algos.frame), 0);
    why = (struct weft_refusal){0};
    site = (struct weft_qp_site){
        .index = 7,
        .dst = 1,
        .transport = {.rate = 100000000000, .base_rtt = 8000000, .frame = 1500},
        .cc = {.line_rate = 100000000000,
               .share = 1,
               .base_rtt = 8000000,
               .links = 2,
               .frame = 1500,
               .why = &why}};
}

static void
use_sender(void)
{
    struct weft_packet packet = {.qp = 7, .kind = WEFT_ACK};
    struct weft_wqe wqes[2];
    struct weft_host host;
    struct weft_qp *active[1];
    int64_t send_at[1];
    weft_host_init(&host, 100000000000, true);
    ck_assert_int_eq(weft_host_lend(&host, active, send_at, 1), 0);
    ck_assert_int_eq(weft_qp_post(&qp, wqes, 10000, 0, 0), WEFT_EINVAL);
    weft_host_activate(&host, &qp);
    ck_assert_int_eq(weft_host_next(&host, 0, 0, 1), WEFT_SEND_NOTHING);
    weft_qp_reply(&qp, &packet, 2);
    ck_assert(!weft_host_resume(&host, &qp, 2) && !weft_qp_ready(&qp));
    packet.kind = WEFT_NACK;
    weft_qp_reply(&qp, &packet, 3);
    packet.kind = WEFT_CNP;
    weft_qp_cnp(&qp, &packet, 4);
    packet.kind = WEFT_DATA;
    weft_qp_told_lost(&qp, &packet, 5);
    ck_assert(weft_qp_deadline(&qp) == WEFT_NEVER);
    ck_assert_int_eq(weft_qp_timer(&qp, WEFT_NEVER), WEFT_TIMER_NOTHING);
    ck_assert_ptr_null(weft_qp_next_acked(&qp));
    ck_assert_ptr_null(weft_qp_next_failed(&qp));
    ck_assert_int_eq(weft_qp_rate(&qp, 6), 1);
    ck_assert_uint_eq(qp.algos->transport->tx_counters(qp.tx)->sent, 0);
    weft_host_drop(&host, &qp);
}

static void
use_receiver(void)
{
    const struct weft_packet data = {.qp = 7, .kind = WEFT_DATA, .bytes = 1500, .flags = WEFT_F_CE};
    struct weft_qp_answer answer;
    memset(&answer, 0xa5, sizeof answer);
    weft_qp_data(&qp, &data, 2, &answer);
    ck_assert_int_eq(answer.verdict.reply, WEFT_REPLY_NONE);
    ck_assert(!answer.cnp && !answer.verdict.fresh && !answer.verdict.duplicate);
    ck_assert(weft_qp_rx_deadline(&qp) == WEFT_NEVER);
    weft_qp_rx_timer(&qp, 3, &answer);
    ck_assert_int_eq(answer.verdict.reply, WEFT_REPLY_NONE);
    ck_assert_ptr_null(weft_qp_next_delivered(&qp, 4));
}

/* A QP is refused with that code and those words, from memory with anything in it, and whatever is
 * done with it afterwards does nothing. */
static void
refuses(int code, const char *says)
{
    const size_t size = weft_qp_size(&algos, &site);
    void *memory = malloc(size + 1);
    memset(memory, 0xa5, size + 1);
    memset(&qp, 0xa5, sizeof qp);
    ck_assert_int_eq(weft_qp_init(&qp, memory, &algos, &site, 0), code);
    if (says)
    {
        ck_assert_str_eq(refused(code, &why), says);
    }
    use_sender();
    use_receiver();
    free(memory);
}

START_TEST(what_is_missing_is_named)
{
    const struct weft_transport_ops *transport = algos.transport;
    const struct weft_cc_ops *cc = algos.cc;
    algos.transport = weft_transport_find("go-back-n");
    refuses(WEFT_EINVAL, "transport is NULL; expected what weft_transport_find() finds");
    algos.transport = transport;
    algos.cc = weft_cc_find("dcqnc");
    refuses(WEFT_EINVAL, "cc is NULL; expected what weft_cc_find() finds, as of \"none\"");
    algos.cc = cc;
    algos.cc_config = NULL;
    refuses(WEFT_EINVAL, "cc_config is NULL; expected what weft_config_default() fills");
    algos.transport_config = NULL;
    refuses(WEFT_EINVAL, "transport_config is NULL; expected what weft_config_default() fills");
}
END_TEST

START_TEST(no_memory_is_no_state)
{
    ck_assert_uint_gt(weft_qp_size(&algos, &site), 0);
    ck_assert_int_eq(weft_qp_init(&qp, NULL, &algos, &site, 0), WEFT_EINVAL);
    ck_assert_str_eq(refused(WEFT_EINVAL, &why),
                     "memory is NULL; expected weft_qp_size() bytes, aligned to 8");
    use_sender();
    use_receiver();
}
END_TEST

START_TEST(frames_and_labels_and_classes_are_told)
{
    algos.frame.payload = 0;
    refuses(WEFT_ERANGE, NULL);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "payload"));
    ck_assert_int_eq(weft_config_default(&weft_fabric_algo, &algos.frame), 0);
    algos.labels = 3;
    refuses(WEFT_EINVAL, "labels is no power of two; expected one, or 0 for none");
    algos.labels = 0;
    algos.tclass = 8;
    refuses(WEFT_EINVAL, "tclass is no traffic class; expected 1 to 7");
    algos.tclass = 1;
    algos.sl = 8;
    refuses(WEFT_EINVAL, "sl is no service level; expected 0 to 7");
    algos.sl = 0;
    site.index = WEFT_QP_MASK + 1;
    refuses(WEFT_EINVAL, "index is beyond WEFT_QP_MASK; expected the QP's number");
    site.index = 7;
    site.src = WEFT_HOST_MASK + 1;
    refuses(WEFT_EINVAL, "src or dst is beyond WEFT_HOST_MASK; expected hosts' numbers");
    site.src = 0;
    site.dst = WEFT_HOST_MASK + 1;
    refuses(WEFT_EINVAL, "src or dst is beyond WEFT_HOST_MASK; expected hosts' numbers");
}
END_TEST

/* Zeros where defaults belong: of each transport and congestion control that does not take them. */
START_TEST(zeros_are_refused_and_do_no_harm)
{
    const char *const kinds[] = {"transport", "congestion-control"};
    int n = 0;
    for (size_t k = 0; k < 2; k++)
    {
        const struct weft_registry *all = weft_registry_find(kinds[k]);
        for (size_t i = 0; i < all->count; i++)
        {
            prepare();
            ck_assert_uint_le(all->algos[i]->config_size, sizeof zeros);
            if (weft_config_check(all->algos[i], zeros, NULL) == 0)
            {
                continue;
            }
            if (k == 0)
            {
                algos.transport = weft_transport_find(all->algos[i]->name);
                algos.transport_config = zeros;
            }
            else
            {
                algos.cc = weft_cc_find(all->algos[i]->name);
                algos.cc_config = zeros;
            }
            refuses(WEFT_ERANGE, NULL);
            n++;
        }
    }
    ck_assert_int_ge(n, 12);
}
END_TEST

START_TEST(a_congestion_control_that_knows_nothing_of_its_host_does_no_harm)
{
    site.cc = (struct weft_cc_site){.why = &why};
    refuses(WEFT_EINVAL, NULL);
}
END_TEST

START_TEST(hosts_of_a_path_part_are_asked_for)
{
    const struct weft_lb_ops *reps = weft_lb_find("reps");
    uint64_t hosts[256];
    algos.path = reps->path;
    algos.path_config = defaults(&reps->algo);
    site.path = (struct weft_path_site){.seed = 1, .run = 1, .qp_bdp = 10, .dst = 1, .why = &why};
    site.path.provides = WEFT_NEEDS_ALL;
    const size_t size = reps->path->host_size(algos.path_config, &site.path);
    ck_assert_uint_le(2 * size, sizeof hosts);
    refuses(WEFT_EINVAL,
            "path_hosts is NULL; expected the states of all hosts, each made by host_init()");
    algos.path_hosts = hosts;
    algos.path_stride = size - 8;
    site.src = 1;
    refuses(WEFT_EINVAL,
            "path_stride is less than host_size(); expected the bytes from host to host");
    algos.path_stride = size;
    ck_assert_int_eq(reps->path->host_init((char *)hosts + size, algos.path_config, &site.path), 0);
    site.path.provides = 0;
    refuses(WEFT_EINVAL, NULL); /* by its path part, once all the rest is made */
}
END_TEST

/* A QP that is all zeros was not even refused. */
START_TEST(a_message_for_a_qp_that_was_never_made_is_refused)
{
    struct weft_wqe wqes[1];
    memset(&qp, 0, sizeof qp);
    ck_assert_int_eq(weft_qp_post(&qp, wqes, 1, 0, 0), WEFT_EINVAL);
}
END_TEST

START_TEST(a_message_needs_room)
{
    void *memory = calloc(1, weft_qp_size(&algos, &site));
    ck_assert_int_eq(weft_qp_init(&qp, memory, &algos, &site, 0), 0);
    ck_assert_int_eq(weft_qp_post(&qp, NULL, 1, 0, 0), WEFT_EINVAL);
    ck_assert_uint_eq(qp.posted, 0);
    free(memory);
}
END_TEST

Suite *qp_refused_suite(void);

Suite *
qp_refused_suite(void)
{
    Suite *s = suite_create("qp-refused");
    TCase *tc = tcase_create("qp-refused");
    tcase_add_checked_fixture(tc, prepare, NULL);
    tcase_add_test(tc, what_is_missing_is_named);
    tcase_add_test(tc, no_memory_is_no_state);
    tcase_add_test(tc, frames_and_labels_and_classes_are_told);
    tcase_add_test(tc, zeros_are_refused_and_do_no_harm);
    tcase_add_test(tc, a_congestion_control_that_knows_nothing_of_its_host_does_no_harm);
    tcase_add_test(tc, hosts_of_a_path_part_are_asked_for);
    tcase_add_test(tc, a_message_for_a_qp_that_was_never_made_is_refused);
    tcase_add_test(tc, a_message_needs_room);
    suite_add_tcase(s, tc);
    return s;
}
