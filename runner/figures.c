/* SPDX-License-Identifier: GPL-2.0-only */
#include "figures.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "figure-layout.h"
#include "figure.h"
#include "files.h"
#include "textbuf.h"

#define NO_GNUPLOT 127
#define MOST_TICS  12 /* names of values on one axis */

size_t
figures_count(const struct plan *plan)
{
    size_t n = 0;
    for (size_t i = 0; i < plan->doc->root->nchildren; i++)
    {
        n += strcmp(plan->doc->root->children[i]->name, "figure") == 0;
    }
    return n;
}

/* --- files for gnuplot ------------------------------------------------------------------------ */

/** A string as gnuplot reads it between single quotes. */
static void
add_string(struct text *t, const char *s)
{
    text_add(t, "'");
    for (; *s; s++)
    {
        text_add(t, *s == '\'' ? "''" : "%c", *s == '\n' ? ' ' : *s);
    }
    text_add(t, "'");
}

static void
add_variable(struct text *t, const char *name, const char *value)
{
    text_add(t, "%s = ", name);
    add_string(t, value ? value : "");
    text_add(t, "\n");
}

static void
add_array(struct text *t, const char *name, char *const *values, size_t n)
{
    text_add(t, "array %s[%zu] = [", name, n);
    for (size_t i = 0; i < n; i++)
    {
        text_add(t, "%s", i ? ", " : "");
        add_string(t, values[i]);
    }
    text_add(t, "]\n");
}

/** A category's name as one field of a data file. */
static void
add_cell(struct text *t, const char *s)
{
    text_add(t, "\"");
    for (; *s; s++)
    {
        text_add(t, "%c", *s == '"' ? '\'' : *s == '\n' ? ' ' : *s);
    }
    text_add(t, "\"");
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
add_axis(struct text *t, const struct element *figure, const char *axis)
{
    static const char *const names[] = {"min", "max"};
    for (size_t i = 0; i < 2; i++)
    {
        char *name = xformat("%s-%s", axis, names[i]);
        text_add(t, "%s_%s = %.9g\n", axis, names[i], figure_value(figure, name).real);
        free(name);
    }
    char *log = xformat("%s-log", axis);
    text_add(t, "%s_log = %d\n", axis, (int)figure_value(figure, log).integer);
    free(log);
}

static void
add_flag(struct text *t, const struct element *figure, const char *attribute, const char *name)
{
    text_add(t, "%s = %d\n", name, (int)figure_value(figure, attribute).integer);
}

/** Names at the values of a swept parameter, where the scenario gives names or a logarithmic axis
 * would show its own numbers only. */
static void
add_tics(struct text *t, const struct element *figure, const struct figure_data *data)
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
    struct text list = {0};
    for (size_t i = 0; named && i < data->ntics; i++)
    {
        if (!log || data->tics[i].x > 0)
        {
            text_add(&list, "%s", list.len ? ", " : "");
            add_label(&list, names[i], layout.width);
            text_add(&list, " %.9g", data->tics[i].x);
        }
    }
    add_variable(t, "x_tics", list.s);
    free(names);
    free(list.s);
}

/** The names of the categories below the axis. */
static void
add_categories(struct text *t, const struct figure_data *data)
{
    struct label_layout layout = label_layout(data->categories, data->ncategories);
    struct text list = {0};
    for (size_t i = 0; i < data->ncategories; i++)
    {
        text_add(&list, "%s", i ? ", " : "");
        add_label(&list, data->categories[i], layout.width);
        text_add(&list, " %zu", i);
    }
    add_variable(t, "x_tics", list.s);
    text_add(t, "label_lines = %zu\nlabel_longest = %zu\nlabel_slanted = %d\n", layout.lines,
             layout.longest, layout.slanted);
    free(list.s);
}

/** What stands on the vertical axis of a distribution: "share of QPs". */
static char *
share_name(const struct element *figure)
{
    static const char *const rows[] = {"runs",  "samples", "samples", "layers",
                                       "steps", "QPs",     "messages"};
    bool above = figure_value(figure, "y-log").integer != 0;
    return xformat("share of %s%s", rows[figure_value(figure, "data").integer],
                   above ? " above" : "");
}

/** The name of an axis: the scenario's, or what stands there. */
static void
add_axis_name(struct text *t, const struct element *figure, const char *axis)
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
add_references(struct text *t, const struct element *figure, const char *kind)
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
            text_add(&members, "%s_y[%zu] = %.9g\n%s_label[%zu] = ", kind, n, y, kind, n);
            add_string(&members, label ? label : "");
            text_add(&members, "\n");
        }
    }
    text_add(t, "n_%ss = %zu\narray %s_y[%zu]\narray %s_label[%zu]\n%s$%ss << END\n%sEND\n", kind,
             n, kind, n + 1, kind, n + 1, members.s ? members.s : "", kind,
             places.s ? places.s : "");
    free(places.s);
    free(members.s);
}

