/* SPDX-License-Identifier: GPL-2.0-only */
#define _GNU_SOURCE
#include "mpi-ranks.h"

#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "checksum.h"
#include "shown-text.h"
#include "textbuf.h"

/** How many processes were started together, as mpirun and srun say in the environment. */
static long
count_started(void)
{
    const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS", "PMI_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        const char *text = getenv(names[i]);
        if (text)
        {
            return strtol(text, NULL, 10);
        }
    }
    return 1;
}

static int64_t
own_peak_memory(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

#ifdef WEFT_MPI

#include <mpi.h>

#define NO_MORE_RUNS SIZE_MAX
#define PIECE        ((size_t)1 << 30) /* bytes of a message; a whole one is followed by another */
#define SPIN         50e-6             /* s of looking for a message before sleep */
#define MOST_SLEEP   1e-3              /* s */
#define NOT_JOINED                                                                                 \
    "weft: error: %ld processes were started together that are not joined by MPI; expected "       \
    "mpirun, or srun --mpi=pmix\n"

static MPI_Comm group; /* of our own: nobody else's messages are there */
static bool begun, ended;
static struct weft_ranks ranks;
static MPI_Request *sending;
static size_t nsending, sending_size;
static struct buffer
{
    char *s;
    size_t n, size;
} * come;                            /* [rank] */
static int silence = -1, voice = -1; /* of a helper: where its messages go, and could go */

static void
send_parcel(int to, const struct weft_parcel *parcel)
{
    for (size_t at = 0;; at += PIECE)
    {
        const size_t left = parcel->n - at, n = left < PIECE ? left : PIECE;
        if (nsending == sending_size)
        {
            sending_size = 2 * sending_size + 16;
            sending = xrealloc(sending, sending_size, sizeof *sending);
        }
        MPI_Isend((const char *)parcel->bytes + at, (int)n, MPI_BYTE, to, 0, group,
                  &sending[nsending++]);
        if (n < PIECE)
        {
            return;
        }
    }
}

/** Between two looks at what others have sent, as a thread waits for another one: nothing for a
 * little while, then sleep for a part of the time since @p start, so that whoever is to send it has
 * a processor. */
static void
wait_a_little(double start)
{
    const double waited = MPI_Wtime() - start;
    if (waited > SPIN)
    {
        const double sleeps = waited / 8 < MOST_SLEEP ? waited / 8 : MOST_SLEEP;
        nanosleep(&(struct timespec){0, (long)(sleeps * 1e9)}, NULL);
    }
}

static void
await_message(int from, MPI_Message *message, MPI_Status *status)
{
    const double start = MPI_Wtime();
    int there = 0;
    for (MPI_Improbe(from, 0, group, &there, message, status); !there;
         MPI_Improbe(from, 0, group, &there, message, status))
    {
        wait_a_little(start);
    }
}

static void
await_sent(void)
{
    const double start = MPI_Wtime();
    int gone = 0;
    for (MPI_Testall((int)nsending, sending, &gone, MPI_STATUSES_IGNORE); !gone;
         MPI_Testall((int)nsending, sending, &gone, MPI_STATUSES_IGNORE))
    {
        wait_a_little(start);
    }
}

static void
take_parcel(int from, struct buffer *t)
{
    int n;
    t->n = 0;
    do
    {
        MPI_Message message;
        MPI_Status status;
        await_message(from, &message, &status);
        MPI_Get_count(&status, MPI_BYTE, &n);
        if (t->n + (size_t)n + 1 > t->size)
        {
            t->size = 2 * t->size + (size_t)n + 1;
            t->s = xrealloc(t->s, t->size, 1);
        }
        MPI_Mrecv(t->s + t->n, n, MPI_BYTE, &message, MPI_STATUS_IGNORE);
        t->n += (size_t)n;
    } while ((size_t)n == PIECE);
}

static void
exchange(void *of, const struct weft_parcel *out, struct weft_parcel *in)
{
    (void)of;
    nsending = 0;
    for (uint32_t k = 1; k < ranks.n; k++)
    {
        const uint32_t to = (ranks.rank + k) % ranks.n;
        send_parcel((int)to, &out[to]);
    }
    for (uint32_t k = 1; k < ranks.n; k++)
    {
        const uint32_t from = (ranks.rank + ranks.n - k) % ranks.n;
        take_parcel((int)from, &come[from]);
        in[from] = (struct weft_parcel){come[from].s, come[from].n};
    }
    await_sent();
}

/** Rank 0 speaks for all: the others would say the same. */
static void
fall_silent(void)
{
    fflush(NULL);
    silence = open("/dev/null", O_WRONLY | O_CLOEXEC);
    voice = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    dup2(silence, STDOUT_FILENO);
    dup2(silence, STDERR_FILENO);
}

/** Whether processes that were started together can find each other: Open MPI would end with a page
 * about how to build it. */
static bool
are_joined(void)
{
    const char *const by[] = {"PMIX_NAMESPACE", "PMI_RANK", "OMPI_COMM_WORLD_SIZE"};
    bool joined = false;
    for (size_t i = 0; i < sizeof by / sizeof *by; i++)
    {
        joined = joined || getenv(by[i]);
    }
    return joined;
}

bool
ranks_begin(void)
{
    int n, rank, level;
    if (begun || count_started() < 2)
    {
        return true;
    }
    if (!are_joined())
    {
        fprintf(stderr, NOT_JOINED, count_started());
        return false;
    }
    MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &level);
    MPI_Comm_dup(MPI_COMM_WORLD, &group);
    MPI_Comm_size(group, &n);
    MPI_Comm_rank(group, &rank);
    begun = true;
    atexit(ranks_end);
    ranks = (struct weft_ranks){.rank = (uint32_t)rank, .n = (uint32_t)n, .exchange = exchange};
    come = xcalloc((size_t)n, sizeof *come);
    if (rank > 0)
    {
        fall_silent();
    }
    if (n == 1 || n > (int)WEFT_NET_RANKS)
    {
        fprintf(stderr,
                n == 1 ? NOT_JOINED : "weft: error: there are %ld processes; expected %u at most\n",
                n == 1 ? count_started() : (long)n, WEFT_NET_RANKS);
        return false;
    }
    return true;
}

