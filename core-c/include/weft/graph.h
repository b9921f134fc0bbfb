/* SPDX-License-Identifier: MIT */
/**
 * @file graph.h  Fabrics that are no Clos: any switches, any links, forwarding by shortest paths.
 *
 * Nodes. Hosts are 0 .. nhosts-1, switches 0 .. nswitches-1, each in a numbering of its own. A host
 * has one or several links, each to another switch: its ports, in the order in which they were
 * given. Two switches may have several links, which count as several ports. A switch's ports: its
 * hosts first, in their order, then its links to switches, in the order in which they were given.
 * Links: those of hosts first, in their order and that of their ports, then the others as they were
 * given.
 *
 * Forwarding. Shortest means fewest links, as in HPCC's and ConWeave's simulators; delays and rates
 * do not count. Hosts at the same switches are a group, and share one row of each switch. A row's
 * candidates are all ports behind which the rest of the way is one link shorter, in rising order;
 * each counts once, whatever lies behind it, or by its capacity (enum weft_weights). A host sends
 * by any of its ports behind which the way is shortest. Of hosts with several links one whose link
 * is dead is not at that switch: forwarding leads to its other ones.
 *
 * A link of a host may belong to its server's own network (scale-up: NVLink and the NVSwitch behind
 * it). Two hosts that have such links to one switch send each other by them alone, dead or alive,
 * and nobody else does. That switch has no other links.
 */
