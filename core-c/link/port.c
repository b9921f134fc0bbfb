/* SPDX-License-Identifier: MIT */
/* Port: one end of a link, its wire's time, and PFC frames. */
#include "link/port.h"

#include <weft/wire-time.h>

#define PS_BIT_PER_BYTE INT64_C(8000000000000) /* ps per byte at 1 bit/s */
#define PFC_FRAME       64                     /* bytes */

void
weft_port_set_rate(struct weft_port *port, int64_t rate)
{
    const int64_t ps = PS_BIT_PER_BYTE / rate;
    const bool whole =
        PS_BIT_PER_BYTE % rate == 0 && ps <= UINT32_MAX && port->gap <= UINT32_MAX / ps;
    port->ps_per_byte = whole ? (uint32_t)ps : 0;
    port->gap_time = whole ? (uint32_t)(port->gap * ps) : 0;
    port->rate = rate;
    port->carry = 0; /* it counts in parts of the former rate */
}

int64_t
weft_port_wire_time(const struct weft_port *port, int64_t bytes)
{
    return port->ps_per_byte ? bytes * port->ps_per_byte : weft_wire_time(bytes, port->rate);
}

int64_t
weft_port_busy(const struct weft_port *port)
{
    const struct weft_port_faults *faults = port->faults;
    const uint64_t since = weft_port_taken(port) - (faults ? faults->former_bytes : 0);
    return (faults ? faults->busy : 0) + weft_port_wire_time(port, (int64_t)since);
}

/* Rates that do not divide a byte into whole ps: a frame that waited for the wire starts when it is
 * free to the fraction, any other at a whole ps. */
int64_t
weft_port_occupy_slowly(struct weft_port *port, uint32_t bytes, int64_t at, bool waited)
{
    int64_t carry = waited && at == port->free_at ? port->carry : 0;
    port->carry = carry;
    port->free_at = at + weft_wire_carry(bytes + port->gap, port->rate, &port->carry);
    return weft_wire_carry(bytes, port->rate, &carry);
}

/* Whether the wire was down while a frame was on it. */
static bool
was_cut(const struct weft_port_faults *faults, uint32_t bytes, int64_t now)
{
    return faults->lost_before != INT64_MIN &&
           now - faults->lost_delay - weft_wire_time(bytes, faults->lost_rate) <
               faults->lost_before;
}

/* Whether the next frame is lost; the state of the one behind it is drawn. */
static bool
loses(struct weft_port_losses *losses, struct weft_rng *rng)
{
    const struct weft_frame_losses *is = &losses->is;
    const bool lost = weft_rng_unit(rng) < (losses->bad ? is->bad : is->good);
    if (is->to_bad > 0)
    {
        losses->bad ^= weft_rng_unit(rng) < (losses->bad ? is->to_good : is->to_bad);
    }
    return lost;
}

enum weft_net_loss
weft_port_loses(const struct weft_port *port, uint32_t bytes, int64_t now)
{
    struct weft_port_faults *faults = port->faults;
    enum weft_net_loss why = WEFT_NET_LOSSES;
    if (was_cut(faults, bytes, now))
    {
        faults->lost[WEFT_NET_DROP_LINK]++;
        return WEFT_NET_DROP_LINK;
    }
    for (struct weft_port_losses *l = faults->losses; l && why == WEFT_NET_LOSSES; l = l->next)
    {
        why = loses(l, &faults->rng) ? l->why : why;
    }
    if (why != WEFT_NET_LOSSES)
    {
        faults->lost[why]++;
    }
    return why;
}

void
weft_pfc_lane_put(struct weft_pfc_lane *lane, const struct weft_pfc *pfc,
                  const struct weft_memory *memory)
{
    if (lane->sent - lane->taken == lane->size)
    {
        struct weft_pfc *ring = weft_take(memory, sizeof *ring * (lane->size ? 2 * lane->size : 4));
        for (uint32_t i = 0; i < lane->size; i++)
        {
            ring[i] = lane->ring[(lane->taken + i) & (lane->size - 1)];
        }
        lane->ring = ring;
        lane->sent -= lane->taken;
        lane->taken = 0;
        lane->size = lane->size ? 2 * lane->size : 4;
    }
    lane->ring[lane->sent++ & (lane->size - 1)] = *pfc;
}

struct weft_pfc
weft_port_make_pfc(const struct weft_port *port, uint32_t tclass, bool pause, int64_t now)
{
    /* The PFC frame waits for the frame in service, then crosses the link like any other. Its own
     * bytes are not charged to the wire: one per pause, against thousands of data frames. */
    const int64_t start = port->free_at > now ? port->free_at : now;
    return (struct weft_pfc){
        .at = start + weft_port_wire_time(port, PFC_FRAME) + port->delay,
        .tclass = tclass,
        .pause = pause,
    };
}
