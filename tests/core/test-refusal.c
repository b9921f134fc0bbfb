/* SPDX-License-Identifier: MIT */
/* A user would lose the reason why something is refused: which parameter, what was expected. That
 * every init of every kind gives one, test-sites.c and test-inits.c see to. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "host-rig.h"
#include "lb-rig.h"
#include "refused.h"

static const struct weft_algo *
dcqcn(int64_t *config)
{
    const struct weft_algo *algo = &weft_cc_find("dcqcn")->algo;
    ck_assert_uint_le(algo->config_size, 32 * sizeof *config);
    ck_assert_int_eq(weft_config_default(algo, config), 0);
    return algo;
}

START_TEST(a_parameter_out_of_bounds_is_named)
{
    int64_t config[32];
    struct weft_refusal why = {0};
    const struct weft_algo *algo = dcqcn(config);
    ck_assert_int_eq(weft_config_check(algo, config, &why), 0);
    ck_assert_int_eq(why.code, 0);
    config[weft_param_find(algo, "t-i")->offset / 8] = 5;
    ck_assert_int_eq(weft_config_check(algo, config, &why), WEFT_ERANGE);
    ck_assert_str_eq(why.param, "t-i");
    ck_assert_str_eq(refused(WEFT_ERANGE, &why),
                     "t-i is 5ps; expected a time (ps, ns, us, ms or s) from 1us to 10s");
    config[weft_param_find(algo, "model")->offset / 8] = 7;
    ck_assert_int_eq(weft_config_check(algo, config, &why), WEFT_ENOTFOUND);
    ck_assert_str_eq(refused(WEFT_ENOTFOUND, &why),
                     "model has no value; expected one of rnic, paper");
}
END_TEST

START_TEST(a_check_of_several_parameters_speaks)
{
    struct weft_mmu_config config;
    struct weft_refusal why = {0};
    ck_assert_int_eq(weft_config_default(&weft_mmu_algo, &config), 0);
    config.kmin = config.kmax + 1;
    ck_assert_int_eq(weft_config_check(&weft_mmu_algo, &config, &why), WEFT_ERANGE);
    ck_assert_ptr_null(why.param);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "kmin"));
}
END_TEST

START_TEST(a_congestion_control_says_what_it_lacks)
{
    int64_t config[32];
    uint64_t state[64];
    struct weft_refusal why = {0};
    struct weft_cc_site site = {.line_rate = 0, .share = 1, .why = &why};
    const struct weft_cc_ops *cc = weft_cc_find("dcqcn");
    (void)dcqcn(config);
    ck_assert_uint_le(cc->state_size, sizeof state);
    ck_assert_int_eq(cc->init(state, config, &site, 0), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), "line_rate"));
    site.line_rate = 100000000000;
    memset(config, 0, sizeof config);
    ck_assert_int_eq(cc->init(state, config, &site, 0), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "t-i is 0"));
    site.why = NULL; /* nobody asks */
    ck_assert_int_eq(cc->init(state, config, &site, 0), WEFT_ERANGE);
}
END_TEST

/* A ToR that lacks ports is not taken for one that lacks a Clos. */
START_TEST(no_clos_is_told_from_no_ports)
{
    struct weft_clos clos = lb_fat_tree("4");
    struct weft_refusal why = {0};
    struct weft_site site = lb_site_of(&clos, 0, 1);
    const struct weft_lb_ops *lb = weft_lb_find("letflow");
    int64_t config[32];
    ck_assert_int_eq(weft_config_default(&lb->algo, config), 0);
    void *state = calloc(1, lb->state_size(config, &site));
    site.why = &why;
    ck_assert_int_eq(lb->init(state, config, &site), 0);
    site.nports = 0;
    ck_assert_int_eq(lb->init(state, config, &site), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), "no ports"));
    site = lb_site_of(&clos, 0, 1);
    site.why = &why;
    site.tiers = 0;
    site.clos = NULL;
    ck_assert_int_eq(lb->init(state, config, &site), WEFT_ENOTCLOS);
    ck_assert_str_eq(refused(WEFT_ENOTCLOS, &why), "it needs a Clos, and this fabric is none");
    free(state);
}
END_TEST

/* Even those that only draw or hash: a site that nobody filled is no switch. */
START_TEST(no_switch_has_no_ports)
{
    const char *const names[] = {"ecmp", "rsq", "jsq", "ar", "ops", "reps", "plb", "subflow"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
    {
        const struct weft_lb_ops *lb = weft_lb_find(names[i]);
        struct weft_refusal why = {0};
        struct weft_site site = lb_site(1, 4);
        int64_t config[32];
        int64_t state[64];
        ck_assert_int_eq(weft_config_default(&lb->algo, config), 0);
        ck_assert_uint_le(lb->state_size(config, &site), sizeof state);
        ck_assert_int_eq(lb->init(state, config, &site), 0);
        site.nports = 0;
        site.up_ports = 0;
        site.why = &why;
        ck_assert_int_eq(lb->init(state, config, &site), WEFT_EINVAL);
        ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), "no ports"));
    }
}
END_TEST

