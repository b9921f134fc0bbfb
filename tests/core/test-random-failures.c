/* SPDX-License-Identifier: MIT */
/* A user would study another failure rate than the one set, or compare schemes on other links. */
#include <check.h>
#include <stdlib.h>

#include <weft/weft.h>

#include "must.h"

static struct weft_clos
fat_tree(const char *k, const char *tiers)
{
    const struct weft_topology_ops *ops = weft_topology_find("fat-tree");
    int64_t config[32];
    struct weft_clos clos;
    ck_assert_uint_le(ops->algo.config_size, sizeof config);
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    ck_assert_int_eq(weft_config_set(&ops->algo, config, "k", k), 0);
    ck_assert_int_eq(weft_config_set(&ops->algo, config, "tiers", tiers), 0);
    ck_assert_int_eq(ops->build(config, &clos), 0);
    return clos;
}

/* The drawn links; *n of them. */
static uint64_t *
draw(const struct weft_clos *clos, double edge, double core, uint64_t seed, size_t *n)
{
    *n = weft_random_failures(clos, edge, core, seed, 0, NULL);
    uint64_t *dead = malloc(*n * sizeof *dead + 1);
    MUST(dead);
    MUST(weft_random_failures(clos, edge, core, seed, 0, dead) == *n);
    return dead;
}

static unsigned
lower_tier(const struct weft_clos *clos, uint64_t link)
{
    struct weft_link l;
    struct weft_switch_map map;
    weft_clos_link(clos, link, &l);
    MUST(!l.lower.is_host && !l.upper.is_host);
    weft_clos_switch(clos, l.lower.index, &map);
    return map.tier;
}

/* Fig. 5 would mix the rate's effect with that of other links if each rate drew anew. */
START_TEST(a_higher_probability_only_adds_links)
{
    static const double rates[] = {0, 0.001, 0.01, 0.02, 0.3, 1};
    const struct weft_clos clos = fat_tree("8", "3");
    for (uint64_t seed = 1; seed <= 20; seed++)
    {
        for (size_t r = 1; r < sizeof rates / sizeof *rates; r++)
        {
            size_t nless, nmore, found = 0;
            uint64_t *less = draw(&clos, rates[r - 1], rates[r - 1], seed, &nless);
            uint64_t *more = draw(&clos, rates[r], rates[r], seed, &nmore);
            for (size_t i = 0; i < nmore && found < nless; i++)
            {
                MUST(i == 0 || more[i - 1] < more[i]);
                found += more[i] == less[found];
            }
            ck_assert_uint_eq(found, nless);
            free(less);
            free(more);
        }
    }
}
END_TEST

/* Within five standard deviations of a binomial distribution, over 200 seeds, tier by tier. */
START_TEST(each_tier_fails_at_its_own_rate)
{
    const struct weft_clos clos = fat_tree("8", "3");
    const double links = 200.0 * clos.ntors * clos.up_tor;
    const double rates[2] = {0.01, 0.05};
    double count[2] = {0, 0};
    for (uint64_t seed = 0; seed < 200; seed++)
    {
        size_t n;
        uint64_t *dead = draw(&clos, rates[0], rates[1], seed, &n);
        for (size_t i = 0; i < n; i++)
        {
            count[lower_tier(&clos, dead[i])]++;
        }
        free(dead);
    }
    ck_assert_uint_eq(clos.naggs * clos.up_agg, clos.ntors * clos.up_tor);
    for (int tier = 0; tier < 2; tier++)
    {
        const double off = count[tier] - links * rates[tier];
        ck_assert(off * off < 25 * links * rates[tier] * (1 - rates[tier]));
    }
}
END_TEST

/* Hosts have one link each: a dead one is another study. */
START_TEST(all_links_fail_at_one_and_none_at_zero_but_no_host_link)
{
    static const char *const tiers[] = {"2", "3"};
    for (int i = 0; i < 2; i++)
    {
        const struct weft_clos clos = fat_tree("4", tiers[i]);
        size_t n;
        uint64_t *dead = draw(&clos, 1, 1, 7, &n);
        ck_assert_uint_eq(n, clos.nlinks - clos.nhosts);
        for (size_t k = 0; k < n; k++)
        {
            ck_assert_uint_eq(dead[k], clos.nhosts + k);
        }
        free(dead);
        ck_assert_uint_eq(weft_random_failures(&clos, 0, 0, 7, 0, NULL), 0);
        ck_assert_uint_eq(weft_random_failures(&clos, 1, 0, 7, 0, NULL),
                          clos.ntors * (size_t)clos.up_tor);
    }
}
END_TEST

/* Repetitions would be one and the same. */
START_TEST(seeds_and_runs_draw_other_links)
{
    const struct weft_clos clos = fat_tree("8", "3");
    uint64_t a[512], b[512], c[512];
    const size_t n = weft_random_failures(&clos, 0.5, 0.5, 1, 0, a);
    const size_t other_seed = weft_random_failures(&clos, 0.5, 0.5, 2, 0, b);
    const size_t other_run = weft_random_failures(&clos, 0.5, 0.5, 1, 1, c);
    size_t same_b = 0, same_c = 0;
    for (size_t i = 0; i < n; i++)
    {
        same_b += i < other_seed && a[i] == b[i];
        same_c += i < other_run && a[i] == c[i];
    }
    ck_assert_uint_lt(same_b, n / 2);
    ck_assert_uint_lt(same_c, n / 2);
}
END_TEST

/* Fewer links are some of more links, in order, none twice; at a probability between two draws just
 * those fail. */
START_TEST(a_number_of_links_is_drawn_as_a_probability_draws_them)
{
    const struct weft_clos clos = fat_tree("8", "3");
    const size_t all = (size_t)(clos.nlinks - clos.nhosts);
    struct weft_drawn_link links[512], few[512];
    ck_assert_uint_le(all, 512);
    ck_assert_uint_eq(weft_random_links(&clos, 512, 3, 4, links), all);
    ck_assert_uint_eq(weft_random_links(&clos, 0, 3, 4, few), 0);
    for (size_t n = 1; n < all; n += 5)
    {
        uint64_t dead[512];
        bool fails[1024] = {false};
        MUST(weft_random_links(&clos, n, 3, 4, few) == n);
        const double p = (links[n - 1].draw + links[n].draw) / 2;
        MUST(weft_random_failures(&clos, p, p, 3, 4, dead) == n);
        for (size_t i = 0; i < n; i++)
        {
            MUST(few[i].link == links[i].link && (i == 0 || few[i - 1].draw <= few[i].draw));
            fails[few[i].link] = true;
        }
        for (size_t i = 0; i < n; i++)
        {
            MUST(fails[dead[i]]);
        }
    }
}
END_TEST

Suite *
random_failures_suite(void)
{
    Suite *suite = suite_create("random-failures");
    TCase *tcase = tcase_create("random-failures");
    tcase_add_test(tcase, a_higher_probability_only_adds_links);
    tcase_add_test(tcase, each_tier_fails_at_its_own_rate);
    tcase_add_test(tcase, all_links_fail_at_one_and_none_at_zero_but_no_host_link);
    tcase_add_test(tcase, seeds_and_runs_draw_other_links);
    tcase_add_test(tcase, a_number_of_links_is_drawn_as_a_probability_draws_them);
    suite_add_tcase(suite, tcase);
    return suite;
}
