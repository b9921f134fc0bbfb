/* SPDX-License-Identifier: MIT */
/*
 * A workload without ns-3: 64 hosts on a leaf-spine reduce a vector around a ring, and a link fails
 * under them and comes back. usage: workload [WORKLOAD [BALANCER]], each a name and its parameters:
 * workload "alltoall bytes=100KB" "subflow n=4"
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weft/weft.h>

#define US INT64_C(1000000) /* ps */

static void *
take(void *of, size_t bytes)
{
    (void)of;
    const size_t size = (bytes + 63) / 64 * 64;
    void *memory = aligned_alloc(64, size);
    if (!memory)
    {
        abort();
    }
    return memset(memory, 0, size);
}

static void
require(int code, const char *what, const struct weft_refusal *why)
{
    if (code)
    {
        fprintf(stderr, "workload: %s: %s\n", what, weft_refusal_text(code, why));
        exit(1);
    }
}

/* Finds an algorithm by a line of text, with its configuration. */
static const void *
choose(const char *kind, const char *text, const void **config)
{
    struct weft_refusal why = {.text = ""};
    const struct weft_algo *algo = weft_choice_find(kind, text, &why);
    require(algo ? 0 : WEFT_ENOTFOUND, text, &why);
    void *made = take(NULL, algo->config_size + 1);
    require(weft_choice_set(algo, text, made, &why), text, &why);
    *config = made;
    return algo;
}

static void
link_changed(void *of, uint64_t link, bool down)
{
    const struct weft_net *net = weft_run_net(*(struct weft_run **)of);
    printf("%.0f us: link %llu is %s\n", (double)weft_net_now(net) / 1e6, (unsigned long long)link,
           down ? "down" : "back");
}

static void
rerouted(void *of, size_t down, bool whole)
{
    const struct weft_net *net = weft_run_net(*(struct weft_run **)of);
    (void)whole;
    printf("%.0f us: links that forwarding knows to be down: %u\n", (double)weft_net_now(net) / 1e6,
           (unsigned)down);
}

/* Makes a run, which adapts its forwarding 100 us after a link has changed, and its fabric. */
static void
build(struct weft_run **run, const char *balancer)
{
    static struct weft_clos clos;
    static struct weft_net_level level = {.share = 1, .labels = 4096, .tclass = 1};
    const void *config;
    const struct weft_topology_ops *shape = (const struct weft_topology_ops *)choose(
        "topology", "leaf-spine leaves=8 spines=8 hosts-per-leaf=8 link-rate=100Gbps", &config);
    require(shape->build(config, &clos), "the shape", NULL);
    level.lb = (const struct weft_lb_ops *)choose("balancer", balancer, &level.lb_config);
    level.transport =
        (const struct weft_transport_ops *)choose("transport", "sack", &level.transport_config);
    level.cc = (const struct weft_cc_ops *)choose("congestion-control", "dcqcn", &level.cc_config);
    struct weft_net_config net = {.clos = &clos, .levels = &level, .nlevels = 1};
    net.scheduler = weft_scheduler_find("strict");
    weft_config_default(&weft_fabric_algo, &net.frame);
    weft_config_default(&weft_mmu_algo, &net.buffer);
    net.seed = 1;
    net.memory.take = take;
    struct weft_run_config is = {.memory = {.take = take}};
    is.host.of = run;
    is.host.link_changed = link_changed;
    is.host.rerouted = rerouted;
    is.convergence = 100 * US;
    struct weft_refusal why = {.text = ""};
    *run = weft_run_make(&is);
    require(weft_run_build(*run, &net, &why), "the fabric", &why);
}

int
main(int argc, char **argv)
{
    const char *text = argc > 1 ? argv[1] : "allreduce-ring bytes=8MB";
    struct weft_collective_config graph = {.level = 0};
    struct weft_collective *collective;
    struct weft_collective_state state;
    struct weft_refusal why = {.text = ""};
    struct weft_run *run;
    const void *config;
    char wrong[200];
    build(&run, argc > 2 ? argv[2] : "reps");
    require(weft_run_fail(run, 64, 200 * US, 800 * US), "a failure of link 64", NULL);
    const struct weft_workload_ops *workload =
        (const struct weft_workload_ops *)choose("workload", text, &config);
    require(weft_run_fill(run, workload, config, &graph, &why), text, &why);
    require(weft_run_collective(run, &graph, &collective, &why), text, &why);

    weft_run_until(run, WEFT_NEVER);

    weft_collective_describe(collective, &state);
    printf("%u of %u messages acknowledged, the last one delivered after %.3f us\n",
           (unsigned)state.acked, (unsigned)graph.size.nmessages,
           (double)state.last_delivery / 1e6);
    if (!weft_run_conserves(run, wrong, sizeof wrong))
    {
        fprintf(stderr, "workload: %s\n", wrong);
        return 1;
    }
    return state.done && state.undelivered == 0 ? 0 : 1;
}