const struct weft_ranks *
ranks_get(void)
{
    return begun && ranks.n > 1 ? &ranks : NULL;
}

void
ranks_order(size_t run)
{
    unsigned long long order = run;
    MPI_Bcast(&order, 1, MPI_UNSIGNED_LONG_LONG, 0, group);
}

bool
ranks_take_order(size_t *run)
{
    unsigned long long order = 0;
    MPI_Bcast(&order, 1, MPI_UNSIGNED_LONG_LONG, 0, group);
    *run = (size_t)order;
    ended = *run == NO_MORE_RUNS;
    return !ended;
}

bool
ranks_agree(const char *text)
{
    struct checksum c = {0};
    checksum_add(&c, text, strlen(text));
    const uint32_t mine = checksum_value(&c);
    uint32_t first = mine;
    MPI_Bcast(&first, 1, MPI_UINT32_T, 0, group);
    return first == mine;
}

int64_t
ranks_peak_memory(void)
{
    const int64_t mine = own_peak_memory();
    int64_t most = mine;
    if (begun)
    {
        MPI_Reduce(&mine, &most, 1, MPI_INT64_T, MPI_MAX, 0, group);
    }
    return most;
}

void
ranks_may_speak(bool speaks)
{
    if (voice >= 0)
    {
        fflush(stderr);
        dup2(speaks ? voice : silence, STDERR_FILENO);
    }
}

void
ranks_abort(const char *why)
{
    if (why)
    {
        print_shown(stderr, "weft: error: rank %u: %s\n", (unsigned)ranks.rank, why);
    }
    MPI_Abort(group, EXIT_FAILURE);
    _exit(EXIT_FAILURE);
}

void
ranks_end(void)
{
    size_t run;
    if (!begun)
    {
        return;
    }
    if (ranks.rank == 0 && !ended)
    {
        ended = true;
        ranks_order(NO_MORE_RUNS);
    }
    else if (!ended && ranks_take_order(&run))
    {
        ranks_may_speak(true);
        ranks_abort("it has ended before the last run; perhaps its machine has another file");
    }
    begun = false;
    MPI_Comm_free(&group);
    MPI_Finalize();
}

#else

bool
ranks_begin(void)
{
    if (count_started() > 1)
    {
        fprintf(stderr, "weft: error: several processes were started together, but this weft was "
                        "built without MPI; expected libopenmpi-dev where it is built\n");
        return false;
    }
    return true;
}

const struct weft_ranks *
ranks_get(void)
{
    return NULL;
}

void
ranks_order(size_t run)
{
    (void)run;
}

bool
ranks_take_order(size_t *run)
{
    (void)run;
    return false;
}

bool
ranks_agree(const char *text)
{
    (void)text;
    return true;
}

int64_t
ranks_peak_memory(void)
{
    return own_peak_memory();
}

void
ranks_may_speak(bool speaks)
{
    (void)speaks;
}

void
ranks_abort(const char *why)
{
    (void)why;
    abort();
}

void
ranks_end(void)
{
}

#endif

bool
ranks_helps(void)
{
    const struct weft_ranks *all = ranks_get();
    return all && all->rank > 0;
}
