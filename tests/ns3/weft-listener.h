// SPDX-License-Identifier: GPL-2.0-only
/** @file weft-listener.h  Listeners and trace sinks that do what a test gives them. */
#ifndef WEFT_LISTENER_H
#define WEFT_LISTENER_H

#include "ns3/callback.h"

#include "weft-test-rig.h"
#include <functional>
#include <memory>
#include <utility>
#include <weft/packet.h>

#include <functional>
#include <string>

/** @param hosts of one switch @param delay of each link @return a fabric of them */
inline WeftRigSetup
WeftOneSwitch(uint32_t hosts, const std::string& delay = "1us")
{
    WeftRigSetup setup;
    setup.topology = "leaf-spine leaves=1 spines=1 hosts-per-leaf=" + std::to_string(hosts) +
                     " link-rate=100Gbps link-delay=" + delay;
    return setup;
}

/** Does something whenever it is told of a message, at the very time or later. */
class WeftListener : public ns3::WeftMessageListener
{
  public:
    using Act = std::function<void(const ns3::WeftQp&, uint64_t)>; //!< what it does

    explicit WeftListener(bool needsTime)
        : m_needsTime(needsTime)
    {
    }

    void MessageDelivered(const ns3::WeftQp& qp, uint64_t tag) override
    {
        if (delivered)
        {
            delivered(qp, tag);
        }
    }

    void MessageAcked(const ns3::WeftQp&, uint64_t) override
    {
    }

    void MessageFailed(const ns3::WeftQp& qp, uint64_t tag) override
    {
        if (failed)
        {
            failed(qp, tag);
        }
    }

    bool NeedsTime() const override
    {
        return m_needsTime;
    }

    Act delivered; //!< at the receiver
    Act failed;    //!< at the sender

  private:
    bool m_needsTime; //!< see NeedsTime()
};

/** Calls a function that WeftSink() holds. @param call the function @param p its argument */
inline void
WeftCallSink(std::shared_ptr<std::function<void(const weft_packet&)>> call, const weft_packet& p)
{
    (*call)(p);
}

/** ns-3 before 3.37 makes no callback of a lambda. @param call what a sink does @return the sink */
inline ns3::Callback<void, const weft_packet&>
WeftSink(std::function<void(const weft_packet&)> call)
{
    return ns3::MakeBoundCallback(
        &WeftCallSink,
        std::make_shared<std::function<void(const weft_packet&)>>(std::move(call)));
}

#endif // WEFT_LISTENER_H
