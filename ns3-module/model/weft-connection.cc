/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-connection.h"

#include "weft-fabric.h"

namespace ns3
{

WeftConnection::WeftConnection(WeftFabric* fabric, WeftMessageListener* listener)
    : m_fabric(fabric),
      m_ends(listener)
{
}

WeftQp*
WeftConnection::GetQp(std::size_t i) const
{
    m_fabric->Sync();
    return weft_connection_qp(m_of, static_cast<uint32_t>(i));
}

} // namespace ns3
