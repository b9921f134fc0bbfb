/* SPDX-License-Identifier: MIT */
/* Order of what happens at a host at one instant, which hangs on nothing else. Were it another one
 * from run to run, from window to window or from thread to thread, so would be the results. */
#include <check.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <weft/weft.h>

#include "net-parts.h"
#include "node/host-node.h"
#include "node/mail.h"
#include "node/switch-node.h"

#define HOSTS 6U
#define T     INT64_C(40000000) /* ps: the instant */
#define DATA  1U                /* traffic class */

/* A switch with its hosts, and what was heard of host 0, in words. */
static struct
{
    struct weft_clos clos;
    struct weft_net_level level[2];
    struct weft_net_config config;
    struct weft_net *net;
    struct weft_host_node *h; /* host 0 */
    char log[512];
} world;

__attribute__((format(printf, 1, 2))) static void
note(const char *format, ...)
{
    const size_t length = strlen(world.log);
    va_list args;
    va_start(args, format);
    vsnprintf(world.log + length, sizeof world.log - length, format, args);
    va_end(args);
}

static const char *
name_of(const struct weft_packet *p)
{
    static const char *const names[] = {"data", "ack", "nack", "cnp", "pull", "raw", "control"};
    return names[p->kind];
}

static void
sent(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    (void)of;
    if (host == 0 && now == T)
    {
        note("sends %s of %u; ", name_of(p), (unsigned)p->qp);
    }
}

static void
received(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    (void)of;
    if (host == 0 && now == T)
    {
        note("gets %s from %u; ", name_of(p), (unsigned)p->src);
    }
}

static void
timed_out(void *of, struct weft_qp *qp, int64_t now)
{
    (void)of;
    if (now == T)
    {
        note("timer of %u; ", qp->index);
    }
}

static void
told_lost(void *of, struct weft_qp *qp, const struct weft_packet *lost, int64_t now)
{
    (void)of;
    (void)lost;
    if (now == T)
    {
        note("loss of %u; ", qp->index);
    }
}

static void
called(void *of, uint64_t what, int64_t now)
{
    ck_assert_int_eq(now, T);
    note("%s %u; ", (const char *)of, (unsigned)what);
}

static void
set_level(uint32_t i, const char *transport, const char *const *settings)
{
    struct weft_net_level *level = &world.level[i];
    *level = (struct weft_net_level){.share = 1, .labels = 4096, .tclass = DATA};
    level->lb = weft_lb_find("ecmp");
    level->lb_config = parts_defaults(&level->lb->algo);
    level->transport = weft_transport_find(transport);
    void *config = parts_defaults(&level->transport->algo);
    parts_set_all(&level->transport->algo, config, settings);
    level->transport_config = config;
    level->cc = weft_cc_find("none");
    level->cc_config = parts_defaults(&level->cc->algo);
}

/* QPs of level 0 hear of losses, receivers of level 1 have timers. */
static void
begin(enum weft_ack_priority replies)
{
    static const char *const shape[] = {"leaves", "1",         "spines",  "1", "hosts-per-leaf",
                                        "6",      "link-rate", "100Gbps", NULL};
    static const char *const none[] = {NULL};
    static const char *const timers[] = {"timeout", "receiver", "rto", "39us", NULL};
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    memset(&world, 0, sizeof world);
    void *topology = parts_defaults(&kind->algo);
    parts_set_all(&kind->algo, topology, shape);
    ck_assert_int_eq(kind->build(topology, &world.clos), 0);
    set_level(0, "erasure", none);
    set_level(1, "pro-window", timers);
    world.config.clos = &world.clos;
    world.config.levels = world.level;
    world.config.nlevels = 2;
    world.config.scheduler = weft_scheduler_find("strict");
    world.config.memory.take = parts_take;
    weft_config_default(&weft_fabric_algo, &world.config.frame);
    weft_config_default(&weft_mmu_algo, &world.config.buffer);
    world.config.frame.ack_priority = (int64_t)replies;
    world.config.hooks = (struct weft_net_hooks){
        .sent = sent, .received = received, .timed_out = timed_out, .told_lost = told_lost};
    ck_assert_int_eq(weft_net_make(&world.net, &world.config, NULL), 0);
    world.h = &world.net->host[0];
}

static void
end(void)
{
    parts_free();
}

static struct weft_net_qp *
add_qp(uint32_t src, uint32_t dst, uint32_t level)
{
    const struct weft_net_qp_site site = {
        .src = src, .dst = dst, .level = level, .stream = weft_net_nqps(world.net)};
    struct weft_qp *qp;
    ck_assert_int_eq(weft_net_add_qp(world.net, &site, &qp, NULL), 0);
    return (struct weft_net_qp *)(void *)qp;
}

