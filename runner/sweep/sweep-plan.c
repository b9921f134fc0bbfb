/* SPDX-License-Identifier: GPL-2.0-only */
#include "sweep-plan.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "columns.h"
#include "element-values.h"
#include "textbuf.h"

static struct plan_dimension *
add_dimension(struct plan *plan)
{
    ARRAY_GROW(plan->dimensions, plan->ndimensions);
    struct plan_dimension *dim = &plan->dimensions[plan->ndimensions++];
    *dim = (struct plan_dimension){0};
    return dim;
}

static void
add_column(struct plan_dimension *dim, const char *name)
{
    ARRAY_GROW(dim->columns, dim->ncolumns);
    dim->columns[dim->ncolumns++] = xstrdup(name);
}

static struct plan_point *
add_point(struct plan_dimension *dim)
{
    ARRAY_GROW(dim->points, dim->npoints);
    struct plan_point *point = &dim->points[dim->npoints++];
    *point = (struct plan_point){0};
    return point;
}

static void
add_cell(struct plan_point *point, size_t column, const char *cell)
{
    point->cells = xrealloc(point->cells, column + 1, sizeof *point->cells);
    point->cells[column] = xstrdup(cell);
}

static void
add_set(struct plan_point *point, const struct override *model, const char *value)
{
    ARRAY_GROW(point->sets, point->nsets);
    point->sets[point->nsets++] =
        (struct override){model->spec, xstrdup(model->element), xstrdup(model->attribute),
                          xstrdup(value), model->line};
}

static void
add_case(struct plan_dimension *dim, const struct element *e, struct diagnostics *d)
{
    const char *name = element_value(e, "name"), *label = element_value(e, "label");
    const char *colour = element_value(e, "colour"), *style = element_value(e, "style");
    struct plan_point *point = add_point(dim);
    dim->has_cases = true;
    add_cell(point, 0, name ? name : "");
    point->label = label ? xstrdup(label) : NULL;
    plan_look_take(&point->look, e, "colour", colour ? colour : "auto", d);
    plan_look_take(&point->look, e, "style", style ? style : "auto", d);
    point->adds = e;
    for (size_t i = 0; i < e->nchildren; i++)
    {
        const struct element *set = e->children[i];
        const char *param = element_value(set, "param"), *value = element_value(set, "value");
        struct override model;
        if (param && value && override_parse(param, element_line(set, "param"), &model, d))
        {
            model.line = element_line(set, "value");
            add_set(point, &model, value);
            override_free(&model);
        }
    }
}

/* --- vary and zip ----------------------------------------------------------------------------- */

static void
check_repeated(const struct element *e, const struct words *values, struct diagnostics *d)
{
    for (size_t i = 0; i < values->n; i++)
    {
        for (size_t k = 0; k < i && values->n <= 1000; k++)
        {
            if (strcmp(values->word[i], values->word[k]) == 0)
            {
                diag_error(d, element_line(e, "values"),
                           "value '%s' of <vary param=\"%s\"> stands twice; expected each once",
                           values->word[i], element_value(e, "param"));
            }
        }
    }
}

/** Takes the words of a <vary>'s colours or styles, one for each point of its dimension. */
static void
add_looks(struct plan_dimension *dim, const struct element *e, const char *attribute,
          struct diagnostics *d)
{
    const char *text = element_value(e, attribute);
    CLEANUP(words_free) struct words w = words_split(text ? text : "");
    if (text && w.n != dim->npoints)
    {
        diag_error(d, element_line(e, attribute), "%zu %s for %zu values; expected one each", w.n,
                   attribute, dim->npoints);
    }
    for (size_t i = 0; i < w.n && w.n == dim->npoints; i++)
    {
        plan_look_take(&dim->points[i].look, e, attribute, w.word[i], d);
    }
}

/** Adds the cases of a <vary>, which are values of other names. */
static void
add_cases_of(struct plan_dimension *dim, const struct element *e, struct diagnostics *d)
{
    const size_t nvalues = dim->npoints;
    for (size_t i = 0; i < e->nchildren; i++)
    {
        const struct element *c = e->children[i];
        const char *name = element_value(c, "name");
        for (size_t k = 0; k < nvalues && name; k++)
        {
            if (strcmp(dim->points[k].cells[0], name) == 0)
            {
                diag_error(d, element_line(c, "name"),
                           "<case name=\"%s\"> has the name of a value of <vary param=\"%s\">; "
                           "expected another one",
                           name, element_value(e, "param"));
            }
        }
        add_case(dim, c, d);
    }
}

