/* SPDX-License-Identifier: GPL-2.0-only */
/* Loading scenarios and writing results, function by function. */
#include <check.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "csv.h"
#include "export.h"
#include "link-failures.h"
#include "scenario-load.h"
#include "sweep-plan.h"
#include "textbuf.h"

#define HEAD                                                                                       \
    "<scenario name=\"t\">\n"                                                                      \
    "<topology kind=\"leaf-spine\" leaves=\"4\" spines=\"2\" hosts-per-leaf=\"2\"/>\n"             \
    "<workload kind=\"ring\" bytes=\"20KB\" groups=\"2\"/>\n"

struct loaded
{
    struct diagnostics d;
    struct document *doc;
    struct plan *plan;
};

static struct loaded
load(const char *text)
{
    struct loaded l = {.d = {.file = "t.xml"}};
    const struct plan_options none = {0};
    l.doc = document_parse("t.xml", text, strlen(text), &l.d);
    ck_assert_ptr_nonnull(l.doc);
    document_check(l.doc, &l.d);
    l.plan = plan_build(l.doc, &none, &l.d);
    if (l.plan)
    {
        plan_check(l.plan, &l.d);
    }
    return l;
}

static void
unload(struct loaded *l)
{
    plan_free(l->plan);
    document_free(l->doc);
    diag_free(&l->d);
}

static struct loaded
load_good(const char *text)
{
    struct loaded l = load(text);
    diag_print(&l.d, stderr);
    ck_assert_uint_eq(l.d.n, 0);
    ck_assert_ptr_nonnull(l.plan);
    return l;
}

/* A scenario as its file says it, and as its resolved file does. */
struct resolved
{
    struct loaded l, again;
    struct scenario *s, *t;
};

/* A resolved file that is resolved again must not change. */
static struct resolved
resolve(const char *text)
{
    struct resolved r = {.l = load_good(text)};
    r.s = plan_load(r.l.plan, 0, &r.l.d);
    char *once = scenario_write(r.s, "t");
    r.again = load_good(once);
    r.t = plan_load(r.again.plan, 0, &r.again.d);
    char *twice = scenario_write(r.t, "t");
    ck_assert_str_eq(once, twice);
    free(once);
    free(twice);
    return r;
}

static void
resolved_free(struct resolved *r)
{
    scenario_free(r->s);
    scenario_free(r->t);
    unload(&r->l);
    unload(&r->again);
}

/* A user would get another experiment than the one asked for if a preset undid an attribute. */
START_TEST(attributes_win_over_presets_in_any_order)
{
    struct loaded l = load_good(HEAD "<balancer name=\"ecmp\"/>"
                                     "<congestion-control t-i=\"7us\" name=\"dcqcn\" "
                                     "preset=\"hpcc\"/></scenario>");
    struct scenario *s = plan_load(l.plan, 0, &l.d);
    char text[64];
    weft_param_format(weft_param_find(s->cc.algo, "t-i"), s->cc.config, text, sizeof text);
    ck_assert_str_eq(text, "7us");
    weft_param_format(weft_param_find(s->cc.algo, "t-d"), s->cc.config, text, sizeof text);
    ck_assert_str_eq(text, "4us");
    scenario_free(s);
    unload(&l);
}
END_TEST

/* A case that chooses another balancer must not stumble over the former one's parameters, but a
 * parameter that it sets itself must exist. */
