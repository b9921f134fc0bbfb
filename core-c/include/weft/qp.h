/* SPDX-License-Identifier: MIT */
/**
 * @file qp.h  A queue pair: both ends of one reliable connection, as one thing to drive.
 *
 * The sender's end posts messages, takes replies in and keeps the books of pacing; the receiver's
 * answers data. Which QP of a NIC sends next is the host's matter (host.h). Time is pulled: ask for
 * weft_qp_deadline() after each call that may change it, and call weft_qp_timer() when it is due.
 */
#ifndef WEFT_QP_H
#define WEFT_QP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/cc.h>
#include <weft/fabric.h>
#include <weft/packet.h>
#include <weft/path.h>
#include <weft/transport.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Out-of-order degrees that are told apart. */
#define WEFT_OOO_DEGREES 4096U

    /** Algorithms of QPs that work alike. They outlive the QPs. */
    struct weft_nic_algos
    {
        const struct weft_transport_ops *transport;
        const void *transport_config;
        const struct weft_cc_ops *cc;
        const void *cc_config;
        const struct weft_path_ops *path; /**< what the balancer does at hosts; NULL: nothing */
        const void *path_config;
        void *path_hosts;   /**< its hosts' states, that of host 0 first, one after the other, each
                               made by path->host_init(); NULL: it has none (host_size() is 0) */
        size_t path_stride; /**< bytes from one host's to the next one's: at least host_size(), and
                               a multiple of 8 */
        struct weft_fabric_config frame;
        struct weft_puller *pullers; /**< of all hosts, host 0 first; NULL where the congestion
                                        control has no terms() */
        /** Packets whose labels a QP remembers, a power of two, for on_lost(); 0: none. Memory is
         * taken only where the path part has an on_lost(). */
        uint32_t labels;
        /** NULL, or WEFT_OOO_DEGREES counters: data that arrives beyond the ePSN, by its
         * out-of-order degree PSN - ePSN: packets that it has overtaken or more (pro §VI-A, which
         * subtracts the highest PSN in order and so has one more); the last one counts all from
         * there on. The caller's memory, which QPs may share. */
        uint64_t *ooo_degrees;
        uint8_t tclass; /**< traffic class of data, 1 to 7 */
        uint8_t sl;     /**< service level */
    };

    /** A host's state of the path part, or NULL. */
    static inline void *weft_path_host(const struct weft_nic_algos *algos, uint32_t host)
    {
        return algos->path_hosts ? (char *)algos->path_hosts + (size_t)host * algos->path_stride
                                 : NULL;
    }

    /** Traffic class of replies to data of a class: 0 where replies go first. */
    static inline uint32_t weft_reply_class(const struct weft_nic_algos *algos)
    {
        return algos->frame.ack_priority == WEFT_ACK_FIRST ? 0 : algos->tclass;
    }

    /** A work queue element: a message, a run of packets of its QP. */
    struct weft_wqe
    {
        uint64_t first; /**< its first packet, counted from the QP's first */
        uint64_t end;   /**< one past its last packet */
        uint64_t bytes; /**< payload */
        uint64_t tag;   /**< the application's */
    };

    /** Where a QP is, for its init. */
    struct weft_qp_site
    {
        uint32_t index; /**< its number in the run, at most WEFT_QP_MASK */
        uint32_t src;   /**< sending host, at most WEFT_HOST_MASK */
        uint32_t dst;   /**< receiving host, at most WEFT_HOST_MASK */
        uint16_t sport; /**< UDP source port of all its packets, unless a balancer changes it */
        struct weft_transport_site transport; /**< with the first PSN */
        struct weft_cc_site cc;
        struct weft_path_site path; /**< read where the algorithms have a path part */
        bool lacks_sender;   /**< another process has its sender: no states of that are made, and
                                nothing is asked of it */
        bool lacks_receiver; /**< the same of its receiver */
    };

    /**
     * Queue pair. Read what you like; only the functions below write. The members that a packet
     * touches at one end share a cache line of 64 bytes where the structure begins with one.
     */
    struct weft_qp
    {
        /* The receiver, for each data packet. */
        const struct weft_nic_algos *algos_rx; /**< as algos */
        void *rx;                              /**< transport's receiver */
        uint64_t arrived;                      /**< packets in order so far */
        uint64_t deliver_at;   /**< before so many packets in order no message is complete */
        uint32_t epsn;         /**< expected PSN */
        uint32_t unacked;      /**< in-order packets since the last ACK */
        uint64_t duplicates;   /**< data that arrived again: spurious retransmissions */
        uint64_t out_of_order; /**< data that arrived with PSN > ePSN */
        uint16_t sport_rx;     /**< as sport */
        bool listens;          /**< data concern it beyond the reply: a timer, or credit */

        /* The sender, for each reply. */
        const struct weft_nic_algos *algos; /**< what it works by */
        void *tx;                           /**< transport's sender */
        void *cc;                           /**< congestion control */
        void *path;      /**< path selector's, NULL if the balancer has no part at hosts */
        uint64_t una;    /**< packets acknowledged */
        uint64_t ack_at; /**< packets acknowledged that complete the next message */
        uint64_t acks;   /**< ACKs received */
        uint32_t src;    /**< sending host */
        uint32_t dst;    /**< receiving host */

        /* The sender, for each packet that it sends. */
        uint64_t bulk_first;   /**< packets from here on are full, and none is a message's last */
        uint64_t bulk_end;     /**< until here */
        int64_t last_sent;     /**< when its last packet left, ps */
        double last_rate;      /**< bit/s in force then; 0: nothing was sent yet */
        double rate_time;      /**< integral of the rate over the time active, bit/s * ps */
        uint64_t sent_bytes;   /**< frame bytes of data sent */
        uint32_t index;        /**< as its site's */
        uint32_t first_psn;    /**< PSN of its first packet */
        int32_t slot;          /**< place among the host's active QPs; -1: nothing to send */
        uint16_t sport;        /**< as its site's */
        bool urgent : 1;       /**< its next packet leaves whatever the window */
        bool given_up : 1;     /**< it sends nothing any more */
        bool held : 1;         /**< the caller's: it does not become active */
        bool tells_losses : 1; /**< something hears of them: an on_lost(), or `ask` */
        bool unasked : 1;      /**< ACKs may wait, and its last packet has not asked for its own */
        bool stamps : 1;       /**< transport or congestion control write into its data */
        bool timed : 1;        /**< the caller's, at hand when it sends: its timer is set */

        /* Now and then. */
        struct weft_wqe *wqes;     /**< all messages posted: the caller's memory */
        size_t nwqes;              /**< how many */
        size_t acked;              /**< messages acknowledged */
        size_t delivered;          /**< messages delivered */
        size_t failed;             /**< messages told of as failed, those acknowledged included */
        uint64_t posted;           /**< packets posted */
        int64_t send_at;           /**< when pacing lets it send, ps, while it is not active */
        int64_t first_sent;        /**< when its first packet left, ps; -1: not yet */
        int64_t last_cnp;          /**< when its receiver's last CNP left, ps */
        int64_t last_delivery;     /**< when the last message was delivered, ps; -1: none */
        uint64_t cnps;             /**< CNPs received */
        uint64_t cnps_sent;        /**< by the receiver */
        uint64_t nacks_sent;       /**< by the receiver */
        uint64_t tor_nacks;        /**< of the NACKs received, those that a ToR made */
        uint64_t timeout_una;      /**< una at the last timeout */
        int64_t retries;           /**< timeouts in a row with that una */
        int64_t cnp_interval;      /**< least time between two CNPs, ps; WEFT_NEVER: none */
        uint16_t *labels;          /**< of the last packets sent, by PSN; NULL: not kept */
        uint32_t label_mask;       /**< how many, less 1 */
        uint32_t first_waiting;    /**< lowest PSN that arrived and waits for an ACK */
        uint32_t last_waiting;     /**< the highest one */
        uint32_t asked;            /**< PSN after the last one whose ACK was not to wait */
        uint32_t ask;              /**< the sender's last packet that asked for its ACK */
        struct weft_pull_rx *pull; /**< the receiver's, of pulls; NULL: it sends none */
        bool answered;             /**< `newest` has had a reply */
        struct weft_packet newest; /**< the last data packet, where the receiver has a timer */
    };

    /** Bytes of memory for the states of a QP of these algorithms at that site, a multiple of 8; 0
     * if they lack a transport, a congestion control or what configures it, as weft_qp_init() says.
     * Of the site, its `path` is read where the algorithms have a path part, and what it lacks. */
    WEFT_API size_t weft_qp_size(const struct weft_nic_algos *algos,
                                 const struct weft_qp_site *site);

    /**
     * Makes a QP that has nothing to send, with its states in @p memory: weft_qp_size() bytes,
     * 8-byte aligned, that outlive it. Returns 0; WEFT_ERANGE, if the algorithms' frame has no
     * payload or no ACK, or is longer than a packet can say (65,535 bytes); WEFT_EINVAL, if there
     * is no transport, congestion control, configuration of them, memory or, where the path part
     * has states at hosts, path_hosts, if their labels are no power of two, or a number is beyond
     * what a packet can say; or what the init of the transport, the congestion control or the path
     * part returns. `why` of the site's `cc` tells of all but the last.
     *
     * A QP that is refused is given up: it takes no message, sends and answers nothing, and has no
     * timer. The checked build ends the program where it is used nevertheless.
     */
    WEFT_API int weft_qp_init(struct weft_qp *qp, void *memory, const struct weft_nic_algos *algos,
                              const struct weft_qp_site *site, int64_t now);

    /**
     * Posts a message of @p bytes > 0 behind all others. @p wqes: the caller's array, with room
     * for one more than were posted so far and these in it; it may be another than before, and
     * what the functions below have returned then lies in the former one. Call weft_host_activate()
     * next. Returns 0 or WEFT_EINVAL (no bytes, no array, or the QP is given up, was refused or is
     * all zeros; nothing has changed).
     */
    WEFT_API int weft_qp_post(struct weft_qp *qp, struct weft_wqe *wqes, uint64_t bytes,
                              uint64_t tag, int64_t now);

    /** Answer of a receiver to a data packet. */
    struct weft_qp_answer
    {
        struct weft_rx_verdict verdict; /**< its reply: WEFT_REPLY_NONE also if the ACK may wait */
        bool cnp;                       /**< a CNP is to be sent, before the reply */
        bool bitmap;                    /**< the ACK answers several packets, and names them */
    };

    /** A data packet has arrived at the receiver. weft_qp_make_reply() makes the replies. */
    WEFT_API void weft_qp_data(struct weft_qp *qp, const struct weft_packet *data, int64_t now,
                               struct weft_qp_answer *answer);

    /** When weft_qp_rx_timer() is due, or WEFT_NEVER. To be asked after it and weft_qp_data(). */
    WEFT_API int64_t weft_qp_rx_deadline(const struct weft_qp *qp);

    /** The receiver's timer; a no-op before its deadline. A reply answers qp->newest: copy that,
     * and weft_qp_answer_with(). It echoes an ECN mark, or that it was trimmed, if no reply has
     * done so before. */
    WEFT_API void weft_qp_rx_timer(struct weft_qp *qp, int64_t now, struct weft_qp_answer *answer);

    /** Makes @p packet, the data packet that was answered, the reply that @p answer says; only if
     * that is not WEFT_REPLY_NONE, and before the receiver gets another packet. */
    WEFT_API void weft_qp_answer_with(const struct weft_qp *qp, struct weft_packet *packet,
                                      const struct weft_qp_answer *answer);

    /** Makes @p packet, a copy of a data packet, a reply that no receiver has decided on: a CNP, or
     * a NACK that a ToR sends on the receiver's behalf, whose flags are WEFT_F_COMPENSATED alone
     * and whose sport is the QP's own: the host's path part is not asked.
     * @p epsn: the ePSN that it carries; of a CNP the PSN of @p packet. */
    WEFT_API void weft_qp_make_reply(const struct weft_qp *qp, struct weft_packet *packet,
                                     enum weft_packet_kind kind, uint32_t epsn);

    /** The next message whose last byte is in order at the receiver, once each, or NULL. To be
     * asked after weft_qp_data() and weft_qp_rx_timer(), until it says NULL. */
    WEFT_API const struct weft_wqe *weft_qp_next_delivered(struct weft_qp *qp, int64_t now);

    /** An ACK or a NACK has arrived at the sender. weft_host_resume() comes next. */
    WEFT_API void weft_qp_reply(struct weft_qp *qp, const struct weft_packet *reply, int64_t now);

    /** The fabric tells of a loss. Only of a transport that has tx_lost(), as it says there.
     * weft_host_resume() comes next. */
    WEFT_API void weft_qp_told_lost(struct weft_qp *qp, const struct weft_packet *lost,
                                    int64_t now);

    /** The next message that is acknowledged whole, once each, or NULL. To be asked after
     * weft_qp_reply(), until it says NULL. */
    WEFT_API const struct weft_wqe *weft_qp_next_acked(struct weft_qp *qp);

    /** A pull has arrived at the sender. weft_host_resume() comes next. */
    WEFT_API void weft_qp_pull(struct weft_qp *qp, const struct weft_packet *pull, int64_t now);

    /** Makes the pull that says what the QP's receiver has granted; weft_puller_take() calls it. */
    WEFT_API void weft_qp_make_pull(const struct weft_qp *qp, struct weft_packet *pull,
                                    int64_t now);

    /** A CNP has arrived at the sender. */
    WEFT_API void weft_qp_cnp(struct weft_qp *qp, const struct weft_packet *cnp, int64_t now);
    /** Just before weft_qp_reply(): a reply has brought stamps of the packet that it answers;
     * weft_cc_ops::on_stamps() says which. */
    WEFT_API void weft_qp_stamps(struct weft_qp *qp, const struct weft_stamp *stamps, uint32_t n,
                                 int64_t now);

    /** When weft_qp_timer() is due, or WEFT_NEVER, as once the QP is given up. */
    WEFT_API int64_t weft_qp_deadline(const struct weft_qp *qp);

    /** Outcome of the retransmission timer. */
    enum weft_qp_timeout
    {
        WEFT_TIMER_NOTHING, /**< it was not due, or what it did was no timeout */
        WEFT_TIMER_TIMEOUT, /**< a timeout */
        WEFT_TIMER_GIVE_UP, /**< a timeout too many: weft_host_drop() takes the QP out, and
                               weft_qp_next_failed() tells what becomes of its messages */
    };

    /** The sender's retransmission timer; a no-op before the deadline. Unless it gives the QP up,
     * weft_host_resume() comes next. */
    WEFT_API enum weft_qp_timeout weft_qp_timer(struct weft_qp *qp, int64_t now);

    /** The next message that a QP that is given up does not know to have arrived, once each, or
     * NULL. */
    WEFT_API const struct weft_wqe *weft_qp_next_failed(struct weft_qp *qp);

    /** Whether its transport has something to send, whatever window and rate say. */
    static inline bool weft_qp_ready(const struct weft_qp *qp)
    {
        return qp->algos->transport->tx_ready(qp->tx);
    }

    /** The rate in force now, bit/s. */
    static inline int64_t weft_qp_rate(const struct weft_qp *qp, int64_t now)
    {
        return qp->algos->cc->rate(qp->cc, now);
    }

#ifdef __cplusplus
}
#endif
#endif
