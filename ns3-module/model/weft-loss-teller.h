/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_LOSS_TELLER_H
#define NS3_WEFT_LOSS_TELLER_H

#include "weft-receiver.h"

#include <cstdint>

namespace ns3
{

class WeftFabric;

/**
 * @ingroup weft
 * @brief Where descriptors of lost frames arrive, for transports that hear of every loss
 * (tx_lost()), when that says.
 */
class WeftLossTeller final : public WeftReceiver
{
  public:
    /** @param fabric whose losses it tells */
    explicit WeftLossTeller(WeftFabric* fabric);

    /** Tells the sender in time. @param p lost data, or a lost ACK; it goes back to the fabric's
     * pool then */
    void Tell(WeftPacket* p);

    /** @return descriptors on their way to senders, which are no frames any more */
    uint64_t GetUnderWay() const
    {
        return m_underWay;
    }

    void Note(WeftPacket* p) override;
    void Expect(const WeftPacket* p) const override;

  private:
    void Arrive(WeftPacket* p, int64_t now); //!< @param p a lost frame's @param now ps

    WeftFabric* m_fabric;   //!< whose losses it tells
    uint64_t m_underWay{0}; //!< see GetUnderWay()
};

} // namespace ns3

#endif /* NS3_WEFT_LOSS_TELLER_H */
