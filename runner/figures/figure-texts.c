/* SPDX-License-Identifier: GPL-2.0-only */
/* Texts around the plots of a figure: its title, names of axes, its note. */
#include "figure-layout.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <weft/registry.h>

#include "figure-markup.h"
#include "figure-rows.h"
#include "figure-script.h"
#include "textbuf.h"
#include "vocabulary.h"

/* --- columns ---------------------------------------------------------------------------------- */

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))

/** Columns whose names are abbreviations or lack a word; the others are their names in words. */
static const struct
{
    const char *column, *title;
} titles[] = {
    {"cct_us", "completion time"},
    {"cct_acked_us", "completion time to the last ACK"},
    {"cct_mean_us", "mean completion time of the groups"},
    {"fct_us", "flow completion time"},
    {"bound_us", "lower bound"},
    {"bound_acked_us", "lower bound to the last ACK"},
    {"bound_rho_us", "lower bound at the highest rate that can be served"},
    {"slowdown", "slowdown over the lower bound"},
    {"increase", "increase over the lower bound"},
    {"increase_rho", "increase over the lower bound at rho_{max}"},
    {"step_increase_mean", "mean increase of a step over its lower bound"},
    {"rho_max", "rho_{max}"},
    {"mean_rate_gbps", "mean rate of the congestion control"},
    {"rate_gbps", "rate of the congestion control"},
    {"wire_rate_gbps", "rate on the wire"},
    {"resent_share", "share of packets sent again"},
    {"spurious_share", "share of spurious retransmissions"},
    {"data_sent", "data packets sent for the first time"},
    {"data_resent", "data packets sent again"},
    {"sent", "data packets sent for the first time"},
    {"resent", "data packets sent again"},
    {"duplicates", "data packets that arrived twice"},
    {"out_of_order", "data packets that arrived out of order"},
    {"nacks_sent", "NACKs sent"},
    {"nacks_received", "NACKs received"},
    {"cnps_received", "CNPs received"},
    {"cuts", "rate cuts"},
    {"marked", "ECN marks"},
    {"pauses", "PFC pause frames"},
    {"dropped_buffer", "packets dropped by full buffers"},
    {"dropped_link", "packets lost on dead links"},
    {"buffer_peak_bytes", "most buffer in use in a switch"},
    {"buffer_used_bytes", "buffer in use in the fullest switch"},
    {"queue_peak_bytes", "longest queue"},
    {"queue_mean_bytes", "mean queue"},
    {"load_max_bytes", "load of the most loaded port"},
    {"load_mean_bytes", "mean load of a port"},
    {"overload", "overload of the most loaded port"},
    {"qp", "QP"},
    {"qps", "QPs"},
    {"case", ""},
};

/** The ends of names that are units, and what a factor makes of them. */
static const struct
{
    const char *end;
    double scale;
    const char *unit;
} units[] = {
    {"_us", 1, "us"},
    {"_us", 1e-3, "ms"},
    {"_us", 1e-6, "s"},
    {"_us", 1e3, "ns"},
    {"_gbps", 1, "Gb/s"},
    {"_gbps", 1e3, "Mb/s"},
    {"_gbps", 1e-3, "Tb/s"},
    {"_bytes", 1, "bytes"},
    {"_bytes", 1e-3, "KB"},
    {"_bytes", 1e-6, "MB"},
    {"_bytes", 1e-9, "GB"},
    {"_bytes", 1.0 / 1024, "KiB"},
    {"_bytes", 1.0 / 1048576, "MiB"},
    {"", 1, ""},
    {"", 100, "%"},
};

static bool
ends_with(const char *s, const char *end)
{
    const size_t n = strlen(s), length = strlen(end);
    return n > length && strcmp(s + n - length, end) == 0;
}

/** The parameter "element.attribute" of a sweep, or NULL. */
static const struct weft_param *
parameter(const char *element, const char *attribute)
{
    const struct weft_registry *registry = weft_registry_find(element);
    for (size_t i = 0; registry && i < registry->count; i++)
    {
        const struct weft_param *p = weft_param_find(registry->algos[i], attribute);
        if (p)
        {
            return p;
        }
    }
    const struct element_spec *spec = vocabulary_find(element, "scenario");
    const struct attribute_spec *a = spec ? grammar_attribute(spec, attribute) : NULL;
    return a ? &a->param : NULL;
}

