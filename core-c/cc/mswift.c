/* SPDX-License-Identifier: MIT */
/*
 * MSwift (Gerstein, Silberstein, Keslassy, arXiv 2509.07907): Swift for sprayed packets. Each of
 * them sees another path, so that the latest delay, which Swift acts on, is that of a path at
 * random, and any congested one cuts the window again and again. MSwift acts on the median of the
 * latest delays: only congestion of half of the packets counts.
 *
 * The median is over the ACKs of a window, about a round trip, but at most `samples` of them; of an
 * even number it is the lower of the two in the middle. They are kept twice, by age and in order,
 * and each ACK moves a few words.
 */
#include "cc/swift.h"

#include "roster/tables.h"

#include <string.h>

#include <weft/error.h>

#define MOST_SAMPLES 63

struct mswift
{
    struct weft_swift swift;
    uint32_t count;
    uint32_t oldest;               /* index in recent[] */
    int64_t recent[MOST_SAMPLES];  /* a ring */
    int64_t ordered[MOST_SAMPLES]; /* the same, ascending */
};

static const struct weft_param params[] = {
    WEFT_SWIFT_PARAMS("off"), /* LTCP: packets out of order are no sign of congestion */
    {"samples", WEFT_COUNT, WEFT_SWIFT_P(samples), "31", "1", "63", NULL,
     "Largest number of delays of which it takes the median; fewer in a smaller window.", "(ours)"},
};

static int
mswift_init(void *state, const void *config, const struct weft_cc_site *site, int64_t now)
{
    struct mswift *m = state;
    const int64_t samples = ((const struct weft_swift_config *)config)->samples;
    m->count = 0;
    m->oldest = 0;
    return samples < 1 || samples > MOST_SAMPLES
               ? weft_refuse_config(site->why, &weft_cc_mswift.algo, config)
               : weft_swift_init(&m->swift, config, site, now);
}

/* The first place in ordered[] whose delay is not below this one. */
static uint32_t
place_of(const struct mswift *m, int64_t delay)
{
    uint32_t i = 0;
    for (uint32_t n = m->count; n > 0;)
    {
        const uint32_t half = n / 2;
        const bool below = m->ordered[i + half] < delay;
        i = below ? i + half + 1 : i;
        n = below ? n - half - 1 : half;
    }
    return i;
}

static void
forget_oldest(struct mswift *m)
{
    const uint32_t i = place_of(m, m->recent[m->oldest]);
    m->count--;
    m->oldest = m->oldest + 1 < MOST_SAMPLES ? m->oldest + 1 : 0;
    memmove(m->ordered + i, m->ordered + i + 1, (m->count - i) * sizeof(m->ordered[0]));
}

static void
remember(struct mswift *m, int64_t delay)
{
    const uint32_t i = place_of(m, delay);
    const uint32_t end = m->oldest + m->count;
    m->recent[end < MOST_SAMPLES ? end : end - MOST_SAMPLES] = delay;
    memmove(m->ordered + i + 1, m->ordered + i, (m->count - i) * sizeof(m->ordered[0]));
    m->ordered[i] = delay;
    m->count++;
}

static void
mswift_ack(void *state, const struct weft_cc_ack *ack, int64_t now)
{
    struct mswift *m = state;
    const uint32_t window = weft_swift_window(&m->swift, now);
    const uint32_t samples = (uint32_t)m->swift.config->samples;
    const uint32_t most = window < samples ? window : samples;
    m->swift.timeouts = 0;
    if (!weft_swift_has_delay(ack->reply))
    {
        return;
    }
    while (m->count >= most)
    {
        forget_oldest(m);
    }
    remember(m, now - ack->reply->sent);
    weft_swift_react(&m->swift, m->ordered[(m->count - 1) / 2], ack->delivered, now);
}

const struct weft_cc_ops weft_cc_mswift = {
    .algo =
        {
            .name = "mswift",
            .doc = "MSwift: Swift on the median of the latest delays, for sprayed packets.",
            .source = "Gerstein et al., arXiv 2509.07907; ofan §8.3, App. H",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct weft_swift_config),
            .check = weft_swift_check,
        },
    .state_size = sizeof(struct mswift),
    .init = mswift_init,
    .rate = weft_swift_rate,
    .on_ack = mswift_ack,
    .on_timeout = weft_swift_timeout,
    .on_lost = weft_swift_lost,
    .cuts = weft_swift_cuts,
    .window = weft_swift_window,
    .fields = {.reads = WEFT_FIELD_SENT | WEFT_FIELD_FLAGS},
};
