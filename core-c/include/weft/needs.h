/* SPDX-License-Identifier: MIT */
/**
 * @file needs.h  Needs of a balancer from the simulator that calls it, and members of a packet that
 * an algorithm reads and writes.
 *
 * A balancer of which only a half is called works, but as another one: CONGA without arrive() is
 * ECMP. So a simulator says in `provides` of struct weft_site, weft_path_site and weft_last_hop
 * what it does for a balancer, the same everywhere, and an init refuses where something is missing
 * (WEFT_EINVAL, and in `why` what it is). weft_lb_needs() (lb.h) says what a balancer needs, and
 * `weft list` shows it.
 */
#ifndef WEFT_NEEDS_H
#define WEFT_NEEDS_H

#include <stddef.h>
#include <stdint.h>

#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Services of a simulator for its balancers, a set of bits. Each names the calls of lb.h,
     * path.h and tor.h that it stands for: if the balancer has such a hook, it is called when its
     * header says, and its answer is carried out. */
    enum weft_need
    {
        WEFT_NEED_HASH = 1,       /**< every switch that has a choice hashes the UDP source port,
                                     among others, of each packet; WEFT_NEED_PICK includes it */
        WEFT_NEED_PICK = 2,       /**< every switch calls the balancer's own pick() */
        WEFT_NEED_HOSTS = 4,      /**< data() and reply() for all that hosts send */
        WEFT_NEED_REPLIES = 8,    /**< on_reply(): replies carry `echo` and WEFT_F_ECE */
        WEFT_NEED_LOSSES = 16,    /**< on_timeout() and on_lost() */
        WEFT_NEED_ACTIVE = 32,    /**< on_active() */
        WEFT_NEED_PLAN = 64,      /**< plan() for every message, and on_label() for its parts */
        WEFT_NEED_ARRIVE = 128,   /**< arrive() at ToRs; what is to be held is held */
        WEFT_NEED_LEAVE = 256,    /**< leave() at every switch */
        WEFT_NEED_REQUESTS = 512, /**< request(), deadline() and on_deadline() */
        WEFT_NEED_FLOWS = 1024,   /**< flow_size(): the ToRs of both ends get the QP's state */
        WEFT_NEED_TOR = 2048, /**< to_host(), from_host() and release() at the destination's ToR:
                                 replies can be kept back, and a ToR can send NACKs */
        WEFT_NEED_READER =
            4096, /**< a port reader: `reader` of the site, not a bit of `provides` */
    };

/** All of them: what net.h and the ns-3 module provide. */
#define WEFT_NEEDS_ALL 8191U

/** Services that sending by weft_qp_*() and weft_host_*() (qp.h, host.h) provides. For on_lost()
 * `labels` of struct weft_nic_algos must not be 0. */
#define WEFT_NEEDS_QP                                                                              \
    ((uint32_t)WEFT_NEED_HOSTS | WEFT_NEED_REPLIES | WEFT_NEED_LOSSES | WEFT_NEED_ACTIVE)

    /** A need in words. */
    struct weft_need_text
    {
        uint32_t need;    /**< enum weft_need */
        const char *name; /**< its name: "pick" */
        const char *doc;  /**< what a simulator does: no capital letter, no full stop */
    };

    /** All needs in words; *count of them. The array is constant. */
    WEFT_API const struct weft_need_text *weft_needs(size_t *count);

    /** Members of struct weft_packet (packet.h), a set of bits. */
    enum weft_field
    {
        WEFT_FIELD_SENT = 1,
        WEFT_FIELD_DST = 2,
        WEFT_FIELD_HOPS = 4,
        WEFT_FIELD_SRC = 8,
        WEFT_FIELD_SL = 16,
        WEFT_FIELD_TCLASS = 32,
        WEFT_FIELD_QP = 64,
        WEFT_FIELD_KIND = 128,
        WEFT_FIELD_PSN = 256,
        WEFT_FIELD_FLAGS = 512,
        WEFT_FIELD_BYTES = 1024,
        WEFT_FIELD_IN_PORT = 2048,
        WEFT_FIELD_SPORT = 4096,
        WEFT_FIELD_AHEAD = 8192,
        WEFT_FIELD_ECHO = 16384,
        WEFT_FIELD_META = 32768,
    };

/** Members of a packet that there are. */
#define WEFT_NFIELDS 16U

    /** Members of packets that an algorithm's functions read and write. All else may be anything. A
     * packet that a balancer makes itself (WEFT_REQUEST_EMIT) is not meant. */
    struct weft_fields
    {
        uint32_t reads;  /**< bits of enum weft_field */
        uint32_t writes; /**< bits of enum weft_field */
    };

    /** The member of bit @p i < WEFT_NFIELDS: "sent", "dst", ... */
    WEFT_API const char *weft_field_name(uint32_t i);

#ifdef __cplusplus
}
#endif
#endif
