/* SPDX-License-Identifier: GPL-2.0-only */
/* A user would get a completion time of messages that never arrived, from a transport of their own
 * that is wrong: the run must end with an error that names them. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/transport.h>

#include "scenario-load.h"
#include "simulate.h"
#include "sweep-plan.h"

static const char text[] =
    "<scenario name=\"t\">\n"
    "<topology kind=\"leaf-spine\" leaves=\"2\" spines=\"2\" hosts-per-leaf=\"2\"/>\n"
    "<fabric ack-every=\"4\"/>\n"
    "<transport name=\"trim\"/>\n"
    "<balancer name=\"ecmp\"/>\n"
    "<workload kind=\"ring\" bytes=\"200KB\"/>\n"
    "<drop qp=\"3\" packets=\"20\"/>\n"
    "<limit time=\"10ms\"/>\n"
    "</scenario>\n";

/* Says of packets beyond the ePSN that all have arrived. */
static uint64_t
all_of_them(const void *rx, uint32_t place)
{
    (void)rx;
    (void)place;
    return UINT64_MAX;
}

START_TEST(a_run_without_its_messages_is_an_error)
{
    const struct plan_options none = {0};
    struct diagnostics d = {.file = "t.xml"};
    struct document *doc = document_parse("t.xml", text, strlen(text), &d);
    ck_assert_ptr_nonnull(doc);
    struct plan *plan = plan_build(doc, &none, &d);
    ck_assert_ptr_nonnull(plan);
    struct scenario *s = plan_load(plan, 0, &d);
    diag_print(&d, stderr);
    ck_assert_ptr_nonnull(s);
    struct weft_transport_ops lying = *weft_transport_find("trim");
    lying.rx_bitmap = all_of_them;
    s->transport.algo = &lying.algo;

    struct run_results results;
    char why[900];
    ck_assert_int_eq(simulate(s, 1, &results, NULL, NULL, why, sizeof why), SIMULATED_NOT);
    ck_assert_str_eq(why, "conservation is violated: 1 message is acknowledged and not delivered: "
                          "message 3 of QP 3 (host 3 to host 0). ");
    scenario_free(s);
    plan_free(plan);
    document_free(doc);
    diag_free(&d);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("lying-transport");
    TCase *tcase = tcase_create("lying-transport");
    tcase_add_test(tcase, a_run_without_its_messages_is_an_error);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
