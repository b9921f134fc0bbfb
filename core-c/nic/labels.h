/* SPDX-License-Identifier: MIT */
/** @file labels.h Common part of a QP's files: the labels of the last packets that it has sent, and
 * the algorithms of a QP that its init has refused. Private. */
#ifndef WEFT_NIC_LABELS_H
#define WEFT_NIC_LABELS_H

#include <stddef.h>

#include <weft/psn.h>
#include <weft/qp.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Packets that no QP ever reaches. */
#define WEFT_NO_PACKETS UINT64_MAX

    /** Algorithms that do nothing. */
    extern const struct weft_nic_algos weft_refused_algos;

    /** Where the label of a packet that was sent is kept; NULL: its place is a later one's by now.
     * The QP keeps labels. */
    static inline uint16_t *weft_label_place(const struct weft_qp *qp, uint32_t psn)
    {
        const uint64_t sent = qp->algos->transport->tx_counters(qp->tx)->sent;
        const uint32_t next = weft_psn_add(qp->first_psn, (uint32_t)sent);
        return ((next - psn) & WEFT_PSN_MASK) <= qp->label_mask + 1
                   ? &qp->labels[psn & qp->label_mask]
                   : NULL;
    }

#ifdef __cplusplus
}
#endif
#endif
