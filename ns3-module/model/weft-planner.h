/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_PLANNER_H
#define NS3_WEFT_PLANNER_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>
#include <weft/lb.h>
#include <weft/plan.h>
#include <weft/qp.h>

namespace ns3
{

class WeftConnection;

/** @ingroup weft A message to be posted. */
struct WeftPost
{
    WeftConnection* connection; //!< over which
    uint64_t bytes;             //!< > 0
    uint64_t tag;               //!< handed to the connection's listener
};

/**
 * @ingroup weft
 * @brief A fabric's planner: the hosts' states of a balancer that decides when messages are posted.
 */
class WeftPlanner
{
  public:
    /** @param lb the balancer @param config its configuration, which outlives this
     * @param site of every host but for its index and its path part @param algos whose path parts
     * are these hosts' @param hosts how many
     * @param error why not @return whether it succeeded, as it does without a planner */
    bool Init(const weft_lb_ops* lb,
              const void* config,
              weft_plan_site site,
              const weft_nic_algos& algos,
              uint32_t hosts,
              std::string& error);

    /** @return whether the balancer plans */
    bool IsActive() const
    {
        return m_ops != nullptr;
    }

    /** @return bytes of one host's state */
    std::size_t GetHostBytes() const
    {
        return m_words * sizeof(uint64_t);
    }

    /** @return QPs that a connection has from the start */
    uint32_t GetQpsPerConnection() const
    {
        return m_ops ? m_ops->qps(m_config) : 1;
    }

    /** @param src sending host @param dst receiving host @return QPs that a connection may have */
    uint32_t GetMostQps(uint32_t src, uint32_t dst) const;

    /** Posts messages in parts; of several hosts at a time. @param host the sender of all @param
     * posts the messages @param now ps */
    void Post(uint32_t host, const std::vector<WeftPost>& posts, int64_t now);

  private:
    const weft_plan_ops* m_ops{nullptr}; //!< the balancer's, or nullptr
    const void* m_config{nullptr};       //!< the balancer's
    std::size_t m_words{0};              //!< of one host's state
    std::vector<uint64_t> m_memory;      //!< the hosts' states
};

} // namespace ns3

#endif /* NS3_WEFT_PLANNER_H */
