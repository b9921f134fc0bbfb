/* SPDX-License-Identifier: MIT */
/* The fabric of examples/embedding/foreign.c as Weft's own: when the last of four flows is
 * acknowledged, without contention. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

static int64_t last;

static void *
take(void *of, size_t bytes)
{
    (void)of;
    const size_t size = (bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    return memory ? memset(memory, 0, size) : (abort(), NULL);
}

static void
acked(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    (void)qp;
    (void)tag;
    last = now > last ? now : last;
}

static const void *
choose(const char *kind, const char *line, const void **config)
{
    const struct weft_algo *algo = weft_choice_find(kind, line, NULL);
    void *made = algo ? calloc(1, algo->config_size + 8) : NULL;
    if (!algo || weft_choice_set(algo, line, made, NULL))
    {
        exit(2);
    }
    *config = made;
    return algo;
}

int
main(void)
{
    struct weft_net_level level = {.share = 1, .tclass = 1};
    struct weft_net_config config = {.levels = &level, .nlevels = 1, .seed = 1};
    struct weft_clos clos;
    struct weft_net *net;
    const void *made;
    const struct weft_topology_ops *kind = choose(
        "topology",
        "leaf-spine leaves=2 spines=4 hosts-per-leaf=4 link-rate=100Gbps link-delay=500ns", &made);
    if (kind->build(made, &clos))
    {
        return 2;
    }
    level.lb = choose("balancer", "jsq", &level.lb_config);
    level.transport = choose("transport", "nic-sr", &level.transport_config);
    level.cc = choose("congestion-control", "none", &level.cc_config);
    choose("fabric", "roce payload=1438B header=62B gap=0B ack=100B", &made);
    memcpy(&config.frame, made, sizeof config.frame);
    weft_config_default(&weft_mmu_algo, &config.buffer);
    config.clos = &clos;
    config.scheduler = weft_scheduler_find("strict");
    config.hooks.acked = acked;
    config.memory.take = take;
    if (weft_net_make(&net, &config, NULL))
    {
        return 2;
    }
    for (uint32_t i = 0; i < 4; i++)
    {
        struct weft_qp *qp;
        const struct weft_net_qp_site site = {.src = i, .dst = i + 4, .stream = i};
        if (weft_net_add_qp(net, &site, &qp, NULL))
        {
            return 2;
        }
        weft_net_post(net, qp, 2000 * 1438, i, 0, i);
    }
    weft_net_run(net, 1000000000);
    printf("%.3f us\n", (double)last / 1e6);
    return 0;
}
