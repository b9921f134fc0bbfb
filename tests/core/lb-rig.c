/* SPDX-License-Identifier: MIT */
#include "lb-rig.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "must.h"

static void
set(struct lb_rig *rig, const char *settings)
{
    char text[128];
    ck_assert_uint_lt(strlen(settings), sizeof(text));
    strcpy(text, settings);
    for (char *one = strtok(text, " "); one != NULL; one = strtok(NULL, " "))
    {
        char *value = strchr(one, '=');
        ck_assert_ptr_nonnull(value);
        *value++ = '\0';
        ck_assert_int_eq(weft_config_set(&rig->ops->algo, rig->config, one, value), 0);
    }
}

void
lb_open(struct lb_rig *rig, const char *name, const char *settings, const struct weft_site *site)
{
    rig->ops = weft_lb_find(name);
    ck_assert_ptr_nonnull(rig->ops);
    ck_assert_int_eq(rig->ops->kind, WEFT_LB_PORT);
    ck_assert_uint_le(rig->ops->algo.config_size, sizeof(rig->config));
    ck_assert_int_eq(weft_config_default(&rig->ops->algo, rig->config), 0);
    set(rig, settings != NULL ? settings : "");
    rig->state = malloc(rig->ops->state_size(rig->config, site) + 1);
    ck_assert_ptr_nonnull(rig->state);
    ck_assert_int_eq(rig->ops->init(rig->state, rig->config, site), 0);
}

void
lb_close(struct lb_rig *rig)
{
    free(rig->state);
    rig->state = NULL;
}

struct weft_site
lb_site(uint64_t seed, uint32_t nports)
{
    struct weft_site site;
    memset(&site, 0, sizeof(site));
    site.seed = seed;
    site.run = 1;
    site.nports = nports;
    site.port_buffer = 100000;
    return site;
}

uint32_t
lb_pick(struct lb_rig *rig, const struct weft_ports *ports)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof(packet));
    packet.kind = WEFT_DATA;
    return rig->ops->pick(rig->state, ports, &packet, 0);
}

double
lb_unevenness(const uint32_t *counts, uint32_t n)
{
    double total = 0;
    double chi = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        total += counts[i];
    }
    for (uint32_t i = 0; i < n; i++)
    {
        const double d = counts[i] - total / n;
        chi += d * d * n / total;
    }
    return (chi - (n - 1)) / sqrt(2.0 * (n - 1));
}
