/* SPDX-License-Identifier: MIT */
/* A user would lose PRO's forwarding by PathID (pro §V): packets that leave the path they name,
 * paths that no PathID names, or no way around a port that is gone. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include <weft/error.h>
#include <weft/weft.h>

#include "lb-rig.h"
#include "must.h"
#include "path-drive.h"
#include "refused.h"

#define MAX_PORTS 68
#define MAX_PATHS 512

/* A fabric with PRO at every switch, and at two hosts. */
static struct
{
    const struct weft_lb_ops *ops;
    struct weft_clos clos;
    uint64_t config[8];
    struct path_drive drive;
} f;

#define NSHAPES 6

static void
shape(int i)
{
    const char *const spines[] = {"leaves", "3", "spines", "4", "hosts-per-leaf", "2", NULL};
    const char *const wide[] = {"leaves", "2", "spines", "64", "hosts-per-leaf", "2", NULL};
    switch (i)
    {
    case 0:
        lb_build(&f.clos, "leaf-spine", spines);
        break;
    case 1:
        lb_build(&f.clos, "leaf-spine", wide);
        break;
    case 2:
        f.clos = lb_fat_tree("4");
        break;
    case 3:
        f.clos = lb_fat_tree("6");
        break;
    case 4:
        f.clos = lb_fat_tree("4");
        lb_multiply_links(&f.clos, 2);
        break;
    default:
        lb_build(&f.clos, "leaf-spine", spines);
        lb_multiply_links(&f.clos, 2);
    }
}

static void
begin(int which, const char *replies)
{
    shape(which);
    f.ops = weft_lb_find("pro");
    ck_assert_int_eq(weft_config_default(&f.ops->algo, f.config), 0);
    ck_assert_int_eq(weft_config_set(&f.ops->algo, f.config, "replies", replies), 0);
    path_drive_begin(&f.drive, f.ops, f.config, &f.clos, 1);
}

static void
end(void)
{
    path_drive_end(&f.drive);
}

static void *
host_open(uint32_t host)
{
    struct weft_path_site site;
    memset(&site, 0, sizeof(site));
    site.provides = WEFT_NEEDS_ALL;
    site.seed = 1;
    site.run = 1;
    site.host = host;
    site.clos = &f.clos;
    site.batch = 1;
    void *memory = malloc(f.ops->path->host_size(f.config, &site));
    ck_assert_int_eq(f.ops->path->host_init(memory, f.config, &site), 0);
    return memory;
}

/* A data packet that host @p src has just sent on a QP of its own. */
static void
data(void *host, uint32_t src, uint32_t dst, uint64_t qp[16], struct weft_packet *packet)
{
    *packet = lb_data(src, dst);
    if (qp[0] == 0)
    {
        struct weft_path_site site;
        memset(&site, 0, sizeof(site));
        site.provides = WEFT_NEEDS_ALL;
        site.clos = &f.clos;
        site.dst = dst;
        ck_assert_int_eq(f.ops->path->qp_init(qp, host, f.config, &site, 0), 0);
        f.ops->path->on_active(qp, true, 0);
    }
    packet->sport = 0xb555;
    f.ops->path->data(qp, packet, 0);
}

/* The ways up that a PathID can name: parallel links downwards are those taken upwards, but for two
 * tiers, where the second digit names them. */
static uint32_t
named_paths(uint32_t src, uint32_t dst)
{
    const struct weft_clos *c = &f.clos;
    const uint32_t up = c->up_tor * c->parallel;
    if (weft_clos_tor(c, src) == weft_clos_tor(c, dst))
    {
        return 1;
    }
    if (c->tiers == 2)
    {
        return up * c->parallel;
    }
    const uint32_t pod = c->hosts_per_tor * c->tors_per_pod;
    return src / pod == dst / pod ? up : up * c->up_agg * c->core_parallel;
}

static uint32_t
seen_before(uint64_t (*seen)[6], uint32_t n, const uint64_t links[6])
{
    uint32_t i = 0;
    while (i < n && memcmp(seen[i], links, sizeof(seen[i])) != 0)
    {
        i++;
    }
    return i;
}

/* In how many of the paths a link of the i-th one is taken at the same hop. */
static uint32_t
times(uint64_t (*seen)[6], uint32_t paths, uint32_t hop, uint32_t i)
{
    uint32_t n = 0;
    for (uint32_t k = 0; k < paths; k++)
    {
        n += seen[i][hop] == seen[k][hop];
    }
    return n;
}