#ifndef WEFT_GRAPH_H
#define WEFT_GRAPH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Most switches of a graph. */
#define WEFT_GRAPH_SWITCHES (UINT32_C(1) << 16)
/** Most links of a graph. */
#define WEFT_GRAPH_LINKS (UINT32_C(1) << 22)
/** Most links of a host. */
#define WEFT_GRAPH_HOST_LINKS 64
/** Most rows of all its switches: switches times groups of hosts. */
#define WEFT_GRAPH_ROWS (UINT32_C(1) << 28)
/** "Not reachable". */
#define WEFT_GRAPH_NONE UINT16_MAX

    struct weft_link;
    struct weft_clos;

    /** A link as it is given: between node @p a and node @p b, where nodes 0 .. nhosts-1 are the
     * hosts and nhosts .. nhosts+nswitches-1 the switches. */
    struct weft_graph_edge
    {
        uint32_t a;
        uint32_t b;
        int64_t rate;  /**< bit/s, 1 Mbit/s to 8 Tbit/s */
        int64_t delay; /**< ps, 0 to 1 s */
        bool scale_up; /**< of a server's own network; one end is a host. Where all links of hosts
                          are of that kind, none is. */
    };

    /** Fault of a graph; UINT32_MAX where it names no edge or node. */
    struct weft_graph_fault
    {
        const char *reason; /**< a sentence, with what was expected */
        uint32_t edge;      /**< the edge that is wrong, or UINT32_MAX */
        uint32_t node;      /**< else the node, or UINT32_MAX: the whole */
        uint32_t other; /**< the other host, where two cannot reach each other; else UINT32_MAX */
    };

    /** Neighbour behind a switch's port. */
    struct weft_graph_port
    {
        uint32_t peer; /**< switch, or UINT32_MAX: a host */
        uint32_t link; /**< its number */
    };

    /** A graph; it points into the memory that weft_graph_init() was given. */
    struct weft_graph
    {
        uint32_t nhosts;
        uint32_t nswitches;
        uint32_t nlinks;
        uint32_t nhost_links; /**< links of hosts */
        uint32_t most_ports;  /**< most links of a host */
        uint32_t gpus;        /**< hosts of each server's network, if all have as many, which are
                                 numbered in a row; else 0, and a program that knows better may
                                 say so */
        uint32_t ngroups;     /**< of hosts at the same switches */
        uint32_t ntors;       /**< switches that have hosts, other than servers' own ones */
        uint32_t nservers;    /**< switches of servers' own networks */
        uint32_t width;       /**< most candidates of any row */
        const struct weft_clos *clos; /**< NULL, or what a program has found it to be
                                         (weft_clos_recognise()), by the same numbers of hosts and
                                         switches: the topology "graph" builds that */
        int64_t host_rate; /**< bit/s: the mean, over hosts, of their links other than scale-up ones
                              together */
        struct weft_link *links;
        struct weft_graph_port *ports; /**< [first_port[switch] + port] */
        uint32_t *first_port;          /**< [nswitches + 1] */
        uint32_t *nhost_ports;         /**< [switch]: how many hosts it has */
        uint32_t *first_link;          /**< [nhosts + 1]: the link of a host's port 0 */
        uint64_t *inside;              /**< [host]: bits of its ports to its server's network */
        uint32_t *tor;                 /**< [host]: the switch of its first port that is not one */
        uint32_t *group;               /**< [host] */
        uint32_t *member;              /**< [group]: its first host */
        uint16_t *distance;            /**< [group * nswitches + switch]: links between them */
        uint16_t *scratch;             /**< as large, for weft_fib_size() and weft_fib_build() */
        uint64_t *dead;                /**< for the same: a bit per link */
        uint32_t *slots;               /**< for the same: [nslots] */
        uint32_t *queue;               /**< for the same: [nswitches] */
        double *paths;                 /**< for the same: [nswitches] */
        double *weight;                /**< for the same: [first_port[switch] + port] */
        uint32_t *group_now;           /**< for the same: [host] */
        uint32_t *member_now;          /**< for the same: [group] */
        uint32_t nslots;               /**< a power of two, at least twice the groups */
        uint32_t most_groups;          /**< for which there is room */
    };

    /** Bytes for weft_graph_init(): about 4 for each row, 88 for each link; or WEFT_ERANGE (no
     * hosts or no switches), WEFT_EOVERFLOW (more than the limits above; where hosts have several
     * links there is room for three times the rows and those of 1,024 groups, but no more than the
     * limit, since failures split groups). */
    WEFT_API int64_t weft_graph_size(uint32_t nhosts, uint32_t nswitches,
                                     const struct weft_graph_edge *edges, uint32_t nedges);

    /**
     * Makes a graph in @p memory, 8-byte aligned, of @p size bytes. Returns 0, WEFT_ENOMEM, or
     * WEFT_ERANGE or WEFT_EOVERFLOW (more than 8,192 ports) with @p fault filled: a link from a
     * node to itself or between two hosts, a host without a link, with two to the same switch or
     * with more than 64, a scale-up link between switches, another link at a switch that has some,
     * a host with those of two servers, a rate or a delay out of its range, hosts that cannot reach
     * each other. A graph that is refused has no hosts and no switches.
     */
    WEFT_API int weft_graph_init(struct weft_graph *graph, void *memory, size_t size,
                                 uint32_t nhosts, uint32_t nswitches,
                                 const struct weft_graph_edge *edges, uint32_t nedges,
                                 struct weft_graph_fault *fault);

    /** Returns the ports by which a host sends to another, as bits, while all links are alive. */
    WEFT_API uint64_t weft_graph_ways(const struct weft_graph *graph, uint32_t a, uint32_t b);

    /** Returns whether two hosts send each other by their server's network. */
    WEFT_API bool weft_graph_inside(const struct weft_graph *graph, uint32_t a, uint32_t b);

    /** Links between two hosts by the shortest way: 2 at the same switch, 0 if equal. */
    WEFT_API uint32_t weft_graph_hops(const struct weft_graph *graph, uint32_t a, uint32_t b);

    /** ps that a frame of @p bytes takes from host @p a to host @p b over the first candidates, if
     * it never waits; 0 if they are equal. */
    WEFT_API int64_t weft_graph_time(const struct weft_graph *graph, uint32_t a, uint32_t b,
                                     int64_t bytes);

    struct weft_hop;

    /** The best links at each place of the shortest paths from one host to another, the first
     * @p most of them; returns how many there are. See weft_clos_best_path(). */
    WEFT_API uint32_t weft_graph_best_path(const struct weft_graph *graph, uint32_t a, uint32_t b,
                                           struct weft_hop *hops, uint32_t most);

#ifdef __cplusplus
}
#endif
#endif
