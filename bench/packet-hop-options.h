// SPDX-License-Identifier: GPL-2.0-only
/** @file packet-hop-options.h  The command line of packet-hop-bench. */
#ifndef WEFT_PACKET_HOP_OPTIONS_H
#define WEFT_PACKET_HOP_OPTIONS_H

#include "packet-hop-cases.h"
#include "packet-hop-run.h"

#include <map>
#include <string>
#include <vector>

/** The command line of the benchmark, checked. */
class BenchOptions
{
  public:
    /**
     * Parse and check a command line. A later option replaces an earlier one.
     * @param [in] argc Number of words.
     * @param [in] argv The words.
     * @param [out] error What is wrong, with the nearest valid name.
     * @return Whether it is sound.
     */
    bool Parse(int argc, char* argv[], std::string& error);

    /** @param [in] name An option without its dashes. @return Whether it was given. */
    bool Has(const std::string& name) const
    {
        return m_values.count(name) > 0;
    }

    /** @param [in] name An option without its dashes. @return Its value, or nothing. */
    std::string Get(const std::string& name) const;

    /** @return The cases of the table. */
    const std::vector<const BenchCase*>& GetCases() const
    {
        return m_cases;
    }

    /** @param [in] c A case. @return What a run of it is to be. */
    BenchSetting GetSetting(const BenchCase& c) const;

    /** @return the text that --help prints. */
    static std::string GetHelp();

  private:
    bool ParseWord(const std::string& word, std::string& error); //!< Parses an option
    bool CheckCases(std::string& error);                         //!< --cases and --case
    bool AddCase(const std::string& name, std::string& error);   //!< Adds a case
    bool CheckType(const std::string& option, const std::string& base, std::string& error);
    bool CheckAlgorithms(std::string& error); //!< --balancer and its like, --bytes

    std::map<std::string, std::string> m_values; //!< by name, without dashes
    std::vector<const BenchCase*> m_cases;       //!< to run
    int64_t m_bytes{0};                          //!< of a message; 0: the case's own
};

#endif // WEFT_PACKET_HOP_OPTIONS_H