/* The switch's end of a host's link. */
static struct weft_port *
switch_port(uint32_t host)
{
    return &world.net->sw[0].node.port[host];
}

/* Data of a QP arrives. */
static void
arrives(const struct weft_net_qp *q, uint32_t psn, int64_t at)
{
    struct weft_port *port = switch_port(q->qp.dst);
    struct weft_frame *frame = weft_lane_pass(&port->lane[DATA], &world.net->first.chunks);
    frame->d = (struct weft_packet){.src = q->qp.src & WEFT_HOST_MASK,
                                    .dst = q->qp.dst & WEFT_HOST_MASK,
                                    .qp = q->qp.index & WEFT_QP_MASK,
                                    .sl = q->qp.algos->sl & 7U,
                                    .kind = WEFT_DATA,
                                    .psn = (q->qp.first_psn + psn) & WEFT_PSN_MASK,
                                    .tclass = DATA,
                                    .bytes = 1000};
    frame->at = at;
    weft_port_announce(&world.net->first, port, at);
}

/* A PFC frame arrives at host 0. */
static void
pauses(bool pause)
{
    struct weft_pfc_lane *lane = &switch_port(0)->pfc;
    weft_port_pause(&world.net->first, switch_port(0), DATA, pause, 0);
    lane->ring[(lane->sent - 1) & (lane->size - 1)].at = T;
}

/* Mail of that kind comes to host 0: of a QP, an ACK or news of a loss. */
static void
mail(const struct weft_net_qp *q, enum weft_mail_kind kind, uint64_t number)
{
    struct weft_letter *letter = weft_letter_get(&world.net->first);
    letter->packet = (struct weft_packet){.src = q->qp.dst & WEFT_HOST_MASK,
                                          .qp = q->qp.index & WEFT_QP_MASK,
                                          .kind = kind == WEFT_MAIL_REPLY ? WEFT_ACK : WEFT_DATA,
                                          .psn = q->qp.first_psn & WEFT_PSN_MASK,
                                          .bytes = 84};
    weft_mail_send(&world.net->first, world.h->node.number, T, weft_mail_key(kind, number), letter);
}

static void
post(struct weft_net_qp *q, int64_t at)
{
    weft_net_post(world.net, &q->qp, 1000, 0, at, q->qp.index);
}

/* Host 0's wire is taken until the instant. */
static void
occupy(void)
{
    world.h->port.free_at = T;
}

static void
run(const char *expected)
{
    weft_net_run(world.net, T + 1);
    ck_assert_str_eq(world.log, expected);
    end();
}

/* QPs of host 0 whose packets were lost, so that their timers run out at the instant. */
static void
begin_timers(uint32_t n)
{
    begin(WEFT_ACK_SHARE);
    for (uint32_t i = 0; i < n; i++)
    {
        struct weft_net_qp *q = add_qp(0, 1 + i, 1);
        weft_net_drop(world.net, &q->qp, 0, 1, true);
        weft_net_post(world.net, &q->qp, 1000, 0, 0, n - i);
    }
}

static void
put_timers_off(void)
{
    weft_net_run(world.net, 20000000);
    struct weft_agenda *timers = &world.h->timers;
    struct weft_due due[8];
    const uint32_t n = timers->n;
    ck_assert_uint_le(n, 8);
    for (uint32_t i = 0; i < n; i++)
    {
        due[i] = weft_agenda_take(timers);
        ck_assert_int_le(due[i].at, T);
    }
    for (uint32_t i = 0; i < n; i++)
    {
        weft_agenda_add(timers, T, due[i].key, i, due[i].what, &world.net->first.memory);
    }
    weft_net_wake(world.net, world.h->node.number, T);
}

START_TEST(timers_go_by_qp)
{
    begin_timers(3); /* the last one has sent first */
    put_timers_off();
    run("timer of 0; sends data of 0; timer of 1; timer of 2; ");
}
END_TEST

START_TEST(timers_of_receivers_follow_those_of_senders)
{
    begin_timers(1);
    struct weft_net_qp *from = add_qp(2, 0, 1);
    weft_net_run(world.net, 1000000);
    arrives(from, 100, 1000000);
    put_timers_off();
    run("timer of 0; sends data of 0; ");
}
END_TEST

START_TEST(a_frame_that_waited_starts_behind_timers)
{
    begin_timers(1);
    struct weft_net_qp *waits = add_qp(0, 4, 0);
    put_timers_off();
    post(waits, T - 1000);
    occupy();
    run("timer of 0; sends data of 1; ");
}
END_TEST