START_TEST(a_new_choice_drops_the_former_ones_parameters)
{
    struct loaded l =
        load_good(HEAD "<balancer name=\"themis\" compensation=\"off\"/><sweep><vary "
                       "param=\"balancer.name\" values=\"ecmp themis\"/></sweep></scenario>");
    struct scenario *ecmp = plan_load(l.plan, 0, &l.d), *themis = plan_load(l.plan, 1, &l.d);
    ck_assert_str_eq(ecmp->balancer.algo->name, "ecmp");
    char text[64];
    weft_param_format(weft_param_find(themis->balancer.algo, "compensation"),
                      themis->balancer.config, text, sizeof text);
    ck_assert_str_eq(text, "off");
    scenario_free(ecmp);
    scenario_free(themis);
    unload(&l);

    l = load(HEAD
             "<balancer name=\"themis\"/><sweep><cases><case name=\"a\">"
             "<set param=\"balancer.compensation\" value=\"off\"/>"
             "<set param=\"balancer.name\" value=\"ecmp\"/></case></cases></sweep></scenario>");
    ck_assert_uint_eq(l.d.n, 1);
    ck_assert_ptr_nonnull(strstr(l.d.items[0].message, "unknown attribute compensation"));
    unload(&l);
}
END_TEST

/* Runs would be mislabelled if the values and the names went through the dimensions differently. */
START_TEST(the_first_dimension_varies_slowest)
{
    struct loaded l =
        load_good(HEAD "<balancer/><sweep><vary param=\"balancer.name\" values=\"ecmp rsq\"/>"
                       "<zip><vary param=\"transport.rto\" values=\"1us 2us 3us\"/>"
                       "<vary param=\"workload.bytes\" values=\"4KB 5KB 6KB\"/></zip>"
                       "<seeds first=\"8\" count=\"2\"/></sweep></scenario>");
    ck_assert_uint_eq(l.plan->nruns, 12);
    for (size_t i = 0; i < 12; i++)
    {
        struct scenario *s = plan_load(l.plan, i, &l.d);
        char rto[64], bytes[64];
        weft_param_format(weft_param_find(s->transport.algo, "rto"), s->transport.config, rto,
                          sizeof rto);
        weft_param_format(weft_param_find(s->workload.algo, "bytes"), s->workload.config, bytes,
                          sizeof bytes);
        char *expected = xformat("%s_rto=%zuus_bytes=%zuKB_seed=%zu", i < 6 ? "ecmp" : "rsq",
                                 i / 2 % 3 + 1, i / 2 % 3 + 4, i % 2 + 8);
        ck_assert_str_eq(l.plan->names[i], expected);
        char *measured = xformat("%s_rto=%s_bytes=%s_seed=%u", s->balancer.algo->name, rto, bytes,
                                 (unsigned)s->seed);
        ck_assert_str_eq(l.plan->names[i], measured);
        free(measured);
        free(expected);
        scenario_free(s);
    }
    unload(&l);
}
END_TEST

/* A resolved scenario that says something else would not reproduce its run. */
START_TEST(a_resolved_scenario_resolves_to_itself)
{
    struct resolved r =
        resolve(HEAD "<balancer name=\"themis\"/><drop qp=\"3\" packets=\"5 7\" count=\"2\"/>"
                     "<loss probability=\"1e-7\"/><failure leaf=\"1\" spine=\"1\" at=\"3us\"/>"
                     "<failure lower=\"2\" upper=\"4\" at=\"1us\" repair=\"2us\"/>"
                     "<convergence delay=\"inf\" weights=\"off\"/><measure interval=\"0.5us\" "
                     "qps=\"2 0\" queues=\"on\"/>"
                     "<seed value=\"9007199254740992\" run=\"3\"/></scenario>");
    const struct scenario *s = r.s, *t = r.t;
    ck_assert_uint_eq(t->ndrops, 2);
    ck_assert_uint_eq(t->drops[1].psn_offset, 7);
    ck_assert_uint_eq(t->drops[1].count, 2);
    ck_assert(t->loss == s->loss);
    ck_assert_uint_eq(t->nfaults, s->nfaults);
    ck_assert(t->faults[1].nlinks == 1 && t->faults[1].links[0] == s->faults[1].links[0]);
    ck_assert(t->faults[1].repair == WEFT_NEVER && t->faults[2].repair == 2000000);
    ck_assert(t->convergence == WEFT_NEVER);
    ck_assert(!t->weights);
    ck_assert_uint_eq(t->measure.nqps, 2);
    ck_assert_uint_eq(t->measure.qps[0], 0);
    ck_assert(t->seed == UINT64_C(9007199254740992));
    resolved_free(&r);
}
END_TEST

