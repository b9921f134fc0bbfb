/* SPDX-License-Identifier: GPL-2.0-only */
#include "figures.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "figure-numbers.h"
#include "figure-script.h"
#include "figure.h"
#include "files.h"
#include "gnuplot.h"
#include "textbuf.h"

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

/** Writes NAME.gp and NAME.dat. */
static bool
write_inputs(const struct plan *plan, const struct element *figure, const struct figure_data *data,
             const char *out, char **why)
{
    const char *name = element_value(figure, "name");
    char *script = figure_script(plan, figure, data, why);
    if (!script)
    {
        return false;
    }
    char *rows = figure_numbers(figure, data);
    char *gp = xformat("%s.gp", name), *dat = xformat("%s.dat", name);
    const struct file_bytes files[] = {{gp, script, strlen(script)}, {dat, rows, strlen(rows)}};
    bool good = files_replace(out, files, 2, why);
    free(gp);
    free(dat);
    free(rows);
    free(script);
    return good;
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
    bool good = data && write_inputs(plan, figure, data, out, why);
    if (good)
    {
        warn_of_lacking(figure, data);
    }
    figure_data_free(data);
    return good && write_drawings(element_value(figure, "name"), out, why);
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
            printf("%s/%s.svg, %s.png, %s.pdf\n", out, name, name, name);
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
