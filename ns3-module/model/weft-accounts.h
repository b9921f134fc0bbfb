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
#include <vector>
#include <weft/mmu.h>

namespace ns3
{

class WeftSwitch;

/** @ingroup weft Totals of a fabric. Frames unless said otherwise. */
struct WeftCounters
{
    uint64_t hops{0};            //!< links crossed
    uint64_t sent{0};            //!< by NICs
    uint64_t sentBytes{0};       //!< by NICs
    uint64_t madeByTors{0};      //!< compensated NACKs
    uint64_t madeByTorsBytes{0}; //!< their bytes
    uint64_t delivered{0};       //!< to NICs
    uint64_t deliveredBytes{0};  //!< to NICs
    uint64_t lost[5]{};          //!< by WeftAccounts::Loss
    uint64_t lostBytes{0};       //!< of all kinds
    uint64_t trimmed{0};         //!< that lost their payload on the way, and are delivered or lost
    uint64_t trimmedBytes{0};    //!< that were cut away
    uint64_t payload{0};         //!< bytes of payload placed at receivers, each once
};

/**
 * @ingroup weft
 * @brief What became of every frame of a fabric, and whether it adds up.
 *
 * A frame is counted where it begins (a NIC sends it, a ToR makes it) and where it ends (it is
 * delivered or lost). All that is counted on a frame's way is counted inline.
 */
class WeftAccounts
{
  public:
    /** Why a frame did not get to a NIC. */
    enum Loss
    {
        DROP_BUFFER,   //!< no room in a switch
        DROP_LINK,     //!< a dead link, or no route
        DROP_INJECTED, //!< asked for by a scenario
        BLOCKED,       //!< a NACK that a ToR kept
        ENDED,         //!< a balancer's own, from a ToR, that has come to the ToR it was for
    };

    /** @param why a reason @return it in words */
    static const char* GetReason(Loss why);

    /** @return the totals */
    const WeftCounters& GetCounters() const
    {
        return m_counters;
    }

    /** A frame has crossed a link. */
    void CountHop()
    {
        m_counters.hops++;
    }

    /** A NIC sends a frame. @param bytes its length */
    void CountSent(uint32_t bytes)
    {
        m_counters.sent++;
        m_counters.sentBytes += bytes;
    }

    /** A ToR has made a frame. @param bytes its length */
    void CountMadeByTor(uint32_t bytes)
    {
        m_counters.madeByTors++;
        m_counters.madeByTorsBytes += bytes;
    }

    /** A frame has come to its NIC. @param bytes its length */
    void CountDelivered(uint32_t bytes)
    {
        m_counters.delivered++;
        m_counters.deliveredBytes += bytes;
    }

    /** A frame goes on as a header. @param bytes that were cut away */
    void CountTrimmed(uint32_t bytes)
    {
        m_counters.trimmed++;
        m_counters.trimmedBytes += bytes;
    }

    /** A frame has ended before its NIC. @param why reason @param bytes its length */
    void CountLost(Loss why, uint32_t bytes)
    {
        m_counters.lost[why]++;
        m_counters.lostBytes += bytes;
    }

    /** A receiver has placed payload. @param bytes that it had not had before */
    void CountPayload(uint64_t bytes)
    {
        m_counters.payload += bytes;
    }

    /** Checks conservation, between any two events: frames begun = ended + inside; bytes begun =
     * ended + trimmed away once no frame is inside; what each switch's buffer accounts for = its
     * queues = its ingress ports.
     * @param inside frames queued or on a wire @param switches all of the fabric @param error what
     * does not add up @return whether all does */
    bool Check(uint64_t inside, const std::vector<WeftSwitch*>& switches, std::string& error) const;

  private:
    /** Compares what began with what ended. @param inside frames queued or on a wire @param text
     * gets what is wrong */
    void CheckFrames(uint64_t inside, std::ostream& text) const;
    /** Recounts a buffer. @param mmu the buffer @param index its switch @param empty whether
     * nothing may be in it @param text gets what is wrong */
    static void CheckBuffer(const weft_mmu& mmu, uint32_t index, bool empty, std::ostream& text);

    WeftCounters m_counters; //!< totals
};

} // namespace ns3

#endif /* NS3_WEFT_ACCOUNTS_H */
