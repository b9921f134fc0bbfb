/* SPDX-License-Identifier: MIT */
/** @file credit.h A QP's part in pulls. Private. */
#ifndef WEFT_NIC_CREDIT_H
#define WEFT_NIC_CREDIT_H

#include <weft/qp.h>

/** Data of a QP with a pull_rx has arrived: it may ask for more. */
void weft_pull_hear(struct weft_qp *qp, const struct weft_packet *data, int64_t now);

#endif
