/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file results.h  What a run measured: a struct for each row of a CSV file. columns.h has the
 * tables that write them.
 */
#ifndef WEFT_RUNNER_RESULTS_H
#define WEFT_RUNNER_RESULTS_H

#include <stddef.h>
#include <stdint.h>

#include <weft/lb.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** Totals of a run: the one row of summary.csv. Counters count packets unless said otherwise.
     * Completion times are over what was delivered; -1: nothing was. */
    struct run_summary
    {
        int64_t cct;       /**< ps: last delivery of the slowest group, from time 0 */
        int64_t cct_acked; /**< ps: last ACK of the slowest group */
        int64_t cct_mean;  /**< ps: mean over groups of the last delivery */
        int64_t bound;     /**< ps: the closed form's lower bound; -1: none known */
        double slowdown;   /**< cct / bound, both from the earliest start; NaN: none known */

        int64_t bound_acked; /**< ps: lower bound of cct_acked; -1: none known */
        double increase;     /**< cct_acked / bound_acked - 1, from the earliest start; NaN: none */
        double step_increase; /**< mean over steps of step_result.increase */
        double rho_max; /**< share of line rate at which it can serve all flows that have a path */
        int64_t bound_rho;   /**< ps: bound_acked for hosts that send at that; -1: none known */
        double increase_rho; /**< cct_acked / bound_rho - 1, likewise; NaN: none known */

        double goodput;   /**< bit/s: mean over QPs of payload delivered / time from start to
                             delivery;   0 of those that delivered nothing */
        double mean_rate; /**< bit/s: mean over QPs of the congestion control's rate, weighted by
                             time active */
        uint64_t messages, qps;
        uint64_t failed;    /**< messages given up by their senders and not delivered */
        uint64_t unstarted; /**< messages that waited for such */
        uint64_t links_failed;
        uint64_t data_sent;      /**< first transmissions */
        uint64_t data_resent;    /**< retransmissions */
        uint64_t duplicates;     /**< data that arrived a second time: spurious retransmissions */
        uint64_t out_of_order;   /**< data that arrived with PSN > ePSN */
        uint64_t nacks_sent;     /**< by receivers */
        uint64_t nacks_received; /**< by senders, compensated ones included */
        uint64_t cnps_received;
        uint64_t cuts; /**< rate cuts by congestion control */
        uint64_t timeouts;
        uint64_t dropped_injected; /**< by <drop> and <loss> */
        uint64_t dropped_buffer;   /**< by MMUs */
        uint64_t dropped_link;     /**< on dead links, or without a route */
        uint64_t marked;           /**< ECN marks */
        uint64_t pauses;           /**< PFC pause frames */
        uint64_t tor_seen, tor_valid, tor_invalid, tor_unknown, tor_blocked, tor_scan_passed,
            tor_scan_cancelled, tor_armed, tor_compensated, tor_cancelled, tor_overwritten,
            tor_ring_full;
        uint64_t buffer_peak; /**< bytes: most ever in use in one switch */
        uint64_t queue_peak;  /**< bytes: longest port queue ever */
        double queue_mean;    /**< bytes: over all switch ports and samples; NaN: not sampled */
        uint64_t packet_hops; /**< links crossed, all kinds */
        uint64_t events;      /**< events run */
        int64_t end;          /**< ps: when the last event ran */
        /** ps: percentiles of the completion times of the messages that were delivered. */
        int64_t fct_p50, fct_p95, fct_p99, fct_p99_9;
        /** The same of their slowdowns; NaN: none is known. */
        double fct_slowdown_p50, fct_slowdown_p95, fct_slowdown_p99, fct_slowdown_p99_9;
    };

    /** One message: a row of flows.csv. Times in ps; -1: did not happen. */
    struct flow_result
    {
        uint32_t message, qp, src, dst, group, step;
        uint64_t bytes;
        int64_t posted;    /**< its dependencies were met */
        int64_t delivered; /**< last packet in order at the receiver */
        int64_t acked;     /**< at the sender */
        int64_t fct;       /**< delivered - posted */
        double slowdown;   /**< fct / ideal_fct(); NaN: there is no fct */
    };

    /** One QP: a row of qps.csv. */
    struct qp_result
    {
        uint32_t qp, src, dst;
        uint64_t bytes; /**< payload of its messages that could start */
        int64_t start, delivered;
        uint64_t sent, resent, duplicates, out_of_order, nacks_sent, nacks_received, cnps_received,
            cuts, timeouts;
        double mean_rate; /**< bit/s, congestion control's rate weighted by time active */
        int64_t fct;      /**< ps: delivered - start; -1: nothing was delivered */
        double slowdown;  /**< fct / ideal_fct() of bytes; NaN: not all of them were delivered */
    };

    /** One group: a row of groups.csv. */
    struct group_result
    {
        uint32_t group;
        uint32_t messages;
        int64_t delivered, acked;
    };

    /** One sample of one QP: a row of series.csv. Counters are since the start. */
    struct qp_sample
    {
        int64_t time;
        uint32_t qp;
        double rate;      /**< bit/s: the congestion control's, mean over the interval */
        double wire_rate; /**< bit/s: data frames sent in the interval */
        uint64_t sent, resent;
        double resent_share; /**< resent / (sent + resent) in the interval; 0 if none */
        uint64_t nacks_received, cnps_received;
    };

    /** One sample of the fabric: a row of queues.csv. */
    struct queue_sample
    {
        int64_t time;
        uint64_t longest_queue; /**< bytes */
        uint64_t buffer_used;   /**< bytes: fullest switch */
    };

    /** One sample of one switch port: a row of ports.csv. */
    struct port_sample
    {
        int64_t time;
        uint32_t index; /**< of the switch */
        uint32_t port;
        const char *layer;
        uint64_t queue;   /**< bytes */
        uint32_t paused;  /**< 1: PFC holds a class of it back, else 0 */
        double wire_rate; /**< bit/s: frames of all kinds sent in the interval */
    };

    /** One queueing layer of the fabric: a row of layers.csv. */
    struct layer_result
    {
        const char *layer;   /**< where it is: "tor-up" */
        uint32_t links;      /**< ports */
        uint64_t queue_peak; /**< bytes: longest queue of any of them ever */
        double queue_mean;   /**< bytes: over ports and samples; NaN: not sampled */
        uint64_t load_max;   /**< bytes sent by the port that sent most */
        double load_mean;
        double overload; /**< load_max / load_mean - 1 */
    };

    /** One step of a workload whose steps wait for each other: a row of steps.csv. */
    struct step_result
    {
        uint32_t step, messages;
        int64_t posted;  /**< ps: the first of its messages could start */
        int64_t acked;   /**< ps: last ACK; -1: a message has none */
        int64_t cct;     /**< ps: of its slowest message, from start to last ACK; -1: as acked */
        int64_t bound;   /**< ps: lower bound of cct; -1: none known */
        double increase; /**< cct / bound - 1; NaN: none known */
    };

    /** What a ToR's balancer has counted: a row of tors.csv. */
    struct tor_result
    {
        uint32_t tor;
        struct weft_lb_counters counted;
    };

    /** What a switch has trimmed: a row of trims.csv. */
    struct trim_result
    {
        uint32_t index;        /**< number of the switch */
        uint32_t tier;         /**< 0: a ToR */
        uint64_t trimmed;      /**< packets that lost their payload here */
        uint64_t header_drops; /**< headers, trimmed here or before, that found no room */
    };

    /** One of several workloads: a row of workloads.csv. */
    struct workload_result
    {
        const char *name, *kind; /**< the scenario's */
        uint32_t hosts, messages, first_qp, qps, first_group, groups;
        int64_t start;     /**< ps: its earliest */
        int64_t cct;       /**< ps: its last delivery, from time 0; -1: not all was delivered */
        int64_t cct_acked; /**< ps: its last ACK, likewise */
        int64_t bound;     /**< ps: lower bound of cct on an idle fabric; -1: none known */
        double slowdown;   /**< cct / bound, both from start; NaN: none known */
    };

    /** A QP with messages that are not acknowledged when a run ends: a row of stuck.csv. */
    struct stuck_qp
    {
        uint32_t qp, src, dst;
        uint64_t messages, delivered; /**< posted on it; of these, delivered */
        uint64_t packets, acked;      /**< of its posted messages; of these, acknowledged */
        uint64_t in_flight;           /**< sent, neither acknowledged nor taken for lost */
        double rate;                  /**< bit/s: the congestion control's */
        int64_t until;                /**< ps: what it waits for is due then; -1: nobody knows */
        const char *why;
    };

    struct run_results
    {
        struct run_summary summary;
        struct stuck_qp *stuck;
        size_t nstuck;     /**< 0 unless the run was cut */
        uint64_t unposted; /**< messages that wait for others, of a run that was cut */
        struct flow_result *flows;
        size_t nflows;
        struct qp_result *qps;
        size_t nqps;
        struct group_result *groups;
        size_t ngroups;
        struct qp_sample *samples;
        size_t nsamples;
        struct queue_sample *queues;
        size_t nqueues;
        struct port_sample *ports;
        size_t nports;
        struct layer_result *layers;
        size_t nlayers;
        struct tor_result *tors;
        size_t ntors; /**< 0: its balancer counts nothing */
        struct trim_result *trims;
        size_t ntrims; /**< 0: trimming is off */
        struct workload_result *workloads;
        size_t nworkloads; /**< 0: there is one only */
        struct step_result *steps;
        size_t nsteps; /**< 0: its messages do not go step by step */
    };

    void run_results_free(struct run_results *results);

#ifdef __cplusplus
}
#endif
#endif
