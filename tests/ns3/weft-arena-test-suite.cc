// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * The arena hands out memory that nobody else has, densely, and takes it back from whoever drops
 * the last reference. Without the first a run's state is corrupted; without the second a large
 * fabric is slow; without the third a program that simulates many fabrics grows without end.
 */
#include "ns3/event-impl.h"
#include "ns3/nstime.h"
#include "ns3/ptr.h"
#include "ns3/simulator.h"
#include "ns3/test.h"
#include "ns3/weft-arena.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <set>
#include <vector>
#include <weft/rng.h>

using namespace ns3;

namespace
{

constexpr std::size_t LINE = 64; //!< a cache line

/** @param bytes any number @return whole cache lines, at least one */
std::size_t
Lines(std::size_t bytes)
{
    return bytes == 0 ? LINE : (bytes + LINE - 1) / LINE * LINE;
}

/** Random sizes, allocated and released in random order, each filled with a pattern of its own. */
class ArenaModelTestCase : public TestCase
{
  public:
    ArenaModelTestCase()
        : TestCase("objects never overlap, and the account is right")
    {
    }

  private:
    struct Piece
    {
        unsigned char* p;
        std::size_t bytes;
        unsigned char pattern;
    };

    void DoRun() override
    {
        weft_rng_seed(&m_rng, 1, 1, 1);
        const std::size_t before = WeftArenaUsed();
        for (int i = 0; i < 20000; i++)
        {
            if (m_pieces.size() < 50 || (m_pieces.size() < 400 && weft_rng_below(&m_rng, 2) == 0))
            {
                Allocate();
            }
            else
            {
                Release(weft_rng_below(&m_rng, static_cast<uint32_t>(m_pieces.size())));
            }
            NS_TEST_ASSERT_MSG_EQ(WeftArenaUsed(), before + m_used, "step " << i);
        }
        while (!m_pieces.empty())
        {
            Release(0);
        }
        NS_TEST_EXPECT_MSG_EQ(WeftArenaUsed(), before, "all is given back");
        NS_TEST_EXPECT_MSG_EQ(m_damaged, 0, "objects that another one wrote to");
        NS_TEST_EXPECT_MSG_EQ(m_crooked, 0, "objects that share a cache line");
    }

    void Allocate()
    {
        // Mostly small; now and then beyond the size that gets a block of its own.
        const uint32_t limit = weft_rng_below(&m_rng, 100) == 0 ? 3U << 20 : 3000;
        const std::size_t bytes = weft_rng_below(&m_rng, limit);
        Piece piece{static_cast<unsigned char*>(WeftArenaAllocate(bytes)),
                    bytes,
                    static_cast<unsigned char>(weft_rng_below(&m_rng, 256))};
        m_crooked += reinterpret_cast<std::uintptr_t>(piece.p) % LINE != 0;
        std::memset(piece.p, piece.pattern, bytes);
        m_used += Lines(bytes);
        m_pieces.push_back(piece);
    }

    void Release(std::size_t i)
    {
        const Piece piece = m_pieces[i];
        for (std::size_t k = 0; k < piece.bytes; k++)
        {
            if (piece.p[k] != piece.pattern)
            {
                m_damaged++;
                break;
            }
        }
        WeftArenaRelease(piece.p, piece.bytes);
        m_used -= Lines(piece.bytes);
        m_pieces[i] = m_pieces.back();
        m_pieces.pop_back();
    }

    weft_rng m_rng{};            //!< sizes and order
    std::vector<Piece> m_pieces; //!< what is allocated
    std::size_t m_used{0};       //!< its bytes
    int m_damaged{0};            //!< found when released
    int m_crooked{0};            //!< not aligned
};

/** An event object in the arena. */
class ArenaEvent final : public EventImpl, public WeftInArena
{
  public:
    uint64_t m_fired{0}; //!< times

  private:
    void Notify() override
    {
        m_fired++;
    }
};

/** What is made in a row lies in a row, and a released place is used again. */
class ArenaDensityTestCase : public TestCase
{
  public:
    ArenaDensityTestCase()
        : TestCase("neighbours in time are neighbours in memory")
    {
    }

