// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Stand-in for the header of this name in ASTRA-sim: a memory that nobody asks for anything.
 */
#ifndef WEFT_STAND_IN_ANALYTICAL_REMOTE_MEMORY_HH
#define WEFT_STAND_IN_ANALYTICAL_REMOTE_MEMORY_HH

#include <astra-sim/system/Sys.hh>
#include <string>

namespace Analytical
{

/** Memory of a file. */
struct AnalyticalRemoteMemory : public AstraSim::AstraRemoteMemoryAPI
{
    explicit AnalyticalRemoteMemory(const std::string& /* file */)
    {
    }
};

} // namespace Analytical

#endif // WEFT_STAND_IN_ANALYTICAL_REMOTE_MEMORY_HH
