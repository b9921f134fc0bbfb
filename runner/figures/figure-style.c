/* SPDX-License-Identifier: GPL-2.0-only */
#include "figure-style.h"

#include <stdlib.h>
#include <string.h>

#include <weft/registry.h>

#define NO_STYLE SIZE_MAX

static const unsigned figure_dashes[FIGURE_DASHES] = {1, 2, 4, 3, 5};
static const unsigned figure_markers[FIGURE_MARKERS] = {7, 5, 9, 13, 6, 4, 8, 11};
static const unsigned figure_patterns[FIGURE_PATTERNS] = {3, 4, 1, 5, 2, 7};

/* A balancer's place is its style, in every figure: add new ones at the end. Those that papers
 * compare most stand within FIGURE_COLOURS of each other. */
static const char *const styled[] = {
    "ecmp",      "ar",        "themis", "rsq",   "reps",     "ops",      "ofan",  "host-dr",
    "simple-rr", "switch-rr", "plb",    "conga", "jsq",      "subflow",  "drill", "ar-quality",
    "letflow",   "conweave",  "pro",    "prime", "co-prime", "ethereal",
};

#define STYLED (sizeof styled / sizeof *styled)

/** Its place in the table, or NO_STYLE. */
static size_t
place_in_table(const char *name)
{
    for (size_t i = 0; i < STYLED; i++)
    {
        if (strcmp(styled[i], name) == 0)
        {
            return i;
        }
    }
    return NO_STYLE;
}

size_t
figure_balancer_style(const char *name)
{
    const struct weft_registry *balancers = weft_registry_find("balancer");
    size_t place = place_in_table(name);
    if (place != NO_STYLE)
    {
        return place;
    }
    place = STYLED;
    for (size_t i = 0; i < balancers->count && strcmp(balancers->algos[i]->name, name) != 0; i++)
    {
        place += place_in_table(balancers->algos[i]->name) == NO_STYLE;
    }
    return place;
}

/* --- what stands for a balancer --------------------------------------------------------------- */

/** The name of a balancer that an override sets, or NULL. */
static const char *
balancer_set(const struct override *o)
{
    const bool chosen =
        strncmp(o->element, "balancer", 8) == 0 && strcmp(o->attribute, "name") == 0;
    const bool own =
        strncmp(o->element, "workload", 8) == 0 && strcmp(o->attribute, "balancer") == 0;
    return chosen || own ? o->value : NULL;
}

static const char *
balancer_of_point(const struct plan_point *point)
{
    const char *name = NULL;
    for (size_t i = 0; !name && i < point->nsets; i++)
    {
        name = balancer_set(&point->sets[i]);
    }
    return name;
}

/** The balancer of the runs at the point of @p dim that has @p key there; NULL: the dimension is
 * not about balancers. */
static const char *
balancer_of(const struct plan *plan, const struct plan_dimension *dim, size_t cell, const char *key)
{
    const struct element *own = element_child(plan->doc->root, "balancer");
    const char *found = NULL;
    bool any = false, at = false;
    for (size_t p = 0; p < dim->npoints; p++)
    {
        const char *name = balancer_of_point(&dim->points[p]);
        any = any || name;
        if (!at && strcmp(dim->points[p].cells[cell], key) == 0)
        {
            at = true;
            found = name;
        }
    }
    const char *name = found ? found : any && at && own ? element_value(own, "name") : NULL;
    return name && weft_find("balancer", name) ? name : NULL;
}

/* --- styles ----------------------------------------------------------------------------------- */

static bool
is_taken(const size_t *styles, size_t n, size_t style)
{
    for (size_t i = 0; i < n; i++)
    {
        if (styles[i] == style)
        {
            return true;
        }
    }
    return false;
}

/** Whether two styles of one colour differ in dashes and patterns, as far as these go. */
static bool
differ(size_t a, size_t b)
{
    return a % FIGURE_DASHES != b % FIGURE_DASHES && a % FIGURE_PATTERNS != b % FIGURE_PATTERNS;
}

/** A style of the colour of @p style, behind those of all balancers, that can be told from those of
 * this colour that are taken. */
static size_t
variant_of(const size_t *styles, size_t n, size_t style)
{
    const size_t behind = STYLED + weft_registry_find("balancer")->count;
    const size_t last = behind + FIGURE_LINE_STYLES;
    size_t otherwise = NO_STYLE;
    for (size_t s = style; s < last || otherwise == NO_STYLE; s += FIGURE_COLOURS)
    {
        bool apart = s >= behind && !is_taken(styles, n, s);
        otherwise = otherwise == NO_STYLE && apart ? s : otherwise;
        for (size_t i = 0; apart && i < n; i++)
        {
            apart = styles[i] == NO_STYLE || styles[i] % FIGURE_COLOURS != s % FIGURE_COLOURS ||
                    differ(styles[i], s);
        }
        if (apart)
        {
            return s;
        }
    }
    return otherwise;
}

/** The styles of values, by their first parts: of several with one balancer the first has its style
 * and the others its colour; what is no balancer goes through the cycle. Whether there is any. */
static bool
find_styles(const struct plan *plan, const struct figure_names *names, size_t *styles)
{
    size_t cell = 0;
    const struct plan_dimension *dim =
        names->column ? plan_column(plan, names->column, &cell) : NULL;
    bool any = false;
    for (size_t i = 0; i < names->n; i++)
    {
        const char *name = dim ? balancer_of(plan, dim, cell, names->keys[i * names->parts]) : NULL;
        styles[i] = NO_STYLE;
        if (name)
        {
            const size_t style = figure_balancer_style(name);
            styles[i] = is_taken(styles, i, style) ? variant_of(styles, i, style) : style;
            any = true;
        }
    }
    for (size_t i = 0, style = 0; i < names->n; i++)
    {
        while (styles[i] == NO_STYLE && is_taken(styles, names->n, style))
        {
            style++;
        }
        styles[i] = styles[i] == NO_STYLE ? style : styles[i];
    }
    return any;
}

