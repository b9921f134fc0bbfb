/*
 * Copyright (c) 2026 The Weft Authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-arena.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif
#if defined(__SANITIZE_ADDRESS__)
#define WEFT_ARENA_POISONS 1 // gcc
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WEFT_ARENA_POISONS 1 // clang
#endif
#endif
#ifdef WEFT_ARENA_POISONS
#include <sanitizer/asan_interface.h>
#endif

namespace ns3
{

namespace
{

constexpr std::size_t LINE = 64;                        //!< a cache line
constexpr std::size_t HUGE_PAGE = std::size_t{1} << 21; //!< of x86-64 and of most arm64 systems
constexpr std::size_t LARGEST_BLOCK = 16 * HUGE_PAGE;   //!< blocks double until then
constexpr std::size_t SMALL = HUGE_PAGE / 2;            //!< beyond this an object is a block

/** A released object or row, while it waits to be used again. */
struct Free
{
    Free* next; //!< another of its size
};

/** Objects in a row. */
struct Row
{
    std::size_t n;     //!< objects
    std::size_t bytes; //!< of each, a multiple of LINE
    std::size_t live;  //!< objects not released
};

/** All there is to know; never destroyed, because objects may outlive static variables. */
struct Arena
{
    char* at{nullptr};                //!< free space of the newest block
    std::size_t left{0};              //!< its size
    std::size_t used{0};              //!< bytes allocated and not released
    uint64_t allocations{0};          //!< calls so far
    std::size_t nextBlock{HUGE_PAGE}; //!< size of the next block
    std::vector<void*> blocks;        //!< of small objects
    Free* free[SMALL / LINE + 1]{};   //!< released small objects, by lines
    std::map<char*, Row> rows;        //!< all rows in the blocks, by address
    std::map<std::pair<std::size_t, std::size_t>, Free*> freeRows; //!< released, by n and bytes
};

Arena&
GetArena()
{
    static auto arena = new Arena;
    return *arena;
}

std::size_t
RoundUp(std::size_t bytes, std::size_t unit)
{
    return (bytes + unit - 1) / unit * unit;
}

/** The use of what is released is a mistake, which AddressSanitizer then finds. @param p memory
 * @param bytes its size */
