/* SPDX-License-Identifier: MIT */
/**
 * @file host-rig.h  A NIC with QPs of a real transport, under a congestion control and a path
 * selector that do what a test says and write down what they are told.
 */
#ifndef WEFT_TESTS_HOST_RIG_H
#define WEFT_TESTS_HOST_RIG_H

#include <weft/weft.h>

#define RIG_SLOT    INT64_C(1000000)    /* ps: a full frame and its gap on the wire */
#define RIG_RATE    INT64_C(8000000000) /* bit/s: 1,000 bytes in a slot */
#define RIG_PAYLOAD 900                 /* bytes; 80 of header and 20 of gap make 1,000 */
#define RIG_SPORT   50000               /* the QPs' own source port */
#define RIG_LABEL   60000               /* the path selector's first label; the next is one more */
#define RIG_QPS     16
#define RIG_WQES    256 /* messages of a QP */

/** A QP's rate and window: a test writes them. */
struct host_rig_cc
{
    int64_t rate;
    uint32_t window;
    int64_t cnp_interval; /* the configuration's alone */
};

/** State that a path selector keeps of a QP. */
struct host_rig_path
{
    uint32_t batch;
    uint16_t label; /* of its next packet */
};

extern struct host_rig
{
    /* Before the first host_rig_add() a test may change these. */
    struct weft_nic_algos algos;
    struct weft_transport_ops transport;
    struct weft_cc_ops cc;
    struct weft_path_ops path;
    struct host_rig_cc cc_config; /* what each QP begins with */
    bool with_path;
    bool with_window;

    uint64_t transport_config[16];
    struct weft_host host;
    struct weft_qp *active[RIG_QPS];
    int64_t send_at[RIG_QPS];
    uint32_t nqps;
    struct weft_qp qp[RIG_QPS];
    void *memory[RIG_QPS];
    struct weft_wqe wqes[RIG_QPS][RIG_WQES];
    int64_t now;             /* when host_rig_sends() goes on, ps */
    struct weft_packet sent; /* the last packet */
    bool held;               /* what weft_host_pace() said of it */
    char log[2048];          /* what congestion control and path selector were told */
} host_rig;

/** A NIC without QPs. @p settings: of the transport, pairs ended by NULL; or NULL. */
void host_rig_begin(const char *transport, const char *const *settings);
void host_rig_end(void);

/** Adds a QP and returns its number. */
uint32_t host_rig_add(uint32_t first_psn);

/** Posts a message of so many full packets, and activates the QP. */
void host_rig_post(uint32_t qp, uint32_t packets, int64_t now);

static inline struct host_rig_cc *
host_rig_cc(uint32_t qp)
{
    return host_rig.qp[qp].cc;
}

static inline struct host_rig_path *
host_rig_path(uint32_t qp)
{
    return host_rig.qp[qp].path;
}

/** Returns the QP that a free wire sends of then, of QPs alone, or -1. The packet is in
 * host_rig.sent. */
int host_rig_send(uint32_t paused, int64_t now);

/** Sends a packet a slot, from host_rig.now on: the QPs as in "0 0 1 -", where - is nothing. */
void host_rig_sends(const char *expected);

/** The data packet of that PSN of a QP, as it arrives. */
struct weft_packet host_rig_packet(uint32_t qp, uint32_t psn, uint32_t flags);

/** A reply arrives, and the QP goes on. @p ahead: see struct weft_packet. */
void host_rig_reply(uint32_t qp, enum weft_packet_kind kind, uint32_t psn, uint16_t ahead,
                    int64_t now);

/** A QP's retransmission timer fires, and not before it is due: what comes of it. The QP goes on.
 */
enum weft_qp_timeout host_rig_times_out(uint32_t qp);

/** The log so far is this; it begins anew. */
void host_rig_logged(const char *expected);

#endif
