/* SPDX-License-Identifier: MIT */
/** @file loss.h  A packet that its sender takes for lost. */
#ifndef WEFT_LOSS_H
#define WEFT_LOSS_H

#include <stdbool.h>
#include <stdint.h>

/** How the sender knows. */
enum weft_loss_cause
{
    WEFT_LOST_BY_NACK,    /**< the receiver, or a ToR on its behalf, asks for it */
    WEFT_LOST_TRIMMED,    /**< the receiver asks for it: a switch had cut its payload away */
    WEFT_LOST_BY_GAP,     /**< packets sent after it were acknowledged */
    WEFT_LOST_BY_TIMEOUT, /**< nothing was heard for too long */
    WEFT_LOST_TOLD,       /**< the fabric tells (an ideal transport's) */
};

/** A packet that its sender takes for lost, rightly or not. */
struct weft_loss
{
    uint32_t psn;
    uint16_t sport; /**< its UDP source port when it was last sent, or if the fabric tells, when it
                       was lost: the path selector's label */
    bool labelled;  /**< sport is known: see `labels` in struct weft_nic_algos */
    uint8_t cause;  /**< enum weft_loss_cause */
};

#endif
