// SPDX-License-Identifier: GPL-2.0-only
#include "packet-hop-options.h"

#include "ns3/type-id.h"
#include "ns3/weft-fabric.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <weft/param.h>

using namespace ns3;

namespace
{

/** Option of the command line. */
struct Option
{
    const char* name;  //!< without dashes
    const char* value; //!< what it takes; nullptr: nothing
    const char* doc;   //!< one line; nullptr: for the table's script
};

constexpr std::array<Option, 14> OPTIONS{{
    {"cases", "LIST", "which cases, by letter or name (default: all but j and k)"},
    {"quick", nullptr, "small messages, without case d unless --cases names it"},
    {"no-instructions", nullptr, "leave out the runs under callgrind"},
    {"csv", nullptr, "print what was measured as CSV instead of a table"},
    {"case", "NAME", "one run of one case; prints one line"},
    {"bytes", "SIZE", "size of a message, instead of the case's own"},
    {"simulator", "TYPE", "an ns-3 simulator implementation (default: what a scenario gets)"},
    {"scheduler", "TYPE", "an ns-3 event scheduler (default: what a scenario gets)"},
    {"balancer",
     "TEXT",
     "name and parameters, as in \"themis entry-bytes=2\", instead of a case's"},
    {"transport", "TEXT", "the same for the transport"},
    {"congestion-control", "TEXT", "the same for the congestion control"},
    {"list", nullptr, "the cases"},
    {"help", nullptr, "this text"},
    {"plan", nullptr, nullptr},
}};

/** @return "; did you mean 'x'?" with the nearest of some names, or nothing. */
std::string
DidYouMean(const std::string& name, const std::vector<std::string>& known)
{
    unsigned least = 4;
    std::string best;
    for (const std::string& k : known)
    {
        const unsigned distance = weft_name_distance(name.c_str(), k.c_str());
        if (distance < least && distance < k.size())
        {
            least = distance;
            best = k;
        }
    }
    return best.empty() ? "" : "; did you mean '" + best + "'?";
}

const Option*
FindOption(const std::string& name)
{
    const auto* found = std::find_if(OPTIONS.begin(), OPTIONS.end(), [&name](const Option& o) {
        return name == o.name;
    });
    return found == OPTIONS.end() ? nullptr : found;
}

/** @return The names of ns-3's types derived from one, without "ns3::". */
std::vector<std::string>
NamesOfTypes(const std::string& base)
{
    std::vector<std::string> names;
    const TypeId parent = TypeId::LookupByName(base);
    for (uint16_t i = 0; i < TypeId::GetRegisteredN(); i++)
    {
        const TypeId type = TypeId::GetRegistered(i);
        if (type != parent && type.IsChildOf(parent) && type.GetName().compare(0, 5, "ns3::") == 0)
        {
            names.push_back(type.GetName().substr(5));
        }
    }
    return names;
}

} // namespace

bool
BenchOptions::Parse(int argc, char* argv[], std::string& error)
{
    for (int i = 1; i < argc; i++)
    {
        if (!ParseWord(argv[i], error))
        {
            return false;
        }
    }
    return CheckCases(error) && CheckType("scheduler", "ns3::Scheduler", error) &&
           CheckType("simulator", "ns3::SimulatorImpl", error) && CheckAlgorithms(error);
}

std::string
BenchOptions::Get(const std::string& name) const
{
    const auto found = m_values.find(name);
    return found == m_values.end() ? "" : found->second;
}

bool
BenchOptions::ParseWord(const std::string& word, std::string& error)
{
    const size_t equals = std::min(word.find('='), word.size());
    const std::string name = word == "-h" ? "help"
                                          : word.substr(std::min<size_t>(2, equals),
                                                        equals - std::min<size_t>(2, equals));
    const Option* option =
        word == "-h" || word.compare(0, 2, "--") == 0 ? FindOption(name) : nullptr;
    if (!option)
    {
        std::vector<std::string> known;
        for (const Option& o : OPTIONS)
        {
            known.push_back("--" + std::string(o.name));
        }
        error = "there is no option '" + word + "'" + DidYouMean(word.substr(0, equals), known);
        return false;
    }
    if ((option->value != nullptr) != (equals < word.size()))
    {
        error = option->value ? "--" + name + " needs a value: --" + name + "=" + option->value
                              : "--" + name + " takes no value";
        return false;
    }
    m_values[name] = option->value ? word.substr(equals + 1) : "";
    return true;
}

