/* SPDX-License-Identifier: GPL-2.0-only */
#include "stress-draw.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_HOSTS 32
#define LEAST_RATE 100000000 /* bit/s */
#define LONG_DELAY 100000000 /* ps */

struct weft_rng rng;
int64_t tiny;

uint32_t
below(uint32_t n)
{
    return weft_rng_below(&rng, n);
}

bool
one_in(uint32_t n)
{
    return below(n) == 0;
}

int64_t
spread(int64_t least, int64_t most)
{
    const double base = least > 0 ? (double)least : 1;
    const double value = base * pow((double)most / base, weft_rng_unit(&rng));
    if (least < 1 && one_in(4))
    {
        return least;
    }
    return value < (double)least ? least : value < (double)most ? (int64_t)value : most;
}

int64_t
integer_of(const struct weft_algo *algo, const char *name, const void *config, int64_t otherwise)
{
    const struct weft_param *p = weft_param_find(algo, name);
    int64_t value = otherwise;
    if (p != NULL)
    {
        memcpy(&value, (const char *)config + p->offset, sizeof value);
    }
    return value;
}

/* A bound as a number; what has none ends where small scenarios do. */
static int64_t
bound_of(const struct weft_param *p, const char *text, int64_t otherwise)
{
    struct weft_param unbounded = *p;
    int64_t value = otherwise;
    unbounded.offset = 0;
    unbounded.min = p->type == WEFT_COUNT ? "-1000000000" : NULL;
    unbounded.max = NULL;
    return text == NULL || weft_param_parse(&unbounded, text, &value) != 0 ? otherwise : value;
}

static void
draw_real(const struct weft_param *p, void *config)
{
    const double least = p->min != NULL ? strtod(p->min, NULL) : 0;
    const double most = p->max != NULL ? strtod(p->max, NULL) : 1000;
    char text[40];
    snprintf(text, sizeof text, "%.6f", least + (most - least) * pow(weft_rng_unit(&rng), 3));
    (void)weft_param_parse(p, text, config);
}

static uint32_t
choices_of(const struct weft_param *p)
{
    uint32_t n = 1;
    for (const char *c = p->choices; *c != '\0'; c++)
    {
        n += *c == ' ';
    }
    return n;
}

void
draw_value(const struct weft_param *p, void *config)
{
    if (one_in(6) && p->type != WEFT_BOOL && p->type != WEFT_CHOICE)
    {
        const char *bound = one_in(2) ? p->min : p->max;
        (void)weft_param_parse(p, bound != NULL ? bound : p->def != NULL ? p->def : "0", config);
        return;
    }
    if (p->type == WEFT_REAL)
    {
        draw_real(p, config);
        return;
    }
    const int64_t least = bound_of(p, p->min, 0);
    int64_t most = bound_of(p, p->max, 1000000000);
    if (p->type == WEFT_BYTES && tiny > least && tiny < most)
    {
        most = tiny;
    }
    const int64_t value = p->type == WEFT_BOOL     ? below(2)
                          : p->type == WEFT_CHOICE ? below(choices_of(p))
                                                   : spread(least, most);
    memcpy((char *)config + p->offset, &value, sizeof value);
}

void
draw_config(struct draw *d, const struct weft_algo *algo, uint32_t rarely)
{
    memset(d, 0, sizeof *d);
    d->algo = algo;
    (void)weft_config_default(algo, d->config);
    for (size_t i = 0; i < algo->nparams; i++)
    {
        d->is_set[i] = algo->params[i].def == NULL || one_in(rarely);
        if (d->is_set[i])
        {
            draw_value(&algo->params[i], d->config);
        }
    }
}

const struct weft_algo *
some_algo(const char *kind)
{
    const struct weft_registry *registry = weft_registry_find(kind);
    return registry->algos[below((uint32_t)registry->count)];
}

void
draw_sound(struct draw *d, const char *kind, uint32_t rarely)
{
    const struct weft_algo *algo = some_algo(kind);
    for (uint32_t tries = 0; tries < 100; tries++)
    {
        draw_config(d, algo, rarely);
        if (algo->check == NULL || algo->check(d->config) == NULL)
        {
            return;
        }
    }
    draw_config(d, algo, 1U << 31);
}

void
draw_topology(struct draw *d, struct weft_clos *clos)
{
    const struct weft_topology_ops *kind;
    do
    {
        draw_sound(d, "topology", 3);
        kind = (const struct weft_topology_ops *)(const void *)d->algo;
        for (size_t i = 0; i < d->algo->nparams; i++)
        {
            const struct weft_param *p = &d->algo->params[i];
            if (p->type == WEFT_COUNT)
            {
                const int64_t value =
                    bound_of(p, p->min, 1) + !one_in(4) + below(one_in(2) ? 2 : 5);
                memcpy((char *)d->config + p->offset, &value, sizeof value);
                d->is_set[i] = true;
            }
        }
    } while ((d->algo->check != NULL && d->algo->check(d->config) != NULL) ||
             kind->build(d->config, clos) != 0 || clos->nhosts < 2 || clos->nhosts > MOST_HOSTS ||
             clos->host_rate < LEAST_RATE || clos->fabric_rate < LEAST_RATE ||
             (clos->core_rate < LEAST_RATE && !one_in(8)) ||
             ((clos->ntors == 1 ||
               clos->host_delay + clos->fabric_delay + clos->core_delay > LONG_DELAY) &&
              !one_in(8)));
}

void
write_choice(const char *element, const char *selector, const struct draw *d)
{
    printf("  <%s %s=\"%s\"", element, selector, d->algo->name);
    for (size_t i = 0; i < d->algo->nparams; i++)
    {
        char text[64];
        if (d->is_set[i] &&
            weft_param_format(&d->algo->params[i], d->config, text, sizeof text) > 0)
        {
            printf(" %s=\"%s\"", d->algo->params[i].name, text);
        }
    }
    printf("/>\n");
}

const char *
some_time(char text[32])
{
    static const char *const often[] = {"0s", "1us", "20us", "50us"};
    if (one_in(2))
    {
        return often[below(4)];
    }
    snprintf(text, 32, "%ldps", (long)spread(1, 1000000000));
    return text;
}

uint64_t
any_switch_link(const struct weft_clos *clos)
{
    const uint64_t first = below(clos->planes) * clos->nlinks + clos->nhosts;
    return first + below((uint32_t)(clos->nlinks - clos->nhosts));
}

uint32_t
link_number(const struct weft_clos *clos, const struct weft_link *link, uint64_t at)
{
    uint32_t number = 0;
    for (uint64_t i = 0; i < at; i++)
    {
        struct weft_link other;
        weft_planes_link(clos, i, &other);
        number += !other.lower.is_host && other.lower.index == link->lower.index &&
                  other.upper.index == link->upper.index;
    }
    return number;
}

void
write_effect(void)
{
    const double loss = 0.2 * weft_rng_unit(&rng);
    switch (below(8))
    {
    case 0:
        printf(" effect=\"lossy\" loss=\"%.4f\"", loss);
        break;
    case 1:
        printf(" effect=\"corrupting\" to-bad=\"%.4f\" to-good=\"0.3\"", loss);
        break;
    case 2:
        printf(" effect=\"delayed\" extra-delay=\"%uns\"", below(20000));
        break;
    case 3:
        printf(" effect=\"slow\" share=\"%.3f\"", 0.001 + 0.999 * loss);
        break;
    default:
        break;
    }
}

void
write_direction(void)
{
    static const char *const directions[] = {"both", "up", "down"};
    if (one_in(4))
    {
        printf(" direction=\"%s\"", directions[below(3)]);
    }
}