static void
add_settings(struct text *t, const struct element *figure, const struct figure_data *data)
{
    const char *name = element_value(figure, "name");
    const char *line_label = element_value(figure, "line-label");
    text_add(t,
             "# Draws %s.svg and %s.png from %s.dat: run 'gnuplot %s.gp' in this folder.\n"
             "# Written by 'weft plot'; the settings come from the scenario's <figure>.\n",
             name, name, name, name);
    add_variable(t, "name", name);
    add_variable(t, "title", element_value(figure, "title"));
    add_axis_name(t, figure, "x");
    add_axis_name(t, figure, "y");
    text_add(t, "n_series = %zu\nn_categories = %zu\n", data->nseries, data->ncategories);
    add_array(t, "series", data->series, data->nseries);
    text_add(t, "has_spread = %d\nhas_line = %d\n", has_spread(data), data->line != NULL);
    add_variable(t, "line_label", line_label ? line_label : element_value(figure, "line"));
    add_axis(t, figure, "x");
    add_axis(t, figure, "y");
    add_extent(t, figure, data);
    if (has_number_axis(figure))
    {
        add_tics(t, figure, data);
    }
    else
    {
        add_categories(t, data);
    }
    add_legend(t, figure, data);
    add_flag(t, figure, "values", "show_values");
    add_flag(t, figure, "points", "show_points");
    add_flag(t, figure, "spread", "spread_bars");
    add_references(t, figure, "level");
    add_references(t, figure, "mark");
    text_add(t, "\n");
}

/* --- gnuplot ---------------------------------------------------------------------------------- */

/** Runs gnuplot in the results folder; its exit status, or NO_GNUPLOT. */
static int
run_gnuplot(const char *out, const char *script)
{
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
    {
        int null = open("/dev/null", O_RDONLY);
        if (chdir(out) != 0 || null < 0 || dup2(null, STDIN_FILENO) < 0)
        {
            _exit(1);
        }
        execlp("gnuplot", "gnuplot", script, (char *)NULL);
        _exit(errno == ENOENT || errno == EACCES ? NO_GNUPLOT : 1);
    }
    int status = -1;
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
    {
    }
    return pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static bool
write_inputs(const struct element *figure, const struct figure_data *data, const char *out,
             char **why)
{
    const char *name = element_value(figure, "name");
    const char *kind = element_value(figure, "template");
    char *template = read_template(kind, why);
    if (!template)
    {
        return false;
    }
    struct text gp = {0}, dat = {0};
    bool deviation = figure_value(figure, "error").integer == 1;
    add_settings(&gp, figure, data);
    text_add(&gp, "%s", template);
    if (has_number_axis(figure))
    {
        add_lines(&dat, data, figure_value(figure, "x-log").integer != 0, deviation);
    }
    else
    {
        add_bars(&dat, data, deviation);
    }
    char *gp_name = xformat("%s.gp", name), *dat_name = xformat("%s.dat", name);
    bool good = file_replace(out, gp_name, gp.s, gp.len, why) &&
                file_replace(out, dat_name, dat.s, dat.len, why);
    free(gp_name);
    free(dat_name);
    free(gp.s);
    free(dat.s);
    free(template);
    return good;
}

/** What is drawn is then the mean of the others. */
static void
warn_of_lacking(const struct element *figure, const struct figure_data *data)
{
    if (data->nlacking)
    {
        bool rows = figure_value(figure, "data").integer != 0;
        fprintf(stderr, "weft: warning: figure %s: %zu of %zu runs %s %s\n",
                element_value(figure, "name"), data->nlacking, data->nruns,
                rows ? "lack values of" : "have no value of", figure_shown(figure));
    }
}

static bool
draw(const struct plan *plan, const struct element *figure, const char *out, char **why)
{
    struct figure_data *data = figure_read(plan, figure, out, why);
    bool good = data && write_inputs(figure, data, out, why);
    if (good)
    {
        warn_of_lacking(figure, data);
    }
    figure_data_free(data);
    if (!good)
    {
        return false;
    }
    char *script = xformat("%s.gp", element_value(figure, "name"));
    int status = run_gnuplot(out, script);
    if (status == NO_GNUPLOT)
    {
        *why = xformat("gnuplot is not installed; expected the package gnuplot-nox "
                       "(apt-get install gnuplot-nox)");
    }
    else if (status != 0)
    {
        *why = xformat("gnuplot ended with status %d on %s/%s", status, out, script);
    }
    free(script);
    return status == 0;
}

bool
figures_draw(const struct plan *plan, const char *out, const char *only)
{
    const struct element *root = plan->doc->root;
    bool good = true, found = false;
    struct nearest near = nearest_start(only ? only : "");
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *e = root->children[i];
        if (strcmp(e->name, "figure") != 0)
        {
            continue;
        }
        const char *name = element_value(e, "name");
        char *why = NULL;
        nearest_try(&near, name);
        if (only && strcmp(only, name) != 0)
        {
            continue;
        }
        found = true;
        if (draw(plan, e, out, &why))
        {
            printf("%s/%s.svg, %s.png\n", out, name, name);
        }
        else
        {
            fprintf(stderr, "%s:%d: error: figure %s cannot be drawn: %s\n", plan->doc->path,
                    e->line, name, why ? why : "unknown reason");
            good = false;
        }
        free(why);
    }
    if (only && !found)
    {
        fprintf(stderr, "weft: error: no figure is named '%s'%s\n", only, did_you_mean(near.best));
    }
    return good && (found || !only);
}
