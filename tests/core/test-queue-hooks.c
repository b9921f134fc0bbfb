/* SPDX-License-Identifier: MIT */
/* A user who traces queues would lose frames of them, see some twice or that leave before they
 * came, or would change what happens by looking. */
#include <check.h>
#include <string.h>

#include <weft/weft.h>

#include "net-world.h"

#define SWITCHES 64
#define PORTS    64

/* Frames of one queue; only the thread of its switch writes here. */
static struct queue
{
    uint64_t came;
    uint64_t left;
    uint64_t hash; /* of those that are there, in any order */
    bool is_wrong; /* one left that was not there */
} queues[SWITCHES][PORTS];

/* A frame by what no switch changes. */
static uint64_t
frame_hash(const struct weft_packet *p)
{
    return weft_mix64(weft_mix64((uint64_t)p->kind << 48 | p->qp) ^ (uint64_t)p->psn << 32 ^
                      (uint64_t)p->sent);
}

static void
note_queued(void *of, uint32_t index, const struct weft_packet *p, uint32_t port, int64_t now)
{
    (void)of;
    (void)now;
    queues[index][port].came++;
    queues[index][port].hash += frame_hash(p);
}

static void
note_leaving(void *of, uint32_t index, const struct weft_packet *p, uint32_t port, int64_t now)
{
    struct queue *q = &queues[index][port];
    (void)of;
    (void)now;
    q->hash -= frame_hash(p);
    q->is_wrong = q->is_wrong || ++q->left > q->came || (q->left == q->came && q->hash != 0);
}

static struct result
run(const struct scene *scene, bool looks, uint32_t threads)
{
    memset(queues, 0, sizeof queues);
    world.threads = threads;
    world_begin(scene);
    if (looks)
    {
        struct weft_net_hooks hooks = world.config.hooks;
        hooks.queued = note_queued;
        hooks.leaves = note_leaving;
        weft_net_set_hooks(world.net, &hooks);
    }
    weft_net_run(world.net, LONG);
    const struct result r = world_conclude();
    world_end();
    world.threads = 0;
    return r;
}

START_TEST(frames_that_join_a_queue_leave_it_and_nothing_else_does)
{
    const struct result plain = run(&scenes[_i], false, 1);
    for (uint32_t threads = 1; threads <= 3; threads += 2)
    {
        const struct result r = run(&scenes[_i], true, threads);
        uint64_t all = 0;
        for (uint32_t sw = 0; sw < SWITCHES; sw++)
        {
            for (uint32_t port = 0; port < PORTS; port++)
            {
                const struct queue *q = &queues[sw][port];
                ck_assert_uint_eq(q->came, q->left);
                ck_assert(!q->is_wrong);
                all += q->left;
            }
        }
        ck_assert_mem_eq(&plain, &r, sizeof r);
        ck_assert_uint_gt(all, r.total.delivered);
    }
}
END_TEST

Suite *queue_hooks_suite(void);

Suite *
queue_hooks_suite(void)
{
    Suite *suite = suite_create("queue-hooks");
    TCase *tcase = tcase_create("queue-hooks");
    tcase_set_timeout(tcase, 60);
    tcase_add_loop_test(tcase, frames_that_join_a_queue_leave_it_and_nothing_else_does, 0, NSCENES);
    suite_add_tcase(suite, tcase);
    return suite;
}
