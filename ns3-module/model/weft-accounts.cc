/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-accounts.h"

#include <iterator>
#include <numeric>
#include <ostream>
#include <sstream>

namespace ns3
{

const char*
WeftAccounts::GetReason(weft_net_loss why)
{
    static const char* const reasons[] = {"no room in the switch",
                                          "dead link",
                                          "injected",
                                          "NACK blocked by the ToR",
                                          "has come to its ToR",
                                          "no route"};
    return reasons[why];
}

bool
WeftAccounts::Check(weft_net* net, uint32_t switches, std::string& error)
{
    std::ostringstream text;
    const uint64_t inside = weft_net_inside(net);
    WeftCounters c;
    weft_net_total(net, &c);
    CheckFrames(c, inside, text);
    for (uint32_t i = 0; i < switches; i++)
    {
        CheckBuffer(*weft_net_buffer(net, i), i, inside == 0, text);
    }
    error = text.str();
    return error.empty();
}

void
WeftAccounts::CheckFrames(const WeftCounters& c, uint64_t inside, std::ostream& text)
{
    const uint64_t began = c.sent + c.made_by_tors;
    const uint64_t ended = std::accumulate(std::begin(c.lost), std::end(c.lost), c.delivered);
    if (began != ended + inside)
    {
        text << began << " frames began, but " << ended << " ended and " << inside
             << " are in the fabric. ";
    }
    const uint64_t bytesBegan = c.sent_bytes + c.made_by_tors_bytes;
    const uint64_t bytesEnded = c.delivered_bytes + c.lost_bytes + c.trimmed_bytes;
    if (inside == 0 && bytesBegan != bytesEnded)
    {
        text << bytesBegan << " bytes began, but " << bytesEnded << " ended and no frame is left. ";
    }
}

void
WeftAccounts::CheckBuffer(const weft_mmu& mmu, uint32_t index, bool empty, std::ostream& text)
{
    const bool byClass = weft_mmu_counts_by_class(&mmu.config);
    int64_t queued = 0;
    int64_t held = 0;
    for (uint32_t port = 0; port < mmu.nports; port++)
    {
        queued += weft_mmu_queues(&mmu)[port];
        int64_t classes = 0;
        for (uint32_t c = 0; c < mmu.config.classes; c++)
        {
            const uint32_t i = weft_mmu_index(&mmu, port, c);
            const weft_mmu_ingress& in = weft_mmu_ingresses(&mmu)[i];
            held += static_cast<int64_t>(in.bytes) + in.headroom;
            classes += byClass ? weft_mmu_class_queues(&mmu)[i] : 0;
        }
        if (byClass && classes != weft_mmu_queues(&mmu)[port])
        {
            text << "switch " << index << " accounts for " << weft_mmu_queues(&mmu)[port]
                 << " bytes at port " << port << ", its classes for " << classes << ". ";
        }
    }
    const int64_t used = mmu.shared_used + mmu.headroom_used;
    if (queued != used || held != used || (empty && used != 0))
    {
        text << "switch " << index << (empty ? " is empty and" : "") << " accounts for " << used
             << " bytes, its queues for " << queued << ", its ingress ports for " << held << ". ";
    }
}

} // namespace ns3
