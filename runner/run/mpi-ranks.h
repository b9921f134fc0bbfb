/* SPDX-License-Identifier: GPL-2.0-only */
/** @file mpi-ranks.h  Processes that mpirun or srun has started together, which simulate each run
 * together: rank 0 decides what is run and writes, the others help. */
#ifndef WEFT_RUNNER_MPI_RANKS_H
#define WEFT_RUNNER_MPI_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <weft/ranks.h>

#ifdef __cplusplus
extern "C"
{
#endif

    /** To be called first: whether this process can go on, which it says if it cannot. Of several
     * processes all but rank 0 are silent from here on. */
    bool ranks_begin(void);

    /** How the core talks to the others; NULL: this process is alone. */
    const struct weft_ranks *ranks_get(void);

    /** Whether this process helps another one. */
    bool ranks_helps(void);

    /** Rank 0 lets all begin a run, by its number in the plan. */
    void ranks_order(size_t run);

    /** The run that rank 0 begins next; false: it has ended. */
    bool ranks_take_order(size_t *run);

    /** Whether this rank has the same text as rank 0; to be asked on all ranks. */
    bool ranks_agree(const char *text);

    /** KiB: most resident memory of this process so far, and on rank 0 that of the rank that has
     * most; to be called on all. */
    int64_t ranks_peak_memory(void);

    /** While a run is simulated a helper may say why it ends. */
    void ranks_may_speak(bool speaks);

    /** A run ends here that goes on elsewhere, and so does everything; @p why: NULL, it was said.
     */
    void ranks_abort(const char *why);

    /** Rank 0 has no more runs. It is called at exit() if not before. */
    void ranks_end(void);

#ifdef __cplusplus
}
#endif
#endif
