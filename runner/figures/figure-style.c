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
static const struct scheme
{
    const char *name, *shown;
} styled[] = {
    {"ecmp", "ECMP"},
    {"ar", "AR"},
    {"themis", "Themis"},
    {"rsq", "RSQ"},
    {"reps", "REPS"},
    {"ops", "OPS"},
    {"ofan", "OFAN"},
    {"host-dr", "Host DR"},
    {"simple-rr", "Simple RR"},
    {"switch-rr", "Switch RR"},
    {"plb", "PLB"},
    {"conga", "CONGA"},
    {"jsq", "JSQ"},
    {"subflow", "Subflow"},
    {"drill", "DRILL"},
    {"ar-quality", "AR (quality)"},
    {"letflow", "LetFlow"},
    {"conweave", "ConWeave"},
    {"pro", "PRO"},
    {"prime", "PRIME"},
    {"co-prime", "CO-PRIME"},
    {"ethereal", "Ethereal"},
};

#define STYLED (sizeof styled / sizeof *styled)

/** Returns the place in the table, or NO_STYLE. */
static size_t
place_in_table(const char *name)
{
    for (size_t i = 0; i < STYLED; i++)
    {
        if (strcmp(styled[i].name, name) == 0)
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

const char *
figure_short_name(const char *name)
{
    const size_t place = place_in_table(name);
    return place != NO_STYLE ? styled[place].shown : name;
}

/* --- what stands for a balancer --------------------------------------------------------------- */

/** The balancer that the runs at a point have by what it sets, or NULL. */
static const char *
balancer_of_point(const struct plan_point *point)
{
    for (size_t i = 0; i < point->nsets; i++)
    {
        const struct override *o = &point->sets[i];
        if ((strncmp(o->element, "balancer", 8) == 0 && strcmp(o->attribute, "name") == 0) ||
            (strncmp(o->element, "workload", 8) == 0 && strcmp(o->attribute, "balancer") == 0))
        {
            return o->value;
        }
    }
    return NULL;
}

/** The first point that has a value of a column; NULL: none, or no column. */
static const struct plan_point *
point_with(const struct plan_column *column, const char *key)
{
    for (size_t p = 0; column && p < column->dim->npoints; p++)
    {
        if (strcmp(plan_cell(column, p), key) == 0)
        {
            return &column->dim->points[p];
        }
    }
    return NULL;
}

/** The balancer of the runs with a value of a column: the scenario's own where only other values
 * have one; NULL: the column is not about balancers. */
static const char *
balancer_of(const struct plan *plan, const struct plan_column *column, const char *key)
{
    const struct element *own = element_child(plan->doc->root, "balancer");
    const struct plan_point *point = point_with(column, key);
    const char *name = point ? balancer_of_point(point) : NULL;
    for (size_t p = 0; point && own && !name && p < column->dim->npoints; p++)
    {
        name = balancer_of_point(&column->dim->points[p]) ? element_value(own, "name") : NULL;
    }
    return name && weft_find("balancer", name) ? name : NULL;
}

bool
figure_is_balancer(const struct plan *plan, const struct plan_column *column, const char *key)
{
    const char *name = balancer_of(plan, column, key);
    return name && strcmp(name, key) == 0;
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

/** The styles of values, by their first parts: of several with one balancer the first has its style
 * and the others one of its colour, behind those of all balancers; what is no balancer goes through
 * the cycle. Whether there is any. */
static bool
find_styles(const struct plan *plan, const struct figure_names *names, size_t *styles)
{
    const size_t behind = STYLED + weft_registry_find("balancer")->count;
    bool any = false;
    for (size_t i = 0; i < names->n; i++)
    {
        const char *name = balancer_of(plan, names->column, names->keys[i * names->parts]);
        size_t style = name ? figure_balancer_style(name) : NO_STYLE;
        const bool again = name && is_taken(styles, i, style);
        while (again && (style < behind || is_taken(styles, i, style)))
        {
            style += FIGURE_COLOURS;
        }
        styles[i] = style;
        any = any || name;
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

/** Dashes, marker and pattern of a value: those of its style, but for dashes that one before it of
 * its colour has. Patterns, and dashes of dense lines, only tell those of one colour apart. */
static void
tell_apart(const struct looking *l, size_t i, size_t style)
{
    struct figure_look *own = &l->looks[i];
    const bool given = l->given[i] && l->given[i]->has_style;
    size_t before = 0, used = 0, dash = given ? l->given[i]->style : style;
    for (size_t k = 0; k < i; k++)
    {
        if (l->looks[k].colour == own->colour)
        {
            used |= (size_t)1 << l->looks[k].dash;
            before++;
        }
    }
    while (!given && before < FIGURE_DASHES && used >> figure_dashes[dash % FIGURE_DASHES] & 1)
    {
        dash++;
    }
    own->dash = figure_dashes[dash % FIGURE_DASHES];
    own->marker = figure_markers[style % FIGURE_MARKERS];
    own->pattern = figure_patterns[(given ? dash : before) % FIGURE_PATTERNS];
    own->dense_dash = given ? own->dash : figure_dashes[before % FIGURE_DASHES];
}

static bool
make_looks(const struct plan *plan, const struct figure_names *names, struct figure_look *looks)
{
    struct looking l = {looks, xcalloc(names->n + 1, sizeof *l.given), names->n};
    OWNED size_t *styles = xcalloc(names->n + 1, sizeof *styles);
    bool any = find_styles(plan, names, styles);
    for (size_t i = 0; i < names->n; i++)
    {
        const struct plan_point *point = point_with(names->column, names->keys[i * names->parts]);
        l.given[i] = point ? &point->look : NULL;
        looks[i].colour =
            has_colour(&l, i) ? point->look.colour : plan_colours[styles[i] % FIGURE_COLOURS];
        any = any || has_colour(&l, i) || (point && point->look.has_style);
    }
    if (names->n <= FIGURE_COLOURS)
    {
        part_colours(&l);
    }
    for (size_t i = 0; i < names->n; i++)
    {
        tell_apart(&l, i, styles[i]);
    }
    free(l.given);
    return any;
}

/** All values of the column that a figure shows some of; none if they are more than the colours. */
static struct figure_names
all_values(const struct figure_names *names)
{
    const struct plan_column *column = names->parts == 1 ? names->column : NULL;
    struct figure_names all = {.parts = 1, .column = column};
    for (size_t p = 0; column && p < column->dim->npoints; p++)
    {
        char *key = column->dim->points[p].cells[column->cell];
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
    struct figure_names all = all_values(names);
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
