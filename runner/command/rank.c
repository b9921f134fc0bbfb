/* SPDX-License-Identifier: GPL-2.0-only */
/* weft rank: an algorithm of the user's own in the place of a scheme of a table that is there. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#include "commands.h"
#include "files.h"
#include "rank-table.h"
#include "shown-text.h"
#include "textbuf.h"

/** The tables: balancers with one NIC, and schemes that have one each. */
#define ONE_NIC  "cross-one-nic"
#define OWN_NICS "cross-schemes"

/** --nic: what --set says, and otherwise what a scenario has that says nothing. */
#define OWN "own"
/** The scheme whose transport or congestion control is replaced where none is named: it chooses
 * paths at random. */
#define PLAIN_SCHEME "ops"

static const char *const kinds[] = {"balancer", "transport", "congestion-control"};

#define NKINDS (sizeof kinds / sizeof *kinds)

/** Scheme that is ranked, and what it is made of. */
struct entry
{
    const struct arguments *a;
    const char *name, *kind;
    const char *nic; /**< a scheme, or OWN; NULL: the table has one NIC */
};

/** The kind of which an algorithm is; NULL after a message. */
static const char *
kind_of(const char *name)
{
    struct nearest near = nearest_start(name);
    for (size_t i = 0; i < NKINDS; i++)
    {
        const struct weft_registry *registry = weft_registry_find(kinds[i]);
        if (weft_find(kinds[i], name))
        {
            return kinds[i];
        }
        for (size_t k = 0; k < registry->count; k++)
        {
            nearest_try(&near, registry->algos[k]->name);
        }
    }
    print_shown(
        stderr,
        "weft: error: no balancer, transport or congestion control is called '%s'%s; one of "
        "your own is known once it is in core-c/roster/roster.h and built\n",
        name, did_you_mean(near.best));
    return NULL;
}

/* --- the scenario ----------------------------------------------------------------------------- */

/** Sets a parameter in a case, once. */
static void
set_in_case(struct element *c, const char *param, const char *value, int line)
{
    struct element *set = NULL;
    for (size_t i = 0; i < c->nchildren && !set; i++)
    {
        const char *its = element_value(c->children[i], "param");
        set = its && strcmp(its, param) == 0 ? c->children[i] : NULL;
    }
    if (!set)
    {
        set = element_new("set", vocabulary_find("set", "case"), line);
        element_add(c, set);
        element_set(set, "param", param, line, false);
    }
    element_set(set, "value", value, line, false);
    element_attribute(set, "value")->line = line;
}

/** Chooses an algorithm in a case: what was set for the former one, and it does not have, goes. */
static void
choose(struct element *c, const char *kind, const char *name, int line)
{
    const struct element_spec *spec = vocabulary_find(kind, "scenario");
    const struct weft_algo *algo = weft_find(kind, name);
    OWNED char *param = xformat("%s.%s", kind, spec->selector);
    const size_t n = strlen(kind) + 1;
    size_t kept = 0;
    for (size_t i = 0; i < c->nchildren; i++)
    {
        struct element *e = c->children[i];
        const char *its = element_value(e, "param");
        const bool of_kind = its && strncmp(its, param, n) == 0 && strcmp(its, param) != 0;
        if (algo && of_kind && !vocabulary_takes(spec, algo, its + n))
        {
            print_shown(stderr, "weft: %s=%s is left out: %s has no such parameter\n", its,
                        element_value(e, "value"), name);
            element_free(e);
        }
        else
        {
            c->children[kept++] = e;
        }
    }
    c->nchildren = kept;
    set_in_case(c, param, name, line);
}

/** Does in a case what a --set says. False after a message. */
static bool
take_set(struct element *c, const struct entry *e, const char *text)
{
    const char *const own[] = {"balancer", "transport", "congestion-control", "switch"};
    const size_t n = e->nic ? sizeof own / sizeof *own : 1, word = strcspn(text, ".");
    const char *equals = strchr(text, '=');
    bool good = false;
    for (size_t i = 0; i < n; i++)
    {
        good = good || (strlen(own[i]) == word && strncmp(text, own[i], word) == 0);
    }
    if (!good || !equals || text[word] != '.')
    {
        print_shown(
            stderr,
            "weft: error: --set '%s'; expected balancer.PARAM=VALUE%s: the others of the table "
            "have the rest as it is\n",
            text,
            e->nic ? ", or one of transport, congestion-control or switch"
                   : ", or --nic " OWN " for the NIC and the switches");
        return false;
    }
    OWNED char *param = xformat("%.*s", (int)(equals - text), text);
    OWNED char *kind = xformat("%.*s", (int)word, text);
    if (strcmp(param + word, ".name") == 0 && strcmp(kind, e->kind) == 0)
    {
        print_shown(stderr, "weft: error: --set '%s': what is ranked is %s\n", text, e->name);
        return false;
    }
    if (strcmp(param + word, ".name") == 0)
    {
        choose(c, kind, equals + 1, LINE_COMMAND);
        return true;
    }
    set_in_case(c, param, equals + 1, LINE_COMMAND);
    return true;
}

