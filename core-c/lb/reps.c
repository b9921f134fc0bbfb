/* SPDX-License-Identifier: MIT */
/*
 * Recycled entropies (REPS): the labels of packets whose ACKs came back unmarked are kept in a
 * small ring, and each is used once more, the oldest first; or, where one ACK answers several
 * packets, as often as that. Without one a packet gets a random label, as do the first BDP of
 * packets. After a timeout the ring is frozen for a while: where no unused label is left, used ones
 * are taken again, in a circle from the ring's head, since random ones might lead to the failed
 * link.
 *
 * Unused labels always lie directly behind the head: ACKs put them there, and the head moves for
 * another reason only when none is left. Until the ring has been filled once its circle is the
 * part that is.
 */
#include "base/saturating.h"
#include "lb/ecmp.h"
#include "lb/site.h"
#include "lb/sprayed.h"
#include "roster/tables.h"

#include <weft/error.h>

/* "repq" and "reph" in ASCII: this balancer's random streams, one per QP and one per host. */
#define REPS_QP_STREAM   (UINT64_C(0x72657071) << 32)
#define REPS_HOST_STREAM (UINT64_C(0x72657068) << 32)

#define MAX_RING 1024
#define MAX_USES 1024

struct reps_config
{
    int64_t ring;
    int64_t explore;
    int64_t freeze;
    int64_t uses;
    int64_t replies; /* enum weft_replies */
    int64_t labels;
};

/* State of one QP; the labels of its ring follow. */
struct reps
{
    struct weft_rng rng;
    int64_t freeze;  /* ps; 0: never */
    int64_t thaw_at; /* while frozen: later than this */
    uint64_t explore;
    uint64_t exploring; /* packets that still get random labels, whatever the ring holds */
    uint32_t size;
    uint32_t filled; /* slots that hold a label, used or not */
    uint32_t head;   /* slot of the next label; at the end of the ring it goes back to 0 */
    uint32_t unused; /* labels not taken since they came, or not often enough */
    uint32_t uses;   /* packets per label */
    uint32_t left;   /* packets for the oldest of the unused */
    bool frozen;
};

static const struct weft_param params[] = {
    {"ring", WEFT_COUNT, WEFT_P(struct reps_config, ring), "8", "1", "1024", NULL,
     "Labels kept per QP.", "Bonato et al., EuroSys 2026"},
    {"explore", WEFT_COUNT, WEFT_P(struct reps_config, explore), "-1", "-1", "1000000000", NULL,
     "Packets with random labels at the start and after freezing mode; -1: the QP's own BDP, which "
     "is its share of the host's line times the idle fabric's round trip. The share is that among "
     "the QPs that the host has or starts with when the QP is created.",
     "Bonato et al., EuroSys 2026"},
    {"freeze", WEFT_TIME, WEFT_P(struct reps_config, freeze), "100us", "0ps", "1s", NULL,
     "Freezing mode after a timeout lasts until the first unmarked ACK later than this; 0: there "
     "is "
     "none.",
     "Bonato et al., EuroSys 2026; 100 us (ours)"},
    {"uses", WEFT_COUNT, WEFT_P(struct reps_config, uses), "1", "1", "1024", NULL,
     "Packets that take a label of the ring, one after the other. With ack-every of n, 1 leaves "
     "random labels to n - 1 of n packets, and n to none.",
     "Bonato et al., EuroSys 2026, its simulator; default: its Algorithm 1"},
    {"replies", WEFT_CHOICE, WEFT_P(struct reps_config, replies), "spray", NULL, NULL,
     WEFT_REPLIES_CHOICES, WEFT_REPLIES_DOC, "(ours), as ops has them"},
    WEFT_LABELS_PARAM(struct reps_config, "UEC's simulator has 256."),
};

static uint16_t *
ring_of(struct reps *r)
{
    return (uint16_t *)(void *)(r + 1);
}

static int
reps_host_init(void *host, const void *config, const struct weft_path_site *site)
{
    weft_replier_init((struct weft_replier *)host, site, REPS_HOST_STREAM,
                      ((const struct reps_config *)config)->replies);
    return 0;
}

/* Bytes of a QP's state and its ring; the few labels follow. */
static size_t
few_labels_at(const struct reps_config *c)
{
    const size_t bytes = sizeof(struct reps) + (size_t)c->ring * sizeof(uint16_t);
    return (bytes + 7U) & ~(size_t)7U;
}

static size_t
reps_qp_size(const void *config, const struct weft_path_site *site)
{
    const struct reps_config *c = config;
    (void)site;
    return few_labels_at(c) + weft_few_labels_size(c->labels);
}

