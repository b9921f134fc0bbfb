// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Stand-in for the header of this name in ASTRA-sim: as much of its interface as a network back-end
 * needs, with the same names and signatures, so that examples/astra-sim/ is compiled and run where
 * there is no ASTRA-sim.
 */
#ifndef WEFT_STAND_IN_ASTRA_NETWORK_API_HH
#define WEFT_STAND_IN_ASTRA_NETWORK_API_HH

#include <cstdint>

namespace AstraSim
{

/** Unit of a time. */
enum time_type_e
{
    SE = 0, //!< seconds
    MS,     //!< milliseconds
    US,     //!< microseconds
    NS,     //!< nanoseconds
    FS,     //!< femtoseconds
};

/** A time. */
struct timespec_t
{
    time_type_e time_res; //!< its unit
    long double time_val; //!< how many of them
};

struct sim_request; // of which a back-end hands nothing on

/** Network of a rank, as a rank's system layer sees it. */
class AstraNetworkAPI
{
  public:
    /** Kinds of back-ends. */
    enum class BackendType
    {
        NotSpecified = 0,
        Garnet,
        NS3,
        Analytical,
    };

    AstraNetworkAPI(int of)
        : rank(of)
    {
    }

    virtual ~AstraNetworkAPI() = default;

    virtual int sim_send(void* buffer,
                         uint64_t count,
                         int type,
                         int dst,
                         int tag,
                         sim_request* request,
                         void (*msg_handler)(void* fun_arg),
                         void* fun_arg) = 0;
    virtual int sim_recv(void* buffer,
                         uint64_t count,
                         int type,
                         int src,
                         int tag,
                         sim_request* request,
                         void (*msg_handler)(void* fun_arg),
                         void* fun_arg) = 0;
    virtual void sim_schedule(timespec_t delta, void (*fun_ptr)(void* fun_arg), void* fun_arg) = 0;
    virtual timespec_t sim_get_time() = 0;

    virtual BackendType get_backend_type()
    {
        return BackendType::NotSpecified;
    }

    virtual double get_BW_at_dimension(int /* dim */)
    {
        return -1;
    }

    virtual void sim_notify_finished()
    {
    }

    int rank; //!< whose network it is
};

} // namespace AstraSim

#endif // WEFT_STAND_IN_ASTRA_NETWORK_API_HH
