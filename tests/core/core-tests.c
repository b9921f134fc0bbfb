/* SPDX-License-Identifier: MIT */
/* Runs the core's test suites: all of them, or the one named by --suite. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef Suite *suite_getter(void);

/* core-suites.h is made from the list of suites in CMakeLists.txt: SUITE(name, getter), each. */
#define SUITE(name, getter) suite_getter getter;
#include "core-suites.h"
#undef SUITE

static const struct
{
    const char *name;
    suite_getter *get;
} suites[] = {
#define SUITE(name, getter) {name, getter},
#include "core-suites.h"
#undef SUITE
};

int
main(int argc, char **argv)
{
    const char *only = argc == 3 && strcmp(argv[1], "--suite") == 0 ? argv[2] : NULL;
    if (argc != 1 && only == NULL)
    {
        fprintf(stderr, "usage: %s [--suite NAME]\n", argv[0]);
        return EXIT_FAILURE;
    }
    SRunner *runner = NULL;
    for (size_t i = 0; i < sizeof(suites) / sizeof(suites[0]); i++)
    {
        if (only != NULL && strcmp(only, suites[i].name) != 0)
        {
            continue;
        }
        if (runner == NULL)
        {
            runner = srunner_create(suites[i].get());
        }
        else
        {
            srunner_add_suite(runner, suites[i].get());
        }
    }
    if (runner == NULL)
    {
        fprintf(stderr, "there is no suite \"%s\"\n", only);
        return EXIT_FAILURE;
    }
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
