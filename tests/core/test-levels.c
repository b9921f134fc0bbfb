/* SPDX-License-Identifier: MIT */
/* A user would lose mixed traffic: packets picked by another level's balancer, levels that disturb
 * each other's draws, or packets held in the queue of another level. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/levels.h>
#include <weft/rng.h>

#include "host-rig.h"
#include "lb-rig.h"
#include "must.h"
#include "refused.h"

#define MOST_CONFIG 8

static uint64_t configs[WEFT_LEVELS][MOST_CONFIG];

static struct weft_levels
levels_of(const char *const *names, uint32_t n)
{
    struct weft_levels levels = {.n = n};
    for (uint32_t i = 0; i < n; i++)
    {
        levels.lb[i] = weft_lb_find(names[i]);
        levels.config[i] = configs[i];
        levels.tclass[i] = 1;
        MUST(levels.lb[i] && levels.lb[i]->algo.config_size <= sizeof configs[i]);
        MUST(weft_config_default(&levels.lb[i]->algo, configs[i]) == 0);
    }
    return levels;
}

/** All levels' states at a switch, to be freed. */
static void *
open_all(const struct weft_levels *levels, struct weft_lb_ops *ops, const struct weft_site *site)
{
    weft_levels_ops(levels, ops);
    void *state = calloc(1, ops->state_size(levels, site));
    ck_assert_int_eq(ops->init(state, levels, site), 0);
    return state;
}

static struct weft_packet
packet_of(uint32_t level, uint32_t i)
{
    struct weft_packet p = lb_data(i % 7, 9 + i % 5);
    p.sport = (uint16_t)(50000 + i % 100);
    p.sl = level & (WEFT_LEVELS - 1);
    return p;
}

/* Each level's balancer does beside the others what it would do alone, whatever they draw. */
START_TEST(each_packet_is_picked_by_its_own_level)
{
    static const char *const names[] = {"ecmp", "rsq", "drill", "rsq", "simple-rr"};
    uint32_t queues[16], same = 0;
    struct lb_rig alone[5];
    struct weft_lb_ops ops;
    struct weft_rng rng;
    const struct weft_ports ports = {queues, NULL, 4, 8, 8, 0, 0};
    const struct weft_site site = lb_site(7, 16);
    const struct weft_levels levels = levels_of(names, 5);
    void *state = open_all(&levels, &ops, &site);
    weft_rng_seed(&rng, 1, 0, 0);
    for (uint32_t i = 0; i < 5; i++)
    {
        const struct weft_site own = lb_site(weft_level_seed(7, i), 16);
        lb_open(&alone[i], names[i], NULL, &own);
    }
    for (uint32_t i = 0; i < 5000; i++)
    {
        const uint32_t level = weft_rng_below(&rng, 5);
        struct weft_packet p = packet_of(level, i), same_p = p;
        for (uint32_t k = 0; k < 16; k++)
        {
            queues[k] = weft_rng_below(&rng, 100000);
        }
        const uint32_t port = ops.pick(state, &ports, &p, i);
        ck_assert_uint_eq(port, alone[level].ops->pick(alone[level].state, &ports, &same_p, i));
        p.sl = 3; /* the other random spraying */
        same += level == 1 && port == ops.pick(state, &ports, &p, i);
        if (level == 1)
        {
            alone[3].ops->pick(alone[3].state, &ports, &p, i);
        }
    }
    ck_assert_uint_lt(same, 200); /* of 1,000: they draw by themselves */
    for (uint32_t i = 0; i < 5; i++)
    {
        lb_close(&alone[i]);
    }
    free(state);
}
END_TEST

static uint32_t picks;

static uint32_t
counted_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    (void)state;
    (void)packet;
    (void)now;
    picks++;
    return weft_port_at(ports, 0);
}

static size_t
no_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return 0;
}

static int
no_init(void *state, const void *config, const struct weft_site *site)
{
    (void)state;
    (void)config;
    (void)site;
    return 0;
}

/* A level that names paths wants to know of a last live port; the others have nothing to choose,
 * and their pointers must not move. */
