/* SPDX-License-Identifier: MIT */
#include <stdbool.h>
#include <string.h>

#include <weft/error.h>
#include <weft/param.h>

#define MAX_NAME    64 /* of names worth a suggestion */
#define MAX_SETTING 96 /* of one name=value in a preset */

const char *
weft_type_name(enum weft_type type)
{
    switch (type)
    {
    case WEFT_TIME:
        return "time";
    case WEFT_BYTES:
        return "bytes";
    case WEFT_RATE:
        return "rate";
    case WEFT_COUNT:
        return "count";
    case WEFT_REAL:
        return "real";
    case WEFT_BOOL:
        return "boolean";
    case WEFT_CHOICE:
        return "choice";
    default:
        return "unknown";
    }
}

const struct weft_param *
weft_param_find(const struct weft_algo *algo, const char *name)
{
    for (size_t i = 0; algo != NULL && name != NULL && i < algo->nparams; i++)
    {
        if (strcmp(algo->params[i].name, name) == 0)
        {
            return &algo->params[i];
        }
    }
    return NULL;
}

int
weft_config_default(const struct weft_algo *algo, void *config)
{
    if (algo == NULL || (config == NULL && algo->config_size > 0))
    {
        return WEFT_EINVAL;
    }
    if (algo->config_size > 0)
    {
        memset(config, 0, algo->config_size);
    }
    for (size_t i = 0; i < algo->nparams; i++)
    {
        const struct weft_param *p = &algo->params[i];
        const int err = p->def != NULL ? weft_param_parse(p, p->def, config) : 0;
        if (err != 0)
        {
            return err;
        }
    }
    return 0;
}

int
weft_config_set(const struct weft_algo *algo, void *config, const char *name, const char *text)
{
    const struct weft_param *p = weft_param_find(algo, name);
    return p != NULL ? weft_param_parse(p, text, config) : (int)WEFT_ENOTFOUND;
}

int
weft_config_set_int(const struct weft_algo *algo, void *config, const char *name, int64_t value)
{
    const struct weft_param *p = weft_param_find(algo, name);
    return p != NULL ? weft_param_set_int(p, value, config) : (int)WEFT_ENOTFOUND;
}

int64_t
weft_config_get_int(const struct weft_algo *algo, const void *config, const char *name,
                    int64_t otherwise)
{
    const struct weft_param *p = weft_param_find(algo, name);
    return p != NULL && config != NULL && p->type != WEFT_REAL
               ? *(const int64_t *)(const void *)((const char *)config + p->offset)
               : otherwise;
}

int
weft_config_set_real(const struct weft_algo *algo, void *config, const char *name, double value)
{
    const struct weft_param *p = weft_param_find(algo, name);
    return p != NULL ? weft_param_set_real(p, value, config) : (int)WEFT_ENOTFOUND;
}

int
weft_config_set_bool(const struct weft_algo *algo, void *config, const char *name, bool value)
{
    const struct weft_param *p = weft_param_find(algo, name);
    if (p != NULL && p->type != WEFT_BOOL)
    {
        return WEFT_EINVAL;
    }
    return p != NULL ? weft_param_set_int(p, value, config) : (int)WEFT_ENOTFOUND;
}

/* Applies one name=value of @p length characters. */
static int
apply_setting(const struct weft_algo *algo, void *config, const char *text, size_t length)
{
    char setting[MAX_SETTING];
    if (length >= sizeof(setting))
    {
        return WEFT_ESYNTAX;
    }
    memcpy(setting, text, length);
    setting[length] = '\0';
    char *equals = strchr(setting, '=');
    if (equals == NULL)
    {
        return WEFT_ESYNTAX;
    }
    *equals = '\0';
    return weft_config_set(algo, config, setting, equals + 1);
}

int
weft_config_preset(const struct weft_algo *algo, void *config, const char *preset)
{
    const struct weft_preset *found = NULL;
    const size_t count = algo != NULL && preset != NULL ? algo->npresets : 0;
    for (size_t i = 0; i < count && found == NULL; i++)
    {
        found = strcmp(algo->presets[i].name, preset) == 0 ? &algo->presets[i] : NULL;
    }
    if (found == NULL)
    {
        return WEFT_ENOTFOUND;
    }
    const char *text = found->settings;
    while (*text != '\0')
    {
        const size_t length = strcspn(text, " ");
        const int err = apply_setting(algo, config, text, length);
        if (err != 0)
        {
            return err;
        }
        text += length;
        text += *text == ' ';
    }
    return 0;
}

static bool
same_letter(char a, char b)
{
    const char lower_a = (char)(a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a);
    const char lower_b = (char)(b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b);
    return lower_a == lower_b;
}

static unsigned
least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

unsigned
weft_name_distance(const char *a, const char *b)
{
    /* Rows i-2, i-1 and i of the distance matrix. */
    unsigned rows[3][MAX_NAME + 1];
    if (a == NULL || b == NULL)
    {
        return 255;
    }
    const size_t na = strlen(a);
    const size_t nb = strlen(b);
    if (na > MAX_NAME || nb > MAX_NAME)
    {
        return strcmp(a, b) == 0 ? 0 : 255;
    }
    for (size_t j = 0; j <= nb; j++)
    {
        rows[0][j] = (unsigned)j;
    }
    for (size_t i = 1; i <= na; i++)
    {
        const unsigned *before = rows[(i + 1) % 3];
        const unsigned *above = rows[(i + 2) % 3];
        unsigned *row = rows[i % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= nb; j++)
        {
            const bool same = same_letter(a[i - 1], b[j - 1]);
            row[j] = least(above[j - 1] + !same, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) &&
                same_letter(a[i - 2], b[j - 1]))
            {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
    }
    return rows[na % 3][nb];
}
