/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#ifndef NS3_WEFT_ARENA_H
#define NS3_WEFT_ARENA_H

#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

namespace ns3
{

/**
 * @ingroup weft
 * @brief Memory for what nearly every event touches: dense, on cache lines of its own, in huge
 * pages.
 *
 * The objects of a large model lie far apart on the heap, so that nearly every access of an event
 * misses the TLB as well as the caches. Here they lie in the order in which they are made, in
 * a few large blocks, for which huge pages are asked. What is released is kept for the next object
 * of its size; when nothing is in use any more, the blocks go back to the system. A row is kept for
 * the next one of its length once all its objects are released; until then it waits.
 *
 * Like ns-3's objects it is for one thread. All sizes are bytes.
 *
 * @param bytes any number
 * @return memory on a cache line of its own, contents unspecified; std::bad_alloc if there is none
 */
void* WeftArenaAllocate(std::size_t bytes);
/**
 * Objects in a row, as in an array; but each is released by itself, whoever does it.
 * @param n objects, at least 1 @param bytes of each, at most 1 MiB if they are several; they follow
 * one another at the next multiple of 64
 * @return the memory of the first; std::bad_alloc if there is none, or the objects are too large
 */
void* WeftArenaAllocateRow(std::size_t n, std::size_t bytes);
/** @param p from WeftArenaAllocate(), or of a row, or nullptr @param bytes the same number */
void WeftArenaRelease(void* p, std::size_t bytes) noexcept;
/** @return bytes allocated and not released, each rounded up to whole cache lines */
std::size_t WeftArenaUsed();
/** @return how often memory was asked for, a row once, since the program began */
uint64_t WeftArenaAllocations();

/**
 * @ingroup weft
 * @brief A base class that makes `new` take the object's memory from the arena.
 *
 * Nothing else changes: references are counted as ever, and whoever drops the last one (the owner
 * or a scheduler that still holds the object as an event) gives the memory back.
 */
class WeftInArena
{
  public:
    /** @param bytes of the object @return its memory */
    static void* operator new(std::size_t bytes)
    {
        return WeftArenaAllocate(bytes);
    }

    /** @param p the object's memory @param bytes of the object */
    static void operator delete(void* p, std::size_t bytes) noexcept
    {
        WeftArenaRelease(p, bytes);
    }
};

/**
 * @ingroup weft
 * @brief An allocator for standard containers.
 */
template <typename T>
struct WeftArenaAllocator
{
    static_assert(alignof(T) <= 64, "the arena aligns to cache lines");
    using value_type = T; //!< of the container

    WeftArenaAllocator() = default;

    /** All are alike. */
    template <typename U>
    WeftArenaAllocator(const WeftArenaAllocator<U>&) noexcept
    {
    }

    /** @param n elements @return their memory */
    T* allocate(std::size_t n)
    {
        if (n > static_cast<std::size_t>(-1) / sizeof(T))
        {
            throw std::bad_alloc();
        }
        return static_cast<T*>(WeftArenaAllocate(n * sizeof(T)));
    }

    /** @param p from allocate() @param n the same number */
    void deallocate(T* p, std::size_t n) noexcept
    {
        WeftArenaRelease(p, n * sizeof(T));
    }

    /** @return true: memory of one may be released through another */
    template <typename U>
    bool operator==(const WeftArenaAllocator<U>&) const noexcept
    {
        return true;
    }

    /** @return false */
    template <typename U>
    bool operator!=(const WeftArenaAllocator<U>&) const noexcept
    {
        return false;
    }
};

/** @ingroup weft A std::vector in the arena. */
template <typename T>
using WeftVector = std::vector<T, WeftArenaAllocator<T>>;

} // namespace ns3

#endif /* NS3_WEFT_ARENA_H */