/** Adds words, with spaces for what joins them. */
static void
add_words(struct text *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++)
    {
        text_add(t, "%c", s[i] == '_' || s[i] == '-' ? ' ' : s[i]);
    }
}

/** Adds the name of "element.attribute" or "element:which.attribute". Returns its unit's end. */
static const char *
add_parameter(struct text *t, const char *column, const char *dot)
{
    const size_t whole = (size_t)(dot - column);
    const char *colon = memchr(column, ':', whole);
    const size_t length = colon ? (size_t)(colon - column) : whole;
    OWNED char *element = xformat("%.*s", (int)length, column);
    const struct weft_param *p = parameter(element, dot + 1);
    add_words(t, column, length);
    if (strcmp(dot + 1, "name") != 0 && strcmp(dot + 1, "kind") != 0)
    {
        text_add(t, " ");
        text_add(t, "%s", dot + 1);
    }
    if (colon)
    {
        text_add(t, " of %.*s", (int)(dot - colon - 1), colon + 1);
    }
    return !p                                                         ? ""
           : p->type == WEFT_TIME                                     ? "_us"
           : p->type == WEFT_RATE                                     ? "_gbps"
           : p->type == WEFT_BYTES && (strcmp(dot + 1, "bytes") != 0) ? "_bytes"
                                                                      : "";
}

/** Adds the name of a column of a CSV file. Returns its unit's end. */
static const char *
add_column(struct text *t, const char *column)
{
    size_t unit = 0;
    while (!ends_with(column, units[unit].end))
    {
        unit++;
    }
    const char *end = units[unit].end;
    for (size_t i = 0; i < COUNT_OF(titles); i++)
    {
        if (strcmp(titles[i].column, column) == 0)
        {
            text_add(t, "%s", titles[i].title);
            return end;
        }
    }
    add_words(t, column, strlen(column) - strlen(end));
    return end;
}

static void
add_unit(struct text *t, const char *end, double scale)
{
    for (size_t i = 0; i < COUNT_OF(units); i++)
    {
        if (strcmp(units[i].end, end) == 0 && fabs(scale / units[i].scale - 1) < 1e-6)
        {
            if (*units[i].unit)
            {
                text_add(t, " (%s)", units[i].unit);
            }
            return;
        }
    }
    text_add(t, " x %g", scale);
    if (*end)
    {
        text_add(t, " (%s)", end + 1);
    }
}

char *
column_title(const char *column, double scale, bool numbers)
{
    struct text t = {0};
    const char *dot = strchr(column, '.');
    const char *end = dot ? add_parameter(&t, column, dot) : add_column(&t, column);
    if (numbers)
    {
        add_unit(&t, end, scale);
    }
    return text_take(&t);
}

/** The names of the columns in a list of words, with commas. The caller frees it. */
static char *
columns_title(const char *columns, double scale, bool numbers)
{
    CLEANUP(words_free) struct words w = words_split(columns);
    struct text t = {0};
    for (size_t i = 0; i < w.n; i++)
    {
        OWNED char *title = column_title(w.word[i], scale, numbers);
        text_add(&t, "%s%s", i && t.len ? ", " : "", title);
    }
    return text_take(&t);
}

/* --- all texts of a figure -------------------------------------------------------------------- */

#define DENSE      50 /* points of a line */
#define MOST_BANDS 4  /* in a panel */

/** Returns the name of the vertical axis of a distribution: "share of QPs". */
static char *
share_name(const struct figure *figure)
{
    static const char *const rows[] = {"runs",  "samples", "samples",  "layers",
                                       "steps", "QPs",     "messages", "workloads"};
    return xformat("share of %s%s", figure->query ? "rows" : rows[figure->data],
                   figure->y.log ? " above" : "");
}

