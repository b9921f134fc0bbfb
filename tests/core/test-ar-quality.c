/* SPDX-License-Identifier: MIT */
/* A user would lose the delay of a real switch: qualities that are as fresh as queue lengths, loads
 * of another time than the interval's, or a degraded link that counts as a healthy one. */
#include <check.h>
#include <string.h>

#include "lb-rig.h"
#include "must.h"

#define US    INT64_C(1000000) /* ps */
#define PORTS 4

static struct weft_port_status status[PORTS];
static uint32_t reads;

static void
read_port(void *of, uint32_t port, int64_t now, struct weft_port_status *out)
{
    (void)of;
    (void)now;
    reads++;
    *out = status[port];
}

static const struct weft_port_reader reader = {NULL, read_port};
static const struct weft_ports all = {NULL, NULL, 0, PORTS, PORTS, 0, 0};

static void
open_quiet(struct lb_rig *rig, const char *settings)
{
    struct weft_site site = lb_site(1, PORTS);
    site.reader = &reader;
    for (int i = 0; i < PORTS; i++)
    {
        status[i] = (struct weft_port_status){100000000000, 0, 0, 0};
    }
    reads = 0;
    lb_open(rig, "ar-quality", settings, &site);
}

static uint32_t
pick_at(struct lb_rig *rig, int64_t now)
{
    struct weft_packet p;
    memset(&p, 0, sizeof p);
    return rig->ops->pick(rig->state, &all, &p, now);
}

/* Chooses many times at one moment: a bit for each port that was chosen. */
static unsigned
chosen_at(struct lb_rig *rig, int64_t now)
{
    unsigned ports = 0;
    for (int i = 0; i < 200; i++)
    {
        ports |= 1U << pick_at(rig, now);
    }
    return ports;
}

START_TEST(between_two_measurements_nothing_is_noticed)
{
    struct lb_rig rig;
    open_quiet(&rig, "interval=1us queue=80KB");
    ck_assert_uint_eq(chosen_at(&rig, 0), 15);
    ck_assert_uint_eq(reads, PORTS);
    status[2].queue_bytes = 50000;
    ck_assert_uint_eq(chosen_at(&rig, US - 1), 15);
    ck_assert_uint_eq(reads, PORTS);
    ck_assert_uint_eq(chosen_at(&rig, US), 11);
    status[2].queue_bytes = 9999; /* of eight levels of 10 KB the first */
    ck_assert_uint_eq(chosen_at(&rig, 2 * US), 15);
    status[2].queue_bytes = 10000;
    ck_assert_uint_eq(chosen_at(&rig, 3 * US), 11);
    ck_assert_uint_eq(reads, 4 * PORTS);
    lb_close(&rig);
}
END_TEST

/* 100 Gb/s send 12,500 bytes in 1 us: an eighth of that is the second level. */
START_TEST(load_is_what_was_sent_since_the_last_measurement)
{
    struct lb_rig rig;
    open_quiet(&rig, "length=0");
    chosen_at(&rig, 0);
    status[0].sent = 1562;
    status[1].sent = 1563;
    ck_assert_uint_eq(chosen_at(&rig, US), 13);
    ck_assert_uint_eq(chosen_at(&rig, 2 * US), 15); /* nothing more was sent */
    status[0].sent += 4 * 1563;
    status[3].sent += 4 * 1562;
    ck_assert_uint_eq(chosen_at(&rig, 6 * US), 14); /* of 4 us */
    lb_close(&rig);
}
END_TEST

/* At half the rate the same bytes are twice the load; a port that PFC has paused is the worst. */
START_TEST(rate_and_pause_count)
{
    struct lb_rig rig;
    open_quiet(&rig, NULL);
    chosen_at(&rig, 0);
    for (int i = 0; i < PORTS; i++)
    {
        status[i].sent = 1000;
    }
    status[1].rate /= 2;
    ck_assert_uint_eq(chosen_at(&rig, US), 13);
    status[2].paused = 1U << 2; /* another class */
    status[3].paused = 1U << 1;
    ck_assert_uint_eq(chosen_at(&rig, 2 * US), 7);
    lb_close(&rig);
}
END_TEST

START_TEST(ports_that_cannot_be_read_are_refused)
{
    uint64_t config[8], state[64];
    const struct weft_lb_ops *ops = weft_lb_find("ar-quality");
    const struct weft_site site = lb_site(1, PORTS);
    ck_assert_int_eq(weft_config_default(&ops->algo, config), 0);
    ck_assert_int_eq(ops->init(state, config, &site), WEFT_EINVAL);
}
END_TEST

Suite *
ar_quality_suite(void)
{
    Suite *s = suite_create("ar-quality");
    TCase *t = tcase_create("ar-quality");
    tcase_add_test(t, between_two_measurements_nothing_is_noticed);
    tcase_add_test(t, load_is_what_was_sent_since_the_last_measurement);
    tcase_add_test(t, rate_and_pause_count);
    tcase_add_test(t, ports_that_cannot_be_read_are_refused);
    suite_add_tcase(s, t);
    return s;
}
