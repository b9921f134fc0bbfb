/* SPDX-License-Identifier: MIT */
/* The tables of docs/congestion-signals.md, cell by cell. A user would lose the reason to believe
 * them: what each transport tells a congestion control, and what each control does about it. */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "host-rig.h"

#define US INT64_C(1000000) /* ps */

static struct weft_qp *const qp = &host_rig.qp[0];
static char told[512];

static void
tell(const char *text)
{
    ck_assert_uint_lt(strlen(told) + strlen(text) + 1, sizeof told);
    strcat(told, text);
}

static void
on_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    char text[64];
    (void)state;
    (void)now;
    snprintf(text, sizeof text, "%s%s %u of %u; ", ack->reply->kind == WEFT_NACK ? "nack" : "ack",
             ack->reply->flags & WEFT_F_ECE ? " marked" : "", (unsigned)ack->una,
             (unsigned)ack->delivered);
    tell(text);
}

static void
on_lost(void *state, const struct weft_loss *loss, int64_t now)
{
    static const char *const causes[] = {"nack", "trim", "gap", "timeout", "told"};
    char text[64];
    (void)state;
    (void)now;
    snprintf(text, sizeof text, "lost %u by %s; ", loss->psn, causes[loss->cause]);
    tell(text);
}

static void
on_timeout(void *state, int64_t now)
{
    (void)state;
    (void)now;
    tell("timeout; ");
}

/* A QP that has sent packets 0 to 7. */
static void
begin(const char *transport)
{
    static const char *const rto[] = {"rto", "10us", NULL};
    static const char *const sack[] = {"rto", "10us", "threshold", "4", NULL};
    static const char *const window[] = {"rto", "10us", "ooo-window", "4", NULL};
    host_rig_begin(transport, strcmp(transport, "sack") == 0         ? sack
                              : strcmp(transport, "pro-window") == 0 ? window
                                                                     : rto);
    host_rig.cc.on_ack = on_ack;
    host_rig.cc.on_nack = NULL;
    host_rig.cc.on_lost = on_lost;
    host_rig.cc.on_timeout = on_timeout;
    told[0] = '\0';
    host_rig_add(0);
    host_rig_post(0, 20, 0);
    host_rig_sends("0 0 0 0 0 0 0 0");
}

static void
answer(struct weft_packet *packet, const struct weft_qp_answer *a)
{
    if (a->verdict.reply != WEFT_REPLY_NONE)
    {
        weft_qp_answer_with(qp, packet, a);
        weft_qp_reply(qp, packet, host_rig.now);
    }
}

/* A data packet arrives, and what the receiver says to it. */
static void
arrives(uint32_t psn, uint32_t flags)
{
    struct weft_packet packet = host_rig_packet(0, psn, flags);
    struct weft_qp_answer a;
    weft_qp_data(qp, &packet, host_rig.now, &a);
    answer(&packet, &a);
    if (weft_qp_rx_deadline(qp) <= host_rig.now)
    {
        packet = qp->newest;
        weft_qp_rx_timer(qp, host_rig.now, &a);
        answer(&packet, &a);
    }
}

