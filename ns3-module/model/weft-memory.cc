/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-memory.h"

#include <new>

namespace ns3
{

WeftMemory::WeftMemory()
{
    m_blocks.none = [] {
        if (const std::new_handler handler = std::get_new_handler())
        {
            handler(); // it may end the program, which nobody else does for a thread of the core
        }
        throw std::bad_alloc();
    };
}

WeftMemory::~WeftMemory()
{
    Clear();
}

void
WeftMemory::Clear()
{
    weft_blocks_clear(&m_blocks);
}

} // namespace ns3
