/* SPDX-License-Identifier: GPL-2.0-only */
/* Single runs of a plan: their points, names and scenarios. */
#include <stdlib.h>
#include <string.h>

#include <weft/rng.h>

#include "sweep-plan.h"
#include "textbuf.h"

#define MOST_NAME 150

const struct plan_point *
plan_point(const struct plan *plan, size_t i, size_t k)
{
    for (size_t later = plan->ndimensions - 1; later > k; later--)
    {
        i /= plan->dimensions[later].npoints;
    }
    return &plan->dimensions[k].points[i % plan->dimensions[k].npoints];
}

const struct plan_column *
plan_column(const struct plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->ncolumns; i++)
    {
        if (strcmp(plan->keys[i].name, name) == 0)
        {
            return &plan->columns[i];
        }
    }
    return NULL;
}

const char *
plan_cell(const struct plan_column *column, size_t p)
{
    return column->dim->points[p].cells[column->cell];
}

const char **
plan_cells(const struct plan *plan, size_t i)
{
    const char **cells = xcalloc(plan->ncolumns + 1, sizeof *cells);
    for (size_t c = 0; c < plan->ncolumns; c++)
    {
        const struct plan_column *column = &plan->columns[c];
        cells[c] =
            plan_point(plan, i, (size_t)(column->dim - plan->dimensions))->cells[column->cell];
    }
    return cells;
}

struct database *
plan_tables(const struct plan *plan)
{
    struct database_writer w;
    OWNED char *why = NULL;
    return database_begin(&w, NULL, plan->keys, plan->ncolumns, &why) && database_complete(&w, &why)
               ? database_of(w.file.db, &why)
               : NULL;
}

/** Adds a cell with everything that does not suit a file name replaced by '-'. */
static void
add_plain(struct text *t, const char *cell)
{
    for (; *cell; cell++)
    {
        char one[2] = {*cell, '\0'};
        bool plain = name_is_safe(one) || *cell == '.' || *cell == '-';
        text_add(t, "%c", plain ? *cell : '-');
    }
}

/** The parameter's name without its element: "t-i" of "congestion-control.t-i". */
static const char *
short_name(const char *column)
{
    const char *dot = strchr(column, '.');
    bool selector = dot && (strcmp(dot, ".name") == 0 || strcmp(dot, ".kind") == 0);
    return !dot ? column : selector ? NULL : dot + 1;
}

static void
add_cells(struct text *t, const struct plan_dimension *dim, const struct plan_point *point)
{
    for (size_t c = 0; c < dim->ncolumns; c++)
    {
        const char *column = dim->is_cases ? NULL : short_name(dim->columns[c]);
        text_add(t, "%s%s%s", t->len ? "_" : "", column ? column : "", column ? "=" : "");
        add_plain(t, point->cells[c]);
    }
}

/** A long name keeps its start and gets a digest of the whole. */
static void
shorten(char *name)
{
    if (strlen(name) > MOST_NAME)
    {
        uint64_t digest = 0;
        for (const char *p = name; *p; p++)
        {
            digest = weft_mix64(digest ^ (uint64_t)(unsigned char)*p);
        }
        snprintf(name + MOST_NAME - 20, 20, "-%016llx", (unsigned long long)digest);
    }
}

static char *
name_of_run(const struct plan *plan, size_t i)
{
    if (plan->ndimensions == 0)
    {
        return xstrdup(plan->name);
    }
    struct text t = {0};
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        add_cells(&t, &plan->dimensions[k], plan_point(plan, i, k));
    }
    char *name = text_take(&t);
    if (name[0] == '-' || name[0] == '.')
    {
        name[0] = '_';
    }
    shorten(name);
    return name;
}

void
plan_name_runs(struct plan *plan)
{
    plan->names = xcalloc(plan->nruns, sizeof *plan->names);
    for (size_t i = 0; i < plan->nruns; i++)
    {
        plan->names[i] = name_of_run(plan, i);
    }
}

/** Overrides that choose an algorithm come before those that set its parameters. */
static void
apply(struct element *root, const struct override *sets, size_t n, bool selectors)
{
    for (size_t i = 0; i < n; i++)
    {
        const struct element_spec *spec = sets[i].spec;
        bool selects = spec->selector && strcmp(spec->selector, sets[i].attribute) == 0;
        if (selects == selectors)
        {
            override_apply(root, &sets[i]);
        }
    }
}

/** The scenario's elements that matter to a run, without sweep, quick version and figures. */
static struct element *
tree_of_run(const struct element *root)
{
    struct element *copy = element_new(root->name, root->spec, root->line);
    for (size_t i = 0; i < root->nattributes; i++)
    {
        const struct attribute *a = &root->attributes[i];
        element_set(copy, a->name, a->value, a->line, a->overridden);
    }
    for (size_t i = 0; i < root->nchildren; i++)
    {
        const struct element *c = root->children[i];
        if (c->spec && strcmp(c->name, "sweep") != 0 && strcmp(c->name, "quick") != 0 &&
            strcmp(c->name, "figure") != 0)
        {
            element_add(copy, element_copy(c));
        }
    }
    return copy;
}

/** Adds the conditions that a <case> has for its runs alone. */
static void
add_conditions(struct element *root, const struct element *of)
{
    for (size_t i = 0; of && i < of->nchildren; i++)
    {
        if (of->children[i]->spec && grammar_allows(of->children[i]->spec, "scenario"))
        {
            element_add(root, element_copy(of->children[i]));
        }
    }
}

struct scenario *
plan_load(const struct plan *plan, size_t i, struct diagnostics *d)
{
    struct element *root = tree_of_run(plan->doc->root);
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        add_conditions(root, plan_point(plan, i, k)->adds);
    }
    for (int pass = 0; pass < 2; pass++)
    {
        apply(root, plan->fixed, plan->nfixed, pass == 0);
        for (size_t k = 0; k < plan->ndimensions; k++)
        {
            const struct plan_point *point = plan_point(plan, i, k);
            apply(root, point->sets, point->nsets, pass == 0);
        }
    }
    return scenario_load(root, d);
}

static int
by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/** Two runs of one name would share a folder. */
static void
check_names(const struct plan *plan, struct diagnostics *d)
{
    OWNED char **names = xcalloc(plan->nruns, sizeof *names);
    memcpy(names, plan->names, plan->nruns * sizeof *names);
    qsort(names, plan->nruns, sizeof *names, by_text);
    for (size_t i = 1; i < plan->nruns; i++)
    {
        if (strcmp(names[i], names[i - 1]) == 0)
        {
            diag_error(d, LINE_NONE,
                       "two runs are both named '%s'; expected values that differ in letters, "
                       "digits, '.', '_', '+', '=' or '-'",
                       names[i]);
        }
    }
}

bool
plan_check(const struct plan *plan, struct diagnostics *d)
{
    size_t before = d->reported;
    check_names(plan, d);
    for (size_t i = 0; i < plan->nruns && !diag_is_full(d); i++)
    {
        d->run = i;
        scenario_free(plan_load(plan, i, d));
    }
    diag_warn_idle(d, plan->nruns);
    return d->reported == before;
}
