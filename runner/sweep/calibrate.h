/* SPDX-License-Identifier: GPL-2.0-only */
/** @file calibrate.h  How fast this machine simulates now. */
#ifndef WEFT_RUNNER_CALIBRATE_H
#define WEFT_RUNNER_CALIBRATE_H

/**
 * CPU time of a packet-hop in a small fabric (256 hosts), ns: simulates a fraction of a second of
 * work in a process of its own. -1 if that fails.
 */
double calibrate(void);

/** How much longer a packet-hop takes where @p hosts and @p qps do not fit the caches, measured on
 * the cases of docs/performance.md. */
double calibrate_footprint(double hosts, double qps);

#endif