/* Whether the attributes of an element lie in a struct. */
static bool
is_in_struct(const struct element_spec *e)
{
    return grammar_allows(e, "scenario") && (e->size || !(e->flags & ELEMENT_MANY));
}

/* Two attributes with one place would silently be what the other one says. */
START_TEST(every_attribute_has_a_place_of_its_own)
{
    for (size_t k = 0; k < vocabulary.n * vocabulary.n; k++)
    {
        const struct element_spec *a = &vocabulary.elements[k / vocabulary.n];
        const struct element_spec *b = &vocabulary.elements[k % vocabulary.n];
        const bool one_struct = a == b || (!a->size && !b->size);
        for (size_t i = 0; i < a->nattributes && is_in_struct(a) && is_in_struct(b); i++)
        {
            for (size_t j = 0; one_struct && j < b->nattributes; j++)
            {
                const struct weft_param *p = &a->attributes[i].param, *q = &b->attributes[j].param;
                ck_assert_msg(p == q || p->offset != q->offset,
                              "%s of <%s> lies where %s of <%s> does", p->name, a->name, q->name,
                              b->name);
            }
        }
    }
}
END_TEST

/* Rates that stand for one kind of link must not reach the other, nor get lost in the resolved
 * file. */
START_TEST(random_failures_resolve_to_one_rate_per_kind)
{
    struct resolved r =
        resolve("<scenario name=\"t\"><topology kind=\"fat-tree\" k=\"4\"/><workload kind=\"ring\" "
                "bytes=\"1KB\"/><balancer name=\"ecmp\"/><random-failures probability=\"0.25\" "
                "aggregation-core=\"0.5\" at=\"3us\" repair=\"9us\"/></scenario>");
    const struct scenario *t = r.t;
    const struct link_fault *f = &t->faults[t->nfaults - 1];
    ck_assert(f->edge == 0.25);
    ck_assert(f->above == 0.5);
    ck_assert(f->at == 3000000);
    ck_assert(f->repair == 9000000);
    resolved_free(&r);
}
END_TEST

/* So many links as are asked for, of fewer the same ones, and slower ones drawn apart; the resolved
 * file draws them again. */
START_TEST(a_number_of_random_links_is_drawn)
{
    struct resolved r =
        resolve("<scenario name=\"t\"><topology kind=\"fat-tree\" k=\"8\"/><workload kind=\"ring\" "
                "bytes=\"1KB\"/><balancer name=\"ecmp\"/><random-failures links=\"16\"/>"
                "<random-degrade links=\"16\" share=\"0.25\" at=\"3us\"/></scenario>");
    const struct scenario *t = r.t;
    size_t n, all, same = 0;
    uint64_t *links = random_links_draw(t, &t->faults[t->nfaults - 1], &n);
    struct faulty_link *degraded = faulty_links(t, &all);
    ck_assert_uint_eq(n, 16);
    ck_assert_uint_eq(all, 32);
    for (size_t i = 0; i < n; i++)
    {
        struct weft_link link;
        weft_clos_link(&t->clos, degraded[i].link, &link);
        ck_assert(i == 0 || links[i - 1] < links[i]);
        ck_assert(degraded[i].rate == link.rate / 4 && degraded[i].fault->at == 3000000);
        for (size_t k = 0; k < n; k++)
        {
            same += links[i] == degraded[k].link;
        }
    }
    ck_assert_uint_lt(same, 8);
    free(links);
    free(degraded);
    resolved_free(&r);
}
END_TEST

