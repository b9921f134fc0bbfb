/* SPDX-License-Identifier: MIT */
/** @file run-parts.h Parts of a run: levels with their planners, connections, faults, collectives.
 * Private. */
#ifndef WEFT_RUN_PRIVATE_H
#define WEFT_RUN_PRIVATE_H

#include "node/agenda.h"

#include <pthread.h>

#include <weft/plan.h>
#include <weft/run.h>

/** Room in which a host's messages are planned, rows that grow. */
struct weft_plan_room
{
    struct weft_plan_room *next; /**< of those that are free */
    struct weft_post *posts;
    struct weft_plan_message *asks;
    struct weft_plan_part *parts;
    uint64_t *messages; /**< numbers in their connections */
    uint32_t *count;    /**< parts of each */
    uint32_t size;      /**< of all but `parts` */
    size_t nparts;      /**< room in `parts` */
};

/** Service level: its balancer's planner. */
struct weft_run_level
{
    const struct weft_plan_ops *plan; /**< NULL: none */
    const void *config;
    uint64_t *hosts; /**< [host * words]: states */
    size_t words;
    struct weft_plan_room **room; /**< [host]: free ones */
    enum weft_split split;        /**< as its congestion control asks for its share */
    double share;
};

/** Part of a message that is put off. */
struct weft_later
{
    struct weft_later *next; /**< of those that are free */
    struct weft_connection *connection;
    uint64_t message;
    struct weft_plan_part part;
};

/** Message whose parts are under way. Its sender's host writes one half, its receiver's the other.
 */
struct weft_parted
{
    uint64_t tag;
    uint32_t undelivered; /**< parts: the receiver's */
    uint32_t unsettled;   /**< parts that are neither acknowledged nor given up */
    bool failed;          /**< a part is given up */
};

#define WEFT_PARTED_FIRST  16U /* messages of a connection's first row; each next one has twice */
#define WEFT_PARTED_CHUNKS 28U

/** QPs of a connection whose messages go out in parts, and these messages. */
struct weft_part_qps
{
    struct weft_listener listener; /**< of the QPs */
    struct weft_qp **qp;           /**< [most] */
    uint64_t stream;
    uint32_t nqps;
    uint32_t most;
    uint32_t reserved; /**< number of the first QP that is made when it is needed */
    uint64_t nparted;  /**< messages */
    struct weft_parted *parted[WEFT_PARTED_CHUNKS]; /**< rows that never move: two hosts use them,
                                                       perhaps on two threads */
};

struct weft_connection
{
    struct weft_run *run;
    struct weft_qp *first;
    const struct weft_listener *listener; /**< NULL: nobody */
    struct weft_part_qps *parts;          /**< NULL: one QP, and messages are whole */
    uint32_t index;
    uint32_t src;
    uint32_t dst;
    uint32_t level;
};

/** Drops of a QP that is yet to be made. */
struct weft_late_drop
{
    uint32_t qp;
    uint32_t offset;
    uint32_t count;
    bool at_last_hop;
};

/** Message that a connection's sender has begun, of whose parts its receiver is to know. */
struct weft_begun
{
    uint64_t tag;
    uint32_t connection;
    uint32_t parts;
};

/** Fault that was planned. */
struct weft_run_fault
{
    struct weft_fault is; /**< `links`: the run's own */
    uint64_t number;      /**< from 1 up */
    uint64_t left;        /**< times that it may still end, and begin again if it flaps */
    struct weft_rng rng;  /**< of times that are drawn */
};

/** Failure in force: a fault of a link. */
struct weft_failure
{
    uint64_t link;
    uint64_t number;             /**< of the fault; 0: weft_run_set_down()'s */
    const struct weft_fault *is; /**< NULL: weft_run_set_down()'s */
};

/** Change of a link that forwarding is to learn of, if it lasts. */
struct weft_pending
{
    uint64_t of;     /**< twice the link; plus 1: of its rate */
    uint64_t number; /**< of the convergence; 0: it has learned of it */
    int64_t rate;    /**< its rate; 0: as planned, or it goes down or comes back */
    bool down;
};

