/* SPDX-License-Identifier: MIT */
/* Several processes run the nodes of one fabric: what they tell each other at the end of a window.
 * A lane that leads to another rank is there twice: what leaves it here is copied, by whoever reads
 * outboxes, into the one that is read there. */
#include "fabric/net-ranks.h"
#include "nic/wqe.h"

#include <string.h>

#include <weft/error.h>

/* What comes first in each parcel. */
struct head
{
    int64_t next; /* when something happens at this rank, or comes from it */
    uint64_t news;
    uint64_t boxes; /* of threads */
};

/* What comes first of each box. */
struct box_head
{
    uint32_t coming;
    uint32_t pfc;
    uint32_t posting;
    uint32_t posted;
};

/* Frames for a port, behind each other by class. */
struct lane_head
{
    int64_t at;
    uint32_t node;
    uint32_t port;
    uint32_t frames[WEFT_MAX_CLASSES];
};

struct pfc_head
{
    struct weft_pfc pfc;
    uint32_t node;
    uint32_t port;
};

struct mail_head
{
    struct weft_packet packet;
    int64_t at;
    uint64_t key;
    uint64_t order;
    uint32_t host;
};

void
weft_pack_put(struct weft_net *net, struct weft_pack *pack, const void *bytes, size_t n)
{
    if (n == 0)
    {
        return;
    }
    if (pack->n + n > pack->size)
    {
        const size_t twice = 2 * pack->size > 4096 ? 2 * pack->size : 4096;
        const size_t size = pack->n + n > twice ? pack->n + n : twice;
        unsigned char *larger = weft_net_take(net, size);
        if (pack->n > 0)
        {
            memcpy(larger, pack->bytes, pack->n);
        }
        pack->bytes = larger;
        pack->size = size;
    }
    memcpy(pack->bytes + pack->n, bytes, n);
    pack->n += n;
}

void
weft_parcel_take(struct weft_parcel *parcel, void *bytes, size_t n)
{
    const unsigned char *from = parcel->bytes;
    assert(n <= parcel->n);
    if (n > 0)
    {
        memcpy(bytes, from, n);
        parcel->bytes = from + n;
        parcel->n -= n;
    }
}

void
weft_ranks_exchange(struct weft_net *net)
{
    struct weft_ranks_net *ranks = net->ranks;
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        ranks->out[r] = (struct weft_parcel){ranks->pack[r].bytes, ranks->pack[r].n};
        ranks->in[r] = (struct weft_parcel){NULL, 0};
    }
    ranks->with.exchange(ranks->with.of, ranks->out, ranks->in);
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        ranks->pack[r].n = 0;
    }
}

void
weft_ranks_note(const struct weft_net *net, int64_t at)
{
    struct weft_ranks_net *ranks = net->ranks;
    ranks->elsewhere = at < ranks->elsewhere ? at : ranks->elsewhere;
}

uint32_t
weft_rank_of(const struct weft_net *net, uint32_t node)
{
    const uint32_t thread = net->node[node]->thread;
    return thread < net->threads->n ? net->ranks->with.rank : thread - net->threads->n;
}

bool
weft_net_is_here(const struct weft_net *net, uint32_t node)
{
    return !weft_node_is_elsewhere(net, net->node[node]);
}

void
weft_ranks_post(struct weft_net *net, const struct weft_net_qp *q, uint64_t bytes, uint64_t tag)
{
    const uint32_t here = net->ranks->with.rank;
    const uint32_t to[] = {0, weft_rank_of(net, q->qp.dst)};
    for (unsigned i = 0; i < 2; i++)
    {
        if (to[i] == here || (i == 1 && to[1] == 0))
        {
            continue;
        }
        struct weft_outbox *box = &net->outbox[net->threads->n + to[i]];
        box->posted =
            weft_net_grow(net, box->posted, box->nposted, &box->posted_size, sizeof *box->posted);
        box->posted[box->nposted++] =
            (struct weft_posted){.bytes = bytes, .tag = tag, .qp = q->qp.index};
    }
}

/* --- what is sent ------------------------------------------------------------------------------
 */

static void
give_back(struct weft_chunk *chunk)
{
    chunk->next = chunk->home->free;
    chunk->home->free = chunk;
}

static void
pack_lane(struct weft_net *net, struct weft_pack *pack, struct weft_lane *lane)
{
    while (lane->taken != lane->left)
    {
        if (lane->head.frame == lane->head.end)
        {
            struct weft_chunk *read = weft_chunk_of(&lane->head);
            lane->head = weft_chunk_begin(read->next);
            give_back(read);
        }
        const uint32_t here = (uint32_t)(lane->head.end - lane->head.frame);
        const uint32_t left = lane->left - lane->taken;
        const uint32_t n = left < here ? left : here;
        weft_pack_put(net, pack, lane->head.frame, n * sizeof(struct weft_frame));
        lane->head.frame += n;
        lane->taken += n;
    }
}

