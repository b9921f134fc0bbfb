/* SPDX-License-Identifier: MIT */
/* A user would simulate another fabric than the one that was asked for. */
#include <check.h>

#include <weft/weft.h>

Suite *tapered_suite(void);

START_TEST(the_taper_says_how_many_spines)
{
    const struct weft_topology_ops *ops = weft_topology_find("tapered");
    struct weft_clos clos;
    uint64_t config[8];
    weft_config_default(&ops->algo, config);
    weft_config_set(&ops->algo, config, "taper", "4");
    ck_assert_int_eq(ops->build(config, &clos), 0);
    ck_assert_int_eq(weft_clos_check(&clos), 0);
    ck_assert_uint_eq(clos.nhosts, 128);
    ck_assert_uint_eq(clos.npaths, 4);
    weft_config_set(&ops->algo, config, "taper", "3");
    ck_assert_int_eq(ops->build(config, &clos), WEFT_ERANGE);
}
END_TEST

Suite *
tapered_suite(void)
{
    Suite *suite = suite_create("tapered");
    TCase *tcase = tcase_create("tapered");
    tcase_add_test(tcase, the_taper_says_how_many_spines);
    suite_add_tcase(suite, tcase);
    return suite;
}
