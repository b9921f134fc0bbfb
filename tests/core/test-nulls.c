/* SPDX-License-Identifier: MIT */
/* Embedders that hand on a name that the user never gave, or what a look-up did not find, would
 * crash instead of being told. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "refused.h"

static const struct weft_algo *reps;
static uint64_t config[32];

static void
prepare(void)
{
    reps = weft_find("balancer", "reps");
    ck_assert_ptr_nonnull(reps);
    ck_assert_uint_le(reps->config_size, sizeof config);
    ck_assert_int_eq(weft_config_default(reps, config), 0);
}

START_TEST(no_name_is_found_nowhere)
{
    ck_assert_ptr_null(weft_topology_find(NULL));
    ck_assert_ptr_null(weft_lb_find(NULL));
    ck_assert_ptr_null(weft_transport_find(NULL));
    ck_assert_ptr_null(weft_cc_find(NULL));
    ck_assert_ptr_null(weft_scheduler_find(NULL));
    ck_assert_ptr_null(weft_workload_find(NULL));
    ck_assert_ptr_null(weft_registry_find(NULL));
    ck_assert_ptr_null(weft_find(NULL, "reps"));
    ck_assert_ptr_null(weft_find("balancer", NULL));
    ck_assert_ptr_null(weft_nearest(weft_registry_find("balancer"), NULL));
    ck_assert_ptr_null(weft_nearest(weft_registry_find("balancr"), "reps"));
    ck_assert_ptr_null(weft_param_find(reps, NULL));
    ck_assert_ptr_null(weft_param_find(NULL, "ring"));
    ck_assert_uint_eq(weft_name_distance("reps", NULL), 255);
    ck_assert_uint_eq(weft_name_distance(NULL, NULL), 255);
}
END_TEST

/* A parameter that is not found is WEFT_ENOTFOUND, also where the algorithm was not; where there is
 * nothing to read from or to write into it is WEFT_EINVAL. */
START_TEST(a_configuration_is_left_as_it_is)
{
    uint64_t before[32];
    prepare();
    memcpy(before, config, sizeof config);
    ck_assert_int_eq(weft_config_set(reps, config, NULL, "8"), WEFT_ENOTFOUND);
    ck_assert_int_eq(weft_config_set(NULL, config, "ring", "8"), WEFT_ENOTFOUND);
    ck_assert_int_eq(weft_config_set(reps, config, "ring", NULL), WEFT_EINVAL);
    ck_assert_int_eq(weft_config_set(reps, NULL, "ring", "8"), WEFT_EINVAL);
    ck_assert_int_eq(weft_config_set_int(reps, config, NULL, 8), WEFT_ENOTFOUND);
    ck_assert_int_eq(weft_config_set_int(NULL, config, "ring", 8), WEFT_ENOTFOUND);
    ck_assert_int_eq(weft_config_set_int(reps, NULL, "ring", 8), WEFT_EINVAL);
    ck_assert_int_eq(weft_config_set_real(reps, config, NULL, 8), WEFT_ENOTFOUND);
    ck_assert_int_eq(weft_config_set_bool(reps, config, NULL, true), WEFT_ENOTFOUND);
    ck_assert_int_eq(weft_config_get_int(reps, config, NULL, 77), 77);
    ck_assert_int_eq(weft_config_get_int(NULL, config, "ring", 77), 77);
    ck_assert_int_eq(weft_config_get_int(reps, NULL, "ring", 77), 77);
    ck_assert_int_eq(weft_config_preset(reps, config, NULL), WEFT_ENOTFOUND);
    ck_assert_int_eq(weft_config_preset(NULL, config, "hpcc"), WEFT_ENOTFOUND);
    ck_assert_int_eq(weft_config_default(NULL, config), WEFT_EINVAL);
    ck_assert_int_eq(weft_config_default(reps, NULL), WEFT_EINVAL);
    ck_assert_mem_eq(before, config, sizeof config);
}
END_TEST

