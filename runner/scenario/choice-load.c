/* SPDX-License-Identifier: GPL-2.0-only */
/* The elements that choose an algorithm. */
#include <stdlib.h>
#include <string.h>

#include "element-values.h"
#include "messages.h"
#include "scenario-load.h"

static void
report_no_choice(const struct element *root, const struct element *e, const char *kind,
                 struct diagnostics *d)
{
    const struct element_spec *spec = vocabulary_find(kind, "scenario");
    OWNED char *names = algorithm_names(weft_registry_find(kind));
    if (e)
    {
        diag_error(d, e->line, "<%s> lacks %s=\"...\"; expected %s", kind, spec->selector, names);
    }
    else
    {
        diag_error(d, root->line, "the scenario has no <%s %s=\"...\"/>; expected one of %s", kind,
                   spec->selector, names);
    }
}

/** Whether each parameter that must be given is, by itself or a preset. */
static bool
all_given(const struct element *e, int line, const struct choice *choice, struct diagnostics *d)
{
    bool good = true;
    for (size_t i = 0; i < choice->algo->nparams; i++)
    {
        const struct weft_param *p = &choice->algo->params[i];
        if (!p->def && param_is_absent(p, choice->config) && !(e && element_attribute(e, p->name)))
        {
            diag_error(d, line, "the %s %s lacks %s=\"...\"; expected %s", choice->algo->name,
                       e ? e->name : "element", p->name, expected_value(p));
            good = false;
        }
    }
    return good;
}

static bool
apply_preset(struct diagnostics *d, const struct element_spec *spec, const struct weft_algo *algo,
             void *config, const struct attribute *a)
{
    if (weft_config_preset(algo, config, a->value) >= 0)
    {
        return true;
    }
    struct nearest near = nearest_start(a->value);
    CLEANUP(text_drop) struct text list = {0};
    for (size_t i = 0; i < algo->npresets; i++)
    {
        try_name(&list, &near, algo->presets[i].name);
    }
    diag_error(d, a->line, "unknown preset '%s' of <%s %s>; expected %s%s", a->value, spec->name,
               algo->name, list.len ? list.s : "none: it has no presets", did_you_mean(near.best));
    return false;
}

/** Sets a parameter or applies a preset to @p config; false after an error. */
static bool
set_parameter(struct diagnostics *d, const struct element_spec *spec, const struct weft_algo *algo,
              void *config, const struct attribute *a)
{
    if (strcmp(a->name, "preset") == 0)
    {
        return apply_preset(d, spec, algo, config, a);
    }
    const struct weft_param *param = weft_param_find(algo, a->name);
    if (!param)
    {
        report_unknown_attribute(d, a->line, spec, algo, a->name);
        return false;
    }
    int code = weft_param_parse(param, a->value, config);
    report_bad_value(d, a->line, spec->name, param, a->value, code);
    return code >= 0;
}

/** The preset first, then the other attributes in any order. */
static bool
set_all(const struct element *e, const struct choice *choice, struct diagnostics *d)
{
    bool good = true;
    for (int pass = 0; pass < 2; pass++)
    {
        for (size_t i = 0; i < e->nattributes; i++)
        {
            const struct attribute *a = &e->attributes[i];
            bool is_preset = strcmp(a->name, "preset") == 0;
            bool own = strcmp(a->name, e->spec->selector) != 0 &&
                       (!grammar_attribute(e->spec, a->name) ||
                        !vocabulary_takes(e->spec, choice->algo, a->name));
            if (own && is_preset == (pass == 0))
            {
                good = set_parameter(d, e->spec, choice->algo, choice->config, a) && good;
            }
        }
    }
    return good;
}

bool
read_choice(const struct element *e, const char *kind, struct choice *choice, struct diagnostics *d)
{
    const char *selector = vocabulary_find(kind, "scenario")->selector;
    const char *name = e ? element_value(e, selector) : NULL;
    name = name ? name : default_algorithm(kind);
    *choice = (struct choice){.algo = name ? weft_find(kind, name) : NULL};
    if (choice->algo)
    {
        choice->config = xcalloc(1, choice->algo->config_size);
        weft_config_default(choice->algo, choice->config);
        for (size_t i = 0; i < choice->algo->nparams; i++)
        {
            if (!choice->algo->params[i].def)
            {
                param_set_absent(&choice->algo->params[i], choice->config);
            }
        }
        return !e || set_all(e, choice, d);
    }
    if (name)
    {
        report_unknown_algorithm(d, element_line(e, selector), weft_registry_find(kind), name);
    }
    return !name;
}

bool
load_choice_of(const struct element *root, const struct element *e, const char *kind,
               struct choice *choice, struct diagnostics *d)
{
    const char *selector = vocabulary_find(kind, "scenario")->selector;
    const int line = e ? element_line(e, selector) : root->line;
    bool good = read_choice(e, kind, choice, d);
    if (good && !choice->algo)
    {
        report_no_choice(root, e, kind, d);
    }
    good = choice->algo && all_given(e, line, choice, d) && good;
    const char *wrong = good && choice->algo->check ? choice->algo->check(choice->config) : NULL;
    if (wrong)
    {
        diag_error(d, line, "<%s %s>: %s", kind, choice->algo->name, wrong);
    }
    return good && !wrong;
}

int
line_of_element(const struct element *e)
{
    /* A value that an override set is the likelier culprit. */
    for (size_t i = 0; i < e->nattributes; i++)
    {
        if (e->attributes[i].overridden)
        {
            return e->attributes[i].line;
        }
    }
    return e->line;
}

bool
is_complete(const struct element *e, const struct weft_algo *algo)
{
    bool all = true;
    for (size_t i = 0; i < algo->nparams; i++)
    {
        all = all && element_attribute(e, algo->params[i].name);
    }
    return all;
}
