/* SPDX-License-Identifier: GPL-2.0-only */
#include "service-levels.h"

void
AddServiceLevels(ns3::Ptr<ns3::WeftFabric> fabric, const scenario& s)
{
    for (size_t i = 0; i < s.nclasses; i++)
    {
        const qp_class& c = s.classes[i];
        const uint32_t level = fabric->AddServiceLevel(c.queue);
        fabric->SetLevelChoice(level, "balancer", c.balancer.algo, c.balancer.config);
        fabric->SetLevelChoice(level, "transport", c.transport.algo, c.transport.config);
        fabric->SetLevelChoice(level, "congestion-control", c.cc.algo, c.cc.config);
    }
}
