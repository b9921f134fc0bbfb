/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-input-files.h"

#include "ns3/abort.h"
#include "ns3/log.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <weft/ops.h>
#include <weft/param.h>

// The readers are C; what they include of others is there already.
extern "C"
{
#include "diagnostics.h"
#include "file-read.h"
#include "flow-file.h"
#include "graph-draft.h"
#include "graph-htsim.h"
#include "graph-names.h"
#include "graph-text.h"
#include "simai-ops.h"
#include "table-lines.h"
#include "trace-file.h"
}

namespace ns3
{

NS_LOG_COMPONENT_DEFINE("WeftInputFiles");

namespace
{

constexpr std::size_t MOST_BYTES = std::size_t{128} << 20; //!< of a file

/** A file while it is read: its bytes, and what is said of it. */
class Reading
{
  public:
    /** @param path of the file */
    explicit Reading(const std::string& path)
        : m_path(path)
    {
        char* why = nullptr;
        m_bytes = file_read_path(path.c_str(), MOST_BYTES, &m_size, &why);
        const std::string reason = why ? why : "";
        std::free(why);
        NS_ABORT_MSG_UNLESS(m_bytes, "Weft: " << reason);
        m_diagnostics.file = m_path.c_str();
        m_source.path = m_path.c_str();
        m_source.scenario_line = LINE_NONE;
        m_source.d = &m_diagnostics;
    }

    ~Reading()
    {
        std::free(m_bytes);
        diag_free(&m_diagnostics);
    }

    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    /** Ends the program with all mistakes, if there are any; warns of what is odd. */
    void Conclude() const
    {
        std::string all;
        for (std::size_t i = 0; i < m_diagnostics.n; i++)
        {
            all += (i > 0 ? "\n" : "") + std::string(m_diagnostics.items[i].message);
        }
        NS_ABORT_MSG_UNLESS(all.empty(), "Weft: " << all);
        for (std::size_t i = 0; i < m_diagnostics.nwarnings; i++)
        {
            NS_LOG_WARN(m_diagnostics.warnings[i].message);
        }
    }