static bool
sets_balancer(const struct element *e)
{
    for (size_t i = 0; i < e->nchildren; i++)
    {
        const char *param = element_value(e->children[i], "param");
        if ((param && strcmp(param, "balancer.name") == 0) || sets_balancer(e->children[i]))
        {
            return true;
        }
    }
    return false;
}

/** Returns the element of the sweep that has a value for each scheme: a <vary> or <cases>; NULL:
 * there is none. */
static struct element **
find_schemes(const struct document *doc)
{
    struct element *sweep = element_child(doc->root, "sweep");
    for (size_t i = 0; sweep && i < sweep->nchildren; i++)
    {
        struct element *e = sweep->children[i];
        const char *param = element_value(e, "param");
        const bool vary = param && strcmp(param, "balancer.name") == 0;
        if (vary || (strcmp(e->name, "cases") == 0 && sets_balancer(e)))
        {
            return &sweep->children[i];
        }
    }
    return NULL;
}

/** The case of the scheme whose NIC is wanted; NULL after a message. */
static const struct element *
find_case(const struct element *schemes, const struct entry *e)
{
    struct nearest near = nearest_start(e->nic);
    for (size_t i = 0; i < schemes->nchildren; i++)
    {
        const char *its = element_value(schemes->children[i], "name");
        if (strcmp(its, e->nic) == 0)
        {
            return schemes->children[i];
        }
        nearest_try(&near, its);
    }
    nearest_try(&near, OWN);
    print_shown(stderr, "weft: error: --nic '%s'; expected " OWN " or a scheme of the table%s\n",
                e->nic, did_you_mean(near.best));
    return NULL;
}

/** A case of that name with what one of the table sets (NULL: nothing). */
static struct element *
new_case(const char *name, const struct element *like)
{
    struct element *c = like ? element_copy(like)
                             : element_new("case", vocabulary_find("case", "cases"), LINE_NONE);
    for (size_t i = c->nattributes; i-- > 0;)
    {
        element_remove(c, c->attributes[i].name);
    }
    element_set(c, "name", name, LINE_NONE, false);
    return c;
}

/** The case that is ranked. NULL after a message. */
static struct element *
own_case(const struct entry *e, const struct element *schemes)
{
    const bool copied = e->nic && strcmp(e->nic, OWN) != 0;
    const struct element *like = copied ? find_case(schemes, e) : NULL;
    bool good = like || !copied;
    struct element *c = good ? new_case(e->name, like) : NULL;
    if (c)
    {
        choose(c, e->kind, e->name, LINE_NONE);
    }
    for (size_t i = 0; good && i < e->a->sets.n; i++)
    {
        good = take_set(c, e, e->a->sets.word[i]);
    }
    if (!good)
    {
        element_free(c);
    }
    return good ? c : NULL;
}

/** Puts the two cases that are run in the place of the table's schemes. False after a message. */
static bool
replace_schemes(const struct entry *e, struct ranking *r, struct element **place)
{
    struct element *old = *place, *own = own_case(e, old);
    const bool vary = strcmp(old->name, "vary") == 0;
    if (!own)
    {
        return false;
    }
    CLEANUP(words_free) struct words values = words_split(vary ? element_value(old, "values") : "");
    const char *column = vary ? "balancer.name" : element_value(old, "name");
    r->column = xstrdup(column ? column : "case");
    r->again = xstrdup(vary ? values.word[0] : element_value(old->children[0], "name"));
    r->case_again = xformat("again-%s", r->again);
    struct element *cases = element_new("cases", vocabulary_find("cases", "sweep"), old->line);
    struct element *again = new_case(r->case_again, vary ? NULL : old->children[0]);
    if (vary)
    {
        choose(again, "balancer", r->again, LINE_NONE);
    }
    element_set(cases, "name", RANK_COLUMN, old->line, false);
    element_add(cases, own);
    element_add(cases, again);
    element_free(old);
    *place = cases;
    return true;
}

/** Makes of the table's scenario that of what is run. False after a message. */
static bool
edit(const struct entry *e, struct ranking *r, struct document *doc)
{
    struct element **schemes = find_schemes(doc), *sweep = element_child(doc->root, "sweep");
    OWNED char *name = xformat("rank-%s%s%s-%s", e->name, e->nic ? "-" : "", e->nic ? e->nic : "",
                               element_value(doc->root, "name"));
    if (!schemes || !element_child(sweep, "seeds"))
    {
        return sweep_refuse(xformat("%s does not vary balancers and seeds", doc->path), 0);
    }
    if (e->nic && strcmp((*schemes)->name, "cases") != 0)
    {
        return sweep_refuse(xformat("%s varies nothing but the balancer; expected no --nic, and a "
                                    "balancer",
                                    doc->path),
                            0);
    }
    if (!replace_schemes(e, r, schemes))
    {
        return false;
    }
    element_remove_children(doc->root, "quick");
    element_remove_children(doc->root, "figure");
    element_set(doc->root, "name", name, LINE_NONE, false);
    free(doc->bytes);
    doc->bytes = document_write(doc->root);
    doc->size = strlen(doc->bytes);
    return true;
}

