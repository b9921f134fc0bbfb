/* SPDX-License-Identifier: MIT */
#include "link-rig.h"

#include <check.h>
#include <string.h>

struct link_heard link_heard;

static void
note_received(void *of, uint32_t host, const struct weft_packet *p, int64_t now)
{
    (void)of;
    (void)host;
    if (p->kind == WEFT_RAW)
    {
        link_heard.at[link_heard.came % 64] = now;
        link_heard.sent[link_heard.came++ % 64] = p->sent;
    }
}

static void
note_lost(void *of, uint32_t node, const struct weft_packet *p, enum weft_net_loss why, int64_t now)
{
    (void)of;
    (void)node;
    (void)now;
    if (p->kind == WEFT_RAW)
    {
        link_heard.bursts += link_heard.lost == 0 || p->psn != link_heard.lost_last + 1;
        link_heard.lost_last = p->psn;
        link_heard.lost_bits |= UINT64_C(1) << (p->psn & 63U);
        link_heard.lost++;
        link_heard.why = why;
    }
}

static void
note_link(void *of, uint64_t link, bool down)
{
    (void)of;
    (void)link;
    (void)down;
    ck_assert_uint_lt(link_heard.nlinks, 4096);
    link_heard.changed[link_heard.nlinks++] = weft_net_now(weft_run_net(stage.run));
}

static void
note_route(void *of, size_t down, bool whole)
{
    (void)of;
    (void)down;
    (void)whole;
    link_heard.nroutes++;
}

void
link_begin(const char *balancer)
{
    stage_describe(FOUR_PATHS, balancer);
    stage.net.hooks = (struct weft_net_hooks){.received = note_received, .lost = note_lost};
    stage.is.host = (struct weft_run_host){.link_changed = note_link, .rerouted = note_route};
    memset(&link_heard, 0, sizeof link_heard);
    stage_begin();
}

void
link_fault(const struct weft_fault *fault)
{
    ck_assert_int_eq(weft_run_add_fault(stage.run, fault), 0);
}

void
link_send(uint32_t src, uint32_t dst, uint32_t n, uint32_t from)
{
    for (uint32_t i = from; i < from + n; i++)
    {
        const struct weft_packet p = {.kind = WEFT_RAW,
                                      .src = src & WEFT_HOST_MASK,
                                      .dst = dst & WEFT_HOST_MASK,
                                      .bytes = 1000,
                                      .tclass = 1,
                                      .psn = i & WEFT_PSN_MASK};
        weft_net_send(weft_run_net(stage.run), src, &p, i * LINK_SLOT);
    }
}

void
link_send_many(uint32_t src, uint32_t dst, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 10000)
    {
        link_send(src, dst, 10000, i);
        weft_run_until(stage.run, (i + 10000) * LINK_SLOT);
    }
    weft_run_until(stage.run, n * LINK_SLOT + 100 * US);
    ck_assert_uint_eq(link_heard.came + link_heard.lost, n);
}

struct weft_net_port
link_port(uint32_t node, uint32_t port)
{
    struct weft_net_port is;
    weft_net_port_status(weft_run_net(stage.run), node, port, &is);
    return is;
}

struct weft_net_counters
link_total(void)
{
    struct weft_net_counters sum;
    weft_net_total(weft_run_net(stage.run), &sum);
    return sum;
}
