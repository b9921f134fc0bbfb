/* SPDX-License-Identifier: MIT */
/* Whether the parts of a fabric suit each other. */
#include "net/net-check.h"

#include <weft/error.h>
#include <weft/param.h>

#include "base/text-out.h"

/* Text of a refusal, put together from pieces of text and numbers. */
struct reason
{
    struct weft_refusal *why;
    struct weft_text text;
    char buf[WEFT_REFUSAL_BYTES];
};

static struct reason *
begin(struct reason *r, struct weft_refusal *why)
{
    r->why = why;
    r->text = (struct weft_text){r->buf, sizeof r->buf, 0};
    return r;
}

static struct reason *
say(struct reason *r, const char *text)
{
    weft_text_put(&r->text, text);
    return r;
}

static struct reason *
count(struct reason *r, int64_t value)
{
    weft_text_u64(&r->text, value > 0 ? (uint64_t)value : 0);
    return r;
}

static int
refuse(struct reason *r, int code, const char *param)
{
    weft_text_end(&r->text);
    return weft_refuse(r->why, code, param, r->buf);
}

/* "SUBJECT of N bytes, which holds no full frame of P + H bytes: every one would be VERB; expected
 * N bytes at least" */
static struct reason *
say_too_short(struct reason *r, const struct weft_fabric_config *frame, const char *subject,
              int64_t bytes, const char *verb)
{
    count(say(r, subject), bytes);
    count(say(r, " bytes, which holds no full frame of "), frame->payload);
    count(say(r, " + "), frame->header);
    say(say(r, " bytes: every one would be "), verb);
    count(say(r, "; expected "), frame->payload + frame->header);
    return say(r, " bytes at least");
}

static int
check_buffer(const struct weft_net_config *c, struct weft_refusal *why)
{
    const struct weft_mmu_config *b = &c->buffer;
    const int64_t full = c->frame.payload + c->frame.header;
    struct reason r;
    begin(&r, why);
    if (b->port_buffer > 0 && b->port_buffer < full)
    {
        say_too_short(&r, &c->frame, "has a port-buffer of ", b->port_buffer, "dropped");
        return refuse(say(&r, ", or 0"), WEFT_ERANGE, "port-buffer");
    }
    if (b->trim && b->trim_at < full)
    {
        return refuse(say_too_short(&r, &c->frame, "has a trim-at of ", b->trim_at, "trimmed"),
                      WEFT_ERANGE, "trim-at");
    }
    if (b->trim && b->trim_bytes < c->frame.header)
    {
        count(say(&r, "has trim-bytes of "), b->trim_bytes);
        count(say(&r, ", less than the header of "), c->frame.header);
        count(say(&r, " bytes; expected "), c->frame.header);
        return refuse(say(&r, " at least"), WEFT_ERANGE, "trim-bytes");
    }
    return 0;
}

static int
check_queue(const struct weft_net_config *c, const struct weft_net_level *l,
            struct weft_refusal *why)
{
    struct reason r;
    if (l->tclass >= 1 && l->tclass < c->buffer.classes)
    {
        return 0;
    }
    begin(&r, why);
    count(say(&r, "is none for data, as the ports of a switch have "), c->buffer.classes);
    count(say(&r, " classes; expected 1 to "), c->buffer.classes - 1);
    return refuse(say(&r, ", or more classes"), WEFT_ERANGE, NULL);
}

static int
check_transport(const struct weft_net_config *c, const struct weft_net_level *l,
                struct weft_refusal *why)
{
    const int64_t most =
        weft_config_get_int(&l->transport->algo, l->transport_config, "outstanding", INT64_MAX);
    struct reason r;
    begin(&r, why);
    if (c->buffer.trim && !l->transport->trims)
    {
        return refuse(say(&r, "would take a trimmed packet for a whole one; expected the transport "
                              "trim, or trim=off at the switches"),
                      WEFT_EINVAL, "trim");
    }
    if (l->cc->stamp && l->transport->tx_stamp)
    {
        return refuse(say(&r, "writes into data where the congestion control asks for credit; "
                              "expected another transport, as trim or sack, or a congestion "
                              "control without pulls"),
                      WEFT_EINVAL, "name");
    }
    if (most < c->frame.ack_every)
    {
        count(say(&r, "has outstanding "), most);
        count(say(&r, ", less than ack-every "), c->frame.ack_every);
        return refuse(say(&r, ": every ACK would wait for the RTO; expected outstanding to be at "
                              "least ack-every"),
                      WEFT_ERANGE, "outstanding");
    }
    return 0;
}

static int
check_balancer(const struct weft_net_config *c, const struct weft_net_level *l,
               struct weft_refusal *why)
{
    struct reason r;
    begin(&r, why);
    if (l->lb->tor && c->frame.ack_priority == WEFT_ACK_IDEAL)
    {
        return refuse(say(&r, "works on replies at ToRs, and ideal ones pass none; expected "
                              "ack-priority share or first"),
                      WEFT_EINVAL, "ack-priority");
    }
    if (l->lb->tor && c->buffer.trim)
    {
        return refuse(say(&r, "would block NACKs of trimmed packets at ToRs; expected another "
                              "balancer, or trim=off at the switches"),
                      WEFT_EINVAL, "trim");
    }
    if (c->clos->planes > 1 && (l->lb->tor || l->lb->request) &&
        c->frame.host_port != WEFT_PORT_HASHED)
    {
        return refuse(say(&r,
                          "knows the packets of a QP at one ToR, and the ports of its host would "
                          "send them by the ToRs of all planes; expected host-port=hash"),
                      WEFT_EINVAL, "host-port");
    }
    return 0;
}

