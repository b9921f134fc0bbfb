/* SPDX-License-Identifier: MIT */
/**
 * @file clos.h  Clos fabrics of two and three tiers: numbering, links, structured forwarding,
 * failures.
 *
 * Numbering. Hosts are 0 .. nhosts-1 by position. Switches are numbered tier by tier: ToRs (leaf,
 * edge) first, then spines or aggregations, then cores. A switch's ports: down ports first, then up
 * ports. Down ports are grouped by the child they lead to, `parallel` (at cores `core_parallel`)
 * ports for each child; the same holds for up ports and parents. A host has one port, 0.
 *
 * Planes. A fabric may consist of several planes: fabrics of the same shape that have nothing in
 * common but the hosts. Each host has a port in each plane, its number the plane's. All that is
 * said here is of one plane, by its own numbers of switches and links; in the whole fabric those of
 * plane p follow those of the planes before it (weft_planes_link()).
 *
 * Servers. Hosts may be the GPUs of servers, each with a NIC of its own, at one ToR or, in a
 * rail-optimised fabric, at ToRs in a row. A server may have a network of its own (scale-up): one
 * switch, to which each of its hosts has a link at its last port. These switches and links follow
 * those of all planes.
 *
 * Forwarding. A switch reaches hosts [lo, hi) downwards: the group of `parallel` ports of child
 * (dst - lo) / hosts_per_child; everything else goes to the whole up group. One rule for every
 * healthy Clos, no tables. Failures add exceptions per destination ToR.
 *
 * Three tiers: aggregation j of each pod connects to cores j*up_agg .. j*up_agg + up_agg - 1.
 *
 * A graph (graph.h) is no Clos. What is said here of links, ways, hops and exceptions holds for it
 * as well: see struct weft_clos.
 *
 * Fat-tree (k): k pods of k/2 edges and k/2 aggregations, (k/2)^2 cores (3 tiers). With 2 tiers:
 * k edges of k/2 hosts, each connected to k/2 spines.
 */
#ifndef WEFT_CLOS_H
#define WEFT_CLOS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/fabric.h>
#include <weft/graph.h>
#include <weft/lb.h>
#include <weft/mmu.h>
#include <weft/param.h>
#include <weft/tor.h>
#include <weft/traffic.h>
#include <weft/version.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Largest fabric accepted: 2^20 hosts. More is WEFT_EOVERFLOW. */
#define WEFT_MAX_HOSTS (UINT32_C(1) << 20)

/** Most planes of a fabric, and so most ports of a host. More is WEFT_EOVERFLOW. */
#define WEFT_MAX_PLANES 64

/** Most ports of a switch. More is WEFT_EOVERFLOW. A port and one of its WEFT_MAX_CLASSES classes
 * have one number of 16 bits. */
#define WEFT_MAX_PORTS 8192

    /**
     * A fabric's shape. Filled by a topology's build(); plain data, copy freely.
     *
     * Of a graph: the numbers of hosts, switches and links are what they are; tiers is 3 where no
     * link skips a tier and switches' lower ports come first, else 2; ntors,
     * switches that have hosts, other than servers' own; hosts_per_tor, their hosts, if all have as
     * many, numbered in a row, else 1; tors_per_pod such that there is one pod; npaths, the most
     * candidates of any switch; rates and delays, the greatest. The rest has no meaning, and
     * weft_clos_check() refuses it.
     */
    struct weft_clos
    {
        const struct weft_graph *graph; /**< NULL: a Clos; else outlives this */
        uint32_t tiers;                 /**< 2 or 3 */
        uint32_t nhosts;
        uint32_t nswitches;
        uint64_t nlinks; /**< host links and switch links */
        uint32_t ntors;
        uint32_t hosts_per_tor;
        uint32_t tors_per_pod; /**< 2 tiers: ntors (one pod) */
        uint32_t npods;
        uint32_t up_tor;        /**< parents of a ToR */
        uint32_t up_agg;        /**< parents of an aggregation; 0 with 2 tiers */
        uint32_t naggs;         /**< switches of tier 1 */
        uint32_t ncores;        /**< switches of tier 2; 0 with 2 tiers */
        uint32_t parallel;      /**< parallel links between a ToR and a switch of tier 1 */
        uint32_t core_parallel; /**< between an aggregation and a core; 2 tiers: as parallel */
        uint32_t npaths; /**< equal-cost paths between hosts that lie farthest apart: choices of up
                            ports, parallel links included */
        int64_t host_rate;    /**< bit/s of host links */
        int64_t fabric_rate;  /**< bit/s of each link between a ToR and a switch of tier 1 */
        int64_t core_rate;    /**< bit/s of each link to a core; 2 tiers: as fabric_rate */
        int64_t host_delay;   /**< ps */
        int64_t fabric_delay; /**< ps */
        int64_t core_delay;   /**< ps */
        uint32_t planes;      /**< fabrics like this one, in each of which all hosts have a port */
        uint32_t gpus;        /**< hosts of a server; 0: each is a server by itself */
        bool rails; /**< of hosts of a server: they are at ToRs in a row, else at one ToR */
        int64_t
            server_rate; /**< bit/s of a host's link to its server's network; 0: there is none */
        int64_t server_delay; /**< ps */
    };