/** Adds the values of a <vary> to a dimension: as new points, or to those of its zip partners. */
static void
add_vary(struct plan_dimension *dim, const struct element *e, bool may_repeat,
         struct diagnostics *d)
{
    struct override model;
    const char *param = element_value(e, "param"), *text = element_value(e, "values");
    if (!param || !text || !override_parse(param, element_line(e, "param"), &model, d))
    {
        return;
    }
    model.line = element_line(e, "values");
    CLEANUP(words_free) struct words values = words_split(text);
    const char *label_text = element_value(e, "labels");
    CLEANUP(words_free) struct words labels = words_split_at(label_text ? label_text : "", '|');
    if (!may_repeat)
    {
        check_repeated(e, &values, d);
    }
    if (label_text && labels.n != values.n)
    {
        diag_error(d, element_line(e, "labels"), "%zu labels for %zu values; expected one each",
                   labels.n, values.n);
    }
    else if (dim->ncolumns && values.n != dim->npoints)
    {
        diag_error(d, model.line,
                   "<vary param=\"%s\"> in a <zip> has %zu values; expected %zu like the first one",
                   param, values.n, dim->npoints);
    }
    else
    {
        bool first = dim->ncolumns == 0;
        for (size_t i = 0; i < values.n; i++)
        {
            struct plan_point *point = first ? add_point(dim) : &dim->points[i];
            add_set(point, &model, values.word[i]);
            add_cell(point, dim->ncolumns, values.word[i]);
            if (label_text && !point->label)
            {
                point->label = xstrdup(labels.word[i]);
            }
        }
        add_column(dim, param);
        add_looks(dim, e, "colours", d);
        add_looks(dim, e, "styles", d);
        add_cases_of(dim, e, d);
    }
    override_free(&model);
}

static void
add_zip(struct plan *plan, const struct element *e, struct diagnostics *d)
{
    struct plan_dimension *dim = add_dimension(plan);
    for (size_t i = 0; i < e->nchildren; i++)
    {
        const struct element *c = e->children[i], *extra = element_child(c, "case");
        if (extra)
        {
            diag_error(d, extra->line, "<case> in a <vary> of a <zip>; expected values alone");
            return;
        }
        add_vary(dim, c, true, d);
    }
    if (e->nchildren == 0)
    {
        diag_error(d, e->line, "<zip> is empty; expected two or more <vary>");
    }
}

/* --- cases and seeds -------------------------------------------------------------------------- */

/** Whether a column of summary.csv or aggregate.csv has that name, or begins with it and ends as
 * aggregate.csv's do. SQL does not tell upper from lower case. */
static bool
is_taken(const char *name)
{
    static const char *const own[] = {"run", "name", "seed", "seeds", "rowid"};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    {
        if (strcasecmp(own[i], name) == 0)
        {
            return true;
        }
    }
    for (size_t i = 0; i < summary_table.n; i++)
    {
        const size_t n = strlen(summary_table.columns[i].name);
        if (strncasecmp(summary_table.columns[i].name, name, n) == 0 &&
            (name[n] == '\0' || name[n] == '_'))
        {
            return true;
        }
    }
    return false;
}

/** The column of <cases> must be no other's. */
static void
check_column(const struct plan *plan, const struct element *e, const char *name,
             struct diagnostics *d)
{
    if (is_taken(name) || strchr(name, '.'))
    {
        diag_error(d, element_line(e, "name"),
                   "<cases> cannot have the name '%s': %s; expected one such as \"scheme\"", name,
                   strchr(name, '.') ? "names with a dot are parameters'"
                                     : "a column of the results has it");
    }
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        if (dim->is_cases && dim->ncolumns && strcasecmp(dim->columns[0], name) == 0)
        {
            diag_error(d, element_line(e, "name"),
                       "two <cases> share the column '%s'; expected a name=\"...\" for each", name);
        }
    }
}

/** Returns one column of what varies as a column of results.sqlite. */
static struct database_key
key_of(const struct plan_dimension *dim, size_t column)
{
    OWNED const char **cells = xcalloc(dim->npoints + 1, sizeof *cells);
    for (size_t i = 0; i < dim->npoints; i++)
    {
        cells[i] = dim->points[i].cells[column];
    }
    struct database_key key = database_key_of(dim->columns[column], cells, dim->npoints);
    key.is_seed = dim->is_seeds;
    return key;
}