/* A link that is named and drawn is one link, and one that fails later has not failed yet. */
START_TEST(failed_links_are_counted_once)
{
    struct loaded l = load_good(HEAD "<balancer name=\"ecmp\"/><random-failures probability=\"1\"/>"
                                     "<failure leaf=\"1\" spine=\"1\"/></scenario>");
    struct scenario *s = plan_load(l.plan, 0, &l.d);
    size_t n;
    struct faulty_link *failures = faulty_links(s, &n);
    ck_assert_uint_eq(n, 9);
    ck_assert_uint_eq(links_failed(failures, n, 0), 8);
    s->faults[s->nfaults - 1].at = 10;
    ck_assert_uint_eq(links_failed(failures, n, 9), 1);
    free(failures);
    scenario_free(s);
    unload(&l);
}
END_TEST

/* Failing another link than the one named would show another experiment. */
START_TEST(a_failure_names_the_link_between_its_ends)
{
    struct loaded l = load_good(
        "<scenario name=\"t\"><topology kind=\"leaf-spine\" leaves=\"3\" spines=\"2\" "
        "hosts-per-leaf=\"2\" parallel=\"2\"/><workload kind=\"ring\" bytes=\"1KB\"/>"
        "<balancer name=\"ecmp\"/><failure leaf=\"2\" spine=\"1\" link=\"1\"/></scenario>");
    struct scenario *s = plan_load(l.plan, 0, &l.d);
    struct weft_link link, other;
    weft_clos_link(&s->clos, s->faults[1].links[0], &link);
    ck_assert_uint_eq(link.lower.index, 2);
    ck_assert_uint_eq(link.upper.index, 4);
    weft_clos_link(&s->clos, s->faults[1].links[0] - 1, &other);
    ck_assert_uint_eq(other.lower.index, 2);
    ck_assert_uint_eq(other.upper.index, 4);
    char *resolved = scenario_write(s, "t");
    ck_assert_ptr_nonnull(strstr(resolved, "<failure lower=\"2\" upper=\"4\" link=\"1\""));
    free(resolved);
    scenario_free(s);
    unload(&l);
}
END_TEST

/* A message that points at the wrong line costs a user more than none. */
START_TEST(mistakes_are_reported_at_the_attributes_line)
{
    struct loaded l = load("<?xml version=\"1.0\"?>\n<!-- <topology\n-->\n<scenario name='t'>\n"
                           "<topology kind=\"leaf-spine\"\n leaves=\"two\"\n  spines=\"2\"\n/>\n"
                           "<title>a > b <![CDATA[ <balancer\n ]]></title>\n"
                           "<balancer\n name=\"x>y\"/>\n"
                           "<workload kind=\"ring\" bytes=\"1KB\"/></scenario>");
    ck_assert_uint_eq(l.d.n, 2);
    ck_assert_int_eq(l.d.items[0].line, 6);
    ck_assert_int_eq(l.d.items[1].line, 12);
    unload(&l);
}
END_TEST

