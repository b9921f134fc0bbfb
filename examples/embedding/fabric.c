/* SPDX-License-Identifier: MIT */
/*
 * A whole fabric without ns-3: a leaf-spine of 64 hosts, of which each sends 2 MB to a host of
 * another leaf, sprayed by Themis or what is named. usage: fabric [BALANCER [BYTES [TRANSPORT]]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

static struct
{
    uint32_t delivered;
    int64_t last; /* ps */
} done;

static void *
take(void *of, size_t bytes)
{
    (void)of; /* a program that makes many fabrics would take it from one that it frees at once */
    const size_t size = (bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    if (!memory)
    {
        abort();
    }
    return memset(memory, 0, size);
}

static void
delivered(void *of, struct weft_qp *qp, uint64_t tag, int64_t now)
{
    (void)of;
    (void)qp;
    (void)tag;
    done.delivered++;
    done.last = now > done.last ? now : done.last;
}

static void *
defaults(const struct weft_algo *algo)
{
    void *config = calloc(1, algo->config_size + 1);
    weft_config_default(algo, config);
    return config;
}

/* 8 leaves of 8 hosts, 8 spines, 100 Gb/s. Returns 0 or a negative WEFT_E... */
static int
shape(struct weft_clos *clos)
{
    const struct weft_topology_ops *kind = weft_topology_find("leaf-spine");
    void *config = defaults(&kind->algo);
    weft_config_set(&kind->algo, config, "leaves", "8");
    weft_config_set(&kind->algo, config, "spines", "8");
    weft_config_set(&kind->algo, config, "hosts-per-leaf", "8");
    weft_config_set(&kind->algo, config, "link-rate", "100Gbps");
    return kind->build(config, clos);
}

/* Returns 0 or a negative WEFT_E... */
static int
build(struct weft_net **net, const struct weft_clos *clos, const struct weft_lb_ops *lb,
      const struct weft_transport_ops *nic, struct weft_refusal *why)
{
    static struct weft_net_level level = {.share = 1, .labels = 4096, .tclass = 1};
    struct weft_net_config config = {.clos = clos, .levels = &level, .nlevels = 1};
    level.lb = lb;
    level.lb_config = defaults(&lb->algo);
    level.transport = nic;
    level.transport_config = defaults(&nic->algo);
    level.cc = weft_cc_find("dcqcn");
    level.cc_config = defaults(&level.cc->algo);
    config.scheduler = weft_scheduler_find("strict");
    weft_config_default(&weft_fabric_algo, &config.frame);
    weft_config_default(&weft_mmu_algo, &config.buffer);
    config.seed = 1;
    config.hooks.delivered = delivered;
    config.memory.take = take;
    return weft_net_make(net, &config, why);
}

/* Host i sends to the one that lies half the fabric away. Returns 0 or a negative WEFT_E... */
static int
post_all(struct weft_net *net, uint32_t hosts, uint64_t bytes, struct weft_refusal *why)
{
    for (uint32_t i = 0; i < hosts; i++)
    {
        const struct weft_net_qp_site site = {
            .src = i, .dst = (i + hosts / 2) % hosts, .stream = i};
        struct weft_qp *qp;
        const int error = weft_net_add_qp(net, &site, &qp, why);
        if (error)
        {
            return error;
        }
        weft_net_post(net, qp, bytes, i, 0, i);
    }
    return 0;
}

int
main(int argc, char **argv)
{
    const struct weft_lb_ops *lb = weft_lb_find(argc > 1 ? argv[1] : "themis");
    const uint64_t bytes = argc > 2 ? strtoull(argv[2], NULL, 10) : 2000000;
    const struct weft_transport_ops *nic = weft_transport_find(argc > 3 ? argv[3] : "nic-sr");
    struct weft_refusal why = {.text = ""};
    struct weft_net_counters count;
    struct weft_clos clos;
    struct weft_net *net;
    int error = !lb || !nic || bytes == 0 ? WEFT_EINVAL : shape(&clos);
    error = error ? error : build(&net, &clos, lb, nic, &why);
    error = error ? error : post_all(net, clos.nhosts, bytes, &why);
    if (error)
    {
        fprintf(stderr, "fabric: %s\n", weft_refusal_text(error, &why));
        return 1;
    }
    while (done.delivered < clos.nhosts && weft_net_next(net) != WEFT_NEVER)
    {
        weft_net_run(net, weft_net_now(net) + 10000000); /* 10 us */
    }
    weft_net_total(net, &count);
    printf("%u of %u messages after %.3f us, %llu links crossed, %llu NACKs blocked\n",
           done.delivered, clos.nhosts, (double)done.last / 1e6, (unsigned long long)count.hops,
           (unsigned long long)count.lost[WEFT_NET_BLOCKED]);
    return 0;
}
