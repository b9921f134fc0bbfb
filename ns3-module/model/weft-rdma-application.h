/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_RDMA_APPLICATION_H
#define NS3_WEFT_RDMA_APPLICATION_H

#include "weft-connection.h"

#include "ns3/application.h"
#include "ns3/traced-callback.h"

namespace ns3
{

class WeftFabric;

/**
 * @ingroup weft
 * @brief Writes messages to one remote host over one QP, one after the other.
 *
 * The next message is posted when the last one has been acknowledged, so at most one is under way.
 * None is posted after one that the sender has given up.
 */
class WeftRdmaApplication : public Application, public WeftMessageListener
{
  public:
    /** @return the type */
    static TypeId GetTypeId();
    WeftRdmaApplication();
    ~WeftRdmaApplication() override;

    /** @return messages delivered */
    uint64_t GetDelivered() const;
    /** @return messages that the sender has given up: 0 or 1 */
    uint64_t GetFailed() const;
    /** @return the QP as it is now; nullptr before the application has started, and after
     * Simulator::Destroy() */
    const WeftQp* GetQp() const;

    // From WeftMessageListener
    void MessageDelivered(const WeftQp& qp, uint64_t tag) override;
    void MessageAcked(const WeftQp& qp, uint64_t tag) override;
    void MessageFailed(const WeftQp& qp, uint64_t tag) override;

    /** Signature of the trace sources. @param message its number @param when time */
    typedef void (*MessageCallback)(uint64_t message, Time when);

  protected:
    void DoDispose() override;

  private:
    // Accessors of the attributes
    void SetRemote(uint32_t remote);     //!< @param remote host
    uint32_t GetRemote() const;          //!< @return host
    void SetMessages(uint64_t messages); //!< @param messages to send in all
    uint64_t GetMessages() const;        //!< @return messages to send in all

    void StartApplication() override;
    void StopApplication() override;
    void PostNext(); //!< Posts a message, if there are more

    uint32_t m_remote{0};                            //!< attribute
    uint64_t m_bytes{0};                             //!< attribute
    uint64_t m_messages{0};                          //!< attribute
    uint64_t m_posted{0};                            //!< messages posted
    uint64_t m_acked{0};                             //!< messages acknowledged
    uint64_t m_delivered{0};                         //!< messages delivered
    uint64_t m_failed{0};                            //!< messages given up
    bool m_running{false};                           //!< between start and stop
    WeftFabric* m_fabric{nullptr};                   //!< the fabric
    WeftConnection* m_connection{nullptr};           //!< the fabric's
    TracedCallback<uint64_t, Time> m_deliveredTrace; //!< "Delivered"
    TracedCallback<uint64_t, Time> m_ackedTrace;     //!< "Acked"
    TracedCallback<uint64_t, Time> m_failedTrace;    //!< "Failed"
};

} // namespace ns3

#endif /* NS3_WEFT_RDMA_APPLICATION_H */