START_TEST(a_last_port_is_for_those_who_ask_for_it)
{
    static const uint16_t live[] = {6};
    uint32_t queues[8] = {0};
    struct weft_lb_ops ops;
    struct weft_lb_ops choosing = {
        .algo = {.name = "choosing"}, .state_size = no_size, .init = no_init, .pick = counted_pick};
    struct weft_lb_ops naming = choosing;
    naming.pick_last = true;
    const struct weft_levels levels = {.n = 2, .lb = {&choosing, &naming}, .config = {NULL, NULL}};
    const struct weft_ports last = {queues, live, 4, 1, 4, 0, 0};
    const struct weft_site site = lb_site(7, 8);
    void *state = open_all(&levels, &ops, &site);
    ck_assert(weft_lb_picks(&ops, &last));
    for (uint32_t level = 0; level < 2; level++)
    {
        struct weft_packet p = packet_of(level, 0);
        picks = 0;
        ck_assert_uint_eq(ops.pick(state, &last, &p, 0), 6);
        ck_assert_uint_eq(picks, level);
    }
    free(state);
}
END_TEST

static void
read_paused(void *of, uint32_t port, int64_t now, struct weft_port_status *status)
{
    (void)of;
    (void)now;
    *status = (struct weft_port_status){100000000000, 0, 0, port < 4 ? 1U << (1 + port / 2) : 0U};
}

/* PFC pauses one class: only the level whose data are of it turns away from the port. */
START_TEST(a_pause_is_of_one_level)
{
    static const char *const names[] = {"ar-quality", "ar-quality", "ar-quality"};
    static const unsigned picked[] = {0x3c, 0x33, 0x3f};
    static const struct weft_port_reader reader = {NULL, read_paused};
    uint32_t queues[6] = {0};
    struct weft_lb_ops ops;
    struct weft_levels levels = levels_of(names, 3);
    const struct weft_ports ports = {queues, NULL, 0, 6, 6, 0, 0};
    struct weft_site site = lb_site(7, 6);
    site.reader = &reader;
    levels.tclass[1] = 2;
    levels.tclass[2] = 3;
    void *state = open_all(&levels, &ops, &site);
    for (uint32_t level = 0; level < 3; level++)
    {
        unsigned seen = 0;
        for (uint32_t i = 0; i < 300; i++)
        {
            struct weft_packet p = packet_of(level, i);
            seen |= 1U << ops.pick(state, &ports, &p, 0);
        }
        ck_assert_uint_eq(seen, picked[level]);
    }
    free(state);
}
END_TEST

/* ---- Holding and emitting: every level has queues of its own. ---- */

static uint32_t emits;

static enum weft_arrival
hold(void *state, void *flow, struct weft_packet *packet, uint32_t *queue, int64_t now)
{
    (void)state;
    (void)flow;
    (void)now;
    *queue = packet->psn;
    return WEFT_ARRIVAL_HOLD;
}

static bool
release_3(void *state, struct weft_request *request, int64_t now)
{
    (void)state;
    (void)now;
    request->what = emits == 1 ? WEFT_REQUEST_EMIT : WEFT_REQUEST_RELEASE;
    request->queue = 3;
    request->packet = (struct weft_packet){.kind = WEFT_CONTROL};
    return emits++ < 2;
}

static bool
request_nothing(void *state, struct weft_request *request, int64_t now)
{
    (void)state;
    (void)request;
    (void)now;
    return false;
}

START_TEST(levels_hold_packets_in_queues_of_their_own)
{
    struct weft_lb_ops ops;
    struct weft_lb_ops holding = {.algo = {.name = "holding"},
                                  .state_size = no_size,
                                  .init = no_init,
                                  .pick = counted_pick,
                                  .arrive = hold,
                                  .request = request_nothing};
    struct weft_lb_ops asking = holding;
    struct weft_lb_ops plain = {
        .algo = {.name = "plain"}, .state_size = no_size, .init = no_init, .pick = counted_pick};
    asking.request = release_3;
    const struct weft_levels levels = {.n = 3, .lb = {&plain, &holding, &asking}};
    const struct weft_site site = lb_site(7, 8);
    void *state = open_all(&levels, &ops, &site);
    uint32_t queue[3] = {UINT32_MAX, UINT32_MAX, UINT32_MAX};
    for (uint32_t level = 0; level < 3; level++)
    {
        struct weft_packet p = packet_of(level, 0);
        p.psn = 3;
        ck_assert_int_eq(ops.arrive(state, NULL, &p, &queue[level], 0),
                         level == 0 ? WEFT_ARRIVAL_FORWARD : WEFT_ARRIVAL_HOLD);
    }
    ck_assert_uint_eq(queue[0], UINT32_MAX);
    ck_assert_uint_ne(queue[1], queue[2]);
    struct weft_request request;
    emits = 0;
    ck_assert(ops.request(state, &request, 0));
    ck_assert(request.what == WEFT_REQUEST_RELEASE && request.queue == queue[2]);
    ck_assert(ops.request(state, &request, 0));
    ck_assert(request.what == WEFT_REQUEST_EMIT && request.packet.sl == 2);
    ck_assert(!ops.request(state, &request, 0));
    free(state);
}
END_TEST