/** Tier of the switch of a server's own network (scale-up). */
#define WEFT_TIER_SERVER 3

    /** Returns the servers that have a network of their own. */
    static inline uint32_t weft_clos_servers(const struct weft_clos *clos)
    {
        return clos->server_rate > 0 ? clos->nhosts / clos->gpus : 0;
    }

    /** Returns whether there are any, in a graph as well. */
    static inline bool weft_clos_scales_up(const struct weft_clos *clos)
    {
        return clos->graph ? clos->graph->nservers > 0 : clos->server_rate > 0;
    }

    /** Returns a host's server, of a fabric that has some (gpus > 0): by its place at its ToR,
     * where a server's hosts are at ToRs in a row. */
    static inline uint32_t weft_clos_server(const struct weft_clos *clos, uint32_t host)
    {
        const uint32_t block = clos->gpus * clos->hosts_per_tor;
        return clos->rails ? host / block * clos->hosts_per_tor + host % clos->hosts_per_tor
                           : host / clos->gpus;
    }

    /** Returns a host's place in its server. */
    static inline uint32_t weft_clos_gpu(const struct weft_clos *clos, uint32_t host)
    {
        return clos->rails ? host / clos->hosts_per_tor % clos->gpus : host % clos->gpus;
    }

    /** Returns the first host of a server. */
    static inline uint32_t weft_clos_first_gpu(const struct weft_clos *clos, uint32_t server)
    {
        const uint32_t block = clos->gpus * clos->hosts_per_tor;
        return clos->rails ? server / clos->hosts_per_tor * block + server % clos->hosts_per_tor
                           : server * clos->gpus;
    }

    /** Returns whether two hosts send each other by their server's network. */
    static inline bool weft_clos_inside(const struct weft_clos *clos, uint32_t a, uint32_t b)
    {
        return clos->graph ? weft_graph_inside(clos->graph, a, b)
                           : clos->server_rate > 0 && a != b &&
                                 weft_clos_server(clos, a) == weft_clos_server(clos, b);
    }

    /** Returns the switches of all planes, and behind them those of the servers' networks. */
    static inline uint32_t weft_planes_switches(const struct weft_clos *clos)
    {
        return clos->planes * clos->nswitches + weft_clos_servers(clos);
    }

    /** Returns the links of all planes, and behind them those of the servers' networks: one of each
     * host, in host order. */
    static inline uint64_t weft_planes_links(const struct weft_clos *clos)
    {
        return clos->planes * clos->nlinks + (clos->server_rate > 0 ? clos->nhosts : 0);
    }

    /** Returns the rate of all ports of a host together, bit/s; in a graph, of the fastest one,
     * scale-up links aside. */
    static inline int64_t weft_planes_host_rate(const struct weft_clos *clos)
    {
        return clos->planes * clos->host_rate;
    }

    /** Returns the links of hosts in a plane: they come before all others. */
    static inline uint32_t weft_clos_host_links(const struct weft_clos *clos)
    {
        return clos->graph ? clos->graph->nhost_links : clos->nhosts;
    }

    /** Returns the ports of a host. */
    static inline uint32_t weft_clos_host_ports(const struct weft_clos *clos, uint32_t host)
    {
        return clos->graph ? clos->graph->first_link[host + 1] - clos->graph->first_link[host]
                           : clos->planes + (clos->server_rate > 0);
    }

    /** Returns the most ports that a host has. */
    static inline uint32_t weft_clos_most_ports(const struct weft_clos *clos)
    {
        return clos->graph ? clos->graph->most_ports : clos->planes + (clos->server_rate > 0);
    }

    /** Returns the number of the link at a host's port, among those of all planes; the last port is
     * that to the server's network. */
    static inline uint64_t weft_clos_host_link(const struct weft_clos *clos, uint32_t host,
                                               uint32_t port)
    {
        return clos->graph ? clos->graph->first_link[host] + port : port * clos->nlinks + host;
    }

    /** Returns the ports of a host to its server's own network, as bits. */
    static inline uint64_t weft_clos_inside_ports(const struct weft_clos *clos, uint32_t host)
    {
        return clos->graph             ? clos->graph->inside[host]
               : clos->server_rate > 0 ? UINT64_C(1) << clos->planes
                                       : 0;
    }

    /** Returns the ports by which a host sends to another, as bits, while all links are alive. */
    WEFT_API uint64_t weft_clos_ways(const struct weft_clos *clos, uint32_t src, uint32_t dst);

    /** Returns the rate at which a host sends to another: that of these ports together, bit/s. */
    WEFT_API int64_t weft_clos_ways_rate(const struct weft_clos *clos, uint32_t src, uint32_t dst);

    /** Topology kinds (registry "topology"): "leaf-spine", "fat-tree", "clos", "rail-optimised",
     * "graph". */
    struct weft_topology_ops
    {
        struct weft_algo algo;
        /** Fills @p clos. 0, WEFT_ERANGE (odd k, ...), WEFT_EOVERFLOW (too many hosts, links or
         * ports: a switch has at most 8,192 ports). weft_config_check() tells which. A shape that
         * is refused has no hosts, no switches and no links. */
        int (*build)(const void *config, struct weft_clos *clos);
        /** Not NULL: build() needs a graph, and returns WEFT_EINVAL without, if edges is NULL or
         * returns some. Keeps a pointer to it in @p config. */
        void (*use)(void *config, const struct weft_graph *graph);
        /** Not NULL: returns how many links the graph has that the caller is to make of @p config
         * and to give to use(); fills them (if not NULL) and how many hosts and switches there are.
         * 0: build() needs none, or refuses @p config. */
        uint32_t (*edges)(const void *config, struct weft_graph_edge *edges, uint32_t *nhosts,
                          uint32_t *nswitches);
    };

    /** The topology of that name, or NULL (also of NULL). */
    WEFT_API const struct weft_topology_ops *weft_topology_find(const char *name);

    /**
     * Looks whether a graph is a Clos, with planes, parallel links and servers' own networks, in
     * any numbering. If so fills @p clos, and the number there of each of the graph's hosts and
     * switches (@p host, @p sw, which have room for all) and of its links (@p link, if not NULL):
     * hosts keep their order as far as they are at one ToR. Works in the graph's own memory, as
     * weft_fib_size_for() does. A graph whose links of hosts are all scale-up links, and hosts at
     * several ToRs of one plane, are no Clos.
     */
    WEFT_API bool weft_clos_recognise(const struct weft_graph *graph, struct weft_clos *clos,
                                      uint32_t *host, uint32_t *sw, uint64_t *link);

    /** Whether @p clos is a fabric as weft_topology_ops' build() makes it: 0, or WEFT_EINVAL where
     * its members do not belong together, as those of one that nobody filled. */
    WEFT_API int weft_clos_check(const struct weft_clos *clos);

    /** Whether @p clos is a Clos of one plane all of whose links have the same rate and the same
     * delay. */
    static inline bool weft_clos_even(const struct weft_clos *clos)
    {
        return !clos->graph && clos->planes == 1 && clos->server_rate == 0 &&
               clos->host_rate == clos->fabric_rate && clos->host_rate == clos->core_rate &&
               clos->host_delay == clos->fabric_delay && clos->host_delay == clos->core_delay;
    }

    /** End of a link: a host, or a port of a switch. */
    struct weft_end
    {
        bool is_host;
        uint32_t index; /**< host or switch */
        uint32_t port;
    };

    struct weft_link
    {
        struct weft_end lower; /**< the end nearer to the hosts */
        struct weft_end upper;
        int64_t rate;  /**< bit/s */
        int64_t delay; /**< ps */
    };

    /** Link number @p i < nlinks; host links come first, in host order. */
    WEFT_API void weft_clos_link(const struct weft_clos *clos, uint64_t i, struct weft_link *link);

    /** Link number @p i < weft_planes_links() of the whole fabric: its ends are switches of all
     * planes by number, and a host's port is the plane's. */
    WEFT_API void weft_planes_link(const struct weft_clos *clos, uint64_t i,
                                   struct weft_link *link);

    /** Structured forwarding of one switch: all that a hop reads in a healthy fabric. */
    struct weft_switch_map
    {
        uint32_t lo, hi; /**< hosts reached downwards */
        uint32_t hosts_per_child;
        uint32_t child_magic; /**< for the division by hosts_per_child; see weft_map_child() */
        uint16_t parallel;    /**< ports per child; 1 towards hosts */
        uint16_t first_up;    /**< number of down ports */
        uint16_t n_up;        /**< ports upwards, 0 at the top */
        uint8_t tier;
        uint8_t child_shift;
    };

    /** The map of a switch, of any plane by its number among the switches of all. In a graph it
     * holds no forwarding: a switch with hosts is of tier 0, its ports to switches lead up; that of
     * a server's own network is of WEFT_TIER_SERVER; any other is of tier 1, and all its ports lead
     * down. */
    WEFT_API void weft_clos_switch(const struct weft_clos *clos, uint32_t index,
                                   struct weft_switch_map *map);

    /** Rate and delay of the link at port @p port of switch @p index, of any plane. */
    WEFT_API void weft_clos_port(const struct weft_clos *clos, uint32_t index, uint32_t port,
                                 int64_t *rate, int64_t *delay);

    /** Ports of a switch. */
    static inline uint32_t weft_map_nports(const struct weft_switch_map *map)
    {
        return (uint32_t)map->first_up + map->n_up;
    }

    /** x / hosts_per_child for x < 2^20, without a division instruction. */
    static inline uint32_t weft_map_child(const struct weft_switch_map *map, uint32_t x)
    {
        return (uint32_t)(((uint64_t)x * map->child_magic) >> map->child_shift);
    }

    /** The candidates towards @p dst in a healthy fabric. queue_bytes is left to the caller. */
    static inline void weft_route(const struct weft_switch_map *map, uint32_t dst,
                                  struct weft_ports *out)
    {
        out->list = NULL;
        if (dst - map->lo < map->hi - map->lo)
        {
            out->first = (uint16_t)(weft_map_child(map, dst - map->lo) * map->parallel);
            out->n = map->parallel;
        }
        else
        {
            out->first = map->first_up;
            out->n = map->n_up;
        }
        out->width = out->n;
    }

    /** The ToR of a host; of several, the first one. */
    static inline uint32_t weft_clos_tor(const struct weft_clos *clos, uint32_t host)
    {
        return clos->graph ? clos->graph->tor[host] : host / clos->hosts_per_tor;
    }

    /** The hosts, as a workload sees them. */
    static inline struct weft_hosts weft_clos_hosts(const struct weft_clos *clos)
    {
        struct weft_hosts hosts;
        hosts.n = clos->nhosts;
        hosts.per_tor = clos->hosts_per_tor;
        hosts.per_pod = clos->hosts_per_tor * clos->tors_per_pod;
        hosts.rate = clos->planes * (clos->graph ? clos->graph->host_rate : clos->host_rate);
        hosts.at = NULL;
        hosts.tor = clos->graph ? clos->graph->tor : NULL;
        hosts.why = NULL;
        hosts.gpus = clos->gpus;
        hosts.rails = clos->rails ? clos->gpus : 0;
        hosts.scale_up = weft_clos_scales_up(clos);
        return hosts;
    }

    /** Links on a shortest path between two hosts (0 if equal). */
    WEFT_API uint32_t weft_clos_hops(const struct weft_clos *clos, uint32_t a, uint32_t b);

    /** Returns the shortest paths between two hosts of a Clos, parallel links counted (0 if the
     * hosts are equal); at most 2^24 for the topologies of the registry. */
    WEFT_API uint32_t weft_clos_paths(const struct weft_clos *clos, uint32_t src, uint32_t dst);

    /**
     * Lists the links of a Clos' path number @p path < weft_clos_paths(), in order; returns how
     * many. Numbered aggregation first: path = j + n0 * (u + n1 * ...), where j < n0 is the source
     * ToR's up port (0: its first one) and u < n1 the aggregation's; then, for parallel links,
     * which one the core and which one the aggregation takes downwards.
     */
    WEFT_API uint32_t weft_clos_path(const struct weft_clos *clos, uint32_t src, uint32_t dst,
                                     uint32_t path, uint64_t links[6]);

    /** ps that a frame of @p bytes takes from one host to another when it never waits; in a graph,
     * by the first candidates. */
    WEFT_API int64_t weft_clos_way(const struct weft_clos *clos, uint32_t a, uint32_t b,
                                   int64_t bytes);

    /** The least time in which one end of a link can hear of the other, ps: its delay, or, where it
     * has none, what a frame of @p bytes takes on it. */
    WEFT_API int64_t weft_link_least_delay(const struct weft_link *link, int64_t bytes);

    /** The least time in which one node of a fabric can hear of another, ps: that of its links. */
    WEFT_API int64_t weft_clos_least_delay(const struct weft_clos *clos, int64_t bytes);

    struct weft_hop;

    /** The links of a shortest path from one host to another, in order: writes the first @p most of
     * them and returns how many there are, weft_clos_hops(). In a graph whose shortest paths differ
     * each has the greatest rate and the least delay of all links at its place. */
    WEFT_API uint32_t weft_clos_best_path(const struct weft_clos *clos, uint32_t a, uint32_t b,
                                          struct weft_hop *hops, uint32_t most);

    /** Describes switch @p index, of those of all planes, to a balancer; each port's share of the
     * buffer is even, and its data are of class 1. What it draws is of its plane. A switch of a
     * server's own network chooses nothing; it gets the site of the fabric's last switch. In a
     * graph it gets neither tiers nor a shape. */
    WEFT_API void weft_clos_site(const struct weft_clos *clos, const struct weft_mmu_config *buffer,
                                 uint32_t index, uint64_t seed, uint64_t run,
                                 struct weft_site *out);

    /**
     * The hop between a ToR and its NICs, for sizing a ToR's rings (themis §3.3). Its round trip
     * is that of a data frame and the NACK it triggers: both frames' serialization, both ways'
     * propagation, and a data frame that the NIC has just begun to send.
     */
    WEFT_API void weft_clos_last_hop(const struct weft_clos *clos,
                                     const struct weft_fabric_config *frames,
                                     struct weft_last_hop *out);

    /** Candidates of a list whose weights come to more: they are scaled down. A list of more ports
     * than this has each of them once. */
