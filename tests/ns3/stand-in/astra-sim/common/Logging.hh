// SPDX-License-Identifier: GPL-2.0-only
/**
 * @file
 * Stand-in for the header of this name in ASTRA-sim: a logger that says nothing.
 */
#ifndef WEFT_STAND_IN_LOGGING_HH
#define WEFT_STAND_IN_LOGGING_HH

#include <string>

namespace AstraSim
{

/** Loggers of all layers. */
struct LoggerFactory
{
    static void init(const std::string& /* file */)
    {
    }

    static void shutdown()
    {
    }
};

} // namespace AstraSim

#endif // WEFT_STAND_IN_LOGGING_HH
