/* SPDX-License-Identifier: GPL-2.0-only */
/* Queries' own aggregates against values by hand, and what a query must not do. */
#include <check.h>
#include <math.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "database.h"
#include "query.h"

static char folder[] = "/tmp/weft-test-query-XXXXXX";
static struct database *db;

/** Results of one run without rows. */
static void
open_results(void)
{
    char *why = NULL;
    struct folder top;
    struct database_writer w;
    ck_assert(mkdtemp(folder) != NULL);
    ck_assert(folder_open(&top, folder, &why));
    ck_assert_msg(database_begin(&w, &top, NULL, 0, &why), "%s", why);
    ck_assert(database_add_run(&w, 1, "one", NULL, &why));
    ck_assert_msg(database_complete(&w, &why) && database_finish(&w, &why), "%s", why);
    folder_close(&top);
    db = database_open(folder, &why);
    ck_assert_msg(db != NULL, "%s", why);
}

static void
remove_results(void)
{
    char *file = xformat("%s/" DATABASE_FILE, folder);
    database_close(db);
    ck_assert(remove(file) == 0);
    free(file);
    rmdir(folder);
    snprintf(folder, sizeof folder, "/tmp/weft-test-query-XXXXXX");
}

/** The first cell of the first row; NAN if it is no number. */
static double
value_of(const char *sql)
{
    struct query_mistake m;
    struct query_rows *rows = database_query(db, sql, QUERY_LIMITS, &m);
    ck_assert_msg(rows != NULL, "%s: %s", sql, m.message);
    ck_assert(rows->nrows == 1);
    const double value = rows->cells[0].real;
    query_rows_free(rows);
    return value;
}

static void
refused(const char *sql, const char *because)
{
    struct query_mistake m;
    struct query_limits limits = QUERY_LIMITS;
    limits.seconds = 0.2;
    ck_assert_msg(database_query(db, sql, limits, &m) == NULL, "%s was answered", sql);
    ck_assert_msg(strstr(m.message, because) != NULL, "%s: %s", sql, m.message);
    free(m.message);
}

#define OF(values) " from (select column1 y, column2 x from (values " values "))"

