/* SPDX-License-Identifier: MIT */
/*
 * Swift (Kumar et al., SIGCOMM 2020, Algorithm 1): the window grows by `ai` packets per round trip
 * while the delay is below a target, and shrinks in proportion to the excess, once per round trip.
 *
 * The target is that of ofan's Appendix H: the round trip of the QP's idle path, plus the time that
 * `queue-target` bytes take at line rate, in proportion to the path's links. The first window fills
 * the line for that time. A larger one would never bind while the delay is below the target, and
 * take long to come down: so it is the largest one, too.
 *
 * The delay is that of a data packet and its ACK in the fabric; hosts add none here, so that
 * Swift's second window, for the delay within hosts, has nothing to do.
 */
#include "cc/swift.h"

#include "checked/check.h"
#include "roster/tables.h"

#include <math.h>

#include <weft/error.h>
#include <weft/views.h>

static const struct weft_param params[] = {WEFT_SWIFT_PARAMS("on")};

const char *
weft_swift_check(const void *config)
{
    const struct weft_swift_config *c = config;
    if (c->max_cwnd > 0 && c->max_cwnd < c->min_cwnd)
    {
        return "max-cwnd is less than min-cwnd; expected at least min-cwnd, or 0";
    }
    if (c->fs_range > 0 && c->fs_max <= c->fs_min)
    {
        return "flow scaling needs fs-max above fs-min";
    }
    return NULL;
}

/* More than any transport lets out. */
#define MOST_WINDOW 1e9

static double
largest(const struct weft_swift *s)
{
    const struct weft_swift_config *c = s->config;
    const double seconds = (double)(s->target + c->fs_range) * 1e-12;
    const double filled = seconds * (double)s->line / s->frame;
    const double wanted = c->max_cwnd > 0 ? c->max_cwnd : filled;
    const double most = wanted < MOST_WINDOW ? wanted : MOST_WINDOW;
    return most > 1 || c->max_cwnd > 0 ? most : 1;
}

/* Brings everything up to date that follows from the window; called whenever it may have changed.
 * */
static void
publish(struct weft_swift *s)
{
    s->cwnd = s->cwnd > s->most ? s->most : s->cwnd;
    s->cwnd = s->cwnd < s->config->min_cwnd ? s->config->min_cwnd : s->cwnd;
    s->rate_bps = s->line;
    if (s->cwnd < 1)
    {
        const double rate = s->cwnd * s->frame / ((double)s->rtt * 1e-12);
        s->rate_bps = rate >= (double)s->line ? s->line : rate > 1 ? (int64_t)rate : 1;
    }
}

/* Half of what a time can be: a target, or what comes of it, is far below. */
#define LONGEST 4e18

int
weft_swift_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    struct weft_swift *s = state;
    const struct weft_swift_config *c = config;
    if (!weft_rate_possible(site->line_rate) || site->base_rtt < 1 || site->links < 1 ||
        site->frame < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, NULL,
                           "the site lacks what it needs to know; expected a line_rate above 0 and "
                           "below 2^53 bit/s, a base_rtt, links and a frame");
    }
    if (c->full_links < 1 || !(c->min_cwnd > 0) || weft_swift_check(config))
    {
        return weft_refuse_config(site->why, &weft_cc_swift.algo, config);
    }
    const double queueing = (double)c->queue_target * 8e12 / (double)site->line_rate;
    if ((double)site->base_rtt + (double)c->fs_range +
            queueing * site->links / (double)c->full_links >
        LONGEST)
    {
        return weft_refuse(site->why, WEFT_ERANGE, NULL,
                           "the target delay does not fit; expected a shorter base_rtt, or less "
                           "queue-target or fs-range");
    }
    s->config = c;
    s->line = site->line_rate;
    s->frame = ((double)site->frame + (double)site->gap) * 8.0;
    s->rtt = site->base_rtt;
    s->target = site->base_rtt + (int64_t)(queueing * site->links / (double)c->full_links);
    s->fs_alpha = 0;
    if (c->fs_range > 0)
    {
        s->fs_alpha = (double)c->fs_range / (1 / sqrt(c->fs_min) - 1 / sqrt(c->fs_max));
    }
    s->most = largest(s);
    s->cwnd = s->most;
    s->last_cut = now - site->base_rtt;
    s->timeouts = 0;
    s->delivered = 0;
    s->cuts = 0;
    publish(s);
    return 0;
}