/** Returns the name of a value in the figure. */
static const char *
name_of(const struct figure_names *names, const char *key, const char *otherwise)
{
    for (size_t i = 0; i < names->n; i++)
    {
        otherwise = strcmp(names->keys[i * names->parts], key) == 0 ? names->names[i] : otherwise;
    }
    return otherwise;
}

/** The name of an axis: the scenario's, or what stands there. The caller frees it. */
static char *
axis_name(const struct figure *figure, const struct figure_data *data,
          const struct axis_attributes *axis)
{
    const enum figure_kind kind = figure->kind;
    const bool is_y = axis == &figure->y, heat = kind == FIGURE_HEATMAP;
    const char *column = axis->column, *relative = is_y ? figure->relative_to : NULL;
    const bool named = is_y && kind == FIGURE_TIMELINE; /* its rows have names */
    const bool numbers =
        heat ? axis == &figure->z : !named && (is_y || !figure_has_categories(figure));
    if (axis->label)
    {
        return xstrdup(axis->label);
    }
    if (is_y && kind == FIGURE_CDF)
    {
        return share_name(figure);
    }
    if (!column)
    {
        return xstrdup("");
    }
    char *title = columns_title(column, axis->scale, numbers && !relative);
    if (relative)
    {
        OWNED char *plain = title;
        title = xformat(
            "%s relative to %s%s", plain,
            name_of(figure_series(figure) ? &data->series : &data->categories, relative, relative),
            fabs(axis->scale / 100 - 1) < 1e-6 ? " (%)" : "");
    }
    return title;
}

bool
figure_is_dense(const struct figure *figure, const struct figure_data *data)
{
    size_t most = 0;
    for (size_t i = 0; i < data->ncurves; i++)
    {
        const size_t n = data->first[i + 1] - data->first[i];
        most = n > most ? n : most;
    }
    return figure_is(figure, FIGURES_OF_LINES) && most > DENSE;
}

enum figure_spread
figure_spread(const struct figure *figure, const struct figure_data *data)
{
    const enum figure_spread given = (enum figure_spread)figure->spread;
    if (!figure_is(figure, FIGURES_OF_LINES))
    {
        return SPREAD_BARS;
    }
    return given != SPREAD_AUTO            ? given
           : data->series.n <= MOST_BANDS  ? SPREAD_BAND
           : figure_is_dense(figure, data) ? SPREAD_NONE
                                           : SPREAD_BARS;
}

/** Returns what the whiskers and boxes span; "" where there is nothing to say. The caller frees it.
 * */
static char *
spread_note(const struct plan *plan, const struct figure *figure, const struct figure_data *data)
{
    static const char *const spans[] = {"mean and 95 % confidence interval",
                                        "mean, least and greatest", "mean and standard deviation"};
    const enum figure_kind kind = figure->kind;
    size_t least, most;
    if (!figure->note)
    {
        return xstrdup("");
    }
    if (kind == FIGURE_BOX)
    {
        return xstrdup("median, quartiles, last values within 1.5 IQR, extremes");
    }
    if (kind == FIGURE_CDF || kind == FIGURE_SCATTER || kind == FIGURE_TIMELINE ||
        !figure_has_spread(data, &least, &most))
    {
        return xstrdup("");
    }
    bool seeds = false;
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        seeds = seeds || plan->dimensions[k].is_seeds;
    }
    seeds = seeds && !figure->pool;
    const bool alone = kind == FIGURE_HEATMAP || figure_spread(figure, data) == SPREAD_NONE;
    const char *span = alone ? "mean" : spans[figure->error];
    const bool own = figure->query != NULL;
    OWNED char *fewest = least < most ? xformat("%zu to ", least) : xstrdup("");
    char *note = own && (data->whiskers || !data->counted)
                     ? xstrdup("")
                     : xformat("%s of %s%zu %s", own ? "mean" : span, fewest, most,
                               seeds && !own ? "seeds" : "values");
    return note;
}

/** Takes "(bytes)" from the end of an axis' name; whether it was there. */
static bool
take_bytes(char *name)
{
    static const char end[] = "(bytes)";
    const size_t length = sizeof end - 1;
    size_t n = strlen(name);
    if (n < length || strcmp(name + n - length, end) != 0)
    {
        return false;
    }
    n -= length;
    while (n > 0 && name[n - 1] == ' ')
    {
        n--;
    }
    name[n] = '\0';
    return true;
}

