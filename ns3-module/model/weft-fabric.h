/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_FABRIC_H
#define NS3_WEFT_FABRIC_H

#include "weft-channel.h"
#include "weft-choice.h"
#include "weft-connection.h"
#include "weft-memory.h"
#include "weft-qp.h"
#include "weft-service-levels.h"
#include "weft-ticks.h"

#include "ns3/address.h"
#include "ns3/data-rate.h"
#include "ns3/mac48-address.h"
#include "ns3/node-container.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>
#include <weft/clos.h>
#include <weft/fabric.h>
#include <weft/graph.h>
#include <weft/mmu.h>
#include <weft/net.h>
#include <weft/ranks.h>
#include <weft/run.h>
#include <weft/scheduler.h>

namespace ns3
{

class Packet;
class WeftHostPort;
class WeftNic;
class WeftSwitch;

/**
 * @defgroup weft Weft
 * Load balancing for AI-training fabrics: RDMA NICs, shared-buffer switches, links, collectives.
 * WeftHelper is where a program begins.
 */

/** @ingroup weft Content of a frame of an IP stack. */
struct WeftPayload
{
    Ptr<Packet> packet; //!< the packet
    uint16_t protocol;  //!< EtherType
    Mac48Address from;  //!< of the port that has sent it
    Mac48Address to;    //!< as it was addressed: a port's, a group's or broadcast
    uint32_t port;      //!< of the host that gets it

    Ptr<Packet> GetFrame() const; //!< @return a copy with its Ethernet header
};

/** @ingroup weft Totals of a fabric, as the core counts them. */
using WeftCounters = weft_net_counters;

/**
 * @ingroup weft
 * @brief One fabric: its shape, its algorithms, its QPs, the packets in it, and their accounts.
 *
 * The fabric itself is the core's (net.h); this builds it, and is what a program sees of it. It is
 * run in windows of the least delay of a link (WeftTicks): what is read is as of Now(), before what
 * happens at Now(). Who is being told of something sees the node that tells as it is, and others as
 * they were at the beginning of the window.
 *
 * Each attribute that names an algorithm is a line of text: the name, then name=value pairs, as
 * "dcqcn preset=hpcc t-i=300us". `weft list` shows what there is. Set them before Build().
 */
class WeftFabric : public Object
{
  public:
    /** @name Why a frame did not get to a NIC: see enum weft_net_loss @{ */
    using Loss = weft_net_loss;
    static constexpr Loss DROP_BUFFER = WEFT_NET_DROP_BUFFER;
    static constexpr Loss DROP_LINK = WEFT_NET_DROP_LINK;
    static constexpr Loss DROP_INJECTED = WEFT_NET_DROP_INJECTED;
    static constexpr Loss BLOCKED = WEFT_NET_BLOCKED;
    static constexpr Loss ENDED = WEFT_NET_ENDED;
    static constexpr Loss DROP_LOSSY = WEFT_NET_DROP_LOSSY;
    static constexpr Loss CORRUPTED = WEFT_NET_CORRUPTED;
    /** @} */

    /** Where a scenario's drops take place. */
    enum DropPlace
    {
        DROP_AT_TOP,      //!< at the switch where the packet turns downwards
        DROP_AT_LAST_HOP, //!< between the last switch and the NIC
    };

    /** Fault of links, which have its effect together: see struct weft_fault. */
    struct Fault
    {
        std::vector<uint64_t> links{};             //!< weft_planes_link() numbers
        weft_fault_effect effect{WEFT_FAULT_DOWN}; //!< what it does to them
        weft_direction direction{WEFT_BOTH_WAYS};  //!< upwards is from the lower to the upper end
        DataRate rate{0};                          //!< of slow links, at most what is planned
        Time delay{0};                             //!< of delayed ones, on top of what is planned
        weft_frame_losses losses{};                //!< of lossy and corrupting ones
        Time at{0};                                //!< when it begins, not in the past
        Time repair{
            Time::Max()};   //!< when it ends for good, Time::Max(): never (flaps until Stop())
        Time down{0};       //!< of one that flaps: so long with the effect; 0: once
        Time up{0};         //!< of one that flaps: so long without it; 0: once
        bool drawn{false};  //!< these are the means of exponential times
        uint64_t count{0};  //!< most times that it begins, if it flaps; 0: any number
        uint64_t stream{0}; //!< of random numbers of times that are drawn
    };

