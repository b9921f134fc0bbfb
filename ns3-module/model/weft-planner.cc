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

void
WeftPlanner::Post(uint32_t host, const std::vector<WeftPost>& posts, int64_t now)
{
    void* state = m_memory.data() + m_words * host;
    m_asks.clear();
    for (const WeftPost& post : posts)
    {
        m_asks.push_back({post.connection->GetDst(), post.connection->GetIndex(), post.bytes});
    }
    m_parts.resize(m_ops->most_parts(state, m_asks.data(), m_asks.size()));
    m_parts.resize(m_ops->plan(state, m_asks.data(), m_asks.size(), now, m_parts.data()));
    std::vector<std::size_t> parts(posts.size(), 0);
    for (const weft_plan_part& part : m_parts)
    {
        NS_ABORT_MSG_IF(part.message >= posts.size() || part.bytes == 0 || part.delay < 0,
                        "Weft: a part of message " << part.message << " of " << posts.size()
                                                   << ", of " << part.bytes << " B, in "
                                                   << part.delay << " ps");
        parts[part.message]++;
        m_asks[part.message].bytes -= part.bytes;
    }
    std::vector<std::size_t> messages;
    for (std::size_t i = 0; i < posts.size(); i++)
    {
        NS_ABORT_MSG_IF(m_asks[i].bytes != 0,
                        "Weft: the parts of a message of " << posts[i].bytes
                                                           << " B do not add up to it");
        messages.push_back(posts[i].connection->Begin(posts[i].tag, parts[i]));
    }
    // Listeners may post more meanwhile: the parts are theirs then.
    const std::vector<weft_plan_part> planned = m_parts;
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