void
Poison([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes)
{
#ifdef WEFT_ARENA_POISONS
    __asan_poison_memory_region(p, bytes);
#endif
}

/** @param p memory that is in use again @param bytes its size */
void
Unpoison([[maybe_unused]] void* p, [[maybe_unused]] std::size_t bytes)
{
#ifdef WEFT_ARENA_POISONS
    __asan_unpoison_memory_region(p, bytes);
#endif
}

/** @param bytes a multiple of LINE @return that much, in huge pages if possible */
void*
NewBlock(std::size_t bytes)
{
    void* p = ::operator new(bytes, std::align_val_t(HUGE_PAGE));
#ifdef MADV_HUGEPAGE
    // A wish: without huge pages everything works as well. What lies in the last one may be shared.
    madvise(p, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#endif
    return p;
}

void
DeleteBlock(void* p)
{
    ::operator delete(p, std::align_val_t(HUGE_PAGE));
}

/** @param a arena @param bytes a multiple of LINE @return fresh memory of a block */
void*
Cut(Arena& a, std::size_t bytes)
{
    if (a.left < bytes)
    {
        const std::size_t size = std::max(a.nextBlock, RoundUp(bytes, HUGE_PAGE));
        a.blocks.push_back(nullptr); // first, lest a block be lost
        a.blocks.back() = NewBlock(size);
        a.at = static_cast<char*>(a.blocks.back());
        a.left = size;
        a.nextBlock = std::min(2 * a.nextBlock, LARGEST_BLOCK);
        Poison(a.at, size);
    }
    void* p = a.at;
    a.at += bytes;
    a.left -= bytes;
    Unpoison(p, bytes);
    return p;
}

/** @param a arena @param bytes a multiple of LINE, at most SMALL @return memory */
void*
AllocateSmall(Arena& a, std::size_t bytes)
{
    Free*& list = a.free[bytes / LINE];
    if (!list)
    {
        return Cut(a, bytes);
    }
    void* p = list;
    Unpoison(p, bytes);
    list = list->next;
    return p;
}

void
ReleaseSmall(Arena& a, void* p, std::size_t bytes)
{
    auto f = static_cast<Free*>(p);
    f->next = a.free[bytes / LINE];
    a.free[bytes / LINE] = f;
    Poison(p, bytes);
}

/** @param a arena @param n objects @param bytes of each, a multiple of LINE, at most SMALL
 * @return their memory */
void*
AllocateRow(Arena& a, std::size_t n, std::size_t bytes)
{
    Free*& list = a.freeRows[{n, bytes}];
    if (!list)
    {
        void* p = Cut(a, n * bytes);
        a.rows[static_cast<char*>(p)] = {n, bytes, n};
        return p;
    }
    void* p = list;
    Unpoison(p, n * bytes);
    list = list->next;
    a.rows.find(static_cast<char*>(p))->second.live = n;
    return p;
}

/** @param a arena @param p an object @param bytes a multiple of LINE, at most SMALL @return
 * whether it is of a row, which may now be used again */
bool
ReleaseOfRow(Arena& a, void* p, std::size_t bytes)
{
    const auto at = static_cast<char*>(p);
    auto found = a.rows.upper_bound(at);
    if (found == a.rows.begin())
    {
        return false;
    }
    auto& [first, row] = *--found;
    if (at >= first + row.n * row.bytes)
    {
        return false;
    }
    Poison(p, bytes);
    if (--row.live == 0)
    {
        Free*& list = a.freeRows.find({row.n, row.bytes})->second;
        Unpoison(first, sizeof(Free));
        list = ::new (first) Free{list};
        Poison(first, sizeof(Free));
    }
    return true;
}

/** Nothing is in use: gives all blocks back. */
void
Reset(Arena& a)
{
    for (void* block : a.blocks)
    {
        DeleteBlock(block);
    }
    a.blocks = {};
    a.at = nullptr;
    a.left = 0;
    a.nextBlock = HUGE_PAGE;
    std::fill(std::begin(a.free), std::end(a.free), nullptr);
    a.rows.clear();
    a.freeRows.clear();
}

} // namespace

void*
WeftArenaAllocate(std::size_t bytes)
{
    return WeftArenaAllocateRow(1, bytes);
}

void*
WeftArenaAllocateRow(std::size_t n, std::size_t bytes)
{
    constexpr std::size_t most = static_cast<std::size_t>(-1) / 2;
    if (n == 0 || bytes > most || n > most / (bytes + LINE) || (n > 1 && bytes > SMALL))
    {
        throw std::bad_alloc();
    }
    Arena& a = GetArena();
    const std::size_t rounded = RoundUp(std::max(bytes, LINE), LINE);
    void* p = rounded > SMALL ? NewBlock(rounded)
            : n == 1          ? AllocateSmall(a, rounded)
                              : AllocateRow(a, n, rounded);
    a.used += n * rounded;
    a.allocations++;
    return p;
}

void
WeftArenaRelease(void* p, std::size_t bytes) noexcept
{
    if (!p)
    {
        return;
    }
    Arena& a = GetArena();
    const std::size_t rounded = RoundUp(std::max(bytes, LINE), LINE);
    a.used -= rounded;
    if (rounded > SMALL)
    {
        DeleteBlock(p);
    }
    else if (!ReleaseOfRow(a, p, rounded))
    {
        ReleaseSmall(a, p, rounded);
    }
    if (a.used == 0)
    {
        Reset(a);
    }
}

std::size_t
WeftArenaUsed()
{
    return GetArena().used;
}

uint64_t
WeftArenaAllocations()
{
    return GetArena().allocations;
}

} // namespace ns3