    /** @return the type */
    static TypeId GetTypeId();
    WeftFabric();
    ~WeftFabric() override;

    /** Sets the attributes Seed and Run to numbers, 0 a number like any other: RngSeedManager has
     * no part in it. To be called before Build(). @param seed any number @param run any number */
    void SetSeedAndRun(uint64_t seed, uint64_t run);

    /**
     * Lets several processes run the fabric, each some of its nodes (weft/ranks.h), with the same
     * results for any number. Each makes the same program's calls, and has the same events of
     * ns-3. To be called before Build(). Nothing hears of single frames then, as listeners that
     * need the time do, trace sinks, logs and IP stacks. @param ranks copied; what it names
     * outlives the fabric
     */
    void SetRanks(const weft_ranks& ranks);
    /** @return whether several ranks share the nodes */
    bool HasRanks() const
    {
        return m_hasRanks;
    }
    /** @param node its number, hosts first @return whether this rank runs it; of the others there
     * are no NICs and switches here */
    bool IsHere(uint32_t node) const;
    /** Rank 0 gets what the others have, to be read there. All ranks call it. @param what of enum
     * weft_gather */
    void Gather(unsigned what = WEFT_GATHER_NODES | WEFT_GATHER_QPS) const;
    /** Adds up on rank 0 what all ranks have in a row. All ranks call it. @param words the row */
    void Sum(std::vector<uint64_t>& words) const;

    /**
     * ns-3's convention: lets all that this fabric draws depend on a stream number too, so that two
     * fabrics of one simulation draw different numbers. To be called before the first QP, workload
     * or packet; until then all streams begin anew.
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
    /** Sets an algorithm that is already resolved. @param level number @param kind registry @param
     * algo the algorithm @param config its configuration, copied */
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
     * @param gpus hosts of a server, in a row, where links of servers' own networks do not say so;
     * 0: a host is a server by itself
     * @return whether there is such a graph
     */
    bool SetGraph(uint32_t hosts,
                  uint32_t switches,
                  const std::vector<weft_graph_edge>& links,
                  std::string& error,
                  uint32_t gpus = 0);

    /** @param clos the shape that the Topology attribute describes @param error what is wrong with
     * it @return whether it can be built */
    bool GetShape(weft_clos* clos, std::string& error) const;

    /**
     * Builds switches, NICs and links. From here on, of all attributes only ConvergenceDelay,
     * RecoveryDelay, ConvergenceWeights and ConvergenceCapacity can be set.
     * @param hosts one node per host, in host order; none where SetRanks() was called with more
     * than one: each rank makes those that it runs
     * @param switches one node per switch, in switch order, or none
     * @param error what is wrong, if it fails
     * @return whether it succeeded
     */
    bool Build(const NodeContainer& hosts, const NodeContainer& switches, std::string& error);

    /** Computes GetRhoMax(), given the failures at time 0 that last. To be called before QPs are
     * created; a WeftCollective does so. @param flows every pair of hosts that has a QP */
    void SetFlows(const std::vector<weft_flow>& flows);
    /** Says how many of the QPs that are created next send from the start, for path selectors that
     * count in BDPs: QPs of a host share its line with each other and with those that it has. A
     * WeftCollective does so; each other QP counts as one. @param qps by host: with how many it
     * starts @param created QPs in all, those included that wait for others */
    void AddStarters(const std::vector<uint32_t>& qps, uint32_t created);
    /** @param src a QP's sending host @param dst its receiving host @return packets of its own
     * bandwidth-delay product, see weft_path_site, as of now */
    uint32_t GetQpBdp(uint32_t src, uint32_t dst) const;
    /** @return the share of line rate at which hosts may send so that the links that are left can
     * serve all flows that have a path (weft_rho_max()) */
    double GetRhoMax() const;

    /** Creates a QP. @param src sending host @param dst receiving host, another one @param listener
     * told when messages are done, or nullptr @param level service level @return the QP */
    WeftQp* CreateQp(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level = 0);
    /** Connects two hosts for messages: with the QPs that the balancer's planner wants, or one.
     * @param src sending host @param dst receiving host, another one @param listener told when
     * messages are done, or nullptr @param level service level @return the connection, which is the
     * fabric's */
    WeftConnection*
    Connect(uint32_t src, uint32_t dst, WeftMessageListener* listener, uint32_t level = 0);
    /** Posts messages that a host has at this instant; the planner of a service level sees all of
     * that level together. @param src the sender of all @param posts the messages, perhaps none */
    void PostMessages(uint32_t src, const std::vector<WeftPost>& posts);
    /** Posts a message past any planner. @param qp the QP @param bytes > 0 @param tag handed to the
     * listener */
    void Post(WeftQp* qp, uint64_t bytes, uint64_t tag);

