/* SPDX-License-Identifier: MIT */
/* Several processes run the nodes of one fabric: what they tell each other at the end of a window.
 * A lane that leads to another rank is there twice: what leaves it here is copied, by whoever reads
 * outboxes, into the one that is read there. */
#include "parallel/net-ranks.h"
#include "nic/wqe.h"
#include "node/qp-make.h"

#include <string.h>

#include <weft/error.h>

/* Head of each parcel. */
struct head
{
    int64_t next; /* when something happens at this rank, or comes from it */
    uint64_t news;
    uint64_t boxes; /* of threads */
    uint64_t more;  /* it has another parcel for some rank */
};

/* Kinds of rows in a box, in the order in which they are packed. */
enum kind
{
    COMING,
    PFC,
    POSTING,
    MADE,
    POSTED,
    KINDS,
};

/* Head of each box. */
struct box_head
{
    uint32_t n[KINDS];
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
        unsigned char *larger = weft_take(&net->first.memory, size);
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

/* Something happens at another rank, @p at. */
static void
note(struct weft_net *net, int64_t at)
{
    struct weft_ranks_net *ranks = net->ranks;
    ranks->elsewhere = at < ranks->elsewhere ? at : ranks->elsewhere;
}

/* --- what is sent ------------------------------------------------------------------------------
 */

static void
pack_lane(struct weft_net *net, struct weft_pack *pack, struct weft_lane *lane)
{
    while (lane->taken != lane->left)
    {
        if (lane->head.frame == lane->head.end)
        {
            struct weft_chunk *read = weft_chunk_of(&lane->head);
            lane->head = weft_chunk_begin(read->next);
            weft_chunk_put(read);
        }
        const uint32_t here = (uint32_t)(lane->head.end - lane->head.frame);
        const uint32_t left = lane->left - lane->taken;
        const uint32_t n = left < here ? left : here;
        weft_pack_put(net, pack, lane->head.frame, n * sizeof(struct weft_frame));
        lane->head.frame += n;
        lane->taken += n;
    }
    struct weft_chunk *last = weft_lane_empty(lane);
    if (last)
    {
        weft_chunk_put(last);
    }
}

static void
pack_coming(struct weft_net *net, struct weft_pack *pack, const struct weft_coming *coming)
{
    const struct weft_remote *to = &coming->to;
    const struct weft_port *port = coming->by;
    struct lane_head head = {.at = to->at, .node = to->node, .port = to->port};
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

static void
pack_pfc(struct weft_net *net, struct weft_pack *pack, const struct weft_pfc_coming *pfc)
{
    struct pfc_head head;
    memset(&head, 0, sizeof head);
    head.pfc = pfc->pfc;
    head.node = pfc->node;
    head.port = pfc->port;
    weft_pack_put(net, pack, &head, sizeof head);
}

static void
pack_mail(struct weft_net *net, struct weft_pack *pack, const struct weft_posting *p)
{
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
    if (p->key >> 56 == WEFT_MAIL_STAMP)
    {
        weft_pack_put(net, pack, &p->letter.stamp, sizeof p->letter.stamp);
    }
}

static void
pack_item(struct weft_net *net, struct weft_pack *pack, const struct weft_outbox *box,
          enum kind kind, uint32_t i)
{
    switch (kind)
    {
    case COMING:
        pack_coming(net, pack, &box->coming[i]);
        break;
    case PFC:
        pack_pfc(net, pack, &box->pfc[i]);
        break;
    case POSTING:
        pack_mail(net, pack, &box->posting[i]);
        break;
    case MADE:
        weft_pack_put(net, pack, &box->made[i], sizeof box->made[i]);
        break;
    default:
        weft_pack_put(net, pack, &box->posted[i], sizeof box->posted[i]);
    }
}

/* Packs what is next of a box, while there is room. Returns whether anything is left. */
static bool
pack_box(struct weft_net *net, struct weft_pack *pack, struct weft_outbox *box)
{
    const size_t at = pack->n;
    const uint32_t n[KINDS] = {box->ncoming, box->npfc, box->nposting, box->nmade, box->nposted};
    struct box_head has = {{0}};
    uint32_t before = 0;
    weft_pack_put(net, pack, &has, sizeof has);
    for (unsigned kind = 0; kind < KINDS; before += n[kind++])
    {
        while (box->packed < before + n[kind] && pack->n < net->ranks->parcel)
        {
            pack_item(net, pack, box, (enum kind)kind, box->packed++ - before);
            has.n[kind]++;
        }
    }
    memcpy(pack->bytes + at, &has, sizeof has);
    return box->packed < before;
}

static void
empty_box(struct weft_outbox *box)
{
    box->ncoming = 0;
    box->npfc = 0;
    box->nposting = 0;
    box->nmade = 0;
    box->nposted = 0;
    box->packed = 0;
    box->soonest = WEFT_NEVER;
}

/* Packs a parcel for a rank. Returns whether there is more for it. */
static bool
pack_all(struct weft_net *net, uint32_t to, int64_t next, struct weft_parcel news)
{
    struct weft_threads *threads = net->threads;
    struct weft_pack *pack = &net->ranks->pack[to];
    const struct head head = {.next = next, .news = news.n, .boxes = threads->n};
    bool more = false;
    weft_pack_put(net, pack, &head, sizeof head);
    weft_pack_put(net, pack, news.bytes, news.n);
    for (uint32_t i = 0; i < threads->n; i++)
    {
        struct weft_outbox *box = &threads->outbox[i][!threads->turn][threads->n + to];
        const bool left = pack_box(net, pack, box);
        if (!left)
        {
            empty_box(box);
        }
        more = more || left;
    }
    return more;
}

/* --- what comes --------------------------------------------------------------------------------
 */

static void
read_coming(struct weft_net *net, struct weft_parcel *in)
{
    struct lane_head head;
    weft_parcel_take(in, &head, sizeof head);
    struct weft_port *port = &net->node[head.node]->port[head.port];
    struct weft_chunks *chunks = &net->node[head.node]->worker->chunks;
    for (uint32_t c = 0; c < net->classes; c++)
    {
        struct weft_lane *lane = &port->from[c];
        for (uint32_t i = 0; i < head.frames[c]; i++)
        {
            weft_parcel_take(in, weft_lane_pass(lane, chunks), sizeof(struct weft_frame));
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
    weft_pfc_lane_put(net->node[head.node]->port[head.port].pfc_from, &head.pfc,
                      &net->first.memory);
    weft_port_expect(net, head.node, head.port, head.pfc.at);
}

static void
read_mail(struct weft_net *net, struct weft_parcel *in)
{
    struct mail_head head;
    weft_parcel_take(in, &head, sizeof head);
    struct weft_worker *worker = net->node[head.host]->worker;
    struct weft_letter *letter = weft_letter_get(worker);
    letter->packet = head.packet;
    if (head.key >> 56 == WEFT_MAIL_STAMP)
    {
        weft_parcel_take(in, &letter->stamp, sizeof letter->stamp);
    }
    weft_mail_put(worker, head.host, head.at, head.key, head.order, letter);
}

static void
read_made(struct weft_net *net, struct weft_parcel *in)
{
    struct weft_net_qp_site site;
    struct weft_net_qp *made;
    weft_parcel_take(in, &site, sizeof site);
    const int code = weft_qp_make(&net->first, &site, &made, NULL);
    assert(code == 0); /* its sender's rank has made it alike */
    (void)code;
    weft_qp_register(net, made, site.index, &net->first.memory);
}

static void
read_posted(struct weft_net *net, struct weft_parcel *in)
{
    struct weft_posted posted;
    weft_parcel_take(in, &posted, sizeof posted);
    struct weft_net_qp *q = net->qp[posted.qp];
    q->wqes =
        weft_grow(&net->first.memory, q->wqes, (uint32_t)q->qp.nwqes, &q->room, sizeof *q->wqes);
    weft_wqe_add(&q->qp, q->wqes, posted.bytes, posted.tag);
}

static void
read_box(struct weft_net *net, struct weft_parcel *in)
{
    static void (*const read[KINDS])(struct weft_net *,
                                     struct weft_parcel *) = {[COMING] = read_coming,
                                                              [PFC] = read_pfc,
                                                              [POSTING] = read_mail,
                                                              [MADE] = read_made,
                                                              [POSTED] = read_posted};
    struct box_head has;
    weft_parcel_take(in, &has, sizeof has);
    for (unsigned kind = 0; kind < KINDS; kind++)
    {
        for (uint32_t i = 0; i < has.n[kind]; i++)
        {
            read[kind](net, in);
        }
    }
}

/* Reads what a rank has sent; returns its news, and whether more comes. */
static struct weft_parcel
read_all(struct weft_net *net, uint32_t from, bool *more)
{
    struct weft_parcel in = net->ranks->in[from];
    struct head head;
    weft_parcel_take(&in, &head, sizeof head);
    note(net, head.next);
    *more = *more || head.more;
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
    bool more = false;
    ranks->elsewhere = WEFT_NEVER;
    const struct head head = {.next = weft_threads_next(net)};
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
            read_all(net, r, &more);
        }
    }
}

/* All ranks go on until none has more. */
static void
say_whether_more(struct weft_ranks_net *ranks, bool more)
{
    const uint64_t says = more;
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        if (r != ranks->with.rank)
        {
            memcpy(ranks->pack[r].bytes + offsetof(struct head, more), &says, sizeof says);
        }
    }
}

/* Swaps one parcel with each rank. @p news: this rank's own, and then those that have come. Returns
 * whether any rank has more for another one: all see that. */
static bool
swap(struct weft_net *net, int64_t next, struct weft_parcel *news)
{
    const struct weft_ranks *with = &net->ranks->with;
    bool more = false;
    for (uint32_t r = 0; r < with->n; r++)
    {
        if (r != with->rank)
        {
            more = pack_all(net, r, next, news[with->rank]) || more;
        }
    }
    say_whether_more(net->ranks, more);
    weft_ranks_exchange(net);
    for (uint32_t r = 0; r < with->n; r++)
    {
        if (r != with->rank)
        {
            news[r] = read_all(net, r, &more);
        }
    }
    return more;
}

/* Calls whoever hears of news. */
static bool
hear_all(const struct weft_ranks_net *ranks, const struct weft_parcel *news)
{
    bool again = false;
    for (uint32_t r = 0; r < ranks->with.n; r++)
    {
        again = (news[r].n > 0 && ranks->news.hear(ranks->news.of, r, news[r])) || again;
    }
    return again;
}

void
weft_ranks_tell(struct weft_net *net)
{
    struct weft_ranks_net *ranks = net->ranks;
    struct weft_parcel news[WEFT_NET_RANKS] = {{NULL, 0}};
    struct weft_parcel none[WEFT_NET_RANKS] = {{NULL, 0}};
    ranks->elsewhere = WEFT_NEVER;
    const int64_t own = weft_threads_next(net);
    const int64_t sent = first_sent(net->threads, ranks->with.n);
    const int64_t next = own < sent ? own : sent;
    if (ranks->news.tell)
    {
        news[ranks->with.rank] = ranks->news.tell(ranks->news.of);
    }
    note(net, sent);
    bool more = swap(net, next, news);
    const bool again = hear_all(ranks, news); /* before the next parcels come */
    while (more)
    {
        more = swap(net, next, none);
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

/* The switches of a tier are divided alike, so that a pod has one rank as far as possible; hosts
 * have that of their ToR. */
static void
divide(struct weft_net *net)
{
    const struct weft_clos *clos = net->config.clos;
    const struct weft_ranks *with = &net->ranks->with;
    uint8_t *switches = net->run_by + net->nhosts;
    for (uint32_t first = 0, end; first < net->nswitches; first = end)
    {
        end = weft_net_next_tier(net, first);
        for (uint32_t i = first; i < end; i++)
        {
            const uint32_t rank = (uint32_t)((uint64_t)(i - first) * with->n / (end - first));
            switches[i] = (uint8_t)(rank == with->rank ? 0 : WEFT_ELSEWHERE + rank);
        }
    }
    for (uint32_t host = 0; host < net->nhosts; host++)
    {
        net->run_by[host] = switches[weft_clos_tor(clos, host)];
    }
}

int
weft_ranks_begin(struct weft_net *net, struct weft_refusal *why)
{
    _Static_assert(WEFT_MOST_PARTS <= WEFT_ELSEWHERE &&
                       WEFT_ELSEWHERE + WEFT_NET_RANKS <= UINT8_MAX + 1,
                   "a node has a byte for it");
    const struct weft_ranks *with = net->config.ranks;
    if (!with || with->n == 1)
    {
        return 0;
    }
    if (with->n < 1 || with->n > WEFT_NET_RANKS || with->rank >= with->n)
    {
        return weft_refuse(why, WEFT_ERANGE, NULL,
                           "the ranks; expected 1 to 128, and this one's number to be below");
    }
    net->ranks = weft_take(&net->first.memory, sizeof *net->ranks);
    net->ranks->with = *with;
    net->ranks->pack = weft_take(&net->first.memory, with->n * sizeof *net->ranks->pack);
    net->ranks->out = weft_take(&net->first.memory, with->n * sizeof *net->ranks->out);
    net->ranks->in = weft_take(&net->first.memory, with->n * sizeof *net->ranks->in);
    net->ranks->seen = (struct weft_node_seen **)weft_take(
        &net->first.memory, ((size_t)net->nhosts + net->nswitches) * sizeof *net->ranks->seen);
    net->ranks->parcel = WEFT_PARCEL;
    net->ranks->ports =
        weft_take(&net->first.memory, (size_t)64 * net->words * sizeof *net->ranks->ports);
    net->ranks->elsewhere = WEFT_NEVER;
    divide(net);
    return 0;
}
