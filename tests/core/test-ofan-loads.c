/* SPDX-License-Identifier: MIT */
/* A user would lose OFAN's promise (ofan App. F.1): all links down to a switch carry the same. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "lb-rig.h"
#include "must.h"

#define MAX_UP 32

/* A whole fabric: who is behind each port, and how many packets went there. */
struct fabric
{
    struct weft_clos clos;
    struct lb_place *at;
    struct weft_end *peer; /* [switch * nports + port] */
    uint32_t *load;
    uint32_t nports;
};

static void
open_fabric(struct fabric *f, const char *k, const char *name)
{
    f->clos = lb_fat_tree(k);
    f->nports = f->clos.hosts_per_tor + f->clos.up_tor;
    f->at = calloc(f->clos.nswitches, sizeof(*f->at));
    f->peer = calloc((size_t)f->clos.nswitches * f->nports, sizeof(*f->peer));
    f->load = calloc((size_t)f->clos.nswitches * f->nports, sizeof(*f->load));
    for (uint32_t i = 0; i < f->clos.nswitches; i++)
    {
        lb_open_at(&f->at[i], &f->clos, i, 4, name, NULL);
    }
    for (uint64_t i = 0; i < f->clos.nlinks; i++)
    {
        struct weft_link link;
        weft_clos_link(&f->clos, i, &link);
        f->peer[link.upper.index * f->nports + link.upper.port] = link.lower;
        if (!link.lower.is_host)
        {
            f->peer[link.lower.index * f->nports + link.lower.port] = link.upper;
        }
    }
}

static void
close_fabric(struct fabric *f)
{
    for (uint32_t i = 0; i < f->clos.nswitches; i++)
    {
        lb_close(&f->at[i].rig);
    }
    free(f->at);
    free(f->peer);
    free(f->load);
}

static void
send(struct fabric *f, uint32_t src, uint32_t dst, enum weft_packet_kind kind)
{
    struct weft_end end = {false, weft_clos_tor(&f->clos, src), 0};
    while (!end.is_host)
    {
        const uint32_t port = end.index * f->nports + lb_take(&f->at[end.index], dst, kind, NULL);
        f->load[port]++;
        end = f->peer[port];
    }
    MUST(end.index == dst);
}

/* Random flows that end together: @p each packets and replies from every host to a host in a
 * random permutation, in random order. */
static void
load_permutation(struct fabric *f, uint32_t each)
{
    const uint32_t n = f->clos.nhosts;
    uint32_t *dst = calloc(n, sizeof(*dst));
    uint32_t *queue = calloc((size_t)n * each, sizeof(*queue));
    struct weft_rng rng;
    weft_rng_seed(&rng, 5, 1, 1);
    for (uint32_t i = 0; i < n; i++)
    {
        const uint32_t j = weft_rng_below(&rng, i + 1);
        dst[i] = dst[j];
        dst[j] = i;
    }
    for (uint32_t i = 0; i < n * each; i++)
    {
        const uint32_t j = weft_rng_below(&rng, i + 1);
        queue[i] = queue[j];
        queue[j] = i / each;
    }
    for (uint32_t i = 0; i < n * each; i++)
    {
        send(f, queue[i], dst[queue[i]], WEFT_DATA);
        send(f, dst[queue[i]], queue[i], WEFT_ACK);
    }
    free(dst);
    free(queue);
}

/* Switches into whose links from above, or onto whose uplinks, unequal loads went. */
static void
count_unequal(const struct fabric *f, uint32_t *from_above, uint32_t *upwards)
{
    const struct weft_clos *c = &f->clos;
    *from_above = *upwards = 0;
    for (uint32_t i = 0; i < c->ntors + c->naggs; i++)
    {
        const struct weft_switch_map *map = &f->at[i].map;
        uint32_t bad_up = 0;
        uint32_t bad_down = 0;
        uint32_t down0 = 0;
        for (uint32_t up = map->first_up; up < f->nports; up++)
        {
            const uint32_t port = i * f->nports + up;
            uint32_t back = f->peer[port].index * f->nports; /* the upper end of that link */
            while (f->peer[back].is_host || f->peer[back].index != i)
            {
                back++;
            }
            down0 = up == map->first_up ? f->load[back] : down0;
            bad_up += f->load[port] != f->load[i * f->nports + map->first_up];
            bad_down += f->load[back] != down0;
        }
        *upwards += bad_up > 0;
        *from_above += bad_down > 0;
    }
}

/* Invariant 1 and Property 1 (App. F.1), on whole rotations: (k/2)^2 packets per flow. Simple round
 * robin is even upwards at the most (§7, Fig. 7). */
START_TEST(all_links_down_to_a_switch_have_equal_load)
{
    uint32_t from_above;
    uint32_t upwards;
    struct fabric f;
    open_fabric(&f, "8", "ofan");
    load_permutation(&f, 16);
    count_unequal(&f, &from_above, &upwards);
    ck_assert_uint_eq(from_above, 0);
    ck_assert_uint_eq(upwards, 0);
    close_fabric(&f);
    open_fabric(&f, "8", "simple-rr");
    load_permutation(&f, 16);
    count_unequal(&f, &from_above, &upwards);
    ck_assert_uint_gt(from_above, 50);
    close_fabric(&f);
}
END_TEST

Suite *
ofan_loads_suite(void)
{
    Suite *suite = suite_create("ofan-loads");
    TCase *tcase = tcase_create("ofan-loads");
    tcase_add_test(tcase, all_links_down_to_a_switch_have_equal_load);
    suite_add_tcase(suite, tcase);
    return suite;
}
