/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_NIC_H
#define NS3_WEFT_NIC_H

#include "weft-host-port.h"
#include "weft-qp.h"

#include "ns3/data-rate.h"

#include <cstdint>
#include <map>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * @brief An RDMA NIC: queue pairs served round-robin, paced by their congestion control.
 *
 * Data, replies (ACK, NACK, CNP) and packets of IP stacks share the wire. What it does with QPs is
 * the core's; this is what a program and an IP stack see of it. As a NetDevice it is the host's
 * port 0; further ports, if there are any, are devices of their own, and QPs use all of them.
 */
class WeftNic final : public WeftHostPort
{
  public:
    /** @return the type */
    static TypeId GetTypeId();
    WeftNic();
    ~WeftNic() override;

    /** @param fabric the fabric @param host this host's index */
    void Setup(Ptr<WeftFabric> fabric, uint32_t host);

    /** @return its ports: of planes, one in each */
    uint32_t GetNPorts() const
    {
        return static_cast<uint32_t>(m_ports.size());
    }

    /** @param port below GetNPorts() @return its device: this one for port 0 */
    Ptr<WeftHostPort> GetDevice(uint32_t port);

    /** @param plane whose @return its port there */
    const WeftPort* GetPort(uint32_t plane = 0) const
    {
        return &m_ports.at(plane);
    }

    /** @param qp one of this NIC's QPs @return the congestion control's rate now */
    DataRate GetRate(const WeftQp* qp) const;
    /** @param qp one of its QPs @return when pacing lets it send, ps */
    int64_t GetSendAt(const WeftQp& qp) const;
    /** @return replies and packets of IP stacks that have not left yet */
    uint64_t GetWaiting() const;

    /** Changes the limit of what waits for the wire of each port. @param size above 0 */
    void SetIpQueueSize(QueueSize size) override;

    /** @name What the core tells of @{ */
    void TellSent(const weft_packet& p);     //!< @param p a frame that starts to leave
    void TellReceived(const weft_packet& p); //!< @param p a frame that has come
    void TellGaveUp(const WeftQp& qp);       //!< @param qp one of its QPs
    void TellLost(const weft_packet& p, weft_net_loss why); //!< @param p a frame @param why reason
    /** @} */

    /** Signature of the "GiveUp" trace. @param qp the QP */
    typedef void (*QpTracedCallback)(const WeftQp& qp);

  protected:
    void DoDispose() override;

  private:
    void LogSent(const weft_packet& p); //!< @param p a frame that starts to leave

    std::vector<WeftPort> m_ports;                                   //!< its ports
    TracedCallback<const weft_packet&> m_txTrace;                    //!< "Tx"
    TracedCallback<const weft_packet&> m_rxTrace;                    //!< "Rx"
    TracedCallback<const weft_packet&, uint32_t> m_txEndTrace;       //!< "TxEnd"
    TracedCallback<const weft_packet&, weft_net_loss> m_rxDropTrace; //!< "RxDrop"
    std::vector<Ptr<WeftHostPort>> m_more;       //!< the devices of its ports from 1 up
    std::map<uint32_t, double> m_rates;          //!< for logs: the last rate by QP, bit/s
    TracedCallback<const WeftQp&> m_giveUpTrace; //!< "GiveUp"
};

} // namespace ns3

#endif /* NS3_WEFT_NIC_H */
