/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_HELPER_H
#define NS3_WEFT_HELPER_H

#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/weft-collective.h"
#include "ns3/weft-fabric.h"

#include <map>
#include <string>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * @brief Builds a fabric around a set of hosts.
 *
 * @code
 *   WeftHelper weft;
 *   weft.SetTopology("leaf-spine leaves=4 spines=4 hosts-per-leaf=4 link-rate=100Gbps");
 *   weft.SetBalancer("themis");
 *   NetDeviceContainer nics = weft.Install();
 * @endcode
 *
 * A helper made before anything else in the program sets ns-3's time resolution to picoseconds.
 */
class WeftHelper
{
  public:
    WeftHelper();

    /** @name Algorithms by name, parameters as name=value: see `weft list`
     *  @param text as in "dcqcn preset=hpcc t-i=300us" @{ */
    void SetTopology(const std::string& text);
    void SetFrames(const std::string& text);
    void SetSwitch(const std::string& text);
    void SetScheduler(const std::string& text);
    /** @} */

    /** @name What QPs work by, in the same way
     *  @param text as in "dcqcn preset=hpcc t-i=300us" @param level service level, 0 or what
     *  AddServiceLevel() said @{ */
    void SetBalancer(const std::string& text, uint32_t level = 0);
    void SetTransport(const std::string& text, uint32_t level = 0);
    void SetCongestionControl(const std::string& text, uint32_t level = 0);
    /** @} */

    /**
     * Adds a service level: a set of QPs with a balancer, transport and congestion control of their
     * own. What is not set for it is as of level 0, whenever that is set.
     * @param queue traffic class of its data, from 1 up, below the switch's classes
     * @return its number, from 1 to 7
     */
    uint32_t AddServiceLevel(uint32_t queue);

    /**
     * Makes the topology a graph: any switches and links (see graph.h), in place of SetTopology().
     * @param hosts how many, more than none @param switches how many
     * @param links between nodes 0 .. hosts-1, the hosts, and hosts .. hosts+switches-1
     */
    void SetGraph(uint32_t hosts, uint32_t switches, const std::vector<weft_graph_edge>& links);

    /** Sets any attribute of WeftFabric. @param name attribute @param value its value */
    void SetFabricAttribute(const std::string& name, const AttributeValue& value);

    /** Builds the fabric with hosts of its own. @return the NICs, in host order */
    NetDeviceContainer Install();
    /** Builds the fabric. @param hosts as many nodes as the topology has hosts @return the NICs, in
     * host order */
    NetDeviceContainer Install(const NodeContainer& hosts);

    /**
     * ns-3's convention: gives the fabric built last streams of its own, see
     * WeftFabric::AssignStreams(). @param stream first stream number @return how many it uses
     */
    int64_t AssignStreams(int64_t stream);

    /** @return the fabric built last */
    Ptr<WeftFabric> GetFabric() const;
    /** @return its hosts */
    NodeContainer GetHosts() const;
    /** @return its switches */
    NodeContainer GetSwitches() const;

    /**
     * Starts a workload on the fabric built last.
     * @param text as in "allreduce-ring bytes=300MB groups=16"
     * @param table what `flows`, `poisson` and `trace` take besides, or nullptr
     * @param level service level of its QPs
     * @return the workload, to be asked for its completion time after the simulation
     */
    Ptr<WeftCollective>
    InstallWorkload(const std::string& text, const weft_table* table = nullptr, uint32_t level = 0);

    /**
     * Sets the time resolution to picoseconds. Call it first in main(), unless a WeftHelper is made
     * there.
     */
    static void UsePicoseconds();
    /** The former name: a fabric runs under ns-3's own simulator. */
    [[deprecated("use WeftHelper::UsePicoseconds()")]] static void UseFabricSimulator();

  private:
    /** Service level that AddServiceLevel() has added. */
    struct Level
    {
        uint32_t queue;                           //!< traffic class of its data
        std::map<std::string, std::string> texts; //!< what was set for it, by kind
    };

    /** @param kind of algorithm @param attribute that names level 0's @param text name and
     * parameters @param level service level */
    void Set(const char* kind, const char* attribute, const std::string& text, uint32_t level);
    /** @param shape gets its shape @return a fabric with all that was set; a wrong one is fatal */
    Ptr<WeftFabric> Create(weft_clos* shape) const;

    ObjectFactory m_factory;                   //!< of fabrics
    std::vector<Level> m_levels;               //!< service levels from 1 up
    uint32_t m_graphHosts{0};                  //!< SetGraph(); 0: it was not called
    uint32_t m_graphSwitches{0};               //!< SetGraph()
    std::vector<weft_graph_edge> m_graphLinks; //!< SetGraph()
    Ptr<WeftFabric> m_fabric;                  //!< built last
    NodeContainer m_hosts;                     //!< its hosts
    NodeContainer m_switches;                  //!< its switches
};

} // namespace ns3

#endif /* NS3_WEFT_HELPER_H */