#define WEFT_MAX_CANDIDATES 4096

    /**
     * Draws the links that fail: each link between a ToR and a switch of tier 1 with probability
     * @p edge, each link above with @p core, host links never. Writes their numbers to @p dead,
     * ascending, in the numbers of all planes (NULL: only counts them; at most planes times (nlinks
     * - nhosts)), and returns how many there are. Draws are coupled: with the same seed and run a
     * higher probability only adds links.
     */
    WEFT_API size_t weft_random_failures(const struct weft_clos *clos, double edge, double core,
                                         uint64_t seed, uint64_t run, uint64_t *dead);

    /** Link that weft_random_links() has drawn. */
    struct weft_drawn_link
    {
        double draw; /**< uniform below 1 */
        uint64_t link;
    };

    /**
     * Draws @p count of the links between switches, all alike and none twice. Writes them to
     * @p links in rising order of their draws, and returns how many there are: fewer than @p count
     * only where the fabric has no more. A higher count with the same seed and run adds links, and
     * the links are those of weft_random_failures() at the probability that makes as many fail. For
     * set-up: its time grows with links times count.
     */
    WEFT_API size_t weft_random_links(const struct weft_clos *clos, size_t count, uint64_t seed,
                                      uint64_t run, struct weft_drawn_link *links);

    /** How forwarding weighs the ports that lead to a destination. */
    enum weft_weights
    {
        WEFT_WEIGHTS_NONE,  /**< all live ports alike */
        WEFT_WEIGHTS_PATHS, /**< W-ECMP: by the live paths behind them; in a graph as above */
        /**
         * W-ECMP among links of different rates: by the capacity of these paths, of which each
         * counts as much as its slowest link. In a Clos a link's capacity is its share of what is
         * planned for its tier, so that faster tiers are no reason to prefer a port; in a graph
         * its bit/s. At a ToR of a Clos the path reaches to the destination's ToR, above it to the
         * destination's pod: what follows is the same behind all ports unless it is degraded.
         */
        WEFT_WEIGHTS_CAPACITY,
    };

    /** Case for which forwarding is computed. */
    struct weft_fib_case
    {
        const uint64_t *dead; /**< links that are down: numbers, ascending, distinct */
        size_t ndead;
        const struct weft_slow_link *slow; /**< links that are degraded, ascending, distinct; they
                                              matter only to WEFT_WEIGHTS_CAPACITY */
        size_t nslow;
        enum weft_weights weights;
    };

    /**
     * Failures: the exceptions to structured forwarding; of a graph, all of its forwarding (there
     * weighted by capacity only). For every (switch, destination ToR) whose
     * group has lost a port, or whose ports no longer all lead there by equally many paths, a list
     * of the ports that do. Weighted (W-ECMP), a port is in the list as often as there are paths
     * through it, divided by the greatest common divisor; else once.
     */
    struct weft_fib;

    /** Bytes for the exceptions of a fabric in that case; negative: as weft_fib_build_for(). Of a
     * graph: 4 for each switch and group of hosts, and the lists, which rows that are alike share
     * unless they are weighted. It and weft_fib_build_for() work in the graph's own memory:
     * for one graph, one thread at a time. */
    WEFT_API int64_t weft_fib_size_for(const struct weft_clos *clos,
                                       const struct weft_fib_case *of);

    /**
     * Computes them into @p fib, @p size bytes that are 8-byte aligned. It points into itself: it
     * stays where it was built. Returns 0, WEFT_EINVAL (as weft_clos_check()), WEFT_ERANGE (there
     * is no such link, links are not ascending, a rate is below 1), WEFT_EOVERFLOW or WEFT_ENOMEM
     * (fewer bytes than weft_fib_size_for() says).
     */
    WEFT_API int weft_fib_build_for(struct weft_fib *fib, size_t size, const struct weft_clos *clos,
                                    const struct weft_fib_case *of);

    /** weft_fib_size_for() where nothing is degraded: weighted by paths, or not at all. */
    WEFT_API int64_t weft_fib_size(const struct weft_clos *clos, const uint64_t *dead, size_t ndead,
                                   bool weighted);

    /** weft_fib_build_for(), likewise. */
    WEFT_API int weft_fib_build(struct weft_fib *fib, size_t size, const struct weft_clos *clos,
                                const uint64_t *dead, size_t ndead, bool weighted);

    /**
     * The candidates of switch @p index towards @p dst under these failures. Returns false, with
     * out->n = 0, if none is left. Without an exception it equals weft_route().
     */
    WEFT_API bool weft_fib_route(const struct weft_fib *fib, uint32_t index,
                                 const struct weft_switch_map *map, uint32_t dst,
                                 struct weft_ports *out);

    /** Returns the ports by which a host of a graph whose hosts have several links sends to another
     * under these failures, as bits; 0: there is none. */
    WEFT_API uint64_t weft_fib_ways(const struct weft_fib *fib, uint32_t src, uint32_t dst);

    /** Returns whether forwarding leads from host @p src, whose links are not looked at in a Clos
     * and in a graph whose hosts have one each, to @p dst. @p fib: NULL: a healthy Clos. */
    WEFT_API bool weft_fib_leads(const struct weft_clos *clos, const struct weft_fib *fib,
                                 uint32_t src, uint32_t dst);

    /** Whether all links of a Clos' path number @p path (weft_clos_path()) are alive, those of the
     * hosts included. */
    WEFT_API bool weft_fib_path(const struct weft_fib *fib, uint32_t src, uint32_t dst,
                                uint32_t path);

    /**
     * Returns, of a Clos, the W-ECMP weight by paths of up port @p port of switch @p index towards
     * destination pod @p pod (ofan App. F.4), before any division: 0 if the port's link is dead. At
     * a ToR: paths from the aggregation behind the port to its namesake in that pod; within the own
     * pod (with 2 tiers: always) 1. At an aggregation: live links from the core behind the port to
     * the aggregation's namesake in that pod. A destination ToR may still be cut from that
     * namesake: whether a port leads to it, weft_fib_route() says.
     */
    WEFT_API uint32_t weft_fib_pod_weight(const struct weft_fib *fib, uint32_t index, uint32_t port,
                                          uint32_t pod);

#ifdef __cplusplus
}
#endif
#endif
