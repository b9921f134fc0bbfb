/* SPDX-License-Identifier: MIT */
#include "absurd.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>

uint32_t
absurd_nconfigs(const struct weft_algo *algo)
{
    return 2 + 2 * (uint32_t)algo->nparams;
}

static void
set(const struct weft_algo *algo, const struct weft_param *p, const char *text, void *config)
{
    const int code = text != NULL ? weft_param_parse(p, text, config) : 0;
    ck_assert_msg(code == 0, "%s %s=%s", algo->name, p->name, text);
}

void *
absurd_config(const struct weft_algo *algo, uint32_t which)
{
    void *config = calloc(1, algo->config_size + 1);
    if (which == 0)
    {
        return config;
    }
    ck_assert_int_eq(weft_config_default(algo, config), 0);
    for (size_t i = 0; i < algo->nparams; i++)
    {
        const struct weft_param *p = &algo->params[i];
        set(algo, p, p->def == NULL ? p->min : NULL, config);
    }
    if (which > 1)
    {
        const struct weft_param *p = &algo->params[(which - 2) / 2];
        set(algo, p, which % 2 == 0 ? p->min : p->max, config);
    }
    return config;
}

uint32_t
absurd_u32(struct weft_rng *rng)
{
    static const uint32_t some[] = {
        0,
        1,
        2,
        3,
        4,
        7,
        8,
        16,
        63,
        64,
        65,
        80,
        WEFT_MAX_PORTS,
        WEFT_MAX_PORTS + 1,
        65535,
        65536,
        1 << 20,
        1 << 24,
        UINT32_MAX,
        UINT32_MAX / 2,
    };
    return some[weft_rng_below(rng, sizeof some / sizeof some[0])];
}

int64_t
absurd_i64(struct weft_rng *rng)
{
    static const int64_t some[] = {
        0,
        1,
        -1,
        1000,
        1500,
        400000,
        1 << 20,
        1000000000,
        UINT32_MAX,
        INT64_MIN,
        INT64_MAX,
        INT64_MAX / 2,
        INT64_MAX / 4,
        1 << 12,
        1000000,
        400000000000,
    };
    return some[weft_rng_below(rng, sizeof some / sizeof some[0])];
}

double
absurd_real(struct weft_rng *rng)
{
    const double some[] = {0.0, -0.0, 1.0, 0.5, -1.0, 1e-300, 1e300, (double)INFINITY, (double)NAN};
    return some[weft_rng_below(rng, sizeof some / sizeof some[0])];
}

void
absurd_each(const char *kind, void (*visit)(const struct weft_algo *algo))
{
    const struct weft_registry *registry = weft_registry_find(kind);
    ck_assert_ptr_nonnull(registry);
    for (size_t i = 0; i < registry->count; i++)
    {
        visit(registry->algos[i]);
    }
}

int
absurd_is_code(int code)
{
    return code == 0 || code == WEFT_EINVAL || code == WEFT_ERANGE || code == WEFT_EOVERFLOW ||
           code == WEFT_ENOPATH || code == WEFT_ENOTCLOS;
}
