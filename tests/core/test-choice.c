/* SPDX-License-Identifier: MIT */
/* A user who writes an algorithm on a line would get another one, or another value, or would not be
 * told which word is wrong. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "refused.h"

static uint64_t config[64];

static int64_t
count(const struct weft_algo *algo, const char *name)
{
    int64_t value;
    memcpy(&value, (const char *)config + weft_param_find(algo, name)->offset, sizeof value);
    return value;
}

START_TEST(a_line_says_all)
{
    const struct weft_algo *algo =
        weft_choice_find("balancer", "  reps\tring=16  freeze=2us\n", NULL);
    ck_assert_ptr_eq(algo, &weft_lb_find("reps")->algo);
    ck_assert_int_eq(weft_choice_set(algo, "reps ring=16 freeze=2us ring=17", config, NULL), 0);
    ck_assert_int_eq(count(algo, "ring"), 17); /* the last one counts */
    ck_assert_int_eq(count(algo, "freeze"), 2000000);
    ck_assert_int_eq(count(algo, "uses"), 1);
    ck_assert_int_eq(weft_choice_set(algo, "reps", config, NULL), 0);
    ck_assert_int_eq(count(algo, "ring"), 8);
}
END_TEST

START_TEST(what_follows_a_preset_differs_from_it)
{
    const struct weft_algo *algo = weft_choice_find("congestion-control", "dcqcn", NULL);
    ck_assert_int_eq(weft_choice_set(algo, "dcqcn preset=hpcc t-i=7us", config, NULL), 0);
    ck_assert_int_eq(count(algo, "t-i"), 7000000);
    ck_assert_int_eq(weft_choice_set(algo, "dcqcn t-i=7us preset=hpcc", config, NULL), 0);
    ck_assert_int_ne(count(algo, "t-i"), 7000000);
}
END_TEST

START_TEST(a_wrong_word_is_named)
{
    static const struct
    {
        const char *kind;
        const char *line;
        int code;
        const char *says;
    } wrong[] = {
        {"balancer", "", WEFT_ENOTFOUND, "there is no text that names a balancer"},
        {"balancer", "themsi", WEFT_ENOTFOUND, "did you mean 'themis'?"},
        {"nonsense", "reps", WEFT_ENOTFOUND, "no kind of algorithm is called 'nonsense'"},
        {"balancer", "reps rnig=3", WEFT_ENOTFOUND,
         "'reps' has no parameter 'rnig'; did you mean 'ring'?"},
        {"balancer", "reps zzzzzzzz=3", WEFT_ENOTFOUND, "'reps' has no parameter 'zzzzzzzz'"},
        {"balancer", "reps ring", WEFT_EINVAL, "'ring' is not name=value"},
        {"balancer", "reps ring=0", WEFT_ERANGE, "'reps' ring='0'"},
        {"balancer", "reps freeze=3", WEFT_EUNIT, "expected a time"},
        {"balancer", "reps preset=x", WEFT_ENOTFOUND, "'reps' has no preset 'x'"},
        {"balancer", "prime ecn-penalty=3 nack-penalty=1", WEFT_ERANGE,
         "'prime': nack-penalty is less than ecn-penalty"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
    {
        struct weft_refusal why = {0};
        const struct weft_algo *algo = weft_choice_find(wrong[i].kind, wrong[i].line, &why);
        const int code = algo ? weft_choice_set(algo, wrong[i].line, config, &why) : why.code;
        ck_assert_int_eq(code, wrong[i].code);
        ck_assert_msg(strstr(refused(code, &why), wrong[i].says) != NULL, "%s: %s", wrong[i].line,
                      why.text);
    }
}
END_TEST

START_TEST(a_word_without_end_is_cut)
{
    char line[3 * WEFT_CHOICE_WORD] = "reps ring=";
    struct weft_refusal why = {0};
    memset(line + strlen(line), '1', sizeof line - strlen(line) - 1);
    line[sizeof line - 1] = '\0';
    const struct weft_algo *algo = &weft_lb_find("reps")->algo;
    ck_assert_int_eq(weft_choice_set(algo, line, config, &why), WEFT_EINVAL);
    ck_assert_uint_lt(strlen(why.text), sizeof why.text);
    ck_assert_int_eq(weft_choice_set(algo, line, config, NULL), WEFT_EINVAL);
}
END_TEST

Suite *choice_suite(void);

Suite *
choice_suite(void)
{
    Suite *suite = suite_create("choice");
    TCase *tcase = tcase_create("choice");
    tcase_add_test(tcase, a_line_says_all);
    tcase_add_test(tcase, what_follows_a_preset_differs_from_it);
    tcase_add_test(tcase, a_wrong_word_is_named);
    tcase_add_test(tcase, a_word_without_end_is_cut);
    suite_add_tcase(suite, tcase);
    return suite;
}