/* The target delay at the window in force. */
static int64_t
target_of(const struct weft_swift *s)
{
    if (s->fs_alpha <= 0)
    {
        return s->target;
    }
    const double range = (double)s->config->fs_range;
    const double more = s->fs_alpha * (1 / sqrt(s->cwnd) - 1 / sqrt(s->config->fs_max));
    return s->target + (int64_t)(more < 0 ? 0 : more > range ? range : more);
}

static void
decrease(struct weft_swift *s, double cwnd, int64_t now)
{
    const double before = s->cwnd;
    s->cwnd = cwnd;
    publish(s);
    if (s->cwnd < before)
    {
        s->last_cut = now;
        s->cuts++;
    }
}

/* At most once per round trip. */
static void
cut(struct weft_swift *s, double factor, int64_t now)
{
    if (now - s->last_cut >= s->rtt)
    {
        decrease(s, s->cwnd * factor, now);
    }
}

void
weft_swift_react(struct weft_swift *s, int64_t delay, uint64_t delivered, int64_t now)
{
    const struct weft_swift_config *c = s->config;
    const int64_t target = target_of(s);
    const uint64_t acked = delivered > s->delivered ? delivered - s->delivered : 0;
    s->delivered += acked;
    s->rtt = delay > 0 ? delay : 1;
    if (delay < target)
    {
        s->cwnd += c->ai * (double)acked / (s->cwnd >= 1 ? s->cwnd : 1);
        publish(s);
        return;
    }
    const double factor = 1 - c->beta * (double)(delay - target) / (double)delay;
    cut(s, factor > 1 - c->max_mdf ? factor : 1 - c->max_mdf, now);
}

static void
swift_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    struct weft_swift *s = state;
    s->timeouts = 0;
    if (weft_swift_has_delay(ack->reply))
    {
        weft_swift_react(s, now - ack->reply->sent, ack->delivered, now);
    }
}

int64_t
weft_swift_rate(void *state, int64_t now)
{
    (void)now;
    return ((const struct weft_swift *)state)->rate_bps;
}

void
weft_swift_timeout(void *state, int64_t now)
{
    struct weft_swift *s = state;
    s->timeouts++;
    if (s->timeouts < s->config->reset)
    {
        cut(s, 1 - s->config->max_mdf, now);
    }
    else
    {
        decrease(s, s->config->min_cwnd, now);
    }
}

/* Losses of one timeout, or of one round trip, cut once. */
void
weft_swift_lost(void *state, const struct weft_loss *loss, int64_t now)
{
    struct weft_swift *s = state;
    if (loss->cause == WEFT_LOST_TRIMMED ? s->config->trim_cut : s->config->fast_cut)
    {
        cut(s, 1 - s->config->max_mdf, now);
    }
}

uint64_t
weft_swift_cuts(const void *state)
{
    return ((const struct weft_swift *)state)->cuts;
}

uint32_t
weft_swift_window(void *state, int64_t now)
{
    const double cwnd = ((const struct weft_swift *)state)->cwnd;
    (void)now;
    return cwnd < 1 ? 1U : (uint32_t)cwnd;
}

void
weft_swift_read(const void *state, struct weft_swift_view *view)
{
    /* The first member of a struct mswift as well. */
    const struct weft_swift *s =
        WEFT_OWN_STATE(state, &weft_cc_swift, &weft_cc_mswift, "weft_swift_read");
    *view = (struct weft_swift_view){
        .cwnd = s->cwnd,
        .delay = s->rtt,
        .target = target_of(s),
        .timeouts = s->timeouts,
        .cuts = s->cuts,
    };
}

const struct weft_cc_ops weft_cc_swift = {
    .algo =
        {
            .name = "swift",
            .doc = "Swift: a window that keeps the round trip near a target delay.",
            .source = "Kumar et al., SIGCOMM 2020; ofan App. H",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct weft_swift_config),
            .check = weft_swift_check,
        },
    .state_size = sizeof(struct weft_swift),
    .init = weft_swift_init,
    .rate = weft_swift_rate,
    .on_ack = swift_ack,
    .on_timeout = weft_swift_timeout,
    .on_lost = weft_swift_lost,
    .cuts = weft_swift_cuts,
    .window = weft_swift_window,
    .fields = {.reads = WEFT_FIELD_SENT | WEFT_FIELD_FLAGS},
};
