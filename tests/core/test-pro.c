/* SPDX-License-Identifier: MIT */
/* A user would lose PRO's order at the NIC (pro §III-A): QPs that are not staggered, that skip
 * paths, or whose batches bunch; and, silently, the forms of it that the paper leaves open. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/rng.h>
#include <weft/weft.h>

#include "lb-rig.h"
#include "must.h"
#include "refused.h"

#define MAX_QPS  12
#define MAX_TORS 9

/* Paths of a PathID on fabrics with at most 64 of them in the first digit. */
#define PATH_BITS 0xfffU

/* NIC of host 0, and its QPs. */
static struct
{
    const struct weft_path_ops *path;
    struct weft_clos clos;
    uint64_t config[8];
    uint64_t *host;
    uint64_t qp[MAX_QPS][16];
    uint32_t dst[MAX_QPS];
    struct weft_path_site site;
} nic;

static struct weft_path_site
site_at(const struct weft_clos *clos, uint32_t host, uint32_t batch)
{
    struct weft_path_site site = {.provides = WEFT_NEEDS_ALL};
    site.seed = 1;
    site.run = 1;
    site.host = host;
    site.clos = clos;
    site.qp_bdp = 1;
    site.batch = batch;
    return site;
}

/* A leaf-spine of four hosts per leaf. */
static void
begin(const char *settings, const char *leaves, const char *spines, uint32_t batch)
{
    const char *const shape[] = {"leaves", leaves, "spines", spines, "hosts-per-leaf", "4", NULL};
    lb_build(&nic.clos, "leaf-spine", shape);
    lb_configure(&weft_lb_find("pro")->algo, nic.config, sizeof(nic.config), settings);
    nic.path = weft_lb_find("pro")->path;
    nic.site = site_at(&nic.clos, 0, batch);
    nic.host = malloc(nic.path->host_size(nic.config, &nic.site));
    ck_assert_int_eq(nic.path->host_init(nic.host, nic.config, &nic.site), 0);
}

static void
end(void)
{
    free(nic.host);
}

static void
add_qp(uint32_t qp, uint32_t dst)
{
    nic.site.dst = dst;
    nic.dst[qp] = dst;
    ck_assert_uint_le(nic.path->qp_size(nic.config, &nic.site), sizeof(nic.qp[0]));
    ck_assert_int_eq(nic.path->qp_init(nic.qp[qp], nic.host, nic.config, &nic.site, qp), 0);
}

static void
activate(uint32_t qp, bool active)
{
    nic.path->on_active(nic.qp[qp], active, 0);
}

/* The path of the QP's next packet. With one link each between switches it is the ToR's port. */
static uint32_t
send(uint32_t qp)
{
    struct weft_packet packet = lb_data(0, nic.dst[qp]);
    packet.sport = 0xc123;
    nic.path->data(nic.qp[qp], &packet, 0);
    MUST(packet.sport >> 12 == 0xc);
    return packet.sport & PATH_BITS;
}

static void
expect(uint32_t qp, const char *paths)
{
    for (; *paths; paths++)
    {
        ck_assert_uint_eq(send(qp), (uint32_t)(*paths - '0'));
    }
}

/* Fig. 3: two QPs to one ToR, four paths. Each must use all of them, and at no time the other's. */
static void
fig3(const char *settings, const char *first, const char *second)
{
    begin(settings, "2", "4", 1);
    for (uint32_t qp = 0; qp < 2; qp++)
    {
        add_qp(qp, 4 + qp);
        activate(qp, true);
    }
    for (size_t i = 0; first[i]; i++)
    {
        ck_assert_uint_eq(send(0), (uint32_t)(first[i] - '0'));
        ck_assert_uint_eq(send(1), (uint32_t)(second[i] - '0'));
    }
    end();
}

START_TEST(figure_3_orchestrated_each_qp_uses_all_paths_staggered)
{
    fig3("", "03210321", "10321032"); /* Alg. 1: the span of two QPs is three */
}
END_TEST

START_TEST(figure_3_left_a_qp_unaware_nic_leaves_each_qp_half_of_the_paths)
{
    fig3("rotation=nic", "02020202", "13131313");
}
END_TEST

START_TEST(without_inter_qp_orchestration_all_qps_use_the_same_path_at_once)
{
    fig3("rotation=qp", "01230123", "01230123");
}
END_TEST

