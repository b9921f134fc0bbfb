/* SPDX-License-Identifier: MIT */
/* A user would lose the NIC that serves destinations in turn: a host whose many QPs take the wire
 * from another's, or that has two turns to another's one. */
#include <check.h>

#include <weft/rng.h>

#include "host-rig.h"
#include "must.h"

static const char *const patient[] = {"rto", "inf", NULL};

/* QPs to the hosts that @p dsts names, each with so many packets, of which destinations take turns;
 * posted in their order. */
static void
begin_destinations(const uint32_t *dsts, const uint32_t *packets, uint32_t nqps, int64_t batch)
{
    host_rig_begin("gbn", patient);
    host_rig.algos.frame.batch = batch;
    weft_host_serve_destinations(&host_rig.host);
    for (uint32_t i = 0; i < nqps; i++)
    {
        host_rig_add(0);
        host_rig.qp[i].dst = dsts[i];
        host_rig_post(i, packets[i], 0);
    }
}

/* QPs 0, 1 and 2 share the turns of host 7, QP 3 has those of host 8 alone: it has every second
 * packet until it is done. The order in which they come does not matter. */
START_TEST(destinations_have_turns_that_their_qps_share)
{
    static const uint32_t packets[] = {3, 3, 3, 3};
    begin_destinations((const uint32_t[]){7, 7, 7, 8}, packets, 4, 1);
    host_rig_sends("0 3 1 3 2 3 0 1 2 0 1 2 -");
    host_rig_end();
    begin_destinations((const uint32_t[]){7, 8, 7, 7}, packets, 4, 1);
    host_rig_sends("0 1 2 1 3 1 0 2 3 0 2 3 -");
    host_rig_end();
    begin_destinations((const uint32_t[]){7, 8, 9, 6}, packets, 4, 1); /* one each: as QPs */
    host_rig_sends("0 1 2 3 0 1 2 3 0 1 2 3 -");
    host_rig_end();
}
END_TEST

/* QP 1 runs dry in its second packet: QP 0 has what is left of their host's batch. */
START_TEST(a_destinations_turn_is_a_batch)
{
    begin_destinations((const uint32_t[]){7, 7, 8}, (const uint32_t[]){5, 1, 6}, 3, 2);
    host_rig_sends("0 0 2 2 1 0 2 2 0 0 2 2 -");
    host_rig_end();
    begin_destinations((const uint32_t[]){7, 8}, (const uint32_t[]){1, 4}, 2, 3);
    host_rig_sends("0 1 1 1 1 -"); /* nobody else's: what is left of it is lost */
    host_rig_end();
}
END_TEST

/* Another QP to host 7 comes when that has just had its turn: it is host 8's all the same, and at
 * the next one QP 0, which came before, goes first. A paced QP leaves the turn to the others of its
 * host. */
START_TEST(a_new_qp_does_not_prolong_its_destinations_turn)
{
    begin_destinations((const uint32_t[]){7, 8, 7}, (const uint32_t[]){4, 3, 0}, 2, 1);
    host_rig_add(0);
    host_rig.qp[2].dst = 7;
    host_rig_sends("0");
    host_rig_post(2, 2, 0);
    host_rig_sends("1 0 1 2 1 0 2 0 -");
    host_rig_end();
    begin_destinations((const uint32_t[]){7, 7, 8}, (const uint32_t[]){3, 3, 3}, 3, 1);
    host_rig_cc(0)->rate = RIG_RATE / 4;
    host_rig_sends("0 2 1 2 0 2 1 1 0 -");
    host_rig_end();
}
END_TEST

/* Ten thousand packets of seven QPs to three hosts that come and go: in three packets in a row each
 * host that has any has one. */
START_TEST(no_destination_waits_for_two_turns_of_another)
{
    static const uint32_t dsts[] = {7, 8, 8, 9, 9, 9, 9};
    static const uint32_t packets[] = {1, 1, 1, 1, 1, 1, 1};
    uint32_t owed[10] = {0}, since[10] = {0};
    struct weft_rng rng;
    weft_rng_seed(&rng, 1, 1, 1);
    begin_destinations(dsts, packets, 7, 1);
    for (uint32_t i = 0; i < 7; i++)
    {
        owed[dsts[i]]++;
    }
    for (uint32_t i = 0; i < 1500; i++)
    {
        const uint32_t qp = weft_rng_below(&rng, 7);
        if (weft_rng_below(&rng, 4) != 0 && host_rig.qp[qp].nwqes < RIG_WQES)
        {
            since[dsts[qp]] = owed[dsts[qp]] == 0 ? 0 : since[dsts[qp]];
            owed[dsts[qp]]++;
            host_rig_post(qp, 1, host_rig.now);
        }
        const int sent = host_rig_send(0, host_rig.now);
        host_rig.now += RIG_SLOT;
        for (uint32_t dst = 7; dst < 10; dst++)
        {
            since[dst]++;
            if (sent >= 0 && dst == dsts[sent])
            {
                since[dst] = 0;
                owed[dst]--;
            }
            MUST(owed[dst] == 0 || since[dst] < 3);
        }
    }
    host_rig_end();
}
END_TEST

Suite *host_destinations_suite(void);

Suite *
host_destinations_suite(void)
{
    Suite *suite = suite_create("host-destinations");
    TCase *tcase = tcase_create("host-destinations");
    tcase_add_test(tcase, destinations_have_turns_that_their_qps_share);
    tcase_add_test(tcase, a_destinations_turn_is_a_batch);
    tcase_add_test(tcase, a_new_qp_does_not_prolong_its_destinations_turn);
    tcase_add_test(tcase, no_destination_waits_for_two_turns_of_another);
    suite_add_tcase(suite, tcase);
    return suite;
}
