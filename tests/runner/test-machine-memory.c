/* SPDX-License-Identifier: GPL-2.0-only */
/* A sweep must use the memory that there is: else it refuses to run beside a full page cache, or is
 * killed by the limit of a control group above its own. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "machine-memory.h"

static char root[] = "/tmp/weft-groups-XXXXXX";

/** Makes a file below the root. */
static void
put(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    FILE *f = fopen(path, "w");
    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    ck_assert_int_eq(fclose(f), 0);
}

static void
make(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", root, name);
    ck_assert_int_eq(mkdir(path, 0777), 0);
}

/** Returns what is left to a process of that group. */
static double
left(const char *group)
{
    char list[256];
    put("list", group);
    snprintf(list, sizeof list, "%s/list", root);
    return left_in_control_groups(list, root);
}

static void
set_up(void)
{
    ck_assert_ptr_nonnull(mkdtemp(root));
    make("job");
    make("job/step");
    make("memory");
    make("memory/job");
}

static void
clean_up(void)
{
    char command[256];
    snprintf(command, sizeof command, "rm -r %s", root);
    ck_assert_int_eq(system(command), 0);
    snprintf(root, sizeof root, "/tmp/weft-groups-XXXXXX");
}

START_TEST(page_cache_is_free)
{
    put("job/memory.max", "1000\n");
    put("job/memory.current", "900\n");
    ck_assert(left("0::/job\n") == 100);
    put("job/memory.stat", "anon 200\ninactive_file 600\nactive_file 100\n");
    ck_assert(left("0::/job\n") == 700);
    put("memory/job/memory.limit_in_bytes", "2000\n");
    put("memory/job/memory.usage_in_bytes", "1500\n");
    put("memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 50\n");
    ck_assert(left("7:cpu:/\n4:memory:/job\n0::/\n") == 550);
}
END_TEST

START_TEST(limits_above_hold)
{
    put("job/step/memory.max", "max\n");
    put("job/step/memory.current", "10\n");
    ck_assert(left("0::/job/step\n") >= 1e18);
    put("job/memory.max", "1000\n");
    put("job/memory.current", "300\n");
    ck_assert(left("0::/job/step\n") == 700);
    put("memory.max", "500\n");
    put("memory.current", "400\n");
    ck_assert(left("0::/job/step\n") == 100);
    ck_assert(left("0::/not/seen/from/here\n") == 100);
    ck_assert(left("0::/\n") == 100);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("machine-memory");
    TCase *tests = tcase_create("control-groups");
    tcase_add_checked_fixture(tests, set_up, clean_up);
    tcase_add_test(tests, page_cache_is_free);
    tcase_add_test(tests, limits_above_hold);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
