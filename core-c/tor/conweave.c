/* SPDX-License-Identifier: MIT */
/*
 * ConWeave: the source's ToR asks once per epoch for a round trip. Where the answer is late it
 * moves the QP to another path, after a TAIL on the old one; the destination's ToR holds back what
 * comes by the new path (phase 1) until the TAIL has come by the old one, and then says CLEAR.
 * After the authors' simulator. A QP has its state at both ToRs all its life: nothing ages here.
 * Data carries in meta[0] its path + 1 (tor-path.h), in meta[1] and [2], in ticks, when it left the
 * source's ToR and when that sent the TAIL, in echo kind, phase and epoch. Control packets carry
 * their kind in meta[1], and in meta[2] an epoch or, of a notice, a path.
 */
#include "base/saturating.h"
#include "lb/site.h"
#include "lb/tor-path.h"
#include "roster/tables.h"

#include <string.h>
#include <weft/clos.h>
#include <weft/error.h>
#include <weft/rng.h>

#define CONWEAVE_STREAM (UINT64_C(0x6377) << 32) /* "cw": random streams, one per ToR */
#define CONTROL_BYTES   64
#define TICK_BITS       16 /* a tick is 2^16 ps, 65.5 ns, and 2^16 of them are 4.3 ms */
#define EPOCH_MASK      0x1fffU
#define PHASE_BIT       0x2000U
#define KIND_SHIFT      14
#define NANOSECOND      1000
#define OTHER_QUEUE     (WEFT_QP_MASK + 1) /* a QP's queues are its number with and without it */
#define NO_QUEUE        UINT32_MAX

enum kind
{
    PLAIN,
    INIT, /* asks for a round trip: RTT_REQUEST */
    TAIL, /* the last one of the old path */
};

enum control
{
    INIT_REPLY = 1, /* RTT_REPLY */
    CLEAR,          /* the TAIL has come */
    NOTIFY,         /* a path is congested */
};

struct conweave_config
{
    int64_t extra_reply;
    int64_t path_pause;
    int64_t expiry;
    int64_t extra_flush;
    int64_t default_wait;
    int64_t queues;
};

/* A QP at its source's ToR. */
struct source
{
    int64_t last;     /* when its last packet came; -1: never */
    int64_t deadline; /* of the reply, or WEFT_NEVER */
    uint16_t epoch;
    uint16_t path;
    uint16_t tail; /* when the TAIL left, ticks */
    bool phase;
    bool stabilised;
};

/* A QP at its destination's ToR. */
struct destination
{
    struct destination *next; /* of those that hold packets, with previous */
    struct destination *previous;
    int64_t phase0_at; /* when the last packet of phase 0 came */
    int64_t flush_at;  /* when what is held goes on, if the TAIL does not come */
    uint32_t queue;    /* of what is held, or was held last */
    uint16_t port;     /* the host's */
    uint16_t epoch;
    uint16_t phase0_left; /* when the last packet of phase 0 left the source's ToR, ticks */
    uint16_t tail;
    bool known; /* there is an epoch */
    bool phase;
    bool phase0_seen; /* in this epoch */
    bool holds;       /* packets of this epoch */
    bool tail_came;   /* what is held goes on because of it */
};

struct conweave_flow
{
    struct source source;
    struct destination destination;
};

struct conweave
{
    struct weft_tor_paths paths;
    struct weft_rng rng;
    struct conweave_config config;
    const struct weft_clos *clos;
    struct source *current;      /* from arrive() to the pick() behind it: whose packet it is */
    struct destination *holding; /* those that hold packets */
    int64_t due;                 /* the least flush_at of them */
    int64_t flush;               /* on_deadline() has come: all up to this go on */
    int64_t per_link;            /* ps: there and back over a link between switches */
    uint32_t ntors;              /* 0 above the ToRs */
    uint32_t first_host;         /* of this ToR */
    uint32_t nports;
    uint32_t nheld; /* destinations that hold packets */
    uint32_t npending;
    uint32_t released;             /* queue that has been let go, or NO_QUEUE */
    struct weft_packet pending[2]; /* control packets to be sent */
    struct weft_lb_counters counters;
};