/* Times in results must be exact and the same on every machine. */
START_TEST(times_are_written_to_the_picosecond)
{
    static const struct
    {
        int64_t ps;
        const char *text;
    } cases[] = {
        {0, "0.000000"},
        {1, "0.000001"},
        {999999, "0.999999"},
        {17056940, "17.056940"},
        {INT64_C(9007199254740993), "9007199254.740993"},
        {INT64_MAX, "9223372036854.775807"},
        {-1500000, "-1.500000"},
        {INT64_MIN, "-9223372036854.775808"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        struct text t = {0};
        add_micro(&t, cases[i].ps);
        ck_assert_str_eq(t.s, cases[i].text);
        free(t.s);
    }
}
END_TEST

/* Numbers under a wrong heading are wrong results: each column must show its own member. */
START_TEST(every_summary_column_shows_its_member)
{
    struct run_summary s;
    memset(&s, 0, sizeof s);
    s.cct = 12345678;
    s.goodput = 81.5e9;
    s.data_sent = 300;
    s.data_resent = 100;
    s.duplicates = 40;
    s.trimmed = 7;
    s.queue_peak = 1500;
    struct text sql = {0};
    sqlite3 *db;
    sqlite3_stmt *insert;
    text_add(&sql, "CREATE TABLE t (");
    columns_add_types(&sql, &summary_table);
    text_add(&sql, ");");
    ck_assert(sqlite3_open(":memory:", &db) == SQLITE_OK);
    ck_assert(sqlite3_exec(db, sql.s, NULL, NULL, NULL) == SQLITE_OK);
    sql.len = 0;
    text_add(&sql, "INSERT INTO t VALUES (?");
    for (size_t i = 1; i < summary_table.n; i++)
    {
        text_add(&sql, ",?");
    }
    text_add(&sql, ");");
    ck_assert(sqlite3_prepare_v2(db, sql.s, -1, &insert, NULL) == SQLITE_OK);
    columns_bind(insert, &summary_table, &s);
    ck_assert(sqlite3_step(insert) == SQLITE_DONE);
    const struct csv_source rows = {db, "SELECT * FROM t;", 0};
    char *bytes;
    size_t n;
    FILE *file = open_memstream(&bytes, &n);
    ck_assert(csv_write(file, &rows) && fclose(file) == 0);
    sqlite3_finalize(insert);
    sqlite3_close(db);
    free(sql.s);
    struct words lines = words_split(bytes);
    struct words names = words_split_at(lines.word[0], ',');
    struct words cells = words_split_at(lines.word[1], ',');
    ck_assert_uint_eq(names.n, cells.n);
    static const char *const expected[][2] = {
        {"cct_us", "12.345678"},        {"goodput_gbps", "81.500000"},
        {"data_resent", "100"},         {"resent_share", "0.250000"},
        {"spurious_share", "0.100000"}, {"trimmed", "7"},
        {"queue_peak_bytes", "1500"},   {"timeouts", "0"},
    };
    for (size_t e = 0; e < sizeof expected / sizeof *expected; e++)
    {
        size_t i = 0;
        while (i < names.n && strcmp(names.word[i], expected[e][0]) != 0)
        {
            i++;
        }
        ck_assert_uint_lt(i, names.n);
        ck_assert_str_eq(cells.word[i], expected[e][1]);
    }
    words_free(&lines);
    words_free(&names);
    words_free(&cells);
    free(bytes);
}
END_TEST

/* A value with a comma would shift a row's cells. */
START_TEST(csv_cells_are_quoted)
{
    static const char *const cells[][2] = {{"plain", "plain"},
                                           {"a,b", "\"a,b\""},
                                           {"say \"x\"", "\"say \"\"x\"\"\""},
                                           {"two\nlines", "\"two\nlines\""},
                                           {"", ""},
                                           {"\"", "\"\"\"\""},
                                           {",", "\",\""}};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
    {
        struct text t = {0};
        csv_add_cell(&t, cells[i][0]);
        ck_assert_str_eq(text_take(&t), cells[i][1]);
    }
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("scenario");
    TCase *t = tcase_create("scenario");
    tcase_add_test(t, attributes_win_over_presets_in_any_order);
    tcase_add_test(t, a_new_choice_drops_the_former_ones_parameters);
    tcase_add_test(t, the_first_dimension_varies_slowest);
    tcase_add_test(t, a_resolved_scenario_resolves_to_itself);
    tcase_add_test(t, every_attribute_has_a_place_of_its_own);
    tcase_add_test(t, a_failure_names_the_link_between_its_ends);
    tcase_add_test(t, random_failures_resolve_to_one_rate_per_kind);
    tcase_add_test(t, a_number_of_random_links_is_drawn);
    tcase_add_test(t, failed_links_are_counted_once);
    tcase_add_test(t, mistakes_are_reported_at_the_attributes_line);
    tcase_add_test(t, times_are_written_to_the_picosecond);
    tcase_add_test(t, every_summary_column_shows_its_member);
    tcase_add_test(t, csv_cells_are_quoted);
    suite_add_tcase(suite, t);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}