    std::string m_path;          //!< of the file
    char* m_bytes{nullptr};      //!< all of it, and a NUL
    std::size_t m_size{0};       //!< of these without the NUL
    diagnostics m_diagnostics{}; //!< mistakes and warnings
    input_source m_source{};     //!< for the readers
};

} // namespace

WeftTopologyFile::WeftTopologyFile(const std::string& path)
    : m_path(path),
      m_names(std::make_unique<graph_names>())
{
    Reading reading(path);
    graph_draft draft{};
    weft_graph graph{};
    draft.from = &reading.m_source;
    draft.bytes = reading.m_bytes;
    draft.size = reading.m_size;
    const std::size_t text = std::string(reading.m_bytes).find_first_not_of(" \t\r\n\xef\xbb\xbf");
    void* memory = nullptr;
    if (text != std::string::npos && reading.m_bytes[text] == '<')
    {
        input_error(&reading.m_source,
                    1,
                    "this is XML, which the weft command alone reads; expected a topology.txt of "
                    "HPCC, ConWeave or SimAI, or a .topo of htsim");
    }
    else if (graph_htsim_is(reading.m_bytes) ? graph_htsim_parse(&draft) : graph_text_parse(&draft))
    {
        memory = graph_draft_make(&draft, &graph);
    }
    if (memory)
    {
        double* losses = graph_draft_losses(&draft, &graph, graph.clos != nullptr);
        m_losses.assign(losses, losses ? losses + draft.n : losses);
        std::free(losses);
    }
    std::free(memory); // the fabric makes one of its own
    reading.Conclude();
    m_links.assign(draft.edges, draft.edges + draft.n);
    m_gpus = draft.gpus;
    m_names->name = draft.names;
    m_names->count[NODE_HOST] = draft.nhosts;
    m_names->count[NODE_SWITCH] = draft.nswitches;
    graph_names_find_ids(m_names.get());
    graph_draft_drop(&draft);
}

WeftTopologyFile::~WeftTopologyFile()
{
    graph_names_free(m_names.get());
}

uint32_t
WeftTopologyFile::GetNHosts() const
{
    return m_names->count[NODE_HOST];
}

uint32_t
WeftTopologyFile::GetNSwitches() const
{
    return m_names->count[NODE_SWITCH];
}

std::string
WeftTopologyFile::FindHost(uint64_t id, uint32_t& host) const
{
    node_kind kind = NODE_HOST;
    const bool known = graph_names_find(m_names.get(), id, &kind, &host);
    if (known && kind == NODE_HOST)
    {
        return "";
    }
    return std::to_string(id) + (known ? " is a switch of " : " is not in ") + m_path +
           "; expected a host, of which there are " + std::to_string(GetNHosts()) + " from " +
           std::to_string(GetId(0)) + " to " + std::to_string(GetId(GetNHosts() - 1));
}

uint32_t
WeftTopologyFile::GetId(uint32_t host) const
{
    NS_ABORT_MSG_IF(host >= GetNHosts(),
                    "Weft: no host " << host << "; " << m_path << " has " << GetNHosts()
                                     << ", numbered from 0");
    return static_cast<uint32_t>(std::stoul(m_names->name[host]));
}

WeftFlowFile::WeftFlowFile(const std::string& path, const std::string& startUnit)
    : m_path(path),
      m_file(std::make_unique<flow_file>())
{
    NS_ABORT_MSG_UNLESS(startUnit == "us" || startUnit == "ps",
                        "Weft: start unit \"" << startUnit << "\" of " << path
                                              << "; expected us or ps");
    Reading reading(path);
    table_lines lines;
    table_lines_begin(&lines, &reading.m_source, reading.m_bytes, reading.m_size);
    flow_file_parse(&lines, startUnit == "ps", m_file.get());
    table_lines_end(&lines);
    reading.Conclude();
}

WeftFlowFile::~WeftFlowFile()
{
    flow_file_free(m_file.get());
}

const weft_table*
WeftFlowFile::Place(const WeftTopologyFile* topology, uint32_t hosts)
{
    const weft_table& read = m_file->table;
    m_flows.assign(read.flows, read.flows + read.nflows);
    for (uint32_t i = 0; i < read.nflows; i++)
    {
        for (uint32_t* host : {&m_flows[i].src, &m_flows[i].dst})
        {
            const uint32_t id = *host;
            const std::string wrong =
                topology      ? topology->FindHost(id, *host)
                : id >= hosts ? "host " + std::to_string(id) + "; the fabric has " +
                                    std::to_string(hosts) + ", 0 to " + std::to_string(hosts - 1)
                              : "";
            NS_ABORT_MSG_UNLESS(wrong.empty(),
                                "Weft: " << m_path << ":" << m_file->lines[i] << ": " << wrong);
        }
    }
    m_table = read;
    m_table.flows = m_flows.data();
    return &m_table;
}

namespace
{

/** @param bytes of a file @return what it is, if the weft command alone reads that, or nullptr */
const char*
TellForeignTrace(const std::string& bytes)
{
    const std::size_t text = bytes.find_first_not_of(" \t\r\n\xef\xbb\xbf");
    return bytes.compare(0, 2, "\x1f\x8b") == 0 || bytes.compare(0,
                                                                 4,
                                                                 "\xfd"
                                                                 "7zX") == 0
             ? "this is packed"
         : text != std::string::npos && bytes[text] == '<' ? "this is XML"
                                                           : nullptr;
}

} // namespace

WeftTraceFile::WeftTraceFile(const std::string& path, uint32_t ranks, const weft_clos& clos)
    : m_program(std::make_unique<weft_program>())
{
    Reading reading(path);
    const weft_hosts hosts = weft_clos_hosts(&clos);
    trace_choice choice{};
    choice.bytes_scale = 1;
    choice.rate = hosts.rate;
    choice.gpus = hosts.gpus;
    const std::string head(reading.m_bytes, std::min<std::size_t>(reading.m_size, 256));
    if (const char* what = TellForeignTrace(head))
    {
        input_error(
            &reading.m_source,
            1,
            "%s, which the weft command alone reads; expected GOAL, as text or binary, or a "
            "workload of SimAI",
            what);
    }
    else if (simai_file_is(reading.m_bytes, reading.m_size))
    {
        simai_trace_parse(&reading.m_source,
                          reading.m_bytes,
                          reading.m_size,
                          &choice,
                          ranks,
                          m_program.get());
    }
    else
    {
        trace_file_parse(&reading.m_source, reading.m_bytes, reading.m_size, m_program.get());
    }
    reading.Conclude();
    m_table.program = m_program.get();
}

WeftTraceFile::~WeftTraceFile()
{
    weft_program_release(m_program.get());
}

} // namespace ns3