/** Links that are down or slow, ascending. */
struct weft_link_states
{
    uint64_t *dead;
    struct weft_slow_link *slow;
    uint32_t ndead, nslow;
    uint32_t dead_room, slow_room;
};

/** Forwarding of a plane. */
struct weft_plane_routes
{
    struct weft_fib *fib[2]; /**< rooms, used in turn: the former stays until routes are set */
    size_t room[2];
    uint32_t turn;
    const struct weft_fib *routes;
    bool whole;
};

struct weft_faults
{
    struct weft_agenda changes;   /**< struct weft_run_fault: they begin and end */
    struct weft_failure *failure; /**< in force, ascending */
    uint32_t nfailures, failure_room;
    uint64_t numbers;                /**< of faults that were planned */
    struct weft_link_states lasting; /**< from time 0 on, for good */
    struct weft_link_states set;     /**< `slow`: rates that weft_run_set_rate() has set */
    struct weft_link_states known;   /**< as forwarding knows them */
    struct weft_pending *pending;    /**< ascending: that it is yet to learn of */
    uint32_t npending, pending_room;
    struct weft_agenda convergences; /**< when it learns; key: `of`, seq: `number` */
    int64_t looks_at;                /**< when it was asked last to see whether it learns */
    int64_t delay;
    int64_t recovery; /**< negative: as `delay` */
    enum weft_weights weights;
    struct weft_plane_routes *plane; /**< [plane]; NULL before forwarding has changed */
    struct weft_link_states now;     /**< `dead`, where hosts know at once */
    struct weft_plane_routes *early; /**< [plane]: what these have been told; NULL: nothing */
    bool news;                       /**< that they are to be told */
};

/** Call outside of nodes. */
struct weft_run_call
{
    struct weft_run_call *next; /**< of those that are free */
    void (*call)(void *of);
    void (*change)(struct weft_run *run, int64_t at); /**< or this */
    void *of;
    uint64_t number;
    bool removed;
};

struct weft_run
{
    struct weft_memory memory;
    struct weft_scratch scratch;
    struct weft_run_host host;
    struct weft_net *net;
    const struct weft_clos *clos;
    int64_t ack; /**< bytes of an ACK's frame */
    uint64_t seed, number;
    uint32_t nlevels;
    struct weft_run_level level[WEFT_LEVELS];
    const struct weft_listener **listener; /**< [QP] */
    uint32_t listener_room;
    uint32_t nlisteners;
    struct weft_connection **connection;
    uint32_t nconnections, connection_room;
    struct weft_late_drop *drop;
    uint32_t ndrops, drop_room;
    uint32_t *starters;        /**< [host]: QPs that share its line; NULL: none were counted */
    uint32_t announced;        /**< QPs still to be made that are counted there */
    uint64_t streams;          /**< of random numbers, taken by QPs and connections */
    struct weft_later **later; /**< [host]: free ones; NULL: none was put off yet */
    struct weft_collective **work;
    uint32_t nworks, work_room;
    bool several; /**< threads or ranks */
    bool has_ranks;
    pthread_mutex_t mutex; /**< of what hosts on several threads write */
    struct weft_begun *begun;
    uint32_t nbegun, begun_room;
    unsigned char *told; /**< news */
    size_t ntold, told_room;
    struct weft_faults faults;
    struct weft_agenda agenda; /**< struct weft_run_call: without a host's clock */
    struct weft_run_call *free_calls;
    uint64_t ncalls;
    int64_t now;
    bool stops;
};

/** Locks what hosts on several threads write, if there are several. */
static inline void
weft_run_lock(struct weft_run *run)
{
    if (run->several)
    {
        pthread_mutex_lock(&run->mutex);
    }
}

static inline void
weft_run_unlock(struct weft_run *run)
{
    if (run->several)
    {
        pthread_mutex_unlock(&run->mutex);
    }
}

