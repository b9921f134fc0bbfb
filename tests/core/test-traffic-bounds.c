/* SPDX-License-Identifier: MIT */
/*
 * Lower bounds of completion times. If these fail, a user is told that a run is so much later than
 * it could be, and it could not be that early, or could be earlier.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

Suite *traffic_bounds_suite(void);

static const struct weft_workload_ops no_form; /* nothing is known but the messages */
static int64_t topology[64], work[64], steps[64];
static struct weft_fabric_config frame;
static struct weft_clos clos;
static struct weft_job job;
static struct weft_message messages[256];
static uint32_t next[512];
static struct weft_traffic traffic = {&clos, &frame, &job, messages, next, 0};

/* So many leaves with so many hosts each. */
static void
begin(const char *leaves, const char *hosts)
{
    const struct weft_topology_ops *ops = weft_topology_find("leaf-spine");
    weft_config_default(&ops->algo, topology);
    ck_assert_int_eq(weft_config_set(&ops->algo, topology, "leaves", leaves), 0);
    ck_assert_int_eq(weft_config_set(&ops->algo, topology, "hosts-per-leaf", hosts), 0);
    ck_assert_int_eq(ops->build(topology, &clos), 0);
    weft_config_default(&weft_fabric_algo, &frame);
    memset(messages, 0, sizeof messages);
    job = (struct weft_job){.ops = &no_form};
    traffic.n = 0;
}

static struct weft_message *
add(uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct weft_message *m = &messages[traffic.n++];
    *m = (struct weft_message){.bytes = bytes, .src = src, .dst = dst, .qp = traffic.n - 1};
    return m;
}

static void
take(const char *kind, const char *bytes)
{
    struct weft_traffic_size size;
    const struct weft_hosts hosts = weft_clos_hosts(&clos);
    job.ops = weft_workload_find(kind);
    job.config = work;
    weft_config_default(&job.ops->algo, work);
    ck_assert_int_eq(weft_config_set(&job.ops->algo, work, "bytes", bytes), 0);
    ck_assert_int_eq(job.ops->size(work, &hosts, &size), 0);
    ck_assert(size.nmessages <= 256 && size.nnext <= 512);
    ck_assert_int_eq(job.ops->fill(work, &hosts, 1, 0, messages, next), 0);
    traffic.n = size.nmessages;
}

/* In as much memory as is asked for, with anything in it. */
static int64_t
last_ack(bool by_form, int64_t pace)
{
    const size_t n = weft_traffic_memory(&traffic);
    void *memory = malloc(n);
    memset(memory, 0xa5, n);
    const int64_t time = by_form ? weft_traffic_acked_bound(&traffic, pace, steps, memory)
                                 : weft_traffic_least_time(&traffic, true, memory);
    free(memory);
    return time;
}

static int64_t
alone(uint32_t src, uint32_t dst, uint64_t bytes)
{
    struct weft_hop hops[6];
    return weft_ideal_fct(&clos, &frame, src, dst, bytes, hops);
}

static struct weft_wire
wire(uint32_t links)
{
    return (struct weft_wire){frame.payload,  frame.header,    frame.gap, frame.ack,
                              clos.host_rate, clos.host_delay, links};
}

START_TEST(a_message_takes_its_way_and_its_acks)
{
    begin("2", "2");
    add(0, 3, 1000);
    const int64_t answer = weft_clos_way(&clos, 3, 0, frame.ack);
    ck_assert_int_eq(last_ack(false, 0), alone(0, 3, 1000) + answer);
    messages[0].start = 7000;
    ck_assert_int_eq(last_ack(false, 0), 7000 + alone(0, 3, 1000) + answer);
    ck_assert_int_eq(weft_first_start(messages, 1), 7000);
}
END_TEST

START_TEST(what_waits_begins_when_the_other_is_there)
{
    begin("2", "2");
    add(0, 3, 1000);
    add(3, 1, 500);
    messages[0].nnext = 1;
    next[0] = 1;
    const int64_t both = alone(0, 3, 1000) + alone(3, 1, 500);
    ck_assert_int_eq(last_ack(false, 0), both + weft_clos_way(&clos, 1, 3, frame.ack));
    messages[1].delayed = 1;
    messages[1].start = 9000;
    ck_assert_int_eq(last_ack(false, 0), both + 9000 + weft_clos_way(&clos, 1, 3, frame.ack));
    ck_assert_int_eq(weft_first_start(messages, 2), 0);
    const struct weft_traffic_steps s = weft_count_steps(&traffic);
    ck_assert(s.n == 1 && s.ngroups == 1 && !s.barriers && s.waits);
}
END_TEST

/* Else a time that is beyond all clocks would be one in the past. */
START_TEST(what_does_not_fit_is_never)
{
    begin("2", "2");
    add(0, 3, 1000)->start = INT64_C(6000000000000000000);
    add(3, 1, 500)->start = messages[0].start;
    messages[0].nnext = 1;
    next[0] = 1;
    messages[1].delayed = 1;
    ck_assert_int_eq(last_ack(false, 0), WEFT_NEVER);
    begin("2", "2");
    add(0, 3, UINT64_MAX);
    ck_assert_int_eq(last_ack(false, 0), WEFT_NEVER);
    add(3, 1, 500);
    messages[0].nnext = 1;
    ck_assert_int_eq(last_ack(false, 0), WEFT_NEVER);
}
END_TEST

