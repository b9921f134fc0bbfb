/* SPDX-License-Identifier: MIT */
/** @file qp-make.h  Makes QPs. Private. */
#ifndef WEFT_QP_MAKE_H
#define WEFT_QP_MAKE_H

#include "node/worker.h"

/** Makes a QP, which is not to be found yet. Returns 0, or what an init refuses with, and @p why.
 */
int weft_qp_make(struct weft_worker *here, const struct weft_net_qp_site *of,
                 struct weft_net_qp **made, struct weft_refusal *why);
/** Gives a QP its index in the fabric, and its sender's NIC room for it. */
void weft_qp_register(struct weft_net *net, struct weft_net_qp *q, uint32_t index,
                      const struct weft_memory *memory);

#endif