START_TEST(a_lone_qp_takes_the_paths_in_turn)
{
    begin("", "2", "8", 1);
    add_qp(0, 5);
    expect(0, "01234567"); /* it is idle for the host already: what it resends */
    activate(0, true);
    expect(0, "01234567");
    end();
}
END_TEST

/* Three QPs, eight paths: an odd number in strict rotation is the rotation of Fig. 3, left. */
START_TEST(an_odd_number_of_qps_in_rotation_is_the_qp_unaware_rotation)
{
    begin("", "2", "8", 1);
    for (uint32_t qp = 0; qp < 3; qp++)
    {
        add_qp(qp, 4);
        activate(qp, true);
    }
    for (uint32_t i = 0; i < 48; i++)
    {
        ck_assert_uint_eq(send(i % 3), i % 8);
    }
    end();
}
END_TEST

/* Alg. 1, lines 8 to 12: a QP that joins begins behind the packet sent last, by any QP; the others
 * step by five, not three, from then on; what has left, by three again. */
START_TEST(a_new_qp_begins_behind_the_last_packet_and_changes_the_step)
{
    begin("", "2", "8", 1);
    for (uint32_t qp = 0; qp < 4; qp++)
    {
        add_qp(qp, 4);
    }
    activate(0, true);
    expect(0, "012");
    activate(1, true);
    expect(1, "3");
    expect(0, "5"); /* 2 + 3 */
    activate(2, true);
    activate(3, true);
    expect(2, "6"); /* behind 5 */
    expect(0, "2"); /* 5 + 5 */
    expect(3, "3"); /* behind 2 */
    activate(3, false);
    activate(2, false);
    expect(0, "5");
    expect(1, "6");
    activate(2, true); /* it has been invited, and steps from where it was */
    expect(2, "1");    /* 6 + 3 */
    end();
}
END_TEST

START_TEST(by_the_prose_only_a_new_qp_moves_the_counter)
{
    begin("counter=qp", "2", "8", 1);
    for (uint32_t qp = 0; qp < 3; qp++)
    {
        add_qp(qp, 4);
    }
    activate(0, true);
    expect(0, "0123");
    activate(1, true);
    expect(1, "1"); /* behind the first packet of the first QP */
    activate(2, true);
    expect(2, "2");
    end();
}
END_TEST

/* Destinations at other ToRs have a counter of their own, unless the NIC has one. */
START_TEST(each_tor_has_its_own_path_set)
{
    begin("", "3", "4", 1);
    add_qp(0, 4);
    add_qp(1, 8);
    activate(0, true);
    activate(1, true);
    for (uint32_t i = 0; i < 8; i++)
    {
        ck_assert_uint_eq(send(0), i % 4);
        ck_assert_uint_eq(send(1), i % 4);
    }
    end();
    begin("set=nic rotation=nic", "3", "4", 1);
    add_qp(0, 4);
    add_qp(1, 8);
    for (uint32_t i = 0; i < 8; i++)
    {
        ck_assert_uint_eq(send(0), 2 * i % 4); /* two of the four paths to that ToR */
        ck_assert_uint_eq(send(1), (2 * i + 1) % 4);
    }
    end();
}
END_TEST

/* M = 16, n = 4, two QPs: groups of four neighbours, a QP's groups three apart. */
START_TEST(a_batch_goes_over_neighbouring_paths)
{
    static const uint32_t groups[2][5] = {{0, 3, 2, 1, 0}, {1, 0, 3, 2, 1}};
    begin("", "2", "16", 4);
    add_qp(0, 4);
    add_qp(1, 4);
    activate(0, true);
    activate(1, true);
    for (uint32_t i = 0; i < 5 * 2 * 4; i++)
    {
        const uint32_t qp = i / 4 % 2;
        ck_assert_uint_eq(send(qp), groups[qp][i / 8] * 4 + i % 4);
    }
    end();
}
END_TEST

START_TEST(a_short_batch_takes_a_whole_step)
{
    begin("", "2", "16", 4);
    add_qp(0, 4);
    add_qp(1, 4);
    activate(0, true);
    expect(0, "01");
    activate(0, false); /* nothing left to send */
    activate(1, true);
    expect(1, "4567"); /* behind the first batch, not behind its second packet */
    activate(0, true);
    ck_assert_uint_eq(send(0), 12); /* two QPs: three groups on */
    end();
}
END_TEST

