/* SPDX-License-Identifier: GPL-2.0-only */
/* A case that the command line adds to what varies: --add-case "NAME: PARAM=VALUE, ...". */
#include <stdlib.h>
#include <string.h>

#include "overrides.h"
#include "textbuf.h"

/** Begins what stands in the place of a parameter: the case that the new one is like. */
#define LIKE "like="

/** Sets a parameter in a case. */
static void
add_set(struct element *c, const char *param, const char *value, int line)
{
    struct element *set = element_new("set", vocabulary_find("set", "case"), line);
    element_set(set, "param", param, line, false);
    element_set(set, "value", value, line, false);
    element_add(c, set);
}

/** --add-case while it is read. */
struct addition
{
    const struct element *root;
    const char *text;    /**< as it was given */
    struct words values; /**< PARAM=VALUE each, or like=NAME */
    const char *like;    /**< that NAME; NULL: it is like none */
    struct words names;  /**< that were looked at, for a message */
    struct element *added;
    struct diagnostics *d;
};

/** Whether a <vary> or <cases> varies a parameter. */
static bool
varies(struct addition *a, const struct element *e, const char *param)
{
    const char *its = element_value(e, "param");
    bool found = its && same_parameter(a->root, its, param);
    words_add(&a->names, xstrdup(its ? its : ""));
    for (size_t i = 0; i < e->nchildren && !found; i++)
    {
        found = varies(a, e->children[i], param);
    }
    return found;
}

/** Whether a <vary> or <cases> has a value or case of the name that the new one is like. */
static bool
has_model(struct addition *a, const struct element *e)
{
    const char *values = element_value(e, "values");
    CLEANUP(words_free) struct words names = words_split(values ? values : "");
    for (size_t i = 0; i < e->nchildren; i++)
    {
        const char *its = element_value(e->children[i], "name");
        words_add(&names, xstrdup(its ? its : ""));
    }
    for (size_t i = 0; i < names.n; i++)
    {
        words_add(&a->names, xstrdup(names.word[i]));
    }
    return words_have(&names, a->like);
}

/** Whether a case may be one more of a <vary> or <cases>: that varies a parameter of it or, with no
 * @p word, has the case that it is like. */
static bool
fits(struct addition *a, const struct element *e, const char *word)
{
    OWNED char *param = word ? xformat("%.*s", (int)strcspn(word, "="), word) : NULL;
    return strcmp(e->name, "zip") != 0 && (param     ? varies(a, e, param)
                                           : a->like ? has_model(a, e)
                                                     : false);
}

/** Returns the <vary> or <cases> to which a case belongs. NULL after an error. */
static struct element *
find_place(struct addition *a, const struct element *sweep)
{
    OWNED char *first = xformat("%.*s", (int)strcspn(a->values.word[0], "="), a->values.word[0]);
    for (size_t i = 0; i <= a->values.n; i++)
    {
        for (size_t k = 0; sweep && k < sweep->nchildren; k++)
        {
            if (fits(a, sweep->children[k], i < a->values.n ? a->values.word[i] : NULL))
            {
                return sweep->children[k];
            }
        }
    }
    struct nearest near = nearest_start(a->like ? a->like : first);
    nearest_try_words(&near, &a->names);
    diag_error(a->d, LINE_COMMAND,
               "--add-case '%s': no <cases> or <vary> of the scenario's <sweep> sets one of its "
               "parameters; expected one that does%s",
               a->text, did_you_mean(near.best));
    return NULL;
}

/** Copies what the case sets that the new one is like. False after an error. */
static bool
copy_like(struct addition *a, const struct element *place)
{
    const struct element *model = element_named(place, "case", a->like);
    if (!has_model(a, place))
    {
        struct nearest near = nearest_start(a->like);
        nearest_try_words(&near, &a->names);
        diag_error(a->d, LINE_COMMAND,
                   "--add-case '%s': no case is called '%s'; expected one of the <%s> at line %d%s",
                   a->text, a->like, place->name, place->line, did_you_mean(near.best));
        return false;
    }
    for (size_t i = 0; model && i < model->nchildren; i++)
    {
        element_add(a->added, element_copy(model->children[i]));
    }
    if (!model)
    {
        add_set(a->added, element_value(place, "param"), a->like, place->line);
    }
    return true;
}