static const struct
{
    const char *transport;
    const char *in_order, *out_of_order, *marked, *far, *trimmed, *timeout;
} says[] = {
    /* In order; out of order by one; marked and out of order; by five; trimmed; the timer. */
    {"gbn", "ack 1 of 1; ", "nack 1 of 1; lost 1 by nack; ", "", "", NULL,
     "timeout; "}, /* what it goes back for is lost already */
    {"nic-sr", "ack 1 of 1; ", "nack 1 of 1; lost 1 by nack; ", "", "", NULL, "timeout; "},
    {"ideal", "ack 1 of 1; ", "ack 1 of 2; ", "ack marked 1 of 3; ", "ack 1 of 4; ", NULL,
     "timeout; lost 1 by timeout; lost 4 by timeout; lost 5 by timeout; lost 7 by timeout; "},
    {"sack", "ack 1 of 1; ", "ack 1 of 2; ", "ack marked 1 of 3; ",
     "ack 1 of 4; lost 1 by gap; lost 4 by gap; lost 5 by gap; ", NULL,
     "timeout; lost 7 by timeout; "},
    {"erasure", "ack 1 of 1; ", "ack 1 of 2; ", "ack marked 1 of 3; ", "ack 1 of 4; ", NULL,
     "timeout; "},
    {"trim", "ack 1 of 1; ", "ack 1 of 2; ", "ack marked 1 of 3; ", "ack 1 of 4; ",
     "nack 1 of 4; lost 4 by trim; ",
     "timeout; lost 1 by timeout; lost 5 by timeout; lost 7 by timeout; "},
    {"pro-window", "ack 1 of 1; ", "ack 1 of 2; ", "ack marked 1 of 3; ",
     "ack 1 of 4; nack 1 of 4; lost 1 by nack; ", NULL,
     "timeout; lost 4 by timeout; lost 5 by timeout; lost 7 by timeout; "},
    {"mprdma", "ack 1 of 1; ", "ack 1 of 1; ", "ack marked 1 of 1; ", "ack 1 of 1; ", NULL,
     "timeout; lost 1 by timeout; "},
    {"multipath-timers", "ack 1 of 1; ", "ack 1 of 2; ", "ack marked 1 of 3; ", "ack 1 of 4; ",
     NULL,
     "timeout; lost 1 by timeout; lost 4 by timeout; lost 5 by timeout; "
     "lost 7 by timeout; "},
};
#define TRANSPORTS ((int)(sizeof says / sizeof says[0]))

static void
is_told(const char *expected)
{
    ck_assert_str_eq(told, expected);
    told[0] = '\0';
}

START_TEST(each_transport_tells_what_the_table_says)
{
    begin(says[_i].transport);
    arrives(0, 0);
    is_told(says[_i].in_order);
    arrives(2, 0);
    is_told(says[_i].out_of_order);
    arrives(3, WEFT_F_CE);
    is_told(says[_i].marked);
    arrives(6, 0);
    is_told(says[_i].far);
    ck_assert_int_eq(weft_transport_find(says[_i].transport)->trims, says[_i].trimmed != NULL);
    if (says[_i].trimmed)
    {
        arrives(4, WEFT_F_TRIMMED);
        is_told(says[_i].trimmed);
    }
    host_rig.now += 100 * US;
    weft_qp_timer(qp, host_rig.now);
    is_told(says[_i].timeout);
    host_rig_end();
}
END_TEST

enum event
{
    CLEAN,   /* 100 ACKs, a packet each */
    MARKED,  /* 100 ACKs, each of a marked packet */
    CNP,     /* congestion notification */
    NACK,    /* a NACK that acknowledges nothing, before the loss that it shows */
    LOSS,    /* a packet taken for lost, by a NACK or by a gap */
    TRIMMED, /* a NACK of a trimmed packet, and its loss */
    TIMEOUT, /* the timer, and what is lost by it */
    EVENTS
};

static uint64_t config[32], state[256];

static void
happens(const struct weft_cc_ops *cc, enum event event, int64_t now)
{
    const bool trim = event == TRIMMED;
    const struct weft_packet nack = {
        .kind = WEFT_NACK, .sent = now - 9 * US, .flags = trim ? WEFT_F_TRIMMED : 0};
    struct weft_packet ack = {.kind = WEFT_ACK, .sent = now - 9 * US};
    struct weft_cc_ack taken = {.reply = &ack, .acked = 1, .next = 200};
    const struct weft_loss loss = {.cause = trim               ? WEFT_LOST_TRIMMED
                                            : event == TIMEOUT ? WEFT_LOST_BY_TIMEOUT
                                                               : WEFT_LOST_BY_GAP};
    ack.flags = event == MARKED ? WEFT_F_ECE : 0;
    for (uint64_t n = event <= MARKED ? 100 : 0; n > 0 && cc->on_ack; n--)
    {
        taken.una = ++taken.delivered;
        cc->on_ack(state, &taken, now);
    }
    if (event == CNP && cc->on_cnp)
    {
        cc->on_cnp(state, &nack, now);
    }
    if ((event == NACK || trim) && cc->on_nack)
    {
        cc->on_nack(state, &nack, now);
    }
    if ((event == NACK || trim) && cc->on_ack)
    {
        taken = (struct weft_cc_ack){.reply = &nack, .next = 200};
        cc->on_ack(state, &taken, now);
    }
    if (event == TIMEOUT && cc->on_timeout)
    {
        cc->on_timeout(state, now);
    }
    if (event >= LOSS && cc->on_lost)
    {
        cc->on_lost(state, &loss, now);
    }
}