static const struct weft_param params[] = {
    {"extra-reply", WEFT_TIME, WEFT_P(struct conweave_config, extra_reply), "4us", "0ps", "1s",
     NULL, "A reply is late if it takes this much longer than an idle round trip between the ToRs.",
     "conweave-ns3: REPLY_TIMEOUT_EXTRA"},
    {"path-pause", WEFT_TIME, WEFT_P(struct conweave_config, path_pause), "16us", "0ps", "1s", NULL,
     "A path is not chosen for this long after a congestion notice about it.",
     "conweave-ns3: PATH_PAUSE_TIME"},
    {"expiry", WEFT_TIME, WEFT_P(struct conweave_config, expiry), "300us", "1ps", "2ms", NULL,
     "After a longer silence a QP may change its path at once.", "conweave-ns3: TX_EXPIRY_TIME"},
    {"extra-flush", WEFT_TIME, WEFT_P(struct conweave_config, extra_flush), "16us", "0ps", "1s",
     NULL, "Packets are held this much longer than the TAIL should take.",
     "conweave-ns3: EXTRA_VOQ_FLUSH_TIME"},
    {"default-wait", WEFT_TIME, WEFT_P(struct conweave_config, default_wait), "200us", "0ps", "1s",
     NULL, "How long the TAIL may take if no packet came by the old path.",
     "conweave-ns3: DEFAULT_VOQ_WAITING_TIME"},
    {"queues", WEFT_COUNT, WEFT_P(struct conweave_config, queues), "0", "0", "65535", NULL,
     "Reorder queues of a port to a host; without a free one packets pass out of order. 0: "
     "unlimited.",
     "Song et al., SIGCOMM 2023, §3.4"},
};

static const struct weft_preset presets[] = {
    {"fat-tree-pfc", "expiry=1ms extra-flush=64us default-wait=600us",
     "A fat-tree of three tiers at 100 Gb/s with PFC.", "conweave-ns3: run.py"},
    {"fat-tree", "expiry=1ms extra-flush=16us default-wait=300us",
     "A fat-tree of three tiers at 100 Gb/s without PFC.", "conweave-ns3: run.py"},
};

static size_t
conweave_size(const void *config, const struct weft_site *site)
{
    (void)config;
    return sizeof(struct conweave) + weft_tor_path_entries(site) * sizeof(int64_t) +
           weft_per_port(site, sizeof(uint32_t));
}

/* Until when a path to a ToR is not chosen. */
static int64_t *
paused_until(struct conweave *s, uint32_t tor, uint16_t path)
{
    return (int64_t *)(void *)(s + 1) + (size_t)tor * s->paths.npaths + path;
}

/* Reorder queues in use, by port. */
static uint32_t *
queues_of(struct conweave *s)
{
    return (uint32_t *)(void *)paused_until(s, s->ntors, 0);
}

static bool
in_bounds(const struct conweave_config *c)
{
    return c->extra_reply >= 0 && c->path_pause >= 0 && c->expiry > 0 && c->extra_flush >= 0 &&
           c->default_wait >= 0 && c->queues >= 0 && c->queues <= UINT16_MAX;
}

static int
conweave_init(void *state, const void *config, const struct weft_site *site)
{
    struct conweave *s = state;
    const struct conweave_config *c = config;
    *s = (struct conweave){
        .config = *c, .clos = site->clos, .due = WEFT_NEVER, .flush = -1, .nports = site->nports};
    s->released = NO_QUEUE;
    const int code = in_bounds(c) ? weft_tor_paths_init(&s->paths, site, &weft_lb_conweave, true)
                                  : weft_refuse_config(site->why, &weft_lb_conweave.algo, config);
    if (code || site->tier != 0)
    {
        return code;
    }
    s->ntors = site->clos->ntors;
    s->first_host = site->switch_index * site->clos->hosts_per_tor;
    s->per_link = 2 * site->clos->fabric_delay;
    weft_site_rng(&s->rng, site, CONWEAVE_STREAM | site->switch_index);
    memset(s + 1, 0, conweave_size(config, site) - sizeof *s);
    return 0;
}

static size_t
conweave_flow_size(const void *config)
{
    (void)config;
    return sizeof(struct conweave_flow);
}

static int
conweave_flow_init(void *flow, const void *config)
{
    (void)config;
    *(struct conweave_flow *)flow = (struct conweave_flow){
        .source = {.last = -1, .deadline = WEFT_NEVER, .path = WEFT_NO_TOR_PATH}};
    return 0;
}

static uint16_t
ticks(int64_t now)
{
    return (uint16_t)(now >> TICK_BITS);
}

/* A path to a ToR of two drawn that is not paused, or WEFT_NO_TOR_PATH; *@p first: the first one.
 */
