/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file run-host.h  Host of a run: builds its fabric, and has the clock. There are two, with the
 * same results: ns-3, where the fabric is a set of devices of its nodes, and none but the core.
 * One run at a time in a process.
 */
#ifndef WEFT_RUNNER_RUN_HOST_H
#define WEFT_RUNNER_RUN_HOST_H

#include <stddef.h>
#include <stdint.h>

#include "scenario.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /** Bytes of a host's own objects, beside the core's. */
    struct host_bytes
    {
        double nic, sw, port, link;
    };

    struct run_host
    {
        const char *name;    /**< as --host names it */
        const char *version; /**< as provenance says it */
        struct host_bytes bytes;
        /** Builds the fabric; NULL: @p why, to be freed, says why not. */
        struct weft_run *(*build)(const struct scenario *s, unsigned threads,
                                  const struct weft_ranks *ranks, char **why);
        int64_t (*now)(void);
        /** Calls @p call at a time that has not passed: faults of that time have taken place.
         * Of one time in the order of these requests. Returns a number for remove(). */
        uint64_t (*at)(int64_t at, void (*call)(void *of), void *of);
        /** Does the same for a hook, which any thread may call; nothing removes that. */
        void (*at_from_hook)(int64_t at, void (*call)(void *of), void *of);
        /** Removes a call, if it has not come. */
        void (*remove)(uint64_t number);
        /** Runs until nothing is left to happen, or stop(). */
        void (*go)(void);
        void (*stop)(void);
        /** Lets all that happens before now() happen. */
        void (*settle)(void);
        /** Lets no fault that is planned take place any more. */
        void (*forget_faults)(void);
        /** Gives back the memory of packets, if nothing is left to happen. */
        void (*release_packets)(void);
        /** Returns the events of the host's own list; 0: it has none. */
        uint64_t (*events)(void);
        /** Has every allocation of the host that fails call @p handler, which ends the process and
         * may not allocate. */
        void (*without_memory)(void (*handler)(void));
        /** Ends the run: all of it goes. */
        void (*end)(void);
    };

    extern const struct run_host plain_host;
#ifdef WEFT_NS3
    extern const struct run_host ns3_host;
#endif

    /** The host of that name; NULL: there is none in this build. */
    const struct run_host *run_host_find(const char *name);
    /** The names of all, as words. */
    const char *run_host_names(void);
    /** Chooses the host of all runs of this process; ns-3 where it was built in, at first. */
    void run_host_choose(const struct run_host *host);
    const struct run_host *run_host_chosen(void);
    /** Every allocation that fails, of any host or library, calls @p handler, which must end the
     * process and may not allocate. */
    void run_without_memory(void (*handler)(void));

#ifdef __cplusplus
}
#endif
#endif
