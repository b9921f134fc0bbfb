/* SPDX-License-Identifier: GPL-2.0-only */
/** @file measured-ports.h  The ports that <measure ports=> names. */
#ifndef WEFT_RUNNER_MEASURED_PORTS_H
#define WEFT_RUNNER_MEASURED_PORTS_H

#include "document.h"
#include "scenario.h"

/** Most ports that are sampled one by one. */
#define MOST_MEASURED_PORTS 65536

/** Fills s->measure.ports with what ports="tor-up 0:4 8-11:0-15" names, by switch and port. Names
 * of layers, switches or ports that are not there, and ports that are named twice, are reported. */
void load_measured_ports(const struct element *e, struct scenario *s, struct diagnostics *d);

#endif
