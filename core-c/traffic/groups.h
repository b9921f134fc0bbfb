/* SPDX-License-Identifier: MIT */
/** @file groups.h Common part of all workloads: groups of hosts, ranks, message sizes. */
#ifndef WEFT_GROUPS_H
#define WEFT_GROUPS_H

#include <stdint.h>

#include <weft/param.h>
#include <weft/traffic.h>

#ifdef __cplusplus
extern "C"
{
#endif

/** Most messages of one workload. */
#define WEFT_MAX_MESSAGES (UINT32_C(1) << 24)

/** Where a run's number leaves room for that of a job, so that jobs draw different numbers. */
#define WEFT_JOB_SHIFT 54

    enum weft_placement
    {
        WEFT_INTERLEAVED, /**< group g holds the hosts h with h mod groups = g */
        WEFT_BLOCKED,     /**< consecutive hosts */
        WEFT_RANDOM,      /**< blocked over a uniform permutation of the hosts */
    };

    /** First member of every workload's configuration. */
    struct weft_groups
    {
        int64_t bytes;
        int64_t groups;
        int64_t placement; /**< enum weft_placement */
        int64_t rails;     /**< hosts of a server; 0: as the fabric has it */
        int64_t start;     /**< ps */
        int64_t spread;    /**< ps */
        int64_t compute;   /**< ps; 0 where the workload has no such parameter */
    };

/* clang-format off */
/** The first parameters of every workload, whose configuration starts with a struct weft_groups. */
#define WEFT_GROUP_PARAMS(bytes_doc)                                                               \
    WEFT_BYTES_PARAM(bytes_doc, "themis §5"),                                                      \
    {"groups", WEFT_COUNT, WEFT_P(struct weft_groups, groups), "1", "1", "524288", NULL,           \
     "Groups of equal size, at least 2 hosts, that share the hosts; each runs the workload by "    \
     "itself.",                                                                                    \
     "themis §5"},                                                                                 \
    {"placement", WEFT_CHOICE, WEFT_P(struct weft_groups, placement), "interleaved", NULL, NULL,   \
     "interleaved blocked random",                                                                 \
     "Which hosts form a group: every groups-th host, consecutive ones, or random ones.",          \
     "themis §2.2, §5; random: ofan §8.4"},                                                        \
    {"rails", WEFT_COUNT, WEFT_P(struct weft_groups, rails), "0", "0", "4096", NULL,               \
     "Hosts of a server, each at a ToR of its own (rail-optimised): hosts are numbered server by " \
     "server before they form groups; 0: as the topology has it, and else ToR by ToR.",            \
     "Wang et al. 2023 (rail-only)"},                                                              \
    WEFT_START_PARAMS

#define WEFT_BYTES_PARAM(doc, source)                                                              \
    {"bytes", WEFT_BYTES, WEFT_P(struct weft_groups, bytes), NULL, "1B", "1000000GB", NULL, doc,   \
     source}

#define WEFT_START_PARAMS                                                                          \
    {"start", WEFT_TIME, WEFT_P(struct weft_groups, start), "0s", "0s", "1000s", NULL,             \
     "No message starts before this time.", "(ours)"},                                             \
    {"spread", WEFT_TIME, WEFT_P(struct weft_groups, spread), "0s", "0s", "1000s", NULL,           \
     "Each sending host starts later by a random time of its own, uniform below this.",            \
     "ofan §6, App. E"}

#define WEFT_COMPUTE_PARAM(doc)                                                                    \
    {"compute", WEFT_TIME, WEFT_P(struct weft_groups, compute), "0s", "0s", "1000s", NULL, doc,    \
     "(ours)"}

/** For workloads that hand their configuration to weft_groups_wait(). */
#define WEFT_COMPUTE_PARAMS                                                                        \
    WEFT_COMPUTE_PARAM("What a rank computes between what it receives and what it then sends.")
    /* clang-format on */

    /**
     * Ranks per group. Returns 0, WEFT_ERANGE (no bytes; the hosts do not divide into groups, fewer
     * than 2 ranks, or no whole blocks of rails) or WEFT_EOVERFLOW (more than WEFT_MAX_MESSAGES
     * hosts: each sends at least once).
     */
    int weft_groups_ranks(const struct weft_groups *groups, const struct weft_hosts *hosts,
                          uint32_t *ranks);

    /** Why weft_groups_ranks() has returned WEFT_ERANGE, and what was expected; NULL if it has not.
     */
    const char *weft_groups_refusal(const struct weft_groups *groups,
                                    const struct weft_hosts *hosts);

    /** For WEFT_EOVERFLOW, what it means here; else NULL. */
    static inline const char *weft_workload_excess(int code)
    {
        return code == WEFT_EOVERFLOW ? "there would be more than 16777216 messages, or more bytes "
                                        "than can be counted; expected fewer hosts or less to send"
                                      : NULL;
    }

    /** Returns @p code for size() of a workload that needs no more than groups, with the reason
     * where it is WEFT_ERANGE. */
    int weft_groups_refuse(int code, const struct weft_groups *groups,
                           const struct weft_hosts *hosts);

    /** Returns @p code for size() of a workload with reasons of its own: @p reason is asked for
     * one. */
    static inline int weft_workload_refuse(int code, const void *config,
                                           const struct weft_hosts *hosts,
                                           const char *(*reason)(const void *config,
                                                                 const struct weft_hosts *hosts))
    {
        const char *text = NULL;
        if (hosts->why != NULL)
        {
            text = code == WEFT_ERANGE ? reason(config, hosts) : weft_workload_excess(code);
        }
        return text != NULL ? weft_refuse(hosts->why, code, NULL, text) : code;
    }

    /** The host of rank @p rank in group @p group; placed at random or on rails,
     * weft_groups_finish() replaces it. */
    uint32_t weft_groups_host(const struct weft_groups *groups, uint32_t ranks, uint32_t group,
                              uint32_t rank);

    /** Returns the hosts of a server that are at ToRs in a row: those of the fabric, of which the
     * hosts are whole servers, or, where it has none, the workload's own rails; 0: ranks are
     * numbered ToR by ToR. */
    uint32_t weft_groups_rails(const struct weft_groups *groups, const struct weft_hosts *hosts);

    /** Replaces the hosts of messages, numbered server by server, by those that have these
     * numbers. @p rails: as weft_groups_rails(). */
    void weft_groups_number(uint32_t rails, const struct weft_hosts *hosts, uint32_t nmessages,
                            struct weft_message *messages);

    /** Returns why @p gpus ranks in a row, of one group or of several that are placed blocked, are
     * no server of a fabric that has servers, and what was expected; NULL: they are, or it has
     * none.
     */
    const char *weft_groups_servers_refusal(int64_t placement, uint32_t gpus,
                                            const struct weft_hosts *hosts);

    /** Returns why groups of @p ranks are not whole servers of @p gpus ranks in a row, and what was
     * expected; NULL: they are. */
    const char *weft_groups_whole_servers_refusal(const struct weft_groups *groups, uint32_t gpus,
                                                  uint32_t ranks, const struct weft_hosts *hosts);

    /** Returns the bytes of each of @p n equal parts: rounded up, so never 0. */
    uint64_t weft_groups_part(const struct weft_groups *groups, uint32_t n);

    /** Sizes for @p per_rank messages, @p qps QPs and @p next successors (at most two a message)
     * per rank, and the scratch that weft_groups_finish() needs; one step. 0 or WEFT_EOVERFLOW.
     */
    int weft_groups_size(const struct weft_groups *groups, uint32_t ranks, uint64_t per_rank,
                         uint64_t qps, uint64_t next, struct weft_traffic_size *out);

    /** The bound() of a workload whose messages all carry the bytes of the groups that its
     * configuration begins with, and do not share a wire: that of one of them. */
    int64_t weft_groups_message_bound(const void *config, const struct weft_hosts *hosts,
                                      const struct weft_bound_case *of);

    /** The bus() of an allreduce of the bytes of the groups that its configuration begins with:
     * 2 (n - 1) / n. */
    double weft_groups_bus(const void *config, const struct weft_hosts *hosts, double *bytes);

    /** Fills @p m as a message without predecessors or successors, from one rank to another. */
    void weft_groups_message(const struct weft_groups *groups, uint32_t ranks, uint32_t group,
                             uint32_t from, uint32_t to, struct weft_message *m);

    /** Lets @p m wait for @p waits messages and then for what the ranks compute. */
    void weft_groups_wait(const struct weft_groups *groups, uint32_t waits, struct weft_message *m);

    /** @p bound and @p times what the ranks compute in turn; WEFT_NEVER if that does not fit. */
    int64_t weft_groups_computing(const struct weft_groups *groups, uint64_t times, int64_t bound);

    /** The last step of a fill(): places ranks at random hosts or on rails and spreads starts,
     * where asked. */
    void weft_groups_finish(const struct weft_groups *groups, const struct weft_hosts *hosts,
                            const struct weft_traffic_size *size, uint64_t seed, uint64_t run,
                            struct weft_message *messages, uint32_t *next);

    /** A uniform permutation of 0 .. @p n - 1 into @p to: where things are placed in this run. */
    void weft_groups_shuffle(uint32_t n, uint64_t seed, uint64_t run, uint32_t *to);

    /** Delays the messages of each host by its own random share of the spread, but for those that
     * are delayed after others. */
    void weft_groups_spread(const struct weft_groups *groups, uint64_t seed, uint64_t run,
                            uint32_t nmessages, struct weft_message *messages);

#ifdef __cplusplus
}
#endif
#endif
