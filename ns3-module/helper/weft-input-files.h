/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_INPUT_FILES_H
#define NS3_WEFT_INPUT_FILES_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>
#include <weft/clos.h>
#include <weft/graph.h>
#include <weft/traffic.h>

struct flow_file;
struct graph_names;
struct weft_program;

namespace ns3
{

/**
 * @ingroup weft
 * @brief A topology.txt of HPCC's, ConWeave's or SimAI's simulator, or a .topo of htsim. WeftHelper
 * reads it; a mistake in it ends the program, with file and line.
 */
class WeftTopologyFile
{
  public:
    /** @param path of the file */
    explicit WeftTopologyFile(const std::string& path);
    ~WeftTopologyFile();

    WeftTopologyFile(const WeftTopologyFile&) = delete;
    WeftTopologyFile& operator=(const WeftTopologyFile&) = delete;

    /** @return its path */
    const std::string& GetPath() const
    {
        return m_path;
    }

    /** @return how many hosts it has */
    uint32_t GetNHosts() const;
    /** @return how many switches it has */
    uint32_t GetNSwitches() const;

    /** @return hosts of a server, in a row, where it says so; else 0 */
    uint32_t GetGpus() const
    {
        return m_gpus;
    }

    /** @return its links, hosts and switches numbered as those of a Clos if it is one, else in the
     * order of their ids */
    const std::vector<weft_graph_edge>& GetLinks() const
    {
        return m_links;
    }

    /** @return the probability that each link of the fabric loses a frame; empty: none does */
    const std::vector<double>& GetLosses() const
    {
        return m_losses;
    }

    /** @param id of a node in the file @param host gets the host's number @return what is wrong:
     * the id is a switch's, or nobody's; else nothing */
    std::string FindHost(uint64_t id, uint32_t& host) const;
    /** @param host its number @return its id in the file */
    uint32_t GetId(uint32_t host) const;

  private:
    std::string m_path;                   //!< see GetPath()
    std::unique_ptr<graph_names> m_names; //!< ids of its nodes
    std::vector<weft_graph_edge> m_links; //!< see GetLinks()
    std::vector<double> m_losses;         //!< see GetLosses()
    uint32_t m_gpus{0};                   //!< see GetGpus()
};

/**
 * @ingroup weft
 * @brief Flows of a file: CSV, those of HPCC's and ConWeave's simulators, or a connection matrix of
 * htsim. A mistake in it ends the program, with file and line.
 */
class WeftFlowFile
{
  public:
    /** @param path of the file @param startUnit of an htsim matrix: "us" or "ps" */
    WeftFlowFile(const std::string& path, const std::string& startUnit);
    ~WeftFlowFile();

    WeftFlowFile(const WeftFlowFile&) = delete;
    WeftFlowFile& operator=(const WeftFlowFile&) = delete;

    /** @param topology whose ids the file has, or nullptr: it numbers hosts from 0
     * @param hosts how many there are @return the flows between them; this object's */
    const weft_table* Place(const WeftTopologyFile* topology, uint32_t hosts);

  private:
    std::string m_path;                   //!< of the file
    std::unique_ptr<flow_file> m_file;    //!< as it was read
    std::vector<weft_table_flow> m_flows; //!< between hosts of the fabric
    weft_table m_table{};                 //!< these
};

/**
 * @ingroup weft
 * @brief What the ranks of a job do, of a file: a trace in GOAL, as text or binary, or a workload
 * of SimAI. A mistake in it ends the program, with file and line.
 */
class WeftTraceFile
{
  public:
    /** @param path of the file @param ranks of a workload of SimAI, 0: as it says
     * @param clos where it runs, as far as NCCL would choose by it */
    WeftTraceFile(const std::string& path, uint32_t ranks, const weft_clos& clos);
    ~WeftTraceFile();

    WeftTraceFile(const WeftTraceFile&) = delete;
    WeftTraceFile& operator=(const WeftTraceFile&) = delete;

    /** @return the program; this object's */
    const weft_table* GetTable() const
    {
        return &m_table;
    }

  private:
    std::unique_ptr<weft_program> m_program; //!< of its operations
    weft_table m_table{};                    //!< that
};

} // namespace ns3

#endif /* NS3_WEFT_INPUT_FILES_H */
