/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_COLLECTIVE_H
#define NS3_WEFT_COLLECTIVE_H

#include "weft-choice.h"
#include "weft-connection.h"
#include "weft-watched.h"

#include "ns3/abort.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <atomic>
#include <memory>
#include <string>
#include <vector>
#include <weft/ops.h>
#include <weft/run.h>
#include <weft/traffic.h>

namespace ns3
{

class WeftFabric;

/**
 * @ingroup weft
 * @brief Runs a workload on a fabric: a graph of messages, each posted when those it waits for
 * are done.
 *
 * One object drives all hosts, as the job's launcher does; every message still crosses the NICs.
 */
class WeftCollective : public Object, public WeftWatched
{
  public:
    /** When a message was posted, delivered and acknowledged, ps; -1: not yet. */
    using Times = weft_message_times;

    /** @return the type */
    static TypeId GetTypeId();
    WeftCollective();
    ~WeftCollective() override;

    /** Chooses a workload that is already resolved. @param algo the workload @param config its
     * configuration */
    void SetWorkload(const weft_algo* algo, const void* config);

    /** Sets the table that `flows` and `poisson` take besides their parameters. @param table the
     * caller's, to be kept until Install() has returned */
    void SetTable(const weft_table* table);

    /** Keeps something as long as this workload. @param what its table points to */
    void Keep(std::shared_ptr<const void> what)
    {
        m_kept = what;
    }

    /**
     * Creates the QPs and schedules the first messages.
     * @param fabric a fabric that has been built
     * @param error what is wrong, if it fails
     * @return whether it succeeded
     */
    bool Install(Ptr<WeftFabric> fabric, std::string& error);

    /** @return whether every message has been delivered and acknowledged, was given up or can never
     * start. What is acknowledged and not delivered is an error: WeftFabric::CheckConservation()
     * names it */
    bool IsDone() const;
    /** @return when IsDone() became true, ps; to be asked once it is */
    int64_t GetDoneTime() const
    {
        return GetState().done_at;
    }

    /** @return messages acknowledged so far */
    size_t GetNAcked() const
    {
        return GetState().acked;
    }

    /** @return messages that their senders have given up and that have not been delivered */
    size_t GetUndelivered() const
    {
        return GetState().undelivered;
    }

    /** @return messages that wait, directly or not, for one that will not be delivered */
    size_t GetUnstarted() const
    {
        return GetState().unstarted;
    }

    /** @return the graph */
    const std::vector<weft_message>& GetMessages() const
    {
        return m_messages;
    }

    /** @param qp number of a QP in the graph @return what its messages go over */
    const WeftConnection* GetConnection(uint32_t qp) const;

    /** @return its edges: the successors that the messages name */
    const std::vector<uint32_t>& GetSuccessors() const
    {
        return m_successors;
    }

    /** @return times, message by message */
    const std::vector<Times>& GetTimes() const
    {
        Sync();
        return m_times;
    }

    /** @return the operations of a trace, with the times at which they began and ended so far (ps;
     * -1: not yet), those of a rank in a row (see ops.h); nullptr: this is no trace */
    const weft_program* GetProgram() const
    {
        Sync();
        return m_program;
    }

    /** @return number of groups */
    uint32_t GetNGroups() const
    {
        return m_graph.size.ngroups;
    }

    /** Rank 0 of several gets the times at which messages were posted: it has all others anyway.
     * All ranks call it. */
    void GatherTimes();

    /** @return last delivery of the slowest group so far */
    Time GetCompletionTime() const;
    /** @return payload of all messages, bytes */
    uint64_t GetTotalBytes() const;

    // From WeftWatched
    void Watch() override;

    /** Signature of the "Delivered" trace. @param message number @param when time */
    typedef void (*DeliveredCallback)(uint32_t message, Time when);

  protected:
    void DoDispose() override;

  private:
    void SetWorkloadText(std::string text); //!< @param text name and parameters
    std::string GetWorkloadText() const;    //!< @return name and parameters
    void RequireUninstalled() const;        //!< Aborts the program if it has been installed
    bool Fill(std::string& error);          //!< @param error why not @return success
    bool Start(std::string& error);         //!< @param error why not @return success
    /** @param m a message @return its service level */
    uint32_t GetLevel(const weft_message& m) const;
    void SetHooks();                        //!< Names what the core tells
    void PlanDone(int64_t at);              //!< TellDone() is to come @param at when all was, ps
    void TellDone();                        //!< Tells whoever listens
    void Sync() const;                      //!< Lets all that happens before Now() happen
    weft_collective_state GetState() const; //!< @return how far it is

    WeftChoice m_workload;                  //!< attribute
    const weft_table* m_table{nullptr};     //!< what it takes, until it is installed
    Ptr<WeftFabric> m_fabric;               //!< the fabric
    bool m_installed{false};                //!< Install() has succeeded
    std::vector<weft_message> m_messages;   //!< the graph
    std::vector<uint32_t> m_successors;     //!< its edges
    std::vector<Times> m_times;             //!< what happened
    weft_collective_config m_graph{};       //!< all of these, for the core
    weft_collective* m_of{nullptr};         //!< the core's
    const weft_program* m_program{nullptr}; //!< see GetProgram()
    std::shared_ptr<const void> m_kept;     //!< see Keep()
    weft_collective_state m_last{};         //!< how far it was when the simulation was destroyed
    uint32_t m_level{0};                    //!< attribute
    std::atomic<bool> m_tellsDone{false};   //!< TellDone() is to come
    bool m_watched{false};                  //!< somebody hears of each message
    TracedCallback<uint32_t, Time> m_deliveredTrace; //!< "Delivered"
    TracedCallback<> m_doneTrace;                    //!< "Done"
};

} // namespace ns3

#endif /* NS3_WEFT_COLLECTIVE_H */