/** Whether the numbers of an axis are bytes: by its column, or as its name, which then loses this
 * unit, has it. */
static bool
is_of_bytes(const struct figure *figure, const struct axis_attributes *axis, char *name)
{
    const char *column = axis->column, *dot = column ? strchr(column, '.') : NULL;
    const bool plain = axis->scale >= 1 && axis->scale <= 1;
    OWNED char *title = column && plain ? column_title(column, 1, true) : xstrdup("");
    const bool relative = axis == &figure->y && figure->relative_to;
    const bool named = take_bytes(name);
    const bool is = take_bytes(title) || (plain && dot && strcmp(dot, ".bytes") == 0);
    return named || (is && !relative);
}

static const char *
column_name(const struct plan_column *column)
{
    return column ? column->dim->columns[column->cell] : NULL;
}

/** A panel is called by its value; a number without a label needs to say of what. */
static void
name_panels(struct figure_texts *t, const struct plan *plan, const struct figure *figure,
            const struct figure_data *data)
{
    const char *given = figure->panels;
    const char *column = given ? given : column_name(data->panels.column);
    OWNED char *title = column_title(column ? column : "case", 1, false);
    t->panels = xcalloc(data->panels.n + 1, sizeof *t->panels);
    t->npanels = data->panels.n;
    for (size_t i = 0; i < data->panels.n; i++)
    {
        const char *key = data->panels.keys[i], *name = data->panels.names[i];
        OWNED char *value = figure_value_name(plan, data->panels.column, key);
        const bool digits = (*key >= '0' && *key <= '9') || strcmp(key, "inf") == 0;
        const bool number = digits && strcmp(value, name) == 0 && *title;
        t->panels[i] = number ? xformat("%s = %s", title, name) : xstrdup(name);
    }
}

/** Returns what stands below a figure: what it shows of several runs, and notes on these. The
 * caller frees it. */
static char *
whole_note(const struct plan *plan, const struct figure *figure, const struct figure_data *data)
{
    char *spread = spread_note(plan, figure, data);
    if (!data->remarks)
    {
        return spread;
    }
    char *both = xformat("%s%s%s", spread, *spread ? ROW_END_TEXT : "", data->remarks);
    free(spread);
    return both;
}

struct figure_texts
figure_texts_make(const struct plan *plan, const struct figure *figure,
                  const struct figure_data *data)
{
    const char *title = figure->title;
    const char *legend = figure->series_label;
    const char *series = figure->kind == FIGURE_HEATMAP ? NULL
                         : figure->query                ? column_name(data->series.column)
                                                        : figure_series(figure);
    struct figure_texts t = {.title = xstrdup(title ? title : ""),
                             .x = axis_name(figure, data, &figure->x),
                             .y = axis_name(figure, data, &figure->y),
                             .z = axis_name(figure, data, &figure->z),
                             .legend = legend ? xstrdup(legend)
                                              : column_title(series ? series : "case", 1, false),
                             .note = whole_note(plan, figure, data)};
    bool labelled = false; /* what stands on the axis then is the scenario's */
    for (size_t i = 0; i < data->ntics; i++)
    {
        labelled = labelled || data->tics[i].labelled;
    }
    name_panels(&t, plan, figure, data);
    t.x_bytes = !labelled && !figure_has_categories(figure) && is_of_bytes(figure, &figure->x, t.x);
    t.y_bytes = figure->kind != FIGURE_HEATMAP && is_of_bytes(figure, &figure->y, t.y);
    t.z_bytes = is_of_bytes(figure, &figure->z, t.z);
    return t;
}

void
figure_texts_free(struct figure_texts *t)
{
    free(t->title);
    free(t->x);
    free(t->y);
    free(t->z);
    free(t->legend);
    free(t->note);
    for (size_t i = 0; i < t->npanels; i++)
    {
        free(t->panels[i]);
    }
    free(t->panels);
}
