/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-rdma-application.h"

#include "weft-fabric.h"
#include "weft-nic.h"

#include "ns3/abort.h"
#include "ns3/log.h"
#include "ns3/node.h"
#include "ns3/simulator.h"
#include "ns3/uinteger.h"

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftRdmaApplication");
NS_OBJECT_ENSURE_REGISTERED(WeftRdmaApplication);

TypeId
WeftRdmaApplication::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::WeftRdmaApplication")
            .SetParent<Application>()
            .SetGroupName("Weft")
            .AddConstructor<WeftRdmaApplication>()
            .AddAttribute("Remote",
                          "Index of the receiving host in its fabric",
                          UintegerValue(0),
                          MakeUintegerAccessor(&WeftRdmaApplication::SetRemote,
                                               &WeftRdmaApplication::GetRemote),
                          MakeUintegerChecker<uint32_t>())
            .AddAttribute("Bytes",
                          "Payload of each message; if changed, of the next one",
                          UintegerValue(1000000),
                          MakeUintegerAccessor(&WeftRdmaApplication::m_bytes),
                          MakeUintegerChecker<uint64_t>(1))
            .AddAttribute("Messages",
                          "Messages to send; 0: until the application stops",
                          UintegerValue(1),
                          MakeUintegerAccessor(&WeftRdmaApplication::SetMessages,
                                               &WeftRdmaApplication::GetMessages),
                          MakeUintegerChecker<uint64_t>())
            .AddTraceSource("Delivered",
                            "A message is whole at the receiver",
                            MakeTraceSourceAccessor(&WeftRdmaApplication::m_deliveredTrace),
                            "ns3::WeftRdmaApplication::MessageCallback")
            .AddTraceSource("Acked",
                            "The sender knows that a message was delivered",
                            MakeTraceSourceAccessor(&WeftRdmaApplication::m_ackedTrace),
                            "ns3::WeftRdmaApplication::MessageCallback")
            .AddTraceSource("Failed",
                            "The sender gives a message up, and sends no more",
                            MakeTraceSourceAccessor(&WeftRdmaApplication::m_failedTrace),
                            "ns3::WeftRdmaApplication::MessageCallback");
    return tid;
}

WeftRdmaApplication::WeftRdmaApplication()
{
}

WeftRdmaApplication::~WeftRdmaApplication()
{
}

void
WeftRdmaApplication::DoDispose()
{
    m_connection = nullptr;
    Application::DoDispose();
}

void
WeftRdmaApplication::SetRemote(uint32_t remote)
{
    NS_ABORT_MSG_IF(m_connection,
                    "Weft: attribute Remote was set after the application had started, which would "
                    "change nothing: its QP leads to host "
                        << m_remote);
    m_remote = remote;
}

uint32_t
WeftRdmaApplication::GetRemote() const
{
    return m_remote;
}

void
WeftRdmaApplication::SetMessages(uint64_t messages)
{
    m_messages = messages;
    if (m_connection && m_acked == m_posted)
    {
        PostNext(); // it had come to its end
    }
}

uint64_t
WeftRdmaApplication::GetMessages() const
{
    return m_messages;
}

uint64_t
WeftRdmaApplication::GetDelivered() const
{
    return m_delivered;
}

uint64_t
WeftRdmaApplication::GetFailed() const
{
    return m_failed;
}

const WeftQp*
WeftRdmaApplication::GetQp() const
{
    return m_connection ? m_connection->GetQp(0) : nullptr;
}

void
WeftRdmaApplication::StartApplication()
{
    Ptr<WeftNic> nic;
    for (uint32_t i = 0; !nic && i < GetNode()->GetNDevices(); i++)
    {
        nic = DynamicCast<WeftNic>(GetNode()->GetDevice(i));
    }
    NS_ABORT_MSG_UNLESS(nic,
                        "WeftRdmaApplication: node " << GetNode()->GetId() << " has no WeftNic");
    NS_LOG_INFO("starts: messages of " << m_bytes << " B to host " << m_remote);
    m_running = true;
    if (!m_connection)
    {
        m_fabric = PeekPointer(nic->GetFabric());
        m_connection = m_fabric->Connect(nic->GetHost(), m_remote, this);
    }
    PostNext();
}

void
WeftRdmaApplication::StopApplication()
{
    NS_LOG_INFO("stops after " << m_posted << " messages");
    m_running = false;
}

void
WeftRdmaApplication::PostNext()
{
    if (m_running && (m_messages == 0 || m_posted < m_messages))
    {
        m_fabric->PostMessages(m_connection->GetSrc(), {{m_connection, m_bytes, m_posted++}});
    }
}

void
WeftRdmaApplication::MessageDelivered(const WeftQp& /* qp */, uint64_t tag)
{
    m_delivered++;
    m_deliveredTrace(tag, Simulator::Now());
}

void
WeftRdmaApplication::MessageAcked(const WeftQp& /* qp */, uint64_t tag)
{
    m_ackedTrace(tag, Simulator::Now());
    m_acked++;
    PostNext();
}

void
WeftRdmaApplication::MessageFailed(const WeftQp& /* qp */, uint64_t tag)
{
    NS_LOG_WARN("message " << tag << " is given up");
    m_failed++;
    m_failedTrace(tag, Simulator::Now());
}

} // namespace ns3
