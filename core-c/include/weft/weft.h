/* SPDX-License-Identifier: MIT */
/** @file weft.h  The whole core in one include. */
#ifndef WEFT_WEFT_H
#define WEFT_WEFT_H

#include <weft/blocks.h>
#include <weft/bounds.h>
#include <weft/cc.h>
#include <weft/choice.h>
#include <weft/clos.h>
#include <weft/error.h>
#include <weft/fabric.h>
#include <weft/graph.h>
#include <weft/host.h>
#include <weft/lb.h>
#include <weft/levels.h>
#include <weft/loss.h>
#include <weft/mmu.h>
#include <weft/needs.h>
#include <weft/net.h>
#include <weft/ops.h>
#include <weft/packet.h>
#include <weft/param.h>
#include <weft/path.h>
#include <weft/pathmap.h>
#include <weft/plan.h>
#include <weft/ports.h>
#include <weft/psn.h>
#include <weft/pull.h>
#include <weft/qp.h>
#include <weft/ranks.h>
#include <weft/refusal.h>
#include <weft/registry.h>
#include <weft/rng.h>
#include <weft/run.h>
#include <weft/scheduler.h>
#include <weft/theory.h>
#include <weft/tor.h>
#include <weft/traffic.h>
#include <weft/transport.h>
#include <weft/version.h>
#include <weft/views.h>
#include <weft/wire-time.h>

#endif
