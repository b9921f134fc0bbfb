/* SPDX-License-Identifier: MIT */
/** @file tables.h  The tables that algorithms export to the registry: one line each. Private. */
#ifndef WEFT_BASE_TABLES_H
#define WEFT_BASE_TABLES_H

#include <weft/cc.h>
#include <weft/clos.h>
#include <weft/fabric.h>
#include <weft/lb.h>
#include <weft/mmu.h>
#include <weft/traffic.h>
#include <weft/transport.h>

#ifdef __cplusplus
extern "C"
{
#endif

    extern const struct weft_topology_ops weft_topology_leaf_spine;
    extern const struct weft_topology_ops weft_topology_fat_tree;

    extern const struct weft_lb_ops weft_lb_ecmp;
    extern const struct weft_lb_ops weft_lb_rsq;
    extern const struct weft_lb_ops weft_lb_ops_spray;
    extern const struct weft_lb_ops weft_lb_ar;
    extern const struct weft_lb_ops weft_lb_themis;

    extern const struct weft_transport_ops weft_transport_nic_sr;
    extern const struct weft_transport_ops weft_transport_gbn;
    extern const struct weft_transport_ops weft_transport_ideal;
    extern const struct weft_transport_ops weft_transport_sack;

    extern const struct weft_cc_ops weft_cc_none;
    extern const struct weft_cc_ops weft_cc_dcqcn;

    extern const struct weft_workload_ops weft_workload_ring;
    extern const struct weft_workload_ops weft_workload_allreduce_ring;
    extern const struct weft_workload_ops weft_workload_alltoall;
    extern const struct weft_workload_ops weft_workload_permutation;

#ifdef __cplusplus
}
#endif
#endif
