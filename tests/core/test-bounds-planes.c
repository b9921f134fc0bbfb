/* SPDX-License-Identifier: MIT */
/*
 * Closed forms where hosts have several ports that are all alike, as those of planes. If these
 * fail, a run is told to be faster than the possible, or slow by comparison with what no run can
 * reach.
 */
#include <check.h>
#include <stdio.h>

#include <weft/theory.h>

#include "lb-rig.h"
#include "net-parts.h"
#include "run-stage.h"

#define MOST_FRAMES 12U
#define MOST_PORTS  4U

static const struct weft_wire wires = {1000, 50, 20, 64, INT64_C(80000000000), 7000, 3};

/* --- by hand ---------------------------------------------------------------------------------- */

/* When the last of so many frames of a port has come, the long ones first: nothing is sooner. */
static int64_t
end_of(uint32_t fulls, uint32_t lasts, int64_t last)
{
    const int64_t byte = INT64_C(8000000000000) / wires.rate;
    const int64_t full = wires.payload + wires.header;
    int64_t begin = 0, end = 0;
    for (uint32_t i = 0; i < fulls + lasts; i++)
    {
        const int64_t frame = i < fulls ? full : last;
        const int64_t come = begin + wires.links * (frame * byte + wires.delay);
        end = come > end ? come : end;
        begin += (frame + wires.gap) * byte;
    }
    return end;
}

/* The least end of all ways to give frames to the ports from @p port on. */
static int64_t
best_of(uint32_t port, uint32_t ports, uint32_t fulls, uint32_t lasts, int64_t last)
{
    int64_t best = WEFT_NEVER;
    for (uint32_t f = 0; f <= fulls; f++)
    {
        for (uint32_t l = 0; l <= lasts; l++)
        {
            const bool is_last = port + 1 == ports;
            if (is_last && (f < fulls || l < lasts))
            {
                continue;
            }
            const int64_t own = end_of(f, l, last);
            const int64_t others =
                is_last ? 0 : best_of(port + 1, ports, fulls - f, lasts - l, last);
            const int64_t end = own > others ? own : others;
            best = end < best ? end : best;
        }
    }
    return best;
}

/* No division of frames over ports is faster, and one is as fast: of one message always, of several
 * unless their short frames must lie beside each other. */
START_TEST(no_division_over_ports_beats_the_bound)
{
    struct weft_wire w = wires;
    w.ports = 1 + (uint32_t)_i % MOST_PORTS;
    const uint32_t messages = 1 + (uint32_t)_i / MOST_PORTS % 3;
    static const uint64_t parts[] = {1000, 1, 600};
    const uint64_t part = parts[_i / (3 * (int)MOST_PORTS)];
    for (uint32_t n = 1; n * messages <= MOST_FRAMES; n++)
    {
        const uint64_t bytes = 1000 * (n - 1) + part;
        const uint32_t fulls = part == 1000 ? n * messages : (n - 1) * messages;
        const int64_t best = best_of(0, w.ports, fulls, n * messages - fulls, (int64_t)part + 50);
        const int64_t bound = weft_alltoall_bound(&w, messages + 1, bytes * (messages + 1));
        ck_assert_msg(bound <= best, "%u x %u on %u: %lld > %lld", messages, n, w.ports,
                      (long long)bound, (long long)best);
        ck_assert_int_gt(bound, best - 2 * 1070 * 100);
        if (messages == 1 || part == 1000 || w.ports == 1)
        {
            ck_assert_int_eq(bound, best);
        }
        if (messages == 1)
        {
            ck_assert_int_eq(weft_message_bound(&w, bytes), best);
        }
    }
    ck_assert_int_eq(weft_alltoall_bound(&w, UINT32_MAX, UINT64_MAX), WEFT_NEVER);
}
END_TEST

/* --- in a run --------------------------------------------------------------------------------- */

static struct weft_message messages[MOST_MESSAGES];
static uint32_t next[MOST_MESSAGES];

