/* SPDX-License-Identifier: GPL-2.0-only */
/* The shipped claims' queries against the tables that their scenarios would make: a typing mistake
 * must not come out behind a week of runs. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "claims.h"
#include "database.h"
#include "files.h"
#include "sweep-plan.h"

static char folder[] = "/tmp/weft-test-claims-XXXXXX";

/** Results without runs, as the scenario's would be. */
static void
make_results(const char *results, const char *scenario)
{
    struct diagnostics d = {.file = scenario};
    const struct plan_options none = {0};
    struct document *doc = document_read(scenario, &d);
    ck_assert_msg(doc != NULL, "%s cannot be read", scenario);
    document_check(doc, &d);
    struct plan *plan = plan_build(doc, &none, &d);
    diag_print(&d, stderr);
    ck_assert_msg(plan && d.n == 0, "%s has mistakes", scenario);
    char *path = xformat("%s/%s", folder, results), *why = NULL;
    struct folder top;
    ck_assert_msg(folder_make(path, &why) && folder_open(&top, path, &why), "%s", why);
    struct database_writer w;
    ck_assert_msg(database_begin(&w, &top, plan->keys, plan->ncolumns, &why) &&
                      database_complete(&w, &why) && database_finish(&w, &why),
                  "%s", why);
    folder_close(&top);
    free(path);
    plan_free(plan);
    document_free(doc);
    diag_free(&d);
}

static void
check_claims(const char *path)
{
    struct claims *claims = claims_read(path);
    ck_assert_msg(claims != NULL, "%s has mistakes", path);
    const xmlNode *root = xmlDocGetRootElement(claims->doc), *section = NULL;
    while ((section = child_after(root, "section", section)) != NULL)
    {
        if (value_of(section, "results"))
        {
            make_results(value_of(section, "results"), value_of(section, "scenario"));
        }
    }
    const struct claims_options options = {
        .results = folder, .allow_missing = true, .limits = {60, 1000, (size_t)1 << 30, 0, 0}};
    xmlDoc *page = claims_page(&claims, 1, &options);
    ck_assert_msg(page != NULL, "a query of %s has a mistake", path);
    xmlFreeDoc(page);
    claims_free(claims);
}

START_TEST(queries_fit_the_tables_of_their_scenarios)
{
    char *why = NULL;
    struct folder top;
    ck_assert(chdir(WEFT_SOURCE) == 0);
    ck_assert(mkdtemp(folder) != NULL);
    check_claims("docs/claims/themis.xml");
    check_claims("docs/claims/ofan.xml");
    check_claims("docs/claims/prime.xml");
    ck_assert(folder_open(&top, folder, &why));
    DIR *results = folder_list(&top);
    for (struct dirent *e; (e = readdir(results)) != NULL;)
    {
        char *file = xformat("%s/%s/" DATABASE_FILE, folder, e->d_name);
        ck_assert(e->d_name[0] == '.' ||
                  (remove(file) == 0 && unlinkat(top.fd, e->d_name, AT_REMOVEDIR) == 0));
        free(file);
    }
    closedir(results);
    folder_close(&top);
    rmdir(folder);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("claims");
    TCase *tests = tcase_create("all");
    tcase_add_test(tests, queries_fit_the_tables_of_their_scenarios);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
