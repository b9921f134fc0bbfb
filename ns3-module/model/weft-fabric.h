/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_FABRIC_H
#define NS3_WEFT_FABRIC_H

#include "weft-choice.h"
#include "weft-connection.h"
#include "weft-packet.h"
#include "weft-planner.h"
#include "weft-qp.h"
#include "weft-receiver.h"
#include "weft-service-level.h"

#include "ns3/address.h"
#include "ns3/mac48-address.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
#include <weft/cc.h>
#include <weft/clos.h>
#include <weft/fabric.h>
#include <weft/lb.h>
#include <weft/levels.h>
#include <weft/mmu.h>
#include <weft/rng.h>
#include <weft/scheduler.h>
#include <weft/theory.h>
#include <weft/tor.h>
#include <weft/transport.h>

namespace ns3
{

class Packet;
class WeftChannel;
class WeftNic;
class WeftPort;
class WeftSwitch;

/**
 * @defgroup weft Weft
 * Load balancing for AI-training fabrics: RDMA NICs, shared-buffer switches, links, collectives,
 * and the simulator that runs them fast. WeftHelper is where a program begins.
 */

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
    uint64_t lost[5]{};          //!< by WeftFabric::Loss
    uint64_t lostBytes{0};       //!< of all kinds
    uint64_t trimmed{0};         //!< that lost their payload on the way, and are delivered or lost
    uint64_t trimmedBytes{0};    //!< that were cut away
    uint64_t payload{0};         //!< bytes of payload placed at receivers, each once
};

/**
 * @ingroup weft
 * @brief One fabric: its shape, its algorithms, its QPs, the packets in it, and their accounts.
 *
 * Each attribute that names an algorithm is a line of text: the name, then name=value pairs, as
 * "dcqcn preset=hpcc t-i=300us". `weft list` shows what there is. Set them before Build().
 */