START_TEST(a_frame_that_waited_starts_before_a_pause)
{
    begin(WEFT_ACK_SHARE);
    struct weft_net_qp *waits = add_qp(0, 4, 0);
    post(waits, T - 1000);
    occupy();
    pauses(true);
    run("sends data of 0; ");
}
END_TEST

START_TEST(a_pause_and_a_resume_come_as_they_were_sent)
{
    begin(WEFT_ACK_SHARE);
    struct weft_net_qp *waits = add_qp(0, 4, 0);
    world.h->port.paused = 1U << DATA;
    post(waits, T - 1000);
    for (int i = 0; i < _i; i++)
    {
        pauses(i % 2 == 1);
    }
    run("sends data of 0; ");
}
END_TEST

START_TEST(a_pause_that_was_sent_last_holds)
{
    begin(WEFT_ACK_SHARE);
    struct weft_net_qp *q = add_qp(0, 4, 0);
    for (int i = 0; i < _i; i++)
    {
        pauses(i % 2 == 1);
    }
    post(q, T);
    run("");
}
END_TEST

START_TEST(a_pause_comes_before_mail)
{
    begin(WEFT_ACK_SHARE);
    struct weft_net_qp *q = add_qp(0, 4, 0);
    weft_net_drop(world.net, &q->qp, 0, 1, true);
    post(q, T - 1500000);
    mail(q, WEFT_MAIL_LOSS, 0); /* the real news come later */
    pauses(true);
    run("loss of 0; ");
}
END_TEST

START_TEST(a_resume_comes_before_mail)
{
    begin(WEFT_ACK_SHARE);
    struct weft_net_qp *q = add_qp(0, 4, 0);
    struct weft_net_qp *waits = add_qp(0, 5, 0);
    world.h->port.paused = 1U << DATA;
    post(waits, T - 1000);
    mail(q, WEFT_MAIL_LOSS, 0);
    pauses(false);
    run("sends data of 1; loss of 0; ");
}
END_TEST

START_TEST(mail_goes_by_kind_and_sender)
{
    begin(WEFT_ACK_SHARE);
    struct weft_net_qp *q[3];
    for (uint32_t i = 0; i < 3; i++)
    {
        q[i] = add_qp(0, 5 - i, 0);
    }
    mail(q[0], WEFT_MAIL_LOSS, 7);
    mail(q[0], WEFT_MAIL_REPLY, 5);
    mail(q[2], WEFT_MAIL_LOSS, 2);
    mail(q[1], WEFT_MAIL_REPLY, 4);
    mail(q[1], WEFT_MAIL_LOSS, 5);
    run("gets ack from 4; gets ack from 5; loss of 2; loss of 1; loss of 0; ");
}
END_TEST

START_TEST(ideal_replies_go_by_their_senders)
{
    begin(WEFT_ACK_IDEAL);
    const int64_t way = weft_clos_way(&world.clos, 1, 0, world.config.frame.ack);
    for (uint32_t i = 1; i < HOSTS; i++)
    {
        struct weft_net_qp *q = add_qp(0, HOSTS - i, 0);
        arrives(q, 0, T - way);
    }
    run("gets ack from 1; gets ack from 2; gets ack from 3; gets ack from 4; gets ack from 5; ");
}
END_TEST

START_TEST(mail_of_one_sender_comes_as_it_was_sent)
{
    begin(WEFT_ACK_SHARE);
    struct weft_net_qp *q[6];
    for (uint32_t i = 0; i < 6; i++)
    {
        q[i] = add_qp(0, 5, 0);
        mail(q[i], WEFT_MAIL_LOSS, 5);
    }
    run("loss of 0; loss of 1; loss of 2; loss of 3; loss of 4; loss of 5; ");
}
END_TEST

START_TEST(mail_comes_before_arrivals)
{
    begin(WEFT_ACK_SHARE);
    struct weft_net_qp *q = add_qp(0, 4, 0);
    struct weft_net_qp *from = add_qp(3, 0, 0);
    arrives(from, 0, T);
    mail(q, WEFT_MAIL_LOSS, 9);
    run("loss of 0; gets data from 3; sends ack of 1; ");
}
END_TEST

static void
call(enum weft_net_step step, uint64_t number, const char *name)
{
    weft_net_call(world.net, 0, T, step, number, called, (void *)(uintptr_t)name, number);
}

START_TEST(arrivals_come_before_posts)
{
    begin(WEFT_ACK_SHARE);
    struct weft_net_qp *from = add_qp(3, 0, 0);
    struct weft_net_qp *to = add_qp(0, 4, 0);
    post(to, T);
    call(WEFT_NET_CALL, 0, "call");
    arrives(from, 0, T);
    run("gets data from 3; sends ack of 0; call 0; ");
}
END_TEST

