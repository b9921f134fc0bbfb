/* SPDX-License-Identifier: MIT */
#include <weft/refusal.h>

#include "base/text-out.h"

int
weft_refuse(struct weft_refusal *why, int code, const char *param, const char *text)
{
    if (why != NULL)
    {
        text = text != NULL ? text : weft_strerror(code);
        why->code = code;
        why->param = param;
        size_t i = 0;
        for (; i + 1 < sizeof why->text && text[i] != '\0'; i++)
        {
            why->text[i] = text[i];
        }
        why->text[i] = '\0';
    }
    return code;
}

/* "t-i is 5ps; expected a time (ps, ns, us, ms or s) from 1us to 10s" */
static int
refuse_param(struct weft_refusal *why, int code, const struct weft_param *p, const void *config)
{
    char value[64];
    char expected[160];
    char text[WEFT_REFUSAL_BYTES];
    struct weft_text out = {text, sizeof text, 0};
    if (why == NULL)
    {
        return code;
    }
    weft_text_put(&out, p->name);
    if (weft_param_format(p, config, value, sizeof value) >= 0)
    {
        weft_text_put(&out, " is ");
        weft_text_put(&out, value);
    }
    else
    {
        weft_text_put(&out, " has no value");
    }
    if (weft_param_expected(p, expected, sizeof expected) >= 0)
    {
        weft_text_put(&out, "; expected ");
        weft_text_put(&out, expected);
    }
    weft_text_end(&out);
    return weft_refuse(why, code, p->name, text);
}

int
weft_config_check(const struct weft_algo *algo, const void *config, struct weft_refusal *why)
{
    if (algo == NULL || (config == NULL && algo->config_size > 0))
    {
        return weft_refuse(why, WEFT_EINVAL, NULL,
                           algo == NULL ? "there is no algorithm; perhaps its name was not found"
                                        : "there is no configuration; expected config_size bytes");
    }
    for (size_t i = 0; i < algo->nparams; i++)
    {
        const int code = weft_param_check(&algo->params[i], config);
        if (code != 0)
        {
            return refuse_param(why, code, &algo->params[i], config);
        }
    }
    const char *wrong = algo->check != NULL ? algo->check(config) : NULL;
    return wrong != NULL ? weft_refuse(why, WEFT_ERANGE, NULL, wrong) : 0;
}

int
weft_refuse_config(struct weft_refusal *why, const struct weft_algo *algo, const void *config)
{
    if (why != NULL && weft_config_check(algo, config, why) == 0)
    {
        weft_refuse(why, WEFT_ERANGE, NULL, weft_strerror(WEFT_ERANGE));
    }
    if (why != NULL)
    {
        why->code = WEFT_ERANGE;
    }
    return WEFT_ERANGE;
}

const char *
weft_refusal_text(int code, const struct weft_refusal *why)
{
    return why != NULL && why->code == code && code < 0 ? why->text : weft_strerror(code);
}