    /** Drops a QP's packet. @param qp the QP's index @param offset packets behind its first @param
     * count how many of its transmissions, from now on @param place where */
    void AddDrop(uint32_t qp, uint32_t offset, uint32_t count, DropPlace place = DROP_AT_TOP);
    /** Drops data at random where it turns downwards. @param probability in [0, 1] */
    void SetLossProbability(double probability);
    /** Plans a fault of links. A fault that flaps for ever keeps Simulator::Run() going until
     * Simulator::Stop() or ForgetFaults(). @param fault what happens to which links, and when */
    void AddFault(const Fault& fault);
    /** A link fails; forwarding adapts after the convergence delay, 0: at the same instant, so that
     * a failure at time 0 is known before a collective installed later begins. @param link
     * weft_planes_link() number @param at when, not in the past @param repair when it comes back,
     * Time::Max(): never
     */
    void ScheduleFailure(uint64_t link, Time at, Time repair);

    /** A link between switches is slower for a while; forwarding does not change. @param link
     * weft_planes_link() number; of several degradations the slowest counts @param rate at
     * most what is planned @param at when, not in the past @param repair when it ends, Time::Max():
     * never */
    void ScheduleDegradation(uint64_t link, DataRate rate, Time at, Time repair);
    /** From now on no link fails, becomes slower or comes back, and forwarding stays as it is: for
     * who has seen all that matters and does not want the clock to go on to these events. */
    void ForgetFaults();

    /** To be asked at any time, but not in a callback of the fabric. @param error what does not add
     * up @return whether frames sent = delivered + lost + in the fabric, bytes sent = delivered +
     * lost + trimmed away once no frame is left, every buffer's accounts agree, and receivers have
     * every message that is acknowledged
     */
    bool CheckConservation(std::string& error) const;

    /** @name What has been built
     * A number that there is not aborts the program. So does a question about NICs, switches or
     * links after Simulator::Destroy(); the counters and the QPs are there as long as the fabric @{
     */
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
        return weft_planes_switches(&m_clos);
    }
    Ptr<WeftNic> GetNic(uint32_t host) const;
    Ptr<WeftSwitch> GetSwitch(uint32_t index) const;
    Ptr<WeftChannel> GetChannel(uint64_t link) const;
    /** @param index a QP's number, below GetNQps() @return the QP, or nullptr if the number is
     * reserved for a part of a message and none has needed it yet: only where a balancer plans */
    WeftQp* GetQp(uint32_t index) const;
    /** @return numbers of QPs, those that are reserved among them */
    uint32_t GetNQps() const;
    WeftCounters GetCounters() const;
    /** @return frames queued or on a wire: sent, and neither delivered nor lost */
    uint64_t GetPacketsInFabric() const;
    /** @return these, and replies and packets of IP stacks that wait in NICs */
    uint64_t GetPacketsInUse() const;
    /** @return memory that the core has taken, bytes */
    uint64_t GetBytesTaken() const
    {
        return m_memory.GetTaken() + m_packets.GetTaken();
    }
    /** Gives back the memory of packets if nothing is left to happen. To be called when the
     * simulation is over: all that was counted can be read, and who sends ends the program. */
    void ReleasePackets();
    /** @return when the last thing happened in the fabric, which the clock passes: a window ends
     * later */
    Time GetLastTime() const;
    /** @return [WEFT_OOO_DEGREES] data that arrived beyond the ePSN, by PSN - ePSN; the last one
     * counts all from there on */
    std::vector<uint64_t> GetOutOfOrderDegrees() const;
    /** @return the host with that address, or GetNHosts() @param address of a port of it */
    uint32_t FindHost(const Address& address) const;
    /** @return the port with that address, or nullptr @param address of it */
    WeftHostPort* FindPort(const Address& address) const;
    /** @} */

