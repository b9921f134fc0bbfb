/* SPDX-License-Identifier: MIT */
#include "cc/pulled.h"

#include "roster/tables.h"

#include <weft/error.h>

/* Largest number of bytes that 15 bits of quanta say. */
#define MOST_CREDIT (INT64_C(32767) * WEFT_PULL_QUANTUM)

static int64_t
window_of(const struct weft_pulled_config *c, const struct weft_cc_site *site)
{
    const int64_t rtt = c->network_rtt > 0 ? c->network_rtt : site->base_rtt;
    const double bytes = c->window * (double)site->line_rate * (double)rtt / 8e12;
    return bytes < (double)MOST_CREDIT / 2 ? (int64_t)bytes : MOST_CREDIT / 2;
}

int
weft_pulled_init(void *state, const void *config, const struct weft_cc_site *site,
                 const struct weft_algo *algo)
{
    const struct weft_pulled_config *c = config;
    struct weft_pulled *s = state;
    if (!weft_rate_possible(site->line_rate) || site->base_rtt < 1 || site->frame < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site lacks what it needs to know; expected a line_rate above 0 and "
                           "below 2^53 bit/s, a base_rtt and a frame");
    }
    if (!(c->window > 0) || !(c->pace > 0) || c->pull < WEFT_PULL_QUANTUM || c->network_rtt < 0)
    {
        return weft_refuse_config(site->why, algo, c);
    }
    *s = (struct weft_pulled){.line = site->line_rate,
                              .credit = window_of(c, site),
                              .most = window_of(c, site),
                              .frame = site->frame,
                              .speculates = true,
                              .divides = c->divide};
    return 0;
}

int64_t
weft_pulled_rate(void *state, int64_t now)
{
    (void)now;
    return ((const struct weft_pulled *)state)->line;
}

static void
stop_speculating(struct weft_pulled *s)
{
    s->credit = s->speculates && s->credit > 0 ? 0 : s->credit;
    s->speculates = false;
}

void
weft_pulled_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    (void)ack;
    (void)now;
    stop_speculating((struct weft_pulled *)state);
}

void
weft_pulled_pull(void *state, const struct weft_packet *pull, int64_t now)
{
    struct weft_pulled *s = state;
    const int16_t more = (int16_t)(uint16_t)(pull->ahead - (uint16_t)s->pulled);
    (void)now;
    stop_speculating(s);
    if (more > 0)
    {
        s->pulled += (uint64_t)more;
        s->credit += (int64_t)more * WEFT_PULL_QUANTUM;
        s->credit = s->credit < s->most ? s->credit : s->most;
    }
}

/* Credit that is asked for: for what waits, at most a window, less what there is. QPs that send at
 * once may ask for their part. */
void
weft_pulled_stamp(void *state, const struct weft_demand *demand, struct weft_packet *data,
                  int64_t now)
{
    struct weft_pulled *s = state;
    const uint64_t full = (uint64_t)(s->most / s->frame + 1);
    const int64_t waits = (int64_t)(demand->waiting < full ? demand->waiting : full) * s->frame;
    (void)now;
    s->credit -= data->bytes;
    int64_t asked = (waits < s->most ? waits : s->most) - s->credit;
    asked = s->speculates && demand->has_new && asked < s->frame ? s->frame : asked;
    asked = s->divides && demand->active > 1 ? asked / (int64_t)demand->active : asked;
    const int64_t quanta = asked > 0 ? (asked + WEFT_PULL_QUANTUM - 1) / WEFT_PULL_QUANTUM : 0;
    data->ahead = (uint16_t)(s->pulled + (uint64_t)quanta);
}

/* Without credit one packet may be in flight, so that a QP of which the receiver has forgotten, or
 * never heard, goes on. */
uint32_t
weft_pulled_window(void *state, int64_t now)
{
    (void)now;
    return ((const struct weft_pulled *)state)->credit > 0 ? UINT32_MAX : 1;
}

void
weft_pulled_terms(const void *config, const struct weft_cc_site *site,
                  struct weft_pull_terms *terms)
{
    const struct weft_pulled_config *c = config;
    const double line = (double)site->line_rate * c->pace;
    *terms = (struct weft_pull_terms){
        .each = (uint32_t)(c->pull / WEFT_PULL_QUANTUM),
        .ahead = c->ahead ? (uint32_t)(window_of(c, site) / WEFT_PULL_QUANTUM) : 0,
        .pace = WEFT_PULL_QUANTUM * 8e12 / line,
    };
}
