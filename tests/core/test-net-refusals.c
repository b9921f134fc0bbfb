/* SPDX-License-Identifier: MIT */
/* Fabrics and QPs that cannot work: a user would have one that hangs or lies, without a reason. */
#include <check.h>
#include <string.h>

#include "net-world.h"

#include <weft/error.h>

static int
refusal(struct weft_refusal *why)
{
    const int code = weft_net_make(&world.net, &world.config, why);
    ck_assert_int_eq(code, why->code);
    ck_assert_uint_gt(strlen(why->text), 10);
    world.net = NULL;
    world_end();
    return code;
}

START_TEST(what_cannot_work_is_refused)
{
    struct weft_refusal why = {.code = 0};
    world_describe(&scenes[0]);
    world.config.nlevels = WEFT_LEVELS + 1;
    ck_assert_int_eq(refusal(&why), WEFT_ERANGE);
    world_describe(&scenes[0]);
    world.level.tclass = 2;
    ck_assert_int_eq(refusal(&why), WEFT_ERANGE);
    world_describe(&scenes[1]);
    world.config.frame.ack_priority = WEFT_ACK_IDEAL;
    ck_assert_int_eq(refusal(&why), WEFT_EINVAL);
    ck_assert_str_eq(why.param, "ack-priority");
    world_describe(&scenes[5]);
    world.level.transport = weft_transport_find("nic-sr");
    ck_assert_int_eq(refusal(&why), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(why.text, "the transport nic-sr would take a trimmed packet"));
    world_describe(&scenes[1]);
    world.config.frame.ack_every = 20000;
    ck_assert_int_eq(refusal(&why), WEFT_ERANGE);
    ck_assert_str_eq(why.param, "outstanding");
    world_describe(&scenes[5]);
    world.config.buffer.trim_at = 1000;
    ck_assert_int_eq(refusal(&why), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(why.text, "a switch has a trim-at of 1000 bytes"));
    world_describe(&scenes[0]);
    world.clos.nhosts++;
    ck_assert_int_eq(refusal(&why), WEFT_EINVAL);
    world_describe(&scenes[0]);
    world.config.frame.payload = 0;
    ck_assert_int_eq(refusal(&why), WEFT_ERANGE);
    ck_assert_str_eq(why.param, "payload");
}
END_TEST

START_TEST(a_qp_needs_two_hosts_and_a_level)
{
    struct weft_qp *qp;
    world_begin(&scenes[0]);
    const struct weft_net_qp_site wrong[] = {{.src = 0, .dst = 0},
                                             {.src = HOSTS, .dst = 0},
                                             {.src = 0, .dst = HOSTS},
                                             {.dst = 1, .level = 1}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    {
        ck_assert_int_eq(weft_net_add_qp(world.net, &wrong[i], &qp, NULL), WEFT_EINVAL);
    }
    world_end();
}
END_TEST

Suite *net_refusals_suite(void);

Suite *
net_refusals_suite(void)
{
    Suite *suite = suite_create("net-refusals");
    TCase *tcase = tcase_create("net-refusals");
    tcase_add_test(tcase, what_cannot_work_is_refused);
    tcase_add_test(tcase, a_qp_needs_two_hosts_and_a_level);
    suite_add_tcase(suite, tcase);
    return suite;
}
