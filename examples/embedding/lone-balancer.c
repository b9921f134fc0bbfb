/* SPDX-License-Identifier: MIT */
/* A switch's balancer alone: eight ports upwards, seven packets in the time that a port needs for
 * one. usage: lone-balancer [LINE], as "drill d=1" or "rsq" */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#define UP    8 /* ports 8 to 15; 0 to 7 lead to hosts */
#define FRAME 1500

int
main(int argc, char **argv)
{
    const char *line = argc > 1 ? argv[1] : "drill";
    const struct weft_algo *algo;
    uint64_t config[64]; /* large enough: checked below */
    uint32_t queue_bytes[2 * UP] = {0}, longest = 0;
    struct weft_refusal why = {0, NULL, ""};
    const struct weft_ports up = {queue_bytes, NULL, UP, UP, UP, 0, 0};
    struct weft_site site;
    memset(&site, 0, sizeof site);
    site.seed = site.run = 1;
    site.nports = 2 * UP;
    site.up_ports = UP;
    site.port_buffer = 1000000;
    site.why = &why;
    algo = weft_choice_find("balancer", line, &why);
    if (!algo || algo->config_size > sizeof config || weft_choice_set(algo, line, config, &why))
        return fprintf(stderr, "%s\n", why.text), 1;
    const struct weft_lb_ops *lb = weft_lb_find(algo->name);
    void *state = malloc(lb->state_size(config, &site));
    if (lb->init(state, config, &site))
        return fprintf(stderr, "%s\n", why.text), 1;
    for (int64_t i = 0; i < 70000; i++)
    {
        struct weft_packet packet = {0};
        packet.kind = WEFT_DATA;
        packet.src = (uint32_t)i % 8;
        packet.dst = 8 + (uint32_t)(i / 8) % 8;
        packet.bytes = FRAME;
        const uint32_t port = lb->pick(state, &up, &packet, i * 20000);
        queue_bytes[port] += FRAME;
        longest = queue_bytes[port] > longest ? queue_bytes[port] : longest;
        for (uint32_t p = UP; i % 7 == 6 && p < 2 * UP; p++)
            queue_bytes[p] -= queue_bytes[p] ? FRAME : 0;
    }
    printf("%s: longest queue %u packets\n", algo->name, (unsigned)(longest / FRAME));
    free(state);
    return 0;
}
