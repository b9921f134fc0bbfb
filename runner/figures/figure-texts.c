/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure-texts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "figure-names.h"
#include "figure-script.h"

#define DENSE      50 /* points of a line */
#define MOST_BANDS 4  /* in a panel */

/** What stands on the vertical axis of a distribution: "share of QPs". */
static char *
share_name(const struct element *figure)
{
    static const char *const rows[] = {"runs",  "samples", "samples",  "layers",
                                       "steps", "QPs",     "messages", "workloads"};
    bool above = element_number(figure, "y-log").integer != 0;
    return xformat("share of %s%s",
                   figure_own_query(figure) ? "rows" : rows[element_number(figure, "data").integer],
                   above ? " above" : "");
}

/** The name of an axis: the scenario's, or what stands there. The caller frees it. */
static char *
axis_name(const struct element *figure, const char *axis)
{
    const enum figure_kind kind = figure_kind(figure);
    const bool is_y = *axis == 'y', heat = kind == FIGURE_HEATMAP;
    OWNED char *label = xformat("%s-label", axis), *scale = xformat("%s-scale", axis);
    const char *given = element_value(figure, label), *column = element_value(figure, axis);
    const double factor = element_number(figure, scale).real;
    const char *relative = is_y ? element_value(figure, "relative-to") : NULL;
    const bool numbers = heat ? *axis == 'z' : is_y || !figure_has_categories(figure);
    if (given)
    {
        return xstrdup(given);
    }
    if (is_y && kind == FIGURE_CDF)
    {
        return share_name(figure);
    }
    if (!column)
    {
        return xstrdup("");
    }
    char *title = columns_title(column, factor, numbers && !relative);
    if (relative)
    {
        OWNED char *plain = title;
        title = xformat("%s relative to %s%s", plain, relative,
                        fabs(factor / 100 - 1) < 1e-6 ? " (%)" : "");
    }
    return title;
}

bool
figure_is_dense(const struct element *figure, const struct figure_data *data)
{
    size_t most = 0;
    for (size_t i = 0; i < data->ncurves; i++)
    {
        most = data->npoints[i] > most ? data->npoints[i] : most;
    }
    return figure_kind(figure) == FIGURE_LINES && most > DENSE;
}

enum figure_spread
figure_spread(const struct element *figure, const struct figure_data *data)
{
    const enum figure_spread given = (enum figure_spread)element_number(figure, "spread").integer;
    if (figure_kind(figure) != FIGURE_LINES)
    {
        return SPREAD_BARS;
    }
    return given != SPREAD_AUTO            ? given
           : data->series.n <= MOST_BANDS  ? SPREAD_BAND
           : figure_is_dense(figure, data) ? SPREAD_NONE
                                           : SPREAD_BARS;
}

/** What the whiskers and boxes span; "" where there is nothing to say. The caller frees it. */
static char *
spread_note(const struct plan *plan, const struct element *figure, const struct figure_data *data)
{
    static const char *const spans[] = {"mean and 95 % confidence interval",
                                        "mean, least and greatest", "mean and standard deviation"};
    const enum figure_kind kind = figure_kind(figure);
    size_t least, most;
    if (!element_number(figure, "note").integer)
    {
        return xstrdup("");
    }
    if (kind == FIGURE_BOX)
    {
        return xstrdup("median, quartiles, last values within 1.5 IQR, extremes");
    }
    if (kind == FIGURE_CDF || kind == FIGURE_SCATTER || !figure_has_spread(data, &least, &most))
    {
        return xstrdup("");
    }
    bool seeds = false;
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        seeds = seeds || plan->dimensions[k].is_seeds;
    }
    seeds = seeds && !element_number(figure, "pool").integer;
    const bool alone = kind == FIGURE_HEATMAP || figure_spread(figure, data) == SPREAD_NONE;
    const char *span = alone ? "mean" : spans[element_number(figure, "error").integer];
    const bool own = figure_own_query(figure) != NULL;
    OWNED char *fewest = least < most ? xformat("%zu to ", least) : xstrdup("");
    char *note = own && !data->counted ? xstrdup("")
                                       : xformat("%s of %s%zu %s", own ? "mean" : span, fewest,
                                                 most, seeds && !own ? "seeds" : "values");
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
is_of_bytes(const struct element *figure, const char *axis, char *name)
{
    const char *column = element_value(figure, axis), *dot = column ? strchr(column, '.') : NULL;
    OWNED char *scale = xformat("%s-scale", axis);
    const double factor = element_number(figure, scale).real;
    const bool plain = factor >= 1 && factor <= 1;
    OWNED char *title = column && plain ? column_title(column, 1, true) : xstrdup("");
    const bool relative = *axis == 'y' && element_attribute(figure, "relative-to");
    const bool named = take_bytes(name);
    const bool is = take_bytes(title) || (plain && dot && strcmp(dot, ".bytes") == 0);
    return named || (is && !relative);
}

/** A panel is called by its value; a number without a label needs to say of what. */
static void
name_panels(struct figure_texts *t, const struct element *figure, const struct figure_data *data)
{
    const char *given = element_value(figure, "panels");
    const char *column = given ? given : data->panels.column;
    OWNED char *title = column_title(column ? column : "case", 1, false);
    t->panels = xcalloc(data->panels.n + 1, sizeof *t->panels);
    t->npanels = data->panels.n;
    for (size_t i = 0; i < data->panels.n; i++)
    {
        const char *key = data->panels.keys[i], *name = data->panels.names[i];
        const bool number = *key >= '0' && *key <= '9' && strcmp(key, name) == 0 && *title;
        t->panels[i] = number ? xformat("%s = %s", title, name) : xstrdup(name);
    }
}

struct figure_texts
figure_texts_make(const struct plan *plan, const struct element *figure,
                  const struct figure_data *data)
{
    const char *title = element_value(figure, "title");
    const char *legend = element_value(figure, "series-label");
    const char *series = figure_kind(figure) == FIGURE_HEATMAP ? NULL
                         : figure_own_query(figure)            ? data->series.column
                                                               : figure_series(figure);
    struct figure_texts t = {.title = xstrdup(title ? title : ""),
                             .x = axis_name(figure, "x"),
                             .y = axis_name(figure, "y"),
                             .z = axis_name(figure, "z"),
                             .legend = legend ? xstrdup(legend)
                                              : column_title(series ? series : "case", 1, false),
                             .note = spread_note(plan, figure, data)};
    bool labelled = false; /* what stands on the axis then is the scenario's */
    for (size_t i = 0; i < data->ntics; i++)
    {
        labelled = labelled || data->tics[i].labelled;
    }
    name_panels(&t, figure, data);
    t.x_bytes = !labelled && !figure_has_categories(figure) && is_of_bytes(figure, "x", t.x);
    t.y_bytes = figure_kind(figure) != FIGURE_HEATMAP && is_of_bytes(figure, "y", t.y);
    t.z_bytes = is_of_bytes(figure, "z", t.z);
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
