/* SPDX-License-Identifier: MIT */
#include <string.h>

#include <weft/registry.h>

#include "checked/checked.h"

#ifdef WEFT_CHECKED
#define ALGO(table) &weft_checked_##table.algo,
#else
#define ALGO(table) &table.algo,
#endif
#define UNCHECKED(table) &table.algo,

/* clang-format off */
static const struct weft_algo *const topologies[] = {WEFT_TOPOLOGIES(UNCHECKED)};
static const struct weft_algo *const balancers[] = {WEFT_BALANCERS(ALGO)};
static const struct weft_algo *const transports[] = {WEFT_TRANSPORTS(ALGO)};
static const struct weft_algo *const schedulers[] = {WEFT_SCHEDULERS(ALGO)};
static const struct weft_algo *const congestion_controls[] = {WEFT_CONGESTION_CONTROLS(ALGO)};
static const struct weft_algo *const workloads[] = {WEFT_WORKLOADS(UNCHECKED)};
/* clang-format on */

static const struct weft_algo *const fabrics[] = {
    &weft_fabric_algo,
};

static const struct weft_algo *const switches[] = {
    &weft_mmu_algo,
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct weft_registry registries[] = {
    {"topology", "Switches, hosts and the links between them.", topologies, COUNT(topologies)},
    {"fabric", "Frame sizes and how NICs send frames.", fabrics, COUNT(fabrics)},
    {"switch", "A switch's packet buffer.", switches, COUNT(switches)},
    {"scheduler", "Which traffic class of a switch's port sends next.", schedulers,
     COUNT(schedulers)},
    {"balancer", "Which of several equal-cost ports or paths a packet takes.", balancers,
     COUNT(balancers)},
    {"transport", "Reliable delivery between two NICs.", transports, COUNT(transports)},
    {"congestion-control", "A QP's sending rate.", congestion_controls, COUNT(congestion_controls)},
    {"workload", "Who sends how much to whom, and after what.", workloads, COUNT(workloads)},
};

const struct weft_registry *
weft_registries(size_t *count)
{
    *count = COUNT(registries);
    return registries;
}

const struct weft_registry *
weft_registry_find(const char *kind)
{
    for (size_t i = 0; kind != NULL && i < COUNT(registries); i++)
    {
        if (strcmp(registries[i].kind, kind) == 0)
        {
            return &registries[i];
        }
    }
    return NULL;
}

const struct weft_algo *
weft_find(const char *kind, const char *name)
{
    const struct weft_registry *registry = weft_registry_find(kind);
    for (size_t i = 0; registry != NULL && name != NULL && i < registry->count; i++)
    {
        if (strcmp(registry->algos[i]->name, name) == 0)
        {
            return registry->algos[i];
        }
    }
    return NULL;
}

const char *
weft_nearest(const struct weft_registry *registry, const char *name)
{
    const char *best = NULL;
    unsigned best_distance = 255;
    for (size_t i = 0; registry != NULL && i < registry->count; i++)
    {
        const char *candidate = registry->algos[i]->name;
        const unsigned distance = weft_name_distance(name, candidate);
        /* A word with one slip in three letters is misspelt; with more it is another word. */
        if (distance < best_distance && distance <= (strlen(candidate) + 2) / 3)
        {
            best = candidate;
            best_distance = distance;
        }
    }
    return best;
}

/* Every table starts with its struct weft_algo, so the pointers are interchangeable. */

const struct weft_topology_ops *
weft_topology_find(const char *name)
{
    return (const struct weft_topology_ops *)(const void *)weft_find("topology", name);
}

const struct weft_lb_ops *
weft_lb_find(const char *name)
{
    return (const struct weft_lb_ops *)(const void *)weft_find("balancer", name);
}

const struct weft_transport_ops *
weft_transport_find(const char *name)
{
    return (const struct weft_transport_ops *)(const void *)weft_find("transport", name);
}

const struct weft_cc_ops *
weft_cc_find(const char *name)
{
    return (const struct weft_cc_ops *)(const void *)weft_find("congestion-control", name);
}

const struct weft_scheduler_ops *
weft_scheduler_find(const char *name)
{
    return (const struct weft_scheduler_ops *)(const void *)weft_find("scheduler", name);
}

const struct weft_workload_ops *
weft_workload_find(const char *name)
{
    return (const struct weft_workload_ops *)(const void *)weft_find("workload", name);
}