static uint16_t
candidate(struct conweave *s, uint32_t tor, uint16_t *first, int64_t now)
{
    const uint32_t stride = weft_tor_path_stride(&s->paths, tor);
    const uint32_t n = s->paths.npaths / stride;
    const uint16_t a = (uint16_t)(weft_rng_below(&s->rng, n) * stride);
    const uint16_t b = (uint16_t)(weft_rng_below(&s->rng, n) * stride);
    *first = a;
    return *paused_until(s, tor, a) <= now   ? a
           : *paused_until(s, tor, b) <= now ? b
                                             : WEFT_NO_TOR_PATH;
}

static void
begin_epoch(struct source *f)
{
    f->epoch = (uint16_t)((f->epoch + 1U) & EPOCH_MASK);
    f->phase = false;
    f->stabilised = false;
    f->tail = 0;
}

/* The path of a packet that comes after a long silence, or is the QP's first. */
static void
choose(struct conweave *s, struct source *f, uint32_t tor, int64_t now)
{
    uint16_t first;
    const uint16_t path = candidate(s, tor, &first, now);
    const bool fresh = f->path == WEFT_NO_TOR_PATH;
    s->counters.reroutes += !fresh && path != WEFT_NO_TOR_PATH;
    f->path = path != WEFT_NO_TOR_PATH ? path : fresh ? first : f->path;
}

static void
stamp(struct weft_packet *data, const struct source *f, enum kind kind, bool phase, uint16_t path,
      int64_t now)
{
    weft_tor_path_set(data, path);
    data->meta[1] = ticks(now);
    data->meta[2] = f->tail;
    data->echo = (uint16_t)((unsigned)kind << KIND_SHIFT | (phase ? PHASE_BIT : 0) | f->epoch);
}

/* Data of a QP of this ToR's hosts. */
static void
send(struct conweave *s, struct source *f, struct weft_packet *data, int64_t now)
{
    const uint32_t tor = weft_clos_tor(s->clos, data->dst);
    const bool expired = f->last < 0 || now - f->last > s->config.expiry;
    const bool asks = expired || f->stabilised;
    f->last = now;
    if (asks)
    {
        const int64_t links = (int64_t)weft_clos_hops(s->clos, data->src, data->dst) - 2;
        begin_epoch(f);
        f->deadline = weft_sum(weft_sum(now, links * s->per_link), s->config.extra_reply);
        if (expired)
        {
            choose(s, f, tor, now);
        }
        s->counters.probes++;
        stamp(data, f, INIT, false, f->path, now);
        return;
    }
    if (f->deadline >= now)
    {
        stamp(data, f, PLAIN, f->phase, f->path, now);
        return;
    }
    /* The reply is late: this one is the last on the old path. */
    const uint16_t old = f->path;
    uint16_t first;
    const uint16_t path = candidate(s, tor, &first, now);
    f->deadline = WEFT_NEVER;
    f->tail = ticks(now);
    f->phase = true;
    s->counters.reroutes += path != WEFT_NO_TOR_PATH;
    f->path = path != WEFT_NO_TOR_PATH ? path : old;
    stamp(data, f, TAIL, false, old, now);
}

/* A control packet for a QP of this ToR's hosts. */
static void
hear(struct conweave *s, struct source *f, const struct weft_packet *control, int64_t now)
{
    const bool same = control->meta[2] == f->epoch;
    if (control->meta[1] == NOTIFY)
    {
        *paused_until(s, weft_clos_tor(s->clos, control->src), control->meta[2]) =
            weft_sum(now, s->config.path_pause);
    }
    else if (same && (control->meta[1] == CLEAR ? f->phase : !f->phase && now < f->deadline) &&
             (control->meta[1] == CLEAR || f->deadline != WEFT_NEVER))
    {
        f->stabilised = true;
        f->deadline = WEFT_NEVER;
    }
}

/* Tells the source's ToR. */
static void
tell(struct conweave *s, const struct weft_packet *data, enum control what, uint16_t value)
{
    s->pending[s->npending++] =
        (struct weft_packet){.sent = data->sent,
                             .src = data->dst & WEFT_HOST_MASK,
                             .dst = data->src,
                             .qp = data->qp,
                             .psn = data->psn,
                             .kind = WEFT_CONTROL,
                             .bytes = CONTROL_BYTES,
                             .sport = data->sport,
                             .in_port = (uint16_t)(data->dst - s->first_host),
                             .meta = {0, (uint16_t)what, value}};
    s->counters.notices += what == NOTIFY;
}