/** Nor must the column that has their names as numbers. */
static void
check_number_column(const struct plan *plan, const struct plan_dimension *dim,
                    const struct element *e, struct diagnostics *d)
{
    const struct database_key key = key_of(dim, 0);
    OWNED char *numbers = dim->npoints ? database_number_column(&key) : NULL;
    bool taken = numbers && !key.is_exact && is_taken(numbers);
    for (size_t k = 0; numbers && k < plan->ndimensions; k++)
    {
        const struct plan_dimension *other = &plan->dimensions[k];
        taken = taken ||
                (other != dim && other->ncolumns && strcasecmp(other->columns[0], numbers) == 0);
    }
    if (taken)
    {
        diag_error(d, element_line(e, "name"),
                   "<cases> of times, rates or sizes cannot have the name '%s': another column of "
                   "the results is '%s', as theirs is as numbers; expected one such as \"scheme\"",
                   key.name, numbers);
    }
}

static void
add_cases(struct plan *plan, const struct element *e, struct diagnostics *d)
{
    const char *name = element_value(e, "name");
    if (e->nchildren == 0)
    {
        diag_error(d, e->line, "<cases> is empty; expected one or more <case>");
        return;
    }
    check_column(plan, e, name ? name : "case", d);
    struct plan_dimension *dim = add_dimension(plan);
    dim->is_cases = true;
    add_column(dim, name ? name : "case");
    for (size_t i = 0; i < e->nchildren && !diag_is_full(d); i++)
    {
        add_case(dim, e->children[i], d);
    }
    check_number_column(plan, dim, e, d);
}

static void
add_seeds(struct plan *plan, const struct element *e)
{
    const int64_t first = element_number(e, "first").integer;
    const int64_t count = element_number(e, "count").integer;
    if (count == 0)
    {
        return; /* document_check() has reported it */
    }
    struct plan_dimension *dim = add_dimension(plan);
    dim->is_seeds = true;
    add_column(dim, "seed");
    const struct override model = {.spec = vocabulary_find("seed", "scenario"),
                                   .element = (char *)"seed",
                                   .attribute = (char *)"value",
                                   .line = e->line};
    for (int64_t i = 0; i < count; i++)
    {
        struct plan_point *point = add_point(dim);
        OWNED char *seed = xformat("%" PRId64, first + i);
        add_cell(point, 0, seed);
        add_set(point, &model, point->cells[0]);
    }
}

/* --- the whole -------------------------------------------------------------------------------- */

static void
report_twice(const struct override *a, const struct override *b, struct diagnostics *d)
{
    int line = a->line > b->line ? a->line : b->line;
    int other = a->line > b->line ? b->line : a->line;
    if (other == LINE_COMMAND)
    {
        diag_error(
            d, LINE_COMMAND,
            "%s.%s cannot be set: the sweep varies it at line %d; expected another parameter "
            "(--only selects among the runs)",
            a->line > b->line ? b->element : a->element, a->attribute, line);
    }
    else
    {
        diag_error(d, line, "%s.%s varies twice; expected once, and it stands at line %d as well",
                   a->element, a->attribute, other);
    }
}

/** Reports a parameter that one of the first @p n sets of a point is, and @p o as well; whether
 * there is one. */
static bool
check_against(const struct plan *plan, const struct plan_point *point, size_t n,
              const struct override *o, struct diagnostics *d)
{
    for (size_t i = 0; i < n; i++)
    {
        const struct override *set = &point->sets[i];
        if (strcmp(set->attribute, o->attribute) == 0 &&
            same_parameter(plan->doc->root, set->element, o->element))
        {
            report_twice(set, o, d);
            return true;
        }
    }
    return false;
}

/** Checks any point of a dimension; the same. */
static bool
check_dimension(const struct plan *plan, const struct plan_dimension *dim, const struct override *o,
                struct diagnostics *d)
{
    bool twice = false;
    for (size_t p = 0; p < dim->npoints && !twice; p++)
    {
        twice = check_against(plan, &dim->points[p], dim->points[p].nsets, o, d);
    }
    return twice;
}

/** Checks a point of dimension @p k by itself and against those before; the same. */
static bool
check_point(const struct plan *plan, size_t k, const struct plan_point *point,
            struct diagnostics *d)
{
    bool twice = false;
    for (size_t i = 0; i < point->nsets && !twice; i++)
    {
        twice = check_against(plan, point, i, &point->sets[i], d);
        for (size_t other = 0; other < k && !twice; other++)
        {
            twice = check_dimension(plan, &plan->dimensions[other], &point->sets[i], d);
        }
    }
    return twice;
}

/** Reports for each dimension the first parameter that varies twice. All points of one set the same
 * parameters unless it has cases. */
static void
check_duplicates(const struct plan *plan, struct diagnostics *d)
{
    for (size_t k = 0; k < plan->ndimensions && !diag_is_full(d); k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        size_t points = dim->has_cases ? dim->npoints : (dim->npoints > 0);
        for (size_t p = 0; p < points && !check_point(plan, k, &dim->points[p], d); p++)
        {
        }
        for (size_t i = 0; i < plan->nfixed; i++)
        {
            check_dimension(plan, dim, &plan->fixed[i], d);
        }
    }
}