bool
BenchOptions::AddCase(const std::string& name, std::string& error)
{
    const BenchCase* found = FindBenchCase(name.c_str());
    if (!found)
    {
        std::vector<std::string> known;
        std::string letters;
        for (const BenchCase& c : BENCH_CASES)
        {
            known.emplace_back(c.name);
            letters += std::string(letters.empty() ? "" : ", ") + c.letter;
        }
        error = "there is no case '" + name + "'; the cases are " + letters +
                " (--list shows them)" + DidYouMean(name, known);
        return false;
    }
    if (std::find(m_cases.begin(), m_cases.end(), found) == m_cases.end())
    {
        m_cases.push_back(found);
    }
    return true;
}

bool
BenchOptions::CheckCases(std::string& error)
{
    const std::string option = Has("case") ? "case" : "cases";
    if (!Has(option))
    {
        for (const BenchCase& c : BENCH_CASES)
        {
            if (c.quickBytes > 0 && (!Has("quick") || c.letter != 'd'))
            {
                m_cases.push_back(&c);
            }
        }
        return true;
    }
    if (Has("case"))
    {
        return AddCase(Get("case"), error);
    }
    std::istringstream names(Get("cases"));
    for (std::string name; std::getline(names, name, ',');)
    {
        if (!AddCase(name, error))
        {
            return false;
        }
    }
    if (m_cases.empty())
    {
        error = "--cases names no case";
    }
    return !m_cases.empty();
}

bool
BenchOptions::CheckType(const std::string& option, const std::string& base, std::string& error)
{
    if (!Has(option))
    {
        return true;
    }
    std::string& value = m_values[option];
    const std::string name = value.compare(0, 5, "ns3::") == 0 ? value.substr(5) : value;
    const std::vector<std::string> known = NamesOfTypes(base);
    if (std::find(known.begin(), known.end(), name) == known.end())
    {
        error = "--" + option + ": ns-3 has no '" + value + "' derived from " + base +
                DidYouMean(name, known);
        return false;
    }
    value = "ns3::" + name;
    return true;
}

bool
BenchOptions::CheckAlgorithms(std::string& error)
{
    for (const char* kind : {"balancer", "transport", "congestion-control"})
    {
        if (Has(kind) && !WeftChoice(kind).Parse(Get(kind), error))
        {
            error = "--" + std::string(kind) + ": " + error;
            return false;
        }
    }
    if (Has("bytes"))
    {
        const weft_param size{"--bytes", WEFT_BYTES, 0, nullptr, "1B", "1000GB", nullptr, "", ""};
        if (weft_param_parse(&size, Get("bytes").c_str(), &m_bytes) != 0)
        {
            std::array<char, 200> expected{};
            weft_param_expected(&size, expected.data(), expected.size());
            error = "--bytes=" + Get("bytes") + ": expected " + expected.data();
            return false;
        }
    }
    return true;
}

BenchSetting
BenchOptions::GetSetting(const BenchCase& c) const
{
    BenchSetting s{c,
                   Has("quick") && c.quickBytes > 0 ? c.quickBytes : c.bytes,
                   Get("simulator"),
                   Get("scheduler")};
    s.bytes = m_bytes > 0 ? m_bytes : s.bytes;
    const auto replace = [this](const char* option, const char*& text) {
        text = Has(option) ? m_values.find(option)->second.c_str() : text;
    };
    replace("balancer", s.what.balancer);
    replace("transport", s.what.transport);
    replace("congestion-control", s.what.congestionControl);
    return s;
}

std::string
BenchOptions::GetHelp()
{
    std::string text = "Usage: weft bench [OPTIONS]\n\nWhat a packet-hop (a packet, data or ACK, "
                       "that crosses one link) costs.\n\n";
    for (const Option& o : OPTIONS)
    {
        if (o.doc)
        {
            std::string line = "  --" + std::string(o.name) + (o.value ? "=" : "");
            line += o.value ? o.value : "";
            line.resize(std::max<size_t>(line.size() + 1, 29), ' ');
            text += line + o.doc + "\n";
        }
    }
    return text + "\nbench/README.md tells what each case is and what each column means.\n";
}