static void
pack_coming(struct weft_net *net, struct weft_pack *pack, const struct weft_outbox *box)
{
    for (uint32_t i = 0; i < box->ncoming; i++)
    {
        struct weft_port *port = box->port[i];
        const struct weft_remote *coming = &box->coming[i];
        struct lane_head head = {.at = coming->at, .node = coming->node, .port = coming->port};
        for (uint32_t c = 0; c < net->classes; c++)
        {
            head.frames[c] = port->lane[c].left - port->lane[c].taken;
        }
        weft_pack_put(net, pack, &head, sizeof head);
        for (uint32_t c = 0; c < net->classes; c++)
        {
            pack_lane(net, pack, &port->lane[c]);
        }
    }
}

static void
pack_rest(struct weft_net *net, struct weft_pack *pack, const struct weft_outbox *box)
{
    for (uint32_t i = 0; i < box->npfc; i++)
    {
        struct pfc_head head;
        memset(&head, 0, sizeof head);
        head.pfc = box->pfc[i].pfc;
        head.node = box->pfc[i].node;
        head.port = box->pfc[i].port;
        weft_pack_put(net, pack, &head, sizeof head);
    }
    for (uint32_t i = 0; i < box->nposting; i++)
    {
        const struct weft_posting *p = &box->posting[i];
        struct mail_head head;
        memset(&head, 0, sizeof head);
        /* Only packets cross: what programs ask for they ask for at their own rank. */
        assert(p->key >> 56 <= WEFT_MAIL_LOSS);
        head.packet = p->letter.packet;
        head.at = p->at;
        head.key = p->key;
        head.order = p->order;
        head.host = p->host;
        weft_pack_put(net, pack, &head, sizeof head);
    }
    weft_pack_put(net, pack, box->posted, box->nposted * sizeof *box->posted);
}

static void
pack_all(struct weft_net *net, uint32_t to, int64_t next, struct weft_parcel news)
{
    struct weft_threads *threads = net->threads;
    struct weft_pack *pack = &net->ranks->pack[to];
    const struct head head = {.next = next, .news = news.n, .boxes = threads->n};
    weft_pack_put(net, pack, &head, sizeof head);
    weft_pack_put(net, pack, news.bytes, news.n);
    for (uint32_t i = 0; i < threads->n; i++)
    {
        struct weft_outbox *box = &threads->outbox[i][!threads->turn][threads->n + to];
        const struct box_head has = {.coming = box->ncoming,
                                     .pfc = box->npfc,
                                     .posting = box->nposting,
                                     .posted = box->nposted};
        weft_pack_put(net, pack, &has, sizeof has);
        pack_coming(net, pack, box);
        pack_rest(net, pack, box);
        box->ncoming = 0;
        box->npfc = 0;
        box->nposting = 0;
        box->nposted = 0;
        box->soonest = WEFT_NEVER;
    }
}

/* --- what comes --------------------------------------------------------------------------------
 */

static void
read_coming(struct weft_net *net, struct weft_parcel *in)
{
    struct lane_head head;
    weft_parcel_take(in, &head, sizeof head);
    struct weft_node *node = net->node[head.node];
    struct weft_port *port = &node->port[head.port];
    for (uint32_t c = 0; c < net->classes; c++)
    {
        struct weft_lane *lane = &port->from[c];
        for (uint32_t i = 0; i < head.frames[c]; i++)
        {
            weft_parcel_take(in, weft_lane_pass(lane, &net->threads->net[node->thread]->chunks),
                             sizeof(struct weft_frame));
        }
        lane->shown = lane->left;
    }
    weft_port_expect(net, head.node, head.port, head.at);
}

static void
read_pfc(struct weft_net *net, struct weft_parcel *in)
{
    struct pfc_head head;
    weft_parcel_take(in, &head, sizeof head);
    weft_port_send_pfc(net, net->node[head.node]->port[head.port].pfc_from, &head.pfc);
    weft_port_expect(net, head.node, head.port, head.pfc.at);
}

static void
read_mail(struct weft_net *net, struct weft_parcel *in)
{
    struct mail_head head;
    weft_parcel_take(in, &head, sizeof head);
    struct weft_host_node *host = &net->host[head.host];
    struct weft_letter *letter = weft_letter_get(net->threads->net[host->node.thread]);
    letter->packet = head.packet;
    weft_host_take_mail(net, host, head.at, head.key, head.order, letter);
}