START_TEST(batches_of_more_packets_than_paths_go_around)
{
    begin("", "2", "4", 8);
    add_qp(0, 4);
    activate(0, true);
    expect(0, "0123012301230123");
    end();
}
END_TEST

/* With one group of paths two QPs that would be staggered with shorter batches both begin at path
 * 0. */
START_TEST(batches_of_as_many_packets_as_paths_stagger_nothing)
{
    begin("", "2", "4", 4);
    add_qp(0, 4);
    add_qp(1, 4);
    activate(0, true);
    activate(1, true);
    expect(0, "0123");
    expect(1, "0123");
    expect(0, "0123");
    end();
}
END_TEST

/* As printed, M = 64 and n = 8 leave paths 8 to 63 unused; in blocks all 64 are used alike. */
START_TEST(the_printed_batches_leave_56_of_64_paths_unused)
{
    static const char *const modes[] = {"batches=literal", "batches=block"};
    for (int mode = 0; mode < 2; mode++)
    {
        uint32_t used[64] = {0};
        begin(modes[mode], "2", "64", 8);
        for (uint32_t qp = 0; qp < 4; qp++)
        {
            add_qp(qp, 4);
            activate(qp, true);
        }
        for (uint32_t i = 0; i < 64 * 32; i++)
        {
            used[send(i / 8 % 4)]++;
        }
        for (uint32_t path = 0; path < 64; path++)
        {
            const uint32_t share = mode == 1 ? 32 : path < 8 ? 256 : 0;
            ck_assert_uint_eq(used[path], share);
        }
        end();
    }
}
END_TEST

/* As printed a packet has one path and moves the counter by n (line 12): here from 1 to 3. */
START_TEST(printed_batches_move_the_counter_by_n)
{
    begin("batches=literal", "2", "8", 2);
    add_qp(0, 4);
    add_qp(1, 4);
    expect(0, "01");
    expect(1, "3");
    end();
}
END_TEST

/* ---- A naive model, straight from Alg. 1, on random QPs. ---- */

struct naive
{
    uint32_t m, n;
    bool counter_per_qp, one_set;
    uint32_t counter[MAX_TORS];
    uint32_t group[MAX_QPS], at[MAX_QPS];
    bool invited[MAX_QPS], active[MAX_QPS];
    uint32_t last; /* the QP that sent last */
};

static uint32_t
naive_gcd(uint32_t a, uint32_t b)
{
    uint32_t g = a < b ? a : b;
    while (a % g || b % g)
    {
        g--;
    }
    return g;
}

static uint32_t
naive_set(const struct naive *x, uint32_t qp)
{
    return x->one_set ? 0 : nic.dst[qp] / 4;
}

static uint32_t
naive_span(const struct naive *x, uint32_t qp)
{
    uint32_t span = 0;
    for (uint32_t i = 0; i < MAX_QPS; i++)
    {
        span += x->active[i] && naive_set(x, i) == naive_set(x, qp);
    }
    span += span % 2 == 0;
    while (naive_gcd(span, x->m / x->n) != 1)
    {
        span += 2;
    }
    return span;
}

static uint32_t
naive_send(struct naive *x, uint32_t qp)
{
    uint32_t *counter = &x->counter[naive_set(x, qp)];
    if (x->last != qp || x->at[qp] == x->n || !x->invited[qp])
    {
        if (x->invited[qp])
        {
            x->group[qp] = (x->group[qp] + naive_span(x, qp)) % (x->m / x->n);
        }
        else
        {
            x->group[qp] = *counter / x->n % (x->m / x->n);
        }
        *counter = x->invited[qp] && x->counter_per_qp ? *counter : (x->group[qp] + 1) * x->n;
        x->invited[qp] = true;
        x->at[qp] = 0;
        x->last = qp;
    }
    return x->group[qp] * x->n + x->at[qp]++;
}

