/* SPDX-License-Identifier: MIT */
/** @file ooo.h  Counting data that arrive out of order. Private. */
#ifndef WEFT_NIC_OOO_H
#define WEFT_NIC_OOO_H

#include <weft/psn.h>
#include <weft/qp.h>

/** Counts data of @p psn if that lies beyond the QP's ePSN. */
static inline void
weft_count_ooo(struct weft_qp *qp, uint32_t psn)
{
    uint64_t *degrees = qp->algos_rx->ooo_degrees;
    const int32_t degree = weft_psn_diff(psn, qp->epsn);
    qp->out_of_order += degree > 0;
    if (degree > 0 && degrees)
    {
        degrees[degree < (int32_t)WEFT_OOO_DEGREES ? degree : (int32_t)WEFT_OOO_DEGREES - 1]++;
    }
}

#endif
