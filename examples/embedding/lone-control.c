/* SPDX-License-Identifier: MIT */
/* A congestion control alone: DCTCP's window for a transport that is not Weft's. A link holds 100
 * packets in flight without a queue, and marks what finds more than 20 waiting. */
#include <stdio.h>
#include <string.h>

#include <weft/weft.h>

#define FITS   100
#define MARKS  20
#define RTT    12000000 /* ps: 100 frames of 1,500 bytes at 100 Gb/s */
#define ROUNDS 500

int
main(void)
{
    uint64_t config[64], state[64]; /* large enough: checked below */
    const struct weft_cc_ops *cc = weft_cc_find("dctcp");
    struct weft_refusal why = {0, NULL, ""};
    struct weft_cc_site site = {100000000000, 1.0, RTT, 2, 1500, 20, &why};
    uint64_t delivered = 0, queued = 0;
    if (cc->algo.config_size > sizeof config || cc->state_size > sizeof state ||
        weft_choice_set(&cc->algo, "dctcp", config, &why) || cc->init(state, config, &site, 0))
    {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    for (int round = 0; round < ROUNDS; round++) /* a window is sent, and all of it acknowledged */
    {
        const uint32_t window = cc->window(state, (int64_t)round * RTT);
        const uint32_t waits = window > FITS ? window - FITS : 0;
        for (uint32_t i = 0; i < window; i++)
        {
            struct weft_packet reply = {0};
            struct weft_cc_ack ack;
            reply.kind = WEFT_ACK;
            reply.flags = waits > MARKS ? WEFT_F_ECE : 0;
            reply.sent = (int64_t)round * RTT;
            ack.reply = &reply;
            ack.acked = 1;
            ack.in_flight = window - 1;
            ack.una = ack.delivered = ++delivered;
            ack.next = delivered + window - 1;
            cc->on_ack(state, &ack, (int64_t)round * RTT + RTT / window * i);
        }
        queued += round >= ROUNDS / 2 ? waits : 0;
    }
    printf("window %u of %d, on average %.1f packets wait\n",
           (unsigned)cc->window(state, (int64_t)ROUNDS * RTT), FITS, (double)queued / (ROUNDS / 2));
    return 0;
}
