// SPDX-License-Identifier: GPL-2.0-only
// Replaces the global operator new by one that counts. The array and nothrow forms end up here.
#include "allocation-counter.h"

#include <cstddef>
#include <cstdlib>
#include <new>

namespace
{

uint64_t g_allocations = 0;

void*
Checked(void* memory)
{
    if (!memory)
    {
        throw std::bad_alloc();
    }
    g_allocations++;
    return memory;
}

} // namespace

uint64_t
WeftAllocationCount()
{
    return g_allocations;
}

void*
operator new(std::size_t size)
{
    return Checked(std::malloc(size > 0 ? size : 1));
}

void*
operator new(std::size_t size, std::align_val_t alignment)
{
    const auto a = static_cast<std::size_t>(alignment);
    const std::size_t rounded = (size + a - 1) / a * a;
    return Checked(std::aligned_alloc(a, rounded > 0 ? rounded : a));
}

void
operator delete(void* memory) noexcept
{
    std::free(memory);
}

void
operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

void
operator delete(void* memory, std::align_val_t) noexcept
{
    std::free(memory);
}

void
operator delete(void* memory, std::size_t, std::align_val_t) noexcept
{
    std::free(memory);
}
