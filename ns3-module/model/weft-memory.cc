/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-memory.h"

#include <algorithm>
#include <cstdint>
#include <new>
#include <sys/mman.h>

namespace ns3
{

namespace
{
constexpr std::size_t SMALLEST = std::size_t{1} << 18; //!< bytes of the first block
constexpr std::size_t LARGEST = std::size_t{1} << 26;  //!< bytes of one, unless a piece is larger
constexpr std::size_t HUGE_PAGE = std::size_t{1} << 21;
constexpr std::size_t LINE = 64;
} // namespace

WeftMemory::~WeftMemory()
{
    Clear();
}

void
WeftMemory::Clear()
{
    for (const auto& [block, bytes] : m_blocks)
    {
        munmap(block, bytes);
    }
    m_blocks.clear();
    m_left = 0;
    m_taken = 0;
}

void
WeftMemory::Grow(std::size_t bytes)
{
    const std::size_t doubled =
        m_blocks.empty() ? SMALLEST : std::min(2 * m_blocks.back().second, LARGEST);
    const std::size_t size = std::max(doubled, (bytes + LINE - 1) / LINE * LINE);
    void* block = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (block == MAP_FAILED)
    {
        if (const std::new_handler handler = std::get_new_handler())
        {
            handler(); // it may end the program, which nobody else does for a thread of the core
        }
        throw std::bad_alloc();
    }
    if (size >= 2 * HUGE_PAGE)
    {
        madvise(block, size, MADV_HUGEPAGE); // where there are none, small ones do
    }
    m_blocks.emplace_back(block, size);
    m_free = static_cast<char*>(block);
    m_left = size;
}

void*
WeftMemory::Take(void* of, std::size_t bytes)
{
    auto self = static_cast<WeftMemory*>(of);
    if (bytes > PTRDIFF_MAX)
    {
        throw std::bad_alloc();
    }
    const std::size_t size = (bytes + LINE - 1) / LINE * LINE;
    if (size > self->m_left)
    {
        self->Grow(size);
    }
    void* piece = self->m_free;
    self->m_free += size;
    self->m_left -= size;
    self->m_taken += size;
    return piece;
}

} // namespace ns3