static void
read_posted(struct weft_net *net, struct weft_parcel *in)
{
    struct weft_posted posted;
    weft_parcel_take(in, &posted, sizeof posted);
    struct weft_net_qp *q = net->qp[posted.qp];
    q->wqes = weft_net_grow(net, q->wqes, (uint32_t)q->qp.nwqes, &q->room, sizeof *q->wqes);
    weft_wqe_add(&q->qp, q->wqes, posted.bytes, posted.tag);
}

static void
read_box(struct weft_net *net, struct weft_parcel *in)
{
    struct box_head has;
    weft_parcel_take(in, &has, sizeof has);
    for (uint32_t i = 0; i < has.coming; i++)
    {
        read_coming(net, in);
    }
    for (uint32_t i = 0; i < has.pfc; i++)
    {
        read_pfc(net, in);
    }
    for (uint32_t i = 0; i < has.posting; i++)
    {
        read_mail(net, in);
    }
    for (uint32_t i = 0; i < has.posted; i++)
    {
        read_posted(net, in);
    }
}

/* Reads what a rank has sent; returns its news. */
static struct weft_parcel
read_all(struct weft_net *net, uint32_t from)
{
    struct weft_parcel in = net->ranks->in[from];
    struct head head;
    weft_parcel_take(&in, &head, sizeof head);
    weft_ranks_note(net, head.next);
    const struct weft_parcel news = {in.bytes, (size_t)head.news};
    in.bytes = (const unsigned char *)in.bytes + news.n;
    in.n -= news.n;
    for (uint64_t i = 0; i < head.boxes; i++)
    {
        read_box(net, &in);
    }
    return news;
}

/* --- a window ----------------------------------------------------------------------------------
 */

/* When the first of what goes to other ranks is there. */
static int64_t
first_sent(const struct weft_threads *threads, uint32_t nranks)
{
    int64_t first = WEFT_NEVER;
    for (uint32_t i = 0; i < threads->n; i++)
    {
        for (uint32_t r = 0; r < nranks; r++)
        {
            const int64_t at = threads->outbox[i][!threads->turn][threads->n + r].soonest;
            first = at < first ? at : first;
        }
    }
    return first;
}

/* When something happens next is told again: what was heard may have been a reason. */
static void
agree(struct weft_net *net)
{
    struct weft_ranks_net *ranks = net->ranks;
    ranks->elsewhere = WEFT_NEVER;
    const struct head head = {.next = weft_net_next(net)};
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        if (r != ranks->with.rank)
        {
            weft_pack_put(net, &ranks->pack[r], &head, sizeof head);
        }
    }
    weft_ranks_exchange(net);
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        if (r != ranks->with.rank)
        {
            read_all(net, r);
        }
    }
}

void
weft_ranks_tell(struct weft_net *net)
{
    struct weft_ranks_net *ranks = net->ranks;
    struct weft_parcel news[WEFT_NET_RANKS] = {{NULL, 0}};
    bool again = false;
    ranks->elsewhere = WEFT_NEVER;
    const int64_t own = weft_net_next(net);
    const int64_t sent = first_sent(net->threads, ranks->with.n);
    if (ranks->news.tell)
    {
        news[ranks->with.rank] = ranks->news.tell(ranks->news.of);
    }
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        if (r != ranks->with.rank)
        {
            pack_all(net, r, own < sent ? own : sent, news[ranks->with.rank]);
        }
    }
    weft_ranks_exchange(net);
    weft_ranks_note(net, sent);
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        if (r != ranks->with.rank)
        {
            news[r] = read_all(net, r);
        }
    }
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        again = (news[r].n > 0 && ranks->news.hear(ranks->news.of, r, news[r])) || again;
    }
    if (again)
    {
        agree(net);
    }
}

/* --- who is where ------------------------------------------------------------------------------
 */

void
weft_net_set_news(struct weft_net *net, const struct weft_net_news *news)
{
    if (net->ranks)
    {
        net->ranks->news = *news;
    }
}

int
weft_net_set_ranks(struct weft_net *net, const struct weft_ranks *ranks)
{
    if (ranks->n < 1 || ranks->n > WEFT_NET_RANKS || ranks->rank >= ranks->n || net->threads)
    {
        return WEFT_ERANGE;
    }
    if (ranks->n > 1)
    {
        net->ranks = weft_net_take(net, sizeof *net->ranks);
        net->ranks->with = *ranks;
        net->ranks->pack = weft_net_take(net, ranks->n * sizeof *net->ranks->pack);
        net->ranks->out = weft_net_take(net, ranks->n * sizeof *net->ranks->out);
        net->ranks->in = weft_net_take(net, ranks->n * sizeof *net->ranks->in);
        net->ranks->elsewhere = WEFT_NEVER;
    }
    return 0;
}