/* Checks one turn of a QP: as many different paths as a PathID can name; every link between
 * switches in them as often as the others of its layer. */
static void
check_turn(uint32_t src, uint32_t dst)
{
    static uint64_t seen[MAX_PATHS][6];
    const uint32_t paths = named_paths(src, dst);
    uint64_t qp[16] = {0};
    uint32_t hops = 0;
    void *host = host_open(src);
    for (uint32_t i = 0; i < 2 * paths; i++)
    {
        struct weft_packet packet;
        uint64_t links[6] = {0};
        data(host, src, dst, qp, &packet);
        hops = path_drive(&f.drive, &packet, links);
        const uint32_t at = seen_before(seen, i < paths ? i : paths, links);
        MUST(at == (i < paths ? i : i - paths));
        memcpy(seen[i % paths], links, sizeof(links));
    }
    for (uint32_t hop = 1; hop + 1 < hops; hop++)
    {
        const uint32_t share = times(seen, paths, hop, 0);
        for (uint32_t i = 1; i < paths; i++)
        {
            MUST(times(seen, paths, hop, i) == share);
        }
    }
    free(host);
}

START_TEST(a_turn_of_a_qp_takes_every_path_that_a_path_id_can_name)
{
    begin(_i, "rotate");
    for (uint32_t dst = 1; dst < f.clos.nhosts; dst++)
    {
        check_turn(0, dst);
        check_turn(dst, 0);
    }
    end();
}
END_TEST

/* An ACK that repeats the PathID comes back over the links of its packet (but for parallel links in
 * two tiers, whose two ends the digits name one each). */
START_TEST(an_echoed_path_id_leads_back_over_the_same_links)
{
    begin(_i, "echo");
    void *back = host_open(f.clos.nhosts - 1);
    void *host = host_open(0);
    uint64_t qp[16] = {0};
    for (uint32_t i = 0; i < named_paths(0, f.clos.nhosts - 1); i++)
    {
        struct weft_packet packet;
        struct weft_packet ack = lb_data(f.clos.nhosts - 1, 0);
        uint64_t there[6], here[6];
        data(host, 0, f.clos.nhosts - 1, qp, &packet);
        ack.kind = WEFT_ACK;
        ack.sport = 0xb555;
        ack.echo = packet.sport;
        f.ops->path->reply(back, &ack);
        const uint32_t n = path_drive(&f.drive, &packet, there);
        MUST(path_drive(&f.drive, &ack, here) == n);
        for (uint32_t k = 0; k < n; k++)
        {
            MUST(there[k] == here[n - 1 - k]);
        }
    }
    free(host);
    free(back);
    end();
}
END_TEST

START_TEST(replies_rotate_apart_from_data_or_keep_to_their_ecmp_path)
{
    static const char *const modes[] = {"rotate", "ecmp"};
    for (int mode = 0; mode < 2; mode++)
    {
        begin(0, modes[mode]);
        void *host = host_open(0);
        uint64_t qp[16] = {0};
        uint64_t first[6] = {0};
        for (uint32_t i = 0; i < 8; i++)
        {
            struct weft_packet packet;
            struct weft_packet ack = lb_data(0, 5);
            uint64_t links[6] = {0};
            data(host, 0, 5, qp, &packet);
            data(host, 0, 5, qp, &packet); /* data do not turn the replies' counter */
            ack.kind = i % 2 ? WEFT_NACK : WEFT_ACK;
            ack.sport = 0xb555;
            f.ops->path->reply(host, &ack);
            path_drive(&f.drive, &ack, links);
            ck_assert(mode == 1 || (ack.sport & 63U) == i % 4);
            ck_assert(mode == 0 || i == 0 || memcmp(links, first, sizeof(links)) == 0);
            memcpy(first, links, sizeof(links));
        }
        free(host);
        end();
    }
}
END_TEST

/* Hashed, not read as a PathID: flows of one source port take different up ports. */
START_TEST(replies_on_ecmp_paths_are_hashed)
{
    const uint32_t queues[MAX_PORTS] = {0};
    const struct weft_ports ports = {queues, NULL, 2, 4, 4, 0, 0};
    uint32_t counts[4] = {0};
    begin(0, "ecmp");
    for (uint32_t i = 0; i < 4000; i++)
    {
        struct weft_packet ack = lb_data(i, 5);
        ack.kind = WEFT_ACK;
        ack.sport = 0xb555;
        counts[f.ops->pick(f.drive.switches[0], &ports, &ack, 0) - 2]++;
    }
    ck_assert_double_lt(lb_unevenness(counts, 4), 5);
    end();
}
END_TEST

