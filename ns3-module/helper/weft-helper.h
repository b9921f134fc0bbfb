/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_HELPER_H
#define NS3_WEFT_HELPER_H

#include "weft-trace-helper.h"

#include "ns3/application-container.h"
#include "ns3/attribute.h"
#include "ns3/net-device-container.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/weft-collective.h"
#include "ns3/weft-fabric.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{

class WeftTopologyFile;

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
class WeftHelper : public WeftTraceHelper
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
     * @param gpus hosts of a server, in a row, where links of servers' own networks do not say so;
     * 0: a host is a server by itself
     */
    void SetGraph(uint32_t hosts,
                  uint32_t switches,
                  const std::vector<weft_graph_edge>& links,
                  uint32_t gpus = 0);

    /**
     * Makes the topology that of a file: a topology.txt of HPCC's, ConWeave's or SimAI's simulator,
     * or a .topo of htsim, in place of SetTopology(). Hosts and switches are numbered as those of a
     * Clos if the file's are one, whatever their ids, else in the order of their ids there. Links
     * with an error rate lose frames. A mistake in the file ends the program, with file and line.
     * @param path of the file
     */
    void SetTopologyFile(const std::string& path);
    /** @param id of a host in the file of SetTopologyFile() @return the host's number */
    uint32_t GetHostOfId(uint32_t id) const;
    /** @param host its number @return its id in the file of SetTopologyFile() */
    uint32_t GetIdOfHost(uint32_t host) const;

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
    /**
     * The devices of one port of every host that has it, as for a subnet:
     * `address.Assign(weft.GetDevices(1))`.
     * @param port number of a port @return its devices, in host order; of port 0 the NICs
     */
    NetDeviceContainer GetDevices(uint32_t port) const;
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
     * Starts the flows of a file on the fabric built last: CSV with the header src,dst,bytes,start,
     * the flow.txt of HPCC's or ConWeave's simulator, or a connection matrix of htsim. Hosts are
     * the ids of SetTopologyFile(), if it was called, else numbers from 0. A mistake in the file
     * ends the program, with file and line.
     * @param path of the file
     * @param level service level of its QPs
     * @param startUnit of the times of an htsim matrix: "us" or "ps"
     * @return the workload: its messages are the flows in the order of the file
     */
    Ptr<WeftCollective> InstallFlowFile(const std::string& path,
                                        uint32_t level = 0,
                                        const std::string& startUnit = "us");

    /**
     * Starts what the ranks of a job do on the fabric built last, as a file says it: a trace in
     * GOAL, as text or binary, or a workload of SimAI. Each rank has a host of its own. A mistake
     * in the file ends the program, with file and line.
     * @param path of the file
     * @param parameters of the workload `trace`, as in "compute-scale=0.5 placement=random"
     * @param level service level of its QPs
     * @param ranks of a workload of SimAI; 0: as many as it says
     * @return the workload: it is done when all operations have ended, and GetProgram() has their
     * times
     */
    Ptr<WeftCollective> InstallTrace(const std::string& path,
                                     const std::string& parameters = "",
                                     uint32_t level = 0,
                                     uint32_t ranks = 0);

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
    /** Has links lose frames whose error rates the topology's file says. */
    void AddLosses();
    /** @param shape gets its shape @return a fabric with all that was set; a wrong one is fatal */
    Ptr<WeftFabric> Create(weft_clos* shape) const;

    ObjectFactory m_factory;                                 //!< of fabrics
    std::vector<Level> m_levels;                             //!< service levels from 1 up
    uint32_t m_graphHosts{0};                                //!< SetGraph(); 0: it was not called
    uint32_t m_graphSwitches{0};                             //!< SetGraph()
    std::vector<weft_graph_edge> m_graphLinks;               //!< SetGraph()
    uint32_t m_graphGpus{0};                                 //!< SetGraph()
    std::shared_ptr<const WeftTopologyFile> m_topologyFile;  //!< SetTopologyFile()
    std::shared_ptr<const WeftTopologyFile> m_installedFile; //!< of the fabric built last
    Ptr<WeftFabric> m_fabric;                                //!< built last
    NodeContainer m_hosts;                                   //!< its hosts
    NodeContainer m_switches;                                //!< its switches
};

} // namespace ns3

#endif /* NS3_WEFT_HELPER_H */