static void
find_due(struct conweave *s)
{
    s->due = WEFT_NEVER;
    for (const struct destination *d = s->holding; d != NULL; d = d->next)
    {
        s->due = d->flush_at < s->due ? d->flush_at : s->due;
    }
}

static void
flush_by(struct conweave *s, struct destination *d, int64_t at)
{
    d->flush_at = at;
    find_due(s);
}

/* Begins to hold a QP's packets. Returns false if its host's port has no queue left. */
static bool
hold(struct conweave *s, struct destination *d, const struct weft_packet *data, int64_t flush_at)
{
    uint32_t *used = &queues_of(s)[data->dst - s->first_host];
    if (s->config.queues > 0 && *used >= (uint32_t)s->config.queues)
    {
        s->counters.full++;
        return false;
    }
    *used += 1;
    d->holds = true;
    d->tail_came = false;
    /* Frames held of the last epoch may be released after this packet has got its place. */
    d->queue = data->qp | (~d->queue & OTHER_QUEUE);
    d->port = (uint16_t)(data->dst - s->first_host);
    d->previous = NULL;
    d->next = s->holding;
    if (d->next != NULL)
    {
        d->next->previous = d;
    }
    s->holding = d;
    s->nheld++;
    s->counters.queues = s->nheld > s->counters.queues ? s->nheld : s->counters.queues;
    flush_by(s, d, flush_at);
    return true;
}

static void
let_go(struct conweave *s, struct destination *d)
{
    *(d->previous != NULL ? &d->previous->next : &s->holding) = d->next;
    if (d->next != NULL)
    {
        d->next->previous = d->previous;
    }
    s->released = d->queue;
    d->holds = false;
    d->phase = true;
    s->nheld--;
    queues_of(s)[d->port]--;
    s->counters.flushed += !d->tail_came;
    find_due(s);
}

/* Returns how long after the last packet of phase 0 a flush waits for the TAIL. */
static int64_t
wait_of(const struct conweave *s, const struct destination *d)
{
    const int16_t behind = (int16_t)(uint16_t)(d->tail - d->phase0_left);
    const int64_t late = behind > 0 ? (int64_t)behind << TICK_BITS : 0;
    return weft_sum(d->phase0_seen ? late : s->config.default_wait, s->config.extra_flush);
}

/* Notes a data packet. Returns whether it is of phase 1 while phase 0 may still be on its way. */
static bool
note(struct destination *d, const struct weft_packet *data, int64_t now)
{
    const uint16_t epoch = data->echo & EPOCH_MASK;
    const bool phase = (data->echo & PHASE_BIT) != 0;
    const bool tail = data->echo >> KIND_SHIFT == TAIL;
    if (!d->known || epoch != d->epoch)
    {
        d->known = true;
        d->epoch = epoch;
        d->phase = false;
        d->phase0_seen = false;
    }
    if (!phase)
    {
        d->phase0_left = data->meta[1];
        d->phase0_at = now;
        d->phase0_seen = true;
    }
    if (tail || phase)
    {
        d->tail = data->meta[2];
    }
    d->phase |= tail && !d->holds;
    return phase && !d->phase;
}

/* Data for a host of this ToR. */
static enum weft_arrival
receive(struct conweave *s, struct destination *d, const struct weft_packet *data, uint32_t *queue,
        int64_t now)
{
    const uint16_t epoch = data->echo & EPOCH_MASK;
    const enum kind kind = (enum kind)(data->echo >> KIND_SHIFT);
    if (d->known && ((d->epoch - epoch) & EPOCH_MASK) - 1U < EPOCH_MASK / 2)
    {
        return WEFT_ARRIVAL_FORWARD; /* of an epoch that is over */
    }
    if (d->holds && d->epoch != epoch)
    {
        let_go(s, d); /* before this one goes on: nothing older comes any more */
    }
    const bool early = note(d, data, now);
    if (data->flags & WEFT_F_CE)
    {
        tell(s, data, NOTIFY, weft_tor_path(data));
    }
    if (kind != PLAIN)
    {
        tell(s, data, kind == INIT ? INIT_REPLY : CLEAR, epoch);
    }
    if (early)
    {
        const int64_t from = d->phase0_seen ? d->phase0_at : now;
        if (!d->holds && !hold(s, d, data, weft_sum(from, wait_of(s, d))))
        {
            return WEFT_ARRIVAL_FORWARD;
        }
        *queue = d->queue;
        s->counters.held++;
        return WEFT_ARRIVAL_HOLD;
    }
    if (d->holds)
    {
        d->tail_came = kind == TAIL;
        flush_by(s, d, weft_sum(now, kind == TAIL ? NANOSECOND : wait_of(s, d)));
    }
    return WEFT_ARRIVAL_FORWARD;
}

