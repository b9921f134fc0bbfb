// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Stand-in for the header of this name in ASTRA-sim: a rank whose only workload is a ring allreduce
 * of 1 MB. Of the workload "stuck" rank 0 sends nothing.
 */
#ifndef WEFT_STAND_IN_SYS_HH
#define WEFT_STAND_IN_SYS_HH

#include <astra-sim/common/AstraNetworkAPI.hh>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

namespace AstraSim
{

/** Memory that ranks share. */
class AstraRemoteMemoryAPI
{
};

class Sys;

/** Workload of a rank. */
struct Workload
{
    Sys* sys; //!< the rank

    void fire(); //!< Begins it
};

/** Rank. */
class Sys
{
  public:
    Sys(int id,
        const std::string& work,
        const std::string& /* groups */,
        const std::string& /* system */,
        AstraRemoteMemoryAPI* /* memory */,
        AstraNetworkAPI* network,
        const std::vector<int>& dims,
        const std::vector<int>& /* queues */,
        double /* injectionScale */,
        double /* commScale */,
        bool /* rendezvous */)
        : workload(new Workload{this}),
          m_network(network),
          m_rank(id),
          m_stuck(work == "stuck")
    {
        for (const int n : dims)
        {
            m_size *= n;
        }
    }

    std::unique_ptr<Workload> workload; //!< of it

    /** Sends a part on and receives the next one, or ends. @param of a Sys */
    static void GoOn(void* of)
    {
        Sys& s = *static_cast<Sys*>(of);
        if (s.m_step == 2 * (s.m_size - 1))
        {
            const timespec_t now = s.m_network->sim_get_time();
            std::printf("rank %d has finished after %.0Lf ns\n", s.m_rank, now.time_val);
            s.m_network->sim_notify_finished();
            return;
        }
        const int tag = s.m_step++;
        const uint64_t bytes = 1000000 / static_cast<uint64_t>(s.m_size);
        const int next = (s.m_rank + 1) % s.m_size;
        const int last = (s.m_rank + s.m_size - 1) % s.m_size;
        s.m_network->sim_recv(nullptr, bytes, 0, last, tag, nullptr, &GoOn, &s);
        if (!s.m_stuck || s.m_rank > 0)
        {
            s.m_network->sim_send(
                nullptr,
                bytes,
                0,
                next,
                tag,
                nullptr,
                [](void*) {},
                nullptr);
        }
    }

  private:
    AstraNetworkAPI* m_network; //!< of the rank
    int m_rank;                 //!< its number
    int m_size{1};              //!< ranks
    int m_step{0};              //!< of the ring, that begins next
    bool m_stuck;               //!< rank 0 sends nothing
};

inline void
Workload::fire()
{
    Sys::GoOn(sys);
}

} // namespace AstraSim

#endif // WEFT_STAND_IN_SYS_HH
