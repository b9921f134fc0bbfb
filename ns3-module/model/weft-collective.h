/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_COLLECTIVE_H
#define NS3_WEFT_COLLECTIVE_H

#include "weft-choice.h"
#include "weft-connection.h"
#include "weft-planner.h"
#include "weft-watched.h"

#include "ns3/abort.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>
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
class WeftCollective : public Object, public WeftMessageListener, public WeftWatched
{
  public:
    /** When a message was posted, delivered and acknowledged, ps; -1: not yet. */
    struct Times
    {
        int64_t posted{-1};    //!< its dependencies were met
        int64_t delivered{-1}; //!< in order at the receiver
        int64_t acked{-1};     //!< known to the sender
        bool failed{false};    //!< given up by the sender; it may be delivered all the same
        int64_t asked{-1};     //!< when its receiver heard that it is given up
        int64_t ready{0};      //!< when what it waited for, as far as that is done, was
    };

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
        return AsOfNow(m_doneAt);
    }

    /** @return messages acknowledged so far */
    size_t GetNAcked() const
    {
        return AsOfNow(m_acked);
    }

    /** @return messages that their senders have given up and that have not been delivered */
    size_t GetUndelivered() const
    {
        return AsOfNow(m_undelivered);
    }

    /** @return messages that wait, directly or not, for one that will not be delivered */
    size_t GetUnstarted() const
    {
        return AsOfNow(m_unstarted);
    }

    /** @return the graph */
    const std::vector<weft_message>& GetMessages() const
    {
        return m_messages;
    }

    /** @param qp number of a QP in the graph @return what its messages go over */
    const WeftConnection* GetConnection(uint32_t qp) const
    {
        NS_ABORT_MSG_UNLESS(m_fabric, "Weft: GetConnection() after Simulator::Destroy()");
        return m_connections.at(qp);
    }

    /** @return its edges: the successors that the messages name */
    const std::vector<uint32_t>& GetSuccessors() const
    {
        return m_successors;
    }

    /** @return times, message by message */
    const std::vector<Times>& GetTimes() const
    {
        return AsOfNow(m_times);
    }

    /** @return number of groups */
    uint32_t GetNGroups() const
    {
        return m_ngroups;
    }

    /** Rank 0 of several gets the times at which messages were posted: it has all others anyway.
     * All ranks call it. */
    void GatherTimes();

    /** @return last delivery of the slowest group so far */
    Time GetCompletionTime() const;
    /** @return payload of all messages, bytes */
    uint64_t GetTotalBytes() const;

    // From WeftMessageListener
    void MessageDelivered(const WeftQp& qp, uint64_t tag) override;
    void MessageAcked(const WeftQp& qp, uint64_t tag) override;
    void MessageFailed(const WeftQp& qp, uint64_t tag) override;
    bool NeedsTime() const override
    {
        return false;
    }

    bool IsThreadSafe() const override
    {
        return true;
    }

    // From WeftWatched
    void Watch() override;

    /** Fate of a message. */
    enum Outcome : uint32_t
    {
        DELIVERED, //!< at its receiver
        ACKED,     //!< at its sender
        FAILED,    //!< given up by its sender
    };

    /** Event of which all ranks hear. */
    struct Event
    {
        int64_t at;       //!< ps
        uint32_t message; //!< number
        Outcome what;     //!< has become of it
    };

    /** @return what has happened at this rank since the last call */
    std::vector<Event> TakeEvents();
    /** Hears what has happened at a rank. @param events that happened there @param n how many
     * @return whether something was released by them, on any rank */
    bool HearAll(const Event* events, size_t n);

    /** Signature of the "Delivered" trace. @param message number @param when time */
    typedef void (*DeliveredCallback)(uint32_t message, Time when);

  protected:
    void DoDispose() override;

  private:
    /** A step of a group, where barriers are. */
    struct Step
    {
        uint32_t left{0};  //!< messages not acknowledged yet
        uint32_t lost{0};  //!< messages that never will be
        uint32_t first{0}; //!< its messages: m_members[first .. first + n)
        uint32_t n{0};     //!< how many
        int64_t last{0};   //!< when the last of those that are was acknowledged, ps
    };

    void SetWorkloadText(std::string text); //!< @param text name and parameters
    std::string GetWorkloadText() const;    //!< @return name and parameters
    void RequireUninstalled() const;        //!< Aborts the program if it has been installed
    bool Fill(std::string& error);          //!< @param error why not @return success
    void CreateQps(uint32_t nqps);          //!< @param nqps QPs of the graph
    /** @param m a message @return its service level */
    uint32_t GetLevel(const weft_message& m) const;
    /** @param m a message @return the planner of its service level */
    const WeftPlanner& PlannerOf(const weft_message& m) const;
    /** @param message has nothing to wait for @param since when its sender knows that, ps */
    void Release(uint32_t message, int64_t since);
    void Post(uint32_t message, int64_t now); //!< @param message to be posted @param now ps
    /** Plans together what was posted at an instant. @param host the sender @param level of service
     * @param now ps */
    void PostTogether(uint32_t host, uint32_t level, int64_t now);
    /** Counts one thing less that a message waits for. @param message that one @param at when its
     * sender knows of that, ps */
    void Count(uint32_t message, int64_t at);
    /** Releases what waits for a message, as far as the host knows that sends it: the receiver at
     * delivery, the sender at its ACK. @param message the message @param sender whether it is the
     * sender's turn @param at when it knows, ps */
    void Tell(uint32_t message, bool sender, int64_t at);
    /** @param from a host @param to another @return ps that an ACK takes in an idle fabric */
    int64_t GetWay(uint32_t from, uint32_t to) const;
    /** A message that its step waited for is acknowledged, or not to be. @param message which
     * @param at since when, ps */
    void EndInStep(uint32_t message, int64_t at);
    /** @param host index @return whether this rank runs it */
    bool IsHere(uint32_t host) const;
    void Note(const Event& event);                     //!< @param event is to be heard of by all
    void Hear(const Event& event);                     //!< @param event that all hear of
    void NoteDelivered(uint32_t message, int64_t now); //!< @param message number @param now ps
    void NoteAcked(uint32_t message, int64_t now);     //!< @param message number @param now ps
    void NoteFailed(uint32_t message, int64_t now);    //!< @param message number @param now ps
    /** A sender has given up and asked the receiver, which has the message and answers. @param
     * message which */
    void TellGivenUp(uint32_t message);
    /** Counts a given-up message as lost, and what waits for it as never to start; or, when it is
     * delivered after all, takes that back. @param message the message @param lost whether it is */
    void SetLost(uint32_t message, bool lost);
    /** Counts one message more or less that another one waits for in vain. @param message that one
     * @param lost more, or less @param changed is told of it if it can no longer start, or again */
    void SetLostWait(uint32_t message, bool lost, std::vector<uint32_t>& changed);
    void BuildBarriers(); //!< Lists the messages of each step, if any waits for a whole step
    /** @param m a message @return its step */
    Step& StepOf(const weft_message& m);
    /** @param m a message @param release what is done with each message that its step holds back */
    template <typename F>
    void ForEachBehind(const weft_message& m, F release);
    void CheckDone(int64_t at); //!< Whether nothing is left to wait for @param at since when, ps
    void TellDone();            //!< Tells whoever listens
    bool AreAllDone() const;    //!< IsDone() as far as it was told
    void Sync() const;          //!< Lets all that happens before Now() happen
    /** @param member of this @return it, once all that happens before Now() has happened */
    template <typename T>
    const T& AsOfNow(const T& member) const
    {
        Sync();
        return member;
    }

    WeftChoice m_workload;                //!< attribute
    const weft_table* m_table{nullptr};   //!< what it takes, until it is installed
    Ptr<WeftFabric> m_fabric;             //!< the fabric
    bool m_installed{false};              //!< Install() has succeeded
    std::vector<weft_message> m_messages; //!< the graph
    std::vector<uint32_t> m_successors;   //!< its edges
    std::vector<Times> m_times;           //!< what happened
    uint32_t m_nsteps{0};                 //!< of each group in m_steps
    std::vector<Step> m_steps;            //!< group by group; empty where there are no barriers
    std::vector<uint32_t> m_members;      //!< messages, step by step
    int64_t m_news{0};                    //!< ps from the end of a step to the next one's beginning
    std::vector<WeftConnection*> m_connections; //!< by the graph's QP numbers
    uint32_t m_level{0};                        //!< attribute
    std::recursive_mutex m_mutex; //!< of what follows, and of m_messages: hosts run on threads
    /** By host and service level: what it posts at this instant. */
    std::map<std::pair<uint32_t, uint32_t>, std::vector<WeftPost>> m_together;
    uint32_t m_ngroups{0};             //!< groups
    size_t m_acked{0};                 //!< messages acknowledged
    size_t m_done{0};                  //!< of these: delivered
    size_t m_failed{0};                //!< messages given up by their senders
    size_t m_undelivered{0};           //!< of these: not delivered
    size_t m_unstarted{0};             //!< messages that wait for such
    std::vector<uint32_t> m_lostWaits; //!< how many of the messages that each one waits for will
                                       //!< not be delivered; empty as long as none is given up
    int64_t m_lastDelivery{0};         //!< ps
    int64_t m_doneAt{0};               //!< when anything was done last, ps
    bool m_tellsDone{false};           //!< TellDone() is to come
    bool m_watched{false};             //!< somebody hears of each message
    bool m_released{false};            //!< something was, by what all ranks hear of
    std::vector<Event> m_events;       //!< of this rank, of which the others are yet to hear
    TracedCallback<uint32_t, Time> m_deliveredTrace; //!< "Delivered"
    TracedCallback<> m_doneTrace;                    //!< "Done"
};

} // namespace ns3

#endif /* NS3_WEFT_COLLECTIVE_H */
