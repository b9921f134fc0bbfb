/* SPDX-License-Identifier: MIT */
/** @file qp-link-world.h Common part of qp-link.c and its algorithms. Private. */
#ifndef WEFT_TESTS_QP_LINK_WORLD_H
#define WEFT_TESTS_QP_LINK_WORLD_H

#include <string.h>

#include "qp-link.h"

#define QP_LINK_SLOT     INT64_C(1000000)    /* ps: a full frame and its gap */
#define QP_LINK_RATE     INT64_C(8000000000) /* bit/s */
#define QP_LINK_PAYLOAD  900
#define QP_LINK_HEADER   80
#define QP_LINK_MESSAGES 512

struct control
{
    int64_t rate;
    uint32_t window;
    uint32_t qp;
};

struct selector
{
    uint32_t qp;
    bool active;
};

/* A QP, and what is known of each of its packets. */
struct connection
{
    struct weft_qp qp;
    struct weft_wqe *wqes;
    void *memory;
    uint32_t end[QP_LINK_MESSAGES]; /* one past the last packet of each message */
    uint32_t bytes[QP_LINK_MESSAGES];
    uint32_t messages, posted, next, epsn, delivered, acked, failed;
    uint32_t answered; /* the ePSN that the last reply carried */
    uint8_t sent[QP_LINK_PACKETS];
    bool arrived[QP_LINK_PACKETS];
    bool reported[QP_LINK_PACKETS]; /* a reply has told of it */
    bool lost[QP_LINK_PACKETS];     /* told since it was last sent */
    uint16_t label[QP_LINK_PACKETS];
};

extern struct qp_link_world
{
    const struct qp_link *link;
    struct weft_nic_algos algos;
    struct weft_transport_ops transport;
    struct weft_cc_ops cc;
    struct weft_path_ops path;
    uint64_t config[16];
    struct weft_host host[QP_LINK_HOSTS];
    struct weft_qp *active[QP_LINK_HOSTS][QP_LINK_QPS];
    int64_t send_at[QP_LINK_HOSTS][QP_LINK_QPS];
    uint32_t paused[QP_LINK_HOSTS];
    uint32_t nreplies[QP_LINK_HOSTS];
    struct connection connection[QP_LINK_QPS];
    uint32_t nframes;
    int64_t now;
    bool calm; /* no faults any more */
    struct qp_link_outcome outcome;
    const struct weft_packet *told; /* the last loss that the fabric has told of */
} qp_link_world;

/** The number of a packet. */
static inline uint32_t
qp_link_index(uint32_t psn)
{
    return (psn - qp_link_world.link->first_psn) & WEFT_PSN_MASK;
}

static inline uint32_t
qp_link_draw(uint32_t n)
{
    return qp_link_world.link->draw(qp_link_world.link->context, n);
}

static inline bool
qp_link_is(const char *transport)
{
    return strcmp(qp_link_world.link->transport, transport) == 0;
}

/** The world's transport, and a congestion control and a path selector that check what they are
 * told. */
void qp_link_begin_algos(void);

#endif