    /** @name What algorithms work by @{ */
    /** @return what switches do, for all service levels */
    const weft_lb_ops* GetBalancer() const;
    /** @return its configuration */
    const void* GetBalancerConfig() const;
    /** @param level number @return what its QPs work by */
    WeftServiceLevel* GetServiceLevel(uint32_t level) const
    {
        return m_levels.Get(level);
    }
    /** @return how many there are: 1 and those that were added */
    uint32_t GetNServiceLevels() const;
    /** @return the transport of service level 0 */
    const weft_transport_ops* GetTransport() const;
    /** @return the congestion control of service level 0 */
    const weft_cc_ops* GetCc() const;
    const weft_mmu_config& GetMmuConfig() const;
    const weft_scheduler_ops* GetScheduler() const;
    const void* GetSchedulerConfig() const;
    const weft_fabric_config& GetFrameConfig() const
    {
        return m_frame;
    }
    /** @return what all random streams derive from, with GetRun(): seed and stream number; after
     * Build(), when it is settled */
    uint64_t GetSeed() const;
    /** @return the run's number; after Build() */
    uint64_t GetRun() const;
    DataRate GetHostRate() const;
    /** @param link number @return its ends, rate and delay */
    weft_link GetLink(uint64_t link) const;
    /** @param index of a switch @return what its balancer is told of the place where it works */
    weft_site GetSite(uint32_t index) const;
    /** @param plane whose @return exceptions in its forwarding, or nullptr */
    const weft_fib* GetFib(uint32_t plane = 0) const;
    /** @} */

    /** @name For the other classes of the module @{ */
    /** @return the core's fabric, as of Now() */
    weft_net* GetNet() const
    {
        Sync();
        return m_net;
    }
    /** @return the core's run: this fabric, and what is put on it */
    weft_run* GetCoreRun() const
    {
        return m_coreRun;
    }
    /** @param of the core's @return the same as an object */
    WeftConnection* GetConnection(weft_connection* of);
    /** The shares of levels have been computed for a workload. */
    void NoteShares();
    /** Takes a link down, or up again: see WeftChannel. @param link number @param down new state */
    void SetLinkDown(uint64_t link, bool down);
    /** @param link number @param rate from now on, bit/s */
    void SetLinkRate(uint64_t link, int64_t rate);
    /** @param link number @return whether it is down now */
    bool IsLinkDown(uint64_t link) const;
    /** @return what runs it */
    WeftTicks& GetTicks()
    {
        return m_ticks;
    }
    /** Lets all that happens before Now() happen. */
    void Sync() const
    {
        m_ticks.Sync();
    }
    /** @return the time of what is being told, or Now(), ps */
    int64_t GetTime() const
    {
        return m_ticks.GetTime();
    }
    /** @return whether what is being told is of Now(): else it is of before, and no sink's, which
     * has been connected since */
    bool IsTimely() const
    {
        return GetTime() == WeftNow();
    }
    /** A node is to be run at the times of its frames. @param node its number, hosts first */
    void Watch(uint32_t node);
    /** The core tells of what joins and leaves the queues of switches from now on. */
    void WatchQueues();
    /** Posts a message at a host that is doing something just now. @param qp a QP of it @param
     * bytes > 0 @param tag handed to the listener */
    void PostNow(WeftQp* qp, uint64_t bytes, uint64_t tag);
    /** A port gets another address. @param port of a host @param address one that no other has */
    void ChangeAddress(WeftHostPort& port, Mac48Address address);
    /** Sends a packet of an IP stack. @param p the frame, of a NIC @param payload what it carries
     */
    void SendPayload(const weft_packet& p, const WeftPayload& payload);
    /** @param p a frame that has come @return what it carried */
    WeftPayload TakePayload(const weft_packet& p);
    /** @param p a packet of an IP stack that is under way @return the same; it stays */
    WeftPayload GetPayload(const weft_packet& p);
    /** @param p a frame that is lost, on any thread */
    void ForgetPayload(const weft_packet& p);
    /** @} */

  protected:
    void DoDispose() override;

  private:
    /** Attributes that name an algorithm; which ones, weft-fabric-setup.cc says. */
    enum Chosen : unsigned;

