/* SPDX-License-Identifier: MIT */
#include <weft/fabric.h>

#define P(member) WEFT_P(struct weft_fabric_config, member)

static const struct weft_param params[] = {
    {"payload", WEFT_BYTES, P(payload), "1452B", "1B", "16KiB", NULL,
     "payload of a full data packet", "RoCEv2 at an MTU of 1500 B (ours)"},
    {"header", WEFT_BYTES, P(header), "48B", "1B", "1KiB", NULL, "headers of a data frame in all",
     "RoCEv2 at an MTU of 1500 B (ours)"},
    {"gap", WEFT_BYTES, P(gap), "20B", "0B", "1KiB", NULL,
     "preamble and inter-frame gap after every frame", "IEEE 802.3"},
    {"ack", WEFT_BYTES, P(ack), "64B", "1B", "16KiB", NULL, "an ACK, NACK or CNP frame in all",
     "ofan App. B"},
    {"ack-priority", WEFT_CHOICE, P(ack_priority), "first", NULL, NULL, "share first",
     "whether replies take turns with data on a wire or go first", "(ours)"},
    {"batch", WEFT_COUNT, P(batch), "1", "1", "65536", NULL,
     "packets a QP sends before the NIC turns to the next QP", "pro §III-A"},
    {"ack-every", WEFT_COUNT, P(ack_every), "1", "1", "65536", NULL,
     "in-order data packets per ACK; a message's end is acknowledged at once", "prime §IV"},
    {"first-psn", WEFT_COUNT, P(first_psn), "0", "-1", "16777215", NULL,
     "PSN of a QP's first packet; -1 draws one per QP", "(ours)"},
};

const struct weft_algo weft_fabric_algo = {
    "roce", /* name */
    "RoCEv2 frames over Ethernet",
    "design: timing contract; RoCEv2 (InfiniBand Architecture, Annex A17)",
    params,
    sizeof(params) / sizeof(params[0]),
    NULL, /* presets */
    0,
    sizeof(struct weft_fabric_config),
    NULL, /* check */
};
