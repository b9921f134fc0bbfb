/* SPDX-License-Identifier: MIT */
/** @file tables.h  The tables that algorithms export to the registry: those of roster.h. Private.
 */
#ifndef WEFT_TABLES_H
#define WEFT_TABLES_H

#include "roster/roster.h"

#include <weft/cc.h>
#include <weft/clos.h>
#include <weft/fabric.h>
#include <weft/lb.h>
#include <weft/mmu.h>
#include <weft/scheduler.h>
#include <weft/traffic.h>
#include <weft/transport.h>

#ifdef __cplusplus
extern "C"
{
#endif

#define WEFT_DECLARE_TOPOLOGY(table)  extern const struct weft_topology_ops table;
#define WEFT_DECLARE_BALANCER(table)  extern const struct weft_lb_ops table;
#define WEFT_DECLARE_TRANSPORT(table) extern const struct weft_transport_ops table;
#define WEFT_DECLARE_CC(table)        extern const struct weft_cc_ops table;
#define WEFT_DECLARE_SCHEDULER(table) extern const struct weft_scheduler_ops table;
#define WEFT_DECLARE_WORKLOAD(table)  extern const struct weft_workload_ops table;

    /* clang-format off */
    WEFT_TOPOLOGIES(WEFT_DECLARE_TOPOLOGY)
    WEFT_BALANCERS(WEFT_DECLARE_BALANCER)
    WEFT_TRANSPORTS(WEFT_DECLARE_TRANSPORT)
    WEFT_SCHEDULERS(WEFT_DECLARE_SCHEDULER)
    WEFT_CONGESTION_CONTROLS(WEFT_DECLARE_CC)
    WEFT_WORKLOADS(WEFT_DECLARE_WORKLOAD)
    /* clang-format on */

#ifdef __cplusplus
}
#endif
#endif
