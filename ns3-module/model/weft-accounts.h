/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_ACCOUNTS_H
#define NS3_WEFT_ACCOUNTS_H

#include <cstdint>
#include <iosfwd>
#include <string>
#include <weft/net.h>

namespace ns3
{

/** @ingroup weft Totals of a fabric, as the core counts them. */
using WeftCounters = weft_net_counters;

/**
 * @ingroup weft
 * @brief Whether what became of every frame of a fabric adds up.
 */
class WeftAccounts
{
  public:
    /** @param why a frame did not get to a NIC @return it in words */
    static const char* GetReason(weft_net_loss why);

    /** Checks conservation: frames begun = ended + inside, as they are found in queues and on
     * wires; bytes begun = ended + trimmed away once no frame is inside; what each switch's buffer
     * accounts for = its queues = its ingress ports.
     * @param net the fabric @param switches how many it has @param error what does not add up
     * @return whether all does */
    static bool Check(weft_net* net, uint32_t switches, std::string& error);

  private:
    /** Compares what began with what ended. @param c totals @param inside frames queued or on a
     * wire @param text gets what is wrong */
    static void CheckFrames(const WeftCounters& c, uint64_t inside, std::ostream& text);
    /** Recounts a buffer. @param mmu the buffer @param index its switch @param empty whether
     * nothing may be in it @param text gets what is wrong */
    static void CheckBuffer(const weft_mmu& mmu, uint32_t index, bool empty, std::ostream& text);
};

} // namespace ns3

#endif /* NS3_WEFT_ACCOUNTS_H */
