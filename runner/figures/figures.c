/* SPDX-License-Identifier: GPL-2.0-only */
#include "figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "database.h"
#include "figure-rows.h"
#include "figure-script.h"
#include "figure.h"
#include "files.h"
#include "gnuplot.h"
#include "shown-text.h"
#include "textbuf.h"

/** Writes NAME.gp and NAME.dat. */
static bool
write_inputs(const struct plan *plan, const struct figure *figure, const struct figure_data *data,
             const char *out, char **why)
{
    const char *name = figure->name;
    OWNED char *script = figure_script(plan, figure, data, why);
    if (!script)
    {
        return false;
    }
    OWNED char *rows = figure_numbers(figure, data);
    OWNED char *gp = xformat("%s.gp", name), *dat = xformat("%s.dat", name);
    const struct file_bytes files[] = {{gp, script, strlen(script)}, {dat, rows, strlen(rows)}};
    return files_replace(out, files, 2, why);
}

/** Writes NAME.svg, NAME.png and NAME.pdf. */
static bool
write_drawings(const char *name, const char *out, char **why)
{
    struct drawing drawn[DRAWINGS] = {{0}};
    struct file_bytes files[DRAWINGS] = {{0}};
    char *names[DRAWINGS];
    bool good = gnuplot_draw(out, name, drawn, why);
    for (size_t i = 0; i < DRAWINGS; i++)
    {
        names[i] = xformat("%s.%s", name, drawing_kinds[i]);
        files[i] = (struct file_bytes){names[i], drawn[i].bytes, drawn[i].n};
    }
    good = good && files_replace(out, files, DRAWINGS, why);
    for (size_t i = 0; i < DRAWINGS; i++)
    {
        free(drawn[i].bytes);
        free(names[i]);
    }
    return good;
}

/** Warns of values that are lacking: what is drawn is then the mean of the others. */
static void
warn_of_lacking(const struct figure *figure, const struct figure_data *data)
{
    if (data->nlacking && figure->query)
    {
        print_shown(stderr,
                    "weft: warning: figure %s: %zu of %zu values rest on rows of which some have "
                    "none\n",
                    figure->name, data->nlacking, data->nruns);
    }
    else if (data->nlacking)
    {
        print_shown(stderr, "weft: warning: figure %s: %zu of %zu runs %s %s\n", figure->name,
                    data->nlacking, data->nruns,
                    figure->data ? "lack values of" : "have no value of", figure_shown(figure));
    }
}

size_t
figures_count(const struct plan *plan)
{
    size_t n = 0;
    for (const struct element *e = NULL;
         (e = element_child_after(plan->doc->root, "figure", e)) != NULL; n++)
    {
    }
    return n;
}

bool
figures_know(const struct plan *plan, const char *only)
{
    const struct element *root = plan->doc->root, *e = NULL;
    struct nearest near = nearest_start(only ? only : "");
    const bool known = !only || element_named(root, "figure", only);
    while (!known && (e = element_child_after(root, "figure", e)) != NULL)
    {
        nearest_try(&near, element_value(e, "name"));
    }
    if (!known)
    {
        print_shown(stderr, "weft: error: no figure is named '%s'%s\n", only,
                    did_you_mean(near.best));
    }
    return known;
}

/** Reads the next figure of all, or of those named @p only, after *e (NULL: the first); false:
 * there is no more. */
static bool
next_figure(const struct plan *plan, const char *only, const struct element **e, struct figure *f)
{
    while ((*e = element_child_after(plan->doc->root, "figure", *e)) != NULL)
    {
        if (!only || strcmp(only, element_value(*e, "name")) == 0)
        {
            return figure_load(f, *e);
        }
    }
    return false;
}

/** Where figures come from and go to. */
struct drawing_board
{
    struct database *results;
    const char *out;
    struct text short_intervals; /**< the figures that show some */
    size_t nshort, least;        /**< so many; the fewest values of an interval */
};

static void
note_intervals(struct drawing_board *b, const struct figure *figure, const struct figure_data *data)
{
    size_t least, most;
    if (figure_has_short_intervals(figure, data) && figure_has_spread(data, &least, &most))
    {
        text_add(&b->short_intervals, "%s%s", b->nshort ? ", " : "", figure->name);
        b->least = b->nshort++ == 0 || most < b->least ? most : b->least;
    }
}

/** With so few seeds an interval says more about their number than about the results. */
static void
warn_of_intervals(const struct drawing_board *b)
{
    if (b->nshort)
    {
        print_shown(
            stderr,
            "weft: warning: figure%s %s: a 95 %% confidence interval of %zu values is wide by "
            "Student's t alone; expected %d seeds or more, or error=\"extremes\"\n",
            b->nshort > 1 ? "s" : "", b->short_intervals.s, b->least, FEW_VALUES);
    }
}

static bool
draw_one(const struct plan *plan, const struct figure *figure, struct drawing_board *b)
{
    const char *name = figure->name;
    struct query_mistake m = {NULL, figure->e->line};
    struct figure_data *data = figure_read(plan, figure, b->results, &m);
    m.line = data ? figure->e->line : m.line; /* a query that was well set none */
    bool good = data && write_inputs(plan, figure, data, b->out, &m.message);
    if (good)
    {
        warn_of_lacking(figure, data);
        note_intervals(b, figure, data);
    }
    good = good && write_drawings(name, b->out, &m.message);
    figure_data_free(data);
    if (good)
    {
        print_shown(stdout, "%s/%s.svg, %s.png, %s.pdf\n", b->out, name, name, name);
    }
    else
    {
        /* The message may name a value of a query, which is any text. */
        CLEANUP(text_drop) struct text why = {0};
        text_add_message(&why, m.message);
        print_shown(stderr, "%s:%d: error: figure %s cannot be drawn: %s\n", plan->doc->path,
                    m.line, name, why.s);
    }
    free(m.message);
    return good;
}

bool
figures_draw(const struct plan *plan, const char *out, const char *only, const char *beside)
{
    OWNED char *why = NULL;
    struct drawing_board board = {.results = database_open(out, &why), .out = out};
    if (board.results && beside && !database_put_beside(board.results, beside, &why))
    {
        database_close(board.results);
        board.results = NULL;
    }
    if (!board.results)
    {
        print_shown(stderr, "weft: error: no figure can be drawn: %s\n", why);
    }
    bool good = board.results != NULL;
    struct figure f;
    for (const struct element *e = NULL; board.results && next_figure(plan, only, &e, &f);)
    {
        good = draw_one(plan, &f, &board) && good;
        figure_drop(&f);
    }
    warn_of_intervals(&board);
    database_close(board.results);
    free(board.short_intervals.s);
    return good;
}

void
figures_print_queries(const struct plan *plan, const char *only)
{
    struct figure f;
    for (const struct element *e = NULL; next_figure(plan, only, &e, &f);)
    {
        OWNED char *sql = figure_query(plan, &f);
        print_shown(stdout, "-- figure %s, %s:%d\n%s;\n", f.name, plan->doc->path, e->line, sql);
        figure_drop(&f);
    }
}