  private:
    void DoRun() override
    {
        constexpr std::size_t n = 100000;
        std::vector<ArenaEvent*> events;
        std::size_t apart = 0;
        for (std::size_t i = 0; i < n; i++)
        {
            events.push_back(new ArenaEvent);
            const auto p = reinterpret_cast<std::uintptr_t>(events.back());
            apart += i > 0 && p != reinterpret_cast<std::uintptr_t>(events[i - 1]) +
                                       Lines(sizeof(ArenaEvent));
        }
        // 6.4 MB: blocks of 2 and 4 MiB, and the next.
        NS_TEST_EXPECT_MSG_LT(apart, 4, "gaps between objects made in a row");
        ArenaEvent* last = events.back();
        last->Unref();
        events.back() = new ArenaEvent;
        NS_TEST_EXPECT_MSG_EQ((events.back() == last), true, "the place is used again");
        for (ArenaEvent* e : events)
        {
            e->Unref();
        }
        NS_TEST_EXPECT_MSG_EQ(WeftArenaUsed(), 0, "nothing is in use");
    }
};

/** A row of events, as a switch's ports are: one address and an index find each of them. */
class ArenaRowTestCase : public TestCase
{
  public:
    ArenaRowTestCase()
        : TestCase("objects of a row lie side by side, and each goes by itself")
    {
    }

  private:
    void DoRun() override
    {
        struct alignas(64) Port final : public EventImpl, public WeftInArena
        {
            void Notify() override
            {
                fired++;
            }

            uint64_t fired{0};
        };

        // 3 MB: more than a block that is new, and than what is left of any.
        constexpr std::size_t n = 48000;
        auto row = static_cast<Port*>(WeftArenaAllocateRow(n, sizeof(Port)));
        for (std::size_t i = 0; i < n; i++)
        {
            ::new (row + i) Port;
        }
        NS_TEST_EXPECT_MSG_EQ(WeftArenaUsed(), n * sizeof(Port), "the whole row");
        Simulator::Schedule(TimeStep(1), Ptr<EventImpl>(row + n / 2));
        for (std::size_t i = 0; i < n; i++)
        {
            row[i].Unref();
        }
        NS_TEST_EXPECT_MSG_EQ(WeftArenaUsed(), sizeof(Port), "one has an event pending");
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(WeftArenaUsed(), 0, "it has happened");
        Simulator::Destroy();
    }
};

/** Fabrics that overlap in time: the next one is there before the last one has gone. */
class ArenaOverlapTestCase : public TestCase
{
  public:
    ArenaOverlapTestCase()
        : TestCase("rows that overlap in time take the place of those that went")
    {
    }

  private:
    static constexpr std::size_t N = 36;      //!< objects of a row
    static constexpr std::size_t BYTES = 100; //!< of each

    static unsigned char* NewRow()
    {
        return static_cast<unsigned char*>(WeftArenaAllocateRow(N, BYTES));
    }

    void DoRun() override
    {
        std::set<unsigned char*> places;
        unsigned char* row = NewRow();
        places.insert(row);
        for (int i = 0; i < 20; i++)
        {
            unsigned char* next = NewRow();
            std::memset(next, 1, N * Lines(BYTES));
            places.insert(next);
            for (std::size_t k = 0; k < N; k++)
            {
                // In any order, and only the last one makes room for another row.
                NS_TEST_ASSERT_MSG_EQ(places.count(Probe()), 0, "a row that is still in use");
                WeftArenaRelease(row + (k * 5 + 3) % N * Lines(BYTES), BYTES);
            }
            NS_TEST_EXPECT_MSG_EQ(+next[0], 1, "another row's memory is left alone");
            row = next;
        }
        NS_TEST_EXPECT_MSG_EQ(places.size(), 2, "places of 21 rows");
        for (std::size_t k = 0; k < N; k++)
        {
            WeftArenaRelease(row + k * Lines(BYTES), BYTES);
        }
        NS_TEST_EXPECT_MSG_EQ(WeftArenaUsed(), 0, "nothing is in use");
    }

