/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure-script.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "figure-layout.h"
#include "shown-text.h"

#define MOST_TICS 12 /* names of values on one axis */

/** A script while it is written: the settings, which are Weft's own, and the texts of the scenario
 * and of the results, which stand in a block of data and are only referred to. */
struct script
{
    struct text settings;
    struct text texts; /**< one per line, each behind a '|', so that none ends the block */
    size_t ntexts;
};

/* --- texts ------------------------------------------------------------------------------------ */

/** Adds the first @p n bytes of a text; the number of its line, from 1. */
static size_t
add_text(struct script *t, const char *s, size_t n)
{
    text_add(&t->texts, "|");
    text_add_shown(&t->texts, s, n);
    text_add(&t->texts, "\n");
    return ++t->ntexts;
}

static void
add_variable(struct script *t, const char *name, const char *value)
{
    size_t line = add_text(t, value ? value : "", value ? strlen(value) : 0);
    text_add(&t->settings, "%s = text_of(%zu)\n", name, line);
}

static void
add_array(struct script *t, const char *name, char *const *values, size_t n)
{
    text_add(&t->settings, "array %s[%zu] = [", name, n);
    for (size_t i = 0; i < n; i++)
    {
        size_t line = add_text(t, values[i], strlen(values[i]));
        text_add(&t->settings, "%stext_of(%zu)", i ? ", " : "", line);
    }
    text_add(&t->settings, "]\n");
}

/** Adds where a tic stands to a block of data, and its name in lines of so many characters. */
static void
add_tic(struct script *t, struct text *places, double x, const char *name, size_t width)
{
    size_t first = t->ntexts + 1;
    for (const char *s = name; *s || t->ntexts < first;)
    {
        size_t n = label_line(s, width);
        add_text(t, s, n);
        s += n + (s[n] != '\0');
    }
    text_add(places, "%.9g %zu %zu\n", x, first, t->ntexts + 1 - first);
}

/* --- numbers ---------------------------------------------------------------------------------- */

/** A category's name as one field of a data file: it is there to be read by people. */
static void
add_cell(struct text *t, const char *s)
{
    struct text cell = {0};
    text_add_shown(&cell, s, strlen(s));
    for (size_t i = 0; i < cell.len; i++)
    {
        cell.s[i] = cell.s[i] == '"' ? '\'' : cell.s[i];
    }
    text_add(t, "\"%s\"", cell.s ? cell.s : "");
    free(cell.s);
}

/** Mean, and the two ends of its spread. */
static void
add_point(struct text *t, const struct figure_point *p, bool deviation)
{
    if (p->n)
    {
        struct figure_spread spread = figure_spread_of(p, deviation);
        text_add(t, " %.9g %.9g %.9g", spread.mean, spread.low, spread.high);
    }
    else
    {
        text_add(t, " NaN NaN NaN");
    }
}

/** One row per category: its name, then mean and spread of each series and of the line. */
static void
add_bars(struct text *t, const struct figure_data *data, bool deviation)
{
    for (size_t k = 0; k < data->ncategories; k++)
    {
        add_cell(t, data->categories[k]);
        for (size_t i = 0; i < data->nseries; i++)
        {
            add_point(t, &data->points[i][k], deviation);
        }
        if (data->line)
        {
            add_point(t, &data->line[k], deviation);
        }
        text_add(t, "\n");
    }
}

static bool
has_number_axis(const struct element *figure)
{
    const char *kind = element_value(figure, "template");
    return strcmp(kind, "lines") == 0 || strcmp(kind, "cdf") == 0;
}

/** One block per series: x, then mean and spread. A logarithmic axis has no place for x <= 0. */
static void
add_lines(struct text *t, const struct figure_data *data, bool x_log, bool deviation)
{
    for (size_t i = 0; i < data->nseries; i++)
    {
        size_t shown = 0;
        text_add(t, "%s", i ? "\n\n" : "");
        for (size_t k = 0; k < data->npoints[i]; k++)
        {
            if (x_log && data->points[i][k].x <= 0)
            {
                continue;
            }
            text_add(t, "%.9g", data->points[i][k].x);
            add_point(t, &data->points[i][k], deviation);
            text_add(t, "\n");
            shown++;
        }
        if (shown == 0)
        {
            text_add(t, "NaN NaN NaN NaN\n");
        }
    }
}

static bool
has_spread(const struct figure_data *data)
{
    for (size_t i = 0; i < data->nseries; i++)
    {
        for (size_t k = 0; k < data->npoints[i]; k++)
        {
            if (data->points[i][k].n > 1)
            {
                return true;
            }
        }
    }
    return false;
}