START_TEST(it_agrees_with_a_naive_model_on_random_qps)
{
    static const char *const spines[] = {"8", "16", "6", "12", "64"};
    static const uint32_t batches[] = {1, 1, 2, 4, 8};
    static const char *const settings[] = {"", "counter=qp", "set=nic"};
    struct weft_rng rng;
    weft_rng_seed(&rng, 3, 1, (uint64_t)_i);
    const uint32_t shape = weft_rng_below(&rng, 5);
    const uint32_t how = weft_rng_below(&rng, 3);
    struct naive x = {.n = batches[shape], .last = MAX_QPS};
    x.m = (uint32_t)atoi(spines[shape]);
    x.counter_per_qp = how == 1;
    x.one_set = how == 2;
    begin(settings[how], "4", spines[shape], x.n);
    for (uint32_t qp = 0; qp < MAX_QPS; qp++)
    {
        add_qp(qp, 4 + weft_rng_below(&rng, 12));
    }
    for (uint32_t i = 0; i < 4000; i++)
    {
        const uint32_t qp = weft_rng_below(&rng, MAX_QPS);
        if (!x.active[qp] || weft_rng_below(&rng, 10) == 0)
        {
            x.active[qp] = !x.active[qp];
            x.at[qp] = x.n;
            activate(qp, x.active[qp]);
            continue;
        }
        for (uint32_t burst = 1 + weft_rng_below(&rng, 2 * x.n); burst > 0; burst--)
        {
            MUST(send(qp) == naive_send(&x, qp));
        }
    }
    end();
}
END_TEST

/* Any window of M packets of a QP uses each path once, whatever the number of other QPs, also where
 * the number of paths is no power of two. */
START_TEST(a_qp_uses_every_path_once_in_a_turn)
{
    static const char *const spines[] = {"4", "8", "6", "9", "12", "15", "64"};
    const uint32_t m = (uint32_t)atoi(spines[_i]);
    for (uint32_t qps = 1; qps <= MAX_QPS; qps++)
    {
        begin("start=random", "2", spines[_i], 1);
        for (uint32_t qp = 0; qp < qps; qp++)
        {
            add_qp(qp, 4);
            activate(qp, true);
        }
        uint32_t before[64] = {0};
        for (uint32_t i = 0; i < 3 * m; i++)
        {
            const uint32_t path = send(0);
            MUST(path < m && before[path] == i / m);
            before[path]++;
            for (uint32_t qp = 1; qp < qps; qp++)
            {
                send(qp);
            }
        }
        end();
    }
}
END_TEST

/* In batches of any length, which go over all of a group from there on. */
START_TEST(counters_begin_anywhere_if_asked_to)
{
    const uint32_t batch = 1U << _i, spread = batch < 8 ? batch : 8;
    uint32_t used[8] = {0};
    for (uint32_t host = 0; host < 512; host++)
    {
        begin("start=random", "2", "8", batch);
        nic.site.host = host % 4;
        nic.site.run = host;
        ck_assert_int_eq(nic.path->host_init(nic.host, nic.config, &nic.site), 0);
        add_qp(0, 4);
        const uint32_t first = send(0);
        used[first]++;
        for (uint32_t i = 1; i < spread; i++)
        {
            ck_assert_uint_eq(send(0), first / spread * spread + (first + i) % spread);
        }
        end();
    }
    ck_assert_double_lt(lb_unevenness(used, 8), 4);
}
END_TEST

START_TEST(qps_that_rotate_alone_begin_where_their_tor_has_its_counter)
{
    uint32_t used[8] = {0};
    for (uint32_t run = 0; run < 512; run++)
    {
        begin("rotation=qp start=random", "2", "8", 1);
        nic.site.run = run;
        ck_assert_int_eq(nic.path->host_init(nic.host, nic.config, &nic.site), 0);
        add_qp(0, 4);
        add_qp(1, 4);
        const uint32_t first = send(0);
        ck_assert_uint_eq(send(0), (first + 1) % 8);
        ck_assert_uint_eq(send(1), first);
        used[first]++;
        end();
    }
    ck_assert_double_lt(lb_unevenness(used, 8), 4);
}
END_TEST

/* Two QPs in turn, one within the pod with two paths, one to another pod with four: the NIC's
 * counter goes on to four, or half of the paths would never be used. */