/* A payload of 0 divided by 0 at the first message; a frame of 100,000 bytes had 34,512. */
START_TEST(a_qp_refuses_frames_that_cannot_be)
{
    const struct weft_fabric_config wrong[] = {
        {.payload = 0, .header = 48, .gap = 20, .ack = 64},
        {.payload = 100000, .header = 48, .gap = 20, .ack = 64},
        {.payload = 1000, .header = -1, .gap = 20, .ack = 64},
        {.payload = 1000, .header = 65000, .gap = 20, .ack = 64},
        {.payload = 1000, .header = 48, .gap = -1, .ack = 64},
        {.payload = 1000, .header = 48, .gap = 20, .ack = 0},
    };
    const char *const named[] = {"payload", "payload", "header", "header", "gap", "ack"};
    host_rig_begin("gbn", NULL);
    struct weft_nic_algos algos = host_rig.algos;
    struct weft_refusal why = {0};
    const struct weft_qp_site site = {.path = {.qp_bdp = 1}, .cc = {.why = &why}};
    void *memory = malloc(weft_qp_size(&algos, &site));
    struct weft_qp qp;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    {
        algos.frame = wrong[i];
        ck_assert_int_eq(weft_qp_init(&qp, memory, &algos, &site, 0), WEFT_ERANGE);
        ck_assert_str_eq(why.param, named[i]);
    }
    algos = host_rig.algos;
    algos.labels = 3;
    ck_assert_int_eq(weft_qp_init(&qp, memory, &algos, &site, 0), WEFT_EINVAL);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_EINVAL, &why), "power of two"));
    free(memory);
    host_rig_end();
}
END_TEST

START_TEST(a_path_selector_without_a_clos_says_so)
{
    uint64_t host[64];
    struct weft_refusal why = {0};
    const struct weft_path_site site = {.seed = 1, .qp_bdp = 1, .why = &why};
    const struct weft_path_ops *path = weft_lb_find("host-dr")->path;
    ck_assert_uint_le(path->host_size(NULL, &site), sizeof host);
    ck_assert_int_eq(path->host_init(host, NULL, &site), WEFT_ENOTCLOS);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ENOTCLOS, &why), "Clos"));
}
END_TEST

START_TEST(a_topology_that_is_too_large_says_so)
{
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    int64_t config[32];
    struct weft_clos clos;
    struct weft_refusal why = {0};
    ck_assert_uint_le(kind->algo.config_size, sizeof config);
    ck_assert_int_eq(weft_config_default(&kind->algo, config), 0);
    ck_assert_int_eq(weft_config_set_int(&kind->algo, config, "leaves", 4000), 0);
    ck_assert_int_eq(weft_config_set_int(&kind->algo, config, "hosts-per-leaf", 4000), 0);
    ck_assert_int_eq(kind->build(config, &clos), WEFT_EOVERFLOW);
    ck_assert_int_lt(weft_config_check(&kind->algo, config, &why), 0);
    ck_assert_ptr_nonnull(strstr(refused(why.code, &why), "too large"));
}
END_TEST

START_TEST(a_buffer_that_is_all_headroom_says_so)
{
    struct weft_mmu_config config;
    struct weft_refusal why = {0};
    ck_assert_int_eq(weft_config_default(&weft_mmu_algo, &config), 0);
    config.pfc = 1;
    config.headroom = weft_mmu_total(&config, 8);
    ck_assert_int_eq(weft_mmu_check(&config, 8, &why), WEFT_ERANGE);
    ck_assert_str_eq(why.param, "headroom");
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "headroom"));
    ck_assert_int_eq(weft_mmu_check(&config, 0, &why), WEFT_EOVERFLOW);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_EOVERFLOW, &why), "no ports"));
}
END_TEST

/* Callers without a reason, or with that of another failure, have a sentence to show. */
START_TEST(there_is_always_a_sentence)
{
    struct weft_refusal why = {0};
    char longest[2 * WEFT_REFUSAL_BYTES];
    ck_assert_str_eq(weft_refusal_text(WEFT_ERANGE, NULL), weft_strerror(WEFT_ERANGE));
    ck_assert_int_eq(weft_refuse(&why, WEFT_EINVAL, NULL, "of another failure"), WEFT_EINVAL);
    ck_assert_str_eq(weft_refusal_text(WEFT_ERANGE, &why), weft_strerror(WEFT_ERANGE));
    ck_assert_str_eq(weft_refusal_text(WEFT_EINVAL, &why), "of another failure");
    ck_assert_str_eq(weft_refusal_text(0, &why), "success");
    ck_assert_int_eq(weft_refuse(NULL, WEFT_EINVAL, NULL, "to nobody"), WEFT_EINVAL);
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    weft_refuse(&why, WEFT_EINVAL, NULL, longest);
    ck_assert_uint_eq(strlen(why.text), WEFT_REFUSAL_BYTES - 1);
}
END_TEST

Suite *refusal_suite(void);

Suite *
refusal_suite(void)
{
    Suite *suite = suite_create("refusal");
    TCase *tcase = tcase_create("refusal");
    tcase_add_test(tcase, a_parameter_out_of_bounds_is_named);
    tcase_add_test(tcase, a_check_of_several_parameters_speaks);
    tcase_add_test(tcase, a_congestion_control_says_what_it_lacks);
    tcase_add_test(tcase, no_clos_is_told_from_no_ports);
    tcase_add_test(tcase, no_switch_has_no_ports);
    tcase_add_test(tcase, a_qp_refuses_frames_that_cannot_be);
    tcase_add_test(tcase, a_path_selector_without_a_clos_says_so);
    tcase_add_test(tcase, a_topology_that_is_too_large_says_so);
    tcase_add_test(tcase, a_buffer_that_is_all_headroom_says_so);
    tcase_add_test(tcase, there_is_always_a_sentence);
    suite_add_tcase(suite, tcase);
    return suite;
}