/** The template's text, from the folder plots/ of the checkout or of the installation. */
static char *
read_template(const char *name, char **why)
{
    static const char *const folders[] = {"../plots", "../share/weft/plots", "plots"};
    char exe[PATH_MAX];
    const char *chosen = getenv("WEFT_PLOTS");
    ssize_t n = readlink("/proc/self/exe", exe, sizeof exe - 1);
    exe[n > 0 ? n : 0] = '\0';
    char *slash = strrchr(exe, '/');
    if (slash)
    {
        *slash = '\0';
    }
    for (size_t i = 0; i < (chosen ? 1 : sizeof folders / sizeof *folders); i++)
    {
        char *path = chosen ? xformat("%s/%s.gp", chosen, name)
                            : xformat("%s/%s/%s.gp", exe, folders[i], name);
        FILE *f = fopen(path, "rb");
        free(path);
        if (f)
        {
            struct text t = {0};
            char line[1024];
            while (fgets(line, sizeof line, f))
            {
                text_add(&t, "%s", line);
            }
            fclose(f);
            return text_take(&t);
        }
    }
    *why = xformat("the template plots/%s.gp is not there (WEFT_PLOTS can name its folder)", name);
    return NULL;
}

/** The ends of an axis, and whether it is logarithmic. */
static void
add_axis(struct script *t, const struct element *figure, const char *axis)
{
    static const char *const names[] = {"min", "max"};
    for (size_t i = 0; i < 2; i++)
    {
        char *name = xformat("%s-%s", axis, names[i]);
        text_add(&t->settings, "%s_%s = %.9g\n", axis, names[i], figure_value(figure, name).real);
        free(name);
    }
    char *log = xformat("%s-log", axis);
    text_add(&t->settings, "%s_log = %d\n", axis, (int)figure_value(figure, log).integer);
    free(log);
}

static void
add_flag(struct script *t, const struct element *figure, const char *attribute, const char *name)
{
    text_add(&t->settings, "%s = %d\n", name, (int)figure_value(figure, attribute).integer);
}

/** Names at the values of a swept parameter, where the scenario gives names or a logarithmic axis
 * would show its own numbers only. */
static void
add_tics(struct script *t, const struct element *figure, const struct figure_data *data)
{
    bool log = figure_value(figure, "x-log").integer != 0;
    bool named = log && data->ntics <= MOST_TICS;
    char **names = xcalloc(data->ntics + 1, sizeof *names);
    for (size_t i = 0; i < data->ntics; i++)
    {
        named = named || data->tics[i].labelled;
        names[i] = data->tics[i].name;
    }
    struct label_layout layout = label_layout(names, data->ntics);
    struct text places = {0};
    for (size_t i = 0; named && i < data->ntics; i++)
    {
        if (!log || data->tics[i].x > 0)
        {
            add_tic(t, &places, data->tics[i].x, names[i], layout.width);
        }
    }
    text_add(&t->settings, "has_tics = %d\n$tics << END\n%sEND\n", places.len > 0,
             places.s ? places.s : "");
    free(names);
    free(places.s);
}

/** The names of the categories below the axis. */
static void
add_categories(struct script *t, const struct figure_data *data)
{
    struct label_layout layout = label_layout(data->categories, data->ncategories);
    struct text places = {0};
    for (size_t i = 0; i < data->ncategories; i++)
    {
        add_tic(t, &places, (double)i, data->categories[i], layout.width);
    }
    text_add(&t->settings,
             "$tics << END\n%sEND\n"
             "label_lines = %zu\nlabel_longest = %zu\nlabel_slanted = %d\n",
             places.s ? places.s : "", layout.lines, layout.longest, layout.slanted);
    free(places.s);
}

/** What stands on the vertical axis of a distribution: "share of QPs". */
static char *
share_name(const struct element *figure)
{
    static const char *const rows[] = {"runs",  "samples", "samples",  "layers",
                                       "steps", "QPs",     "messages", "workloads"};
    bool above = figure_value(figure, "y-log").integer != 0;
    return xformat("share of %s%s", rows[figure_value(figure, "data").integer],
                   above ? " above" : "");
}

/** The name of an axis: the scenario's, or what stands there. */
static void
add_axis_name(struct script *t, const struct element *figure, const char *axis)
{
    char *variable = xformat("%s_label", axis), *label = xformat("%s-label", axis);
    char *scale = xformat("%s-scale", axis);
    const char *given = element_value(figure, label);
    double factor = figure_value(figure, scale).real;
    const char *relative = *axis == 'y' ? element_value(figure, "relative-to") : NULL;
    const char *column = element_value(figure, axis);
    char *shown = column ? xstrdup(column) : share_name(figure);
    char *name = given                      ? xstrdup(given)
                 : relative                 ? xformat("%s relative to %s", shown, relative)
                 : factor > 1 || factor < 1 ? xformat("%s x %g", shown, factor)
                                            : xstrdup(shown);
    add_variable(t, variable, name);
    free(variable);
    free(label);
    free(scale);
    free(shown);
    free(name);
}