static enum weft_arrival
conweave_arrive(void *state, void *flow, struct weft_packet *packet, uint32_t *queue, int64_t now)
{
    struct conweave *s = state;
    struct conweave_flow *f = flow;
    s->current = NULL;
    if (f == NULL)
    {
        return WEFT_ARRIVAL_FORWARD;
    }
    if (packet->kind == WEFT_CONTROL)
    {
        hear(s, &f->source, packet, now);
        return WEFT_ARRIVAL_END;
    }
    if (packet->kind != WEFT_DATA)
    {
        return WEFT_ARRIVAL_FORWARD;
    }
    if (weft_tor_path_starts(&s->paths, packet))
    {
        s->current = &f->source;
        send(s, &f->source, packet, now);
        return WEFT_ARRIVAL_FORWARD;
    }
    return receive(s, &f->destination, packet, queue, now);
}

static uint32_t
conweave_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet, int64_t now)
{
    struct conweave *s = state;
    bool gone;
    const uint32_t port = weft_tor_path_pick(&s->paths, ports, packet, &gone);
    (void)now;
    if (!gone || s->current == NULL)
    {
        return port;
    }
    /* The uplink is gone, and what was on it with it. */
    const uint32_t other = weft_port_at(ports, weft_rng_below(&s->rng, ports->n));
    const bool own = s->current->path == weft_tor_path(packet); /* not that of a TAIL */
    const uint16_t path = weft_tor_path_move(&s->paths, packet, other);
    s->current->path = own ? path : s->current->path;
    s->counters.reroutes++;
    return other;
}

static bool
conweave_request(void *state, struct weft_request *request, int64_t now)
{
    struct conweave *s = state;
    (void)now;
    if (s->npending > 0)
    {
        request->what = WEFT_REQUEST_EMIT;
        request->packet = s->pending[0];
        s->pending[0] = s->pending[1];
        s->npending--;
        return true;
    }
    struct destination *d = s->due <= s->flush ? s->holding : NULL;
    while (d != NULL && d->flush_at != s->due)
    {
        d = d->next;
    }
    if (d != NULL)
    {
        let_go(s, d);
    }
    request->what = WEFT_REQUEST_RELEASE;
    request->queue = s->released;
    s->flush = s->released == NO_QUEUE ? -1 : s->flush;
    s->released = NO_QUEUE;
    return request->queue != NO_QUEUE;
}

static int64_t
conweave_deadline(const void *state)
{
    return ((const struct conweave *)state)->due;
}

static void
conweave_on_deadline(void *state, int64_t now)
{
    struct conweave *s = state;
    s->flush = s->due <= now ? now : s->flush;
}

static const struct weft_lb_counters *
conweave_counters(const void *state)
{
    return &((const struct conweave *)state)->counters;
}

const struct weft_lb_ops weft_lb_conweave = {
    .algo =
        {
            .name = "conweave",
            .doc =
                "ConWeave: QPs leave late paths, and the destination's ToR restores their order.",
            .source = "Song et al., SIGCOMM 2023; pro §VI",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .presets = presets,
            .npresets = sizeof presets / sizeof presets[0],
            .config_size = sizeof(struct conweave_config),
        },
    .state_size = conweave_size,
    .init = conweave_init,
    .pick = conweave_pick,
    .pick_last = true,
    .oblivious = true,
    .flow_size = conweave_flow_size,
    .flow_init = conweave_flow_init,
    .arrive = conweave_arrive,
    .request = conweave_request,
    .deadline = conweave_deadline,
    .on_deadline = conweave_on_deadline,
    .counters = conweave_counters,
    .fields = {.reads = WEFT_TOR_PATH_FIELDS | WEFT_FIELD_SENT | WEFT_FIELD_QP | WEFT_FIELD_PSN |
                        WEFT_FIELD_FLAGS | WEFT_FIELD_ECHO,
               .writes = WEFT_FIELD_ECHO | WEFT_FIELD_META},
};
