/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_INSTANT_H
#define NS3_WEFT_INSTANT_H

#include "ns3/weft-arena.h"
#include "ns3/weft-fabric-event.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * @brief What happens at one node at one instant, in an order that hangs on that node alone.
 *
 * Hosts that start together make simultaneous events the rule. Events of a node only note here what
 * they are about; the first one of an instant schedules one more event of that instant, behind all
 * that was scheduled before, and that one carries everything out: by Step, then by number, then in
 * the order in which it was noted. Nothing else at other nodes, and no event list, has a say.
 */
class WeftInstant final : public FabricEvent, public WeftInArena
{
  public:
    /** What comes before what. Failures and new forwarding come first of all, at their own events.
     */
    enum Step : uint8_t
    {
        TIMER,    //!< a timer of a QP: its kind, then its QP
        END,      //!< last bits have left, and their buffer is given back: by port
        START,    //!< wires that are free take what waits: by port
        BALANCER, //!< the timer of a ToR's balancer
        PFC,      //!< a pause or a resume takes effect: by port
        MAIL,     //!< what comes from nodes that are no neighbours: its kind, then who sent it
        ARRIVAL,  //!< frames, in an order of ingress ports that is drawn: weft_tie_order()
        POST,     //!< messages of a workload: by number
        PART,     //!< delayed parts of messages: by connection
        CALL,     //!< what programs have asked for, in the order of their calls
        PLAN,     //!< the messages of this instant are planned together: by service level
    };

    /** Kinds of mail, in their order. */
    enum Mail : uint8_t
    {
        REPLY,    //!< that takes no wire: by its sender
        LOSS,     //!< news of a lost frame: by QP and PSN
        GIVEN_UP, //!< a sender has given up a message, and asks its receiver: by message
        OUTCOME,  //!< the receiver answers: by message
    };

    /** @param of whose @param what to be done to what @param now ps */
    using Action = void (*)(void* of, uint64_t what, int64_t now);

    /** @param context of the node */
    void SetContext(uint32_t context)
    {
        m_context = context;
    }

    /** @param ports of the node: makes room for what happens there at once */
    void Reserve(uint32_t ports)
    {
        m_items.reserve(std::size_t{4} * ports + 6);
        m_later.reserve(2);
    }

    /** @return whether it is carried out just now: what is possible then happens at once */
    bool IsRunning() const
    {
        return m_running;
    }

    /** @param now ps @return whether it is being or has been carried out at this time */
    bool HasReached(int64_t now) const
    {
        return m_last == now;
    }

    /**
     * Lets something happen at this instant.
     * @param step when
     * @param number among those of one step, below 2^56
     * @param action what
     * @param of handed to it
     * @param what handed to it
     */
    void Note(Step step, uint64_t number, Action action, void* of, uint64_t what = 0)
    {
        const Item item{uint64_t{step} << 56 | number, action, of, what};
        if (__builtin_expect(m_running, 0))
        {
            NoteMeanwhile(item);
            return;
        }
        if (m_items.empty())
        {
            Schedule();
        }
        m_items.push_back(item);
    }

    /** @param kind of mail @param from a number, see Mail, below 2^52 @return its number as Note()
     * takes it */
    static uint64_t MailNumber(Mail kind, uint64_t from)
    {
        return uint64_t{kind} << 52 | from;
    }

    /** The same for what is rare, and needs more to be told. @param step when @param number among
     * those of one step @param call what */
    void Note(Step step, uint64_t number, std::function<void()> call);
    /** What a program asks for, from wherever: at once if this node's instant is being carried out,
     * else behind all that is due here. @param call what */
    void Do(std::function<void()> call);

    void Fire(int64_t now) override;

  private:
    /** Something that is to happen. */
    struct Item
    {
        uint64_t key;  //!< step and number
        Action action; //!< what
        void* of;      //!< handed to it
        uint64_t what; //!< handed to it
    };

    void Schedule();                      //!< The event that carries everything out
    void NoteMeanwhile(const Item& item); //!< Notes something while it runs @param item that
    [[gnu::noinline]] void Sort();        //!< Puts what was noted in order
    [[gnu::noinline]] void NextRound();   //!< What was noted too late for a round is the next one
    static void Call(void* of, uint64_t what, int64_t now); //!< Action of a call

    std::vector<Item> m_items;                  //!< noted
    std::vector<Item> m_later;                  //!< of another round of this instant
    std::vector<std::function<void()>> m_calls; //!< of those that are calls
    std::size_t m_done{0};                      //!< items of this round that have happened
    int64_t m_last{-1};                         //!< when something happened last, ps
    uint32_t m_context{0};                      //!< of the node
    bool m_running{false};                      //!< see IsRunning()
};

} // namespace ns3

#endif /* NS3_WEFT_INSTANT_H */
