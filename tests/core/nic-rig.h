/* SPDX-License-Identifier: MIT */
/** @file nic-rig.h Two ends of a QP, driven by hand, for the tests of the transports. */
#ifndef WEFT_TESTS_NIC_RIG_H
#define WEFT_TESTS_NIC_RIG_H

#include <stdint.h>

#include <weft/transport.h>

#define NOW INT64_C(5000000)    /* when everything is sent, ps */
#define RTO INT64_C(1000000000) /* the default, ps */

struct nic_rig
{
    const struct weft_transport_ops *ops;
    uint64_t config[16];
    void *rx;
    void *tx;
};

extern struct nic_rig rig;

/** Makes both ends. @p settings: pairs of name and value, ended by NULL; or NULL. */
void begin(const char *transport, uint32_t first_psn, const char *const *settings);
void begin_at(const struct weft_transport_site *site, const char *transport,
              const char *const *settings);
void end(void);

/** A data packet arrives. */
struct weft_rx_verdict arrive(uint32_t psn);

/** A data packet arrives for the first time, and is answered so. */
void answers(uint32_t psn, enum weft_reply what, uint32_t epsn);

/** A reply arrives at the sender: packets newly acknowledged. */
uint32_t reply(enum weft_packet_kind kind, uint32_t epsn, int64_t now);

/** The ACK of the packet that took that place. */
struct weft_packet ack_of(uint32_t place, uint32_t epsn);

/** The sender's next packet is this one; for WEFT_TX_NONE @p psn is ignored. At NOW, or @p now. */
void sends(enum weft_tx_what what, uint32_t psn);
void sends_at(int64_t now, enum weft_tx_what what, uint32_t psn);

#endif
