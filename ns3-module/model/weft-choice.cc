/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-choice.h"

#include "ns3/fatal-error.h"

#include <cstring>
#include <sstream>
#include <weft/error.h>
#include <weft/registry.h>

namespace ns3
{

namespace
{

/** @param algo the algorithm @param name a parameter that does not exist @return a suggestion */
std::string
SuggestParam(const weft_algo* algo, const std::string& name)
{
    const char* best = nullptr;
    unsigned distance = 4;
    for (size_t i = 0; i < algo->nparams; i++)
    {
        const unsigned d = weft_name_distance(algo->params[i].name, name.c_str());
        if (d < distance)
        {
            distance = d;
            best = algo->params[i].name;
        }
    }
    return best ? std::string("; did you mean '") + best + "'?" : "";
}

/** Applies one "name=value" word. @return an empty string, or what is wrong */
std::string
Apply(const weft_algo* algo, const std::string& word, void* config)
{
    const auto eq = word.find('=');
    if (eq == std::string::npos)
    {
        return "'" + word + "' is not name=value";
    }
    const std::string name = word.substr(0, eq);
    const std::string value = word.substr(eq + 1);
    const std::string owner = std::string("'") + algo->name + "'";
    if (name == "preset")
    {
        return weft_config_preset(algo, config, value.c_str()) == 0
                 ? ""
                 : owner + " has no preset '" + value + "'";
    }
    const weft_param* p = weft_param_find(algo, name.c_str());
    if (!p)
    {
        return owner + " has no parameter '" + name + "'" + SuggestParam(algo, name);
    }
    const int code = weft_param_parse(p, value.c_str(), config);
    if (code == 0)
    {
        return "";
    }
    char expected[256];
    weft_param_expected(p, expected, sizeof expected);
    return owner + " " + name + "='" + value + "': " + weft_strerror(code) + "; expected " +
           expected;
}

} // namespace

WeftChoice::WeftChoice(const std::string& kind)
    : m_kind(kind),
      m_algo(nullptr)
{
}

WeftChoice::WeftChoice(const std::string& kind, const std::string& text)
    : WeftChoice(kind)
{
    Set(text);
}

bool
WeftChoice::Parse(const std::string& text, std::string& error)
{
    std::istringstream words(text);
    std::string word;
    words >> word;
    const weft_algo* algo = weft_find(m_kind.c_str(), word.c_str());
    if (!algo)
    {
        const weft_registry* registry = weft_registry_find(m_kind.c_str());
        const char* nearest = registry ? weft_nearest(registry, word.c_str()) : nullptr;
        error = "no " + m_kind + " is called '" + word + "'" +
                (nearest ? std::string("; did you mean '") + nearest + "'?" : "");
        return false;
    }
    std::vector<uint64_t> config(algo->config_size / sizeof(uint64_t) + 1);
    weft_config_default(algo, config.data());
    while (words >> word)
    {
        error = Apply(algo, word, config.data());
        if (!error.empty())
        {
            return false;
        }
    }
    const char* wrong = algo->check ? algo->check(config.data()) : nullptr;
    if (wrong)
    {
        error = std::string("'") + algo->name + "': " + wrong;
        return false;
    }
    m_algo = algo;
    m_config.swap(config);
    return true;
}

void
WeftChoice::Set(const std::string& text)
{
    std::string error;
    if (!Parse(text, error))
    {
        NS_FATAL_ERROR("Weft: " << error);
    }
}

void
WeftChoice::Set(const weft_algo* algo, const void* config)
{
    m_algo = algo;
    m_config.assign(algo->config_size / sizeof(uint64_t) + 1, 0);
    std::memcpy(m_config.data(), config, algo->config_size);
}

std::string
WeftChoice::Format() const
{
    std::string text = m_algo->name;
    for (size_t i = 0; i < m_algo->nparams; i++)
    {
        char value[128];
        if (weft_param_format(&m_algo->params[i], m_config.data(), value, sizeof value) >= 0)
        {
            text += std::string(" ") + m_algo->params[i].name + "=" + value;
        }
    }
    return text;
}

} // namespace ns3
