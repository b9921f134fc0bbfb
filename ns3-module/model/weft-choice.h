/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_CHOICE_H
#define NS3_WEFT_CHOICE_H

#include <cstdint>
#include <string>
#include <vector>
#include <weft/param.h>

namespace ns3
{

/**
 * @ingroup weft
 * @brief An algorithm of the core chosen by name, with its resolved parameters.
 *
 * Written as one line of text: the name, then name=value pairs with units, a preset first, as in
 * "dcqcn preset=hpcc t-i=300us t-d=4us". The names, units and bounds are those of `weft list`.
 */
class WeftChoice
{
  public:
    /** @param kind the registry: "balancer", "transport", ... */
    explicit WeftChoice(const std::string& kind);
    /** Makes a choice and sets it. @param kind the registry @param text name and parameters */
    WeftChoice(const std::string& kind, const std::string& text);

    /**
     * Parses a line of text. Nothing changes if it is wrong.
     * @param text name and parameters
     * @param error what is wrong, what was expected, and the nearest valid name
     * @return true if it is sound
     */
    bool Parse(const std::string& text, std::string& error);
    /** Parses a line of text; a wrong one is fatal. @param text name and parameters */
    void Set(const std::string& text);
    /** Copies a resolved choice. @param algo algorithm @param config its configuration */
    void Set(const weft_algo* algo, const void* config);

    /** @return the name and all parameters */
    std::string Format() const;

    /** @return the algorithm */
    const weft_algo* GetAlgo() const
    {
        return m_algo;
    }

    /** @return the algorithm's ops table, of which weft_algo is the first member */
    template <typename Ops>
    const Ops* GetOps() const
    {
        return reinterpret_cast<const Ops*>(m_algo);
    }

    /** @return the configuration struct of the algorithm */
    const void* GetConfig() const
    {
        return m_config.data();
    }

    /** @return the configuration as a struct the caller knows */
    template <typename Config>
    const Config& GetConfigAs() const
    {
        return *reinterpret_cast<const Config*>(m_config.data());
    }

  private:
    std::string m_kind;             //!< registry
    const weft_algo* m_algo;        //!< algorithm
    std::vector<uint64_t> m_config; //!< its configuration struct
};

} // namespace ns3

#endif /* NS3_WEFT_CHOICE_H */