static bool
lacks(const struct weft_algo *algo, const void *config)
{
    return !config && algo->config_size > 0;
}

/* Returns what a level lacks that it cannot do without, and what was expected; or NULL. */
static const char *
missing_of(const struct weft_net_level *l)
{
    return !l->lb ? "lb of a level is NULL; expected what weft_lb_find() finds"
           : !l->transport
               ? "transport of a level is NULL; expected what weft_transport_find() finds"
           : !l->cc ? "cc of a level is NULL; expected what weft_cc_find() finds"
           : lacks(&l->lb->algo, l->lb_config) || lacks(&l->transport->algo, l->transport_config) ||
                   lacks(&l->cc->algo, l->cc_config)
               ? "an algorithm of a level has no configuration; expected what "
                 "weft_config_default() fills"
               : NULL;
}

int
weft_net_check(const struct weft_net_config *c, enum weft_net_part part, uint32_t level,
               struct weft_refusal *why)
{
    const struct weft_net_level *l = &c->levels[level];
    const bool reads = part == WEFT_NET_TRANSPORT || part == WEFT_NET_BALANCER;
    const char *missing = reads ? missing_of(l) : NULL;
    if (missing)
    {
        return weft_refuse(why, WEFT_EINVAL, NULL, missing);
    }
    switch (part)
    {
    case WEFT_NET_BUFFER:
        return check_buffer(c, why);
    case WEFT_NET_QUEUE:
        return check_queue(c, l, why);
    case WEFT_NET_TRANSPORT:
        return check_transport(c, l, why);
    case WEFT_NET_BALANCER:
        return check_balancer(c, l, why);
    case WEFT_NET_CONTROL:
    case WEFT_NET_SCHEDULER:
    case WEFT_NET_PARTS:
        break;
    }
    return 0;
}

static const char *
name_of(const struct weft_net_config *c, enum weft_net_part part, const struct weft_net_level *l)
{
    switch (part)
    {
    case WEFT_NET_TRANSPORT:
        return l->transport->algo.name;
    case WEFT_NET_BALANCER:
        return l->lb->algo.name;
    case WEFT_NET_CONTROL:
        return l->cc->algo.name;
    case WEFT_NET_SCHEDULER:
        return c->scheduler->algo.name;
    case WEFT_NET_BUFFER:
    case WEFT_NET_QUEUE:
    case WEFT_NET_PARTS:
        break;
    }
    return "";
}

void
weft_net_name_part(const struct weft_net_config *c, enum weft_net_part part, uint32_t level,
                   const char *of, struct weft_refusal *what)
{
    static const char *const kinds[] = {
        "a switch",      "queue ", "the transport ", "the balancer ", "the congestion control ",
        "the scheduler "};
    const struct weft_net_level *l = &c->levels[level];
    const bool of_level = part != WEFT_NET_BUFFER && part != WEFT_NET_SCHEDULER;
    struct reason r;
    say(say(begin(&r, what), kinds[part]), name_of(c, part, l));
    if (part == WEFT_NET_QUEUE)
    {
        count(&r, l->tclass);
    }
    if (of_level && of)
    {
        say(&r, of);
    }
    else if (of_level && level > 0)
    {
        count(say(&r, " of service level "), level);
    }
    say(say(&r, " "), what->text);
    refuse(&r, what->code, what->param);
}

/* Checks a fabric's pointers, once its number of levels is right. */
static int
check_pointers(const struct weft_net_config *c, struct weft_refusal *why)
{
    const char *missing =
        !c->memory.take ? "memory.take is NULL; expected where memory comes from"
        : !c->levels    ? "levels is NULL; expected nlevels of them"
        : c->buffer.classes > 2 &&
                (!c->scheduler || lacks(&c->scheduler->algo, c->scheduler_config))
            ? "scheduler or its configuration is NULL, and there are classes; expected what "
              "weft_scheduler_find() finds"
            : NULL;
    for (uint32_t i = 0; i < c->nlevels && !missing; i++)
    {
        missing = missing_of(&c->levels[i]);
    }
    return missing ? weft_refuse(why, WEFT_EINVAL, NULL, missing) : 0;
}

int
weft_net_check_all(const struct weft_net_config *c, struct weft_refusal *why)
{
    if (!c->clos || (!c->clos->graph && weft_clos_check(c->clos) != 0))
    {
        return weft_refuse(why, WEFT_EINVAL, NULL, "the shape is none that a topology has made");
    }
    if (c->nlevels < 1 || c->nlevels > WEFT_LEVELS)
    {
        return weft_refuse(why, WEFT_ERANGE, NULL, "the number of service levels; expected 1 to 8");
    }
    int code = check_pointers(c, why);
    code = code ? code : weft_config_check(&weft_fabric_algo, &c->frame, why);
    for (uint32_t i = 0; i < c->nlevels * WEFT_NET_PARTS && !code; i++)
    {
        const enum weft_net_part part = (enum weft_net_part)(i % WEFT_NET_PARTS);
        code = weft_net_check(c, part, i / WEFT_NET_PARTS, why);
        if (code && why)
        {
            weft_net_name_part(c, part, i / WEFT_NET_PARTS, NULL, why);
        }
    }
    return code;
}
