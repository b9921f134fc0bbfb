/* SPDX-License-Identifier: MIT */
/* A user would lose the truth about paths where one uplink is left: packets that name a dead one,
 * loads and delays booked on it, and flowlets that change back in the middle when it is repaired.
 */
#include <check.h>
#include <stdlib.h>

#include "lb-rig.h"
#include "lb/tor-path.h"
#include "must.h"

#define US INT64_C(1000000) /* ps */

static const char *const names[] = {"letflow", "conga", "conweave"};

/* Leaf 0's uplinks are ports 4 and 5 of a fat-tree of k = 4; one of them is left. */
START_TEST(the_last_uplink_is_the_path)
{
    const struct weft_clos clos = lb_fat_tree("4");
    static const uint32_t queues[8];
    for (uint64_t seed = 1; seed <= 20; seed++)
    {
        struct lb_place tor;
        lb_open_at(&tor, &clos, 0, seed, names[_i], NULL);
        const uint16_t first_up = tor.map.first_up;
        void *flow = lb_flow(&tor);
        struct weft_packet p = lb_data(0, 15);
        const uint32_t first = lb_forward(&tor, flow, &p, NULL, 0);
        const uint16_t left = (uint16_t)(first == first_up ? first_up + 1 : first_up);
        const struct weft_ports ports = {queues, &left, first_up, 1, 2, 0, 0};
        p = lb_data(0, 15);
        MUST(lb_forward(&tor, flow, &p, &ports, US) == left);
        ck_assert_uint_eq(first_up + weft_tor_path(&p) / 2U, left);
        ck_assert_uint_eq(tor.rig.ops->counters(tor.rig.state)->reroutes, 1);
        /* Repaired at once: the flowlet stays where it is. */
        p = lb_data(0, 15);
        ck_assert_uint_eq(lb_forward(&tor, flow, &p, NULL, US + 1), left);
        free(flow);
        lb_close(&tor.rig);
    }
}
END_TEST

Suite *tor_path_suite(void);

Suite *
tor_path_suite(void)
{
    Suite *suite = suite_create("tor-path");
    TCase *t = tcase_create("tor-path");
    tcase_add_loop_test(t, the_last_uplink_is_the_path, 0, 3);
    suite_add_tcase(suite, t);
    return suite;
}