/** Reads the scenario and makes a plan of it. False after messages. */
static bool
load(const struct entry *e, struct ranking *r)
{
    const struct plan_options options = {.quick = QUICK_NO};
    CLEANUP(diag_free) struct diagnostics d = {.file = r->scenario};
    struct document *doc = document_read(r->scenario, &d);
    if (doc)
    {
        document_check(doc, &d);
    }
    if (!doc || d.n)
    {
        diag_print(&d, stderr);
        document_free(doc);
        return false;
    }
    if (!edit(e, r, doc))
    {
        document_free(doc);
        return false;
    }
    return experiment_of(doc, &options, &d, &r->experiment);
}

/* --- the runs --------------------------------------------------------------------------------- */

/** In how many conditions a run differs from the table's first cell. */
static size_t
count_departures(const struct plan *plan, size_t run)
{
    size_t n = 0;
    for (size_t k = 0; k < plan->ndimensions; k++)
    {
        const struct plan_dimension *dim = &plan->dimensions[k];
        n += rank_is_condition(dim) && plan_point(plan, run, k) != dim->points;
    }
    return n;
}

/** The names of the runs that the table has, and of one of those that it is compared with. */
static struct words
choose_runs(const struct ranking *r)
{
    const struct plan *plan = r->experiment.plan;
    const struct plan_column *scheme = plan_column(plan, RANK_COLUMN);
    const size_t k = (size_t)(scheme->dim - plan->dimensions);
    struct words runs = {0};
    bool again = false;
    for (size_t i = 0; i < plan->nruns; i++)
    {
        const bool own = plan_point(plan, i, k) == scheme->dim->points;
        const size_t departures = count_departures(plan, i);
        if (own ? departures < 2 : !again && !departures)
        {
            words_add(&runs, xstrdup(plan->names[i]));
            again = again || !own;
        }
    }
    return runs;
}

/** Says what was run. */
static void
print_entry(const struct entry *e, const struct ranking *r)
{
    print_shown(stdout, "%s", e->name);
    for (size_t i = 0; i < e->a->sets.n; i++)
    {
        print_shown(stdout, " %s", e->a->sets.word[i]);
    }
    print_shown(stdout, ", the %s%s%s%s, beside %s\n", e->kind, e->nic ? " (--nic " : "",
                e->nic ? e->nic : "", e->nic ? ")" : "", r->others);
}

static int
run(const struct entry *e, const struct ranking *r)
{
    char *why = NULL;
    CLEANUP(words_free) struct words runs = choose_runs(r);
    CLEANUP(database_drop) struct database *db = database_open(r->others, &why);
    struct sweep_options options = e->a->sweep;
    options.out = r->out;
    options.runs = runs.word;
    options.nruns = runs.n;
    options.no_table = options.own_folder = true;
    int status = db ? sweep_run(r->experiment.plan, &options) : sweep_refuse(why, EXIT_BAD_INPUT);
    options.nruns = 0;
    status = status == EXIT_GOOD ? sweep_collect(r->experiment.plan, &options) : status;
    if (status == EXIT_GOOD)
    {
        print_entry(e, r);
        status = rank_show(r, db, !e->a->no_figures);
    }
    return status;
}

static void
free_ranking(struct ranking *r)
{
    free(r->others);
    free(r->scenario);
    free(r->column);
    free(r->again);
    free(r->case_again);
    free(r->out);
}

int
command_rank(const struct arguments *a)
{
    const char *name = a->files[0], *kind = kind_of(name);
    const bool balancer = kind && strcmp(kind, "balancer") == 0;
    const struct entry e = {a, name, kind, a->nic || balancer ? a->nic : PLAIN_SCHEME};
    const char *table = e.nic ? OWN_NICS : ONE_NIC;
    struct ranking r = {.name = name};
    if (!kind)
    {
        return EXIT_BAD_INPUT;
    }
    r.out = a->sweep.out
                ? xstrdup(a->sweep.out)
                : xformat("results/rank-%s%s%s", name, e.nic ? "-" : "", e.nic ? e.nic : "");
    r.others = a->beside ? xstrdup(a->beside) : xformat("docs/data/%s.sqlite.gz", table);
    r.scenario = a->beside ? xformat("%s/scenario.xml", a->beside)
                           : xformat("scenarios/cross/%s.xml", table);
    int status = EXIT_BAD_INPUT;
    char *why = NULL;
    if (!a->beside && !checkout_enter("docs/data", (char **[]){&r.out}, 1, &why))
    {
        sweep_refuse(why, status);
    }
    else if (load(&e, &r))
    {
        status = run(&e, &r);
        experiment_free(&r.experiment);
    }
    free_ranking(&r);
    return status;
}