class WeftFabric : public Object
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

    /** What a frame of an IP stack carries. */
    struct Payload
    {
        Ptr<Packet> packet; //!< the packet
        uint16_t protocol;  //!< EtherType
        Mac48Address to;    //!< as it was addressed: a NIC's, a group's or broadcast
    };

    /** @return the type */
    static TypeId GetTypeId();
    WeftFabric();
    ~WeftFabric() override;

    /** Sets the attributes Seed and Run to numbers, 0 a number like any other: RngSeedManager has
     * no part in it. To be called before Build(). @param seed any number @param run any number */
    void SetSeedAndRun(uint64_t seed, uint64_t run);

    /**
     * ns-3's convention: lets all that this fabric draws depend on a stream number too, so that two
     * fabrics of one simulation draw different numbers. To be called before the first QP, workload,
     * packet or failure; until then all streams begin anew.
     * @param stream any number from 0 up; negative: none, as if this had never been called
     * @return 1, the number of stream numbers used
     */
    int64_t AssignStreams(int64_t stream);

    /** Chooses an algorithm that is already resolved. @param kind registry, as in weft_registries()
     *  @param algo the algorithm @param config its configuration, copied */
    void SetChoice(const std::string& kind, const weft_algo* algo, const void* config);

    /**
     * Adds a service level: a set of QPs with a balancer, transport and congestion control of their
     * own, at first those of level 0 as they are now, and an egress queue. To be called before
     * Build().
     * @param queue traffic class of its data, from 1 up, below the switch's classes
     * @return its number, from 1 to 7
     */
    uint32_t AddServiceLevel(uint32_t queue);
    /** Chooses an algorithm of a service level by a line of text. @param level its number @param
     * kind balancer, transport or congestion-control @param text as the attributes have it */
    void SetLevelText(uint32_t level, const std::string& kind, const std::string& text);
    /** The same for an algorithm that is already resolved. @param level number @param kind registry
     * @param algo the algorithm @param config its configuration, copied */
    void SetLevelChoice(uint32_t level,
                        const std::string& kind,
                        const weft_algo* algo,
                        const void* config);

    /**
     * Makes the topology a graph: any switches and links (see graph.h). To be called before
     * Build().
     * @param hosts how many @param switches how many
     * @param links between nodes 0 .. hosts-1, the hosts, and hosts .. hosts+switches-1
     * @param error what is wrong, if it fails
     * @return whether there is such a graph
     */
    bool SetGraph(uint32_t hosts,
                  uint32_t switches,
                  const std::vector<weft_graph_edge>& links,
                  std::string& error);

    /** @param clos the shape that the Topology attribute describes @param error what is wrong with
     * it
     *  @return whether it can be built */
    bool GetShape(weft_clos* clos, std::string& error) const;

    /**
     * Builds switches, NICs and links. From here on, of all attributes only ConvergenceDelay,
     * ConvergenceWeights and ConvergenceCapacity can be set.
     * @param hosts one node per host, in host order
     * @param switches one node per switch, in switch order
     * @param error what is wrong, if it fails
     * @return whether it succeeded
     */
    bool Build(const NodeContainer& hosts, const NodeContainer& switches, std::string& error);

    /** Computes GetRhoMax(), given the failures at time 0 that last. To be called before QPs are
     * created; a WeftCollective does so. @param flows every pair of hosts that has a QP */
    void SetFlows(const std::vector<weft_flow>& flows);
    /** Says how many of the QPs that are created next send from the start, for path selectors that
     * count in BDPs: QPs of a host share its line with each other and with those that it has. A
     * WeftCollective calls it; each other QP counts as one. @param qps by host: with how many it
     * starts @param created QPs in all, those included that wait for others */
    void AddStarters(const std::vector<uint32_t>& qps, uint32_t created);
    /** @param src a QP's sending host @param dst its receiving host @return packets of its own
     * bandwidth-delay product, see weft_path_site, as of now */
    uint32_t GetQpBdp(uint32_t src, uint32_t dst) const;
    /** @return the share of line rate at which hosts may send so that the links that are left can
     * serve all flows that have a path (weft_rho_max()) */
    double GetRhoMax() const
    {
        return m_rhoMax;
    }

    /** Creates a QP. @param src sending host @param dst receiving host, another one
     *  @param listener told when messages are done, or nullptr @param level service level @return
     *  the QP */
    WeftQp* CreateQp(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level = 0);
    /** Connects two hosts for messages: with the QPs that the balancer's planner wants, or one.
     * @param src sending host @param dst receiving host, another one @param listener told when
     * messages are done, or nullptr @param level service level @return the connection, which is the
     * fabric's */
    WeftConnection*
    Connect(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level = 0);
    /** Posts messages of one service level that a host has at this instant; a planner sees them
     * together. @param src the sender of all @param posts the messages */
    void PostMessages(uint32_t src, const std::vector<WeftPost>& posts);
    /** Posts a message past any planner. @param qp the QP @param bytes > 0 @param tag handed to the
     * listener */
    void Post(WeftQp* qp, uint64_t bytes, uint64_t tag);

    /** Where a scenario's drops take place. */
    enum DropPlace
    {
        DROP_AT_TOP,      //!< the switch where the packet turns downwards
        DROP_AT_LAST_HOP, //!< between the last switch and the NIC
    };

    /** Drops a QP's packet.
     *  @param qp the QP's index @param offset packets behind its first @param count how often
     *  @param place where */
    void AddDrop(uint32_t qp, uint32_t offset, uint32_t count, DropPlace place = DROP_AT_TOP);
    /** Drops data at random where it turns downwards. @param probability in [0, 1] */
    void SetLossProbability(double probability);
    /** A link fails; forwarding adapts after the convergence delay, 0: at the same instant, so that
     * a failure at time 0 is known before a collective installed later begins. @param link
     * weft_clos_link() number
     *  @param at when @param repair when it comes back, Time::Max(): never */
    void ScheduleFailure(uint64_t link, Time at, Time repair);

    /** A link between switches is slower for a while; forwarding does not change. @param link
     * weft_clos_link() number, which no other degradation has at that time @param rate bit/s, at
     * most what is planned @param at when @param repair when it is as planned, Time::Max(): never
     */
    void ScheduleDegradation(uint64_t link, int64_t rate, Time at, Time repair);

    /** To be asked at any time. @return whether frames sent = delivered + lost + in the fabric,
     * bytes sent = delivered + lost + trimmed away once no frame is left, and every buffer's
     * accounts agree
     *  @param error what does not */
    bool CheckConservation(std::string& error) const;

    /** @name What has been built @{ */
    const weft_clos& GetClos() const
    {
        return m_clos;
    }
    uint32_t GetNHosts() const
    {
        return m_clos.nhosts;
    }
    uint32_t GetNSwitches() const
    {
        return m_clos.nswitches;
    }
    Ptr<WeftNic> GetNic(uint32_t host) const;
    Ptr<WeftSwitch> GetSwitch(uint32_t index) const;
    Ptr<WeftChannel> GetChannel(uint64_t link) const;
    WeftQp* GetQp(uint32_t index) const
    {
        return m_qps[index];
    }
    uint32_t GetNQps() const
    {
        return static_cast<uint32_t>(m_qps.size());
    }
    const WeftCounters& GetCounters() const
    {
        return m_counters;
    }
    uint64_t GetPacketsInUse() const
    {
        return m_pool.GetUsed();
    }
    /** @return frames queued or on a wire: sent, and neither delivered nor lost */
    uint64_t GetPacketsInFabric() const;
    uint64_t GetPacketsMade() const
    {
        return m_pool.GetMade();
    }
    /** @return the host with that address, or GetNHosts() @param address of its NIC */
    uint32_t FindHost(const Address& address) const;
    /** @} */

    /** @name For NICs and switches @{ */
    /** @return what switches do, for all service levels */
    const weft_lb_ops* GetBalancer() const
    {
        return m_switchBalancer;
    }
    /** @return its configuration */
    const void* GetBalancerConfig() const
    {
        return m_switchConfig;
    }
    /** @param level number @return what its QPs work by */
    WeftServiceLevel* GetServiceLevel(uint32_t level) const
    {
        return m_levels[level].get();
    }
    /** @return how many there are: 1 and those that were added */
    uint32_t GetNServiceLevels() const
    {
        return static_cast<uint32_t>(m_levels.size());
    }
    /** @return the transport of service level 0 */
    const weft_transport_ops* GetTransport() const
    {
        return m_levels[0]->transport;
    }
    /** @return the congestion control of service level 0 */
    const weft_cc_ops* GetCc() const
    {
        return m_levels[0]->cc;
    }
    const weft_mmu_config& GetMmuConfig() const
    {
        return m_switch.GetConfigAs<weft_mmu_config>();
    }
    const weft_scheduler_ops* GetScheduler() const
    {
        return m_scheduler.GetOps<weft_scheduler_ops>();
    }
    const void* GetSchedulerConfig() const
    {
        return m_scheduler.GetConfig();
    }
    const weft_fabric_config& GetFrameConfig() const
    {
        return m_frame;
    }
    /** @return what all random streams derive from, with GetRun(): seed and stream number; after
     * Build(), when it is settled */
    uint64_t GetSeed() const
    {
        return m_streamSeed;
    }
    /** @return the run's number; after Build() */
    uint64_t GetRun() const
    {
        return m_run;
    }
    int64_t GetHostRate() const
    {
        return m_clos.host_rate;
    }
    /** @param link number @return its ends, rate and delay */
    weft_link GetLink(uint64_t link) const
    {
        weft_link l;
        weft_clos_link(&m_clos, link, &l);
        return l;
    }
    weft_site GetSite(uint32_t index) const;
    const weft_fib* GetFib() const
    {
        return m_fib;
    }
    bool IsTorActive() const
    {
        return m_torActive;
    }
    bool InjectsLoss() const
    {
        return m_injectsLoss;
    }
    /** @return whether forwarding has exceptions, as a graph's always has, or losses are injected
     */
    bool IsFaulty() const
    {
        return m_injectsLoss || m_fib;
    }
    bool TakeInjectedLoss(const weft_packet& d, weft_rng& rng);
    /** @return whether @p d is lost before its NIC */
    bool TakeLastHopLoss(const weft_packet& d)
    {
        return !m_lastHopDrops.empty() && TakeDrop(m_lastHopDrops, d);
    }

    WeftPacket* NewPacket()
    {
        return m_pool.Get();
    }
    void Free(WeftPacket* p)
    {
        m_pool.Put(p);
    }
    /** A reply that a ToR or a receiver makes. @param data the packet replied to @param kind of
     * reply
     *  @param psn ePSN @return the reply */
    WeftPacket* NewReply(const weft_packet& data, weft_packet_kind kind, uint32_t psn);
    /** @param why a reason @return it in words */
    static const char* GetReason(Loss why);
    /** A frame ends before its NIC; a transport that has tx_lost() will hear of it.
     *  @param p the frame @param why reason */
    void Drop(WeftPacket* p, Loss why);
    void CountHop()
    {
        m_counters.hops++;
    }
    void CountSent(uint32_t bytes)
    {
        m_counters.sent++;
        m_counters.sentBytes += bytes;
    }
    void CountMadeByTor(uint32_t bytes)
    {
        m_counters.madeByTors++;
        m_counters.madeByTorsBytes += bytes;
    }
    void CountDelivered(uint32_t bytes)
    {
        m_counters.delivered++;
        m_counters.deliveredBytes += bytes;
    }
    /** Cuts a data frame's payload away. @param p the frame @param bytes that are left */
    void Trim(WeftPacket* p, uint16_t bytes)
    {
        m_counters.trimmed++;
        m_counters.trimmedBytes += p->d.bytes - bytes;
        p->d.bytes = bytes;
        p->d.tclass = 0;
        p->d.flags |= WEFT_F_TRIMMED;
    }
    void CountPayload(uint64_t bytes)
    {
        m_counters.payload += bytes;
    }
    /** A NIC gets another address. @param host its index @param address one that no other has */
    void ChangeAddress(uint32_t host, Mac48Address address);
    void AttachPayload(WeftPacket* p, const Payload& payload);
    Payload DetachPayload(WeftPacket* p);
    /** @} */

  protected:
    void DoDispose() override;

  private:
    // Accessors of the attributes
    void SetSeed(uint64_t seed);          //!< @param seed 0: RngSeedManager's
    void SetRun(uint64_t run);            //!< @param run 0: RngSeedManager's
    uint64_t GetSeedNumber() const;       //!< @return as set; from Build() on the one in force
    uint64_t GetRunNumber() const;        //!< @return as set; from Build() on the one in force
    void SetTopology(std::string text);   //!< @param text name and parameters
    void SetFrames(std::string text);     //!< @param text name and parameters
    void SetSwitch(std::string text);     //!< @param text name and parameters
    void SetScheduler(std::string text);  //!< @param text name and parameters
    void SetBalancer(std::string text);   //!< @param text name and parameters
    void SetTransport(std::string text);  //!< @param text name and parameters
    void SetCc(std::string text);         //!< @param text name and parameters
    std::string GetTopologyText() const;  //!< @return name and parameters
    std::string GetFramesText() const;    //!< @return name and parameters
    std::string GetSwitchText() const;    //!< @return name and parameters
    std::string GetSchedulerText() const; //!< @return name and parameters
    std::string GetBalancerText() const;  //!< @return name and parameters
    std::string GetTransportText() const; //!< @return name and parameters
    std::string GetCcText() const;        //!< @return name and parameters

    /** Where descriptors of lost frames arrive, a round trip of the idle fabric after the data
     * left.
     */
    class LossTeller final : public WeftReceiver
    {
      public:
        /** @param fabric whose losses it tells */
        explicit LossTeller(WeftFabric* fabric);
        void Arrive(WeftPacket* p, int64_t now) override;
        void Expect(const WeftPacket* p) const override;

      private:
        WeftFabric* m_fabric; //!< whose losses it tells
    };

    void TellLoss(WeftPacket* p); //!< Tells the sender in time @param p lost data, or a lost ACK

    WeftChoice& GetChoiceOf(const std::string& kind); //!< @param kind registry @return its choice
    /** @param level number @param kind registry @return its choice */
    WeftChoice& GetLevelChoiceOf(uint32_t level, const std::string& kind);
    bool CheckLevels(std::string& error); //!< @param error why not @return whether all is well
    void JoinBalancers();                 //!< Settles what switches do
    bool BuildLevels(std::string& error); //!< part of Build()
    /** Aborts the program if the fabric has been built. @param what was set, too late */
    void RequireUnbuilt(const std::string& what) const;
    void PinRandomness(); //!< From here on RngSeedManager may change
    /** @param error why not @return whether a fabric can run under the simulator in use */
    static bool CheckSimulator(std::string& error);
    bool
    CheckSizes(const NodeContainer& hosts, const NodeContainer& switches, std::string& error) const;
    bool BuildSwitches(const NodeContainer& switches, std::string& error); //!< part of Build()
    void BuildNics(const NodeContainer& hosts);                            //!< part of Build()
    void BuildLinks();                                                     //!< part of Build()
    WeftPort* GetPort(const weft_end& end) const; //!< @param end of a link @return its port
    /** @param qp gets its states @param site where it is; the rest is filled in @param level its
     * service level */
    void InitQpState(WeftQp* qp, weft_qp_site& site, const WeftServiceLevel& level);
    std::string FormatBalancers() const; //!< @return those of all service levels
    void CheckFootprint() const;         //!< tells the simulator whether the fabric fits the caches
    weft_path_site GetPathSite(uint32_t host) const; //!< @param host index @return its site
    /** @param src sending host @param dst receiving host @return the sender's site */
    weft_cc_site GetCcSite(uint32_t src, uint32_t dst) const;
    /** @param src sending host @param dst receiving host @return ps that a full frame and its ACK
     * take if they never wait */
    int64_t GetIdleRoundTrip(uint32_t src, uint32_t dst) const;
    void CountStarter(uint32_t host); //!< @param host has one more QP
    /** @param qp gets its states at ToRs @param level its service level */
    void InitQpTor(WeftQp* qp, const WeftServiceLevel& level);
    weft_last_hop GetLastHop() const; //!< @return what sizes a ToR's rings
    /** @param link number @param at when @param down new state */
    void ScheduleChange(uint64_t link, Time at, bool down);
    void ChangeLinks(); //!< All that fails and is repaired now
    /** @param link number @param down one failure more, or less @return whether its state is new */
    bool ChangeLink(uint64_t link, bool down);
    /** @param link number @param rate from now on, bit/s */
    void ChangeRate(uint64_t link, int64_t rate);
    void StartConvergence(); //!< Forwarding will be of how links are now, a convergence delay later

    /** What forwarding is computed for. */
    struct LinkStates
    {
        std::vector<uint64_t> dead;       //!< ascending, distinct
        std::vector<weft_slow_link> slow; //!< ascending, distinct
    };

    /** @param links their states @param weights of ports @param memory of the result @return the
     * exceptions */
    const weft_fib*
    MakeFib(const LinkStates& links, weft_weights weights, std::vector<uint64_t>& memory) const;
    weft_weights GetWeights() const; //!< @return what the attributes say
    /** New forwarding everywhere. @param links as they were a convergence delay ago */
    void Converge(LinkStates links);
    void SetTorActive(bool active); //!< @param active whether ToR middleware is to work
    /** Recounts a buffer. @param mmu the buffer @param index its switch @param empty whether
     * nothing may be in it @param text gets what is wrong */
    static void CheckBuffer(const weft_mmu& mmu, uint32_t index, bool empty, std::ostream& text);

    WeftChoice m_topology;               //!< shape
    weft_graph m_graph{};                //!< SetGraph()
    std::vector<uint64_t> m_graphMemory; //!< of m_graph
    WeftChoice m_frames;                 //!< frame sizes
    WeftChoice m_switch;                 //!< buffer
    WeftChoice m_scheduler;              //!< of a port's traffic classes
    uint64_t m_seed{0};                  //!< attribute
    uint64_t m_run{0};                   //!< attribute
    Time m_convergence;                  //!< attribute
    bool m_weights{true};                //!< attribute
    bool m_capacity{false};              //!< attribute
    bool m_built{false};                 //!< Build() was called
    bool m_pinned{false};                //!< seed and run are numbers, whatever RngSeedManager's
    int64_t m_stream{-1};                //!< AssignStreams(), negative: none
    uint64_t m_streamSeed{0};            //!< seed and stream number

    weft_clos m_clos{};           //!< shape
    weft_fabric_config m_frame{}; //!< frame sizes
    /** What QPs work by, by service level; the attributes' choices are those of level 0. */
    std::vector<std::unique_ptr<WeftServiceLevel>> m_levels;
    weft_levels m_allLevels{};                    //!< their balancers
    weft_lb_ops m_allBalancers{};                 //!< what switches do where there are several
    const weft_lb_ops* m_switchBalancer{nullptr}; //!< what switches do
    const void* m_switchConfig{nullptr};          //!< its configuration
    bool m_torActive{false};                      //!< ToR middleware is on
    bool m_injectsLoss{false};                    //!< drops or random loss were asked for
    double m_lossProbability{0};                  //!< of random loss
    const weft_fib* m_fib{nullptr};               //!< exceptions after failures, or nullptr

    WeftPacketPool m_pool;                                      //!< packet descriptors
    LossTeller m_lossTeller;                                    //!< to senders
    uint64_t m_lossesToTell{0};                                 //!< descriptors on their way to it
    WeftCounters m_counters;                                    //!< totals
    std::vector<WeftQp*> m_qps;                                 //!< QPs
    std::vector<std::unique_ptr<WeftConnection>> m_connections; //!< what messages go over
    std::vector<WeftNic*> m_nics;                               //!< by host; owned by their nodes
    std::vector<WeftSwitch*> m_switches;                        //!< by index; owned by their nodes
    std::vector<Ptr<WeftChannel>> m_channels;                   //!< by link
    std::map<Mac48Address, uint32_t> m_hostOf;                  //!< NIC addresses

    using Drops = std::map<uint64_t, uint32_t>; //!< (qp, psn) to the number of drops left
    bool TakeDrop(Drops& drops, const weft_packet& d) const;

    std::vector<uint32_t> m_starters; //!< by host: QPs that share its line
    uint32_t m_announced{0};          //!< QPs still to be created that are counted there

    Drops m_drops;        //!< at the top
    Drops m_lastHopDrops; //!< before the NIC
    /** Failures and repairs to come: the links, and whether they go down. */
    std::map<Time, std::vector<std::pair<uint64_t, bool>>> m_changes;
    double m_rhoMax{1};                                  //!< share of line rate
    std::vector<uint64_t> m_lasting;                     //!< links down from time 0 on, for good
    std::vector<weft_slow_link> m_slow;                  //!< degraded from time 0 on, for good
    std::vector<uint64_t> m_dead;                        //!< links down now, once per failure
    std::map<uint64_t, int64_t> m_degraded;              //!< links that are slower now: bit/s
    std::vector<uint64_t> m_fibMemory;                   //!< of m_fib
    std::unordered_map<WeftPacket*, Payload> m_payloads; //!< of frames of kind WEFT_RAW
};

} // namespace ns3

#endif /* NS3_WEFT_FABRIC_H */
