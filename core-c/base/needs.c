/* SPDX-License-Identifier: MIT */
/* Needs of balancers in words, and which of them a site does not provide. */
#include "base/text-out.h"

#include <weft/lb.h>
#include <weft/needs.h>
#include <weft/plan.h>
#include <weft/tor.h>

static const struct weft_need_text needs[] = {
    {WEFT_NEED_HASH, "hash",
     "every switch with a choice hashes the UDP source port of each packet"},
    {WEFT_NEED_PICK, "pick", "every switch with a choice calls pick()"},
    {WEFT_NEED_HOSTS, "hosts", "hosts call data() and reply() for what they send"},
    {WEFT_NEED_REPLIES, "replies",
     "replies bring back the source port and the mark of the packet that they answer, and senders "
     "call on_reply()"},
    {WEFT_NEED_LOSSES, "losses", "senders call on_timeout() and on_lost()"},
    {WEFT_NEED_ACTIVE, "active", "senders call on_active()"},
    {WEFT_NEED_PLAN, "plan", "hosts call plan() for their messages, and on_label() for its parts"},
    {WEFT_NEED_ARRIVE, "arrive", "ToRs call arrive() for every packet that enters"},
    {WEFT_NEED_LEAVE, "leave", "switches call leave() for data that starts to leave"},
    {WEFT_NEED_REQUESTS, "requests", "ToRs do what request() wants, and serve deadline()"},
    {WEFT_NEED_FLOWS, "flows", "the ToRs of both ends of a QP get the state of flow_size() bytes"},
    {WEFT_NEED_TOR, "tor",
     "the destination's ToR calls to_host() and from_host(), keeps replies back and sends NACKs"},
    {WEFT_NEED_READER, "reader", "switches tell the state of their ports by the site's reader"},
};

#define COUNT (sizeof needs / sizeof needs[0])

const struct weft_need_text *
weft_needs(size_t *count)
{
    *count = COUNT;
    return needs;
}

static uint32_t
host_needs(const struct weft_lb_ops *lb)
{
    const struct weft_path_ops *path = lb->path;
    return (uint32_t)(lb->any_hash ? WEFT_NEED_HASH : WEFT_NEED_PICK) | WEFT_NEED_HOSTS |
           (path->on_reply ? WEFT_NEED_REPLIES : 0U) |
           (path->on_timeout || path->on_lost ? WEFT_NEED_LOSSES : 0U) |
           (path->on_active ? WEFT_NEED_ACTIVE : 0U);
}

uint32_t
weft_lb_needs(const struct weft_lb_ops *lb)
{
    if (!lb)
    {
        return 0;
    }
    const bool asks = lb->request || lb->deadline;
    return (lb->path ? host_needs(lb) : (uint32_t)WEFT_NEED_PICK) |
           (lb->plan ? WEFT_NEED_PLAN : 0U) | (lb->arrive ? WEFT_NEED_ARRIVE : 0U) |
           (lb->leave ? WEFT_NEED_LEAVE : 0U) | (asks ? WEFT_NEED_REQUESTS : 0U) |
           (lb->flow_size ? WEFT_NEED_FLOWS : 0U) | (lb->tor ? WEFT_NEED_TOR : 0U) |
           (lb->reads_ports ? WEFT_NEED_READER : 0U);
}

/* "conga needs that ToRs call arrive() ...; expected WEFT_NEED_ARRIVE in the site's provides" */
static int
refuse(const struct weft_lb_ops *lb, uint32_t missing, struct weft_refusal *why)
{
    char text[WEFT_REFUSAL_BYTES];
    struct weft_text out = {text, sizeof text, 0};
    size_t i = 0;
    while (i + 1 < COUNT && !(needs[i].need & missing))
    {
        i++;
    }
    weft_text_put(&out, lb->algo.name);
    weft_text_put(&out, " needs \"");
    weft_text_put(&out, needs[i].name);
    weft_text_put(&out, "\" (");
    weft_text_put(&out, needs[i].doc);
    weft_text_put(&out, "), and the site does not provide it");
    weft_text_end(&out);
    return weft_refuse(why, WEFT_EINVAL, NULL, text);
}

int
weft_lb_check_needs(const struct weft_lb_ops *lb, uint32_t provides, struct weft_refusal *why)
{
    const uint32_t given = provides | (provides & WEFT_NEED_PICK ? WEFT_NEED_HASH : 0U);
    const uint32_t missing = weft_lb_needs(lb) & ~given & ~(uint32_t)WEFT_NEED_READER;
    return missing == 0 ? 0 : refuse(lb, missing, why);
}

const char *
weft_field_name(uint32_t i)
{
    static const char *const names[WEFT_NFIELDS] = {
        "sent", "dst",   "hops",  "src",     "sl",    "tclass", "qp",   "kind",
        "psn",  "flags", "bytes", "in_port", "sport", "ahead",  "echo", "meta",
    };
    return i < WEFT_NFIELDS ? names[i] : "";
}
