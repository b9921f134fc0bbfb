/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-choice.h"

#include "ns3/fatal-error.h"

#include <cstring>
#include <weft/choice.h>

namespace ns3
{

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
    weft_refusal why{};
    const weft_algo* algo = weft_choice_find(m_kind.c_str(), text.c_str(), &why);
    std::vector<uint64_t> config(algo ? algo->config_size / sizeof(uint64_t) + 1 : 0);
    if (!algo || weft_choice_set(algo, text.c_str(), config.data(), &why) != 0)
    {
        error = why.text;
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