/* A form is of messages that there are. */
START_TEST(nothing_takes_no_time)
{
    begin("2", "2");
    take("alltoall", "1MB");
    traffic.n = 0;
    ck_assert_int_eq(last_ack(true, clos.host_rate), 0);
    ck_assert_int_eq(last_ack(false, 0), 0);
}
END_TEST

/* The first packet may be there as early as the closest pair allows, whichever message is the
 * first: else a time would lie below its bound. */
START_TEST(the_closest_pair_counts_wherever_it_stands)
{
    begin("2", "2");
    take("alltoall", "3KB");
    const int64_t bound = last_ack(true, clos.host_rate);
    const struct weft_message near = messages[0];
    ck_assert(near.src / 2 == near.dst / 2 && bound > 0);
    for (uint32_t i = 1; i < traffic.n; i++)
    {
        if (messages[i].src / 2 != messages[i].dst / 2)
        {
            messages[0] = messages[i];
            messages[i] = near;
            break;
        }
    }
    ck_assert_uint_ne(messages[0].src / 2, messages[0].dst / 2);
    ck_assert_int_eq(last_ack(true, clos.host_rate), bound);
}
END_TEST

/* A host's wire carries what all send to it. */
START_TEST(hosts_share_their_wires)
{
    begin("2", "4");
    for (uint32_t i = 1; i < 8; i++)
    {
        add(i, 0, 100000);
    }
    const double all = 700000.0 * 8e12 / (double)clos.host_rate;
    ck_assert(last_ack(false, 0) > (int64_t)all);
    ck_assert(alone(7, 0, 100000) < (int64_t)all);
}
END_TEST

START_TEST(hosts_that_send_to_each_other_make_room_for_acks)
{
    begin("2", "1");
    const uint64_t bytes = 2000 * (uint64_t)frame.payload;
    const struct weft_wire w = wire(4);
    add(0, 1, bytes);
    add(1, 0, bytes);
    const int64_t bound = weft_permutation_paced_bound(&w, 2000, clos.host_rate);
    ck_assert_int_eq(last_ack(true, clos.host_rate), bound);
    ck_assert_int_eq(steps[0], bound);
    /* Two such messages, the second behind a barrier. */
    add(0, 1, bytes)->step = 1;
    add(1, 0, bytes)->step = 1;
    messages[2].barrier = messages[3].barrier = 1;
    const int64_t news = weft_clos_least_delay(&clos, frame.ack);
    ck_assert_int_eq(last_ack(true, clos.host_rate), 2 * bound + news);
    ck_assert_int_eq(steps[1], bound);
    ck_assert(last_ack(true, clos.host_rate / 2) > 2 * bound + news);
    frame.ack_every = 2;
    ck_assert_int_eq(last_ack(true, clos.host_rate), -1);
    ck_assert_int_eq(steps[0], -1);
    frame.ack_every = 1;
    messages[3].bytes--;
    ck_assert_int_eq(last_ack(true, clos.host_rate), -1);
    ck_assert(steps[0] == bound && steps[1] == -1);
}
END_TEST

START_TEST(a_workload_has_its_closed_form_where_all_cross)
{
    begin("4", "1");
    const struct weft_wire w = wire(4);
    take("allreduce-ring", "400KB");
    const int64_t bound = weft_allreduce_ring_bound(&w, 4, 400000);
    ck_assert_int_eq(weft_traffic_bound(&traffic, false), bound);
    traffic.n = 0;
    ck_assert_int_eq(weft_traffic_bound(&traffic, false), bound);
    begin("2", "2");
    take("allreduce-ring", "400KB");
    ck_assert_int_eq(weft_traffic_bound(&traffic, false), -1);
    ck_assert(last_ack(true, clos.host_rate) > 0);
    job.ops = &no_form;
    ck_assert_int_eq(weft_traffic_bound(&traffic, false), -1);
}
END_TEST

Suite *
traffic_bounds_suite(void)
{
    Suite *suite = suite_create("traffic-bounds");
    TCase *tc = tcase_create("traffic-bounds");
    tcase_add_test(tc, a_message_takes_its_way_and_its_acks);
    tcase_add_test(tc, what_waits_begins_when_the_other_is_there);
    tcase_add_test(tc, what_does_not_fit_is_never);
    tcase_add_test(tc, nothing_takes_no_time);
    tcase_add_test(tc, the_closest_pair_counts_wherever_it_stands);
    tcase_add_test(tc, hosts_share_their_wires);
    tcase_add_test(tc, hosts_that_send_to_each_other_make_room_for_acks);
    tcase_add_test(tc, a_workload_has_its_closed_form_where_all_cross);
    suite_add_tcase(suite, tc);
    return suite;
}