START_TEST(what_programs_do_goes_by_step_and_number)
{
    static const struct
    {
        enum weft_net_step step;
        const char *name;
    } steps[] = {{WEFT_NET_PLAN, "plan"},
                 {WEFT_NET_CALL, "call"},
                 {WEFT_NET_PART, "part"},
                 {WEFT_NET_POST, "post"}};
    begin(WEFT_ACK_SHARE);
    for (uint64_t i = 0; i < 8; i++)
    {
        call(steps[i % 4].step, 8 - i, steps[i % 4].name);
    }
    run("post 1; post 5; part 2; part 6; call 3; call 7; plan 4; plan 8; ");
}
END_TEST

START_TEST(posts_go_by_number)
{
    begin(WEFT_ACK_SHARE);
    struct weft_net_qp *first = add_qp(0, 4, 0);
    struct weft_net_qp *second = add_qp(0, 5, 0);
    weft_net_post(world.net, &first->qp, 1000, 0, T, 2);
    weft_net_post(world.net, &second->qp, 1000, 0, T, 1);
    run("sends data of 1; ");
}
END_TEST

/* A call that makes other calls for now. */
static void
call_more(void *of, uint64_t what, int64_t now)
{
    called(of, what, now);
    call(WEFT_NET_PLAN, 1, "plan");
    call(WEFT_NET_POST, 1, "post");
    called(of, what + 1, now);
}

START_TEST(what_is_asked_for_meanwhile_is_done_at_once_but_plans)
{
    begin(WEFT_ACK_SHARE);
    weft_net_call(world.net, 0, T, WEFT_NET_CALL, 1, call_more, (void *)(uintptr_t) "more", 1);
    call(WEFT_NET_CALL, 2, "call");
    run("more 1; post 1; more 2; call 2; plan 1; ");
}
END_TEST

/* A call that sends something itself. */
static void
post_now(void *of, uint64_t what, int64_t now)
{
    called((void *)(uintptr_t) "begins", what, now);
    weft_net_post(world.net, of, 1000, 0, now, 0);
    called((void *)(uintptr_t) "ends", what, now);
}

static void
send_now(void *of, uint64_t what, int64_t now)
{
    const struct weft_packet raw = {.kind = WEFT_RAW, .dst = 4, .bytes = 100, .tclass = DATA};
    (void)of;
    called((void *)(uintptr_t) "begins", what, now);
    weft_net_send(world.net, 0, &raw, now);
    called((void *)(uintptr_t) "ends", what, now);
}

START_TEST(what_is_posted_or_sent_meanwhile_leaves_at_once)
{
    begin(WEFT_ACK_SHARE);
    struct weft_net_qp *q = add_qp(0, 4, 0);
    weft_net_call(world.net, 0, T, WEFT_NET_CALL, 1, _i ? send_now : post_now, &q->qp, 1);
    call(WEFT_NET_CALL, 2, "call");
    run(_i ? "begins 1; sends raw of 0; ends 1; call 2; "
           : "begins 1; sends data of 0; ends 1; call 2; ");
}
END_TEST

Suite *instant_suite(void);

Suite *
instant_suite(void)
{
    Suite *suite = suite_create("instant");
    TCase *tcase = tcase_create("instant");
    tcase_add_test(tcase, timers_go_by_qp);
    tcase_add_test(tcase, timers_of_receivers_follow_those_of_senders);
    tcase_add_test(tcase, a_frame_that_waited_starts_behind_timers);
    tcase_add_test(tcase, a_frame_that_waited_starts_before_a_pause);
    tcase_add_loop_test(tcase, a_pause_and_a_resume_come_as_they_were_sent, 1, 20);
    for (int n = 2; n < 20; n += 2)
    {
        tcase_add_loop_test(tcase, a_pause_that_was_sent_last_holds, n, n + 1);
    }
    tcase_add_test(tcase, a_pause_comes_before_mail);
    tcase_add_test(tcase, a_resume_comes_before_mail);
    tcase_add_test(tcase, mail_goes_by_kind_and_sender);
    tcase_add_test(tcase, mail_of_one_sender_comes_as_it_was_sent);
    tcase_add_test(tcase, ideal_replies_go_by_their_senders);
    tcase_add_test(tcase, mail_comes_before_arrivals);
    tcase_add_test(tcase, arrivals_come_before_posts);
    tcase_add_test(tcase, what_programs_do_goes_by_step_and_number);
    tcase_add_test(tcase, posts_go_by_number);
    tcase_add_test(tcase, what_is_asked_for_meanwhile_is_done_at_once_but_plans);
    tcase_add_loop_test(tcase, what_is_posted_or_sent_meanwhile_leaves_at_once, 0, 2);
    suite_add_tcase(suite, tcase);
    return suite;
}