static void
count_runs(struct plan *plan, int line, struct diagnostics *d)
{
    plan->nruns = 1;
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        size_t n = plan->dimensions[k].npoints;
        if (n && plan->nruns > PLAN_MOST_RUNS / n)
        {
            diag_error(d, line, "the sweep has more than %d runs; expected fewer", PLAN_MOST_RUNS);
            return;
        }
        plan->nruns *= n;
    }
}

static void
add_fixed(struct plan *plan, const char *text, struct diagnostics *d)
{
    const char *equals = strchr(text, '=');
    struct override o;
    if (!equals || !equals[1])
    {
        diag_error(d, LINE_COMMAND, "--set '%s'; expected element.attribute=value", text);
        return;
    }
    OWNED char *param = xformat("%.*s", (int)(equals - text), text);
    if (override_parse(param, LINE_COMMAND, &o, d))
    {
        o.value = xstrdup(equals + 1);
        ARRAY_GROW(plan->fixed, plan->nfixed);
        plan->fixed[plan->nfixed++] = o;
    }
}

static void
add_sweep(struct plan *plan, const struct element *sweep, struct diagnostics *d)
{
    for (size_t i = 0; i < sweep->nchildren && !diag_is_full(d); i++)
    {
        const struct element *e = sweep->children[i];
        if (strcmp(e->name, "vary") == 0)
        {
            add_vary(add_dimension(plan), e, false, d);
        }
        else if (strcmp(e->name, "zip") == 0)
        {
            add_zip(plan, e, d);
        }
        else if (strcmp(e->name, "cases") == 0)
        {
            add_cases(plan, e, d);
        }
        else if (strcmp(e->name, "seeds") == 0)
        {
            add_seeds(plan, e);
        }
    }
}

static void
list_columns(struct plan *plan)
{
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        for (size_t c = 0; c < dim->ncolumns; c++)
        {
            ARRAY_GROW(plan->columns, plan->ncolumns);
            ARRAY_GROW(plan->keys, plan->ncolumns);
            plan->columns[plan->ncolumns] = (struct plan_column){dim, c};
            plan->keys[plan->ncolumns++] = key_of(dim, c);
        }
    }
}

struct plan *
plan_build(const struct document *doc, const struct plan_options *options, struct diagnostics *d)
{
    size_t before = d->reported;
    struct plan *plan = xcalloc(1, sizeof *plan);
    const struct element *sweep = element_child(doc->root, "sweep");
    const char *name = element_value(doc->root, "name");
    plan->doc = doc;
    plan->name = xstrdup(name ? name : "");
    for (size_t i = 0; i < options->nsets; i++)
    {
        add_fixed(plan, options->sets[i], d);
    }
    if (sweep)
    {
        add_sweep(plan, sweep, d);
    }
    if (sweep && sweep->nchildren == 0)
    {
        diag_error(d, sweep->line, "<sweep> is empty; expected <vary>, <zip>, <cases> or <seeds>");
    }
    check_duplicates(plan, d);
    count_runs(plan, sweep ? sweep->line : LINE_NONE, d);
    if (d->reported > before)
    {
        plan_free(plan);
        return NULL;
    }
    list_columns(plan);
    plan_name_runs(plan);
    return plan;
}

void
plan_free(struct plan *plan)
{
    for (size_t k = 0; plan && k < plan->ndimensions; k++)
    {
        struct plan_dimension *dim = &plan->dimensions[k];
        for (size_t p = 0; p < dim->npoints; p++)
        {
            for (size_t i = 0; i < dim->points[p].nsets; i++)
            {
                override_free(&dim->points[p].sets[i]);
            }
            for (size_t i = 0; i < dim->ncolumns; i++)
            {
                free(dim->points[p].cells[i]);
            }
            free(dim->points[p].sets);
            free(dim->points[p].cells);
            free(dim->points[p].label);
        }
        for (size_t i = 0; i < dim->ncolumns; i++)
        {
            free(dim->columns[i]);
        }
        free(dim->columns);
        free(dim->points);
    }
    for (size_t i = 0; plan && i < plan->nfixed; i++)
    {
        override_free(&plan->fixed[i]);
    }
    for (size_t i = 0; plan && plan->names && i < plan->nruns; i++)
    {
        free(plan->names[i]);
    }
    if (plan)
    {
        free(plan->names);
        free(plan->columns);
        free(plan->keys);
        free(plan->fixed);
        free(plan->dimensions);
        free(plan->name);
        free(plan);
    }
}
