/* SPDX-License-Identifier: MIT */
/**
 * @file roster.h  Every algorithm that can be chosen by name, one line each, in the order in which
 * `weft list` shows them. Private. A file of algorithms needs nothing but its line here.
 */
#ifndef WEFT_ROSTER_H
#define WEFT_ROSTER_H

/* clang-format off */

#define WEFT_TOPOLOGIES(X)      \
    X(weft_topology_leaf_spine) \
    X(weft_topology_fat_tree)   \
    X(weft_topology_clos)       \
    X(weft_topology_rail_optimised) \
    X(weft_topology_graph)

#define WEFT_BALANCERS(X)      \
    X(weft_lb_ecmp)            \
    X(weft_lb_rsq)             \
    X(weft_lb_simple_rr)       \
    X(weft_lb_switch_rr)       \
    X(weft_lb_jsq)             \
    X(weft_lb_drill)           \
    X(weft_lb_ofan)            \
    X(weft_lb_oblivious_spray) \
    X(weft_lb_subflow)         \
    X(weft_lb_plb)             \
    X(weft_lb_reps)            \
    X(weft_lb_host_dr)         \
    X(weft_lb_pro)             \
    X(weft_lb_prime)           \
    X(weft_lb_co_prime)        \
    X(weft_lb_ethereal)        \
    X(weft_lb_ar)              \
    X(weft_lb_ar_quality)      \
    X(weft_lb_letflow)         \
    X(weft_lb_conga)           \
    X(weft_lb_conweave)        \
    X(weft_lb_themis)

#define WEFT_TRANSPORTS(X)       \
    X(weft_transport_nic_sr)     \
    X(weft_transport_gbn)        \
    X(weft_transport_ideal)      \
    X(weft_transport_sack)       \
    X(weft_transport_erasure)    \
    X(weft_transport_trim)       \
    X(weft_transport_pro_window) \
    X(weft_transport_mprdma)          \
    X(weft_transport_multipath_timers)

#define WEFT_SCHEDULERS(X)   \
    X(weft_scheduler_strict) \
    X(weft_scheduler_wrr)    \
    X(weft_scheduler_dwrr)

#define WEFT_CONGESTION_CONTROLS(X) \
    X(weft_cc_none)                 \
    X(weft_cc_ideal)                \
    X(weft_cc_dcqcn)                \
    X(weft_cc_dctcp)                \
    X(weft_cc_swift)                \
    X(weft_cc_mswift)               \
    X(weft_cc_timely)               \
    X(weft_cc_hpcc)                 \
    X(weft_cc_nscc)                 \
    X(weft_cc_rccc)                 \
    X(weft_cc_eqds)

#define WEFT_WORKLOADS(X)               \
    X(weft_workload_ring)               \
    X(weft_workload_allreduce_ring)     \
    X(weft_workload_allreduce_doubling) \
    X(weft_workload_allreduce_tree)     \
    X(weft_workload_allreduce_direct)   \
    X(weft_workload_allreduce_hierarchical) \
    X(weft_workload_tree)               \
    X(weft_workload_alltoall)           \
    X(weft_workload_permutation)        \
    X(weft_workload_incast)             \
    X(weft_workload_fsdp)               \
    X(weft_workload_gpt2)               \
    X(weft_workload_flows)              \
    X(weft_workload_poisson)            \
    X(weft_workload_trace)

/* clang-format on */

#endif