    // Accessors of the attributes
    template <Chosen WHICH>
    void SetText(std::string text); //!< @param text name and parameters
    template <Chosen WHICH>
    std::string GetText() const;           //!< @return name and parameters
    void SetSeed(uint64_t seed);           //!< @param seed 0: RngSeedManager's
    void SetRun(uint64_t run);             //!< @param run 0: RngSeedManager's
    uint64_t GetSeedNumber() const;        //!< @return as set; from Build() on the one in force
    uint64_t GetRunNumber() const;         //!< @return as set; from Build() on the one in force
    void SetThreads(uint32_t threads);     //!< @param threads from 1 up
    uint32_t GetThreads() const;           //!< @return the same
    void SetConvergenceDelay(Time delay);  //!< @param delay from a failure to new forwarding
    Time GetConvergenceDelay() const;      //!< @return the same
    void SetRecoveryDelay(Time delay);     //!< @param delay from a repair to new forwarding
    Time GetRecoveryDelay() const;         //!< @return the same
    void SetWeights(bool weights);         //!< @param weights W-ECMP by paths
    bool GetWeights() const;               //!< @return the same
    void SetCapacityWeights(bool weights); //!< @param weights W-ECMP by capacity
    bool GetCapacityWeights() const;       //!< @return the same

    WeftChoice& GetChoice(const std::string& kind); //!< @param kind registry @return its choice
    const WeftChoice& GetChoice(const std::string& kind) const; //!< @param kind @return the same
    /** Aborts the program if the fabric has been built. @param what was set, too late */
    void RequireUnbuilt(const std::string& what) const;
    void RequireLevel(uint32_t level) const; //!< Aborts if there is none @param level number
    /** Aborts if they are not two hosts. @param src sending host @param dst receiving host */
    void RequireHosts(uint32_t src, uint32_t dst) const;
    /** Aborts if no QP was made. @param code of the core @param level of it @param why of the core
     */
    void RequireMade(int code, uint32_t level, const weft_refusal& why) const;
    /** Aborts the program if there is no such link, or if these times cannot be. @param call what
     * was asked for @param link number @param at when @param repair when it ends */
    void RequirePossible(const char* call, uint64_t link, Time at, Time repair) const;
    /** Watches both hosts of a listener that needs the time, and stops threads for one that is not
     * safe. @param src sending host @param dst receiving host @param listener who is told */
    void Attend(uint32_t src, uint32_t dst, const WeftMessageListener* listener);
    weft_weights GetKindOfWeights() const;          //!< @return what the attributes say
    weft_run_host MakeHost();                       //!< @return how the core has the run driven
    static void AddFaultHooks(weft_run_host& host); //!< @param host gets those of faults
    /** A message, or a part, is about to be posted. @param of nothing @param qp on which @param
     * bytes of it */
    static void LogPost(void* of, const weft_qp* qp, uint64_t bytes);
    void RequireAlive(const char* call) const; //!< Aborts after Destroy() @param call what is asked
    /** Aborts after Destroy() and ReleasePackets() @param call what is asked */
    void RequirePackets(const char* call) const;
    /** Aborts in a callback, as frames are in no place then. @param call what is asked */
    void RequireSettled(const char* call) const;
    /** Aborts if there is none. @param i number @param n how many there are @param call what asks
     * @param kind of things */
    static void RequireNumber(uint64_t i, uint64_t n, const char* call, const char* kind);
    /** @param all things of a kind @param i number @param call what asks @param kind of things
     * @return that one; aborts if there is none */
    template <typename T>
    const T& Find(const std::vector<T>& all, uint64_t i, const char* call, const char* kind) const;
    void PinRandomness(); //!< From here on RngSeedManager may change
    /** @param error why not @return whether a fabric can run under the simulator in use */
    static bool CheckSimulator(std::string& error);
    bool
    CheckSizes(const NodeContainer& hosts, const NodeContainer& switches, std::string& error) const;
    void BuildSwitches(const NodeContainer& switches); //!< part of Build()
    void BuildNics(const NodeContainer& hosts);        //!< part of Build()
    void BuildLinks();                                 //!< part of Build()
    /** @param nic of a host @param node of it; gets the ports as devices */
    void AddPorts(const Ptr<WeftNic>& nic, const Ptr<Node>& node);
    /** @return by switch, the number of the network that it is in: one with those to which links
     * lead, and another than, for example, those of another plane */
    std::vector<uint32_t> FindNetworks() const;
    /** @param nodes that are there, or none @param i number @return that node, or a new one whose
     * system id is the rank */
    Ptr<Node> GetNode(const NodeContainer& nodes, uint32_t i) const;
    /** @param end of a link @return its device; nullptr: another rank runs it */
    Ptr<NetDevice> GetDevice(const weft_end& end) const;
    static void LogWarnings(const weft_net_config& config); //!< Warns @param config all
    bool MakeNet(std::string& error);  //!< part of Build() @param error why not @return success
    void BeginTicks();                 //!< part of Build()
    void StopThreads();                //!< None but the caller's runs nodes any more
    void WatchForLogs();               //!< All nodes, if a log tells of their frames
    static WeftFabric* Told(void* of); //!< @param of a WeftFabric @return it
    /** @param node number, hosts first @return the switch, or nullptr */
    WeftSwitch* FindSwitch(uint32_t node) const;
    /** Has m_graph be a Clos if it is one by the same numbers. */
    void Recognise();
    /** Makes m_graph. @param hosts how many @param switches how many @param links as those of
     * SetGraph() @param error what is wrong, if it fails @return whether there is such a graph */
    bool MakeGraph(uint32_t hosts,
                   uint32_t switches,
                   const std::vector<weft_graph_edge>& links,
                   std::string& error) const;
    weft_net_hooks MakeHooks();                       //!< @return what the core calls
    static void AddLogHooks(weft_net_hooks& hooks);   //!< @param hooks gets those that logs need
    static void AddFrameHooks(weft_net_hooks& hooks); //!< @param hooks gets those of each frame
    static void AddQueueHooks(weft_net_hooks& hooks); //!< @param hooks gets those of queues