/** Takes out of the case what it has from another one and the parameter replaces: its former
 * value, and what the algorithm that it chooses does not have. */
static void
make_room(const struct addition *a, const struct override *o, const char *param)
{
    struct element *c = a->added;
    const bool chooses = o->spec->selector && strcmp(o->attribute, o->spec->selector) == 0;
    const struct weft_algo *algo = chooses ? weft_find(o->spec->name, o->value) : NULL;
    const size_t n = strlen(o->element) + 1;
    size_t kept = 0;
    for (size_t i = 0; i < c->nchildren; i++)
    {
        struct element *e = c->children[i];
        const char *its = element_value(e, "param");
        const bool former = its && e->line != LINE_COMMAND; /* a <failure> has no param */
        const bool same = former && same_parameter(a->root, its, param);
        const bool of_it = algo && former && strncmp(its, param, n) == 0;
        const bool unknown = of_it && !same && !vocabulary_takes(o->spec, algo, its + n);
        if (unknown)
        {
            diag_note(a->d, LINE_COMMAND, "%s=%s is left out of the case: %s has no such parameter",
                      its, element_value(e, "value"), o->value);
        }
        if (unknown || same)
        {
            element_free(e);
        }
        else
        {
            c->children[kept++] = e;
        }
    }
    c->nchildren = kept;
}

/** Sets a parameter in the case, as "PARAM=VALUE" says. */
static void
take_value(const struct addition *a, const char *text)
{
    const char *equals = strchr(text, '=');
    OWNED char *param = xformat("%.*s", (int)(equals - text), text);
    struct override o;
    if (override_parse(param, LINE_COMMAND, &o, a->d))
    {
        o.value = xstrdup(equals + 1);
        make_room(a, &o, param);
        add_set(a->added, param, o.value, LINE_COMMAND);
        override_free(&o);
    }
}

/** Splits "NAME: PARAM=VALUE, ..." into words. False after an error. */
static bool
split(struct addition *a)
{
    const char *colon = strchr(a->text, ':');
    const char *wrong = colon && colon > a->text ? NULL : a->text;
    a->values = words_split_at(wrong ? "" : colon + 1, ',');
    for (size_t i = 0; i < a->values.n && !wrong; i++)
    {
        const char *word = a->values.word[i], *equals = strchr(word, '=');
        wrong = equals > word && equals[1] ? NULL : word;
        a->like = strncmp(word, LIKE, strlen(LIKE)) == 0 ? word + strlen(LIKE) : a->like;
    }
    if (wrong)
    {
        diag_error(a->d, LINE_COMMAND,
                   "--add-case '%s': '%s'; expected NAME: PARAM=VALUE, PARAM=VALUE and so on, of "
                   "which one may be " LIKE "CASE",
                   a->text, wrong);
    }
    return !wrong;
}

bool
document_add_case(struct document *doc, const char *text, struct diagnostics *d)
{
    const size_t before = d->reported;
    struct addition a = {.root = doc->root, .text = text, .d = d};
    struct element *place = split(&a) ? find_place(&a, element_child(doc->root, "sweep")) : NULL;
    if (place)
    {
        OWNED char *name = xformat("%.*s", (int)strcspn(text, ":"), text);
        a.added = element_new("case", vocabulary_find("case", "cases"), LINE_COMMAND);
        element_set(a.added, "name", name, LINE_COMMAND, false);
        element_add(place, a.added);
    }
    const bool good = place && (!a.like || copy_like(&a, place));
    for (size_t i = 0; good && i < a.values.n; i++)
    {
        if (strncmp(a.values.word[i], LIKE, strlen(LIKE)) != 0)
        {
            take_value(&a, a.values.word[i]);
        }
    }
    if (good)
    {
        char **file = doc->quick ? &doc->quick : &doc->bytes;
        free(*file);
        *file = document_write(doc->root);
        doc->size = strlen(doc->bytes);
    }
    words_free(&a.values);
    words_free(&a.names);
    return d->reported == before;
}
