/* SPDX-License-Identifier: MIT */
/** @file wqe.h  The messages of a QP, as both its ends have them. Private. */
#ifndef WEFT_NIC_WQE_H
#define WEFT_NIC_WQE_H

#include <weft/qp.h>
#include <weft/wire-time.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Adds a message behind those in @p wqes, where there is room for it. Returns its packets. */
    static inline uint64_t weft_wqe_add(struct weft_qp *qp, struct weft_wqe *wqes, uint64_t bytes,
                                        uint64_t tag)
    {
        const uint64_t packets = weft_packets(bytes, qp->algos->frame.payload);
        wqes[qp->nwqes] = (struct weft_wqe){
            .first = qp->posted, .end = qp->posted + packets, .bytes = bytes, .tag = tag};
        /* The receiver may look at them meanwhile, on another thread. */
        __atomic_store_n(&qp->wqes, wqes, __ATOMIC_RELEASE);
        __atomic_store_n(&qp->nwqes, qp->nwqes + 1, __ATOMIC_RELEASE);
        qp->posted += packets;
        return packets;
    }

#ifdef __cplusplus
}
#endif
#endif
