/* SPDX-License-Identifier: MIT */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "nic-rig.h"

struct nic_rig rig;

void
begin_at(const struct weft_transport_site *site, const char *transport, const char *const *settings)
{
    rig.ops = weft_transport_find(transport);
    ck_assert_ptr_nonnull(rig.ops);
    ck_assert_uint_le(rig.ops->algo.config_size, sizeof(rig.config));
    ck_assert_int_eq(weft_config_default(&rig.ops->algo, rig.config), 0);
    for (; settings != NULL && settings[0] != NULL; settings += 2)
    {
        ck_assert_int_eq(weft_config_set(&rig.ops->algo, rig.config, settings[0], settings[1]), 0);
    }
    rig.rx = malloc(rig.ops->rx_size(rig.config));
    rig.tx = malloc(rig.ops->tx_size(rig.config));
    rig.ops->rx_init(rig.rx, rig.config, site);
    rig.ops->tx_init(rig.tx, rig.config, site);
}

void
begin(const char *transport, uint32_t first_psn, const char *const *settings)
{
    begin_at(&(struct weft_transport_site){.first_psn = first_psn}, transport, settings);
}

void
end(void)
{
    free(rig.rx);
    free(rig.tx);
}

struct weft_rx_verdict
arrive(uint32_t psn)
{
    struct weft_rx_verdict verdict;
    struct weft_packet data;
    memset(&data, 0, sizeof(data));
    memset(&verdict, 0, sizeof(verdict));
    verdict.epsn = UINT32_MAX; /* to be overwritten, as the reply is */
    verdict.reply = UINT8_MAX;
    data.psn = psn & WEFT_PSN_MASK;
    verdict.place = psn;
    rig.ops->rx_data(rig.rx, &data, NOW, &verdict);
    return verdict;
}

void
answers(uint32_t psn, enum weft_reply what, uint32_t epsn)
{
    const struct weft_rx_verdict v = arrive(psn);
    ck_assert_int_eq(v.reply, (int)what);
    ck_assert_uint_eq(v.epsn, epsn);
    ck_assert(v.fresh);
    ck_assert(!v.duplicate);
}

uint32_t
reply(enum weft_packet_kind kind, uint32_t epsn, int64_t now)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof(packet));
    packet.kind = (uint8_t)kind;
    packet.psn = epsn & WEFT_PSN_MASK;
    return rig.ops->tx_reply(rig.tx, &packet, now);
}

struct weft_packet
ack_of(uint32_t place, uint32_t epsn)
{
    struct weft_packet packet;
    memset(&packet, 0, sizeof(packet));
    packet.kind = WEFT_ACK;
    packet.psn = epsn & WEFT_PSN_MASK;
    packet.ahead = weft_ahead(place, epsn);
    return packet;
}

void
sends_at(int64_t now, enum weft_tx_what what, uint32_t psn)
{
    uint32_t got = psn;
    ck_assert(rig.ops->tx_ready(rig.tx) == (what != WEFT_TX_NONE));
    ck_assert_int_eq(rig.ops->tx_next(rig.tx, now, &got), (int)what);
    ck_assert_uint_eq(got, psn);
}

void
sends(enum weft_tx_what what, uint32_t psn)
{
    sends_at(NOW, what, psn);
}