/** Returns memory that the calling thread may take from. */
const struct weft_memory *weft_run_memory(const struct weft_run *run);
/** Ends the program: see weft_run_host. */
_Noreturn void weft_run_breaks(const struct weft_run *run, const char *why);
/** Returns memory for a while. */
void *weft_scratch_take(const struct weft_run *run, size_t bytes);
void weft_scratch_give(const struct weft_run *run, void *memory);
/** Asks for a call at a host. */
void weft_run_call(struct weft_run *run, uint32_t host, int64_t at, enum weft_net_step step,
                   uint64_t number, void (*call)(void *of, uint64_t what, int64_t now), void *of,
                   uint64_t what);
/** Asks for a change of the fabric as a whole. */
void weft_run_change(struct weft_run *run, int64_t at,
                     void (*change)(struct weft_run *run, int64_t at));

/** No change that is asked for takes place any more. */
void weft_run_forget_changes(struct weft_run *run);

/** Makes the planners of all levels. */
int weft_planners_make(struct weft_run *run, const struct weft_net_config *config,
                       struct weft_refusal *why);
/** Returns the QPs that a connection of a level has from the start. */
uint32_t weft_planner_qps(const struct weft_run_level *level);
/** Returns the most QPs that it may have. */
uint32_t weft_planner_most(const struct weft_run_level *level, uint32_t src, uint32_t dst);
/** Plans and posts those of a host's messages that are of a level, which has a planner. */
void weft_planner_post(struct weft_run *run, uint32_t host, uint32_t number,
                       const struct weft_post *posts, size_t n, int64_t now);

/** Reserves indices of QPs whose listener is known. @p late: they are made when a part needs them.
 * Returns 0, or as weft_net_reserve_qps() and weft_run_drop(). */
int weft_run_reserve(struct weft_run *run, uint32_t n, bool late,
                     const struct weft_listener *listener, uint32_t *first);
/** Returns whether packets of QPs that are yet to be made are to be dropped, of @p n indices. */
bool weft_run_drops_any(const struct weft_run *run, uint32_t first, uint32_t n);
/** Makes a QP of a reserved index. */
int weft_run_make_qp(struct weft_run *run, const struct weft_net_qp_site *site, struct weft_qp **qp,
                     struct weft_refusal *why);
/** Posts a message, or a part, of the host that is run just now. */
void weft_run_post_now(struct weft_run *run, struct weft_qp *qp, uint64_t bytes, uint64_t tag,
                       int64_t now);

/** Makes a connection but for the numbers of the QPs that parts may need, and then these.
 * @p packets: as in struct weft_net_qp_site. */
int weft_connection_make(struct weft_run *run, uint32_t src, uint32_t dst, uint32_t level,
                         uint64_t packets, const struct weft_listener *listener,
                         struct weft_connection **made, struct weft_refusal *why);
int weft_connection_reserve(struct weft_connection *c);
/** Begins a message that goes out in parts; returns its number. */
uint64_t weft_connection_begin(struct weft_connection *c, uint64_t tag, uint32_t parts);
/** Posts a part, now or when its delay is over. */
void weft_connection_post(struct weft_connection *c, uint64_t message,
                          const struct weft_plan_part *part, int64_t now);

/** News of a collective: what has become of its messages. */
struct weft_outcome
{
    int64_t at;
    uint32_t message;
    uint32_t what; /**< enum weft_message_end */
};

/** Puts what has happened at this rank behind the news. */
void weft_collective_tell(struct weft_collective *c, uint32_t number);
/** Hears what has happened at a rank, struct weft_outcome; returns whether something was released
 * by that, anywhere. */
bool weft_collective_hear(struct weft_collective *c, const void *outcomes, size_t n);
/** Puts rows behind what this rank tells. @p of: WEFT_NEWS_BEGUN, or the number of a collective. */
void weft_news_put(struct weft_run *run, uint64_t of, const void *rows, size_t n, size_t each);
#define WEFT_NEWS_BEGUN UINT64_MAX
/** Exchanges news with the other ranks from now on. */
void weft_news_begin(struct weft_run *run);

/** Tells a fabric that is new what has been changed so far. */
void weft_faults_begin(struct weft_run *run, enum weft_weights weights);

#endif
