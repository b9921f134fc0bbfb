/* SPDX-License-Identifier: MIT */
/* Letters to hosts. */
#include "node/mail.h"

#include "node/host-node.h"
#include "node/shared.h"

struct weft_letter *
weft_letter_get(struct weft_worker *worker)
{
    struct weft_letter *letter = worker->letters;
    if (!letter)
    {
        return weft_take(&worker->memory, sizeof *letter);
    }
    worker->letters = letter->next;
    return letter;
}

void
weft_letter_put(struct weft_worker *worker, struct weft_letter *letter)
{
    letter->next = worker->letters;
    worker->letters = letter;
}

void
weft_mail_put(struct weft_worker *worker, uint32_t host, int64_t at, uint64_t key, uint64_t order,
              struct weft_letter *letter)
{
    weft_agenda_add(&worker->net->host[host].mail, at, key, order, letter, &worker->memory);
    weft_net_wake(worker->net, host, at);
}

void
weft_mail_send(struct weft_worker *worker, uint32_t host, int64_t at, uint64_t key,
               struct weft_letter *letter)
{
    struct weft_net *net = worker->net;
    struct weft_node *asks = worker->running;
    if (!asks && weft_node_is_elsewhere(net, host))
    {
        worker->far->note(worker, at);
        weft_letter_put(worker, letter);
        return;
    }
    const uint64_t order =
        asks ? (uint64_t)(asks->number + 1) << 40 | asks->nletters++ : net->nletters++;
    /* A watched node is run alone: its letters go straight into any host's mail. */
    if (worker->outbox && net->run_by[host] != worker->number && !asks->watched)
    {
        worker->far->letter(worker, host, at, key, order, letter);
        weft_letter_put(worker, letter);
        return;
    }
    weft_mail_put(worker, host, at, key, order, letter);
}

void
weft_mail_loss(struct weft_worker *worker, const struct weft_packet *lost, int64_t now)
{
    const struct weft_net_qp *q = worker->net->qp[lost->qp];
    const int64_t soonest = now + q->way_back;
    const int64_t idle = lost->sent + q->round_trip;
    struct weft_letter *letter = weft_letter_get(worker);
    letter->packet = *lost;
    weft_mail_send(worker, q->qp.src, idle > soonest ? idle : soonest,
                   weft_mail_key(WEFT_MAIL_LOSS, (uint64_t)lost->qp << 24 | lost->psn), letter);
}