/* A p99 that is one rank off hides the flow that everybody waits for. */
START_TEST(quantiles_are_at_their_nearest_rank)
{
    static const char numbers[] = "with recursive n(y) as (select 1 union all select y + 1 from n "
                                  "where y < 1000) select ";
    static const struct
    {
        const char *of;
        double is;
    } expected[] = {{"p50(y)", 500},
                    {"p99(y)", 990},
                    {"p99_9(y)", 999},
                    {"percentile(y, 99.91)", 1000},
                    {"percentile(y, 0)", 1}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    {
        char sql[200];
        snprintf(sql, sizeof sql, "%s%s from n", numbers, expected[i].of);
        ck_assert_msg(fabs(value_of(sql) - expected[i].is) < 1e-9, "%s", expected[i].of);
    }
}
END_TEST

/* Spread of 2, 4, 4, 4, 5, 5, 7, 9: sum of squares about the mean 32, so sqrt(32 / 7); t(7) =
 * 2.364624. */
START_TEST(spreads_are_the_textbooks)
{
    ck_assert_double_eq_tol(
        value_of("select stddev(y)" OF("(2,0),(4,0),(4,0),(4,0),(5,0),(5,0),(7,0),"
                                       "(9,0),(null,0)")),
        2.138090, 1e-6);
    ck_assert_double_eq_tol(
        value_of("select ci95(y)" OF("(2,0),(4,0),(4,0),(4,0),(5,0),(5,0),(7,0),"
                                     "(9,0)")),
        2.364624 * 2.138090 / sqrt(8), 1e-5);
    ck_assert(isnan(value_of("select stddev(y)" OF("(2,0)"))));
    ck_assert(isnan(value_of("select ci95(y)" OF("(2,0),(null,0)"))));
}
END_TEST

/* 31 values alternate between 0 and 1: t(30) is the last of the table, t(31) the first computed. */
START_TEST(student_has_no_step_where_its_table_ends)
{
    static const char sql[] =
        "with recursive n(i) as (select 1 union all select i + 1 from n where "
        "i < %d) select ci95(i %% 2) / stddev(i %% 2) * sqrt(%d.0) from n";
    static const struct
    {
        int n;
        double t;
    } expected[] = {{31, 2.042272}, {32, 2.039513}, {121, 1.979930}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    {
        char text[200];
        snprintf(text, sizeof text, sql, expected[i].n, expected[i].n);
        ck_assert_double_eq_tol(value_of(text), expected[i].t, 2e-5);
    }
}
END_TEST

START_TEST(slopes_and_correlations_are_those_of_known_curves)
{
    ck_assert_double_eq_tol(value_of("select slope_loglog(y, x)" OF("(3,1),(12,2),(48,4),(192,8)")),
                            2, 1e-9);
    ck_assert_double_eq_tol(value_of("select corr(y, x)" OF("(1,1),(2,2),(3,3)")), 1, 1e-12);
    ck_assert_double_eq_tol(value_of("select corr(y, x)" OF("(3,1),(2,2),(1,3)")), -1, 1e-12);
    ck_assert(isnan(value_of("select slope_loglog(y, x)" OF("(3,1),(0,2)"))));
    ck_assert(isnan(value_of("select corr(y, x)" OF("(3,1),(3,2)"))));
}
END_TEST

/* A claim or a figure may come from anybody: it must not write, read other files, or never end. */
START_TEST(a_query_reads_and_nothing_else)
{
    static const char may[] = "nothing else";
    refused("attach 'other.sqlite' as other", may);
    refused("pragma table_info(runs)", may);
    refused("select * from pragma_database_list", may);
    refused("insert into runs values (2, 'two')", may);
    refused("create temp table t (a)", may);
    refused("drop table runs", may);
    refused("vacuum into '/tmp/weft-copy'", may);
    refused("select load_extension('x.so')", may);
    refused("select RANDOM()", may);
    refused("select CURRENT_TIMESTAMP", may);
    refused("select datetime('now')", may);
    refused("select strftime('%s')", may);
    refused("begin", may);
    refused("select sqlite_compileoption_get(1)", may);
    refused("select sqlite_compileoption_used('DEBUG')", may);
    refused("explain select 1", "expected select");
    refused("explain query plan select 1", "expected select");
}
END_TEST

/* A mistake has the line that a user has to look at. */
START_TEST(a_mistake_has_its_line)
{
    static const struct
    {
        const char *sql;
        int line;
    } wrong[] = {{"explain\nselect 1;\nselect 2", 0},
                 {"select 1;\nselect 2", 0},
                 {"select 1\n;select 2", 1},
                 {"select\n\nnothing", 2}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    {
        struct query_mistake m;
        ck_assert(database_query(db, wrong[i].sql, QUERY_LIMITS, &m) == NULL);
        ck_assert_msg(m.line == wrong[i].line, "%s: line %d", wrong[i].sql, m.line);
        free(m.message);
    }
}
END_TEST

START_TEST(a_query_ends_at_its_limits)
{
    static const char endless[] =
        "with recursive n(i) as (select 1 union all select i + 1 from n) ";
    char sql[200];
    snprintf(sql, sizeof sql, "%s select max(i) from n", endless);
    refused(sql, "longer than 0.2 seconds");
    struct query_mistake m;
    struct query_limits few = QUERY_LIMITS;
    few.rows = 10;
    snprintf(sql, sizeof sql, "%s select i from n", endless);
    ck_assert(database_query(db, sql, few, &m) == NULL);
    ck_assert_str_eq(m.message, "it gives more than 10 rows");
    free(m.message);
    refused("select group_concat(a.column || b.column || c.column || d.column) from columns a, "
            "columns b, columns c, columns d",
            "");
    ck_assert(value_of("select count(*) from runs") == 1);
}
END_TEST

/* Memory that SQLite does not count: the answer, and what aggregates keep. */
START_TEST(a_query_ends_at_its_limit_of_memory)
{
    static const char endless[] =
        "with recursive n(i) as (select 1 union all select i + 1 from n) select ";
    static const char *const greedy[] = {
        "printf('%.*c', 1000, i) from n", "p50(i) from n", "slope_loglog(i, i), p99(-i) from n",
        "printf('%.*c', 10000000, 'a') is null", "format('%9000000d', 1) is null"};
    struct query_limits small = QUERY_LIMITS;
    small.bytes = 4 << 20;
    for (size_t i = 0; i < sizeof greedy / sizeof *greedy; i++)
    {
        struct query_mistake m;
        char sql[200];
        snprintf(sql, sizeof sql, "%s%s", endless, greedy[i]);
        ck_assert(database_query(db, sql, small, &m) == NULL);
        ck_assert_str_eq(m.message, "it takes more than 4 MB of memory");
        free(m.message);
    }
}
END_TEST

/* Many values of x: what looks each of them up among all others takes minutes. */
START_TEST(a_slope_of_many_points_takes_no_longer_than_sorting_them)
{
    struct query_mistake m;
    struct query_limits limits = QUERY_LIMITS;
    limits.seconds = 30;
    struct query_rows *rows =
        database_query(db,
                       "with recursive n(i) as (select 1 union all select i + 1 from n where i < "
                       "300000) select slope_loglog(i * i, i) from n",
                       limits, &m);
    ck_assert(rows != NULL);
    ck_assert_double_eq_tol(rows->cells[0].real, 2, 1e-9);
    query_rows_free(rows);
}
END_TEST

/* SQLite looks at no clock within a step: the figures of a stranger's scenario must not hang a
 * night's runs, nor end them, whatever signals their shell has blocked. */
START_TEST(a_step_that_never_ends_is_ended)
{
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    ck_assert(sigprocmask(SIG_BLOCK, &alarm, NULL) == 0);
    refused("select instr(printf('%.*c', 10000000, 'a'), printf('%.*c', 5000000, 'a') || 'b')",
            "longer than 0.2 seconds");
    ck_assert(value_of("select count(*) from runs") == 1);
}
END_TEST

/* Half of an answer is not passed off as a whole one. */
START_TEST(rows_that_stop_are_a_mistake)
{
    struct query_mistake m;
    struct query *q = query_begin(
        db, "with recursive n(i) as (select 1 union all select i + 1 from n) select i from n",
        QUERY_LIMITS, &m);
    ck_assert(query_next(q) != NULL);
    ck_assert(kill(q->child, SIGKILL) == 0);
    while (query_next(q))
    {
    }
    ck_assert_str_eq(m.message, "its process was killed by signal 9 (Killed)");
    free(m.message);
    ck_assert(!query_end(q));
}
END_TEST

/* Figures and reports are laid out in the process that asks, which has no limits: the texts that it
 * gets are short. Others, and a query, are as long as memory lets them be. */
START_TEST(long_texts_are_whole_or_mistakes)
{
    char *sql = xcalloc(1 << 20, 1);
    snprintf(sql, 1 << 20, "select length('%0*d') --%0*d", 500000, 0, 500000, 0);
    ck_assert(value_of(sql) == 500000);
    ck_assert(value_of("select length(printf('%.*c', 262000, 'a'))") == 262000);
    ck_assert(value_of("select 1, printf('%.*c', 65536, 'a')") == 1);
    refused("select printf('%.*c', 65537, 'a')", "a text of its rows has more than 65536 bytes");
    free(sql);
}
END_TEST

START_TEST(mistakes_name_what_is_meant_and_their_line)
{
    struct query_mistake m;
    refused("select cct_uss from summary", "did you mean 'cct_us'");
    refused("select \"cct_uss\" from summary", "did you mean 'cct_us'");
    refused("select 1 from sumary", "did you mean 'summary'");
    refused("select cct_us from qps", "no such column: cct_us; the table summary has one");
    refused("select q.cct_us from qps q", "no such column: q.cct_us; the table summary has one");
    refused("select 1; select 2", "expected one select");
    refused("", "there is no query");
    ck_assert(database_query(db, "select\n run,\n cct_uss\nfrom summary", QUERY_LIMITS, &m) ==
              NULL);
    ck_assert_int_eq(m.line, 2);
    free(m.message);
}
END_TEST

static char *
printed(const char *sql, enum query_format format)
{
    struct query_mistake m;
    struct text t = {0};
    struct query_rows *rows = database_query(db, sql, QUERY_LIMITS, &m);
    ck_assert(rows != NULL);
    query_print(&t, rows, format);
    query_rows_free(rows);
    return text_take(&t);
}

START_TEST(tables_hold_any_text)
{
    static const char sql[] = "select 'a,\"b\"|' as t, 0.1 as x, null as none, 9e999 as much";
    static const struct
    {
        enum query_format format;
        const char *is;
    } expected[] = {
        {QUERY_AS_TEXT, "t         x  none  much\na,\"b\"|  0.1         inf\n"},
        {QUERY_AS_CSV, "t,x,none,much\n\"a,\"\"b\"\"|\",0.1,,inf\n"},
        {QUERY_AS_JSON,
         "[\n {\"t\": \"a,\\\"b\\\"|\", \"x\": 0.1, \"none\": null, \"much\": null}\n]\n"},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    {
        char *got = printed(sql, expected[i].format);
        ck_assert_str_eq(got, expected[i].is);
        free(got);
    }
    char *markdown = printed(sql, QUERY_AS_MARKDOWN);
    ck_assert(strstr(markdown, "\\|") != NULL);
    free(markdown);
}
END_TEST

/** A cell of the first row as a report would tell what it rests on: "", "8/10", or "-": no rows. */
static const char *
ground_of(const char *sql, size_t column)
{
    static char said[48];
    struct query_mistake m;
    struct query_rows *rows = database_query(db, sql, QUERY_LIMITS, &m);
    ck_assert_msg(rows != NULL, "%s: %s", sql, m.message);
    struct query_hole *holes = database_holes(db, sql, QUERY_LIMITS, rows->nrows, &m);
    ck_assert_msg(holes != NULL, "%s: %s", sql, m.message);
    const struct query_hole h = holes[column];
    snprintf(said, sizeof said, "%zu/%zu", h.have, h.of);
    free(holes);
    query_rows_free(rows);
    return h.ground == QUERY_NO_ROWS ? "-" : h.ground == QUERY_PARTLY ? said : "";
}

/* a has 2 of 3 values, b 1 of 1, c none of 2. */
#define T                                                                                          \
    "with t(k, v) as (values ('a', 1.0), ('a', null), ('a', 3.0), ('b', 5.0), ('c', null), "       \
    "('c', null)) "
#define MEAN(k) "avg(v) filter (where k = '" k "')"

/* A mean of the seeds that went well, passed off as one of all, is what reviewers reject. */
START_TEST(cells_tell_of_rows_without_a_value)
{
    static const struct
    {
        const char *sql;
        size_t column;
        const char *ground;
    } expected[] = {
        {T "select " MEAN("a") ", " MEAN("b") " from t", 0, "2/3"},
        {T "select " MEAN("a") ", " MEAN("b") " from t", 1, ""},
        {T "select 100 * (1 - " MEAN("b") " / " MEAN("a") ") from t", 0, "2/3"},
        {T "select 0 * " MEAN("a") " from t", 0, "2/3"},
        {T "select " MEAN("c") ", max(v) from t", 0, "0/2"},
        {T "select " MEAN("c") ", max(v) from t", 1, "3/6"},
        {T "select " MEAN("d") " from t", 0, "-"},
        {T "select " MEAN("b") " + " MEAN("c") " from t", 0, "0/2"},
        {T "select " MEAN("a") " + " MEAN("c") " from t", 0, "0/2"},
        {T "select " MEAN("d") " + " MEAN("c") " from t", 0, "-"},
        {T "select " MEAN("b") " / (" MEAN("b") " - 5) from t", 0, ""},
        {T "select coalesce(" MEAN("c") ", 0) from t", 0, "0/2"},
        {T "select coalesce(" MEAN("d") ", 0) from t", 0, ""},
        {T "select k, p99(v), count(v) from t group by k order by k", 1, "2/3"},
        {T "select k, sum(v) from t group by k order by 2 desc", 1, ""},
        {T "select max(m) from (select avg(v) m from t where k < 'c' group by k)", 0, "2/3"},
        {T "select min(m) from (select avg(v) m from t where k < 'c' group by k)", 0, "2/3"},
        {T "select v from t where k = 'c'", 0, ""},
        {T "select corr(v, v), slope_loglog(v, v) from t", 1, "3/6"},
        {T "select avg(k) from t", 0, "0/6"},
        {T "select (select min(v) from t), (select total(v) from t where k = 'x')", 0, "3/6"},
        {T "select (select min(v) from t), (select total(v) from t where k = 'x')", 1, ""},
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++)
    {
        ck_assert_msg(strcmp(ground_of(expected[i].sql, expected[i].column), expected[i].ground) ==
                          0,
                      "%s: %s instead of %s", expected[i].sql,
                      ground_of(expected[i].sql, expected[i].column), expected[i].ground);
    }
}
END_TEST

/* Holes are looked for with other aggregates: if one gave another result than SQLite's, it would be
 * in another answer. Rows that are not the same in number are a mistake. */
START_TEST(aggregates_that_count_are_sqlites)
{
    static const char sql[] =
        T "select a, x from (select sum(v) a, sum(7) / 2 b, min(v) c, avg(v) d, total(v) e, "
          "max(9007199254740993) f, sum(9223372036854775807 / 6) g, max(v) x from t) where a = 9 "
          "and b = 21 and c = 1 and d = 3 and e = 9 and f = 9007199254740993 and g > 0 and x = 5";
    struct query_mistake m;
    struct query_limits few = QUERY_LIMITS;
    struct query_rows *rows = database_query(db, sql, few, &m);
    ck_assert(rows && rows->nrows == 1);
    struct query_hole *holes = database_holes(db, sql, few, rows->nrows, &m);
    ck_assert_msg(holes != NULL, "%s", m.message);
    ck_assert_uint_eq(holes[0].have, 3);
    free(holes);
    few.steps = 100000;
    ck_assert(database_holes(db,
                             "with recursive n(i) as (select 1 union all select i + 1 from n) "
                             "select sum(i) from n",
                             few, 1, &m) == NULL);
    ck_assert_str_eq(m.message, "it takes more than 100000 steps");
    free(m.message);
    query_rows_free(rows);
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("query");
    TCase *tests = tcase_create("query");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, open_results, remove_results);
    tcase_add_test(tests, quantiles_are_at_their_nearest_rank);
    tcase_add_test(tests, spreads_are_the_textbooks);
    tcase_add_test(tests, student_has_no_step_where_its_table_ends);
    tcase_add_test(tests, slopes_and_correlations_are_those_of_known_curves);
    tcase_add_test(tests, a_query_reads_and_nothing_else);
    tcase_add_test(tests, a_mistake_has_its_line);
    tcase_add_test(tests, a_query_ends_at_its_limits);
    tcase_add_test(tests, a_query_ends_at_its_limit_of_memory);
    tcase_add_test(tests, a_slope_of_many_points_takes_no_longer_than_sorting_them);
    tcase_add_test(tests, a_step_that_never_ends_is_ended);
    tcase_add_test(tests, rows_that_stop_are_a_mistake);
    tcase_add_test(tests, long_texts_are_whole_or_mistakes);
    tcase_add_test(tests, mistakes_name_what_is_meant_and_their_line);
    tcase_add_test(tests, tables_hold_any_text);
    tcase_add_test(tests, cells_tell_of_rows_without_a_value);
    tcase_add_test(tests, aggregates_that_count_are_sqlites);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
