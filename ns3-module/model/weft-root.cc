/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-root.h"

#include "weft-collective.h"
#include "weft-fabric.h"

#include "ns3/config.h"
#include "ns3/object-vector.h"
#include "ns3/simulator.h"

namespace ns3
{

NS_OBJECT_ENSURE_REGISTERED(WeftRoot);

TypeId
WeftRoot::GetTypeId()
{
    static TypeId tid = TypeId("ns3::WeftRoot")
                            .SetParent<Object>()
                            .SetGroupName("Weft")
                            .AddConstructor<WeftRoot>()
                            .AddAttribute("WeftFabricList",
                                          "All fabrics, as they were built",
                                          TypeId::ATTR_GET,
                                          ObjectVectorValue(),
                                          MakeObjectVectorAccessor(&WeftRoot::m_fabrics),
                                          MakeObjectVectorChecker<WeftFabric>())
                            .AddAttribute("WeftCollectiveList",
                                          "All workloads, as they were installed",
                                          TypeId::ATTR_GET,
                                          ObjectVectorValue(),
                                          MakeObjectVectorAccessor(&WeftRoot::m_collectives),
                                          MakeObjectVectorChecker<WeftCollective>());
    return tid;
}

WeftRoot::WeftRoot()
{
}

WeftRoot::~WeftRoot()
{
}

void
WeftRoot::DoDispose()
{
    m_fabrics.clear();
    m_collectives.clear();
    Object::DoDispose();
}

Ptr<WeftRoot>&
WeftRoot::Current()
{
    static Ptr<WeftRoot> root;
    return root;
}

Ptr<WeftRoot>
WeftRoot::Get()
{
    Ptr<WeftRoot>& root = Current();
    if (!root)
    {
        root = CreateObject<WeftRoot>();
        Config::RegisterRootNamespaceObject(root);
        Simulator::ScheduleDestroy(&WeftRoot::End);
    }
    return root;
}

void
WeftRoot::End()
{
    Config::UnregisterRootNamespaceObject(Current());
    Current() = nullptr;
}

void
WeftRoot::Add(Ptr<WeftFabric> fabric)
{
    Get()->m_fabrics.push_back(fabric);
}

void
WeftRoot::Add(Ptr<WeftCollective> collective)
{
    Get()->m_collectives.push_back(collective);
}

} // namespace ns3