static int
reps_qp_init(void *qp, void *host, const void *config, const struct weft_path_site *site,
             uint32_t qp_index)
{
    struct reps *r = qp;
    const struct reps_config *c = config;
    (void)host;
    if (c->ring < 1 || c->ring > MAX_RING || c->uses < 1 || c->uses > MAX_USES || c->explore < -1 ||
        c->labels < 1 || c->labels > WEFT_LABELS)
    {
        return weft_refuse_config(site->why, &weft_lb_reps.algo, config);
    }
    if (c->explore == -1 && site->qp_bdp < 1)
    {
        return weft_refuse(site->why, WEFT_EINVAL, "explore",
                           "explore is a bandwidth-delay product, and the site has none; expected "
                           "qp_bdp of at least 1");
    }
    weft_host_rng(&r->rng, site, REPS_QP_STREAM | qp_index);
    weft_few_labels_begin((struct weft_few_labels *)(void *)((char *)qp + few_labels_at(c)),
                          &r->rng, c->labels, false);
    r->freeze = c->freeze;
    r->thaw_at = 0;
    r->explore = c->explore < 0 ? site->qp_bdp : (uint64_t)c->explore;
    r->exploring = r->explore;
    r->size = (uint32_t)c->ring;
    r->filled = 0;
    r->head = 0;
    r->unused = 0;
    r->uses = (uint32_t)c->uses;
    r->left = r->uses;
    r->frozen = false;
    return weft_host_serves(site, &weft_lb_reps);
}

static uint16_t
oldest_unused(struct reps *r)
{
    const uint32_t back = r->unused;
    if (--r->left == 0)
    {
        r->unused--;
        r->left = r->uses;
    }
    return ring_of(r)[r->head >= back ? r->head - back : r->head + r->size - back];
}

/* The next slot of the circle, whether used or not. At least one is filled. */
static uint16_t
used_again(struct reps *r)
{
    r->head = r->head < r->filled ? r->head : 0;
    return ring_of(r)[r->head++];
}

static void
reps_data(void *qp, struct weft_packet *data, int64_t now)
{
    struct reps *r = qp;
    (void)now;
    if (r->exploring > 0)
    {
        r->exploring--;
        data->sport = weft_label(&r->rng);
    }
    else if (r->unused > 0)
    {
        data->sport = oldest_unused(r);
    }
    else
    {
        data->sport = r->frozen && r->filled > 0 ? used_again(r) : weft_label(&r->rng);
    }
}

static void
keep(struct reps *r, uint16_t label)
{
    r->head = r->head < r->size ? r->head : 0;
    ring_of(r)[r->head++] = label;
    r->filled = r->head > r->filled ? r->head : r->filled;
    if (r->unused < r->size)
    {
        r->unused++;
    }
    else
    {
        r->left = r->uses; /* the oldest one is gone */
    }
}

static void
reps_on_reply(void *qp, const struct weft_packet *reply, int64_t now)
{
    struct reps *r = qp;
    if (reply->kind != WEFT_ACK || (reply->flags & WEFT_F_ECE))
    {
        return;
    }
    keep(r, reply->echo);
    if (r->frozen && now > r->thaw_at)
    {
        r->frozen = false;
        r->exploring = r->explore;
    }
}

static void
reps_on_timeout(void *qp, int64_t now)
{
    struct reps *r = qp;
    if (!r->frozen && r->exploring == 0 && r->freeze > 0)
    {
        r->frozen = true;
        r->thaw_at = weft_sum(now, r->freeze);
    }
}

static int
reps_init(void *state, const void *config, const struct weft_site *site)
{
    const int missing = weft_site_serves(site, &weft_lb_reps);
    return missing ? missing : weft_sprayed_init(state, config, site);
}

static const struct weft_path_ops reps_path = {
    .host_size = weft_sprayed_host_size,
    .host_init = reps_host_init,
    .qp_size = reps_qp_size,
    .qp_init = reps_qp_init,
    .data = reps_data,
    .reply = weft_sprayed_reply,
    .on_reply = reps_on_reply,
    .on_timeout = reps_on_timeout,
    .fields = {.reads = WEFT_FIELD_KIND | WEFT_FIELD_FLAGS | WEFT_FIELD_ECHO,
               .writes = WEFT_FIELD_SPORT},
};

const struct weft_lb_ops weft_lb_reps = {
    .algo =
        {
            .name = "reps",
            .doc =
                "Recycled entropies: labels whose ACKs came back unmarked are used again, others "
                "discarded.",
            .source = "ofan §3.2(6); Bonato et al., EuroSys 2026",
            .params = params,
            .nparams = sizeof params / sizeof params[0],
            .config_size = sizeof(struct reps_config),
        },
    .state_size = weft_sprayed_size,
    .init = reps_init,
    .pick = weft_sprayed_pick,
    .any_hash = true,
    .path = &reps_path,
    .oblivious = true,
    .peek = weft_sprayed_peek,
    .fields = {.reads = WEFT_HASHED_FIELDS},
    .reorders = true,
    .learns_from_marks = true,
};