START_TEST(a_parameter_is_not_guessed)
{
    char text[64];
    prepare();
    const struct weft_param *ring = weft_param_find(reps, "ring");
    const struct weft_param real = {.name = "share", .type = WEFT_REAL};
    ck_assert_ptr_nonnull(ring);
    ck_assert_int_eq(weft_param_parse(NULL, "8", config), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_parse(ring, NULL, config), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_parse(ring, "8", NULL), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_parse(&real, NULL, config), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_set_int(NULL, 8, config), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_set_int(ring, 8, NULL), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_set_real(NULL, 8, config), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_set_real(&real, 8, NULL), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_check(NULL, config), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_check(ring, NULL), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_format(NULL, config, text, sizeof text), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_format(ring, NULL, text, sizeof text), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_format(ring, config, NULL, 8), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_expected(NULL, text, sizeof text), WEFT_EINVAL);
    ck_assert_int_eq(weft_param_expected(ring, NULL, 8), WEFT_EINVAL);
}
END_TEST

/* The words that a caller shows say what there is not. */
START_TEST(a_line_that_is_missing_is_named)
{
    struct weft_refusal why = {0};
    prepare();
    ck_assert_ptr_null(weft_choice_find("balancer", NULL, &why));
    ck_assert_str_eq(refused(WEFT_ENOTFOUND, &why), "there is no text that names a balancer");
    ck_assert_ptr_null(weft_choice_find("balancer", " ", &why));
    ck_assert_str_eq(refused(WEFT_ENOTFOUND, &why), "there is no text that names a balancer");
    ck_assert_ptr_null(weft_choice_find(NULL, "reps", &why));
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ENOTFOUND, &why), "no kind of algorithm is called"));
    ck_assert_ptr_null(weft_choice_find("cc", "dcqcn", &why));
    ck_assert_str_eq(refused(WEFT_ENOTFOUND, &why),
                     "no kind of algorithm is called 'cc'; expected topology, fabric, switch, "
                     "scheduler, balancer, transport, congestion-control or workload");
    ck_assert_ptr_null(weft_choice_find(NULL, NULL, NULL));
    ck_assert_int_eq(weft_choice_set(NULL, "reps", config, &why), WEFT_EINVAL);
    (void)refused(WEFT_EINVAL, &why);
    ck_assert_int_eq(weft_choice_set(reps, NULL, config, &why), WEFT_EINVAL);
    (void)refused(WEFT_EINVAL, &why);
    ck_assert_int_eq(weft_choice_set(reps, "reps", NULL, &why), WEFT_EINVAL);
    (void)refused(WEFT_EINVAL, &why);
    ck_assert_int_eq(weft_choice_set(reps, "reps rin=4", config, NULL), WEFT_ENOTFOUND);
    ck_assert_int_eq(weft_config_check(NULL, config, &why), WEFT_EINVAL);
    (void)refused(WEFT_EINVAL, &why);
    ck_assert_int_eq(weft_config_check(reps, NULL, &why), WEFT_EINVAL);
    (void)refused(WEFT_EINVAL, &why);
    ck_assert_int_eq(weft_config_check(NULL, NULL, NULL), WEFT_EINVAL);
    ck_assert_int_eq(weft_refuse(&why, WEFT_ENOPATH, NULL, NULL), WEFT_ENOPATH);
    ck_assert_str_eq(refused(WEFT_ENOPATH, &why), weft_strerror(WEFT_ENOPATH));
}
END_TEST

/* An algorithm without parameters needs no configuration, so none is asked for. */
START_TEST(what_has_no_parameters_needs_no_configuration)
{
    const struct weft_algo *none = weft_find("congestion-control", "none");
    ck_assert_ptr_nonnull(none);
    ck_assert_uint_eq(none->config_size, 0);
    ck_assert_int_eq(weft_config_default(none, NULL), 0);
    ck_assert_int_eq(weft_config_check(none, NULL, NULL), 0);
    ck_assert_int_eq(weft_choice_set(none, "none", NULL, NULL), 0);
}
END_TEST

Suite *nulls_suite(void);

Suite *
nulls_suite(void)
{
    Suite *s = suite_create("nulls");
    TCase *tc = tcase_create("names");
    tcase_add_checked_fixture(tc, prepare, NULL);
    tcase_add_test(tc, no_name_is_found_nowhere);
    tcase_add_test(tc, a_configuration_is_left_as_it_is);
    tcase_add_test(tc, a_parameter_is_not_guessed);
    tcase_add_test(tc, a_line_that_is_missing_is_named);
    tcase_add_test(tc, what_has_no_parameters_needs_no_configuration);
    suite_add_tcase(s, tc);
    return s;
}