/** The <level>s or <mark>s: arrays of heights and labels, which in gnuplot have one member at
 * least, and a block of places. */
static void
add_references(struct script *t, const struct element *figure, const char *kind)
{
    struct text places = {0}, members = {0};
    size_t n = 0;
    for (size_t i = 0; i < figure->nchildren; i++)
    {
        const struct element *e = figure->children[i];
        if (strcmp(e->name, kind) == 0)
        {
            const char *label = element_value(e, "label");
            double x = strcmp(kind, "mark") == 0 ? figure_value(e, "x").real : 0;
            double y = figure_value(e, "y").real;
            n++;
            text_add(&places, "%.9g %.9g\n", x, y);
            text_add(&members, "%s_y[%zu] = %.9g\n%s_label[%zu] = text_of(%zu)\n", kind, n, y, kind,
                     n, add_text(t, label ? label : "", label ? strlen(label) : 0));
        }
    }
    text_add(&t->settings,
             "n_%ss = %zu\narray %s_y[%zu]\narray %s_label[%zu]\n%s$%ss << END\n%sEND\n", kind, n,
             kind, n + 1, kind, n + 1, members.s ? members.s : "", kind, places.s ? places.s : "");
    free(places.s);
    free(members.s);
}

static void
add_settings(struct script *t, const struct element *figure, const struct figure_data *data)
{
    const char *line_label = element_value(figure, "line-label");
    add_variable(t, "title", element_value(figure, "title"));
    add_axis_name(t, figure, "x");
    add_axis_name(t, figure, "y");
    text_add(&t->settings, "n_series = %zu\nn_categories = %zu\n", data->nseries,
             data->ncategories);
    add_array(t, "series", data->series, data->nseries);
    text_add(&t->settings, "has_spread = %d\nhas_line = %d\n", has_spread(data),
             data->line != NULL);
    add_variable(t, "line_label", line_label ? line_label : element_value(figure, "line"));
    add_axis(t, figure, "x");
    add_axis(t, figure, "y");
    add_extent(&t->settings, figure, data);
    if (has_number_axis(figure))
    {
        add_tics(t, figure, data);
    }
    else
    {
        add_categories(t, data);
    }
    add_legend(&t->settings, figure, data);
    add_flag(t, figure, "values", "show_values");
    add_flag(t, figure, "points", "show_points");
    add_flag(t, figure, "spread", "spread_bars");
    add_references(t, figure, "level");
    add_references(t, figure, "mark");
}

/* --- the whole -------------------------------------------------------------------------------- */

char *
figure_script(const struct element *figure, const struct figure_data *data, char **why)
{
    const char *name = element_value(figure, "name");
    char *template = read_template(element_value(figure, "template"), why);
    if (!template)
    {
        return NULL;
    }
    struct script script = {0};
    struct text t = {0};
    add_settings(&script, figure, data);
    text_add(&t,
             "# Draws %s.svg and %s.png from %s.dat: run 'gnuplot %s.gp' in this folder.\n"
             "# Written by 'weft plot'; the settings come from the scenario's <figure>.\n"
             "set encoding utf8\n"
             "name = '%s'\n"
             "if (!exists('svg_file')) { svg_file = name.'.svg' }\n"
             "if (!exists('png_file')) { png_file = name.'.png' }\n"
             "# Texts are data: gnuplot shows them and evaluates nothing in them.\n"
             "$texts << END\n%sEND\n"
             "text_of(i) = $texts[i][2:*]\n"
             "lines_of(i, n) = n > 1 ? lines_of(i, n - 1).\"\\n\".text_of(i + n - 1) : text_of(i)\n"
             "%s\n%s",
             name, name, name, name, name, script.texts.s, script.settings.s, template);
    free(script.texts.s);
    free(script.settings.s);
    free(template);
    return text_take(&t);
}

char *
figure_rows(const struct element *figure, const struct figure_data *data)
{
    struct text t = {0};
    bool deviation = figure_value(figure, "error").integer == 1;
    if (has_number_axis(figure))
    {
        add_lines(&t, data, figure_value(figure, "x-log").integer != 0, deviation);
    }
    else
    {
        add_bars(&t, data, deviation);
    }
    return text_take(&t);
}
