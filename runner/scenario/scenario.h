/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file scenario.h  A scenario after loading: every algorithm chosen, every parameter resolved.
 *
 * Loading works on an XML document with the overrides of one run applied, so that a struct scenario
 * describes exactly one run. All memory belongs to the scenario (scenario_free()).
 */
#ifndef WEFT_RUNNER_SCENARIO_H
#define WEFT_RUNNER_SCENARIO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/weft.h>

#ifdef __cplusplus
extern "C"
{
#endif

    struct element;
    struct input_file;

    /** An algorithm and its configuration, resolved. */
    struct choice
    {
        const struct weft_algo *algo;
        void *config; /**< algo->config_size bytes */
    };

    /* Structs into which the attributes of elements are read: members are of the types that
     * grammar.h says, and hold what the resolved scenario says of them. */

    /** A <class>: a set of QPs with algorithms and an egress queue of their own. */
    struct qp_class
    {
        const char *name;
        int64_t queue; /**< traffic class of its data, from 1 up */
        struct choice balancer, cc, transport;
        char *of;                /**< for messages: " of <class name=...>" */
        const struct element *e; /**< of the file's, or made for a <workload> with balancer="..." */
    };

    /** Job on all hosts or on some: a <workload>. */
    struct workload
    {
        const char *name;                                     /**< NULL: it has none */
        const char *host_list, *class_name, *balancer, *file; /**< NULL: not given */
        int64_t start_unit;
        int64_t ranks, collective_bytes, allreduce, allgather, reducescatter; /**< of a trace */
        double bytes_scale;
        const char *collective_file, *process_groups, *placement_file; /**< NULL: not given */
        struct choice choice;
        const struct input_file *input;              /**< what it reads; NULL: nothing */
        const struct input_file *algorithm, *groups; /**< of its trace; NULL: none */
        const struct input_file *places;             /**< likewise: hosts of its ranks */
        struct weft_table table; /**< of that file, its hosts as ranks of the workload */
        const struct weft_table_flow *own_flows; /**< of the table, if they are not the file's */
        uint32_t *own_places;                    /**< of the table */
        uint32_t level;  /**< service level of its QPs: 0: the scenario's own algorithms, else its
                            class' place + 1 */
        uint32_t *hosts; /**< rising; NULL: all */
        char *ranges;    /**< of these, as a list; NULL: all */
        uint32_t nhosts;
        int line;
    };

    /** Drop the first `count` transmissions of one PSN of one QP. */
    struct drop_rule
    {
        int64_t qp;
        int64_t count;
        int64_t
            last_hop; /**< between the last switch and the NIC, else at the top tier it crosses */
        uint32_t *packets; /**< NULL in a scenario, where each packet has a rule of its own */
        size_t npackets;
        uint32_t psn_offset; /**< packets after the QP's first: independent of first-psn */
        int line;
    };

    /** How an element names a link, or several; once it is loaded by lower, upper and parallel, by
     * host and port, or by the number of a switch. */
    struct link_name
    {
        int64_t leaf, spine, pod, aggregation, core, lower, upper, parallel, host, port, plane,
            node; /**< parallel and port: WEFT_NEVER is all of them */
    };

    /** Links to which the same happens: those that a <failure> or <degrade> names, or those that
     * chance chooses for a <random-failures> or <random-degrade>. */
    struct link_fault
    {
        const struct element_spec *of; /**< which of these elements */
        const struct element *e;       /**< NULL: there is none, and nothing happens */
        size_t ordinal;                /**< among the elements of its name */
        uint64_t stream;               /**< of random numbers, for times that are drawn */
        bool of_file;        /**< it is the topology's file that says so, at the element @p e */
        const char *name;    /**< NULL: it has none */
        struct link_name to; /**< of one link, or of one name for several */
        struct link_name *others; /**< of each <link> within it */
        size_t nothers;
        uint64_t *links; /**< that are named, as weft_planes_link() numbers them */
        size_t nlinks;
        double any;        /**< probability where the two below are not given */
        double edge;       /**< probability for links of ToRs */
        double above;      /**< probability for links above */
        int64_t number;    /**< if > 0, how many, instead of probabilities */
        int64_t effect;    /**< enum weft_fault_effect */
        int64_t direction; /**< enum weft_direction */
        int64_t rate;      /**< bit/s of links that are slower */
        double share;      /**< of its rate that such a link keeps, if there is no rate */
        int64_t extra;     /**< ps on top of the delay */
        double loss;       /**< probability of each frame, or bursts: */
        struct weft_frame_losses bursts;
        double chance;              /**< that it happens at all; not a number: it does */
        bool spared;                /**< this run's draw says that it does not */
        int64_t at;                 /**< ps; WEFT_NEVER: it does not happen */
        int64_t repair;             /**< ps, WEFT_NEVER: never */
        int64_t lasts;              /**< ps, instead of repair */
        int64_t period;             /**< ps; absent: it does not flap so */
        double duty;                /**< share of the period in which it is there */
        int64_t mean_up, mean_down; /**< ps; absent: it does not flap so */
        int64_t count;              /**< most times that it is there; absent: any number */
        int64_t together;           /**< links that chance chooses have the same drawn times */
    };

    /** A port of a switch whose queue is sampled. */
    struct measured_port
    {
        uint32_t index; /**< of the switch */
        uint32_t port;
        const char *layer; /**< its name */
    };

    /** NICs, and switches that suit them. */
    enum nic_preset
    {
        NIC_OWN, /**< as the other elements say */
        NIC_UEC,
        NIC_ROCE_LOSSLESS,
        NIC_ROCE_SR,
        NIC_IDEAL,
    };

    /** Whether links are listed. */
    enum links_listed
    {
        LINKS_AUTO, /**< unless there are very many */
        LINKS_ON,
        LINKS_OFF,
    };

    /** QPs whose data the table paths is about. */
    enum paths_told
    {
        PATHS_OFF,
        PATHS_ON,  /**< all */
        PATHS_QPS, /**< those that are sampled */
    };

    struct measurements
    {
        int64_t interval; /**< ps between samples of the series; 0: none */
        uint32_t *qps;    /**< QPs sampled */
        size_t nqps;
        uint32_t *timeline; /**< ranks of traces that have a timeline */
        size_t ntimeline;
        const char *port_names;      /**< ports="...", the words as they were; NULL: none */
        struct measured_port *ports; /**< by switch and port; what port_names says */
        size_t nports;
        int64_t queues;  /**< also sample the largest switch queue and the buffer in use */
        int64_t balance; /**< also sample how evenly the ports of each layer are used */
        int64_t flows;   /**< write flows.csv */
        int64_t links;   /**< enum links_listed */
        int64_t paths;   /**< enum paths_told */
        int64_t warm_up; /**< ps after the first start: fct_* are of messages that start later */
        int64_t window;  /**< ps, so long after that; WEFT_NEVER: to the end */
    };

    /** Whether anything is sampled at intervals. */
    static inline bool measures_over_time(const struct measurements *m)
    {
        return m->nqps || m->nports || m->queues || m->balance;
    }

    /** By what numbers a scenario names hosts and switches. */
    enum node_ids
    {
        IDS_FILE, /**< the ids of the topology's file */
        IDS_WEFT, /**< Weft's own, from 0 */
    };

    struct scenario
    {
        struct element *root; /**< what it was loaded from: its texts point there */
        struct choice topology, fabric, switches, scheduler, balancer, cc, transport;
        struct qp_class *classes;
        size_t nclasses;
        struct workload *workloads;
        size_t nworkloads;
        struct choice workload; /**< all of them as one: the only one, or weft_workload_jobs; its
                                   configuration is jobs or another one's */
        struct weft_jobs jobs;
        const char *graph_name;                 /**< the file of a graph; NULL: none */
        const struct input_file *topology_file; /**< of a graph; NULL: none */
        int64_t ids; /**< enum node_ids: the numbers by which the scenario names nodes of a graph
                        whose file has ids */
        struct weft_clos clos;  /**< built from topology */
        struct weft_graph tors; /**< of hosts at several ToRs */
        void *tors_memory;      /**< what that points into; NULL: none */
        int64_t nic;            /**< enum nic_preset: has set what the scenario does not name */
        struct drop_rule *drops;
        size_t ndrops;
        double loss; /**< probability that a data packet is lost at the top tier it crosses */
        struct link_fault *faults; /**< in the order in which they are planned */
        size_t nfaults;
        int64_t
            convergence;  /**< ps from a failure to new forwarding everywhere; WEFT_NEVER: never */
        int64_t recovery; /**< ps from a repair to it; absent: as convergence */
        int64_t weights;  /**< enum weft_weights: of ports in that forwarding */
        struct measurements measure;
        int64_t stop;        /**< simulated time limit, ps */
        int64_t stop_is_end; /**< reaching it with messages left is a normal end, else an error */
        uint64_t seed;
        uint64_t run;
    };

/** Rows of the table links that a run has unless it is to have more. */
#define LINKS_LISTED 16384U

    /** Returns how many rows that table is to have: one for each link and direction, or none. */
    static inline uint64_t links_listed(const struct scenario *s)
    {
        const uint64_t n = 2 * weft_planes_links(&s->clos);
        const bool all = s->measure.links == LINKS_ON;
        return all || (s->measure.links == LINKS_AUTO && n <= LINKS_LISTED) ? n : 0;
    }

    /* --- queueing layers: ports that a packet meets in the same place of its way ------------- */

    /** The names of a fabric's layers, in the order in which packets meet them; returns how many.
     */
    size_t layer_names(const struct weft_clos *clos, const char *const **names);

    /** The layer of a switch's ports that lead up, or of those that lead down. */
    size_t layer_of(const struct weft_clos *clos, uint32_t tier, bool up);

    /** Returns the workload that runs. */
    static inline const struct weft_workload_ops *scenario_ops(const struct scenario *s)
    {
        return (const struct weft_workload_ops *)(const void *)s->workload.algo;
    }

    /** The whole workload as one job. */
    static inline struct weft_job scenario_job(const struct scenario *s)
    {
        struct weft_job job = {scenario_ops(s), s->workload.config, NULL, 0, 0};
        return job;
    }

    /** Messages of a job for the bounds. @p next: their successors; NULL: those are not asked for.
     */
    static inline struct weft_traffic scenario_traffic(const struct scenario *s,
                                                       const struct weft_job *job,
                                                       const struct weft_message *messages,
                                                       const uint32_t *next, size_t n)
    {
        const struct weft_fabric_config *frame =
            (const struct weft_fabric_config *)s->fabric.config;
        struct weft_traffic t = {&s->clos, frame, job, messages, next, (uint32_t)n};
        return t;
    }

    /** Whether a link between switches is one of those that two switches name: the lower one first,
     * but in a graph, where no link has a lower end. */
    static inline bool link_joins(const struct weft_clos *clos, const struct weft_link *link,
                                  uint64_t a, uint64_t b)
    {
        return !link->lower.is_host &&
               ((link->lower.index == a && link->upper.index == b) ||
                (clos->graph && link->lower.index == b && link->upper.index == a));
    }

#ifdef __cplusplus
}
#endif
#endif
