/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure.h"

#include <stdlib.h>
#include <string.h>

#include "element-values.h"

/* --- the element ------------------------------------------------------------------------------ */

/** Splits "where" into its conditions. */
static void
read_conditions(struct figure *f)
{
    CLEANUP(words_free) struct words w = words_split(f->where ? f->where : "");
    f->conditions = xcalloc(w.n + 1, sizeof *f->conditions);
    for (; f->nconditions < w.n; f->nconditions++)
    {
        struct figure_condition *c = &f->conditions[f->nconditions];
        c->column = xstrdup(w.word[f->nconditions]);
        char *equals = strchr(c->column, '=');
        if (equals && equals > c->column)
        {
            *equals = '\0';
            c->value = equals + 1;
        }
    }
}

static void
read_references(struct figure *f, struct diagnostics *unheard)
{
    for (size_t i = 0; i < f->e->nchildren; i++)
    {
        const struct element *e = f->e->children[i];
        if (e->spec && e->spec->size)
        {
            struct figure_reference *r = element_next(e->spec, f);
            element_read(e, e->spec, r, unheard);
            r->e = e;
        }
    }
}

/** Finds the kind; false: there is no such template. */
static bool
read_kind(struct figure *f)
{
    union attribute_value kind = {.integer = f->like};
    if (!f->template)
    {
        return false;
    }
    f->own_template = template_is_file(f->template) ? f->template : NULL;
    const bool good = f->own_template || attribute_parse(grammar_attribute(f->e->spec, "template"),
                                                         f->template, &kind) == 0;
    f->kind = (enum figure_kind)kind.integer;
    return good;
}

bool
figure_load(struct figure *f, const struct element *e)
{
    CLEANUP(diag_free) struct diagnostics unheard = {.file = ""};
    *f = (struct figure){.e = e, .query = element_child(e, "query")};
    element_read(e, e->spec, f, &unheard);
    const bool good = read_kind(f) && f->name;
    for (size_t i = 0; i < e->spec->nattributes; i++)
    {
        const struct attribute_spec *spec = &e->spec->attributes[i];
        if (spec->templates && !figure_is(f, spec->templates))
        {
            attribute_set_default(spec, f);
        }
    }
    f->x_columns = words_split(f->x.column ? f->x.column : "");
    read_conditions(f);
    read_references(f, &unheard);
    return good;
}

void
figure_drop(struct figure *f)
{
    words_free(&f->x_columns);
    for (size_t i = 0; i < f->nconditions; i++)
    {
        free(f->conditions[i].column);
    }
    free(f->conditions);
    free(f->references);
}

bool
figure_is(const struct figure *figure, unsigned kinds)
{
    return (FIGURE_SET(figure->kind) & kinds) != 0;
}

bool
figure_has_categories(const struct figure *figure)
{
    return !figure_is(figure, FIGURES_OF_NUMBERS);
}

const struct column_table *
figure_table(const struct figure *figure)
{
    static const struct column_table *const tables[] = {
        &summary_table, &series_table, &queues_table,    &layers_table,   &steps_table,
        &qps_table,     &flows_table,  &workloads_table, &timeline_table,
    };
    return tables[figure->data];
}

const struct figure_names *
figure_rows(const struct figure *figure, const struct figure_data *data)
{
    return figure->kind == FIGURE_HEATMAP ? &data->series : &data->lanes;
}

const char *
figure_series(const struct figure *figure)
{
    return figure->kind == FIGURE_HEATMAP ? figure->y.column : figure->series;
}

const char *
figure_line_label(const struct figure *figure)
{
    return figure->line_label ? figure->line_label : figure->line ? figure->line : "line";
}

const char *
figure_shown(const struct figure *figure)
{
    return figure->kind == FIGURE_CDF       ? figure->x.column
           : figure->kind == FIGURE_HEATMAP ? figure->z.column
                                            : figure->y.column;
}

bool
figure_is_mark(const struct figure_reference *reference)
{
    return strcmp(reference->e->name, "mark") == 0;
}

/* --- the numbers ------------------------------------------------------------------------------ */

static void
free_names(struct figure_names *names)
{
    for (size_t i = 0; i < names->n * names->parts; i++)
    {
        free(names->keys[i]);
    }
    for (size_t i = 0; names->names && i < names->n; i++)
    {
        free(names->names[i]);
    }
    free(names->keys);
    free(names->names);
}

void
figure_add_point(struct figure_data *d, struct figure_point p)
{
    ARRAY_GROW(d->points, d->npoints);
    d->points[d->npoints++] = p;
}

void
figure_data_free(struct figure_data *data)
{
    if (!data)
    {
        return;
    }
    for (size_t i = 0; i < data->ntics; i++)
    {
        free(data->tics[i].name);
    }
    free_names(&data->series);
    free_names(&data->panels);
    free_names(&data->categories);
    free_names(&data->lanes);
    free(data->points);
    free(data->first);
    free(data->line);
    free(data->tics);
    free(data->remarks);
    free(data);
}

bool
figure_data_has_series(const struct figure_data *data)
{
    return data->series.n > 1 || (data->series.n == 1 && *data->series.keys[0]);
}
