/* SPDX-License-Identifier: MIT */
/**
 * @file stamps.h  In-band telemetry: what switch ports say of data that leaves by them. Private.
 *
 * A frame carries none of it. The port sends each stamp by mail to the data's sender, which keeps
 * it until the reply is there that the packet's own telemetry would have come with. No reply can
 * come sooner: it crosses two more links, each as long as a window.
 */
#ifndef WEFT_STAMPS_H
#define WEFT_STAMPS_H

#include "node/mail.h"
#include "node/switch-node.h"

/** A packet begins to leave by a port of a switch @p at. */
void weft_switch_stamp(const struct weft_net *net, struct weft_switch_node *sw,
                       const struct weft_port *port, const struct weft_packet *p, int64_t at);
/** Keeps the stamp of a letter for its QP. */
void weft_stamps_keep(struct weft_net_qp *q, const struct weft_letter *letter,
                      const struct weft_memory *memory);
/** Tells the congestion control of a QP what is known of the packet that a reply answers, and
 * forgets all that were sent before it. */
void weft_stamps_tell(struct weft_net_qp *q, const struct weft_packet *reply, int64_t now);

#endif
