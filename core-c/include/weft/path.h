/* SPDX-License-Identifier: MIT */
/**
 * @file path.h  Path selectors: what a load balancer does at the hosts.
 */
#ifndef WEFT_PATH_H
#define WEFT_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/loss.h>
#include <weft/needs.h>
#include <weft/packet.h>
#include <weft/refusal.h>
#include <weft/rng.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct weft_clos;
    struct weft_fib;

    /** The host at which a path selector sits. */
    struct weft_path_site
    {
        uint64_t seed;                /**< the run's seed */
        uint64_t run;                 /**< the run's number */
        uint32_t host;                /**< its index */
        const struct weft_clos *clos; /**< the fabric's shape; outlives the balancer; NULL if the
                                         fabric is no Clos */
        /** For qp_init(): packets that make up the QP's own bandwidth-delay product, rounded up:
         * its share of the host's line (1/n, where the host starts with n QPs) times a packet's
         * round trip in an idle fabric. >= 1. */
        uint32_t qp_bdp;
        uint32_t dst;                            /**< for qp_init(): the QP's receiving host */
        const struct weft_random_source *random; /**< as in struct weft_site */
        uint32_t
            batch; /**< packets in a row that the NIC serves a QP if there is no batch(); >= 1 */
        struct weft_refusal *why; /**< NULL, or where an init says why it refuses; not kept */
        uint32_t provides; /**< for qp_init(), enum weft_need: what the simulator does for the
                              balancer, at hosts, switches and ToRs */
        uint32_t host_bdp; /**< for qp_init(): packets that make up the bandwidth-delay product of
                              the host's whole line to the QP's receiver, likewise; 0: unknown */
    };

    /**
     * A path selector's part at the hosts. Every packet comes with its QP's own source port, the
     * same in every packet of a QP in both directions. States are aligned as uint64_t. A QP's may
     * point to its host's, which must not be moved then.
     */
    struct weft_path_ops
    {
        /** Bytes of state for one host. May be 0. */
        size_t (*host_size)(const void *config, const struct weft_path_site *site);
        /** Returns 0, WEFT_EINVAL (the site lacks what this balancer needs to know), WEFT_ENOTCLOS
         * (there is no shape) or WEFT_ERANGE (it cannot work in such a fabric). */
        int (*host_init)(void *host, const void *config, const struct weft_path_site *site);
        /** Bytes of state for one QP at its sender, where @p site is qp_init()'s. May be 0; enough
         * for qp_init() to refuse. */
        size_t (*qp_size)(const void *config, const struct weft_path_site *site);
        /** @p host: the sender's, for the QP to keep if it needs it. @p qp_index: unique in the
         * run. Returns 0, WEFT_EINVAL (there is no host, the BDP is 0, or the simulator does not
         * provide what the balancer needs) or WEFT_ERANGE (a
         * parameter out of its bounds, as in a configuration without its defaults). */
        int (*qp_init)(void *qp, void *host, const void *config, const struct weft_path_site *site,
                       uint32_t qp_index);
        /** A data packet, first transmission or not, leaves its sender: chooses its sport and, at a
         * host with several ports, may choose one of these (in_port). Where it does not, the NIC
         * does, by a hash of the sport unless the fabric says otherwise. */
        void (*data)(void *qp, struct weft_packet *data, int64_t now);
        /** The receiver's host makes a reply (ACK, NACK or CNP): chooses its sport. A NACK that a
         * ToR makes has the QP's own. It leaves by the port by which the data came (in_port). */
        void (*reply)(void *host, struct weft_packet *reply);
        /** Optional: an ACK or a NACK has come back. Its echo is the sport of the packet that it
         * answers, WEFT_F_ECE whether that was marked. */
        void (*on_reply)(void *qp, const struct weft_packet *reply, int64_t now);
        /** Optional: the QP's retransmission timer fired. */
        void (*on_timeout)(void *qp, int64_t now);
        /** Optional: the sender takes a packet for lost; told after on_reply() or on_timeout(). */
        void (*on_lost)(void *qp, const struct weft_loss *loss, int64_t now);
        /** Optional, where that depends on the configuration: whether on_lost() wants to be called.
         * Where it does not no memory is taken for the labels that it is told. */
        bool (*hears_losses)(const void *config);
        /** Optional: the QP becomes active (a message is posted, and all before were acknowledged)
         * or idle (all is acknowledged, or it is given up). It begins idle. */
        void (*on_active)(void *qp, bool active, int64_t now);
        /** Optional: how many packets in a row the NIC serves the QP when its turn comes, at least
         * 1. NULL: the fabric's `batch`. */
        uint32_t (*batch)(const void *qp);
        /** Optional: the next message posted is planned to go by this label (plan.h). */
        void (*on_label)(void *qp, uint16_t label, int64_t now);
        /** Optional: routing has converged in a plane; as in struct weft_lb_ops. */
        void (*set_routes)(void *host, uint32_t plane, const struct weft_fib *fib);
        /** Optional, where that depends on the configuration: whether set_routes() is called as
         * soon as a link fails or is back, with forwarding as it then would be, and not when
         * routing has converged. */
        bool (*knows_at_once)(const void *config);
        /** Members of packets that these functions read and write. */
        struct weft_fields fields;
    };

    /** Whether a path part, which may be NULL, is told of links before routing has converged. */
    static inline bool weft_path_knows_at_once(const struct weft_path_ops *path, const void *config)
    {
        return path && path->knows_at_once && path->knows_at_once(config);
    }

    /** Whether a path part, which may be NULL, is told of losses under this configuration. */
    static inline bool weft_path_hears_losses(const struct weft_path_ops *path, const void *config)
    {
        return path && path->on_lost && (!path->hears_losses || path->hears_losses(config));
    }

#ifdef __cplusplus
}
#endif
#endif
