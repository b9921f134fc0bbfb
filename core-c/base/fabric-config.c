/* SPDX-License-Identifier: MIT */
/* Parameters of a fabric's frames and NICs: struct weft_fabric_config as a table. */
#include <weft/fabric.h>

#define P(member) WEFT_P(struct weft_fabric_config, member)

static const struct weft_param params[] = {
    {"payload", WEFT_BYTES, P(payload), "1452B", "1B", "16KiB", NULL,
     "Payload of a full data packet.", "RoCEv2 at an MTU of 1500 B (ours)"},
    {"header", WEFT_BYTES, P(header), "48B", "1B", "1KiB", NULL, "Headers of a data frame in all.",
     "RoCEv2 at an MTU of 1500 B (ours)"},
    {"gap", WEFT_BYTES, P(gap), "20B", "0B", "1KiB", NULL,
     "Preamble and inter-frame gap after every frame.", "IEEE 802.3"},
    {"ack", WEFT_BYTES, P(ack), "64B", "1B", "16KiB", NULL, "An ACK, NACK or CNP frame in all.",
     "ofan App. B"},
    {"ack-priority", WEFT_CHOICE, P(ack_priority), "first", NULL, NULL, "share first ideal",
     "Whether replies share the wire with data in turns, go first, or (ideal) take no wire at all "
     "and "
     "come after the time that they need in an idle fabric.",
     "(ours)"},
    {"batch", WEFT_COUNT, P(batch), "1", "1", "65536", NULL,
     "Packets a QP sends before the NIC turns to the next QP.", "pro §III-A"},
    {"ack-every", WEFT_COUNT, P(ack_every), "1", "1", "65536", NULL,
     "Data packets per ACK: those that come in order, under sack, trim and pro-window in any "
     "order; a message's end and a marked packet are acknowledged at once.",
     "prime §IV"},
    {"first-psn", WEFT_COUNT, P(first_psn), "0", "-1", "16777215", NULL,
     "PSN of a QP's first packet; -1 draws one per QP.", "(ours)"},
    {"retry-limit", WEFT_COUNT, P(retry_limit), "7", "0", "65535", NULL,
     "Timeouts in a row, without progress, after which a QP still sends again; at the next one it "
     "is given up. 0: never.",
     "IBTA (3-bit retry_cnt); default (ours)"},
    {"turn", WEFT_CHOICE, P(turn), "qps", NULL, NULL, "qps destinations",
     "Who is served in turn at a sender: its QPs, each for a batch; or the hosts that they send "
     "to, each for a batch, which the QPs to one host take in turn among them.",
     "qps: RdmaEgressQueue of HPCC's ns-3 simulator, also ConWeave's and Ethereal's; rdma-core "
     "promises that real NICs are fair to QPs. destinations (ours)"},
    {"replies", WEFT_CHOICE, P(replies), "balancer", NULL, NULL, "balancer ecmp spray",
     "How ACKs, NACKs and CNPs travel. balancer: as the load balancer has them, by its own "
     "parameter of this name where it has one; ecmp: on their QP's ECMP path, and spray: on a "
     "random path each, whatever the balancer, which is not asked for them.",
     "(ours)"},
    {"host-port", WEFT_CHOICE, P(host_port), "hash", NULL, NULL, "hash round-robin least-queued",
     "By which port data leave a host that has several. hash: by their UDP source port, one for "
     "each "
     "QP, or for each label where the balancer labels packets; round-robin: a QP's packets in "
     "turn; "
     "least-queued: by the one where fewest packets wait. Replies go back by the port by which "
     "data "
     "came. A dead port is known to its NIC at once, and a plane that no longer leads to the "
     "receiver "
     "when forwarding is.",
     "(ours)"},
    {"port-window", WEFT_COUNT, P(port_window), "16", "1", "65536", NULL,
     "Packets that wait at the ports of a host that has several, of QPs that choose a port for "
     "each packet: each may have its equal part, and at least one, and makes no more until one has "
     "left. Beside such QPs others have that part, too; else they make one ahead.",
     "(ours)"},
};

static const char *
check(const void *config)
{
    const struct weft_fabric_config *c = config;
    return c->ack_priority == WEFT_ACK_IDEAL && c->replies != WEFT_REPLIES_BALANCER
               ? "replies says which way they take, but ideal ones take none; expected "
                 "replies=balancer, or ack-priority share or first"
               : NULL;
}

static const struct weft_preset presets[] = {
    {"ofan", "payload=4096B header=62B gap=20B ack=64B ack-priority=share",
     "RoCEv2 frames of 4 KB; ACKs and data in turns.", "ofan §5, App. B"},
};

const struct weft_algo weft_fabric_algo = {
    "roce", /* name */
    "RoCEv2 frames over Ethernet.",
    "InfiniBand Architecture, Annex A17 (RoCEv2)",
    params,
    sizeof(params) / sizeof(params[0]),
    presets,
    sizeof(presets) / sizeof(presets[0]),
    sizeof(struct weft_fabric_config),
    check,
};