    WeftChoice m_topology;        //!< shape
    weft_clos m_graphClos{};      //!< what m_graph is, if it is a Clos
    mutable weft_graph m_graph{}; //!< SetGraph(), or of a shape whose hosts have several ToRs
    mutable std::vector<uint64_t> m_graphMemory; //!< of m_graph
    WeftChoice m_frames;                         //!< frame sizes
    WeftChoice m_switch;                         //!< buffer
    WeftChoice m_scheduler;                      //!< of a port's traffic classes
    uint64_t m_seed{0};                          //!< attribute
    uint64_t m_run{0};                           //!< attribute
    bool m_built{false};                         //!< Build() was called
    bool m_destroyed{false};                     //!< Simulator::Destroy() was called since
    bool m_released{false};                      //!< ReleasePackets() gave the memory back
    bool m_pinned{false};   //!< seed and run are numbers, whatever RngSeedManager's
    int64_t m_stream{-1};   //!< AssignStreams(), negative: none
    uint32_t m_threads{1};  //!< attribute
    weft_ranks m_ranks{};   //!< SetRanks(); none if its n is 0
    bool m_hasRanks{false}; //!< several run the nodes

    weft_clos m_clos{};           //!< shape
    weft_fabric_config m_frame{}; //!< frame sizes
    // nullptr: other ranks run it, or both of its ends
    std::vector<WeftNic*> m_nics;                   //!< by host; owned by their nodes
    std::vector<WeftSwitch*> m_switches;            //!< by index; owned by their nodes
    std::vector<Ptr<WeftChannel>> m_channels;       //!< by link
    std::map<Mac48Address, WeftHostPort*> m_portOf; //!< by address

    WeftServiceLevels m_levels; //!< the attributes' choices are those of level 0
    WeftMemory m_runMemory;     //!< of m_coreRun
    WeftMemory m_memory;        //!< of m_net
    WeftMemory m_packets;       //!< of its packets
    weft_run* m_coreRun;        //!< the core's run
    weft_net* m_net{nullptr};   //!< its fabric
    mutable WeftTicks m_ticks;  //!< that run it
    uint64_t m_seedInForce{0};  //!< GetSeed()
    Time m_convergence;         //!< attribute
    Time m_recovery;            //!< attribute
    bool m_weights{true};       //!< attribute
    bool m_capacity{false};     //!< attribute
    bool m_whole{true};         //!< middleware of the ToRs is on

    std::deque<WeftEnds> m_ends;                                //!< of QPs of their own
    std::vector<std::unique_ptr<WeftConnection>> m_connections; //!< by number, where one is known
    std::mutex m_payloadMutex;                            //!< of m_payloads: frames end on threads
    std::unordered_map<uint32_t, WeftPayload> m_payloads; //!< of frames of kind WEFT_RAW, by number
    uint32_t m_npayloads{0};                              //!< numbers given
    double m_loss{0};                                     //!< SetLossProbability()
    bool m_watches{false};                                //!< a node is watched
    bool m_watchesQueues{false};                          //!< somebody hears of queues
    bool m_logs{false};                                   //!< a log tells of frames
};

} // namespace ns3

#endif /* NS3_WEFT_FABRIC_H */