/* --- looks ------------------------------------------------------------------------------------ */

/** Looks while they are made. */
struct looking
{
    struct figure_look *looks;
    const struct plan_look **given; /**< by the scenario; NULL: nothing is */
    size_t n;
};

static bool
has_colour(const struct looking *l, size_t i)
{
    return l->given[i] && l->given[i]->has_colour;
}

/** Whether value @p i, or one before it, or one that the scenario gives a colour to, has it. */
static bool
colour_is_used(const struct looking *l, size_t before, unsigned colour)
{
    for (size_t i = 0; i < l->n; i++)
    {
        if ((i < before || has_colour(l, i)) && l->looks[i].colour == colour)
        {
            return true;
        }
    }
    return false;
}

/** Gives those whose colour another one has already a colour that none has: there are enough. */
static void
part_colours(struct looking *l)
{
    OWNED bool *late = xcalloc(l->n + 1, sizeof *late);
    for (size_t i = 0; i < l->n; i++)
    {
        late[i] = !has_colour(l, i) && colour_is_used(l, i, l->looks[i].colour);
    }
    for (size_t i = 0; i < l->n; i++)
    {
        for (size_t c = 0; late[i] && c < PLAN_COLOURS; c++)
        {
            if (!colour_is_used(l, l->n, plan_colours[c]))
            {
                l->looks[i].colour = plan_colours[c];
                late[i] = false;
            }
        }
    }
}

/** Of each look, how many before it have its colour: these tell bars and dense lines apart. */
static void
count_colours(struct looking *l)
{
    for (size_t i = 0; i < l->n; i++)
    {
        struct figure_look *own = &l->looks[i];
        size_t before = 0;
        for (size_t k = 0; k < i; k++)
        {
            before += l->looks[k].colour == own->colour;
        }
        const bool given = l->given[i] && l->given[i]->has_style;
        own->pattern = given ? own->pattern : figure_patterns[before % FIGURE_PATTERNS];
        own->dense_dash = given ? own->dash : figure_dashes[before % FIGURE_DASHES];
    }
}

/** What the scenario says of a value of the sweep, or NULL. */
static const struct plan_look *
given_look(const struct plan *plan, const struct figure_names *names, size_t i)
{
    size_t cell = 0;
    const struct plan_dimension *dim =
        names->column ? plan_column(plan, names->column, &cell) : NULL;
    for (size_t p = 0; dim && p < dim->npoints; p++)
    {
        if (strcmp(dim->points[p].cells[cell], names->keys[i * names->parts]) == 0)
        {
            return &dim->points[p].look;
        }
    }
    return NULL;
}

static bool
make_looks(const struct plan *plan, const struct figure_names *names, struct figure_look *looks)
{
    struct looking l = {looks, xcalloc(names->n + 1, sizeof *l.given), names->n};
    OWNED size_t *styles = xcalloc(names->n + 1, sizeof *styles);
    bool any = find_styles(plan, names, styles);
    for (size_t i = 0; i < names->n; i++)
    {
        const struct plan_look *given = l.given[i] = given_look(plan, names, i);
        const size_t style = styles[i];
        const size_t dash = given && given->has_style ? given->style : style;
        looks[i] = (struct figure_look){.colour = given && given->has_colour
                                                      ? given->colour
                                                      : plan_colours[style % FIGURE_COLOURS],
                                        .dash = figure_dashes[dash % FIGURE_DASHES],
                                        .marker = figure_markers[style % FIGURE_MARKERS],
                                        .pattern = figure_patterns[dash % FIGURE_PATTERNS]};
        any = any || (given && (given->has_colour || given->has_style));
    }
    if (names->n <= FIGURE_COLOURS)
    {
        part_colours(&l);
    }
    count_colours(&l);
    free(l.given);
    return any;
}

/** All values of the column that a figure shows some of; none if they are more than the colours. */
static struct figure_names
all_values(const struct plan *plan, const struct figure_names *names)
{
    size_t cell = 0;
    const struct plan_dimension *dim =
        names->column && names->parts == 1 ? plan_column(plan, names->column, &cell) : NULL;
    struct figure_names all = {.parts = 1, .column = names->column};
    for (size_t p = 0; dim && p < dim->npoints; p++)
    {
        char *key = dim->points[p].cells[cell];
        size_t i = 0;
        while (i < all.n && strcmp(all.keys[i], key) != 0)
        {
            i++;
        }
        if (i == all.n)
        {
            ARRAY_GROW(all.keys, all.n);
            all.keys[all.n++] = key;
        }
    }
    all.n = all.n <= FIGURE_COLOURS ? all.n : 0;
    return all;
}

bool
figure_looks(const struct plan *plan, const struct figure_names *names, struct figure_look *looks)
{
    struct figure_names all = all_values(plan, names);
    struct figure_look of_all[FIGURE_COLOURS];
    bool any = make_looks(plan, all.n ? &all : names, all.n ? of_all : looks);
    for (size_t i = 0; all.n && i < names->n; i++)
    {
        for (size_t k = 0; k < all.n; k++)
        {
            looks[i] = strcmp(all.keys[k], names->keys[i]) == 0 ? of_all[k] : looks[i];
        }
    }
    free(all.keys);
    return any;
}
