/* SPDX-License-Identifier: MIT */
/* A receiver alone, behind a ToR: NIC-SR and Themis-D, in front of a sender that is not Weft's.
 * Data takes two paths by turns, of which the second one is longer; PSN 500 is lost once. */
#include <stdio.h>
#include <string.h>

#include <weft/weft.h>

#define PACKETS 1000
#define LATE    7 /* packets later by the second path */
#define LOST    500

static uint64_t nic_config[16], rx[1024], tor_config[16], tor[256]; /* checked below */
static struct weft_tor_counters counters;

/* A data packet at the ToR, then at the NIC behind it. Returns the NACKs that leave for the sender.
 */
static int
arrive(const struct weft_transport_ops *nic, const struct weft_tor_ops *themis, uint32_t psn,
       int64_t now)
{
    struct weft_packet data = {0}, reply = {0};
    struct weft_rx_verdict verdict = {0};
    uint32_t epsn;
    data.kind = WEFT_DATA;
    data.psn = psn & WEFT_PSN_MASK;
    int nacks = themis->to_host(tor, &data, false, &counters, &epsn); /* the ToR's own */
    verdict.place = psn;
    nic->rx_data(rx, &data, now, &verdict);
    if (verdict.reply == WEFT_REPLY_NONE)
        return nacks;
    reply.kind = verdict.reply == WEFT_REPLY_NACK ? WEFT_NACK : WEFT_ACK;
    reply.psn = verdict.epsn & WEFT_PSN_MASK;
    reply.ahead = weft_ahead(verdict.place, verdict.epsn);
    switch (themis->from_host(tor, &reply, &counters))
    {
    case WEFT_TOR_BLOCK:
        return nacks;
    case WEFT_TOR_NACK:
        return nacks + 1;
    default:
        return nacks + (reply.kind == WEFT_NACK);
    }
}

int
main(void)
{
    const struct weft_transport_ops *nic = weft_transport_find("nic-sr");
    const struct weft_tor_ops *themis = weft_lb_find("themis")->tor;
    struct weft_refusal why = {0, NULL, ""};
    struct weft_transport_site site;
    struct weft_last_hop hop = {2, 100000000000, 2000000, 1500, &why, WEFT_NEED_TOR};
    int nacks = 0;
    memset(&site, 0, sizeof site);
    if (weft_choice_set(&nic->algo, "nic-sr", nic_config, &why) ||
        weft_choice_set(&weft_lb_find("themis")->algo, "themis", tor_config, &why) ||
        nic->rx_size(nic_config) > sizeof rx || themis->qp_size(tor_config, &hop) > sizeof tor ||
        nic->rx_init(rx, nic_config, &site) || themis->qp_init(tor, tor_config, &hop))
    {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    for (int64_t i = 0; i < PACKETS + LATE; i++)
    {
        const int64_t psn = i % 2 == 0 ? i : i - LATE + 1; /* even ones by the first path */
        if (psn >= 0 && psn < PACKETS && psn != LOST)
            nacks += arrive(nic, themis, (uint32_t)psn, i * 120000);
        if (i == LOST + 100)
            nacks += arrive(nic, themis, LOST, i * 120000); /* again */
    }
    printf("%d NACK to the sender, %d of %d from the NIC blocked\n", nacks, (int)counters.blocked,
           (int)counters.seen);
    return 0;
}