START_TEST(a_nics_counter_counts_to_the_greatest_number_of_paths)
{
    uint32_t used[4] = {0};
    begin("set=nic rotation=nic", "2", "8", 1);
    end();
    nic.clos = lb_fat_tree("4");
    nic.host = malloc(nic.path->host_size(nic.config, &nic.site));
    ck_assert_int_eq(nic.path->host_init(nic.host, nic.config, &nic.site), 0);
    add_qp(0, 2);
    add_qp(1, 8);
    for (uint32_t i = 0; i < 64; i++)
    {
        send(0);
        send(0); /* or the two would keep to their halves */
        const uint32_t path = send(1);
        used[(path & 63U) + 2 * (path >> 6)]++;
    }
    for (uint32_t path = 0; path < 4; path++)
    {
        ck_assert_uint_eq(used[path], 16);
    }
    end();
}
END_TEST

static int
host_code(struct weft_clos *clos, const char *settings, uint32_t batch, struct weft_refusal *why)
{
    struct weft_path_site site = site_at(clos, 0, batch);
    const struct weft_path_ops *path = weft_lb_find("pro")->path;
    lb_configure(&weft_lb_find("pro")->algo, nic.config, sizeof(nic.config), settings);
    site.why = why;
    void *host = malloc(path->host_size(nic.config, &site));
    const int code = path->host_init(host, nic.config, &site);
    free(host);
    return code;
}

START_TEST(what_it_cannot_do_is_refused)
{
    const char *const wide[] = {"leaves", "2", "spines", "65", "hosts-per-leaf", "4", NULL};
    const char *const six[] = {"leaves", "2", "spines", "6", "hosts-per-leaf", "4", NULL};
    struct weft_refusal why;
    struct weft_clos clos;
    lb_build(&clos, "leaf-spine", wide);
    ck_assert_int_eq(host_code(&clos, "", 1, &why), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "at most 64"));
    lb_build(&clos, "leaf-spine", six);
    ck_assert_int_eq(host_code(&clos, "", 4, &why), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "batch"));
    ck_assert_int_eq(host_code(&clos, "rotation=nic", 4, &why), 0);
    ck_assert_int_eq(host_code(&clos, "", 12, &why), 0);
    ck_assert_int_eq(host_code(&clos, "", 0, &why), WEFT_EINVAL);
    ck_assert_int_eq(host_code(NULL, "", 1, &why), WEFT_ENOTCLOS);
}
END_TEST

Suite *
pro_suite(void)
{
    Suite *s = suite_create("pro");
    TCase *tc = tcase_create("pro");
    tcase_add_test(tc, figure_3_orchestrated_each_qp_uses_all_paths_staggered);
    tcase_add_test(tc, figure_3_left_a_qp_unaware_nic_leaves_each_qp_half_of_the_paths);
    tcase_add_test(tc, without_inter_qp_orchestration_all_qps_use_the_same_path_at_once);
    tcase_add_test(tc, a_lone_qp_takes_the_paths_in_turn);
    tcase_add_test(tc, an_odd_number_of_qps_in_rotation_is_the_qp_unaware_rotation);
    tcase_add_test(tc, a_new_qp_begins_behind_the_last_packet_and_changes_the_step);
    tcase_add_test(tc, by_the_prose_only_a_new_qp_moves_the_counter);
    tcase_add_test(tc, each_tor_has_its_own_path_set);
    tcase_add_test(tc, a_batch_goes_over_neighbouring_paths);
    tcase_add_test(tc, a_short_batch_takes_a_whole_step);
    tcase_add_test(tc, batches_of_more_packets_than_paths_go_around);
    tcase_add_test(tc, batches_of_as_many_packets_as_paths_stagger_nothing);
    tcase_add_test(tc, printed_batches_move_the_counter_by_n);
    tcase_add_test(tc, the_printed_batches_leave_56_of_64_paths_unused);
    tcase_add_loop_test(tc, it_agrees_with_a_naive_model_on_random_qps, 0, 60);
    tcase_add_loop_test(tc, a_qp_uses_every_path_once_in_a_turn, 0, 7);
    tcase_add_loop_test(tc, counters_begin_anywhere_if_asked_to, 0, 5);
    tcase_add_test(tc, qps_that_rotate_alone_begin_where_their_tor_has_its_counter);
    tcase_add_test(tc, a_nics_counter_counts_to_the_greatest_number_of_paths);
    tcase_add_test(tc, what_it_cannot_do_is_refused);
    suite_add_tcase(s, tc);
    return s;
}
