/* SPDX-License-Identifier: MIT */
#include "path-rig.h"

#include <check.h>
#include <string.h>

#include "lb-rig.h"
#include "must.h"

void
path_rig_begin(struct path_rig *rig, const char *name, const char *settings, uint64_t seed,
               uint64_t run, uint32_t host, uint32_t qp_index)
{
    const struct weft_path_site site = {seed, run,          host,
                                        NULL, PATH_RIG_BDP, .provides = WEFT_NEEDS_ALL};
    memset(rig, 0xa5, sizeof(*rig));
    rig->ops = weft_lb_find(name);
    ck_assert_ptr_nonnull(rig->ops);
    ck_assert_ptr_nonnull(rig->ops->path);
    lb_configure(&rig->ops->algo, rig->config, sizeof(rig->config), settings);
    ck_assert_uint_le(rig->ops->path->host_size(rig->config, &site), sizeof(rig->host));
    ck_assert_uint_le(rig->ops->path->qp_size(rig->config, &site), sizeof(rig->qp));
    ck_assert_int_eq(rig->ops->path->host_init(rig->host, rig->config, &site), 0);
    rig->ops->path->qp_init(rig->qp, rig->host, rig->config, &site, qp_index);
}

static struct weft_packet
packet_of(enum weft_packet_kind kind)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof(packet));
    packet.kind = (uint8_t)kind;
    packet.src = 3;
    packet.dst = 77;
    packet.sport = PATH_RIG_SPORT;
    return packet;
}

uint16_t
path_rig_data(struct path_rig *rig)
{
    struct weft_packet packet = packet_of(WEFT_DATA);
    rig->ops->path->data(rig->qp, &packet, 0);
    MUST(packet.src == 3 && packet.dst == 77 && packet.kind == WEFT_DATA);
    return packet.sport;
}

uint16_t
path_rig_reply(struct path_rig *rig, enum weft_packet_kind kind, uint16_t echo)
{
    struct weft_packet packet = packet_of(kind);
    packet.echo = echo;
    rig->ops->path->reply(rig->host, &packet);
    MUST(packet.echo == echo);
    return packet.sport;
}

void
path_rig_answer(struct path_rig *rig, enum weft_packet_kind kind, uint16_t echo, bool marked,
                int64_t now)
{
    struct weft_packet packet = packet_of(kind);
    packet.echo = echo;
    packet.flags = marked ? WEFT_F_ECE : 0;
    rig->ops->path->on_reply(rig->qp, &packet, now);
}

void
path_rig_check_replies(const char *name, const char *by_default)
{
    static const enum weft_packet_kind kinds[] = {WEFT_ACK, WEFT_NACK, WEFT_CNP};
    static const char *const ways[] = {"replies=ecmp", "replies=spray", "replies=echo"};
    struct path_rig rig;
    for (int way = 0; way < 4; way++)
    {
        const char *settings = way < 3 ? ways[way] : "";
        const char *meant = way < 3 ? strchr(settings, '=') + 1 : by_default;
        uint32_t kept = 0;
        uint32_t echoed = 0;
        path_rig_begin(&rig, name, settings, 1, 1, 3, 0);
        for (uint16_t i = 0; i < 3000; i++)
        {
            const uint16_t sport = path_rig_reply(&rig, kinds[i % 3], i);
            kept += sport == PATH_RIG_SPORT;
            echoed += sport == i;
        }
        ck_assert_msg(kept == 3000 || (kept <= 2 && strcmp(meant, "ecmp") != 0), "%s: %u", meant,
                      kept);
        ck_assert_msg(echoed == 3000 || (echoed <= 2 && strcmp(meant, "echo") != 0), "%s: %u",
                      meant, echoed);
    }
}

void
path_rig_check_switches(const char *name)
{
    const struct weft_lb_ops *ops = weft_lb_find(name);
    const struct weft_lb_ops *ecmp = weft_lb_find("ecmp");
    uint64_t config[2][16];
    uint64_t ours[8];
    uint64_t theirs[8];
    const uint32_t queues[16] = {0};
    const struct weft_ports ports = {queues, NULL, 0, 16, 16};
    struct weft_site site;
    memset(&site, 0, sizeof(site));
    site.seed = 9;
    site.provides = WEFT_NEEDS_ALL;
    site.nports = 16;
    ck_assert_int_eq(weft_config_default(&ops->algo, config[0]), 0);
    ck_assert_int_eq(weft_config_default(&ecmp->algo, config[1]), 0);
    ck_assert_uint_le(ops->state_size(config[0], &site), sizeof(ours));
    ck_assert_int_eq(ops->init(ours, config[0], &site), 0);
    ck_assert_int_eq(ecmp->init(theirs, config[1], &site), 0);
    for (uint32_t i = 0; i < 1000; i++)
    {
        struct weft_packet packet = packet_of(WEFT_DATA);
        packet.sport = (uint16_t)(i * 61);
        const uint32_t port = ecmp->pick(theirs, &ports, &packet, 0);
        MUST(ops->peek(ours, &ports, &packet) == port);
        MUST(ops->pick(ours, &ports, &packet, 0) == port);
        MUST(packet.sport == (uint16_t)(i * 61));
    }
}

/* Two labels of one QP and two of its host's replies, which are sprayed. */
static uint64_t
draws(const char *name, const char *settings, uint64_t seed, uint64_t run, uint32_t host,
      uint32_t qp_index)
{
    struct path_rig rig;
    uint64_t word = 0;
    path_rig_begin(&rig, name, settings, seed, run, host, qp_index);
    for (int i = 0; i < 2; i++)
    {
        if (rig.ops->path->on_timeout)
        {
            rig.ops->path->on_timeout(rig.qp, 0);
        }
        word = word << 16 | path_rig_data(&rig);
        word = word << 16 | path_rig_reply(&rig, WEFT_ACK, 0);
    }
    return word;
}

void
path_rig_check_streams(const char *name, const char *settings)
{
    const uint64_t data = UINT64_C(0xffff0000ffff0000);
    const uint64_t base = draws(name, settings, 1, 1, 3, 8);
    ck_assert(draws(name, settings, 1, 1, 3, 8) == base);
    ck_assert((draws(name, settings, 2, 1, 3, 8) & data) != (base & data));
    ck_assert((draws(name, settings, 1, 2, 3, 8) & ~data) != (base & ~data));
    /* A QP's draws are its own, and so are a host's. */
    ck_assert((draws(name, settings, 1, 1, 3, 9) & data) != (base & data));
    ck_assert((draws(name, settings, 1, 1, 3, 9) & ~data) == (base & ~data));
    ck_assert((draws(name, settings, 1, 1, 4, 8) & data) == (base & data));
    ck_assert((draws(name, settings, 1, 1, 4, 8) & ~data) != (base & ~data));
    ck_assert((base & data) != (base & ~data) << 16);
}
