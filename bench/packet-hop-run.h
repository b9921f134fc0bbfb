// SPDX-License-Identifier: GPL-2.0-only
/** @file packet-hop-run.h  A run of a case in ns-3: what it is to be, and what it gave. */
#ifndef WEFT_PACKET_HOP_RUN_H
#define WEFT_PACKET_HOP_RUN_H

#include "packet-hop-cases.h"

#include <string>

/** Setting of one run. */
struct BenchSetting
{
    BenchCase what;        //!< the case, with its text replaced where options say so
    int64_t bytes;         //!< of a message
    std::string simulator; //!< TypeId name; empty: what a scenario gets
    std::string scheduler; //!< TypeId name; empty: what a scenario gets
};

/** Result of one run. */
struct BenchResult
{
    std::string simulator;  //!< TypeId name of the simulator's implementation
    std::string scheduler;  //!< TypeId name of its scheduler
    uint32_t hosts{0};      //!< of the fabric
    double setupSeconds{0}; //!< CPU time until Simulator::Run()
    double seconds{0};      //!< CPU time of Simulator::Run()
    uint64_t hops{0};       //!< packet-hops
    uint64_t events{0};     //!< events of the simulator, those of the measurement left out
    int64_t end{0};         //!< last delivery, ps
    uint64_t digest{0};     //!< of the times of all messages
    double allocations{-1}; //!< per packet-hop in the middle half; negative: too short to tell
    int64_t peakBytes{0};   //!< most resident memory of the process
    int64_t runBytes{0};    //!< most resident memory less that after set-up
    uint64_t inFlight{0};   //!< most packets in use at once
    std::string error;      //!< what is wrong with the run; empty: nothing
};

/**
 * Run a case once; a process can do it only once.
 * @param [in] setting What to run.
 * @return What it gave.
 */
BenchResult RunBenchCase(const BenchSetting& setting);

#endif // WEFT_PACKET_HOP_RUN_H