/* Bounds of a workload on the stage's fabric. */
static void
bound_all(const char *workload, int64_t *form, int64_t *least)
{
    struct weft_job job;
    struct weft_traffic_size size;
    const void *config;
    const struct weft_hosts hosts = weft_clos_hosts(&stage.clos);
    job = (struct weft_job){.ops = stage_choose("workload", workload, &config)};
    job.config = config;
    ck_assert_int_eq(job.ops->size(config, &hosts, &size), 0);
    ck_assert_uint_le(size.nmessages, MOST_MESSAGES);
    ck_assert_int_eq(job.ops->fill(config, &hosts, 1, 1, messages, next), 0);
    const struct weft_traffic t = {&stage.clos, &stage.net.frame, &job, messages,
                                   next,        size.nmessages};
    *form = weft_traffic_bound(&t, false);
    *least = weft_traffic_least_time(&t, false, stage_take(NULL, weft_traffic_memory(&t)));
}

/* Sends all messages at once, and returns when the last one is delivered. */
static int64_t
send_all(uint32_t n)
{
    static struct weft_post posts[MOST_MESSAGES];
    int64_t last = 0;
    for (uint32_t i = 0; i < n; i++)
    {
        posts[i] =
            (struct weft_post){.connection = stage_connect(messages[i].src, messages[i].dst, 0),
                               .bytes = messages[i].bytes,
                               .tag = i};
        stage_post(&posts[i], 1, 0);
    }
    stage_run();
    for (uint32_t i = 0; i < n; i++)
    {
        last = stage.heard.delivered_at[i] > last ? stage.heard.delivered_at[i] : last;
    }
    return last;
}

/* Round robin over the ports is as fast as the closed form has it, unless a short last packet waits
 * behind a full one. */
START_TEST(a_permutation_by_all_planes_takes_its_closed_form)
{
    static const char *const bytes[] = {"1B", "4KB", "25KB", "41001B", "300KB"};
    char topology[160], workload[80];
    const uint32_t planes = 1 + (uint32_t)_i % 4;
    int64_t form, least;
    snprintf(topology, sizeof topology,
             "leaf-spine leaves=4 spines=1 hosts-per-leaf=1 planes=%u link-rate=100Gbps", planes);
    snprintf(workload, sizeof workload, "permutation bytes=%s pattern=shift shift=1",
             bytes[_i / 4]);
    stage_describe(topology, "ecmp");
    stage.net.frame.host_port = WEFT_PORT_IN_TURN;
    stage.net.frame.ack_priority = WEFT_ACK_IDEAL;
    stage_begin();
    bound_all(workload, &form, &least);
    const int64_t last = send_all(4);
    const struct weft_fabric_config *f = &stage.net.frame;
    const struct weft_wire w = {
        f->payload, f->header, f->gap, f->ack, stage.clos.host_rate, stage.clos.host_delay,
        4,          planes};
    ck_assert_int_eq(last, weft_message_fifo(&w, messages[0].bytes));
    ck_assert_int_eq(form, weft_message_bound(&w, messages[0].bytes));
    ck_assert_int_le(form, last);
    ck_assert_int_le(least, form);
    ck_assert_int_ge(least, form - weft_wire_time(6 * (f->payload + f->header + f->gap), w.rate));
    stage_end();
}
END_TEST

/* Messages that stay in servers go by their networks, which the closed form knows nothing of; the
 * bound of any traffic does. */
START_TEST(servers_have_no_closed_form_but_a_bound)
{
    int64_t form, least;
    stage_describe("leaf-spine leaves=2 spines=1 hosts-per-leaf=2 gpus-per-server=2 "
                   "scale-up-rate=900Gbps fabric-rate=200Gbps link-rate=100Gbps",
                   "ecmp");
    stage.net.frame.ack_priority = WEFT_ACK_IDEAL;
    stage_begin();
    bound_all("alltoall bytes=400KB", &form, &least);
    ck_assert_int_eq(form, -1);
    /* Two of four messages' 100 KB cross: each NIC sends 16 us of payload. */
    ck_assert_int_gt(least, 16 * US);
    const int64_t last = send_all(12);
    ck_assert_int_ge(last, least);
    ck_assert_int_lt(last, least + 2 * US);
    stage_end();
}
END_TEST

Suite *
bounds_planes_suite(void)
{
    Suite *suite = suite_create("bounds-planes");
    TCase *tcase = tcase_create("bounds-planes");
    tcase_add_loop_test(tcase, no_division_over_ports_beats_the_bound, 0, 9 * (int)MOST_PORTS);
    tcase_add_loop_test(tcase, a_permutation_by_all_planes_takes_its_closed_form, 0, 20);
    tcase_add_test(tcase, servers_have_no_closed_form_but_a_bound);
    suite_add_tcase(suite, tcase);
    return suite;
}
