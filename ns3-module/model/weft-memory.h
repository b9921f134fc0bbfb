/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_MEMORY_H
#define NS3_WEFT_MEMORY_H

#include <cstddef>
#include <utility>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * @brief Where a fabric of the core lies: memory that is taken piece by piece and given back as a
 * whole.
 *
 * Large blocks ask for huge pages: a fabric that fits no cache fits no page table either.
 */
class WeftMemory
{
  public:
    WeftMemory() = default;
    ~WeftMemory();
    WeftMemory(const WeftMemory&) = delete;
    WeftMemory& operator=(const WeftMemory&) = delete;

    /** As struct weft_memory asks for it. Throws std::bad_alloc if there is no more. @param of a
     * WeftMemory @param bytes how many @return zeros, aligned to 64 bytes */
    static void* Take(void* of, std::size_t bytes);

    /** @return bytes that were taken */
    std::size_t GetTaken() const
    {
        return m_taken;
    }

    /** Gives all of it back. */
    void Clear();

  private:
    /** Makes a block of which a piece can be taken. @param bytes of that piece */
    void Grow(std::size_t bytes);

    char* m_free{nullptr};                               //!< what is left of the last block
    std::size_t m_left{0};                               //!< how much
    std::size_t m_taken{0};                              //!< see GetTaken()
    std::vector<std::pair<void*, std::size_t>> m_blocks; //!< and their sizes
};

} // namespace ns3

#endif /* NS3_WEFT_MEMORY_H */
