/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-planner.h"

#include "weft-connection.h"

#include "ns3/abort.h"

#include <weft/refusal.h>

namespace ns3
{

bool
WeftPlanner::Init(const weft_lb_ops* lb,
                  const void* config,
                  weft_plan_site site,
                  const weft_nic_algos& algos,
                  uint32_t hosts,
                  std::string& error)
{
    m_ops = lb->plan;
    m_config = config;
    m_words = m_ops ? (m_ops->host_size(config, &site) + 7) / 8 : 0;
    m_memory.assign(m_words * hosts, 0);
    weft_refusal why{};
    site.why = &why;
    for (uint32_t host = 0; m_ops && host < hosts; host++)
    {
        site.host = host;
        site.path = weft_path_host(&algos, host);
        const int code = m_ops->host_init(m_memory.data() + m_words * host, config, &site);
        if (code != 0)
        {
            error = std::string(lb->algo.name) + " at host " + std::to_string(host) + ": " +
                    weft_refusal_text(code, &why);
            return false;
        }
    }
    return true;
}

uint32_t
WeftPlanner::GetMostQps(uint32_t src, uint32_t dst) const
{
    return m_ops && m_ops->most_qps ? m_ops->most_qps(m_memory.data() + m_words * src, dst)
                                    : GetQpsPerConnection();
}

void
WeftPlanner::Post(uint32_t host, const std::vector<WeftPost>& posts, int64_t now)
{
    void* state = m_memory.data() + m_words * host;
    std::vector<weft_plan_message> asks;
    for (const WeftPost& post : posts)
    {
        asks.push_back({post.connection->GetDst(), post.connection->GetIndex(), post.bytes});
    }
    std::vector<weft_plan_part> planned(m_ops->most_parts(state, asks.data(), asks.size()));
    planned.resize(m_ops->plan(state, asks.data(), asks.size(), now, planned.data()));
    std::vector<std::size_t> parts(posts.size(), 0);
    for (const weft_plan_part& part : planned)
    {
        NS_ABORT_MSG_IF(part.message >= posts.size() || part.bytes == 0 || part.delay < 0,
                        "Weft: a part of message " << part.message << " of " << posts.size()
                                                   << ", of " << part.bytes << " B, in "
                                                   << part.delay << " ps");
        const uint32_t most = GetMostQps(host, asks[part.message].dst);
        NS_ABORT_MSG_IF(part.qp >= most,
                        "Weft: a part for QP " << part.qp << " of a connection that has " << most
                                               << " at most");
        parts[part.message]++;
        asks[part.message].bytes -= part.bytes;
    }
    std::vector<std::size_t> messages;
    for (std::size_t i = 0; i < posts.size(); i++)
    {
        NS_ABORT_MSG_IF(asks[i].bytes != 0,
                        "Weft: the parts of a message of " << posts[i].bytes
                                                           << " B do not add up to it");
        messages.push_back(posts[i].connection->Begin(posts[i].tag, parts[i]));
    }
    for (const weft_plan_part& part : planned)
    {
        WeftConnection* connection = posts[part.message].connection;
        const std::size_t message = messages[part.message];
        if (part.delay == 0)
        {
            connection->PostPart(message, part);
            continue;
        }
        connection->PostLater(message, part, now + part.delay);
    }
}

} // namespace ns3