/* Hooks that one level wants of its switch are asked for, and what none wants is not. */
START_TEST(hooks_are_those_of_any_level)
{
    static const char *const names[] = {"ecmp", "conga"};
    struct weft_lb_ops one, both;
    const struct weft_levels levels = levels_of(names, 2), alone = levels_of(names, 1);
    weft_levels_ops(&alone, &one);
    weft_levels_ops(&levels, &both);
    ck_assert(one.oblivious && one.peek && !one.arrive && !one.leave && !one.set_routes);
    ck_assert(!one.pick_last && !one.deadline && !one.counters && !one.flow_size);
    const struct weft_lb_ops *conga = levels.lb[1];
    ck_assert(both.arrive && both.leave && both.oblivious == conga->oblivious && !both.looks);
    ck_assert(both.pick_last == conga->pick_last && both.peek);
    ck_assert(!both.path && !both.plan && !both.tor && !both.flow_size);
}
END_TEST

START_TEST(what_a_level_refuses_all_refuse)
{
    static const char *const names[] = {"ecmp", "ar"};
    struct weft_refusal why = {0};
    struct weft_lb_ops ops;
    struct weft_levels levels = levels_of(names, 2);
    struct weft_site site = lb_site(7, 8);
    site.why = &why;
    site.port_buffer = 0; /* which ar divides by */
    weft_levels_ops(&levels, &ops);
    void *state = calloc(1, ops.state_size(&levels, &site));
    ck_assert_int_eq(ops.init(state, &levels, &site), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "port_buffer"));
    static const uint32_t impossible[] = {0, WEFT_LEVELS + 1, UINT32_MAX};
    for (size_t i = 0; i < 3; i++)
    {
        levels.n = impossible[i];
        weft_levels_ops(&levels, &ops);
        ck_assert_uint_gt(ops.state_size(&levels, &site), 0);
        ck_assert_int_eq(ops.init(state, &levels, &site), WEFT_ERANGE);
        ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "1 to 8 service levels"));
    }
    free(state);
}
END_TEST

/* QPs of another class, whose rate is their own, know nothing of it. */
START_TEST(a_rate_of_the_host_is_of_those_who_share_it)
{
    host_rig_begin("gbn", NULL);
    host_rig.cc.per_host = true;
    host_rig.cc_config.rate = RIG_RATE / 4;
    host_rig_add(0);
    host_rig_add(0);
    host_rig_add(0);
    struct weft_cc_ops own_rate = host_rig.cc;
    struct weft_nic_algos other = host_rig.algos;
    own_rate.per_host = false;
    other.cc = &own_rate;
    other.tclass = 2;
    host_rig.qp[2].algos = &other;
    host_rig_cc(2)->rate = RIG_RATE / 2;
    host_rig_post(0, 2, 0);
    host_rig_post(1, 1, 0);
    host_rig_post(2, 4, 0);
    host_rig_sends("0 2 - 2 0 2 - 2 1 -"); /* 0 and 1 a quarter of the line, 2 half of it */
    host_rig_post(1, 1, host_rig.now);
    host_rig_post(2, 1, host_rig.now);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 0), 9 * RIG_SLOT);
    ck_assert_int_eq(weft_host_next_at(&host_rig.host, 0, 1U << 2), 12 * RIG_SLOT);
    ck_assert_int_eq(weft_host_send_at(&host_rig.host, &host_rig.qp[1]), 12 * RIG_SLOT);
    ck_assert_int_eq(weft_host_send_at(&host_rig.host, &host_rig.qp[2]), 9 * RIG_SLOT);
    host_rig_end();
}
END_TEST

Suite *levels_suite(void);

Suite *
levels_suite(void)
{
    Suite *suite = suite_create("levels");
    TCase *tc = tcase_create("levels");
    suite_add_tcase(suite, tc);
    tcase_add_test(tc, each_packet_is_picked_by_its_own_level);
    tcase_add_test(tc, a_last_port_is_for_those_who_ask_for_it);
    tcase_add_test(tc, a_pause_is_of_one_level);
    tcase_add_test(tc, levels_hold_packets_in_queues_of_their_own);
    tcase_add_test(tc, hooks_are_those_of_any_level);
    tcase_add_test(tc, what_a_level_refuses_all_refuse);
    tcase_add_test(tc, a_rate_of_the_host_is_of_those_who_share_it);
    return suite;
}
