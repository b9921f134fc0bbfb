/* SPDX-License-Identifier: MIT */
/* News of a run that several ranks share: what each tells the others of messages at the end of a
 * window. */
#include "run/run-parts.h"

#include <string.h>

/* Head of rows. */
struct head
{
    uint64_t of; /* WEFT_NEWS_BEGUN, or the number of a collective */
    uint64_t n;
};

static void
put(struct weft_run *run, const void *bytes, size_t n)
{
    if (run->ntold + n > run->told_room)
    {
        const size_t room = 2 * (run->ntold + n);
        unsigned char *told = weft_take(&run->memory, room);
        if (run->ntold > 0)
        {
            memcpy(told, run->told, run->ntold);
        }
        run->told = told;
        run->told_room = room;
    }
    memcpy(run->told + run->ntold, bytes, n);
    run->ntold += n;
}

void
weft_news_put(struct weft_run *run, uint64_t of, const void *rows, size_t n, size_t each)
{
    const struct head head = {of, n};
    if (n > 0)
    {
        put(run, &head, sizeof head);
        put(run, rows, n * each);
    }
}

static struct weft_parcel
tell(void *of)
{
    struct weft_run *run = of;
    run->ntold = 0;
    weft_news_put(run, WEFT_NEWS_BEGUN, run->begun, run->nbegun, sizeof *run->begun);
    run->nbegun = 0;
    for (uint32_t i = 0; i < run->nworks; i++)
    {
        weft_collective_tell(run->work[i], i);
    }
    return (struct weft_parcel){run->told, run->ntold};
}

static const unsigned char *
hear_begun(struct weft_run *run, const unsigned char *at, uint64_t n)
{
    for (uint64_t i = 0; i < n; i++)
    {
        struct weft_begun begun;
        memcpy(&begun, at, sizeof begun);
        at += sizeof begun;
        struct weft_connection *c = run->connection[begun.connection];
        if (!weft_net_is_here(run->net, c->src))
        {
            weft_connection_begin(c, begun.tag, begun.parts);
        }
    }
    return at;
}

static bool
hear(void *of, uint32_t rank, struct weft_parcel news)
{
    struct weft_run *run = of;
    const unsigned char *at = news.bytes;
    const unsigned char *const end = at + news.n;
    bool released = false;
    (void)rank;
    while (at < end)
    {
        struct head head;
        memcpy(&head, at, sizeof head);
        at += sizeof head;
        if (head.of == WEFT_NEWS_BEGUN)
        {
            at = hear_begun(run, at, head.n);
            continue;
        }
        released = weft_collective_hear(run->work[head.of], at, head.n) || released;
        at += head.n * sizeof(struct weft_outcome);
    }
    return released;
}

void
weft_news_begin(struct weft_run *run)
{
    weft_net_set_news(run->net, &(struct weft_net_news){run, tell, hear});
}