/* Ports 2 and 4 of 2 to 5 are left: what names another one is forwarded by adaptive routing, which
 * takes the emptier of the two; what names one of them takes it, however long its queue is. */
START_TEST(where_the_named_port_is_gone_adaptive_routing_forwards)
{
    static const char *const fallbacks[] = {"ar", "ar-quality"};
    static const uint16_t list[] = {2, 4};
    const uint32_t queues[MAX_PORTS] = {0, 0, 90000, 0, 0, 0};
    const struct weft_ports ports = {queues, list, 2, 2, 4, 2, 2};
    for (int i = 0; i < 2; i++)
    {
        begin(0, "rotate");
        struct weft_site site = lb_site_of(&f.clos, 0, 1);
        weft_config_set(&f.ops->algo, f.config, "fallback", fallbacks[i]);
        void *sw = malloc(f.ops->state_size(f.config, &site));
        ck_assert_int_eq(f.ops->init(sw, f.config, &site), 0);
        for (uint16_t path = 0; path < 4; path++)
        {
            struct weft_packet packet = lb_data(0, 5);
            packet.sport = path;
            const uint32_t port = f.ops->pick(sw, &ports, &packet, 0);
            ck_assert(path % 2 == 1 || port == 2U + path);
            ck_assert(port == 2 || port == 4);
            ck_assert(i == 1 || path % 2 == 0 || port == 4);
        }
        free(sw);
        end();
    }
}
END_TEST

START_TEST(packets_of_ip_stacks_are_hashed)
{
    const uint32_t queues[MAX_PORTS] = {0};
    uint32_t counts[4] = {0};
    begin(0, "rotate");
    for (uint32_t i = 0; i < 4000; i++)
    {
        struct weft_ports ports = {queues, NULL, 2, 4, 4, 0, 0};
        struct weft_packet packet = lb_data(0, 5);
        packet.kind = WEFT_RAW;
        packet.sport = (uint16_t)(i << 6);
        counts[f.ops->pick(f.drive.switches[0], &ports, &packet, 0) - 2]++;
    }
    ck_assert_double_lt(lb_unevenness(counts, 4), 5);
    end();
}
END_TEST

START_TEST(a_fabric_too_wide_for_six_bits_is_refused)
{
    const char *const wide[] = {"leaves", "2", "spines", "65", "hosts-per-leaf", "2", NULL};
    struct weft_refusal why = {0};
    begin(0, "rotate");
    struct weft_clos clos;
    lb_build(&clos, "leaf-spine", wide);
    struct weft_site site = lb_site_of(&clos, 0, 1);
    site.why = &why;
    void *state = malloc(f.ops->state_size(f.config, &site));
    ck_assert_int_eq(f.ops->init(state, f.config, &site), WEFT_ERANGE);
    ck_assert_ptr_nonnull(strstr(refused(WEFT_ERANGE, &why), "at most 64"));
    site.tiers = 0;
    site.clos = NULL;
    ck_assert_int_eq(f.ops->init(state, f.config, &site), WEFT_ENOTCLOS);
    free(state);
    end();
}
END_TEST

Suite *
pro_paths_suite(void)
{
    Suite *s = suite_create("pro-paths");
    TCase *tc = tcase_create("pro-paths");
    tcase_add_loop_test(tc, a_turn_of_a_qp_takes_every_path_that_a_path_id_can_name, 0, NSHAPES);
    tcase_add_loop_test(tc, an_echoed_path_id_leads_back_over_the_same_links, 0, NSHAPES - 1);
    tcase_add_test(tc, replies_rotate_apart_from_data_or_keep_to_their_ecmp_path);
    tcase_add_test(tc, replies_on_ecmp_paths_are_hashed);
    tcase_add_test(tc, where_the_named_port_is_gone_adaptive_routing_forwards);
    tcase_add_test(tc, packets_of_ip_stacks_are_hashed);
    tcase_add_test(tc, a_fabric_too_wide_for_six_bits_is_refused);
    suite_add_tcase(s, tc);
    return s;
}