    /** @return where a single object of that size would lie now */
    static unsigned char* Probe()
    {
        auto p = static_cast<unsigned char*>(WeftArenaAllocate(BYTES));
        WeftArenaRelease(p, BYTES);
        return p;
    }
};

/** An owner goes away while the scheduler still holds its event: the scheduler's is the last. */
class ArenaOwnershipTestCase : public TestCase
{
  public:
    ArenaOwnershipTestCase()
        : TestCase("an event that outlives its owner gives its memory back")
    {
    }

  private:
    void DoRun() override
    {
        auto event = new ArenaEvent;
        Simulator::Schedule(TimeStep(1), Ptr<EventImpl>(event));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(event->m_fired, 1, "it fires like any other");
        Simulator::Schedule(TimeStep(1), Ptr<EventImpl>(event));
        event->Unref();
        NS_TEST_EXPECT_MSG_EQ(WeftArenaUsed(), Lines(sizeof(ArenaEvent)), "the scheduler has it");
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_EQ(WeftArenaUsed(), 0, "nobody has it");
    }
};

/** Containers, and requests that cannot be met. */
class ArenaContainerTestCase : public TestCase
{
  public:
    ArenaContainerTestCase()
        : TestCase("containers grow in the arena; what does not fit is refused")
    {
    }

  private:
    void DoRun() override
    {
        {
            WeftVector<uint64_t> numbers;
            for (uint64_t i = 0; i < 1000000; i++)
            {
                numbers.push_back(i);
            }
            WeftVector<uint64_t> copy(numbers);
            numbers.clear();
            numbers.shrink_to_fit();
            uint64_t sum = 0;
            for (uint64_t i : copy)
            {
                sum += i;
            }
            NS_TEST_EXPECT_MSG_EQ(sum, UINT64_C(499999500000), "every number is there");
            NS_TEST_EXPECT_MSG_EQ(WeftArenaUsed(), 8000000, "of the copy alone");
        }
        NS_TEST_EXPECT_MSG_EQ(WeftArenaUsed(), 0, "nothing is in use");
        constexpr auto most = std::numeric_limits<std::size_t>::max();
        NS_TEST_EXPECT_MSG_EQ(Refuses(most / 8 + 1), true, "a product that does not fit");
        NS_TEST_EXPECT_MSG_EQ(Refuses(most / 8), true, "more than there is");
        NS_TEST_EXPECT_MSG_EQ(RefusesRow(2, (1 << 20) + 1), true, "a row of large objects");
        NS_TEST_EXPECT_MSG_EQ(RefusesRow(most / 64, 64), true, "a row beyond all memory");
        NS_TEST_EXPECT_MSG_EQ(WeftArenaUsed(), 0, "a refusal costs nothing");
    }

    /** @param n objects @param bytes of each @return whether the arena throws */
    static bool RefusesRow(std::size_t n, std::size_t bytes)
    {
        try
        {
            WeftArenaAllocateRow(n, bytes);
        }
        catch (const std::bad_alloc&)
        {
            return true;
        }
        return false;
    }

    /** @param n of uint64_t @return whether the allocator throws */
    static bool Refuses(std::size_t n)
    {
        try
        {
            WeftArenaAllocator<uint64_t>().allocate(n);
        }
        catch (const std::bad_alloc&)
        {
            return true;
        }
        return false;
    }
};

class WeftArenaTestSuite : public TestSuite
{
  public:
    WeftArenaTestSuite()
        : TestSuite("weft-arena", Type::UNIT)
    {
        AddTestCase(new ArenaModelTestCase);
        AddTestCase(new ArenaDensityTestCase);
        AddTestCase(new ArenaRowTestCase);
        AddTestCase(new ArenaOverlapTestCase);
        AddTestCase(new ArenaOwnershipTestCase);
        AddTestCase(new ArenaContainerTestCase);
    }
};

WeftArenaTestSuite g_weftArenaTestSuite; //!< registers the suite

} // namespace
