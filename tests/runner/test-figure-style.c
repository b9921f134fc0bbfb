/* SPDX-License-Identifier: GPL-2.0-only */
/* Readers tell the curves of a figure apart, also those of them who are colour-blind, and know a
 * balancer again in the next figure. */
#include <check.h>
#include <glob.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/registry.h>

#include "document.h"
#include "figure-layout.h"
#include "figure-markup.h"
#include "figure-style.h"

/** 10 is "different at a glance"; Okabe and Ito's least distance, of all kinds, is 10.9. */
#define LEAST_DISTANCE 10.0

/** Linear RGB as the colour-blind see it. Source: Machado, Oliveira and Fernandes, A
 * Physiologically-based Model for Simulation of Color Vision Deficiency, IEEE TVCG 2009, severity
 * 1.0. */
static const double seen[][3][3] = {
    {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    {{0.152286, 1.052583, -0.204868},
     {0.114503, 0.786281, 0.099216},
     {-0.003882, -0.048116, 1.051998}},
    {{0.367322, 0.860646, -0.227968},
     {0.280085, 0.672501, 0.047413},
     {-0.011820, 0.042940, 0.968881}},
    {{1.255528, -0.076749, -0.178779},
     {-0.078411, 0.930809, 0.147602},
     {0.004733, 0.691367, 0.303900}},
};

#define KINDS (sizeof seen / sizeof *seen)

struct lab
{
    double l, a, b;
};

static double
linear(unsigned byte)
{
    const double c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double
lab_f(double t)
{
    return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/** CIELAB, D65, of a colour as one kind of eye sees it. */
static struct lab
lab_of(unsigned colour, size_t kind)
{
    const double rgb[] = {linear(colour >> 16 & 255), linear(colour >> 8 & 255),
                          linear(colour & 255)};
    double s[3];
    for (size_t i = 0; i < 3; i++)
    {
        const double *m = seen[kind][i];
        s[i] = fmin(1, fmax(0, m[0] * rgb[0] + m[1] * rgb[1] + m[2] * rgb[2]));
    }
    const double x = lab_f((0.4124 * s[0] + 0.3576 * s[1] + 0.1805 * s[2]) / 0.95047);
    const double y = lab_f(0.2126 * s[0] + 0.7152 * s[1] + 0.0722 * s[2]);
    const double z = lab_f((0.0193 * s[0] + 0.1192 * s[1] + 0.9505 * s[2]) / 1.08883);
    return (struct lab){116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

static double
degrees(double radians)
{
    return radians * 180 / acos(-1);
}

static double
cosine(double angle)
{
    return cos(angle * acos(-1) / 180);
}

/** CIEDE2000. Source: Sharma, Wu and Dalal, Color Research and Application 30 (1), 2005. */
static double
distance(struct lab p, struct lab q)
{
    const double cm = (hypot(p.a, p.b) + hypot(q.a, q.b)) / 2, c7 = pow(cm, 7);
    const double g = 1.5 - 0.5 * sqrt(c7 / (c7 + pow(25, 7)));
    const double c1 = hypot(p.a * g, p.b), c2 = hypot(q.a * g, q.b);
    const double h1 = fmod(degrees(atan2(p.b, p.a * g)) + 360, 360);
    const double h2 = fmod(degrees(atan2(q.b, q.a * g)) + 360, 360);
    const bool grey = c1 * c2 <= 0, near = fabs(h1 - h2) <= 180;
    const double turn = grey ? 0 : near ? h2 - h1 : h2 - h1 + (h2 <= h1 ? 360 : -360);
    const double h = grey || !near ? h1 + h2 : (h1 + h2) / 2;
    const double hm = grey || near ? h : (h + (h1 + h2 < 360 ? 360 : -360)) / 2;
    const double lm = (p.l + q.l) / 2 - 50, c = (c1 + c2) / 2, d7 = pow(c, 7);
    const double t = 1 - 0.17 * cosine(hm - 30) + 0.24 * cosine(2 * hm) +
                     0.32 * cosine(3 * hm + 6) - 0.2 * cosine(4 * hm - 63);
    const double dl = (q.l - p.l) / (1 + 0.015 * lm * lm / sqrt(20 + lm * lm));
    const double dc = (c2 - c1) / (1 + 0.045 * c);
    const double dh = 2 * sqrt(c1 * c2) * cosine(90 - turn / 2) / (1 + 0.015 * c * t);
    const double about = 60 * exp(-pow((hm - 275) / 25, 2));
    const double r = -2 * sqrt(d7 / (d7 + pow(25, 7))) * cosine(90 - about);
    return sqrt(dl * dl + dc * dc + dh * dh + r * dc * dh);
}

/* Pairs 1, 7 and 25 of that paper's table, so that the measure is the one meant. */
START_TEST(the_distance_is_ciede2000)
{
    const struct lab p[] = {{50, 2.6772, -79.7751}, {50, 0, 0}, {60.2574, -34.0099, 36.2677}};
    const struct lab q[] = {{50, 0, -82.7485}, {50, -1, 2}, {60.4626, -34.1751, 39.4387}};
    ck_assert_double_eq_tol(distance(p[0], q[0]), 2.0425, 1e-4);
    ck_assert_double_eq_tol(distance(p[1], q[1]), 2.3669, 1e-4);
    ck_assert_double_eq_tol(distance(p[2], q[2]), 1.2644, 1e-4);
}
END_TEST

START_TEST(colours_are_apart_for_every_eye)
{
    for (size_t kind = 0; kind < KINDS; kind++)
    {
        for (size_t i = 0; i < FIGURE_COLOURS; i++)
        {
            const struct lab own = lab_of(plan_colours[i], kind);
            ck_assert_double_gt(distance(own, lab_of(0xFFFFFF, kind)), 2 * LEAST_DISTANCE);
            for (size_t k = 0; k < i; k++)
            {
                ck_assert_double_gt(distance(own, lab_of(plan_colours[k], kind)), LEAST_DISTANCE);
            }
        }
    }
}
END_TEST

/* --- the schemes of every scenario ------------------------------------------------------------ */

/** The least distance of two colours over all kinds of eyes. */
static double
least_distance(unsigned a, unsigned b)
{
    double least = INFINITY;
    for (size_t kind = 0; kind < KINDS; kind++)
    {
        least = fmin(least, distance(lab_of(a, kind), lab_of(b, kind)));
    }
    return least;
}

/** The values of a column of the sweep that a figure (NULL: any) shows, each once. */
static struct figure_names
values_of(const struct plan_column *column, const struct figure *figure)
{
    const struct plan_dimension *dim = column->dim;
    struct figure_names names = {.parts = 1, .column = column};
    names.keys = xcalloc(dim->npoints + 1, sizeof *names.keys);
    for (size_t p = 0; p < dim->npoints; p++)
    {
        char *key = dim->points[p].cells[column->cell];
        size_t i = 0;
        while (i < names.n && strcmp(names.keys[i], key) != 0)
        {
            i++;
        }
        if (i == names.n && (!figure || figure_shows_point(figure, dim, p)))
        {
            names.keys[names.n++] = key;
        }
    }
    return names;
}

static void
check_values(const char *path, const struct plan *plan, const struct figure_names *names)
{
    struct figure_look *looks = xcalloc(names->n + 1, sizeof *looks);
    figure_looks(plan, names, looks);
    for (size_t i = 0; i < names->n; i++)
    {
        for (size_t k = 0; k < i; k++)
        {
            const struct figure_look *a = &looks[i], *b = &looks[k];
            const bool same = a->colour == b->colour;
            ck_assert_msg(same || least_distance(a->colour, b->colour) > LEAST_DISTANCE,
                          "%s: not everybody tells the colours of '%s' and '%s' apart", path,
                          names->keys[i], names->keys[k]);
            ck_assert_msg(!same || names->n > FIGURE_COLOURS,
                          "%s: '%s' and '%s' have one colour, and others are free", path,
                          names->keys[i], names->keys[k]);
            ck_assert_msg(!same || (a->dash != b->dash && a->pattern != b->pattern),
                          "%s: '%s' and '%s' look alike", path, names->keys[i], names->keys[k]);
        }
    }
    free(looks);
}

/** A balancer is called by its short name in all scenarios; a paper's own name may stand behind it.
 */
static void
check_labels(const char *path, const struct plan *plan, const struct plan_column *column)
{
    for (size_t p = 0; p < column->dim->npoints; p++)
    {
        const char *cell = plan_cell(column, p), *label = column->dim->points[p].label;
        const char *name = figure_short_name(cell);
        const size_t n = strlen(name);
        ck_assert_msg(!label || column->dim->ncolumns > 1 ||
                          !figure_is_balancer(plan, column, cell) ||
                          (strncmp(label, name, n) == 0 && strchr(" ,-", label[n])),
                      "%s: %s is called '%s', elsewhere '%s'", path, cell, label, name);
    }
}

/** All columns of the sweep, whole and as each figure shows them. */
static void
check_plan(const char *path, const struct plan *plan)
{
    const struct element *root = plan->doc->root;
    for (size_t c = 0; c < plan->ncolumns; c++)
    {
        check_labels(path, plan, &plan->columns[c]);
        for (size_t i = 0; i <= root->nchildren && !plan->keys[c].is_seed; i++)
        {
            const struct element *e = i < root->nchildren ? root->children[i] : NULL;
            if (!e || strcmp(e->name, "figure") == 0)
            {
                struct figure f = {.e = NULL};
                ck_assert(!e || figure_load(&f, e));
                struct figure_names names = values_of(&plan->columns[c], e ? &f : NULL);
                check_values(path, plan, &names);
                free(names.keys);
                figure_drop(&f);
            }
        }
    }
}

START_TEST(schemes_of_every_scenario_are_told_apart)
{
    glob_t files;
    ck_assert_int_eq(glob(WEFT_SOURCE "/scenarios/*/*.xml", 0, NULL, &files), 0);
    ck_assert_uint_gt(files.gl_pathc, 100);
    for (size_t i = 0; i < files.gl_pathc; i++)
    {
        const char *path = files.gl_pathv[i];
        struct diagnostics d = {.file = path};
        const struct plan_options none = {0};
        struct document *doc = document_read(path, &d);
        struct plan *plan = doc ? plan_build(doc, &none, &d) : NULL;
        ck_assert_msg(plan && d.n == 0, "%s is no scenario", path);
        check_plan(path, plan);
        plan_free(plan);
        document_free(doc);
        diag_free(&d);
    }
    globfree(&files);
}
END_TEST

/** Looks of balancers in a sweep of these, from the text of a <sweep>. */
static void
looks_in(const char *sweep, struct figure_look *looks, size_t n)
{
    struct diagnostics d = {.file = "t.xml"};
    const struct plan_options none = {0};
    char *text = xformat("<scenario name=\"t\"><topology kind=\"leaf-spine\"/><workload "
                         "kind=\"ring\" bytes=\"1MB\"/><sweep>%s</sweep></scenario>",
                         sweep);
    struct document *doc = document_parse("t.xml", text, strlen(text), &d);
    struct plan *plan = plan_build(doc, &none, &d);
    ck_assert_uint_eq(d.n, 0);
    struct figure_names names = values_of(&plan->columns[0], NULL);
    ck_assert_uint_eq(names.n, n);
    figure_looks(plan, &names, looks);
    free(names.keys);
    plan_free(plan);
    document_free(doc);
    diag_free(&d);
    free(text);
}

/* ecmp and host-dr, and ar and simple-rr, share a colour elsewhere: the later ones give way. */
START_TEST(few_schemes_have_a_colour_each)
{
    struct figure_look looks[8];
    looks_in("<vary param=\"balancer.name\" values=\"ecmp ar host-dr simple-rr themis\"/>", looks,
             5);
    ck_assert_uint_eq(looks[0].colour, plan_colours[0]);
    ck_assert_uint_eq(looks[1].colour, plan_colours[1]);
    ck_assert_uint_eq(looks[4].colour, plan_colours[2]);
    ck_assert_uint_eq(looks[2].colour, plan_colours[3]);
    ck_assert_uint_eq(looks[3].colour, plan_colours[4]);
    looks_in("<vary param=\"balancer.name\" "
             "values=\"ecmp ar host-dr simple-rr themis rsq reps ops\"/>",
             looks, 8);
    ck_assert_uint_eq(looks[2].colour, looks[0].colour);
    ck_assert_uint_ne(looks[2].pattern, looks[0].pattern);
}
END_TEST

START_TEST(a_scenario_chooses_colours_and_styles)
{
    struct figure_look looks[3];
    looks_in("<cases><case name=\"a\" colour=\"#123456\" style=\"dotted\"/>"
             "<case name=\"b\"/><case name=\"c\" colour=\"blue\"/></cases>",
             looks, 3);
    ck_assert_uint_eq(looks[0].colour, 0x123456);
    ck_assert_uint_eq(looks[0].dash, 3);
    ck_assert_uint_ne(looks[1].colour, plan_colours[0]);
    ck_assert_uint_eq(looks[2].colour, plan_colours[0]);
    looks_in("<vary param=\"balancer.name\" values=\"ecmp ar\" colours=\"auto black\" "
             "styles=\"dashed auto\"/>",
             looks, 2);
    ck_assert_uint_eq(looks[0].colour, plan_colours[0]);
    ck_assert_uint_eq(looks[0].dash, 2);
    ck_assert_uint_eq(looks[1].colour, 0);
}
END_TEST

/** Whether two styles differ as lines, and as bars. */
static bool
apart(size_t a, size_t b)
{
    const bool colour = a % FIGURE_COLOURS != b % FIGURE_COLOURS;
    return colour ||
           (a % FIGURE_DASHES != b % FIGURE_DASHES && a % FIGURE_PATTERNS != b % FIGURE_PATTERNS);
}

START_TEST(no_two_balancers_look_alike)
{
    const struct weft_registry *balancers = weft_registry_find("balancer");
    ck_assert_uint_gt(balancers->count, 10);
    for (size_t i = 0; i < balancers->count; i++)
    {
        const size_t own = figure_balancer_style(balancers->algos[i]->name);
        ck_assert_uint_lt(own, FIGURE_BAR_STYLES);
        for (size_t k = 0; k < i; k++)
        {
            ck_assert_msg(apart(own, figure_balancer_style(balancers->algos[k]->name)), "%s and %s",
                          balancers->algos[i]->name, balancers->algos[k]->name);
        }
    }
}
END_TEST

/* A style that a figure in print has. */
START_TEST(a_balancer_keeps_its_style)
{
    ck_assert_uint_eq(figure_balancer_style("ecmp"), 0);
    ck_assert_uint_eq(figure_balancer_style("themis"), 2);
    ck_assert_uint_eq(figure_balancer_style("reps"), 4);
    ck_assert_uint_eq(figure_balancer_style("conweave"), 17);
}
END_TEST

START_TEST(what_is_no_mark_is_escaped)
{
    static const struct
    {
        const char *from, *to;
    } texts[] = {
        {"T_{D}", "T_{D}"},
        {"x^{2} + y_{a b}", "x^{2} + y_{a b}"},
        {"a_b^c", "a\\_b\\^c"},
        {"_{}", "\\_\\{\\}"},
        {"_{open", "\\_\\{open"},
        {"_{^{2}}", "\\_\\{^{2}\\}"},
        {"_{a@b}", "_{a\\@b}"},
        {"{/Bold a} &{x} ~a{.5} @b \\n", "\\{/Bold a\\} \\&\\{x\\} \\~a\\{.5\\} \\@b \\\\n"},
        {"\\U+0041", "\\\\{U}+0041"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    {
        struct text t = {0};
        text_add_markup(&t, texts[i].from, strlen(texts[i].from));
        ck_assert_str_eq(t.s, texts[i].to);
        free(t.s);
    }
}
END_TEST

static void
check_title(const char *column, double scale, bool numbers, const char *expected)
{
    char *title = column_title(column, scale, numbers);
    ck_assert_str_eq(title, expected);
    free(title);
}

START_TEST(axes_have_names_and_units)
{
    check_title("cct_us", 1, true, "completion time (us)");
    check_title("cct_us", 0.001, true, "completion time (ms)");
    check_title("cct_us", 0.5, true, "completion time x 0.5 (us)");
    check_title("increase", 100, true, "increase over the lower bound (%)");
    check_title("goodput_gbps", 1, true, "goodput (Gb/s)");
    check_title("nacks_sent", 1, true, "NACKs sent");
    check_title("congestion-control.t-i", 1, true, "congestion control t-i (us)");
    check_title("congestion-control.t-i", 1, false, "congestion control t-i");
    check_title("topology.link-rate", 1, true, "topology link-rate (Gb/s)");
    check_title("balancer:bulk.name", 1, false, "balancer of bulk");
    check_title("workload.bytes", 1, true, "workload bytes");
    check_title("case", 1, false, "");
}
END_TEST

int
main(void)
{
    Suite *suite = suite_create("figure-style");
    TCase *tcase = tcase_create("figure-style");
    tcase_add_test(tcase, the_distance_is_ciede2000);
    tcase_add_test(tcase, colours_are_apart_for_every_eye);
    tcase_add_test(tcase, schemes_of_every_scenario_are_told_apart);
    tcase_add_test(tcase, few_schemes_have_a_colour_each);
    tcase_add_test(tcase, a_scenario_chooses_colours_and_styles);
    tcase_add_test(tcase, no_two_balancers_look_alike);
    tcase_add_test(tcase, a_balancer_keeps_its_style);
    tcase_add_test(tcase, what_is_no_mark_is_escaped);
    tcase_add_test(tcase, axes_have_names_and_units);
    suite_add_tcase(suite, tcase);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
