/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-service-level.h"

namespace ns3
{

namespace
{
constexpr uint32_t REMEMBERED_LABELS = 4096; //!< of packets that may be lost, by QP
} // namespace

WeftServiceLevel::WeftServiceLevel(uint8_t level)
    : balancer("balancer", "ecmp"),
      transports("transport", "nic-sr"),
      controls("congestion-control", "dcqcn"),
      sl(level)
{
}

std::string
WeftServiceLevel::Format() const
{
    return balancer.Format() + "; " + transports.Format() + "; " + controls.Format();
}

weft_net_level
WeftServiceLevel::Describe() const
{
    weft_net_level level{};
    level.lb = GetBalancer();
    level.lb_config = balancer.GetConfig();
    level.transport = transports.GetOps<weft_transport_ops>();
    level.transport_config = transports.GetConfig();
    level.cc = controls.GetOps<weft_cc_ops>();
    level.cc_config = controls.GetConfig();
    level.share = share;
    level.labels = REMEMBERED_LABELS;
    level.tclass = tclass;
    return level;
}

} // namespace ns3
