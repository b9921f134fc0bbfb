/* SPDX-License-Identifier: MIT */
/* Labels that hosts choose and switches hash: the parts that do not depend on how they choose. */
#include "lb/sprayed.h"

#include "lb/ecmp.h"
#include "lb/site.h"

void
weft_replier_init(struct weft_replier *replier, const struct weft_path_site *site, uint64_t stream,
                  int64_t how)
{
    weft_host_rng(&replier->rng, site, stream | site->host);
    replier->how = (uint64_t)how;
}

static uint32_t
draw_few(void *of, uint64_t stream)
{
    struct weft_few_labels *few = of;
    (void)stream;
    return (few->first + weft_rng_below(&few->rng, few->n)) << 16;
}

/* Each label once a round, in the order of a mask that is drawn for the round. */
static uint32_t
take_turns(void *of, uint64_t stream)
{
    struct weft_few_labels *few = of;
    uint32_t label;
    (void)stream;
    do
    {
        if (few->place == few->round)
        {
            few->place = 0;
            few->order = weft_rng_u32(&few->rng) & (few->round - 1);
        }
        label = few->place++ ^ few->order;
    } while (label >= few->n);
    return (few->first + label) << 16;
}

void
weft_few_labels_begin(struct weft_few_labels *few, struct weft_rng *rng, int64_t labels,
                      bool in_turns)
{
    if (labels < WEFT_LABELS)
    {
        few->source =
            (struct weft_random_source){.of = few, .next = in_turns ? take_turns : draw_few};
        few->rng = *rng;
        few->first = weft_label(&few->rng);
        few->n = (uint32_t)labels;
        for (few->round = 1; few->round < few->n; few->round *= 2)
        {
        }
        few->place = few->round;
        weft_rng_attach(rng, &few->source, 0);
    }
}

size_t
weft_sprayed_host_size(const void *config, const struct weft_path_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct weft_replier);
}

void
weft_sprayed_reply(void *host, struct weft_packet *reply)
{
    struct weft_replier *r = host;
    if (r->how == WEFT_REPLIES_SPRAY)
    {
        reply->sport = weft_label(&r->rng);
    }
    else if (r->how == WEFT_REPLIES_ECHO)
    {
        reply->sport = reply->echo;
    }
}

size_t
weft_sprayed_size(const void *config, const struct weft_site *site)
{
    (void)config;
    (void)site;
    return sizeof(struct weft_ecmp);
}

int
weft_sprayed_init(void *state, const void *config, const struct weft_site *site)
{
    (void)config;
    weft_ecmp_init((struct weft_ecmp *)state, site, false);
    return weft_site_ports(site);
}

uint32_t
weft_sprayed_peek(const void *state, const struct weft_ports *ports,
                  const struct weft_packet *packet)
{
    const struct weft_ecmp *ecmp = state;
    return weft_port_at(ports, weft_ecmp_mix_index(ecmp, ports->n, packet));
}

uint32_t
weft_sprayed_pick(void *state, const struct weft_ports *ports, struct weft_packet *packet,
                  int64_t now)
{
    (void)now;
    return weft_sprayed_peek(state, ports, packet);
}