/* + more, - less, 0 as before: rate and window together, 20 us later. */
static char
effect_of(const struct weft_cc_ops *cc, enum event event)
{
    /* 100 Gb/s, 8 us, six links: a delay of 9 us is below Swift's target. */
    const struct weft_cc_site site = {100000000000, 1, 8 * US, 6, 1230, 20, NULL};
    ck_assert_int_eq(cc->init(state, config, &site, 0), 0);
    if (strstr(cc->algo.name, "swift")) /* its first window is the largest */
    {
        cc->on_timeout(state, 0);
    }
    const int64_t now = 1000 * US;
    const int64_t later = now + 20 * US;
    uint64_t before[256];
    memcpy(before, state, sizeof state);
    const double quiet =
        (double)cc->rate(before, later) * (cc->window ? cc->window(before, later) : 1U);
    happens(cc, event, now);
    const double after =
        (double)cc->rate(state, later) * (cc->window ? cc->window(state, later) : 1U);
    return after > quiet ? '+' : after < quiet ? '-' : '0';
}

static const struct
{
    const char *cc, *param, *value;
    const char effects[EVENTS + 1]; /* clean, marked, CNP, NACK, loss, trimmed, timeout */
} does[] = {
    {"none", NULL, NULL, "0000000"},
    {"ideal", NULL, NULL, "0000000"},
    {"dcqcn", NULL, NULL, "00--0-0"},
    {"dcqcn", "nack-cut", "off", "00-0000"},
    {"dctcp", NULL, NULL, "+-00---"},
    {"dctcp", "trim", "packet", "+-00---"},
    {"dctcp", "trim", "off", "+-00-0-"},
    {"swift", NULL, NULL, "++00---"},
    {"swift", "fast-cut", "off", "++000--"},
    {"swift", "trim-cut", "off", "++00-0-"},
    {"mswift", NULL, NULL, "++000--"},
    {"mswift", "fast-cut", "on", "++00---"},
    {"mswift", "trim-cut", "off", "++0000-"},
    {"nscc", "initial", "50000B", "+000---"},
    {"eqds", NULL, NULL, "--0-0-0"},
    {"rccc", NULL, NULL, "--0-0-0"}, /* the first reply ends the credit that it begins with */
    {"timely", "initial", "10Gbps", "++00000"},
    {"hpcc", NULL, NULL, "0000000"},
};
#define CONTROLS ((int)(sizeof does / sizeof does[0]))

START_TEST(each_control_does_what_the_table_says)
{
    const struct weft_cc_ops *cc = weft_cc_find(does[_i].cc);
    char effects[EVENTS + 1] = "";
    ck_assert(cc && cc->state_size <= sizeof state && cc->algo.config_size <= sizeof config);
    ck_assert_int_eq(weft_config_default(&cc->algo, config), 0);
    ck_assert_int_eq(
        does[_i].param ? weft_config_set(&cc->algo, config, does[_i].param, does[_i].value) : 0, 0);
    for (int event = 0; event < EVENTS; event++)
    {
        effects[event] = effect_of(cc, (enum event)event);
    }
    ck_assert_str_eq(effects, does[_i].effects);
}
END_TEST

Suite *told_suite(void);

Suite *
told_suite(void)
{
    Suite *suite = suite_create("told");
    TCase *tcase = tcase_create("told");
    tcase_add_loop_test(tcase, each_transport_tells_what_the_table_says, 0, TRANSPORTS);
    tcase_add_loop_test(tcase, each_control_does_what_the_table_says, 0, CONTROLS);
    suite_add_tcase(suite, tcase);
    return suite;
}
