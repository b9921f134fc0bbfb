/* SPDX-License-Identifier: MIT */
/**
 * @file registry.h  Every algorithm by name. Adding one is: its file, one line in registry.c,
 * its test, its scenario.
 */
#ifndef WEFT_REGISTRY_H
#define WEFT_REGISTRY_H

#include <weft/param.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** All the algorithms of one kind. */
    struct weft_registry
    {
        const char *kind; /**< the scenario's element: "balancer", "congestion-control",
                             "transport", "topology", "fabric", "switch", "scheduler", "workload"
                           */
        const char *doc;
        const struct weft_algo *const *algos;
        size_t count;
    };

    /** The registries; *count of them. The array is constant. */
    WEFT_API const struct weft_registry *weft_registries(size_t *count);

    /** The registry of a kind, or NULL: of an unknown kind, and of NULL. */
    WEFT_API const struct weft_registry *weft_registry_find(const char *kind);

    /** An algorithm by kind and name, or NULL: of an unknown kind or name, and of NULL. Cast to the
     * kind's ops table (algo is its first member). weft_lb_find() and the like do that. */
    WEFT_API const struct weft_algo *weft_find(const char *kind, const char *name);

    /** The name in @p registry nearest to @p name, or NULL if none is near enough to suggest, or
     * one of the two is NULL. */
    WEFT_API const char *weft_nearest(const struct weft_registry *registry, const char *name);

#ifdef __cplusplus
}
#endif
#endif
