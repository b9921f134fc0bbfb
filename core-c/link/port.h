/* SPDX-License-Identifier: MIT */
/** @file port.h Port: one end of a link, with its wire, its lanes and its PFC frames. Private. */
#ifndef WEFT_PORT_H
#define WEFT_PORT_H

#include "link/lane.h"
#include "link/room.h"

#include <stdbool.h>

#include <weft/net.h>
#include <weft/rng.h>

/** A PFC frame on its way. */
struct weft_pfc
{
    int64_t at;      /**< when it takes effect, ps */
    uint32_t tclass; /**< traffic class */
    bool pause;      /**< pause or resume */
};

/** PFC frames from one port to its neighbour, a ring that grows. */
struct weft_pfc_lane
{
    struct weft_pfc *ring;
    uint32_t size;  /**< a power of two, or 0 */
    uint32_t sent;  /**< modulo 2^32 */
    uint32_t taken; /**< modulo 2^32 */
};

/** The node at the other end of a link, where another thread or rank runs it. */
struct weft_remote
{
    int64_t at;    /**< first frame of this window arrives there, ps; WEFT_NEVER: none does */
    uint32_t node; /**< its number in the fabric */
    uint32_t port; /**< its port on this link */
};

/** Losses of a link in the direction that comes to a port. */
struct weft_port_losses
{
    struct weft_port_losses *next; /**< by number */
    uint64_t number;
    struct weft_frame_losses is;
    enum weft_net_loss why;
    bool bad; /**< the state for the next frame */
};

/** Faults that a port's link has, or had. */
struct weft_port_faults
{
    int64_t lost_before; /**< ps: frames that began earlier do not arrive; INT64_MIN: all do,
                            INT64_MAX: none does, as the link is down */
    int64_t lost_rate;   /**< bit/s of what came when lost_before was set, and so of the frames on
                            the wire then */
    int64_t lost_delay;  /**< ps, likewise */
    int64_t held_until;  /**< what came before the way grew shorter began earlier, as seen by the
                            delay since, ps */
    bool draws;          /**< `rng` is seeded */
    unsigned down;       /**< bits 1 << enum weft_direction: ways in which the link is down */
    struct weft_net_span down_for;  /**< the way that comes here is down */
    struct weft_net_span lossy_for; /**< it has `losses` */
    int64_t busy;                   /**< ps for which the wire from here was busy at former rates */
    uint64_t former_bytes;          /**< weft_port_taken() when the rate changed last */
    struct weft_port_losses *losses; /**< in force, by number; NULL: none */
    struct weft_port_losses *free;
    struct weft_rng rng;            /**< of losses, drawn frame by frame */
    uint64_t lost[WEFT_NET_LOSSES]; /**< frames that came here, by why they are lost */
};

/** Port: one end of a link, what leaves here, and where frames come from that arrive here. A hop
 * reads the first two cache lines. */
struct weft_port
{
    _Alignas(64) int64_t free_at; /**< the wire is free from here on, ps */
    int64_t end;            /**< last bit of the frame whose buffer is yet to be given back, ps */
    uint32_t waits;         /**< bit c: frames of class c wait */
    uint32_t paused;        /**< bit c: PFC keeps class c back */
    uint32_t ps_per_byte;   /**< 0: not a whole number, or too large */
    uint32_t gap_time;      /**< ps of the gap behind a frame, if ps_per_byte */
    uint32_t bytes;         /**< of the frame that ends at `end` */
    uint16_t ingress;       /**< of that frame: weft_mmu_index() of its port and class */
    uint16_t index;         /**< its number at its node */
    int64_t delay;          /**< ps to the other end */
    struct weft_lane *lane; /**< [class], from here */
    void *scheduler;        /**< its state, with more than two classes */

