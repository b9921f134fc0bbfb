/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_MEMORY_H
#define NS3_WEFT_MEMORY_H

#include <cstddef>
#include <weft/blocks.h>
#include <weft/net.h>

namespace ns3
{

/**
 * @ingroup weft
 * @brief Where a fabric of the core lies. Without memory it calls the program's new-handler and
 * throws std::bad_alloc.
 */
class WeftMemory
{
  public:
    WeftMemory();
    ~WeftMemory();
    WeftMemory(const WeftMemory&) = delete;
    WeftMemory& operator=(const WeftMemory&) = delete;

    /** @return it, for the core */
    weft_memory Get()
    {
        return {&weft_blocks_take, &m_blocks};
    }

    /** @return bytes that were taken */
    std::size_t GetTaken() const
    {
        return m_blocks.taken;
    }

    /** Gives all of it back. */
    void Clear();

  private:
    weft_blocks m_blocks{}; //!< the core's
};

} // namespace ns3

#endif /* NS3_WEFT_MEMORY_H */
