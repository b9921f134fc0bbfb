/*
 * SPDX-License-Identifier: GPL-2.0-only
 */
#include "weft-arena.h"

#include <algorithm>
#include <utility>
#include <vector>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace ns3
{

namespace
{

constexpr std::size_t LINE = 64;                        //!< a cache line
constexpr std::size_t HUGE_PAGE = std::size_t{1} << 21; //!< of x86-64 and of most arm64 systems
constexpr std::size_t LARGEST_BLOCK = 16 * HUGE_PAGE;   //!< blocks double until then
constexpr std::size_t SMALL = HUGE_PAGE / 2;            //!< beyond this an object is a block

/** A released object, while it waits to be used again. */
struct Free
{
    Free* next; //!< another of its size
};

/** All there is to know; never destroyed, because objects may outlive static variables. */
struct Arena
{
    char* at{nullptr};                                 //!< free space of the newest block
    std::size_t left{0};                               //!< its size
    std::size_t used{0};                               //!< bytes allocated and not released
    std::size_t nextBlock{HUGE_PAGE};                  //!< size of the next block
    std::vector<std::pair<void*, std::size_t>> blocks; //!< of small objects
    Free* free[SMALL / LINE + 1]{};                    //!< released small objects, by lines
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

/** @param bytes a multiple of LINE @return whether an object of that size has a block of its own */
bool
IsBlock(std::size_t bytes)
{
#ifdef __SANITIZE_ADDRESS__
    return bytes > 0; // so that the use of released memory is found
#else
    return bytes > SMALL;
#endif
}

/** @param bytes of a block @return what its address is a multiple of */
std::align_val_t
BlockAlignment(std::size_t bytes)
{
    return std::align_val_t(bytes > SMALL ? HUGE_PAGE : LINE);
}

/** @param bytes a multiple of LINE @return that much, in huge pages if possible */
void*
NewBlock(std::size_t bytes)
{
    void* p = ::operator new(bytes, BlockAlignment(bytes));
#ifdef MADV_HUGEPAGE
    if (bytes > SMALL)
    {
        // A wish: without huge pages everything works as well. What is left of the last one stays
        // with the heap.
        madvise(p, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
    }
#endif
    return p;
}

void
DeleteBlock(void* p, std::size_t bytes)
{
    ::operator delete(p, BlockAlignment(bytes));
}

void*
AllocateSmall(Arena& a, std::size_t bytes)
{
    Free*& list = a.free[bytes / LINE];
    if (list)
    {
        void* p = list;
        list = list->next;
        return p;
    }
    if (a.left < bytes)
    {
        a.blocks.emplace_back(nullptr, a.nextBlock); // first, lest a block be lost
        a.blocks.back().first = NewBlock(a.nextBlock);
        a.at = static_cast<char*>(a.blocks.back().first);
        a.left = a.nextBlock;
        a.nextBlock = std::min(2 * a.nextBlock, LARGEST_BLOCK);
    }
    void* p = a.at;
    a.at += bytes;
    a.left -= bytes;
    return p;
}

/** Nothing is in use: gives all blocks back. */
void
Reset(Arena& a)
{
    for (const auto& [block, bytes] : a.blocks)
    {
        DeleteBlock(block, bytes);
    }
    a.blocks = {};
    a.at = nullptr;
    a.left = 0;
    a.nextBlock = HUGE_PAGE;
    std::fill(std::begin(a.free), std::end(a.free), nullptr);
}

} // namespace

void*
WeftArenaAllocate(std::size_t bytes)
{
    if (bytes > static_cast<std::size_t>(-1) - HUGE_PAGE)
    {
        throw std::bad_alloc();
    }
    Arena& a = GetArena();
    const std::size_t rounded = RoundUp(std::max(bytes, LINE), LINE);
    void* p = IsBlock(rounded) ? NewBlock(rounded) : AllocateSmall(a, rounded);
    a.used += rounded;
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
    if (IsBlock(rounded))
    {
        DeleteBlock(p, rounded);
    }
    else
    {
        auto f = static_cast<Free*>(p);
        f->next = a.free[rounded / LINE];
        a.free[rounded / LINE] = f;
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

} // namespace ns3