    int64_t *peer_due;     /**< when the node at the other end is due; if remote: remote->at */
    int64_t *peer_soon;    /**< when that node's block is to be looked at */
    uint64_t *peer_coming; /**< that node's bits for its ports, the word of the other end's */
    uint64_t peer_bit;     /**< bit of the other end in that word */
    uint64_t frames;       /**< frames begun */
    uint64_t sent_bytes;   /**< bytes of these, without gaps */
    struct weft_port_faults *faults; /**< NULL: there were none */
    uint32_t peak_queue;             /**< bytes */
    uint32_t calm;   /**< bytes of a queue that are no new peak, and not marked for */
    uint32_t owing;  /**< to a host: QPs to it for which middleware may send a NACK */
    bool faces_host; /**< a switch's, to a host */
    bool noted;      /**< departures of this port are executed in time order: a NACK may be
                        due, or the switch orders all ports */
    bool is_fed;     /**< another rank runs the other end: `from` is a copy */
    struct weft_remote *remote; /**< NULL: the same thread runs the other end */

    struct weft_lane *from; /**< [class], to here: the peer's */
    struct weft_pfc_lane pfc;
    struct weft_pfc_lane *pfc_from; /**< the peer's */
    int64_t rate;                   /**< bit/s */
    int64_t gap;                    /**< bytes behind a frame */
    int64_t carry;                  /**< the wire is free so much before free_at, 1/rate ps */
    int64_t from_rate;              /**< of the other end, bit/s */
    int64_t from_delay;             /**< of the way from there, ps */
    uint64_t marks;                 /**< ECN marks on what leaves here */
    uint64_t dropped; /**< frames for which the buffer had no room in the queue here */
    struct weft_net_span paused_for; /**< PFC keeps any class back */
};

/** Begins or ends a time for which something holds. */
static inline void
weft_span_set(struct weft_net_span *span, bool holds, int64_t now)
{
    if (holds && span->since == WEFT_NEVER)
    {
        span->since = now;
    }
    else if (!holds && span->since != WEFT_NEVER)
    {
        span->sum += now - span->since;
        span->since = WEFT_NEVER;
    }
}

/** PFC keeps a class back, or lets it go. */
static inline void
weft_port_set_paused(struct weft_port *port, uint32_t tclass, bool pause, int64_t now)
{
    const uint32_t bit = 1U << tclass;
    port->paused = pause ? port->paused | bit : port->paused & ~bit;
    weft_span_set(&port->paused_for, port->paused != 0, now);
}

/** Returns the bytes for which the wire was taken, with the gaps. */
static inline uint64_t
weft_port_taken(const struct weft_port *port)
{
    return port->sent_bytes + port->frames * (uint64_t)port->gap;
}

/** Returns for how long the wire was, or will have been, busy, ps. */
int64_t weft_port_busy(const struct weft_port *port);

void weft_port_set_rate(struct weft_port *port, int64_t rate);
/** Returns the time of @p bytes on the wire, ps. */
int64_t weft_port_wire_time(const struct weft_port *port, int64_t bytes);
/** weft_port_occupy() at rates that do not divide a byte into whole ps. */
int64_t weft_port_occupy_slowly(struct weft_port *port, uint32_t bytes, int64_t at, bool waited);
/** Takes the wire for a frame from @p at on. Returns the frame's serialization, ps. */
static inline int64_t
weft_port_occupy(struct weft_port *port, uint32_t bytes, int64_t at, bool waited)
{
    port->frames++;
    port->sent_bytes += bytes;
    if (port->ps_per_byte == 0)
    {
        return weft_port_occupy_slowly(port, bytes, at, waited);
    }
    const int64_t serialization = (int64_t)bytes * port->ps_per_byte;
    port->free_at = at + serialization + port->gap_time;
    return serialization;
}
/** Returns why a frame of @p bytes that arrives @p now is lost by the port's link, which has or had
 * faults: WEFT_NET_DROP_LINK (the wire was down meanwhile) or a reason of losses; WEFT_NET_LOSSES:
 * it is not lost. */
enum weft_net_loss weft_port_loses(const struct weft_port *port, uint32_t bytes, int64_t now);
/** Returns the PFC frame that leaves at @p now, behind the frame in service. */
struct weft_pfc weft_port_make_pfc(const struct weft_port *port, uint32_t tclass, bool pause,
                                   int64_t now);
/** Adds a PFC frame to a lane, of which the node at the other end is yet to hear. */
void weft_pfc_lane_put(struct weft_pfc_lane *lane, const struct weft_pfc *pfc,
                       const struct weft_memory *memory);

#endif
