/* SPDX-License-Identifier: MIT */
/* The smallest host: one QP over a wire ten packets long that loses PSN 500 once. */
#include <stdio.h>

#include <weft/weft.h>

#define PACKETS 1000
#define STEP    120000 /* ps: a frame of 1,500 bytes at 100 Gb/s */
#define WIRE    10     /* steps */

int
main(void)
{
    static uint64_t config[32], tx[64], rx[512]; /* large enough: checked below */
    const struct weft_transport_ops *nic = weft_transport_find("nic-sr");
    struct weft_packet data[WIRE] = {{0}}, replies[WIRE] = {{0}}, none = {0};
    uint32_t lost = 1;
    int64_t now = 0;
    weft_config_default(&nic->algo, config);
    if (nic->algo.config_size > sizeof config || nic->tx_size(config) > sizeof tx ||
        nic->rx_size(config) > sizeof rx)
        return 1;
    const struct weft_transport_site site = {.first_psn = 0};
    if (nic->tx_init(tx, config, &site) || nic->rx_init(rx, config, &site))
        return 1;
    nic->tx_post(tx, PACKETS);
    for (int at = 0; nic->tx_una(tx) != PACKETS; now += STEP, at = (at + 1) % WIRE)
    {
        struct weft_packet arrived = data[at], reply = replies[at];
        struct weft_rx_verdict verdict = {.reply = WEFT_REPLY_NONE, .place = arrived.psn};
        uint32_t psn = 0;
        data[at] = replies[at] = none;
        if (reply.bytes) /* at the sender */
            nic->tx_reply(tx, &reply, now);
        nic->tx_timeout(tx, now); /* does nothing before the deadline */
        if (nic->tx_next(tx, now, &psn) != WEFT_TX_NONE)
            data[at].bytes = psn == 500 &&lost ? lost = 0 : 1500;
        data[at].psn = psn;
        if (arrived.bytes) /* at the receiver */
            nic->rx_data(rx, &arrived, now, &verdict);
        replies[at].kind = verdict.reply == WEFT_REPLY_NACK ? WEFT_NACK : WEFT_ACK;
        replies[at].psn = verdict.epsn;
        replies[at].bytes = verdict.reply == WEFT_REPLY_NONE ? 0 : 64;
    }
    const struct weft_tx_counters *c = nic->tx_counters(tx);
    printf("%d packets in %lld us, %d resent, %d NACKs, %d timeouts\n", (int)c->sent,
           (long long)now / 1000000, (int)c->resent, (int)c->nacks, (int)c->timeouts);
    return 0;
}
