/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <weft/choice.h>
#include <weft/error.h>
#include <weft/registry.h>

#include "base/text-out.h"

#define SPACE " \t\n\r\v\f"
#define NEAR  4U /* names farther apart than 3 letters are no slips of each other */

/* Puts several texts one after the other and refuses with them. */
static int
refuse(struct weft_refusal *why, int code, const char *const *parts)
{
    char text[2 * WEFT_REFUSAL_BYTES];
    struct weft_text out = {text, sizeof text, 0};
    for (; *parts != NULL; parts++)
    {
        weft_text_put(&out, *parts);
    }
    (void)weft_text_end(&out); /* two words and what was expected fit */
    return weft_refuse(why, code, NULL, text);
}

/* The next word from *@p text on, which moves behind it. Its length, 0 without a text; *@p word is
 * cut if it is too long. */
static size_t
next_word(const char **text, char word[WEFT_CHOICE_WORD])
{
    *text = *text != NULL ? *text : "";
    *text += strspn(*text, SPACE);
    const size_t length = strcspn(*text, SPACE);
    const size_t kept = length < WEFT_CHOICE_WORD ? length : WEFT_CHOICE_WORD - 1;
    memcpy(word, *text, kept);
    word[kept] = '\0';
    *text += length;
    return length;
}

/* "no kind of algorithm is called 'cc'; expected topology, ... or workload" */
static void
refuse_kind(const char *kind, struct weft_refusal *why)
{
    char text[2 * WEFT_REFUSAL_BYTES];
    struct weft_text out = {text, sizeof text, 0};
    size_t count;
    const struct weft_registry *registries = weft_registries(&count);
    weft_text_put(&out, "no kind of algorithm is called '");
    weft_text_put(&out, kind);
    weft_text_put(&out, "'; expected ");
    for (size_t i = 0; i < count; i++)
    {
        weft_text_put(&out, i == 0 ? "" : i + 1 < count ? ", " : " or ");
        weft_text_put(&out, registries[i].kind);
    }
    (void)weft_text_end(&out);
    (void)weft_refuse(why, WEFT_ENOTFOUND, NULL, text);
}

const struct weft_algo *
weft_choice_find(const char *kind, const char *text, struct weft_refusal *why)
{
    char word[WEFT_CHOICE_WORD];
    const struct weft_registry *registry = weft_registry_find(kind);
    if (registry == NULL)
    {
        refuse_kind(kind != NULL ? kind : "", why);
        return NULL;
    }
    if (next_word(&text, word) == 0)
    {
        const char *const parts[] = {"there is no text that names a ", kind, NULL};
        (void)refuse(why, WEFT_ENOTFOUND, parts);
        return NULL;
    }
    const struct weft_algo *algo = weft_find(kind, word);
    if (algo == NULL)
    {
        const char *nearest = weft_nearest(registry, word);
        const char *const parts[] = {"no ",   kind, " is called '",
                                     word,    "'",  nearest != NULL ? "; did you mean '" : NULL,
                                     nearest, "'?", NULL};
        (void)refuse(why, WEFT_ENOTFOUND, parts);
    }
    return algo;
}

static int
refuse_name(const struct weft_algo *algo, const char *name, struct weft_refusal *why)
{
    const char *best = NULL;
    unsigned distance = NEAR;
    for (size_t i = 0; i < algo->nparams; i++)
    {
        const unsigned d = weft_name_distance(algo->params[i].name, name);
        best = d < distance ? algo->params[i].name : best;
        distance = d < distance ? d : distance;
    }
    const char *const parts[] = {"'",  algo->name, "' has no parameter '",
                                 name, "'",        best != NULL ? "; did you mean '" : NULL,
                                 best, "'?",       NULL};
    return refuse(why, WEFT_ENOTFOUND, parts);
}

static int
set(const struct weft_algo *algo, const char *name, const char *value, void *config,
    struct weft_refusal *why)
{
    char expected[160];
    if (strcmp(name, "preset") == 0)
    {
        const char *const parts[] = {"'", algo->name, "' has no preset '", value, "'", NULL};
        return weft_config_preset(algo, config, value) == 0 ? 0
                                                            : refuse(why, WEFT_ENOTFOUND, parts);
    }
    const struct weft_param *p = weft_param_find(algo, name);
    if (p == NULL)
    {
        return refuse_name(algo, name, why);
    }
    const int code = weft_param_parse(p, value, config);
    if (code == 0)
    {
        return 0;
    }
    const bool told = weft_param_expected(p, expected, sizeof expected) >= 0;
    const char *const parts[] = {"'",
                                 algo->name,
                                 "' ",
                                 name,
                                 "='",
                                 value,
                                 "': ",
                                 weft_strerror(code),
                                 told ? "; expected " : NULL,
                                 expected,
                                 NULL};
    return refuse(why, code, parts);
}

int
weft_choice_set(const struct weft_algo *algo, const char *text, void *config,
                struct weft_refusal *why)
{
    char word[WEFT_CHOICE_WORD];
    if (weft_config_default(algo, config) != 0)
    {
        return weft_config_check(algo, config, why);
    }
    if (next_word(&text, word) == 0)
    {
        return weft_refuse(why, WEFT_EINVAL, NULL, "there is no text; expected a name and values");
    }
    for (size_t length = next_word(&text, word); length > 0; length = next_word(&text, word))
    {
        char *value = strchr(word, '=');
        if (value == NULL || length >= sizeof word)
        {
            const char *const parts[] = {"'", word, "' is not name=value", NULL};
            return refuse(why, WEFT_EINVAL, parts);
        }
        *value++ = '\0';
        const int code = set(algo, word, value, config, why);
        if (code != 0)
        {
            return code;
        }
    }
    const char *wrong = algo->check != NULL ? algo->check(config) : NULL;
    const char *const parts[] = {"'", algo->name, "': ", wrong, NULL};
    return wrong == NULL ? 0 : refuse(why, WEFT_ERANGE, parts);
}
