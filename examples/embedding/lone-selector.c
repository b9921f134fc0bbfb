/* SPDX-License-Identifier: MIT */
/* A path selector alone: REPS over a transport and a hash at switches that are not Weft's. One of
 * eight paths marks what it carries; labels that came back marked are not used again. */
#include <stdio.h>
#include <string.h>

#include <weft/weft.h>

#define PACKETS 10000
#define FLIGHT  32 /* packets between data and its ACK */

int
main(void)
{
    uint64_t config[16], host[16], qp[64]; /* large enough: checked below */
    const struct weft_path_ops *reps = weft_lb_find("reps")->path;
    struct weft_refusal why = {0, NULL, ""};
    struct weft_packet acks[FLIGHT];
    struct weft_path_site site;
    int marked[10] = {0};
    memset(acks, 0, sizeof acks);
    memset(&site, 0, sizeof site);
    site.seed = site.run = 1;
    site.qp_bdp = FLIGHT;
    site.why = &why;
    site.provides =
        (uint32_t)WEFT_NEED_HASH | WEFT_NEED_HOSTS | WEFT_NEED_REPLIES | WEFT_NEED_LOSSES;
    if (weft_choice_set(&weft_lb_find("reps")->algo, "reps ring=16", config, &why) ||
        reps->host_size(config, &site) > sizeof host || reps->qp_size(config, &site) > sizeof qp ||
        reps->host_init(host, config, &site) || reps->qp_init(qp, host, config, &site, 0))
    {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    for (int i = 0; i < PACKETS; i++)
    {
        struct weft_packet data = {0}, *ack = &acks[i % FLIGHT];
        if (i >= FLIGHT) /* that of FLIGHT packets ago comes back */
            reps->on_reply(qp, ack, i);
        data.sport = 49152; /* the QP's own */
        reps->data(qp, &data, i);
        const int is_marked = (uint32_t)data.sport * 2654435761U >> 29 == 3; /* a switch's hash */
        ack->kind = WEFT_ACK;
        ack->echo = data.sport;
        ack->flags = is_marked ? WEFT_F_ECE : 0;
        marked[i / (PACKETS / 10)] += is_marked;
    }
    /* A reply of this host is labelled by reps->reply(host, &reply); a timeout is told by
     * reps->on_timeout(qp, now). */
    printf("marked of the first 1000 packets: %d, of the last 1000: %d\n", marked[0], marked[9]);
    return 0;
}
